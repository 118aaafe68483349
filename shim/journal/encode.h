/* One record as a line: within its size, and always valid UTF-8. */
#ifndef HACCESS_ENCODE_H
#define HACCESS_ENCODE_H

#include <cjson/cJSON.h>
#include <stddef.h>

/* Turns a record into the text of its line, newline included, at most RECORD_MAX bytes. The record is changed: while it
 * is too large, the largest part of it becomes {"bytes":N,"sha256":"..."}. Bytes that are not UTF-8 become U+FFFD.
 * keep: how many of the first fields (the envelope) are never replaced. Returns a string to be freed with cJSON_free and
 * its length, or NULL when there is no memory. */
char *record_text(cJSON *record, int keep, size_t *length);

/* Returns the length of the UTF-8 character at s (of n bytes, n > 0), or 0 when there is none. Overlong forms,
 * surrogates and what is beyond U+10FFFF are none. */
size_t utf8_length(const unsigned char *s, size_t n);

/* U+FFFD, which stands for a byte that is not UTF-8. */
#define REPLACEMENT_SIZE 4
extern const char replacement[REPLACEMENT_SIZE];

#endif
