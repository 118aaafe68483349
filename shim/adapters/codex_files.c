/* Which files codex reads its configuration from, and what it takes for the project. */
#include <errno.h>
#include <string.h>

#include "codex.h"

/* Every marker is looked for in every directory above the session's. */
#define MARKERS_MAX 64

/* The names that mark the project root: a directory that has one of them. Whatever codex rejects marks none. */
static void
read_markers(struct codex_config *c)
{
    static const char *const path[] = {"project_root_markers", NULL};
    const struct toml_value *names = codex_config_find(c, path, true).value;

    if (names == NULL)
        strings_add(c->m, &c->markers, mem_strdup(c->m, ".git"));
    for (size_t k = 0; names != NULL && names->type == TOML_ARRAY && k < names->count; k++)
        if (names->items[k]->type == TOML_STRING)
            strings_add(c->m, &c->markers, mem_strdup(c->m, names->items[k]->string));
    if (c->markers.count > MARKERS_MAX) {
        c->broken = true;
        c->detail = "project_root_markers names too many";
        c->markers.count = 0;
    }
}

static const char *
join(struct mem *m, const char *directory, const char *name)
{
    return mem_printf(m, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory, name);
}

static bool
is_there(const struct config_file *f)
{
    return f != NULL && f->error != ENOENT && f->error != ENOTDIR && f->error != ELOOP;
}

/* The next file of the role CODEX_MARK from *at on. */
static const struct config_file *
next_mark(const struct invocation *i, size_t *at)
{
    while (*at < i->nfiles)
        if (i->files[(*at)++].role == CODEX_MARK)
            return &i->files[*at - 1];
    return NULL;
}

/* The working directory that codex looks for its files from: with -C a link, the link's place. */
static const char *
files_directory(struct mem *m, const struct invocation *i)
{
    return i->cwd == NULL ? NULL : path_absolute(m, i, i->named != NULL ? i->named : i->cwd, NULL);
}

void
codex_find_root(struct codex_config *c)
{
    const char *cwd = files_directory(c->m, c->i);
    size_t at = 0;

    read_markers(c);
    c->root = cwd;
    /* In the order in which they were named. */
    for (const char *d = cwd; d != NULL; d = path_parent(c->m, d))
        for (size_t k = 0; k < c->markers.count; k++) {
            const struct config_file *mark = next_mark(c->i, &at), *inside = NULL;
            bool git = strcmp(c->markers.items[k], ".git") == 0;

            if (git)
                inside = next_mark(c->i, &at);
            /* A directory of that name is a repository only with a HEAD; anything else is taken as it is. */
            if (is_there(mark) && (!git || inside == NULL || inside->error != ENOENT)) {
                c->root = d;
                return;
            }
        }
}

static const char *
codex_home(struct mem *m, const struct invocation *i)
{
    const char *home = env_get(i->envp, "CODEX_HOME");

    if (home != NULL && *home != '\0')
        return path_absolute(m, i, home, i->cwd);
    return i->home == NULL ? NULL : path_absolute(m, i, ".codex", i->home);
}

/* -p takes a plain name, else codex stops. */
static bool
is_plain_name(const char *name)
{
    return name != NULL && *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

static void
name_settled(struct mem *m, const struct invocation *i, struct config_list *out)
{
    const struct occurrence *profile = command_last(&i->command, CODEX_PROFILE);
    const char *home = codex_home(m, i);

    if (home != NULL) {
        config_list_add(m, out, mem_printf(m, "%s/config.toml", home), CODEX_USER);
        if (profile != NULL && is_plain_name(profile->value))
            config_list_add(m, out, mem_printf(m, "%s/%s.config.toml", home, profile->value),
                            CODEX_USER_PROFILE);
        config_list_add_directory(m, out, mem_printf(m, "%s/rules", home), CODEX_RULES);
    }
    config_list_add_directory(m, out, "/etc/codex/rules", CODEX_RULES);
    if (i->git_top != NULL)
        config_list_add(m, out, mem_printf(m, "%s/.git", i->git_top), CODEX_GIT_LINK);
    config_list_add(m, out, "/etc/codex/config.toml", CODEX_SYSTEM);
    config_list_add(m, out, "/etc/codex/managed_config.toml", CODEX_MANAGED);
    config_list_add(m, out, "/etc/codex/requirements.toml", CODEX_REQUIREMENTS);
}

static void
name_marks(const struct codex_config *c, const char *cwd, struct config_list *out)
{
    for (const char *d = cwd; d != NULL; d = path_parent(c->m, d))
        for (size_t k = 0; k < c->markers.count; k++) {
            const char *path = join(c->m, d, c->markers.items[k]);

            config_list_add(c->m, out, path, CODEX_MARK);
            if (strcmp(c->markers.items[k], ".git") == 0)
                config_list_add(c->m, out, mem_printf(c->m, "%s/HEAD", path), CODEX_MARK);
        }
}

static void
name_project(const struct codex_config *c, const char *cwd, struct config_list *out)
{
    const char *home = codex_home(c->m, c->i);
    const char *user = home == NULL ? NULL : mem_printf(c->m, "%s/config.toml", home);

    for (const char *d = cwd; d != NULL; d = strcmp(d, c->root) == 0 ? NULL : path_parent(c->m, d)) {
        const char *path = join(c->m, d, ".codex/config.toml");

        if (user != NULL && strcmp(path, user) == 0)
            continue;
        config_list_add(c->m, out, path, CODEX_PROJECT);
        config_list_add_directory(c->m, out, join(c->m, d, ".codex/rules"), CODEX_PROJECT_RULES);
    }
}

static bool
has_role(const struct invocation *i, int role)
{
    for (size_t k = 0; k < i->nfiles; k++)
        if (i->files[k].role == role)
            return true;
    return false;
}

void
codex_config_files(struct mem *m, const struct invocation *i, struct config_list *out)
{
    const char *cwd = files_directory(m, i);
    struct codex_config c;

    if (!has_role(i, CODEX_SYSTEM)) {
        name_settled(m, i, out);
        return;
    }
    if (cwd == NULL || has_role(i, CODEX_PROJECT))
        return;
    /* What marks the project root is in the files that were named first, and the project's own are named by it. */
    codex_config_read(m, i, &c);
    if (c.markers.count != 0 && !has_role(i, CODEX_MARK))
        name_marks(&c, cwd, out);
    else
        name_project(&c, cwd, out);
}
