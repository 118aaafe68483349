/* A place with a journal, written through the library, and haccess-log on it. */
#ifndef TESTS_JOURNAL_PLACE_H
#define TESTS_JOURNAL_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/mem.h"
#include "tests/support/orphan.h"

struct journal_place {
    char *top;     /* canonical; below it state (the state directory), tmp (with the spool), home */
    struct mem *m; /* for what a test needs */
    struct strings
        env; /* of what is run: haccess-log on PATH, SPOOL (relative to top), TZ=UTC; a test may add to it */
    struct outcome last; /* of the last command */
    int64_t now;         /* when what is appended happens, milliseconds since 1970 */
};

/* Makes the place; a user's own spools are out of sight. Fails the test when it cannot. */
void journal_place_open(struct journal_place *p);
void journal_place_close(struct journal_place *p);

/* Runs a shell command in top; returns the exit code that it ends with, and sets last. */
int journal_place_run(struct journal_place *p, const char *command);

/* Appends a record to a run, in the state directory or in the spool. fields: a JSON object. */
void journal_place_append(struct journal_place *p, const char *run_id, bool spool, const char *event,
                          const char *fields);

#endif
