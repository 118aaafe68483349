/* Launches that no line of the launch cases can hold: ten thousand options, bytes that are no UTF-8, a host without the sandbox's
 * programs; and that a refusal of bad input names the word. Through `haccess explain --json`. */
#include <cjson/cJSON.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../shim/mem.h"
#include "support/orphan.h"
#include "support/tree.h"

#define MANY 10000

static char *top;
static struct mem *m;
static struct strings env, argv;
static cJSON *got;

static void
put(const char *word)
{
    strings_add(m, &argv, mem_strdup(m, word));
}

static void
setup(void)
{
    static const char *const programs[] = {"codex", "claude", "cursor-agent", "opencode", "bwrap", "socat"};

    top = tree_new();
    m = mem_new();
    env = argv = (struct strings){NULL, 0, 0};
    tree_mkdir(top, "home");
    tree_mkdir(top, "project");
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        tree_write(top, mem_printf(m, "bin/%s", programs[i]), "#!/bin/sh\n", 0755);
    strings_add(m, &env, mem_printf(m, "HOME=%s/home", top));
    strings_add(m, &env, mem_printf(m, "PATH=%s/bin", top));
    strings_add(m, &env, mem_strdup(m, "LANG=C.UTF-8"));
    strings_add(m, &env, mem_strdup(m, "IS_SANDBOX=1"));
    put(mem_printf(m, "%s/haccess", getenv("HACCESS_BUILD")));
    put("explain");
    put("--json");
    put("--");
    got = NULL;
}

static void
teardown(void)
{
    cJSON_Delete(got);
    mem_free(m);
    tree_remove(top);
    free(top);
}

/* Explains what was put; returns the exit code. */
static int
explain(void)
{
    struct outcome o = orphan_run(mem_printf(m, "%s/project", top), argv.items, env.items, false);
    int code = o.code;

    cJSON_Delete(got);
    got = cJSON_Parse(o.out);
    ck_assert_msg(got != NULL, "exit %d: %.200s %.400s", code, o.out, o.err);
    outcome_free(&o);
    return code;
}

static const char *
text(const char *object, const char *key)
{
    const cJSON *in = *object == '\0' ? got : cJSON_GetObjectItemCaseSensitive(got, object);
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(in, key));

    return s != NULL ? s : "";
}

static void
put_words(const char *const *words)
{
    for (; *words != NULL; words++)
        put(*words);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Ten thousand of an option that may be repeated, with the bypass in their midst. */
static const struct {
    const char *const *before, *const *repeated, *const *bypass, *const *after;
    const char *projection;
} many[] = {
    {WORDS("codex", "exec"), WORDS("-c", "a=1"), WORDS("--yolo"), WORDS("--", "hi"), "workspace-write"},
    {WORDS("codex", "exec"), WORDS("-i", "a.png"), WORDS("--yolo"), WORDS("--", "hi"), "workspace-write"},
    {WORDS("claude", "-p"), WORDS("--verbose"), WORDS("--dangerously-skip-permissions"), WORDS("--", "hi"),
     "workspace-write"},
    {WORDS("claude", "-p"), WORDS("--allowedTools", "Read"), WORDS("--dangerously-skip-permissions"),
     WORDS("--", "hi"), "workspace-write"},
    {WORDS("cursor-agent", "-p"), WORDS("--header", "a"), WORDS("--force"), WORDS("--", "hi"),
     "workspace-write"},
    {WORDS("opencode", "run"), WORDS("--file", "a"), WORDS("--auto"), WORDS("--", "hi"), "vendor-default"},
};

START_TEST(ten_thousand_options)
{
    put_words(many[_i].before);
    for (int k = 0; k < MANY; k++) {
        if (k == MANY / 2)
            put_words(many[_i].bypass);
        put_words(many[_i].repeated);
    }
    put_words(many[_i].after);
    ck_assert_int_eq(explain(), 0);
    ck_assert_str_eq(text("", "outcome"), "launch");
    ck_assert_str_eq(text("", "projection"), many[_i].projection);
    const cJSON *rendered = cJSON_GetObjectItemCaseSensitive(got, "argv");
    const cJSON *last = cJSON_GetArrayItem(rendered, cJSON_GetArraySize(rendered) - 1);
    ck_assert_str_eq(cJSON_GetStringValue(last), "hi");
}
END_TEST

START_TEST(ten_thousand_words_of_a_prompt)
{
    put_words(WORDS("codex", "exec", "--yolo", "--"));
    for (int k = 0; k < MANY; k++)
        put("--yolo");
    ck_assert_int_eq(explain(), 0);
    ck_assert_str_eq(text("", "projection"), "workspace-write");
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(got, "argv")), MANY + 5);
}
END_TEST

static const struct {
    const char *const *words;
    const char *refusal, *named; /* what the detail has to name */
} bad[] = {
    {WORDS("codex", "exec", "-s", "\xff", "hi"), "malformed_request", "-s (argument 2)"},
    {WORDS("codex", "exec", "hi", "--sandbox"), "malformed_request", "--sandbox"},
    {WORDS("codex", "exec", "--sandbox", "--json", "hi"), "malformed_request", "--sandbox"},
    {WORDS("codex", "exec", "--yolo", "--yolo", "hi"), "malformed_request", "--yolo"},
    {WORDS("codex", "exec", "--yolo", "-s", "read-only", "hi"), "full_access_conflicts_with_policy",
     "--yolo (argument 2)"},
    {WORDS("claude", "-p", "--permission-mode", "\xc3", "hi"), "malformed_request", "--permission-mode"},
    {WORDS("claude", "-p", "hi", "--permission-mode"), "malformed_request", "--permission-mode"},
    {WORDS("claude", "-p", "--dangerously-skip-permissions", "--settings", "{\xff", "hi"),
     "settings_unreadable", "--settings"},
    {WORDS("cursor-agent", "-p", "hi", "--sandbox"), "malformed_request", "--sandbox"},
};

START_TEST(a_refusal_names_the_word)
{
    put_words(bad[_i].words);
    ck_assert_int_eq(explain(), 126);
    ck_assert_str_eq(text("refusal", "code"), bad[_i].refusal);
    ck_assert_msg(strstr(text("refusal", "detail"), bad[_i].named) != NULL, "%s: %s", bad[_i].named,
                  text("refusal", "detail"));
}
END_TEST

/* A prompt is the CLI's to judge. */
START_TEST(a_prompt_that_is_no_text_is_launched)
{
    const char *const *const prompts[] = {WORDS("codex", "exec", "--yolo", "\xff\xfe"),
                                          WORDS("claude", "-p", "--dangerously-skip-permissions", "\xff"),
                                          WORDS("cursor-agent", "-p", "--force", "\xc0\x80"),
                                          WORDS("opencode", "run", "\xff")};

    for (size_t i = 0; i < sizeof prompts / sizeof prompts[0]; i++) {
        argv.count = 4;
        put_words(prompts[i]);
        ck_assert_int_eq(explain(), 0);
        ck_assert_str_eq(text("", "outcome"), "launch");
    }
}
END_TEST

/* claude's Bash sandbox needs both; the refusal names the package. */
START_TEST(without_the_programs_of_the_sandbox)
{
    static const char *const missing[][2] = {{"bwrap", "bubblewrap"}, {"socat", "socat"}};

    put_words(WORDS("claude", "-p", "--dangerously-skip-permissions", "hi"));
    ck_assert_int_eq(explain(), 0);
    ck_assert_int_eq(unlink(mem_printf(m, "%s/bin/%s", top, missing[_i][0])), 0);
    ck_assert_int_eq(explain(), 126);
    ck_assert_str_eq(text("refusal", "code"), "sandbox_unavailable");
    ck_assert_ptr_nonnull(strstr(text("refusal", "detail"), missing[_i][1]));
    ck_assert_str_eq(text("access", "reason"), "disabled");
    /* What is not held by it does not need it. */
    argv.count = 4;
    put_words(WORDS("claude", "-p", "hi"));
    ck_assert_int_eq(explain(), 0);
    argv.count = 4;
    put_words(WORDS("codex", "exec", "--yolo", "hi"));
    ck_assert_int_eq(explain(), 0);
}
END_TEST

int
main(void)
{
    if (getenv("HACCESS_BUILD") == NULL) {
        fprintf(stderr, "HACCESS_BUILD: not set; run by `make check`\n");
        return 1;
    }
    Suite *s = suite_create("bad input");
    TCase *t = tcase_create("explain");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, ten_thousand_options, 0, sizeof many / sizeof many[0]);
    tcase_add_test(t, ten_thousand_words_of_a_prompt);
    tcase_add_loop_test(t, a_refusal_names_the_word, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(t, a_prompt_that_is_no_text_is_launched);
    tcase_add_loop_test(t, without_the_programs_of_the_sandbox, 0, 2);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
