/* What codex hands on to the commands that its sessions run: shell_environment_policy, as 0.171.0 applies it. In this order:
 * inherit (all, core or none), exclude, set, include_only. Tables of several places are merged; an assignment with -c replaces
 * what a shorter or equal key of an earlier one said. */
#include <ctype.h>
#include <string.h>

#include "codex.h"

#define POLICY "shell_environment_policy"

/* Whether a pattern of * and ? describes the name, capital letters or not. */
static bool
matches(const char *pattern, const char *name)
{
    const char *star = NULL, *retry = NULL;

    while (*name != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            retry = name;
        } else if (*pattern == '?' ||
                   (*pattern != '\0' && tolower((unsigned char)*pattern) == tolower((unsigned char)*name))) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star;
            name = ++retry;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

static bool
listed(const struct toml_value *list, const char *name)
{
    for (size_t k = 0; list != NULL && list->type == TOML_ARRAY && k < list->count; k++)
        if (list->items[k]->type == TOML_STRING && matches(list->items[k]->string, name))
            return true;
    return false;
}

static const char *
base_name(const char *path, size_t length)
{
    const char *slash = memrchr(path, '/', length);

    return slash == NULL ? path : slash + 1;
}

/* Whether a list as LD_PRELOAD has a file of this name, wherever it is. */
static bool
has_entry(const char *list, const char *file)
{
    const char *name = base_name(file, strlen(file));

    for (list += strspn(list, ": "); *list != '\0'; list += strspn(list, ": ")) {
        size_t length = strcspn(list, ": ");
        const char *own = base_name(list, length);

        if (strlen(name) == (size_t)(list + length - own) && strncmp(own, name, strlen(name)) == 0)
            return true;
        list += length;
    }
    return false;
}

/* Whether a value that the user sets himself does as well. */
static bool
will_do(const struct kept *k, const char *value)
{
    switch (k->kind) {
    case KEPT_ENTRY:
        return has_entry(value, k->value);
    case KEPT_EXACTLY:
        return strcmp(value, k->value) == 0;
    default:
        return true;
    }
}

/* The key of the setting that keeps an entry from the commands, NULL: they get it. */
static const char *
obstacle(const struct toml_value *policy, const struct kept *k)
{
    const char *set = toml_get_string(toml_get(policy, "set"), k->name);
    const char *inherit = toml_get_string(policy, "inherit");
    const struct toml_value *only = toml_get(policy, "include_only");

    if (only != NULL && only->type == TOML_ARRAY && only->count != 0 && !listed(only, k->name))
        return "include_only";
    if (set != NULL)
        return will_do(k, set) ? NULL : "set";
    if (inherit != NULL && strcmp(inherit, "all") != 0)
        return "inherit";
    return listed(toml_get(policy, "exclude"), k->name) ? "exclude" : NULL;
}

const char *
codex_sheds(struct mem *m, const struct invocation *i, const struct kept *kept, size_t count)
{
    const struct toml_value *policy;
    struct codex_config c;

    codex_config_read(m, i, &c);
    policy = codex_config_merged(&c, POLICY);
    for (size_t k = 0; policy != NULL && k < count; k++) {
        const char *key = obstacle(policy, &kept[k]);
        struct codex_setting s;

        if (key == NULL)
            continue;
        s = codex_config_find(&c, (const char *const[]){POLICY, key, NULL}, true);
        return mem_printf(m, POLICY ".%s%s%s in %s keeps %s from the commands of the session", key,
                          s.value != NULL && s.value->type == TOML_STRING ? " = " : "",
                          s.value != NULL && s.value->type == TOML_STRING ? s.value->string : "",
                          s.file != NULL ? s.file : "the arguments (-c)", kept[k].name);
    }
    return NULL;
}

/* A TOML string; NULL where it cannot be one. */
static const char *
quoted(struct mem *m, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    char *out = mem_alloc(m, 6 * strlen(text) + 3), *to = out;
    struct toml_error error;

    *to++ = '"';
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 0x20 || c == 0x7f) {
            to = stpcpy(to, "\\u00");
            *to++ = digits[c >> 4];
            *to++ = digits[c & 15];
            continue;
        }
        if (c == '"' || c == '\\')
            *to++ = '\\';
        *to++ = *text;
    }
    *to++ = '"';
    const char *document = mem_printf(m, "x = %s", out);
    return toml_read(m, document, strlen(document), &error) != NULL ? out : NULL;
}

char **
codex_keep(struct mem *m, const struct invocation *i, const struct kept *kept, size_t count, size_t *argc)
{
    struct edit *e = edit_new(m, &i->command);
    const struct toml_value *policy;
    struct codex_config c;

    codex_config_read(m, i, &c);
    policy = codex_config_merged(&c, POLICY);
    for (size_t k = 0; k < count; k++) {
        const char *key = obstacle(policy, &kept[k]), *value = kept[k].value, *own;

        if (key == NULL)
            continue;
        own = toml_get_string(toml_get(policy, "set"), kept[k].name);
        if (own != NULL && kept[k].kind == KEPT_ENTRY && *own == '\0')
            return NULL; /* the off switch of libhaccess */
        if (own != NULL && kept[k].kind == KEPT_ENTRY)
            value = mem_printf(m, "%s:%s", own, value);
        value = quoted(m, value);
        if (value == NULL)
            return NULL;
        edit_insert(e, "-c");
        edit_insert(e, mem_printf(m, POLICY ".set.%s=%s", kept[k].name, value));
    }
    return edit_finish(e, argc);
}
