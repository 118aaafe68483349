/* What haccess-log reconcile says of real sessions, whose records the real CLIs wrote. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

/* Four sessions of one directory in a few seconds: their prompts tell them apart. */
#define LAUNCHES                                                                                             \
    "export LD_PRELOAD=$LIB HACCESS_RUN_ID=r; codex exec -s read-only 'say mock:one'; "                      \
    "codex exec -s workspace-write 'say mock:two'; claude -p --permission-mode plan 'say mock:three'; "      \
    "claude -p 'say mock:four'"

static struct outcome last;

/* Types a line, and returns its exit status. */
static int
type(struct world *w, const char *line)
{
    outcome_free(&last);
    world_type(w, line, &last);
    return last.status;
}

/* Asserts what reconcile says of each launch, in their order: "id granted ran_with result, by what", a line each. */
static void
assert_reconciled(struct world *w, int status, const char *want)
{
    char *got = format("%s", "");
    cJSON *all;
    const cJSON *o;

    ck_assert_msg(type(w, "$HACCESS_LOG reconcile --json r") == status, "exit %d\n%s%s", last.status,
                  last.out, last.err);
    all = parse_lines(last.out, "reconcile");
    cJSON_ArrayForEach(o, all)
    {
        char *longer = format("%s%s %s %s %s, by %s\n", got, string_at(o, "id"), string_at(o, "granted"),
                              string_at(o, "ran_with"), string_at(o, "result"), string_at(o, "found_by"));

        free(got);
        got = longer;
    }
    ck_assert_msg(strcmp(got, want) == 0, "want\n%sgot\n%s%s", want, got, last.out);
    cJSON_Delete(all);
    free(got);
}

static void
open_world(struct world *w)
{
    memset(&last, 0, sizeof last);
    world_open(
        w, "{ \"outer\": [ \"sh $TOP/bin/launch codex exec -m gpt-5.1-codex -c model_reasoning_effort=high "
           "'say mock:worker'\" ] }");
}

static void
close_world(struct world *w)
{
    outcome_free(&last);
    world_close(w);
}

START_TEST(sessions_that_ran_as_granted_agree)
{
    struct world w;

    open_world(&w);
    ck_assert_msg(type(&w, LAUNCHES) == 0, "%s%s", last.out, last.err);
    assert_reconciled(&w, 0,
                      "a1 read-only read-only agreed, by prompt\n"
                      "a2 workspace-write workspace-write agreed, by time and directory\n"
                      "a3 read-only plan agreed, by prompt\n"
                      "a4 vendor-default default agreed, by time and directory\n");
    close_world(&w);
}
END_TEST

START_TEST(granted_session_agrees)
{
    struct world w;

    open_world(&w);
    world_policy(&w, world_enabling_policy, true);
    ck_assert_msg(type(&w, "HACCESS_RUN_ID=r codex exec --yolo 'say mock:outer'") == 0, "%s%s", last.out,
                  last.err);
    assert_reconciled(&w, 0, "a1 full-access danger-full-access agreed, by time and directory\n");
    close_world(&w);
}
END_TEST

/* One record is made to differ, as a worker's would that had found a way out. */
START_TEST(session_that_ran_wider_is_told)
{
    static const struct {
        const char *change, *want;
    } cases[] = {
        {"sed -i "
         "'s/\"sandbox_policy\":{\"type\":\"read-only\"/\"sandbox_policy\":{\"type\":\"danger-full-access\"/"
         "' "
         "$TOP/home/.codex/sessions/*/*/*/*.jsonl",
         "a1 read-only danger-full-access wider, by prompt\n"
         "a2 workspace-write workspace-write agreed, by time and directory\n"
         "a3 read-only plan agreed, by prompt\n"
         "a4 vendor-default default agreed, by time and directory\n"},
        {"sed -i 's/\"permissionMode\":\"default\"/\"permissionMode\":\"bypassPermissions\"/' "
         "$TOP/home/.claude/projects/*/*.jsonl",
         "a1 read-only read-only agreed, by prompt\n"
         "a2 workspace-write workspace-write agreed, by time and directory\n"
         "a3 read-only plan agreed, by prompt\n"
         "a4 vendor-default bypassPermissions wider, by time and directory\n"},
    };
    struct world w;

    open_world(&w);
    ck_assert_msg(type(&w, LAUNCHES) == 0, "%s%s", last.out, last.err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(type(&w, "cp -a $TOP/home $TOP/kept"), 0);
        ck_assert_int_eq(type(&w, cases[i].change), 0);
        assert_reconciled(&w, 1, cases[i].want);
        ck_assert_int_eq(type(&w, "rm -rf $TOP/home && mv $TOP/kept $TOP/home"), 0);
    }
    close_world(&w);
}
END_TEST

/* What is piped to them they put beside the prompt, each in its way. */
START_TEST(prompt_is_found_beside_what_was_piped)
{
    struct world w;

    open_world(&w);
    ck_assert_msg(type(&w, "export LD_PRELOAD=$LIB HACCESS_RUN_ID=r; "
                           "echo piped | codex exec -s read-only 'say mock:one' & sleep 0.2; "
                           "echo piped | codex exec -s workspace-write 'say mock:two'; wait; "
                           "echo piped | claude -p --permission-mode plan 'say mock:three' & sleep 0.2; "
                           "echo piped | claude -p 'say mock:four'; wait") == 0,
                  "%s%s", last.out, last.err);
    assert_reconciled(&w, 0,
                      "a1 read-only read-only agreed, by prompt\n"
                      "a2 workspace-write workspace-write agreed, by prompt\n"
                      "a3 read-only plan agreed, by prompt\n"
                      "a4 vendor-default default agreed, by prompt\n");
    close_world(&w);
}
END_TEST

/* One session of each, taken up again with another mode: each launch is held against its own turns. */
/* A session that is a tenth of a second old may have been begun by the launch: it is taken up again after more than that. */
START_TEST(resumed_session_is_found_by_its_id)
{
    struct world w;

    open_world(&w);
    ck_assert_msg(
        type(
            &w,
            "export LD_PRELOAD=$LIB HACCESS_RUN_ID=r; u=5df275c9-5a47-4ba9-a8d7-c343ad7df2bd; "
            "claude -p --session-id $u 'say mock:one'; sleep 1; claude -p --permission-mode plan --resume $u "
            "'say mock:two'; "
            "codex exec -s workspace-write 'say mock:three'; sleep 1; id=$(ls "
            "$TOP/home/.codex/sessions/*/*/*); "
            "id=${id%.jsonl}; id=$(printf %s \"$id\" | tail -c 36); codex exec -s read-only resume "
            "\"$id\" 'say mock:four'") == 0,
        "%s%s", last.out, last.err);
    assert_reconciled(&w, 0,
                      "a1 vendor-default default agreed, by session id\n"
                      "a2 read-only plan agreed, by session id\n"
                      "a3 workspace-write workspace-write agreed, by time and directory\n"
                      "a4 read-only read-only agreed, by session id\n");
    close_world(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("reconcile, real CLIs");
    TCase *t = tcase_create("reconcile");
    SRunner *r;
    int failed;

    tcase_set_timeout(t, 180);
    tcase_add_test(t, sessions_that_ran_as_granted_agree);
    tcase_add_test(t, granted_session_agrees);
    tcase_add_test(t, session_that_ran_wider_is_told);
    tcase_add_test(t, prompt_is_found_beside_what_was_piped);
    tcase_add_test(t, resumed_session_is_found_by_its_id);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
