/* A settings document with another say on access. It is edited as text: what is not changed keeps its spelling, so that
 * nothing is lost that a parser would round, reorder or drop. */
#include <string.h>

#include "claude_settings_parts.h"

/* One member of an object as it is spelled: the slices of key and value, white space outside of strings removed. */
struct spelled {
    const char *key;  /* decoded */
    const char *name; /* as spelled, with its quotes */
    const char *value;
};

struct object {
    struct spelled *members;
    size_t count;
};

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies text without the white space between its tokens. */
static char *
squeeze(struct mem *m, const char *text, size_t length)
{
    char *out = mem_alloc(m, length + 1), *to = out;
    bool quoted = false;

    for (size_t i = 0; i < length; i++) {
        if (!quoted && is_space(text[i]))
            continue;
        *to++ = text[i];
        if (text[i] == '"')
            quoted = !quoted;
        else if (text[i] == '\\' && i + 1 < length)
            *to++ = text[++i];
    }
    return out;
}

/* Returns the end of the token or value that starts at p, in squeezed and valid JSON. */
static const char *
skip(const char *p)
{
    size_t depth = 0;

    for (;; p++) {
        if (*p == '"') {
            for (p++; *p != '"' && *p != '\0'; p++)
                if (*p == '\\' && p[1] != '\0')
                    p++;
            if (*p == '\0')
                return p;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']' || *p == ',' || *p == ':' || *p == '\0') {
            if (depth == 0 || *p == '\0')
                return p;
            if (*p == '}' || *p == ']')
                depth--;
        }
    }
}

static const char *
decode_key(struct mem *m, const char *name)
{
    cJSON *item = cJSON_Parse(name);
    const char *key = cJSON_IsString(item) ? mem_strdup(m, item->valuestring) : "";

    cJSON_Delete(item);
    return key;
}

/* The last member with the key: the one that counts. Earlier ones of its name stay as they are. */
static struct spelled *
find(const struct object *o, const char *key)
{
    for (size_t i = o->count; i-- > 0;)
        if (strcmp(o->members[i].key, key) == 0)
            return &o->members[i];
    return NULL;
}

static void
append(struct mem *m, struct object *o, const char *name, const char *value)
{
    if ((o->count & (o->count - 1)) == 0) {
        struct spelled *grown = mem_array(m, o->count == 0 ? 1 : o->count * 2, sizeof(*grown));

        if (o->count != 0)
            memcpy(grown, o->members, o->count * sizeof(*grown));
        o->members = grown;
    }
    o->members[o->count++] = (struct spelled){.key = decode_key(m, name), .name = name, .value = value};
}

static void
put(struct mem *m, struct object *o, const char *name, const char *value)
{
    struct spelled *old = find(o, decode_key(m, name));

    if (old != NULL)
        old->value = value;
    else
        append(m, o, name, value);
}

static void
drop(struct object *o, const char *key)
{
    size_t kept = 0;

    for (size_t i = 0; i < o->count; i++)
        if (strcmp(o->members[i].key, key) != 0)
            o->members[kept++] = o->members[i];
    o->count = kept;
}

/* Takes a squeezed object apart. Anything that is none is an empty one. */
static void
open_object(struct mem *m, const char *text, struct object *out)
{
    memset(out, 0, sizeof(*out));
    if (text == NULL || *text != '{')
        return;
    for (const char *p = text + 1; *p == '"';) {
        const char *colon = skip(p), *end = *colon == '\0' ? colon : skip(colon + 1);

        if (*colon != ':')
            return;
        append(m, out, mem_strndup(m, p, (size_t)(colon - p)),
               mem_strndup(m, colon + 1, (size_t)(end - colon - 1)));
        p = *end == ',' ? end + 1 : end;
    }
}

static char *
close_object(struct mem *m, const struct object *o)
{
    size_t length = 3;
    char *out, *to;

    for (size_t i = 0; i < o->count; i++)
        length += strlen(o->members[i].name) + strlen(o->members[i].value) + 2;
    out = to = mem_alloc(m, length);
    *to++ = '{';
    for (size_t i = 0; i < o->count; i++) {
        if (i != 0)
            *to++ = ',';
        to = stpcpy(to, o->members[i].name);
        *to++ = ':';
        to = stpcpy(to, o->members[i].value);
    }
    *to = '}';
    return out;
}

static const char *
value_of(const struct object *o, const char *key)
{
    const struct spelled *s = find(o, key);

    return s != NULL ? s->value : NULL;
}

static void
drop_within(struct mem *m, struct object *o, const char *key, const char *const *names)
{
    struct object inner;

    if (value_of(o, key) == NULL)
        return;
    open_object(m, value_of(o, key), &inner);
    for (; *names != NULL; names++)
        drop(&inner, *names);
    find(o, key)->value = close_object(m, &inner);
}

static void
change_permissions(struct mem *m, struct object *settings, const struct settings_change *how)
{
    struct spelled *s = find(settings, "permissions");
    struct object permissions;
    const char *mode;

    if (s == NULL)
        return;
    open_object(m, s->value, &permissions);
    mode = value_of(&permissions, "defaultMode");
    if (mode != NULL && strcmp(decode_key(m, mode), "bypassPermissions") == 0)
        drop(&permissions, "defaultMode");
    if (how->drop_allow)
        drop(&permissions, "allow");
    if (how->drop_roots)
        drop(&permissions, "additionalDirectories");
    s->value = close_object(m, &permissions);
}

static void
change_sandbox(struct mem *m, struct object *settings, const struct settings_change *how)
{
    static const char *const writes[] = {"allowWrite", "disabled", NULL};
    struct object sandbox;

    open_object(m, value_of(settings, "sandbox"), &sandbox);
    if (how->drop_roots) {
        for (const char *const *name = sandbox_openings; *name != NULL; name++)
            drop(&sandbox, *name);
        drop_within(m, &sandbox, "filesystem", writes);
        drop_within(m, &sandbox, "network", network_openings);
    }
    if (how->sandbox == SANDBOX_OFF)
        put(m, &sandbox, "\"enabled\"", "false");
    if (how->sandbox == SANDBOX_HELD) {
        put(m, &sandbox, "\"enabled\"", "true");
        put(m, &sandbox, "\"failIfUnavailable\"", "true");
        put(m, &sandbox, "\"allowUnsandboxedCommands\"", "false");
    }
    if (how->quiet)
        put(m, &sandbox, "\"autoAllowBashIfSandboxed\"", "false");
    put(m, settings, "\"sandbox\"", close_object(m, &sandbox));
}

char *
settings_merge(struct mem *m, const char *text, size_t length, const struct settings_change *how,
               const char **misfit)
{
    struct object settings;
    cJSON *tree;

    *misfit = NULL;
    if (text == NULL) {
        text = "{}";
        length = 2;
    }
    tree = settings_parse(text, length);
    if (tree == NULL)
        return NULL;
    *misfit = settings_misfit(m, tree);
    cJSON_Delete(tree);
    if (*misfit != NULL)
        return NULL;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    open_object(m, squeeze(m, text, length), &settings);
    change_permissions(m, &settings, how);
    if (how->sandbox != SANDBOX_AS_IT_IS || how->quiet ||
        (how->drop_roots && value_of(&settings, "sandbox") != NULL))
        change_sandbox(m, &settings, how);
    return close_object(m, &settings);
}
