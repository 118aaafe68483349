/* Inside libhaccess.so. Everything here may run in a vfork child, in a thread with a 16 KiB stack, or in a process whose
 * other threads hold any lock: strings, the stack, and syscall(2); no allocation, no stdio, no lock. What is
 * called for a program that is no vendor CLI makes no system call and leaves errno alone. Source: design, section 3. */
#ifndef HACCESS_PRELOAD_H
#define HACCESS_PRELOAD_H

#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../names/names.h"

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
                     char *const[], char *const[]);

/* The functions that we stand before, of the next library in line. */
struct next {
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execv)(const char *, char *const[]);
    int (*execvp)(const char *, char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    int (*execveat)(int, const char *, char *const[], char *const[], int); /* NULL: not in this libc */
    spawn_fn *posix_spawn, *posix_spawnp;
    spawn_fn *pidfd_spawn, *pidfd_spawnp; /* NULL: not in this libc */
};
extern struct next next;

/* An exec as a hook received it. */
struct call {
    const char *file; /* relative to fd unless that is AT_FDCWD; "" means fd itself */
    char *const *argv;
    char *const *envp;
    int fd;
    int flags;   /* of execveat */
    bool search; /* file without a slash is searched for in the caller's PATH */
    bool shell;  /* a file that the kernel cannot execute is run by /bin/sh */
    pid_t *pid;  /* the rest for posix_spawn and its relatives */
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
    spawn_fn *spawn;      /* the function called, NULL: an exec */
    spawn_fn *spawn_path; /* the one of the pair that takes a path */
    int (*real)(const struct call *c,
                char *const envp[]); /* what would have happened, with envp for c->envp */
};

/* Resolves next and copies what is kept alive, unless that was done. Called by the constructor; by a hook when an
 * earlier constructor executes something. */
void prepare(void);

/* Set by prepare under AT_SECURE: the library does nothing. */
extern bool inert;

/* Returns whether this is glibc: its execvp runs scripts without a first line, and its default PATH is another. */
bool libc_is_glibc(void);

/* --- target.c */

/* Whether c executes an open file, which has no name to go by but argv[0]. */
bool target_open(const struct call *c);

/* Finds out what c would execute: h->file (in c or in text), and h->path when only the new process can search for it. Returns
 * false when there is nothing that could be executed; the real function will say why. */
bool target_find(const struct call *c, char *text, size_t size, struct handoff *h);

/* Returns how many bytes of text target_find needs. */
size_t target_room(const struct call *c);

/* Returns whether path is a regular file that the process may execute. */
bool executable(int fd, const char *path, int flags);

/* Reads the link at path into out (size bytes, NUL-terminated). Returns false when it is none, or too long. */
bool link_read(const char *path, char *out, size_t size);

/* --- keep.c: variables that stay alive in the processes below. */

/* Copies what this process was started with. */
void keep_start(char *const envp[]);

struct kept {
    size_t count;        /* entries of envp */
    const char *preload; /* its LD_PRELOAD entry, NULL: none */
    bool off;         /* which is present and empty: how a user switches us off, for the program and below */
    bool append;      /* which lacks our own, or is not there */
    unsigned missing; /* kept variables that it lacks, as bits */
};

/* Says what is missing in envp (which may be NULL). Returns false when nothing is. */
bool keep_missing(char *const envp[], struct kept *k);

/* Returns how many bytes keep_build needs. */
size_t keep_room(const struct kept *k);

/* Builds, at space, a copy of envp with what is missing, and with entry when it is not NULL (in place of any of the same
 * name). space is aligned for pointers. */
char **keep_build(const struct kept *k, char *const envp[], const char *entry, void *space);

/* --- space.c: memory for what is too large for a small stack. */

#define STACK_SPACE 4096

/* Returns size bytes of memory, NULL when there is none. A vfork child that succeeds in its exec cannot give it
 * back, and its parent shares it: therefore a thread always gets the same piece. */
void *space_take(size_t size);

/* Gives it back. */
void space_give(void *space, size_t size);

/* --- self.c */

/* Remembers where the library was loaded from, when the loader knows its absolute path. No system call. */
void self_start(void);

/* Returns how many bytes of text self_helper needs. */
size_t self_room(void);

/* Returns the absolute path of haccess-exec, in text where the memory map must be asked; NULL when it cannot be told. */
const char *self_helper(char *text);

/* --- divert.c */

/* Diverts c, which match says is a launch (or MATCH_NONE for an open file under a vendor's name), to the helper. Returns
 * false when c is to go on as it is: there is no such target, the launch was decided, or envp switches us off. Otherwise *result is what the
 * hook returns, and errno is set accordingly. */
bool divert(const struct call *c, const struct match *match, int *result);

/* Prints the one line for a helper (NULL: of unknown place) that cannot be executed in place of file. */
void complain(const char *helper, const char *file);

/* --- decided.c */

/* Returns whether the launch of file (or the script) with args in envp was already decided. spawn: it would be in a child
 * of this process. */
bool decided(const char *adapter, const char *file, char *const args[], char *const envp[], bool spawn);

/* --- image.c */

/* Executes the helper when this process image is a launch that nobody decided. */
void image_start(void);

#endif
