/* What a policy says, alone and under a ceiling: the rules, both sides of each. */
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
    const char *text, *says;
} malformed[] = {
    {"", "line 1, column 1: "},
    {"[]", "the file: must be an object with the keys mode, workflow, servers, notVendors, journal"},
    {"{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,}}}",
     "line 1, column 48: a comma after the last entry"},
    {"{\"mode\":\"enforce\",\"mode\":\"enforce\"}", "mode: is there twice"},
    {"{\"mode\":\"enforce\\u0000\"}", "line 1, column 17: an embedded NUL"},
    {"{\"nope\":1}", "nope: unknown key; known here: mode, workflow"},
    {"{\"mode\":\"Enforce\"}", "mode: must be \"enforce\" or \"observe\""},
    {"{\"mode\":null}", "mode: must be"},
    {"{\"workflow\":1}",
     "workflow: must be an object with the keys workerFullAccess, lanes, workers, inProcessAgents"},
    {"{\"workflow\":{\"lanes\":1}}", "workflow.lanes: must be an object with the keys write, read"},
    {"{\"workflow\":{\"lanes\":{\"writ\":{}}}}", "workflow.lanes.writ: unknown key; known here: write, read"},
    {"{\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"danger-full-access\"}}}}",
     "workflow.lanes.write.sandbox: must be \"workspace-write\" or \"read-only\""},
    {"{\"workflow\":{\"lanes\":{\"write\":{\"claude\":true}}}}",
     "workflow.lanes.write.claude: must be \"refuse\" or \"vendor-sandbox\""},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeAllow\":\"Read\"}}}}",
     "workflow.lanes.read.claudeAllow: must be a list of strings"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeDeny\":[\"Edit\",1]}}}}",
     "workflow.lanes.read.claudeDeny[1]: must be a string"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeDeny\":[\"\"]}}}}",
     "workflow.lanes.read.claudeDeny[0]: must be a string"},
    {"{\"workflow\":{\"workers\":[]}}", "workflow.workers: must be an object of lists"},
    {"{\"workflow\":{\"workers\":{\"*\":\"x\"}}}", "workflow.workers.*: must be a list of strings"},
    {"{\"workflow\":{\"inProcessAgents\":false}}", "workflow.inProcessAgents: must be \"allow\" or \"deny\""},
    {"{\"servers\":\"allow\"}", "servers: must be \"annotate\" or \"refuse\""},
    {"{\"notVendors\":[\"bin/codex\"]}", "notVendors[0]: must be an absolute path, not \"bin/codex\""},
    {"{\"notVendors\":{}}", "notVendors: must be a list of strings"},
    {"{\"journal\":{\"argv\":\"none\"}}", "journal.argv: must be \"flags\" or \"full\""},
    {"{\"journal\":\"full\"}", "journal: must be an object with the keys argv"},
};

START_TEST(a_malformed_value_is_named_and_everything_strictest)
{
    bench_put(malformed[_i].text);
    bench_expect_invalid(malformed[_i].says);
}
END_TEST

static const struct {
    const char *grant, *says;
} malformed_grant[] = {
    {"1", "workflow.workerFullAccess: must be an object with the keys enabled, floors"},
    {"{\"enabled\":\"true\"}", "workflow.workerFullAccess.enabled: must be true or false"},
    {"{\"enabled\":1}", "enabled: must be true or false"},
    {"{\"enabled\":null}", "enabled: must be true or false"},
    {"{\"enabled\":true,\"extra\":1}", "workflow.workerFullAccess.extra: unknown key"},
    {"{\"floors\":[]}", "workflow.workerFullAccess.floors: must be an object"},
    {"{\"enabled\":false,\"floors\":{\"nope\":[]}}",
     "floors.nope: unknown adapter; known are codex, claude-code, cursor, opencode, gemini"},
    {"{\"floors\":{\"claude\":[]}}", "floors.claude: unknown adapter"},
    {"{\"floors\":{\"codex\":{}}}", "floors.codex: must be a list"},
    {"{\"floors\":{\"codex\":[\"gpt\"]}}", "floors.codex[0]: must be an object"},
    {"{\"floors\":{\"codex\":[{}]}}", "floors.codex[0].model: is missing"},
    {"{\"floors\":{\"codex\":[{\"model\":1,\"minEffort\":\"low\"}]}}",
     "floors.codex[0].model: must be a string"},
    {"{\"floors\":{\"codex\":[{\"model\":\" \\t\",\"minEffort\":\"low\"}]}}",
     "floors.codex[0].model: must not be empty"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"low\"},{\"model\":\"m\"}]}}",
     "floors.codex[1].minEffort: is missing; add one of none, minimal, low, medium, high, xhigh"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"max\"}]}}",
     "floors.codex[0].minEffort: must be one of none,"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"High\"}]}}",
     "floors.codex[0].minEffort: must be one of"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":3}]}}",
     "floors.codex[0].minEffort: must be one of"},
    {"{\"floors\":{\"claude-code\":[{\"model\":\"m\"}]}}",
     "floors.claude-code[0].minEffort: is missing; add one of low,"},
    {"{\"floors\":{\"claude-code\":[{\"model\":\"m\",\"minEffort\":\"minimal\"}]}}",
     "must be one of low, medium, high, xhigh, max"},
    {"{\"floors\":{\"cursor\":[{\"model\":\"m\",\"minEffort\":\"high\"}]}}",
     "floors.cursor[0].minEffort: must be absent"},
    {"{\"floors\":{\"opencode\":[{\"model\":\"m\",\"minEffort\":\"high\"}]}}",
     "floors.opencode[0].minEffort: must be absent"},
    {"{\"floors\":{\"cursor\":[{\"model\":\"m\",\"provider\":\"p\"}]}}",
     "floors.cursor[0].provider: only codex has providers"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"low\",\"provider\":\"\"}]}}",
     "floors.codex[0].provider: must be"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"low\",\"maxEffort\":\"\"}]}}",
     "floors.codex[0].maxEffort: unknown key"},
    {"{\"floors\":{\"codex\":[],\"codex\":[]}}", "floors.codex: is there twice"},
};

START_TEST(a_malformed_grant_is_named_even_when_it_is_off)
{
    bench_put(mem_printf(bench.mem, "{\"workflow\":{\"workerFullAccess\":%s}}", malformed_grant[_i].grant));
    bench_expect_invalid(malformed_grant[_i].says);
}
END_TEST

START_TEST(floors_are_read)
{
    const struct floors *f;

    bench_put(
        "{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{"
        "\"codex\":[{\"model\":\" "
        "gpt-5.1-codex\\n\",\"minEffort\":\"high\"},{\"model\":\"m\",\"minEffort\":\"none\",\"provider\":"
        "\"azure\"}],"
        "\"claude-code\":[{\"minEffort\":\"max\",\"model\":\"claude-opus-4-5\"}],"
        "\"cursor\":[{\"model\":\"gpt-5.1-codex-high\"}],\"opencode\":[]}}}}");
    bench_allow();
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    ck_assert_uint_eq(bench.policy.file.nfloors, 4);
    f = bench.policy.file.floors;
    ck_assert_str_eq(f[0].adapter->id, "codex");
    ck_assert_uint_eq(f[0].count, 2);
    ck_assert_str_eq(f[0].entries[0].model, "gpt-5.1-codex");
    ck_assert_int_eq(f[0].entries[0].min_effort, 4);
    ck_assert_ptr_null(f[0].entries[0].provider);
    ck_assert_int_eq(f[0].entries[1].min_effort, 0);
    ck_assert_str_eq(f[0].entries[1].provider, "azure");
    ck_assert_str_eq(f[1].adapter->id, "claude-code");
    ck_assert_int_eq(f[1].entries[0].min_effort, 4);
    ck_assert_int_eq(f[2].entries[0].min_effort, -1);
    ck_assert_uint_eq(f[3].count, 0);
}
END_TEST

START_TEST(enabled_is_off_unless_it_is_true)
{
    bench_put("{\"workflow\":{\"workerFullAccess\":{\"floors\":{}}}}");
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
    ck_assert(!bench.policy.file.enabled);
    ck_assert(bench.policy.file.allowed);
    bench_put("{\"workflow\":{\"workerFullAccess\":{\"enabled\":false}}}");
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(the_default_text_is_the_defaults)
{
    bench_put(policy_default_text);
    bench_load();
    ck_assert_msg(bench.policy.file.state == POLICY_DISABLED, "%s", bench.policy.file.problem);
    ck_assert(!bench.policy.file.loosens);
    bench_expect_defaults();
    for (size_t i = 0; i < bench.policy.norigins; i++)
        ck_assert_msg(strcmp(bench.policy.origins[i].origin, bench.file) == 0, "%s",
                      bench.policy.origins[i].key);
}
END_TEST

START_TEST(narrowing_needs_no_consent)
{
    bench_put(
        "{\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"read-only\"},\"read\":{\"claudeAllow\":[\"Read\"]"
        ","
        "\"claudeDeny\":[\"Edit\",\"Write\",\"NotebookEdit\",\"Bash(git push:*)\",\"Bash(git "
        "commit:*)\",\"Bash(git merge:*)\","
        "\"Bash(gh:*)\",\"Bash(make:*)\",\"Bash(npm:*)\"]}},\"inProcessAgents\":\"deny\"},\"servers\":"
        "\"refuse\"}");
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
    ck_assert(!bench.policy.file.loosens);
    ck_assert(bench.policy.file.allowed);
    ck_assert_int_eq(bench.policy.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert_uint_eq(bench.policy.read_allow.count, 1);
    ck_assert_uint_eq(bench.policy.read_deny.count, 9);
    ck_assert(bench.policy.in_process_deny);
    ck_assert(bench.policy.servers_refuse);
    ck_assert_str_eq(bench_origin("servers"), bench.file);
    ck_assert_str_eq(bench_value("workflow.lanes.read.claudeAllow"), "[\"Read\"]");
}
END_TEST

/* The environment. */

START_TEST(only_zero_switches_it_off)
{
    bench_put(ENABLED);
    bench_allow();
    bench.environment[0] = (char *)(uintptr_t) "HACCESS_WORKER_FULL_ACCESS=0";
    bench_load();
    ck_assert(bench.policy.off);
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    ck_assert_str_eq(bench_value("workflow.workerFullAccess.enabled"), "false");
    ck_assert_str_eq(bench_origin("workflow.workerFullAccess.enabled"), "off: HACCESS_WORKER_FULL_ACCESS=0");
    bench.environment[0] = (char *)(uintptr_t) "HACCESS_WORKER_FULL_ACCESS=00";
    bench_load();
    ck_assert(!bench.policy.off);
    ck_assert_str_eq(bench_value("workflow.workerFullAccess.enabled"), "true");
    bench.environment[0] = (char *)(uintptr_t) "HACCESS_WORKER_FULL_ACCESS=";
    bench_load();
    ck_assert(!bench.policy.off);
}
END_TEST

/* The ceiling; as another user than root it can only be refused. */

START_TEST(a_ceiling_that_is_not_roots_is_malformed)
{
    bench.host.uid = 12345; /* does not help */
    bench_put_ceiling("{}");
    if (geteuid() == 0)
        ck_assert_int_eq(chown(bench_at("etc/haccess/policy.json"), 12345, 12345), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.ceiling.state, POLICY_INVALID);
    ck_assert_ptr_nonnull(strstr(bench.policy.ceiling.problem, "not to root: run `chown root"));
    ck_assert(bench.policy.servers_refuse);
    ck_assert_int_eq(bench.policy.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert_ptr_nonnull(strstr(bench_origin("servers"), "strictest: "));
}
END_TEST

START_TEST(a_grant_is_evaluated_against_each_file)
{
    bench_put(ENABLED);
    bench_allow();
    bench_put_ceiling("{}");
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ENABLED);
    ck_assert_int_eq(bench.policy.ceiling.state, POLICY_DISABLED);
    ck_assert_ptr_nonnull(strstr(bench_origin("workflow.workerFullAccess.enabled"), "does not enable it"));
    bench_put_ceiling(
        "{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{\"cursor\":[{\"model\":"
        "\"m\"}]}}}}");
    bench_load();
    ck_assert_int_eq(bench.policy.ceiling.state, POLICY_ENABLED);
    ck_assert(bench.policy.ceiling.allowed);
    ck_assert_uint_eq(bench.policy.ceiling.nfloors, 1);
    ck_assert_uint_eq(bench.policy.file.nfloors, 0);
    ck_assert_str_eq(bench.policy.ceiling.path, bench_at("etc/haccess/policy.json"));
}
END_TEST

START_TEST(the_stricter_of_each_value_counts)
{
    bench_put("{\"mode\":\"observe\",\"servers\":\"refuse\",\"workflow\":{\"lanes\":{\"write\":{\"claude\":"
              "\"vendor-sandbox\"},"
              "\"read\":{\"claudeAllow\":[\"Read\",\"Bash(ls:*)\"]}}},\"notVendors\":[\"/a/codex\",\"/b/"
              "codex\"],\"journal\":{\"argv\":\"full\"}}");
    bench_allow();
    bench_put_ceiling("{\"mode\":\"observe\",\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"read-only\"},"
                      "\"read\":{\"claudeAllow\":[\"Read\","
                      "\"Grep\"],\"claudeDeny\":[\"Bash\"]}}},\"notVendors\":[\"/b/codex\"]}");
    bench_load();
    ck_assert(bench.policy.observe);
    ck_assert(bench.policy.servers_refuse);
    ck_assert_int_eq(bench.policy.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert(!bench.policy.write_claude_vendor);
    ck_assert_uint_eq(bench.policy.read_allow.count, 1);
    ck_assert_str_eq(bench.policy.read_allow.items[0], "Read");
    ck_assert_uint_eq(bench.policy.read_deny.count, 9);
    ck_assert_uint_eq(bench.policy.not_vendors.count, 1);
    ck_assert(!bench.policy.journal_full);
    ck_assert_str_eq(bench_origin("servers"), bench.file);
    ck_assert_str_eq(bench_origin("workflow.lanes.write.sandbox"), bench_at("etc/haccess/policy.json"));
    ck_assert_str_eq(bench_origin("journal.argv"), bench_at("etc/haccess/policy.json"));
}
END_TEST

START_TEST(a_ceiling_without_a_policy_narrows)
{
    bench_put_ceiling("{\"servers\":\"refuse\"}");
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    ck_assert(bench.policy.servers_refuse);
}
END_TEST

START_TEST(a_malformed_ceiling_is_the_strictest)
{
    bench_put("{}");
    bench_put_ceiling("{\"mode\":\"enforce\",}");
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
    ck_assert_int_eq(bench.policy.ceiling.state, POLICY_INVALID);
    ck_assert(bench.policy.servers_refuse);
    ck_assert_int_eq(bench.policy.write_sandbox, PROJECTION_READ_ONLY);
}
END_TEST

START_TEST(a_ceiling_is_root_owned_whoever_launches)
{
    bench_put_ceiling("{}");
    bench.host.uid = 12345;
    bench_load();
    ck_assert_int_eq(bench.policy.ceiling.state, POLICY_DISABLED);
    ck_assert_int_eq(chmod(bench_at("etc/haccess"), 0777), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.ceiling.state, POLICY_INVALID);
}
END_TEST

START_TEST(states_have_the_words_of_explain)
{
    ck_assert_str_eq(policy_state_word(POLICY_ABSENT), "absent");
    ck_assert_str_eq(policy_state_word(POLICY_DISABLED), "disabled");
    ck_assert_str_eq(policy_state_word(POLICY_ENABLED), "enabled");
    ck_assert_str_eq(policy_state_word(POLICY_NOT_ALLOWED), "not-allowed");
    ck_assert_str_eq(policy_state_word(POLICY_INVALID), "invalid");
}
END_TEST

static void
add_text_tests(TCase *t)
{
    tcase_add_loop_test(t, a_malformed_value_is_named_and_everything_strictest, 0,
                        (int)(sizeof(malformed) / sizeof(malformed[0])));
    tcase_add_loop_test(t, a_malformed_grant_is_named_even_when_it_is_off, 0,
                        (int)(sizeof(malformed_grant) / sizeof(malformed_grant[0])));
    tcase_add_test(t, floors_are_read);
    tcase_add_test(t, enabled_is_off_unless_it_is_true);
    tcase_add_test(t, the_default_text_is_the_defaults);
    tcase_add_test(t, narrowing_needs_no_consent);
    tcase_add_test(t, only_zero_switches_it_off);
    tcase_add_test(t, states_have_the_words_of_explain);
}

static void
add_ceiling_tests(TCase *t)
{
    tcase_add_test(t, a_ceiling_that_is_not_roots_is_malformed);
    if (geteuid() != 0)
        return;
    tcase_add_test(t, a_grant_is_evaluated_against_each_file);
    tcase_add_test(t, the_stricter_of_each_value_counts);
    tcase_add_test(t, a_ceiling_without_a_policy_narrows);
    tcase_add_test(t, a_malformed_ceiling_is_the_strictest);
    tcase_add_test(t, a_ceiling_is_root_owned_whoever_launches);
}

int
main(void)
{
    static void (*const add[])(TCase *) = {add_text_tests, add_ceiling_tests};
    Suite *s = suite_create("policy");
    SRunner *r;
    int failed;

    if (geteuid() != 0)
        puts("policy: not root, the ceiling's values are not tested");
    for (size_t i = 0; i < sizeof(add) / sizeof(add[0]); i++) {
        TCase *t = tcase_create("policy");

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
