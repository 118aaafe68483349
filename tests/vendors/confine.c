/* What each access is in the session itself: a probe that a real session's tools run says whether no_new_privs is set and where
 * it can write. What haccess reports has to agree with it: `enforcement` is vendor where an OS sandbox shows, and only there. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/world.h"

/* Run by the session's shell tool. It needs no variable of the session but TMPDIR: codex may keep all of them. */
static const char see[] = "#!/bin/sh\n"
                          "PATH=/usr/bin:/bin top=${0%/bin/see}\n"
                          "can() { touch \"$2\" 2>/dev/null && echo $1=yes && rm -f \"$2\" || echo $1=no; }\n"
                          "echo $(grep NoNewPrivs /proc/self/status) $(can project $top/project/seen) "
                          "$(can outside $top/outside/seen) $(can tmp \"${TMPDIR:-/tmp}/haccess-seen-$$\")\n";

#define SEE    "[ \"sh $TOP/bin/see\" ]"
#define P      "'say mock:probe'"
#define L      "LD_PRELOAD=$LIB "
#define CONFIG "$TOP/home/.codex/config.toml"
#define TRUST  "printf '[projects.\"%s\"]\\ntrust_level = \"trusted\"\\n' \"$PWD\" >>" CONFIG

/* Launched by a session of codex that has full access, under the policy that grants it. */
#define OUTER "codex exec --yolo 'say mock:outer'"

#define FREE   "NoNewPrivs: 0 project=yes outside=yes tmp=yes"
#define WRITER "NoNewPrivs: 1 project=yes outside=no tmp=yes"
#define READER "NoNewPrivs: 1 project=no outside=no tmp=no"
#define HELD_BASH                                                                                            \
    "{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,\"allowUnsandboxedCommands\":false}}"
#define CODEX_HIGH "codex exec -m gpt-5.1-codex -c model_reasoning_effort=high"

static const struct row {
    const char *before; /* typed first, without the preload; NULL: nothing */
    const char *line;   /* typed; with worker, the outer session */
    const char *worker; /* launched by the outer session's tool; NULL: the line is the launch */
    const char *seen, *projection, *enforcement;
} rows[] = {
    {NULL, L "codex exec -s read-only " P, NULL, READER, "read-only", "vendor"},
    {NULL, "HACCESS_ACCESS=read-only " L "codex exec " P, NULL, READER, "read-only", "vendor"},
    {TRUST, "HACCESS_LANE=read " L "codex exec " P, NULL, READER, "read-only", "vendor"},
    {NULL, L "codex exec -s workspace-write " P, NULL, WRITER, "workspace-write", "vendor"},
    {NULL, L "codex exec --yolo " P, NULL, WRITER, "workspace-write", "vendor"},
    {NULL, L "codex exec --yolo review " P, NULL, WRITER, "workspace-write", "vendor"},
    {"codex exec --yolo 'say mock:first'", L "codex exec resume --last --yolo " P, NULL, WRITER,
     "workspace-write", "vendor"},
    {"codex exec --yolo 'say mock:first'", L "codex exec -s read-only resume --last " P, NULL, READER,
     "read-only", "vendor"},
    {NULL, L "codex exec " P, NULL, READER, "vendor-default", "vendor"},
    {TRUST, L "codex exec " P, NULL, WRITER, "vendor-default", "vendor"},
    {NULL, OUTER, CODEX_HIGH, FREE, "full-access", "none"},
    {NULL, OUTER, "codex exec -m gpt-5.1-codex --yolo", WRITER, "workspace-write", "vendor"},

    {NULL, L "claude -p --dangerously-skip-permissions " P, NULL, WRITER, "workspace-write", "vendor"},
    {NULL, "HACCESS_ACCESS=workspace-write " L "claude -p " P, NULL, WRITER, "workspace-write", "vendor"},
    {NULL, L "claude -p --permission-mode acceptEdits --settings '" HELD_BASH "' " P, NULL, WRITER,
     "workspace-write", "vendor"},
    /* Nothing but its questions holds a claude that is left as it is, and this user answered one beforehand. */
    {NULL, L "claude -p " P, NULL, FREE, "vendor-default", "approvals"},
    {NULL, L "claude -p --permission-mode acceptEdits " P, NULL, FREE, "vendor-default", "approvals"},
    {NULL, OUTER, "claude -p --model claude-opus-4-5 --effort high", FREE, "full-access", "none"},
    {NULL, OUTER, "claude -p --model sonnet --effort high --dangerously-skip-permissions", WRITER,
     "workspace-write", "vendor"},
};

static void
type(struct world *w, const char *line)
{
    struct outcome o;
    world_type(w, line, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s%s", line, o.status, o.out, o.err);
    outcome_free(&o);
}

static void
assert_recorded(const struct world *w, const char *line, const char *projection, const char *enforcement)
{
    cJSON *record = world_record(w, "a1");
    ck_assert_msg(strcmp(string_at(record, "projection"), projection) == 0 &&
                      strcmp(string_at(record, "enforcement"), enforcement) == 0,
                  "%s: want %s, %s; recorded %s, %s", line, projection, enforcement,
                  string_at(record, "projection"), string_at(record, "enforcement"));
    cJSON_Delete(record);
}

START_TEST(the_session_is_held_as_the_record_says)
{
    const struct row *r = &rows[_i];
    struct world w;
    char *script = format("{ \"outer\": [ \"sh $TOP/bin/launch %s " P "\" ], \"probe\": " SEE " }",
                          r->worker != NULL ? r->worker : "");
    world_open(&w, script);
    free(script);
    world_write(&w, "bin/see", 0755, see);
    if (r->worker != NULL)
        world_policy(&w, world_enabling_policy, true);
    if (r->before != NULL)
        type(&w, r->before);
    type(&w, r->line);
    char *seen = world_answer(&w, "probe", 1);
    ck_assert_msg(seen != NULL && strstr(seen, r->seen) != NULL, "%s %s: want %s, seen: %s", r->line,
                  r->worker != NULL ? r->worker : "", r->seen, seen != NULL ? seen : "nothing");
    assert_recorded(&w, r->line, r->projection, r->enforcement);
    bool held = strstr(seen, "NoNewPrivs: 1") != NULL && strstr(seen, "outside=no") != NULL;
    ck_assert_msg(held == (strcmp(r->enforcement, "vendor") == 0), "%s: said to be held by %s: %s", r->line,
                  r->enforcement, seen);
    free(seen);
    world_close(&w);
}
END_TEST

/* In observe mode nothing is narrowed, and the record does not say that anything holds it. */
START_TEST(what_is_only_observed_is_held_by_nothing)
{
    struct world w;
    world_open(&w, "{ \"probe\": " SEE " }");
    world_write(&w, "bin/see", 0755, see);
    world_policy(&w, "{ \"mode\": \"observe\" }\n", true);
    type(&w, L "codex exec --yolo " P);
    char *seen = world_answer(&w, "probe", 1);
    ck_assert_msg(seen != NULL && strstr(seen, FREE) != NULL, "%s", seen);
    free(seen);
    assert_recorded(&w, "observed", "workspace-write", "none");
    world_close(&w);
}
END_TEST

/* Claude's own tools run in the CLI, which no sandbox holds. */
#define WRITE(path)                                                                                          \
    "{ \"tool\": \"Write\", \"input\": { \"file_path\": \"$TOP/" path "\", \"content\": \"b\" } }"
#define READ(path) "{ \"tool\": \"Read\", \"input\": { \"file_path\": \"$TOP/" path "\" } }"
#define EDIT(path)                                                                                           \
    READ(path)                                                                                               \
    ", { \"tool\": \"Edit\", \"input\": { \"file_path\": \"$TOP/" path                                       \
    "\", \"old_string\": \"a\", \"new_string\": \"b\" } }"
#define NOTEBOOK(path)                                                                                       \
    "{ \"tool\": \"NotebookEdit\", \"input\": { \"notebook_path\": \"$TOP/" path                             \
    "\", \"new_source\": \"b\", \"cell_type\": \"code\", \"edit_mode\": \"insert\" } }"

static const char *const workspace_writers[] = {
    L "claude -p --dangerously-skip-permissions " P,
    L "claude -p --dangerously-skip-permissions " P " --allowedTools Write,Edit,Bash --add-dir $TOP/outside",
    L "claude -p --dangerously-skip-permissions --settings "
      "'{\"permissions\":{\"allow\":[\"Write\",\"Edit\"],\"additionalDirectories\":[\"../outside\"]},"
      "\"sandbox\":{\"excludedCommands\":[\"sh\",\"sh *\"]}}' " P,
    "HACCESS_ACCESS=workspace-write " L "claude -p " P,
};

START_TEST(claude_in_workspace_write_writes_nothing_outside_with_any_tool)
{
    struct world w;
    world_open(
        &w,
        "{ \"probe\": [ " WRITE("project/new") ", " EDIT("project/old") ", " WRITE("outside/new") ", " EDIT("outside/old") ", " NOTEBOOK(
            "outside/n.ipynb") ", " WRITE("project/../outside/up") ", " WRITE("project/link/new") ", \"sh -c "
                                                                                                  "'echo b "
                                                                                                  ">$TOP/"
                                                                                                  "outside/"
                                                                                                  "shell'\", "
                                                                                                  "{ "
                                                                                                  "\"tool\": "
                                                                                                  "\"Bash\", "
                                                                                                  "\"input\":"
                                                                                                  " { "
                                                                                                  "\"command"
                                                                                                  "\": \"sh "
                                                                                                  "-c 'echo "
                                                                                                  "b "
                                                                                                  ">$TOP/"
                                                                                                  "outside/"
                                                                                                  "free'\", "
                                                                                                  "\"descript"
                                                                                                  "ion\": "
                                                                                                  "\"probe\","
                                                                                                  " "
                                                                                                  "\"dangerou"
                                                                                                  "slyDisable"
                                                                                                  "Sandbox\":"
                                                                                                  " true } } "
                                                                                                  "] }");
    world_write(&w, "project/old", 0644, "a\n");
    world_write(&w, "outside/old", 0644, "a\n");
    world_write(&w, "outside/n.ipynb", 0644,
                "{\"cells\":[],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}\n");
    world_write(&w, "home/.claude/settings.json", 0644,
                "{ \"permissions\": { \"allow\": [ \"Read\", \"Bash(sh *)\" ] } }\n");
    type(&w, "ln -s ../outside link");
    type(&w, workspace_writers[_i]);
    ck_assert_int_eq(world_requests(&w, "probe"), 12);
    ck_assert(world_has(&w, "project/new"));
    type(&w, "grep -qx b old");
    type(
        &w,
        "test \"$(ls -A $TOP/outside | tr '\\n' ' ')\" = 'n.ipynb old ' || { ls $TOP/outside >&2; exit 1; }");
    type(&w, "grep -qx a $TOP/outside/old && grep -q '\"cells\":\\[\\]' $TOP/outside/n.ipynb");
    assert_recorded(&w, workspace_writers[_i], "workspace-write", "vendor");
    world_close(&w);
}
END_TEST

/* What a user has approved in his own settings a launch cannot take back: it is said that nothing but approvals holds. */
START_TEST(a_writer_that_the_user_approved_is_not_said_to_be_held)
{
    struct world w;
    world_open(&w, "{ \"probe\": [ " WRITE("outside/new") " ] }");
    world_write(&w, "home/.claude/settings.json", 0644,
                "{ \"permissions\": { \"allow\": [ \"Write\" ] } }\n");
    type(&w, L "claude -p --dangerously-skip-permissions " P);
    ck_assert(world_has(&w, "outside/new"));
    assert_recorded(&w, "Write approved", "workspace-write", "approvals");
    world_close(&w);
}
END_TEST

/* The read lane, whatever a launch brings along. */
static const struct reader {
    const char *before, *line;
} readers[] = {
    {NULL, "claude -p " P},
    {NULL, "claude -p --allowedTools Bash,Write,Edit,NotebookEdit --permission-mode acceptEdits " P},
    {NULL, "claude -p " P " --allowed-tools 'Bash(touch:*)' 'Bash(env *)' Write"},
    {NULL, "claude -p --settings '{\"permissions\":{\"allow\":[\"Bash\",\"Write\",\"Edit\"],"
           "\"defaultMode\":\"acceptEdits\"}}' " P},
    {"git config core.bare false && echo "
     "'{\"permissions\":{\"allow\":[\"Bash(*)\",\"Write\"]},\"sandbox\":{\"enabled\":true}}' >mine.json",
     "claude -p --settings mine.json " P},
};

#define LOOKS                                                                                                \
    "{ \"probe\": [ \"git status\", \"touch $TOP/project/t1\", \"env touch $TOP/project/t2\", "              \
    "\"git status; touch $TOP/project/t3\", " WRITE("project/t4") ", " WRITE("outside/t5") ", " EDIT(        \
        "project/old") ", " NOTEBOOK("project/n.ipynb") " ] }"

START_TEST(claude_in_the_read_lane_looks_and_writes_nothing)
{
    const struct reader *r = &readers[_i];
    struct world w;
    world_open(&w, LOOKS);
    world_write(&w, "project/old", 0644, "a\n");
    world_write(&w, "project/n.ipynb", 0644,
                "{\"cells\":[],\"metadata\":{},\"nbformat\":4,\"nbformat_minor\":5}\n");
    if (r->before != NULL)
        type(&w, r->before);
    char *line = format("HACCESS_LANE=read LD_PRELOAD=$LIB %s", r->line);
    type(&w, line);
    free(line);
    char *status = world_answer(&w, "probe", 1);
    ck_assert_msg(status != NULL && strstr(status, "On branch main") != NULL, "%s: git status: %s", r->line,
                  status);
    free(status);
    ck_assert_int_eq(world_requests(&w, "probe"), 10);
    type(&w, "test -z \"$(ls $TOP/outside)\" && ! ls t? 2>/dev/null && grep -qx a old && grep -q "
             "'\"cells\":\\[\\]' "
             "n.ipynb");
    assert_recorded(&w, r->line, "read-only", "approvals");
    world_close(&w);
}
END_TEST

/* An agent file of the project names a mode of its own; in the read lane it is none. */
START_TEST(a_sub_agent_of_a_reader_writes_nothing)
{
    struct world w;
    world_open(&w, world_sub_agents);
    type(&w, "mkdir -p .claude/agents");
    world_write(&w, "project/.claude/agents/free.md", 0644, world_free_agent);
    type(&w, "HACCESS_LANE=read " L "claude -p 'say mock:outer'");
    ck_assert_int_eq(world_requests(&w, "probe"), 2);
    ck_assert(!world_has(&w, "project/t1"));
    world_close(&w);
}
END_TEST

/* What the user's own settings approve stays approved, for a reader too: it is told, and nothing is said to hold it. */
START_TEST(a_shell_that_the_user_approved_is_told)
{
    struct world w;
    struct outcome o;
    world_open(&w, "{ \"probe\": [ \"sh $TOP/bin/see\", " WRITE("project/new") " ] }");
    world_write(&w, "bin/see", 0755, see);
    world_write(&w, "home/.claude/settings.json", 0644,
                "{ \"permissions\": { \"allow\": [ \"Bash\", \"Write\" ] } }\n");
    type(&w, "HACCESS_LANE=read " L "claude -p " P);
    char *seen = world_answer(&w, "probe", 1);
    ck_assert_msg(seen != NULL && strstr(seen, FREE) != NULL, "%s", seen);
    free(seen);
    ck_assert(!world_has(&w, "project/new"));
    assert_recorded(&w, "Bash approved", "read-only", "approvals");
    world_type(&w, "HACCESS_LANE=read $HACCESS explain -- claude -p " P, &o);
    ck_assert_msg(strstr(o.out, "approved beforehand, and held by nothing: Bash\n") != NULL, "%s", o.out);
    outcome_free(&o);
    world_close(&w);
}
END_TEST

/* git diff and git log write a file with --output, and the rules of the default list approve them whole. Without these rules the
 * CLI itself tells looking from writing: haccess-policy(5) names the list that does so. */
START_TEST(a_reader_without_rules_for_git_looks_and_cannot_have_git_write)
{
    struct world w;
    world_open(&w, "{ \"probe\": [ \"git status\", \"git diff --output=$TOP/project/t1\", "
                   "\"git log --output=$TOP/project/t2\", \"git diff \\\"--output=$TOP/project/t3\\\"\" ] }");
    world_policy(&w,
                 "{ \"workflow\": { \"lanes\": { \"read\": { \"claudeAllow\": [\"Read\", \"Grep\", \"Glob\"] "
                 "} } } }\n",
                 true);
    type(&w, "HACCESS_LANE=read " L "claude -p " P);
    char *status = world_answer(&w, "probe", 1);
    ck_assert_msg(status != NULL && strstr(status, "On branch main") != NULL, "git status: %s", status);
    free(status);
    ck_assert_int_eq(world_requests(&w, "probe"), 5);
    type(&w, "! ls t? 2>/dev/null");
    world_close(&w);
}
END_TEST

/* Where codex hands nothing on to its tool shells, what they launch is decided and recorded all the same. The worker does not come
 * up: its home cannot be written from in there. */
static const char *const sheds[] = {
    "printf '[shell_environment_policy]\\ninherit = \"none\"\\n' >>" CONFIG,
    "printf '[shell_environment_policy]\\ninherit = \"core\"\\nset = { A = \"1\" }\\n' >>" CONFIG,
    "printf '[shell_environment_policy]\\nexclude = [\"ld_*\", \"HACCESS_*\"]\\n' >>" CONFIG,
};

START_TEST(a_launch_from_a_bare_tool_shell_is_recorded_and_narrowed)
{
    struct world w;
    world_open(&w,
               "{ \"outer\": [ \"PATH=$(/bin/cat $TOP/path) HOME=$TOP/home TMPDIR=$TOP/tmp MOCK_CREDIT=none "
               "codex exec --yolo 'say mock:worker' </dev/null\" ] }");
    type(&w, "echo \"$PATH\" >$TOP/path");
    type(&w, sheds[_i]);
    type(&w, L "codex exec -s workspace-write --add-dir $TOP/tmp 'say mock:outer'");
    char *said = world_answer(&w, "outer", 1);
    ck_assert_msg(said != NULL && strstr(said, "haccess: codex asked full access") != NULL, "%s", said);
    free(said);
    assert_journal(
        &w, "run.start\nagent.start a1 codex workspace-write -> workspace-write disabled, under -\n"
            "spool run.start\nspool agent.start s1 codex full-access -> workspace-write disabled, under -\n");
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("what holds a real session");
    TCase *t = tcase_create("confinement");
    tcase_set_timeout(t, 1200);
    tcase_add_loop_test(t, the_session_is_held_as_the_record_says, 0, sizeof rows / sizeof *rows);
    tcase_add_test(t, what_is_only_observed_is_held_by_nothing);
    tcase_add_loop_test(t, claude_in_workspace_write_writes_nothing_outside_with_any_tool, 0,
                        sizeof workspace_writers / sizeof *workspace_writers);
    tcase_add_test(t, a_writer_that_the_user_approved_is_not_said_to_be_held);
    tcase_add_loop_test(t, claude_in_the_read_lane_looks_and_writes_nothing, 0,
                        sizeof readers / sizeof *readers);
    tcase_add_test(t, a_shell_that_the_user_approved_is_told);
    tcase_add_test(t, a_sub_agent_of_a_reader_writes_nothing);
    tcase_add_test(t, a_reader_without_rules_for_git_looks_and_cannot_have_git_write);
    tcase_add_loop_test(t, a_launch_from_a_bare_tool_shell_is_recorded_and_narrowed, 0,
                        sizeof sheds / sizeof *sheds);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
