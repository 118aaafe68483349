/* Strict JSON (RFC 8259), without a tree: what is read here may be forged, torn, or a megabyte long. cJSON lets control
 * characters, invalid UTF-8, odd numbers and words after the end pass. */
#ifndef HACCESS_JSON_H
#define HACCESS_JSON_H

#include <stdbool.h>
#include <stddef.h>

struct json_error {
    size_t offset;   /* of the byte where it went wrong; the length of the text when it just ends */
    const char *why; /* static */
};

/* Returns whether the n bytes are one JSON value, and nothing else but blanks around it. An escaped or raw NUL, and more
 * than 200 levels, are errors. */
bool json_valid(const char *text, size_t n, struct json_error *error);

/* A value in a text, without blanks around it. */
struct json_span {
    const char *text;
    size_t length;
};

enum json_found { JSON_NONE, JSON_ONCE, JSON_TWICE };

/* Looks for a member of an object. object is a whole text that json_valid accepted, or a value found in one; one that is
 * no object has no members. key has no character that JSON would escape, but the text may still spell it with escapes.
 * *value is the first one's. */
enum json_found json_member(struct json_span object, const char *key, struct json_span *value);

bool json_is_string(struct json_span value);

/* Returns whether the value is a string equal to s. */
bool json_equals(struct json_span value, const char *s);

#endif
