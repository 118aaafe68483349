/* haccess-log stats: counts, with bars. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "each.h"

/* How many lines of bars one list may take. */
#define BARS_MAX  10
#define BAR_WIDTH 30

static void
print_bars(struct mem *m, const struct counts *c, const char *title)
{
    size_t widest = 12, most = 1, rows = c->used < BARS_MAX ? c->used : BARS_MAX, rest = c->others;

    for (size_t i = 0; i < rows; i++) {
        size_t w = columns(shown(m, c->items[i].word));

        widest = w > widest ? w : widest;
        most = c->items[i].n > most ? c->items[i].n : most;
    }
    for (size_t i = rows; i < c->used; i++)
        rest += c->items[i].n;
    if (rows != 0 && title != NULL)
        put(DIM, title);
    for (size_t i = 0; i < rows; i++) {
        const char *word = shown(m, c->items[i].word);
        size_t bar = (c->items[i].n * BAR_WIDTH + most - 1) / most;

        printf("%s%*s ", word, (int)(widest - columns(word)), "");
        while (bar-- > 0)
            fputs(glyph("█", "#"), stdout);
        printf(" %zu\n", c->items[i].n);
    }
    if (rest != 0)
        printf("%s%*s %zu\n", glyph("…", "..."), (int)(widest - columns(glyph("…", "..."))), "", rest);
}

static void
print_reasons(struct mem *m, const struct counts *c)
{
    size_t at = columns("why not full access:");

    if (c->used == 0)
        return;
    fputs("why not full access:", stdout);
    for (size_t i = 0; i < c->used; i++) {
        const char *text = mem_printf(m, " %s%s %zu", i == 0 ? "" : mem_printf(m, "%s ", DOT),
                                      shown(m, c->items[i].word), c->items[i].n);

        if (at + columns(text) > screen_width()) {
            fputs("\n   ", stdout);
            at = 3;
        }
        fputs(text, stdout);
        at += columns(text);
    }
    putchar('\n');
}

static void
add_json(cJSON *o, const char *name, const struct counts *c)
{
    cJSON *list = cJSON_AddObjectToObject(o, name);

    for (size_t i = 0; i < c->used; i++)
        cJSON_AddNumberToObject(list, c->items[i].word, (double)c->items[i].n);
}

static void
print_json(const struct stats *s, size_t runs)
{
    cJSON *o = cJSON_CreateObject();
    char *text;

    cJSON_AddNumberToObject(o, "launches", (double)s->launches);
    cJSON_AddNumberToObject(o, "runs", (double)runs);
    cJSON_AddNumberToObject(o, "full_access", (double)s->full);
    cJSON_AddNumberToObject(o, "narrowed", (double)s->narrowed);
    cJSON_AddNumberToObject(o, "refused", (double)s->refused);
    add_json(o, "adapters", &s->adapters);
    add_json(o, "models", &s->models);
    add_json(o, "reasons", &s->reasons);
    add_json(o, "days", &s->days);
    text = cJSON_PrintUnformatted(o);
    if (text != NULL)
        put_json(text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(o);
}

int
view_stats(struct log *l, int argc, char **argv)
{
    struct mem *m = l->mem;
    struct stats *s = mem_alloc(m, sizeof(*s));
    size_t runs;

    (void)argc, (void)argv;
    s->log = l;
    runs = each_launch(l, true, counts_visit, s);
    counts_sort(s);
    screen_pager();
    if (l->options.json) {
        print_json(s, runs);
        return 0;
    }
    printf("%s, %s      ", counted(m, s->launches, "launch", "launches"), counted(m, runs, "run", "runs"));
    put(s->full == 0 ? PLAIN : RED, mem_printf(m, "full access %zu", s->full));
    if (s->launches != 0)
        printf(" (%zu %%)", (s->full * 100 + s->launches / 2) / s->launches);
    printf("   narrowed %zu   refused %zu\n", s->narrowed, s->refused);
    print_bars(m, &s->adapters, NULL);
    print_reasons(m, &s->reasons);
    print_bars(m, &s->models, "models\n");
    if (s->days.used > 1)
        print_bars(m, &s->days, "days\n");
    return 0;
}
