/* From the exec of a vendor CLI to the exec of the helper: same arguments, one more environment entry. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload.h"

#define HANDOFF_EXTRA 32 /* what handoff_format adds to the file and the PATH */

static struct iovec
piece(const char *s)
{
    return (struct iovec){(char *)(uintptr_t)s, strlen(s)};
}

void
complain(const char *helper, const char *file)
{
    const struct iovec line[] = {piece("haccess: "), piece(file), piece(": not launched, since "),
                                 piece(helper != NULL ? helper : "haccess-exec"),
                                 piece(" cannot be executed; see `haccess doctor`\n")};

    syscall(SYS_writev, STDERR_FILENO, line, sizeof(line) / sizeof(line[0]));
}

/* Returns the error of the hop; it does not return at all when an exec succeeds. */
static int
hop(const struct call *c, const char *helper, const char *file, char *const envp[])
{
    int error = EACCES;

    if (helper != NULL) {
        if (c->spawn != NULL) {
            error = c->spawn_path(c->pid, helper, c->actions, c->attributes, c->argv, envp);
        } else {
            next.execve(helper, c->argv, envp);
            error = errno;
        }
        /* What the caller can do something about, or what its own file actions and attributes brought about. */
        if (error == 0 || error == E2BIG || error == ENOMEM || error == EAGAIN ||
            (c->spawn != NULL && executable(AT_FDCWD, helper, 0)))
            return error;
    }
    complain(helper, file);
    return EACCES;
}

/* Sets *result to what the hook returns for an error number. */
static void
fail(const struct call *c, int error, int saved, int *result)
{
    *result = c->spawn != NULL ? error : -1;
    errno = c->spawn != NULL ? saved : error;
}

/* The space is laid out as the environment, then the helper's path, the file's path, and the entry. */
static bool
divert_in(const struct call *c, const struct match *given, const struct kept *k, char *space, size_t size,
          int *error)
{
    char *helper = space + keep_room(k), *text = helper + self_room(), *entry = text + target_room(c);
    struct match match = *given;
    struct handoff h;

    if (!target_find(c, text, target_room(c), &h))
        return false;
    if (match.kind == MATCH_NONE)
        match_exec(h.file, c->argv, &match);
    if (match.kind != MATCH_LAUNCH || decided(match.adapter, match.script != NULL ? match.script : h.file,
                                              c->argv + match.first, c->envp, c->spawn != NULL))
        return false;
    handoff_format(&h, entry, size - (size_t)(entry - space));
    *error = hop(c, self_helper(helper), h.file, keep_build(k, c->envp, entry, space));
    return true;
}

/* Not inlined: the array must not be in the frame of every hook. */
__attribute__((noinline)) bool
divert(const struct call *c, const struct match *match, int *result)
{
    void *stack[STACK_SPACE / sizeof(void *)], *space = stack;
    int saved = errno, error = 0;
    struct kept k;
    bool diverted;
    size_t need;

    keep_missing(c->envp, &k);
    if (k.off)
        return false;
    need = keep_room(&k) + self_room() + 2 * target_room(c) + strlen(c->file) + HANDOFF_EXTRA;
    if (need > sizeof(stack) && (space = space_take(need)) == NULL) {
        fail(c, ENOMEM, saved, result);
        return true;
    }
    diverted = divert_in(c, match, &k, space, need, &error);
    if (space != stack)
        space_give(space, need);
    errno = saved;
    if (diverted)
        fail(c, error, saved, result);
    return diverted;
}
