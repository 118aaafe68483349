#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

bool
run_id_valid(const char *s)
{
    size_t n = strlen(s);

    return n >= 1 && n <= 200 && strspn(s, LETTERS) >= 1 && strspn(s, LETTERS "._-") == n;
}

/* Returns the value of a variable when it is set and not empty. */
static const char *
env_set(char *const envp[], const char *name)
{
    const char *v = env_get(envp, name);

    return v == NULL || *v == '\0' ? NULL : v;
}

void
journal_host(struct mem *m, char *const envp[], const char *home, uid_t uid, int64_t now,
             struct journal_host *out)
{
    const char *state = env_set(envp, "HACCESS_STATE_DIR");
    const char *xdg = env_set(envp, "XDG_STATE_HOME");
    const char *tmp = env_set(envp, "TMPDIR");

    /* The base directory specification has relative values ignored. */
    if (state == NULL && xdg != NULL && *xdg == '/')
        state = mem_printf(m, "%s/haccess", xdg);
    if (state == NULL && home != NULL && *home == '/')
        state = mem_printf(m, "%s/.local/state/haccess", home);
    out->state = mem_strdup(m, state);
    out->spool = mem_strdup(m, tmp != NULL && *tmp == '/' ? tmp : "/tmp");
    out->uid = uid;
    out->now = now;
}

const char *
place_spool(struct mem *m, const char *tmp, uid_t uid)
{
    return mem_printf(m, "%s/haccess-%lu", tmp, (unsigned long)uid);
}

static void
add_once(struct mem *m, struct strings *out, const char *path)
{
    if (!strings_has(out, path))
        strings_add(m, out, path);
}

void
place_all(struct mem *m, const struct journal_host *where, struct strings *out)
{
    if (where->state != NULL)
        add_once(m, out, where->state);
    for (int i = 0; i < 2; i++) {
        const char *tmp = i == 0 ? where->spool : "/tmp";

        add_once(m, out, place_spool(m, tmp, where->uid));
        /* What TMPDIR is inside claude's sandbox: below the one outside, where that is set (measured, 2.1.332). */
        add_once(m, out,
                 place_spool(m, mem_printf(m, "%s/claude-%lu", tmp, (unsigned long)where->uid), where->uid));
    }
}

/* Returns what is wrong with an open directory, or NULL. */
static const char *
distrust(struct mem *m, int fd, const char *path, uid_t uid, mode_t closed)
{
    struct stat st;

    if (fstat(fd, &st) == -1)
        return strerror(errno);
    if (st.st_uid != uid)
        return mem_printf(m, "it belongs to uid %lu", (unsigned long)st.st_uid);
    if ((st.st_mode & closed) != 0)
        return mem_printf(m, "it is open to others: chmod 0700 %s", path);
    return NULL;
}

/* Opens the directory name in parent, which is created when it is missing. Returns the descriptor, or -1. */
static int
enter(struct mem *m, int parent, const char *name, const char *path, uid_t uid, mode_t closed,
      const char **problem)
{
    int fd = openat(parent, name, OPEN_DIR | O_NOFOLLOW);
    const char *why = NULL;

    /* Again, when an empty one is removed (a prune does that) before it is open. */
    for (int tries = 0; fd == -1 && why == NULL && errno == ENOENT && tries < MADE_AGAIN; tries++) {
        if (mkdirat(parent, name, 0700) == 0)
            fchmodat(parent, name, 0700, 0); /* whatever the umask took away */
        else if (errno != EEXIST)
            why = strerror(errno);
        if (why == NULL)
            fd = openat(parent, name, OPEN_DIR | O_NOFOLLOW);
    }
    if (fd == -1 && why == NULL)
        why = errno == ELOOP || errno == ENOTDIR ? "it is a symbolic link or no directory" : strerror(errno);
    if (fd != -1 && (why = distrust(m, fd, path, uid, closed)) != NULL) {
        close(fd);
        fd = -1;
    }
    if (fd == -1)
        *problem = mem_printf(m, "%s: %s", path, why);
    return fd;
}

/* Opens an absolute directory; its missing components are created. Components that are there may be links: they are
 * the user's own choice of a place. */
static int
open_path(struct mem *m, const char *path, const char **problem)
{
    int fd = open(path, OPEN_DIR);
    char *copy, *slash;

    if (fd == -1 && errno == ENOENT) {
        copy = mem_strdup(m, path);
        for (slash = copy + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
            *slash = '\0';
            if (mkdir(copy, 0700) == 0)
                chmod(copy, 0700);
            *slash = '/';
        }
        if (mkdir(path, 0700) == 0)
            chmod(path, 0700);
        fd = open(path, OPEN_DIR);
    }
    if (fd == -1)
        *problem = mem_printf(m, "%s: %s", path, strerror(errno));
    return fd;
}

int
place_create(struct mem *m, const char *root, bool spool, uid_t uid, const char *run, struct place *out,
             const char **problem)
{
    const mode_t closed = spool ? 077 : 022;
    const char *slash = strrchr(root, '/'), *path;
    int base;

    out->runs = out->run = -1;
    if (*root != '/') {
        *problem = mem_printf(m, "%s: not an absolute path", root);
        return -1;
    }
    if (spool) {
        /* The directory for temporary files belongs to everybody, so the part that is ours is what is checked. */
        path = mem_strndup(m, root, (size_t)(slash - root));
        int tmp = open(path, OPEN_DIR);

        if (tmp == -1) {
            *problem = mem_printf(m, "%s: %s", path, strerror(errno));
            return -1;
        }
        base = enter(m, tmp, slash + 1, root, uid, closed, problem);
        close(tmp);
    } else {
        base = open_path(m, root, problem);
    }
    if (base == -1)
        return -1;
    path = mem_printf(m, "%s/runs", root);
    out->runs = enter(m, base, "runs", path, uid, closed, problem);
    close(base);
    if (out->runs == -1)
        return -1;
    out->run = enter(m, out->runs, run, mem_printf(m, "%s/%s", path, run), uid, closed, problem);
    if (out->run == -1) {
        place_close(out);
        return -1;
    }
    return 0;
}

int
place_runs(const char *root, bool spool, uid_t uid)
{
    int base = open(root, OPEN_DIR | (spool ? O_NOFOLLOW : 0)), runs = -1, e;
    struct stat st;

    if (base == -1)
        return -1;
    /* Anybody can make a directory of that name in /tmp, with records in it. */
    if (spool && (fstat(base, &st) == -1 || st.st_uid != uid || (st.st_mode & 022) != 0))
        errno = EPERM;
    else
        runs = openat(base, "runs", OPEN_DIR | O_NOFOLLOW);
    e = errno;
    close(base);
    errno = e;
    return runs;
}

int
place_read(int runs, const char *run)
{
    int dir, fd, e;
    struct stat st;

    dir = openat(runs, run, OPEN_DIR | O_NOFOLLOW);
    if (dir == -1)
        return -1;
    fd = openat(dir, JOURNAL_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    e = errno;
    close(dir);
    if (fd != -1 && (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
        e = EINVAL;
    }
    errno = e;
    return fd;
}

void
place_close(struct place *p)
{
    if (p->run != -1)
        close(p->run);
    if (p->runs != -1)
        close(p->runs);
    p->run = p->runs = -1;
}
