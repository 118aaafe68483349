/* Settings documents and tool lists of Claude Code, by themselves. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shim/adapters/claude_settings.h"
#include "shim/adapters/claude_tools.h"

static struct mem *m;
static const char *misfit;
static struct settings s;

static const struct settings_change held = {.sandbox = SANDBOX_HELD, .drop_allow = true, .drop_roots = true};

static void
setup(void)
{
    m = mem_new();
}

static void
teardown(void)
{
    mem_free(m);
}

static void
read_text(const char *text)
{
    settings_read(m, text, strlen(text), &s);
}

static const char *
merge(const char *text, const struct settings_change *how)
{
    return settings_merge(m, text, strlen(text), how, &misfit);
}

START_TEST(one_object_is_readable)
{
    static const char *const unreadable[] = {"",     " ",        "[]",        "1",
                                             "null", "{",        "{\"a\"}",   "{\"a\":1,}",
                                             "{}{}", "// c\n{}", "{\"a\":\"", "{\"a\\u0000b\":1}"};

    read_text("{}");
    ck_assert(s.readable && s.sure);
    read_text("\xef\xbb\xbf {\"a\": 1} \n");
    ck_assert(s.readable && !s.sure);
    for (size_t k = 0; k < sizeof(unreadable) / sizeof(unreadable[0]); k++) {
        read_text(unreadable[k]);
        ck_assert_msg(!s.readable, "%s", unreadable[k]);
        ck_assert_ptr_null(merge(unreadable[k], &held));
    }
    settings_read(m, "{}\0{}", 5, &s);
    ck_assert(!s.readable);
}
END_TEST

/* 2.1.332 and 2.1.197: {"permissions":{…bypass…},"permissions":{}} starts in the default mode. */
START_TEST(the_last_of_equal_keys_counts)
{
    read_text("{\"permissions\":{\"defaultMode\":\"bypassPermissions\"},\"permissions\":{}}");
    ck_assert_ptr_null(s.default_mode);
    read_text("{\"permissions\":{},\"permissions\":{\"defaultMode\":\"plan\",\"defaultMode\":"
              "\"bypassPermissions\"}}");
    ck_assert_str_eq(s.default_mode, "bypassPermissions");
    ck_assert_str_eq(
        merge("{\"sandbox\":{\"enabled\":1},\"a\":1,\"sandbox\":{\"enabled\":false,\"enabled\":false}}",
              &held),
        "{\"sandbox\":{\"enabled\":1},\"a\":1,\"sandbox\":{\"enabled\":false,\"enabled\":true,"
        "\"failIfUnavailable\":true,\"allowUnsandboxedCommands\":false}}");
    ck_assert_str_eq(merge("{\"permissions\":{\"allow\":[1],\"allow\":[2]}}", &held),
                     "{\"permissions\":{},\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,"
                     "\"allowUnsandboxedCommands\":false}}");
}
END_TEST

START_TEST(keys_are_compared_decoded_and_by_case)
{
    read_text("{\"permi\\u0073sions\":{\"defaultMode\":\"bypass\\u0050ermissions\"},\"Sandbox\":{\"enabled\":"
              "true}}");
    ck_assert_str_eq(s.default_mode, "bypassPermissions");
    ck_assert_int_eq(s.sandbox, ANSWER_UNSET);
    ck_assert_str_eq(merge("{\"permi\\u0073sions\":{\"d\\u0065faultMode\":\"bypass\\u0050ermissions\"},"
                           "\"s\\u0061ndbox\":{}}",
                           &(struct settings_change){.sandbox = SANDBOX_OFF}),
                     "{\"permi\\u0073sions\":{},\"s\\u0061ndbox\":{\"enabled\":false}}");
}
END_TEST

START_TEST(answers_are_booleans)
{
    read_text("{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":false,\"allowUnsandboxedCommands\":"
              "\"false\"}}");
    ck_assert_int_eq(s.sandbox, ANSWER_YES);
    ck_assert_int_eq(s.required, ANSWER_NO);
    ck_assert_int_eq(s.unsandboxed, ANSWER_UNSET);
    ck_assert(!s.sure);
}
END_TEST

/* What lets a command write outside the project, measured with 2.1.332 but for the last three. */
START_TEST(openings_of_the_sandbox)
{
    static const struct {
        const char *text, *key;
    } cases[] = {
        {"{\"sandbox\":{\"excludedCommands\":[\"docker\"]}}", "sandbox.excludedCommands"},
        {"{\"sandbox\":{\"filesystem\":{\"disabled\":true}}}", "sandbox.filesystem.disabled"},
        {"{\"sandbox\":{\"network\":{\"allowAllUnixSockets\":true}}}", "sandbox.network.allowAllUnixSockets"},
        {"{\"sandbox\":{\"allowNestedUserNamespaces\":true}}", "sandbox.allowNestedUserNamespaces"},
        {"{\"sandbox\":{\"ripgrep\":{\"command\":\"x\"}}}", "sandbox.ripgrep"},
    };
    static const char *const closed[] = {
        "{\"sandbox\":{\"excludedCommands\":[]}}",
        "{\"sandbox\":{\"filesystem\":{\"disabled\":false},\"network\":{\"allowedDomains\":[\"a\"]}}}",
        "{\"sandbox\":true}",
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        read_text(cases[k].text);
        ck_assert_msg(s.opening != NULL, "%s", cases[k].text);
        ck_assert_str_eq(s.opening, cases[k].key);
        read_text(merge(cases[k].text, &held));
        ck_assert_ptr_null(s.opening);
    }
    for (size_t k = 0; k < sizeof(closed) / sizeof(closed[0]); k++) {
        read_text(closed[k]);
        ck_assert_ptr_null(s.opening);
    }
}
END_TEST

/* 2.1.197 drops a document whole when one of its members is not as it wants it, and no sandbox is left. */
START_TEST(only_known_members_make_a_document_sure)
{
    static const char *const sure[] = {
        "{\"model\":\"opus\",\"env\":{\"A\":\"b\"},\"permissions\":{\"allow\":[\"Read\"],\"defaultMode\":"
        "\"auto\"}}",
        "{\"sandbox\":{\"network\":{\"allowedDomains\":[\"a.b\"]},\"filesystem\":{\"denyRead\":[\"/etc\"]}}}",
    };
    static const char *const unsure[] = {
        "{\"cleanupPeriodDays\":\"x\"}",
        "{\"permissions\":null}",
        "{\"permissions\":{\"defaultMode\":\"manual\"}}",
        "{\"permissions\":{\"allow\":[1]}}",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":1}]}}",
        "{\"sandbox\":{\"filesystem\":{\"allowWrite\":\"/\"}}}",
        "{\"env\":[1]}",
    };

    for (size_t k = 0; k < sizeof(sure) / sizeof(sure[0]); k++) {
        read_text(sure[k]);
        ck_assert_msg(s.sure, "%s", sure[k]);
    }
    for (size_t k = 0; k < sizeof(unsure) / sizeof(unsure[0]); k++) {
        read_text(unsure[k]);
        ck_assert_msg(s.readable && !s.sure, "%s", unsure[k]);
    }
}
END_TEST

START_TEST(what_is_not_changed_keeps_its_spelling)
{
    static const struct settings_change nothing = {.sandbox = SANDBOX_AS_IT_IS};

    ck_assert_str_eq(merge("{ \"n\" : [ 1e400 , -0, 12345678901234567890.10 ],\n\t\"u\": \"\\u00e9\\/ \\\" , "
                           "}\", \"t\":{ } }",
                           &nothing),
                     "{\"n\":[1e400,-0,12345678901234567890.10],\"u\":\"\\u00e9\\/ \\\" , }\",\"t\":{}}");
    ck_assert_str_eq(merge("\xef\xbb\xbf{\"__proto__\":{\"a\":null}}", &nothing),
                     "{\"__proto__\":{\"a\":null}}");
    ck_assert_str_eq(settings_merge(m, NULL, 0, &nothing, &misfit), "{}");
}
END_TEST

/* The CLI ignores a document with such a member, or does not start; with another value there it would be read. */
START_TEST(a_value_of_another_kind_is_not_healed)
{
    static const struct {
        const char *text, *misfit;
    } cases[] = {
        {"{\"sandbox\":[1]}", "sandbox"},
        {"{\"permissions\":7}", "permissions"},
        {"{\"sandbox\":{\"enabled\":1}}", "sandbox.enabled"},
        {"{\"sandbox\":{\"enabled\":null}}", "sandbox.enabled"},
        {"{\"sandbox\":{\"excludedCommands\":\"x\"}}", "sandbox.excludedCommands"},
        {"{\"sandbox\":{\"filesystem\":{\"allowWrite\":\"/\"}}}", "sandbox.filesystem.allowWrite"},
        {"{\"permissions\":{\"allow\":\"Bash\"}}", "permissions.allow"},
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        ck_assert_ptr_null(merge(cases[k].text, &held));
        ck_assert_str_eq(misfit, cases[k].misfit);
    }
    ck_assert_ptr_nonnull(
        merge("{\"permissions\":{\"allow\":[7],\"defaultMode\":7},\"sandbox\":{\"x\":1}}", &held));
    ck_assert_ptr_null(misfit);
    ck_assert_ptr_null(merge("[]", &held));
    ck_assert_ptr_null(misfit);
}
END_TEST

START_TEST(roots_and_allow_lists_go_only_when_told)
{
    static const char *const text =
        "{\"permissions\":{\"allow\":[\"Bash\"],\"deny\":[\"Read\"],\"additionalDirectories\":[\"/\"]},"
        "\"sandbox\":{\"filesystem\":{\"allowWrite\":[\"/\"],\"denyRead\":[\"/x\"]}}}";

    ck_assert_str_eq(merge(text, &(struct settings_change){.sandbox = SANDBOX_AS_IT_IS}), text);
    ck_assert_str_eq(merge(text, &held), "{\"permissions\":{\"deny\":[\"Read\"]},\"sandbox\":{\"filesystem\":"
                                         "{\"denyRead\":[\"/x\"]},\"enabled\":true,"
                                         "\"failIfUnavailable\":true,\"allowUnsandboxedCommands\":false}}");
    ck_assert_str_eq(merge(text, &(struct settings_change){.quiet = true, .drop_allow = true}),
                     "{\"permissions\":{\"deny\":[\"Read\"],\"additionalDirectories\":[\"/"
                     "\"]},\"sandbox\":{\"filesystem\":"
                     "{\"allowWrite\":[\"/\"],\"denyRead\":[\"/x\"]},\"autoAllowBashIfSandboxed\":false}}");
}
END_TEST

/* Every prefix of a document, and every byte of it replaced, is read or refused, never worse. */
START_TEST(broken_documents_are_survived)
{
    static const char whole[] = "{\"a\":[{\"b\":\"\\u12\xff\\\"x\"},-1.5e3,true],\"permissions\":{"
                                "\"defaultMode\":\"plan\"},\"sandbox\":{\"network\":{}}}";
    char *text = mem_strdup(m, whole);

    for (size_t n = 0; n < sizeof(whole); n++) {
        const char *part = mem_strndup(m, whole, n);

        settings_read(m, part, n, &s);
        settings_merge(m, part, n, &held, &misfit);
    }
    for (size_t n = 0; n + 1 < sizeof(whole); n++)
        for (const char *c = "\"\\{}[],:0\x01\xff"; *c != '\0'; c++) {
            text[n] = *c;
            read_text(text);
            merge(text, &held);
            text[n] = whole[n];
        }
}
END_TEST

START_TEST(deep_and_wide_documents_are_survived)
{
    size_t n = 100000;
    char *deep = mem_alloc(m, 2 * n + 16), *wide = mem_alloc(m, 12 * n + 64), *to = wide;
    const char *merged;

    deep[0] = '{', deep[1] = '"', deep[2] = '"', deep[3] = ':';
    memset(deep + 4, '[', n);
    memset(deep + 4 + n, ']', n);
    deep[4 + 2 * n] = '}';
    read_text(deep);
    ck_assert(!s.readable);
    *to++ = '{';
    for (size_t k = 0; k < n; k++) {
        memcpy(to, "\"k\":[1,2],", 10);
        to += 10;
    }
    strcpy(to, "\"z\":0}");
    merged = merge(wide, &held);
    ck_assert_ptr_nonnull(merged);
    ck_assert_uint_gt(strlen(merged), 10 * n);
}
END_TEST

START_TEST(rules_are_split_outside_of_parentheses)
{
    struct strings list = {NULL, 0, 0};

    tools_split(m, "Bash(git *) Edit,,Read\t Bash(a, b) Edit", &list);
    ck_assert_uint_eq(list.count, 5);
    ck_assert_str_eq(list.items[0], "Bash(git *)");
    ck_assert_str_eq(list.items[3], "Bash(a, b)");
    tools_unique(m, &list);
    ck_assert_str_eq(tools_join(m, &list), "Bash(git *),Edit,Read,Bash(a, b)");
    list.count = 0;
    tools_split(m, " , ", &list);
    tools_unique(m, &list);
    ck_assert_ptr_null(tools_join(m, &list));
    tools_split(m, "Bash(open, Read", &list);
    ck_assert_uint_eq(list.count, 1);
}
END_TEST

START_TEST(rules_without_a_pattern_are_unrestricted)
{
    static const char *const open[] = {"Bash",  "Bash()",     "Bash(*)",      "Bash(:*)",
                                       "Write", "Edit(//**)", "NotebookEdit", "*"};
    static const char *const bound[] = {"Bash(git:*)", "Read", "Edit(src/**)", "Bashful", "WebFetch", ""};

    for (size_t k = 0; k < sizeof(open) / sizeof(open[0]); k++)
        ck_assert_msg(tools_unrestricted(open[k]), "%s", open[k]);
    for (size_t k = 0; k < sizeof(bound) / sizeof(bound[0]); k++)
        ck_assert_msg(!tools_unrestricted(bound[k]), "%s", bound[k]);
    ck_assert(tools_shell("Bash(x)") && !tools_shell("Write"));
}
END_TEST

/* 2.1.332: a rule of the Edit tool opens the sandbox for commands. */
START_TEST(edit_rules_name_roots)
{
    static const struct {
        const char *rule, *root;
    } cases[] = {
        {"Edit(//**)", "/"},
        {"Edit(//var/tmp/**)", "/var/tmp/"},
        {"Write(~/**)", "~/"},
        {"Edit(~/x/*.c)", "~/x/"},
        {"Edit(src/**)", "./src/"},
        {"Edit(/src/a.c)", ".//src/a.c"},
        {"Edit", NULL},
        {"Bash(//**)", NULL},
        {"Edit(**)", "./"},
        {"Edit(", "./"},
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        const char *root = tools_root(m, cases[k].rule);

        if (cases[k].root == NULL)
            ck_assert_ptr_null(root);
        else
            ck_assert_msg(root != NULL && strcmp(root, cases[k].root) == 0, "%s: %s", cases[k].rule, root);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("claude settings");
    TCase *t = tcase_create("rules");
    SRunner *sr;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, one_object_is_readable);
    tcase_add_test(t, the_last_of_equal_keys_counts);
    tcase_add_test(t, keys_are_compared_decoded_and_by_case);
    tcase_add_test(t, answers_are_booleans);
    tcase_add_test(t, openings_of_the_sandbox);
    tcase_add_test(t, only_known_members_make_a_document_sure);
    tcase_add_test(t, what_is_not_changed_keeps_its_spelling);
    tcase_add_test(t, a_value_of_another_kind_is_not_healed);
    tcase_add_test(t, roots_and_allow_lists_go_only_when_told);
    tcase_add_test(t, broken_documents_are_survived);
    tcase_add_test(t, deep_and_wide_documents_are_survived);
    tcase_add_test(t, rules_are_split_outside_of_parentheses);
    tcase_add_test(t, rules_without_a_pattern_are_unrestricted);
    tcase_add_test(t, edit_rules_name_roots);
    suite_add_tcase(suite, t);
    sr = srunner_create(suite);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
