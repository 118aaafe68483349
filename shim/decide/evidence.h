/* What the launching session holds, by its own records. */
#ifndef HACCESS_EVIDENCE_H
#define HACCESS_EVIDENCE_H

#include <stdint.h>
#include <sys/types.h>

#include "host.h"
#include "lineage.h"

enum parent_state { PARENT_UNKNOWN, PARENT_SANDBOXED, PARENT_FULL };

/* A session marker, from the launch's environment or an ancestor's. */
struct marker {
    const char *adapter, *name, *value;
    pid_t pid; /* the ancestor's, 0: the launch's environment */
};

/* A record that was read. */
struct record_file {
    const char *path;
    uint64_t inode, size;
    int64_t mtime; /* milliseconds since 1970 */
};

struct parent {
    enum parent_state state;
    const char *detail; /* in plain words, never NULL */
    struct strings adapters;
    struct marker *markers;
    size_t nmarkers;
    struct record_file *records;
    size_t nrecords;
    int64_t ms; /* how long the probe took */
};

/* Probes. Doubt of any kind is PARENT_UNKNOWN or PARENT_SANDBOXED. Source: evidence specification. */
void evidence_probe(const struct host *h, struct mem *m, const struct lineage *l, struct parent *out);

/* "unknown", "sandboxed", "full-access". */
const char *parent_state_word(enum parent_state s);

/* The verdict of one record, for evidence_codex.c and evidence_claude.c. */
struct verdict {
    enum parent_state state;
    const char *detail;
};

/* Reads the session's record(s) and adds each file looked at to the parent's records. */
void evidence_codex(const struct host *h, struct mem *m, const char *thread, struct parent *p,
                    struct verdict *out);
void evidence_claude(const struct host *h, struct mem *m, const char *session, struct parent *p,
                     struct verdict *out);

/* Adds every directory that codex, or Claude Code, may keep its sessions in, the likeliest first: what the environment names,
 * and what is in the user's own home. */
void evidence_codex_homes(const struct host *h, struct mem *m, struct strings *out);
void evidence_claude_homes(const struct host *h, struct mem *m, struct strings *out);

#endif
