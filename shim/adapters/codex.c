/* The codex adapter. What it knows of the CLI was measured on the versions named below. */
#include <string.h>

#include "codex.h"

static const char *const efforts[] = {"none", "minimal", "low", "medium", "high", "xhigh", NULL};

static enum launch_class
classify(struct mem *m, const struct command *c)
{
    enum launch_class class = command_leaf(c)->class;

    (void)m;
    /* clap stops at these wherever they stand, whatever else is there. */
    if (command_last(c, CODEX_HELP) != NULL || command_last(c, CODEX_VERSION) != NULL)
        return CLASS_ADMIN;
    /* With --remote the session runs in an app-server that somebody else started. */
    if (class == CLASS_SESSION && command_last(c, CODEX_REMOTE) != NULL)
        return CLASS_SERVER;
    return class;
}

static const char *
directory(const struct command *c)
{
    const struct occurrence *o = command_last(c, CODEX_CD);

    return o == NULL ? NULL : o->value;
}

static enum enforcement
enforcement(const struct request *r, enum projection p)
{
    if (p == PROJECTION_FULL || (p == PROJECTION_VENDOR_DEFAULT && r->access == ACCESS_FULL))
        return ENFORCED_NONE;
    return r->unverified != NULL ? ENFORCED_UNVERIFIED : ENFORCED_VENDOR;
}

/* A model, an effort or a mode needs no more than these. */
static bool
is_word(const char *s)
{
    return *s != '\0' && strlen(s) <= 128 &&
           s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \"'._:/@+-")] == '\0';
}

static bool
public_value(const struct option_spec *o, const char *value)
{
    static const char *const keys[] = {"model", "model_reasoning_effort", "sandbox_mode",
                                       "default_permissions", NULL};
    size_t length;

    if (o->id == CODEX_SANDBOX || o->id == CODEX_MODEL)
        return is_word(value);
    if (o->id != CODEX_CONFIG)
        return false;
    length = strcspn(value, "=");
    for (const char *const *k = keys; *k != NULL; k++)
        if (strlen(*k) == length && strncmp(*k, value, length) == 0 && value[length] == '=')
            return is_word(value + length + 1);
    return false;
}

const struct adapter adapter_codex = {
    .id = "codex",
    .program = "codex",
    .package = "@openai/codex",
    .checked = "0.171.0, 0.151.0",
    .grammar = &codex_grammar,
    .efforts = efforts,
    .effort_option = "-c model_reasoning_effort=WORD",
    .default_provider = "openai",
    .full = true,
    .workspace_write = true,
    .read_only = true,
    .sandbox = true,
    .classify = classify,
    .directory = directory,
    .lexical = true,
    .config = codex_config_files,
    .request = codex_request,
    .render = codex_render,
    .sheds = codex_sheds,
    .keep = codex_keep,
    .enforcement = enforcement,
    .public_value = public_value,
};
