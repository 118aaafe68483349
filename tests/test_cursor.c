/* The cursor-agent adapter, rule by rule. */
#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "shim/adapters/adapter.h"
#include "shim/decide/decision.h"

static struct mem *m;
static struct invocation i;
static struct request r;
static struct rendered out;

static void
setup(void)
{
    m = mem_new();
    memset(&i, 0, sizeof(i));
}

static void
teardown(void)
{
    mem_free(m);
}

static char **
words(va_list ap, const char *first)
{
    struct strings list = {NULL, 0, 0};

    for (const char *w = first; w != NULL; w = va_arg(ap, const char *))
        strings_add(m, &list, mem_strdup(m, w));
    return list.items;
}

static void
read_argv(char **argv)
{
    size_t argc = 0;

    while (argv[argc] != NULL)
        argc++;
    command_parse(m, adapter_cursor.grammar, argv, argc, 1, &i.command);
    memset(&r, 0, sizeof(r));
    adapter_cursor.request(m, &i, &r);
}

static void
launch(const char *first, ...)
{
    va_list ap;

    va_start(ap, first);
    read_argv(words(ap, first));
    va_end(ap);
}
#define LAUNCH(...) launch("cursor-agent", __VA_ARGS__, (const char *)NULL)

static const char *
access_of(void)
{
    const char *detail = NULL;

    request_resolve(m, &r, &detail);
    return access_word(r.access);
}

static void
render(enum projection p)
{
    struct rendering how = {.projection = p};

    adapter_cursor.render(m, &i, &r, &how, &out);
}

static void
is_argv(const char *first, ...)
{
    va_list ap;
    char **want;
    size_t n = 0;

    va_start(ap, first);
    want = words(ap, first);
    va_end(ap);
    for (; want[n] != NULL; n++) {
        ck_assert_msg(out.argv[n] != NULL, "word %zu: want '%s', nothing there", n, want[n]);
        ck_assert_str_eq(want[n], out.argv[n]);
    }
    ck_assert_ptr_null(out.argv[n]);
}
#define IS(...) is_argv("cursor-agent", __VA_ARGS__, (const char *)NULL)

/* A rendering is rendered to itself, and asks what it was made for. */
static void
stays(enum projection p, const char *access)
{
    char **first = out.argv;

    read_argv(first);
    ck_assert_str_eq(access_of(), access);
    render(p);
    for (size_t n = 0; first[n] != NULL; n++)
        ck_assert_str_eq(first[n], out.argv[n]);
}

START_TEST(force_and_disabled_sandbox_ask_full_access)
{
    static const char *const asking[] = {
        "-f", "--force", "--yolo", "--sandbox=disabled", "--sandbox=off", "--mode=x"};

    for (size_t k = 0; k < sizeof(asking) / sizeof(asking[0]); k++) {
        LAUNCH("-p", asking[k], "hi");
        ck_assert_str_eq(access_of(), "full-access");
    }
    LAUNCH("-p", "--trust", "--mode=agent", "hi");
    ck_assert_str_eq(access_of(), "unspecified");
    LAUNCH("-p", "--", "--force");
    ck_assert_str_eq(access_of(), "unspecified");
}
END_TEST

START_TEST(full_access_beside_a_policy_is_contradictory)
{
    LAUNCH("-p", "--force", "--sandbox", "enabled", "hi");
    ck_assert_str_eq(access_of(), "contradictory");
    LAUNCH("-p", "--sandbox", "disabled", "--sandbox", "enabled", "hi");
    ck_assert_str_eq(access_of(), "contradictory");
    LAUNCH("-p", "--mode", "ask", "--yolo", "hi");
    ck_assert_str_eq(access_of(), "contradictory");
    LAUNCH("-p", "--mode", "ask", "--sandbox", "enabled", "hi");
    ck_assert_str_eq(access_of(), "read-only");
}
END_TEST

START_TEST(narrowing_takes_both_spellings_off)
{
    LAUNCH("-p", "hi", "--trust", "--force", "--sandbox", "disabled");
    render(PROJECTION_WORKSPACE_WRITE);
    IS("--sandbox", "enabled", "-p", "hi", "--trust");
    stays(PROJECTION_WORKSPACE_WRITE, "workspace-write");
    LAUNCH("-pf", "hi");
    render(PROJECTION_READ_ONLY);
    IS("--mode", "plan", "--sandbox", "enabled", "-p", "hi");
    stays(PROJECTION_READ_ONLY, "read-only");
    ck_assert_int_eq(adapter_cursor.enforcement(&r, PROJECTION_READ_ONLY), ENFORCED_UNVERIFIED);
}
END_TEST

START_TEST(a_grant_keeps_force)
{
    LAUNCH("-p", "hi", "--force", "--model", "gpt-5.1-codex-high");
    ck_assert_str_eq(r.model, "gpt-5.1-codex-high");
    render(PROJECTION_FULL);
    IS("--sandbox", "disabled", "-p", "hi", "--force", "--model", "gpt-5.1-codex-high");
    stays(PROJECTION_FULL, "full-access");
    ck_assert_int_eq(adapter_cursor.enforcement(&r, PROJECTION_FULL), ENFORCED_NONE);
}
END_TEST

START_TEST(own_options_stay_byte_for_byte)
{
    LAUNCH("-p", "hi", "--sandbox=enabled");
    render(PROJECTION_WORKSPACE_WRITE);
    IS("-p", "hi", "--sandbox=enabled");
    LAUNCH("-p", "--mode=ask", "hi");
    render(PROJECTION_READ_ONLY);
    IS("-p", "--mode=ask", "hi");
    LAUNCH("-p", "--plan", "hi");
    render(PROJECTION_READ_ONLY);
    IS("--mode", "plan", "--sandbox", "enabled", "-p", "hi");
}
END_TEST

START_TEST(an_optional_value_takes_no_prompt_in)
{
    LAUNCH("-p", "--resume", "--force", "hi");
    render(PROJECTION_WORKSPACE_WRITE);
    IS("-p", "--resume", "--sandbox", "enabled", "hi");
}
END_TEST

START_TEST(an_option_without_its_value_is_malformed)
{
    LAUNCH("-p", "hi", "--sandbox");
    ck_assert_ptr_nonnull(r.malformed);
    LAUNCH("-p", "hi", "--sandbox", "enabled");
    ck_assert_ptr_null(r.malformed);
}
END_TEST

START_TEST(classes)
{
    static const struct {
        const char *word;
        enum launch_class class;
    } cases[] = {
        {"hi", CLASS_SESSION},      {"resume", CLASS_SESSION},      {"login", CLASS_ADMIN},
        {"--version", CLASS_ADMIN}, {"--list-models", CLASS_ADMIN}, {"acp", CLASS_SERVER},
        {"--cloud", CLASS_SERVER},
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        LAUNCH(cases[k].word);
        ck_assert_int_eq(adapter_cursor.classify(m, &i.command), cases[k].class);
    }
    LAUNCH("--workspace", "/a", "hi");
    ck_assert_str_eq(adapter_cursor.directory(&i.command), "/a");
    ck_assert(r.interactive);
    LAUNCH("fix", "login");
    ck_assert_int_eq(adapter_cursor.classify(m, &i.command), CLASS_SESSION);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("cursor");
    TCase *t = tcase_create("rules");
    SRunner *sr;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, force_and_disabled_sandbox_ask_full_access);
    tcase_add_test(t, full_access_beside_a_policy_is_contradictory);
    tcase_add_test(t, narrowing_takes_both_spellings_off);
    tcase_add_test(t, a_grant_keeps_force);
    tcase_add_test(t, own_options_stay_byte_for_byte);
    tcase_add_test(t, an_optional_value_takes_no_prompt_in);
    tcase_add_test(t, an_option_without_its_value_is_malformed);
    tcase_add_test(t, classes);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
