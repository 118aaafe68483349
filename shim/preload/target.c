/* What an exec would execute, by the rules of the function that was called. Only for what looks like a vendor launch. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

/* fstatat is no function in old libcs. The kernel's structure is the libc's on every 64-bit Linux. */
static bool
status(int fd, const char *path, int flags, struct stat *st)
{
    return syscall(SYS_newfstatat, fd, path, st, flags) == 0;
}

bool
executable(int fd, const char *path, int flags)
{
    struct stat st;

    if (!status(fd, path, flags, &st))
        return false;
    errno = EACCES;
    if (!S_ISREG(st.st_mode))
        return false;
    if (syscall(SYS_faccessat2, fd, path, X_OK, AT_EACCESS | flags) == 0)
        return true;
    /* Kernels before 5.8, and the containers of that time, which say EPERM to what they do not know. */
    return (errno == ENOSYS || errno == EPERM) && syscall(SYS_faccessat, fd, path, X_OK) == 0;
}

bool
link_read(const char *path, char *out, size_t size)
{
/* Each program is asked about its link. What confines a program by a list of its system calls has this one, which every
 * static program of glibc begins with, sooner than readlinkat. */
#ifdef SYS_readlink
    long n = syscall(SYS_readlink, path, out, size);
#else
    long n = syscall(SYS_readlinkat, AT_FDCWD, path, out, size);
#endif

    if (n <= 0 || (size_t)n >= size)
        return false;
    out[n] = '\0';
    return true;
}

/* Reads the link of a descriptor. */
static bool
descriptor_link(int fd, char *out, size_t size)
{
    char path[sizeof("/proc/self/fd/") + 12] = "/proc/self/fd/", digits[12];
    size_t n = strlen(path), d = sizeof(digits);

    if (fd < 0)
        return false;
    do
        digits[--d] = (char)('0' + fd % 10);
    while ((fd /= 10) != 0);
    memcpy(path + n, digits + d, sizeof(digits) - d);
    path[n + sizeof(digits) - d] = '\0';
    return link_read(path, out, size);
}

/* The caller's PATH, or what the libc uses without one. */
static const char *
caller_path(void)
{
    const char *path = environment_value(environ, "PATH");

    if (path != NULL)
        return path;
    return libc_is_glibc() ? "/bin:/usr/bin" : "/usr/local/bin:/bin:/usr/bin";
}

/* Whether execvp goes on with the next directory after this error. */
static bool
search_goes_on(int error)
{
    static const int errors[] = {EACCES, ENOENT, ENOTDIR, ESTALE, ENODEV, ETIMEDOUT};

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (errors[i] == error)
            return true;
    return false;
}

/* execvp's search. With file actions the new process may have another working directory: from the first
 * directory on that is relative, only it can search. A directory that is longer than a path can be is passed over. */
static bool
search(const struct call *c, char *text, struct handoff *h)
{
    const char *path = caller_path();
    size_t length = strlen(c->file);

    for (const char *dir = path;; dir++) {
        size_t n = strcspn(dir, ":"), at = n;

        if (c->actions != NULL && *dir != '/') {
            h->path = path;
            return true;
        }
        memcpy(text, dir, n);
        if (n != 0)
            text[at++] = '/';
        memcpy(text + at, c->file, length + 1);
        if (n < PATH_MAX && executable(AT_FDCWD, text, 0)) {
            h->file = text;
            return true;
        }
        if ((n < PATH_MAX && !search_goes_on(errno)) || dir[n] == '\0')
            return false;
        dir += n;
    }
}

bool
target_open(const struct call *c)
{
    return (*c->file == '\0' && (c->flags & AT_EMPTY_PATH) != 0) || match_open_file(c->file);
}

/* Whether the file that c names is the one at place, which can be executed. */
static bool
same_file(const struct call *c, const char *place)
{
    struct stat a, b;

    return status(c->fd, c->file, c->flags & AT_EMPTY_PATH, &a) && status(AT_FDCWD, place, 0, &b) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino && executable(AT_FDCWD, place, 0);
}

size_t
target_room(const struct call *c)
{
    if (target_open(c) || (c->fd != AT_FDCWD && *c->file != '/'))
        return PATH_MAX + 1 + strlen(c->file) + 1;
    if (c->search && strchr(c->file, '/') == NULL)
        return strlen(caller_path()) + 1 + strlen(c->file) + 1;
    return 0;
}

bool
target_find(const struct call *c, char *text, size_t size, struct handoff *h)
{
    *h = (struct handoff){c->file, c->shell, NULL};
    /* The name that an open file has, when it still has one. The descriptor itself cannot be handed over: it may close
     * on exec. Anything else there is a file below somebody's root or working directory. */
    if (target_open(c)) {
        bool link = *c->file == '\0' ? descriptor_link(c->fd, text, size) : link_read(c->file, text, size);

        if (link && text[0] == '/') {
            h->file = text;
            return same_file(c, text);
        }
        if (*c->file == '\0')
            return false;
    }
    if (c->search && strchr(c->file, '/') == NULL)
        return search(c, text, h);
    if (c->actions != NULL && *c->file != '/')
        return true;
    if (!executable(c->fd, c->file, c->flags & AT_SYMLINK_NOFOLLOW))
        return false;
    if (c->fd != AT_FDCWD && *c->file != '/') {
        size_t n;

        if (!descriptor_link(c->fd, text, PATH_MAX) || text[0] != '/')
            return false;
        n = strlen(text);
        text[n] = '/';
        memcpy(text + n + 1, c->file, strlen(c->file) + 1);
        h->file = text;
    }
    return true;
}
