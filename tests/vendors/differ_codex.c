/* Random command lines of codex, and whether what haccess says of them is what codex does.
 *
 * For each the real codex runs as it was asked, and again as haccess would launch it: unasked and without a grant (a full-access
 * request is narrowed), with each HACCESS_ACCESS, and with a grant. Its model service refuses the first request, which ends the
 * session and has the prompt; the header on standard error has the mode. What must hold:
 *   - the request that haccess reports is the mode that codex reports, but for the deviations below;
 *   - the mode that codex reports of a rendered launch is the projection; prompt, model, effort and provider are those of
 *     the launch as it was asked;
 *   - codex takes a rendered launch when it takes the one that was asked, and only then; haccess refuses none that it takes,
 *     but for the deviations below;
 *   - rendering what was rendered changes nothing.
 * The TUI does not start without a terminal: of its launches only whether codex takes the words is compared. */
#include <cjson/cJSON.h>
#include <check.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/codex_session.h"
#include "support/codex_vectors.h"
#include "support/differ.h"
#include "support/files.h"
#include "support/world.h"

#define TRIALS  300
#define WORKERS 2
#define THREAD  "019ad66d-0af3-7000-8000-0123456789ab"

/* Where haccess says more than codex does, on purpose. */
enum deviation {
    CONTRADICTION,
    WIDE_ROOTS,
    PROFILE,
    VARIABLE,
    BOUND_ROOTS,
    FULL_AUTO,
    HIDDEN_SETTING,
    DENYING_PROFILE,
    SCREEN,
    OLDER_COMMAND,
    DEVIATIONS
};
static const struct {
    const char *what, *why;
} deviations[DEVIATIONS] = {
    [CONTRADICTION] = {"two explicit modes: refused, codex takes one of them",
                       "which one depends on level and order; a caller that says both is mistaken about one"},
    [WIDE_ROOTS] =
        {"roots that hold everything and no mode: full-access, codex is read-only in an untrusted directory",
         "trusting the directory makes the same words write anywhere"},
    [PROFILE] = {"a permission profile of its own: full-access, codex says custom permissions",
                 "its tables allow a write outside the project, or one that haccess cannot place"},
    [VARIABLE] =
        {"HACCESS_ACCESS where codex rejects the words: taken, as codex takes them with --sandbox in front",
         "the variable is a mode that was asked, and the configuration lacked one"},
    [FULL_AUTO] = {"--full-auto: workspace-write, codex rejects it", "versions before took it"},
    [HIDDEN_SETTING] = {"a setting that codex rejects, which an assignment or --approve-for-me kept it from: "
                        "rendered, it stops",
                        "--sandbox takes their place; nothing is launched, and codex names the setting"},
    [DENYING_PROFILE] =
        {"a profile that keeps codex itself from reading the project, so that it stops: rendered, it runs",
         "--sandbox takes the place of the profile, and has no rules for reading"},
    [SCREEN] = {"the TUI under configuration that codex exec rejects: refused",
                "without a terminal codex does not get to it"},
    [OLDER_COMMAND] = {"mcp-server: a server with options of its own, codex takes it for a prompt",
                       "it is one in 0.151"},
    [BOUND_ROOTS] =
        {"HACCESS_ACCESS=workspace-write beside roots that hold everything: refused",
         "codex would write anywhere; the configured read-only that held the roots back does not any more"},
};

enum { SESSIONS = 16 };

/* The ways a launch can be asked for. */
#define NO_GRANT "HACCESS_WORKER_FULL_ACCESS=0"
static const struct way {
    const char *name;
    const char *extra[3], *later[3];
    const char *access; /* as HACCESS_ACCESS asks it of codex */
} ways[] = {
    {"as asked", {NO_GRANT}, {NO_GRANT}, NULL},
    {"HACCESS_ACCESS=read-only", {NO_GRANT, "HACCESS_ACCESS=read-only"}, {NO_GRANT}, "read-only"},
    {"HACCESS_ACCESS=workspace-write",
     {NO_GRANT, "HACCESS_ACCESS=workspace-write"},
     {NO_GRANT},
     "workspace-write"},
    {"HACCESS_ACCESS=full-access",
     {NO_GRANT, "HACCESS_ACCESS=full-access"},
     {NO_GRANT},
     "danger-full-access"},
    {"granted", {"CODEX_THREAD_ID=" THREAD}, {"CODEX_THREAD_ID=" THREAD}, NULL},
};

struct counts {
    size_t ran, rejected, screen, qualified, narrowed, runs, deviated[DEVIATIONS];
};

/* One trial. */
struct trial {
    const struct world *w;
    struct counts *counts;
    FILE *report;
    char *top, *cwd, *requests;
    struct vector argv;
    struct session sessions[SESSIONS];
    size_t nsessions;
};

/* The environment of a launch; the extra entries end with NULL. The caller frees with free_environment. */
static char **
environment(const struct trial *t, const char *const *extra)
{
    char **env = calloc(16, sizeof *env);
    size_t n = 0;

    ck_assert_ptr_nonnull(env);
    env[n++] = format("HOME=%s/home", t->top);
    env[n++] = format("PATH=%s/vendors/node_modules/.bin:%s", getenv("HACCESS_BUILD"), getenv("PATH"));
    env[n++] = format("TMPDIR=%s/tmp", t->top);
    env[n++] = format("MOCK_CREDIT=none");
    env[n++] = format("LANG=C.UTF-8");
    for (; extra != NULL && *extra != NULL; extra++)
        env[n++] = format("%s", *extra);
    return env;
}

static void
free_environment(char **env)
{
    for (char **e = env; *e != NULL; e++)
        free(*e);
    free(env);
}

/* What codex makes of a vector; one that has run before in this trial is not run again. */
static const struct session *
run_codex(struct trial *t, const struct vector *v)
{
    struct session *s;
    char **env;

    for (size_t k = 0; k < t->nsessions; k++)
        if (vector_equal(&t->sessions[k].asked, v))
            return &t->sessions[k];
    ck_assert_uint_lt(t->nsessions, SESSIONS);
    s = &t->sessions[t->nsessions++];
    env = environment(t, NULL);
    session_run(s, v, t->top, t->cwd, env, t->requests);
    free_environment(env);
    t->counts->runs++;
    if (s->endless)
        fprintf(t->report, "codex does not end: %s\n", s->told);
    return s;
}

/* What haccess says of a vector; the caller deletes it. */
static cJSON *
explain(struct trial *t, const struct vector *v, const char *const *extra)
{
    struct vector words = {0};
    struct answer a;
    char **env = environment(t, extra);
    cJSON *object;

    vector_add_format(&words, "%s/haccess", getenv("HACCESS_BUILD"));
    vector_add(&words, "explain");
    vector_add(&words, "--json");
    vector_add(&words, "--");
    for (size_t k = 0; k < v->count; k++)
        vector_add(&words, v->words[k]);
    differ_run(t->cwd, words.words, env, 20, &a);
    free_environment(env);
    vector_free(&words);
    object = cJSON_Parse(a.out);
    if (object == NULL)
        fprintf(t->report, "haccess explain: exit %d: %s%s\n", a.status, a.out, a.err);
    answer_free(&a);
    return object;
}

static void
read_argv(const cJSON *explained, struct vector *out)
{
    const cJSON *word;

    cJSON_ArrayForEach(word, cJSON_GetObjectItemCaseSensitive(explained, "argv"))
        vector_add(out, cJSON_GetStringValue(word));
}

__attribute__((format(printf, 4, 5))) static void
complain(struct trial *t, const char *way, const struct session *s, const char *how, ...)
{
    va_list ap;

    fprintf(t->report, "%s: ", way);
    va_start(ap, how);
    vfprintf(t->report, how, ap);
    va_end(ap);
    fputc('\n', t->report);
    if (s != NULL) {
        char *line = vector_quote(s->asked.words);

        fprintf(t->report, "    codex on %s\n    says %s; prompt %s; %.900s\n", line,
                s->sandbox == NULL ? "nothing" : s->sandbox, s->prompt == NULL ? "-" : s->prompt,
                s->sandbox == NULL ? s->told : "");
        free(line);
    }
}

static bool
deviates(struct trial *t, enum deviation d)
{
    t->counts->deviated[d]++;
    return true;
}

/* Whether all that contributed are roots. */
static bool
only_roots(const cJSON *request)
{
    const cJSON *source;

    cJSON_ArrayForEach(source, cJSON_GetObjectItemCaseSensitive(request, "sources"))
    {
        const char *spelling = string_at(source, "spelling");

        if (strcmp(spelling, "--add-dir") != 0 && strstr(spelling, "sandbox_workspace_write") == NULL)
            return false;
    }
    return true;
}

static bool
same_request(struct trial *t, const cJSON *request, const struct session *s)
{
    const char *access = string_at(request, "access");

    if (strcmp(access, "contradictory") == 0)
        return deviates(t, CONTRADICTION);
    if (strcmp(access, "unspecified") == 0)
        return s->kind == READ_ONLY || s->kind == WORKSPACE_WRITE;
    if (strcmp(access, session_kinds[s->kind]) == 0)
        return true;
    if (strcmp(access, "full-access") == 0 && s->kind == READ_ONLY && only_roots(request))
        return deviates(t, WIDE_ROOTS);
    if (strcmp(access, "full-access") == 0 && s->kind == OTHER)
        return deviates(t, PROFILE);
    return false;
}

/* The request of the launch as it was asked, against the session that it is. */
static void
judge_request(struct trial *t, const cJSON *explained, const struct session *s)
{
    const cJSON *request = cJSON_GetObjectItemCaseSensitive(explained, "request");
    const char *model = string_at(request, "model"), *effort = string_at(request, "effort");
    const char *class = string_at(explained, "class");

    if (!s->ran)
        return;
    if (strcmp(class, "session") != 0) {
        complain(t, "request", s, "class %s", class);
        return;
    }
    if (!same_request(t, request, s)) {
        char *sources = cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(request, "sources"));

        complain(t, "request", s, "haccess says %s: %s", string_at(request, "access"), sources);
        free(sources);
    }
    if (strcmp(model, "-") != 0 && s->model != NULL && strcmp(model, s->model) != 0)
        complain(t, "request", s, "model %s, codex has %s", model, s->model);
    if (strcmp(effort, "-") != 0 && s->effort != NULL && strcmp(effort, s->effort) != 0)
        complain(t, "request", s, "effort %s, codex has %s", effort, s->effort);
}

static bool
same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL || strcmp(a, b) == 0;
}

/* Whether the words are those that were asked, but for assignments in front of them that give the library back to the session's
 * commands. */
static bool
is_untouched(const struct trial *t, const struct vector *v)
{
    static const char kept[] = "shell_environment_policy.set.";
    size_t k = 1;

    while (k + 1 < v->count && strcmp(v->words[k], "-c") == 0 &&
           strncmp(v->words[k + 1], kept, strlen(kept)) == 0)
        k += 2;
    if (v->count - k != t->argv.count - 1)
        return false;
    for (size_t i = 1; i < t->argv.count; i++, k++)
        if (strcmp(v->words[k], t->argv.words[i]) != 0)
            return false;
    return true;
}

/* A launch, rendered, against the projection and the launch as it was asked. */
static void
judge_launch(struct trial *t, const char *way, const cJSON *explained, const struct session *asked)
{
    const char *projection = string_at(explained, "projection");
    struct vector v = {0};
    const struct session *s;

    read_argv(explained, &v);
    if (strcmp(projection, "vendor-default") == 0 && !is_untouched(t, &v))
        complain(t, way, NULL, "vendor-default, and the words changed");
    s = run_codex(t, &v);
    if (s->accepted != asked->accepted || s->ran != asked->ran) {
        if (s->accepted ? (strstr(asked->told, "'--full-auto'") != NULL && deviates(t, FULL_AUTO)) ||
                              (strstr(asked->told, "Failed to create session") != NULL &&
                               deviates(t, DENYING_PROFILE))
                        : (strstr(s->told, "unknown variant `bogus`") != NULL ||
                           strstr(s->told, "approval_policy = \"untrusted\" is no longer") != NULL) &&
                              deviates(t, HIDDEN_SETTING))
            return vector_free(&v);
        complain(t, way, s, "asked: %s; rendered: %s", asked->accepted ? "taken" : "rejected",
                 s->accepted ? "taken" : "rejected");
    } else if (s->ran) {
        if (strcmp(projection, "vendor-default") == 0 ? s->kind == FULL_ACCESS || s->kind == OTHER
                                                      : strcmp(projection, session_kinds[s->kind]) != 0)
            complain(t, way, s, "projection %s", projection);
        if (!same_text(s->prompt, asked->prompt))
            complain(t, way, s, "the prompt was %s", asked->prompt);
        if (!same_text(s->model, asked->model) || !same_text(s->effort, asked->effort) ||
            !same_text(s->provider, asked->provider))
            complain(t, way, s, "model %s, effort %s, provider %s; were %s, %s, %s", s->model, s->effort,
                     s->provider, asked->model, asked->effort, asked->provider);
    }
    vector_free(&v);
}

/* Explains what was rendered once more: nothing may change. What a launch consumes is not there any more. */
static void
judge_again(struct trial *t, const char *way, const cJSON *explained, const char *const *extra)
{
    struct vector once = {0}, twice = {0};
    cJSON *again;

    read_argv(explained, &once);
    again = explain(t, &once, extra);
    read_argv(again, &twice);
    if (!vector_equal(&once, &twice)) {
        char *a = vector_quote(once.words),
             *b = twice.count == 0 ? format("refused") : vector_quote(twice.words);

        complain(t, way, NULL, "rendered again: %s -> %s", a, b);
        free(a);
        free(b);
    }
    vector_free(&once);
    vector_free(&twice);
    cJSON_Delete(again);
}

/* Whether haccess may refuse what codex takes. */
static bool
may_refuse(struct trial *t, const struct way *w, const cJSON *explained)
{
    const cJSON *refusal = cJSON_GetObjectItemCaseSensitive(explained, "refusal"),
                *request = cJSON_GetObjectItemCaseSensitive(explained, "request");
    const char *code = string_at(refusal, "code");

    if (strcmp(code, "full_access_conflicts_with_policy") == 0 ||
        strcmp(code, "filesystem_policies_conflict") == 0)
        return strcmp(string_at(request, "access"), "contradictory") == 0;
    if (strcmp(string_at(explained, "class"), "server") == 0 && strcmp(code, "malformed_request") == 0)
        return deviates(t, OLDER_COMMAND);
    /* What the grammar rejects it names by its place. */
    if (!t->sessions[0].ran && strcmp(code, "malformed_request") == 0 &&
        strstr(string_at(refusal, "detail"), "(argument") == NULL)
        return deviates(t, SCREEN);
    if (w->access == NULL)
        return false;
    if (strcmp(code, "server_unbounded") == 0)
        return true;
    return strcmp(w->access, "workspace-write") == 0 && strcmp(code, "malformed_request") == 0 &&
           strstr(string_at(refusal, "detail"), "cannot hold") != NULL && deviates(t, BOUND_ROOTS);
}

/* What HACCESS_ACCESS means to codex where it rejects the words as they are: --sandbox in front of them. */
static const struct session *
with_access(struct trial *t, const char *access)
{
    struct vector v = {0};
    const struct session *s;

    vector_add(&v, "codex");
    vector_add(&v, "--sandbox");
    vector_add(&v, access);
    for (size_t k = 1; k < t->argv.count; k++)
        vector_add(&v, t->argv.words[k]);
    s = run_codex(t, &v);
    vector_free(&v);
    return s;
}

static void
judge(struct trial *t, const struct way *w, const cJSON *explained, const struct session *asked)
{
    const char *way = w->name;
    const char *outcome = string_at(explained, "outcome");
    const cJSON *refusal = cJSON_GetObjectItemCaseSensitive(explained, "refusal");
    const char *code = string_at(refusal, "code");

    if (strcmp(outcome, "refuse") == 0) {
        if (asked->accepted && !may_refuse(t, w, explained))
            complain(t, way, asked, "refused: %s: %s", code, string_at(refusal, "detail"));
        return;
    }
    if (strcmp(outcome, "passthrough") == 0) {
        struct vector v = {0};

        read_argv(explained, &v);
        if (asked->ran || !vector_equal(&v, &t->argv))
            complain(t, way, asked, "passed through");
        vector_free(&v);
        return;
    }
    if (strcmp(string_at(explained, "class"), "session") != 0)
        return; /* servers are not run here */
    if (!asked->accepted && w->access != NULL) {
        asked = with_access(t, w->access);
        if (asked->accepted)
            deviates(t, VARIABLE);
    }
    judge_launch(t, way, explained, asked);
    judge_again(t, way, explained, w->later);
}

static void
lay_launch(struct trial *t, const struct codex_launch *l, unsigned worker)
{
    static const char provider[] =
        "[model_providers.%s]\nname = \"%s\"\nbase_url = \"http://127.0.0.1:%d/refuse/w%u/v1\"\n"
        "wire_api = \"responses\"\nenv_key = \"MOCK_CREDIT\"\nrequest_max_retries = 0\nstream_max_retries = "
        "0\n";
    char *mock = format(provider, "mock", "mock", t->w->port, worker),
         *other = format(provider, "other", "other", t->w->port, worker);
    char *after = format("\n%s%s", mock, other);

    session_file(t->top, "home/.codex/config.toml", "model_provider = \"mock\"\n", l->user, after);
    session_file(t->top, "home/.codex/x.config.toml", NULL, l->profile, NULL);
    session_file(t->top, "project/.codex/config.toml", NULL, l->project, NULL);
    session_file(t->top, "project/sub/.codex/config.toml", NULL, l->sub, NULL);
    for (size_t k = 0; k < l->argv.count; k++) {
        char *word = replace(l->argv.words[k], "$TOP", t->top);

        vector_add(&t->argv, word);
        free(word);
    }
    free(mock);
    free(other);
    free(after);
}

/* Tells the launch of a trial that failed, so that it can be replayed by hand. */
static void
tell_launch(const struct trial *t, const struct codex_launch *l)
{
    char *line = vector_quote(t->argv.words);

    fprintf(t->report, "in %s: %s\n", t->cwd, line);
    free(line);
    const struct {
        const char *name, *text;
    } files[] = {{"home/.codex/config.toml", l->user},
                 {"home/.codex/x.config.toml", l->profile},
                 {"project/.codex/config.toml", l->project},
                 {"project/sub/.codex/config.toml", l->sub}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (files[k].text != NULL)
            fprintf(t->report, "    %s:\n%s", files[k].name, files[k].text);
}

struct context {
    const struct world *w;
    struct counts *counts; /* shared by the workers */
};

static void
try_launch(size_t number, unsigned worker, struct chance *c, FILE *report, void *context)
{
    const struct context *all = context;
    struct codex_launch l;
    struct counts *counts = &all->counts[worker];
    struct trial t = {.w = all->w, .counts = counts};
    const struct session *asked;
    char *text = NULL;
    size_t size = 0;

    (void)number;
    t.report = open_memstream(&text, &size);
    codex_launch_make(c, &l);
    t.top = format("%s/w%u", all->w->top, worker);
    t.cwd = format("%s/%s", t.top, l.cwd);
    t.requests = format("%s/requests.jsonl.w%u", all->w->top, worker);
    lay_launch(&t, &l, worker);
    asked = run_codex(&t, &t.argv);
    counts->ran += asked->ran;
    counts->rejected += !asked->accepted;
    counts->screen += asked->accepted && !asked->ran;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        cJSON *explained = explain(&t, &t.argv, ways[k].extra);
        const cJSON *access = cJSON_GetObjectItemCaseSensitive(explained, "access");

        if (k == 0)
            judge_request(&t, explained, asked);
        counts->qualified += strcmp(string_at(access, "reason"), "qualified") == 0;
        judge(&t, &ways[k], explained, asked);
        cJSON_Delete(explained);
    }
    fflush(t.report);
    if (size != 0)
        tell_launch(&t, &l);
    fclose(t.report);
    fwrite(text, 1, size, report);
    free(text);
    for (size_t k = 0; k < t.nsessions; k++)
        session_free(&t.sessions[k]);
    vector_free(&t.argv);
    free(t.top);
    free(t.cwd);
    free(t.requests);
    codex_launch_free(&l);
}

/* The place of one worker: home, projects, an allowed policy, and the record of a session with full access. */
static void
furnish(struct world *w, unsigned worker)
{
    static const char *const directories[] = {"",
                                              "/home",
                                              "/home/.codex",
                                              "/home/.codex/sessions",
                                              "/home/.codex/sessions/2025",
                                              "/home/.codex/sessions/2025/11",
                                              "/home/.codex/sessions/2025/11/30",
                                              "/project",
                                              "/project/.git",
                                              "/project/.git/objects",
                                              "/project/.git/refs",
                                              "/project/.codex",
                                              "/project/.haccess",
                                              "/project/sub",
                                              "/project/sub/.codex",
                                              "/plain",
                                              "/outside",
                                              "/tmp"};
    char *name;
    struct outcome o;

    for (size_t k = 0; k < sizeof directories / sizeof *directories; k++) {
        char *path = format("%s/w%u%s", w->top, worker, directories[k]);

        ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
        free(path);
    }
    name = format("w%u/project/.git/HEAD", worker);
    world_write(w, name, 0644, "ref: refs/heads/main\n");
    free(name);
    name = format("w%u/home/.codex/sessions/2025/11/30/rollout-2025-11-30T20-29-25-" THREAD ".jsonl", worker);
    world_write(w, name, 0644,
                "{\"timestamp\":\"2025-11-30T20:29:25.681Z\",\"ordinal\":5,\"type\":\"turn_context\","
                "\"payload\":{\"sandbox_policy\":{\"type\":"
                "\"danger-full-access\"},\"permission_profile\":{\"type\":\"disabled\"}}}\n");
    free(name);
    name = format("w%u/project/.haccess/policy.json", worker);
    world_write(w, name, 0644, world_enabling_policy);
    free(name);
    name = format("cd $TOP/w%u/project && HOME=$TOP/w%u/home $HACCESS policy allow", worker, worker);
    world_type(w, name, &o);
    ck_assert_msg(o.status == 0, "%s: %s", name, o.err);
    outcome_free(&o);
    free(name);
}

START_TEST(what_haccess_says_is_what_codex_does)
{
    static struct world w;
    struct counts *counts =
        mmap(NULL, WORKERS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct context context = {.w = &w, .counts = counts};
    struct counts sum = {0};
    size_t failed;

    ck_assert_ptr_ne(counts, MAP_FAILED);
    world_open(&w, "{}");
    for (unsigned k = 0; k < WORKERS; k++)
        furnish(&w, k);
    failed = differ(&(struct differ){.name = "differ_codex",
                                     .trials = TRIALS,
                                     .workers = WORKERS,
                                     .seconds = 560,
                                     .trial = try_launch,
                                     .context = &context});
    for (unsigned k = 0; k < WORKERS; k++) {
        sum.ran += counts[k].ran;
        sum.rejected += counts[k].rejected;
        sum.screen += counts[k].screen;
        sum.qualified += counts[k].qualified;
        sum.runs += counts[k].runs;
        for (size_t d = 0; d < DEVIATIONS; d++)
            sum.deviated[d] += counts[k].deviated[d];
    }
    printf("differ_codex: %zu sessions, %zu rejected, %zu others; %zu granted; codex ran %zu times\n",
           sum.ran, sum.rejected, sum.screen, sum.qualified, sum.runs);
    for (size_t d = 0; d < DEVIATIONS; d++)
        printf("    %zu times: %s (%s)\n", sum.deviated[d], deviations[d].what, deviations[d].why);
    fflush(stdout);
    ck_assert_uint_eq(failed, 0);
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("random launches of the real codex");
    TCase *t = tcase_create("differ");

    tcase_set_timeout(t, 1500);
    tcase_add_test(t, what_haccess_says_is_what_codex_does);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
