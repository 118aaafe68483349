/* A seeded source of chance, and argument vectors that are made from it. */
#ifndef VENDORS_CHANCE_H
#define VENDORS_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A source of chance (splitmix64). */
struct chance {
    uint64_t state;
};

/* Returns the source of one trial. */
struct chance chance_for(uint64_t seed, size_t trial);

/* Returns a number below n (n > 0). */
size_t chance_below(struct chance *c, size_t n);

/* Returns true in so many of a hundred cases. */
bool chance_percent(struct chance *c, unsigned percent);

/* Returns one of the strings of a list that NULL ends. */
const char *chance_pick(struct chance *c, const char *const *list);

/* An argument vector that grows. The words are copies of their own. */
struct vector {
    char **words; /* NULL-terminated; NULL while there are none */
    size_t count;
};

void vector_add(struct vector *v, const char *word);
void vector_add_format(struct vector *v, const char *how, ...) __attribute__((format(printf, 2, 3)));
void vector_free(struct vector *v);
bool vector_equal(const struct vector *a, const struct vector *b);

/* Returns the words as a line that a shell reads as exactly these; the caller frees. */
char *vector_quote(char *const words[]);

#endif
