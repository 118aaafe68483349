/* haccess policy allow and deny: the host's consent, and what it changes. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "haccess.h"
#include "policy_cmd.h"
#include "text.h"

/* What consent changes: the values that differ between before and after, and what full access is granted to. Returns how
 * many, in *out. */
static size_t
loosened(const struct policy_command *p, const struct policy *before, const struct policy *after,
         struct policy_origin **out)
{
    size_t n = 0;
    *out = mem_array(p->m, after->norigins + 1, sizeof **out);
    for (size_t i = 0; i < after->norigins; i++) {
        const struct policy_origin *o = &after->origins[i];
        bool shown =
            after->file.state == POLICY_ENABLED && strcmp(o->key, "workflow.workerFullAccess.floors") == 0;
        bool same = false;
        for (size_t j = 0; j < before->norigins && !same; j++)
            same = strcmp(o->key, before->origins[j].key) == 0 &&
                   strcmp(o->value, before->origins[j].value) == 0;
        if (shown || !same)
            (*out)[n++] = *o;
    }
    return n;
}

/* The policy file that holds in DIR, well-formed; NULL when there is none, which is reported. */
static const char *
sound_policy(const struct policy_command *p, struct policy *policy)
{
    policy_load(&p->host, p->m, p->dir, policy);
    if (policy->file.path == NULL)
        policy_failure(p, p->dir, "no .haccess/policy.json at or above it (haccess policy init writes one)");
    else if (policy->file.state == POLICY_INVALID)
        policy_failure(p, policy->file.path,
                       mem_printf(p->m, "malformed, not allowed: %s", policy->file.problem));
    else
        return policy->file.path;
    return NULL;
}

/* A value that is not what it was when the file was last allowed. */
struct change {
    const char *key, *before, *after;
};

/* What changed in the file since the host consented to it; *at is when that was, NULL: never. */
static size_t
changes(const struct policy_command *p, const char *path, struct change **out, const char **at)
{
    struct policy_origin *before, *after;
    size_t nbefore, nafter, n = 0;

    *at = policy_last_allowed(&p->host, p->m, path, &before, &nbefore);
    if (!policy_says(&p->host, p->m, path, &after, &nafter))
        nafter = 0;
    *out = mem_array(p->m, nafter + 1, sizeof **out);
    for (size_t i = 0; i < nbefore; i++)
        for (size_t j = 0; j < nafter; j++)
            if (strcmp(before[i].key, after[j].key) == 0 && strcmp(before[i].value, after[j].value) != 0)
                (*out)[n++] = (struct change){after[j].key, before[i].value, after[j].value};
    return n;
}

static void
print_changes(const struct policy_command *p, const struct change *list, size_t n, const char *at)
{
    if (n == 0)
        return;
    printf("Changed since it was allowed on %s:\n", at);
    for (size_t i = 0; i < n; i++)
        printf("  %s\n    - %s\n    + %s\n", list[i].key, text_show(p->m, list[i].before),
               text_show(p->m, list[i].after));
}

static cJSON *
changes_array(const struct policy_command *p, const struct change *list, size_t n)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON *o = cJSON_CreateObject(), *before = cJSON_Parse(list[i].before),
              *after = cJSON_Parse(list[i].after);
        policy_put(o, "key", text_json(p->m, list[i].key));
        policy_put(o, "before", before != NULL ? before : cJSON_CreateNull());
        policy_put(o, "after", after != NULL ? after : cJSON_CreateNull());
        cJSON_AddItemToArray(array, o);
    }
    return array;
}

int
policy_command_allow(const struct policy_command *p)
{
    struct policy before, after;
    const char *what = NULL, *path = sound_policy(p, &before), *at;
    if (path == NULL)
        return FOUND;
    struct change *changed;
    size_t nchanged = changes(p, path, &changed, &at);

    int e = policy_allow(&p->host, p->m, path, &what);
    if (e != 0)
        return policy_failure(p, what != NULL ? what : path, strerror(e));
    policy_load(&p->host, p->m, p->dir, &after);
    /* Consent is to what was validated and is shown, not to what came in between. */
    if (strcmp(before.file.sha256, after.file.sha256) != 0 || !after.file.allowed) {
        policy_deny(&p->host, p->m, path, &what);
        return policy_failure(p, path, "changed meanwhile, not allowed; look at it again");
    }
    struct policy_origin *values;
    size_t n = loosened(p, &before, &after, &values);
    if (p->json) {
        cJSON *o = policy_file_object(p, &after.file), *list = cJSON_CreateArray();
        for (size_t i = 0; i < n; i++)
            cJSON_AddItemToArray(list, policy_origin_object(p, &values[i]));
        policy_put(o, "values", list);
        policy_put(o, "changes", changes_array(p, changed, nchanged));
        text_print_json(o);
        return DONE;
    }
    printf("%s: allowed as it is now, sha256 %s\n", policy_path_text(p, path), after.file.sha256);
    print_changes(p, changed, nchanged, at);
    if (before.file.allowed && before.file.loosens)
        printf("It was allowed already.%s\n", n > 0 ? " It grants:" : "");
    else
        printf("%s\n", n > 0 ? "From now on these count:" : "It loosens nothing here.");
    policy_print_origins(p, values, n);
    return DONE;
}

int
policy_command_deny(const struct policy_command *p)
{
    const char *project, *what = NULL, *path = policy_find(&p->host, p->m, p->dir, &project);
    if (path == NULL)
        return policy_failure(p, p->dir, "no .haccess/policy.json at or above it");

    struct policy before, after;
    policy_load(&p->host, p->m, p->dir, &before);
    int e = policy_deny(&p->host, p->m, path, &what);
    if (e != 0 && e != ENOENT)
        return policy_failure(p, what != NULL ? what : path, strerror(e));
    policy_load(&p->host, p->m, p->dir, &after);
    struct policy_origin *values;
    size_t n = loosened(p, &after, &before, &values);
    if (p->json) {
        cJSON *o = policy_path_object(p, path), *list = cJSON_CreateArray();
        for (size_t i = 0; i < n; i++)
            cJSON_AddItemToArray(list, policy_origin_object(p, &values[i]));
        policy_put(o, "withdrawn", cJSON_CreateBool(e == 0));
        policy_put(o, "values", list);
        text_print_json(o);
        return DONE;
    }
    printf("%s: %s\n", policy_path_text(p, path), e == 0 ? "no longer allowed" : "was not allowed");
    if (n > 0)
        printf("These count no more:\n");
    policy_print_origins(p, values, n);
    return DONE;
}
