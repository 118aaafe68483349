/* A directory with a copy of the preload library, a stand-in helper beside it, stand-in CLIs and ordinary programs; and
 * what a process prints that runs there. */
#ifndef HACCESS_STAND_H
#define HACCESS_STAND_H

#include <stdbool.h>
#include <stddef.h>

extern char stand_dir
    [64]; /* lib/libhaccess.so, lib/haccess-exec, bin/codex (static), bin/plain and so on; absolute */

/* Check fixtures: make the directory, remove it. */
void stand_open(void);
void stand_close(void);

/* Returns dir/path, in one of several static buffers. */
const char *stand_path(const char *path);

/* Copies a file of the build (path below build/) to a path in the stand, executable. */
void stand_copy(const char *built, const char *path);

/* Writes a file there, with that mode. */
void stand_write(const char *path, const char *text, unsigned mode);

/* A token that the process gets in its environment: of itself. */
struct stand_token {
    const char *variable; /* ENV_LAUNCH or ENV_PASSED; NULL: none */
    const char *adapter;
    const char *const *args; /* that its hash is over, NULL-terminated */
    long start;              /* added to the start time */
    long pid;                /* added to the pid */
    const char *file;        /* that ENV_PASSED speaks of */
};

struct stand_run {
    const char *file;        /* NULL: argv[0] */
    const char *const *argv; /* NULL-terminated */
    const char *const *
        env; /* NULL-terminated or NULL; added to PATH and LD_PRELOAD, or in place of them; "NAME" alone removes one */
    struct stand_token token;
    const char *cwd; /* NULL: the stand */
    bool large;      /* raise the limit of arguments */
    bool keep_fd;    /* leave descriptor 3 open */
};

/* Runs a process to its end. Returns its output (both streams) followed by "exit N\n", to be freed by the caller. */
char *stand_output(const struct stand_run *r);

/* Returns the text without the lines that begin with one of these words (NULL-terminated), changed in place. */
char *stand_without(char *text, const char *const *words);

/* Returns the number behind "WORD " at the beginning of a line, -1 when there is none. */
long stand_number(const char *text, const char *word);

/* Returns whether a line is in the text. */
bool stand_line(const char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns whether a program is on the PATH of the tests. */
bool stand_has(const char *program);

#endif
