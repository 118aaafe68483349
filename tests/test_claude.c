/* The Claude Code adapter: every rule of its chapter, and every surprise of the real CLI (2.1.332 unless another
 * version is named). */
#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "shim/adapters/adapter.h"
#include "shim/adapters/claude_config.h"
#include "shim/adapters/claude_table.h"
#include "shim/adapters/claude_tools.h"
#include "shim/decide/decision.h"

#define HELD "{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,\"allowUnsandboxedCommands\":false}}"

static struct mem *m;
static struct invocation i;
static struct request r;
static struct rendered out;
static char *environment[8];
static struct config_file files[8];
static struct strings read_allow, read_deny;

static void
setup(void)
{
    m = mem_new();
    memset(&i, 0, sizeof(i));
    memset(environment, 0, sizeof(environment));
    memset(files, 0, sizeof(files));
    memset(&read_allow, 0, sizeof(read_allow));
    memset(&read_deny, 0, sizeof(read_deny));
    i.envp = environment;
    i.uid = 1000;
    i.home = "/home/user";
    i.cwd = i.project = "/home/user/project";
    i.files = files;
}

static void
teardown(void)
{
    mem_free(m);
}

static void
set_env(const char *entry)
{
    size_t n = 0;

    while (environment[n] != NULL)
        n++;
    environment[n] = mem_strdup(m, entry);
}

static void
set_file(const char *path, int role, const char *text)
{
    files[i.nfiles++] =
        (struct config_file){.path = path, .role = role, .text = text, .length = strlen(text)};
}

/* Reads a command line: its words, the last one NULL. */
static void
read_argv(char **argv)
{
    size_t argc = 0;

    while (argv[argc] != NULL)
        argc++;
    command_parse(m, &claude_grammar, argv, argc, 1, &i.command);
    memset(&r, 0, sizeof(r));
    adapter_claude.request(m, &i, &r);
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
launch(const char *first, ...)
{
    va_list ap;

    va_start(ap, first);
    read_argv(words(ap, first));
    va_end(ap);
}
#define LAUNCH(...) launch("claude", __VA_ARGS__, (const char *)NULL)

static const char *
access_of(void)
{
    const char *detail = NULL;

    request_resolve(m, &r, &detail);
    return access_word(r.access);
}

static const char *
class_of(void)
{
    return class_word(adapter_claude.classify(m, &i.command));
}

/* Renders what was launched. */
static void
render(enum projection p, bool narrowed)
{
    struct rendering how = {.projection = p,
                            .granted = p == PROJECTION_FULL,
                            .narrowed = narrowed,
                            .read_allow = &read_allow,
                            .read_deny = &read_deny};

    adapter_claude.render(m, &i, &r, &how, &out);
}

static void
is_argv(const char *first, ...)
{
    va_list ap;
    char **want;
    size_t n = 0;

    ck_assert_int_eq(out.refusal, REFUSAL_NONE);
    va_start(ap, first);
    want = words(ap, first);
    va_end(ap);
    for (; want[n] != NULL; n++) {
        ck_assert_msg(out.argv[n] != NULL, "word %zu: want '%s', nothing there", n, want[n]);
        ck_assert_msg(strcmp(want[n], out.argv[n]) == 0, "word %zu: want '%s', got '%s'", n, want[n],
                      out.argv[n]);
    }
    ck_assert_msg(out.argv[n] == NULL, "word %zu too many: '%s'", n, out.argv[n]);
    ck_assert_uint_eq(out.argc, n);
}
#define IS(...) is_argv("claude", __VA_ARGS__, (const char *)NULL)

/* Renders the rendering again, which must change nothing. */
static void
stays(enum projection p)
{
    char **first = out.argv;
    size_t n = 0;

    read_argv(first);
    render(p, false);
    ck_assert_int_eq(out.refusal, REFUSAL_NONE);
    for (; first[n] != NULL && out.argv[n] != NULL; n++)
        ck_assert_msg(strcmp(first[n], out.argv[n]) == 0, "word %zu: '%s', again '%s'", n, first[n],
                      out.argv[n]);
    ck_assert(first[n] == NULL && out.argv[n] == NULL);
}

/* Launch cases. */

START_TEST(bypass_is_narrowed)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "hi");
    ck_assert_str_eq(access_of(), "full-access");
    render(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    ck_assert_str_eq(out.needs[0].name, "bwrap");
    ck_assert_str_eq(out.needs[1].name, "socat");
    stays(PROJECTION_WORKSPACE_WRITE);
    ck_assert_str_eq(access_of(), "workspace-write");
    ck_assert_int_eq(adapter_claude.enforcement(&r, PROJECTION_WORKSPACE_WRITE), ENFORCED_VENDOR);
}
END_TEST

START_TEST(allowing_bypass_is_full_access)
{
    LAUNCH("-p", "--allow-dangerously-skip-permissions", "hi");
    ck_assert_str_eq(access_of(), "full-access");
    render(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
}
END_TEST

START_TEST(plain_asks_nothing)
{
    LAUNCH("-p", "hi");
    ck_assert_str_eq(access_of(), "unspecified");
    ck_assert_str_eq(class_of(), "session");
    ck_assert(!r.interactive);
    ck_assert_int_eq(adapter_claude.enforcement(&r, PROJECTION_VENDOR_DEFAULT), ENFORCED_APPROVALS);
    LAUNCH("hi");
    ck_assert(r.interactive);
}
END_TEST

START_TEST(plan_is_read_only_and_stays)
{
    LAUNCH("-p", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(access_of(), "read-only");
    render(PROJECTION_READ_ONLY, false);
    IS("-p", "--permission-mode", "plan", "hi");
    ck_assert_int_eq(adapter_claude.enforcement(&r, PROJECTION_READ_ONLY), ENFORCED_APPROVALS);
    LAUNCH("-p", "--permission-mode=plan", "hi");
    render(PROJECTION_READ_ONLY, false);
    IS("-p", "--permission-mode=plan", "hi");
}
END_TEST

START_TEST(bypass_in_a_sandbox_is_workspace_write)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", "{\"sandbox\":{\"enabled\":true}}", "hi");
    ck_assert_str_eq(access_of(), "workspace-write");
    render(PROJECTION_WORKSPACE_WRITE, false);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(narrowing_drops_allow_lists_and_roots)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--allowedTools", "Bash", "--add-dir", "/a", "/b", "--",
           "hi");
    render(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "--", "hi");
}
END_TEST

START_TEST(bypass_contradicts_plan)
{
    LAUNCH("-p", "--permission-mode", "plan", "--dangerously-skip-permissions", "hi");
    ck_assert_str_eq(access_of(), "contradictory");
    LAUNCH("-p", "--dangerously-skip-permissions", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(access_of(), "contradictory");
    LAUNCH("-p", "--permission-mode", "bypassPermissions", "--permission-mode", "plan", "hi");
    ck_assert_str_eq(access_of(), "contradictory");
}
END_TEST

START_TEST(full_access_is_spelled_in_front)
{
    LAUNCH("-p", "--model", "claude-opus-4-5", "--effort", "max", "hi");
    ck_assert_str_eq(r.model, "claude-opus-4-5");
    ck_assert_str_eq(r.effort, "max");
    render(PROJECTION_FULL, false);
    IS("--permission-mode", "bypassPermissions", "--settings", "{\"sandbox\":{\"enabled\":false}}", "-p",
       "--model", "claude-opus-4-5", "--effort", "max", "hi");
    ck_assert(out.needs == NULL);
    stays(PROJECTION_FULL);
    ck_assert_str_eq(access_of(), "full-access");
    ck_assert_int_eq(adapter_claude.enforcement(&r, PROJECTION_FULL), ENFORCED_NONE);
}
END_TEST

START_TEST(default_mode_in_settings_asks_full_access)
{
    LAUNCH("-p", "--settings", "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}", "hi");
    ck_assert_str_eq(access_of(), "full-access");
    render(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings",
       "{\"permissions\":{},\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,"
       "\"allowUnsandboxedCommands\":false}}",
       "-p", "hi");
    stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(scrubbing_is_refused_by_the_cli)
{
    LAUNCH("-p", "hi");
    ck_assert(r.vendor_refuses == NULL);
    set_env("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=1");
    LAUNCH("-p", "hi");
    ck_assert(r.vendor_refuses != NULL);
    environment[0] = mem_strdup(m, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB=0");
    LAUNCH("-p", "hi");
    ck_assert(r.vendor_refuses == NULL);
}
END_TEST

START_TEST(root_needs_is_sandbox)
{
    i.uid = 0;
    LAUNCH("-p", "hi");
    ck_assert(r.vendor_refuses != NULL);
    set_env("IS_SANDBOX=yes");
    LAUNCH("-p", "hi");
    ck_assert(r.vendor_refuses != NULL);
    environment[0] = mem_strdup(m, "IS_SANDBOX=1");
    LAUNCH("-p", "hi");
    ck_assert(r.vendor_refuses == NULL);
}
END_TEST

START_TEST(fallback_models_are_named)
{
    LAUNCH("-p", "--fallback-model", "a,b", "hi");
    ck_assert_uint_eq(r.fallbacks.count, 2);
    ck_assert_str_eq(r.fallbacks.items[1], "b");
}
END_TEST

START_TEST(classes)
{
    LAUNCH("mcp", "list");
    ck_assert_str_eq(class_of(), "admin");
    LAUNCH("mcp", "serve");
    ck_assert_str_eq(class_of(), "server");
    LAUNCH("--version");
    ck_assert_str_eq(class_of(), "admin");
    LAUNCH("-p", "--help");
    ck_assert_str_eq(class_of(), "admin");
    LAUNCH("--bg", "hi");
    ck_assert_str_eq(class_of(), "server");
    LAUNCH("--bg-pty-host", "x");
    ck_assert_str_eq(class_of(), "helper");
}
END_TEST

/* Its program declares no subcommands when -p stands there as a word of its own, wherever. */
START_TEST(print_makes_a_subcommand_a_prompt)
{
    LAUNCH("-p", "update", "--permission-mode", "bypassPermissions");
    ck_assert_str_eq(class_of(), "session");
    ck_assert_str_eq(access_of(), "full-access");
    LAUNCH("mcp", "-p", "--dangerously-skip-permissions");
    ck_assert_str_eq(class_of(), "session");
    ck_assert_str_eq(access_of(), "full-access");
    LAUNCH("-pc", "mcp", "list");
    ck_assert_str_eq(class_of(), "admin");
}
END_TEST

/* Settings. */

START_TEST(merge_keeps_what_it_does_not_change)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings",
           "{ \"big\": 12345678901234567890.10, \"sandbox\": {\"network\": {\"a\": [1, 2]}, \"enabled\": "
           "false}, \"s\": \"a  \\\" }\" }",
           "hi");
    ck_assert_str_eq(access_of(), "full-access");
    render(PROJECTION_WORKSPACE_WRITE, true);
    IS("--permission-mode", "acceptEdits", "--settings",
       "{\"big\":12345678901234567890.10,\"sandbox\":{\"network\":{\"a\":[1,2]},\"enabled\":true,"
       "\"failIfUnavailable\":true,"
       "\"allowUnsandboxedCommands\":false},\"s\":\"a  \\\" }\"}",
       "-p", "hi");
    stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(last_of_duplicate_keys_counts)
{
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings",
           "{\"sandbox\":{\"enabled\":true},\"sandbox\":{\"enabled\":false,\"enabled\":false}}", "hi");
    ck_assert_str_eq(access_of(), "full-access");
    LAUNCH("-p", "--settings", "{\"permissions\":{},\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}",
           "hi");
    ck_assert_str_eq(access_of(), "full-access");
}
END_TEST

START_TEST(last_settings_counts_whole)
{
    LAUNCH("-p", "--settings", "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}", "--settings",
           "{\"model\":\"x\"}", "hi");
    ck_assert_str_eq(access_of(), "unspecified");
}
END_TEST

START_TEST(unreadable_settings_ask_full_access_and_are_refused)
{
    LAUNCH("-p", "--settings", "nowhere.json", "hi");
    ck_assert_str_eq(access_of(), "full-access");
    render(PROJECTION_WORKSPACE_WRITE, true);
    ck_assert_int_eq(out.refusal, REFUSAL_SETTINGS_UNREADABLE);
    ck_assert(out.detail != NULL);
    LAUNCH("-p", "--settings", "{\"a\":}", "hi");
    ck_assert_str_eq(access_of(), "full-access");
    LAUNCH("-p", "--settings", "{\"sandbox\\u0000\":{}}", "hi");
    ck_assert_str_eq(access_of(), "full-access");
}
END_TEST

START_TEST(settings_file_is_merged_in)
{
    struct config_list list = {NULL, 0, 0};

    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", "a/b.json", "hi");
    adapter_claude.config(m, &i, &list);
    ck_assert_str_eq(list.files[3].path, "/home/user/project/a/b.json");
    set_file(list.files[3].path, list.files[3].role, "{\"sandbox\":{\"enabled\":true}}");
    LAUNCH("-p", "--dangerously-skip-permissions", "--settings", "a/b.json", "hi");
    ck_assert_str_eq(access_of(), "workspace-write");
    render(PROJECTION_WORKSPACE_WRITE, false);
    IS("--permission-mode", "acceptEdits", "--settings", HELD, "-p", "hi");
    stays(PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(user_settings_can_turn_bypass_on_and_project_settings_cannot)
{
    set_file("/home/user/.claude/settings.json", ROLE_USER,
             "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}");
    LAUNCH("-p", "hi");
    ck_assert_str_eq(access_of(), "full-access");
    ck_assert_str_eq(r.sources[0].file, "/home/user/.claude/settings.json");
    LAUNCH("-p", "--permission-mode", "default", "hi");
    ck_assert_str_eq(access_of(), "unspecified");
    files[0].role = ROLE_PROJECT;
    LAUNCH("-p", "hi");
    ck_assert_str_eq(access_of(), "unspecified");
}
END_TEST

START_TEST(effort_has_an_order)
{
    set_env("CLAUDE_CODE_EFFORT_LEVEL=low");
    LAUNCH("-p", "--effort", "max", "hi");
    ck_assert_str_eq(r.effort, "low");
    ck_assert_str_eq(r.effort_source, "CLAUDE_CODE_EFFORT_LEVEL");
    set_file("/home/user/project/.claude/settings.json", ROLE_PROJECT,
             "{\"env\":{\"CLAUDE_CODE_EFFORT_LEVEL\":\"medium\"}}");
    LAUNCH("-p", "--effort", "max", "hi");
    ck_assert_str_eq(r.effort, "medium");
    LAUNCH("-p", "--effort", "max", "--settings", "{\"env\":{\"CLAUDE_CODE_EFFORT_LEVEL\":\"high\"}}", "hi");
    ck_assert_str_eq(r.effort, "high");
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("claude");
    TCase *t = tcase_create("rules");
    SRunner *sr;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, bypass_is_narrowed);
    tcase_add_test(t, allowing_bypass_is_full_access);
    tcase_add_test(t, plain_asks_nothing);
    tcase_add_test(t, plan_is_read_only_and_stays);
    tcase_add_test(t, bypass_in_a_sandbox_is_workspace_write);
    tcase_add_test(t, narrowing_drops_allow_lists_and_roots);
    tcase_add_test(t, bypass_contradicts_plan);
    tcase_add_test(t, full_access_is_spelled_in_front);
    tcase_add_test(t, default_mode_in_settings_asks_full_access);
    tcase_add_test(t, scrubbing_is_refused_by_the_cli);
    tcase_add_test(t, root_needs_is_sandbox);
    tcase_add_test(t, fallback_models_are_named);
    tcase_add_test(t, classes);
    tcase_add_test(t, print_makes_a_subcommand_a_prompt);
    tcase_add_test(t, merge_keeps_what_it_does_not_change);
    tcase_add_test(t, last_of_duplicate_keys_counts);
    tcase_add_test(t, last_settings_counts_whole);
    tcase_add_test(t, unreadable_settings_ask_full_access_and_are_refused);
    tcase_add_test(t, settings_file_is_merged_in);
    tcase_add_test(t, user_settings_can_turn_bypass_on_and_project_settings_cannot);
    tcase_add_test(t, effort_has_an_order);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
