/* -c key=value, as codex reads it. */
#include <string.h>

#include "codex.h"

/* The length of the white space that s begins with. codex trims what Unicode calls white space. */
static size_t
space(const char *s)
{
    static const char *const wide[] = {"\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80",
                                       "\xe2\x80\x81", "\xe2\x80\x82", "\xe2\x80\x83", "\xe2\x80\x84",
                                       "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88",
                                       "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                       "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"};

    if (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        return 1;
    for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
        if (strncmp(s, wide[i], strlen(wide[i])) == 0)
            return strlen(wide[i]);
    return 0;
}

/* Returns a copy of the n bytes at s without white space at its ends. */
static char *
trim(struct mem *m, const char *s, size_t n)
{
    char *copy = mem_strndup(m, s, n);
    char *end = copy;

    for (size_t length; (length = space(copy)) != 0;)
        copy += length;
    for (char *at = copy; *at != '\0';) {
        size_t length = space(at);

        at += length != 0 ? length : 1;
        if (length == 0)
            end = at;
    }
    if (end > copy)
        *end = '\0';
    return copy;
}

static struct toml_value *
decode(struct mem *m, const char *text)
{
    const char *document = mem_printf(m, "_x_ = %s", text);
    struct toml_error error;
    struct toml_value *value = toml_get(toml_read(m, document, strlen(document), &error), "_x_");
    size_t n;

    if (value != NULL)
        return value;
    while (*text == '"' || *text == '\'')
        text++;
    for (n = strlen(text); n > 0 && (text[n - 1] == '"' || text[n - 1] == '\''); n--)
        ;
    value = mem_alloc(m, sizeof(*value));
    value->type = TOML_STRING;
    value->string = mem_strndup(m, text, n);
    return value;
}

/* The keys that bear on a launch. Others are not decoded. */
static bool
matters(const char *head)
{
    static const char *const heads[] = {"sandbox_mode",
                                        "default_permissions",
                                        "permissions",
                                        "projects",
                                        "project_root_markers",
                                        "model",
                                        "review_model",
                                        "sandbox_workspace_write",
                                        "shell_environment_policy",
                                        "model_provider",
                                        "model_providers",
                                        "oss_provider",
                                        "openai_base_url",
                                        "chatgpt_base_url",
                                        "model_reasoning_effort",
                                        "approvals_reviewer",
                                        NULL};

    for (const char *const *h = heads; *h != NULL; h++)
        if (strcmp(*h, head) == 0)
            return true;
    return false;
}

size_t
codex_assignments(struct mem *m, const struct command *c, struct codex_assignment **out)
{
    size_t count = 0;

    *out = mem_array(m, c->noptions + 1, sizeof(**out));
    /* Occurrences are in the order of the command line, which is also that of the levels: the order of codex. */
    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];
        const char *equals = o->value == NULL ? NULL : strchr(o->value, '=');
        struct codex_assignment *a = &(*out)[count];

        if (o->spec->id != CODEX_CONFIG || equals == NULL)
            continue;
        a->option = o;
        a->key = trim(m, o->value, (size_t)(equals - o->value));
        a->head = mem_strndup(m, a->key, strcspn(a->key, "."));
        if (!matters(a->head))
            continue;
        a->value = decode(m, trim(m, equals + 1, strlen(equals + 1)));
        count++;
    }
    return count;
}
