/* Between the parts that read policies: what one file says, and what is known of each key. */
#ifndef HACCESS_POLICY_FILE_H
#define HACCESS_POLICY_FILE_H

#include "policy.h"

enum policy_key {
    KEY_MODE,
    KEY_ENABLED,
    KEY_FLOORS,
    KEY_WRITE_SANDBOX,
    KEY_WRITE_CLAUDE,
    KEY_READ_ALLOW,
    KEY_READ_DENY,
    KEY_WORKERS,
    KEY_IN_PROCESS,
    KEY_SERVERS,
    KEY_NOT_VENDORS,
    KEY_JOURNAL_ARGV,
    POLICY_KEYS,
};

/* How two values of a key compare. */
enum policy_kind {
    KIND_CHOICE, /* one of two words */
    KIND_FEWER,  /* a list: the stricter, the fewer entries */
    KIND_MORE,   /* a list: the stricter, the more entries */
    KIND_GRANT,  /* belongs to the grant, or to workers */
};

/* The words of a choice: the index is what struct policy_values holds. */
enum { STRICT, LENIENT };

struct policy_key_spec {
    const char *path; /* "workflow.lanes.write.sandbox" */
    enum policy_kind kind;
    const char *words[2];           /* KIND_CHOICE: by STRICT and LENIENT */
    int normal;                     /* KIND_CHOICE: the default */
    const char *const *normal_list; /* lists: the default, NULL-terminated */
};

extern const struct policy_key_spec policy_keys[POLICY_KEYS];

/* What a file says, or what holds. */
struct policy_values {
    bool given[POLICY_KEYS];
    int choice[POLICY_KEYS];
    struct strings list[POLICY_KEYS];
    bool workers;             /* somebody may start workers */
    const char *workers_json; /* as text, for people */
    const char *floors_json;
};

/* Fills in the defaults. */
void policy_defaults(struct mem *m, struct policy_values *v);

/* Reads the text of a policy (NUL-terminated) into v, which holds the defaults, and into g's enabled and floors. Returns
 * NULL, or the first problem. Source: policy specification. */
const char *policy_parse(struct mem *m, const char *text, size_t length, struct policy_values *v,
                         struct grant_policy *g);

/* Returns a value as JSON, for people; NULL for KEY_ENABLED, which is struct grant_policy's. */
const char *policy_value_text(struct mem *m, const struct policy_values *v, enum policy_key key);

/* Where the policy for cwd is, and what it is the policy of. */
struct policy_place {
    const char *path;    /* of the policy file; NULL: there is none */
    const char *project; /* see struct policy */
    const char *git_top;
};

void policy_search(const struct host *h, struct mem *m, const char *cwd, struct policy_place *out);

/* Returns the top level of the git work tree that dir (canonical) is in, NULL: none. */
const char *git_top_level(struct mem *m, const char *dir);

/* Returns the main worktree of the linked worktree whose top level is top; NULL when it is no linked worktree, or when
 * the repository does not know it. */
const char *git_main_worktree(struct mem *m, const char *top);

/* Reads the policy file at path, from a directory and a file that only root or uid can change, neither of them a link.
 * Returns NULL with *text, *length and hash (65 bytes) set, or what is wrong, with the command that puts it right. */
const char *policy_read(struct mem *m, const char *path, uid_t uid, char **text, size_t *length, char *hash);

/* Whether the host consented to the file at path with this hash. *at is the local time of a consent, NULL when there was
 * none; a consent to another content sets it as well. */
bool consent_given(const struct host *h, struct mem *m, const char *path, const char *hash, const char **at);

/* Returns s, in single quotes where a shell would need them. */
const char *shell_quoted(struct mem *m, const char *s);

#endif
