/* Real sessions below real sessions under one preload: who launched whom, what is no launch, and records from inside a sandbox. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

#define LISTED_CODEX  "codex exec -m gpt-5.1-codex -c model_reasoning_effort=high"
#define LISTED_CLAUDE "claude -p --model claude-opus-4-5 --effort high"

static void
type(struct world *w, const char *line)
{
    struct outcome o;
    world_type(w, line, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s%s", line, o.status, o.out, o.err);
    outcome_free(&o);
}

/* The preload is named once, in the outermost session's tool shell; every session passes it on. */
START_TEST(codex_claude_codex_granted_are_three_records_of_one_run)
{
    struct world w;
    world_open(&w, "{ \"outer\": [ \"sh $TOP/bin/launch " LISTED_CODEX " 'say mock:one'\" ],"
                   "  \"one\": [ \"" LISTED_CLAUDE " 'say mock:two' </dev/null\" ],"
                   "  \"two\": [ \"" LISTED_CODEX " 'say mock:three' </dev/null\" ],"
                   "  \"three\": [ \"sh $TOP/bin/probe\" ] }");
    world_policy(&w, world_enabling_policy, true);
    type(&w, "codex exec --yolo 'say mock:outer'");
    assert_journal(&w, "run.start\n"
                       "worker_access.parent full-access codex\n"
                       "agent.start a1 codex unspecified -> full-access qualified, under -\n"
                       "worker_access.parent full-access codex\n"
                       "agent.start a2 claude-code unspecified -> full-access qualified, under a1\n"
                       "worker_access.parent full-access codex,claude-code\n"
                       "agent.start a3 codex unspecified -> full-access qualified, under a2\n");
    assert_free(&w, "three", 1);
    assert_shown(&w, "a1", "a2", "a3", NULL);
    struct outcome tree;
    world_type(&w, "$HACCESS_LOG tree @1", &tree);
    ck_assert_msg(strstr(tree.out, "\n└─ a1  codex exec") != NULL &&
                      strstr(tree.out, "\n   └─ a2  claude -p") != NULL &&
                      strstr(tree.out, "\n      └─ a3  codex exec") != NULL,
                  "%s", tree.out);
    outcome_free(&tree);
    world_close(&w);
}
END_TEST

/* Observed, everything is as if haccess were not there, but for the records. */
START_TEST(codex_claude_codex_observed_are_three_records_of_one_run)
{
    struct world w;
    world_open(&w, "{ \"one\": [ \"claude -p --dangerously-skip-permissions 'say mock:two' </dev/null\" ],"
                   "  \"two\": [ \"codex exec --yolo 'say mock:three' </dev/null\" ],"
                   "  \"three\": [ \"sh $TOP/bin/probe\" ] }");
    world_policy(&w, "{ \"mode\": \"observe\" }\n", true);
    type(&w, "LD_PRELOAD=$LIB codex exec --yolo 'say mock:one'");
    assert_journal(&w,
                   "run.start\n"
                   "agent.start a1 codex full-access -> workspace-write disabled, observed, under -\n"
                   "agent.start a2 claude-code full-access -> workspace-write disabled, observed, under a1\n"
                   "agent.start a3 codex full-access -> workspace-write disabled, observed, under a2\n");
    assert_free(&w, "three", 1);
    assert_shown(&w, "a1", "a2", "a3", NULL);
    world_close(&w);
}
END_TEST

/* claude searches by executing itself under other names, from its shell functions too. */
START_TEST(claude_executing_itself_as_a_tool_is_no_launch)
{
    struct world w;
    world_open(&w, "{ \"probe\": [ \"rg --version\", \"find . -maxdepth 1\", \"grep -c main .git/HEAD\" ] }");
    type(&w, "LD_PRELOAD=$LIB claude -p 'say mock:probe'");
    char *rg = world_answer(&w, "probe", 1), *grep = world_answer(&w, "probe", 3);
    ck_assert_msg(rg != NULL && strstr(rg, "ripgrep") != NULL, "%s", rg);
    ck_assert_msg(grep != NULL && grep[0] == '1', "%s", grep);
    free(rg);
    free(grep);
    assert_journal(&w,
                   "run.start\nagent.start a1 claude-code unspecified -> vendor-default disabled, under -\n");
    world_close(&w);
}
END_TEST

START_TEST(a_sandboxed_bash_command_of_claude_is_no_launch)
{
    struct world w;
    world_open(&w, "{ \"probe\": [ \"sh $TOP/bin/probe\", \"sh $TOP/bin/probe\" ] }");
    type(&w, "LD_PRELOAD=$LIB claude -p --settings "
             "'{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true}}' 'say mock:probe'");
    assert_confined(&w, "probe", 1);
    assert_confined(&w, "probe", 2);
    assert_journal(
        &w, "run.start\nagent.start a1 claude-code workspace-write -> workspace-write disabled, under -\n");
    world_close(&w);
}
END_TEST

/* Below its home codex keeps links to itself by the names of its helpers. */
START_TEST(codex_executing_itself_as_apply_patch_is_no_launch)
{
    struct world w;
    world_open(&w, "{ \"probe\": [ \"env $TOP/home/.codex/tmp/arg0-linux/*/apply_patch "
                   "'*** Begin Patch\\n*** Add File: new\\n+line\\n*** End Patch'; cat new\" ] }");
    type(&w, "LD_PRELOAD=$LIB codex exec -s workspace-write 'say mock:probe'");
    char *answer = world_answer(&w, "probe", 1);
    ck_assert_msg(answer != NULL && strstr(answer, "line") != NULL && world_has(&w, "project/new"), "%s",
                  answer);
    free(answer);
    assert_journal(&w,
                   "run.start\nagent.start a1 codex workspace-write -> workspace-write disabled, under -\n");
    world_close(&w);
}
END_TEST

/* Narrowed, since a person's shell never qualifies; inside, neither codex's home nor the journal's place can be written. The worker
 * does not come up, but it is recorded. */
START_TEST(a_launch_inside_codexs_sandbox_is_recorded_and_shown)
{
    struct world w;
    world_open(&w, "{ \"outer\": [ \"" LISTED_CODEX " 'say mock:worker' </dev/null; true\" ] }");
    world_policy(&w, world_enabling_policy, true);
    type(&w, "LD_PRELOAD=$LIB codex exec --yolo 'say mock:outer'");
    assert_journal(&w,
                   "run.start\n"
                   "agent.start a1 codex full-access -> workspace-write model_unset, under -\n"
                   "spool run.start\n"
                   "spool worker_access.parent sandboxed codex\n"
                   "spool agent.start s1 codex unspecified -> vendor-default parent_sandboxed, under a1\n");
    assert_shown(&w, "a1", "s1", NULL);
    world_close(&w);
}
END_TEST

START_TEST(a_launch_inside_claudes_sandbox_is_recorded_and_shown)
{
    struct world w;
    world_open(&w, "{ \"outer\": [ \"sh $TOP/bin/launch " LISTED_CODEX " 'say mock:worker'\" ] }");
    world_policy(&w, world_enabling_policy, true);
    type(&w, "LD_PRELOAD=$LIB claude -p --dangerously-skip-permissions 'say mock:outer'");
    assert_journal(&w,
                   "run.start\n"
                   "agent.start a1 claude-code full-access -> workspace-write model_unset, under -\n"
                   "spool run.start\n"
                   "spool worker_access.parent sandboxed claude-code\n"
                   "spool agent.start s1 codex unspecified -> vendor-default parent_sandboxed, under a1\n");
    assert_shown(&w, "a1", "s1", NULL);
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("real sessions below real sessions");
    TCase *t = tcase_create("nested");
    tcase_set_timeout(t, 400);
    tcase_add_test(t, codex_claude_codex_granted_are_three_records_of_one_run);
    tcase_add_test(t, codex_claude_codex_observed_are_three_records_of_one_run);
    tcase_add_test(t, claude_executing_itself_as_a_tool_is_no_launch);
    tcase_add_test(t, a_sandboxed_bash_command_of_claude_is_no_launch);
    tcase_add_test(t, codex_executing_itself_as_apply_patch_is_no_launch);
    tcase_add_test(t, a_launch_inside_codexs_sandbox_is_recorded_and_shown);
    tcase_add_test(t, a_launch_inside_claudes_sandbox_is_recorded_and_shown);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
