/* Writing the journal: an append-only chain of records per run. Source: journal specification. */
#ifndef HACCESS_JOURNAL_H
#define HACCESS_JOURNAL_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../mem.h"

/* Where journals are and how the clock stands; from the host. */
struct journal_host {
    /* $HACCESS_STATE_DIR, else $XDG_STATE_HOME/haccess, else ~/.local/state/haccess. NULL (no home): the spool only */
    const char *state;
    const char *spool; /* $TMPDIR, else /tmp */
    uid_t uid;
    int64_t now; /* milliseconds since 1970, UTC */
};

/* Fills where from an environment. home may be NULL. */
void journal_host(struct mem *m, char *const envp[], const char *home, uid_t uid, int64_t now,
                  struct journal_host *out);

/* Returns whether s may be the id of a run: [A-Za-z0-9][A-Za-z0-9._-]{0,199}. */
bool run_id_valid(const char *s);

/* A run's journal, open, locked and with its tail read. */
struct journal;

/* Opens the journal of a run, in its place or in the spool, and locks it (at most 2 s, then the spool). Returns NULL with
 * *problem set (path and why) when neither can be written. Where an append fails later (a full disk), opening it again
 * with where->state NULL gives the spool, which is mostly another file system. */
struct journal *journal_open(const struct journal_host *where, struct mem *m, const char *run,
                             const char **problem);

bool journal_empty(const struct journal *j); /* no record yet: run.start belongs first */
bool journal_spooled(const struct journal *j);
const char *journal_path(const struct journal *j);

/* The id for the next launch: "a1", "a2" ..., in the spool "s1" .... Each call gives another. */
const char *journal_next_id(struct journal *j);

/* A key of the run's last worker_access.parent record (its state, adapters, detail and records), as that record's "key" field
 * has it; NULL: none in this file. */
const char *journal_last_parent(struct journal *j);

/* Appends one record: the envelope, then the fields of the object (which it takes over and frees). Fields that are too large are
 * replaced so that a line stays within 16 KiB; bytes that are not UTF-8 become U+FFFD. Returns 0 or an errno; then the record
 * does not count, and what is there of it is a torn line that the next one goes on over. */
int journal_append(struct journal *j, const char *event, cJSON *fields);

/* Makes what was appended durable. Returns 0 or an errno. */
int journal_sync(struct journal *j);

/* Unlocks and closes. */
void journal_close(struct journal *j);

/* Finds the agent.start or agent.refused record of a launch in a run, in the place or the spool. Returns the record (the
 * caller's to delete) or NULL. */
cJSON *journal_find(const struct journal_host *where, struct mem *m, const char *run, const char *id);

#endif
