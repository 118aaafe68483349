/* Editing a command line. What is removed must not change how the words around it are read: the rules for gaps
 * are those of the adapters' specification. */
#include <stdint.h>
#include <string.h>

#include "grammar.h"

struct edit {
    struct mem *m;
    const struct command *c;
    char **words; /* as they will be; NULL: removed */
    bool *gone;   /* per occurrence: removed */
    bool *moved;  /* per occurrence: put in front of other options instead of where it stood */
    struct strings inserted;
};

struct edit *
edit_new(struct mem *m, const struct command *c)
{
    struct edit *e = mem_alloc(m, sizeof(*e));

    e->m = m;
    e->c = c;
    e->words = mem_array(m, c->argc + 1, sizeof(*e->words));
    e->gone = mem_array(m, c->noptions + 1, sizeof(*e->gone));
    e->moved = mem_array(m, c->noptions + 1, sizeof(*e->moved));
    if (c->argc != 0)
        memcpy(e->words, c->argv, c->argc * sizeof(*e->words));
    return e;
}

/* Spells the word of bundled short options that occurrence k belongs to again, without those that are gone. */
static void
respell(struct edit *e, size_t k)
{
    const struct command *c = e->c;
    size_t word = c->options[k].word;
    char *spelled = mem_alloc(e->m, strlen(c->argv[word]) + 1), *to = spelled;

    while (k > 0 && c->options[k - 1].word == word)
        k--;
    *to++ = '-';
    for (; k < c->noptions && c->options[k].word == word; k++) {
        const struct occurrence *o = &c->options[k];

        if (e->gone[k])
            continue;
        if (o->glued)
            to = stpcpy(to, c->argv[word] + o->offset);
        else
            *to++ = o->spec->shortname;
    }
    e->words[word] = to == spelled + 1 ? NULL : spelled;
}

void
edit_remove(struct edit *e, const struct occurrence *o)
{
    size_t k = (size_t)(o - e->c->options);

    e->gone[k] = true;
    if (o->bundled)
        respell(e, k);
    else
        e->words[o->word] = NULL;
    for (size_t i = 0; !o->glued && i < o->nvalues; i++)
        e->words[o->value_word + i] = NULL;
}

void
edit_insert(struct edit *e, const char *word)
{
    strings_add(e->m, &e->inserted, word);
}

/* Whether words were removed right behind word i, and the next that stays is one that the option before it takes. */
static bool
gap_joins(const struct edit *e, const struct option_spec *o, size_t i)
{
    size_t next = i + 1;

    if (next >= e->c->argc || e->words[next] != NULL)
        return false;
    while (next < e->c->argc && e->words[next] == NULL)
        next++;
    if (next >= e->c->argc)
        return false;
    if (o->arity == ARITY_SWITCH)
        return strcmp(e->words[next], "true") == 0 || strcmp(e->words[next], "false") == 0;
    return e->words[next][0] != '-' || e->words[next][1] == '\0';
}

/* Gives each value of an open-ended option a word of its own, so that it takes no more. */
static void
close_values(struct edit *e, size_t k)
{
    const struct occurrence *o = &e->c->options[k];
    const char *option = occurrence_spelling(e->m, e->c, o);
    const char *joint = option[1] == '-' || e->c->grammar->short_equals ? "=" : "";

    edit_remove(e, o);
    for (size_t i = 0; i < o->nvalues; i++)
        e->words[o->value_word + i] = mem_printf(e->m, "%s%s%s", option, joint, occurrence_value(e->c, o, i));
}

/* Takes an option without a value out, to be put where nothing behind it can become one. */
static void
move(struct edit *e, size_t k)
{
    e->moved[k] = true;
    edit_remove(e, &e->c->options[k]);
}

/* Mends the gaps, the last first: what is moved may open another in front of it. Returns the word behind which the
 * inserted words go, 0 for right behind the program. */
static size_t
close_gaps(struct edit *e)
{
    size_t place = 0;

    for (size_t k = e->c->noptions; k-- > 0;) {
        const struct occurrence *o = &e->c->options[k];
        size_t end = o->nvalues == 0 ? o->word : o->value_word + o->nvalues - 1;

        if (e->gone[k] || o->glued || o->spec->arity == ARITY_NONE || !gap_joins(e, o->spec, end))
            continue;
        if (o->nvalues != 0) {
            if (o->spec->arity == ARITY_MANY)
                close_values(e, k);
        } else if (place == 0 && o->level == 0 && e->inserted.count != 0) {
            place = o->word; /* inserted words are options of the program itself */
        } else {
            move(e, k);
        }
    }
    return place;
}

/* Moved options of the program itself go in front of the inserted words; others, and where there are none, to the end
 * of the options. */
static void
put_moved(const struct edit *e, char **out, size_t *n, bool front)
{
    for (size_t k = 0; k < e->c->noptions; k++)
        if (e->moved[k] && front == (e->c->options[k].level == 0 && e->inserted.count != 0))
            out[(*n)++] = (char *)(uintptr_t)occurrence_spelling(e->m, e->c, &e->c->options[k]);
}

static void
put_inserted(const struct edit *e, char **out, size_t *n)
{
    for (size_t i = 0; i < e->inserted.count; i++)
        out[(*n)++] = e->inserted.items[i];
}

char **
edit_finish(struct edit *e, size_t *argc)
{
    const struct command *c = e->c;
    /* A moved letter of a bundle becomes a word of its own. */
    char **out = mem_array(e->m, c->argc + c->noptions + e->inserted.count + 1, sizeof(*out));
    size_t place = close_gaps(e), end = c->first, n = 0;

    while (end < c->argc && c->words[end].kind != WORD_DASHES)
        end++;
    for (size_t i = 0; i < c->first; i++)
        out[n++] = e->words[i];
    for (size_t i = c->first;; i++) {
        if (i == (place == 0 ? c->first : place))
            put_moved(e, out, &n, true);
        if (i == c->first && place == 0)
            put_inserted(e, out, &n);
        if (i == end)
            put_moved(e, out, &n, false);
        if (i >= c->argc)
            break;
        if (e->words[i] != NULL)
            out[n++] = e->words[i];
        if (i == place && place != 0)
            put_inserted(e, out, &n);
    }
    if (argc != NULL)
        *argc = n;
    return out;
}
