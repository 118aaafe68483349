/* The constructor, and the functions of the next library. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "preload.h"

struct next next;
bool inert;

/* Not in every libc, or not in the part of it that every program loads. Before glibc 2.34 dlsym was in libdl, and
 * what it called, which is in libc, needs to be told the caller. */
extern void *dlsym(void *handle, const char *name) __attribute__((weak));
extern void *_dl_sym(void *handle, const char *name, void *caller) __attribute__((weak));
extern const char *gnu_get_libc_version(void) __attribute__((weak));

bool
libc_is_glibc(void)
{
    return gnu_get_libc_version != NULL;
}

/* Returns N of glibc 2.N, 0 for another libc. */
static int
glibc_minor(void)
{
    const char *version = libc_is_glibc() ? gnu_get_libc_version() : "";
    int minor = 0;

    if (version[0] != '2' || version[1] != '.')
        return 0;
    for (const char *c = version + 2; *c >= '0' && *c <= '9' && minor < 1000; c++)
        minor = minor * 10 + (*c - '0');
    return minor;
}

static void *
lookup_in(void *handle, const char *name)
{
    if (dlsym != NULL)
        return dlsym(handle, name);
    return _dl_sym != NULL ? _dl_sym(handle, name, (void *)&next) : NULL;
}

/* Where nothing comes next, the libc came first: nobody calls our hooks then, but the constructor executes the helper. */
static void *
lookup(const char *name)
{
    void *function = lookup_in(RTLD_NEXT, name);

    return function != NULL ? function : lookup_in(RTLD_DEFAULT, name);
}

/* A failing dlsym allocates its message: ask only for what is there. */
static void
resolve(void)
{
    static const struct {
        void *slot;
        const char *name;
        int minor; /* first glibc 2.N that has it; 0: every libc */
    } table[] = {
        {&next.execve, "execve", 0},
        {&next.execv, "execv", 0},
        {&next.execvp, "execvp", 0},
        {&next.execvpe, "execvpe", 0},
        {&next.fexecve, "fexecve", 0},
        {&next.posix_spawn, "posix_spawn", 0},
        {&next.posix_spawnp, "posix_spawnp", 0},
        {&next.execveat, "execveat", 34},
        {&next.pidfd_spawn, "pidfd_spawn", 39},
        {&next.pidfd_spawnp, "pidfd_spawnp", 39},
    };
    int minor = glibc_minor();

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].minor <= minor)
            *(void **)table[i].slot = lookup(table[i].name);
}

void
prepare(void)
{
    static bool done;

    if (done)
        return;
    resolve();
    inert = getauxval(AT_SECURE) != 0;
    if (!inert) {
        keep_start(environ);
        self_start();
    }
    done = true;
}

__attribute__((constructor)) static void
start(void)
{
    int saved = errno;

    prepare();
    if (!inert)
        image_start();
    errno = saved;
}
