/* What codex would reject about the access options of a launch. */
#include <string.h>

#include "codex.h"

/* Whether the word would be an access option somewhere else. */
static bool
spells_access(const char *word)
{
    static const char *const names[] = {"--sandbox",     "--dangerously-bypass-approvals-and-sandbox",
                                        "--yolo",        "--approve-for-me",
                                        "--not-so-yolo", "--full-auto",
                                        "--add-dir",     NULL};

    if (word[1] == 's')
        return true;
    for (const char *const *n = names; *n != NULL; n++) {
        size_t length = strlen(*n);

        if (strncmp(word, *n, length) == 0 && (word[length] == '\0' || word[length] == '='))
            return true;
    }
    return false;
}

/* Two options that clap does not take at one level. */
static const char *
conflict(const struct codex_config *c, int one, int other)
{
    const struct command *line = &c->i->command;
    /* The last of each at the level being read: levels do not come back. */
    const struct occurrence *seen[COMMAND_DEPTH][2] = {{NULL}};

    for (size_t k = 0; k < line->noptions; k++) {
        const struct occurrence *o = &line->options[k], **pair = seen[o->level];

        if (o->spec->id != one && o->spec->id != other)
            continue;
        pair[o->spec->id == one] = o;
        if (pair[0] != NULL && pair[1] != NULL)
            return mem_printf(c->m, "%s (argument %zu) cannot be combined with %s (argument %zu)",
                              occurrence_spelling(c->m, line, pair[1]), pair[1]->word,
                              occurrence_spelling(c->m, line, pair[0]), pair[0]->word);
    }
    return NULL;
}

static bool
spells_mode(const struct command *line)
{
    for (size_t k = 0; k < line->noptions; k++)
        if (codex_option_access(&line->options[k]) != ACCESS_UNSPECIFIED)
            return true;
    return false;
}

/* Permission profiles that are defined where nothing chooses one: codex stops, and for those of -c beside --sandbox, too. */
static const char *
stray_profiles(const struct codex_config *c)
{
    static const char *const mode_path[] = {"sandbox_mode", NULL}, *const profile_path[] = {
                                                                       "default_permissions", NULL};
    static const char *const tables_path[] = {"permissions", NULL};
    const struct command *line = &c->i->command;
    const struct toml_value *tables = codex_config_merged(c, "permissions");

    if (tables == NULL || tables->type != TOML_TABLE || tables->count == 0 ||
        codex_config_find(c, mode_path, true).value != NULL ||
        codex_config_find(c, profile_path, true).value != NULL || command_last(line, CODEX_APPROVE) != NULL)
        return NULL;
    if (spells_mode(line) && codex_config_override(c, tables_path).value == NULL)
        return NULL;
    return "permissions defines profiles, and nothing sets default_permissions";
}

/* A profile of configuration files that there is not, where it would hold. */
static const char *
configured_profile(const struct codex_config *c)
{
    static const char *const mode_path[] = {"sandbox_mode", NULL}, *const profile_path[] = {
                                                                       "default_permissions", NULL};
    const struct command *line = &c->i->command;
    const struct codex_layer *l = codex_configured_mode(c);
    const struct toml_value *name = l == NULL ? NULL : toml_get(l->table, "default_permissions");

    if (spells_mode(line) || name == NULL || codex_profile_exists(c, name) ||
        codex_config_override(c, mode_path).value != NULL ||
        codex_config_override(c, profile_path).value != NULL)
        return NULL;
    return mem_printf(c->m, "%s: default_permissions names no permission profile", l->file);
}

static bool
is_path_list(const struct toml_value *v)
{
    for (size_t k = 0; v->type == TOML_ARRAY && k < v->count; k++)
        if (v->items[k]->type != TOML_STRING)
            return false;
    return v->type == TOML_ARRAY;
}

/* Rendering removes assignments to sandbox_workspace_write; one that codex rejects must not become a launch by that. */
static const char *
rejected_roots(const struct codex_config *c)
{
    static const char *const switches[] = {"network_access", "exclude_tmpdir_env_var", "exclude_slash_tmp",
                                           NULL};
    const struct toml_value *table = codex_config_merged(c, "sandbox_workspace_write"), *v;

    if (table == NULL)
        return NULL;
    if (table->type != TOML_TABLE)
        return "sandbox_workspace_write is no table";
    v = toml_get(table, "writable_roots");
    if (v != NULL && !is_path_list(v))
        return "sandbox_workspace_write.writable_roots takes a list of paths";
    for (const char *const *s = switches; *s != NULL; s++) {
        v = toml_get(table, *s);
        if (v != NULL && v->type != TOML_BOOLEAN)
            return mem_printf(c->m, "sandbox_workspace_write.%s takes true or false", *s);
    }
    return NULL;
}

/* What codex rejects among the values of access options. */
static const char *
rejected_value(const struct codex_config *c)
{
    static const char *const mode_path[] = {"sandbox_mode", NULL}, *const profile_path[] = {
                                                                       "default_permissions", NULL};
    const struct command *line = &c->i->command;
    struct codex_setting s;
    const char *why;
    bool known;

    for (size_t k = 0; k < line->noptions; k++) {
        const struct occurrence *o = &line->options[k];
        struct toml_value word = {.type = TOML_STRING, .string = o->value};

        if (o->value == NULL)
            continue;
        if (o->spec->id == CODEX_SANDBOX && (codex_mode(&word, &known), !known))
            return mem_printf(c->m,
                              "%s (argument %zu) takes read-only, workspace-write or danger-full-access",
                              occurrence_spelling(c->m, line, o), o->word);
        if (o->spec->id == CODEX_ADD_DIR && *o->value == '\0')
            return mem_printf(c->m, "--add-dir (argument %zu) has no value", o->word);
    }
    /* --approve-for-me sets sandbox_mode itself, and codex never sees the other value. */
    s = codex_config_override(c, mode_path);
    if (s.value != NULL && command_last(line, CODEX_APPROVE) == NULL && (codex_mode(s.value, &known), !known))
        return "-c sandbox_mode takes read-only, workspace-write or danger-full-access";
    s = codex_config_override(c, profile_path);
    if (s.value != NULL && !codex_profile_exists(c, s.value))
        return "-c default_permissions names no permission profile";
    why = configured_profile(c);
    if (why == NULL)
        why = stray_profiles(c);
    return why != NULL ? why : rejected_roots(c);
}

const char *
codex_rejects(const struct codex_config *c)
{
    static const int options[] = {CODEX_SANDBOX,   CODEX_BYPASS,  CODEX_APPROVE,
                                  CODEX_FULL_AUTO, CODEX_ADD_DIR, CODEX_CONFIG};
    static const int conflicts[][2] = {{CODEX_APPROVE, CODEX_SANDBOX},
                                       {CODEX_APPROVE, CODEX_BYPASS},
                                       {CODEX_APPROVAL, CODEX_BYPASS},
                                       {CODEX_APPROVE, CODEX_APPROVAL}};
    const struct command *line = &c->i->command;
    const char *why = NULL;

    for (size_t k = 0; why == NULL && k < sizeof(options) / sizeof(*options); k++)
        why = command_malformed(c->m, line, options[k]);
    for (size_t k = 0; why == NULL && k < sizeof(conflicts) / sizeof(*conflicts); k++)
        why = conflict(c, conflicts[k][0], conflicts[k][1]);
    for (size_t k = line->unknown; why == NULL && k != 0 && k < line->argc; k++)
        if (line->words[k].kind == WORD_UNKNOWN && spells_access(line->argv[k]))
            why = mem_printf(c->m, "%s (argument %zu) is not taken there", line->argv[k], k);
    return why != NULL ? why : rejected_value(c);
}
