/* What the values of sandbox_mode, default_permissions and requirements.toml allow. */
#include <string.h>

#include "codex.h"

enum access
codex_mode(const struct toml_value *value, bool *known)
{
    *known = true;
    if (value->type == TOML_STRING) {
        if (strcmp(value->string, "read-only") == 0)
            return ACCESS_READ_ONLY;
        if (strcmp(value->string, "workspace-write") == 0)
            return ACCESS_WORKSPACE_WRITE;
        if (strcmp(value->string, "danger-full-access") == 0)
            return ACCESS_FULL;
    }
    *known = false;
    return ACCESS_FULL;
}

/* The wider of two: unspecified counts as nothing. */
static enum access
wider(enum access a, enum access b)
{
    return a > b ? a : b;
}

/* What write access to a path of a profile's filesystem table comes to. */
static enum access
write_to(const struct codex_config *c, const char *path)
{
    static const char *const inside[] = {":workspace_roots", ":project_roots", ":tmpdir", ":slash_tmp", NULL};
    const char *absolute;

    for (const char *const *s = inside; *s != NULL; s++)
        if (strcmp(*s, path) == 0)
            return ACCESS_WORKSPACE_WRITE;
    /* ":root", and names that other versions may know; globs may begin anywhere. */
    if (path[0] == ':' || strpbrk(path, "*?[{") != NULL || c->i->project == NULL)
        return ACCESS_FULL;
    absolute = path_absolute(c->m, c->i, path, NULL);
    return absolute != NULL && path_holds(c->i->project, absolute) ? ACCESS_WORKSPACE_WRITE : ACCESS_FULL;
}

static bool
only_reads(const struct toml_value *access)
{
    return access->type == TOML_STRING &&
           (strcmp(access->string, "read") == 0 || strcmp(access->string, "deny") == 0 ||
            strcmp(access->string, "none") == 0);
}

/* An entry is an access word, or a table of words by path below. */
static enum access
entry(const struct codex_config *c, const char *path, const struct toml_value *access)
{
    enum access widest = ACCESS_READ_ONLY;

    if (access->type != TOML_TABLE)
        return only_reads(access) ? ACCESS_READ_ONLY : write_to(c, path);
    for (size_t k = 0; k < access->count; k++)
        if (!only_reads(access->pairs[k].value))
            widest =
                wider(widest, strstr(access->pairs[k].key, "..") != NULL ? ACCESS_FULL : write_to(c, path));
    return widest;
}

static enum access
profile_table(const struct codex_config *c, const struct toml_value *profiles, const char *name, int depth)
{
    enum access widest = ACCESS_READ_ONLY;
    const struct toml_value *table = toml_get(profiles, name), *files, *roots, *extends;

    if (strcmp(name, ":read-only") == 0)
        return ACCESS_READ_ONLY;
    if (strcmp(name, ":workspace") == 0)
        return ACCESS_WORKSPACE_WRITE;
    if (name[0] == ':' || depth == 0 || table == NULL || table->type != TOML_TABLE)
        return ACCESS_FULL;
    extends = toml_get(table, "extends");
    if (extends != NULL)
        widest = extends->type == TOML_STRING ? profile_table(c, profiles, extends->string, depth - 1)
                                              : ACCESS_FULL;
    files = toml_get(table, "filesystem");
    if (files != NULL && files->type != TOML_TABLE)
        return ACCESS_FULL;
    for (size_t k = 0; files != NULL && k < files->count; k++)
        widest = wider(widest, entry(c, files->pairs[k].key, files->pairs[k].value));
    roots = toml_get(table, "workspace_roots");
    if (roots != NULL && roots->type != TOML_TABLE)
        return ACCESS_FULL;
    for (size_t k = 0; roots != NULL && k < roots->count; k++)
        if (roots->pairs[k].value->type != TOML_BOOLEAN || roots->pairs[k].value->boolean)
            widest = wider(widest, write_to(c, roots->pairs[k].key));
    return widest;
}

enum access
codex_profile(const struct codex_config *c, const struct toml_value *name)
{
    /* Profiles extend each other only so far. */
    enum { DEPTH = 8 };

    if (name->type != TOML_STRING)
        return ACCESS_FULL;
    return profile_table(c, codex_config_merged(c, "permissions"), name->string, DEPTH);
}

bool
codex_profile_exists(const struct codex_config *c, const struct toml_value *name)
{
    static const char *const known[] = {":read-only", ":workspace", ":danger-full-access", NULL};

    if (name->type != TOML_STRING)
        return false;
    for (const char *const *k = known; *k != NULL; k++)
        if (strcmp(*k, name->string) == 0)
            return true;
    return name->string[0] != ':' && toml_get(codex_config_merged(c, "permissions"), name->string) != NULL;
}

/* Whether a list of sandbox modes is there and lacks full access. */
static bool
leaves_out_full(const struct toml_value *modes)
{
    if (modes == NULL)
        return false;
    for (size_t k = 0; modes->type == TOML_ARRAY && k < modes->count; k++)
        if (modes->items[k]->type == TOML_STRING &&
            strcmp(modes->items[k]->string, "danger-full-access") == 0)
            return false;
    return true;
}

const char *
codex_refuses_full(const struct codex_config *c)
{
    const struct toml_value *profiles = toml_get(c->requirements, "allowed_permission_profiles");
    const struct toml_value *full = toml_get(profiles, ":danger-full-access");
    const struct toml_value *remote = toml_get(c->requirements, "remote_sandbox_config");

    if (c->requirements_broken)
        return "/etc/codex/requirements.toml cannot be read";
    if (leaves_out_full(toml_get(c->requirements, "allowed_sandbox_modes")))
        return "/etc/codex/requirements.toml: allowed_sandbox_modes has no danger-full-access";
    if (profiles != NULL && (full == NULL || full->type != TOML_BOOLEAN || !full->boolean))
        return "/etc/codex/requirements.toml: allowed_permission_profiles does not allow :danger-full-access";
    if (toml_get(toml_get(toml_get(c->requirements, "permissions"), "filesystem"), "deny_read") != NULL)
        return "/etc/codex/requirements.toml: permissions.filesystem.deny_read needs a sandbox";
    /* By host name, which nothing here knows. */
    for (size_t k = 0; remote != NULL && remote->type == TOML_ARRAY && k < remote->count; k++)
        if (leaves_out_full(toml_get(remote->items[k], "allowed_sandbox_modes")))
            return "/etc/codex/requirements.toml: remote_sandbox_config has no danger-full-access for some "
                   "hosts";
    /* codex takes the sandbox mode of managed_config.toml for a requirement. */
    for (size_t k = 0; k < c->nlayers; k++) {
        const struct toml_value *mode = toml_get(c->layers[k].table, "sandbox_mode");
        bool known;

        if (c->layers[k].role == CODEX_MANAGED && mode != NULL && codex_mode(mode, &known) != ACCESS_FULL)
            return "/etc/codex/managed_config.toml: sandbox_mode is not danger-full-access";
    }
    return NULL;
}
