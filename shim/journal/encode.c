#include "encode.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "line.h"

const char replacement[REPLACEMENT_SIZE] = "\xef\xbf\xbd";

size_t
utf8_length(const unsigned char *s, size_t n)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : s[0] >= 0xe0 && s[0] <= 0xef ? 3 : 4;

    if (length == 1)
        return 1;
    if (length > n || s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

/* Counts the bytes of s that belong to no character. */
static size_t
invalid_bytes(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t count = 0, step;

    for (size_t i = 0; i < n; i += step) {
        step = utf8_length(u + i, n - i);
        if (step == 0) {
            step = 1;
            count++;
        }
    }
    return count;
}

/* Returns text with its invalid bytes replaced; frees text when that is another string. NULL: no memory. */
static char *
make_valid(char *text, size_t *length)
{
    size_t bad = invalid_bytes(text, *length), n = *length;
    char *valid, *to;

    if (bad == 0)
        return text;
    to = valid = cJSON_malloc(n + bad * (sizeof(replacement) - 2) + 1);
    if (valid != NULL) {
        for (size_t i = 0, step; i < n; i += step) {
            step = utf8_length((const unsigned char *)text + i, n - i);
            memcpy(to, step == 0 ? replacement : text + i, step == 0 ? sizeof(replacement) - 1 : step);
            to += step == 0 ? sizeof(replacement) - 1 : step;
            if (step == 0)
                step = 1;
        }
        *to = '\0';
        *length = (size_t)(to - valid);
    }
    cJSON_free(text);
    return valid;
}

/* The printed size of a string, near enough to compare. */
static size_t
string_size(const char *s)
{
    size_t n = 2;

    for (; *s != '\0'; s++)
        n += (unsigned char)*s < 0x20 ? 6 : *s == '"' || *s == '\\' ? 2 : 1;
    return n;
}

/* The same for a value. */
static size_t
value_size(const cJSON *value)
{
    const cJSON *child;
    size_t n = 2;

    if (cJSON_IsString(value))
        return string_size(value->valuestring);
    if (!cJSON_IsArray(value) && !cJSON_IsObject(value))
        return 8;
    cJSON_ArrayForEach(child, value) n +=
        value_size(child) + 1 + (child->string == NULL ? 0 : string_size(child->string) + 1);
    return n;
}

/* What stands for a value that is too large: for a string the size and hash of its bytes, else of its JSON text. */
static cJSON *
digest(const cJSON *value)
{
    char *printed = cJSON_IsString(value) ? NULL : cJSON_PrintUnformatted(value);
    const char *text = printed == NULL ? value->valuestring : printed;
    char hash[HASH_SIZE];
    cJSON *out = cJSON_CreateObject();

    if (text == NULL)
        text = "";
    hash_bytes(text, strlen(text), hash);
    if (cJSON_AddNumberToObject(out, "bytes", (double)strlen(text)) == NULL ||
        cJSON_AddStringToObject(out, "sha256", hash) == NULL) {
        cJSON_Delete(out);
        out = NULL;
    }
    cJSON_free(printed);
    return out;
}

/* A value that is no larger than this would not shrink. */
#define DIGEST_SIZE 100

static cJSON *
largest_child(const cJSON *parent, int skip, size_t *size)
{
    cJSON *child, *largest = NULL;

    *size = 0;
    cJSON_ArrayForEach(child, parent)
    {
        size_t n;

        if (skip-- > 0)
            continue;
        n = value_size(child);
        if (n > *size) {
            largest = child;
            *size = n;
        }
    }
    return largest;
}

/* Replaces the largest part: the largest field, or, while one part makes up most of that, that part alone, so that one
 * long word does not take the others with it. Returns false when nothing is left that would shrink. */
static bool
shrink(cJSON *record, int keep)
{
    size_t size, part_size;
    cJSON *parent = record, *value = largest_child(record, keep, &size), *part, *small;

    if (value == NULL || size <= DIGEST_SIZE)
        return false;
    while ((part = largest_child(value, 0, &part_size)) != NULL && part_size > size / 2 &&
           part_size > DIGEST_SIZE) {
        parent = value;
        value = part;
        size = part_size;
    }
    small = digest(value);
    if (small == NULL)
        return false;
    if (value->string != NULL) {
        /* cJSON frees the old key with the old value, so the new value gets its own before that. */
        small->string = cJSON_malloc(strlen(value->string) + 1);
        if (small->string == NULL) {
            cJSON_Delete(small);
            return false;
        }
        memcpy(small->string, value->string, strlen(value->string) + 1);
    }
    return cJSON_ReplaceItemViaPointer(parent, value, small);
}

char *
record_text(cJSON *record, int keep, size_t *length)
{
    char *text, *line;

    for (;;) {
        text = cJSON_PrintUnformatted(record);
        if (text == NULL)
            return NULL;
        *length = strlen(text);
        text = make_valid(text, length);
        if (text == NULL)
            return NULL;
        if (*length < RECORD_MAX)
            break;
        cJSON_free(text);
        if (!shrink(record, keep)) {
            /* Thousands of small fields: drop the last ones, and say so by what is no longer there. */
            int n = cJSON_GetArraySize(record);

            if (n <= keep)
                return NULL;
            cJSON_DeleteItemFromArray(record, n - 1);
        }
    }
    line = cJSON_malloc(*length + 2);
    if (line != NULL) {
        memcpy(line, text, *length);
        line[(*length)++] = '\n';
        line[*length] = '\0';
    }
    cJSON_free(text);
    return line;
}
