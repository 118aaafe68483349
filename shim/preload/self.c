/* Where the helper is: beside the library. Never by the text of LD_PRELOAD, which may be relative to a directory that
 * holds another haccess-exec. */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

#define HELPER "haccess-exec"

extern int dladdr(const void *address, Dl_info *info) __attribute__((weak));

static char beside[PATH_MAX + sizeof(HELPER)]; /* filled at start, empty when the loader's name is relative */

void
self_start(void)
{
    Dl_info info;
    size_t n;

    if (dladdr == NULL || dladdr(&next, &info) == 0 || info.dli_fname == NULL || info.dli_fname[0] != '/')
        return;
    n = strlen(info.dli_fname);
    if (n >= PATH_MAX)
        return;
    while (info.dli_fname[n - 1] != '/')
        n--;
    memcpy(beside, info.dli_fname, n);
    memcpy(beside + n, HELPER, sizeof(HELPER));
}

/* The lines of /proc/self/maps: START-END PERMS OFFSET DEVICE INODE [PATH]. Read byte by byte from a small buffer. */
struct reader {
    int fd;
    size_t at, filled;
    char bytes[512];
};

static int
next_byte(struct reader *r)
{
    if (r->at == r->filled) {
        long n = syscall(SYS_read, r->fd, r->bytes, sizeof(r->bytes));

        if (n <= 0)
            return -1;
        r->filled = (size_t)n;
        r->at = 0;
    }
    return (unsigned char)r->bytes[r->at++];
}

/* Reads hexadecimal digits and the byte behind them. */
static uintptr_t
next_hex(struct reader *r, int *c)
{
    uintptr_t n = 0;

    for (;;) {
        *c = next_byte(r);
        if (*c >= '0' && *c <= '9')
            n = n * 16 + (uintptr_t)(*c - '0');
        else if (*c >= 'a' && *c <= 'f')
            n = n * 16 + (uintptr_t)(*c - 'a') + 10;
        else
            return n;
    }
}

/* Reads the rest of a line; when wanted, the path in it goes to out. Returns its length, 0: none or too long. */
static size_t
line_path(struct reader *r, bool wanted, char *out, size_t size)
{
    size_t n = 0;
    bool path = false;
    int c;

    while ((c = next_byte(r)) != -1 && c != '\n') {
        path = path || c == '/';
        if (path && wanted && n < size)
            out[n++] = (char)c;
    }
    return n < size ? n : 0;
}

/* The path of the mapping that this library's constants are in. The first byte is a slash; no NUL is added. */
static size_t
mapped_path(char *out, size_t size)
{
    struct reader r = {
        (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC), 0, 0, {0}};
    uintptr_t here = (uintptr_t)HELPER;
    size_t n = 0;
    int c = 0;

    if (r.fd < 0)
        return 0;
    while (n == 0 && c != -1) {
        uintptr_t from = next_hex(&r, &c), to = next_hex(&r, &c);

        n = line_path(&r, here >= from && here < to, out, size);
    }
    syscall(SYS_close, r.fd);
    return n;
}

size_t
self_room(void)
{
    return beside[0] == '/' ? 0 : sizeof(beside);
}

const char *
self_helper(char *text)
{
    size_t n;

    if (beside[0] == '/')
        return beside;
    n = mapped_path(text, PATH_MAX);
    if (n == 0)
        return NULL;
    while (text[n - 1] != '/')
        n--;
    memcpy(text + n, HELPER, sizeof(HELPER));
    return text;
}
