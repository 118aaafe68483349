#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "doctor.h"

#define OUTPUT_MAX 65536

static long
milliseconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads until the end of file. Returns how much, or -1 when the time was over. */
static ssize_t
read_until(int fd, char *out, size_t room, long deadline)
{
    size_t length = 0;
    char rest[4096];
    for (;;) {
        long left = deadline - milliseconds_now();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = left <= 0 ? 0 : poll(&p, 1, (int)left);
        if (ready == 0)
            return -1;
        if (ready < 0 && errno != EINTR)
            return -1;
        if (ready < 0)
            continue;
        bool full = length == room;
        ssize_t n = full ? read(fd, rest, sizeof rest) : read(fd, out + length, room - length);
        if (n == 0)
            return (ssize_t)length;
        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0 && !full)
            length += (size_t)n;
    }
}

/* Waits for the process, and kills its group when the time is over. Returns its status. */
static int
wait_until(pid_t pid, long deadline)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int status = 0;
    pid_t done;
    while ((done = waitpid(pid, &status, WNOHANG)) == 0 && milliseconds_now() < deadline)
        nanosleep(&pause, NULL);
    if (done == 0) {
        kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
            continue;
    }
    return status;
}

char *
capture(struct mem *m, char *const argv[], char *const envp[], int milliseconds, int both)
{
    int end[2], status;
    pid_t pid;
    if (pipe2(end, O_CLOEXEC) != 0)
        return NULL;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, end[1], STDOUT_FILENO);
    if (both)
        posix_spawn_file_actions_adddup2(&actions, end[1], STDERR_FILENO);
    /* A group of its own, so that what it started ends with it. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    int e = posix_spawn(&pid, argv[0], &actions, &attributes, argv, envp);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(end[1]);
    if (e != 0) {
        close(end[0]);
        return NULL;
    }
    char *out = mem_alloc(m, OUTPUT_MAX + 1);
    long deadline = milliseconds_now() + milliseconds;
    ssize_t length = read_until(end[0], out, OUTPUT_MAX, deadline);
    close(end[0]);
    status = wait_until(pid, length < 0 ? 0 : deadline);
    return length >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? out : NULL;
}
