#include "private.h"

#include <sha2.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "../names/names.h"

bool
private_is_word(const char *value)
{
    return *value != '\0' && strlen(value) <= 128 &&
           value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "._:/@+-,~=[]\"'")] == '\0';
}

cJSON *
private_digest(const char *word)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    cJSON *o = cJSON_CreateObject();

    SHA256Data((const uint8_t *)word, strlen(word), hex);
    cJSON_AddNumberToObject(o, "bytes", (double)strlen(word));
    cJSON_AddStringToObject(o, "sha256", hex);
    return o;
}

static bool
sounds_secret(const char *text, size_t n)
{
    /* An environment that is given to a tool mostly holds its key, by whatever name. */
    static const char *const words[] = {
        "key",    "token", "secret", "passw", "auth", "credential", "bearer", "cookie",
        "header", "sk-",   "ghp_",   "xox",   "eyj",  "\"env\"",    ".env.",  "env=",
    };
    const char *login = memmem(text, n, "://", 3);

    if (login != NULL && memchr(login, '@', n - (size_t)(login - text)) != NULL)
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        for (size_t at = 0; at + strlen(words[i]) <= n; at++)
            if (strncasecmp(text + at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/* Words of options that are not in the table: of these the name tells, and what stands behind it may be its value. */
static void
mark_unknown(const struct command *c, bool *keep)
{
    for (size_t i = c->first; i < c->argc; i++) {
        const char *word = c->argv[i];

        if (c->words[i].kind != WORD_UNKNOWN || !sounds_secret(word, strlen(word)))
            continue;
        if (strchr(word, '=') != NULL || word[1] != '-')
            keep[i] = false;
        else if (i + 1 < c->argc && c->argv[i + 1][0] != '-')
            keep[i + 1] = false;
    }
}

void
private_mark(struct mem *m, const struct adapter *a, const struct command *c, bool everything, bool *keep)
{
    for (size_t i = 0; i < c->argc; i++)
        keep[i] = everything || i < c->first || c->words[i].kind == WORD_OPTION ||
                  c->words[i].kind == WORD_SUBCOMMAND || c->words[i].kind == WORD_DASHES;
    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];
        const char *name = occurrence_spelling(m, c, o);

        for (size_t i = 0; i < o->nvalues; i++) {
            const char *value = occurrence_value(c, o, i);

            if (everything)
                keep[o->value_word + i] = !sounds_secret(name, strlen(name)) &&
                                          !sounds_secret(value, strlen(value)) &&
                                          (o->spec->longname == NULL ||
                                           !sounds_secret(o->spec->longname, strlen(o->spec->longname)));
            else
                keep[o->value_word + i] =
                    a->public_value != NULL && a->public_value(o->spec, value) && private_is_word(value);
        }
    }
    if (everything)
        mark_unknown(c, keep);
}

/* A text that a sentence may quote, and what stands for it. */
struct hidden {
    const char *text, *instead;
};

struct hiding {
    struct mem *mem;
    struct hidden *items;
    size_t count, room;
};

static void
hide(struct hiding *h, const char *text, const char *instead)
{
    if (h->count == h->room) {
        size_t room = h->room == 0 ? 16 : 2 * h->room;
        struct hidden *items = mem_array(h->mem, room, sizeof(*items));

        if (h->count != 0)
            memcpy(items, h->items, h->count * sizeof(*items));
        h->items = items;
        h->room = room;
    }
    h->items[h->count++] = (struct hidden){text, instead};
}

/* Shorter ones tell nothing, and would be found in the sentence itself. */
#define SHORTEST 4

static void
hide_value(struct hiding *h, const char *value)
{
    if (value != NULL && strlen(value) >= SHORTEST && !private_is_word(value))
        hide(h, value, mem_printf(h->mem, "(%zu bytes)", strlen(value)));
}

/* What of the launch may be quoted in a sentence. */
static void
collect(struct hiding *h, const struct launch *l, const bool *keep)
{
    const struct request *r = &l->request;

    for (size_t i = 0; keep != NULL && i < l->argc; i++) {
        const char *word = l->argv[i], *equals = strchr(word, '=');

        if (keep[i])
            continue;
        /* --yolo=secret is no option of the CLI, and is quoted for that. */
        if (word[0] == '-' && equals != NULL)
            hide(h, word,
                 mem_printf(h->mem, "%.*s=(%zu bytes)", (int)(equals - word), word, strlen(equals + 1)));
        hide_value(h, word);
        if (equals != NULL)
            hide_value(h, equals + 1);
    }
    hide_value(h, env_get(l->invocation.envp, ENV_ACCESS));
    hide_value(h, env_get(l->invocation.envp, ENV_LANE));
    hide_value(h, r->model);
    hide_value(h, r->effort);
    hide_value(h, r->provider);
    for (size_t i = 0; i < r->fallbacks.count; i++)
        hide_value(h, r->fallbacks.items[i]);
    for (size_t i = 0; i < r->nsources; i++)
        hide_value(h, r->sources[i].value);
}

/* Replaces a string that is no word by its digest. */
static void
replace_value(cJSON *parent, cJSON *item)
{
    const char *value = cJSON_GetStringValue(item);

    if (value == NULL || private_is_word(value))
        return;
    if (item->string != NULL) {
        char name[32];

        /* The old item takes its name along. */
        strncpy(name, item->string, sizeof(name) - 1);
        name[sizeof(name) - 1] = '\0';
        cJSON_ReplaceItemInObjectCaseSensitive(parent, name, private_digest(value));
    } else {
        cJSON_ReplaceItemViaPointer(parent, item, private_digest(value));
    }
}

/* Whether a list of models came from a word that is not told: a prompt there was taken apart at its blanks. */
static bool
is_taken_apart(const struct command *c, const bool *keep)
{
    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];

        if (o->nvalues != 0 && o->spec->longname != NULL &&
            strcmp(o->spec->longname, "fallback-model") == 0 && (keep == NULL || !keep[o->value_word]))
            return true;
    }
    return false;
}

static void
replace_values(const struct launch *l, const bool *keep, cJSON *request)
{
    static const char *const names[] = {"model", "effort", "provider"};
    cJSON *item, *next;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if ((item = cJSON_GetObjectItemCaseSensitive(request, names[i])) != NULL)
            replace_value(request, item);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(request, "sources"))
    {
        cJSON *value = cJSON_GetObjectItemCaseSensitive(item, "value");

        if (value != NULL)
            replace_value(item, value);
    }
    item = cJSON_GetObjectItemCaseSensitive(request, "fallbacks");
    if (item != NULL && is_taken_apart(&l->invocation.command, keep)) {
        char *text = cJSON_PrintUnformatted(item);

        cJSON_ReplaceItemInObjectCaseSensitive(request, "fallbacks",
                                               private_digest(text == NULL ? "" : text));
        cJSON_free(text);
        return;
    }
    for (cJSON *list = item, *word = list == NULL ? NULL : list->child; word != NULL; word = next) {
        next = word->next;
        replace_value(list, word);
    }
}

static void
rewrite(const struct hiding *h, cJSON *object, const char *name)
{
    cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    const char *text = cJSON_GetStringValue(item), *at;
    bool changed = false;

    for (size_t i = 0; text != NULL && i < h->count; i++)
        for (size_t from = 0; (at = strstr(text + from, h->items[i].text)) != NULL; changed = true) {
            from = (size_t)(at - text) + strlen(h->items[i].instead);
            text = mem_printf(h->mem, "%.*s%s%s", (int)(at - text), text, h->items[i].instead,
                              at + strlen(h->items[i].text));
        }
    if (changed)
        cJSON_SetValuestring(item, text);
}

void
private_hide(struct mem *m, const struct launch *l, const bool *keep, cJSON *record)
{
    struct hiding h = {.mem = m};
    cJSON *request = cJSON_GetObjectItemCaseSensitive(record, "request");
    cJSON *access = cJSON_GetObjectItemCaseSensitive(record, "access"), *check;

    collect(&h, l, keep);
    replace_values(l, keep, request);
    rewrite(&h, access, "detail");
    rewrite(&h, access, "remedy");
    rewrite(&h, cJSON_GetObjectItemCaseSensitive(record, "refusal"), "detail");
    cJSON_ArrayForEach(check, cJSON_GetObjectItemCaseSensitive(record, "checks")) rewrite(&h, check, "saw");
}
