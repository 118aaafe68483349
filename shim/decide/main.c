/* haccess-exec: stands between an exec of a vendor CLI and the CLI. Executed by libhaccess.so, in the process that is to
 * become the CLI, with the caller's arguments and one more environment entry. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "continuation.h"
#include "launch.h"

/* Finds file on path as execvp does. Returns NULL with errno set. */
static const char *
search(struct mem *m, const char *file, const char *path)
{
    int error = ENOENT;

    if (strchr(file, '/') != NULL)
        return file;
    for (;;) {
        size_t n = strcspn(path, ":");
        const char *full = n == 0 ? file : mem_printf(m, "%.*s/%s", (int)n, path, file);
        struct stat st;

        if (stat(full, &st) == 0 && S_ISREG(st.st_mode)) {
            if (access(full, X_OK) == 0)
                return full;
            error = EACCES;
        }
        if (path[n] == '\0')
            break;
        path += n + 1;
    }
    errno = error;
    return NULL;
}

/* What is opened must not become a standard stream that the caller has closed: a message would end up in it. The CLI
 * finds them closed, as it would have. */
static void
fill_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int
main(int argc, char *argv[], char *envp[])
{
    const char *value = env_get(envp, ENV_HANDOFF);
    struct mem *m = mem_new();
    struct first_decision first;
    struct handoff handoff;
    struct launch launch;
    const char *target;
    struct host host;

    fill_standard_streams();
    if (argc < 1 || value == NULL || !handoff_parse(mem_strdup(m, value), &handoff))
        errx(2, "haccess-exec is executed by libhaccess.so, not by hand; see libhaccess(7), or use `haccess "
                "run -- CMD`");
    target = handoff.path != NULL ? search(m, handoff.file, handoff.path) : handoff.file;
    if (target == NULL)
        err(errno == ENOENT ? 127 : 126, "%s", handoff.file);
    host_init(&host, m, envp);
    launch_plan(&host, m, target, argv, continuation(&host, m, target, argv, &first) ? &first : NULL,
                &launch);
    launch_execute(&host, m, &launch, handoff.searched);
}
