/* The processes above a launch. Used for markers that a launcher scrubbed, for the run a launch belongs to, and
 * for the launch it runs under. */
#ifndef HACCESS_LINEAGE_H
#define HACCESS_LINEAGE_H

#include <stdbool.h>

#include "host.h"

struct ancestor {
    pid_t pid, parent, session;
    int tty;                  /* tty_nr of its stat line, 0: no controlling terminal */
    unsigned long long start; /* clock ticks since boot */
    uid_t uid;
    char **envp; /* of its environment what lineage_keeps; NULL: cannot be read */
    char **argv; /* its command line (at most its first 16 KiB), NULL: cannot be read */
};

struct lineage {
    struct ancestor self;   /* the launch's own process */
    struct ancestor *items; /* its parent first, up to pid 1 or the first that cannot be read at all */
    size_t count;
};

/* Whether an environment entry (or the beginning of one, with its name) is kept in struct ancestor: session markers,
 * CODEX_SANDBOX*, SANDBOX_RUNTIME, LD_PRELOAD, HACCESS_*. Environments can be megabytes, and nothing else is asked of them. */
bool lineage_keeps(const char *entry);

/* Reads the lineage of h->pid from h->proc. A process that vanishes ends it. */
void lineage_read(const struct host *h, struct mem *m, struct lineage *out);

/* The run a launch belongs to. */
struct run {
    const char *id;  /* matches [A-Za-z0-9][A-Za-z0-9._-]{0,199} */
    pid_t pid;       /* of the run's first process */
    const char *cwd; /* its working directory, NULL: unknown */
    char **argv;     /* its command line, NULL: unknown */
};

/* HACCESS_RUN_ID when it is well-formed; otherwise derived from the outermost ancestor of the same uid whose environment
 * preloads haccess, within the session; the launch's own process when there is none. A session leader that is an interactive
 * shell does not count. Source: journal specification. */
void run_find(const struct host *h, struct mem *m, const struct lineage *l, struct run *out);

/* The entry of LD_PRELOAD that names the library, by its place in envp; NULL: none. ld.so separates the entries by blanks and
 * colons (ld.so(8)). */
const char *preload_entry(char *const envp[], size_t *length);

/* Whether an ancestor of the same uid has a variable at this value; with launched, one that a decided launch was passed
 * (it has ENV_LAUNCH, too). */
bool lineage_says(const struct host *h, const struct lineage *l, const char *name, const char *value,
                  bool launched);

/* The token (ENV_LAUNCH) of the launch's environment, else of the nearest ancestor that has one; NULL: none. */
const char *lineage_launch(const struct host *h, const struct lineage *l);

#endif
