/* The real gemini: one record a launch, and what its access is with and without a grant. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

#define PROBE "\"probe\": [ \"sh $TOP/bin/probe\" ]"

/* Types the line, which has to succeed. */
static void
type(struct world *w, const char *line)
{
    struct outcome o;

    world_type(w, line, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s%s", line, o.status, o.out, o.err);
    outcome_free(&o);
}

/* Asserts that the answer to the session's tool call says this. */
static void
assert_answer(const struct world *w, const char *word, int turn, const char *says)
{
    char *answer = world_answer(w, word, turn);

    ck_assert_msg(answer != NULL && strstr(answer, says) != NULL, "%s: %s", word, answer);
    free(answer);
}

START_TEST(it_is_one_record_although_it_starts_itself_again)
{
    struct world w;

    world_open(&w, "{ " PROBE " }");
    type(&w, "LD_PRELOAD=$LIB gemini -p 'say mock:probe'");
    assert_answer(&w, "probe", 1, "\"run_shell_command\\\" not found");
    assert_journal(&w, "run.start\nagent.start a1 gemini unspecified -> vendor-default disabled, "
                       "under -\n");
    assert_shown(&w, "a1", NULL);
    world_close(&w);
}
END_TEST

START_TEST(the_bypass_that_is_not_granted_is_taken_off)
{
    static const char *const spellings[] = {"--yolo -p", "--approvalMode=yolo -p", "-dy true -p"};
    struct world w;
    struct outcome o;
    char *line = format("LD_PRELOAD=$LIB gemini %s 'say mock:probe'", spellings[_i]);

    world_open(&w, "{ " PROBE " }");
    world_type(&w, line, &o);
    ck_assert_msg(o.status == 0, "%s: %s", line, o.err);
    ck_assert_msg(strstr(o.err, "haccess: gemini asked full access") != NULL, "no word of it: %s", o.err);
    outcome_free(&o);
    free(line);
    assert_answer(&w, "probe", 1, "\"run_shell_command\\\" not found");
    ck_assert(!world_has(&w, "outside/mark"));
    assert_journal(&w, "run.start\nagent.start a1 gemini full-access -> vendor-default disabled, "
                       "under -\n");
    world_close(&w);
}
END_TEST

START_TEST(a_codex_in_full_access_grants_it)
{
    struct world w;

    world_open(&w,
               "{ \"outer\": [ \"sh $TOP/bin/launch gemini -m gemini-2.5-pro -p 'say mock:probe'\" ], " PROBE
               " }");
    world_policy(&w, world_enabling_policy, true);
    type(&w, "codex exec --yolo 'say mock:outer'");
    assert_free(&w, "probe", 1);
    assert_journal(&w, "run.start\nworker_access.parent full-access codex\n"
                       "agent.start a1 gemini unspecified -> full-access qualified, under -\n");
    world_close(&w);
}
END_TEST

/* It keeps no record of its access, so a session of it grants nothing, in yolo as little as in any mode. */
START_TEST(a_gemini_grants_nothing)
{
    struct world w;

    world_open(
        &w, "{ \"outer\": [ \"sh $TOP/bin/launch gemini -y -m gemini-2.5-pro -p 'say mock:probe'\" ], " PROBE
            " }");
    world_policy(&w, world_enabling_policy, true);
    type(&w, "gemini --yolo -p 'say mock:outer'");
    assert_answer(&w, "probe", 1, "\"run_shell_command\\\" not found");
    assert_journal(&w, "run.start\nworker_access.parent unknown gemini\n"
                       "agent.start a1 gemini full-access -> vendor-default parent_unknown, "
                       "under -\n");
    world_close(&w);
}
END_TEST

/* Why the adapter has no read-only and no workspace-write: the day that one of these sessions stays what it was, it may. */
START_TEST(the_model_leaves_every_mode_for_yolo)
{
    static const char *const modes[] = {"default", "auto_edit", "plan"};
    bool plan = strcmp(modes[_i], "plan") == 0;
    struct world w;
    char *line = format("gemini --approval-mode %s -p 'say mock:%s'", modes[_i], plan ? "leave" : "enter");

#define LEAVE                                                                                                \
    "{ \"tool\": \"write_file\", \"input\": { \"file_path\": \"p.md\", \"content\": \"a plan\" } }, "        \
    "{ \"tool\": \"exit_plan_mode\", \"input\": { \"plan_filename\": \"p.md\" } }, \"sh $TOP/bin/probe\""
    world_open(&w, "{ \"enter\": [ { \"tool\": \"enter_plan_mode\", \"input\": {} }, " LEAVE
                   " ], \"leave\": [ " LEAVE " ] }");
    type(&w, line);
    assert_free(&w, plan ? "leave" : "enter", plan ? 3 : 4);
    free(line);
    world_close(&w);
}
END_TEST

/* Options that a subcommand does not follow: the CLI takes it for the value of one, and a session begins. */
START_TEST(a_subcommand_behind_an_option_is_a_prompt)
{
    struct world w;
    struct outcome o;

    world_open(&w, "{ " PROBE " }");
    type(&w, "gemini -y mcp mock:probe");
    assert_free(&w, "probe", 1);
    world_type(&w, "LD_PRELOAD=$LIB gemini -y mcp mock:probe", &o);
    ck_assert_int_eq(o.status, 126);
    ck_assert_msg(strstr(o.err, "mcp is also a subcommand") != NULL, "%s", o.err);
    outcome_free(&o);
    type(&w, "LD_PRELOAD=$LIB gemini -d mcp list");
    assert_journal(&w, "run.start\nagent.refused a1 gemini full-access malformed_request, under -\n");
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("the real gemini");
    TCase *t = tcase_create("gemini");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 1200);
    if (world_runs_gemini()) {
        tcase_add_test(t, it_is_one_record_although_it_starts_itself_again);
        tcase_add_loop_test(t, the_bypass_that_is_not_granted_is_taken_off, 0, 3);
        tcase_add_test(t, a_codex_in_full_access_grants_it);
        tcase_add_test(t, a_gemini_grants_nothing);
        tcase_add_loop_test(t, the_model_leaves_every_mode_for_yolo, 0, 3);
        tcase_add_test(t, a_subcommand_behind_an_option_is_a_prompt);
    }
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
