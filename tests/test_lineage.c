/* The processes above a launch, and the run it belongs to, in a made-up /proc. */
#include "shim/decide/lineage.h"
#include "shim/journal/journal.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tree.h"

#define HERTZ 100

static struct mem *mem;
static char *top;
static struct host host;
static struct lineage line;
static char *no_environment[] = {NULL};

static void
setup(void)
{
    mem = mem_new();
    top = tree_new();
    memset(&host, 0, sizeof(host));
    host.envp = no_environment;
    host.uid = geteuid();
    host.pid = 500;
    host.proc = top;
    host.cwd = "/home/user/project";
    host.now = 1796070555123;
    /* 2026-11-30T20:29:00Z; the processes start seconds later. */
    tree_write(top, "stat", "cpu  1 2 3\nintr 5\nctxt 1\nbtime 1796070540\nprocesses 1\n", 0644);
    tree_write(top, "sys/kernel/random/boot_id", "1b4e28ba-2fa1-11d2-883f-0016d3cca427\n", 0644);
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

/* Writes n bytes, NULs among them. */
static void
put(const char *file, const char *bytes, size_t n)
{
    FILE *f;

    tree_write(top, file, "", 0644);
    f = fopen(mem_printf(mem, "%s/%s", top, file), "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* A process; environment and command line with a NUL after each string, as C strings with ';' for NUL. */
static void
process(pid_t pid, pid_t parent, pid_t session, unsigned second, const char *comm, const char *env,
        const char *cmd)
{
    char *e = mem_strdup(mem, env), *c = mem_strdup(mem, cmd);

    tree_write(
        top, mem_printf(mem, "%d/stat", pid),
        mem_printf(
            mem,
            "%d (%s) S %d %d %d 34816 99 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %u 999 1 18446744073709551615\n",
            pid, comm, parent, pid, session, second * HERTZ),
        0644);
    for (char *p = e; *p != '\0'; p++)
        if (*p == ';')
            *p = '\0';
    for (char *p = c; *p != '\0'; p++)
        if (*p == ';')
            *p = '\0';
    put(mem_printf(mem, "%d/environ", pid), e, strlen(env));
    put(mem_printf(mem, "%d/cmdline", pid), c, strlen(cmd));
}

static void
read_lineage(void)
{
    lineage_read(&host, mem, &line);
}

static const char *
run_id(void)
{
    struct run run;

    read_lineage();
    run_find(&host, mem, &line, &run);
    return run.id;
}

static pid_t
run_root(void)
{
    struct run run;

    read_lineage();
    run_find(&host, mem, &line, &run);
    ck_assert(run_id_valid(run.id));
    return run.pid;
}

START_TEST(parents_come_first_up_to_pid_1)
{
    process(1, 0, 1, 0, "init", "", "/sbin/init;");
    process(300, 1, 300, 1, "bash", "HACCESS_RUN_ID=r;", "-bash;");
    process(500, 300, 300, 2, "haccess-exec", "", "codex;exec;");
    read_lineage();
    ck_assert_uint_eq(line.count, 2);
    ck_assert_int_eq(line.self.pid, 500);
    ck_assert_int_eq(line.self.parent, 300);
    ck_assert_int_eq(line.self.session, 300);
    ck_assert_int_eq(line.self.tty, 34816);
    ck_assert_uint_eq(line.self.start, 2 * HERTZ);
    ck_assert_str_eq(line.self.argv[1], "exec");
    ck_assert_int_eq(line.items[0].pid, 300);
    ck_assert_str_eq(line.items[0].argv[0], "-bash");
    ck_assert_int_eq(line.items[1].pid, 1);
    ck_assert_int_eq(line.items[1].parent, 0);
    ck_assert_uint_eq(line.items[0].uid, geteuid());
}
END_TEST

START_TEST(a_name_may_hold_anything)
{
    process(300, 1, 300, 1, ") S 1 (a b", "", "x;");
    process(500, 300, 300, 2, "a) R 7 8 9 (\n) ", "", "codex;");
    read_lineage();
    ck_assert_int_eq(line.self.parent, 300);
    ck_assert_uint_eq(line.self.start, 2 * HERTZ);
    ck_assert_int_eq(line.items[0].parent, 1);
}
END_TEST

START_TEST(a_process_that_vanished_ends_it)
{
    process(300, 200, 300, 1, "bash", "", "bash;");
    process(500, 300, 300, 2, "x", "", "codex;");
    read_lineage();
    ck_assert_uint_eq(line.count, 1);
    tree_write(top, "200/stat", "200 (torn) S", 0644);
    read_lineage();
    ck_assert_uint_eq(line.count, 1);
    host.pid = 600;
    read_lineage();
    ck_assert_uint_eq(line.count, 0);
    ck_assert_int_eq(line.self.pid, 600);
}
END_TEST

START_TEST(a_parent_younger_than_its_child_is_a_stranger)
{
    process(300, 1, 300, 9, "other", "CODEX_THREAD_ID=x;", "other;");
    process(500, 300, 300, 2, "x", "", "codex;");
    read_lineage();
    ck_assert_uint_eq(line.count, 0);
}
END_TEST

START_TEST(a_circle_ends)
{
    process(300, 500, 300, 2, "a", "", "a;");
    process(500, 300, 300, 2, "b", "", "b;");
    read_lineage();
    ck_assert_uint_ge(line.count, 2);
}
END_TEST

START_TEST(only_what_is_asked_for_is_kept_of_an_environment)
{
    static char *own[] = {"HOME=/x", "HACCESS_LANE=read", "CODEX_THREAD_ID=own", NULL};
    char **e;

    process(
        300, 1, 300, 1, "bash",
        "PATH=/bin;CODEX_THREAD_ID=t;CODEX_THREAD_IDX=no;CODEX_SANDBOX_NETWORK_DISABLED=1;SANDBOX_RUNTIME=1;"
        "SANDBOX_RUNTIME2=no;LD_PRELOAD=/"
        "l.so;HACCESS_RUN_ID=r;SECRET=HACCESS_;CURSOR_AGENT=1;CODEX_SANDBOX=;",
        "bash;");
    process(500, 300, 300, 2, "x", "NOT=read;CODEX_THREAD_ID=not;", "codex;");
    host.envp = own;
    read_lineage();
    e = line.items[0].envp;
    ck_assert_str_eq(e[0], "CODEX_THREAD_ID=t");
    ck_assert_str_eq(e[1], "CODEX_SANDBOX_NETWORK_DISABLED=1");
    ck_assert_str_eq(e[2], "SANDBOX_RUNTIME=1");
    ck_assert_str_eq(e[3], "LD_PRELOAD=/l.so");
    ck_assert_str_eq(e[4], "HACCESS_RUN_ID=r");
    ck_assert_str_eq(e[5], "CURSOR_AGENT=1");
    ck_assert_str_eq(e[6], "CODEX_SANDBOX=");
    ck_assert_ptr_null(e[7]);
    ck_assert_str_eq(line.self.envp[0], "HACCESS_LANE=read");
    ck_assert_str_eq(line.self.envp[1], "CODEX_THREAD_ID=own");
    ck_assert_ptr_null(line.self.envp[2]);
}
END_TEST

START_TEST(an_environment_of_megabytes_is_read_to_its_end)
{
    size_t n = 5 << 20, at = 0;
    char *big = calloc(1, n + 64);

    ck_assert_ptr_nonnull(big);
    /* Entries of every length up to 128 KiB, so that they lie across the blocks in all ways; then one longer than any. */
    for (size_t length = 5; at + length<n; length = length * 2> 131071 ? 7 : length * 2 + 1) {
        memset(big + at, 'A', length);
        big[at + 1] = '=';
        at += length + 1;
    }
    memcpy(big + at, "CODEX_THREAD_ID=far", 20);
    process(300, 1, 300, 1, "bash", "", "bash;");
    process(500, 300, 300, 2, "x", "", "codex;");
    put("300/environ", big, at + 20);
    read_lineage();
    ck_assert_str_eq(line.items[0].envp[0], "CODEX_THREAD_ID=far");
    ck_assert_ptr_null(line.items[0].envp[1]);
    memset(big, 'B', 1 << 20);
    big[(1 << 20) - 1] = '\0';
    memcpy(big + (1 << 20), "CODEX_THREAD_ID=behind", 23);
    memcpy(big + 140000, "CODEX_THREAD_ID=inside", 22);
    put("300/environ", big, (1 << 20) + 23);
    read_lineage();
    ck_assert_str_eq(line.items[0].envp[0], "CODEX_THREAD_ID=behind");
    ck_assert_ptr_null(line.items[0].envp[1]);
    free(big);
}
END_TEST

START_TEST(an_environment_that_cannot_be_read_is_null)
{
    process(300, 1, 300, 1, "bash", "A=1;", "bash;");
    process(500, 300, 300, 2, "x", "", "codex;");
    ck_assert_int_eq(remove(mem_printf(mem, "%s/300/environ", top)), 0);
    read_lineage();
    ck_assert_uint_eq(line.count, 1);
    ck_assert_ptr_null(line.items[0].envp);
    ck_assert_ptr_nonnull(line.items[0].argv);
}
END_TEST

START_TEST(a_command_line_of_megabytes_is_cut)
{
    size_t n = 1 << 20;
    char *big = malloc(n);

    ck_assert_ptr_nonnull(big);
    for (size_t i = 0; i < n; i++)
        big[i] = i % 5 == 4 ? '\0' : 'w';
    process(500, 1, 300, 2, "x", "", "codex;");
    put("500/cmdline", big, n);
    read_lineage();
    n = 0;
    while (line.self.argv[n] != NULL)
        ck_assert_str_eq(line.self.argv[n++], "wwww");
    ck_assert_uint_gt(n, 3000);
    ck_assert_uint_lt(n, 3300);
    free(big);
}
END_TEST

START_TEST(the_nearest_launch_token_counts)
{
    static char *own[] = {"HACCESS_LAUNCH=own", NULL}, *empty[] = {"HACCESS_LAUNCH=", NULL};

    process(200, 1, 300, 1, "a", "HACCESS_LAUNCH=outer;", "a;");
    process(300, 200, 300, 1, "b", "HACCESS_LAUNCH=inner;", "b;");
    process(400, 300, 300, 2, "c", "X=1;", "c;");
    process(500, 400, 300, 2, "x", "", "codex;");
    read_lineage();
    ck_assert_str_eq(lineage_launch(&host, &line), "inner");
    host.envp = own;
    ck_assert_str_eq(lineage_launch(&host, &line), "own");
    host.envp = empty;
    ck_assert_str_eq(lineage_launch(&host, &line), "inner");
    host.envp = no_environment;
    line.count = 1;
    ck_assert_ptr_null(lineage_launch(&host, &line));
}
END_TEST

START_TEST(run_ids_are_words)
{
    char longest[202];

    memset(longest, 'a', 201);
    longest[201] = '\0';
    ck_assert(run_id_valid("run-20261130T202915Z-3fa91c"));
    ck_assert(run_id_valid("A"));
    ck_assert(run_id_valid("0.._-"));
    ck_assert(!run_id_valid(""));
    ck_assert(!run_id_valid("."));
    ck_assert(!run_id_valid("-a"));
    ck_assert(!run_id_valid("a/b"));
    ck_assert(!run_id_valid("a b"));
    ck_assert(!run_id_valid("a\n"));
    ck_assert(!run_id_valid("\xc3\xa9"));
    ck_assert(!run_id_valid(longest));
    ck_assert(run_id_valid(longest + 1));
}
END_TEST

START_TEST(a_well_formed_run_id_is_taken_and_any_other_replaced)
{
    static char *good[] = {"HACCESS_RUN_ID=nightly.7", NULL}, *bad[] = {"HACCESS_RUN_ID=../../etc", NULL};
    struct run run;

    process(200, 1, 200, 1, "haccess", "HACCESS_RUN_ID=nightly.7;", "make;all;");
    process(300, 200, 300, 1, "x", "HACCESS_RUN_ID=other;", "sh;");
    process(500, 300, 300, 2, "x", "", "codex;");
    host.envp = good;
    read_lineage();
    run_find(&host, mem, &line, &run);
    ck_assert_str_eq(run.id, "nightly.7");
    ck_assert_int_eq(run.pid, 200);
    ck_assert_str_eq(run.argv[1], "all");
    host.envp = bad;
    run_find(&host, mem, &line, &run);
    ck_assert_int_eq(strncmp(run.id, "run-20261130T202902Z-", 21), 0);
}
END_TEST

START_TEST(a_launch_from_a_plain_shell_is_its_own_run)
{
    struct run run;

    process(300, 1, 300, 1, "bash", "HOME=/x;", "-bash;");
    process(500, 300, 300, 2, "x", "", "codex;exec;");
    read_lineage();
    run_find(&host, mem, &line, &run);
    ck_assert_int_eq(run.pid, 500);
    ck_assert_str_eq(run.cwd, "/home/user/project");
    ck_assert_str_eq(run.argv[0], "codex");
    ck_assert_uint_eq(strlen(run.id), 27);
    ck_assert_int_eq(strncmp(run.id, "run-20261130T202902Z-", 21), 0);
    ck_assert_uint_eq(strspn(run.id + 21, "0123456789abcdef"), 6);
}
END_TEST

START_TEST(the_outermost_process_that_preloads_haccess_is_the_run)
{
    struct run run;
    const char *first;

    process(300, 1, 300, 1, "bash", "HOME=/x;", "-bash;");
    process(350, 300, 300, 5, "sh", "LD_PRELOAD=/opt/lib/libhaccess.so;", "/bin/sh;./orchestrate.sh;");
    process(360, 350, 300, 6, "env", "A=1;", "env;");
    process(400, 360, 300, 6, "make", "LD_PRELOAD=libasan.so:libhaccess.so;", "make;");
    process(500, 400, 300, 7, "x", "", "codex;");
    ck_assert_int_eq(symlink("/srv/work", mem_printf(mem, "%s/350/cwd", top)), 0);
    ck_assert_int_eq(run_root(), 350);
    first = run_id();
    ck_assert_int_eq(strncmp(first, "run-20261130T202905Z-", 21), 0);
    run_find(&host, mem, &line, &run);
    ck_assert_str_eq(run.cwd, "/srv/work");
    ck_assert_str_eq(run.argv[1], "./orchestrate.sh");
    /* Another launch of the same script is in the same run; another boot's process of the same number is not. */
    process(500, 400, 300, 9, "x", "", "claude;");
    ck_assert_str_eq(run_id(), first);
    tree_write(top, "sys/kernel/random/boot_id", "other\n", 0644);
    ck_assert_str_ne(run_id(), first);
}
END_TEST

static const struct {
    const char *preload;
    bool ours;
} preloads[] = {
    {"libhaccess.so", true},
    {"/a/b/libhaccess.so.1", true},
    {"x.so libhaccess.so", true},
    {"x.so:/a/libhaccess.so", true},
    {"libother.so", false},
    {"", false},
    {"/libhaccess.so/other.so", false},
    {"notlibhaccess.so", false},
};

START_TEST(preloading_is_told_by_the_name_of_the_library)
{
    process(300, 1, 300, 1, "init", "", "init;");
    process(400, 300, 300, 2, "make", mem_printf(mem, "LD_PRELOAD=%s;", preloads[_i].preload), "make;");
    process(500, 400, 300, 3, "x", "", "codex;");
    ck_assert_int_eq(run_root(), preloads[_i].ours ? 400 : 500);
}
END_TEST

START_TEST(a_run_ends_at_the_session_leader)
{
    process(200, 1, 200, 1, "a", "LD_PRELOAD=libhaccess.so;", "a;");
    process(300, 200, 300, 2, "b", "LD_PRELOAD=libhaccess.so;", "python3;orchestrate.py;");
    process(400, 300, 300, 3, "c", "LD_PRELOAD=libhaccess.so;", "make;");
    process(500, 400, 300, 4, "x", "", "codex;");
    ck_assert_int_eq(run_root(), 300);
    process(500, 400, 500, 4, "x", "", "codex;");
    ck_assert_int_eq(run_root(), 500);
}
END_TEST

static const struct {
    const char *cmd;
    bool counts;
} leaders[] = {
    {"-bash;", false},
    {"bash;", false},
    {"/usr/bin/zsh;-l;", false},
    {"-zsh;", false},
    {"fish;", false},
    {"bash;--rcfile;/x/rc;-i;", false},
    {"bash;--norc;-o;vi;", false},
    {"sh;-;", false},
    {"/bin/sh;./orchestrate.sh;", true},
    {"bash;-e;script;", true},
    {"bash;-o;pipefail;script;", true},
    {"sh;-c;codex exec;", true},
    {"bash;-lc;codex exec;", true},
    {"bash;--;script;", true},
    {"python3;orchestrate.py;", true},
    {"tmux;", true},
    {";", true},
};

START_TEST(an_interactive_shell_that_leads_the_session_is_no_run)
{
    process(300, 1, 300, 1, "leader", "LD_PRELOAD=libhaccess.so;", leaders[_i].cmd);
    process(500, 300, 300, 2, "x", "LD_PRELOAD=libhaccess.so;", "codex;");
    ck_assert_int_eq(run_root(), leaders[_i].counts ? 300 : 500);
}
END_TEST

START_TEST(an_interactive_shell_that_leads_no_session_counts)
{
    process(300, 1, 300, 1, "xterm", "", "xterm;");
    process(400, 300, 300, 1, "bash", "LD_PRELOAD=libhaccess.so;", "bash;");
    process(500, 400, 300, 2, "x", "", "codex;");
    ck_assert_int_eq(run_root(), 400);
}
END_TEST

/* Needs chown, thus root. */
START_TEST(another_users_process_is_no_root)
{
    process(300, 1, 300, 1, "a", "LD_PRELOAD=libhaccess.so;", "a;");
    process(500, 300, 300, 2, "x", "", "codex;");
    ck_assert_int_eq(chown(mem_printf(mem, "%s/300", top), 12345, 12345), 0);
    ck_assert_int_eq(run_root(), 500);
    ck_assert_uint_eq(line.items[0].uid, 12345);
}
END_TEST

START_TEST(without_proc_a_run_is_still_named)
{
    host.proc = "/nonexistent";
    ck_assert_int_eq(strncmp(run_id(), "run-20261130T202915Z-", 21), 0);
}
END_TEST

START_TEST(the_real_proc_knows_this_process)
{
    static char *one[] = {"HACCESS_X=1", NULL};

    host.proc = "/proc";
    host.pid = getpid();
    host.envp = one;
    read_lineage();
    ck_assert_int_eq(line.self.parent, getppid());
    ck_assert_int_eq(line.self.session, getsid(0));
    ck_assert_uint_gt(line.self.start, 0);
    ck_assert_uint_ge(line.count, 1);
    ck_assert_int_eq(line.items[0].pid, getppid());
    ck_assert(run_id_valid(run_id()));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("lineage");
    TCase *t = tcase_create("lineage");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, parents_come_first_up_to_pid_1);
    tcase_add_test(t, a_name_may_hold_anything);
    tcase_add_test(t, a_process_that_vanished_ends_it);
    tcase_add_test(t, a_parent_younger_than_its_child_is_a_stranger);
    tcase_add_test(t, a_circle_ends);
    tcase_add_test(t, only_what_is_asked_for_is_kept_of_an_environment);
    tcase_add_test(t, an_environment_of_megabytes_is_read_to_its_end);
    tcase_add_test(t, an_environment_that_cannot_be_read_is_null);
    tcase_add_test(t, a_command_line_of_megabytes_is_cut);
    tcase_add_test(t, the_nearest_launch_token_counts);
    tcase_add_test(t, run_ids_are_words);
    tcase_add_test(t, a_well_formed_run_id_is_taken_and_any_other_replaced);
    tcase_add_test(t, a_launch_from_a_plain_shell_is_its_own_run);
    tcase_add_test(t, the_outermost_process_that_preloads_haccess_is_the_run);
    tcase_add_loop_test(t, preloading_is_told_by_the_name_of_the_library, 0,
                        (int)(sizeof(preloads) / sizeof(preloads[0])));
    tcase_add_test(t, a_run_ends_at_the_session_leader);
    tcase_add_loop_test(t, an_interactive_shell_that_leads_the_session_is_no_run, 0,
                        (int)(sizeof(leaders) / sizeof(leaders[0])));
    tcase_add_test(t, an_interactive_shell_that_leads_no_session_counts);
    if (geteuid() == 0)
        tcase_add_test(t, another_users_process_is_no_root);
    else
        puts("lineage: not root, ownership of processes is not tested");
    tcase_add_test(t, without_proc_a_run_is_still_named);
    tcase_add_test(t, the_real_proc_knows_this_process);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
