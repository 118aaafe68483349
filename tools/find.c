#include "find.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static int
executable(const char *file)
{
    struct stat st;
    if (stat(file, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EACCES;
    return faccessat(AT_FDCWD, file, X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

int
find_program(struct mem *m, const char *name, const char *path, const char **file)
{
    if (*name == '\0')
        return ENOENT;
    if (strchr(name, '/') != NULL) {
        *file = name;
        return executable(name);
    }
    if (path == NULL)
        path = "/bin:/usr/bin";
    int result = ENOENT;
    for (const char *p = path;; p++) {
        size_t n = strcspn(p, ":");
        /* An empty element is the working directory. */
        const char *candidate =
            n == 0 ? mem_printf(m, "./%s", name) : mem_printf(m, "%.*s/%s", (int)n, p, name);
        int e = executable(candidate);
        if (e == 0) {
            *file = candidate;
            return 0;
        }
        if (e == EACCES)
            result = EACCES;
        p += n;
        if (*p == '\0')
            return result;
    }
}

bool
find_is_shim(const char *file)
{
    char begin[sizeof SHIM_MARK];
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n = fd == -1 ? -1 : read(fd, begin, sizeof SHIM_MARK - 1);

    if (fd != -1)
        close(fd);
    return n == (ssize_t)sizeof SHIM_MARK - 1 && memcmp(begin, SHIM_MARK, sizeof SHIM_MARK - 1) == 0;
}

static bool
same_file(const char *a, const char *b)
{
    struct stat x, y;

    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int
find_behind_shims(struct mem *m, const char *name, const char *path, const char *after, const char **file)
{
    const char *first = NULL, *next = NULL;
    bool met = false;
    int result = ENOENT;

    for (const char *p = path == NULL ? "/bin:/usr/bin" : path;; p++) {
        size_t n = strcspn(p, ":");
        int e = find_program(
            m, n == 0 ? mem_printf(m, "./%s", name) : mem_printf(m, "%.*s/%s", (int)n, p, name), NULL, file);

        if (e == 0 && !find_is_shim(*file)) {
            if (after == NULL)
                return 0;
            first = first == NULL ? *file : first;
            if (same_file(*file, after)) {
                met = true;
                next = NULL; /* PATH can name a directory twice */
            } else if (met && next == NULL) {
                next = *file;
            }
        }
        if (e == EACCES)
            result = EACCES;
        p += n;
        if (*p == '\0')
            break;
    }
    *file = met ? next : first;
    return *file == NULL ? result : 0;
}

int
find_or_report(struct mem *m, const char *command, const char *name, const char **file)
{
    int e = find_program(m, name, getenv("PATH"), file);
    if (e == 0)
        return 0;
    bool search = strchr(name, '/') == NULL;
    warnx("%s: %s: %s", command, text_show(m, name),
          e == ENOENT && search ? "not found on PATH" : strerror(e));
    return e;
}

void
find_parts(struct mem *m, struct parts *out)
{
    static const char *const places[] = {"", "/../lib"}; /* beside haccess; PREFIX/bin beside PREFIX/lib */

    *out = (struct parts){0};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (slash == NULL)
        return;
    *slash = '\0';
    for (size_t i = 0; i < 2 && out->library == NULL; i++) {
        char path[PATH_MAX];
        if (realpath(mem_printf(m, "%s%s/libhaccess.so", self, places[i]), path) == NULL)
            continue;
        out->library = mem_strdup(m, path);
        out->installed = i == 1;
        *strrchr(path, '/') = '\0';
        out->helper = mem_printf(m, "%s/haccess-exec", path);
    }
}

static bool
is_library(const char *entry, size_t length)
{
    static const char name[] = "libhaccess.so";
    size_t n = sizeof name - 1;
    return length >= n && memcmp(entry + length - n, name, n) == 0 &&
           (length == n || entry[length - n - 1] == '/');
}

const char *
find_preload(struct mem *m, const char *old, const char *library)
{
    const char *out = "";
    bool done = false;
    for (const char *p = old == NULL ? "" : old; *p != '\0';) {
        size_t n = strcspn(p, ": ");
        bool ours = is_library(p, n);
        if (n > 0 && !(ours && done))
            out = mem_printf(m, "%s%s%.*s", out, *out == '\0' ? "" : ":", ours ? INT_MAX : (int)n,
                             ours ? library : p);
        done = done || ours;
        p += n;
        p += *p != '\0';
    }
    return done ? out : mem_printf(m, "%s%s%s", out, *out == '\0' ? "" : ":", library);
}

bool
find_library(struct mem *m, const char *command, struct parts *out)
{
    find_parts(m, out);
    if (out->library == NULL)
        warnx("%s: libhaccess.so: neither beside haccess nor in ../lib (see haccess doctor)", command);
    else if (out->library[strcspn(out->library, ": ")] != '\0')
        warnx("%s: %s: LD_PRELOAD cannot name a path with a space or a colon", command,
              text_show(m, out->library));
    else
        return true;
    return false;
}

char **
find_preloaded(struct mem *m, char *const envp[])
{
    struct parts parts;
    struct strings out = {NULL, 0, 0};
    bool set = false;
    find_parts(m, &parts);
    for (; *envp != NULL; envp++) {
        set = set || strncmp(*envp, "LD_PRELOAD=", 11) == 0;
        strings_add(m, &out, *envp);
    }
    if (!set && parts.library != NULL)
        strings_add(m, &out, mem_printf(m, "LD_PRELOAD=%s", parts.library));
    return out.items != NULL ? out.items : mem_array(m, 1, sizeof(*out.items));
}
