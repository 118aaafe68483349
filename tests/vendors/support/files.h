/* Texts, files and JSON values as the tests read them. All fail the test instead of returning an error. */
#ifndef VENDORS_FILES_H
#define VENDORS_FILES_H

#include <cjson/cJSON.h>

/* Like asprintf; the caller frees. */
char *format(const char *how, ...) __attribute__((format(printf, 1, 2)));

/* A copy of text with every occurrence of what replaced; the caller frees. */
char *replace(const char *text, const char *what, const char *with);

/* The whole file; "" when there is none. The caller frees. */
char *read_file(const char *path);

/* An array of the JSON values in text, one a line. path is for the message. */
cJSON *parse_lines(const char *text, const char *path);

/* The string at key, "-" when there is none or it is null. It belongs to the object. */
const char *string_at(const cJSON *object, const char *key);

#endif
