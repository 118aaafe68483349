#include "doctor.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../shim/decide/launch.h"
#include "../shim/journal/journal.h"
#include "find.h"
#include "haccess.h"
#include "text.h"

static const char usage[] = "usage: haccess doctor [--json]\n"
                            "\n"
                            "Says whether haccess works here and which agent CLIs on PATH it covers.\n"
                            "\n"
                            "  -j, --json  one JSON object\n"
                            "\n"
                            "Exit status: 0, or 1 when there is a problem.\n";

#define CLIS_MAX     8
#define FINDINGS_MAX 16

struct report {
    struct mem *m;
    struct host host;
    struct finding findings[FINDINGS_MAX];
    size_t nfindings;
    struct cli clis[CLIS_MAX];
    size_t nclis;
    const char *name; /* by which LD_PRELOAD names the library here; NULL: it is not there */
};

static void
found(struct report *r, enum finding_kind kind, const char *name, const char *saw, const char *remedy)
{
    if (r->nfindings < FINDINGS_MAX)
        r->findings[r->nfindings++] = (struct finding){kind, name, saw, remedy};
}

/* The file that ld.so loads for this LD_PRELOAD text, by the memory map of a program run with it, and with this
 * LD_LIBRARY_PATH where that is not NULL; NULL: none. */
static const char *
loaded_as(struct mem *m, const char *preload, const char *search)
{
    char *env[] = {mem_printf(m, "LD_PRELOAD=%s", preload),
                   search == NULL ? NULL : mem_printf(m, "LD_LIBRARY_PATH=%s", search), NULL};
    char *argv[] = {mem_strdup(m, "/bin/cat"), mem_strdup(m, "/proc/self/maps"), NULL};
    char *maps = capture(m, argv, env, 5000, 0);
    char *at = maps == NULL ? NULL : strstr(maps, "/libhaccess.so");
    if (at == NULL)
        return NULL;
    char *end = strchr(at, '\n'), *begin = at;
    if (end != NULL)
        *end = '\0';
    while (begin > maps && begin[-1] != ' ' && begin[-1] != '\n')
        begin--;
    return begin;
}

/* Whether ld.so would find the file by its name once ldconfig was run (ld.so(8), and Debian's ld.so.conf). */
static bool
in_default_directory(const char *library)
{
    static const char *const directories[] = {"/usr/local/lib/", "/usr/lib/", "/lib/", NULL};

    for (const char *const *d = directories; *d != NULL; d++)
        if (strncmp(library, *d, strlen(*d)) == 0 && strchr(library + strlen(*d), '/') == NULL)
            return true;
    return false;
}

static void
look_at_library(struct report *r, const struct parts *parts)
{
    struct mem *m = r->m;
    if (parts->library == NULL) {
        found(r, FINDING_PROBLEM, "library", "no libhaccess.so beside haccess or in ../lib", "make install");
        return;
    }
    if (loaded_as(m, parts->library, NULL) == NULL)
        found(r, FINDING_PROBLEM, "library", mem_printf(m, "%s cannot be loaded", parts->library),
              "see what `LD_PRELOAD=PATH /bin/true` says");
    else
        found(r, FINDING_GOOD, "library", parts->library, NULL);

    const char *by_name = loaded_as(m, "libhaccess.so", NULL);
    const char *search = env_get(r->host.envp, "LD_LIBRARY_PATH"), *searched = NULL;
    char real[4096];
    if (by_name == NULL && search != NULL)
        searched = loaded_as(m, "libhaccess.so", search);
    if (searched != NULL && realpath(searched, real) != NULL && strcmp(real, parts->library) == 0)
        found(r, FINDING_NOTE, "ld.so", "finds it as libhaccess.so by LD_LIBRARY_PATH only",
              "a program that clears that variable is not covered: name the library by its path");
    else if (by_name != NULL && realpath(by_name, real) != NULL && strcmp(real, parts->library) == 0)
        found(r, FINDING_GOOD, "ld.so", "finds it as libhaccess.so", NULL);
    else if (by_name != NULL)
        found(r, parts->installed ? FINDING_PROBLEM : FINDING_NOTE, "ld.so",
              mem_printf(m, "finds another one as libhaccess.so: %s", by_name),
              "name this one by its path, or remove that one");
    else if (in_default_directory(parts->library))
        found(r, FINDING_PROBLEM, "ld.so", "does not find it as libhaccess.so",
              "run ldconfig as root, or name it by its path");
    else
        found(r, FINDING_NOTE, "ld.so", "does not find it as libhaccess.so: name it by its path", NULL);
    r->name = by_name != NULL && realpath(by_name, real) != NULL && strcmp(real, parts->library) == 0
                  ? "libhaccess.so"
                  : parts->library;
}

static void
look_at_helper(struct report *r, const struct parts *parts)
{
    if (parts->helper == NULL)
        return;
    if (faccessat(AT_FDCWD, parts->helper, X_OK, AT_EACCESS) == 0)
        found(r, FINDING_GOOD, "helper", parts->helper, NULL);
    else
        found(r, FINDING_PROBLEM, "helper", mem_printf(r->m, "%s: %s", parts->helper, strerror(errno)),
              "make install: without it every agent CLI fails to start");
}

static void
look_at_preload(struct report *r)
{
    char *maps;
    size_t length;
    const char *preload = env_get(r->host.envp, "LD_PRELOAD");
    bool named = preload != NULL && strstr(preload, "libhaccess.so") != NULL;
    bool loaded = host_read(r->m, AT_FDCWD, "/proc/self/maps", 1 << 22, 1, &maps, &length) == 0 &&
                  strstr(maps, "/libhaccess.so") != NULL;
    if (loaded)
        found(r, FINDING_GOOD, "loaded here", "yes: what is launched from here is decided", NULL);
    else if (named)
        found(r, FINDING_PROBLEM, "loaded here",
              mem_printf(r->m, "LD_PRELOAD names it, but it was not loaded: %s", preload),
              "LD_PRELOAD needs a name that ld.so finds, or an absolute path");
    else
        found(r, FINDING_NOTE, "loaded here", "no",
              r->name == NULL ? "haccess run -- CMD"
                              : mem_printf(r->m, "LD_PRELOAD=%s CMD, or haccess run -- CMD", r->name));
}

static void
look_at_state(struct report *r)
{
    struct journal_host where;
    struct stat st;
    journal_host(r->m, r->host.envp, r->host.home, r->host.uid, r->host.now, &where);
    if (where.state == NULL) {
        found(r, FINDING_PROBLEM, "journal", "no home directory, so no place for it",
              "set HACCESS_STATE_DIR");
        return;
    }
    /* What is not there yet is made on the first launch, if the nearest directory that is there allows it. */
    char *dir = mem_strdup(r->m, where.state);
    while (stat(dir, &st) != 0 && errno == ENOENT) {
        char *slash = strrchr(dir, '/');
        if (slash == NULL || slash == dir) {
            dir = mem_strdup(r->m, slash == NULL ? "." : "/");
            break;
        }
        *slash = '\0';
    }
    errno = stat(dir, &st) == 0 && !S_ISDIR(st.st_mode) ? ENOTDIR : 0;
    if (errno == 0 && faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0)
        found(r, FINDING_GOOD, "journal", where.state, NULL);
    else
        found(r, FINDING_PROBLEM, "journal",
              mem_printf(r->m, "%s cannot be written: %s: %s", where.state, dir, strerror(errno)),
              "mend its permissions, or set HACCESS_STATE_DIR; until then records go to a spool in $TMPDIR "
              "or /tmp");
}

static void
look_at_policy(struct report *r)
{
    struct policy p;
    policy_load(&r->host, r->m, r->host.cwd, &p);
    const struct grant_policy *const files[] = {&p.file, &p.ceiling};
    static const char *const names[] = {"policy", "ceiling"};
    for (size_t i = 0; i < 2; i++) {
        const struct grant_policy *g = files[i];
        const char *remedy = g->state == POLICY_NOT_ALLOWED ? "read it, then run haccess policy allow" : NULL;
        if (g->state == POLICY_INVALID)
            found(r, FINDING_PROBLEM, names[i], mem_printf(r->m, "%s: %s", g->path, g->problem),
                  "haccess policy check");
        else if (g->path != NULL)
            found(r, remedy == NULL ? FINDING_GOOD : FINDING_NOTE, names[i],
                  mem_printf(r->m, "%s: %s", g->path,
                             g->state == POLICY_DISABLED ? "full access is not enabled"
                                                         : policy_state_word(g->state)),
                  remedy);
        else if (i == 0)
            found(r, FINDING_NOTE, names[i], "none here: nothing gets full access", "haccess policy init");
    }
}

static void
look_at_privileges(struct report *r)
{
    int set = r->host.no_new_privs();
    if (set == 0)
        found(r, FINDING_GOOD, "privileges", "no_new_privs is not set", NULL);
    else
        found(r, FINDING_NOTE, "privileges",
              set == 1 ? "no_new_privs is set here: nothing launched from here can get full access"
                       : "no_new_privs cannot be read: nothing launched from here can get full access",
              NULL);
}

/* Without these, a claude launch that is narrowed to its sandbox is refused. */
static void
look_at_sandbox(struct report *r)
{
    static const char *const needed[][2] = {{"bwrap", "bubblewrap"}, {"socat", "socat"}};
    bool claude = false;
    const char *file;
    for (size_t i = 0; i < r->nclis; i++)
        claude = claude || strcmp(r->clis[i].name, "claude") == 0;
    for (size_t i = 0; claude && i < 2; i++)
        if (find_program(r->m, needed[i][0], env_get(r->host.envp, "PATH"), &file) != 0)
            found(r, FINDING_NOTE, "claude sandbox",
                  mem_printf(r->m, "%s is missing: narrowed claude launches are refused", needed[i][0]),
                  mem_printf(r->m, "install the package %s", needed[i][1]));
}

/* What a plain codex session here would hand on to its commands. */
static void
look_at_commands(struct report *r)
{
    static char *argv[] = {"codex", "exec", NULL};
    struct host h = r->host;
    struct launch launch = {.shed = NULL};
    h.envp = find_preloaded(r->m, h.envp);
    for (size_t i = 0; i < r->nclis && launch.shed == NULL; i++)
        if (strcmp(r->clis[i].name, "codex") == 0)
            launch_plan(&h, r->m, r->clis[i].path, argv, NULL, &launch);
    if (launch.shed == NULL)
        return;
    found(r, FINDING_NOTE, "codex commands",
          mem_printf(r->m, "%s; %s", launch.shed,
                     launch.restored ? "each launch gets it back with -c shell_environment_policy.set"
                                     : "what they launch is neither decided nor recorded"),
          launch.restored ? NULL : "let LD_PRELOAD and HACCESS_* through there");
}

static void
look_at_versions(struct report *r)
{
    for (size_t i = 0; i < r->nclis; i++) {
        const char *newer = cli_newer(r->m, r->clis[i].adapter, r->clis[i].version);

        if (newer != NULL)
            found(r, FINDING_NOTE, r->clis[i].name, newer, "look for a newer haccess");
    }
}

static void
look(struct report *r)
{
    struct parts parts;
    host_init(&r->host, r->m, environ);
    find_parts(r->m, &parts);
    look_at_library(r, &parts);
    look_at_helper(r, &parts);
    look_at_preload(r);
    look_at_state(r);
    look_at_policy(r);
    look_at_privileges(r);
    r->nclis = cli_survey(&r->host, r->m, r->clis, CLIS_MAX);
    look_at_sandbox(r);
    look_at_versions(r);
    look_at_commands(r);
}

static void
print_json(const struct report *r, bool ok)
{
    static const char *const kinds[] = {"ok", "note", "problem"};
    struct mem *m = r->m;
    cJSON *o = cJSON_CreateObject(), *checks, *clis;
    cJSON_AddBoolToObject(o, "ok", ok);
    checks = cJSON_AddArrayToObject(o, "checks");
    clis = cJSON_AddArrayToObject(o, "clis");
    for (size_t i = 0; i < r->nfindings; i++) {
        const struct finding *f = &r->findings[i];
        cJSON *c = cJSON_CreateObject();
        cJSON_AddItemToObject(c, "name", text_json(m, f->name));
        cJSON_AddItemToObject(c, "result", text_json(m, kinds[f->kind]));
        cJSON_AddItemToObject(c, "detail", text_json(m, f->saw));
        cJSON_AddItemToObject(c, "remedy", text_json(m, f->remedy));
        cJSON_AddItemToArray(checks, c);
    }
    for (size_t i = 0; i < r->nclis; i++) {
        const struct cli *f = &r->clis[i];
        cJSON *c = cJSON_CreateObject();
        cJSON_AddItemToObject(c, "name", text_json(m, f->name));
        cJSON_AddItemToObject(c, "path", text_json(m, f->path));
        cJSON_AddItemToObject(c, "version", text_json(m, f->version));
        cJSON_AddItemToObject(c, "checked", text_json(m, f->adapter->checked));
        cJSON_AddItemToObject(c, "form", text_json(m, f->form));
        cJSON_AddItemToObject(c, "covered", text_json(m, f->covered));
        cJSON_AddItemToArray(clis, c);
    }
    text_print_json(o);
}

static void
print_text(const struct report *r)
{
    const struct paint *c = paint_for(stdout);
    bool unicode = text_unicode();
    const struct {
        const char *mark, *color;
    } marks[] = {
        [FINDING_GOOD] = {unicode ? "✓" : "+", c->green},
        [FINDING_NOTE] = {unicode ? "·" : "-", c->dim},
        [FINDING_PROBLEM] = {unicode ? "✗" : "x", c->red},
    };
    for (size_t i = 0; i < r->nfindings; i++) {
        const struct finding *f = &r->findings[i];
        printf("%s%s%s %-14s  ", marks[f->kind].color, marks[f->kind].mark, c->off, f->name);
        text_print(text_path(r->m, f->saw, r->host.home), 18);
        if (f->remedy != NULL) {
            printf("%18s", "");
            text_print(text_show(r->m, f->remedy), 18);
        }
    }
    printf("\n");
    if (r->nclis == 0)
        printf("No agent CLI on PATH.\n");
    for (size_t i = 0; i < r->nclis; i++) {
        const struct cli *k = &r->clis[i];
        printf("%-14s  %s  %s  %s\n%16sseen ", k->name,
               k->version == NULL ? "version ?" : text_show(r->m, k->version), k->form,
               text_path(r->m, k->path, r->host.home), "");
        text_print(k->covered, 21);
    }
}

int
command_doctor(int argc, char **argv)
{
    static const struct option longs[] = {COMMON_LONG, {"json", no_argument, NULL, 'j'}, {0}};
    bool json = false, ok = true;
    int c, code = DONE;

    while ((c = command_option(argc, argv, ":j" COMMON_SHORT, longs, "doctor", usage, &code)) != -1) {
        if (c != 'j')
            return code;
        json = true;
    }
    if (optind != argc) {
        fputs(usage, stderr);
        return USAGE;
    }
    struct report report = {.m = mem_new()};
    look(&report);
    for (size_t i = 0; i < report.nfindings; i++)
        ok = ok && report.findings[i].kind != FINDING_PROBLEM;
    if (json)
        print_json(&report, ok);
    else
        print_text(&report);
    mem_free(report.m);
    if (fflush(stdout) != 0) {
        warn("doctor: standard output");
        return FOUND;
    }
    return ok ? DONE : FOUND;
}
