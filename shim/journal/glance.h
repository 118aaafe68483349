/* What a record says of itself, found in one pass over its line: no tree is built, and nothing is allocated. Most lines of a
 * journal are only asked whether they are wanted. */
#ifndef HACCESS_GLANCE_H
#define HACCESS_GLANCE_H

#include <stdbool.h>

#include "line.h"

/* The strings point into text, are decoded and terminated. NULL: no such member, or none that is a string. As in the tree,
 * the first member of a name counts. */
struct glance {
    const char *event, *ts, *id, *adapter, *class, *cwd, *projection, *enforcement, *parent_launch,
        *continues;
    const char *model, *effort, *asked;   /* of request */
    const char *reason, *detail, *remedy; /* of access */
    const char *code;                     /* of refusal */
    bool observed, spooled;               /* it is there, and true */
    char text[RECORD_MAX + 64];
};

/* Returns whether the line certainly is a record as line_record reads it, and has what *out says. False says nothing: it
 * may be none, or one that is written in a way which only the tree reads (escapes in what is asked for, blanks). */
bool glance(const struct line *l, struct glance *out);

#endif
