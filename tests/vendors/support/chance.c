#include "chance.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t
chance_next(struct chance *c)
{
    uint64_t z = c->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct chance
chance_for(uint64_t seed, size_t trial)
{
    struct chance c = {.state = seed * 1000003 + trial};

    chance_next(&c);
    return c;
}

size_t
chance_below(struct chance *c, size_t n)
{
    return (size_t)(chance_next(c) % n);
}

bool
chance_percent(struct chance *c, unsigned percent)
{
    return chance_below(c, 100) < percent;
}

const char *
chance_pick(struct chance *c, const char *const *list)
{
    size_t n = 0;

    while (list[n] != NULL)
        n++;
    return list[chance_below(c, n)];
}

void
vector_add(struct vector *v, const char *word)
{
    v->words = realloc(v->words, (v->count + 2) * sizeof *v->words);
    ck_assert_ptr_nonnull(v->words);
    v->words[v->count] = strdup(word);
    ck_assert_ptr_nonnull(v->words[v->count]);
    v->words[++v->count] = NULL;
}

void
vector_add_format(struct vector *v, const char *how, ...)
{
    char *word;
    va_list ap;

    va_start(ap, how);
    ck_assert_int_ne(vasprintf(&word, how, ap), -1);
    va_end(ap);
    vector_add(v, word);
    free(word);
}

void
vector_free(struct vector *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->words[i]);
    free(v->words);
    *v = (struct vector){0};
}

bool
vector_equal(const struct vector *a, const struct vector *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->words[i], b->words[i]) != 0)
            return false;
    return true;
}

char *
vector_quote(char *const words[])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%";
    char *line = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&line, &size);

    ck_assert_ptr_nonnull(f);
    for (size_t i = 0; words[i] != NULL; i++) {
        const char *w = words[i];

        if (i != 0)
            fputc(' ', f);
        if (*w != '\0' && w[strspn(w, plain)] == '\0') {
            fputs(w, f);
            continue;
        }
        fputc('\'', f);
        for (; *w != '\0'; w++)
            if (*w == '\'')
                fputs("'\\''", f);
            else
                fputc(*w, f);
        fputc('\'', f);
    }
    ck_assert_int_eq(fclose(f), 0);
    return line;
}
