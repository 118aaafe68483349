/* Real CLIs behind the front ends of `haccess shims`, started by a program that loads no library. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

static const char launcher[] = "package main\n"
                               "import (\"os\"; \"os/exec\")\n"
                               "func main() {\n"
                               "\tc := exec.Command(os.Args[1], os.Args[2:]...)\n"
                               "\tc.Stdout, c.Stderr = os.Stdout, os.Stderr\n"
                               "\tif err := c.Run(); err != nil {\n"
                               "\t\tprintln(err.Error())\n"
                               "\t\tos.Exit(c.ProcessState.ExitCode())\n"
                               "\t}\n"
                               "}\n";

static void
type(struct world *w, const char *line, int status)
{
    struct outcome o;
    world_type(w, line, &o);
    ck_assert_msg(o.status == status, "%s: exit %d\n%s%s", line, o.status, o.out, o.err);
    outcome_free(&o);
}

/* A Go program without cgo, which is static. */
static void
build_launcher(struct world *w)
{
    world_write(w, "launcher.go", 0644, launcher);
    type(w,
         "cd $TOP && GOCACHE=$TOP/tmp/go GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=0 go build -o "
         "bin/launcher "
         "launcher.go",
         0);
    type(w, "! ldd $TOP/bin/launcher", 0);
    type(w, "$HACCESS shims $TOP/shims", 0);
}

#define NARROWED(adapter, asked)                                                                             \
    "run.start\nagent.start a1 " adapter " " asked " -> workspace-write disabled, under -\n"

static void
expect_narrowed(const char *line, const char *journal)
{
    struct world w;

    world_open(&w, "{ \"worker\": [ \"sh $TOP/bin/probe\" ] }");
    build_launcher(&w);
    type(&w, line, 0);
    assert_journal(&w, journal);
    assert_confined(&w, "worker", 1);
    world_close(&w);
}

START_TEST(codex_that_a_go_program_starts)
{
    expect_narrowed("PATH=$TOP/shims:$PATH $TOP/bin/launcher codex exec --yolo 'say mock:worker'",
                    NARROWED("codex", "full-access"));
}
END_TEST

START_TEST(claude_that_a_go_program_starts)
{
    expect_narrowed(
        "PATH=$TOP/shims:$PATH $TOP/bin/launcher claude -p --dangerously-skip-permissions 'say mock:worker'",
        NARROWED("claude-code", "full-access"));
}
END_TEST

START_TEST(with_the_library_named_it_is_one_launch_as_well)
{
    expect_narrowed(
        "LD_PRELOAD=$LIB PATH=$TOP/shims:$PATH $TOP/bin/launcher codex exec --yolo 'say mock:worker'",
        NARROWED("codex", "full-access"));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("real CLIs behind front ends");
    TCase *t = tcase_create("go");
    tcase_set_timeout(t, 180);
    tcase_add_test(t, codex_that_a_go_program_starts);
    tcase_add_test(t, claude_that_a_go_program_starts);
    tcase_add_test(t, with_the_library_named_it_is_one_launch_as_well);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
