#include "files.h"

#include <check.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *
format(const char *how, ...)
{
    char *text;
    va_list ap;
    va_start(ap, how);
    ck_assert_int_ge(vasprintf(&text, how, ap), 0);
    va_end(ap);
    return text;
}

char *
replace(const char *text, const char *what, const char *with)
{
    char *out = format("%s", "");
    const char *at;
    for (; (at = strstr(text, what)) != NULL; text = at + strlen(what)) {
        char *longer = format("%s%.*s%s", out, (int)(at - text), text, with);
        free(out);
        out = longer;
    }
    char *whole = format("%s%s", out, text);
    free(out);
    return whole;
}

char *
read_file(const char *path)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = fopen(path, "r");
    if (f == NULL && errno == ENOENT)
        return format("%s", "");
    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
    if (getdelim(&text, &length, '\0', f) < 0) {
        free(text);
        text = format("%s", "");
    }
    fclose(f);
    return text;
}

cJSON *
parse_lines(const char *text, const char *path)
{
    cJSON *all = cJSON_CreateArray();
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        ck_assert_msg(text[n] == '\n', "%s: the last line is torn: %s", path, text);
        cJSON *value = cJSON_ParseWithLength(text, n);
        ck_assert_msg(cJSON_IsObject(value), "%s: no JSON object: %.*s", path, (int)n, text);
        cJSON_AddItemToArray(all, value);
        text += n + 1;
    }
    return all;
}

const char *
string_at(const cJSON *object, const char *key)
{
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return s != NULL ? s : "-";
}
