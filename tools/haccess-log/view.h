/* A launch's record, as the views look at it. Whatever a record lacks is NULL or empty. */
#ifndef HACCESS_VIEW_H
#define HACCESS_VIEW_H

#include "log.h"
#include "screen.h"

/* The strings point into the record and are as they were written: they go through shown() before they are printed. */
struct view {
    const cJSON *record, *access, *request, *refusal;
    const char *id, *adapter, *class, *cwd, *model, *effort;
    const char *asked;      /* request.access */
    const char *projection; /* as decided */
    const char *enforcement;
    const char *reason, *detail, *remedy;
    const char *code; /* of the refusal */
    const char *parent_launch;
    const char *continues; /* the launch that was decided in the same process before */
    bool refused;          /* the CLI was not run */
    bool observed;         /* what is said was only computed: the CLI ran as asked */
    bool spooled;
    bool full;     /* it ran with full access */
    bool narrowed; /* it ran with less than it asked */
};

/* Fills out from a record; where it was only glanced at (run_glances), record, access, request and refusal stay NULL. Returns
 * false when it is no launch (agent.start, agent.refused). Whether it was spooled is
 * known by its file: what is in a spool may have been put there by a sandboxed session, and need not say so. */
bool view_of(const struct entry *e, struct view *out);

/* Prints a record as one line of JSON: as it was written where that is JSON to every reader, else what was read of it. */
void put_record(const struct entry *e);

/* The same, and what cannot be read is told in its place. */
void put_entry(const struct entry *e);

/* Whether an entry that is no launch is for people. */
bool is_other(const struct entry *e);

/* Prints an entry that no column is made for, as it is. */
void put_other(struct mem *m, const struct entry *e, bool utc);

/* Whether the launch is one that the filter asks for. */
bool filter_matches(const struct filter *f, const struct view *v, int64_t ts);

/* Whether any filter is given. */
bool filter_given(const struct filter *f);

/* Short words for a column: "full", "ws", "ro", a dash; what is not known, as it is. */
const char *word_asked(struct mem *m, const struct view *v);
const char *word_got(struct mem *m, const struct view *v);

/* "full -> ws", "- -> FULL", "contradictory". With the colour that goes with it. */
struct cell cell_access(struct mem *m, const struct view *v);

/* The reason, or the refusal, with "(spooled)" and "(observed ...)". */
const char *word_why(struct mem *m, const struct view *v);

/* "claude" for "claude-code"; a dash for none. */
const char *word_adapter(struct mem *m, const struct view *v);

/* The words of a recorded command line. */
struct words {
    char **argv;         /* as written; "" where only a digest was kept */
    const cJSON **items; /* the recorded words */
    size_t argc;
    const cJSON *whole; /* set when only a digest of the whole is there */
    bool *prompt;       /* operands and data: what the CLI reads as its prompt or input */
    const char *name;   /* "codex exec", "claude -p" */
};

/* Reads argv_requested or argv_rendered. */
void words_of(struct mem *m, const struct view *v, const char *field, struct words *out);

/* A recorded word for people: quoted for a shell where it needs it, a digest as "<prompt 212 bytes>". */
const char *word_shown(struct mem *m, const struct words *w, size_t i);

/* "1 launch", "2 launches". */
const char *counted(struct mem *m, size_t n, const char *one, const char *many);

#endif
