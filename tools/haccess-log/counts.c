#include "counts.h"

#include <stdlib.h>
#include <string.h>

#include "when.h"

static void
add(struct mem *m, struct counts *c, const char *word)
{
    for (size_t i = 0; i < c->used; i++)
        if (strcmp(c->items[i].word, word) == 0) {
            c->items[i].n++;
            return;
        }
    if (c->used == WORDS_MAX)
        c->others++;
    else
        c->items[c->used++] = (struct count){mem_strdup(m, word), 1};
}

void
counts_visit(void *data, const struct run_entry *run, const struct entry *e, const struct view *v)
{
    struct stats *s = data;
    struct mem *m = s->log->mem, *own = mem_new();

    (void)run;
    s->launches++;
    s->full += v->full;
    s->narrowed += v->narrowed;
    s->refused += v->refused;
    add(m, &s->adapters, v->adapter == NULL ? "?" : v->adapter);
    if (v->model != NULL)
        add(m, &s->models, v->model);
    if (v->refused || v->code != NULL) /* in observe mode a refusal is of a launch that ran */
        add(m, &s->reasons, v->code == NULL ? "?" : v->code);
    else if (!v->full)
        add(m, &s->reasons, v->reason == NULL ? "?" : v->reason);
    add(m, &s->days, when_day(own, e->ts, s->log->options.utc));
    mem_free(own);
}

static int
most_first(const void *a, const void *b)
{
    const struct count *x = a, *y = b;

    return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->word, y->word);
}

static int
latest_first(const void *a, const void *b)
{
    return strcmp(((const struct count *)b)->word, ((const struct count *)a)->word);
}

void
counts_sort(struct stats *s)
{
    qsort(s->adapters.items, s->adapters.used, sizeof(struct count), most_first);
    qsort(s->models.items, s->models.used, sizeof(struct count), most_first);
    qsort(s->reasons.items, s->reasons.used, sizeof(struct count), most_first);
    qsort(s->days.items, s->days.used, sizeof(struct count), latest_first);
}
