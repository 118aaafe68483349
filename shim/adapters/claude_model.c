/* The model that a launch names, the effort that will hold, and what would keep the CLI from full access. */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "claude.h"

const char *const claude_efforts[] = {"low", "medium", "high", "xhigh", "max", NULL};

static int
effort_rank(const char *word)
{
    for (int k = 0; claude_efforts[k] != NULL; k++)
        if (strcasecmp(claude_efforts[k], word) == 0)
            return k;
    return -1;
}

/* The word on the scale that the CLI takes a value for: it ignores case and white space around it. Others stay as they
 * are, and are on no scale. */
static const char *
effort_word(struct mem *m, const char *value)
{
    size_t n;
    const char *word;

    value += strspn(value, " \t\r\n");
    for (n = strlen(value); n != 0 && strchr(" \t\r\n", value[n - 1]) != NULL;)
        n--;
    word = mem_strndup(m, value, n);
    return effort_rank(word) >= 0 ? claude_efforts[effort_rank(word)] : word;
}

/* CLAUDE_CODE_EFFORT_LEVEL beats the option. "auto" and "unset" leave the effort to the model, and so does a number; a word
 * that means nothing leaves the option standing (2.1.332, 2.1.197). */
static void
set_effort(struct mem *m, const char *value, const char *source, struct request *out)
{
    const char *word = effort_word(m, value);

    if (word[0] == '\0')
        return;
    if (effort_rank(word) >= 0)
        out->effort = word;
    else if (strcasecmp(word, "auto") == 0 || strcasecmp(word, "unset") == 0 ||
             strchr("0123456789+-.", word[0]) != NULL)
        out->effort = NULL;
    else
        return;
    out->effort_source = source;
}

static const char *
place_of(const struct document *d)
{
    return d->file != NULL ? d->file : d->role == ROLE_PARENT ? "--managed-settings" : "--settings";
}

/* The effort that holds when, of the documents that the CLI may ignore as a whole, at most the k-th is read (d->count: none
 * is). */
static void
effort_with(struct mem *m, const struct invocation *i, const struct documents *d, size_t k,
            struct request *out)
{
    const struct occurrence *option = command_last(&i->command, OPTION_EFFORT);
    const char *variable = env_get(i->envp, "CLAUDE_CODE_EFFORT_LEVEL"), *source = "CLAUDE_CODE_EFFORT_LEVEL";

    out->effort = option != NULL && option->value != NULL ? effort_word(m, option->value) : NULL;
    out->effort_source = NULL;
    for (size_t j = 0; j < d->count; j++)
        if (d->items[j].settings.effort != NULL && (d->items[j].settings.sure || j == k)) {
            variable = d->items[j].settings.effort;
            source = mem_printf(m, "env.CLAUDE_CODE_EFFORT_LEVEL in %s", place_of(&d->items[j]));
        }
    if (variable != NULL)
        set_effort(m, variable, source, out);
}

/* The lowest effort that the launch may have come to. */
static void
read_effort(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    effort_with(m, i, d, d->count, out);
    for (size_t k = 0; k < d->count; k++) {
        struct request other = {0};

        if (d->items[k].settings.effort == NULL || d->items[k].settings.sure)
            continue;
        effort_with(m, i, d, k, &other);
        if (out->effort != NULL &&
            (other.effort == NULL || effort_rank(other.effort) < effort_rank(out->effort))) {
            out->effort = other.effort;
            out->effort_source = other.effort_source;
        }
    }
    for (size_t k = 0; k < d->count; k++) {
        const char *most = d->items[k].settings.max_effort;

        if (out->effort != NULL && most != NULL && effort_rank(most) >= 0 &&
            effort_rank(most) < effort_rank(out->effort)) {
            out->effort = claude_efforts[effort_rank(most)];
            out->effort_source = mem_printf(m, "maxEffortLevel in %s", place_of(&d->items[k]));
        }
    }
}

static void
read_model(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    const struct occurrence *model = command_last(&i->command, OPTION_MODEL),
                            *fallback = command_last(&i->command, OPTION_FALLBACK);

    out->model = model != NULL ? model->value : NULL;
    if (fallback != NULL && fallback->value != NULL)
        tools_split(m, fallback->value, &out->fallbacks);
    else
        for (size_t k = 0; k < d->count; k++)
            for (size_t v = 0; v < d->items[k].settings.fallbacks.count; v++)
                tools_split(m, d->items[k].settings.fallbacks.items[v], &out->fallbacks);
}

/* What goes into every request beats the options (2.1.332, 2.1.197). Of several bodies, some of which the CLI may not read, each
 * that says something counts, the strongest last. */
static void
read_bodies(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    static const char variable[] = "CLAUDE_CODE_EXTRA_BODY";

    for (size_t k = 0; k <= d->count; k++) {
        const struct document *doc = k == 0 ? NULL : &d->items[k - 1];
        const char *text = doc == NULL ? env_get(i->envp, variable) : doc->settings.body;
        const char *source = doc == NULL ? variable : mem_printf(m, "env.%s in %s", variable, place_of(doc));
        struct extra_body body;

        if (text == NULL)
            continue;
        extra_body_read(m, text, &body);
        if (out->model != NULL && body.model != NULL) {
            out->model = body.model;
            out->model_source = source;
        }
        if (out->effort != NULL && body.effort != NULL) {
            out->effort = body.effort;
            out->effort_source = source;
        }
    }
}

/* The document with a list of models that the named one is not on; NULL: none. An entry may name a whole family; such
 * are not taken for the model, since how they are matched is a setting, too. */
static const struct document *
limit_of(const struct documents *d, const char *model)
{
    for (size_t k = 0; model != NULL && k < d->count; k++)
        if (d->items[k].settings.limited && !strings_has(&d->items[k].settings.models, model))
            return &d->items[k];
    return NULL;
}

/* Variables that send requests elsewhere than to the vendor, or give a model's name another meaning. */
static const char *const endpoint_variables[] = {
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "ANTHROPIC_FOUNDRY_RESOURCE",
    "ANTHROPIC_UNIX_SOCKET",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_MANTLE",
    NULL,
};

static void
read_endpoints(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    for (const char *const *name = endpoint_variables; *name != NULL; name++) {
        const char *value = env_get(i->envp, *name);
        bool set = value != NULL && value[0] != '\0';

        for (size_t k = 0; k < d->count; k++)
            set = set || strings_has(&d->items[k].settings.env, *name);
        if (set)
            strings_add(m, &out->endpoints, *name);
    }
}

/* From the CLI's own checks: root needs IS_SANDBOX to be exactly 1, or CLAUDE_CODE_BUBBLEWRAP; scrubbing makes every mode the
 * default one. Another model than the named one is a downgrade, too. */
static void
read_vendor_refusal(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    const char *sandbox = env_get(i->envp, "IS_SANDBOX"),
               *scrub = env_get(i->envp, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"),
               *command = claude_prompt_command(m, &i->command);
    const struct document *scrubbing = documents_string(d, offsetof(struct settings, scrub));
    const struct document *limit = limit_of(d, out->model);

    if (scrubbing != NULL)
        scrub = scrubbing->settings.scrub;
    if (scrub != NULL && scrub[0] != '\0' && strcmp(scrub, "0") != 0 && strcasecmp(scrub, "false") != 0)
        out->vendor_refuses = "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB makes every permission mode the default one";
    else if (i->uid == 0 && (sandbox == NULL || strcmp(sandbox, "1") != 0) &&
             !claude_truthy(env_get(i->envp, "CLAUDE_CODE_BUBBLEWRAP")))
        out->vendor_refuses = "as uid 0 it refuses bypassPermissions unless IS_SANDBOX=1";
    else if (claude_restricted(i))
        out->vendor_refuses = "--restricted refuses bypassPermissions";
    else if (limit != NULL)
        out->vendor_refuses =
            mem_printf(m,
                       "availableModels in %s does not name %s, and the CLI may take another "
                       "model; name it there, too",
                       place_of(limit), out->model);
    else if (command != NULL)
        out->vendor_refuses = mem_printf(
            m,
            "the prompt %s names a command, whose file may set another model and effort; spell the "
            "prompt out, or add --disable-slash-commands",
            command);
    for (size_t k = 0; out->vendor_refuses == NULL && k < d->count; k++)
        if (d->items[k].settings.no_bypass)
            out->vendor_refuses =
                mem_printf(m, "permissions.disableBypassPermissionsMode in %s", place_of(&d->items[k]));
}

void
claude_model(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    read_model(m, i, d, out);
    read_effort(m, i, d, out);
    read_bodies(m, i, d, out);
    read_endpoints(m, i, d, out);
    read_vendor_refusal(m, i, d, out);
}
