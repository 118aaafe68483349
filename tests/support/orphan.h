/* Running a program so that no ancestor of it has an environment that a test did not choose. */
#ifndef TESTS_ORPHAN_H
#define TESTS_ORPHAN_H

#include <stdbool.h>

struct outcome {
    int code;  /* as a shell has it; -1: no answer in 30 s */
    char *out; /* standard output and error, NUL-terminated; outcome_free */
    char *err;
};

/* Runs argv (argv[0] a path) in dir with the environment envp and nothing on standard input, as the child of a shell with
 * the same environment whose parent is init. no_new_privs: set before. */
struct outcome orphan_run(const char *dir, char *const argv[], char *const envp[], bool no_new_privs);

void outcome_free(struct outcome *o);

#endif
