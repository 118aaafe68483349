/* Another library that stands before execve and posix_spawn, and says so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

static void
say(void)
{
    if (write(STDOUT_FILENO, "chained\n", 8) < 0)
        _exit(9);
}

int
execve(const char *path, char *const argv[], char *const envp[])
{
    int (*real)(const char *, char *const[], char *const[]);

    *(void **)&real = dlsym(RTLD_NEXT, "execve");
    say();
    return real(path, argv, envp);
}

int
posix_spawn(pid_t *restrict pid, const char *restrict path,
            const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attributes,
            char *const argv[restrict], char *const envp[restrict])
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                char *const[], char *const[]);

    *(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
    say();
    return real(pid, path, actions, attributes, argv, envp);
}
