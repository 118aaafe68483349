/* What the differential tests share: a seeded source of chance, argument vectors, programs run to their end with their
 * output, and many trials side by side, each in a process without ancestors whose environment a test did not choose.
 *
 * A differential test makes its vectors from `chance` alone, so that seed and number of a trial give the same vector again:
 *     HACCESS_SEED=7                  another seed (a number, or "fresh": one from the clock); printed at the start
 *     HACCESS_TRIALS=1000             another number of trials
 *     HACCESS_TRIAL=41                only trial 41, to replay a failure
 */
#ifndef VENDORS_DIFFER_H
#define VENDORS_DIFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "chance.h"

/* What a program did. The texts belong to the caller, and are ended by NUL; what they hold is whatever it wrote. */
struct answer {
    int status; /* exit status as the shell tells it; -1: it took too long and was ended */
    char *out, *err;
};

/* Runs argv (argv[0] a path) in a directory, with the environment given, nothing on standard input, and a process group of
 * its own, all of which is ended at the latest after so many seconds. */
void differ_run(const char *directory, char *const argv[], char *const envp[], int seconds, struct answer *a);
void answer_free(struct answer *a);

/* One run of trials. */
struct differ {
    const char *name; /* of the test program, for the line that replays */
    size_t trials;    /* how many, unless the environment says otherwise */
    unsigned workers; /* processes that work side by side */
    int seconds;      /* for all of them together */
    /* Does trial number `trial`, and writes to report what is wrong, which makes it a failure; nothing: it is right. Runs in a
     * process whose parent is init. worker: 0 .. workers - 1. */
    void (*trial)(size_t trial, unsigned worker, struct chance *c, FILE *report, void *context);
    void *context;
};

/* Runs the trials and prints the seed, how long they took, and for each failure its report and the line that replays it.
 * Returns how many failed. A worker that dies, or that does not finish in time, counts as a failure. */
size_t differ(const struct differ *d);

#endif
