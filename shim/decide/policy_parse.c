/* The text of a policy: its keys, their types and defaults. */
#include <stdlib.h>
#include <string.h>

#include "jsonc.h"
#include "policy_file.h"

static const char *const read_allow[] = {
    "Read", "Grep", "Glob", "Bash(git diff:*)", "Bash(git log:*)", "Bash(git status:*)", NULL};
static const char *const read_deny[] = {"Edit",
                                        "Write",
                                        "NotebookEdit",
                                        "Bash(git push:*)",
                                        "Bash(git commit:*)",
                                        "Bash(git merge:*)",
                                        "Bash(gh:*)",
                                        "Bash(make:*)",
                                        NULL};
static const char *const nothing[] = {NULL};

const struct policy_key_spec policy_keys[POLICY_KEYS] = {
    [KEY_MODE] = {"mode", KIND_CHOICE, {"enforce", "observe"}, STRICT, NULL},
    [KEY_ENABLED] = {"workflow.workerFullAccess.enabled", KIND_GRANT, {NULL, NULL}, 0, NULL},
    [KEY_FLOORS] = {"workflow.workerFullAccess.floors", KIND_GRANT, {NULL, NULL}, 0, NULL},
    [KEY_WRITE_SANDBOX] =
        {"workflow.lanes.write.sandbox", KIND_CHOICE, {"read-only", "workspace-write"}, LENIENT, NULL},
    [KEY_WRITE_CLAUDE] =
        {"workflow.lanes.write.claude", KIND_CHOICE, {"refuse", "vendor-sandbox"}, STRICT, NULL},
    [KEY_READ_ALLOW] = {"workflow.lanes.read.claudeAllow", KIND_FEWER, {NULL, NULL}, 0, read_allow},
    [KEY_READ_DENY] = {"workflow.lanes.read.claudeDeny", KIND_MORE, {NULL, NULL}, 0, read_deny},
    [KEY_WORKERS] = {"workflow.workers", KIND_GRANT, {NULL, NULL}, 0, NULL},
    [KEY_IN_PROCESS] = {"workflow.inProcessAgents", KIND_CHOICE, {"deny", "allow"}, LENIENT, NULL},
    [KEY_SERVERS] = {"servers", KIND_CHOICE, {"refuse", "annotate"}, LENIENT, NULL},
    [KEY_NOT_VENDORS] = {"notVendors", KIND_FEWER, {NULL, NULL}, 0, nothing},
    [KEY_JOURNAL_ARGV] = {"journal.argv", KIND_CHOICE, {"flags", "full"}, STRICT, NULL},
};

struct reading {
    struct mem *m;
    struct policy_values *v;
    struct grant_policy *g;
};

/* Reads the value of a key; path names it for messages. Returns NULL or the problem. */
typedef const char *reader(struct reading *r, const cJSON *json, const char *path, enum policy_key key);

/* The keys of an object. A reader of NULL: an object with the keys of below. */
struct schema {
    const char *name;
    reader *read;
    enum policy_key key;
    const struct schema *below;
};

/* A string of somebody else's in a message: its beginning. */
#define SHOWN "%.60s"

static const char *
read_choice(struct reading *r, const cJSON *json, const char *path, enum policy_key key)
{
    const char *const *words = policy_keys[key].words;

    if (cJSON_IsString(json))
        for (int i = 0; i < 2; i++)
            if (strcmp(json->valuestring, words[i]) == 0) {
                r->v->choice[key] = i;
                return NULL;
            }
    return mem_printf(r->m, "%s: must be \"%s\" or \"%s\"", path, words[policy_keys[key].normal],
                      words[!policy_keys[key].normal]);
}

static const char *
read_enabled(struct reading *r, const cJSON *json, const char *path, enum policy_key key)
{
    (void)key;
    if (!cJSON_IsBool(json))
        return mem_printf(r->m, "%s: must be true or false, without quotes", path);
    r->g->enabled = cJSON_IsTrue(json);
    return NULL;
}

static const char *
read_strings(struct reading *r, const cJSON *json, const char *path, struct strings *out)
{
    const cJSON *entry;
    size_t i = 0;

    if (!cJSON_IsArray(json))
        return mem_printf(r->m, "%s: must be a list of strings", path);
    memset(out, 0, sizeof(*out));
    for (entry = json->child; entry != NULL; entry = entry->next, i++) {
        if (!cJSON_IsString(entry) || entry->valuestring[0] == '\0')
            return mem_printf(r->m, "%s[%zu]: must be a string, and not empty", path, i);
        strings_add(r->m, out, mem_strdup(r->m, entry->valuestring));
    }
    return NULL;
}

static const char *
read_list(struct reading *r, const cJSON *json, const char *path, enum policy_key key)
{
    return read_strings(r, json, path, &r->v->list[key]);
}

static const char *
read_paths(struct reading *r, const cJSON *json, const char *path, enum policy_key key)
{
    struct strings *list = &r->v->list[key];
    const char *problem = read_strings(r, json, path, list);

    for (size_t i = 0; problem == NULL && i < list->count; i++)
        if (list->items[i][0] != '/')
            problem = mem_printf(r->m, "%s[%zu]: must be an absolute path, not \"" SHOWN "\"", path, i,
                                 list->items[i]);
    return problem;
}

static const char *
as_text(struct mem *m, const cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    const char *copy = mem_strdup(m, text == NULL ? "" : text);

    cJSON_free(text);
    return copy;
}

static const char *
read_workers(struct reading *r, const cJSON *json, const char *path, enum policy_key key)
{
    struct strings names;
    const cJSON *entry;
    const char *problem = NULL;

    (void)key;
    if (!cJSON_IsObject(json))
        return mem_printf(r->m, "%s: must be an object of lists", path);
    for (entry = json->child; problem == NULL && entry != NULL; entry = entry->next) {
        problem = read_strings(r, entry, json_path(r->m, path, entry->string), &names);
        if (problem == NULL && names.count != 0)
            r->v->workers = true;
    }
    r->v->workers_json = as_text(r->m, json);
    return problem;
}

/* Returns a copy of s without blanks around it. */
static const char *
trimmed(struct mem *m, const char *s)
{
    static const char blanks[] = " \t\r\n\v\f";
    size_t n;

    s += strspn(s, blanks);
    for (n = strlen(s); n > 0 && strchr(blanks, s[n - 1]) != NULL; n--)
        ;
    return mem_strndup(m, s, n);
}

static const char *
scale_words(struct mem *m, const struct adapter *a)
{
    const char *words = a->efforts[0];

    for (size_t i = 1; a->efforts[i] != NULL; i++)
        words = mem_printf(m, "%s, %s", words, a->efforts[i]);
    return words;
}

static const char *
read_effort(struct reading *r, const cJSON *json, const char *path, const struct adapter *a,
            struct floor_entry *out)
{
    out->min_effort = -1;
    if (a->efforts == NULL)
        return json == NULL
                   ? NULL
                   : mem_printf(r->m, "%s.minEffort: must be absent, %s has no effort of its own; remove it",
                                path, a->id);
    if (cJSON_IsString(json))
        out->min_effort = adapter_effort(a, json->valuestring);
    if (out->min_effort == -1)
        return mem_printf(r->m, "%s.minEffort: %s one of %s", path,
                          json == NULL ? "is missing; add" : "must be", scale_words(r->m, a));
    return NULL;
}

static const char *
read_entry(struct reading *r, const cJSON *json, const char *path, const struct adapter *a,
           struct floor_entry *out)
{
    const cJSON *model = NULL, *effort = NULL, *provider = NULL;

    if (!cJSON_IsObject(json))
        return mem_printf(r->m, "%s: must be an object, {\"model\": ...}", path);
    for (const cJSON *field = json->child; field != NULL; field = field->next) {
        if (strcmp(field->string, "model") == 0)
            model = field;
        else if (strcmp(field->string, "minEffort") == 0)
            effort = field;
        else if (strcmp(field->string, "provider") == 0)
            provider = field;
        else
            return mem_printf(r->m, "%s: unknown key; an entry has model, minEffort, provider",
                              json_path(r->m, path, field->string));
    }
    if (!cJSON_IsString(model))
        return mem_printf(r->m, "%s.model: %s a string", path, model == NULL ? "is missing; add" : "must be");
    out->model = trimmed(r->m, model->valuestring);
    if (*out->model == '\0')
        return mem_printf(r->m, "%s.model: must not be empty", path);
    if (provider != NULL && strcmp(a->id, "codex") != 0)
        return mem_printf(r->m, "%s.provider: only codex has providers; remove it", path);
    if (provider != NULL && (!cJSON_IsString(provider) || provider->valuestring[0] == '\0'))
        return mem_printf(r->m, "%s.provider: must be a string, and not empty", path);
    out->provider = provider == NULL ? NULL : mem_strdup(r->m, provider->valuestring);
    return read_effort(r, effort, path, a, out);
}

static const char *
adapter_ids(struct mem *m)
{
    const char *ids = adapters[0]->id;

    for (const struct adapter *const *a = adapters + 1; *a != NULL; a++)
        ids = mem_printf(m, "%s, %s", ids, (*a)->id);
    return ids;
}

static const char *
read_floors(struct reading *r, const cJSON *json, const char *path, enum policy_key key)
{
    const char *problem = NULL;

    (void)key;
    if (!cJSON_IsObject(json))
        return mem_printf(r->m, "%s: must be an object, {\"codex\": [...], ...}", path);
    r->v->floors_json = as_text(r->m, json);
    r->g->nfloors = 0;
    r->g->floors = mem_array(r->m, (size_t)cJSON_GetArraySize(json), sizeof(*r->g->floors));
    for (const cJSON *list = json->child; problem == NULL && list != NULL; list = list->next) {
        struct floors *f = &r->g->floors[r->g->nfloors++];
        const char *here = json_path(r->m, path, list->string);

        f->adapter = adapter_find(list->string);
        if (f->adapter == NULL)
            return mem_printf(r->m, "%s: unknown adapter; known are %s", here, adapter_ids(r->m));
        if (!cJSON_IsArray(list))
            return mem_printf(r->m, "%s: must be a list of {\"model\": ...}", here);
        f->entries = mem_array(r->m, (size_t)cJSON_GetArraySize(list), sizeof(*f->entries));
        for (const cJSON *entry = list->child; problem == NULL && entry != NULL; entry = entry->next) {
            problem = read_entry(r, entry, mem_printf(r->m, "%s[%zu]", here, f->count), f->adapter,
                                 &f->entries[f->count]);
            f->count++;
        }
    }
    return problem;
}

static const struct schema grant_schema[] = {
    {"enabled", read_enabled, KEY_ENABLED, NULL},
    {"floors", read_floors, KEY_FLOORS, NULL},
    {NULL, NULL, 0, NULL},
};
static const struct schema write_schema[] = {
    {"sandbox", read_choice, KEY_WRITE_SANDBOX, NULL},
    {"claude", read_choice, KEY_WRITE_CLAUDE, NULL},
    {NULL, NULL, 0, NULL},
};
static const struct schema read_schema[] = {
    {"claudeAllow", read_list, KEY_READ_ALLOW, NULL},
    {"claudeDeny", read_list, KEY_READ_DENY, NULL},
    {NULL, NULL, 0, NULL},
};
static const struct schema lanes_schema[] = {
    {"write", NULL, 0, write_schema},
    {"read", NULL, 0, read_schema},
    {NULL, NULL, 0, NULL},
};
static const struct schema workflow_schema[] = {
    {"workerFullAccess", NULL, 0, grant_schema},
    {"lanes", NULL, 0, lanes_schema},
    {"workers", read_workers, KEY_WORKERS, NULL},
    {"inProcessAgents", read_choice, KEY_IN_PROCESS, NULL},
    {NULL, NULL, 0, NULL},
};
static const struct schema journal_schema[] = {
    {"argv", read_choice, KEY_JOURNAL_ARGV, NULL},
    {NULL, NULL, 0, NULL},
};
static const struct schema policy_schema[] = {
    {"mode", read_choice, KEY_MODE, NULL},       {"workflow", NULL, 0, workflow_schema},
    {"servers", read_choice, KEY_SERVERS, NULL}, {"notVendors", read_paths, KEY_NOT_VENDORS, NULL},
    {"journal", NULL, 0, journal_schema},        {NULL, NULL, 0, NULL},
};

static const char *
key_names(struct mem *m, const struct schema *s)
{
    const char *names = s->name;

    for (s++; s->name != NULL; s++)
        names = mem_printf(m, "%s, %s", names, s->name);
    return names;
}

static const char *
read_object(struct reading *r, const cJSON *json, const char *path, const struct schema *schema)
{
    const char *problem = NULL;

    if (!cJSON_IsObject(json))
        return mem_printf(r->m, "%s: must be an object with the keys %s", *path == '\0' ? "the file" : path,
                          key_names(r->m, schema));
    for (const cJSON *field = json->child; problem == NULL && field != NULL; field = field->next) {
        const char *here = json_path(r->m, path, field->string);
        const struct schema *s = schema;

        while (s->name != NULL && strcmp(s->name, field->string) != 0)
            s++;
        if (s->name == NULL)
            return mem_printf(r->m, "%s: unknown key; known here: %s", here, key_names(r->m, schema));
        if (s->read == NULL) {
            problem = read_object(r, field, here, s->below);
        } else {
            problem = s->read(r, field, here, s->key);
            r->v->given[s->key] = true;
        }
    }
    return problem;
}

void
policy_defaults(struct mem *m, struct policy_values *v)
{
    memset(v, 0, sizeof(*v));
    for (size_t i = 0; i < POLICY_KEYS; i++) {
        v->choice[i] = policy_keys[i].normal;
        for (const char *const *p = policy_keys[i].normal_list; p != NULL && *p != NULL; p++)
            strings_add(m, &v->list[i], *p);
    }
    v->floors_json = "{}";
    v->workers_json = "{\"*\":[]}";
}

const char *
policy_parse(struct mem *m, const char *text, size_t length, struct policy_values *v, struct grant_policy *g)
{
    struct reading r = {m, v, g};
    const char *problem;
    cJSON *json = jsonc_parse(m, text, length, &problem);

    if (json == NULL)
        return problem;
    problem = read_object(&r, json, "", policy_schema);
    cJSON_Delete(json);
    return problem;
}
