/* What a codex launch asks for. */
#include <string.h>

#include "codex.h"

/* The access that an option spells by itself, or unspecified: then it is none of access. */
enum access
codex_option_access(const struct occurrence *o)
{
    struct toml_value word = {.type = TOML_STRING, .string = o->value};
    bool known;

    switch (o->spec->id) {
    case CODEX_SANDBOX:
        return o->value == NULL ? ACCESS_FULL : codex_mode(&word, &known);
    case CODEX_BYPASS:
        return ACCESS_FULL;
    case CODEX_APPROVE:
    case CODEX_FULL_AUTO:
        return ACCESS_WORKSPACE_WRITE;
    default:
        return ACCESS_UNSPECIFIED;
    }
}

bool
codex_assigns_mode(const struct codex_assignment *a)
{
    return strcmp(a->head, "sandbox_mode") == 0 || strcmp(a->head, "default_permissions") == 0;
}

bool
codex_assigns_roots(const struct codex_assignment *a)
{
    return strcmp(a->head, "sandbox_workspace_write") == 0;
}

bool
codex_assigns_reviewer(const struct codex_assignment *a)
{
    return strcmp(a->head, "approvals_reviewer") == 0;
}

static enum access
assigned_access(const struct codex_config *c, const struct codex_assignment *a)
{
    bool known;

    if (strcmp(a->key, a->head) != 0)
        return ACCESS_FULL;
    return strcmp(a->head, "sandbox_mode") == 0 ? codex_mode(a->value, &known) : codex_profile(c, a->value);
}

/* Adds what argv spells, but for roots. */
static void
add_modes(const struct codex_config *c, struct request *r)
{
    const struct command *line = &c->i->command;
    size_t next = 0;

    for (size_t k = 0; k < line->noptions; k++) {
        const struct occurrence *o = &line->options[k];
        enum access access = codex_option_access(o);

        if (access != ACCESS_UNSPECIFIED)
            request_add(c->m, r,
                        &(struct source){.access = access,
                                         .explicit = true,
                                         .spelling = occurrence_spelling(c->m, line, o),
                                         .value = o->value,
                                         .index = o->word});
        if (next == c->nassignments || c->assignments[next].option != o)
            continue;
        if (codex_assigns_mode(&c->assignments[next])) {
            const struct codex_assignment *a = &c->assignments[next];

            request_add(c->m, r,
                        &(struct source){.access = assigned_access(c, a),
                                         .explicit = true,
                                         .spelling = mem_printf(c->m, "-c %s", a->key),
                                         .value = a->value->string,
                                         .index = o->word});
        }
        next++;
    }
}

const struct codex_layer *
codex_configured_mode(const struct codex_config *c)
{
    for (size_t k = c->nlayers; k-- > 0;) {
        const struct codex_layer *l = &c->layers[k];

        if (l->file != NULL &&
            (toml_get(l->table, "default_permissions") != NULL || toml_get(l->table, "sandbox_mode") != NULL))
            return l;
    }
    return NULL;
}

bool
codex_roots_count(const struct codex_config *c)
{
    static const char *const profile[] = {"default_permissions", NULL}, *const mode[] = {"sandbox_mode",
                                                                                         NULL};
    const struct command *line = &c->i->command;
    const struct codex_layer *l = codex_configured_mode(c);

    bool approves = false;

    for (size_t k = 0; k < line->noptions; k++) {
        if (line->options[k].spec->id == CODEX_APPROVE)
            approves = true;
        else if (codex_option_access(&line->options[k]) != ACCESS_UNSPECIFIED)
            return true;
    }
    if (codex_config_override(c, profile).value != NULL)
        return false;
    return approves || codex_config_override(c, mode).value != NULL || l == NULL ||
           toml_get(l->table, "default_permissions") == NULL;
}

/* Adds the mode of the configuration files that holds where argv names none. In one file default_permissions goes
 * before sandbox_mode; between files the stronger file counts, whichever of the two it has. */
static void
add_configured_mode(const struct codex_config *c, struct request *r)
{
    const struct codex_layer *l = codex_configured_mode(c);
    const struct toml_value *profile, *mode;
    bool known;

    if (l == NULL)
        return;
    profile = toml_get(l->table, "default_permissions");
    mode = toml_get(l->table, "sandbox_mode");
    request_add(
        c->m, r,
        &(struct source){.access = profile != NULL ? codex_profile(c, profile) : codex_mode(mode, &known),
                         .spelling = profile != NULL ? "default_permissions" : "sandbox_mode",
                         .value = profile != NULL ? profile->string : mode->string,
                         .file = l->file});
}

/* The last assignment of roots. */
static size_t
roots_word(const struct codex_config *c)
{
    for (size_t k = c->nassignments; k-- > 0;)
        if (codex_assigns_roots(&c->assignments[k]))
            return c->assignments[k].option->word;
    return 0;
}

/* Adds the wide roots; returns whether there are any. */
static bool
add_wide_roots(const struct codex_config *c, struct request *r)
{
    const struct command *line = &c->i->command;
    size_t before = r->nsources;
    const char *file, *root = codex_roots_count(c) ? codex_wide_root(c, true, &file) : NULL;

    for (size_t k = 0; k < line->noptions; k++) {
        const struct occurrence *o = &line->options[k];

        if (o->spec->id == CODEX_ADD_DIR && o->value != NULL && path_is_wide(c->m, c->i, o->value, c->i->cwd))
            request_add(c->m, r,
                        &(struct source){.access = ACCESS_FULL,
                                         .explicit = true,
                                         .spelling = "--add-dir",
                                         .value = o->value,
                                         .index = o->word});
    }
    if (root != NULL)
        request_add(c->m, r,
                    &(struct source){.access = ACCESS_FULL,
                                     .explicit = file == NULL,
                                     .spelling = file == NULL ? "-c sandbox_workspace_write"
                                                              : "sandbox_workspace_write.writable_roots",
                                     .value = root,
                                     .index = file == NULL ? roots_word(c) : 0,
                                     .file = file});
    return r->nsources > before;
}

static void
add_sources(const struct codex_config *c, struct request *r)
{
    size_t modes;
    bool open = true;

    add_modes(c, r);
    if (r->nsources == 0)
        add_configured_mode(c, r);
    modes = r->nsources;
    /* Roots add to workspace-write, and to what the CLI would choose; a read-only mode is not moved by them. */
    for (size_t k = 0; k < modes; k++)
        open = k == 0 ? r->sources[k].access == ACCESS_WORKSPACE_WRITE
                      : open || r->sources[k].access == ACCESS_WORKSPACE_WRITE;
    if (!open || !add_wide_roots(c, r))
        return;
    /* The mode and its roots are one spelling. */
    for (size_t k = 0; k < modes; k++)
        if (r->sources[k].access == ACCESS_WORKSPACE_WRITE)
            r->sources[k].access = ACCESS_FULL;
}

static const char *
override_string(const struct codex_config *c, const char *key)
{
    struct codex_setting s = codex_config_override(c, (const char *const[]){key, NULL});

    return s.value == NULL ? NULL : s.value->string != NULL ? s.value->string : "(not a string)";
}

/* Sets model and effort: those of the command line, or what managed configuration puts over them. */
static void
add_model(const struct codex_config *c, struct request *r)
{
    const struct occurrence *model = command_last(&c->i->command, CODEX_MODEL);

    r->model = model != NULL ? model->value : override_string(c, "model");
    r->effort = override_string(c, "model_reasoning_effort");
    for (size_t k = 0; k < c->nlayers; k++) {
        const char *managed;

        if (c->layers[k].role != CODEX_MANAGED)
            continue;
        managed = toml_get_string(c->layers[k].table, "model_reasoning_effort");
        if (r->effort != NULL && managed != NULL && strcmp(managed, r->effort) != 0) {
            r->effort = managed;
            r->effort_source = c->layers[k].file;
        }
        managed = toml_get_string(c->layers[k].table, "model");
        if (r->model != NULL && model == NULL && managed != NULL)
            r->model = managed;
    }
}

/* A review takes review_model, wherever that is set, before the model of the command line. */
static void
add_review_model(const struct codex_config *c, struct request *r)
{
    static const char *const path[] = {"review_model", NULL};
    const struct codex_setting s = codex_config_find(c, path, true);
    const char *name = command_leaf(&c->i->command)->name;

    if (r->model == NULL || s.value == NULL || s.value->string == NULL || name == NULL ||
        strcmp(name, "review") != 0)
        return;
    r->model = s.value->string;
    r->model_source = mem_printf(c->m, "review_model in %s", s.file != NULL ? s.file : "the arguments (-c)");
}

static const char *
provider(const struct codex_config *c)
{
    static const char *const provider_path[] = {"model_provider", NULL}, *const oss_path[] = {"oss_provider",
                                                                                              NULL};
    static const char *const own_path[] = {"model_providers", "openai", NULL};
    const struct occurrence *local = command_last(&c->i->command, CODEX_LOCAL_PROVIDER);
    struct codex_setting s;

    /* --local-provider without --oss has no effect in 0.171. It still says what is meant. */
    if (local != NULL)
        return local->value;
    if (command_last(&c->i->command, CODEX_OSS) != NULL) {
        s = codex_config_find(c, oss_path, true);
        return s.value != NULL && s.value->string != NULL ? s.value->string : "oss";
    }
    s = codex_config_find(c, provider_path, true);
    if (s.value != NULL && s.value->string == NULL)
        return "(not a string)";
    if (s.value != NULL && strcmp(s.value->string, "openai") != 0)
        return s.value->string;
    /* 0.171 rejects it; others took it. */
    return codex_config_find(c, own_path, true).value != NULL ? "model_providers.openai" : NULL;
}

static void
add_endpoints(const struct codex_config *c, struct request *r)
{
    static const char *const variables[] = {"OPENAI_BASE_URL", "CODEX_OSS_BASE_URL", "CODEX_OSS_PORT", NULL};
    static const char *const settings[] = {"openai_base_url", "chatgpt_base_url", NULL};

    for (const char *const *v = variables; *v != NULL; v++) {
        const char *value = env_get(c->i->envp, *v);

        if (value != NULL && *value != '\0')
            strings_add(c->m, &r->endpoints, *v);
    }
    for (const char *const *s = settings; *s != NULL; s++)
        if (codex_config_find(c, (const char *const[]){*s, NULL}, true).value != NULL)
            strings_add(c->m, &r->endpoints, *s);
}

static bool
is_interactive(const struct command *line)
{
    for (size_t k = 0; k < line->depth; k++)
        if (line->path[k]->id == CODEX_RUNS_BATCH)
            return false;
    return true;
}

/* Why the sandbox may not hold what it is asked to; NULL: nothing is known. */
static const char *
doubt(const struct codex_config *c)
{
    const struct codex_setting reviewer = codex_reviewer(c, true);
    const struct occurrence *approve = command_last(&c->i->command, CODEX_APPROVE);
    const char *in = reviewer.file != NULL ? reviewer.file : "the arguments (-c)";

    if (approve != NULL || reviewer.value != NULL)
        return mem_printf(c->m, "%s%s lets a model approve commands, which then run outside the sandbox",
                          approve != NULL ? occurrence_spelling(c->m, &c->i->command, approve)
                                          : "approvals_reviewer in ",
                          approve != NULL ? "" : in);
    if (c->rules != NULL)
        return mem_printf(c->m, "%s has rules, and what a rule allows runs outside the sandbox", c->rules);
    return NULL;
}

void
codex_request(struct mem *m, const struct invocation *i, struct request *out)
{
    struct codex_config c;

    codex_config_read(m, i, &c);
    add_sources(&c, out);
    add_model(&c, out);
    add_review_model(&c, out);
    add_endpoints(&c, out);
    out->provider = provider(&c);
    out->interactive = is_interactive(&i->command);
    out->config_broken = c.broken;
    out->config_detail = c.detail;
    out->unknown = i->command.unknown == 0 ? NULL : i->command.argv[i->command.unknown];
    out->malformed = codex_rejects(&c);
    out->vendor_refuses = codex_refuses_full(&c);
    out->unverified = doubt(&c);
}
