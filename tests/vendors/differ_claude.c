/* Random command lines of Claude Code: what haccess says of each is what the real CLI does, and what haccess makes of it
 * runs in the mode that haccess says, with the same prompt, model and effort. */
#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/claude_place.h"
#include "support/claude_reading.h"
#include "support/files.h"

#define WORKERS 2
#define TRIALS  300

static struct world w;

/* One trial, and what is wrong with it. */
struct trial {
    struct claude_place at;
    struct claude_vector v;
    FILE *report;
    const char *lane; /* how the rendering is asked for */
    bool told;        /* the vector is in the report */
};

/* The lines that make the same launch by hand. */
static void
tell_vector(struct trial *t)
{
    const struct {
        const char *name, *text;
    } files[] = {{"~/.claude/settings.json", t->v.user},
                 {".claude/settings.json", t->v.project},
                 {".claude/settings.local.json", t->v.local},
                 {CLAUDE_SETTINGS_NAME, t->v.named}};
    char *line = vector_quote(t->v.argv.words);

    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (files[k].text != NULL)
            fprintf(t->report, "%s: %s\n", files[k].name, files[k].text);
    fprintf(t->report, "%s\n", line);
    free(line);
    t->told = true;
}

__attribute__((format(printf, 2, 3))) static void
wrong(struct trial *t, const char *how, ...)
{
    va_list ap;

    if (!t->told)
        tell_vector(t);
    va_start(ap, how);
    vfprintf(t->report, how, ap);
    va_end(ap);
    fputc('\n', t->report);
}

/* Returns what haccess says of the words, to be deleted by the caller. */
static cJSON *
explain(struct trial *t, char *const words[], const char *const *more)
{
    cJSON *object = claude_explain(&t->at, words, more);

    if (object == NULL)
        wrong(t, "haccess explain prints no JSON");
    return object;
}

static const cJSON *
get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void
words_of(const cJSON *list, struct vector *v)
{
    const cJSON *item;

    memset(v, 0, sizeof *v);
    cJSON_ArrayForEach(item, list) vector_add(v, item->valuestring);
}

static bool
is(const cJSON *object, const char *key, const char *word)
{
    return strcmp(string_at(object, key), word) == 0;
}

/* Where haccess says that more is asked than the CLI then does: a spelling that is there, and why it counts. */
static const struct {
    const char *spelling, *value;
    bool unsure; /* only where there are settings that the CLI may ignore */
    const char *why;
} deviations[] = {
    {"--allow-dangerously-skip-permissions", NULL, false, "the session can be switched to the bypass"},
    {"--permission-mode", "bypassPermissions", false,
     "a later one beats it, but the launch names the bypass"},
    {"--inherit-permission-mode", "bypassPermissions", false,
     "a mode named elsewhere beats it in this version"},
    {"--settings permissions.defaultMode", "bypassPermissions", false,
     "an option beats it, or the CLI ignores the document"},
    {"permissions.defaultMode", "bypassPermissions", true, "the CLI ignores the document"},
    {"--settings", NULL, false, "haccess cannot read it, and the CLI ignores it"},
    {"sandbox.enabled", NULL, false, "a file's sandbox bounds no bypass: the launch did not name it"},
};

/* Whether there are settings of that sort, in a file or on the command line. */
static bool
any_settings(const struct trial *t, bool (*of_sort)(const char *text))
{
    for (size_t k = 1; k < t->v.argv.count; k++)
        if (of_sort(strchr(t->v.argv.words[k], '{')))
            return true;
    return of_sort(t->v.user) || of_sort(t->v.project) || of_sort(t->v.local) || of_sort(t->v.named);
}

/* Whether there are settings with a member that haccess does not know to be valid. One that it finds invalid makes the CLI
 * ignore the document as a whole, so that haccess counts what asks for more: a bypass in it, or one beside its sandbox. */
static bool
is_unsure(const struct trial *t)
{
    return any_settings(t, claude_unsure);
}

static bool
deviates(const struct trial *t, const cJSON *request)
{
    const cJSON *s;

    for (size_t k = 0; k < sizeof deviations / sizeof *deviations; k++) {
        const char *value = deviations[k].value;

        if (deviations[k].unsure && !is_unsure(t))
            continue;
        cJSON_ArrayForEach(s, get(request, "sources"))
        {
            if (is(s, "spelling", deviations[k].spelling) && (value == NULL || is(s, "value", value)))
                return true;
        }
    }
    return false;
}

/* A root that opens the sandbox makes it no filesystem policy: the CLI says only that the sandbox is on. */
static bool
has_root(const cJSON *request)
{
    static const char *const spellings[] = {"--add-dir", "--allowedTools", "--allowed-tools"};
    const cJSON *s;

    cJSON_ArrayForEach(s, get(request, "sources"))
    {
        for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
            if (is(s, "spelling", spellings[k]))
                return true;
        if (strstr(string_at(s, "spelling"), "sandbox roots") != NULL)
            return true;
    }
    return false;
}

/* Whether haccess may say `access` of what the CLI runs as `want`. */
static bool
may_say(const struct trial *t, const struct claude_real *r, const char *access, const char *want,
        const cJSON *request)
{
    bool sandbox = cJSON_IsTrue(get(r->init, "sandbox_enabled"));
    bool contradictory = strcmp(access, "contradictory") == 0;

    if (strcmp(access, want) == 0)
        return true;
    if (contradictory || strcmp(access, "full-access") == 0)
        return deviates(t, request) || ((sandbox || is_unsure(t)) && has_root(request)) ||
               (contradictory && strcmp(want, "full-access") == 0) ||
               (contradictory && strcmp(want, "read-only") == 0) ||
               /* The bypass was asked, and the CLI downgrades it. */
               any_settings(t, claude_disables) ||
               /* The CLI says only that its sandbox is on, beside the bypass. */
               (strcmp(want, "workspace-write") == 0 && (is_unsure(t) || any_settings(t, claude_opens)));
    if (is(r->init, "permissionMode", "bypassPermissions"))
        return false;
    if (strcmp(access, "unspecified") == 0) /* what turns a file's sandbox off is ignored: it stays on */
        return strcmp(want, "workspace-write") == 0 && is_unsure(t);
    /* It is held to the sandbox or the plan mode of a document that the CLI ignores. */
    return strcmp(want, "read-only") != 0 && is_unsure(t) &&
           (strcmp(access, "read-only") == 0 || strcmp(access, "workspace-write") == 0);
}

/* What the CLI reports is what haccess says is asked. */
static void
compare_request(struct trial *t, const struct claude_real *r, const cJSON *said)
{
    const cJSON *request = get(said, "request");
    const char *access = string_at(request, "access"), *mode = string_at(r->init, "permissionMode"), *want;
    bool sandbox = cJSON_IsTrue(get(r->init, "sandbox_enabled"));

    if (strcmp(mode, "bypassPermissions") == 0)
        want = sandbox ? "workspace-write" : "full-access";
    else if (strcmp(mode, "plan") == 0)
        want = "read-only";
    else
        want = sandbox ? "workspace-write" : "unspecified";
    if (!may_say(t, r, access, want, request))
        wrong(t, "the CLI runs in %s%s, haccess says %s", mode, sandbox ? " with its sandbox" : "", access);
    /* Short names are the CLI's to resolve. */
    if (strncmp(string_at(request, "model"), "claude-", 7) == 0 &&
        !is(r->init, "model", string_at(request, "model")))
        wrong(t, "the CLI runs %s, haccess says %s", string_at(r->init, "model"),
              string_at(request, "model"));
}

static int
rank(const char *effort)
{
    static const char *const scale[] = {"low", "medium", "high", "xhigh", "max"};

    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++)
        if (strcmp(scale[k], effort) == 0)
            return (int)k;
    return -1;
}

/* Of two models that are known: one takes every effort, the other none above high. Where the CLI may ignore a document that
 * names one, haccess says the lowest that may hold. */
static void
compare_effort(struct trial *t, const struct claude_real *r, const cJSON *said)
{
    const char *model = string_at(r->init, "model"), *effort = string_at(get(said, "request"), "effort");
    bool short_scale = strcmp(model, "claude-opus-4-5") == 0;

    if (rank(effort) < 0 || r->effort == NULL || (!short_scale && strcmp(model, "claude-opus-5-5") != 0))
        return;
    if (short_scale && rank(effort) > rank("high"))
        effort = "high";
    if (strcmp(r->effort, effort) != 0 && !(rank(effort) < rank(r->effort) && is_unsure(t)))
        wrong(t, "the CLI asks for effort %s, haccess says %s", r->effort, effort);
}

/* How a rendering is asked for. */
static const struct manner {
    const char *name;
    const char *environment[3];
    const char *again[2]; /* for what was rendered: a request for full access is consumed */
} lanes[] = {
    {"as it is", {NULL}, {NULL}},
    {"HACCESS_ACCESS=read-only", {"HACCESS_ACCESS=read-only"}, {"HACCESS_ACCESS=read-only"}},
    {"HACCESS_LANE=read", {"HACCESS_LANE=read"}, {"HACCESS_LANE=read"}},
    {"HACCESS_ACCESS=workspace-write",
     {"HACCESS_ACCESS=workspace-write"},
     {"HACCESS_ACCESS=workspace-write"}},
    {"under a free session",
     {"CLAUDE_CODE_CLAUDE_FREE_SESSION_ID=" CLAUDE_FREE_SESSION},
     {"CLAUDE_CODE_CLAUDE_FREE_SESSION_ID=" CLAUDE_FREE_SESSION}},
    {"HACCESS_ACCESS=full-access under a free session",
     {"CLAUDE_CODE_CLAUDE_FREE_SESSION_ID=" CLAUDE_FREE_SESSION, "HACCESS_ACCESS=full-access"},
     {"CLAUDE_CODE_CLAUDE_FREE_SESSION_ID=" CLAUDE_FREE_SESSION}},
};
#define LANES (sizeof lanes / sizeof *lanes)

/* What may keep a launch that the CLI accepts from being made. */
static const struct {
    const char *code, *detail;
} refusals[] = {
    {"full_access_conflicts_with_policy", ""},
    {"filesystem_policies_conflict", ""},
    {"settings_unreadable",
     ""}, /* the CLI ignores what it cannot read; put into words of haccess it would be read */
    {"malformed_request", "still asks full access"}, /* a root in an option or a file opens the sandbox */
};

static bool
may_refuse(const cJSON *refusal)
{
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
        if (is(refusal, "code", refusals[k].code) &&
            strstr(string_at(refusal, "detail"), refusals[k].detail) != NULL)
            return true;
    return false;
}

static const char *
word_behind(char *const words[], const char *option)
{
    const char *found = NULL;

    for (size_t k = 1; words[k] != NULL && words[k + 1] != NULL && strcmp(words[k], "--") != 0; k++)
        if (found == NULL && strcmp(words[k], option) == 0)
            found = words[k + 1];
    return found;
}

static void
compare_mode(struct trial *t, const struct claude_real *r, const cJSON *said, char *const words[])
{
    const char *projection = string_at(said, "projection"), *mode = string_at(r->init, "permissionMode"),
               *named = word_behind(words, "--permission-mode");
    bool sandbox = cJSON_IsTrue(get(r->init, "sandbox_enabled"));

    if (named == NULL ||
        (strcmp(mode, named) != 0 && !(strcmp(named, "manual") == 0 && strcmp(mode, "default") == 0)))
        wrong(t, "%s: rendered for %s, the CLI runs in %s", t->lane, named != NULL ? named : "no mode", mode);
    if ((strcmp(projection, "full-access") == 0) != (strcmp(mode, "bypassPermissions") == 0))
        wrong(t, "%s: the projection is %s, the CLI runs in %s", t->lane, projection, mode);
    if (strcmp(projection, "read-only") == 0 && strcmp(mode, "default") != 0 && strcmp(mode, "plan") != 0)
        wrong(t, "%s: the projection is %s, the CLI runs in %s", t->lane, projection, mode);
    if ((strcmp(projection, "full-access") == 0 && sandbox) ||
        (strcmp(projection, "workspace-write") == 0 && !sandbox))
        wrong(t, "%s: the projection is %s, the CLI's sandbox is %s", t->lane, projection,
              sandbox ? "on" : "off");
}

/* What a rendering must leave alone. */
static void
compare_rest(struct trial *t, const struct claude_real *before, const struct claude_real *after)
{
    static const char *const members[] = {"model", "cwd", "mcp_servers", "output_style"};
    const char *p = before->prompt != NULL ? before->prompt : "(none)",
               *q = after->prompt != NULL ? after->prompt : "(none)";

    if (strcmp(p, q) != 0)
        wrong(t, "%s: the prompt was '%s', is '%s'", t->lane, p, q);
    if (before->effort != NULL && after->effort != NULL && strcmp(before->effort, after->effort) != 0)
        wrong(t, "%s: the effort was %s, is %s", t->lane, before->effort, after->effort);
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        if (!cJSON_Compare(get(before->init, members[k]), get(after->init, members[k]), 1))
            wrong(t, "%s: %s differs", t->lane, members[k]);
}

/* A document with a member that the CLI finds invalid it ignores as a whole; with the sandbox in it, it does not start. What
 * it finds invalid is its own to know. */
static bool
is_invalid(const struct claude_real *r)
{
    return strstr(r->answer.err, "configure the sandbox but failed validation") != NULL;
}

static void
compare_rendering(struct trial *t, const struct claude_real *before, const cJSON *said,
                  const struct manner *lane)
{
    struct vector words, again;
    struct claude_real after;
    char *line;
    cJSON *second;
    bool told = t->told;

    words_of(get(said, "argv"), &words);
    second = explain(t, words.words, lane->again);
    words_of(get(second, "argv"), &again);
    if (second != NULL && !vector_equal(&words, &again))
        wrong(t, "%s: rendered again: %s", t->lane,
              again.words != NULL ? (line = vector_quote(again.words)) : "refused");
    if (!vector_equal(&words, &t->v.argv)) {
        if (claude_count_settings(words.words) > 1)
            wrong(t, "%s: more than one --settings", t->lane);
        claude_ask(&t->at, words.words, &after);
        if (before->started != after.started && !(before->started && is_invalid(&after)))
            wrong(t, "%s: the CLI %s it, now it %s it: %.400s", t->lane,
                  before->started ? "accepted" : "rejected", after.started ? "accepts" : "rejects",
                  after.started ? before->answer.err : after.answer.err);
        if (before->started && after.started) {
            compare_mode(t, &after, said, words.words);
            compare_rest(t, before, &after);
        }
        claude_real_free(&after);
    }
    if (t->told && !told) {
        line = vector_quote(words.words);
        fprintf(t->report, "%s\n", line);
        free(line);
    }
    cJSON_Delete(second);
    vector_free(&words);
    vector_free(&again);
}

static void
trial(size_t number, unsigned worker, struct chance *c, FILE *report, void *context)
{
    struct trial t = {.at = {.w = &w, .worker = worker}, .report = report};
    const struct manner *lane = &lanes[chance_below(c, LANES)];
    struct claude_real before;
    cJSON *said, *rendered;

    (void)number, (void)context;
    t.lane = lane->name;
    t.at.v = &t.v;
    claude_vector_make(c, true, &t.v);
    claude_ask(&t.at, t.v.argv.words, &before);
    claude_lay_out(&t.at);
    said = explain(&t, t.v.argv.words, NULL);
    if (before.answer.status < 0)
        wrong(&t, "the CLI did not end");
    if (said != NULL && is(said, "class", "session")) {
        if (before.started) {
            compare_request(&t, &before, said);
            compare_effort(&t, &before, said);
        }
        rendered = explain(&t, t.v.argv.words, lane->environment);
        if (cJSON_IsArray(get(rendered, "argv")))
            compare_rendering(&t, &before, rendered, lane);
        else if (rendered != NULL && before.started && !may_refuse(get(rendered, "refusal")))
            wrong(&t, "%s: the CLI accepts it, haccess refuses it: %s", t.lane,
                  string_at(get(rendered, "refusal"), "detail"));
        cJSON_Delete(rendered);
    } else if (said != NULL && before.started) {
        wrong(&t, "the CLI opens a session, haccess says %s", string_at(said, "class"));
    }
    cJSON_Delete(said);
    claude_real_free(&before);
    claude_vector_free(&t.v);
}

START_TEST(claude_does_what_haccess_says)
{
    struct differ d = {
        .name = "differ_claude", .trials = TRIALS, .workers = WORKERS, .seconds = 900, .trial = trial};
    struct trial t = {.at = {.w = &w, .v = &t.v}};
    struct answer a;
    char *haccess = format("%s/haccess", getenv("HACCESS_BUILD"));
    char *allow[] = {haccess, (char[]){"policy"}, (char[]){"allow"}, NULL};

    world_open(&w, "{}");
    for (t.at.worker = 0; t.at.worker < WORKERS; t.at.worker++) {
        claude_lay_out(&t.at);
        claude_run(&t.at, allow, NULL, &a);
        ck_assert_msg(a.status == 0, "haccess policy allow: %s", a.err);
        answer_free(&a);
    }
    size_t failed = differ(&d);
    world_close(&w);
    free(haccess);
    ck_assert_uint_eq(failed, 0);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("random command lines of claude");
    TCase *t = tcase_create("differ");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 1500);
    tcase_add_test(t, claude_does_what_haccess_says);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
