/* JSON with comments, as people write policies and settings: strict, and with an answer to "where is it wrong". */
#ifndef HACCESS_JSONC_H
#define HACCESS_JSONC_H

#include <cjson/cJSON.h>

#include "../mem.h"

/* Reads JSON with // and slash-star comments: no trailing commas, no duplicate keys, no NUL (raw or \u0000), valid UTF-8,
 * nothing after the value. text has a NUL after its length bytes; it is not changed. Returns a tree, the caller's to
 * delete; or NULL with *problem set: "line 3, column 7: why", or "the.key: why". */
cJSON *jsonc_parse(struct mem *m, const char *text, size_t length, const char **problem);

/* The same for JSON without comments. */
cJSON *json_parse(struct mem *m, const char *text, size_t length, const char **problem);

/* The path of a member for people: "key", "parent.key", a long key cut. parent may be empty. */
const char *json_path(struct mem *m, const char *parent, const char *key);

#endif
