/* haccess-log verify: each thing that can be done to a journal, and where it says that it was done. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/journal/journal.h"
#include "shim/mem.h"
#include "tests/support/journal_place.h"
#include "tests/support/tree.h"

#define JOURNAL "state/runs/r/journal.jsonl"
#define RECORDS 8

static struct journal_place p;
static struct mem *m;

static int
run(const char *command)
{
    return journal_place_run(&p, command);
}

static void
append(const char *run_id, bool spool, const char *event, const char *fields)
{
    journal_place_append(&p, run_id, spool, event, fields);
}

/* A run of eight launches, seq 0 to 7. */
static void
setup(void)
{
    journal_place_open(&p);
    m = p.m;
    strings_add(m, &p.env, "J=" JOURNAL);
    for (int i = 0; i < RECORDS; i++, p.now += 1000)
        append("r", false, "agent.start",
               mem_printf(m, "{\"id\":\"a%d\",\"pid\":%d,\"adapter\":\"codex\"}", i, 100 + i));
}

static void
teardown(void)
{
    journal_place_close(&p);
}

/* Changes the journal (f), and returns how many problems are found. */
static int
problems(const char *change)
{
    cJSON *o;
    int n;

    ck_assert_int_eq(run(mem_printf(m, "cp $J f && { %s; } && cat f >$J", change)), 0);
    run("haccess-log verify --json");
    o = cJSON_Parse(p.last.out);
    n = (int)cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(o, "problems_count"));
    cJSON_Delete(o);
    ck_assert_int_eq(p.last.code, n != 0);
    return n;
}

/* The byte at which a line of the journal begins. */
static long
begin_of(int line)
{
    char *text = tree_read(p.top, JOURNAL), *at = text;
    long byte;

    for (int i = 1; i < line && at != NULL; i++)
        at = strchr(at, '\n') == NULL ? NULL : strchr(at, '\n') + 1;
    byte = at == NULL ? -1 : at - text;
    free(text);
    return byte;
}

/* Asserts that one thing is found, of a kind, at a record and a line, in words. */
static void
assert_found(const char *change, const char *kind, int seq, int line, const char *what)
{
    int n = problems(change);

    ck_assert_msg(n == 1, "%s: %d problems: %s", change, n, p.last.out);
    ck_assert_msg(
        strstr(p.last.out,
               mem_printf(m, "{\"kind\":\"%s\",\"what\":\"%s\",\"seq\":%d,\"line\":%d,\"byte\":%ld}", kind,
                          what, seq, line, begin_of(line))) != NULL,
        "%s: %s", change, p.last.out);
    run("haccess-log verify");
    ck_assert_int_eq(p.last.code, 1);
    ck_assert_msg(strstr(p.last.out, mem_printf(m, "r  %d record", 1)) != NULL ||
                      strstr(p.last.out, "records  ") != NULL,
                  "%s", p.last.out);
    ck_assert_msg(strstr(p.last.out, mem_printf(m, "%s at seq %d: %s (line %d, byte %ld)\n",
                                                strcmp(kind, "torn") == 0 ? "TORN" : "BROKEN", seq, what,
                                                line, begin_of(line))) != NULL,
                  "%s: %s", change, p.last.out);
    ck_assert_ptr_nonnull(strstr(p.last.out, "1 of 1 run broken\n"));
    /* proof says so as well. */
    ck_assert_int_eq(run("haccess-log proof"), 1);
}

START_TEST(journal_as_it_was_written_is_whole)
{
    ck_assert_int_eq(problems(":"), 0);
    ck_assert_ptr_nonnull(strstr(p.last.out, "\"records\":8,\"chain\":\"ok\""));
    run("haccess-log verify");
    ck_assert_str_eq(p.last.out, "r  8 records  chain ok\n");
    /* Written to by more, it still is. */
    append("r", false, "agent.failed", "{\"id\":\"a1\"}");
    ck_assert_int_eq(problems(":"), 0);
}
END_TEST

START_TEST(changed_byte_is_found_in_its_record)
{
    for (int seq = 0; seq < RECORDS - 2; seq++) {
        assert_found(mem_printf(m, "sed -i '%ds/codex/Codex/' f", seq + 1), "changed", seq, seq + 1,
                     mem_printf(m, "it was changed: the prev of seq %d does not match", seq + 1));
        run(mem_printf(m, "sed -i '%ds/Codex/codex/' $J; chmod 600 $J", seq + 1));
        ck_assert_int_eq(problems(":"), 0);
    }
}
END_TEST

/* Any byte at all, but for those of the last record, which nothing refers to yet. */
START_TEST(no_byte_can_be_changed)
{
    long end = begin_of(RECORDS);

    for (long at = _i; at < end; at += 389) {
        char *text = tree_read(p.top, JOURNAL);

        ck_assert_int_ge(
            problems(mem_printf(m, "printf '\\%03o' | dd of=f bs=1 seek=%ld conv=notrunc 2>/dev/null",
                                (unsigned char)text[at] ^ 1u, at)),
            1);
        ck_assert_int_eq(run("haccess-log proof"), 1);
        unlink(mem_printf(m, "%s/" JOURNAL, p.top));
        tree_write(p.top, JOURNAL, text, 0600);
        free(text);
    }
}
END_TEST

/* The fields that the chain itself is made of. */
START_TEST(changed_chain_is_found)
{
    static const struct {
        const char *change, *what;
    } cases[] = {
        {"sed -i '4s/\"prev\":\"/&0/' f",
         "it was changed: its prev does not match, nor does the prev of the next"},
        {"sed -i '4s/\"seq\":3/\"seq\":7/' f", "its seq is 7"},
        {"sed -i '4s/\"seq\":3/\"seq\":2/' f", "its seq is 2"},
        {"sed -i '4s/\"seq\":3/\"seq\":\"3\"/' f", "no seq"},
        {"sed -i '4s/\"prev\":\"[^\"]*\",//' f",
         "it was changed: its prev does not match, nor does the prev of the next"},
    };

    assert_found(cases[_i].change, "changed", 3, 4, cases[_i].what);
}
END_TEST

/* Which of the two it was nothing tells any more. */
START_TEST(change_at_the_end_is_found)
{
    assert_found("sed -i '7s/codex/Codex/' f", "changed", 7, 8,
                 "prev does not match: it or the record before was changed");
    run("sed -i '7s/Codex/codex/' $J; chmod 600 $J");
    assert_found("sed -i '8s/\"prev\":\"/&0/' f", "changed", 7, 8,
                 "prev does not match: it or the record before was changed");
}
END_TEST

START_TEST(change_of_the_first_prev_is_found)
{
    assert_found("sed -i '1s/\"prev\":\"0/\"prev\":\"1/' f", "changed", 0, 1,
                 "it was changed: its prev does not match, nor does the prev of the next");
}
END_TEST

START_TEST(removed_records_are_found_where_they_were)
{
    static const struct {
        const char *change, *what;
        int seq, line;
    } cases[] = {
        {"sed -i 4d f", "seq 3 is missing before it", 4, 4},
        {"sed -i 4,6d f", "seq 3 to 5 are missing before it", 6, 4},
        {"sed -i 1d f", "seq 0 is missing before it", 1, 1},
        {"sed -i 7d f", "seq 6 is missing before it", 7, 7},
    };

    assert_found(cases[_i].change, "missing", cases[_i].seq, cases[_i].line, cases[_i].what);
}
END_TEST

/* A record that was made up: with the hash of the one before, or without. */
START_TEST(added_record_is_found)
{
    static const char *const adds[] = {
        "h=$(sed -n 4p f | tr -d '\\n' | sha256sum | cut -c1-64); sed -i \"4a "
        "{\\\"run_id\\\":\\\"r\\\",\\\"seq\\\":4,\\\"event\\\":\\\"x\\\",\\\"prev\\\":\\\"$h\\\"}\" f",
        "sed -i '4a {\"run_id\":\"r\",\"seq\":4,\"event\":\"x\",\"prev\":\"00\"}' f",
    };
    static const char *const what[] = {"put in: the record behind it goes on from the one before",
                                       "put in: its prev does not match, and no record refers to it"};

    assert_found(adds[_i], "added", 4, 5, what[_i]);
}
END_TEST

START_TEST(added_record_of_another_number_is_found)
{
    assert_found("sed -i '4a {\"run_id\":\"r\",\"seq\":1,\"event\":\"x\",\"prev\":\"00\"}' f", "added", 4, 5,
                 "put in or out of order: its seq is 1");
}
END_TEST

START_TEST(doubled_record_is_found)
{
    static const struct {
        const char *change;
        int seq, line, of;
    } cases[] = {
        {"sed -i 4p f", 4, 5, 3},                              /* at once */
        {"sed -n 2p f >x; sed -i '6r x' f", 6, 7, 1},          /* later */
        {"sed -n 8p f >x; sed -i '8r x' f", 8, 9, 7},          /* the last */
        {"sed -n 3p f >x; sed -i -e '6r x' -e 6d f", 5, 6, 2}, /* in place of another */
    };

    assert_found(cases[_i].change, "doubled", cases[_i].seq, cases[_i].line,
                 mem_printf(m, "a copy of seq %d in line %d", cases[_i].of, cases[_i].of + 1));
}
END_TEST

START_TEST(reordered_records_are_found)
{
    static const struct {
        const char *change;
        int seq, line, before;
    } cases[] = {
        {"sed -i '4{h;d};5G' f", 3, 5, 4},                     /* two that are neighbours */
        {"sed -n 3p f >x; sed -i -e '7r x' -e 3d f", 2, 7, 3}, /* one comes late */
        {"sed -n 7p f >x; sed -i -e '3r x' -e 7d f", 3, 5, 6}, /* one comes early */
        {"sed -i '1{h;d};2G' f", 0, 2, 1},                     /* the first */
        {"sed -i '7{h;d};8G' f", 6, 8, 7},                     /* the last */
    };

    assert_found(cases[_i].change, "reordered", cases[_i].seq, cases[_i].line,
                 mem_printf(m, "out of order: seq %d stands before it", cases[_i].before));
}
END_TEST

START_TEST(torn_line_is_found)
{
    assert_found("truncate -s -30 f", "torn", 7, 8, "the line has no end");
    /* Only its end is missing. */
    ck_assert_int_eq(run("printf 'x\\n' >>$J; sed -i '$d' $J; chmod 600 $J"), 0);
}
END_TEST

START_TEST(missing_end_is_found)
{
    assert_found("truncate -s -1 f", "torn", 7, 8, "the line has no end");
}
END_TEST

/* The writer goes on over a torn line: that one is told, the rest is as it should be. */
START_TEST(torn_line_in_the_middle_is_found_alone)
{
    run("truncate -s -30 $J");
    append("r", false, "agent.start", "{\"id\":\"a9\"}");
    append("r", false, "agent.start", "{\"id\":\"a10\"}");
    assert_found(":", "unreadable", 7, 8, "not a JSON object");
}
END_TEST

START_TEST(line_that_became_unreadable_is_found_alone)
{
    assert_found("sed -i '4s/.*/null/' f", "unreadable", 3, 4, "not a JSON object");
}
END_TEST

START_TEST(blank_line_is_found)
{
    assert_found("sed -i '4G' f", "unreadable", 4, 5, "not a JSON object");
}
END_TEST

START_TEST(records_of_another_run_are_found)
{
    ck_assert_int_eq(run("mv state/runs/r state/runs/q; haccess-log verify"), 1);
    ck_assert_ptr_nonnull(
        strstr(p.last.out, "q  8 records  BROKEN at seq 0: run_id is another run's (line 1, byte 0)\n"));
}
END_TEST

START_TEST(wrong_modes_are_found)
{
    static const struct {
        const char *path;
        int right, wrong;
    } cases[] = {{JOURNAL, 0600, 0644},      {JOURNAL, 0600, 0660},        {JOURNAL, 0600, 0400},
                 {JOURNAL, 0600, 04600},     {"state/runs/r", 0700, 0755}, {"state/runs/r", 0700, 0770},
                 {"state/runs", 0700, 0711}, {"state/runs", 0700, 01777}};
    const char *path = mem_printf(m, "%s/%s", p.top, cases[_i].path);
    const char *what =
        mem_printf(m, "mode %04o, not %04o\n", (unsigned)cases[_i].wrong, (unsigned)cases[_i].right);

    ck_assert_int_eq(run("haccess-log verify"), 0);
    ck_assert_int_eq(chmod(path, (mode_t)cases[_i].wrong), 0);
    if (geteuid() != 0 && cases[_i].wrong == 0400 && access(path, R_OK) != 0)
        return;
    ck_assert_int_eq(run("haccess-log verify"), 1);
    ck_assert_msg(strstr(p.last.out, what) != NULL, "%s%s", p.last.out, what);
    ck_assert(strcmp(cases[_i].path, JOURNAL) == 0 || strstr(p.last.out, cases[_i].path) != NULL);
    run("haccess-log verify --json");
    ck_assert_ptr_nonnull(strstr(p.last.out, "{\"kind\":\"mode\",\"what\":"));
    ck_assert_int_eq(chmod(path, (mode_t)cases[_i].right), 0);
    ck_assert_int_eq(run("haccess-log verify"), 0);
}
END_TEST

START_TEST(wrong_owner_is_found)
{
    static const char *const paths[] = {JOURNAL, "state/runs/r", "state/runs"};

    for (size_t i = 0; i < 3; i++) {
        const char *path = mem_printf(m, "%s/%s", p.top, paths[i]);

        if (geteuid() != 0 || chown(path, 12345, (gid_t)-1) == -1)
            return; /* only root can give a file away */
        ck_assert_int_eq(run("haccess-log verify"), 1);
        ck_assert_ptr_nonnull(strstr(p.last.out, "belongs to uid 12345"));
        ck_assert(i == 0 || strstr(p.last.out, paths[i]) != NULL);
        ck_assert_int_eq(chown(path, geteuid(), (gid_t)-1), 0);
        ck_assert_int_eq(run("haccess-log verify"), 0);
    }
}
END_TEST

/* A run is in the spool for what its sandboxed sessions launch: that alone is as it should be. */
START_TEST(run_in_two_places_is_whole)
{
    append("r", true, "agent.start", "{\"id\":\"s1\",\"pid\":300}");
    p.now += 1000;
    append("r", true, "agent.start", "{\"id\":\"s2\",\"pid\":301}");
    ck_assert_int_eq(run("haccess-log verify"), 0);
    ck_assert_ptr_nonnull(strstr(p.last.out, "r  8 records  chain ok\n    "));
    ck_assert_ptr_nonnull(strstr(p.last.out, "r  2 records  chain ok  (spooled)\n    "));
}
END_TEST

/* One launch in both is not. */
START_TEST(spooled_launch_that_is_in_the_place_too_is_found)
{
    for (int i = 0; i < 2; i++, p.now += 1000) {
        const char *fields =
            mem_printf(m, "{\"id\":\"x%d\",\"pid\":%d,\"adapter\":\"codex\",\"cwd\":\"/w\"}", i, 300 + i);

        append("r", true, "agent.start", fields);
        append("r", i == 0, "agent.start", i == 0 ? "{\"id\":\"y\",\"pid\":400}" : fields);
    }
    ck_assert_int_eq(run("haccess-log verify"), 1);
    ck_assert_ptr_nonnull(strstr(p.last.out, "BROKEN at seq 2: this launch is also in line 9 of "));
    ck_assert_ptr_nonnull(strstr(p.last.out, "1 of 1 run broken"));
    run("haccess-log verify --json");
    ck_assert_ptr_nonnull(
        strstr(p.last.out, "{\"kind\":\"twice\",\"what\":\"this launch is also in line 9 of "));
    ck_assert_ptr_nonnull(strstr(p.last.out, ",\"seq\":2,\"line\":3,\"byte\":"));
}
END_TEST

START_TEST(spooled_journal_that_was_put_into_the_place_is_found)
{
    append("s", true, "run.start", "{}");
    append("s", true, "agent.start", "{\"id\":\"s1\"}");
    ck_assert_int_eq(run("haccess-log verify s"), 0);
    ck_assert_int_eq(run("mkdir -m 700 state/runs/s; cp -p $SPOOL/runs/s/journal.jsonl state/runs/s/; "
                         "haccess-log verify s"),
                     1);
    ck_assert_ptr_nonnull(strstr(
        p.last.out, "BROKEN at seq 0: it says that it is spooled, and is not in a spool (line 1, byte 0)"));
    ck_assert_ptr_nonnull(strstr(p.last.out, "this launch is also in line 2 of "));
}
END_TEST

START_TEST(journal_of_the_place_that_was_put_into_a_spool_is_found)
{
    append("s", true, "run.start", "{}");
    ck_assert_int_eq(run("rm -r $SPOOL/runs/s; cp -rp state/runs/r $SPOOL/runs/; rm -r state/runs/r; "
                         "haccess-log verify r"),
                     1);
    ck_assert_ptr_nonnull(
        strstr(p.last.out, "BROKEN at seq 0: it does not say that it is spooled (line 1, byte 0)"));
}
END_TEST

START_TEST(many_problems_are_counted)
{
    int n = problems("for i in 1 2 3 4 5 6; do cat f; done >x; cat x x x x >f");

    ck_assert_int_eq(n, 23 * RECORDS);
    run("haccess-log verify");
    ck_assert_ptr_nonnull(strstr(p.last.out, mem_printf(m, "    and %d more\n", n - 20)));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("verify");
    TCase *t = tcase_create("verify");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, journal_as_it_was_written_is_whole);
    tcase_add_test(t, changed_byte_is_found_in_its_record);
    tcase_add_loop_test(t, no_byte_can_be_changed, 0, 4);
    tcase_add_loop_test(t, changed_chain_is_found, 0, 5);
    tcase_add_test(t, change_at_the_end_is_found);
    tcase_add_test(t, change_of_the_first_prev_is_found);
    tcase_add_loop_test(t, removed_records_are_found_where_they_were, 0, 4);
    tcase_add_loop_test(t, added_record_is_found, 0, 2);
    tcase_add_test(t, added_record_of_another_number_is_found);
    tcase_add_loop_test(t, doubled_record_is_found, 0, 4);
    tcase_add_loop_test(t, reordered_records_are_found, 0, 5);
    tcase_add_test(t, torn_line_is_found);
    tcase_add_test(t, missing_end_is_found);
    tcase_add_test(t, torn_line_in_the_middle_is_found_alone);
    tcase_add_test(t, line_that_became_unreadable_is_found_alone);
    tcase_add_test(t, blank_line_is_found);
    tcase_add_test(t, records_of_another_run_are_found);
    tcase_add_loop_test(t, wrong_modes_are_found, 0, 8);
    tcase_add_test(t, wrong_owner_is_found);
    tcase_add_test(t, run_in_two_places_is_whole);
    tcase_add_test(t, spooled_launch_that_is_in_the_place_too_is_found);
    tcase_add_test(t, spooled_journal_that_was_put_into_the_place_is_found);
    tcase_add_test(t, journal_of_the_place_that_was_put_into_a_spool_is_found);
    tcase_add_test(t, many_problems_are_counted);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
