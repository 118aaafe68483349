/* What was done to a journal since it was written, as far as the lines of one file tell it. */
#ifndef HACCESS_CHAIN_H
#define HACCESS_CHAIN_H

#include "log.h"

/* More than this are only counted. */
#define FINDINGS_MAX 20

struct finding {
    const char
        *kind; /* "changed", "missing", "added", "doubled", "reordered", "torn", "unreadable"; for programs */
    const char *what; /* for people */
    int64_t line;     /* from 1; 0: it is of the whole file */
    int64_t seq;      /* that belongs to the line */
    off_t byte;
};

/* The findings of one file, in the region. */
struct findings {
    struct mem *mem;
    struct finding items[FINDINGS_MAX];
    size_t count; /* of all that were found */
};

/* Adds one, and returns it, to be changed when more is known; NULL: there are too many. what is in the region. line 0: it
 * is of the whole file. */
struct finding *finding_add(struct findings *f, const char *kind, const char *what, int64_t line, int64_t seq,
                            off_t byte);

struct chain;

/* Begins with the first line of a file of the run. In the region of the findings. */
struct chain *chain_new(struct findings *f, const char *run);

/* Takes the next line: every one, with its hash (run_open with chain). */
void chain_line(struct chain *c, const struct entry *e);

#endif
