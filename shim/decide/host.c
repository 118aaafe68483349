#include "host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>

static int
no_new_privs(void)
{
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}
#endif

/* The path is not taken from $PWD: a policy belongs to a directory, and a link must not make it two. */
static const char *
working_directory(struct mem *m)
{
    char *path = getcwd(NULL, 0), *copy = NULL;

    if (path != NULL && path[0] == '/')
        copy = mem_strdup(m, path);
    free(path);
    return copy;
}

void
host_init(struct host *h, struct mem *m, char *const envp[])
{
    const char *home = env_get(envp, "HOME");
    const struct passwd *pw;
    struct timespec now;

    memset(h, 0, sizeof(*h));
    h->envp = envp;
    h->uid = geteuid();
    h->pid = getpid();
    pw = getpwuid(h->uid);
    if (pw != NULL && pw->pw_dir != NULL && pw->pw_dir[0] == '/')
        h->passwd_home = mem_strdup(m, pw->pw_dir);
    h->home = home != NULL && home[0] == '/' ? mem_strdup(m, home) : h->passwd_home;
    h->cwd = working_directory(m);
    h->proc = "/proc";
    h->etc = "/etc";
    h->windows_homes = "/mnt/c/Users";
#ifdef __linux__
    h->no_new_privs = no_new_privs;
#endif
    clock_gettime(CLOCK_REALTIME, &now);
    h->now = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads fd to its end. size is what fstat said; files below /proc say 0, and any file can grow meanwhile. */
static int
read_all(struct mem *m, int fd, size_t size, size_t max, char **text, size_t *length)
{
    size_t room = size < 4096 ? 4096 : size + 2, n = 0;
    char *buffer = mem_alloc(m, room);

    for (;;) {
        ssize_t got;

        if (n == room - 1) {
            char *larger = mem_alloc(m, room * 2);

            memcpy(larger, buffer, n);
            buffer = larger;
            room *= 2;
        }
        got = read(fd, buffer + n, room - 1 - n);
        if (got == -1 && errno == EINTR)
            continue;
        if (got == -1)
            return errno;
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max)
            return EFBIG;
    }
    buffer[n] = '\0';
    *text = buffer;
    *length = n;
    return 0;
}

int
host_read_fd(struct mem *m, int fd, size_t max, char **text, size_t *length)
{
    struct stat st;

    if (fstat(fd, &st) == -1)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EINVAL;
    if (st.st_size > 0 && (uintmax_t)st.st_size > max)
        return EFBIG;
    return read_all(m, fd, (size_t)st.st_size, max, text, length);
}

int
host_read(struct mem *m, int dirfd, const char *path, size_t max, int follow, char **text, size_t *length)
{
    int fd, error;

    /* O_NONBLOCK: opening a FIFO would wait for its writer. */
    fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
    if (fd == -1)
        return errno;
    error = host_read_fd(m, fd, max, text, length);
    close(fd);
    return error;
}

int
host_list(struct mem *m, const char *path, size_t max, char **text, size_t *length)
{
    DIR *d = opendir(path);
    const struct dirent *entry;
    char *names = NULL;
    size_t n = 0;
    FILE *out;
    int error;

    if (d == NULL)
        return errno;
    out = open_memstream(&names, &n);
    if (out == NULL) {
        error = errno;
        closedir(d);
        return error;
    }
    /* A name may hold a newline: what it ends with is on the last of its lines. */
    errno = 0;
    while (n <= max && (entry = readdir(d)) != NULL) {
        fprintf(out, "%s\n", entry->d_name);
        fflush(out);
    }
    error = n > max ? EFBIG : errno;
    closedir(d);
    if (fclose(out) != 0 && error == 0)
        error = errno;
    if (error == 0) {
        *text = mem_strndup(m, names, n);
        *length = n;
    }
    free(names);
    return error;
}
