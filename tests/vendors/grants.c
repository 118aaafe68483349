/* Real sessions whose shell tool launches a real worker under an enabling policy: what the session holds decides what the worker
 * gets. The outer session is started plainly, as a user does; the preload is named by the command that its tool runs. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

/* Outer sessions. The one in workspace-write gets what a worker inside needs to come up at all: the network, and a home that can be
 * written. */
#define CODEX_FULL "codex exec --yolo 'say mock:outer'"
#define CODEX_WORKSPACE                                                                                      \
    "codex exec -s workspace-write -c sandbox_workspace_write.network_access=true --add-dir "                \
    "$TOP/home/.codex "                                                                                      \
    "--add-dir $TOP/home/.claude 'say mock:outer'"
#define CLAUDE_BYPASS  "claude -p --permission-mode bypassPermissions 'say mock:outer'"
#define CLAUDE_DEFAULT "claude -p 'say mock:outer'"

/* Its transcript ends with the bypass until the CLI has written more, which takes longer than the first command. */
#define CLAUDE_RESUMED                                                                                       \
    "claude -p --permission-mode bypassPermissions --session-id 5df275c9-5a47-4ba9-a8d7-c343ad7df2bd hello " \
    "&& claude -p --resume 5df275c9-5a47-4ba9-a8d7-c343ad7df2bd 'say mock:outer'"

/* Workers. claude's asks for the bypass, since there is no sandbox in its default mode to be measured. */
#define CODEX_WORKER  "codex exec -m gpt-5.1-codex -c model_reasoning_effort=high"
#define CLAUDE_WORKER "claude -p --dangerously-skip-permissions --model claude-opus-4-5 --effort high"

enum worker { FREE, CONFINED, UNABLE };

/* One launch: outer session, worker, policy (NULL: none), what the worker can do, and the journal. */
static void
expect(const char *outer, const char *worker, const char *policy, bool allow, enum worker can,
       const char *journal)
{
    struct world w;
    struct outcome o;
    char *script = format("{ \"outer\": [ \"sh $TOP/bin/launch %s 'say mock:worker'\" ], \"worker\": [ \"sh "
                          "$TOP/bin/probe\" ] }",
                          worker);
    world_open(&w, script);
    free(script);
    if (policy != NULL)
        world_policy(&w, policy, allow);
    world_type(&w, outer, &o);
    char *said = world_answer(&w, "outer", 1);
    ck_assert_msg(o.status == 0 && said != NULL, "%s: exit %d\n%s%s", outer, o.status, o.out, o.err);
    assert_journal(&w, journal);
    if (can == FREE) {
        assert_free(&w, "worker", 1);
    } else if (can == CONFINED) {
        assert_confined(&w, "worker", 1);
    } else { /* its shells do not start inside the outer sandbox, which holds it */
        ck_assert_msg(strstr(said, "NoNewPrivs:\t1") != NULL, "%s", said);
        ck_assert(!world_has(&w, "outside/mark"));
    }
    assert_shown(&w, NULL);
    free(said);
    outcome_free(&o);
    world_close(&w);
}

#define PARENT(state, adapters) "run.start\nworker_access.parent " state " " adapters "\n"
#define CODEX(result)           "agent.start a1 codex unspecified -> " result ", under -\n"
#define CLAUDE(result)          "agent.start a1 claude-code full-access -> " result ", under -\n"

START_TEST(codex_under_full_codex_is_granted)
{
    expect(CODEX_FULL, CODEX_WORKER, world_enabling_policy, true, FREE,
           PARENT("full-access", "codex") CODEX("full-access qualified"));
}
END_TEST

START_TEST(claude_under_bypassing_claude_is_granted)
{
    expect(CLAUDE_BYPASS, CLAUDE_WORKER, world_enabling_policy, true, FREE,
           PARENT("full-access", "claude-code") CLAUDE("full-access qualified"));
}
END_TEST

START_TEST(claude_under_full_codex_is_granted)
{
    expect(CODEX_FULL, CLAUDE_WORKER, world_enabling_policy, true, FREE,
           PARENT("full-access", "codex") CLAUDE("full-access qualified"));
}
END_TEST

START_TEST(codex_under_bypassing_claude_is_granted)
{
    expect(CLAUDE_BYPASS, CODEX_WORKER, world_enabling_policy, true, FREE,
           PARENT("full-access", "claude-code") CODEX("full-access qualified"));
}
END_TEST

/* A claude that names no access is widened like a codex: it needs no --dangerously-skip-permissions of its own. */
START_TEST(claude_that_asks_nothing_is_granted)
{
    expect(CODEX_FULL, "claude -p --model claude-opus-4-5 --effort max", world_enabling_policy, true, FREE,
           PARENT("full-access",
                  "codex") "agent.start a1 claude-code unspecified -> full-access qualified, under -\n");
}
END_TEST

/* The place cannot be written from inside that sandbox: the records are in the spool. */
#define SPOOLED(adapters) "spool run.start\nspool worker_access.parent sandboxed " adapters "\n"

START_TEST(codex_under_sandboxed_codex_is_not)
{
    expect(
        CODEX_WORKSPACE, CODEX_WORKER, world_enabling_policy, true, UNABLE,
        SPOOLED(
            "codex") "spool agent.start s1 codex unspecified -> vendor-default parent_sandboxed, under -\n");
}
END_TEST

/* One that asks for the bypass does not start there as root: it is narrowed to a sandbox that cannot be nested. */
START_TEST(claude_under_sandboxed_codex_is_not)
{
    expect(CODEX_WORKSPACE, "claude -p --model claude-opus-4-5 --effort high", world_enabling_policy, true,
           CONFINED,
           SPOOLED("codex") "spool agent.start s1 claude-code unspecified -> vendor-default "
                            "parent_sandboxed, under -\n");
}
END_TEST

START_TEST(claude_under_default_claude_is_not)
{
    expect(CLAUDE_DEFAULT, CLAUDE_WORKER, world_enabling_policy, true, CONFINED,
           PARENT("sandboxed", "claude-code") CLAUDE("workspace-write parent_sandboxed"));
}
END_TEST

START_TEST(claude_under_a_claude_that_is_resumed_in_default_is_not)
{
    expect(CLAUDE_RESUMED, CLAUDE_WORKER, world_enabling_policy, true, CONFINED,
           PARENT("sandboxed", "claude-code") CLAUDE("workspace-write parent_sandboxed"));
}
END_TEST

START_TEST(codex_under_default_claude_is_not)
{
    expect(CLAUDE_DEFAULT, CODEX_WORKER, world_enabling_policy, true, CONFINED,
           PARENT("sandboxed", "claude-code") CODEX("vendor-default parent_sandboxed"));
}
END_TEST

START_TEST(a_codex_model_that_is_not_listed_is_not)
{
    expect(CODEX_FULL, "codex exec -m gpt-5.1 -c model_reasoning_effort=high", world_enabling_policy, true,
           CONFINED, "run.start\n" CODEX("vendor-default model_not_listed"));
}
END_TEST

START_TEST(a_claude_model_that_is_not_listed_is_not)
{
    expect(CLAUDE_BYPASS, "claude -p --dangerously-skip-permissions --model sonnet --effort high",
           world_enabling_policy, true, CONFINED, "run.start\n" CLAUDE("workspace-write model_not_listed"));
}
END_TEST

START_TEST(a_codex_effort_below_the_floor_is_not)
{
    expect(CODEX_FULL, "codex exec -m gpt-5.1-codex -c model_reasoning_effort=medium", world_enabling_policy,
           true, CONFINED, "run.start\n" CODEX("vendor-default effort_below_floor"));
}
END_TEST

START_TEST(a_claude_effort_below_the_floor_is_not)
{
    expect(CLAUDE_BYPASS, "claude -p --dangerously-skip-permissions --model claude-opus-4-5 --effort medium",
           world_enabling_policy, true, CONFINED, "run.start\n" CLAUDE("workspace-write effort_below_floor"));
}
END_TEST

START_TEST(codex_without_a_policy_is_not)
{
    expect(CODEX_FULL, CODEX_WORKER, NULL, false, CONFINED, "run.start\n" CODEX("vendor-default disabled"));
}
END_TEST

START_TEST(claude_without_a_policy_is_not)
{
    expect(CLAUDE_BYPASS, CLAUDE_WORKER, NULL, false, CONFINED,
           "run.start\n" CLAUDE("workspace-write disabled"));
}
END_TEST

START_TEST(a_policy_that_the_host_did_not_allow_is_none)
{
    expect(CODEX_FULL, CODEX_WORKER, world_enabling_policy, false, CONFINED,
           "run.start\n" CODEX("vendor-default policy_not_allowed"));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("real workers under real sessions");
    TCase *t = tcase_create("grants");
    tcase_set_timeout(t, 400);
    tcase_add_test(t, codex_under_full_codex_is_granted);
    tcase_add_test(t, claude_under_bypassing_claude_is_granted);
    tcase_add_test(t, claude_under_full_codex_is_granted);
    tcase_add_test(t, codex_under_bypassing_claude_is_granted);
    tcase_add_test(t, claude_that_asks_nothing_is_granted);
    tcase_add_test(t, codex_under_sandboxed_codex_is_not);
    tcase_add_test(t, claude_under_sandboxed_codex_is_not);
    tcase_add_test(t, claude_under_default_claude_is_not);
    tcase_add_test(t, claude_under_a_claude_that_is_resumed_in_default_is_not);
    tcase_add_test(t, codex_under_default_claude_is_not);
    tcase_add_test(t, a_codex_model_that_is_not_listed_is_not);
    tcase_add_test(t, a_claude_model_that_is_not_listed_is_not);
    tcase_add_test(t, a_codex_effort_below_the_floor_is_not);
    tcase_add_test(t, a_claude_effort_below_the_floor_is_not);
    tcase_add_test(t, codex_without_a_policy_is_not);
    tcase_add_test(t, claude_without_a_policy_is_not);
    tcase_add_test(t, a_policy_that_the_host_did_not_allow_is_none);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
