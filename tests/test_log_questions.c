/* Questions that are asked of a journal with filters: what ran, whatever was decided, and nothing left out without a word. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/journal_place.h"

static struct journal_place p;

#define LAUNCH(id, adapter, asked, got, enforcement, more)                                                   \
    "{\"id\":\"" id "\",\"adapter\":\"" adapter "\",\"class\":\"session\",\"request\":{\"access\":\"" asked  \
    "\"},\"projection\":\"" got "\",\"enforcement\":\"" enforcement "\"" more "}"

/* Of each kind one: what was decided, and by what it was held. */
static const struct {
    const char *event, *fields;
} launches[] = {
    {"agent.start", LAUNCH("granted", "codex", "unspecified", "full-access", "none", "")},
    {"agent.start", LAUNCH("narrowed", "codex", "full-access", "workspace-write", "vendor", "")},
    {"agent.start",
     LAUNCH("observed", "codex", "full-access", "workspace-write", "none", ",\"observed\":true")},
    {"agent.start", LAUNCH("approved", "claude-code", "unspecified", "vendor-default", "approvals", "")},
    {"agent.start", LAUNCH("nobody", "opencode", "unspecified", "vendor-default", "none", "")},
    {"agent.start", LAUNCH("doubted", "codex", "read-only", "read-only", "unverified", "")},
    {"agent.start", LAUNCH("worker", "codex", "unspecified", "workspace-write", "bubblewrap", "")},
    {"agent.refused", "{\"id\":\"refused\",\"adapter\":\"codex\",\"class\":\"session\",\"refusal\":{\"code\":"
                      "\"bad_request\"}}"},
};

static void
setup(void)
{
    journal_place_open(&p);
    for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++, p.now += 1000)
        journal_place_append(&p, "r", false, launches[i].event, launches[i].fields);
}

static void
teardown(void)
{
    journal_place_close(&p);
}

/* The ids of the launches that a command names, in their order, each with a space behind it. */
static void
expect_ids(const char *command, const char *ids)
{
    ck_assert_int_eq(
        journal_place_run(
            &p,
            mem_printf(p.m, "haccess-log %s --json | sed 's/.*\"id\":\"\\([a-z]*\\)\".*/\\1/' | tr '\\n' ' '",
                       command)),
        0);
    ck_assert_str_eq(p.last.out, ids);
}

static void
expect(const char *command, int code, const char *out, const char *err)
{
    ck_assert_int_eq(journal_place_run(&p, mem_printf(p.m, "haccess-log %s", command)), code);
    ck_assert_msg(out == NULL || strstr(p.last.out, out) != NULL, "%s: no \"%s\" in: %s", command, out,
                  p.last.out);
    if (*err == '\0')
        ck_assert_str_eq(p.last.err, "");
    else
        ck_assert_msg(strstr(p.last.err, err) != NULL, "%s: no \"%s\" in: %s", command, err, p.last.err);
}

START_TEST(mode_is_of_what_ran)
{
    expect_ids("show --mode full-access", "granted observed ");
    expect_ids("show --mode sandboxed", "narrowed approved nobody doubted worker ");
    expect("--mode full-access", 0, " 2 ", "");
    expect("stats --mode full-access --json", 0, "\"launches\":2,", "");
}
END_TEST

START_TEST(unsandboxed_is_what_no_sandbox_is_known_to_have_held)
{
    expect_ids("show --unsandboxed", "granted observed approved nobody doubted ");
    expect_ids("show --unsandboxed --adapter claude", "approved ");
    expect_ids("show --unsandboxed --refused", "");
    expect("export --format csv --unsandboxed | wc -l", 0, "6\n", "");
}
END_TEST

/* Also where a record cannot be read at a glance. */
START_TEST(it_is_so_however_the_record_is_written)
{
    ck_assert_int_eq(journal_place_run(&p,
                                       "f=state/runs/r/journal.jsonl; sed 's/\"vendor\"/\"v\\\\u0065ndor\"/; "
                                       "s/\"full-access\"/\"full\\\\u002daccess\"/g' $f >x && cat x >$f"),
                     0);
    expect_ids("show --unsandboxed", "granted observed approved nobody doubted ");
    expect_ids("show --mode full-access", "granted observed ");
}
END_TEST

START_TEST(a_line_that_cannot_be_read_is_told_by_every_view_that_leaves_it_out)
{
    static const char *const views[] = {"show --mode full-access",
                                        "",
                                        "stats",
                                        "tree",
                                        "export --format csv",
                                        "export --format html",
                                        "why approved"};

    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        expect(views[i], 0, NULL, "");
    ck_assert_int_eq(journal_place_run(&p, "sed -i '1s/{/[/' state/runs/r/journal.jsonl"), 0);
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
        expect(views[i], 0, NULL,
               "haccess-log: r: 1 line cannot be read and is left out; see haccess-log verify\n");
    expect("show", 0, "not a JSON object", "");
    expect("why granted", 1, NULL, "1 line cannot be read");
}
END_TEST

START_TEST(a_word_that_haccess_does_not_know_is_noted)
{
    expect("show --adapter clod", 0, "0 launches in 0 runs",
           "note: --adapter clod: haccess knows no such CLI");
    expect("show --reason nonsense", 0, "0 launches", "note: --reason nonsense: ");
    expect("show --adapter 'c*' --reason 'non*'", 0, NULL, "");
    expect("show --adapter claude", 0, "1 launch in 1 run", "");
    expect("show --reason bad_request", 0, "1 launch", "");
    expect("show --reason qualified", 0, "0 launches", "");
}
END_TEST

START_TEST(a_run_where_a_launch_is_asked_for_is_told)
{
    expect("why r", 1, NULL, "r is a run: name one of its launches, as r/a1");
    expect("why nothing", 1, NULL, "nothing: no such launch in r");
}
END_TEST

START_TEST(why_has_the_day)
{
    expect("why granted", 0, "  2026-11-30 20:30:00  ", "");
}
END_TEST

START_TEST(prune_speaks_json)
{
    ck_assert_int_eq(
        journal_place_run(
            &p, "sed -i 's/\"ts\":\"2026/\"ts\":\"2001/' state/runs/r/journal.jsonl; touch -d 2001-01-01 "
                "state/runs/r/journal.jsonl; haccess-log prune --older-than 1d --json"),
        0);
    ck_assert_str_eq(p.last.out, "{\"run_id\":\"r\",\"removed\":true}\n");
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("log questions");
    TCase *t = tcase_create("filters");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, mode_is_of_what_ran);
    tcase_add_test(t, unsandboxed_is_what_no_sandbox_is_known_to_have_held);
    tcase_add_test(t, it_is_so_however_the_record_is_written);
    tcase_add_test(t, a_line_that_cannot_be_read_is_told_by_every_view_that_leaves_it_out);
    tcase_add_test(t, a_word_that_haccess_does_not_know_is_noted);
    tcase_add_test(t, a_run_where_a_launch_is_asked_for_is_told);
    tcase_add_test(t, why_has_the_day);
    tcase_add_test(t, prune_speaks_json);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
