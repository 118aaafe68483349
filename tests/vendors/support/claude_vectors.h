/* Random command lines of Claude Code, with the settings files that lie around them: from the real grammar and around it. */
#ifndef VENDORS_CLAUDE_VECTORS_H
#define VENDORS_CLAUDE_VECTORS_H

#include "chance.h"

/* The file that a value of --settings may name, in the working directory. */
#define CLAUDE_SETTINGS_NAME "mine.json"

/* A launch. The texts belong to it; NULL: there is no such file. */
struct claude_vector {
    struct vector argv; /* argv[0] is "claude" */
    char *user, *project, *local, *named;
};

/* Makes one. With `runs`, one that the real CLI can be given: it prints its first event as JSON, and nothing in it
 * hands the session to another process or waits for one. */
void claude_vector_make(struct chance *c, bool runs, struct claude_vector *v);
void claude_vector_free(struct claude_vector *v);

#endif
