#include "claude_tools.h"

#include <stdlib.h>
#include <string.h>

void
tools_split(struct mem *m, const char *value, struct strings *list)
{
    size_t depth = 0, start = 0;

    for (size_t i = 0;; i++) {
        char c = value[i];

        if (c == '(')
            depth++;
        else if (c == ')' && depth != 0)
            depth--;
        if (c != '\0' && (depth != 0 || strchr(", \t\r\n", c) == NULL))
            continue;
        if (i > start)
            strings_add(m, list, mem_strndup(m, value + start, i - start));
        if (c == '\0')
            return;
        start = i + 1;
    }
}

static int
by_text(const void *a, const void *b)
{
    char *const *const *x = a, *const *const *y = b;
    int order = strcmp(**x, **y);

    return order != 0 ? order : (*x > *y) - (*x < *y);
}

void
tools_unique(struct mem *m, struct strings *list)
{
    /* Sorted by text and then by place, so that long lists take no square of their length. */
    char ***places = mem_array(m, list->count + 1, sizeof(*places));
    bool *again = mem_array(m, list->count + 1, sizeof(*again));
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        places[i] = &list->items[i];
    if (list->count != 0)
        qsort(places, list->count, sizeof(*places), by_text);
    for (size_t i = 1; i < list->count; i++)
        again[places[i] - list->items] = strcmp(*places[i - 1], *places[i]) == 0;
    for (size_t i = 0; i < list->count; i++)
        if (!again[i])
            list->items[kept++] = list->items[i];
    list->count = kept;
}

const char *
tools_join(struct mem *m, const struct strings *list)
{
    size_t length = 1;
    char *out, *to;

    if (list == NULL || list->count == 0)
        return NULL;
    for (size_t i = 0; i < list->count; i++)
        length += strlen(list->items[i]) + 1;
    out = to = mem_alloc(m, length);
    for (size_t i = 0; i < list->count; i++) {
        if (i != 0)
            *to++ = ',';
        to = stpcpy(to, list->items[i]);
    }
    return out;
}

static bool
names(const char *rule, size_t length, const char *const *tools)
{
    for (; *tools != NULL; tools++)
        if (strlen(*tools) == length && strncmp(rule, *tools, length) == 0)
            return true;
    return false;
}

static const char *const shells[] = {"Bash", "PowerShell", "Monitor", NULL};
static const char *const writers[] = {"Edit", "MultiEdit", "NotebookEdit", "Write", NULL};

bool
tools_shell(const char *rule)
{
    return names(rule, strcspn(rule, "("), shells);
}

bool
tools_unrestricted(const char *rule)
{
    static const char *const anything[] = {"",      "()",     "(*)",   "(**)",   "(:*)",
                                           "(*:*)", "(//**)", "(/**)", "(~/**)", NULL};
    size_t length = strcspn(rule, "(");

    if (strcmp(rule, "*") == 0)
        return true;
    if (!names(rule, length, shells) && !names(rule, length, writers))
        return false;
    return names(rule + length, strlen(rule + length), anything);
}

const char *
tools_root(struct mem *m, const char *rule)
{
    size_t name = strcspn(rule, "("), end;
    const char *path = rule + name;

    if (!names(rule, name, writers) || *path != '(')
        return NULL;
    path++;
    end = strcspn(path, "*?[{");
    if (path[end] == '\0') /* no pattern: up to the closing parenthesis */
        end = path[0] == '\0' ? 0 : strlen(path) - 1;
    else
        while (end != 0 && path[end - 1] != '/')
            end--;
    /* "//" is the root of the file system, "/" the directory of the settings file. */
    if (strncmp(path, "//", 2) == 0)
        return mem_printf(m, "%.*s", (int)end - 1, path + 1);
    return path[0] == '~' ? mem_strndup(m, path, end) : mem_printf(m, "./%.*s", (int)end, path);
}
