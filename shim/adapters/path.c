#include <string.h>

#include "path.h"

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
path_absolute(struct mem *m, const struct invocation *i, const char *path, const char *base)
{
    if (path[0] == '/')
        return normalize(m, path);
    if (path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
        return i->home == NULL ? NULL : normalize(m, mem_printf(m, "%s/%s", i->home, path + 1));
    return base == NULL ? NULL : normalize(m, mem_printf(m, "%s/%s", base, path));
}

char *
path_parent(struct mem *m, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL || path[1] == '\0')
        return NULL;
    return slash == path ? mem_strdup(m, "/") : mem_strndup(m, path, (size_t)(slash - path));
}

bool
path_holds(const char *directory, const char *path)
{
    size_t n = strlen(directory);

    if (strcmp(directory, "/") == 0)
        return true;
    return strncmp(directory, path, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

static bool
is_wide(struct mem *m, const struct invocation *i, const char *path)
{
    /* /proc has links to everywhere. */
    if (strcmp(path, "/") == 0 || path_holds("/proc", path))
        return true;
    if (i->home != NULL && path_holds(path, normalize(m, i->home)))
        return true;
    return i->project == NULL || (path_holds(path, i->project) && strcmp(path, i->project) != 0);
}

bool
path_is_wide(struct mem *m, const struct invocation *i, const char *path, const char *base)
{
    const char *absolute = path_absolute(m, i, path, base), *real;

    if (absolute == NULL || is_wide(m, i, absolute))
        return true;
    /* By its place it is not; a link may lead elsewhere. */
    real = i->canonical != NULL ? i->canonical(m, absolute) : NULL;
    return real != NULL && is_wide(m, i, real);
}
