#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../shim/decide/policy.h"
#include "haccess.h"
#include "text.h"

static const char usage[] =
    "usage: haccess policy check|show|init|allow|deny [--json] [DIR]\n"
    "\n"
    "  check  validate the policy that holds in DIR, and the ceiling; exit 1 when\n"
    "         one is malformed\n"
    "  show   every value that holds in DIR, and where it comes from\n"
    "  init   write a commented default to DIR/.haccess/policy.json; never overwrites\n"
    "  allow  consent to the policy that holds in DIR, as it is now\n"
    "  deny   withdraw that consent\n"
    "\n"
    "  -j, --json  one JSON object\n"
    "\n"
    "DIR is the working directory unless given. The format is in haccess-policy(5).\n";

/* What a subcommand works on. */
struct place {
    struct mem *m;
    struct host host;
    const char *dir; /* absolute */
    bool json;
};

static const char *
path_text(const struct place *p, const char *path)
{
    return text_path(p->m, path, p->host.home);
}

static int
failure(const struct place *p, const char *path, const char *why)
{
    warnx("policy: %s: %s", path_text(p, path), text_show(p->m, why));
    return FOUND;
}

static void
put(cJSON *object, const char *key, cJSON *value)
{
    cJSON_AddItemToObjectCS(object, key, value);
}

static cJSON *
path_object(const struct place *p, const char *path)
{
    cJSON *o = cJSON_CreateObject();
    put(o, "path", text_json(p->m, path));
    return o;
}

static cJSON *
file_object(const struct place *p, const struct grant_policy *g)
{
    if (g->path == NULL)
        return cJSON_CreateNull();
    cJSON *o = path_object(p, g->path);
    put(o, "state", text_json(p->m, policy_state_word(g->state)));
    put(o, "sha256", text_json(p->m, g->sha256[0] != '\0' ? g->sha256 : NULL));
    put(o, "problem", text_json(p->m, g->problem));
    put(o, "loosens", cJSON_CreateBool(g->loosens));
    put(o, "allowed", cJSON_CreateBool(g->allowed));
    put(o, "allowed_at", text_json(p->m, g->allowed_at));
    return o;
}

static bool
lists_a_model(const struct grant_policy *g)
{
    for (size_t i = 0; i < g->nfloors; i++)
        if (g->floors[i].count > 0)
            return true;
    return false;
}

/* What people are told of one file's state. */
static const char *
state_text(const struct place *p, const struct grant_policy *g)
{
    switch (g->state) {
    case POLICY_INVALID:
        return mem_printf(p->m, "malformed: %s", g->problem);
    case POLICY_NOT_ALLOWED:
        return g->changed_since == NULL
                   ? "enabled, but not allowed: read it, then run `haccess policy allow`"
                   : mem_printf(p->m,
                                "enabled, but changed since it was allowed on %s: read it, then run "
                                "`haccess policy allow`",
                                g->changed_since);
    case POLICY_ENABLED:
        if (!lists_a_model(g))
            return "enabled, but floors lists no model: nothing qualifies";
        return g->allowed_at == NULL ? "enabled" : mem_printf(p->m, "enabled, allowed %s", g->allowed_at);
    case POLICY_DISABLED:
        return !g->loosens || g->allowed
                   ? "full access is not enabled"
                   : "full access is not enabled; other values wait for `haccess policy allow`";
    default:
        return "none";
    }
}

static int
check(const struct place *p)
{
    struct policy policy;
    policy_load(&p->host, p->m, p->dir, &policy);
    const struct grant_policy *const files[] = {&policy.file, &policy.ceiling};
    bool bad = false;

    for (size_t i = 0; i < 2; i++)
        bad = bad || files[i]->state == POLICY_INVALID;
    if (p->json) {
        cJSON *o = cJSON_CreateObject();
        put(o, "ok", cJSON_CreateBool(!bad));
        put(o, "policy", file_object(p, &policy.file));
        put(o, "ceiling", file_object(p, &policy.ceiling));
        text_print_json(o);
        return bad ? FOUND : DONE;
    }
    if (policy.file.path == NULL)
        printf("%s: no policy here\n", path_text(p, policy.project != NULL ? policy.project : p->dir));
    for (size_t i = 0; i < 2; i++) {
        const struct grant_policy *g = files[i];
        if (g->path == NULL)
            continue;
        if (g->state == POLICY_INVALID)
            printf("%s: %s\n", path_text(p, g->path), text_show(p->m, g->problem));
        else
            printf("%s: ok (%s)\n", path_text(p, g->path), text_show(p->m, state_text(p, g)));
    }
    return bad ? FOUND : DONE;
}

static cJSON *
origin_object(const struct place *p, const struct policy_origin *o)
{
    cJSON *object = cJSON_CreateObject(), *value = cJSON_Parse(o->value);
    put(object, "key", text_json(p->m, o->key));
    put(object, "value", value != NULL ? value : text_json(p->m, o->value));
    put(object, "origin", text_json(p->m, o->origin));
    return object;
}

/* A longer value, such as a list, has a line of its own. */
#define VALUE_COLUMN 24

static void
print_origins(const struct place *p, const struct policy_origin *origins, size_t n)
{
    size_t key = 0, value = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = strlen(origins[i].key), v = strlen(origins[i].value);
        key = k > key ? k : key;
        value = v > value && v <= VALUE_COLUMN ? v : value;
    }
    for (size_t i = 0; i < n; i++) {
        const struct policy_origin *o = &origins[i];
        const char *text = text_show(p->m, o->value);
        bool apart = strlen(text) > VALUE_COLUMN;
        printf("  %-*s  %-*s  %s\n", (int)key, o->key, (int)value, apart ? "" : text,
               path_text(p, o->origin));
        if (apart)
            printf("      %s\n", text);
    }
}

static int
show(const struct place *p)
{
    struct policy policy;
    policy_load(&p->host, p->m, p->dir, &policy);
    bool bad = policy.file.state == POLICY_INVALID || policy.ceiling.state == POLICY_INVALID;

    if (p->json) {
        cJSON *o = cJSON_CreateObject(), *values = cJSON_CreateArray();
        put(o, "project", text_json(p->m, policy.project));
        put(o, "policy", file_object(p, &policy.file));
        put(o, "ceiling", file_object(p, &policy.ceiling));
        put(o, "switched_off", cJSON_CreateBool(policy.off));
        for (size_t i = 0; i < policy.norigins; i++)
            cJSON_AddItemToArray(values, origin_object(p, &policy.origins[i]));
        put(o, "values", values);
        text_print_json(o);
        return bad ? FOUND : DONE;
    }
    printf("project  %s\n", policy.project != NULL ? path_text(p, policy.project) : "unknown");
    printf("policy   %s%s%s\n", policy.file.path != NULL ? path_text(p, policy.file.path) : "",
           policy.file.path != NULL ? "  " : "", text_show(p->m, state_text(p, &policy.file)));
    if (policy.file.sha256[0] != '\0')
        printf("         sha256 %s\n", policy.file.sha256);
    printf("ceiling  %s%s%s\n", policy.ceiling.path != NULL ? path_text(p, policy.ceiling.path) : "",
           policy.ceiling.path != NULL ? "  " : "", text_show(p->m, state_text(p, &policy.ceiling)));
    if (policy.off)
        printf("         HACCESS_WORKER_FULL_ACCESS=0 switches full access off here\n");
    printf("\n");
    print_origins(p, policy.origins, policy.norigins);
    return bad ? FOUND : DONE;
}

/* Makes DIR/.haccess/policy.json. Returns 0 or an errno with *what naming the path. */
static int
write_default(const char *dir, const char *path, bool *made, const char **what)
{
    size_t length = strlen(policy_default_text), done = 0;

    *what = dir;
    *made = mkdir(dir, 0755) == 0;
    if (!*made && errno != EEXIST)
        return errno;
    if (*made && chmod(dir, 0755) != 0) /* whatever the umask is: a policy is read by others, too */
        return errno;
    *what = path;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd == -1)
        return errno;
    int e = fchmod(fd, 0644) == 0 ? 0 : errno;
    while (e == 0 && done < length) {
        ssize_t n = write(fd, policy_default_text + done, length - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            e = errno;
    }
    if (close(fd) != 0 && e == 0)
        e = errno;
    if (e != 0)
        unlink(path);
    return e;
}

static int
init(const struct place *p)
{
    const char *dir = mem_printf(p->m, "%s/.haccess", strcmp(p->dir, "/") == 0 ? "" : p->dir);
    const char *path = mem_printf(p->m, "%s/policy.json", dir), *what, *project, *found;
    bool made;

    int e = write_default(dir, path, &made, &what);
    if (e != 0)
        return failure(p, what, e == EEXIST ? "is there already; nothing was changed" : strerror(e));
    found = policy_find(&p->host, p->m, p->dir, &project);
    if (found == NULL || strcmp(found, path) != 0) {
        unlink(path);
        if (made)
            rmdir(dir);
        return failure(p, p->dir,
                       "is no project (home directories, / and world-writable directories are not); nothing "
                       "was written");
    }
    if (p->json)
        text_print_json(path_object(p, path));
    else
        printf("%s: written; edit it, then run `haccess policy allow`\n", path_text(p, path));
    return DONE;
}

/* What consent changes: the values that differ between before and after, and what full access is granted to. Returns how
 * many, in *out. */
static size_t
loosened(const struct place *p, const struct policy *before, const struct policy *after,
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
sound_policy(const struct place *p, struct policy *policy)
{
    policy_load(&p->host, p->m, p->dir, policy);
    if (policy->file.path == NULL)
        failure(p, p->dir, "no .haccess/policy.json at or above it (haccess policy init writes one)");
    else if (policy->file.state == POLICY_INVALID)
        failure(p, policy->file.path, mem_printf(p->m, "malformed, not allowed: %s", policy->file.problem));
    else
        return policy->file.path;
    return NULL;
}

static int
allow(const struct place *p)
{
    struct policy before, after;
    const char *what = NULL, *path = sound_policy(p, &before);
    if (path == NULL)
        return FOUND;

    int e = policy_allow(&p->host, p->m, path, &what);
    if (e != 0)
        return failure(p, what != NULL ? what : path, strerror(e));
    policy_load(&p->host, p->m, p->dir, &after);
    /* Consent is to what was validated and is shown, not to what came in between. */
    if (strcmp(before.file.sha256, after.file.sha256) != 0 || !after.file.allowed) {
        policy_deny(&p->host, p->m, path, &what);
        return failure(p, path, "changed meanwhile, not allowed; look at it again");
    }
    struct policy_origin *values;
    size_t n = loosened(p, &before, &after, &values);
    if (p->json) {
        cJSON *o = file_object(p, &after.file), *list = cJSON_CreateArray();
        for (size_t i = 0; i < n; i++)
            cJSON_AddItemToArray(list, origin_object(p, &values[i]));
        put(o, "values", list);
        text_print_json(o);
        return DONE;
    }
    printf("%s: allowed as it is now, sha256 %s\n", path_text(p, path), after.file.sha256);
    if (before.file.allowed && before.file.loosens)
        printf("It was allowed already.%s\n", n > 0 ? " It grants:" : "");
    else
        printf("%s\n", n > 0 ? "From now on these count:" : "It loosens nothing here.");
    print_origins(p, values, n);
    return DONE;
}

static int
deny(const struct place *p)
{
    const char *project, *what = NULL, *path = policy_find(&p->host, p->m, p->dir, &project);
    if (path == NULL)
        return failure(p, p->dir, "no .haccess/policy.json at or above it");

    int e = policy_deny(&p->host, p->m, path, &what);
    if (e != 0 && e != ENOENT)
        return failure(p, what != NULL ? what : path, strerror(e));
    if (p->json) {
        cJSON *o = path_object(p, path);
        put(o, "withdrawn", cJSON_CreateBool(e == 0));
        text_print_json(o);
    } else {
        printf("%s: %s\n", path_text(p, path), e == 0 ? "no longer allowed" : "was not allowed");
    }
    return DONE;
}

int
command_policy(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct place *p);
    } subcommands[] = {{"check", check}, {"show", show}, {"init", init}, {"allow", allow}, {"deny", deny}};
    static const struct option longs[] = {COMMON_LONG, {"json", no_argument, NULL, 'j'}, {0}};
    struct place p = {.json = false};
    int c, code = DONE;

    while ((c = command_option(argc, argv, ":j" COMMON_SHORT, longs, "policy", usage, &code)) != -1) {
        if (c != 'j')
            return code;
        p.json = true;
    }
    if (optind == argc || argc - optind > 2) {
        fputs(usage, stderr);
        return USAGE;
    }
    p.m = mem_new();
    host_init(&p.host, p.m, environ);

    char real[PATH_MAX];
    const char *dir = argc - optind == 2 ? argv[optind + 1] : ".", *name = argv[optind];
    code = USAGE;
    size_t i = 0, n = sizeof subcommands / sizeof subcommands[0];
    while (i < n && strcmp(name, subcommands[i].name) != 0)
        i++;
    if (i == n) {
        warnx("policy: %s: no such subcommand (see haccess policy --help)", text_show(p.m, name));
    } else if (realpath(dir, real) == NULL) {
        code = failure(&p, dir, strerror(errno));
    } else {
        p.dir = real;
        code = subcommands[i].run(&p);
        if (fflush(stdout) != 0) {
            warn("policy: standard output");
            code = FOUND;
        }
    }
    mem_free(p.m);
    return code;
}
