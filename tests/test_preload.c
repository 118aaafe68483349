/* Every hook: a launch is diverted, anything else is as without the library. */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/stand.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct hook {
    const char *name;
    bool search, spawn, glibc_only;
    bool shell; /* runs what the kernel cannot */
} hooks[] = {
    {"execve", false, false, false, false},        {"execv", false, false, false, false},
    {"execl", false, false, false, false},         {"execle", false, false, false, false},
    {"execvp", true, false, false, true},          {"execlp", true, false, false, true},
    {"execvpe", true, false, false, true},         {"fexecve", false, false, false, false},
    {"execveat", false, false, true, false},       {"execveat-nofollow", false, false, true, false},
    {"execveat-empty", false, false, true, false}, {"execveat-dir", false, false, true, false},
    {"posix_spawn", false, true, false, false},    {"posix_spawnp", true, true, false, false},
};

#define HOOKS ((int)(sizeof(hooks) / sizeof(hooks[0])))

/* What differs between two runs, or by the library's presence. */
static const char *const volatile_lines[] = {"pid ",     "parent ",         "caller ",      "child ",
                                             "entries ", "env LD_PRELOAD=", "env HACCESS_", NULL};

static const char *
caller_for(bool musl)
{
    static char path[4096];

    snprintf(path, sizeof(path), "%s/tests/preload/caller%s", getenv("HACCESS_BUILD"), musl ? "-musl" : "");
    return path;
}

/* Runs the caller: options (may be NULL), the hook, the file by name in bin/ or by its path, and words. */
static char *
call(bool musl, const struct hook *h, const char *const *options, const char *name, const char *const *words,
     const char *const *env)
{
    const char *argv[32] = {caller_for(musl)}, **to = argv + 1;
    char file[256];

    snprintf(file, sizeof(file), "%s%s", h->search || strchr(name, '/') != NULL ? "" : "bin/", name);
    for (; options != NULL && *options != NULL; options++)
        *to++ = *options;
    *to++ = h->name;
    *to++ = strchr(name, '/') != NULL || h->search || *name == '\0' ? name : stand_path(file);
    for (; *words != NULL; words++)
        *to++ = *words;
    *to = NULL;
    return stand_output(&(struct stand_run){.argv = argv, .env = env, .large = true});
}

static bool
musl_can(const struct hook *h)
{
    return access(caller_for(true), X_OK) == 0 && !h->glibc_only;
}

static void
expect_diverted(const char *out, const struct hook *h, bool shell, const char *how)
{
    long pid = stand_number(out, "pid");

    ck_assert_msg(stand_line(out, "exe %s", stand_path("lib/haccess-exec")), "%s %s: not diverted:\n%s",
                  h->name, how, out);
    ck_assert_msg(stand_line(out, "argc 3") && stand_line(out, "arg codex") && stand_line(out, "arg exec") &&
                      stand_line(out, "arg hi"),
                  "%s %s: %s", h->name, how, out);
    ck_assert_msg(stand_line(out, "env HACCESS_EXEC=%df:%s", shell, stand_path("bin/codex")), "%s %s: %s",
                  h->name, how, out);
    ck_assert_msg(pid == stand_number(out, h->spawn ? "child" : "caller"), "%s %s: another pid: %s", h->name,
                  how, out);
}

START_TEST(a_launch_is_diverted)
{
    const struct hook *h = &hooks[_i];
    char *out = call(false, h, NULL, "codex", LIST("codex", "exec", "hi"), NULL);

    expect_diverted(out, h, h->shell, "");
    free(out);
    out = call(false, h, LIST("-t"), "codex", LIST("codex", "exec", "hi"), NULL);
    expect_diverted(out, h, h->shell, "in a small thread");
    free(out);
    if (!h->spawn) {
        out = call(false, h, LIST("-v"), "codex", LIST("codex", "exec", "hi"), NULL);
        expect_diverted(out, h, h->shell, "in a vfork child");
        ck_assert(stand_line(out, "status 42"));
        free(out);
    }
}
END_TEST

START_TEST(a_launch_is_diverted_on_musl)
{
    const struct hook *h = &hooks[_i];
    char *out;

    if (!musl_can(h))
        return;
    out = call(true, h, NULL, "codex", LIST("codex", "exec", "hi"), NULL);
    expect_diverted(out, h, false, "on musl");
    free(out);
    out = call(true, h, LIST("-t"), "codex", LIST("codex", "exec", "hi"), NULL);
    expect_diverted(out, h, false, "on musl, in a small thread");
    free(out);
}
END_TEST

/* The same call with and without the library. */
static void
expect_same(bool musl, const struct hook *h, const char *const *options, const char *name,
            const char *const *words, const char *path)
{
    char *with =
        stand_without(call(musl, h, options, name, words, path != NULL ? LIST(path) : NULL), volatile_lines);
    char *without = stand_without(
        call(musl, h, options, name, words, path != NULL ? LIST("LD_PRELOAD", path) : LIST("LD_PRELOAD")),
        volatile_lines);

    ck_assert_msg(strcmp(with, without) == 0, "%s %s: with the library\n%swithout\n%s", h->name, name, with,
                  without);
    free(with);
    free(without);
}

static void
open_with_targets(void)
{
    stand_open();

    stand_write("bin/claude", "#!/bin/sh\n", 0644);
    stand_write("bin/odd", "#!/bin/sh\n", 0644);
    stand_write("bin/shell", "echo from sh: \"$@\"\n", 0755);
    stand_write("bin/script", "#!/bin/sh\necho script \"$0\" \"$@\"\n", 0755);
    stand_write("bin/lost", "#!/nonexistent/interpreter\n", 0755);
    ck_assert_int_eq(symlink("loop", stand_path("bin/loop")), 0);
    ck_assert_int_eq(symlink("opencode", stand_path("bin/opencode")), 0);
    ck_assert_int_eq(symlink("plain", stand_path("bin/link")), 0);
}

START_TEST(an_ordinary_program_is_unaffected)
{
    static const char *const names[] = {"plain",     "shell", "script",  "lost",    "link",     "odd",
                                        "directory", "loop",  "missing", "plain/x", "./missing"};
    const struct hook *h = &hooks[_i];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        expect_same(false, h, NULL, names[i], LIST("zero", "a", "b"), NULL);
        if (musl_can(h))
            expect_same(true, h, NULL, names[i], LIST("zero", "a", "b"), NULL);
    }
    if (!h->spawn && strcmp(h->name, "fexecve") != 0 && strstr(h->name, "-") == NULL)
        expect_same(false, h, NULL, "", LIST("zero"), NULL);
    if (!h->spawn)
        expect_same(false, h, LIST("-v"), "plain", LIST("zero", "a"), NULL);
    expect_same(false, h, LIST("-t"), "plain", LIST("zero", "a"), NULL);
}
END_TEST

/* A name that is a vendor's, and nothing that could be executed. */
START_TEST(what_cannot_be_executed_is_no_launch)
{
    static const char *const names[] = {"cursor-agent", "claude",          "opencode",
                                        "./claude",     "directory/codex", "plain/codex"};
    const struct hook *h = &hooks[_i];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        expect_same(false, h, NULL, names[i], LIST(names[i], "exec"), NULL);
}
END_TEST

START_TEST(null_argv)
{
    const struct hook *h = &hooks[_i];

    if (!h->spawn && strncmp(h->name, "execl", 5) != 0)
        expect_same(false, h, LIST("-0"), "plain", LIST("x"), NULL);
}
END_TEST

/* PATH rules: what cannot be executed is passed over, an empty element is the working directory, no PATH is the libc's. */
START_TEST(path_rules)
{
    const struct hook *h = &hooks[_i];
    char path[PATH_MAX + 512], *out;

    if (!h->search)
        return;
    mkdir(stand_path("first"), 0755);
    mkdir(stand_path("codex"), 0755);
    stand_write("first/codex", "", 0644);
    snprintf(path, sizeof(path), "PATH=/nonexistent:%s::%s/codex:%s", stand_path("first"), stand_path("bin"),
             stand_path("bin"));
    out = call(false, h, NULL, "codex", LIST("codex", "exec", "hi"), LIST(path));
    expect_diverted(out, h, h->shell, "behind files that are not executable");
    free(out);
    for (int i = 0; i < 3; i++) {
        static const char *const paths[] = {"PATH=/nonexistent", "PATH", "PATH="};

        expect_same(false, h, NULL, "opencode", LIST("opencode"), paths[i]);
        expect_same(false, h, NULL, "sh", LIST("sh", "-c", "echo sh"), paths[i]);
    }
    /* Too long to be a directory: passed over. */
    snprintf(path, sizeof(path), "PATH=/%.*d:%s", PATH_MAX, 0, stand_path("bin"));
    expect_same(false, h, NULL, "plain", LIST("plain"), path);
    out = call(false, h, NULL, "codex", LIST("codex", "exec", "hi"), LIST(path));
    expect_diverted(out, h, h->shell, "behind a directory that is too long");
    free(out);
    snprintf(path, sizeof(path), "PATH=%s", stand_path("first"));
    expect_same(false, h, NULL, "codex", LIST("codex"), path);
    out = call(false, h, LIST("-c", stand_path("bin")), "codex", LIST("codex", "exec", "hi"),
               LIST("PATH=:/bin"));
    ck_assert_msg(stand_line(out, "env HACCESS_EXEC=%df:codex", h->shell), "%s", out);
    free(out);
}
END_TEST

START_TEST(file_actions_and_attributes_are_kept)
{
    const struct hook *h = &hooks[_i];
    char *out;

    if (!h->spawn)
        return;
    out = call(false, h, LIST("-a"), "codex", LIST("codex", "exec", "hi"), NULL);
    expect_diverted(out, h, false, "with file actions");
    ck_assert(stand_line(out, "descriptor 7"));
    ck_assert(stand_line(out, "leads its group"));
    ck_assert(stand_line(out, "status 42"));
    free(out);
    out = call(false, h, LIST("-a"), "./codex", LIST("codex"), NULL);
    ck_assert(stand_line(out, "env HACCESS_EXEC=0f:./codex"));
    free(out);
    out = call(false, h, LIST("-a", "-c", stand_path("bin")), "codex", LIST("codex"), LIST("PATH=.:/bin"));
    ck_assert_msg(!h->search || stand_line(out, "env HACCESS_EXEC=0p:codex/.:/bin"), "%s", out);
    free(out);
    expect_same(false, h, LIST("-a"), "cursor-agent", LIST("cursor-agent"), NULL);
    expect_same(false, h, LIST("-a"), "plain", LIST("plain"), NULL);
}
END_TEST

START_TEST(huge_arguments_and_environments)
{
    const struct hook *h = &hooks[_i];
    bool list = strncmp(h->name, "execl", 5) == 0;
    char *out;

    if (!list) {
        out = call(false, h, LIST("-w", "200000"), "codex", LIST("codex", "exec"), NULL);
        ck_assert_msg(stand_line(out, "argc 200002") &&
                          stand_line(out, "exe %s", stand_path("lib/haccess-exec")),
                      "%s: %.300s", h->name, out);
        free(out);
    }
    out = call(false, h, LIST("-t", "-k", "100000"), "codex", LIST("codex", "exec", "hi"), NULL);
    expect_diverted(out, h, h->shell, "with a huge environment");
    ck_assert_int_gt(stand_number(out, "entries"), 100000);
    free(out);
    out = call(false, h, LIST("-t", "-k", "50000", "-u", "LD_PRELOAD"), "plain", LIST("codex", "exec", "hi"),
               NULL);
    ck_assert_msg(stand_line(out, "env LD_PRELOAD=%s", stand_path("lib/libhaccess.so")), "%s: %s", h->name,
                  out);
    free(out);
    if (!list) {
        out = call(false, h, LIST("-w", "3000000"), "codex", LIST("codex"), NULL);
        ck_assert_msg(stand_line(out, h->spawn ? "error %d" : "failed %d", E2BIG), "%s: %.300s", h->name,
                      out);
        free(out);
    }
}
END_TEST

START_TEST(a_vfork_parent_keeps_nothing)
{
    const struct hook *h = &hooks[_i];
    char *out = call(false, h, LIST("-r", "20", "-k", "2000"), "codex", LIST("codex", "exec", "hi"), NULL);

    ck_assert_msg(stand_line(out, "grew by 0"), "%.300s", out);
    ck_assert(stand_line(out, "exe %s", stand_path("lib/haccess-exec")));
    free(out);
    out = call(false, h, LIST("-r", "20", "-k", "2000", "-u", "LD_PRELOAD"), "plain", LIST("plain"), NULL);
    ck_assert_msg(stand_line(out, "grew by 0"), "%.300s", out);
    free(out);
}
END_TEST

/* Newer than most libcs: there the function says so, here it diverts. */
START_TEST(pidfd_spawn_where_there_is_one)
{
    static const struct hook pair[] = {{"pidfd_spawn", false, true, true, false},
                                       {"pidfd_spawnp", true, true, true, false}};
    char *out = call(false, &pair[_i], NULL, "codex", LIST("codex", "exec", "hi"), NULL);

    if (!stand_line(out, "error %d", ENOSYS))
        expect_diverted(out, &pair[_i], false, "");
    free(out);
    expect_same(false, &pair[_i], NULL, "plain", LIST("plain", "x"), NULL);
}
END_TEST

static void
open_without_helper(void)
{
    stand_open();
    unlink(stand_path("lib/haccess-exec"));
}

START_TEST(without_the_helper_a_launch_is_refused)
{
    const struct hook *h = &hooks[_i];
    char *out = call(false, h, NULL, "codex", LIST("codex"), NULL);
    ck_assert_msg(stand_line(out, h->spawn ? "error %d" : "failed %d", EACCES), "%s", out);
    ck_assert_msg(stand_line(out,
                             "haccess: %s: not launched, since %s cannot be executed; see `haccess doctor`",
                             stand_path("bin/codex"), stand_path("lib/haccess-exec")),
                  "%s", out);
    ck_assert_msg(!h->spawn || stand_line(out, "errno 77"), "%s", out);
    free(out);
    expect_same(false, h, NULL, "plain", LIST("plain"), NULL);
}
END_TEST

START_TEST(a_helper_of_the_cli_passes)
{
    expect_same(false, &hooks[_i], NULL, "codex", LIST("codex-linux-sandbox", "codex"), NULL);
    expect_same(false, &hooks[_i], NULL, "codex", LIST("apply_patch", "x"), NULL);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("preload");
    TCase *t = tcase_create("every hook");
    SRunner *sr;
    int failed;

    tcase_add_unchecked_fixture(t, open_with_targets, stand_close);
    tcase_add_loop_test(t, a_launch_is_diverted, 0, HOOKS);
    tcase_add_loop_test(t, a_launch_is_diverted_on_musl, 0, HOOKS);
    tcase_add_loop_test(t, an_ordinary_program_is_unaffected, 0, HOOKS);
    tcase_add_loop_test(t, what_cannot_be_executed_is_no_launch, 0, HOOKS);
    tcase_add_loop_test(t, null_argv, 0, HOOKS);
    tcase_add_loop_test(t, path_rules, 0, HOOKS);
    tcase_add_loop_test(t, file_actions_and_attributes_are_kept, 0, HOOKS);
    tcase_add_loop_test(t, huge_arguments_and_environments, 0, HOOKS);
    tcase_add_loop_test(t, a_vfork_parent_keeps_nothing, 0, HOOKS);
    tcase_add_loop_test(t, a_helper_of_the_cli_passes, 0, HOOKS);
    tcase_add_loop_test(t, pidfd_spawn_where_there_is_one, 0, 2);
    suite_add_tcase(s, t);
    t = tcase_create("no helper");
    tcase_add_unchecked_fixture(t, open_without_helper, stand_close);
    tcase_add_loop_test(t, without_the_helper_a_launch_is_refused, 0, HOOKS);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
