/* The table of Claude Code's command line against what its --help lists. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/claude_launch.h"

START_TEST(the_table_knows_what_help_lists)
{
    static const struct {
        const char *command, *option;
        enum arity arity;
    } listed[] = {
        {"", "--add-dir", ARITY_MANY},
        {"", "--agent", ARITY_ONE},
        {"", "--agents", ARITY_ONE},
        {"", "--allow-dangerously-skip-permissions", ARITY_NONE},
        {"", "--allowedTools", ARITY_MANY},
        {"", "--allowed-tools", ARITY_MANY},
        {"", "--append-system-prompt", ARITY_ONE},
        {"", "--autocompact", ARITY_ONE},
        {"", "--ax-screen-reader", ARITY_NONE},
        {"", "--bg", ARITY_NONE},
        {"", "--background", ARITY_NONE},
        {"", "--bare", ARITY_NONE},
        {"", "--betas", ARITY_MANY},
        {"", "--brief", ARITY_NONE},
        {"", "--chrome", ARITY_NONE},
        {"", "--cloud", ARITY_OPTIONAL},
        {"", "-c", ARITY_NONE},
        {"", "--continue", ARITY_NONE},
        {"", "--dangerously-skip-permissions", ARITY_NONE},
        {"", "-d", ARITY_OPTIONAL},
        {"", "--debug", ARITY_OPTIONAL},
        {"", "--debug-file", ARITY_ONE},
        {"", "--desktop", ARITY_NONE},
        {"", "--disable-slash-commands", ARITY_NONE},
        {"", "--disallowedTools", ARITY_MANY},
        {"", "--disallowed-tools", ARITY_MANY},
        {"", "--effort", ARITY_ONE},
        {"", "--environment", ARITY_ONE},
        {"", "--exclude-dynamic-system-prompt-sections", ARITY_NONE},
        {"", "--fallback-model", ARITY_ONE},
        {"", "--file", ARITY_MANY},
        {"", "--fork-session", ARITY_NONE},
        {"", "--forward-subagent-text", ARITY_NONE},
        {"", "--from-pr", ARITY_OPTIONAL},
        {"", "-h", ARITY_NONE},
        {"", "--help", ARITY_NONE},
        {"", "--ide", ARITY_NONE},
        {"", "--include-hook-events", ARITY_NONE},
        {"", "--include-partial-messages", ARITY_NONE},
        {"", "--input-format", ARITY_ONE},
        {"", "--json-schema", ARITY_ONE},
        {"", "--max-budget-usd", ARITY_ONE},
        {"", "--mcp-config", ARITY_MANY},
        {"", "--model", ARITY_ONE},
        {"", "-n", ARITY_ONE},
        {"", "--name", ARITY_ONE},
        {"", "--no-chrome", ARITY_NONE},
        {"", "--no-session-persistence", ARITY_NONE},
        {"", "--output-format", ARITY_ONE},
        {"", "--permission-mode", ARITY_ONE},
        {"", "--permission-prompts", ARITY_ONE},
        {"", "--plugin-dir", ARITY_ONE},
        {"", "--plugin-url", ARITY_ONE},
        {"", "-p", ARITY_NONE},
        {"", "--print", ARITY_NONE},
        {"", "--prompt-suggestions", ARITY_OPTIONAL},
        {"", "--remote-control", ARITY_OPTIONAL},
        {"", "--remote-control-session-name-prefix", ARITY_ONE},
        {"", "--replay-user-messages", ARITY_NONE},
        {"", "--restricted", ARITY_NONE},
        {"", "-r", ARITY_OPTIONAL},
        {"", "--resume", ARITY_OPTIONAL},
        {"", "--safe-mode", ARITY_NONE},
        {"", "--session-id", ARITY_ONE},
        {"", "--setting-sources", ARITY_ONE},
        {"", "--settings", ARITY_ONE},
        {"", "--strict-mcp-config", ARITY_NONE},
        {"", "--system-prompt", ARITY_ONE},
        {"", "--system-prompt-snapshot", ARITY_ONE},
        {"", "--teleport", ARITY_OPTIONAL},
        {"", "--tmux", ARITY_NONE},
        {"", "--tools", ARITY_MANY},
        {"", "--verbose", ARITY_NONE},
        {"", "-v", ARITY_NONE},
        {"", "--version", ARITY_NONE},
        {"", "-w", ARITY_OPTIONAL},
        {"", "--worktree", ARITY_OPTIONAL},
        {"agents", "--add-dir", ARITY_ONE},
        {"agents", "--agent", ARITY_ONE},
        {"agents", "--all", ARITY_NONE},
        {"agents", "--allow-dangerously-skip-permissions", ARITY_NONE},
        {"agents", "--cwd", ARITY_ONE},
        {"agents", "--dangerously-skip-permissions", ARITY_NONE},
        {"agents", "--effort", ARITY_ONE},
        {"agents", "-h", ARITY_NONE},
        {"agents", "--help", ARITY_NONE},
        {"agents", "--json", ARITY_NONE},
        {"agents", "--mcp-config", ARITY_ONE},
        {"agents", "--model", ARITY_ONE},
        {"agents", "--permission-mode", ARITY_ONE},
        {"agents", "--plugin-dir", ARITY_ONE},
        {"agents", "--restricted", ARITY_NONE},
        {"agents", "--setting-sources", ARITY_ONE},
        {"agents", "--settings", ARITY_ONE},
        {"agents", "--strict-mcp-config", ARITY_NONE},
    };

    for (size_t k = 0; k < sizeof(listed) / sizeof(listed[0]); k++) {
        struct strings list = {NULL, 0, 0};
        char *rest = mem_strdup(claude_mem, listed[k].command);

        strings_add(claude_mem, &list, mem_strdup(claude_mem, "claude"));
        for (char *w = strtok(rest, " "); w != NULL; w = strtok(NULL, " "))
            strings_add(claude_mem, &list, w);
        strings_add(claude_mem, &list, mem_strdup(claude_mem, listed[k].option));
        claude_read_argv(list.items);
        ck_assert_msg(claude_invocation.command.unknown == 0 && claude_invocation.command.noptions == 1,
                      "%s %s", listed[k].command, listed[k].option);
        ck_assert_msg(claude_invocation.command.options[0].spec->arity == listed[k].arity, "%s %s",
                      listed[k].command, listed[k].option);
    }
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("claude table");
    TCase *t = tcase_create("rules");
    SRunner *sr;
    int failed;

    tcase_add_checked_fixture(t, claude_setup, claude_teardown);
    tcase_add_test(t, the_table_knows_what_help_lists);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
