/* Executes a program by the function that is named, and says what came of it.
 *
 *     caller [-v | -t] [-e NAME=VALUE] [-u NAME] [-w WORDS] [-k ENTRIES] [-c DIR] [-a] [-0] [-n] [-s] [-r TIMES] FUNCTION FILE [ARG ...]
 *
 * -v: in a vfork child. -t: in a thread with a stack of 16 KiB. -e, -u: in the environment that is passed (or, for
 * functions that take none, in the process's own). -w, -k: so many more arguments, environment entries. -a: with file
 * actions and attributes (spawn). -0, -n: without arguments, an environment (NULL). -s: under a filter that ends what calls
 * readlinkat. -r: so many times in vfork children, then by how many pages the
 * process grew. The function
 * `fexecve` opens FILE; `execveat-dir` is relative to FILE's directory. A system call getpgid(-1) marks the
 * beginning and the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
/* musl's own directory has no headers of the kernel. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

extern char **environ;
static const char *function, *file;
static char **arguments, **environment;
static int with_actions, no_words, spawn_errno = 77;

static void
mark(void)
{
    syscall(SYS_getpgid, -1);
}

static void
say(const char *what, int n)
{
    char text[64];
    int length = snprintf(text, sizeof(text), "%s %d\n", what, n);

    if (write(STDOUT_FILENO, text, (size_t)length) < 0)
        _exit(9);
}

static int
is(const char *name)
{
    return strcmp(function, name) == 0;
}

static int
do_execle(char **a)
{
    if (a[1] == NULL)
        return execle(file, a[0], NULL, environment);
    if (a[2] == NULL)
        return execle(file, a[0], a[1], NULL, environment);
    return execle(file, a[0], a[1], a[2], NULL, environment);
}

/* Returns the spawned child's pid, 0 after an exec that failed, -1 after a spawn that failed. */
static pid_t
spawn(void)
{
    posix_spawn_file_actions_t actions, *fa = NULL;
    posix_spawnattr_t attributes, *at = NULL;
    sigset_t mask;
    pid_t pid = -1;
    int error;

    if (with_actions) {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, 1, 7);
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
        sigemptyset(&mask);
        posix_spawnattr_setsigmask(&attributes, &mask);
        fa = &actions;
        at = &attributes;
    }
    errno = 77;
    if (strncmp(function, "pidfd", 5) == 0) {
        /* Newer than the oldest libc that this is built with. */
        int (*spawner)(int *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                       char *const[], char *const[]);
        siginfo_t child;
        int descriptor = -1;

        *(void **)&spawner = dlsym(RTLD_DEFAULT, function);
        error = spawner == NULL ? ENOSYS : spawner(&descriptor, file, fa, at, arguments, environment);
        pid = -1;
        if (error == 0 && waitid(P_ALL, 0, &child, WEXITED | WNOWAIT) == 0)
            pid = child.si_pid;
    } else if (is("posix_spawn"))
        error = posix_spawn(&pid, file, fa, at, arguments, environment);
    else
        error = posix_spawnp(&pid, file, fa, at, arguments, environment);
    spawn_errno = errno;
    if (error != 0) {
        say("error", error);
        say("errno", spawn_errno);
        return -1;
    }
    return pid;
}

static pid_t
call(void)
{
    char **a = no_words ? NULL : arguments;
    int fd;

    if (strstr(function, "spawn") != NULL)
        return spawn();
    errno = 77;
    if (is("execve"))
        execve(file, a, environment);
    else if (is("execv"))
        execv(file, a);
    else if (is("execvp"))
        execvp(file, a);
    else if (is("execvpe"))
        execvpe(file, a, environment);
    else if (is("execl"))
        execl(file, a[0], a[0] != NULL ? a[1] : NULL, a[0] != NULL && a[1] != NULL ? a[2] : NULL, NULL);
    else if (is("execlp"))
        execlp(file, a[0], a[0] != NULL ? a[1] : NULL, a[0] != NULL && a[1] != NULL ? a[2] : NULL, NULL);
    else if (is("execle"))
        do_execle(a);
    else if (is("fexecve")) {
        fd = open(file, O_RDONLY | O_CLOEXEC);
        fexecve(fd, a, environment);
#ifdef __GLIBC__
    } else if (is("execveat"))
        execveat(AT_FDCWD, file, a, environment, 0);
    else if (is("execveat-nofollow"))
        execveat(AT_FDCWD, file, a, environment, AT_SYMLINK_NOFOLLOW);
    else if (is("execveat-empty")) {
        fd = open(file, O_PATH | O_CLOEXEC);
        execveat(fd, "", a, environment, AT_EMPTY_PATH);
    } else if (is("execveat-dir")) {
        char directory[PATH_MAX];
        const char *slash = strrchr(file, '/');

        memcpy(directory, file, (size_t)(slash - file));
        directory[slash - file] = '\0';
        fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
        execveat(fd, slash + 1, a, environment, 0);
#endif
    } else
        return say("no such function", 0), -1;
    fd = errno;
    mark();
    say("failed", fd);
    return 0;
}

/* Ends this process and its children when they make that system call. */
static int
forbid(unsigned number)
{
#ifdef __GLIBC__
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) | prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
    return number != 0;
#endif
}

static void *
call_in_thread(void *unused)
{
    (void)unused;
    return (void *)(intptr_t)call();
}

static char **
grown(char *const *list, size_t more, const char *format)
{
    size_t n = 0;
    char **out, text[32];

    while (list[n] != NULL)
        n++;
    out = calloc(n + more + 2, sizeof(*out));
    memcpy(out, list, n * sizeof(*out));
    for (size_t i = 0; i < more; i++) {
        snprintf(text, sizeof(text), format, i);
        out[n++] = strdup(text);
    }
    return out;
}

/* In pages. Not the number of mappings: neighbours are joined. */
static long
memory_size(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (f == NULL || fscanf(f, "%ld", &pages) != 1)
        exit(9);
    fclose(f);
    return pages;
}

static void
in_vfork(void)
{
    int status;
    pid_t pid = vfork();

    if (pid == 0) {
        say("caller", (int)syscall(SYS_getpid));
        _exit(call() < 0);
    }
    waitpid(pid, &status, 0);
    say("status", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

int
main(int argc, char *argv[])
{
    int option, vforked = 0, threaded = 0, times = 0, no_environment = 0, filtered = 0, status;
    size_t words = 0, entries = 0;
    pid_t pid;

    environ = grown(environ, 0, "");
    while ((option = getopt(argc, argv, "+vtae:u:w:k:c:r:0ns")) != -1) {
        switch (option) {
        case 'v':
            vforked = 1;
            break;
        case 't':
            threaded = 1;
            break;
        case 'a':
            with_actions = 1;
            break;
        case 'e':
            putenv(optarg);
            break;
        case 'u':
            unsetenv(optarg);
            break;
        case 'w':
            words = strtoul(optarg, NULL, 10);
            break;
        case 'k':
            entries = strtoul(optarg, NULL, 10);
            break;
        case 'r':
            times = atoi(optarg);
            break;
        case '0':
            no_words = 1;
            break;
        case 'n':
            no_environment = 1;
            break;
        case 's':
            filtered = 1;
            break;
        case 'c':
            if (chdir(optarg) != 0)
                return 9;
            break;
        default:
            return 9;
        }
    }
    if (filtered && forbid(SYS_readlinkat) != 0)
        return 9;
    function = argv[optind];
    file = argv[optind + 1];
    arguments = grown(argv + optind + 2, words, "w%zu");
    environ = grown(environ, entries, "X%zu=y");
    environment = no_environment ? NULL : environ;
    if (times != 0) {
        long before;

        in_vfork();
        before = memory_size();
        for (int i = 0; i < times; i++)
            in_vfork();
        say("grew by", (int)(memory_size() - before));
        return 0;
    }
    if (vforked)
        return in_vfork(), 0;
    say("caller", (int)getpid());
    mark();
    if (threaded) {
        pthread_attr_t attr;
        pthread_t thread;
        void *result;

        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, 16384);
        if (pthread_create(&thread, &attr, call_in_thread, NULL) != 0)
            return 9;
        pthread_join(thread, &result);
        pid = (pid_t)(intptr_t)result;
    } else {
        pid = call();
    }
    mark();
    if (pid > 0) {
        waitpid(pid, &status, 0);
        say("child", pid);
        say("errno", spawn_errno);
        say("status", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    return 0;
}
