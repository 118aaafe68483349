/* Recorded command lines. The adapter's own table says which words are subcommands and which the prompt. */
#include <stdint.h>
#include <string.h>

#include "../../shim/adapters/adapter.h"
#include "../../shim/names/names.h"
#include "view.h"

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Names the command as a person would: the program and its subcommand; for claude, whether it prints and ends. */
static void
name_command(struct mem *m, const struct view *v, struct words *w)
{
    const struct adapter *a = v->adapter == NULL ? NULL : adapter_find(v->adapter);
    const char *target = record_string(v->record, "target");
    struct command c;
    struct match match;

    w->name = word_adapter(m, v);
    if (a == NULL || a->grammar == NULL || w->argc == 0)
        return;
    match_exec(target == NULL ? w->argv[0] : target, w->argv, &match);
    if (match.kind == MATCH_NONE || match.first == 0 || match.first > w->argc)
        match.first = 1;
    w->name = shown(m, base_name(match.script != NULL ? match.script : w->argv[match.first - 1]));
    command_parse(m, a->grammar, w->argv, w->argc, match.first, &c);
    for (size_t i = 1; i < c.depth; i++)
        w->name = mem_printf(m, "%s %s", w->name, c.path[i]->name);
    for (size_t i = 0; i < c.noptions; i++)
        if (strcmp(a->id, "claude-code") == 0 && c.options[i].spec->longname != NULL &&
            strcmp(c.options[i].spec->longname, "print") == 0) {
            w->name = mem_printf(m, "%s -p", w->name);
            break;
        }
    for (size_t i = match.first; i < w->argc; i++)
        w->prompt[i] = c.words[i].kind == WORD_OPERAND || c.words[i].kind == WORD_DATA;
}

void
words_of(struct mem *m, const struct view *v, const char *field, struct words *out)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(v->record, field), *item;
    size_t n = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;

    memset(out, 0, sizeof(*out));
    out->argv = mem_array(m, n + 1, sizeof(*out->argv));
    out->items = mem_array(m, n + 1, sizeof(*out->items));
    out->prompt = mem_array(m, n + 1, sizeof(*out->prompt));
    if (cJSON_IsObject(list))
        out->whole = list;
    for (item = n == 0 ? NULL : list->child; item != NULL; item = item->next) {
        out->items[out->argc] = item;
        out->argv[out->argc++] = mem_strdup(m, cJSON_IsString(item) ? item->valuestring : "");
    }
    name_command(m, v, out);
}

static const char *
quoted(struct mem *m, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-{}[]\"^~\x80";

    if (*word != '\0' && strspn(word, plain) == strlen(word) && strchr(word, '"') == NULL)
        return shown(m, word);
    if (strchr(word, '\'') == NULL)
        return mem_printf(m, "'%s'", shown(m, word));
    return mem_printf(m, "\"%s\"", shown(m, word));
}

const char *
word_shown(struct mem *m, const struct words *w, size_t i)
{
    const cJSON *item = w->whole != NULL ? w->whole : w->items[i];
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(item, "bytes");
    const char *what = w->whole != NULL ? "command line " : w->prompt[i] ? "prompt " : "";

    if (cJSON_IsString(item))
        return quoted(m, item->valuestring);
    if (cJSON_IsNumber(bytes))
        return mem_printf(m, "%s%s%.0f bytes%s", QUOTED, what, bytes->valuedouble, QUOTE);
    return mem_printf(m, "%s?%s", QUOTED, QUOTE);
}
