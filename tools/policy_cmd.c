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
#include "policy_cmd.h"
#include "text.h"

static const char usage[] =
    "usage: haccess policy check|show|init|allow|deny [--json] [DIR]\n"
    "\n"
    "  check  validate the policy that holds in DIR, and the ceiling; exit 1 when\n"
    "         one is malformed\n"
    "  show   every value that holds in DIR, and where it comes from\n"
    "  init   write a commented default to DIR/.haccess/policy.json; never overwrites\n"
    "  allow  consent to the policy that holds in DIR, as it is now; say what changed\n"
    "         since it was last allowed\n"
    "  deny   withdraw that consent\n"
    "\n"
    "  -j, --json  one JSON object\n"
    "\n"
    "DIR is the working directory unless given. The format is in haccess-policy(5).\n";

const char *
policy_path_text(const struct policy_command *p, const char *path)
{
    return text_path(p->m, path, p->host.home);
}

int
policy_failure(const struct policy_command *p, const char *path, const char *why)
{
    warnx("policy: %s: %s", policy_path_text(p, path), text_show(p->m, why));
    return FOUND;
}

void
policy_put(cJSON *object, const char *key, cJSON *value)
{
    cJSON_AddItemToObjectCS(object, key, value);
}

cJSON *
policy_path_object(const struct policy_command *p, const char *path)
{
    cJSON *o = cJSON_CreateObject();
    policy_put(o, "path", text_json(p->m, path));
    return o;
}

cJSON *
policy_file_object(const struct policy_command *p, const struct grant_policy *g)
{
    if (g->path == NULL)
        return cJSON_CreateNull();
    cJSON *o = policy_path_object(p, g->path);
    policy_put(o, "state", text_json(p->m, policy_state_word(g->state)));
    policy_put(o, "sha256", text_json(p->m, g->sha256[0] != '\0' ? g->sha256 : NULL));
    policy_put(o, "problem", text_json(p->m, g->problem));
    policy_put(o, "loosens", cJSON_CreateBool(g->loosens));
    policy_put(o, "allowed", cJSON_CreateBool(g->allowed));
    policy_put(o, "allowed_at", text_json(p->m, g->allowed_at));
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
state_text(const struct policy_command *p, const struct grant_policy *g)
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
check(const struct policy_command *p)
{
    struct policy policy;
    policy_load(&p->host, p->m, p->dir, &policy);
    const struct grant_policy *const files[] = {&policy.file, &policy.ceiling};
    bool bad = false;

    for (size_t i = 0; i < 2; i++)
        bad = bad || files[i]->state == POLICY_INVALID;
    if (p->json) {
        cJSON *o = cJSON_CreateObject();
        policy_put(o, "ok", cJSON_CreateBool(!bad));
        policy_put(o, "policy", policy_file_object(p, &policy.file));
        policy_put(o, "ceiling", policy_file_object(p, &policy.ceiling));
        text_print_json(o);
        return bad ? FOUND : DONE;
    }
    if (policy.file.path == NULL)
        printf("%s: no policy here\n", policy_path_text(p, policy.project != NULL ? policy.project : p->dir));
    for (size_t i = 0; i < 2; i++) {
        const struct grant_policy *g = files[i];
        if (g->path == NULL)
            continue;
        if (g->state == POLICY_INVALID)
            printf("%s: %s\n", policy_path_text(p, g->path), text_show(p->m, g->problem));
        else
            printf("%s: ok (%s)\n", policy_path_text(p, g->path), text_show(p->m, state_text(p, g)));
    }
    return bad ? FOUND : DONE;
}

cJSON *
policy_origin_object(const struct policy_command *p, const struct policy_origin *o)
{
    cJSON *object = cJSON_CreateObject(), *value = cJSON_Parse(o->value);
    policy_put(object, "key", text_json(p->m, o->key));
    policy_put(object, "value", value != NULL ? value : text_json(p->m, o->value));
    policy_put(object, "origin", text_json(p->m, o->origin));
    return object;
}

/* A longer value, such as a list, has a line of its own. */
#define VALUE_COLUMN 24

void
policy_print_origins(const struct policy_command *p, const struct policy_origin *origins, size_t n)
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
               policy_path_text(p, o->origin));
        if (apart)
            printf("      %s\n", text);
    }
}

static int
show(const struct policy_command *p)
{
    struct policy policy;
    policy_load(&p->host, p->m, p->dir, &policy);
    bool bad = policy.file.state == POLICY_INVALID || policy.ceiling.state == POLICY_INVALID;

    if (p->json) {
        cJSON *o = cJSON_CreateObject(), *values = cJSON_CreateArray();
        policy_put(o, "project", text_json(p->m, policy.project));
        policy_put(o, "policy", policy_file_object(p, &policy.file));
        policy_put(o, "ceiling", policy_file_object(p, &policy.ceiling));
        policy_put(o, "switched_off", cJSON_CreateBool(policy.off));
        for (size_t i = 0; i < policy.norigins; i++)
            cJSON_AddItemToArray(values, policy_origin_object(p, &policy.origins[i]));
        policy_put(o, "values", values);
        text_print_json(o);
        return bad ? FOUND : DONE;
    }
    printf("project  %s\n", policy.project != NULL ? policy_path_text(p, policy.project) : "unknown");
    printf("policy   %s%s%s\n", policy.file.path != NULL ? policy_path_text(p, policy.file.path) : "",
           policy.file.path != NULL ? "  " : "", text_show(p->m, state_text(p, &policy.file)));
    if (policy.file.sha256[0] != '\0')
        printf("         sha256 %s\n", policy.file.sha256);
    printf("ceiling  %s%s%s\n", policy.ceiling.path != NULL ? policy_path_text(p, policy.ceiling.path) : "",
           policy.ceiling.path != NULL ? "  " : "", text_show(p->m, state_text(p, &policy.ceiling)));
    if (policy.off)
        printf("         HACCESS_WORKER_FULL_ACCESS=0 switches full access off here\n");
    printf("\n");
    policy_print_origins(p, policy.origins, policy.norigins);
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
init(const struct policy_command *p)
{
    const char *dir = mem_printf(p->m, "%s/.haccess", strcmp(p->dir, "/") == 0 ? "" : p->dir);
    const char *path = mem_printf(p->m, "%s/policy.json", dir), *what, *project, *found;
    bool made;

    int e = write_default(dir, path, &made, &what);
    if (e != 0)
        return policy_failure(p, what, e == EEXIST ? "is there already; nothing was changed" : strerror(e));
    found = policy_find(&p->host, p->m, p->dir, &project);
    if (found == NULL || strcmp(found, path) != 0) {
        unlink(path);
        if (made)
            rmdir(dir);
        return policy_failure(
            p, p->dir,
            "is no project (home directories, / and world-writable directories are not); nothing "
            "was written");
    }
    if (p->json)
        text_print_json(policy_path_object(p, path));
    else
        printf("%s: written; edit it, then run `haccess policy allow`\n", policy_path_text(p, path));
    return DONE;
}

int
command_policy(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const struct policy_command *p);
    } subcommands[] = {{"check", check},
                       {"show", show},
                       {"init", init},
                       {"allow", policy_command_allow},
                       {"deny", policy_command_deny}};
    static const struct option longs[] = {COMMON_LONG, {"json", no_argument, NULL, 'j'}, {0}};
    struct policy_command p = {.json = false};
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
        code = policy_failure(&p, dir, strerror(errno));
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
