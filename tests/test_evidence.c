/* The probe: markers, what rules full access out, and how the sessions' verdicts become one. */
#include "shim/decide/evidence.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/tree.h"

#define FULL_THREAD  "01a22e25-e69c-76f0-a028-51377d5d8eaa"
#define WRITE_THREAD "01a22e26-192c-7ad3-b4af-29a072cce1f6"
#define BYPASS       "2f0028c6-c4d6-4771-adb3-896448d4d395"
#define PLAN         "0b40df5d-ecf4-4e05-bf4f-0f34d2320243"

static struct mem *mem;
static char *top;
static struct host host;
static char *environment[8];
static struct lineage line;
static struct ancestor ancestors[4];
static struct parent parent;
static int prctl_says;

static int
no_new_privs(void)
{
    return prctl_says;
}

static const char *
at(const char *name)
{
    return mem_printf(mem, "%s/%s", top, name);
}

/* The status file of a process. */
static void
status(pid_t pid, const char *lines)
{
    tree_write(top, mem_printf(mem, "proc/%d/status", pid),
               mem_printf(mem, "Name:\tx\n%sSeccomp:\t0\n", lines), 0644);
}

static void
record(const char *sandbox, const char *thread)
{
    tree_write(top, mem_printf(mem, "home/.codex/sessions/2026/11/30/rollout-x-%s.jsonl", thread),
               mem_printf(mem,
                          "{\"type\":\"turn_context\",\"payload\":{\"sandbox_policy\":{\"type\":\"%s\"}}}\n",
                          sandbox),
               0600);
}

static void
transcript(const char *mode, const char *session)
{
    tree_write(top, mem_printf(mem, "home/.claude/projects/-p/%s.jsonl", session),
               mem_printf(mem, "{\"permissionMode\":\"%s\"}\n", mode), 0600);
}

static void
setup(void)
{
    mem = mem_new();
    top = tree_new();
    memset(&host, 0, sizeof(host));
    memset(&line, 0, sizeof(line));
    memset(environment, 0, sizeof(environment));
    memset(ancestors, 0, sizeof(ancestors));
    line.items = ancestors;
    host.envp = environment;
    host.uid = geteuid();
    host.pid = 500;
    host.home = at("home");
    host.proc = at("proc");
    host.windows_homes = at("windows");
    host.no_new_privs = no_new_privs;
    prctl_says = 0;
    status(500, "NoNewPrivs:\t0\n");
    status(1, "NoNewPrivs:\t0\n");
    record("danger-full-access", FULL_THREAD);
    record("workspace-write", WRITE_THREAD);
    transcript("bypassPermissions", BYPASS);
    transcript("plan", PLAN);
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

/* Sets the launch's environment: up to six entries, ended by NULL. */
static void
launch(const char *a, const char *b, const char *c)
{
    const char *entries[] = {a, b, c};

    memset(environment, 0, sizeof(environment));
    for (size_t i = 0, n = 0; i < 3; i++)
        if (entries[i] != NULL)
            environment[n++] = (char *)(uintptr_t)entries[i];
}

/* Adds an ancestor with one entry in its environment. */
static void
ancestor(const char *entry)
{
    struct ancestor *a = &ancestors[line.count++];

    a->pid = (pid_t)(100 - line.count);
    a->uid = host.uid;
    a->envp = mem_array(mem, 2, sizeof(*a->envp));
    a->envp[0] = (char *)(uintptr_t)entry;
}

static void
expect(enum parent_state state, const char *says)
{
    evidence_probe(&host, mem, &line, &parent);
    ck_assert_msg(parent.state == state, "%s: %s", parent_state_word(parent.state), parent.detail);
    ck_assert_msg(strstr(parent.detail, says) != NULL, "\"%s\" does not say \"%s\"", parent.detail, says);
    ck_assert_int_ge(parent.ms, 0);
}

START_TEST(no_marker_is_unknown)
{
    launch("PATH=/bin", NULL, NULL);
    ancestor("HACCESS_RUN_ID=r");
    expect(PARENT_UNKNOWN, "no agent session is above this launch");
    ck_assert_uint_eq(parent.nmarkers, 0);
    ck_assert_uint_eq(parent.adapters.count, 0);
    /* First of all: also with a sandbox's variable. */
    launch("CODEX_SANDBOX=seatbelt", NULL, NULL);
    expect(PARENT_UNKNOWN, "no agent session");
}
END_TEST

START_TEST(a_blank_marker_is_absent)
{
    launch("CODEX_THREAD_ID=", "CLAUDE_CODE_SESSION_ID= \t\n", NULL);
    expect(PARENT_UNKNOWN, "no agent session");
}
END_TEST

START_TEST(a_marker_of_the_launch)
{
    launch("CODEX_THREAD_ID=" FULL_THREAD, NULL, NULL);
    expect(PARENT_FULL, "codex session " FULL_THREAD
                        ": the last turn_context has sandbox_policy.type \"danger-full-access\"");
    ck_assert_uint_eq(parent.nmarkers, 1);
    ck_assert_str_eq(parent.markers[0].adapter, "codex");
    ck_assert_str_eq(parent.markers[0].name, "CODEX_THREAD_ID");
    ck_assert_str_eq(parent.markers[0].value, FULL_THREAD);
    ck_assert_int_eq(parent.markers[0].pid, 0);
    ck_assert_str_eq(parent.adapters.items[0], "codex");
    ck_assert_uint_eq(parent.nrecords, 1);
    launch("CLAUDE_CODE_SESSION_ID=" BYPASS, NULL, NULL);
    expect(PARENT_FULL, "claude-code session " BYPASS);
    launch("CLAUDE_CODE_SESSION_ID=" PLAN, NULL, NULL);
    expect(PARENT_SANDBOXED, "plan");
}
END_TEST

START_TEST(a_marker_that_only_an_ancestor_has)
{
    ancestor("X=1");
    ancestor("CODEX_THREAD_ID=" WRITE_THREAD);
    expect(PARENT_SANDBOXED, "codex session " WRITE_THREAD " (of process 98)");
    ck_assert_int_eq(parent.markers[0].pid, 98);
}
END_TEST

START_TEST(ancestors_of_others_and_unreadable_ones_do_not_count)
{
    ancestor("CODEX_THREAD_ID=" WRITE_THREAD);
    ancestors[0].uid++;
    ancestor("X=1");
    ancestors[1].envp = NULL;
    launch("CODEX_THREAD_ID=" FULL_THREAD, NULL, NULL);
    expect(PARENT_FULL, "danger");
    ancestors[0].uid--;
    expect(PARENT_SANDBOXED, "workspace-write");
}
END_TEST

START_TEST(each_distinct_marker_has_to_pass)
{
    ancestor("CODEX_THREAD_ID=" FULL_THREAD);
    launch("CODEX_THREAD_ID=" FULL_THREAD, "CLAUDE_CODE_SESSION_ID=" BYPASS, NULL);
    expect(PARENT_FULL, "; ");
    ck_assert_uint_eq(parent.nmarkers, 2);
    ck_assert_uint_eq(parent.adapters.count, 2);
    ck_assert_uint_eq(parent.nrecords, 2);
    ancestor("CODEX_THREAD_ID=" WRITE_THREAD);
    expect(PARENT_SANDBOXED, WRITE_THREAD);
    ck_assert_uint_eq(parent.nmarkers, 3);
    ck_assert_uint_eq(parent.adapters.count, 2);
}
END_TEST

START_TEST(sandboxed_before_unknown_before_full)
{
    launch("CODEX_THREAD_ID=" FULL_THREAD, "CLAUDE_CODE_SESSION_ID=gone", NULL);
    expect(PARENT_UNKNOWN, "no transcript of this session");
    launch("CODEX_THREAD_ID=" WRITE_THREAD, "CLAUDE_CODE_SESSION_ID=gone", NULL);
    expect(PARENT_SANDBOXED, "workspace-write");
    launch("CODEX_THREAD_ID=" FULL_THREAD, "CURSOR_AGENT=1", NULL);
    expect(PARENT_UNKNOWN, "cursor session 1: it keeps no record");
}
END_TEST

START_TEST(a_marker_that_is_there_twice_counts_twice)
{
    launch("CODEX_THREAD_ID=" FULL_THREAD, "CODEX_THREAD_ID=" WRITE_THREAD, NULL);
    expect(PARENT_SANDBOXED, "workspace-write");
}
END_TEST

static const struct {
    const char *a, *b, *name, *adapter;
} without_record[] = {
    {"CURSOR_AGENT=1", NULL, "CURSOR_AGENT", "cursor"},
    {"CURSOR_AGENT=1", "CURSOR_CONVERSATION_ID=c", "CURSOR_CONVERSATION_ID", "cursor"},
    {"CURSOR_CONVERSATION_ID=c", "CURSOR_SESSION_ID=s", "CURSOR_SESSION_ID", "cursor"},
    {"CURSOR_CONVERSATION_ID=c", "CURSOR_SESSION_ID= ", "CURSOR_CONVERSATION_ID", "cursor"},
    {"GEMINI_CLI=1", NULL, "GEMINI_CLI", "gemini"},
    {"OPENCODE=1", NULL, "OPENCODE", "opencode"},
    {"OPENCODE=1", "OPENCODE_PID=7", "OPENCODE_PID", "opencode"},
    {"OPENCODE_PID=7", "OPENCODE_SESSION_ID=s", "OPENCODE_SESSION_ID", "opencode"},
};

START_TEST(adapters_without_a_record_are_unknown)
{
    launch(without_record[_i].a, without_record[_i].b, NULL);
    expect(PARENT_UNKNOWN, "it keeps no record of its access");
    ck_assert_uint_eq(parent.nmarkers, 1);
    ck_assert_str_eq(parent.markers[0].name, without_record[_i].name);
    ck_assert_str_eq(parent.markers[0].adapter, without_record[_i].adapter);
}
END_TEST

static const struct {
    const char *entry;
    bool sandboxed;
} variables[] = {
    {"CODEX_SANDBOX=seatbelt", true},
    {"CODEX_SANDBOX_NETWORK_DISABLED=1", true},
    {"CODEX_SANDBOX_NETWORK_DISABLED=0", true},
    {"CODEX_SANDBOXED_BY_SOMETHING_NEW=x", true},
    {"SANDBOX_RUNTIME=1", true},
    {"CODEX_SANDBOX=", false},
    {"CODEX_SANDBOX= ", false},
    {"SANDBOX_RUNTIME=", false},
    {"SANDBOX_RUNTIME_X=1", false},
    {"CODEX_SAND=1", false},
    {"XCODEX_SANDBOX=1", false},
};

START_TEST(a_sandboxs_variable_is_sandboxed)
{
    launch("CODEX_THREAD_ID=" FULL_THREAD, variables[_i].entry, NULL);
    if (variables[_i].sandboxed)
        expect(PARENT_SANDBOXED, mem_strndup(mem, variables[_i].entry, strcspn(variables[_i].entry, "=")));
    else
        expect(PARENT_FULL, "danger");
    launch("CODEX_THREAD_ID=" FULL_THREAD, NULL, NULL);
    ancestor(variables[_i].entry);
    if (variables[_i].sandboxed)
        expect(PARENT_SANDBOXED, "is set in process 99");
    else
        expect(PARENT_FULL, "danger");
    ck_assert_uint_eq(parent.nmarkers, 1);
    ck_assert_uint_eq(parent.nrecords, variables[_i].sandboxed ? 0 : 1);
}
END_TEST

static const struct {
    int prctl;
    const char *status;
    enum parent_state state;
    const char *says;
} privileges[] = {
    {0, "NoNewPrivs:\t0\n", PARENT_FULL, "danger"},
    {1, "NoNewPrivs:\t0\n", PARENT_SANDBOXED, "no_new_privs is set"},
    {0, "NoNewPrivs:\t1\n", PARENT_SANDBOXED, "no_new_privs is set"},
    {-1, "NoNewPrivs:\t1\n", PARENT_SANDBOXED, "no_new_privs is set"},
    {-1, "NoNewPrivs:\t0\n", PARENT_UNKNOWN, "prctl cannot tell"},
    {0, "", PARENT_UNKNOWN, "500/status cannot tell"},
    {0, "NoNewPrivs:\t\n", PARENT_UNKNOWN, "cannot tell"},
    {0, "NoNewPrivs:\t2\n", PARENT_UNKNOWN, "cannot tell"},
    {0, "XNoNewPrivs:\t0\n", PARENT_UNKNOWN, "cannot tell"},
    {0, NULL, PARENT_UNKNOWN, "cannot tell"},
    {1, NULL, PARENT_SANDBOXED, "no_new_privs is set"},
};

START_TEST(no_new_privs_is_asked_of_both_and_the_stricter_counts)
{
    launch("CODEX_THREAD_ID=" FULL_THREAD, NULL, NULL);
    prctl_says = privileges[_i].prctl;
    if (privileges[_i].status != NULL)
        status(500, privileges[_i].status);
    else
        ck_assert_int_eq(unlink(at("proc/500/status")), 0);
    expect(privileges[_i].state, privileges[_i].says);
    ck_assert_ptr_null(strstr(parent.detail, "container"));
}
END_TEST

START_TEST(where_pid_1_has_it_too_the_container_is_named)
{
    launch("CODEX_THREAD_ID=" FULL_THREAD, NULL, NULL);
    prctl_says = 1;
    status(1, "NoNewPrivs:\t1\n");
    expect(PARENT_SANDBOXED, "by the container");
    prctl_says = 0;
    expect(PARENT_FULL, "danger");
}
END_TEST

START_TEST(off_linux_only_codex_can_be_established)
{
    host.no_new_privs = NULL;
    host.proc = "/nonexistent";
    launch("CODEX_THREAD_ID=" FULL_THREAD, NULL, NULL);
    expect(PARENT_FULL, "danger");
    launch("CLAUDE_CODE_SESSION_ID=" BYPASS, NULL, NULL);
    expect(PARENT_UNKNOWN, "on Linux only");
}
END_TEST

START_TEST(each_probe_looks_again)
{
    launch("CODEX_THREAD_ID=" FULL_THREAD, NULL, NULL);
    expect(PARENT_FULL, "danger");
    record("read-only", FULL_THREAD);
    expect(PARENT_SANDBOXED, "read-only");
}
END_TEST

START_TEST(a_hostile_marker_is_unknown)
{
    char *big = mem_alloc(mem, 200001);

    memset(big, 'a', 200000);
    launch(mem_printf(mem, "CLAUDE_CODE_SESSION_ID=%s", big), NULL, NULL);
    expect(PARENT_UNKNOWN, "cannot be opened");
    launch(mem_printf(mem, "CODEX_THREAD_ID=%s", big), "CLAUDE_CODE_SESSION_ID=\xff\xfe", NULL);
    expect(PARENT_UNKNOWN, "is no codex thread id");
    ck_assert_uint_eq(parent.nmarkers, 2);
}
END_TEST

/* Makes the youngest ancestor the session's own process, which began so many seconds from now. */
static void
session_process(const char *name, int began)
{
    struct ancestor *a = &ancestors[line.count];
    struct timespec boot;

    ancestor("HACCESS_RUN_ID=r");
    clock_gettime(CLOCK_BOOTTIME, &boot);
    a->start = (unsigned long long)((boot.tv_sec + began) * sysconf(_SC_CLK_TCK));
    a->argv = mem_array(mem, 2, sizeof(*a->argv));
    a->argv[0] = mem_strdup(mem, name);
}

/* A transcript that the session writes while the probe is waiting for it. */
static pid_t
written_soon(const char *mode, const char *session)
{
    const struct timespec soon = {.tv_nsec = 100 * 1000 * 1000};
    pid_t pid = fork();

    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        nanosleep(&soon, NULL);
        transcript(mode, session);
        _exit(0);
    }
    return pid;
}

#define LATE "7c0028c6-c4d6-4771-adb3-896448d4d395"

START_TEST(a_transcript_that_is_not_written_yet_is_waited_for)
{
    pid_t pid;

    launch("CLAUDE_CODE_SESSION_ID=" LATE, NULL, NULL);
    session_process("claude", -5);
    pid = written_soon("bypassPermissions", LATE);
    expect(PARENT_FULL, "bypassPermissions");
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_uint_eq(parent.nrecords, 1);
}
END_TEST

START_TEST(a_transcript_that_is_older_than_the_sessions_process_is_waited_for)
{
    pid_t pid;

    launch("CLAUDE_CODE_SESSION_ID=" BYPASS, NULL, NULL);
    session_process("claude", 2);
    pid = written_soon("default", BYPASS);
    expect(PARENT_SANDBOXED, "default");
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_uint_eq(parent.nrecords, 1);
}
END_TEST

/* It is waited for, not required: a clock can be set, and a session can keep none. */
START_TEST(a_transcript_that_stays_late_counts_as_it_is)
{
    launch("CLAUDE_CODE_SESSION_ID=" BYPASS, NULL, NULL);
    session_process("claude", 20);
    expect(PARENT_FULL, "bypassPermissions");
    launch("CLAUDE_CODE_SESSION_ID=" LATE, NULL, NULL);
    expect(PARENT_UNKNOWN, "no transcript");
}
END_TEST

START_TEST(states_have_their_words)
{
    ck_assert_str_eq(parent_state_word(PARENT_UNKNOWN), "unknown");
    ck_assert_str_eq(parent_state_word(PARENT_SANDBOXED), "sandboxed");
    ck_assert_str_eq(parent_state_word(PARENT_FULL), "full-access");
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("evidence");
    TCase *t = tcase_create("evidence");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, no_marker_is_unknown);
    tcase_add_test(t, a_blank_marker_is_absent);
    tcase_add_test(t, a_marker_of_the_launch);
    tcase_add_test(t, a_marker_that_only_an_ancestor_has);
    tcase_add_test(t, ancestors_of_others_and_unreadable_ones_do_not_count);
    tcase_add_test(t, each_distinct_marker_has_to_pass);
    tcase_add_test(t, sandboxed_before_unknown_before_full);
    tcase_add_test(t, a_marker_that_is_there_twice_counts_twice);
    tcase_add_loop_test(t, adapters_without_a_record_are_unknown, 0,
                        (int)(sizeof(without_record) / sizeof(without_record[0])));
    tcase_add_loop_test(t, a_sandboxs_variable_is_sandboxed, 0,
                        (int)(sizeof(variables) / sizeof(variables[0])));
    tcase_add_loop_test(t, no_new_privs_is_asked_of_both_and_the_stricter_counts, 0,
                        (int)(sizeof(privileges) / sizeof(privileges[0])));
    tcase_add_test(t, where_pid_1_has_it_too_the_container_is_named);
    tcase_add_test(t, off_linux_only_codex_can_be_established);
    tcase_add_test(t, each_probe_looks_again);
    tcase_add_test(t, a_hostile_marker_is_unknown);
    tcase_add_test(t, a_transcript_that_is_not_written_yet_is_waited_for);
    tcase_add_test(t, a_transcript_that_is_older_than_the_sessions_process_is_waited_for);
    tcase_add_test(t, a_transcript_that_stays_late_counts_as_it_is);
    tcase_add_test(t, states_have_their_words);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
