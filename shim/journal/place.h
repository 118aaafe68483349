/* The directories that journals are in. Source: journal specification. */
#ifndef HACCESS_PLACE_H
#define HACCESS_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "journal.h"

#define JOURNAL_FILE "journal.jsonl"

/* How often what a prune removes meanwhile is made again, before it is an error. */
#define MADE_AGAIN 200

/* The spool below a directory for temporary files, in the region. */
const char *place_spool(struct mem *m, const char *tmp, uid_t uid);

/* Adds every place that may hold journals of this user: the state directory and the spools, each once. The first is
 * the state directory when there is one. In the region. */
void place_all(struct mem *m, const struct journal_host *where, struct strings *out);

/* A run's directory, open. */
struct place {
    int runs; /* directory of all runs */
    int run;
};

/* Opens <root>/runs/<run>, creating what is missing, mode 0700. No link is followed at or below runs (for a spool: at
 * or below root), and each directory there belongs to uid and is writable by nobody else (a spool: closed to
 * everybody else). Returns 0; otherwise -1 with *problem set (in the region). */
int place_create(struct mem *m, const char *root, bool spool, uid_t uid, const char *run, struct place *out,
                 const char **problem);

/* The same without creating anything: opens the directory of all runs below root. Returns the descriptor, or -1 with
 * errno (EPERM: a spool that is not this user's own). */
int place_runs(const char *root, bool spool, uid_t uid);

/* Opens <runs>/<run>/journal.jsonl for reading: a regular file, no link. Returns the descriptor, or -1 with errno. */
int place_read(int runs, const char *run);

void place_close(struct place *p);

#endif
