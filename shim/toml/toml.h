/* TOML, read by toml++ into plain C values. What is read lives in the region it was read into. */
#ifndef HACCESS_TOML_H
#define HACCESS_TOML_H

#include <stdbool.h>
#include <stddef.h>

#include "../mem.h"

enum toml_type {
    TOML_TABLE,
    TOML_ARRAY,
    TOML_STRING,
    TOML_BOOLEAN,
    TOML_OTHER, /* a number or a date: nothing here looks at their values */
};

struct toml_value {
    enum toml_type type;
    bool boolean;
    const char *string; /* NUL-terminated; a NUL in it was replaced by U+FFFD, so that it equals no word */
    struct toml_pair *pairs;   /* of a table, sorted by key */
    struct toml_value **items; /* of an array */
    size_t count;              /* of pairs or items */
    size_t room;               /* for who adds pairs; toml_read leaves 0: none */
};

struct toml_pair {
    const char *key;
    struct toml_value *value;
};

struct toml_error {
    size_t line, column; /* from 1 */
    const char *message;
};

/* Reads a document of length bytes (no NUL needed behind it). Understands TOML 1.0 and what TOML 1.1 adds, as codex
 * does. Returns its table, or NULL with *error filled: not TOML, not UTF-8, nested too deeply, or a dotted key of too
 * many parts. Exits where there is no memory, as the region does; nothing is thrown. */
struct toml_value *toml_read(struct mem *m, const char *text, size_t length, struct toml_error *error);

/* Returns the value of a key, or NULL where there is none or t is NULL or no table. */
struct toml_value *toml_get(const struct toml_value *t, const char *key);

/* Returns the string of a key, or NULL where there is none or it is of another type. */
const char *toml_get_string(const struct toml_value *t, const char *key);

#endif
