#include "spool.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STRANGER 48222

static bool
write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd != -1 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd != -1)
        close(fd);
    return done;
}

void
spool_hide(void)
{
    unsigned uid = (unsigned)geteuid(), gid = (unsigned)getegid();
    char plain[64], claude[64], map[64];

    snprintf(plain, sizeof(plain), "/tmp/haccess-%u", uid);
    snprintf(claude, sizeof(claude), "/tmp/claude-%u/haccess-%u", uid, uid);
    if (access(plain, F_OK) == -1 && access(claude, F_OK) == -1)
        return;
    snprintf(map, sizeof(map), "%u %u 1", STRANGER, uid);
    if (unshare(CLONE_NEWUSER) == 0 && write_file("/proc/self/uid_map", map) &&
        write_file("/proc/self/setgroups", "deny")) {
        snprintf(map, sizeof(map), "%u %u 1", STRANGER, gid);
        if (write_file("/proc/self/gid_map", map) && geteuid() == STRANGER)
            return;
    }
    fprintf(stderr, "%s is in the way of this test, and there are no user namespaces here\n", plain);
}
