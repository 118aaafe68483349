/* Whether an exec belongs to a launch that was decided. Source: design, section 4. */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

/* Field 22 of /proc/<pid>/stat. The second, the name of the program, may hold spaces and brackets. Returns 0 when it
 * cannot be read, as the helper does. */
static unsigned long long
start_time(pid_t pid)
{
    char path[32], text[512], *c = path + sizeof(path);
    unsigned long long start = 0;
    long n;
    int fd;

    c -= sizeof("/stat");
    memcpy(c, "/stat", sizeof("/stat"));
    do
        *--c = (char)('0' + pid % 10);
    while ((pid /= 10) != 0);
    c -= sizeof("/proc/") - 1;
    memcpy(c, "/proc/", sizeof("/proc/") - 1);

    fd = (int)syscall(SYS_openat, AT_FDCWD, c, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    n = syscall(SYS_read, fd, text, sizeof(text) - 1);
    syscall(SYS_close, fd);
    if (n <= 0)
        return 0;
    text[n] = '\0';
    c = strrchr(text, ')');
    for (int field = 2; c != NULL && field < 22; field++) {
        c = strchr(c, ' ');
        if (c != NULL)
            c++;
    }
    for (; c != NULL && *c >= '0' && *c <= '9'; c++)
        start = start * 10 + (unsigned long long)(*c - '0');
    return start;
}

/* Whether the token stands for this process, or for the one that it was started from. *t is the token. A start time that could not
 * be read, here or by the helper (too few descriptors, no /proc), is no difference: the helper would be executed for ever. */
static bool
token_of_process(const char *text, const char *adapter, bool spawn, struct launch_token *t)
{
    unsigned long long start;

    if (text == NULL || !token_parse(text, t) || strcmp(t->adapter, adapter) != 0)
        return false;
    if (t->pid != syscall(SYS_getpid) && (spawn || t->pid != syscall(SYS_getppid)))
        return false;
    start = start_time(t->pid);
    return t->start == start || t->start == 0 || start == 0;
}

bool
decided(const char *adapter, const char *file, char *const args[], char *const envp[], bool spawn)
{
    const char *lane = environment_value(envp, ENV_LANE);
    struct launch_token t;

    if (token_of_process(environment_value(envp, ENV_PASSED), adapter, spawn, &t) &&
        t.hash == passed_hash(file, args, envp))
        return true;
    /* Both ask something of the next launch: this one is it. */
    if (environment_value(envp, ENV_ACCESS) != NULL || (lane != NULL && strcmp(lane, "write") == 0))
        return false;
    return token_of_process(environment_value(envp, ENV_LAUNCH), adapter, spawn, &t) &&
           t.hash == launch_hash(args, envp);
}
