/* How the Claude Code adapter spells an access, and who then holds the worker to it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/claude_launch.h"

START_TEST(bypass_is_narrowed)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    ck_assert_str_eq(claude_rendered.needs[0].name, "bwrap");
    ck_assert_str_eq(claude_rendered.needs[1].name, "socat");
    claude_stays(PROJECTION_WORKSPACE_WRITE);
    ck_assert_str_eq(claude_access(), "workspace-write");
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_WORKSPACE_WRITE),
                     ENFORCED_VENDOR);
}
END_TEST

START_TEST(allowing_bypass_is_full_access)
{
    LAUNCH("-p", "--allow-dangerously-skip-permissions", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
}
END_TEST

START_TEST(plan_is_read_only_and_stays)
{
    LAUNCH("-p", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
    claude_spell(PROJECTION_READ_ONLY, false);
    IS("-p", "--permission-mode", "plan", "hi");
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_READ_ONLY), ENFORCED_APPROVALS);
    LAUNCH("-p", "--permission-mode=plan", "hi");
    claude_spell(PROJECTION_READ_ONLY, false);
    IS("-p", "--permission-mode=plan", "hi");
}
END_TEST

START_TEST(bypass_in_a_sandbox_is_workspace_write)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", "{\"sandbox\":{\"enabled\":true}}", "hi");
    ck_assert_str_eq(claude_access(), "workspace-write");
    claude_spell(PROJECTION_WORKSPACE_WRITE, false);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    claude_stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(narrowing_drops_allow_lists_and_roots)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--allowedTools", "Bash", "--add-dir", "/a", "/b", "--",
           "hi");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "--", "hi");
}
END_TEST

START_TEST(full_access_is_spelled_in_front)
{
    LAUNCH("-p", "--model", "claude-opus-4-5", "--effort", "max", "hi");
    ck_assert_str_eq(claude_request.model, "claude-opus-4-5");
    ck_assert_str_eq(claude_request.effort, "max");
    claude_spell(PROJECTION_FULL, false);
    IS("--permission-mode", "bypassPermissions", "--settings", "{\"sandbox\":{\"enabled\":false}}", "-p",
       "--model", "claude-opus-4-5", "--effort", "max", "hi");
    ck_assert(claude_rendered.needs == NULL);
    claude_stays(PROJECTION_FULL);
    ck_assert_str_eq(claude_access(), "full-access");
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_FULL), ENFORCED_NONE);
}
END_TEST

START_TEST(default_mode_in_settings_asks_full_access)
{
    LAUNCH("-p", "--settings", "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings",
       "{\"permissions\":{},\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,"
       "\"allowUnsandboxedCommands\":false}}",
       "-p", "hi");
    claude_stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(merge_keeps_what_it_does_not_change)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings",
           "{ \"big\": 12345678901234567890.10, \"sandbox\": {\"network\": {\"a\": [1, 2]}, \"enabled\": "
           "false}, \"s\": \"a  \\\" }\" }",
           "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings",
       "{\"big\":12345678901234567890.10,\"sandbox\":{\"network\":{\"a\":[1,2]},\"enabled\":true,"
       "\"failIfUnavailable\":true,"
       "\"allowUnsandboxedCommands\":false},\"s\":\"a  \\\" }\"}",
       "-p", "hi");
    claude_stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(unreadable_settings_ask_full_access_and_are_refused)
{
    LAUNCH("-p", "--settings", "nowhere.json", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    ck_assert_int_eq(claude_rendered.refusal, REFUSAL_SETTINGS_UNREADABLE);
    ck_assert(claude_rendered.detail != NULL);
    LAUNCH("-p", "--settings", "{\"a\":}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--settings", "{\"sandbox\\u0000\":{}}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
}
END_TEST

START_TEST(settings_file_is_merged_in)
{
    struct config_list list = {NULL, 0, 0};

    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", "a/b.json", "hi");
    adapter_claude.config(claude_mem, &claude_invocation, &list);
    ck_assert_str_eq(list.files[3].path, "/home/user/project/a/b.json");
    claude_set_file(list.files[3].path, list.files[3].role, "{\"sandbox\":{\"enabled\":true}}");
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", "a/b.json", "hi");
    ck_assert_str_eq(claude_access(), "workspace-write");
    claude_spell(PROJECTION_WORKSPACE_WRITE, false);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    claude_stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(settings_of_a_parent_only_add_rules)
{
    LAUNCH("-p", "--managed-settings",
           "{\"permissions\":{\"defaultMode\":\"bypassPermissions\",\"allow\":[\"Bash\"]}}", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    ck_assert(strings_has(&claude_request.unconfined, "Bash"));
    LAUNCH("-p", "--managed-settings", "{\"permissions\":{\"allow\":[\"Bash\"],\"deny\":[\"X\"]}}",
           "--dangerously-skip-permissions", "hi");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "--managed-settings",
       "{\"permissions\":{\"deny\":[\"X\"]}}", "-p", "hi");
    claude_stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(a_weaker_mode_that_was_asked_stays)
{
    static const char *const weaker[] = {"default", "dontAsk", "manual"};

    for (size_t k = 0; k < sizeof(weaker) / sizeof(weaker[0]); k++) {
        LAUNCH("-p", "--permission-mode", weaker[k], "--allow-dangerously-skip-permissions", "hi");
        ck_assert_str_eq(claude_access(), "full-access");
        claude_spell(PROJECTION_WORKSPACE_WRITE, true);
        IS("--permission-mode", weaker[k], "--settings", HELD, "-p", "hi");
        claude_stays(PROJECTION_WORKSPACE_WRITE);
    }
    LAUNCH("-p", "--permission-mode", "auto", "--dangerously-skip-permissions", "hi");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
}
END_TEST

START_TEST(own_options_stay_byte_for_byte)
{
    LAUNCH(
        "-p", "--settings",
        "{ \"sandbox\": {\"enabled\":true,\"failIfUnavailable\":true,\"allowUnsandboxedCommands\":false} }",
        "--permission-mode=acceptEdits", "hi");
    ck_assert_str_eq(claude_access(), "workspace-write");
    claude_spell(PROJECTION_WORKSPACE_WRITE, false);
    ck_assert_ptr_eq(claude_rendered.argv[2], claude_invocation.command.argv[2]);
    ck_assert_str_eq(claude_rendered.argv[4], "--permission-mode=acceptEdits");
    LAUNCH("hi", "--permission-mode", "bypassPermissions", "--settings={\"sandbox\":{\"enabled\":false}}");
    claude_spell(PROJECTION_FULL, false);
    IS("hi", "--permission-mode", "bypassPermissions", "--settings={\"sandbox\":{\"enabled\":false}}");
    LAUNCH("-p", "--permission-mode", "plan", "--permission-mode", "plan", "hi");
    claude_spell(PROJECTION_READ_ONLY, false);
    IS("--permission-mode", "plan", "-p", "hi");
}
END_TEST

START_TEST(the_read_lane_has_its_lists)
{
    claude_set_lane();
    LAUNCH("-p", "--allowedTools", "Bash", "--disallowedTools", "WebFetch, Edit", "X", "--verbose", "hi");
    claude_spell(PROJECTION_READ_ONLY, true);
    IS("--permission-mode", "default", "--allowedTools=Read,Bash(git diff:*)",
       "--disallowedTools=Edit,Bash(git push:*),WebFetch,X", "-p", "--verbose", "hi");
    claude_stays(PROJECTION_READ_ONLY);
    ck_assert_str_eq(claude_access(), "read-only");
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_READ_ONLY), ENFORCED_APPROVALS);
}
END_TEST

START_TEST(only_the_lane_itself_is_a_read_only_request)
{
    claude_set_lane();
    LAUNCH("-p", "--permission-mode", "default", "--allowedTools=Read,Bash(git diff:*)",
           "--disallowedTools=Edit,Bash(git push:*)", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
    LAUNCH("-p", "--permission-mode", "acceptEdits", "--allowedTools=Read,Bash(git diff:*)",
           "--disallowedTools=Edit,Bash(git push:*)", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--permission-mode", "default", "--allowedTools=Read,Bash",
           "--disallowedTools=Edit,Bash(git push:*)", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--permission-mode", "default", "--allowedTools=Read,Bash(git diff:*)",
           "--disallowedTools=Edit", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--permission-mode", "default", "--allowedTools", "Bash",
           "--allowedTools=Read,Bash(git diff:*)", "--disallowedTools=Edit,Bash(git push:*)", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

START_TEST(plan_gets_no_allow_list)
{
    claude_set_lane();
    LAUNCH("-p", "--permission-mode", "plan", "--allowedTools=Bash", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
    claude_spell(PROJECTION_READ_ONLY, false);
    IS("--permission-mode", "plan", "--disallowedTools=Edit,Bash(git push:*)", "-p", "hi");
    claude_stays(PROJECTION_READ_ONLY);
}
END_TEST

START_TEST(read_only_approves_no_command)
{
    LAUNCH("-p", "--permission-mode", "plan", "--settings",
           "{\"permissions\":{\"allow\":[\"Bash\"]},\"sandbox\":{\"enabled\":true}}", "hi");
    claude_spell(PROJECTION_READ_ONLY, false);
    IS("--permission-mode", "plan", "--settings",
       "{\"permissions\":{},\"sandbox\":{\"enabled\":true,\"autoAllowBashIfSandboxed\":false}}", "-p", "hi");
    claude_stays(PROJECTION_READ_ONLY);
    LAUNCH("-p", "--permission-mode", "plan", "--settings",
           "{\"sandbox\":{\"enabled\":true,\"autoAllowBashIfSandboxed\":false}}", "hi");
    claude_spell(PROJECTION_READ_ONLY, false);
    ck_assert_ptr_eq(claude_rendered.argv[4], claude_invocation.command.argv[4]);
    claude_set_file("/u", ROLE_USER, "{\"sandbox\":{\"enabled\":true}}");
    LAUNCH("-p", "--permission-mode", "plan", "hi");
    claude_spell(PROJECTION_READ_ONLY, false);
    IS("--permission-mode", "plan", "--settings", "{\"sandbox\":{\"autoAllowBashIfSandboxed\":false}}", "-p",
       "hi");
    claude_stays(PROJECTION_READ_ONLY);
}
END_TEST

START_TEST(removing_joins_no_open_option_with_the_prompt)
{
    LAUNCH("-p", "--allowedTools", "Read", "Grep", "--dangerously-skip-permissions", "hi");
    claude_spell(PROJECTION_FULL, false);
    IS("--permission-mode", "bypassPermissions", "--settings", "{\"sandbox\":{\"enabled\":false}}", "-p",
       "--allowedTools=Read", "--allowedTools=Grep", "hi");
    LAUNCH("-p", "-d", "--dangerously-skip-permissions", "hi");
    claude_spell(PROJECTION_FULL, false);
    IS("-p", "-d", "--permission-mode", "bypassPermissions", "--settings",
       "{\"sandbox\":{\"enabled\":false}}", "hi");
    claude_stays(PROJECTION_FULL);
}
END_TEST

START_TEST(a_grant_keeps_roots_and_lists)
{
    LAUNCH("-p", "--add-dir=/a", "--allowedTools=Bash", "--dangerously-skip-permissions", "hi");
    claude_spell(PROJECTION_FULL, false);
    IS("--permission-mode", "bypassPermissions", "--settings", "{\"sandbox\":{\"enabled\":false}}", "-p",
       "--add-dir=/a", "--allowedTools=Bash", "hi");
}
END_TEST

START_TEST(approved_tools_without_a_pattern_are_listed)
{
    claude_set_file("/u", ROLE_USER, "{\"permissions\":{\"allow\":[\"Write\",\"Bash(ls:*)\"]}}");
    LAUNCH("-p", "--allowedTools", "Bash", "Read", "--", "hi");
    ck_assert_uint_eq(claude_request.unconfined.count, 2);
    ck_assert(strings_has(&claude_request.unconfined, "Bash") &&
              strings_has(&claude_request.unconfined, "Write"));
    LAUNCH("-p", "--permission-mode", "acceptEdits", "--settings", HELD, "--allowedTools=Bash", "hi");
    ck_assert(!strings_has(&claude_request.unconfined, "Bash"));
    ck_assert(strings_has(&claude_request.unconfined, "Write"));
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_WORKSPACE_WRITE),
                     ENFORCED_APPROVALS);
}
END_TEST

START_TEST(denied_tools_are_not_listed)
{
    LAUNCH("-p", "--allowedTools=Bash,Write", "--disallowedTools=Write Bash(rm:*)", "hi");
    ck_assert_uint_eq(claude_request.unconfined.count, 1);
    ck_assert_str_eq(claude_request.unconfined.items[0], "Bash");
}
END_TEST

/* 2.1.197 does what they say, 2.1.332 does not: the default is not known to be held by anything. */
START_TEST(project_files_that_say_bypass_are_listed_and_leave_the_default_unverified)
{
    claude_set_file("/p", ROLE_PROJECT, "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    ck_assert_uint_eq(claude_request.unconfined.count, 1);
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_VENDOR_DEFAULT),
                     ENFORCED_UNVERIFIED);
    LAUNCH("-p", "--permission-mode", "default", "hi");
    ck_assert_uint_eq(claude_request.unconfined.count, 0);
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_VENDOR_DEFAULT),
                     ENFORCED_APPROVALS);
}
END_TEST

START_TEST(a_sandbox_holds_only_with_its_three_keys_and_closed)
{
    static const char *const open[] = {
        "{\"sandbox\":{\"enabled\":true}}",
        "{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true}}",
        "{\"cleanupPeriodDays\":\"x\",\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,"
        "\"allowUnsandboxedCommands\":false}}",
        "{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,\"allowUnsandboxedCommands\":false,"
        "\"excludedCommands\":[\"x\"]}}",
    };

    for (size_t k = 0; k < sizeof(open) / sizeof(open[0]); k++) {
        LAUNCH("-p", "--permission-mode", "acceptEdits", "--settings", open[k], "hi");
        ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_WORKSPACE_WRITE),
                         ENFORCED_APPROVALS);
    }
    claude_set_file("/u", ROLE_USER, "{\"sandbox\":{\"excludedCommands\":[\"docker\"]}}");
    LAUNCH("-p", "--permission-mode", "acceptEdits", "--settings", HELD, "hi");
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_WORKSPACE_WRITE),
                     ENFORCED_APPROVALS);
    claude_invocation.nfiles = 0;
    LAUNCH("-p", "--permission-mode", "acceptEdits", "--settings", HELD, "hi");
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_WORKSPACE_WRITE),
                     ENFORCED_VENDOR);
    /* As it is launched where haccess only observes. */
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", HELD, "hi");
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_WORKSPACE_WRITE), ENFORCED_NONE);
}
END_TEST

START_TEST(every_cut_of_a_command_line_is_survived)
{
    static const char *const line[] = {"claude",
                                       "-pcd",
                                       "--settings",
                                       "{\"sandbox\":{",
                                       "--permission-mode",
                                       "plan",
                                       "--allowedTools",
                                       "Bash(",
                                       ")",
                                       "--managed-settings",
                                       "{}",
                                       "--add-dir",
                                       "",
                                       "-",
                                       "--",
                                       "--settings"};
    size_t n = sizeof(line) / sizeof(line[0]);

    for (size_t from = 1; from < n; from++)
        for (size_t to = from; to <= n; to++) {
            struct strings list = {NULL, 0, 0};

            strings_add(claude_mem, &list, mem_strdup(claude_mem, "claude"));
            for (size_t k = from; k < to; k++)
                strings_add(claude_mem, &list, mem_strdup(claude_mem, line[k]));
            claude_read_argv(list.items);
            for (enum projection p = PROJECTION_READ_ONLY; p <= PROJECTION_FULL; p++) {
                claude_spell(p, true);
                ck_assert(claude_rendered.argv != NULL || claude_rendered.refusal != REFUSAL_NONE);
            }
        }
    claude_invocation.cwd = claude_invocation.project = claude_invocation.home = NULL;
    LAUNCH("-p", "--settings", "x", "--add-dir", "y", "--", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
}
END_TEST

START_TEST(a_hundred_thousand_words_take_no_time)
{
    struct strings list = {NULL, 0, 0};

    strings_add(claude_mem, &list, mem_strdup(claude_mem, "claude"));
    strings_add(claude_mem, &list, mem_strdup(claude_mem, "-p"));
    for (size_t k = 0; k < 100000; k++)
        strings_add(claude_mem, &list,
                    mem_strdup(claude_mem, k % 3 == 0   ? "--disallowedTools=a"
                                           : k % 3 == 1 ? "--verbose"
                                                        : "--permission-mode=default"));
    claude_read_argv(list.items);
    claude_set_lane();
    claude_spell(PROJECTION_READ_ONLY, true);
    ck_assert_str_eq(claude_rendered.argv[4], "--disallowedTools=Edit,Bash(git push:*),a");
}
END_TEST

START_TEST(a_plan_mode_of_a_file_does_not_stay_beside_a_bypass)
{
    claude_set_file("/u", ROLE_USER, "{\"permissions\":{\"defaultMode\":\"plan\"}}");
    LAUNCH("-p", "--dangerously-skip-permissions", "hi");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    claude_stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("claude rendering");
    TCase *t = tcase_create("rules");
    SRunner *sr;
    int failed;

    tcase_add_checked_fixture(t, claude_setup, claude_teardown);
    tcase_add_test(t, bypass_is_narrowed);
    tcase_add_test(t, allowing_bypass_is_full_access);
    tcase_add_test(t, plan_is_read_only_and_stays);
    tcase_add_test(t, bypass_in_a_sandbox_is_workspace_write);
    tcase_add_test(t, narrowing_drops_allow_lists_and_roots);
    tcase_add_test(t, full_access_is_spelled_in_front);
    tcase_add_test(t, default_mode_in_settings_asks_full_access);
    tcase_add_test(t, merge_keeps_what_it_does_not_change);
    tcase_add_test(t, unreadable_settings_ask_full_access_and_are_refused);
    tcase_add_test(t, settings_file_is_merged_in);
    tcase_add_test(t, settings_of_a_parent_only_add_rules);
    tcase_add_test(t, a_weaker_mode_that_was_asked_stays);
    tcase_add_test(t, own_options_stay_byte_for_byte);
    tcase_add_test(t, the_read_lane_has_its_lists);
    tcase_add_test(t, only_the_lane_itself_is_a_read_only_request);
    tcase_add_test(t, plan_gets_no_allow_list);
    tcase_add_test(t, read_only_approves_no_command);
    tcase_add_test(t, removing_joins_no_open_option_with_the_prompt);
    tcase_add_test(t, a_grant_keeps_roots_and_lists);
    tcase_add_test(t, approved_tools_without_a_pattern_are_listed);
    tcase_add_test(t, denied_tools_are_not_listed);
    tcase_add_test(t, project_files_that_say_bypass_are_listed_and_leave_the_default_unverified);
    tcase_add_test(t, a_sandbox_holds_only_with_its_three_keys_and_closed);
    tcase_add_test(t, every_cut_of_a_command_line_is_survived);
    tcase_add_test(t, a_hundred_thousand_words_take_no_time);
    tcase_add_test(t, a_plan_mode_of_a_file_does_not_stay_beside_a_bypass);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
