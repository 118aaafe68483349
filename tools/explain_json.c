#include "doctor.h"
#include "explain.h"
#include "text.h"

static cJSON *
words(struct mem *m, char *const argv[])
{
    if (argv == NULL)
        return cJSON_CreateNull();
    cJSON *a = cJSON_CreateArray();
    for (; *argv != NULL; argv++)
        cJSON_AddItemToArray(a, text_json(m, *argv));
    return a;
}

static cJSON *
strings(struct mem *m, const struct strings *list)
{
    cJSON *a = cJSON_CreateArray();
    for (size_t i = 0; i < list->count; i++)
        cJSON_AddItemToArray(a, text_json(m, list->items[i]));
    return a;
}

static void
put(cJSON *object, const char *key, cJSON *value)
{
    cJSON_AddItemToObjectCS(object, key, value);
}

/* A spelling in argv has its index; one in configuration its file and key; one in the environment neither. */
static cJSON *
source(struct mem *m, const struct source *s)
{
    cJSON *o = cJSON_CreateObject();
    put(o, "spelling", text_json(m, s->spelling));
    put(o, "value", text_json(m, s->value));
    if (s->file != NULL) {
        put(o, "file", text_json(m, s->file));
        put(o, "key", text_json(m, s->spelling));
    } else if (s->index != 0) {
        put(o, "index", cJSON_CreateNumber((double)s->index));
    }
    return o;
}

static cJSON *
request(struct mem *m, const struct request *r)
{
    cJSON *o = cJSON_CreateObject(), *sources = cJSON_CreateArray();
    for (size_t i = 0; i < r->nsources; i++)
        cJSON_AddItemToArray(sources, source(m, &r->sources[i]));
    put(o, "access", text_json(m, access_word(r->access)));
    put(o, "model", text_json(m, r->model));
    put(o, "effort", text_json(m, r->effort));
    put(o, "lane", text_json(m, lane_word(r->lane)));
    put(o, "sources", sources);
    return o;
}

static cJSON *
refusal(struct mem *m, const struct launch *l)
{
    if (l->refusal == REFUSAL_NONE)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    put(o, "code", text_json(m, refusal_word(l->refusal)));
    put(o, "detail", text_json(m, l->refusal_detail));
    return o;
}

static cJSON *
granted(struct mem *m, const struct launch *l)
{
    if (!l->decided)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    put(o, "mode", text_json(m, l->decision.full ? "full-access" : "sandboxed"));
    put(o, "reason", text_json(m, reason_word(l->decision.reason)));
    put(o, "detail", text_json(m, l->decision.detail));
    return o;
}

static cJSON *
parent(struct mem *m, const struct launch *l)
{
    if (!l->probed)
        return cJSON_CreateNull();
    cJSON *o = cJSON_CreateObject();
    put(o, "state", text_json(m, parent_state_word(l->parent.state)));
    put(o, "adapters", strings(m, &l->parent.adapters));
    put(o, "detail", text_json(m, l->parent.detail));
    return o;
}

static cJSON *
policy(struct mem *m, const struct policy *p)
{
    cJSON *o = cJSON_CreateObject();
    put(o, "path", text_json(m, p->file.path));
    put(o, "state", text_json(m, policy_state_word(p->file.state)));
    return o;
}

/* Only where there is something to say: "restored" by the rendered argv, or "lost". */
static cJSON *
coverage(struct mem *m, const struct launch *l)
{
    cJSON *o = cJSON_CreateObject();
    put(o, "commands", text_json(m, l->restored ? "restored" : "lost"));
    put(o, "detail", text_json(m, l->shed));
    return o;
}

cJSON *
explain_json(struct mem *m, const struct launch *l)
{
    cJSON *o = cJSON_CreateObject();
    bool passed = l->outcome == OUTCOME_PASSTHROUGH, launched = l->outcome == OUTCOME_LAUNCH;

    put(o, "class", text_json(m, class_word(l->class)));
    put(o, "adapter", text_json(m, l->adapter == NULL ? NULL : l->adapter->id));
    put(o, "target", text_json(m, l->target));
    put(o, "request", passed ? cJSON_CreateNull() : request(m, &l->request));
    put(o, "outcome", text_json(m, outcome_word(l->outcome)));
    put(o, "refusal", refusal(m, l));
    put(o, "access", granted(m, l));
    put(o, "projection", text_json(m, l->decided ? projection_word(l->projection) : NULL));
    put(o, "enforcement", text_json(m, launched ? enforcement_word(l->enforcement) : NULL));
    put(o, "parent", parent(m, l));
    put(o, "policy", policy(m, &l->policy));
    put(o, "argv", words(m, l->rendered));
    if (launched && l->unconfined.count != 0)
        put(o, "unconfined", strings(m, &l->unconfined));
    if (l->shed != NULL)
        put(o, "coverage", coverage(m, l));
    const char *version = passed ? NULL : cli_version(m, l->target, l->adapter);
    if (version != NULL && adapter_is_newer(l->adapter, version)) {
        cJSON *newer = cJSON_CreateObject();
        put(newer, "version", text_json(m, version));
        put(newer, "checked", text_json(m, l->adapter->checked));
        put(o, "newer", newer);
    }
    if (l->observed)
        put(o, "observed", cJSON_CreateTrue());
    return o;
}
