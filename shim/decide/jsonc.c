#include "jsonc.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

/* A key is somebody's text, and a message is one line. */
#define KEY_WIDTH 60

/* Replaces comments by blanks, so that whatever comes after them stays where it was. Returns NULL, or where the comment
 * begins that does not end. */
static const char *
blank_comments(char *p)
{
    while (*p != '\0') {
        if (*p == '"') {
            for (p++; *p != '\0' && *p != '"'; p++)
                if (*p == '\\' && p[1] != '\0')
                    p++;
            if (*p == '"')
                p++;
        } else if (p[0] == '/' && p[1] == '/') {
            while (*p != '\0' && *p != '\n')
                *p++ = ' ';
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");

            if (end == NULL)
                return p;
            for (; p < end + 2; p++)
                if (*p != '\n')
                    *p = ' ';
        } else {
            p++;
        }
    }
    return NULL;
}

/* Columns count characters from 1, as editors do. */
static const char *
located(struct mem *m, const char *text, size_t offset, const char *why)
{
    size_t line = 1, column = 1;

    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)text[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    return mem_printf(m, "line %zu, column %zu: %s", line, column, why);
}

const char *
json_path(struct mem *m, const char *parent, const char *key)
{
    size_t n = strlen(key);

    return mem_printf(m, "%s%s%.*s%s", parent, *parent == '\0' ? "" : ".", KEY_WIDTH,
                      *key == '\0' ? "\"\"" : key, n > KEY_WIDTH ? "..." : "");
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the problem with the first object below v that has a key twice, or NULL. */
static const char *
find_duplicate(struct mem *m, const cJSON *v, const char *path)
{
    const char **names, *problem = NULL;
    const cJSON *child;
    size_t n = 0, i = 0;

    cJSON_ArrayForEach(child, v) n++;
    if (cJSON_IsObject(v) && n > 1) {
        names = calloc(n, sizeof(*names));
        if (names == NULL)
            return "out of memory";
        cJSON_ArrayForEach(child, v) names[i++] = child->string;
        qsort(names, n, sizeof(*names), by_name);
        for (i = 1; problem == NULL && i < n; i++)
            if (strcmp(names[i - 1], names[i]) == 0)
                problem = mem_printf(m, "%s: is there twice; keep one", json_path(m, path, names[i]));
        free(names);
    }
    i = 0;
    for (child = v->child; problem == NULL && child != NULL; child = child->next, i++)
        if (child->child != NULL)
            problem = find_duplicate(m, child,
                                     cJSON_IsObject(v) ? json_path(m, path, child->string)
                                                       : mem_printf(m, "%s[%zu]", path, i));
    return problem;
}

/* Parses text; problems are located in original, which has the comments that text has blanks for. */
static cJSON *
parse(struct mem *m, const char *text, size_t length, const char *original, const char **problem)
{
    struct json_error error;
    cJSON *tree;

    if (!json_valid(text, length, &error)) {
        *problem = located(m, original, error.offset, error.why);
        return NULL;
    }
    tree = cJSON_ParseWithLength(text, length);
    if (tree == NULL) {
        /* Valid by RFC 8259, but no text: half of a surrogate pair. */
        const char *at = cJSON_GetErrorPtr();
        size_t offset = at != NULL && at >= text && at <= text + length ? (size_t)(at - text) : 0;

        *problem = located(m, original, offset, "an escape that stands for no character");
        return NULL;
    }
    *problem = find_duplicate(m, tree, "");
    if (*problem != NULL) {
        cJSON_Delete(tree);
        return NULL;
    }
    return tree;
}

cJSON *
json_parse(struct mem *m, const char *text, size_t length, const char **problem)
{
    return parse(m, text, length, text, problem);
}

cJSON *
jsonc_parse(struct mem *m, const char *text, size_t length, const char **problem)
{
    char *copy = mem_strndup(m, text, length);
    const char *nul = memchr(text, '\0', length);
    const char *open = blank_comments(copy);

    if (nul != NULL || open != NULL) {
        *problem = nul != NULL ? located(m, text, (size_t)(nul - text), "an embedded NUL")
                               : located(m, text, (size_t)(open - copy), "a comment that does not end");
        return NULL;
    }
    return parse(m, copy, length, text, problem);
}
