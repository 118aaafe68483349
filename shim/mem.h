/* The memory of one launch. Everything that a request, a policy or a decision points to is allocated here
 * and lives until mem_free: no structure has an owner of its own, so none can be freed twice or half. */
#ifndef HACCESS_MEM_H
#define HACCESS_MEM_H

#include <stddef.h>

struct mem;

/* Returns a new, empty region. Exits with a message when there is no memory: nothing that uses a region could
 * go on without it. The same holds for every function below. */
struct mem *mem_new(void);

/* Frees the region and everything in it. NULL is ignored. */
void mem_free(struct mem *m);

/* Returns n bytes, zeroed, aligned for any type. */
void *mem_alloc(struct mem *m, size_t n);

/* Returns an array of count elements of size bytes, zeroed; exits when the product overflows. */
void *mem_array(struct mem *m, size_t count, size_t size);

/* Returns a copy of s, or NULL for NULL. */
char *mem_strdup(struct mem *m, const char *s);

/* Returns a copy of the n bytes at s, with a NUL after them. */
char *mem_strndup(struct mem *m, const char *s, size_t n);

/* Returns the formatted string. */
char *mem_printf(struct mem *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list of strings that grows; items[count] is always NULL once something was added. A zeroed one is empty. */
struct strings {
    char **items;
    size_t count;
    size_t room;
};

/* Adds s (not copied) to the list. */
void strings_add(struct mem *m, struct strings *list, const char *s);

/* Returns whether the list holds a string equal to s. */
int strings_has(const struct strings *list, const char *s);

/* Returns the value of a variable in an environment block, or NULL. The first entry of a name counts, as in
 * getenv. The value is not copied. envp may be NULL (empty). */
const char *env_get(char *const envp[], const char *name);

#endif
