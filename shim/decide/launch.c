#include "launch.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../adapters/path.h"
#include "request.h"

const char *
outcome_word(enum outcome o)
{
    static const char *const words[] = {"launch", "refuse", "passthrough"};

    return words[o];
}

/* The canonical form of a path, or NULL when there is no such thing. */
static const char *
canonical(struct mem *m, const char *path)
{
    char buffer[PATH_MAX];

    return realpath(path, buffer) == NULL ? NULL : mem_strdup(m, buffer);
}

/* The session's working directory: where the CLI goes before anything else. NULL: unknown, so that no policy holds there. */
static void
session_directory(const struct host *h, struct mem *m, const struct adapter *a, struct invocation *i)
{
    const char *dir = a->directory != NULL ? a->directory(&i->command) : NULL;

    i->cwd = h->cwd;
    if (dir == NULL)
        return;
    i->cwd = NULL;
    if (dir[0] != '/') {
        if (h->cwd == NULL)
            return;
        dir = mem_printf(m, "%s/%s", h->cwd, dir);
    }
    if (a->lexical)
        dir = i->named = path_absolute(m, i, dir, NULL);
    i->cwd = canonical(m, dir);
}

static bool
is_not_vendor(struct mem *m, const struct policy *p, const char *target)
{
    const char *real;

    if (p->not_vendors.count == 0)
        return false;
    real = canonical(m, target);
    for (size_t i = 0; i < p->not_vendors.count; i++) {
        const char *path = p->not_vendors.items[i];

        if (strcmp(path, target) == 0 || (real != NULL && strcmp(path, real) == 0))
            return true;
    }
    return false;
}

static bool
on_path(const struct host *h, struct mem *m, const char *program)
{
    const char *path = env_get(h->envp, "PATH");

    if (path == NULL)
        path = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t n = strcspn(path, ":");
        const char *file = n == 0 ? program : mem_printf(m, "%.*s/%s", (int)n, path, program);
        struct stat st;

        if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0)
            return true;
        if (path[n] == '\0')
            return false;
        path += n + 1;
    }
}

static void
refuse(struct launch *l, enum refusal why, const char *detail)
{
    l->refusal = why;
    l->refusal_detail = detail;
    l->outcome = OUTCOME_REFUSE;
    l->rendered = NULL;
    l->rendered_argc = 0;
}

/* The projection that an untouched argv amounts to. */
static enum projection
as_asked(const struct request *r)
{
    switch (r->access) {
    case ACCESS_READ_ONLY:
        return PROJECTION_READ_ONLY;
    case ACCESS_WORKSPACE_WRITE:
        return PROJECTION_WORKSPACE_WRITE;
    case ACCESS_FULL:
    case ACCESS_CONTRADICTORY: /* the CLIs take the wider one */
        return PROJECTION_FULL;
    default:
        return PROJECTION_VENDOR_DEFAULT;
    }
}

/* What asks full access: its spelling, and where it is. */
static const char *
full_text(struct mem *m, const struct request *r)
{
    for (size_t k = 0; k < r->nsources; k++) {
        const struct source *s = &r->sources[k];

        if (s->access == ACCESS_FULL)
            return mem_printf(m, "%s%s%s%s%s still asks full access", s->spelling,
                              s->value != NULL ? " " : "", s->value != NULL ? s->value : "",
                              s->file != NULL ? " in " : "", s->file != NULL ? s->file : "");
    }
    return NULL;
}

/* Reads the rendered argv as if it had been asked for. It describes what is launched, and must not ask more than the
 * projection: a file that nothing on the command line overrides, or a mistake in a table, and neither must grant. */
static void
read_back(struct mem *m, struct launch *l, struct request *out)
{
    struct invocation i = l->invocation;
    const char *detail = NULL;

    command_parse(m, l->adapter->grammar, l->rendered, l->rendered_argc, l->invocation.command.first,
                  &i.command);
    memset(out, 0, sizeof(*out));
    l->adapter->request(m, &i, out);
    if (request_resolve(m, out, &detail) == REFUSAL_NONE &&
        !(out->access == ACCESS_FULL && l->projection != PROJECTION_FULL) &&
        !(l->projection == PROJECTION_READ_ONLY && out->access != ACCESS_READ_ONLY))
        return;
    if (detail == NULL && out->access == ACCESS_FULL)
        detail = full_text(m, out);
    refuse(l, REFUSAL_MALFORMED_REQUEST,
           mem_printf(m, "haccess cannot hold this command line to %s%s%s; %s",
                      projection_word(l->projection), detail != NULL ? ": " : "",
                      detail != NULL ? detail : "",
                      l->projection == PROJECTION_WORKSPACE_WRITE && l->adapter->read_only
                          ? "ask for read-only, or spell it with the CLI's own option"
                          : "spell it with the CLI's own option"));
}

/* The vendor default is what was given, less the full access that was not granted. */
static bool
is_rendered(const struct launch *l)
{
    return l->projection != PROJECTION_VENDOR_DEFAULT ||
           (l->adapter->full && l->request.access == ACCESS_FULL);
}

static void
render(const struct host *h, struct mem *m, struct launch *l)
{
    struct rendering how = {
        .projection = l->projection,
        .granted = l->decision.full,
        .narrowed = !l->decision.full && l->projection != as_asked(&l->request),
        .read_allow = &l->policy.read_allow,
        .read_deny = &l->policy.read_deny,
    };
    struct rendered out = {.argv = NULL};
    const char *detail = NULL;
    enum refusal after;

    if (is_rendered(l)) {
        l->adapter->render(m, &l->invocation, &l->request, &how, &out);
        l->rendered = out.argv;
        l->rendered_argc = out.argc;
    }
    if (out.refusal != REFUSAL_NONE) {
        refuse(l, out.refusal, out.detail);
        return;
    }
    after = decide_refusal_after(m, l->adapter, &l->request, &l->policy, l->decision.full, &detail);
    if (after != REFUSAL_NONE) {
        refuse(l, after, detail);
        return;
    }
    for (const struct program *p = out.needs; !l->decision.full && p != NULL && p->name != NULL; p++)
        if (!on_path(h, m, p->name)) {
            refuse(l, REFUSAL_SANDBOX_UNAVAILABLE,
                   mem_printf(m, "the sandbox of %s needs %s, which is not on PATH; install the package %s",
                              l->adapter->id, p->name, p->package));
            return;
        }
}

/* Section 4, with the parent probed only when everything else would grant. */
static void
decide(const struct host *h, struct mem *m, struct launch *l)
{
    l->decided = true;
    if (l->class == CLASS_SERVER) {
        l->decision.reason = REASON_ARGV_UNBOUNDING;
        l->decision.detail = "a client or another process chooses the access of this session";
        return;
    }
    decide_access(m, l->adapter, &l->request, &l->policy, NULL, l->first, &l->decision);
    if (!l->decision.needs_parent)
        return;
    evidence_probe(h, m, &l->lineage, &l->parent);
    l->probed = true;
    decide_access(m, l->adapter, &l->request, &l->policy, &l->parent, l->first, &l->decision);
}

/* In / there is nothing outside the workspace. */
static void
doubt_root(struct launch *l)
{
    if (l->enforcement != ENFORCED_VENDOR || l->projection == PROJECTION_READ_ONLY ||
        l->invocation.cwd == NULL || strcmp(l->invocation.cwd, "/") != 0)
        return;
    l->enforcement = l->projection == PROJECTION_WORKSPACE_WRITE ? ENFORCED_NONE : ENFORCED_UNVERIFIED;
    l->request.unverified = "the working directory is /: its sandbox may leave everything writable";
}

static void
plan_decided(const struct host *h, struct mem *m, struct launch *l)
{
    struct request launched;
    const char *detail = NULL;
    enum refusal before;

    request_files(m, l->adapter, &l->invocation);
    request_read(m, l->adapter, &l->invocation, &l->request);
    /* What narrows a tree of processes holds below, also where a launcher gives the variable another value. */
    if (lineage_says(h, &l->lineage, ENV_LANE, "read", true))
        request_reader(m, &l->request);
    if (lineage_says(h, &l->lineage, ENV_OFF, "0", false))
        l->policy.off = true;
    l->outcome = OUTCOME_LAUNCH;
    before = decide_refusal(m, l->adapter, l->class, &l->policy, &l->request, &detail);
    if (before != REFUSAL_NONE) {
        refuse(l, before, detail);
    } else {
        decide(h, m, l);
        l->projection = decide_projection(l->adapter, &l->request, &l->policy, l->decision.full, l->first);
        render(h, m, l);
    }
    launched = l->request;
    if (l->outcome == OUTCOME_LAUNCH && is_rendered(l))
        read_back(m, l, &launched);
    if (l->policy.observe) {
        l->observed = true;
        l->outcome = OUTCOME_LAUNCH;
        l->rendered = (char **)(uintptr_t)l->argv;
        l->rendered_argc = l->argc;
    }
    launch_keep(h, m, l);
    if (l->class == CLASS_SERVER)
        l->enforcement = ENFORCED_NONE;
    else
        l->enforcement = l->observed ? l->adapter->enforcement(&l->request, as_asked(&l->request))
                                     : l->adapter->enforcement(&launched, l->projection);
    if (l->enforcement == ENFORCED_APPROVALS)
        l->unconfined = l->observed ? l->request.unconfined : launched.unconfined;
    doubt_root(l);
}

void
launch_match(struct mem *m, const char *target, char *const argv[], struct match *out)
{
    const char *path = match_link(target, argv);
    char buffer[PATH_MAX];
    ssize_t n = path != NULL ? readlink(path, buffer, sizeof(buffer)) : -1;

    match_image(target, n > 0 ? mem_strndup(m, buffer, (size_t)n) : NULL, argv, out);
    /* A link to a link: the preload library has seen the image's own file. */
    if (out->kind == MATCH_NONE && n > 0 && path == target && realpath(path, buffer) != NULL)
        match_image(target, mem_strdup(m, buffer), argv, out);
}

void
launch_plan(const struct host *h, struct mem *m, const char *target, char *const argv[],
            const struct first_decision *first, struct launch *out)
{
    memset(out, 0, sizeof(*out));
    out->target = target;
    out->argv = argv;
    while (argv[out->argc] != NULL)
        out->argc++;
    out->rendered = (char **)(uintptr_t)argv;
    out->rendered_argc = out->argc;
    out->outcome = OUTCOME_PASSTHROUGH;
    launch_match(m, target, argv, &out->match);
    out->adapter = out->match.kind == MATCH_NONE ? NULL : adapter_find(out->match.adapter);
    out->class = out->match.kind == MATCH_HELPER ? CLASS_HELPER : CLASS_NONE;
    if (out->adapter == NULL || out->match.kind == MATCH_HELPER)
        return;

    command_parse(m, out->adapter->grammar, argv, out->argc, out->match.first, &out->invocation.command);
    out->class = out->adapter->classify(m, &out->invocation.command);
    if (out->class == CLASS_ADMIN)
        return;
    out->first = first;
    session_directory(h, m, out->adapter, &out->invocation);
    policy_load(h, m, out->invocation.cwd, &out->policy);
    if (is_not_vendor(m, &out->policy, out->match.script != NULL ? out->match.script : target)) {
        out->class = CLASS_NONE;
        out->adapter = NULL;
        return;
    }
    out->invocation.envp = h->envp;
    out->invocation.uid = h->uid;
    out->invocation.home = h->home;
    out->invocation.canonical = canonical;
    out->invocation.project = out->policy.project;
    out->invocation.git_top = out->policy.git_top;
    out->invocation.read_allow = &out->policy.read_allow;
    out->invocation.read_deny = &out->policy.read_deny;
    lineage_read(h, m, &out->lineage);
    plan_decided(h, m, out);
}
