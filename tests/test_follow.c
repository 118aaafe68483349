/* haccess-log follow: each record once, as it is written, wherever and whenever. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shim/journal/journal.h"
#include "shim/mem.h"
#include "tests/support/spool.h"
#include "tests/support/tree.h"

/* Longer than anything takes that works. */
#define PATIENCE_MS 5000

/* In this time nothing more comes. */
#define QUIET_MS 150

static char *top;
static struct mem *m;
static pid_t follower;
static int out;
static char seen[1 << 20]; /* all that it printed */
static size_t nseen;

static void
setup(void)
{
    spool_hide();
    m = mem_new();
    top = tree_new();
    tree_mkdir(top, "tmp");
    follower = -1;
    nseen = 0;
    seen[0] = '\0';
}

static void
stop(void)
{
    if (follower != -1) {
        kill(follower, SIGKILL);
        waitpid(follower, NULL, 0);
        close(out);
    }
    follower = -1;
}

static void
teardown(void)
{
    stop();
    tree_remove(top);
    free(top);
    mem_free(m);
}

static int64_t
now_ms(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* From now on inotify is as on a kernel without it. */
static void
take_inotify(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_inotify_init1, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1)
        _exit(126);
}

/* A file of a process, which has no size; in the region. */
static const char *
proc_file(pid_t pid, const char *name)
{
    char text[8192] = "";
    FILE *f = fopen(mem_printf(m, "/proc/%d/%s", (int)pid, name), "r");

    if (f != NULL) {
        text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
        fclose(f);
    }
    return mem_strdup(m, text);
}

static bool
is_asleep(pid_t pid)
{
    return strstr(proc_file(pid, "stat"), ") S ") != NULL;
}

/* Starts haccess-log follow with more words (split at blanks), and waits until it waits. */
static void
follow(const char *words, bool inotify)
{
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    follower = fork();
    ck_assert_int_ne(follower, -1);
    if (follower == 0) {
        char *argv[8] = {mem_printf(m, "%s/haccess-log", getenv("HACCESS_BUILD")), mem_strdup(m, "follow")};
        char *rest = mem_strdup(m, words), *word;
        int n = 2;
        char *envp[] = {mem_printf(m, "HACCESS_STATE_DIR=%s/deep/down/state", top),
                        mem_printf(m, "TMPDIR=%s/tmp", top),
                        mem_strdup(m, "LANG=C.UTF-8"),
                        mem_strdup(m, "TZ=UTC"),
                        mem_strdup(m, "COLUMNS=100"),
                        NULL};

        while ((word = strsep(&rest, " ")) != NULL && n < 7)
            if (*word != '\0')
                argv[n++] = word;
        dup2(ends[1], STDOUT_FILENO);
        if (!inotify)
            take_inotify();
        execve(argv[0], argv, envp);
        _exit(127);
    }
    close(ends[1]);
    out = ends[0];
    for (int still = 0, tries = 0; still < 4; still = is_asleep(follower) ? still + 1 : 0) {
        ck_assert_int_lt(tries++, 1000);
        usleep(5000);
    }
}

/* Reads for so long, or until there is nothing that is waited for any more. */
static void
read_for(int ms, bool (*enough)(const void *), const void *what)
{
    int64_t until = now_ms(CLOCK_MONOTONIC) + ms, left;

    while ((enough == NULL || !enough(what)) && (left = until - now_ms(CLOCK_MONOTONIC)) > 0) {
        struct pollfd p = {out, POLLIN, 0};
        ssize_t n;

        if (poll(&p, 1, (int)left) != 1)
            continue;
        n = read(out, seen + nseen, sizeof(seen) - nseen - 1);
        ck_assert_int_gt(n, 0);
        seen[nseen += (size_t)n] = '\0';
    }
}

static size_t
times(const char *text)
{
    size_t n = 0;

    for (const char *at = seen; (at = strstr(at, text)) != NULL; at++)
        n++;
    return n;
}

static bool
is_seen(const void *text)
{
    return times(text) != 0;
}

/* Asserts that a record is shown, once. */
static void
expect(const char *mark)
{
    const char *text = mem_printf(m, "\"mark\":\"%s\"", mark);

    read_for(PATIENCE_MS, is_seen, text);
    ck_assert_msg(times(text) == 1, "%s: shown %zu times:\n%s", mark, times(text), seen);
}

/* Asserts that so many lines were printed in all, and no more come. */
static void
expect_lines(size_t n)
{
    read_for(QUIET_MS, NULL, NULL);
    ck_assert_msg(times("\n") == n, "%zu lines, not %zu:\n%s", times("\n"), n, seen);
}

/* Records a launch, in the place or the spool. */
static void
launch(const char *run, bool spool, const char *mark)
{
    struct journal_host where = {spool ? NULL : mem_printf(m, "%s/deep/down/state", top),
                                 mem_printf(m, "%s/tmp", top), geteuid(), now_ms(CLOCK_REALTIME)};
    const char *problem = "";
    struct journal *j = journal_open(&where, m, run, &problem);
    cJSON *o = cJSON_CreateObject();

    ck_assert_msg(j != NULL, "%s", problem);
    cJSON_AddStringToObject(o, "id", journal_next_id(j));
    cJSON_AddStringToObject(o, "adapter", "codex");
    cJSON_AddStringToObject(o, "mark", mark);
    ck_assert_int_eq(journal_append(j, "agent.start", o), 0);
    journal_close(j);
}

#define JOURNAL "deep/down/state/runs/r/journal.jsonl"

static const char *
path(const char *name)
{
    return mem_printf(m, "%s/%s", top, name);
}

/* Writes the journal anew, into the same file or another one of its name. */
static void
rewrite(const char *text, size_t n, bool same)
{
    const char *name = same ? path(JOURNAL) : path("new");
    int fd = open(name, O_WRONLY | O_TRUNC | O_CREAT, 0600);

    ck_assert_int_ne(fd, -1);
    ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
    close(fd);
    if (!same)
        ck_assert_int_eq(rename(name, path(JOURNAL)), 0);
}

/* Whether there is inotify or not, from here on: _i is 0 or 1. */
START_TEST(reader_may_start_before_anything_is_there)
{
    follow("--json", _i == 0);
    launch("r", false, "one");
    expect("one");
    launch("r", true, "two");
    expect("two");
    launch("s", true, "three");
    expect("three");
    launch("t", false, "four");
    expect("four");
    expect_lines(4);
}
END_TEST

START_TEST(what_was_there_before_is_not_shown)
{
    launch("r", false, "old");
    launch("s", true, "old");
    usleep(20000);
    follow("--json", true);
    launch("r", false, "one");
    launch("s", true, "two");
    expect("one");
    expect("two");
    expect_lines(2);
}
END_TEST

START_TEST(with_since_what_was_there_comes_first)
{
    launch("r", false, "one");
    launch("s", true, "two");
    follow("--json --since 1h", true);
    expect("one");
    expect("two");
    launch("r", false, "three");
    expect("three");
    expect_lines(3);
}
END_TEST

/* Writers at once, in both places of one run. */
START_TEST(each_record_is_shown_once)
{
    follow("--json", _i == 0);
    for (int w = 0; w < 4; w++)
        if (fork() == 0) {
            for (int i = 0; i < 40; i++)
                launch("r", w == 3, mem_printf(m, "%d-%d", w, i));
            _exit(0);
        }
    for (int w = 0; w < 4; w++)
        ck_assert_int_gt(waitpid(-1, NULL, 0), 0);
    for (int w = 0; w < 4; w++)
        for (int i = 0; i < 40; i++)
            expect(mem_printf(m, "%d-%d", w, i));
    expect_lines(160);
}
END_TEST

START_TEST(record_is_shown_when_it_is_whole)
{
    const char first[] = "{\"event\":\"agent.start\",\"id\":\"x\",", second[] = "\"mark\":\"x\"}\n";
    int fd;

    launch("r", false, "one");
    follow("--json --since 1h", true);
    expect("one");
    fd = open(path(JOURNAL), O_WRONLY | O_APPEND);
    ck_assert_int_eq(write(fd, first, sizeof(first) - 1), (ssize_t)sizeof(first) - 1);
    expect_lines(1);
    ck_assert_int_eq(write(fd, second, sizeof(second) - 1), (ssize_t)sizeof(second) - 1);
    close(fd);
    expect("x");
    expect_lines(2);
}
END_TEST

START_TEST(truncated_journal_is_followed)
{
    follow("--json", _i == 0);
    for (int i = 1; i <= 3; i++)
        launch("r", false, mem_printf(m, "%d", i));
    expect("3");
    ck_assert_int_eq(truncate(path(JOURNAL), 0), 0);
    launch("r", false, "4");
    expect("4");
    for (int i = 5; i <= 8; i++) /* it is longer now than it was */
        launch("r", false, mem_printf(m, "%d", i));
    expect("8");
    expect_lines(8);
}
END_TEST

/* Without its last record, and a part of the one before: what is left of that is a torn line. */
START_TEST(partly_truncated_journal_repeats_nothing)
{
    char *text;

    follow("--json", true);
    for (int i = 1; i <= 3; i++)
        launch("r", false, mem_printf(m, "%d", i));
    expect("3");
    text = tree_read(top, JOURNAL);
    *strrchr(text, '\n') = '\0';
    ck_assert_int_eq(truncate(path(JOURNAL), strrchr(text, '\n') + 1 - text - 10), 0);
    free(text);
    launch("r", false, "4");
    expect("4");
    ck_assert_uint_eq(times("{\"problem\":\"not a JSON object\",\"line\":2,"), 1);
    expect_lines(5);
}
END_TEST

START_TEST(rewritten_journal_repeats_nothing)
{
    char *text;

    follow("--json", true);
    for (int i = 1; i <= 3; i++)
        launch("r", false, mem_printf(m, "%d", i));
    expect("3");
    text = tree_read(top, JOURNAL);
    rewrite(text, strlen(text), _i == 0);
    launch("r", false, "4");
    expect("4");
    /* Without its first line, so that all stand elsewhere. */
    rewrite(strchr(text, '\n') + 1, strlen(strchr(text, '\n') + 1), _i == 0);
    free(text);
    launch("r", false, "5");
    expect("5");
    expect_lines(5);
}
END_TEST

START_TEST(removed_run_begins_again)
{
    follow("--json", true);
    launch("r", false, "1");
    expect("1");
    unlink(path(JOURNAL));
    rmdir(path("deep/down/state/runs/r"));
    launch("r", false, "2");
    expect("2");
    /* The whole place, too. */
    tree_remove(mem_strdup(m, path("deep")));
    launch("r", false, "3");
    expect("3");
    expect_lines(3);
}
END_TEST

/* The number of times that the process went to sleep. */
static long
sleeps(void)
{
    return atol(strstr(proc_file(follower, "status"), "\nvoluntary_ctxt_switches:") + 25);
}

/* How often something came into being in /tmp, where a spool may: that wakes it. */
static long
news_in_tmp(int fd)
{
    char block[4096];
    long n = 0;

    while (read(fd, block, sizeof(block)) > 0)
        n += (long)(sizeof(block) / sizeof(struct inotify_event));
    return n;
}

START_TEST(idle_reader_sleeps)
{
    int tmp = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    long before;

    ck_assert_int_ne(inotify_add_watch(tmp, "/tmp", IN_CREATE | IN_MOVED_TO), -1);
    for (int i = 0; i < 30; i++)
        launch(mem_printf(m, "r%d", i), false, "old");
    usleep(20000);
    follow("--json", true);
    news_in_tmp(tmp);
    before = sleeps();
    usleep(1200000);
    ck_assert_int_le(sleeps() - before, news_in_tmp(tmp));
    launch("r7", false, "one");
    expect("one");
    close(tmp);
}
END_TEST

START_TEST(reader_ends_with_the_reader_of_its_output)
{
    int64_t until = now_ms(CLOCK_MONOTONIC) + PATIENCE_MS;

    follow("--json", true);
    close(out);
    while (waitpid(follower, NULL, WNOHANG) == 0) {
        ck_assert_int_lt(now_ms(CLOCK_MONOTONIC), until);
        usleep(10000);
    }
    follower = -1;
}
END_TEST

START_TEST(text_has_launches_failures_and_what_is_not_known)
{
    struct journal_host where = {mem_printf(m, "%s/deep/down/state", top), mem_printf(m, "%s/tmp", top),
                                 geteuid(), now_ms(CLOCK_REALTIME)};
    const char *problem = "", *last = "x.later";
    struct journal *j;

    follow("", true);
    launch("r", true, "one");
    j = journal_open(&where, m, "r", &problem);
    journal_append(j, "worker_access.parent", cJSON_Parse("{\"state\":\"unknown\"}"));
    journal_append(j, "agent.failed", cJSON_Parse("{\"id\":\"a1\",\"errno\":\"ENOENT\"}"));
    journal_append(j, "x.later", cJSON_Parse("{\"colour\":\"\\u001b[31mblue\"}"));
    journal_close(j);
    read_for(PATIENCE_MS, is_seen, last);
    ck_assert_ptr_nonnull(strstr(seen, "r\n"));
    ck_assert_ptr_nonnull(strstr(seen, "s1   codex"));
    ck_assert_ptr_nonnull(strstr(seen, "a1  the exec failed: ENOENT"));
    ck_assert_ptr_nonnull(strstr(seen, "blue"));
    ck_assert_ptr_null(strstr(seen, "worker_access"));
    ck_assert_ptr_null(strchr(seen, '\033'));
    expect_lines(4);
}
END_TEST

START_TEST(filters_hold)
{
    follow("--json --adapter claude", true);
    launch("r", false, "one");
    expect_lines(0);
    stop();
    follow("--json --adapter codex", true);
    launch("r", false, "two");
    expect("two");
    expect_lines(1);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("follow");
    TCase *t = tcase_create("follow");
    SRunner *r;
    int failed;

    signal(SIGPIPE, SIG_IGN);
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, reader_may_start_before_anything_is_there, 0, 2);
    tcase_add_test(t, what_was_there_before_is_not_shown);
    tcase_add_test(t, with_since_what_was_there_comes_first);
    tcase_add_loop_test(t, each_record_is_shown_once, 0, 2);
    tcase_add_test(t, record_is_shown_when_it_is_whole);
    tcase_add_loop_test(t, truncated_journal_is_followed, 0, 2);
    tcase_add_test(t, partly_truncated_journal_repeats_nothing);
    tcase_add_loop_test(t, rewritten_journal_repeats_nothing, 0, 2);
    tcase_add_test(t, removed_run_begins_again);
    tcase_add_test(t, idle_reader_sleeps);
    tcase_add_test(t, reader_ends_with_the_reader_of_its_output);
    tcase_add_test(t, text_has_launches_failures_and_what_is_not_known);
    tcase_add_test(t, filters_hold);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
