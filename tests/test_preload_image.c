/* Launches that no hook sees, the marks of decided ones, what stays alive below, and the library as a file. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../shim/names/names.h"
#include "support/stand.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static char *
output(const char *file, const char *const *argv, const char *const *env)
{
    return stand_output(&(struct stand_run){.file = file, .argv = argv, .env = env});
}

static void
diverted(char *out, const char *handoff)
{
    ck_assert_msg(stand_line(out, "exe %s", stand_path("lib/haccess-exec")), "not diverted:\n%s", out);
    if (handoff != NULL)
        ck_assert_msg(stand_line(out, "env HACCESS_EXEC=%s", handoff), "%s is not in:\n%s", handoff, out);
    free(out);
}

static void
passed(char *out, const char *exe)
{
    ck_assert_msg(stand_line(out, "exe %s", exe), "not %s:\n%s", exe, out);
    ck_assert_msg(strstr(out, "HACCESS_EXEC") == NULL, "%s", out);
    free(out);
}

static const char *
found(const char *path)
{
    static char text[512];

    snprintf(text, sizeof(text), "0f:%s", path);
    return text;
}

static void
open_with_clis(void)
{
    stand_open();
    stand_copy("tests/preload/show", "bin/codex");
    mkdir(stand_path("deep/static"), 0755);
    mkdir(stand_path("deep/codex"), 0755);
    mkdir(stand_path("deep/codex/bin"), 0755);
    stand_copy("tests/preload/show-static", "deep/static/codex");
    stand_copy("tests/preload/show", "deep/claude/versions/2.1.332");
    stand_write("deep/codex/bin/codex.js", "#!/usr/bin/env node\nconsole.log(\"ran\")\n", 0755);
    stand_write("bin/cursor-agent", "#!/bin/sh -e\necho ran \"$@\"\n", 0755);
    ck_assert_int_eq(symlink("../deep/claude/versions/2.1.332", stand_path("bin/cc")), 0);
    ck_assert_int_eq(symlink("cc", stand_path("bin/twice")), 0);
    ck_assert_int_eq(symlink("../deep/codex/bin/codex.js", stand_path("bin/cx")), 0);
    ck_assert_int_eq(symlink("plain", stand_path("bin/alias")), 0);
}

START_TEST(an_image_is_diverted)
{
    const char *codex = stand_path("bin/codex"), *version = stand_path("deep/claude/versions/2.1.332");
    char *out = output(codex, LIST("codex", "exec", "hi"), NULL);

    ck_assert(stand_line(out, "arg codex") && stand_line(out, "arg exec") && stand_line(out, "arg hi") &&
              stand_line(out, "argc 3"));
    diverted(out, found(codex));
    diverted(output(version, LIST("claude"), NULL), found(version));
    diverted(output(version, LIST(version), NULL), found(version));
    diverted(output("bin/codex", LIST("bin/codex"), NULL), "0f:bin/codex");
}
END_TEST

/* The kernel put the interpreter in front: the helper gets what was executed. */
START_TEST(a_script_image_is_diverted)
{
    const char *agent = stand_path("bin/cursor-agent"), *js = stand_path("deep/codex/bin/codex.js");
    char *out = output(agent, LIST("cursor-agent", "-p", "hi"), NULL);

    ck_assert_msg(stand_line(out, "argc 3") && stand_line(out, "arg %s", agent) && stand_line(out, "arg -p"),
                  "%s", out);
    diverted(out, found(agent));
    out = output(js, LIST("codex", "exec"), NULL);
    ck_assert_msg(stand_line(out, "argc 2") && stand_line(out, "arg %s", js) && stand_line(out, "arg exec"),
                  "%s", out);
    diverted(out, found(js));
}
END_TEST

START_TEST(a_renamed_link_is_diverted)
{
    diverted(output(stand_path("bin/cc"), LIST("cc", "-p"), NULL), found(stand_path("bin/cc")));
    diverted(output(stand_path("bin/cc"), LIST("claude", "-p"), NULL), NULL);
    diverted(output(stand_path("bin/twice"), LIST("twice"), NULL), NULL);
    diverted(output(stand_path("bin/cx"), LIST("cx", "exec"), NULL), found(stand_path("bin/cx")));
    passed(output(stand_path("bin/alias"), LIST("alias"), NULL), stand_path("bin/plain"));
}
END_TEST

START_TEST(the_clis_own_helpers_pass)
{
    const char *version = stand_path("deep/claude/versions/2.1.332"), *codex = stand_path("bin/codex");

    passed(output(version, LIST("rg", "x"), NULL), version);
    passed(output(stand_path("bin/cc"), LIST("ugrep"), NULL), version);
    passed(output(codex, LIST("codex-linux-sandbox"), NULL), codex);
}
END_TEST

START_TEST(a_descriptor_is_a_launch_only_under_a_vendor_name)
{
    const char *codex = stand_path("bin/codex"), *self = "/proc/self/fd/3";
    int fd = open(codex, O_RDONLY);

    ck_assert_int_eq(dup2(fd, 3), 3);
    passed(stand_output(&(struct stand_run){.file = self,
                                            .argv = LIST(self, "/bin/bash", "-c", "true"),
                                            .env = LIST("ARGV0=apply-seccomp"),
                                            .keep_fd = true}),
           codex);
    diverted(stand_output(&(struct stand_run){.file = self, .argv = LIST("codex", "exec"), .keep_fd = true}),
             found(codex));
    fd = open(stand_path("bin/cursor-agent"), O_RDONLY);
    ck_assert_int_eq(dup2(fd, 3), 3);
    diverted(
        stand_output(&(struct stand_run){.file = self, .argv = LIST("cursor-agent", "-p"), .keep_fd = true}),
        found(stand_path("bin/cursor-agent")));
}
END_TEST

static const char *const args[] = {"exec", "hi", NULL}, *const other_args[] = {"exec", "ho", NULL};

static char *
with_token(const char *file, const char *const *argv, const char *const *env, struct stand_token token)
{
    return stand_output(&(struct stand_run){.file = file, .argv = argv, .env = env, .token = token});
}

START_TEST(the_same_launch_passes)
{
    const char *codex = stand_path("bin/codex"), *caller = stand_path("bin/caller");
    const char *const *argv = LIST("codex", "exec", "hi");

    passed(with_token(codex, argv, NULL, (struct stand_token){ENV_LAUNCH, "codex", args, 0, 0, NULL}), codex);
    passed(with_token(codex, argv, NULL, (struct stand_token){ENV_PASSED, "codex", args, 0, 0, codex}),
           codex);
    /* By hooks: the same pid, and the parent's, for an exec in a vfork child and for a spawn. */
    passed(with_token(caller, LIST("caller", "execve", codex, "codex", "exec", "hi"), NULL,
                      (struct stand_token){ENV_LAUNCH, "codex", args, 0, 0, NULL}),
           codex);
    passed(with_token(caller, LIST("caller", "-v", "execve", codex, "codex", "exec", "hi"), NULL,
                      (struct stand_token){ENV_LAUNCH, "codex", args, 0, 0, NULL}),
           codex);
    passed(with_token(caller, LIST("caller", "posix_spawn", codex, "codex", "exec", "hi"), NULL,
                      (struct stand_token){ENV_LAUNCH, "codex", args, 0, 0, NULL}),
           codex);
}
END_TEST

START_TEST(another_launch_is_diverted)
{
    static const struct stand_token tokens[] = {
        {ENV_LAUNCH, "codex", other_args, 0, 0, NULL}, {ENV_PASSED, "codex", other_args, 0, 0, NULL},
        {ENV_LAUNCH, "codex", args, 1, 0, NULL},       {ENV_LAUNCH, "codex", args, 0, 1, NULL},
        {ENV_LAUNCH, "claude-code", args, 0, 0, NULL},
    };
    static const char *const asks[] = {"HACCESS_ACCESS=", "HACCESS_ACCESS=read-only", "HACCESS_LANE=write"};
    const char *codex = stand_path("bin/codex"),
               *fixed = stand_path("deep/static/codex"), *const *argv = LIST("codex", "exec", "hi");

    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        diverted(with_token(codex, argv, NULL, tokens[i]), NULL);
        diverted(with_token(stand_path("bin/caller"), LIST("caller", "execve", fixed, "codex", "exec", "hi"),
                            NULL, tokens[i]),
                 NULL);
    }
    for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
        diverted(with_token(codex, argv, LIST(asks[i]),
                            (struct stand_token){ENV_LAUNCH, "codex", args, 0, 0, NULL}),
                 NULL);
    diverted(output(codex, argv, LIST("HACCESS_LAUNCH=nonsense", "HACCESS_PASSED=codex:1:2:3")), NULL);
}
END_TEST

/* The read lane is in the hash: a first decision that was not made under it does not hold for it. */
START_TEST(the_read_lane_makes_another_launch)
{
    const char *codex = stand_path("bin/codex"), *const *argv = LIST("codex", "exec", "hi");
    struct stand_token t = {ENV_LAUNCH, "codex", args, 0, 0, NULL};

    passed(with_token(codex, argv, LIST("HACCESS_LANE=read"), t), codex);
    diverted(with_token(stand_path("bin/caller"),
                        LIST("caller", "-e", "HACCESS_LANE=read", "execve", codex, "codex", "exec", "hi"),
                        NULL, t),
             NULL);
}
END_TEST

/* The grandparent's launch is another one: a spawn that is a launch of its own. */
START_TEST(a_spawn_below_a_child_is_another_launch)
{
    const char *codex = stand_path("deep/static/codex"), *caller = stand_path("bin/caller");

    diverted(with_token(caller, LIST("caller", "-v", "posix_spawn", codex, "codex", "exec", "hi"), NULL,
                        (struct stand_token){ENV_LAUNCH, "codex", args, 0, 0, NULL}),
             NULL);
}
END_TEST

/* npm's codex: script, env, node and the native file it spawns, with the token that the helper would give. */
START_TEST(one_launch_of_several_execs)
{
    char *out, program[2048];

    if (!stand_has("node"))
        return;
    snprintf(program, sizeof(program),
             "#!/usr/bin/env node\nconst r = require('child_process').spawnSync('%s', process.argv.slice(2), "
             "{ argv0: 'codex', stdio: 'inherit' });\n"
             "process.exit(r.status)\n",
             stand_path("bin/codex"));
    stand_write("deep/codex/bin/codex.js", program, 0755);
    out = with_token(stand_path("deep/codex/bin/codex.js"), LIST("codex", "exec", "hi"), NULL,
                     (struct stand_token){ENV_LAUNCH, "codex", args, 0, 0, NULL});
    ck_assert_msg(stand_line(out, "exit 42"), "%s", out);
    passed(out, stand_path("bin/codex"));
    diverted(output(stand_path("deep/codex/bin/codex.js"), LIST("codex", "exec", "hi"), NULL), NULL);
}
END_TEST

START_TEST(the_helper_itself_is_not_diverted)
{
    const char *helper = stand_path("lib/haccess-exec");
    char *out = output(helper, LIST("codex", "exec"), LIST("HACCESS_EXEC=0f:/x/codex"));

    ck_assert_msg(stand_line(out, "exe %s", helper) && stand_line(out, "env HACCESS_EXEC=0f:/x/codex"), "%s",
                  out);
    free(out);
}
END_TEST

/* Whatever the text of LD_PRELOAD says, the helper is the one beside the file that was loaded. */
START_TEST(a_hostile_helper_in_the_working_directory)
{
    const char *codex = stand_path("bin/codex"), *cwd = stand_path("hostile");
    char search[512];

    mkdir(cwd, 0755);
    stand_write("hostile/haccess-exec", "#!/bin/sh\necho hostile\n", 0755);
    snprintf(search, sizeof(search), "LD_LIBRARY_PATH=%s", stand_path("lib"));
    diverted(stand_output(&(struct stand_run){.file = codex,
                                              .argv = LIST("codex"),
                                              .cwd = cwd,
                                              .env = LIST("LD_PRELOAD=libhaccess.so", search)}),
             NULL);
    diverted(stand_output(&(struct stand_run){.file = codex,
                                              .argv = LIST("codex"),
                                              .cwd = cwd,
                                              .env = LIST("LD_PRELOAD=../lib/libhaccess.so")}),
             NULL);
    diverted(
        stand_output(&(struct stand_run){.file = codex,
                                         .argv = LIST("codex"),
                                         .cwd = cwd,
                                         .env = LIST("LD_PRELOAD=libhaccess.so", "LD_LIBRARY_PATH=../lib")}),
        NULL);
    /* Loaded by a relative name, then elsewhere. */
    diverted(stand_output(&(struct stand_run){.file = stand_path("bin/caller"),
                                              .argv = LIST("caller", "-c", "/", "execve", codex, "codex"),
                                              .cwd = cwd,
                                              .env = LIST("LD_PRELOAD=../lib/libhaccess.so")}),
             NULL);
}
END_TEST

START_TEST(without_the_helper_an_image_ends)
{
    const char *codex = stand_path("bin/codex"), *helper = stand_path("lib/haccess-exec");
    char *out;

    ck_assert_int_eq(rename(helper, stand_path("lib/away")), 0);
    out = output(codex, LIST("codex"), NULL);
    ck_assert_int_eq(rename(stand_path("lib/away"), helper), 0);
    ck_assert_msg(stand_line(out, "exit 126"), "%s", out);
    ck_assert_msg(stand_line(out,
                             "haccess: %s: not launched, since %s cannot be executed; see `haccess doctor`",
                             codex, helper),
                  "%s", out);
    free(out);
}
END_TEST

START_TEST(an_earlier_constructor)
{
    const char *codex = stand_path("bin/codex"), *plain = stand_path("bin/plain");
    char preload[2][512], early[512], *out;

    snprintf(preload[0], sizeof(preload[0]), "LD_PRELOAD=%s:%s", stand_path("lib/libhaccess.so"),
             stand_path("lib/libmover.so"));
    snprintf(preload[1], sizeof(preload[1]), "LD_PRELOAD=%s:%s", stand_path("lib/libmover.so"),
             stand_path("lib/libhaccess.so"));
    snprintf(early, sizeof(early), "X_EARLY=%s", codex);
    for (int i = 0; i < 2; i++) {
        diverted(output(codex, LIST("codex", "exec"), LIST(preload[i])), found(codex));
        out = output(plain, LIST("plain"), LIST(preload[i]));
        ck_assert_msg(stand_line(out, "env X_MOVED=1"), "%s", out);
        passed(out, plain);
        out = output(plain, LIST("plain"), LIST(preload[i], early));
        ck_assert_msg(stand_line(out, "arg early"), "%s", out);
        diverted(out, found(codex));
    }
}
END_TEST

START_TEST(other_libraries_keep_their_hooks)
{
    const char *codex = stand_path("bin/codex"), *plain = stand_path("bin/plain"),
               *caller = stand_path("bin/caller");
    static const char *const functions[] = {"execve", "posix_spawn"};
    char preload[512], *out;

    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s:%s", stand_path("lib/libhaccess.so"),
             stand_path("lib/libchain.so"));
    for (int i = 0; i < 2; i++) {
        out = output(caller, LIST("caller", functions[i], codex, "codex"), LIST(preload));
        ck_assert_msg(stand_line(out, "chained"), "%s", out);
        diverted(out, found(codex));
        out = output(caller, LIST("caller", functions[i], plain, "plain"), LIST(preload));
        ck_assert_msg(stand_line(out, "chained"), "%s", out);
        passed(out, plain);
    }
}
END_TEST

/* The libc's functions are chosen while it is relocated, and that comes later: the library must need none of them. */
START_TEST(behind_the_libc)
{
    const char *codex = stand_path("bin/codex"), *plain = stand_path("bin/plain");
    char preload[512];

    snprintf(preload, sizeof(preload), "LD_PRELOAD=libc.so.6:%s", stand_path("lib/libhaccess.so"));
    diverted(output(codex, LIST("codex", "exec"), LIST(preload)), found(codex));
    passed(output(plain, LIST("plain"), LIST(preload)), plain);
}
END_TEST

/* A set-uid program that is linked with the library. */
START_TEST(inert_under_at_secure)
{
    const char *codex = stand_path("deep/linked/codex");
    struct stat st;

    mkdir(stand_path("deep/linked"), 0755);
    stand_copy("tests/preload/linked", "deep/linked/codex");
    diverted(output(codex, LIST("codex"), NULL), NULL);
    /* By its group: another user might not reach the library, wherever this is built. */
    if (getuid() != 0 || chown(codex, 0, 65534) != 0 || chmod(codex, 02755) != 0 || stat(codex, &st) != 0 ||
        (st.st_mode & S_ISGID) == 0)
        return;
    passed(output(codex, LIST("codex"), NULL), codex);
}
END_TEST

START_TEST(musl_images)
{
    if (access(stand_path("deep/claude/claude"), X_OK) != 0)
        return;
    diverted(output(stand_path("deep/claude/claude"), LIST("claude", "-p"), NULL),
             found(stand_path("deep/claude/claude")));
    passed(output(stand_path("deep/claude/claude"), LIST("rg"), NULL), stand_path("deep/claude/claude"));
    passed(with_token(stand_path("deep/claude/claude"), LIST("claude", "exec", "hi"), NULL,
                      (struct stand_token){ENV_LAUNCH, "claude-code", args, 0, 0, NULL}),
           stand_path("deep/claude/claude"));
}
END_TEST

static void
open_with_libraries(void)
{
    char musl[4096];

    open_with_clis();
    stand_copy("tests/preload/caller", "bin/caller");
    stand_copy("tests/preload/libmover.so", "lib/libmover.so");
    stand_copy("tests/preload/libchain.so", "lib/libchain.so");
    snprintf(musl, sizeof(musl), "%s/tests/preload/show-musl", getenv("HACCESS_BUILD"));
    if (access(musl, X_OK) == 0)
        stand_copy("tests/preload/show-musl", "deep/claude/claude");
}

int
main(void)
{
    Suite *s = suite_create("preload: images and marks");
    TCase *t = tcase_create("images");
    SRunner *sr;
    int failed;

    tcase_add_unchecked_fixture(t, open_with_libraries, stand_close);
    tcase_add_test(t, an_image_is_diverted);
    tcase_add_test(t, a_script_image_is_diverted);
    tcase_add_test(t, a_renamed_link_is_diverted);
    tcase_add_test(t, the_clis_own_helpers_pass);
    tcase_add_test(t, a_descriptor_is_a_launch_only_under_a_vendor_name);
    tcase_add_test(t, the_same_launch_passes);
    tcase_add_test(t, another_launch_is_diverted);
    tcase_add_test(t, the_read_lane_makes_another_launch);
    tcase_add_test(t, a_spawn_below_a_child_is_another_launch);
    tcase_add_test(t, one_launch_of_several_execs);
    tcase_add_test(t, the_helper_itself_is_not_diverted);
    tcase_add_test(t, a_hostile_helper_in_the_working_directory);
    tcase_add_test(t, without_the_helper_an_image_ends);
    tcase_add_test(t, an_earlier_constructor);
    tcase_add_test(t, other_libraries_keep_their_hooks);
    tcase_add_test(t, behind_the_libc);
    tcase_add_test(t, inert_under_at_secure);
    tcase_add_test(t, musl_images);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
