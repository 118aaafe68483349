/* The reader's rules: nothing that a journal holds is fatal, and nothing is dropped. */
#include "shim/journal/reader.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/spool.h"
#include "tests/support/tree.h"

static char *top;
static struct mem *mem;
static struct journal_host where;
static struct strings problems;

static void
setup(void)
{
    spool_hide();
    mem = mem_new();
    top = tree_new();
    where.state = mem_printf(mem, "%s/state", top);
    where.spool = mem_printf(mem, "%s/tmp", top);
    where.uid = geteuid();
    where.now = 1796070555123;
    tree_mkdir(top, "tmp");
    memset(&problems, 0, sizeof(problems));
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

/* Writes one launch of a run at a time, in the place or in the spool. */
static void
launch(const char *run, int64_t at, bool spool)
{
    struct journal_host w = where;
    const char *problem = "";
    struct journal *j;
    cJSON *fields = cJSON_CreateObject();

    w.now = at;
    if (spool)
        w.state = NULL;
    j = journal_open(&w, mem, run, &problem);
    ck_assert_msg(j != NULL, "%s", problem);
    cJSON_AddStringToObject(fields, "id", journal_next_id(j));
    ck_assert_int_eq(journal_append(j, "agent.start", fields), 0);
    journal_close(j);
}

static void
spill(const char *run, const char *text, size_t n)
{
    char *path = mem_printf(mem, "%s/runs/%s/journal.jsonl", where.state, run);
    int fd = open(path, O_WRONLY | O_APPEND);

    ck_assert_int_ne(fd, -1);
    ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
    close(fd);
}

static struct run_list
list(void)
{
    struct run_list l;

    run_list_read(&where, mem, &l);
    return l;
}

/* The ids of a run's records in order, "?" for what cannot be read, "!" behind what does not fit the chain. */
static const char *
ids(const char *run)
{
    struct run_list l = list();
    const char *problem = "", *text = "";
    const struct run_entry *entry = run_list_find(&l, mem, run, &problem);
    struct run_reader *r;
    struct entry e;

    ck_assert_msg(entry != NULL, "%s", problem);
    r = run_open(entry, &where, mem, true, &problems);
    while (run_next(r, &e)) {
        const char *id = record_string(e.record, "id");

        ck_assert((e.record == NULL) == (e.problem != NULL));
        text = mem_printf(mem, "%s %s%s", text,
                          e.record == NULL ? "?"
                          : id == NULL     ? "-"
                                           : id,
                          e.broken != NULL ? "!" : "");
    }
    run_close(r);
    return text;
}

START_TEST(runs_come_newest_first)
{
    struct run_list l;

    launch("b", 1796070000000, false);
    launch("a", 1796070002000, false);
    launch("c", 1796070001000, false);
    launch("b", 1796070009000, false);
    l = list();
    ck_assert_uint_eq(l.count, 3);
    ck_assert_str_eq(l.items[0].id, "a");
    ck_assert_str_eq(l.items[1].id, "c");
    ck_assert_str_eq(l.items[2].id, "b");
    ck_assert_int_eq(l.items[2].started, 1796070000000);
    ck_assert_uint_eq(l.problems.count, 0);
}
END_TEST

START_TEST(no_places_are_no_runs)
{
    struct run_list l = list();
    const char *problem = NULL;

    ck_assert_uint_eq(l.count, 0);
    ck_assert_uint_eq(l.problems.count, 0);
    ck_assert_ptr_null(run_list_find(&l, mem, NULL, &problem));
    ck_assert_ptr_nonnull(problem);
    where.state = NULL;
    l = list();
    ck_assert_uint_eq(l.count, 0);
}
END_TEST

START_TEST(run_is_named_by_id_prefix_or_number)
{
    static const char *const bad[] = {"@0",   "@", "@x", "@-1", "@4", "@99999999999999999999",
                                      "run-", "x", "@1x"};
    struct run_list l;
    const char *problem;

    launch("run-1", 1796070000000, false);
    launch("run-11", 1796070001000, false);
    launch("run-2", 1796070002000, false);
    l = list();
    ck_assert_str_eq(run_list_find(&l, mem, NULL, &problem)->id, "run-2");
    ck_assert_str_eq(run_list_find(&l, mem, "@1", &problem)->id, "run-2");
    ck_assert_str_eq(run_list_find(&l, mem, "@3", &problem)->id, "run-1");
    ck_assert_str_eq(run_list_find(&l, mem, "run-1", &problem)->id, "run-1");
    ck_assert_str_eq(run_list_find(&l, mem, "run-11", &problem)->id, "run-11");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        problem = NULL;
        ck_assert_ptr_null(run_list_find(&l, mem, bad[i], &problem));
        ck_assert_ptr_nonnull(problem);
    }
}
END_TEST

START_TEST(places_are_one_run_in_order_of_time)
{
    struct run_list l;

    launch("r", 1796070000000, false);
    launch("r", 1796070001000, true);
    launch("r", 1796070002000, false);
    launch("r", 1796070003000, true);
    launch("r", 1796070003000, false);
    l = list();
    ck_assert_uint_eq(l.count, 1);
    ck_assert_uint_eq(l.items[0].nfiles, 2);
    ck_assert_str_eq(ids("r"), " a1 s1 a2 a3 s2");
}
END_TEST

START_TEST(run_that_is_only_in_the_spool_is_found)
{
    launch("r", 1796070000000, true);
    ck_assert_str_eq(ids("r"), " s1");
}
END_TEST

START_TEST(every_spool_of_a_run_is_read)
{
    struct journal_host inside = where;
    const char *tmp = where.spool;

    launch("r", 1796070000000, false);
    launch("r", 1796070001000, true);
    /* TMPDIR in claude's sandbox */
    tree_mkdir(top, mem_printf(mem, "tmp/claude-%u", (unsigned)where.uid));
    where.spool = mem_printf(mem, "%s/claude-%u", tmp, (unsigned)where.uid);
    launch("r", 1796070002000, true);
    where = inside;
    ck_assert_str_eq(ids("r"), " a1 s1 s1");
}
END_TEST

START_TEST(spool_of_others_is_not_read)
{
    struct run_list l;

    launch("r", 1796070000000, true);
    chmod(mem_printf(mem, "%s/haccess-%u", where.spool, (unsigned)where.uid), 0777);
    l = list();
    ck_assert_uint_eq(l.count, 0);
    ck_assert_uint_eq(l.problems.count, 1);
    chmod(mem_printf(mem, "%s/haccess-%u", where.spool, (unsigned)where.uid), 0700);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(mem_printf(mem, "%s/haccess-0", where.spool), 12345, 12345), 0);
        l = list();
        ck_assert_uint_eq(l.count, 0);
    }
}
END_TEST

START_TEST(links_are_not_read)
{
    struct run_list l;

    launch("r", 1796070000000, false);
    ck_assert_int_eq(symlink("r", mem_printf(mem, "%s/runs/s", where.state)), 0);
    tree_mkdir(top, "state/runs/t");
    ck_assert_int_eq(symlink("../r/journal.jsonl", mem_printf(mem, "%s/runs/t/journal.jsonl", where.state)),
                     0);
    tree_mkdir(top, "state/runs/u/journal.jsonl");
    tree_mkdir(top, "state/runs/v");
    ck_assert_int_eq(mkfifo(mem_printf(mem, "%s/runs/v/journal.jsonl", where.state), 0600), 0);
    l = list();
    ck_assert_uint_eq(l.count, 1);
}
END_TEST

START_TEST(unreadable_lines_are_given_as_such)
{
    static const char *const lines[] = {"\n", "null\n", "[{}]\n", "{\"a\":\n", "\xff\n", "{} {}\n", "{}\n"};
    static char huge[200000];

    launch("r", 1796070000000, false);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        spill("r", lines[i], strlen(lines[i]));
    memset(huge, '[', sizeof(huge));
    huge[sizeof(huge) - 1] = '\n';
    spill("r", huge, sizeof(huge));
    spill("r", "a\0b\n", 4);
    launch("r", 1796070001000, false);
    ck_assert_str_eq(ids("r"), " a1 ? ? ? ? ? ? -! ? ? a10");
    spill("r", "{\"torn", 6);
    ck_assert_str_eq(ids("r"), " a1 ? ? ? ? ? ? -! ? ? a10 ?");
    launch("r", 1796070002000, false);
    ck_assert_str_eq(ids("r"), " a1 ? ? ? ? ? ? -! ? ? a10 ? a12");
}
END_TEST

START_TEST(deep_nesting_is_no_record)
{
    static char deep[16000];

    launch("r", 1796070000000, false);
    memset(deep, '[', sizeof(deep));
    memcpy(deep, "{\"a\":", 5);
    deep[sizeof(deep) - 1] = '\n';
    spill("r", deep, sizeof(deep));
    ck_assert_str_eq(ids("r"), " a1 ?");
}
END_TEST

START_TEST(changes_break_the_chain)
{
    char *path, *text, *at;

    for (int i = 0; i < 4; i++)
        launch("r", 1796070000000 + i, false);
    ck_assert_str_eq(ids("r"), " a1 a2 a3 a4");
    path = mem_printf(mem, "%s/runs/r/journal.jsonl", where.state);
    text = tree_read(top, "state/runs/r/journal.jsonl");
    if (_i == 0) { /* a word changed */
        at = strstr(text, "\"a2\"");
        memcpy(at, "\"a7\"", 4);
        ck_assert_int_eq(unlink(path), 0);
        tree_write(top, "state/runs/r/journal.jsonl", text, 0600);
        ck_assert_str_eq(ids("r"), " a1 a7 a3! a4");
    } else if (_i == 1) { /* a line removed */
        at = strchr(text, '\n') + 1;
        memmove(at, strchr(at, '\n') + 1, strlen(strchr(at, '\n') + 1) + 1);
        ck_assert_int_eq(unlink(path), 0);
        tree_write(top, "state/runs/r/journal.jsonl", text, 0600);
        ck_assert_str_eq(ids("r"), " a1 a3! a4!");
    } else { /* another run's file */
        ck_assert_int_eq(
            rename(mem_printf(mem, "%s/runs/r", where.state), mem_printf(mem, "%s/runs/q", where.state)), 0);
        ck_assert_str_eq(ids("q"), " a1! a2! a3! a4!");
    }
    free(text);
}
END_TEST

START_TEST(what_is_written_later_is_given_later)
{
    struct run_list l;
    struct run_reader *r;
    struct entry e;

    launch("r", 1796070000000, false);
    l = list();
    r = run_open(&l.items[0], &where, mem, true, &problems);
    ck_assert(run_next(r, &e));
    ck_assert(!run_next(r, &e));
    ck_assert(!run_next(r, &e));
    launch("r", 1796070001000, false);
    ck_assert(run_next(r, &e));
    ck_assert_str_eq(record_string(e.record, "id"), "a2");
    ck_assert_ptr_null(e.broken);
    ck_assert(!run_next(r, &e));
    run_close(r);
}
END_TEST

START_TEST(line_in_the_middle_of_being_written_is_waited_for)
{
    struct run_list l;
    struct run_reader *r;
    struct entry e;
    pid_t pid;
    int fd, ready[2];
    char c;

    launch("r", 1796070000000, false);
    ck_assert_int_eq(pipe(ready), 0);
    pid = fork();
    ck_assert_int_ne(pid, -1);
    if (pid == 0) {
        fd = open(mem_printf(mem, "%s/runs/r/journal.jsonl", where.state), O_RDWR | O_APPEND);
        flock(fd, LOCK_EX);
        spill("r", "{\"id\":", 6);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        usleep(30000);
        spill("r", "\"x\"}\n", 5);
        _exit(0);
    }
    ck_assert_int_eq(read(ready[0], &c, 1), 1);
    l = list();
    r = run_open(&l.items[0], &where, mem, false, &problems);
    ck_assert(run_next(r, &e));
    ck_assert(run_next(r, &e));
    ck_assert_ptr_null(e.problem);
    ck_assert_str_eq(record_string(e.record, "id"), "x");
    run_close(r);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}
END_TEST

START_TEST(times_are_read)
{
    ck_assert_int_eq(record_time("2026-11-30T20:29:15.123Z"), 1796070555123);
    ck_assert_int_eq(record_time("2026-11-30T20:29:15Z"), 1796070555000);
    ck_assert_int_eq(record_time(NULL), -1);
    ck_assert_int_eq(record_time(""), -1);
    ck_assert_int_eq(record_time("2026-11-30T20:29:15.123"), -1);
    ck_assert_int_eq(record_time("1826-11-30T20:29:15.123Z"), -1);
    ck_assert_int_eq(record_time("2026-11-30T20:29:15.99999999999999999999Z"), 1796070555999);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("reader");
    TCase *c = tcase_create("reader");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, runs_come_newest_first);
    tcase_add_test(c, no_places_are_no_runs);
    tcase_add_test(c, run_is_named_by_id_prefix_or_number);
    tcase_add_test(c, places_are_one_run_in_order_of_time);
    tcase_add_test(c, run_that_is_only_in_the_spool_is_found);
    tcase_add_test(c, every_spool_of_a_run_is_read);
    tcase_add_test(c, spool_of_others_is_not_read);
    tcase_add_test(c, links_are_not_read);
    tcase_add_test(c, unreadable_lines_are_given_as_such);
    tcase_add_test(c, deep_nesting_is_no_record);
    tcase_add_loop_test(c, changes_break_the_chain, 0, 3);
    tcase_add_test(c, what_is_written_later_is_given_later);
    tcase_add_test(c, line_in_the_middle_of_being_written_is_waited_for);
    tcase_add_test(c, times_are_read);
    suite_add_tcase(s, c);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
