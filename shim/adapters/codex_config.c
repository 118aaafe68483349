/* The configuration that codex would load: which files count, and how their tables go together. */
#include <errno.h>
#include <string.h>

#include "codex.h"

static struct toml_value *
new_table(struct mem *m)
{
    struct toml_value *t = mem_alloc(m, sizeof(*t));

    t->type = TOML_TABLE;
    return t;
}

/* Sets a key of a table that put made or copied. */
static void
put(struct mem *m, struct toml_value *table, const char *key, struct toml_value *value)
{
    for (size_t k = 0; k < table->count; k++)
        if (strcmp(table->pairs[k].key, key) == 0) {
            table->pairs[k].value = value;
            return;
        }
    if (table->count >= table->room) {
        size_t room = table->count < 4 ? 8 : table->count * 2;
        struct toml_pair *pairs = mem_array(m, room, sizeof(*pairs));

        if (table->count != 0)
            memcpy(pairs, table->pairs, table->count * sizeof(*pairs));
        table->pairs = pairs;
        table->room = room;
    }
    table->pairs[table->count++] = (struct toml_pair){.key = key, .value = value};
}

/* Sets a path of keys with dots between them; what is in the way gives way. */
static void
put_path(struct mem *m, struct toml_value *table, const char *path, struct toml_value *value)
{
    for (;;) {
        size_t length = strcspn(path, ".");
        const char *key = mem_strndup(m, path, length);
        struct toml_value *inner;

        if (path[length] == '\0') {
            put(m, table, key, value);
            return;
        }
        inner = toml_get(table, key);
        if (inner == NULL || inner->type != TOML_TABLE) {
            inner = new_table(m);
            put(m, table, key, inner);
        }
        table = inner;
        path += length + 1;
    }
}

static struct toml_value *
merge(struct mem *m, const struct toml_value *base, struct toml_value *over)
{
    struct toml_value *t;

    if (base == NULL || over == NULL || base->type != TOML_TABLE || over->type != TOML_TABLE)
        return over;
    t = new_table(m);
    for (size_t k = 0; k < base->count; k++)
        put(m, t, base->pairs[k].key, base->pairs[k].value);
    for (size_t k = 0; k < over->count; k++)
        put(m, t, over->pairs[k].key, merge(m, toml_get(base, over->pairs[k].key), over->pairs[k].value));
    return t;
}

static void
add_layer(struct codex_config *c, struct toml_value *table, const char *file, int role)
{
    if (table != NULL)
        c->layers[c->nlayers++] = (struct codex_layer){.table = table, .file = file, .role = role};
}

static void
broken(struct codex_config *c, const char *detail)
{
    if (!c->broken)
        c->detail = detail;
    c->broken = true;
}

/* Returns the table of a file, or NULL where it is not there or is broken, which *detail then tells. */
static struct toml_value *
read_file(struct codex_config *c, const struct config_file *f, const char **detail)
{
    struct toml_error error;
    struct toml_value *table;

    *detail = NULL;
    if (f->error == ENOENT || f->error == ENOTDIR || (f->error == 0 && f->text == NULL))
        return NULL;
    if (f->error != 0) {
        *detail = mem_printf(c->m, "%s: %s", f->path, strerror(f->error));
        return NULL;
    }
    table = toml_read(c->m, f->text, f->length, &error);
    if (table == NULL)
        *detail = mem_printf(c->m, "%s:%zu:%zu: %s", f->path, error.line, error.column, error.message);
    return table;
}

static void
read_role(struct codex_config *c, int role)
{
    /* The files of a role are named strongest first. */
    for (size_t k = c->i->nfiles; k-- > 0;) {
        const struct config_file *f = &c->i->files[k];
        const char *detail;

        if (f->role != role)
            continue;
        add_layer(c, read_file(c, f, &detail), f->path, role);
        if (detail != NULL)
            broken(c, detail);
    }
}

/* The main repository of a git worktree, from the .git file of the worktree; NULL: not in one. */
static const char *
main_repository(const struct codex_config *c)
{
    for (size_t k = 0; k < c->i->nfiles; k++) {
        const struct config_file *f = &c->i->files[k];
        const char *begin, *end;

        if (f->role != CODEX_GIT_LINK || f->text == NULL || strncmp(f->text, "gitdir:", 7) != 0)
            continue;
        begin = f->text + 7 + strspn(f->text + 7, " ");
        end = strstr(begin, "/.git/worktrees/");
        if (end != NULL && memchr(begin, '\n', (size_t)(end - begin)) == NULL)
            return path_absolute(c->m, c->i, mem_strndup(c->m, begin, (size_t)(end - begin)), c->i->git_top);
    }
    return NULL;
}

/* "trusted", "untrusted" or NULL. A directory is looked up by the place that it leads to, else by its name. */
static const char *
trust_level(const struct codex_config *c, const struct toml_value *projects, const char *directory)
{
    const char *place = NULL, *level;

    if (directory == NULL)
        return NULL;
    if (c->i->named != NULL && c->i->canonical != NULL)
        place = c->i->canonical(c->m, directory);
    level = place == NULL ? NULL : toml_get_string(toml_get(projects, place), "trust_level");
    return level != NULL ? level : toml_get_string(toml_get(projects, directory), "trust_level");
}

/* codex asks for each directory with a .codex: itself, else the project root, else the main repository. */
static bool
is_trusted(const struct codex_config *c, const struct toml_value *projects, const char *directory)
{
    const char *level = trust_level(c, projects, directory);

    if (level == NULL)
        level = trust_level(c, projects, c->root);
    if (level == NULL)
        level = trust_level(c, projects, main_repository(c));
    if (level == NULL && command_last(&c->i->command, CODEX_TRUST) != NULL)
        return true;
    return level != NULL && strcmp(level, "trusted") == 0;
}

static void
read_project(struct codex_config *c)
{
    const struct toml_value *projects = codex_config_merged(c, "projects");

    for (size_t k = c->i->nfiles; k-- > 0;) {
        const struct config_file *f = &c->i->files[k];
        const char *detail = NULL;

        if (f->role != CODEX_PROJECT ||
            !is_trusted(c, projects, path_parent(c->m, path_parent(c->m, f->path))))
            continue;
        add_layer(c, read_file(c, f, &detail), f->path, CODEX_PROJECT);
        if (detail != NULL)
            broken(c, detail);
    }
}

/* Whether the names in a directory are those of rules. What cannot be read may be. */
static bool
has_rules(const struct config_file *f)
{
    if (f->error != 0)
        return f->error != ENOENT && f->error != ENOTDIR;
    return f->text != NULL && strstr(f->text, ".rules\n") != NULL;
}

/* A rule that allows a command takes it out of the sandbox, whatever mode holds (0.171: also -s read-only). */
static void
read_rules(struct codex_config *c)
{
    const struct toml_value *projects = codex_config_merged(c, "projects");

    if (command_last(&c->i->command, CODEX_IGNORE_RULES) != NULL)
        return;
    for (size_t k = 0; k < c->i->nfiles; k++) {
        const struct config_file *f = &c->i->files[k];
        bool project = f->role == CODEX_PROJECT_RULES;

        if ((f->role != CODEX_RULES && !project) || !has_rules(f))
            continue;
        if (!project || is_trusted(c, projects, path_parent(c->m, path_parent(c->m, f->path))))
            c->rules = f->path;
    }
}

static void
read_requirements(struct codex_config *c)
{
    for (size_t k = 0; k < c->i->nfiles; k++) {
        const char *detail = NULL;

        if (c->i->files[k].role != CODEX_REQUIREMENTS)
            continue;
        c->requirements = read_file(c, &c->i->files[k], &detail);
        if (detail != NULL) {
            c->requirements_broken = true;
            broken(c, detail);
        }
    }
}

void
codex_config_read(struct mem *m, const struct invocation *i, struct codex_config *out)
{
    struct toml_value *overrides = new_table(m);
    size_t settled;

    memset(out, 0, sizeof(*out));
    out->m = m;
    out->i = i;
    out->layers = mem_array(m, i->nfiles + 2, sizeof(*out->layers));
    out->nassignments = codex_assignments(m, &i->command, &out->assignments);
    for (size_t k = 0; k < out->nassignments; k++)
        put_path(m, overrides, out->assignments[k].key, out->assignments[k].value);

    read_role(out, CODEX_SYSTEM);
    if (command_last(&i->command, CODEX_IGNORE_USER_CONFIG) == NULL) {
        read_role(out, CODEX_USER);
        read_role(out, CODEX_USER_PROFILE);
    }
    settled = out->nlayers;
    add_layer(out, overrides, NULL, CODEX_USER);
    read_role(out, CODEX_MANAGED);
    if (out->nlayers > settled) {
        /* Trust is looked up in all of these; then the project's files go between the user's and the assignments. */
        size_t strong = out->nlayers - settled, projects;
        struct codex_layer *kept = mem_array(m, strong, sizeof(*kept));

        codex_find_root(out);
        read_project(out);
        projects = out->nlayers - settled - strong;
        memcpy(kept, out->layers + settled, strong * sizeof(*kept));
        memmove(out->layers + settled, out->layers + settled + strong, projects * sizeof(*kept));
        memcpy(out->layers + settled + projects, kept, strong * sizeof(*kept));
    }
    read_requirements(out);
    read_rules(out);
}

/* Follows a path of keys. What stands in its way is returned as the value: codex rejects it, and it is no known one. */
static struct toml_value *
follow(struct toml_value *at, const char *const *path)
{
    for (; at != NULL && at->type == TOML_TABLE && *path != NULL; path++)
        at = toml_get(at, *path);
    return at;
}

struct codex_setting
codex_config_find(const struct codex_config *c, const char *const *path, bool with_overrides)
{
    for (size_t k = c->nlayers; k-- > 0;) {
        const struct codex_layer *l = &c->layers[k];
        struct toml_value *value;

        if (l->file == NULL && !with_overrides)
            continue;
        /* A project's choice of provider is not honoured. */
        if (l->role == CODEX_PROJECT && strcmp(path[0], "model_provider") == 0)
            continue;
        value = follow(l->table, path);
        if (value != NULL)
            return (struct codex_setting){.value = value, .file = l->file};
    }
    return (struct codex_setting){0};
}

struct codex_setting
codex_config_override(const struct codex_config *c, const char *const *path)
{
    for (size_t k = 0; k < c->nlayers; k++)
        if (c->layers[k].file == NULL)
            return (struct codex_setting){.value = follow(c->layers[k].table, path)};
    return (struct codex_setting){0};
}

struct toml_value *
codex_config_merged(const struct codex_config *c, const char *key)
{
    struct toml_value *merged = NULL;

    for (size_t k = 0; k < c->nlayers; k++) {
        struct toml_value *value = toml_get(c->layers[k].table, key);

        if (value != NULL)
            merged = merge(c->m, merged, value);
    }
    return merged;
}

struct codex_setting
codex_reviewer(const struct codex_config *c, bool with_overrides)
{
    static const char *const path[] = {"approvals_reviewer", NULL};
    struct codex_setting s = codex_config_find(c, path, with_overrides);

    if (s.value != NULL && s.value->type == TOML_STRING && strcmp(s.value->string, "user") == 0)
        s.value = NULL;
    return s;
}

static const char *const roots_path[] = {"sandbox_workspace_write", "writable_roots", NULL};

bool
codex_has_roots(const struct codex_config *c)
{
    const struct toml_value *roots = codex_config_find(c, roots_path, false).value;

    return roots != NULL && (roots->type != TOML_ARRAY || roots->count != 0);
}

const char *
codex_wide_root(const struct codex_config *c, bool with_overrides, const char **file)
{
    struct codex_setting s = codex_config_find(c, roots_path, with_overrides);
    const char *base = s.file == NULL ? c->i->cwd : path_parent(c->m, s.file);

    *file = s.file;
    if (s.value == NULL)
        return NULL;
    if (s.value->type != TOML_ARRAY)
        return "(not a list)";
    for (size_t k = 0; k < s.value->count; k++) {
        const struct toml_value *item = s.value->items[k];

        if (item->type != TOML_STRING)
            return "(not a path)";
        if (path_is_wide(c->m, c->i, item->string, base))
            return item->string;
    }
    return NULL;
}
