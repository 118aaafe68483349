/* The real CLIs, launched from a plain shell: every launch is decided and recorded once, whatever stands between. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

#define SCRIPT     "{ \"probe\": [ \"sh $TOP/bin/probe\" ] }"
#define ONE_CODEX  "run.start\nagent.start a1 codex unspecified -> vendor-default disabled, under -\n"
#define ONE_CLAUDE "run.start\nagent.start a1 claude-code unspecified -> vendor-default disabled, under -\n"

/* Types the line, which has to succeed, and asserts what it left in the journal. */
static void
type_and_expect(struct world *w, const char *line, const char *journal)
{
    struct outcome o;
    world_type(w, line, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s%s", line, o.status, o.out, o.err);
    outcome_free(&o);
    assert_journal(w, journal);
}

START_TEST(codex_is_one_record_although_npm_makes_it_four_execs)
{
    struct world w;
    world_open(&w, SCRIPT);
    type_and_expect(&w, "LD_PRELOAD=$LIB codex exec 'say mock:probe'", ONE_CODEX);
    assert_confined(&w, "probe", 1);
    assert_shown(&w, "a1", NULL);
    world_close(&w);
}
END_TEST

START_TEST(claude_is_one_record)
{
    struct world w;
    world_open(&w, SCRIPT);
    type_and_expect(&w, "LD_PRELOAD=$LIB claude -p 'say mock:probe'", ONE_CLAUDE);
    ck_assert_int_eq(world_requests(&w, "probe"), 2);
    assert_shown(&w, "a1", NULL);
    world_close(&w);
}
END_TEST

START_TEST(codex_that_asks_full_access_is_narrowed)
{
    struct world w;
    struct outcome o;
    world_open(&w, SCRIPT);
    world_type(&w, "LD_PRELOAD=$LIB codex exec --yolo 'say mock:probe'", &o);
    ck_assert_int_eq(o.status, 0);
    /* codex itself says what it was given. */
    ck_assert_msg(strstr(o.err, "sandbox: workspace-write") != NULL, "%s", o.err);
    ck_assert_msg(strstr(o.err, "haccess: ") != NULL, "no word of the narrowing: %s", o.err);
    outcome_free(&o);
    assert_confined(&w, "probe", 1);
    assert_journal(&w, "run.start\nagent.start a1 codex full-access -> workspace-write disabled, under -\n");
    world_close(&w);
}
END_TEST

START_TEST(claude_that_asks_full_access_is_narrowed)
{
    struct world w;
    struct outcome o;
    world_open(&w, SCRIPT);
    world_type(&w,
               "LD_PRELOAD=$LIB claude -p --dangerously-skip-permissions --output-format stream-json "
               "--verbose 'say mock:probe'",
               &o);
    ck_assert_int_eq(o.status, 0);
    ck_assert_msg(strstr(o.out, "\"permissionMode\":\"acceptEdits\"") != NULL, "%s", o.out);
    ck_assert_msg(strstr(o.err, "haccess: ") != NULL, "no word of the narrowing: %s", o.err);
    outcome_free(&o);
    assert_confined(&w, "probe", 1);
    assert_journal(
        &w, "run.start\nagent.start a1 claude-code full-access -> workspace-write disabled, under -\n");
    world_close(&w);
}
END_TEST

/* A person at a shell, or CI, is no session: nothing to be granted from, whatever the policy says. */
START_TEST(a_plain_shell_never_qualifies)
{
    struct world w;
    world_open(&w, SCRIPT);
    world_policy(&w, world_enabling_policy, true);
    type_and_expect(
        &w,
        "LD_PRELOAD=$LIB codex exec --yolo -m gpt-5.1-codex -c model_reasoning_effort=high 'say mock:probe'",
        "run.start\nworker_access.parent unknown -\n"
        "agent.start a1 codex full-access -> workspace-write parent_unknown, under -\n");
    assert_confined(&w, "probe", 1);
    world_close(&w);
}
END_TEST

/* Launchers of every kind that passes an exec hook. The preload is named once, for the launcher. */
static const struct launcher {
    const char *name, *line, *journal;
} launchers[] = {
    {"script", "LD_PRELOAD=$LIB ./orchestrate.sh",
     "run.start\nagent.start a1 codex unspecified -> vendor-default disabled, under -\n"
     "agent.start a2 claude-code unspecified -> vendor-default disabled, under -\n"},
    {"python codex",
     "LD_PRELOAD=$LIB python3 -c 'import subprocess; subprocess.run([\"codex\", \"exec\", \"say "
     "mock:probe\"], check=True)'",
     ONE_CODEX},
    {"python claude",
     "LD_PRELOAD=$LIB python3 -c 'import subprocess; subprocess.run([\"claude\", \"-p\", \"say "
     "mock:probe\"], check=True)'",
     ONE_CLAUDE},
    {"xargs codex", "echo 'say mock:probe' | LD_PRELOAD=$LIB xargs -d '\\n' codex exec", ONE_CODEX},
    {"xargs claude", "echo 'say mock:probe' | LD_PRELOAD=$LIB xargs -d '\\n' claude -p", ONE_CLAUDE},
    {"timeout codex", "LD_PRELOAD=$LIB timeout 100 codex exec 'say mock:probe'", ONE_CODEX},
    {"timeout claude", "LD_PRELOAD=$LIB timeout 100 claude -p 'say mock:probe'", ONE_CLAUDE},
    {"node codex",
     "LD_PRELOAD=$LIB node -e 'process.exitCode = require(\"child_process\").spawnSync(\"codex\", "
     "[\"exec\", \"say mock:probe\"], { stdio: \"ignore\" }).status'",
     ONE_CODEX},
    {"make codex", "LD_PRELOAD=$LIB make codex", ONE_CODEX},
    {"make claude", "LD_PRELOAD=$LIB make claude", ONE_CLAUDE},
};

/* The layouts of other installations. The CLI of the native installer is a file whose name is its version. */
static const struct layout {
    const char *make, *line, *journal;
} layouts[] = {
    {"mkdir -p $TOP/home/.local/share/claude/versions $TOP/home/.local/bin && "
     "ln \"$(readlink -f \"$(command -v claude)\")\" $TOP/home/.local/share/claude/versions/2.1.332 && "
     "ln -s ../share/claude/versions/2.1.332 $TOP/home/.local/bin/claude",
     "LD_PRELOAD=$LIB $TOP/home/.local/bin/claude -p 'say mock:probe'", ONE_CLAUDE},
    {"mkdir -p $TOP/claude/versions && ln \"$(readlink -f \"$(command -v claude)\")\" "
     "$TOP/claude/versions/2.1.332",
     "LD_PRELOAD=$LIB sh -c \"$TOP/claude/versions/2.1.332 -p 'say mock:probe'; true\"", ONE_CLAUDE},
    {"ln -s \"$(command -v codex)\" $TOP/bin/my-agent",
     "LD_PRELOAD=$LIB sh -c \"$TOP/bin/my-agent exec 'say mock:probe'; true\"", ONE_CODEX},
    {"ln -s \"$(command -v claude)\" $TOP/bin/my-agent",
     "LD_PRELOAD=$LIB $TOP/bin/my-agent -p 'say mock:probe'", ONE_CLAUDE},
};

START_TEST(a_launch_through_another_program_is_one_record)
{
    const struct launcher *l = &launchers[_i];
    struct world w;
    world_open(&w, SCRIPT);
    world_write(&w, "project/orchestrate.sh", 0755,
                "#!/bin/sh\ncodex exec 'say mock:probe' && claude -p 'say mock:probe'\n");
    world_write(&w, "project/Makefile", 0644,
                "codex:\n\tcodex exec 'say mock:probe'\nclaude:\n\tclaude -p 'say mock:probe'\n");
    type_and_expect(&w, l->line, l->journal);
    ck_assert_msg(world_requests(&w, "probe") >= 2, "%s: the CLI was not run", l->name);
    world_close(&w);
}
END_TEST

START_TEST(a_cli_installed_otherwise_is_one_record)
{
    const struct layout *l = &layouts[_i];
    struct world w;
    struct outcome o;
    world_open(&w, SCRIPT);
    world_type(&w, l->make, &o);
    ck_assert_msg(o.status == 0, "%s: %s", l->make, o.err);
    outcome_free(&o);
    type_and_expect(&w, l->line, l->journal);
    ck_assert_int_eq(world_requests(&w, "probe"), 2);
    world_close(&w);
}
END_TEST

/* Named without a path, as a user does once it is installed; and what lies in the working directory is not run. */
START_TEST(an_installed_library_is_found_by_its_name)
{
    struct world w;
    struct outcome o;
    world_open(&w, SCRIPT);
    world_write(&w, "project/haccess-exec", 0755, "#!/bin/sh\ntouch \"$TOP/outside/hostile\"\n");
    world_type(&w, "make -s -C " VENDORS_SOURCE "/../.. DESTDIR=\"$TOP/root\" PREFIX=/usr install", &o);
    ck_assert_msg(o.status == 0, "make install: %s%s", o.out, o.err);
    outcome_free(&o);
    type_and_expect(&w,
                    "LD_LIBRARY_PATH=$TOP/root/usr/lib LD_PRELOAD=libhaccess.so codex exec 'say mock:probe'",
                    ONE_CODEX);
    ck_assert(!world_has(&w, "outside/hostile"));
    world_type(&w,
               "make -s -C " VENDORS_SOURCE
               "/../.. DESTDIR=\"$TOP/root\" PREFIX=/usr uninstall; find \"$TOP/root\" ! -type d",
               &o);
    ck_assert_msg(o.status == 0 && o.out[0] == '\0', "make uninstall leaves: %s%s", o.out, o.err);
    outcome_free(&o);
    world_close(&w);
}
END_TEST

/* Contradictory requests, which the CLIs would resolve to full access silently. */
static const struct contradiction {
    const char *line, *journal;
} contradictions[] = {
    {"LD_PRELOAD=$LIB codex exec --yolo -s read-only 'say mock:probe'",
     "run.start\nagent.refused a1 codex contradictory full_access_conflicts_with_policy, under -\n"},
    {"LD_PRELOAD=$LIB claude -p --dangerously-skip-permissions --permission-mode plan 'say mock:probe'",
     "run.start\nagent.refused a1 claude-code contradictory full_access_conflicts_with_policy, under -\n"},
};

START_TEST(a_contradictory_launch_is_refused_and_the_cli_not_run)
{
    struct world w;
    struct outcome o;
    world_open(&w, SCRIPT);
    world_type(&w, contradictions[_i].line, &o);
    ck_assert_int_eq(o.status, 126);
    ck_assert_str_eq(o.out, "");
    char *end = strchr(o.err, '\n');
    ck_assert_msg(strncmp(o.err, "haccess: ", 9) == 0 && end != NULL && end[1] == '\0', "not one line: %s",
                  o.err);
    outcome_free(&o);
    ck_assert_int_eq(world_requests(&w, "probe"), 0);
    assert_journal(&w, contradictions[_i].journal);
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("real CLIs from a plain shell");
    TCase *t = tcase_create("plain");
    tcase_set_timeout(t, 400);
    tcase_add_test(t, codex_is_one_record_although_npm_makes_it_four_execs);
    tcase_add_test(t, claude_is_one_record);
    tcase_add_test(t, codex_that_asks_full_access_is_narrowed);
    tcase_add_test(t, claude_that_asks_full_access_is_narrowed);
    tcase_add_test(t, a_plain_shell_never_qualifies);
    tcase_add_loop_test(t, a_launch_through_another_program_is_one_record, 0,
                        sizeof launchers / sizeof *launchers);
    tcase_add_loop_test(t, a_cli_installed_otherwise_is_one_record, 0, sizeof layouts / sizeof *layouts);
    tcase_add_test(t, an_installed_library_is_found_by_its_name);
    tcase_add_loop_test(t, a_contradictory_launch_is_refused_and_the_cli_not_run, 0,
                        sizeof contradictions / sizeof *contradictions);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
