/* What counts only when the host consented to it. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/policy_bench.h"
#include "tests/support/tree.h"

static const struct {
    const char *text;
} loosening[] = {
    {ENABLED},
    {"{\"mode\":\"observe\"}"},
    {"{\"workflow\":{\"lanes\":{\"write\":{\"claude\":\"vendor-sandbox\"}}}}"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeAllow\":[\"Read\",\"Grep\",\"Glob\",\"Bash(git "
     "diff:*)\",\"Bash(git log:*)\",\"Bash(git status:*)\",\"Bash(rm:*)\"]}}}}"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeDeny\":[\"Edit\"]}}}}"},
    {"{\"workflow\":{\"workers\":{\"*\":[\"builder\"]}}}"},
    {"{\"notVendors\":[\"/usr/bin/codex\"]}"},
    {"{\"journal\":{\"argv\":\"full\"}}"},
};

START_TEST(what_loosens_counts_only_when_allowed)
{
    bench_put(loosening[_i].text);
    bench_load();
    ck_assert(bench.policy.file.loosens);
    ck_assert(!bench.policy.file.allowed);
    bench_expect_defaults();
    ck_assert_int_eq(bench.policy.file.state, _i == 0 ? POLICY_NOT_ALLOWED : POLICY_DISABLED);
    ck_assert_ptr_nonnull(strstr(bench.policy.file.problem,
                                 mem_printf(bench.mem, "run `haccess policy allow %s`", bench.project)));
    bench_allow();
    bench_load();
    ck_assert(bench.policy.file.loosens);
    ck_assert(bench.policy.file.allowed);
    ck_assert_ptr_nonnull(bench.policy.file.allowed_at);
    ck_assert_ptr_null(bench.policy.file.problem);
    ck_assert_int_eq(bench.policy.file.state, _i == 0 ? POLICY_ENABLED : POLICY_DISABLED);
}
END_TEST

START_TEST(allowed_values_count)
{
    bench_put(
        "{\"mode\":\"observe\",\"workflow\":{\"lanes\":{\"write\":{\"claude\":\"vendor-sandbox\"},\"read\":{"
        "\"claudeAllow\":"
        "[\"Bash(rm:*)\"],\"claudeDeny\":[]}}},\"notVendors\":[\"/opt/"
        "codex\"],\"journal\":{\"argv\":\"full\"}}");
    bench_load();
    ck_assert_uint_eq(bench.policy.read_allow.count, 0); /* narrowed to what is in both */
    ck_assert_uint_eq(bench.policy.read_deny.count, 8);
    ck_assert(!bench.policy.observe);
    ck_assert_ptr_nonnull(strstr(bench_origin("mode"), "is not allowed as it is"));
    ck_assert_str_eq(bench_value("mode"), "\"enforce\"");
    bench_allow();
    bench_load();
    ck_assert(bench.policy.observe);
    ck_assert(bench.policy.write_claude_vendor);
    ck_assert_uint_eq(bench.policy.read_allow.count, 1);
    ck_assert_str_eq(bench.policy.read_allow.items[0], "Bash(rm:*)");
    ck_assert_uint_eq(bench.policy.read_deny.count, 0);
    ck_assert_str_eq(bench.policy.not_vendors.items[0], "/opt/codex");
    ck_assert(bench.policy.journal_full);
    ck_assert_str_eq(bench_origin("mode"), bench.file);
    ck_assert_str_eq(bench_value("mode"), "\"observe\"");
    ck_assert_str_eq(bench_value("notVendors"), "[\"/opt/codex\"]");
}
END_TEST

START_TEST(a_narrowing_value_counts_beside_one_that_is_not_allowed)
{
    bench_put(
        "{\"mode\":\"observe\",\"servers\":\"refuse\",\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"read-"
        "only\"}}}}");
    bench_load();
    ck_assert(!bench.policy.observe);
    ck_assert(bench.policy.servers_refuse);
    ck_assert_int_eq(bench.policy.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert_str_eq(bench_origin("servers"), bench.file);
}
END_TEST

START_TEST(any_change_needs_consent_again)
{
    const char *what;

    bench_put(ENABLED);
    bench_allow();
    bench_put(ENABLED "\n");
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    ck_assert_ptr_nonnull(
        strstr(bench.policy.file.problem, "it changed since the host allowed it on 2026-1"));
    ck_assert_ptr_null(bench.policy.file.allowed_at);
    bench_put(ENABLED);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    ck_assert_int_eq(policy_deny(&bench.host, bench.mem, bench.file, &what), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    ck_assert_ptr_nonnull(strstr(bench.policy.file.problem, "the host has not allowed it"));
    ck_assert_int_eq(policy_deny(&bench.host, bench.mem, bench.file, &what), ENOENT);
}
END_TEST

START_TEST(consent_is_to_one_path)
{
    bench_put(ENABLED);
    bench_allow();
    tree_write(bench.top, "project/sub/.haccess/policy.json", ENABLED, 0644);
    bench_load_in(bench_at("project/sub"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
}
END_TEST

START_TEST(the_store_is_private_and_where_xdg_says)
{
    struct stat st;
    const char *what;

    bench_put(ENABLED);
    bench_allow();
    ck_assert_int_eq(stat(bench_at("home/.local/share/haccess/allowed"), &st), 0);
    ck_assert_int_eq((int)(st.st_mode & 07777), 0700);
    bench.environment[0] = (char *)(uintptr_t)mem_printf(bench.mem, "XDG_DATA_HOME=%s", bench_at("data"));
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    bench_allow();
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    ck_assert_int_eq(stat(bench_at("data/haccess/allowed"), &st), 0);
    bench.environment[0] = (char *)(uintptr_t) "XDG_DATA_HOME=relative";
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    bench.environment[0] = NULL;
    bench.host.home = NULL;
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    ck_assert_int_eq(policy_allow(&bench.host, bench.mem, bench.file, &what), ENOENT);
    ck_assert_str_eq(what, "the home directory");
}
END_TEST

/* Returns the path of the one entry of the store. */
static const char *
entry(void)
{
    const char *what = "";

    bench_put(ENABLED);
    bench_allow();
    ck_assert_int_eq(policy_deny(&bench.host, bench.mem, bench.file, &what), 0);
    bench_allow();
    return what;
}

START_TEST(an_entry_that_others_can_change_is_no_consent)
{
    const char *file = entry();
    struct stat st;

    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_int_eq((int)(st.st_mode & 07777), 0600);
    ck_assert_int_eq(chmod(file, 0662), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    ck_assert_int_eq(chmod(file, 0640), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    ck_assert_int_eq(chmod(bench_at("home/.local/share/haccess/allowed"), 0770), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    ck_assert_int_eq(policy_allow(&bench.host, bench.mem, bench.file, &file), EPERM);
}
END_TEST

START_TEST(an_entry_that_is_a_link_is_no_consent)
{
    const char *file = entry();

    ck_assert_int_eq(rename(file, bench_at("moved")), 0);
    ck_assert_int_eq(symlink(bench_at("moved"), file), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    bench_allow(); /* replaces the link, not what it points to */
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    ck_assert_int_eq(rename(bench_at("home/.local/share/haccess/allowed"), bench_at("store")), 0);
    ck_assert_int_eq(symlink(bench_at("store"), bench_at("home/.local/share/haccess/allowed")), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
}
END_TEST

START_TEST(a_forged_or_torn_entry_is_no_consent)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{\"path\":1,\"sha256\":2,\"time\":3}",
        "{\"path\":\"/other\",\"sha256\":\"\",\"time\":\"2026-11-30T20:29:15Z\"}"};
    const char *file = entry();

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        FILE *f = fopen(file, "w");

        ck_assert_ptr_nonnull(f);
        fputs(texts[i], f);
        fclose(f);
        bench_load();
        ck_assert_int_eq(bench.policy.file.state, POLICY_NOT_ALLOWED);
    }
}
END_TEST

START_TEST(an_untrusted_file_cannot_be_allowed)
{
    const char *what = NULL;

    bench_put(ENABLED);
    ck_assert_int_eq(chmod(bench.file, 0666), 0);
    ck_assert_int_eq(policy_allow(&bench.host, bench.mem, bench.file, &what), EPERM);
    ck_assert_str_eq(what, bench.file);
}
END_TEST

START_TEST(a_path_that_is_not_utf8_can_be_allowed)
{
    tree_write(bench.top, "\xff\xfe/.haccess/policy.json", ENABLED, 0644);
    bench.file = bench_at("\xff\xfe/.haccess/policy.json");
    bench_allow();
    bench_load_in(bench_at("\xff\xfe"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
}
END_TEST

static void
add_consent_tests(TCase *t)
{
    tcase_add_loop_test(t, what_loosens_counts_only_when_allowed, 0,
                        (int)(sizeof(loosening) / sizeof(loosening[0])));
    tcase_add_test(t, allowed_values_count);
    tcase_add_test(t, a_narrowing_value_counts_beside_one_that_is_not_allowed);
    tcase_add_test(t, any_change_needs_consent_again);
    tcase_add_test(t, consent_is_to_one_path);
    tcase_add_test(t, the_store_is_private_and_where_xdg_says);
    tcase_add_test(t, an_entry_that_others_can_change_is_no_consent);
    tcase_add_test(t, an_entry_that_is_a_link_is_no_consent);
    tcase_add_test(t, a_forged_or_torn_entry_is_no_consent);
    tcase_add_test(t, an_untrusted_file_cannot_be_allowed);
    tcase_add_test(t, a_path_that_is_not_utf8_can_be_allowed);
}

int
main(void)
{
    static void (*const add[])(TCase *) = {add_consent_tests};
    Suite *s = suite_create("policy_consent");
    SRunner *r;
    int failed;

    for (size_t i = 0; i < sizeof(add) / sizeof(add[0]); i++) {
        TCase *t = tcase_create("policy_consent");

        tcase_add_checked_fixture(t, bench_setup, bench_teardown);
        add[i](t);
        suite_add_tcase(s, t);
    }
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
