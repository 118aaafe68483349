/* Paths by their text only: adapters do no I/O. */
#include <string.h>

#include "codex.h"

/* Returns an absolute path without ".", ".." and doubled slashes. */
static char *
normalize(struct mem *m, const char *path)
{
    char *out = mem_alloc(m, strlen(path) + 2);
    size_t n = 0;

    while (*path != '\0') {
        size_t length = strcspn(path, "/");

        if (length == 2 && path[0] == '.' && path[1] == '.') {
            while (n > 0 && out[--n] != '/')
                ;
        } else if (length != 0 && !(length == 1 && path[0] == '.')) {
            out[n++] = '/';
            memcpy(out + n, path, length);
            n += length;
        }
        path += length;
        path += strspn(path, "/");
    }
    if (n == 0)
        out[n++] = '/';
    out[n] = '\0';
    return out;
}

char *
codex_path(struct mem *m, const struct invocation *i, const char *path, const char *base)
{
    if (path[0] == '/')
        return normalize(m, path);
    if (path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
        return i->home == NULL ? NULL : normalize(m, mem_printf(m, "%s/%s", i->home, path + 1));
    return base == NULL ? NULL : normalize(m, mem_printf(m, "%s/%s", base, path));
}

char *
codex_parent(struct mem *m, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL || path[1] == '\0')
        return NULL;
    return slash == path ? mem_strdup(m, "/") : mem_strndup(m, path, (size_t)(slash - path));
}

bool
codex_path_holds(const char *directory, const char *path)
{
    size_t n = strlen(directory);

    if (strcmp(directory, "/") == 0)
        return true;
    return strncmp(directory, path, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

bool
codex_root_is_wide(struct mem *m, const struct invocation *i, const char *root, const char *base)
{
    const char *path = codex_path(m, i, root, base);

    /* /proc has links to everywhere. */
    if (path == NULL || strcmp(path, "/") == 0 || codex_path_holds("/proc", path))
        return true;
    if (i->home != NULL && codex_path_holds(path, normalize(m, i->home)))
        return true;
    return i->project == NULL || (codex_path_holds(path, i->project) && strcmp(path, i->project) != 0);
}
