/* The launch cases of fixtures/launch-cases*.jsonl, through `haccess explain --json`.
 *
 * A case: id, argv, expect, and optionally policy (JSON value) or policy_text, policy_mode (octal), unapproved (skip `haccess
 * policy allow`), env, files (paths below home/ or project/), cwd, nnp (run with no_new_privs), exe (the file executed when
 * argv[0] differs). @HOME@ and @PROJECT@ are replaced everywhere. A launch is explained a second time from its rendered
 * argv, which must not change any more. Stand-in CLIs on PATH leave a mark if anything runs them. */
#include <cjson/cJSON.h>
#include <check.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../shim/mem.h"
#include "support/orphan.h"
#include "support/tree.h"

static cJSON *cases;
static char *root, *haccess;

/* One run of one case. */
struct run {
    struct mem *m;
    const cJSON *c;
    const char *top, *home, *project, *cwd;
    struct strings env;
    struct strings bad; /* what differs */
};

__attribute__((format(printf, 2, 3))) static void
differ(struct run *r, const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    ck_assert_int_ne(vasprintf(&text, format, ap), -1);
    va_end(ap);
    strings_add(r->m, &r->bad, mem_strdup(r->m, text));
    free(text);
}

static const cJSON *
get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *
text_of(const cJSON *value)
{
    const char *s = cJSON_GetStringValue(value);
    return s != NULL ? s : cJSON_IsNull(value) ? "null" : value == NULL ? "(nothing)" : "(no string)";
}

static const char *
replace(struct mem *m, const char *s, const char *what, const char *with)
{
    const char *out = "", *at;
    for (; (at = strstr(s, what)) != NULL; s = at + strlen(what))
        out = mem_printf(m, "%s%.*s%s", out, (int)(at - s), s, with);
    return mem_printf(m, "%s%s", out, s);
}

static char *
fill(struct run *r, const char *s)
{
    return mem_strdup(r->m, replace(r->m, replace(r->m, s, "@HOME@", r->home), "@PROJECT@", r->project));
}

/* Sets a variable, in the place of an earlier value. */
static void
set(struct run *r, const char *name, const char *value)
{
    char *entry = mem_printf(r->m, "%s=%s", name, value);
    size_t n = strlen(name) + 1;
    for (size_t i = 0; i < r->env.count; i++)
        if (strncmp(r->env.items[i], entry, n) == 0) {
            r->env.items[i] = entry;
            return;
        }
    strings_add(r->m, &r->env, entry);
}

static void
lay_out(struct run *r)
{
    static const char *const programs[] = {"codex",  "claude", "cursor-agent", "opencode",
                                           "gemini", "node",   "bwrap",        "socat"};
    char *mark = mem_printf(r->m, "#!/bin/sh\n: >%s/ran\n", r->top);
    const cJSON *f;

    tree_mkdir(r->top, "home");
    tree_mkdir(r->top, "project");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        tree_write(r->top, mem_printf(r->m, "bin/%s", programs[i]), mark, 0755);
    cJSON_ArrayForEach(f, get(r->c, "files")) tree_write(r->top, f->string, fill(r, f->valuestring), 0644);
}

/* Writes the policy, if there is one, and consents to it. */
static void
lay_policy(struct run *r)
{
    const cJSON *policy = get(r->c, "policy"), *f;
    const char *text = cJSON_GetStringValue(get(r->c, "policy_text"));
    bool any = policy != NULL || text != NULL;

    if (any) {
        char *printed = text == NULL ? cJSON_Print(policy) : strdup(text);
        const char *mode = cJSON_GetStringValue(get(r->c, "policy_mode"));
        tree_write(r->top, "project/.haccess/policy.json", printed,
                   mode == NULL ? 0644 : (mode_t)strtoul(mode, NULL, 8));
        free(printed);
    }
    cJSON_ArrayForEach(f, get(r->c, "files")) any = any || strstr(f->string, ".haccess/policy.json") != NULL;
    if (!any || cJSON_IsTrue(get(r->c, "unapproved")))
        return;
    char *argv[] = {haccess, mem_strdup(r->m, "policy"), mem_strdup(r->m, "allow"), NULL};
    struct outcome o = orphan_run(r->cwd, argv, r->env.items, false);
    outcome_free(&o); /* a malformed policy is not allowed; what that leads to is what the case is about */
}

static void
lay_environment(struct run *r)
{
    const cJSON *e;
    set(r, "HOME", r->home);
    set(r, "PATH", mem_printf(r->m, "%s/bin:/usr/local/bin:/usr/bin:/bin", r->top));
    set(r, "LANG", "C.UTF-8");
    set(r, "IS_SANDBOX", "1");
    set(r, "HACCESS_STATE_DIR", mem_printf(r->m, "%s/state", r->top));
    cJSON_ArrayForEach(e, get(r->c, "env")) set(r, e->string, fill(r, e->valuestring));
}

/* Returns the object, which the caller deletes, or NULL when there is none, which is noted. */
static cJSON *
explain(struct run *r, const cJSON *argv, char *const envp[], int *code)
{
    const char *exe = cJSON_GetStringValue(get(r->c, "exe"));
    struct strings words = {0};
    const cJSON *w;

    strings_add(r->m, &words, haccess);
    strings_add(r->m, &words, "explain");
    strings_add(r->m, &words, "--json");
    if (exe != NULL)
        strings_add(r->m, &words, mem_printf(r->m, "--exe=%s/bin/%s", r->top, exe));
    strings_add(r->m, &words, "--");
    cJSON_ArrayForEach(w, argv) strings_add(r->m, &words, fill(r, w->valuestring));

    struct outcome o = orphan_run(r->cwd, words.items, envp, cJSON_IsTrue(get(r->c, "nnp")));
    cJSON *object = cJSON_Parse(o.out);
    if (object == NULL)
        differ(r, "exit %d, not JSON: %.200s %.400s", o.code, o.out, o.err);
    *code = o.code;
    outcome_free(&o);
    return object;
}

static void
compare_word(struct run *r, const char *key, const cJSON *have)
{
    const cJSON *want = get(get(r->c, "expect"), key);
    if (want != NULL && strcmp(text_of(want), text_of(have)) != 0)
        differ(r, "%s: want %s, got %s", key, text_of(want), text_of(have));
}

static void
compare_argv(struct run *r, const char *what, const cJSON *want, const cJSON *have)
{
    int n = cJSON_GetArraySize(want);
    bool same = cJSON_IsArray(have) && cJSON_GetArraySize(have) == n;
    for (int i = 0; same && i < n; i++)
        same =
            strcmp(fill(r, text_of(cJSON_GetArrayItem(want, i))), text_of(cJSON_GetArrayItem(have, i))) == 0;
    if (same)
        return;
    char *wanted = cJSON_PrintUnformatted(want), *got = cJSON_PrintUnformatted(have);
    differ(r, "%s: want %s, got %s", what, wanted, got == NULL ? "nothing" : got);
    free(wanted);
    free(got);
}

static bool
within(const cJSON *want, const cJSON *have)
{
    const cJSON *w;
    if (!cJSON_IsObject(want))
        return cJSON_Compare(want, have, 1);
    cJSON_ArrayForEach(w, want) if (!within(w, get(have, w->string))) return false;
    return cJSON_IsObject(have);
}

/* The rendered argv has one --settings, with these among its keys. */
static void
compare_settings(struct run *r, const cJSON *want, const cJSON *argv)
{
    const cJSON *w, *value = NULL;
    int n = 0;
    cJSON_ArrayForEach(w, argv) if (strcmp(text_of(w), "--settings") == 0)
    {
        n++;
        value = w->next;
    }
    cJSON *settings = n == 1 ? cJSON_Parse(text_of(value)) : NULL;
    if (n != 1)
        differ(r, "--settings %d times", n);
    else if (!within(want, settings))
        differ(r, "settings: %s", text_of(value));
    cJSON_Delete(settings);
}

static void
compare(struct run *r, const cJSON *got, int code)
{
    const cJSON *expect = get(r->c, "expect"), *access = get(got, "access");
    bool refused = strcmp(text_of(get(expect, "outcome")), "refuse") == 0;

    if (code != (refused ? 126 : 0))
        differ(r, "exit %d", code);
    compare_word(r, "outcome", get(got, "outcome"));
    compare_word(r, "class", get(got, "class"));
    compare_word(r, "mode", get(access, "mode"));
    compare_word(r, "reason", get(access, "reason"));
    compare_word(r, "projection", get(got, "projection"));
    compare_word(r, "enforcement", get(got, "enforcement"));
    compare_word(r, "request", get(get(got, "request"), "access"));
    compare_word(r, "refusal", get(get(got, "refusal"), "code"));
    compare_word(r, "parent", get(get(got, "parent"), "state"));
    const cJSON *probed = get(expect, "probed");
    if (probed != NULL && cJSON_IsTrue(probed) != cJSON_IsObject(get(got, "parent")))
        differ(r, "parent probed: %s", cJSON_IsObject(get(got, "parent")) ? "yes" : "no");
    if (get(expect, "argv") != NULL)
        compare_argv(r, "argv", get(expect, "argv"), get(got, "argv"));
    if (get(expect, "settings") != NULL)
        compare_settings(r, get(expect, "settings"), get(got, "argv"));
}

/* What a launch consumes is not there for the next one. */
static void
explain_again(struct run *r, const cJSON *argv)
{
    struct strings env = {0};
    int code;
    for (size_t i = 0; i < r->env.count; i++)
        if (strcmp(r->env.items[i], "HACCESS_ACCESS=full-access") != 0 &&
            strcmp(r->env.items[i], "HACCESS_LANE=write") != 0)
            strings_add(r->m, &env, r->env.items[i]);
    cJSON *second = explain(r, argv, env.items, &code);
    if (second != NULL)
        compare_argv(r, "argv rendered again", argv, get(second, "argv"));
    cJSON_Delete(second);
}

static bool
exists(struct run *r, const char *name)
{
    return access(mem_printf(r->m, "%s/%s", r->top, name), F_OK) == 0;
}

START_TEST(launch_case)
{
    struct run r = {.m = mem_new(), .c = cJSON_GetArrayItem(cases, _i)};
    char *top = tree_sub(root);
    const char *cwd = cJSON_GetStringValue(get(r.c, "cwd"));
    int code;

    r.top = top;
    r.home = mem_printf(r.m, "%s/home", top);
    r.project = mem_printf(r.m, "%s/project", top);
    r.cwd = mem_printf(r.m, "%s/%s", top, cwd == NULL ? "project" : cwd);
    lay_out(&r);
    lay_environment(&r);
    lay_policy(&r);
    cJSON *got = explain(&r, get(r.c, "argv"), r.env.items, &code);
    if (got != NULL) {
        const cJSON *argv = get(got, "argv");
        compare(&r, got, code);
        if (strcmp(text_of(get(got, "outcome")), "launch") == 0 && cJSON_IsArray(argv) &&
            get(r.c, "exe") == NULL)
            explain_again(&r, argv);
    }
    if (exists(&r, "ran"))
        differ(&r, "explain ran the CLI");
    if (exists(&r, "state"))
        differ(&r, "explain wrote state");
    const char *all = "";
    for (size_t i = 0; i < r.bad.count; i++)
        all = mem_printf(r.m, "%s%s%s", all, i == 0 ? "" : "; ", r.bad.items[i]);
    ck_assert_msg(r.bad.count == 0, "%s: %s", text_of(get(r.c, "id")), all);
    cJSON_Delete(got);
    mem_free(r.m);
    free(top);
}
END_TEST

/* Adds the cases of a file. */
static void
read_cases(const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;

    for (int number = 1; f != NULL && getline(&line, &room, f) != -1; number++) {
        cJSON *c = cJSON_Parse(line);
        if (c == NULL && line[strspn(line, " \t\r\n")] != '\0') {
            fprintf(stderr, "%s: line %d: not JSON\n", path, number);
            exit(1);
        }
        if (c != NULL)
            cJSON_AddItemToArray(cases, c);
    }
    if (f == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    free(line);
    fclose(f);
}

int
main(void)
{
    const char *build = getenv("HACCESS_BUILD");
    char *pattern;
    glob_t files;

    if (build == NULL || asprintf(&haccess, "%s/haccess", build) == -1 ||
        asprintf(&pattern, "%s/../fixtures/launch-cases*.jsonl", build) == -1) {
        fprintf(stderr, "HACCESS_BUILD: not set; run by `make check`\n");
        return 1;
    }
    umask(022);
    cases = cJSON_CreateArray();
    if (glob(pattern, 0, NULL, &files) != 0) {
        fprintf(stderr, "%s: no cases\n", pattern);
        return 1;
    }
    for (size_t i = 0; i < files.gl_pathc; i++)
        read_cases(files.gl_pathv[i]);
    globfree(&files);
    free(pattern);
    root = tree_new();

    Suite *s = suite_create("launch cases");
    TCase *t = tcase_create("explain");
    tcase_add_loop_test(t, launch_case, 0, cJSON_GetArraySize(cases));
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    tree_remove(root);
    free(root);
    free(haccess);
    cJSON_Delete(cases);
    return failed != 0;
}
