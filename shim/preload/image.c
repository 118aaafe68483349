/* The constructor's question: is this process image a launch that nobody decided? It is asked of what a shell without
 * the preload executed, and of what a launcher executed by raw system calls. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

/* The kernel's block: argc, argv, NULL, envp, NULL, auxv, then the strings. No stack is so large that it is farther than this. */
#define BLOCK_MAX ((uintptr_t)1 << 28)

/* Where glibc found the block. */
extern void *__libc_stack_end __attribute__((weak));

/* Whether what lies behind envp is the vector that getauxval reads. */
static bool
auxv_follows(char *const envp[])
{
    uintptr_t random = getauxval(AT_RANDOM);
    const uintptr_t *aux;

    if (random == 0 || (uintptr_t)envp >= random || random - (uintptr_t)envp > BLOCK_MAX)
        return false;
    while (*envp != NULL)
        envp++;
    for (aux = (const uintptr_t *)(envp + 1); aux[0] != AT_NULL; aux += 2)
        if (aux[0] == AT_RANDOM)
            return aux[1] == random;
    return false;
}

/* musl gives a constructor no argv. In front of the environment is argv, and in front of argv its length: the
 * only word there that says how far away it is. */
static char **
image_argv(void)
{
    char **envp = environ;
    uintptr_t n = 0;

    if (envp != NULL && (uintptr_t)envp % sizeof(*envp) == 0 && auxv_follows(envp) && envp[-1] == NULL) {
        while ((uintptr_t)envp[-2 - (ptrdiff_t)n] != n)
            n++;
        return envp - 1 - n;
    }
    /* An earlier constructor has set a variable, and the environment is elsewhere. */
    if (&__libc_stack_end != NULL) {
        n = *(const uintptr_t *)__libc_stack_end;
        envp = (char **)__libc_stack_end + 1 + n + 1;
        if (n < BLOCK_MAX / sizeof(*envp) && envp[-1] == NULL && auxv_follows(envp))
            return envp - 1 - n;
    }
    return NULL;
}

/* Matches the image, reading what must be read. file is changed to a name that can be executed again; link has
 * PATH_MAX bytes. */
static void
image_match(const char **file, char **argv, char *link, struct match *m)
{
    const char *wanted = match_link(*file, argv);
    bool open = match_open_file(*file);

    match_exec(*file, argv, m);
    if (wanted == NULL ||
        (!link_read(wanted, link, PATH_MAX) && (!open || !link_read("/proc/self/exe", link, PATH_MAX))))
        return;
    match_image(*file, link, argv, m);
    /* A link to a link, as Debian's alternatives are. A script's image is its interpreter's. */
    if (m->kind == MATCH_NONE && wanted == *file && !open && link_read("/proc/self/exe", link, PATH_MAX))
        match_image(*file, link, argv, m);
    if (!open)
        return;
    if (m->kind == MATCH_NONE)
        match_exec(link, argv, m);
    /* The kernel named the script by a descriptor. */
    if (m->kind == MATCH_LAUNCH && m->script != NULL && strcmp(m->script, *file) == 0)
        m->script = argv[m->first - 1] = link;
    *file = link;
}

void
image_start(void)
{
    const char *file = (const char *)getauxval(AT_EXECFN);
    char **argv = image_argv(), link[PATH_MAX];
    struct match m;
    struct call c;
    int result;

    if (file == NULL || argv == NULL)
        return;
    image_match(&file, argv, link, &m);
    if (m.kind != MATCH_LAUNCH)
        return;
    /* What the kernel put before a script comes back when the script is executed. */
    if (m.script != NULL && strcmp(m.script, file) == 0) {
        argv += m.first - 1;
        m.first = 1;
    }
    c = (struct call){.file = file, .argv = argv, .envp = environ, .fd = AT_FDCWD};
    if (!divert(&c, &m, &result))
        return;
    /* There is no caller to return an error to. EACCES was reported. */
    if (errno != EACCES)
        complain(NULL, file);
    syscall(SYS_exit_group, 126);
}
