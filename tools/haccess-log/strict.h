/* Whether a line is JSON to every reader. */
#ifndef HACCESS_STRICT_H
#define HACCESS_STRICT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether text is one JSON value by RFC 8259 with no blanks but spaces. cJSON takes more: 01, 1., tabs and
 * returns. A control character within a string is let pass: put_json escapes it. */
bool strict_json(const char *text, size_t n);

#endif
