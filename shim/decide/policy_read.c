/* Reading a policy file, when it can be trusted to be its owner's word. */
#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy_file.h"

/* A policy is a page or two; this is far more. */
#define POLICY_MAX (256 * 1024)

const char *
shell_quoted(struct mem *m, const char *s)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    char *out, *p;

    if (*s != '\0' && *s != '-' && s[strspn(s, safe)] == '\0')
        return s;
    p = out = mem_alloc(m, strlen(s) * 4 + 3);
    *p++ = '\'';
    for (; *s != '\0'; s++) {
        if (*s == '\'') {
            memcpy(p, "'\\''", 4);
            p += 4;
        } else {
            *p++ = *s;
        }
    }
    *p = '\'';
    return out;
}

/* Returns what makes somebody else its author, with the command that puts it right; or NULL. */
static const char *
distrusted(struct mem *m, const struct stat *st, const char *path, uid_t uid)
{
    const char *name = shell_quoted(m, path);

    if (st->st_uid != 0 && st->st_uid != uid)
        return uid == 0
                   ? mem_printf(m, "belongs to uid %u, not to root: run `chown root %s` after reading it",
                                st->st_uid, name)
                   : mem_printf(m,
                                "belongs to uid %u, neither to root nor to you: run `chown %u %s` as root "
                                "after reading it",
                                st->st_uid, uid, name);
    if ((st->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return mem_printf(m, "%s %s (mode %04o): run `chmod go-w %s` after reading it",
                          S_ISDIR(st->st_mode) ? "its directory can be changed by" : "can be changed by",
                          (st->st_mode & S_IWOTH) != 0 ? "everybody" : "its group",
                          (unsigned)st->st_mode & 07777, name);
    return NULL;
}

static const char *
unreadable(struct mem *m, const char *path, int error, bool directory)
{
    const char *what = directory ? "its directory" : "it";

    switch (error) {
    case ELOOP:
    case ENOTDIR:
        return mem_printf(m, "%s is a symbolic link%s: put the %s itself there", what,
                          directory ? " or no directory" : "", directory ? "directory" : "file");
    case EFBIG:
        return mem_printf(m, "is larger than %d KiB", POLICY_MAX / 1024);
    case EINVAL:
        return "is not a regular file: put one there";
    case EACCES:
        return mem_printf(m, "%s cannot be read: run `chmod u+r%s %s`, or chown it", what,
                          directory ? "x" : "", shell_quoted(m, path));
    default:
        return mem_printf(m, "%s cannot be read: %s", what, strerror(error));
    }
}

static const char *
read_in(struct mem *m, int dir, const char *path, uid_t uid, char **text, size_t *length)
{
    int error,
        fd = openat(dir, strrchr(path, '/') + 1, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    const char *problem;
    struct stat st;

    if (fd == -1)
        return unreadable(m, path, errno, false);
    if (fstat(fd, &st) == -1)
        problem = unreadable(m, path, errno, false);
    else if (S_ISREG(st.st_mode) && (problem = distrusted(m, &st, path, uid)) != NULL)
        ;
    else if ((error = host_read_fd(m, fd, POLICY_MAX, text, length)) != 0)
        problem = unreadable(m, path, error, false);
    else
        problem = NULL;
    close(fd);
    return problem;
}

const char *
policy_read(struct mem *m, const char *path, uid_t uid, char **text, size_t *length, char *hash)
{
    const char *directory = mem_strndup(m, path, (size_t)(strrchr(path, '/') - path)), *problem;
    int dir = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (dir == -1)
        return unreadable(m, directory, errno, true);
    if (fstat(dir, &st) == -1)
        problem = unreadable(m, directory, errno, true);
    else if ((problem = distrusted(m, &st, directory, uid)) == NULL)
        problem = read_in(m, dir, path, uid, text, length);
    close(dir);
    if (problem == NULL)
        SHA256Data((const uint8_t *)*text, *length, hash);
    return problem;
}
