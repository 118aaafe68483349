#include "mem.h"

#include <err.h>
#include <limits.h>
#include <obstack.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc chunk_alloc
#define obstack_chunk_free  free

struct mem {
    struct obstack stack;
};

static void *
chunk_alloc(size_t n)
{
    void *p = malloc(n);

    if (p == NULL)
        err(126, "out of memory");
    return p;
}

struct mem *
mem_new(void)
{
    struct mem *m = chunk_alloc(sizeof(*m));

    obstack_init(&m->stack);
    return m;
}

void
mem_free(struct mem *m)
{
    if (m == NULL)
        return;
    obstack_free(&m->stack, NULL);
    free(m);
}

void *
mem_alloc(struct mem *m, size_t n)
{
    void *p;

    /* glibc's obstack counts in int and does not check. No launch needs more. */
    if (n >= INT_MAX)
        errx(126, "out of memory: %zu bytes asked for at once", n);
    p = obstack_alloc(&m->stack, (int)n);
    memset(p, 0, n);
    return p;
}

void *
mem_array(struct mem *m, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        errx(126, "out of memory: %zu times %zu bytes", count, size);
    return mem_alloc(m, count * size);
}

char *
mem_strdup(struct mem *m, const char *s)
{
    return s == NULL ? NULL : mem_strndup(m, s, strlen(s));
}

char *
mem_strndup(struct mem *m, const char *s, size_t n)
{
    char *copy = mem_alloc(m, n + 1);

    memcpy(copy, s, n);
    return copy;
}

char *
mem_printf(struct mem *m, const char *format, ...)
{
    va_list ap, again;
    char *s;
    int n;

    va_start(ap, format);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0)
        err(126, "vsnprintf");
    s = mem_alloc(m, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    return s;
}

void
strings_add(struct mem *m, struct strings *list, const char *s)
{
    if (list->count + 2 > list->room) {
        size_t room = list->room == 0 ? 8 : list->room * 2;
        char **items = mem_array(m, room, sizeof(*items));

        if (list->count != 0)
            memcpy(items, list->items, list->count * sizeof(*items));
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = (char *)(uintptr_t)s;
    list->items[list->count] = NULL;
}

int
strings_has(const struct strings *list, const char *s)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], s) == 0)
            return 1;
    return 0;
}

const char *
env_get(char *const envp[], const char *name)
{
    size_t n = strlen(name);

    if (envp == NULL)
        return NULL;
    for (; *envp != NULL; envp++)
        if (strncmp(*envp, name, n) == 0 && (*envp)[n] == '=')
            return *envp + n + 1;
    return NULL;
}
