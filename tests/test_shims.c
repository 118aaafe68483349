/* haccess shims: front ends on PATH, with launchers that load no library. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../shim/adapters/adapter.h"
#include "../shim/mem.h"
#include "support/orphan.h"
#include "support/tree.h"

static char *build, *top;
static struct mem *m;
static const char *path, *preload;

static const char *
at(const char *name)
{
    return mem_printf(m, "%s/%s", top, name);
}

/* Runs a line of sh in the project, as a launcher that knows nothing of haccess but what path and preload say. */
static struct outcome
run(const char *line)
{
    struct strings env = {0};
    char *argv[] = {mem_strdup(m, "/bin/sh"), mem_strdup(m, "-c"), mem_strdup(m, line), NULL};

    strings_add(m, &env, mem_printf(m, "HOME=%s", at("home")));
    strings_add(m, &env, mem_printf(m, "PATH=%s", path));
    strings_add(m, &env, mem_printf(m, "HACCESS_STATE_DIR=%s", at("state")));
    strings_add(m, &env, mem_printf(m, "HACCESS=%s/haccess", build));
    if (preload != NULL)
        strings_add(m, &env, mem_printf(m, "LD_PRELOAD=%s", preload));
    return orphan_run(at("project"), argv, env.items, false);
}

static void
expect(const char *line, int code, const char *out, const char *err)
{
    struct outcome o = run(line);

    ck_assert_msg(o.code == code, "%s: exit %d, not %d: %s%s", line, o.code, code, o.out, o.err);
    ck_assert_msg(out == NULL || strcmp(o.out, out) == 0, "%s: printed %s, not %s", line, o.out, out);
    ck_assert_msg(strstr(o.err, err) != NULL, "%s: no \"%s\" in: %s", line, err, o.err);
    outcome_free(&o);
}

/* How many launches are recorded. */
static int
launches(void)
{
    struct outcome o =
        run("cat \"$HACCESS_STATE_DIR\"/runs/*/*.jsonl 2>/dev/null | grep -c '\"agent.start\"'");
    int n = atoi(o.out);

    outcome_free(&o);
    return n;
}

static const char printer[] = "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n";
#define ASKED  "codex exec --dangerously-bypass-approvals-and-sandbox hi"
#define NARROW "--sandbox\nworkspace-write\nexec\nhi\n"

static void
setup(void)
{
    m = mem_new();
    top = tree_new();
    tree_mkdir(top, "home");
    tree_mkdir(top, "project");
    tree_write(top, "bin/codex", printer, 0755);
    path = mem_printf(m, "%s:%s:/usr/bin:/bin", at("shims"), at("bin"));
    preload = NULL;
    expect("umask 022; $HACCESS shims ../shims", 0, NULL, "");
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(m);
}

START_TEST(there_is_one_for_each_cli)
{
    struct stat st;

    for (const struct adapter *const *a = adapters; *a != NULL; a++) {
        ck_assert_msg(stat(at(mem_printf(m, "shims/%s", (*a)->program)), &st) == 0, "%s", (*a)->program);
        ck_assert_int_eq(st.st_mode & 07777, 0755);
    }
    expect("ls -A ../shims | wc -l", 0, "5\n", "");
    expect("$HACCESS shims ../shims", 0, NULL, "");
    expect("ls -A ../shims | wc -l", 0, "5\n", "");
}
END_TEST

START_TEST(a_launcher_without_the_library_is_covered)
{
    expect(ASKED, 7, NARROW, "");
    ck_assert_int_eq(launches(), 1);
}
END_TEST

START_TEST(a_static_cli_is_covered)
{
    char command[1024];

    snprintf(command, sizeof command, "cp '%s/tests/preload/show-static' '%s'", build, at("bin/codex"));
    ck_assert_int_eq(system(command), 0);
    struct outcome o = run(ASKED);
    ck_assert_msg(strstr(o.out, "workspace-write") != NULL && strstr(o.out, "--danger") == NULL, "%s%s",
                  o.out, o.err);
    outcome_free(&o);
    ck_assert_int_eq(launches(), 1);
}
END_TEST

START_TEST(what_is_preloaded_already_is_decided_once)
{
    preload = mem_printf(m, "%s/libhaccess.so", build);
    expect(ASKED, 7, NARROW, "");
    ck_assert_int_eq(launches(), 1);
    expect("/usr/bin/env " ASKED, 7, NARROW, "");
    ck_assert_int_eq(launches(), 2);
}
END_TEST

START_TEST(a_refused_launch_is_not_started)
{
    tree_write(top, "bin/codex", "#!/bin/sh\n: >../ran\n", 0755);
    expect("codex exec --yolo -s read-only hi", 126, "", "haccess: ");
    ck_assert_int_ne(access(at("ran"), F_OK), 0);
}
END_TEST

START_TEST(front_ends_are_passed_over)
{
    expect("$HACCESS shims ../more", 0, NULL, "");
    path = mem_printf(m, "%s:%s:%s:/usr/bin:/bin", at("more"), at("shims"), at("bin"));
    expect(ASKED, 7, NARROW, "");
    ck_assert_int_eq(launches(), 1);
    path = mem_printf(m, "%s:%s:/usr/bin:/bin", at("more"), at("shims"));
    expect(ASKED, 127, "", "codex: there is no other one on PATH");
}
END_TEST

/* A script of the user's that starts the first one on PATH that is not itself finds the front end. */
START_TEST(a_script_that_comes_back_is_passed_over)
{
    const char *back = mem_printf(m, "#!/bin/sh\nexec '%s' \"$@\"\n", at("shims/codex"));

    tree_write(top, "mine/codex", back, 0755);
    path = mem_printf(m, "%s:%s:%s:%s:/usr/bin:/bin", at("shims"), at("mine"), at("mine"), at("bin"));
    for (int i = 0; i < 2; i++) {
        preload = i == 0 ? NULL : mem_printf(m, "%s/libhaccess.so", build);
        expect("ulimit -t 5; " ASKED, 7, NARROW, "");
        ck_assert_int_eq(launches(), i + 1);
    }
    /* What another process started says nothing. */
    expect(mem_printf(m, "export HACCESS_SHIM=$$.1:%s; exec " ASKED, at("bin/codex")), 7, NARROW, "");
    path = mem_printf(m, "%s:%s:/usr/bin:/bin", at("shims"), at("mine"));
    expect("ulimit -t 5; " ASKED, 127, "", "codex: there is no other one on PATH");
}
END_TEST

START_TEST(an_emptied_preload_stays_the_way_around)
{
    preload = "";
    expect(ASKED, 7, "exec\n--dangerously-bypass-approvals-and-sandbox\nhi\n", "");
    ck_assert_int_eq(launches(), 0);
}
END_TEST

START_TEST(words_input_and_status_pass)
{
    tree_write(top, "bin/codex", "#!/bin/sh\ncat\nprintf '<%s>\\n' \"$@\"\nkill -9 $$\n", 0755);
    expect("printf in | codex exec -s read-only 'a  b' '' \"c'd\"", 137,
           "in<exec>\n<-s>\n<read-only>\n<a  b>\n<>\n<c'd>\n", "");
}
END_TEST

START_TEST(what_is_no_front_end_is_never_overwritten)
{
    tree_write(top, "mine/claude", printer, 0755);
    expect("chmod 755 ../mine; $HACCESS shims ../mine", 1, "",
           "claude: is there, and no front end of haccess");
    expect("cat ../mine/claude", 0, printer, "");
    ck_assert_int_ne(access(at("mine/codex"), F_OK), 0);
    expect("mkdir -m 755 ../linked && ln -s ../bin/codex ../linked/codex && $HACCESS shims ../linked", 1, "",
           "codex: is there");
}
END_TEST

START_TEST(a_directory_that_others_can_write_to_is_refused)
{
    expect("mkdir -m 775 ../shared && $HACCESS shims ../shared", 1, "", "chmod go-w it");
    expect("mkdir -m 755 ../a:b && $HACCESS shims ../a:b", 1, "", "colon");
    expect("$HACCESS shims ../bin/codex", 1, "", "codex: ");
    expect("$HACCESS shims ../not/there", 1, "", "not/there: No such file");
}
END_TEST

START_TEST(without_haccess_it_says_what_to_do)
{
    expect("sed \"s,$HACCESS,/gone/haccess,\" ../shims/codex >../c && cat ../c >../shims/codex", 0, NULL, "");
    expect(ASKED, 127, "", "make it anew with haccess shims");
}
END_TEST

START_TEST(only_clis_are_started)
{
    expect("$HACCESS shims --start sh -- -c :", 2, "", "sh: haccess knows no agent CLI of that name");
    expect("$HACCESS shims", 2, "", "usage: haccess shims");
    expect("$HACCESS shims a b", 2, "", "usage: haccess shims");
}
END_TEST

START_TEST(doctor_looks_behind_them)
{
    struct outcome o = run("$HACCESS doctor --json");

    ck_assert_msg(strstr(o.out, "\"shim\"") != NULL && strstr(o.out, at("bin/codex")) != NULL, "%s", o.out);
    outcome_free(&o);
}
END_TEST

int
main(void)
{
    const char *dir = getenv("HACCESS_BUILD");

    build = dir == NULL ? NULL : realpath(dir, NULL);
    if (build == NULL) {
        fprintf(stderr, "HACCESS_BUILD: not set; run by `make check`\n");
        return 1;
    }
    umask(022);

    Suite *s = suite_create("shims");
    TCase *t = tcase_create("front ends");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, there_is_one_for_each_cli);
    tcase_add_test(t, a_launcher_without_the_library_is_covered);
    tcase_add_test(t, a_static_cli_is_covered);
    tcase_add_test(t, what_is_preloaded_already_is_decided_once);
    tcase_add_test(t, a_refused_launch_is_not_started);
    tcase_add_test(t, front_ends_are_passed_over);
    tcase_add_test(t, a_script_that_comes_back_is_passed_over);
    tcase_add_test(t, an_emptied_preload_stays_the_way_around);
    tcase_add_test(t, words_input_and_status_pass);
    tcase_add_test(t, what_is_no_front_end_is_never_overwritten);
    tcase_add_test(t, a_directory_that_others_can_write_to_is_refused);
    tcase_add_test(t, without_haccess_it_says_what_to_do);
    tcase_add_test(t, only_clis_are_started);
    tcase_add_test(t, doctor_looks_behind_them);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    free(build);
    return failed != 0;
}
