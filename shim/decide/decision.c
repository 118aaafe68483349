#include "decision.h"

#include <string.h>

const char *
reason_word(enum reason r)
{
    static const char *const words[] = {
        [REASON_CONFIG_INVALID] = "config_invalid",
        [REASON_DISABLED] = "disabled",
        [REASON_POLICY_NOT_ALLOWED] = "policy_not_allowed",
        [REASON_ADAPTER_UNREPRESENTABLE] = "adapter_unrepresentable",
        [REASON_POLICY_READ_ONLY] = "policy_read_only",
        [REASON_NOT_ASKED] = "not_asked",
        [REASON_GRAMMAR_UNKNOWN] = "grammar_unknown",
        [REASON_MODEL_NOT_LISTED] = "model_not_listed",
        [REASON_MODEL_UNSET] = "model_unset",
        [REASON_EFFORT_UNSET] = "effort_unset",
        [REASON_EFFORT_BELOW_FLOOR] = "effort_below_floor",
        [REASON_VENDOR_WOULD_REFUSE] = "vendor_would_refuse",
        [REASON_PARENT_SANDBOXED] = "parent_sandboxed",
        [REASON_PARENT_UNKNOWN] = "parent_unknown",
        [REASON_QUALIFIED] = "qualified",
        [REASON_ARGV_UNBOUNDING] = "argv_unbounding",
    };

    return words[r];
}

/* "--sandbox read-only (argument 2)", "sandbox_mode danger-full-access in /…/config.toml". */
static const char *
source_text(struct mem *m, const struct source *s)
{
    const char *value = s->value != NULL ? mem_printf(m, " %s", s->value) : "";

    if (s->file != NULL)
        return mem_printf(m, "%s%s in %s", s->spelling, value, s->file);
    if (s->index != 0)
        return mem_printf(m, "%s%s (argument %zu)", s->spelling, value, s->index);
    return mem_printf(m, "%s%s", s->spelling, value);
}

/* The first source of each sort, of those that argv and haccess's variables spell out, and of the rest. */
struct spelled {
    const struct source *full, *bypass, *read_only, *write, *sandbox;
};

static void
sort_sources(const struct request *r, bool explicit, struct spelled *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = r->nsources; i-- > 0;) {
        const struct source *s = &r->sources[i];

        if (s->explicit != explicit)
            continue;
        if (s->access == ACCESS_FULL && s->kind == SOURCE_BYPASS)
            out->bypass = s;
        else if (s->access == ACCESS_FULL)
            out->full = s;
        else if (s->access == ACCESS_READ_ONLY)
            out->read_only = s;
        else if (s->access == ACCESS_WORKSPACE_WRITE && s->kind == SOURCE_SANDBOX)
            out->sandbox = s;
        else if (s->access == ACCESS_WORKSPACE_WRITE)
            out->write = s;
    }
}

enum refusal
request_resolve(struct mem *m, struct request *r, const char **detail)
{
    struct spelled e, c;
    const struct source *full, *policy;

    sort_sources(r, true, &e);
    sort_sources(r, false, &c);
    full = e.full;
    policy = e.read_only != NULL ? e.read_only : e.write;
    if (e.bypass != NULL && (e.sandbox == NULL || policy != NULL) && full == NULL)
        full = e.bypass;
    if (e.full != NULL && policy == NULL)
        policy = e.sandbox;
    if (full != NULL && policy != NULL) {
        r->access = ACCESS_CONTRADICTORY;
        *detail = mem_printf(m, "%s asks full access, %s asks %s; name one of them", source_text(m, full),
                             source_text(m, policy), access_word(policy->access));
        return REFUSAL_FULL_ACCESS_CONFLICTS_WITH_POLICY;
    }
    if (e.read_only != NULL && e.write != NULL) {
        r->access = ACCESS_CONTRADICTORY;
        *detail = mem_printf(m, "%s asks read-only, %s asks workspace-write; name one of them",
                             source_text(m, e.read_only), source_text(m, e.write));
        return REFUSAL_FILESYSTEM_POLICIES_CONFLICT;
    }
    if (r->config_broken || e.read_only != NULL)
        r->access = ACCESS_READ_ONLY;
    else if (full != NULL)
        r->access = ACCESS_FULL;
    else if (e.write != NULL)
        r->access = ACCESS_WORKSPACE_WRITE;
    else if (e.sandbox != NULL || e.bypass != NULL)
        /* A sandbox alone does not lift the read-only mode that configuration sets. */
        r->access = c.read_only != NULL && e.bypass == NULL ? ACCESS_READ_ONLY : ACCESS_WORKSPACE_WRITE;
    else if (c.full != NULL || c.bypass != NULL)
        r->access = ACCESS_FULL;
    else if (c.read_only != NULL)
        r->access = ACCESS_READ_ONLY;
    else if (c.write != NULL || c.sandbox != NULL)
        r->access = ACCESS_WORKSPACE_WRITE;
    else
        r->access = ACCESS_UNSPECIFIED;
    return REFUSAL_NONE;
}

static bool
can(const struct adapter *a, enum access access)
{
    switch (access) {
    case ACCESS_FULL:
        return a->full;
    case ACCESS_WORKSPACE_WRITE:
        return a->workspace_write;
    case ACCESS_READ_ONLY:
        return a->read_only;
    default:
        return true;
    }
}

enum refusal
decide_refusal(struct mem *m, const struct adapter *a, enum launch_class c, const struct policy *p,
               struct request *r, const char **detail)
{
    enum refusal contradiction;

    contradiction = request_resolve(m, r, detail);
    if (r->bad != NULL) {
        *detail = r->bad;
        return REFUSAL_BAD_REQUEST;
    }
    if (r->malformed != NULL) {
        *detail = r->malformed;
        return REFUSAL_MALFORMED_REQUEST;
    }
    if (contradiction != REFUSAL_NONE)
        return contradiction;
    if (r->asked == ACCESS_FULL && !a->full) {
        *detail =
            mem_printf(m, "HACCESS_ACCESS asks full access, which %s has no way to express; unset it", a->id);
        return REFUSAL_FULL_ACCESS_UNREPRESENTABLE;
    }
    if ((r->asked != ACCESS_UNSPECIFIED && !can(a, r->asked)) || (r->lane == LANE_READ && !a->read_only)) {
        *detail = mem_printf(m, "%s asks %s, which %s cannot be held to; launch another CLI for it",
                             r->lane == LANE_READ ? "HACCESS_LANE=read" : "HACCESS_ACCESS",
                             r->lane == LANE_READ ? "read-only" : access_word(r->asked), a->id);
        return REFUSAL_NO_PROJECTION;
    }
    if (c == CLASS_SERVER && (p->servers_refuse || r->asked != ACCESS_UNSPECIFIED || r->lane != LANE_NONE)) {
        *detail = p->servers_refuse
                      ? mem_printf(m,
                                   "the access of this %s server is chosen by its client, and the policy "
                                   "says servers: refuse%s%s",
                                   a->id, p->file.problem != NULL ? " because it is malformed: " : "",
                                   p->file.problem != NULL ? p->file.problem : "")
                      : mem_printf(m,
                                   "the access of this %s server is chosen by its client; it cannot be held "
                                   "to HACCESS_ACCESS or HACCESS_LANE",
                                   a->id);
        return REFUSAL_SERVER_UNBOUNDED;
    }
    return REFUSAL_NONE;
}

enum refusal
decide_refusal_after(struct mem *m, const struct adapter *a, const struct request *r, const struct policy *p,
                     bool full, const char **detail)
{
    if (full || r->lane != LANE_WRITE)
        return REFUSAL_NONE;
    if (!a->sandbox) {
        *detail = mem_printf(m, "HACCESS_LANE=write needs a sandbox, and %s has none", a->id);
        return REFUSAL_WRITE_LANE_UNENFORCEABLE;
    }
    if (a == &adapter_claude && !p->write_claude_vendor) {
        *detail = mem_printf(m, "a claude worker in the write lane needs full access; the host can accept "
                                "claude's own sandbox with "
                                "workflow.lanes.write.claude: \"vendor-sandbox\"");
        return REFUSAL_CLAUDE_WRITE_LANE_REQUIRES_FULL_ACCESS;
    }
    return REFUSAL_NONE;
}

/* The state of one evaluation of section 4. */
struct evaluation {
    struct mem *m;
    const struct adapter *a;
    const struct request *r;
    struct decision *d;
    size_t at; /* the check that is being looked at */
};

static const char *const check_names[CHECKS] = {
    "policy valid",  "enabled",      "allowed", "adapter can",         "not read-only", "asked for it",
    "grammar known", "model listed", "effort",  "vendor would run it", "parent",
};

static void
pass(struct evaluation *e, const char *saw)
{
    e->d->checks[e->at].result = CHECK_PASSED;
    e->d->checks[e->at].saw = saw;
    e->at++;
}

/* Ends the evaluation. */
static bool
fail(struct evaluation *e, enum reason reason, const char *saw, const char *detail, const char *remedy)
{
    e->d->checks[e->at].result = CHECK_FAILED;
    e->d->checks[e->at].saw = saw;
    e->d->reason = reason;
    e->d->detail = detail;
    e->d->remedy = remedy;
    return false;
}

static bool
check_policy(struct evaluation *e, const struct policy *p, const struct first_decision *first)
{
    const struct grant_policy *bad = p->file.state == POLICY_INVALID      ? &p->file
                                     : p->ceiling.state == POLICY_INVALID ? &p->ceiling
                                                                          : NULL;
    struct mem *m = e->m;

    if (bad != NULL)
        return fail(e, REASON_CONFIG_INVALID, bad->path, mem_printf(m, "%s: %s", bad->path, bad->problem),
                    "mend the file; `haccess policy check` names what is wrong");
    pass(e, p->file.path);
    if (p->file.path == NULL)
        return fail(e, REASON_DISABLED, "no policy",
                    p->project != NULL ? mem_printf(m, "no .haccess/policy.json at or above %s", p->project)
                                       : "no .haccess/policy.json",
                    "`haccess policy init`, set workflow.workerFullAccess.enabled and list the model, then "
                    "`haccess policy allow`");
    if (!p->file.enabled)
        return fail(
            e, REASON_DISABLED, "enabled: false",
            mem_printf(m, "%s does not set workflow.workerFullAccess.enabled", p->file.path),
            mem_printf(m, "set workflow.workerFullAccess.enabled to true in %s, then `haccess policy allow`",
                       p->file.path));
    if (p->off)
        return fail(
            e, REASON_DISABLED, "HACCESS_WORKER_FULL_ACCESS=0",
            "HACCESS_WORKER_FULL_ACCESS=0 switches it off here, and for everything that is launched below",
            "unset HACCESS_WORKER_FULL_ACCESS");
    if (p->ceiling.path != NULL && !p->ceiling.enabled)
        return fail(
            e, REASON_DISABLED, p->ceiling.path,
            mem_printf(m, "the ceiling %s does not set workflow.workerFullAccess.enabled", p->ceiling.path),
            NULL);
    if (first != NULL && !first->full)
        return fail(
            e, REASON_DISABLED, first->id,
            mem_printf(m,
                       "this process was launched as %s without full access, and a wrapper cannot widen that",
                       first->id),
            NULL);
    pass(e, "enabled");
    if (!p->file.allowed)
        return fail(e, REASON_POLICY_NOT_ALLOWED, "not allowed",
                    p->file.changed_since == NULL
                        ? mem_printf(m, "%s is not allowed by the host as it is now", p->file.path)
                        : mem_printf(m, "%s changed since the host allowed it on %s", p->file.path,
                                     p->file.changed_since),
                    mem_printf(m, "read %s, then run `haccess policy allow %s`", p->file.path,
                               p->project != NULL ? p->project : "."));
    pass(e, p->file.allowed_at != NULL ? mem_printf(m, "by haccess policy allow, %s", p->file.allowed_at)
                                       : NULL);
    return true;
}

static bool
check_request(struct evaluation *e)
{
    const struct request *r = e->r;
    struct mem *m = e->m;

    if (!e->a->full)
        return fail(e, REASON_ADAPTER_UNREPRESENTABLE, e->a->id,
                    mem_printf(m, "%s has no full-access mode to ask for", e->a->id), NULL);
    pass(e, e->a->id);
    if (r->access == ACCESS_READ_ONLY) {
        const struct source *s = NULL;

        for (size_t i = r->nsources; i-- > 0;)
            if (r->sources[i].access == ACCESS_READ_ONLY)
                s = &r->sources[i];
        if (r->config_broken)
            return fail(e, REASON_POLICY_READ_ONLY, r->config_detail,
                        mem_printf(m, "%s; until it does, the launch is held read-only", r->config_detail),
                        "mend the configuration file");
        return fail(e, REASON_POLICY_READ_ONLY, s != NULL ? source_text(m, s) : NULL,
                    mem_printf(m, "%s asks read-only, and that is kept",
                               s != NULL ? source_text(m, s) : "the launch"),
                    NULL);
    }
    pass(e, NULL);
    if (r->access != ACCESS_FULL && (r->interactive || r->asked == ACCESS_WORKSPACE_WRITE))
        return fail(e, REASON_NOT_ASKED, r->interactive ? "interactive" : "HACCESS_ACCESS=workspace-write",
                    r->interactive
                        ? "an interactive session that did not ask for full access is never widened"
                        : "HACCESS_ACCESS=workspace-write did not ask for full access",
                    NULL);
    pass(e, r->access == ACCESS_FULL ? "full access" : access_word(r->access));
    if (r->unknown != NULL)
        return fail(e, REASON_GRAMMAR_UNKNOWN, r->unknown,
                    mem_printf(m,
                               "%s is no option that haccess knows of %s (checked against %s), so what "
                               "follows it cannot be read for sure",
                               r->unknown, e->a->id, e->a->checked != NULL ? e->a->checked : "no version"),
                    NULL);
    pass(e, e->a->checked);
    return true;
}

static const struct floors *
floors_of(const struct grant_policy *g, const struct adapter *a)
{
    for (size_t i = 0; i < g->nfloors; i++)
        if (g->floors[i].adapter == a)
            return &g->floors[i];
    return NULL;
}

static bool
provider_matches(const struct adapter *a, const struct floor_entry *f, const char *provider)
{
    if (f->provider == NULL)
        return provider == NULL;
    if (provider == NULL)
        provider = a->default_provider;
    return provider != NULL && strcmp(f->provider, provider) == 0;
}

/* Whether some entry names the model (and provider), and what efforts those entries want. *wanted is NULL when effort suffices. */
static bool
listed(struct mem *m, const struct adapter *a, const struct floors *f, const char *model,
       const char *provider, int effort, const char **wanted)
{
    bool found = false;

    *wanted = "";
    for (size_t i = 0; f != NULL && i < f->count; i++) {
        const struct floor_entry *entry = &f->entries[i];

        if (strcmp(entry->model, model) != 0 || !provider_matches(a, entry, provider))
            continue;
        found = true;
        if (*wanted == NULL)
            continue;
        if (a->efforts == NULL || (effort >= 0 && effort >= entry->min_effort))
            *wanted = NULL;
        else
            *wanted =
                mem_printf(m, "%s%s%s", *wanted, **wanted != '\0' ? ", " : "", a->efforts[entry->min_effort]);
    }
    return found;
}

static bool
check_model(struct evaluation *e, const struct grant_policy *g)
{
    const struct floors *f = floors_of(g, e->a);
    const struct request *r = e->r;
    struct mem *m = e->m;
    const char *wanted, *by;

    if (f == NULL || f->count == 0)
        return fail(
            e, REASON_MODEL_NOT_LISTED, "no floor",
            mem_printf(m, "%s lists no model for %s", g->path, e->a->id),
            mem_printf(m, "add an entry to workflow.workerFullAccess.floors.%s in %s", e->a->id, g->path));
    by = r->model_source != NULL ? mem_printf(m, " (set by %s)", r->model_source) : "";
    if (r->model == NULL)
        return fail(e, REASON_MODEL_UNSET, "no model",
                    "the launch names no model; a default or a configuration file does not count",
                    mem_printf(m, "name a model that %s lists", g->path));
    if (!listed(m, e->a, f, r->model, r->provider, -1, &wanted))
        return fail(
            e, REASON_MODEL_NOT_LISTED, r->model,
            r->provider != NULL
                ? mem_printf(m, "%s lists no model %s%s with provider %s for %s", g->path, r->model, by,
                             r->provider, e->a->id)
                : mem_printf(m, "%s does not list model %s%s for %s", g->path, r->model, by, e->a->id),
            mem_printf(m, "name a listed model, or add this one to workflow.workerFullAccess.floors.%s in %s",
                       e->a->id, g->path));
    for (size_t i = 0; i < r->fallbacks.count; i++)
        if (!listed(m, e->a, f, r->fallbacks.items[i], r->provider, -1, &wanted))
            return fail(e, REASON_MODEL_NOT_LISTED, r->fallbacks.items[i],
                        mem_printf(m, "%s does not list the fallback model %s for %s", g->path,
                                   r->fallbacks.items[i], e->a->id),
                        "drop the fallback, or list it");
    return true;
}

static bool
check_effort(struct evaluation *e, const struct grant_policy *g)
{
    const struct floors *f = floors_of(g, e->a);
    const struct request *r = e->r;
    struct mem *m = e->m;
    const char *wanted, *by;
    int effort;

    if (e->a->efforts == NULL)
        return true;
    if (r->effort == NULL)
        return fail(e, REASON_EFFORT_UNSET, "no effort",
                    "the launch names no effort; a default or a configuration file does not count",
                    mem_printf(m, "name an effort: %s", e->a->effort_option));
    effort = adapter_effort(e->a, r->effort);
    by = r->effort_source != NULL ? mem_printf(m, "%s sets", r->effort_source) : "the launch names";
    for (size_t i = 0; i <= r->fallbacks.count; i++) {
        const char *model = i == 0 ? r->model : r->fallbacks.items[i - 1];

        listed(m, e->a, f, model, r->provider, effort, &wanted);
        if (wanted != NULL)
            return fail(e, REASON_EFFORT_BELOW_FLOOR, mem_printf(m, "%s < %s", r->effort, wanted),
                        mem_printf(m, "model %s needs effort %s by %s, %s %s%s", model, wanted, g->path, by,
                                   r->effort, effort < 0 ? ", which is not on the scale" : ""),
                        mem_printf(m, "name effort %s (%s), or lower minEffort in %s", wanted,
                                   e->a->effort_option, g->path));
    }
    return true;
}

static bool
check_parent(struct evaluation *e, const struct parent *parent)
{
    if (parent->state == PARENT_SANDBOXED)
        return fail(e, REASON_PARENT_SANDBOXED, "sandboxed",
                    mem_printf(e->m, "the launching session is sandboxed: %s", parent->detail), NULL);
    if (parent->state != PARENT_FULL)
        return fail(e, REASON_PARENT_UNKNOWN, "unknown",
                    mem_printf(e->m, "the launching session's access cannot be shown: %s", parent->detail),
                    NULL);
    pass(e, parent->detail);
    return true;
}

void
decide_access(struct mem *m, const struct adapter *a, const struct request *r, const struct policy *p,
              const struct parent *parent, const struct first_decision *first, struct decision *out)
{
    struct evaluation e = {.m = m, .a = a, .r = r, .d = out};
    const struct grant_policy *const files[] = {&p->file, p->ceiling.path != NULL ? &p->ceiling : NULL};

    memset(out, 0, sizeof(*out));
    out->detail = "";
    for (size_t i = 0; i < CHECKS; i++)
        out->checks[i].name = check_names[i];
    if (!check_policy(&e, p, first) || !check_request(&e))
        return;
    for (size_t i = 0; i < 2; i++)
        if (files[i] != NULL && !check_model(&e, files[i]))
            return;
    pass(&e, r->model);
    for (size_t i = 0; i < 2; i++)
        if (files[i] != NULL && !check_effort(&e, files[i]))
            return;
    pass(&e, r->effort);
    if (r->vendor_refuses != NULL) {
        fail(&e, REASON_VENDOR_WOULD_REFUSE, r->vendor_refuses, r->vendor_refuses, NULL);
        return;
    }
    pass(&e, NULL);
    if (parent == NULL) {
        out->needs_parent = true;
        return;
    }
    if (!check_parent(&e, parent))
        return;
    out->full = true;
    out->reason = REASON_QUALIFIED;
    out->detail =
        "the policy allows it, the launching session holds full access, and model and effort are listed";
}

/* Projections from narrow to wide. What a vendor's default allows is not known here: for a ceiling it is as wide
 * as anything that is not full access. */
static int
width(enum projection p)
{
    switch (p) {
    case PROJECTION_READ_ONLY:
        return 0;
    case PROJECTION_WORKSPACE_WRITE:
        return 1;
    case PROJECTION_VENDOR_DEFAULT:
        return 2;
    default:
        return 3;
    }
}

enum projection
decide_projection(const struct adapter *a, const struct request *r, const struct policy *p, bool full,
                  const struct first_decision *first)
{
    enum projection result;

    if (full)
        result = PROJECTION_FULL;
    else if (!a->workspace_write)
        return PROJECTION_VENDOR_DEFAULT;
    else if (r->access == ACCESS_READ_ONLY)
        result = PROJECTION_READ_ONLY;
    else if (r->access == ACCESS_FULL)
        result = p->write_sandbox;
    else if (r->lane == LANE_WRITE)
        result = p->write_sandbox;
    else if (r->access == ACCESS_WORKSPACE_WRITE)
        result = PROJECTION_WORKSPACE_WRITE;
    else
        result = PROJECTION_VENDOR_DEFAULT;
    if (first != NULL && width(result) > width(first->projection))
        result = first->projection;
    return result;
}
