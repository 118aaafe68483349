/* What the Claude Code adapter reads in a launch: every rule of its chapter, and every surprise of the real CLI (2.1.332 and
 * 2.1.197 alike unless one is named). */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/claude_launch.h"

START_TEST(plain_asks_nothing)
{
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    ck_assert_str_eq(claude_class(), "session");
    ck_assert(!claude_request.interactive);
    ck_assert_int_eq(adapter_claude.enforcement(&claude_request, PROJECTION_VENDOR_DEFAULT),
                     ENFORCED_APPROVALS);
    LAUNCH("hi");
    ck_assert(claude_request.interactive);
}
END_TEST

START_TEST(bypass_contradicts_plan)
{
    LAUNCH("-p", "--permission-mode", "plan", "--dangerously-skip-permissions", "hi");
    ck_assert_str_eq(claude_access(), "contradictory");
    LAUNCH("-p", "--dangerously-skip-permissions", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "contradictory");
    LAUNCH("-p", "--permission-mode", "bypassPermissions", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "contradictory");
}
END_TEST

START_TEST(scrubbing_is_refused_by_the_cli)
{
    LAUNCH("-p", "hi");
    ck_assert(claude_request.vendor_refuses == NULL);
    claude_set_env("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=1");
    LAUNCH("-p", "hi");
    ck_assert(claude_request.vendor_refuses != NULL);
    claude_environment[0] = mem_strdup(claude_mem, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=0");
    LAUNCH("-p", "hi");
    ck_assert(claude_request.vendor_refuses == NULL);
}
END_TEST

START_TEST(root_needs_is_sandbox)
{
    claude_invocation.uid = 0;
    LAUNCH("-p", "hi");
    ck_assert(claude_request.vendor_refuses != NULL);
    claude_set_env("IS_SANDBOX=yes");
    LAUNCH("-p", "hi");
    ck_assert(claude_request.vendor_refuses != NULL);
    claude_environment[0] = mem_strdup(claude_mem, "IS_SANDBOX=1");
    LAUNCH("-p", "hi");
    ck_assert(claude_request.vendor_refuses == NULL);
}
END_TEST

START_TEST(fallback_models_are_named)
{
    LAUNCH("-p", "--fallback-model", "a,b", "hi");
    ck_assert_uint_eq(claude_request.fallbacks.count, 2);
    ck_assert_str_eq(claude_request.fallbacks.items[1], "b");
}
END_TEST

START_TEST(classes)
{
    LAUNCH("mcp", "list");
    ck_assert_str_eq(claude_class(), "admin");
    LAUNCH("mcp", "serve");
    ck_assert_str_eq(claude_class(), "server");
    LAUNCH("--version");
    ck_assert_str_eq(claude_class(), "admin");
    LAUNCH("-p", "--help");
    ck_assert_str_eq(claude_class(), "admin");
    LAUNCH("--bg", "hi");
    ck_assert_str_eq(claude_class(), "server");
    LAUNCH("--bg-pty-host", "x");
    ck_assert_str_eq(claude_class(), "helper");
}
END_TEST

START_TEST(print_makes_a_subcommand_a_prompt)
{
    LAUNCH("-p", "update", "--permission-mode", "bypassPermissions");
    ck_assert_str_eq(claude_class(), "session");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("mcp", "-p", "--dangerously-skip-permissions");
    ck_assert_str_eq(claude_class(), "session");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-pc", "mcp", "list");
    ck_assert_str_eq(claude_class(), "admin");
}
END_TEST

START_TEST(last_of_duplicate_keys_counts)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings",
           "{\"sandbox\":{\"enabled\":true},\"sandbox\":{\"enabled\":false,\"enabled\":false}}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--settings", "{\"permissions\":{},\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}",
           "hi");
    ck_assert_str_eq(claude_access(), "full-access");
}
END_TEST

START_TEST(last_settings_counts_whole)
{
    LAUNCH("-p", "--settings", "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}", "--settings",
           "{\"model\":\"x\"}", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

START_TEST(user_settings_can_turn_bypass_on_and_project_settings_cannot)
{
    claude_set_file("/home/user/.claude/settings.json", ROLE_USER,
                    "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    ck_assert_str_eq(claude_request.sources[0].file, "/home/user/.claude/settings.json");
    LAUNCH("-p", "--permission-mode", "default", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    claude_files[0].role = ROLE_PROJECT;
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

START_TEST(effort_has_an_order)
{
    claude_set_env("CLAUDE_CODE_EFFORT_LEVEL=low");
    LAUNCH("-p", "--effort", "max", "hi");
    ck_assert_str_eq(claude_request.effort, "low");
    ck_assert_str_eq(claude_request.effort_source, "CLAUDE_CODE_EFFORT_LEVEL");
    claude_set_file("/home/user/project/.claude/settings.json", ROLE_PROJECT,
                    "{\"env\":{\"CLAUDE_CODE_EFFORT_LEVEL\":\"medium\"}}");
    LAUNCH("-p", "--effort", "max", "hi");
    ck_assert_str_eq(claude_request.effort, "medium");
    LAUNCH("-p", "--effort", "max", "--settings", "{\"env\":{\"CLAUDE_CODE_EFFORT_LEVEL\":\"high\"}}", "hi");
    ck_assert_str_eq(claude_request.effort, "high");
}
END_TEST

START_TEST(modes_that_the_cli_rejects_are_malformed)
{
    LAUNCH("-p", "--permission-mode", "BypassPermissions", "hi");
    ck_assert_ptr_nonnull(claude_request.malformed);
    LAUNCH("-p", "--permission-mode=", "hi");
    ck_assert_ptr_nonnull(claude_request.malformed);
    LAUNCH("-p", "--inherit-permission-mode", "bogus", "hi");
    ck_assert_ptr_nonnull(claude_request.malformed);
    LAUNCH("-p", "hi", "--permission-mode");
    ck_assert_ptr_nonnull(claude_request.malformed);
    LAUNCH("-p", "hi", "--settings");
    ck_assert_ptr_nonnull(claude_request.malformed);
    LAUNCH("-p", "--permission-mode", "manual", "hi");
    ck_assert_ptr_null(claude_request.malformed);
}
END_TEST

START_TEST(of_weaker_modes_the_last_counts)
{
    LAUNCH("-p", "--permission-mode", "plan", "--permission-mode", "default", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--permission-mode", "default", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
}
END_TEST

START_TEST(every_bypass_spelling_counts)
{
    LAUNCH("-p", "--inherit-permission-mode", "bypassPermissions", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--permission-mode", "bypassPermissions", "--permission-mode", "default", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--", "--dangerously-skip-permissions");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--append-system-prompt", "--dangerously-skip-permissions");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

START_TEST(unknown_options_are_told)
{
    LAUNCH("-p", "--permission", "bypassPermissions", "hi");
    ck_assert_uint_ne(claude_invocation.command.unknown, 0);
    LAUNCH("-p", "--dangerously-skip-permissions=true", "hi");
    ck_assert_uint_ne(claude_invocation.command.unknown, 0);
    LAUNCH("-p=", "hi");
    ck_assert_uint_ne(claude_invocation.command.unknown, 0);
    LAUNCH("-p", "-d2e", "-", "hi");
    ck_assert_uint_eq(claude_invocation.command.unknown, 0);
}
END_TEST

START_TEST(values_are_taken_as_the_cli_takes_them)
{
    LAUNCH("-p", "--model", "--help", "hi");
    ck_assert_str_eq(claude_request.model, "--help");
    ck_assert_str_eq(claude_class(), "session");
    LAUNCH("-p", "--add-dir", "-x", "/tmp", "--effort", "low", "hi");
    ck_assert_str_eq(claude_request.effort, "low");
    LAUNCH("-pd", "hi");
    ck_assert_uint_eq(claude_invocation.command.operands, 0);
    LAUNCH("-dp", "hi");
    ck_assert_uint_eq(claude_invocation.command.operands, 1);
    ck_assert(claude_request.interactive);
    LAUNCH("-p", "--debug=", "hi");
    ck_assert_uint_eq(claude_invocation.command.operands, 1);
}
END_TEST

START_TEST(what_follows_an_unknown_option_is_no_subcommand)
{
    LAUNCH("--new-option", "mcp", "--dangerously-skip-permissions");
    ck_assert_str_eq(claude_class(), "session");
    ck_assert_str_eq(claude_access(), "full-access");
}
END_TEST

START_TEST(sessions_that_others_steer_are_servers)
{
    static const char *const servers[] = {"--remote-control", "--rc",          "--cloud", "--desktop",
                                          "--sdk-url=x",      "--await-claim", "agents",  "attach",
                                          "remote-control",   "daemon",        "respawn", "--daemon-worker"};

    for (size_t k = 0; k < sizeof(servers) / sizeof(servers[0]); k++) {
        LAUNCH(servers[k], "x");
        ck_assert_msg(strcmp(claude_class(), "server") == 0, "%s is %s", servers[k], claude_class());
    }
    LAUNCH("--teleport", "x");
    ck_assert_str_eq(claude_class(), "session");
    LAUNCH("fix", "mcp", "serve");
    ck_assert_str_eq(claude_class(), "session");
}
END_TEST

START_TEST(fixed_commands_ask_nothing)
{
    claude_set_file("/home/user/.claude/settings.json", ROLE_USER,
                    "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    LAUNCH("attach", "0badcafe");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("--bg-spare", "x");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("--bg", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
}
END_TEST

START_TEST(settings_files_are_named)
{
    struct config_list list = {NULL, 0, 0};

    LAUNCH("-p", "--settings", "/etc/x.json", "hi");
    adapter_claude.config(claude_mem, &claude_invocation, &list);
    ck_assert_uint_eq(list.count, 5);
    ck_assert_str_eq(list.files[0].path, "/home/user/.claude/settings.json");
    ck_assert_str_eq(list.files[1].path, "/home/user/project/.claude/settings.json");
    ck_assert_str_eq(list.files[2].path, "/home/user/project/.claude/settings.local.json");
    ck_assert_str_eq(list.files[3].path, "/etc/x.json");
    ck_assert_str_eq(list.files[4].path, "/etc/claude-code/managed-settings.json");
    claude_set_env("CLAUDE_CONFIG_DIR=/conf");
    LAUNCH("-p", "--setting-sources", " user , local", "--settings", "{}", "hi");
    list.count = 0;
    adapter_claude.config(claude_mem, &claude_invocation, &list);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_str_eq(list.files[0].path, "/conf/settings.json");
    LAUNCH("-p", "--setting-sources", "", "hi");
    list.count = 0;
    adapter_claude.config(claude_mem, &claude_invocation, &list);
    ck_assert_uint_eq(list.count, 1);
    LAUNCH("-p", "--restricted", "hi");
    list.count = 0;
    adapter_claude.config(claude_mem, &claude_invocation, &list);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_ptr_nonnull(claude_request.vendor_refuses);
}
END_TEST

START_TEST(another_file_is_the_users_under_cowork)
{
    struct config_list list = {NULL, 0, 0};

    claude_set_env("CLAUDE_CODE_USE_COWORK_PLUGINS=TRUE");
    LAUNCH("-p", "hi");
    adapter_claude.config(claude_mem, &claude_invocation, &list);
    ck_assert_str_eq(list.files[0].path, "/home/user/.claude/cowork_settings.json");
    claude_environment[0] = NULL;
    claude_set_env("CLAUDE_CODE_USE_COWORK_PLUGINS=2");
    LAUNCH("-p", "hi");
    list.count = 0;
    adapter_claude.config(claude_mem, &claude_invocation, &list);
    ck_assert_str_eq(list.files[0].path, "/home/user/.claude/settings.json");
}
END_TEST

/* The CLI reads the first four of these (2.1.332). */
START_TEST(a_file_that_cannot_be_read_asks_what_it_may_hide)
{
#define BYPASSES "\"permissions\":{\"defaultMode\":\"bypassPermissions\"}"
    static const char *const full[] = {
        "{" BYPASSES ",\"a\":\"\\u0000\"}",
        "{" BYPASSES ",\"a\":\"\\ud800\"}",
        "{\"permissions\":{\"defaultMode\":\"bypass\\u0050ermissions\"},\"a\":\"\\ud800\"}",
        "\xff\xfe{", /* and so on, in UTF-16 */
        "{" BYPASSES ",}",
    };
    char *deep = mem_alloc(claude_mem, 5000);

    strcpy(deep, "{" BYPASSES ",\"a\":");
    memset(deep + strlen(deep), '[', 1500);
    memset(deep + strlen(deep), ']', 1500);
    strcat(deep, "}");
    claude_set_file("/u", ROLE_USER, deep);
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    for (size_t k = 0; k < sizeof(full) / sizeof(full[0]); k++) {
        claude_files[0].role = ROLE_USER;
        claude_files[0].text = full[k];
        claude_files[0].length = strlen(full[k]);
        LAUNCH("-p", "hi");
        ck_assert_msg(strcmp(claude_access(), "full-access") == 0, "%s", full[k]);
        ck_assert(!claude_request.sources[0].explicit);
        ck_assert_str_eq(claude_request.sources[0].file, "/u");
        LAUNCH("-p", "--permission-mode", "default", "hi");
        ck_assert_str_eq(claude_access(), "unspecified");
        LAUNCH("-p", "--settings", HELD, "hi");
        ck_assert(!claude_request.confined);
        claude_files[0].role = ROLE_PROJECT;
        LAUNCH("-p", "hi");
        ck_assert_str_eq(claude_access(), "unspecified");
    }
    claude_files[0].role = ROLE_USER;
    claude_files[0].text = "{,}";
    claude_files[0].length = 3;
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

static void
change_file(size_t index, const char *text)
{
    claude_files[index].text = text;
    claude_files[index].length = strlen(text);
}

START_TEST(default_modes_of_several_files)
{
    claude_set_file("/u", ROLE_USER, "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    claude_set_file("/p", ROLE_PROJECT, "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_files[1].text = "{\"permissions\":{\"defaultMode\":\"plan\"}}";
    claude_files[1].length = strlen(claude_files[1].text);
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
    LAUNCH("-p", "--settings", "{\"permissions\":{\"defaultMode\":\"acceptEdits\"}}", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

/* 2.1.332 ignores a document with a member that it finds invalid as a whole. */
START_TEST(a_document_that_may_be_ignored_hides_nothing)
{
    claude_set_file("/u", ROLE_USER, "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    claude_set_file("/p", ROLE_PROJECT,
                    "{\"permissions\":{\"defaultMode\":\"default\"},\"cleanupPeriodDays\":1.5}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    change_file(0, "{\"permissions\":{\"defaultMode\":\"plan\"}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
    change_file(1, "{\"permissions\":{\"defaultMode\":\"default\"}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    change_file(1, "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

START_TEST(a_sandbox_that_may_be_ignored_does_not_bound_bypass)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", "{\"sandbox\":{\"enabled\":true}}", "hi");
    ck_assert_str_eq(claude_access(), "workspace-write");
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings",
           "{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":false},\"cleanupPeriodDays\":1.5}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
}
END_TEST

START_TEST(the_body_of_requests_names_the_model)
{
    LAUNCH("-p", "--model", "claude-opus-4-5", "--effort", "high", "hi");
    ck_assert_ptr_null(claude_request.model_source);
    claude_set_env("CLAUDE_CODE_EXTRA_BODY={\"model\":\"haiku\",\"output_config\":{\"effort\":\"low\"}}");
    LAUNCH("-p", "--model", "claude-opus-4-5", "--effort", "high", "hi");
    ck_assert_str_eq(claude_request.model, "haiku");
    ck_assert_str_eq(claude_request.model_source, "CLAUDE_CODE_EXTRA_BODY");
    ck_assert_str_eq(claude_request.effort, "low");
    ck_assert_str_eq(claude_request.effort_source, "CLAUDE_CODE_EXTRA_BODY");
    LAUNCH("-p", "hi"); /* it names none for the command line */
    ck_assert(claude_request.model == NULL && claude_request.effort == NULL);
    LAUNCH("-p", "--model", "claude-opus-4-5", "--settings",
           "{\"env\":{\"CLAUDE_CODE_EXTRA_BODY\":\"{\\\"model\\\":\\\"sonnet\\\"}\"}}", "hi");
    ck_assert_str_eq(claude_request.model, "sonnet");
}
END_TEST

static const struct {
    const char *entry, *model, *effort;
} bodies[] = {
    {"CLAUDE_CODE_EXTRA_BODY=", "m", "high"},
    {"CLAUDE_CODE_EXTRA_BODY={}", "m", "high"},
    {"CLAUDE_CODE_EXTRA_BODY=[{\"model\":\"x\"}]", "m", "high"},
    {"CLAUDE_CODE_EXTRA_BODY={\"output_config\":{}}", "m", "high"},
    {"CLAUDE_CODE_EXTRA_BODY={\"output_config\":null,\"metadata\":{}}", "m", "high"},
    {"CLAUDE_CODE_EXTRA_BODY={\"model\":\"x\",\"model\":\"y\"}", "y", "high"},
    {"CLAUDE_CODE_EXTRA_BODY= {\"model\":\"x\\u0000y\"}", "(unreadable)",
     "(unreadable)"}, /* not to the CLI */
    {"CLAUDE_CODE_EXTRA_BODY={\"model\":null,\"output_config\":{\"effort\":null}}", "(unreadable)",
     "(unreadable)"},
};

START_TEST(a_body_counts_for_what_it_says)
{
    claude_set_env(bodies[_i].entry);
    LAUNCH("-p", "--model", "m", "--effort", "high", "hi");
    ck_assert_str_eq(claude_request.model, bodies[_i].model);
    ck_assert_str_eq(claude_request.effort, bodies[_i].effort);
}
END_TEST

/* The CLI silently takes another model than one that availableModels leaves out. */
START_TEST(available_models_limit_the_model)
{
    claude_set_file("/p", ROLE_PROJECT, "{\"availableModels\":[\"haiku\"]}");
    LAUNCH("-p", "--model", "claude-opus-4-5", "hi");
    ck_assert_ptr_nonnull(strstr(claude_request.vendor_refuses, "availableModels in /p"));
    change_file(0, "{\"availableModels\":[\"haiku\",\"claude-opus-4-5\"]}");
    LAUNCH("-p", "--model", "claude-opus-4-5", "hi");
    ck_assert_ptr_null(claude_request.vendor_refuses);
    change_file(0, "{\"availableModels\":[]}");
    LAUNCH("-p", "--model", "claude-opus-4-5", "hi");
    ck_assert_ptr_nonnull(claude_request.vendor_refuses);
    change_file(0, "{\"availableModels\":\"haiku\"}"); /* no list: passed over */
    LAUNCH("-p", "--model", "claude-opus-4-5", "hi");
    ck_assert_ptr_null(claude_request.vendor_refuses);
}
END_TEST

/* The file of a command or a skill may name model, effort and tools. */
START_TEST(a_prompt_that_runs_a_command_may_do_anything)
{
    static const char *const commands[] = {"/c", "/c with words", "/plugin:c", "/c\nmore"};
    static const char *const texts[] = {"/", "/tmp/x crashes", " /c", "x /c", "//c", "/ c"};

    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
        LAUNCH("-p", "--model", "m", commands[k]);
        ck_assert_msg(claude_request.vendor_refuses != NULL, "%s", commands[k]);
        ck_assert_uint_eq(claude_request.unconfined.count, 1);
        LAUNCH("-p", "--disable-slash-commands", "--", commands[k]);
        ck_assert_ptr_null(claude_request.vendor_refuses);
        ck_assert_uint_eq(claude_request.unconfined.count, 0);
    }
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        LAUNCH("-p", texts[k]);
        ck_assert_msg(claude_request.vendor_refuses == NULL, "%s", texts[k]);
        ck_assert_uint_eq(claude_request.unconfined.count, 0);
    }
    LAUNCH("-p", "--", "/c");
    ck_assert_ptr_nonnull(claude_request.vendor_refuses);
}
END_TEST

START_TEST(of_efforts_that_may_hold_the_lowest_counts)
{
    claude_set_file("/u", ROLE_USER,
                    "{\"env\":{\"CLAUDE_CODE_EFFORT_LEVEL\":\"max\"},\"sandbox\":{\"enabled\":\"true\"}}");
    LAUNCH("-p", "--effort", "low", "hi");
    ck_assert_str_eq(claude_request.effort, "low");
    ck_assert_ptr_null(claude_request.effort_source);
    LAUNCH("-p", "hi");
    ck_assert_ptr_null(claude_request.effort);
    change_file(0, "{\"env\":{\"CLAUDE_CODE_EFFORT_LEVEL\":3}}"); /* taken for "3" */
    LAUNCH("-p", "--effort", "max", "hi");
    ck_assert_ptr_null(claude_request.effort);
    change_file(0, "{\"env\":{\"CLAUDE_CODE_EFFORT_LEVEL\":\"low\"},\"sandbox\":{\"enabled\":\"true\"}}");
    LAUNCH("-p", "--effort", "max", "hi");
    ck_assert_str_eq(claude_request.effort, "low");
    ck_assert_ptr_nonnull(strstr(claude_request.effort_source, "/u"));
}
END_TEST

START_TEST(an_inherited_plan_holds_when_nothing_else_names_a_mode)
{
    LAUNCH("-p", "--inherit-permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
    LAUNCH("-p", "--inherit-permission-mode", "plan", "--inherit-permission-mode", "dontAsk", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--inherit-permission-mode", "plan", "--permission-mode", "default", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--inherit-permission-mode", "plan", "--dangerously-skip-permissions", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_set_file("/u", ROLE_USER, "{\"permissions\":{\"defaultMode\":\"acceptEdits\"}}");
    LAUNCH("-p", "--inherit-permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    change_file(0, "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    LAUNCH("-p", "--inherit-permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
}
END_TEST

START_TEST(a_sandbox_in_a_file_is_workspace_write_and_does_not_bound_bypass)
{
    claude_set_file("/u", ROLE_USER, "{\"sandbox\":{\"enabled\":true}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(claude_access(), "workspace-write");
    LAUNCH("-p", "--dangerously-skip-permissions", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--settings", "{\"sandbox\":{\"enabled\":false}}", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
    LAUNCH("-p", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(claude_access(), "read-only");
}
END_TEST

START_TEST(an_opened_sandbox_does_not_bound_bypass)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings",
           "{\"sandbox\":{\"enabled\":true,\"excludedCommands\":[\"touch:*\"]}}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    claude_spell(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings",
           "{\"sandbox\":{\"enabled\":true,\"filesystem\":{\"disabled\":true}}}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--add-dir", "/", "--settings", "{\"sandbox\":{\"enabled\":true}}", "--", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--settings",
           "{\"permissions\":{\"allow\":[\"Edit(//**)\"]},\"sandbox\":{\"enabled\":true}}", "hi");
    ck_assert_str_eq(claude_access(), "full-access");
    LAUNCH("-p", "--add-dir", "/var/tmp", "--settings", "{\"sandbox\":{\"enabled\":true}}", "--", "hi");
    ck_assert_str_eq(claude_access(), "workspace-write");
    LAUNCH("-p", "--add-dir", "/", "--", "hi");
    ck_assert_str_eq(claude_access(), "unspecified");
}
END_TEST

START_TEST(effort_words_are_read_as_the_cli_reads_them)
{
    static const struct {
        const char *variable, *option, *effort;
    } cases[] = {
        {"CLAUDE_CODE_EFFORT_LEVEL= HIGH ", "low", "high"},
        {"CLAUDE_CODE_EFFORT_LEVEL=bogus", "low", "low"},
        {"CLAUDE_CODE_EFFORT_LEVEL=auto", "max", NULL},
        {"CLAUDE_CODE_EFFORT_LEVEL=unset", "max", NULL},
        {"CLAUDE_CODE_EFFORT_LEVEL=50", "max", NULL},
        {"CLAUDE_CODE_EFFORT_LEVEL=", "max", "max"},
        {"X=", "MAX", "max"},
        {"X=", "ultra", "ultra"},
    };

    claude_set_env("X=");
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        claude_environment[0] = mem_strdup(claude_mem, cases[k].variable);
        LAUNCH("-p", "--effort", cases[k].option, "hi");
        if (cases[k].effort == NULL)
            ck_assert_ptr_null(claude_request.effort);
        else
            ck_assert_str_eq(claude_request.effort, cases[k].effort);
    }
}
END_TEST

START_TEST(a_cap_in_settings_lowers_the_effort)
{
    claude_set_file("/u", ROLE_USER, "{\"maxEffortLevel\":\"low\"}");
    LAUNCH("-p", "--effort", "max", "hi");
    ck_assert_str_eq(claude_request.effort, "low");
    ck_assert_ptr_nonnull(strstr(claude_request.effort_source, "/u"));
}
END_TEST

START_TEST(settings_can_refuse_bypass)
{
    LAUNCH("-p", "--settings", "{\"permissions\":{\"disableBypassPermissionsMode\":\"disable\"}}", "hi");
    ck_assert_ptr_nonnull(claude_request.vendor_refuses);
    LAUNCH("-p", "--settings", "{\"env\":{\"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB\":\"1\"}}", "hi");
    ck_assert_ptr_nonnull(claude_request.vendor_refuses);
    LAUNCH("-p", "--settings", "{}", "hi");
    ck_assert_ptr_null(claude_request.vendor_refuses);
}
END_TEST

START_TEST(endpoints_are_named)
{
    claude_set_env("ANTHROPIC_BASE_URL=http://127.0.0.1:1");
    claude_set_file("/p", ROLE_PROJECT, "{\"env\":{\"CLAUDE_CODE_USE_BEDROCK\":\"1\"}}");
    LAUNCH("-p", "hi");
    ck_assert(strings_has(&claude_request.endpoints, "ANTHROPIC_BASE_URL"));
    ck_assert(strings_has(&claude_request.endpoints, "CLAUDE_CODE_USE_BEDROCK"));
    ck_assert_uint_eq(claude_request.endpoints.count, 2);
}
END_TEST

START_TEST(only_access_model_and_effort_are_public)
{
    LAUNCH("-p", "--permission-mode", "plan", "--model", "x", "--effort", "low", "--settings", "{}",
           "--append-system-prompt", "s", "--allowedTools=Read", "hi");
    for (size_t k = 0; k < claude_invocation.command.noptions; k++) {
        const struct option_spec *o = claude_invocation.command.options[k].spec;
        bool public = o->id == OPTION_MODE || o->id == OPTION_MODEL || o->id == OPTION_EFFORT;

        ck_assert_int_eq(adapter_claude.public_value(o, "x"), public);
    }
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("claude");
    TCase *t = tcase_create("rules");
    SRunner *sr;
    int failed;

    tcase_add_checked_fixture(t, claude_setup, claude_teardown);
    tcase_add_test(t, plain_asks_nothing);
    tcase_add_test(t, bypass_contradicts_plan);
    tcase_add_test(t, scrubbing_is_refused_by_the_cli);
    tcase_add_test(t, root_needs_is_sandbox);
    tcase_add_test(t, the_body_of_requests_names_the_model);
    tcase_add_loop_test(t, a_body_counts_for_what_it_says, 0, sizeof bodies / sizeof *bodies);
    tcase_add_test(t, available_models_limit_the_model);
    tcase_add_test(t, a_prompt_that_runs_a_command_may_do_anything);
    tcase_add_test(t, fallback_models_are_named);
    tcase_add_test(t, classes);
    tcase_add_test(t, print_makes_a_subcommand_a_prompt);
    tcase_add_test(t, last_of_duplicate_keys_counts);
    tcase_add_test(t, last_settings_counts_whole);
    tcase_add_test(t, user_settings_can_turn_bypass_on_and_project_settings_cannot);
    tcase_add_test(t, effort_has_an_order);
    tcase_add_test(t, modes_that_the_cli_rejects_are_malformed);
    tcase_add_test(t, of_weaker_modes_the_last_counts);
    tcase_add_test(t, every_bypass_spelling_counts);
    tcase_add_test(t, unknown_options_are_told);
    tcase_add_test(t, values_are_taken_as_the_cli_takes_them);
    tcase_add_test(t, what_follows_an_unknown_option_is_no_subcommand);
    tcase_add_test(t, sessions_that_others_steer_are_servers);
    tcase_add_test(t, fixed_commands_ask_nothing);
    tcase_add_test(t, settings_files_are_named);
    tcase_add_test(t, another_file_is_the_users_under_cowork);
    tcase_add_test(t, a_file_that_cannot_be_read_asks_what_it_may_hide);
    tcase_add_test(t, default_modes_of_several_files);
    tcase_add_test(t, a_document_that_may_be_ignored_hides_nothing);
    tcase_add_test(t, a_sandbox_that_may_be_ignored_does_not_bound_bypass);
    tcase_add_test(t, of_efforts_that_may_hold_the_lowest_counts);
    tcase_add_test(t, an_inherited_plan_holds_when_nothing_else_names_a_mode);
    tcase_add_test(t, a_sandbox_in_a_file_is_workspace_write_and_does_not_bound_bypass);
    tcase_add_test(t, an_opened_sandbox_does_not_bound_bypass);
    tcase_add_test(t, effort_words_are_read_as_the_cli_reads_them);
    tcase_add_test(t, a_cap_in_settings_lowers_the_effort);
    tcase_add_test(t, settings_can_refuse_bypass);
    tcase_add_test(t, endpoints_are_named);
    tcase_add_test(t, only_access_model_and_effort_are_public);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
