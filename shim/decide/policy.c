/* What holds: the project's policy, the host's consent to it, and the ceiling. */
#include "policy.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "policy_file.h"

/* One file, as far as it counts: values are the defaults for what it does not say. */
struct policy_source {
    struct grant_policy *grant;
    struct policy_values says, counts;
};

static bool
same_list(const struct strings *a, const struct strings *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!strings_has(b, a->items[i]))
            return false;
    return true;
}

static bool
same_value(const struct policy_values *a, const struct policy_values *b, enum policy_key key)
{
    switch (policy_keys[key].kind) {
    case KIND_CHOICE:
        return a->choice[key] == b->choice[key];
    case KIND_FEWER:
    case KIND_MORE:
        return same_list(&a->list[key], &b->list[key]);
    default:
        return true;
    }
}

/* Of each value the stricter. */
static void
stricter(struct mem *m, const struct policy_values *a, const struct policy_values *b,
         struct policy_values *out)
{
    struct policy_values result = *a;

    for (size_t key = 0; key < POLICY_KEYS; key++) {
        const struct strings *x = &a->list[key], *y = &b->list[key];
        struct strings *list = &result.list[key];

        if (b->choice[key] < a->choice[key])
            result.choice[key] = b->choice[key];
        if (policy_keys[key].kind == KIND_FEWER || policy_keys[key].kind == KIND_MORE) {
            bool fewer = policy_keys[key].kind == KIND_FEWER;

            memset(list, 0, sizeof(*list));
            for (size_t i = 0; i < x->count; i++)
                if ((!fewer || strings_has(y, x->items[i])) && !strings_has(list, x->items[i]))
                    strings_add(m, list, x->items[i]);
            for (size_t i = 0; !fewer && i < y->count; i++)
                if (!strings_has(list, y->items[i]))
                    strings_add(m, list, y->items[i]);
        }
    }
    result.workers = a->workers && b->workers;
    *out = result;
}

/* What holds where a file is malformed. The lists keep the defaults: no list of ours is shorter. */
static void
strictest(struct mem *m, struct policy_values *v)
{
    policy_defaults(m, v);
    for (size_t key = 0; key < POLICY_KEYS; key++)
        v->choice[key] = STRICT;
}

/* Whether a value is looser than its default. */
static bool
loosens(struct mem *m, const struct policy_source *s)
{
    struct policy_values normal, narrowed;
    bool any = s->grant->enabled || s->says.workers;

    policy_defaults(m, &normal);
    stricter(m, &s->says, &normal, &narrowed);
    for (size_t key = 0; key < POLICY_KEYS; key++)
        any = any || !same_value(&s->says, &narrowed, (enum policy_key)key);
    return any;
}

static void
not_allowed(struct mem *m, struct grant_policy *g, const char *project, const char *allowed_at)
{
    const char *command =
        mem_printf(m, "read it, then run `haccess policy allow %s`", shell_quoted(m, project));

    g->changed_since = allowed_at;
    g->problem = allowed_at == NULL
                     ? mem_printf(m, "the host has not allowed it: %s", command)
                     : mem_printf(m, "it changed since the host allowed it on %s: %s", allowed_at, command);
}

/* Reads one file. project NULL: it is the ceiling, which needs no consent. */
static void
load(const struct host *h, struct mem *m, const char *path, const char *project, struct policy_source *s)
{
    struct grant_policy *g = s->grant;
    struct policy_values normal;
    const char *at = NULL;
    size_t length;
    char *text;

    policy_defaults(m, &normal);
    s->says = s->counts = normal;
    g->path = path;
    if (path == NULL)
        return;
    g->problem = policy_read(m, path, project == NULL ? 0 : h->uid, &text, &length, g->sha256);
    if (g->problem == NULL)
        g->problem = policy_parse(m, text, length, &s->says, g);
    if (g->problem != NULL) {
        g->state = POLICY_INVALID;
        g->floors = NULL;
        g->nfloors = 0;
        g->enabled = false;
        strictest(m, &s->counts);
        return;
    }
    g->loosens = loosens(m, s);
    g->allowed = project == NULL || consent_given(h, m, path, g->sha256, &at);
    if (g->allowed)
        g->allowed_at = at;
    else if (g->loosens)
        not_allowed(m, g, project, at);
    g->allowed = g->allowed || !g->loosens;
    if (g->allowed)
        s->counts = s->says;
    else
        stricter(m, &s->says, &normal, &s->counts);
    g->state = !g->enabled ? POLICY_DISABLED : g->allowed ? POLICY_ENABLED : POLICY_NOT_ALLOWED;
}

/* Returns the ceiling's path when there is one. That it cannot be looked at is a ceiling, too. */
static const char *
ceiling_path(const struct host *h, struct mem *m)
{
    const char *path = mem_printf(m, "%s/haccess/policy.json", h->etc);
    struct stat st;

    return lstat(path, &st) == -1 && (errno == ENOENT || errno == ENOTDIR) ? NULL : path;
}

const char *
policy_value_text(struct mem *m, const struct policy_values *v, enum policy_key key)
{
    const struct strings *list = &v->list[key];
    const char *copy;
    cJSON *array;
    char *text;

    if (policy_keys[key].kind == KIND_GRANT)
        return key == KEY_FLOORS ? v->floors_json : key == KEY_WORKERS ? v->workers_json : NULL;
    if (policy_keys[key].kind == KIND_CHOICE)
        return mem_printf(m, "\"%s\"", policy_keys[key].words[v->choice[key]]);
    array = cJSON_CreateStringArray((const char *const *)list->items, (int)list->count);
    text = cJSON_PrintUnformatted(array);
    copy = mem_strdup(m, text == NULL ? "[]" : text);
    cJSON_free(text);
    cJSON_Delete(array);
    return copy;
}

/* Where a value comes from: the last of the files that made it what it is. */
static const char *
value_origin(struct mem *m, const struct policy_source *file, const struct policy_source *ceiling,
             const struct policy_values *holds, enum policy_key key)
{
    const struct policy_source *last = file;

    if (ceiling->grant->path != NULL && !same_value(holds, &file->counts, key))
        last = ceiling;
    if (last->grant->state == POLICY_INVALID && policy_keys[key].kind == KIND_CHOICE)
        return mem_printf(m, "strictest: %s is malformed", last->grant->path);
    if (last == ceiling)
        return ceiling->grant->path;
    if (file->grant->path == NULL || !file->says.given[key] || file->grant->state == POLICY_INVALID)
        return "default";
    if (!same_value(&file->says, &file->counts, key))
        return mem_printf(m, "narrowed: %s is not allowed as it is", file->grant->path);
    return file->grant->path;
}

static const char *
grant_origin(struct mem *m, const struct policy *p)
{
    if (p->file.state == POLICY_INVALID || p->ceiling.state == POLICY_INVALID)
        return mem_printf(m, "off: %s is malformed",
                          p->file.state == POLICY_INVALID ? p->file.path : p->ceiling.path);
    if (!p->file.enabled)
        return p->file.path == NULL ? "default" : p->file.path;
    if (p->off)
        return "off: HACCESS_WORKER_FULL_ACCESS=0";
    if (p->ceiling.path != NULL && !p->ceiling.enabled)
        return mem_printf(m, "off: %s does not enable it", p->ceiling.path);
    if (p->file.state == POLICY_NOT_ALLOWED)
        return mem_printf(m, "off: %s is not allowed as it is", p->file.path);
    return p->file.path;
}

static void
origins(struct mem *m, const struct policy_source *file, const struct policy_source *ceiling,
        const struct policy_values *holds, struct policy *p)
{
    const char *grant = grant_origin(m, p);
    bool on = p->file.enabled && grant == p->file.path;

    p->origins = mem_array(m, POLICY_KEYS, sizeof(*p->origins));
    for (size_t i = 0; i < POLICY_KEYS; i++) {
        struct policy_origin *o = &p->origins[p->norigins++];
        enum policy_key key = (enum policy_key)i;

        o->key = policy_keys[key].path;
        if (policy_keys[key].kind != KIND_GRANT) {
            o->value = policy_value_text(m, holds, key);
            o->origin = value_origin(m, file, ceiling, holds, key);
        } else if (key == KEY_ENABLED) {
            o->value = on ? "true" : "false";
            o->origin = grant;
        } else {
            bool counts = file->says.given[key] && file->grant->state != POLICY_INVALID &&
                          (key == KEY_FLOORS || file->grant->allowed);

            o->value = policy_value_text(m, &file->says, key);
            o->origin = counts ? file->grant->path : "default";
            if (!counts)
                o->value = key == KEY_FLOORS ? "{}" : "{\"*\":[]}";
        }
    }
}

void
policy_load(const struct host *h, struct mem *m, const char *cwd, struct policy *out)
{
    struct policy_source file = {.grant = &out->file}, ceiling = {.grant = &out->ceiling};
    struct policy_values holds;
    struct policy_place place;
    const char *off = env_get(h->envp, "HACCESS_WORKER_FULL_ACCESS");

    memset(out, 0, sizeof(*out));
    policy_search(h, m, cwd, &place);
    out->project = place.project;
    out->git_top = place.git_top;
    out->off = off != NULL && strcmp(off, "0") == 0;
    load(h, m, place.path, place.project, &file);
    load(h, m, ceiling_path(h, m), NULL, &ceiling);
    holds = file.counts;
    if (out->ceiling.path != NULL)
        stricter(m, &file.counts, &ceiling.counts, &holds);
    out->observe = holds.choice[KEY_MODE] == LENIENT;
    out->write_sandbox =
        holds.choice[KEY_WRITE_SANDBOX] == LENIENT ? PROJECTION_WORKSPACE_WRITE : PROJECTION_READ_ONLY;
    out->write_claude_vendor = holds.choice[KEY_WRITE_CLAUDE] == LENIENT;
    out->read_allow = holds.list[KEY_READ_ALLOW];
    out->read_deny = holds.list[KEY_READ_DENY];
    out->in_process_deny = holds.choice[KEY_IN_PROCESS] == STRICT;
    out->servers_refuse = holds.choice[KEY_SERVERS] == STRICT;
    out->not_vendors = holds.list[KEY_NOT_VENDORS];
    out->journal_full = holds.choice[KEY_JOURNAL_ARGV] == LENIENT;
    origins(m, &file, &ceiling, &holds, out);
}

const char *
policy_state_word(enum policy_state s)
{
    static const char *const words[] = {[POLICY_ABSENT] = "absent",
                                        [POLICY_DISABLED] = "disabled",
                                        [POLICY_ENABLED] = "enabled",
                                        [POLICY_NOT_ALLOWED] = "not-allowed",
                                        [POLICY_INVALID] = "invalid"};

    return words[s];
}
