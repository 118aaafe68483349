/* The host as haccess sees it. What reads the host takes it from here, so that tests can show it another one. */
#ifndef HACCESS_HOST_H
#define HACCESS_HOST_H

#include <stdint.h>
#include <sys/types.h>

#include "../mem.h"

struct host {
    char *const *envp;         /* environment of the launch */
    uid_t uid;                 /* effective */
    pid_t pid;                 /* the process that is to become the CLI */
    const char *home;          /* $HOME when it is an absolute path, else passwd_home; NULL: neither */
    const char *passwd_home;   /* of the password entry, NULL: no entry */
    const char *cwd;           /* absolute; NULL: deleted or unreadable */
    const char *proc;          /* "/proc" */
    const char *etc;           /* "/etc" */
    const char *windows_homes; /* "/mnt/c/Users" */
    int (*no_new_privs)(
        void);   /* prctl(PR_GET_NO_NEW_PRIVS): 0, 1, or -1 when it cannot be told; NULL: not Linux */
    int64_t now; /* milliseconds since 1970, UTC */
};

/* Fills h with the real host and the environment envp (not copied). */
void host_init(struct host *h, struct mem *m, char *const envp[]);

/* Reads a whole regular file, at most max bytes. dirfd as in openat. Follows a link in the last component only when
 * follow is true. Returns 0 and sets *text (NUL-terminated, in the region) and *length; otherwise an errno (EFBIG
 * for a larger file, EINVAL for one that is not regular, ELOOP for a link). Never blocks on a FIFO. */
int host_read(struct mem *m, int dirfd, const char *path, size_t max, int follow, char **text,
              size_t *length);

/* The same for a file that is open, from where it stands. fd stays open. */
int host_read_fd(struct mem *m, int fd, size_t max, char **text, size_t *length);

/* Lists the names in a directory, each with a newline behind it, in no order; at most max bytes. Returns 0 and sets *text (NUL-terminated,
 * in the region) and *length; otherwise an errno (EFBIG for more). */
int host_list(struct mem *m, const char *path, size_t max, char **text, size_t *length);

#endif
