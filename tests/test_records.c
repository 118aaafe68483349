/* The verdict of a session's own records: codex rollouts and claude transcripts, real, forged and torn. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/decide/evidence.h"
#include "tests/support/tree.h"

#define THREAD  "01a22e25-e69c-76f0-a028-51377d5d8eaa"
#define SESSION "5df275c9-5a47-4ba9-a8d7-c343ad7df2bd"
#define DAY     "sessions/2026/11/30"
#define ROLLOUT "rollout-2026-11-30T20-29-25-" THREAD ".jsonl"

#define CONTEXT(sandbox, profile)                                                                            \
    "{\"timestamp\":\"t\",\"type\":\"turn_context\",\"payload\":{\"cwd\":\"/p\",\"sandbox_policy\":" sandbox \
        profile "}}\n"
#define FULL     CONTEXT("{\"type\":\"danger-full-access\"}", ",\"permission_profile\":{\"type\":\"disabled\"}")
#define READONLY CONTEXT("{\"type\":\"read-only\"}", ",\"permission_profile\":{\"type\":\"managed\"}")
#define OTHER    "{\"timestamp\":\"t\",\"type\":\"event_msg\",\"payload\":{\"type\":\"task_complete\"}}\n"
#define BYPASS   "{\"type\":\"user\",\"permissionMode\":\"bypassPermissions\",\"sessionId\":\"x\"}\n"
#define DEFAULT  "{\"type\":\"user\",\"permissionMode\":\"default\",\"sessionId\":\"x\"}\n"

static struct mem *mem;
static char *top;
static struct host host;
static char *environment[4];
static struct parent parent;
static struct verdict verdict;

static const char *
at(const char *name)
{
    return mem_printf(mem, "%s/%s", top, name);
}

static int
linux_has_it(void)
{
    return 0;
}

static void
setup(void)
{
    mem = mem_new();
    top = tree_new();
    memset(&host, 0, sizeof(host));
    memset(environment, 0, sizeof(environment));
    memset(&parent, 0, sizeof(parent));
    host.envp = environment;
    host.uid = geteuid();
    host.pid = getpid();
    host.home = host.passwd_home = at("home");
    host.proc = "/proc";
    host.windows_homes = at("windows");
    host.no_new_privs = linux_has_it;
    tree_mkdir(top, "home");
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

static void
expect(enum parent_state state, const char *says)
{
    ck_assert_msg(verdict.state == state, "%s: %s", parent_state_word(verdict.state), verdict.detail);
    ck_assert_msg(strstr(verdict.detail, says) != NULL, "\"%s\" does not say \"%s\"", verdict.detail, says);
}

static void
codex(const char *thread)
{
    memset(&parent, 0, sizeof(parent));
    evidence_codex(&host, mem, thread, &parent, &verdict);
}

static void
claude(const char *session)
{
    memset(&parent, 0, sizeof(parent));
    evidence_claude(&host, mem, session, &parent, &verdict);
}

static void
put_rollout(const char *text)
{
    tree_write(top, "home/.codex/" DAY "/" ROLLOUT, text, 0600);
    codex(THREAD);
}

static void
put_transcript(const char *text)
{
    tree_write(top, "home/.claude/projects/-p/" SESSION ".jsonl", text, 0600);
    claude(SESSION);
}

static const char *
fixture(const char *name)
{
    const char *build = getenv("HACCESS_BUILD");

    return mem_printf(mem, "%s/../fixtures/records/%s", build == NULL ? "build" : build, name);
}

/* Copies a file of the fixtures: in the repository they may belong to somebody else. */
static void
copy_fixture(const char *from, const char *to)
{
    char *text = tree_read(fixture("."), from);

    ck_assert_msg(text != NULL, "%s", from);
    tree_write(top, to, text, 0600);
    free(text);
}

static const struct {
    const char *thread, *time;
    enum parent_state state;
    const char *says;
} rollouts[] = {
    {"01a22e25-e69c-76f0-a028-51377d5d8eaa", "29-25", PARENT_FULL,
     "sandbox_policy.type \"danger-full-access\""},
    {"01a22e26-192c-7ad3-b4af-29a072cce1f6", "29-38", PARENT_SANDBOXED,
     "sandbox_policy.type \"workspace-write\""},
    {"01a22e26-1ba6-7881-bbed-e3c0f72150c9", "29-39", PARENT_SANDBOXED, "sandbox_policy.type \"read-only\""},
    {"01a22e2a-21dc-7711-afa4-b7ae4779eb9e", "34-02", PARENT_FULL, "danger-full-access"},
};

START_TEST(real_rollouts)
{
    const char *name =
        mem_printf(mem, DAY "/rollout-2026-11-30T20-%s-%s.jsonl", rollouts[_i].time, rollouts[_i].thread);

    copy_fixture(mem_printf(mem, "codex-0.171/%s", name), mem_printf(mem, "home/.codex/%s", name));
    codex(rollouts[_i].thread);
    expect(rollouts[_i].state, rollouts[_i].says);
    ck_assert_uint_eq(parent.nrecords, 1);
    ck_assert_str_eq(parent.records[0].path, at(mem_printf(mem, "home/.codex/%s", name)));
    ck_assert_uint_gt(parent.records[0].inode, 0);
    ck_assert_uint_gt(parent.records[0].size, 1000);
    ck_assert_int_gt(parent.records[0].mtime, 0);
}
END_TEST

static const struct {
    const char *session, *mode;
} transcripts[] = {
    {"0b40df5d-ecf4-4e05-bf4f-0f34d2320243", "plan"},
    {"2f0028c6-c4d6-4771-adb3-896448d4d395", "bypassPermissions"},
    {"3e281c9f-f7c8-42fe-aa84-c97df24861d2", "default"},
    {"66f74a1b-e664-44e8-817d-3e618eb1f8d4", "dontAsk"},
    {"cfa2db84-8863-4432-991c-07114949c908", "acceptEdits"},
};

START_TEST(real_transcripts)
{
    const char *name = mem_printf(mem, "projects/-home-user-project/%s.jsonl", transcripts[_i].session);

    copy_fixture(mem_printf(mem, "claude-2.1.197/%s", name), mem_printf(mem, "home/.claude/%s", name));
    tree_mkdir(top, "home/.claude/projects/-another");
    tree_write(top, "home/.claude/projects/file", "", 0600);
    claude(transcripts[_i].session);
    expect(strcmp(transcripts[_i].mode, "bypassPermissions") == 0 ? PARENT_FULL : PARENT_SANDBOXED,
           mem_printf(mem, "permissionMode is \"%s\"", transcripts[_i].mode));
    ck_assert_uint_eq(parent.nrecords, 1);
}
END_TEST

static const struct {
    const char *text;
    enum parent_state state;
    const char *says;
} codex_lines[] = {
    {READONLY FULL OTHER, PARENT_FULL, "danger-full-access"},
    {FULL READONLY OTHER, PARENT_SANDBOXED, "read-only"},
    {CONTEXT("{\"type\":\"danger-full-access\"}", ""), PARENT_FULL, "danger-full-access"},
    {CONTEXT("{\"type\":\"danger-full-access\"}", ",\"permission_profile\":{\"type\":\"managed\"}"),
     PARENT_SANDBOXED, "permission_profile.type \"managed\""},
    {CONTEXT("{\"type\":\"external-sandbox\"}", ",\"permission_profile\":{\"type\":\"disabled\"}"),
     PARENT_SANDBOXED, "external-sandbox"},
    {CONTEXT("{\"type\":\"Danger-Full-Access\"}", ""), PARENT_SANDBOXED, "Danger-Full-Access"},
    {CONTEXT("{\"type\":1}", ""), PARENT_UNKNOWN, "sandbox_policy.type that is a string"},
    {CONTEXT("\"danger-full-access\"", ""), PARENT_UNKNOWN, "sandbox_policy.type that is a string"},
    {CONTEXT("null", ""), PARENT_UNKNOWN, "sandbox_policy.type"},
    {CONTEXT("{}", ""), PARENT_UNKNOWN, "sandbox_policy.type"},
    {CONTEXT("{\"type\":\"danger-full-access\"}", ",\"permission_profile\":null"), PARENT_UNKNOWN,
     "permission_profile.type"},
    {CONTEXT("{\"type\":\"danger-full-access\"}", ",\"sandbox_policy\":{\"type\":\"read-only\"}"),
     PARENT_UNKNOWN, "single sandbox_policy.type"},
    {FULL "{\"type\":\"turn_context\"}\n", PARENT_UNKNOWN, "no payload"},
    {FULL "{\"type\":\"turn_context\",\"payload\":[]}\n", PARENT_UNKNOWN, "sandbox_policy"},
    {FULL "{\"type\":\"turn_context\",\"type\":\"event_msg\",\"payload\":{}}\n", PARENT_UNKNOWN,
     "type or payload twice"},
    /* candidates that are no record */
    {READONLY "{\"type\":\"response_item\",\"payload\":{\"type\":\"turn_context\",\"sandbox_policy\":{"
              "\"type\":\"danger-full-access\"}}}\n",
     PARENT_SANDBOXED, "read-only"},
    {READONLY "{\"type\":\"event_msg\",\"payload\":{\"text\":\"\\\"type\\\":\\\"turn_context\\\"\",\"x\":"
              "\"turn_context\"}}\n",
     PARENT_SANDBOXED, "read-only"},
    {READONLY "[\"turn_context\"]\n\"turn_context\"\n{\"type\":7,\"x\":\"turn_context\"}\n", PARENT_SANDBOXED,
     "read-only"},
    {READONLY "{\"turn_context\":{\"type\":\"turn_context\"}}\n", PARENT_SANDBOXED, "read-only"},
    /* torn and forged */
    {READONLY
     "{\"type\":\"turn_context\",\"payload\":{\"sandbox_policy\":{\"type\":\"danger-full-access\"}}}",
     PARENT_FULL, "danger-full-access"},
    {FULL "{\"type\":\"turn_context\",\"payload\":{\"sandbox_pol", PARENT_UNKNOWN,
     "torn or forged turn_context line"},
    {FULL "{\"type\":\"turn_context\",\"payload\":{\"sandbox_pol\n" OTHER, PARENT_UNKNOWN, "torn or forged"},
    {FULL "{\"type\":\"turn_context\"}{\"type\":\"x\"}\n", PARENT_UNKNOWN, "torn or forged"},
    {FULL "{\"type\":\"turn_context\",\"payload\":\"\xff\"}\n", PARENT_UNKNOWN, "not UTF-8"},
    {"{\"type\":\"turn_context\",\"pay\n" FULL, PARENT_FULL, "danger-full-access"},
    {"garbage\n" FULL "not json\n\n\n{\"half\n", PARENT_FULL, "danger-full-access"},
    {"", PARENT_UNKNOWN, "holds no turn_context"},
    {OTHER, PARENT_UNKNOWN, "holds no turn_context"},
    {"\n", PARENT_UNKNOWN, "holds no turn_context"},
};

START_TEST(the_last_turn_context_counts)
{
    put_rollout(codex_lines[_i].text);
    expect(codex_lines[_i].state, codex_lines[_i].says);
}
END_TEST

static const struct {
    const char *text;
    enum parent_state state;
    const char *says;
} claude_lines[] = {
    {DEFAULT BYPASS OTHER, PARENT_FULL, "bypassPermissions"},
    {BYPASS DEFAULT OTHER, PARENT_SANDBOXED, "default"},
    {BYPASS "{\"type\":\"permission-mode\",\"permissionMode\":\"plan\"}\n", PARENT_SANDBOXED, "plan"},
    {BYPASS "{\"permissionMode\":\"bypasspermissions\"}\n", PARENT_SANDBOXED, "bypasspermissions"},
    {BYPASS "{\"permissionMode\":true}\n", PARENT_UNKNOWN, "no string"},
    {BYPASS "{\"permissionMode\":null}\n", PARENT_UNKNOWN, "no string"},
    {DEFAULT "{\"permissionMode\":\"bypassPermissions\",\"permissionMode\":\"bypassPermissions\"}\n",
     PARENT_UNKNOWN, "twice"},
    {DEFAULT "{\"permissionMode\":\"bypassPermissions\",\"permission\\u004dode\":\"plan\"}\n", PARENT_UNKNOWN,
     "twice"},
    /* tool results quote such records */
    {DEFAULT "{\"toolUseResult\":\"{\\\"permissionMode\\\":\\\"bypassPermissions\\\"}\"}\n", PARENT_SANDBOXED,
     "default"},
    {DEFAULT "{\"message\":{\"permissionMode\":\"bypassPermissions\"}}\n", PARENT_SANDBOXED, "default"},
    {DEFAULT "[{\"permissionMode\":\"bypassPermissions\"}]\n", PARENT_SANDBOXED, "default"},
    {DEFAULT "{\"x\":\"permissionMode\",\"y\":\"bypassPermissions\"}\n", PARENT_SANDBOXED, "default"},
    {BYPASS "{\"permissionMode\":\"bypassPerm", PARENT_UNKNOWN, "torn or forged"},
    {BYPASS "{\"permissionMode\":\"bypassPermissions\"} x\n", PARENT_UNKNOWN, "torn or forged"},
    {BYPASS "{\"permissionMode\":\"bypassPermissions\",}\n", PARENT_UNKNOWN, "torn or forged"},
    {DEFAULT "{\"lastPrompt\":\"\\ud83d\",\"permissionMode\":\"bypassPermissions\"}", PARENT_FULL,
     "bypassPermissions"},
    {"", PARENT_UNKNOWN, "holds no permissionMode"},
};

START_TEST(the_last_top_level_permission_mode_counts)
{
    put_transcript(claude_lines[_i].text);
    expect(claude_lines[_i].state, claude_lines[_i].says);
}
END_TEST

START_TEST(a_thread_id_is_a_uuid7)
{
    static const char *const bad[] = {"5df275c9-5a47-4ba9-a8d7-c343ad7df2bd",
                                      "01a22e25-e69c-76f0-c028-51377d5d8eaa",
                                      "01a22e25-e69c-76f0-a028-51377d5d8ea",
                                      "01a22e25-e69c-76f0-a028-51377d5d8eaaa",
                                      "01a22e25_e69c-76f0-a028-51377d5d8eaa",
                                      "01a22e25-e69c-76f0-a028-51377d5d8eag",
                                      "../../x",
                                      "x"};

    put_rollout(FULL);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        codex(bad[i]);
        expect(PARENT_UNKNOWN, "is no codex thread id (UUIDv7)");
        ck_assert_uint_eq(parent.nrecords, 0);
    }
}
END_TEST

START_TEST(a_session_id_is_a_word)
{
    static const char *const bad[] = {"../x", "a/b", "a b", "a\n", "\xc3\xa9", "*"};

    put_transcript(BYPASS);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        claude(bad[i]);
        expect(PARENT_UNKNOWN, "is no claude session id");
    }
    claude("..");
    expect(PARENT_UNKNOWN, "no transcript of this session");
    claude(mem_strdup(mem, "a_b.c-9"));
    expect(PARENT_UNKNOWN, "no transcript of this session");
    claude("2f0028c6");
    expect(PARENT_UNKNOWN, "no transcript of this session");
}
END_TEST

START_TEST(a_rollout_is_looked_for_in_the_days_around_its_creation)
{
    static const struct {
        const char *day;
        bool found;
    } days[] = {{"2026/11/28", false},
                {"2026/11/29", true},
                {"2026/11/30", true},
                {"2026/12/01", true},
                {"2026/12/02", false}};

    for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++) {
        const char *path = mem_printf(mem, "home/.codex/sessions/%s/" ROLLOUT, days[i].day);

        tree_write(top, path, FULL, 0600);
        codex(THREAD);
        expect(days[i].found ? PARENT_FULL : PARENT_UNKNOWN,
               days[i].found ? "danger" : "no rollout of this thread below");
        ck_assert_int_eq(unlink(at(path)), 0);
    }
}
END_TEST

START_TEST(other_names_are_no_rollout)
{
    static const char *const names[] = {"rollout-2026.jsonl", "x-" ROLLOUT, ROLLOUT ".bak",
                                        "rollout-x-" THREAD, "rollout-" THREAD "x.jsonl"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        tree_write(top, mem_printf(mem, "home/.codex/" DAY "/%s", names[i]), FULL, 0600);
    codex(THREAD);
    expect(PARENT_UNKNOWN, "no rollout of this thread");
    ck_assert_uint_eq(parent.nrecords, 0);
}
END_TEST

START_TEST(several_rollouts_the_strictest_counts)
{
    put_rollout(FULL);
    environment[0] = (char *)(uintptr_t)mem_printf(mem, "CODEX_HOME=%s", at("own"));
    codex(THREAD);
    expect(PARENT_FULL, "danger");
    tree_write(top, "own/" DAY "/" ROLLOUT, FULL, 0600);
    codex(THREAD);
    expect(PARENT_FULL, "danger");
    ck_assert_uint_eq(parent.nrecords, 2);
    tree_write(top, "own/" DAY "/rollout-b-" THREAD ".jsonl", OTHER, 0600);
    codex(THREAD);
    expect(PARENT_UNKNOWN, "holds no turn_context");
    tree_write(top, "own/sessions/2026/12/01/rollout-c-" THREAD ".jsonl", READONLY, 0600);
    codex(THREAD);
    expect(PARENT_SANDBOXED, "read-only");
    ck_assert_uint_eq(parent.nrecords, 4);
}
END_TEST

START_TEST(codex_home_alone_will_do)
{
    environment[0] = (char *)(uintptr_t)mem_printf(mem, "CODEX_HOME=%s", at("own"));
    tree_write(top, "own/" DAY "/" ROLLOUT, FULL, 0600);
    host.home = NULL;
    codex(THREAD);
    expect(PARENT_FULL, "danger");
    environment[0] = NULL;
    codex(THREAD);
    expect(PARENT_UNKNOWN, "no home directory");
    claude(SESSION);
    expect(PARENT_UNKNOWN, "no home directory");
}
END_TEST

START_TEST(a_compressed_rollout_is_unknown)
{
    tree_write(top, "home/.codex/" DAY "/" ROLLOUT ".zst", "", 0600);
    codex(THREAD);
    expect(PARENT_UNKNOWN, "is compressed");
    put_rollout(FULL);
    expect(PARENT_UNKNOWN, "is compressed");
    put_rollout(READONLY);
    expect(PARENT_SANDBOXED, "read-only");
}
END_TEST

START_TEST(windows_homes_count_under_wsl)
{
    tree_write(top, "windows/Ada/.codex/" DAY "/" ROLLOUT, FULL, 0600);
    tree_mkdir(top, "windows/Public");
    codex(THREAD);
    expect(PARENT_UNKNOWN, "no rollout");
    environment[0] = (char *)(uintptr_t) "WSL_DISTRO_NAME=Debian";
    codex(THREAD);
    expect(PARENT_FULL, "danger");
    environment[0] = (char *)(uintptr_t) "WSL_DISTRO_NAME=";
    codex(THREAD);
    expect(PARENT_UNKNOWN, "no rollout");
}
END_TEST

START_TEST(claude_config_dir_replaces_the_home)
{
    put_transcript(BYPASS);
    expect(PARENT_FULL, "bypass");
    environment[0] = (char *)(uintptr_t)mem_printf(mem, "CLAUDE_CONFIG_DIR=%s", at("own"));
    claude(SESSION);
    expect(PARENT_UNKNOWN, mem_printf(mem, "below %s/projects", at("own")));
    tree_write(top, "own/projects/-q/" SESSION ".jsonl", DEFAULT, 0600);
    claude(SESSION);
    expect(PARENT_SANDBOXED, "default");
}
END_TEST

START_TEST(another_home_does_not_hide_what_the_users_own_says)
{
    host.home = at("forged");
    tree_write(top, "forged/.codex/" DAY "/" ROLLOUT, FULL, 0600);
    tree_write(top, "forged/.claude/projects/-q/" SESSION ".jsonl", BYPASS, 0600);
    codex(THREAD);
    expect(PARENT_FULL, "danger");
    claude(SESSION);
    expect(PARENT_FULL, "bypass");
    put_rollout(READONLY);
    expect(PARENT_SANDBOXED, "read-only");
    tree_write(top, "home/.claude/projects/-p/" SESSION ".jsonl", DEFAULT, 0600);
    claude(SESSION);
    expect(PARENT_SANDBOXED, "default");
    environment[0] = (char *)(uintptr_t)mem_printf(mem, "CLAUDE_CONFIG_DIR=%s", at("forged/.claude"));
    environment[1] = (char *)(uintptr_t)mem_printf(mem, "CODEX_HOME=%s", at("forged/.codex"));
    codex(THREAD);
    expect(PARENT_SANDBOXED, "read-only");
    claude(SESSION);
    expect(PARENT_SANDBOXED, "default");
}
END_TEST

START_TEST(the_users_own_home_grants_nothing_to_another_one)
{
    host.home = at("other");
    put_rollout(FULL);
    expect(PARENT_UNKNOWN, "no rollout");
    tree_write(top, "home/.claude/projects/-p/" SESSION ".jsonl", BYPASS, 0600);
    claude(SESSION);
    expect(PARENT_UNKNOWN, "no transcript");
}
END_TEST

START_TEST(several_transcripts_the_strictest_counts)
{
    put_transcript(BYPASS);
    tree_write(top, "home/.claude/projects/-q/" SESSION ".jsonl", DEFAULT, 0600);
    claude(SESSION);
    expect(PARENT_SANDBOXED, "default");
    ck_assert_uint_eq(parent.nrecords, 2);
}
END_TEST

START_TEST(a_link_is_unknown)
{
    put_rollout(FULL);
    put_transcript(BYPASS);
    ck_assert_int_eq(rename(at("home/.codex/" DAY "/" ROLLOUT), at("moved")), 0);
    ck_assert_int_eq(symlink(at("moved"), at("home/.codex/" DAY "/" ROLLOUT)), 0);
    codex(THREAD);
    expect(PARENT_UNKNOWN, "is a symbolic link");
    ck_assert_int_eq(rename(at("home/.claude/projects/-p/" SESSION ".jsonl"), at("moved2")), 0);
    ck_assert_int_eq(symlink(at("moved2"), at("home/.claude/projects/-p/" SESSION ".jsonl")), 0);
    claude(SESSION);
    expect(PARENT_UNKNOWN, "is a symbolic link");
}
END_TEST

START_TEST(only_a_regular_file_is_read)
{
    tree_mkdir(top, "home/.codex/" DAY);
    ck_assert_int_eq(mkfifo(at("home/.codex/" DAY "/" ROLLOUT), 0600), 0);
    codex(THREAD);
    expect(PARENT_UNKNOWN, "is not a regular file");
    tree_mkdir(top, "home/.claude/projects/-p/" SESSION ".jsonl");
    claude(SESSION);
    expect(PARENT_UNKNOWN, "is not a regular file");
}
END_TEST

START_TEST(another_users_file_is_unknown)
{
    put_rollout(FULL);
    host.uid++;
    codex(THREAD);
    expect(PARENT_UNKNOWN, "belongs to uid");
}
END_TEST

START_TEST(what_cannot_be_read_is_unknown)
{
    put_rollout(FULL);
    ck_assert_int_eq(chmod(at("home/.codex/" DAY "/" ROLLOUT), 0), 0);
    codex(THREAD);
    expect(PARENT_UNKNOWN, "cannot be opened: Permission denied");
    ck_assert_int_eq(chmod(at("home/.codex/" DAY), 0), 0);
    codex(THREAD);
    expect(PARENT_UNKNOWN, "cannot be searched: Permission denied");
    ck_assert_int_eq(chmod(at("home/.codex/" DAY), 0700), 0);
}
END_TEST

/* A record, then a line of megabytes. */
static void
put_long(const char *before, const char *start, size_t n, const char *end)
{
    FILE *f;

    put_rollout(before);
    f = fopen(at("home/.codex/" DAY "/" ROLLOUT), "a");
    ck_assert_ptr_nonnull(f);
    fputs(start, f);
    for (size_t i = 0; i < n; i++)
        putc('x', f);
    fputs(end, f);
    fclose(f);
    codex(THREAD);
}

START_TEST(a_line_that_is_too_long_is_passed_over_only_without_the_word)
{
    put_long(FULL, "{\"type\":\"event_msg\",\"payload\":\"", 3 << 20, "\"}\n");
    expect(PARENT_FULL, "danger");
    put_long(FULL,
             "{\"type\":\"turn_context\",\"payload\":{\"sandbox_policy\":{\"type\":\"read-only\"},\"x\":\"",
             3 << 20, "\"}}\n");
    expect(PARENT_UNKNOWN, "longer than 1024 KiB");
    put_long(READONLY,
             "{\"type\":\"turn_context\",\"payload\":{\"sandbox_policy\":{\"type\":\"danger-full-access\"},"
             "\"x\":\"",
             1000000, "\"}}\n");
    expect(PARENT_FULL, "danger");
}
END_TEST

START_TEST(memory_does_not_grow_with_the_file)
{
    struct rusage before, after;
    int fd;

    put_rollout(FULL OTHER);
    fd = open(at("home/.codex/" DAY "/" ROLLOUT), O_WRONLY);
    ck_assert_int_ne(fd, -1);
    ck_assert_int_eq(ftruncate(fd, 100 << 20), 0); /* a line of NULs */
    close(fd);
    getrusage(RUSAGE_SELF, &before);
    codex(THREAD);
    getrusage(RUSAGE_SELF, &after);
    expect(PARENT_FULL, "danger");
    ck_assert_int_lt(after.ru_maxrss - before.ru_maxrss, 2048);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("records");
    TCase *t = tcase_create("records");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, real_rollouts, 0, (int)(sizeof(rollouts) / sizeof(rollouts[0])));
    tcase_add_loop_test(t, real_transcripts, 0, (int)(sizeof(transcripts) / sizeof(transcripts[0])));
    tcase_add_loop_test(t, the_last_turn_context_counts, 0,
                        (int)(sizeof(codex_lines) / sizeof(codex_lines[0])));
    tcase_add_loop_test(t, the_last_top_level_permission_mode_counts, 0,
                        (int)(sizeof(claude_lines) / sizeof(claude_lines[0])));
    tcase_add_test(t, a_thread_id_is_a_uuid7);
    tcase_add_test(t, a_session_id_is_a_word);
    tcase_add_test(t, a_rollout_is_looked_for_in_the_days_around_its_creation);
    tcase_add_test(t, other_names_are_no_rollout);
    tcase_add_test(t, several_rollouts_the_strictest_counts);
    tcase_add_test(t, codex_home_alone_will_do);
    tcase_add_test(t, a_compressed_rollout_is_unknown);
    tcase_add_test(t, windows_homes_count_under_wsl);
    tcase_add_test(t, claude_config_dir_replaces_the_home);
    tcase_add_test(t, another_home_does_not_hide_what_the_users_own_says);
    tcase_add_test(t, the_users_own_home_grants_nothing_to_another_one);
    tcase_add_test(t, several_transcripts_the_strictest_counts);
    tcase_add_test(t, a_link_is_unknown);
    tcase_add_test(t, only_a_regular_file_is_read);
    tcase_add_test(t, another_users_file_is_unknown);
    if (geteuid() != 0)
        tcase_add_test(t, what_cannot_be_read_is_unknown);
    else
        puts("records: root, files that cannot be read are not tested");
    tcase_add_test(t, a_line_that_is_too_long_is_passed_over_only_without_the_word);
    tcase_add_test(t, memory_does_not_grow_with_the_file);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
