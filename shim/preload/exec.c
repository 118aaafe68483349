/* The hooks. The libc's own calls between these functions do not pass through us, therefore all of them are here. */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

#define EXPORT __attribute__((visibility("default")))

/* The environment lacks something that is kept alive. Where there is no room for it, it goes without. Not inlined: its array must
 * not be in the frame of every hook. */
static __attribute__((noinline)) int
pass_kept(const struct call *c, const struct kept *k)
{
    void *stack[STACK_SPACE / sizeof(void *)], *space = stack;
    size_t need = keep_room(k);
    int result, error, saved = errno;

    if (need > sizeof(stack) && (space = space_take(need)) == NULL) {
        errno = saved;
        return c->real(c, c->envp);
    }
    errno = saved;
    result = c->real(c, keep_build(k, c->envp, NULL, space));
    error = c->spawn != NULL ? result : errno;
    saved = errno;
    if (space != stack)
        space_give(space, need);
    errno = saved;
    return error == E2BIG ? c->real(c, c->envp) : result;
}

static int
run(const struct call *c)
{
    struct match match;
    struct kept kept;
    int result;

    prepare();
    if (inert || c->file == NULL)
        return c->real(c, c->envp);
    match_exec(c->file, c->argv, &match);
    if (match.kind == MATCH_LAUNCH || (match.kind == MATCH_NONE && target_open(c) && c->argv != NULL &&
                                       c->argv[0] != NULL && match_name(c->argv[0]) != NULL)) {
        if (divert(c, &match, &result))
            return result;
    }
    if (!keep_missing(c->envp, &kept))
        return c->real(c, c->envp);
    return pass_kept(c, &kept);
}

static int
real_execve(const struct call *c, char *const envp[])
{
    return next.execve(c->file, c->argv, envp);
}

static int
real_execv(const struct call *c, char *const envp[])
{
    return envp == environ ? next.execv(c->file, c->argv) : next.execve(c->file, c->argv, envp);
}

static int
real_execvp(const struct call *c, char *const envp[])
{
    return envp == environ ? next.execvp(c->file, c->argv) : next.execvpe(c->file, c->argv, envp);
}

static int
real_execvpe(const struct call *c, char *const envp[])
{
    return next.execvpe(c->file, c->argv, envp);
}

/* For glibc, no environment is an error here. */
static int
real_fexecve(const struct call *c, char *const envp[])
{
    return next.fexecve(c->fd, c->argv, c->envp == NULL ? NULL : envp);
}

static int
real_execveat(const struct call *c, char *const envp[])
{
    if (next.execveat != NULL)
        return next.execveat(c->fd, c->file, c->argv, envp, c->flags);
    return (int)syscall(SYS_execveat, c->fd, c->file, c->argv, envp, c->flags);
}

static int
real_spawn(const struct call *c, char *const envp[])
{
    return c->spawn(c->pid, c->file, c->actions, c->attributes, c->argv, envp);
}

EXPORT int
execve(const char *path, char *const argv[], char *const envp[])
{
    return run(&(struct call){.file = path, .argv = argv, .envp = envp, .fd = AT_FDCWD, .real = real_execve});
}

EXPORT int
execv(const char *path, char *const argv[])
{
    return run(
        &(struct call){.file = path, .argv = argv, .envp = environ, .fd = AT_FDCWD, .real = real_execv});
}

EXPORT int
execvp(const char *file, char *const argv[])
{
    return run(&(struct call){.file = file,
                              .argv = argv,
                              .envp = environ,
                              .fd = AT_FDCWD,
                              .search = true,
                              .shell = libc_is_glibc(),
                              .real = real_execvp});
}

EXPORT int
execvpe(const char *file, char *const argv[], char *const envp[])
{
    return run(&(struct call){.file = file,
                              .argv = argv,
                              .envp = envp,
                              .fd = AT_FDCWD,
                              .search = true,
                              .shell = libc_is_glibc(),
                              .real = real_execvpe});
}

/* Old musl exports it. */
int __execvpe(const char *file, char *const argv[], char *const envp[]);

EXPORT int
__execvpe(const char *file, char *const argv[], char *const envp[])
{
    return execvpe(file, argv, envp);
}

/* The words of execl and its relatives, as an array; *ap ends behind the NULL that ends them. As in the libc the array is on
 * the stack: it is no longer than what the caller put there. */
static size_t
count_words(const char *first, va_list ap)
{
    size_t n = 0;

    for (; first != NULL; first = va_arg(ap, char *))
        n++;
    return n;
}

static void
copy_words(const char *first, size_t n, va_list *ap, char **argv)
{
    argv[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i <= n; i++)
        argv[i] = va_arg(*ap, char *);
}

EXPORT int
execl(const char *path, const char *arg, ...)
{
    size_t n;
    char **argv;
    va_list ap;

    va_start(ap, arg);
    n = count_words(arg, ap);
    va_end(ap);
    argv = alloca((n + 1) * sizeof(*argv));
    va_start(ap, arg);
    copy_words(arg, n, &ap, argv);
    va_end(ap);
    return execv(path, argv);
}

EXPORT int
execlp(const char *file, const char *arg, ...)
{
    size_t n;
    char **argv;
    va_list ap;

    va_start(ap, arg);
    n = count_words(arg, ap);
    va_end(ap);
    argv = alloca((n + 1) * sizeof(*argv));
    va_start(ap, arg);
    copy_words(arg, n, &ap, argv);
    va_end(ap);
    return execvp(file, argv);
}

EXPORT int
execle(const char *path, const char *arg, ...)
{
    char **argv, **envp;
    size_t n;
    va_list ap;

    va_start(ap, arg);
    n = count_words(arg, ap);
    va_end(ap);
    argv = alloca((n + 1) * sizeof(*argv));
    va_start(ap, arg);
    copy_words(arg, n, &ap, argv);
    envp = va_arg(ap, char **);
    va_end(ap);
    return execve(path, argv, envp);
}

EXPORT int
fexecve(int fd, char *const argv[], char *const envp[])
{
    return run(&(struct call){
        .file = "", .argv = argv, .envp = envp, .fd = fd, .flags = AT_EMPTY_PATH, .real = real_fexecve});
}

EXPORT int
execveat(int fd, const char *path, char *const argv[], char *const envp[], int flags)
{
    return run(&(struct call){
        .file = path, .argv = argv, .envp = envp, .fd = fd, .flags = flags, .real = real_execveat});
}

static int
spawn(spawn_fn *function, spawn_fn *function_path, bool search, pid_t *pid, const char *file,
      const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes, char *const argv[],
      char *const envp[])
{
    return run(&(struct call){.file = file,
                              .argv = argv,
                              .envp = envp,
                              .fd = AT_FDCWD,
                              .search = search,
                              .pid = pid,
                              .actions = actions,
                              .attributes = attributes,
                              .spawn = function,
                              .spawn_path = function_path,
                              .real = real_spawn});
}

EXPORT int
posix_spawn(pid_t *restrict pid, const char *restrict path,
            const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
            char *const argv[restrict], char *const envp[restrict])
{
    prepare();
    return spawn(next.posix_spawn, next.posix_spawn, false, pid, path, actions, attributes, argv, envp);
}

EXPORT int
posix_spawnp(pid_t *restrict pid, const char *restrict file,
             const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
             char *const argv[restrict], char *const envp[restrict])
{
    prepare();
    return spawn(next.posix_spawnp, next.posix_spawn, true, pid, file, actions, attributes, argv, envp);
}

spawn_fn pidfd_spawn, pidfd_spawnp;

EXPORT int
pidfd_spawn(int *pidfd, const char *path, const posix_spawn_file_actions_t *actions,
            const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    prepare();
    if (next.pidfd_spawn == NULL)
        return ENOSYS;
    return spawn(next.pidfd_spawn, next.pidfd_spawn, false, pidfd, path, actions, attributes, argv, envp);
}

EXPORT int
pidfd_spawnp(int *pidfd, const char *file, const posix_spawn_file_actions_t *actions,
             const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    prepare();
    if (next.pidfd_spawnp == NULL || next.pidfd_spawn == NULL)
        return ENOSYS;
    return spawn(next.pidfd_spawnp, next.pidfd_spawn, true, pidfd, file, actions, attributes, argv, envp);
}
