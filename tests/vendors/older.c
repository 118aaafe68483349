/* The CLIs of a few months ago under haccess: the bypass is taken from them, an option of their own is left as it is, a reader reads,
 * and a grant is one. What is rendered for the newest has to hold for them, too. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

#define P      "'say mock:probe'"
#define STREAM " --output-format stream-json --verbose"
#define CODEX  "PATH=$OLDER:$PATH codex"
#define CLAUDE "PATH=$OLDER:$PATH claude"

/* Launched by somebody to whom nothing is granted. */
static const struct launched {
    const char *variables, *line, *says, *journal;
} launched[] = {
    {"", CODEX " exec --yolo " P, "\nsandbox: workspace-write",
     "codex full-access -> workspace-write disabled"},
    {"", CODEX " exec -c sandbox_mode=danger-full-access " P, "\nsandbox: workspace-write",
     "codex full-access -> workspace-write disabled"},
    {"", CODEX " --yolo exec " P, "\nsandbox: workspace-write",
     "codex full-access -> workspace-write disabled"},
    {"", CODEX " exec -s read-only " P, "\nsandbox: read-only", "codex read-only -> read-only disabled"},
    {"HACCESS_LANE=read ", CODEX " exec " P, "\nsandbox: read-only", "codex read-only -> read-only disabled"},
    {"", CLAUDE " -p --dangerously-skip-permissions " P STREAM, "\"permissionMode\":\"acceptEdits\"",
     "claude-code full-access -> workspace-write disabled"},
    {"", CLAUDE " -p --permission-mode bypassPermissions " P STREAM, "\"permissionMode\":\"acceptEdits\"",
     "claude-code full-access -> workspace-write disabled"},
    {"", CLAUDE " -p --settings '{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}' " P STREAM,
     "\"permissionMode\":\"acceptEdits\"", "claude-code full-access -> workspace-write disabled"},
};

START_TEST(what_an_older_cli_gets)
{
    const struct launched *l = &launched[_i];
    struct world w;
    struct outcome o;
    char *line = format("%sLD_PRELOAD=$LIB %s", l->variables, l->line);
    char *journal = format("run.start\nagent.start a1 %s, under -\n", l->journal);

    world_open(&w, "{ \"probe\": [ \"sh $TOP/bin/probe\" ] }");
    world_type(&w, line, &o);
    ck_assert_msg(o.status == 0 && (strstr(o.out, l->says) != NULL || strstr(o.err, l->says) != NULL),
                  "%s: exit %d, want %s\n%s%s", line, o.status, l->says, o.out, o.err);
    ck_assert_msg(world_requests(&w, "probe") == 2, "%s: the prompt did not come through", line);
    assert_confined(&w, "probe", 1);
    assert_journal(&w, journal);
    outcome_free(&o);
    free(journal);
    free(line);
    world_close(&w);
}
END_TEST

/* Older session, older worker: the records of the one and the rendering of the other are read and written as for the newest. The
 * wait is for claude 2.1.197, which writes its transcript a moment after the model's answer: a worker that is launched
 * sooner than any model answers finds no record, and is not granted. */
static const struct granted {
    const char *outer, *worker, *parent, *journal;
} granted[] = {
    {CODEX " exec --yolo 'say mock:outer'", "codex exec -m gpt-5.1-codex -c model_reasoning_effort=high",
     "codex", "codex unspecified"},
    {CLAUDE " -p --permission-mode bypassPermissions 'say mock:outer'",
     "claude -p --dangerously-skip-permissions --model claude-opus-4-5 --effort high", "claude-code",
     "claude-code full-access"},
};

START_TEST(an_older_worker_under_an_older_session_is_granted)
{
    const struct granted *g = &granted[_i];
    struct world w;
    struct outcome o;
    char *script =
        format("{ \"outer\": [ \"sleep 1; PATH=$TOP/older:$PATH sh $TOP/bin/launch %s 'say mock:worker'\" ], "
               "\"worker\": [ \"sh $TOP/bin/probe\" ] }",
               g->worker);
    char *journal = format("run.start\nworker_access.parent full-access %s\nagent.start a1 %s -> full-access "
                           "qualified, under -\n",
                           g->parent, g->journal);

    world_open(&w, script);
    world_policy(&w, world_enabling_policy, true);
    world_type(&w, "ln -s $OLDER $TOP/older", &o);
    outcome_free(&o);
    world_type(&w, g->outer, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s%s", g->outer, o.status, o.out, o.err);
    assert_journal(&w, journal);
    assert_free(&w, "worker", 1);
    outcome_free(&o);
    free(journal);
    free(script);
    world_close(&w);
}
END_TEST

/* Claude Code 2.1.197 obeys the mode that a sub-agent's file names, in a session of any mode. Without the tool that starts
 * sub-agents a reader stays one, as README says. */
START_TEST(a_reader_to_whom_agents_are_denied_has_no_sub_agent)
{
    struct world w;
    struct outcome o;

    world_open(&w, world_sub_agents);
    world_type(&w, "mkdir -p .claude/agents", &o);
    outcome_free(&o);
    world_write(&w, "project/.claude/agents/free.md", 0644, world_free_agent);
    world_policy(&w,
                 "{ \"workflow\": { \"lanes\": { \"read\": { \"claudeDeny\": [\"Edit\", \"Write\", "
                 "\"Agent\"] } } } }\n",
                 true);
    world_type(&w, "HACCESS_LANE=read LD_PRELOAD=$LIB " CLAUDE " -p 'say mock:outer'", &o);
    ck_assert_msg(o.status == 0, "exit %d\n%s%s", o.status, o.out, o.err);
    ck_assert_int_eq(world_requests(&w, "probe"), 0);
    ck_assert(!world_has(&w, "project/t1"));
    outcome_free(&o);
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("older versions of the real CLIs");
    TCase *t = tcase_create("older");
    tcase_set_timeout(t, 1200);
    tcase_add_loop_test(t, what_an_older_cli_gets, 0, sizeof launched / sizeof *launched);
    tcase_add_loop_test(t, an_older_worker_under_an_older_session_is_granted, 0,
                        sizeof granted / sizeof *granted);
    tcase_add_test(t, a_reader_to_whom_agents_are_denied_has_no_sub_agent);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
