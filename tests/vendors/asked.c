/* Every spelling of full access that the real CLIs are known to take, launched by somebody to whom nothing is granted: the CLI
 * itself has to say that it runs in the narrower mode, with its prompt as it was, and its shells have to be confined. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

#define P      "'say mock:probe'"
#define CONFIG "$TOP/home/.codex/config.toml"

struct spelling {
    const char *before; /* typed first, without the preload; NULL: nothing */
    const char *line;
};

static const struct spelling codex[] = {
    {NULL, "codex exec --yolo " P},
    {NULL, "codex exec " P " --yolo"},
    {NULL, "codex --yolo exec " P},
    {NULL, "codex exec --dangerously-bypass-approvals-and-sandbox " P},
    {NULL, "codex exec -s danger-full-access " P},
    {NULL, "codex exec -sdanger-full-access " P},
    {NULL, "codex exec -s=danger-full-access " P},
    {NULL, "codex exec --sandbox=danger-full-access " P},
    {NULL, "codex -s danger-full-access exec " P},
    {NULL, "codex exec -c sandbox_mode=danger-full-access " P},
    {NULL, "codex -c 'sandbox_mode=\"danger-full-access\" # so' exec " P},
    {NULL, "codex exec --config=sandbox_mode=danger-full-access " P},
    {NULL, "codex exec -c \"sandbox_mode=''danger-full-access''\" " P},
    {NULL, "codex exec -c 'sandbox_mode=\"danger\\u002dfull-access\"' " P},
    {NULL, "codex exec -c 'default_permissions=\":danger-full-access\"' " P},
    {NULL, "codex exec -c default_permissions=mine -c "
           "'permissions.mine={filesystem={\":root\"=\"write\"},network={enabled=true}}' " P},
    {NULL, "codex exec -s workspace-write --add-dir / " P},
    {NULL, "codex exec -s workspace-write -c 'sandbox_workspace_write.writable_roots=[\"/\"]' " P},
    {NULL, "codex exec --yolo -- " P},
    /* With --yolo gone from between them, -i would take the prompt for a second image. */
    {"echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg== "
     "| "
     "base64 -d >a.png",
     "codex exec -i a.png --yolo " P},
    {"sed -i '1i sandbox_mode = \"danger-full-access\"' " CONFIG, "codex exec " P},
    {"sed -i '1i default_permissions = \":danger-full-access\"' " CONFIG, "codex exec " P},
    {"printf '[sandbox_workspace_write]\\nwritable_roots = [\"/\"]\\n' >>" CONFIG,
     "codex exec -s workspace-write " P},
    {"echo 'sandbox_mode = \"danger-full-access\"' >$TOP/home/.codex/mine.config.toml",
     "codex exec -p mine " P},
    {"mkdir .codex && echo 'sandbox_mode = \"danger-full-access\"' >.codex/config.toml && "
     "printf '[projects.\"%s\"]\\ntrust_level = \"trusted\"\\n' \"$PWD\" >>" CONFIG,
     "codex exec " P},
    {"mkdir .codex && echo 'sandbox_mode = \"danger-full-access\"' >.codex/config.toml && ln -s \"$PWD\" "
     "$TOP/link && "
     "printf '[projects.\"%s/link\"]\\ntrust_level = \"trusted\"\\n' $TOP >>" CONFIG,
     "codex exec -C $TOP/link " P},
    {"mkdir .codex && echo 'sandbox_mode = \"danger-full-access\"' >.codex/config.toml",
     "codex exec --trust -C \"$PWD\" " P},
};

static const struct spelling claude[] = {
    {NULL, "claude -p --dangerously-skip-permissions " P},
    {NULL, "claude --dangerously-skip-permissions -p " P},
    {NULL, "claude -p " P " --dangerously-skip-permissions"},
    {NULL, "claude -p --permission-mode bypassPermissions " P},
    {NULL, "claude -p --permission-mode=bypassPermissions " P},
    {NULL, "claude -p --allow-dangerously-skip-permissions " P},
    {NULL, "claude -p --inherit-permission-mode bypassPermissions " P},
    {NULL, "claude -p --settings '{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}' " P},
    {"echo '{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}' >mine.json",
     "claude -p --settings mine.json " P},
    {"echo '{\"permissions\":{\"defaultMode\":\"bypassPermissions\",\"allow\":[\"Bash(sh *)\"]}}' "
     ">$TOP/home/.claude/settings.json",
     "claude -p " P},
    /* With the bypass gone from between them, --allowedTools and --add-dir would take the prompt. */
    {NULL, "claude -p --allowedTools Read --dangerously-skip-permissions " P},
    {NULL, "claude -p --add-dir / --dangerously-skip-permissions " P},
};

static void
expect(const struct spelling *s, const char *options, const char *says, const char *journal)
{
    struct world w;
    struct outcome o;
    world_open(&w, "{ \"probe\": [ \"sh $TOP/bin/probe\" ] }");
    if (s->before != NULL) {
        world_type(&w, s->before, &o);
        ck_assert_msg(o.status == 0, "%s: %s", s->before, o.err);
        outcome_free(&o);
    }
    char *line = format("LD_PRELOAD=$LIB %s%s", s->line, options);
    world_type(&w, line, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s%s", line, o.status, o.out, o.err);
    ck_assert_msg(strstr(o.err, says) != NULL || strstr(o.out, says) != NULL, "%s: want %s\n%s%s", line, says,
                  o.out, o.err);
    ck_assert_msg(world_requests(&w, "probe") == 2, "%s: the prompt did not come through", line);
    assert_confined(&w, "probe", 1);
    char *got = world_journal(&w);
    ck_assert_msg(strcmp(got, journal) == 0, "%s: want\n%sgot\n%s", line, journal, got);
    free(got);
    free(line);
    outcome_free(&o);
    world_close(&w);
}

START_TEST(codex_is_narrowed)
{
    expect(&codex[_i], "", "\nsandbox: workspace-write",
           "run.start\nagent.start a1 codex full-access -> workspace-write disabled, under -\n");
}
END_TEST

START_TEST(claude_is_narrowed)
{
    expect(&claude[_i], " --output-format stream-json --verbose", "\"permissionMode\":\"acceptEdits\"",
           "run.start\nagent.start a1 claude-code full-access -> workspace-write disabled, under -\n");
}
END_TEST

/* What asks through the environment, or asks less than full access: the CLI's own word for what it got, and the journal. */
static const struct asked {
    const char *line, *says, *journal;
} asked[] = {
    {"HACCESS_ACCESS=read-only LD_PRELOAD=$LIB codex exec " P, "\nsandbox: read-only",
     "run.start\nagent.start a1 codex read-only -> read-only disabled, under -\n"},
    {"HACCESS_ACCESS=workspace-write LD_PRELOAD=$LIB codex exec " P, "\nsandbox: workspace-write",
     "run.start\nagent.start a1 codex workspace-write -> workspace-write disabled, under -\n"},
    {"HACCESS_ACCESS=full-access LD_PRELOAD=$LIB codex exec " P, "\nsandbox: workspace-write",
     "run.start\nagent.start a1 codex full-access -> workspace-write disabled, under -\n"},
    {"HACCESS_LANE=read LD_PRELOAD=$LIB codex exec " P, "\nsandbox: read-only",
     "run.start\nagent.start a1 codex read-only -> read-only disabled, under -\n"},
    {"HACCESS_LANE=write LD_PRELOAD=$LIB codex exec " P, "\nsandbox: workspace-write",
     "run.start\nagent.start a1 codex unspecified -> workspace-write disabled, under -\n"},
    {"LD_PRELOAD=$LIB codex exec -s read-only " P, "\nsandbox: read-only",
     "run.start\nagent.start a1 codex read-only -> read-only disabled, under -\n"},
    {"LD_PRELOAD=$LIB codex exec --approve-for-me " P, "\nsandbox: workspace-write",
     "run.start\nagent.start a1 codex workspace-write -> workspace-write disabled, under -\n"},
};

START_TEST(what_is_asked_is_what_codex_says)
{
    const struct asked *a = &asked[_i];
    struct world w;
    struct outcome o;
    world_open(&w, "{ \"probe\": [ \"sh $TOP/bin/probe\" ] }");
    world_type(&w, a->line, &o);
    ck_assert_msg(o.status == 0 && strstr(o.err, a->says) != NULL, "%s: exit %d\n%s", a->line, o.status,
                  o.err);
    ck_assert_msg(world_requests(&w, "probe") == 2, "%s: the prompt did not come through", a->line);
    assert_confined(&w, "probe", 1);
    assert_journal(&w, a->journal);
    outcome_free(&o);
    world_close(&w);
}
END_TEST

/* A model that reviews what the sandbox stops, and here approves it: it has no say over a reader, nor over what was narrowed. */
static const struct spelling reviewed[] = {
    {NULL, "HACCESS_LANE=read LD_PRELOAD=$LIB codex exec -c approvals_reviewer=auto_review"},
    {NULL, "LD_PRELOAD=$LIB codex exec -s read-only -c approval_policy=on-request -c "
           "approvals_reviewer=guardian_subagent"},
    {NULL, "LD_PRELOAD=$LIB codex exec --yolo -c approvals_reviewer=auto_review"},
    {"sed -i '1i approvals_reviewer = \"auto_review\"' " CONFIG,
     "HACCESS_LANE=read LD_PRELOAD=$LIB codex exec"},
    {"sed -i '1i approvals_reviewer = \"auto_review\"' " CONFIG, "LD_PRELOAD=$LIB codex exec --yolo"},
};

START_TEST(no_model_approves_for_who_is_held)
{
    const struct spelling *s = &reviewed[_i];
    struct world w;
    struct outcome o;
    world_open(&w,
               "{ \"probe\": [ { \"tool\": \"exec_command\", \"input\": { \"cmd\": \"sh $TOP/bin/probe\", "
               "\"sandbox_permissions\": \"require_escalated\", \"justification\": \"to see\", "
               "\"yield_time_ms\": 30000 } } ] }");
    if (s->before != NULL) {
        world_type(&w, s->before, &o);
        outcome_free(&o);
    }
    char *line = format("%s " P, s->line);
    world_type(&w, line, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s", line, o.status, o.err);
    char *answer = world_answer(&w, "probe", 1);
    ck_assert_msg(answer != NULL && strstr(answer, "you cannot ask for escalated permissions") != NULL,
                  "%s: %s", line, answer);
    ck_assert(!world_has(&w, "outside/mark"));
    free(answer);
    free(line);
    outcome_free(&o);
    world_close(&w);
}
END_TEST

/* A reader of claude has the reader's tools: it may look at the history, and neither write nor run what it likes. */
START_TEST(a_claude_in_the_read_lane_only_reads)
{
    struct world w;
    struct outcome o;
    world_open(&w, "{ \"probe\": [ \"git status\", { \"tool\": \"Write\", \"input\": { \"file_path\": "
                   "\"$TOP/project/new\", \"content\": \"x\" } }, \"touch other\", \"env touch third\" ] }");
    world_type(&w, "HACCESS_LANE=read LD_PRELOAD=$LIB claude -p --dangerously-skip-permissions " P, &o);
    ck_assert_int_eq(o.status, 126);
    outcome_free(&o);
    world_type(&w,
               "HACCESS_LANE=read LD_PRELOAD=$LIB claude -p --allowedTools Bash,Write --permission-mode "
               "acceptEdits " P,
               &o);
    ck_assert_msg(o.status == 0, "exit %d: %s%s", o.status, o.out, o.err);
    outcome_free(&o);
    ck_assert_int_eq(world_requests(&w, "probe"), 5);
    char *status = world_answer(&w, "probe", 1);
    ck_assert_msg(status != NULL && strstr(status, "On branch main") != NULL, "%s", status);
    free(status);
    ck_assert(!world_has(&w, "project/new") && !world_has(&w, "project/other") &&
              !world_has(&w, "project/third"));
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("what real CLIs make of a command line");
    TCase *t = tcase_create("command lines");
    tcase_set_timeout(t, 400);
    tcase_add_loop_test(t, codex_is_narrowed, 0, sizeof codex / sizeof *codex);
    tcase_add_loop_test(t, claude_is_narrowed, 0, sizeof claude / sizeof *claude);
    tcase_add_loop_test(t, what_is_asked_is_what_codex_says, 0, sizeof asked / sizeof *asked);
    tcase_add_loop_test(t, no_model_approves_for_who_is_held, 0, sizeof reviewed / sizeof *reviewed);
    tcase_add_test(t, a_claude_in_the_read_lane_only_reads);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
