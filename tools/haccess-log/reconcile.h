/* What a worker was granted, beside what its CLI's own record says that it ran with. */
#ifndef HACCESS_RECONCILE_H
#define HACCESS_RECONCILE_H

#include "../../shim/decide/host.h"
#include "view.h"

/* A session's record: codex's rollout, Claude Code's transcript. */
struct session {
    const char *adapter, *path;
    dev_t dev;
    ino_t ino;
    const char *id;
    const char *cwd;        /* NULL: it does not say */
    int64_t created;        /* milliseconds since 1970 */
    struct strings prompts; /* what the user said first */
    bool prompts_read;

    /* Of the matching. */
    size_t claims;           /* how many launches it may be of */
    struct worker **workers; /* these */
    size_t named;            /* how many launches say its prompt, and no other's */
    bool taken;              /* a launch names its id, and began it */
    bool grouped;
    int rank; /* in its group; -1: unknown */
};

struct sessions {
    struct session *items;
    size_t count, room;
};

/* Finds the records of this user that were written to at or after a time: below $CODEX_HOME, ~/.codex, $CLAUDE_CONFIG_DIR
 * and ~/.claude. Only regular files of the user's own count; the rest is passed over. */
void sessions_find(const struct host *h, struct mem *m, int64_t from, struct sessions *out);

/* Fills in the prompts of a session. */
void session_prompts(const struct host *h, struct mem *m, struct session *s);

/* How long an id is that a command line can name, and the longest option in front of it in the same word. */
#define UUID_LENGTH   36
#define OPTION_LENGTH 13

/* Opens a record for reading as the rules for evidence have it: no link, a regular file, the user's own. Returns the
 * descriptor, or -1. */
int session_open(const struct host *h, const char *path);

/* Ranks are less than this. */
#define RANKS 5

/* How much an adapter's access permits, as ranks: wider is larger. */
struct grant {
    int low, high;    /* ranks that agree with it */
    const char *word; /* "workspace-write" */
    const char *mode; /* the CLI's own word for it, where the rendering named one; else NULL */
};

/* What a record says of a time. */
struct ran {
    bool found;
    int rank;            /* the widest */
    const char *word;    /* as the CLI names it */
    const char *problem; /* what cannot be read of it, NULL: nothing; then the rest is unsaid */
};

/* Fills out from what the launch was granted; of one that was only observed, from what it asked. */
void grant_of(struct mem *m, const struct view *v, struct grant *out);

/* Reads what the session ran with from a time on, up to another. */
void session_ran(const struct host *h, struct mem *m, const struct session *s, int64_t from, int64_t to,
                 struct ran *out);

/* An argument, of which the journal may have kept no more than this. */
struct said {
    const char *sha256;
    size_t bytes;
};

enum result { RESULT_AGREED, RESULT_WIDER, RESULT_NARROWER, RESULT_UNCLEAR, RESULT_NONE };

/* A launch, and what was found out. */
struct worker {
    const char *run, *id, *adapter, *cwd;
    int64_t ts;
    bool asked; /* the view is of it; else it only may be what a session belongs to */
    bool interactive, resumes, forks;
    struct strings ids;   /* SHA-256 of each argument that may hold an id */
    struct said *prompts; /* each that may be the prompt */
    size_t nprompts;
    struct grant grant;
    const char *beyond;        /* why no record is looked for, NULL: one is */
    struct session **sessions; /* that may be its */
    size_t nsessions, room;
    const char *by; /* how it was found: "session id", "prompt", "time and directory" */
    struct ran ran; /* when one is its own */
    enum result result;
    const char *detail; /* NULL when there is nothing to say */
    bool done;
};

/* Finds each worker's record among the sessions, and compares. */
void workers_reconcile(const struct host *h, struct mem *m, struct worker *w, size_t n, struct sessions *s);

#endif
