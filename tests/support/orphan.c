#include "orphan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 30000
#define STATUS_FD   9

static void
must(bool ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "orphan: %s: %s\n", what, strerror(errno));
        abort();
    }
}

static char *
slurp(int fd)
{
    off_t length = lseek(fd, 0, SEEK_END);
    must(length >= 0, "lseek");
    char *text = calloc(1, (size_t)length + 1);
    must(text != NULL && pread(fd, text, (size_t)length, 0) == length, "read");
    close(fd);
    return text;
}

struct plan {
    const char *dir;
    char *const *argv, *const *envp;
    bool no_new_privs;
    int go, status, out, err;
};

static _Noreturn void
become(const struct plan *p)
{
    char byte;
    size_t n = 0;
    while (p->argv[n] != NULL)
        n++;
    char **argv = calloc(n + 5, sizeof *argv);
    char *shell[] = {strdup("sh"), strdup("-c"), strdup("\"$@\" 9>&-; echo $? >&9"), strdup("sh")};
    must(argv != NULL, "calloc");
    memcpy(argv, shell, sizeof shell);
    memcpy(argv + 4, p->argv, n * sizeof *argv);

    /* End of file comes when the parent is gone, and so its environment from the lineage. */
    must(read(p->go, &byte, 1) == 0, "read");
    must(chdir(p->dir) == 0, p->dir);
    must(dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0) != -1 && dup2(p->out, 1) != -1 &&
             dup2(p->err, 2) != -1,
         "dup2");
    /* Last, as it may take the place of one of those; dup2 leaves the flag of one that is in place. */
    must(p->status == STATUS_FD ? fcntl(STATUS_FD, F_SETFD, 0) == 0 : dup2(p->status, STATUS_FD) != -1,
         "status");
    must(!p->no_new_privs || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privs");
    execve("/bin/sh", argv, p->envp);
    _exit(127);
}

/* Reads the shell's word for the exit code. */
static int
read_code(int fd)
{
    char text[16] = "";
    size_t length = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (length < sizeof text - 1) {
        int ready = poll(&p, 1, PATIENCE_MS);
        ssize_t n = ready == 1 ? read(fd, text + length, sizeof text - 1 - length) : -1;
        if (n <= 0)
            break;
        length += (size_t)n;
    }
    close(fd);
    return length == 0 ? -1 : atoi(text);
}

struct outcome
orphan_run(const char *dir, char *const argv[], char *const envp[], bool no_new_privs)
{
    int go[2], status[2], ignored;
    struct plan p = {dir,
                     argv,
                     envp,
                     no_new_privs,
                     -1,
                     -1,
                     memfd_create("out", MFD_CLOEXEC),
                     memfd_create("err", MFD_CLOEXEC)};
    must(p.out != -1 && p.err != -1 && pipe2(go, O_CLOEXEC) == 0 && pipe2(status, O_CLOEXEC) == 0, "pipe");
    p.go = go[0];
    p.status = status[1];
    fflush(NULL);
    pid_t between = fork();
    must(between != -1, "fork");
    if (between == 0) {
        setsid();
        close(go[1]);
        close(status[0]);
        if (fork() == 0)
            become(&p);
        _exit(0);
    }
    while (waitpid(between, &ignored, 0) == -1 && errno == EINTR)
        continue;
    close(go[0]);
    close(go[1]);
    close(status[1]);
    struct outcome o;
    o.code = read_code(status[0]);
    o.out = slurp(p.out);
    o.err = slurp(p.err);
    return o;
}

void
outcome_free(struct outcome *o)
{
    free(o->out);
    free(o->err);
}
