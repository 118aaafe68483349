/* What a record does not tell: prompts and secrets, wherever in a command line they were put. */
#ifndef HACCESS_PRIVATE_H
#define HACCESS_PRIVATE_H

#include <cjson/cJSON.h>

#include "launch.h"

/* Whether a value can be a model, an effort, a mode or a path: one word without blanks and braces. What cannot, as a
 * prompt behind --model, is not written down, whatever the option is. */
bool private_is_word(const char *value);

/* Marks the words of a command line that may be written down as they are; keep has a place for each. everything: the
 * policy's "argv": "full", under which only credentials are left out. */
void private_mark(struct mem *m, const struct adapter *a, const struct command *c, bool everything,
                  bool *keep);

/* Replaces what may not be told in an agent's record: in the values of the request, and where a sentence quotes one. keep
 * belongs to l->argv; NULL: no word of it is to be told. */
void private_hide(struct mem *m, const struct launch *l, const bool *keep, cJSON *record);

/* {"bytes":N,"sha256":"..."} of a word: the caller's. */
cJSON *private_digest(const char *word);

#endif
