/* Text for people and for programs. What comes from outside goes through one of these. */
#ifndef HACCESS_TOOLS_TEXT_H
#define HACCESS_TOOLS_TEXT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "../shim/mem.h"

/* Returns s with everything that a terminal would act on in the form of vis(3). In the region. */
const char *text_show(struct mem *m, const char *s);

/* The same as one word of a command line: quoted as a shell would need it, and a long one cut, its length told. */
const char *text_word(struct mem *m, const char *s);

/* text_show of a path, with the home directory written ~. home may be NULL. */
const char *text_path(struct mem *m, const char *path, const char *home);

/* Prints text (shown already) and a newline on standard output, where column is the one that the cursor is in. On a terminal it
 * is broken between words to fit, and goes on in that column. */
void text_print(const char *text, size_t column);

/* Whether the locale can show characters beyond ASCII. */
bool text_unicode(void);

/* Escape sequences, or empty strings. */
struct paint {
    const char *bold, *dim, *red, *green, *yellow, *magenta, *off;
};

/* Colour only on a terminal, and never with NO_COLOR. */
const struct paint *paint_for(FILE *f);

/* Returns a JSON string of s (null for NULL). JSON has no room for what is not UTF-8: each such byte becomes U+FFFD. */
cJSON *text_json(struct mem *m, const char *s);

/* Prints the tree on one line and deletes it. */
void text_print_json(cJSON *tree);

#endif
