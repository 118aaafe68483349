#include "differ.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_SEED 1

static int
memory_file(void)
{
    int fd = memfd_create("differ", MFD_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    return fd;
}

/* Returns what is in the file, and closes it. */
static char *
contents(int fd)
{
    off_t length = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)length + 1);

    ck_assert(length >= 0 && text != NULL && pread(fd, text, (size_t)length, 0) == length);
    close(fd);
    return text;
}

void
differ_run(const char *directory, char *const argv[], char *const envp[], int seconds, struct answer *a)
{
    int out = memory_file(), err = memory_file(), status;
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        int null = open("/dev/null", O_RDONLY);

        if (setpgid(0, 0) != 0 || chdir(directory) != 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
            dup2(err, 2) < 0)
            _exit(127);
        execve(argv[0], argv, envp);
        _exit(127);
    }
    setpgid(pid, pid);
    struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    ck_assert_int_ge(p.fd, 0);
    bool ended = poll(&p, 1, seconds * 1000) == 1;
    close(p.fd);
    kill(-pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    a->status = !ended ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    a->out = contents(out);
    a->err = contents(err);
}

void
answer_free(struct answer *a)
{
    free(a->out);
    free(a->err);
}

static uint64_t
number(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    char *end;

    if (value == NULL || *value == '\0')
        return otherwise;
    if (strcmp(value, "fresh") == 0) {
        struct timespec now;

        clock_gettime(CLOCK_REALTIME, &now);
        return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    }
    errno = 0;
    uint64_t n = strtoull(value, &end, 10);
    ck_assert_msg(errno == 0 && *end == '\0', "%s=%s: not a number", name, value);
    return n;
}

/* What the workers share. */
struct board {
    size_t next; /* trial to be taken */
    size_t done, failed;
};

static void
do_trial(const struct differ *d, uint64_t seed, size_t trial, unsigned worker, struct board *board,
         int reports)
{
    struct chance c = chance_for(seed, trial);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    ck_assert_ptr_nonnull(f);
    d->trial(trial, worker, &c, f, d->context);
    ck_assert_int_eq(fclose(f), 0);
    if (size != 0) {
        __atomic_add_fetch(&board->failed, 1, __ATOMIC_SEQ_CST);
        dprintf(reports, "\n-- %s: HACCESS_SEED=%llu HACCESS_TRIAL=%zu\n%s", d->name,
                (unsigned long long)seed, trial, text);
    }
    free(text);
    __atomic_add_fetch(&board->done, 1, __ATOMIC_SEQ_CST);
}

/* In the worker: waits until it has been handed to init, works, and ends; the parent sees the end of the pipe. */
_Noreturn static void
work(const struct differ *d, uint64_t seed, size_t first, size_t end, unsigned worker, struct board *board,
     int go, int reports)
{
    char c;
    size_t trial;

    while (read(go, &c, 1) < 0 && errno == EINTR)
        ;
    while ((trial = __atomic_fetch_add(&board->next, 1, __ATOMIC_SEQ_CST)) < end - first)
        do_trial(d, seed, first + trial, worker, board, reports);
    _exit(0);
}

size_t
differ(const struct differ *d)
{
    uint64_t seed = number("HACCESS_SEED", DEFAULT_SEED), only = number("HACCESS_TRIAL", UINT64_MAX);
    size_t first = only == UINT64_MAX ? 0 : (size_t)only;
    size_t end = only == UINT64_MAX ? (size_t)number("HACCESS_TRIALS", d->trials) : first + 1;
    struct board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int reports = memory_file(), go[2], alive[2];
    struct timespec begun, now;

    ck_assert(board != MAP_FAILED && pipe2(go, O_CLOEXEC) == 0 && pipe2(alive, O_CLOEXEC) == 0);
    fcntl(reports, F_SETFL, O_APPEND);
    printf("%s: HACCESS_SEED=%llu, %zu trials\n", d->name, (unsigned long long)seed, end - first);
    fflush(stdout);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (unsigned worker = 0; worker < d->workers; worker++) {
        pid_t between = fork();

        ck_assert_int_ge(between, 0);
        if (between == 0) {
            close(go[1]);
            close(alive[0]);
            /* Check ends the process group of a test; the worker stays in it, but not below this process. */
            if (fork() == 0)
                work(d, seed, first, end, worker, board, go[0], reports);
            _exit(0);
        }
        waitpid(between, NULL, 0);
    }
    close(go[0]);
    close(go[1]);
    close(alive[1]);
    struct pollfd p = {.fd = alive[0], .events = POLLIN};
    bool late = poll(&p, 1, d->seconds * 1000) != 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    size_t done = __atomic_load_n(&board->done, __ATOMIC_SEQ_CST),
           failed = __atomic_load_n(&board->failed, __ATOMIC_SEQ_CST);
    if (late) /* nobody takes another one */
        __atomic_store_n(&board->next, end, __ATOMIC_SEQ_CST);
    char *text = contents(reports);
    printf("%s%s: %zu of %zu trials in %ld s, %zu failed%s\n", text, d->name, done, end - first,
           (long)(now.tv_sec - begun.tv_sec), failed, late ? ", and the time is over" : "");
    fflush(stdout);
    free(text);
    close(alive[0]);
    munmap(board, sizeof *board);
    return failed + (end - first - done);
}
