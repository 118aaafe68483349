/* The host policy: .haccess/policy.json of the project, the host's consent to it, and the ceiling in /etc. */
#ifndef HACCESS_POLICY_H
#define HACCESS_POLICY_H

#include <stdbool.h>

#include "../adapters/adapter.h"
#include "host.h"

/* One entry of a floors list. */
struct floor_entry {
    const char *model;
    int min_effort;       /* index on the adapter's scale; -1: the adapter has none */
    const char *provider; /* NULL: not re-pointed only */
};

struct floors {
    const struct adapter *adapter;
    struct floor_entry *entries;
    size_t count;
};

enum policy_state { POLICY_ABSENT, POLICY_DISABLED, POLICY_ENABLED, POLICY_NOT_ALLOWED, POLICY_INVALID };

/* What one file says about grants. */
struct grant_policy {
    enum policy_state state;
    const char *path; /* NULL: no such file */
    char sha256[65];  /* of the file's bytes; empty when it could not be read */
    const char *
        problem; /* POLICY_INVALID: the first problem, with line and column or the key; POLICY_NOT_ALLOWED: why,
                               and the command to run; NULL otherwise. Without the path in front. */
    bool enabled;           /* workerFullAccess.enabled */
    bool loosens;           /* something in it needs consent */
    bool allowed;           /* the host consented to it as it is (always true of the ceiling) */
    const char *allowed_at; /* local time of the consent; NULL */
    const char *
        changed_since; /* not allowed: local time of the consent to what it was before; NULL: there is none */
    struct floors *floors;
    size_t nfloors;
};

/* What holds for one launch: the grants of both files, and of every other value the one that counts (defaults,
 * narrowed by the files, loosened only by an allowed one; a malformed file puts everything at its strictest). */
struct policy {
    const char
        *project; /* directory of the policy file (in a linked worktree that uses its main worktree's: its own
                                   top level); without a policy the git top level of cwd, else cwd; NULL: cwd is unknown */
    const char *git_top; /* git top level of cwd, NULL: none */
    struct grant_policy file, ceiling;
    bool off; /* HACCESS_WORKER_FULL_ACCESS=0 */
    bool observe;
    enum projection write_sandbox; /* lanes.write.sandbox */
    bool write_claude_vendor;      /* lanes.write.claude is "vendor-sandbox" */
    struct strings read_allow, read_deny;
    bool servers_refuse;
    bool in_process_deny;
    bool journal_full;
    struct strings not_vendors; /* absolute paths */
    /* For `haccess policy show`: where each value comes from, as (key, value as JSON, origin) triples. */
    struct policy_origin *origins;
    size_t norigins;
};

struct policy_origin {
    const char *key, *value, *origin;
    /* "mode", "\"enforce\"", "default" | a path | "strictest: … is malformed" */
};

/* Loads what holds in the directory cwd (absolute, NULL when it is unknown: no policy). Never fails: what cannot
 * be read or understood is POLICY_INVALID. */
void policy_load(const struct host *h, struct mem *m, const char *cwd, struct policy *out);

/* The state as explain and the journal name it: absent, disabled, enabled, not-allowed, invalid; the project file's. */
const char *policy_state_word(enum policy_state s);

/* Returns the path of the project's policy file for cwd, or NULL when there is none; *project as in struct policy. */
const char *policy_find(const struct host *h, struct mem *m, const char *cwd, const char **project);

/* Records the host's consent to the file at path as it is now; whether it is well-formed is not asked. Returns 0, or an
 * errno with *what naming the path that failed: EPERM for a policy file that cannot be read or trusted (policy_load says
 * why), or for a store that others can write to. */
int policy_allow(const struct host *h, struct mem *m, const char *path, const char **what);

/* What the file at path said, value by value, when the host last consented to it (origin: when that was), whatever it says now.
 * Returns the local time of that consent, NULL when there is none; *count is 0 where the consent is older than this record. */
const char *policy_last_allowed(const struct host *h, struct mem *m, const char *path,
                                struct policy_origin **values, size_t *count);

/* What the file at path says now, in the same form (origin: NULL). Returns false when it is malformed. */
bool policy_says(const struct host *h, struct mem *m, const char *path, struct policy_origin **values,
                 size_t *count);

/* Withdraws it. Returns 0, ENOENT when there was none, or another errno. */
int policy_deny(const struct host *h, struct mem *m, const char *path, const char **what);

/* The commented default file that `haccess policy init` writes. */
extern const char policy_default_text[];

#endif
