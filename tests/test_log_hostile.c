/* haccess-log on journals that somebody else wrote, in a spool or in the place, and on what goes on meanwhile. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/journal/journal.h"
#include "shim/mem.h"
#include "tests/support/journal_place.h"
#include "tests/support/tree.h"

#define FILE_OF(run) "state/runs/" run "/journal.jsonl"

static struct journal_place p;
static struct mem *m;

static void
setup(void)
{
    journal_place_open(&p);
    m = p.m;
}

static void
teardown(void)
{
    journal_place_close(&p);
}

static int
run(const char *command)
{
    return journal_place_run(&p, command);
}

/* Appends a launch to a run, in the place or in the spool, with more fields given as JSON members. */
static void
launch(const char *id, bool spool, const char *run_id, const char *more)
{
    journal_place_append(
        &p, run_id, spool, "agent.start",
        mem_printf(m, "{\"id\":\"%s\",\"adapter\":\"codex\",\"projection\":\"full-access\"%s}", id, more));
}

static void
append(const char *path, const char *bytes, size_t n)
{
    int fd = open(mem_printf(m, "%s/%s", p.top, path), O_WRONLY | O_APPEND);

    ck_assert_int_ne(fd, -1);
    ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
    close(fd);
}

#define APPEND(path, text) append(path, text, sizeof(text) - 1)

/* A sandboxed session can write the spool, and would not say that it did. */
START_TEST(what_is_in_a_spool_is_shown_as_spooled_whatever_it_says)
{
    launch("a1", false, "r", "");
    launch("s1", true, "r", "");
    ck_assert_int_eq(run("f=$SPOOL/runs/r/journal.jsonl; sed -i 's/,\"spooled\":true//; s/\"s1\"/\"a2\"/' "
                         "$f; chmod 600 $f; "
                         "haccess-log show"),
                     0);
    ck_assert_ptr_nonnull(strstr(strstr(p.last.out, "a2"), "(spooled)"));
    ck_assert_ptr_eq(strstr(p.last.out, "(spooled)"), strstr(strstr(p.last.out, "a2"), "(spooled)"));
    run("haccess-log why a2");
    ck_assert_ptr_nonnull(strstr(p.last.out, "(spooled in "));
    run("haccess-log export --format csv | grep a2");
    ck_assert_ptr_nonnull(strstr(p.last.out, "\"\",\"yes\""));
}
END_TEST

/* TMPDIR ends in a slash, is a link, or is said in a roundabout way. */
START_TEST(one_directory_is_read_once_however_it_is_called)
{
    static const char *const names[] = {"$PWD/tmp/", "$PWD/tmp//", "$PWD/link", "$PWD/tmp/../tmp",
                                        "/proc/self/cwd/tmp"};

    launch("s1", true, "r", "");
    ck_assert_int_eq(run("ln -s tmp link; ln -s ../tmp tmp/claude-$(id -u)"), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        run(mem_printf(m, "TMPDIR=%s haccess-log --json", names[i]));
        ck_assert_msg(strstr(p.last.out, "\"launches\":1") != NULL, "%s: %s", names[i], p.last.out);
    }
    run("HACCESS_STATE_DIR=$PWD/$SPOOL/ haccess-log --json");
    ck_assert_ptr_nonnull(strstr(p.last.out, "\"launches\":1"));
}
END_TEST

/* What cJSON takes, other readers need not; and a record may hold bytes that are no text. */
START_TEST(json_is_valid_whatever_a_line_holds)
{
    static const char *const views[] = {"show --json", "tree --json", "export --format jsonl"};

    launch("a1", false, "r", "");
    APPEND(FILE_OF("r"), "{\"event\":\"agent.start\",\"id\":\"b1\",\"x\":\"a\xff\xc3\"}\n");
    APPEND(FILE_OF("r"), "{\"event\":\"agent.start\",\"id\":\"b2\",\"n\":007}\n");
    APPEND(FILE_OF("r"), "{\"event\":\"agent.start\",\"id\":\"b3\",\"n\":1.}\r\n");
    APPEND(FILE_OF("r"), "\t{\"event\":\t\"agent.start\",\"id\":\"b4\",\"n\":1e999}\n");
    APPEND(FILE_OF("r"), "{\"event\":\"agent.start\",\"id\":\"b5\",\"n\":90071992547409931234}\n");
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        ck_assert_int_eq(run(mem_printf(m, "haccess-log %s", views[i])), 0);
        for (int k = 1; k <= 5; k++)
            ck_assert_ptr_nonnull(strstr(p.last.out, mem_printf(m, "\"id\":\"b%d\"", k)));
        ck_assert_ptr_nonnull(strstr(p.last.out, "\"x\":\"a\xef\xbf\xbd\xef\xbf\xbd\""));
        ck_assert_ptr_nonnull(strstr(p.last.out, "\"n\":7}"));
        ck_assert_ptr_nonnull(strstr(p.last.out, "\"n\":1}\n"));
        ck_assert_ptr_nonnull(strstr(p.last.out, "\"n\":null}"));
        ck_assert_ptr_nonnull(strstr(p.last.out, "\"n\":90071992547409931234}"));
        ck_assert_ptr_null(strchr(p.last.out, '\t'));
        ck_assert_ptr_null(strstr(p.last.out, "\\u000d"));
    }
}
END_TEST

/* A filter looks at most lines without reading them: nothing may get past it by the way it is written. */
START_TEST(filter_finds_what_is_written_in_another_way)
{
    launch("a1", false, "r", ",\"access\":{\"reason\":\"qualified\"}");
    APPEND(FILE_OF("r"),
           "{\"event\":\"agent.start\",\"id\":\"b1\",\"access\":{\"reason\":\"\\u0071ualified\"}}\n");
    APPEND(FILE_OF("r"),
           "{\"event\":\"agent.start\",\"id\":\"b2\",\"\\u0061ccess\":{\"re\\u0061son\":\"qualified\"}}\n");
    APPEND(FILE_OF("r"),
           " { \"event\" : \"agent.start\" , \"id\":\"b3\",\"access\": { \"reason\":\"qualified\"}}\n");
    APPEND(FILE_OF("r"), "{\"event\":\"agent.start\",\"id\":\"n1\",\"access\":{\"reason\":\"disabled\"},"
                         "\"x\":{\"reason\":\"qualified\"}}\n");
    APPEND(FILE_OF("r"),
           "{\"event\":\"agent.start\",\"id\":\"n2\",\"access\":\"qualified\",\"reason\":\"qualified\"}\n");
    APPEND(FILE_OF("r"), "{\"event\":\"agent.start\",\"id\":\"n3\",\"access\":{\"reason\":\"qualified\"}\n");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(run(i == 0 ? "haccess-log show --reason qualified --json"
                                    : "haccess-log export --reason qualified --format jsonl"),
                         0);
        ck_assert_ptr_nonnull(strstr(p.last.out, "\"id\":\"a1\""));
        for (int k = 1; k <= 3; k++)
            ck_assert_ptr_nonnull(strstr(p.last.out, mem_printf(m, "\"id\":\"b%d\"", k)));
        ck_assert_ptr_null(strstr(p.last.out, "\"id\":\"n"));
    }
    /* What cannot be read may be anything. */
    run("haccess-log show --reason qualified --json");
    ck_assert_ptr_nonnull(strstr(p.last.out, "{\"problem\":\"not a JSON object\",\"line\":7,"));
    run("haccess-log stats --json");
    ck_assert_ptr_nonnull(strstr(p.last.out, "{\"launches\":6,"));
}
END_TEST

/* Each below the one before, each below one that is not there, all below the first. */
START_TEST(a_tree_of_any_shape_is_drawn_in_no_time)
{
    FILE *f;

    launch("a0", false, "r", "");
    f = fopen(mem_printf(m, "%s/" FILE_OF("r"), p.top), "a");
    for (int i = 1; i < 40000; i++) {
        fprintf(f, "{\"event\":\"agent.start\",\"id\":\"a%d\",\"parent_launch\":\"", i);
        switch (_i) {
        case 0:
            fprintf(f, "r/a%d", i - 1);
            break;
        case 1:
            fprintf(f, "r/none%d", i);
            break;
        default:
            fputs("r/a0", f);
        }
        fputs("\"}\n", f);
    }
    fclose(f);
    ck_assert_int_eq(run("ulimit -s 256; ulimit -t 10; haccess-log tree | grep -c 'a[0-9]'"), 0);
    ck_assert_int_eq(atoi(p.last.out), 40000);
}
END_TEST

/* The bars of the page cut their words. */
START_TEST(words_of_any_length_are_cut_in_no_time)
{
    char *word = mem_alloc(m, 14001);

    memset(word, 'x', 14000);
    for (int i = 0; i < 8; i++) {
        word[0] = (char)('a' + i);
        launch("a1", false, "r", mem_printf(m, ",\"request\":{\"model\":\"%s\"}", word));
    }
    ck_assert_int_eq(run("ulimit -t 3; haccess-log export --format html"), 0);
    ck_assert_ptr_nonnull(strstr(p.last.out, ">axxxxxxxxxxxxxxxxxxxxx…</text>"));
}
END_TEST

/* A file without blocks, larger than any disk. */
START_TEST(a_hole_of_a_tebibyte_holds_no_view_up)
{
    launch("a1", false, "r", "");
    ck_assert_int_eq(run("ulimit -t 10; truncate -s 1T " FILE_OF(
                         "r") " && haccess-log && haccess-log show && haccess-log stats"),
                     0);
    ck_assert_ptr_nonnull(strstr(p.last.out, "line 2  torn"));
}
END_TEST

START_TEST(lost_output_is_an_error)
{
    if (access("/dev/full", W_OK) != 0)
        return;
    launch("a1", false, "r", "");
    for (int i = 0; i < 200; i++)
        APPEND(FILE_OF("r"), "{\"event\":\"agent.start\",\"id\":\"b1\",\"adapter\":\"codex\"}\n");
    ck_assert_int_eq(run("haccess-log show --json >/dev/full"), 1);
    ck_assert_ptr_nonnull(strstr(p.last.err, "standard output"));
}
END_TEST

START_TEST(misread_filters_are_usage)
{
    static const char *const commands[] = {"--mode full",
                                           "--mode ''",
                                           "--since 2026-11-30T10:00+25:00",
                                           "--until 2026-11-30T10:00+01:60",
                                           "prune --older-than 0d --adapter codex",
                                           "prune --older-than 0d --since 1d",
                                           "prune --older-than 0d --refused",
                                           "prune",
                                           "prune --older-than -1d"};

    launch("a1", false, "r", "");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        ck_assert_msg(run(mem_printf(m, "haccess-log %s", commands[i])) == 2, "%s: %d", commands[i],
                      p.last.code);
    ck_assert_int_eq(run("test -f " FILE_OF("r")), 0);
}
END_TEST

START_TEST(prune_leaves_a_run_that_is_being_written)
{
    for (int i = 0; i < 2; i++)
        launch("a1", false, i == 0 ? "r1" : "r2", "");
    ck_assert_int_eq(run("touch -d 2001-01-01 state/runs/*/journal.jsonl; sed -i "
                         "'s/\"ts\":\"2026/\"ts\":\"2001/' state/runs/*/*.jsonl; "
                         "chmod 600 state/runs/*/*.jsonl; touch -d 2001-01-01 state/runs/*/journal.jsonl; "
                         "flock -n state/runs/r2/journal.jsonl haccess-log prune --older-than 1d"),
                     1);
    ck_assert_ptr_nonnull(strstr(p.last.err, "it is being written"));
    ck_assert_int_eq(run("test ! -e state/runs/r1 && test -e state/runs/r2/journal.jsonl"), 0);
}
END_TEST

START_TEST(prune_removes_nothing_but_runs)
{
    launch("a1", false, "old", "");
    launch("a1", false, "note", "");
    ck_assert_int_eq(run("mkdir other elsewhere state/runs/empty state/runs/.hidden; mv state/runs/old "
                         "elsewhere/; ln -s ../../elsewhere/old state/runs/old;"
                         "echo x >other/journal.jsonl; mkdir state/runs/link; ln -s "
                         "../../../other/journal.jsonl state/runs/link/journal.jsonl;"
                         "echo x >state/runs/note/NOTE; sed -i 's/\"ts\":\"2026/\"ts\":\"2001/' "
                         "state/runs/note/*.jsonl elsewhere/old/*.jsonl;"
                         "chmod 600 state/runs/note/*.jsonl; touch -h -d 2001-01-01 state/runs/*/* "
                         "elsewhere/old/* state/runs/* state/runs/.hidden;"
                         "haccess-log prune --older-than 1d"),
                     0);
    ck_assert_int_eq(
        run("test -f elsewhere/old/journal.jsonl && test -h state/runs/old && test -f other/journal.jsonl &&"
            "test -h state/runs/link/journal.jsonl && test -f state/runs/note/NOTE && test -d "
            "state/runs/.hidden"),
        0);
    ck_assert_int_eq(run("test -e state/runs/note/journal.jsonl"), 1);
    ck_assert_int_eq(run("test -e state/runs/empty"), 1);
}
END_TEST

START_TEST(verify_names_a_second_name)
{
    launch("a1", false, "r", "");
    ck_assert_int_eq(run("haccess-log verify"), 0);
    ck_assert_int_eq(run("ln " FILE_OF("r") " copy; haccess-log verify"), 1);
    ck_assert_ptr_nonnull(strstr(p.last.out, "hard link"));
}
END_TEST

START_TEST(verify_names_a_directory_that_others_can_write)
{
    launch("a1", false, "r", "");
    ck_assert_int_eq(run("haccess-log verify"), 0);
    ck_assert_int_eq(run("chmod 777 state/runs; haccess-log verify"), 1);
    ck_assert_ptr_nonnull(strstr(p.last.out, "/runs open to others: mode 0777, not 0700"));
    ck_assert_int_eq(run("chmod 700 state/runs; chmod 770 state/runs/r; haccess-log verify"), 1);
}
END_TEST

/* The record says full access; that nothing ran has to be said as well. */
START_TEST(a_failed_exec_is_told_to_programs)
{
    launch("a1", false, "r", "");
    APPEND(FILE_OF("r"), "{\"event\":\"agent.failed\",\"id\":\"a1\",\"errno\":\"ENOENT\"}\n");
    run("haccess-log proof");
    ck_assert_ptr_nonnull(
        strstr(p.last.out, "\"failed\":[\n{\"id\":\"a1\",\"seq\":null,\"ts\":null,\"errno\":\"ENOENT\","));
    run("haccess-log why a1 --json");
    ck_assert_ptr_nonnull(strstr(p.last.out, "\n{\"event\":\"agent.failed\""));
}
END_TEST

/* verify and proof say the same of each change that can be made to a file. */
START_TEST(verify_and_proof_agree)
{
    static const char *const changes[] = {
        "sed -i '2s/codex/Codex/' f", "sed -i 2d f",          "sed -i 1d f",
        "sed -i '2{h;d};3G' f",       "sed -i '2{p}' f",      "truncate -s -1 f",
        "truncate -s -20 f",          "printf '\\n' >>f",     "printf x >>f",
        "sed -i '1s/.*/null/' f",     "printf '\\000\\n' >>f"};

    for (int i = 0; i < 4; i++)
        launch("a1", false, "r", "");
    ck_assert_int_eq(run("cp " FILE_OF("r") " whole; haccess-log verify && haccess-log proof"), 0);
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        run(mem_printf(m, "cp whole f; %s; cat f >" FILE_OF("r") "; haccess-log verify", changes[i]));
        ck_assert_msg(p.last.code == 1, "%s: verify %d", changes[i], p.last.code);
        ck_assert_msg(run("haccess-log proof") == 1, "%s: proof", changes[i]);
    }
}
END_TEST

START_TEST(follow_goes_on_with_a_run_that_was_pruned)
{
    launch("a1", false, "r", "");
    ck_assert_int_eq(
        run("haccess-log follow --since 2026-11-01 >out & p=$!; i=0;"
            "until grep -q a1 out || [ $((i+=1)) -gt 80 ]; do sleep 0.05; done; cp -r state/runs/r keep; rm "
            "-r state/runs/r;"
            "sleep 0.1; mkdir -m 700 state/runs/r; sed 's/\"a1\"/\"a2\"/' keep/journal.jsonl "
            ">state/runs/r/journal.jsonl;"
            "until grep -q a2 out || [ $((i+=1)) -gt 160 ]; do sleep 0.05; done; kill $p; grep a2 out"),
        0);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("log, hostile");
    TCase *t = tcase_create("journals");
    SRunner *r = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_is_in_a_spool_is_shown_as_spooled_whatever_it_says);
    tcase_add_test(t, one_directory_is_read_once_however_it_is_called);
    tcase_add_test(t, json_is_valid_whatever_a_line_holds);
    tcase_add_test(t, filter_finds_what_is_written_in_another_way);
    tcase_add_loop_test(t, a_tree_of_any_shape_is_drawn_in_no_time, 0, 3);
    tcase_add_test(t, words_of_any_length_are_cut_in_no_time);
    tcase_add_test(t, a_hole_of_a_tebibyte_holds_no_view_up);
    tcase_add_test(t, lost_output_is_an_error);
    tcase_add_test(t, misread_filters_are_usage);
    tcase_add_test(t, prune_leaves_a_run_that_is_being_written);
    tcase_add_test(t, prune_removes_nothing_but_runs);
    tcase_add_test(t, verify_names_a_second_name);
    tcase_add_test(t, verify_names_a_directory_that_others_can_write);
    tcase_add_test(t, a_failed_exec_is_told_to_programs);
    tcase_add_test(t, verify_and_proof_agree);
    tcase_add_test(t, follow_goes_on_with_a_run_that_was_pruned);
    suite_add_tcase(s, t);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
