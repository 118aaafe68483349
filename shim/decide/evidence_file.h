/* One session record file, judged from its end. */
#ifndef HACCESS_EVIDENCE_FILE_H
#define HACCESS_EVIDENCE_FILE_H

#include "evidence.h"
#include "json.h"

struct record_kind {
    const char *word; /* bytes that every line with the record has */
    const char *name; /* for people */

    /* Judges a line that has the word and is valid JSON. Returns false when it is no such record. */
    bool (*judge)(struct mem *m, struct json_span line, struct verdict *out);
};

/* Judges the file name in the directory that is open as dir; directory is its path. Returns false when there is no such
 * file; otherwise *out is set, and the file is added to p's records when it could be looked at. */
bool evidence_file(const struct host *h, struct mem *m, int dir, const char *directory, const char *name,
                   const struct record_kind *kind, struct parent *p, struct verdict *out);

/* Adds a verdict: the strictest counts, sandboxed before unknown before full access. all has a NULL detail at first. */
void verdict_add(struct verdict *all, const struct verdict *v);

/* A string value of a record, for a message: its beginning. */
const char *record_word(struct mem *m, struct json_span value);

#endif
