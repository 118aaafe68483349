/* What codex command lines ask for: what the real CLI (0.171.0) was seen to do, and how haccess reads it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/codex.h"

static void
malformed(const char *line)
{
    ask(line);
    ck_assert_msg(req.malformed != NULL, "%s is not malformed", line);
}

static void
well_formed(const char *line)
{
    ask(line);
    ck_assert_msg(req.malformed == NULL, "%s: %s", line, req.malformed);
}

static void
class_is(const char *line, const char *want)
{
    ask(line);
    ck_assert_msg(strcmp(class_word(adapter_codex.classify(m, &inv.command)), want) == 0,
                  "%s: %s, expected %s", line, class_word(adapter_codex.classify(m, &inv.command)), want);
}

START_TEST(what_is_not_said_is_unspecified)
{
    access_is("", "unspecified");
    access_is("exec|hi", "unspecified");
    access_is("exec|--|-s|read-only", "unspecified");
    access_is("exec|--|--yolo", "unspecified");
    access_is("exec|-c|model=x|hi", "unspecified");
    access_is("exec|-i|a.png|--json|hi", "unspecified");
    access_is("exec|--add-dir|/x|hi", "unspecified");
}
END_TEST

START_TEST(sandbox_is_read_in_every_form)
{
    access_is("exec|-s|read-only|hi", "read-only");
    access_is("exec|-sread-only|hi", "read-only");
    access_is("exec|-s=read-only|hi", "read-only");
    access_is("exec|--sandbox|workspace-write|hi", "workspace-write");
    access_is("exec|--sandbox=workspace-write|hi", "workspace-write");
    access_is("exec|hi|-s|danger-full-access", "full-access");
    access_is("-s|danger-full-access|exec|hi", "full-access");
    access_is("hi|exec|-s|danger-full-access|there", "full-access");
    access_is("exec|-s|read-only|resume|ID|hi", "read-only");
    access_is("-s|read-only|resume|ID", "read-only");
    access_is("-s|read-only|review|--uncommitted", "read-only");
}
END_TEST

START_TEST(bypass_is_full_access_at_every_level)
{
    access_is("exec|--yolo|hi", "full-access");
    access_is("exec|--dangerously-bypass-approvals-and-sandbox|hi", "full-access");
    access_is("--yolo|exec|hi", "full-access");
    access_is("--yolo|exec|--yolo|hi", "full-access");
    access_is("exec|resume|--yolo|ID|hi", "full-access");
    access_is("exec|review|--yolo|--uncommitted", "full-access");
    access_is("resume|--yolo", "full-access");
}
END_TEST

START_TEST(reviewed_approvals_are_workspace_write)
{
    access_is("exec|--approve-for-me|hi", "workspace-write");
    access_is("--not-so-yolo|exec|hi", "workspace-write");
    access_is("exec|--full-auto|hi", "workspace-write");
}
END_TEST

START_TEST(assignments_are_decoded_as_toml_or_raw)
{
    access_is("exec|-c|sandbox_mode=danger-full-access|hi", "full-access");
    access_is("exec|-csandbox_mode=danger-full-access|hi", "full-access");
    access_is("exec|-c=sandbox_mode=danger-full-access|hi", "full-access");
    access_is("exec|--config=sandbox_mode=danger-full-access|hi", "full-access");
    access_is("exec|-c|sandbox_mode=\"read-only\"|hi", "read-only");
    access_is("exec|-c|sandbox_mode='read-only'|hi", "read-only");
    access_is("exec|-c|sandbox_mode=\"\"\"read-only\"\"\"|hi", "read-only");
    access_is("exec|-c| sandbox_mode = read-only |hi", "read-only");
    access_is("exec|-c|sandbox_mode=\"read-only\" # why|hi", "read-only");
    access_is("exec|-c|sandbox_mode=\"danger\\u002dfull-access\"|hi", "full-access");
    access_is("exec|-c|sandbox_mode=\"\\x64anger-full-access\"|hi", "full-access");
    access_is("exec|-c|sandbox_mode=''danger-full-access''|hi", "full-access");
    access_is("exec|-c|sandbox_mode=\"danger-full-access'|hi", "full-access");
    access_is("exec|-c|sandbox_mode=\xc2\xa0read-only|hi", "read-only");
    access_is("exec|-c|\xe3\x80\x80sandbox_mode\xc2\xa0=read-only|hi", "read-only");
    access_is("exec|-c|sandbox_mode=\"read-only\"\nfoo=1|hi", "read-only");
    access_is("exec|resume|-c|sandbox_mode=danger-full-access|--last|hi", "full-access");
    access_is("review|--uncommitted|-c|sandbox_mode=danger-full-access", "full-access");
}
END_TEST

/* Keys have no quoting: dots part them, and that is all. */
START_TEST(assignments_of_other_keys_are_none)
{
    access_is("exec|-c|\"sandbox_mode\"=danger-full-access|hi", "unspecified");
    access_is("exec|-c|.sandbox_mode=danger-full-access|hi", "unspecified");
    access_is("exec|-c|SANDBOX_MODE=danger-full-access|hi", "unspecified");
    access_is("exec|-c|x.sandbox_mode=danger-full-access|hi", "unspecified");
}
END_TEST

START_TEST(permission_profiles_are_read)
{
    access_is("exec|-c|default_permissions=:read-only|hi", "read-only");
    access_is("exec|-c|default_permissions=\":workspace\"|hi", "workspace-write");
    access_is("exec|-c|default_permissions=:danger-full-access|hi", "full-access");
}
END_TEST

static void
profile_is(const char *table, const char *want)
{
    access_is(mem_printf(m, "exec|-c|default_permissions=mine|-c|permissions.mine=%s|hi", table), want);
}

START_TEST(a_profile_is_full_access_unless_its_tables_show_otherwise)
{
    profile_is("{}", "read-only");
    profile_is("{filesystem={\":root\"=\"read\"}}", "read-only");
    profile_is("{extends=\":read-only\"}", "read-only");
    profile_is("{extends=\":workspace\"}", "workspace-write");
    profile_is("{filesystem={\":workspace_roots\"=\"write\"}}", "workspace-write");
    profile_is("{filesystem={\":workspace_roots\"={\".\"=\"write\",\".git\"=\"read\"}}}", "workspace-write");
    profile_is("{filesystem={\":tmpdir\"=\"write\",\":slash_tmp\"=\"write\"}}", "workspace-write");
    profile_is("{filesystem={\"" PROJECT "/src\"=\"write\"}}", "workspace-write");
    profile_is("{filesystem={\":root\"=\"write\"}}", "full-access");
    profile_is("{filesystem={\"/opt\"=\"write\"}}", "full-access");
    profile_is("{filesystem={\"" PROJECT "/../other\"=\"write\"}}", "full-access");
    profile_is("{filesystem={\"~\"=\"write\"}}", "full-access");
    profile_is("{filesystem={\":new\"=\"write\"}}", "full-access");
    profile_is("{filesystem={\"" PROJECT "/*\"=\"write\"}}", "full-access");
    profile_is("{filesystem={\"/opt\"=\"everything\"}}", "full-access");
    profile_is("{workspace_roots={\"/\"=true},filesystem={\":workspace_roots\"=\"write\"}}", "full-access");
    profile_is("{workspace_roots={\"/\"=false},filesystem={\":workspace_roots\"=\"write\"}}",
               "workspace-write");
    profile_is("{extends=\"mine\"}", "full-access");
    profile_is("1", "full-access");
    access_is(
        "exec|-c|default_permissions=a|-c|permissions.a.extends=b|-c|permissions.b.filesystem.:root=write|hi",
        "full-access");
    file(USER, "[permissions.mine.filesystem]\n\":workspace_roots\" = \"write\"\n");
    access_is("exec|-c|default_permissions=mine|hi", "workspace-write");
    access_is("exec|-c|default_permissions=mine|-c|permissions.mine.filesystem.:root=write|hi",
              "full-access");
}
END_TEST

START_TEST(explicit_spellings_that_differ_contradict)
{
    access_is("exec|--yolo|-s|read-only|hi", "contradictory");
    access_is("-s|read-only|exec|--yolo|hi", "contradictory");
    access_is("-s|read-only|exec|-s|workspace-write|hi", "contradictory");
    access_is("-s|read-only|exec|-s|danger-full-access|hi", "contradictory");
    access_is("exec|-s|workspace-write|resume|--yolo|ID|hi", "contradictory");
    access_is("exec|-s|read-only|-c|sandbox_mode=danger-full-access|hi", "contradictory");
    access_is("exec|-c|sandbox_mode=read-only|-c|sandbox_mode=danger-full-access|hi", "contradictory");
    access_is("exec|-c|default_permissions=:danger-full-access|-s|read-only|hi", "contradictory");
    access_is("-s|read-only|exec|--approve-for-me|hi", "contradictory");
    access_is("-s|read-only|exec|-s|read-only|hi", "read-only");
}
END_TEST

START_TEST(wide_roots_make_full_access)
{
    access_is("exec|-s|workspace-write|--add-dir|/|hi", "full-access");
    access_is("exec|-s|workspace-write|--add-dir=" HOME "|hi", "full-access");
    access_is("exec|-s|workspace-write|--add-dir|" HOME "/work|hi", "full-access");
    access_is("exec|-s|workspace-write|--add-dir|..|hi", "full-access");
    access_is("exec|-s|workspace-write|--add-dir|~|hi", "full-access");
    access_is("exec|-s|workspace-write|--add-dir|/x/../|hi", "full-access");
    access_is("exec|-s|workspace-write|--add-dir|/home|hi", "full-access");
    access_is("exec|-s|workspace-write|--add-dir|/proc/self/root|hi", "full-access");
    access_is("--add-dir|/|exec|--approve-for-me|hi", "full-access");
    access_is("exec|--add-dir|/|hi", "full-access");
    access_is("exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=[\"/\"]|hi", "full-access");
    access_is("exec|-s|workspace-write|-c|sandbox_workspace_write={writable_roots=[\"/a\",\"/\"]}|hi",
              "full-access");
    access_is("exec|-c|sandbox_mode=workspace-write|-c|sandbox_workspace_write.writable_roots=/|hi",
              "full-access");
    access_is("exec|-c|default_permissions=:workspace|--add-dir|/|hi", "full-access");
    inv.home = NULL;
    access_is("exec|-s|workspace-write|--add-dir|~|hi", "full-access");
    inv.cwd = inv.project = inv.git_top = NULL;
    access_is("exec|-s|workspace-write|--add-dir|/x|hi", "full-access");
}
END_TEST

START_TEST(narrow_roots_do_not)
{
    access_is("exec|-s|workspace-write|--add-dir|/x|hi", "workspace-write");
    access_is("exec|-s|workspace-write|--add-dir|.|hi", "workspace-write");
    access_is("exec|-s|workspace-write|--add-dir|" PROJECT "|hi", "workspace-write");
    access_is("exec|-s|workspace-write|--add-dir|../other|hi", "workspace-write");
    access_is("exec|-s|workspace-write|--add-dir|~/x|hi", "workspace-write");
    access_is("exec|-s|workspace-write|--add-dir|" HOME "/w|hi", "workspace-write");
    access_is("exec|-s|read-only|--add-dir|/|hi", "read-only");
    access_is("exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=[\"/\"]"
              "|-c|sandbox_workspace_write={network_access=true}|hi",
              "workspace-write");
    access_is("exec|-c|default_permissions=:workspace|-c|sandbox_workspace_write.writable_roots=[\"/\"]|hi",
              "workspace-write");
}
END_TEST

START_TEST(the_mode_and_its_roots_are_one_spelling)
{
    ask("exec|-s|workspace-write|--add-dir|/|--add-dir|/x|hi");
    ck_assert_uint_eq(req.nsources, 2);
    for (size_t k = 0; k < req.nsources; k++) {
        ck_assert_int_eq(req.sources[k].access, ACCESS_FULL);
        ck_assert(req.sources[k].explicit);
        ck_assert_int_eq(req.sources[k].kind, SOURCE_MODE);
    }
    ck_assert_str_eq(req.sources[0].spelling, "-s");
    ck_assert_uint_eq(req.sources[0].index, 2);
    ck_assert_str_eq(req.sources[1].spelling, "--add-dir");
    ck_assert_str_eq(req.sources[1].value, "/");
    ck_assert_uint_eq(req.sources[1].index, 4);
}
END_TEST

START_TEST(rejected_access_options_are_malformed)
{
    malformed("exec|-s|read-only|-s|read-only|hi");
    malformed("exec|-s|read-only|--sandbox=read-only|hi");
    malformed("exec|--yolo|--yolo|hi");
    malformed("exec|--yolo|--dangerously-bypass-approvals-and-sandbox|hi");
    malformed("exec|--approve-for-me|--not-so-yolo|hi");
    malformed("exec|--approve-for-me|-s|workspace-write|hi");
    malformed("exec|-s|workspace-write|--approve-for-me|hi");
    malformed("exec|--approve-for-me|--yolo|hi");
    malformed("-a|never|--yolo");
    malformed("exec|-s");
    malformed("exec|-s|--json|hi");
    malformed("exec|-s|--|hi");
    malformed("exec|-s=|hi");
    malformed("exec|--sandbox=|hi");
    malformed("exec|-s|bogus|hi");
    malformed("exec|-s|Read-Only|hi");
    malformed("exec|-s|read-only |hi");
    malformed("exec|--yolo=true|hi");
    malformed("exec|-c|--yolo|hi");
    malformed("exec|-c");
    malformed("exec|--add-dir");
    malformed("exec|--add-dir=|hi");
    malformed("exec|resume|ID|hi|-s|read-only");
    malformed("exec|hi|resume|-sread-only");
    malformed("exec|fork|ID|--sandbox=read-only");
    malformed("exec|review|--approve-for-me");
    malformed("review|-s|read-only|--uncommitted");
    malformed("review|--yolo|--uncommitted");
    malformed("exec|resume|--add-dir|/|--last|hi");
    malformed("exec|-c|sandbox_mode=bogus|hi");
    malformed("exec|-c|sandbox_mode=|hi");
    malformed("exec|-c|sandbox_mode=1|hi");
    malformed("exec|-c|sandbox_mode=read-only # why|hi");
    malformed("exec|-c|sandbox_mode.x=read-only|hi");
    malformed("exec|-s|read-only|-c|sandbox_mode=bogus|hi");
    malformed("exec|-c|default_permissions=:bogus|hi");
    malformed("exec|-c|default_permissions=bogus|hi");
    malformed("exec|-c|default_permissions=1|hi");
    malformed("exec|-s|workspace-write|-c|sandbox_workspace_write=1|hi");
    malformed("exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=/x|hi");
    malformed("exec|--yolo|-c|sandbox_workspace_write.writable_roots=[1]|hi");
    malformed("exec|-c|sandbox_workspace_write.network_access=maybe|hi");
    malformed("exec|--yolo|-c|permissions.x={}|hi");
    malformed("exec|-c|permissions.x={}|hi");
    malformed("exec|-c|sandbox_workspace_write={exclude_slash_tmp=1}|hi");
}
END_TEST

START_TEST(accepted_access_options_are_not)
{
    well_formed("-s|read-only|exec|-s|read-only|hi");
    well_formed("--yolo|exec|--yolo|hi");
    well_formed("exec|--yolo|-s|read-only|hi");
    well_formed("--approve-for-me|exec|-s|read-only|hi");
    well_formed("--approve-for-me|exec|--approve-for-me|hi");
    well_formed("-a|never|exec|--yolo|hi");
    well_formed("exec|--add-dir|/x|--add-dir|/y|hi");
    well_formed("exec|-c|a=1|-c|a=1|hi");
    well_formed("exec|-s|read-only|resume|--last|hi");
    well_formed("exec|resume|--last|--|-s");
    well_formed("exec|-c|sandbox_mode=bogus|-c|sandbox_mode=read-only|hi");
    well_formed("exec|-c|sandbox_mode.x=1|-c|sandbox_mode=read-only|hi");
    well_formed("exec|--approve-for-me|-c|sandbox_mode=bogus|hi");
    well_formed("exec|-c|sandbox_workspace_write=1|-c|sandbox_workspace_write.network_access=true|hi");
    well_formed("exec|-c|sandbox_workspace_write.other=1|hi");
    well_formed("exec|-m|a|-m|b|hi"); /* rejected too, but not for its access */
    well_formed("exec|--approve-for-me|-c|permissions.x={}|hi");
    well_formed("exec|-c|permissions={}|hi");
    file(USER, "[permissions.mine]\n");
    well_formed("exec|--yolo|hi");
    well_formed("exec|-c|default_permissions=mine|hi");
}
END_TEST

START_TEST(a_value_that_does_not_count_is_still_full_access_if_unknown)
{
    access_is("exec|-c|sandbox_mode=bogus|-c|sandbox_mode=danger-full-access|hi", "full-access");
    access_is("exec|-c|sandbox_mode=bogus|-c|sandbox_mode=read-only|hi", "contradictory");
}
END_TEST

START_TEST(classes)
{
    class_is("", "session");
    class_is("hi", "session");
    class_is("mcp-server", "server"); /* a prompt in 0.171, a server in 0.151 */
    class_is("exec|hi", "session");
    class_is("e|hi", "session");
    class_is("exec|resume|--last", "session");
    class_is("exec|fork|ID", "session");
    class_is("exec|review", "session");
    class_is("review", "session");
    class_is("resume", "session");
    class_is("fork|--last", "session");
    class_is("-i|a.png|login", "session"); /* -i takes the word */
    class_is("--|login", "session");
    class_is("app-server", "server");
    class_is("--yolo|app-server", "server");
    class_is("app-server|proxy", "server");
    class_is("app-server|daemon|start", "server");
    class_is("remote-control", "server");
    class_is("exec-server|--listen|stdio", "server");
    class_is("agents", "server");
    class_is("queue|--thread|x|--message|y", "server");
    class_is("debug|app-server|send-message-v2|hi", "server");
    class_is("--remote|ws://x", "server");
    class_is("exec|--remote=ws://x|hi", "server");
    class_is("resume|--remote|ws://x", "server");
    class_is("--version", "admin");
    class_is("-V", "admin");
    class_is("exec|-hV", "admin");
    class_is("exec|--yolo|hi|--help", "admin");
    class_is("app-server|-h", "admin");
    class_is("help|exec", "admin");
    class_is("exec|help|resume", "admin");
    class_is("hi|login", "admin");
    class_is("login|status", "admin");
    class_is("mcp|add|x|--|tool|--yolo", "admin");
    class_is("mcp|add|x|tool|-s|read-only", "admin");
    class_is("sandbox|ls|-h", "admin");
    class_is("debug|models", "admin");
    class_is("cloud|exec|--env|x|hi", "admin");
    class_is("app-server|generate-ts|-o|x", "admin");
    class_is("app-server|daemon|stop", "admin");
    class_is("archive|--remote|ws://x|ID", "admin");
    class_is("a|ID", "admin");
    class_is("exec|--|--help", "session");
    class_is("exec|resume|help", "session"); /* a session id: resume has no subcommands */
}
END_TEST

START_TEST(interactive_is_what_is_neither_exec_nor_review)
{
    static const char *const interactive[] = {"", "hi", "resume|--last", "fork|ID", "-m|exec", NULL};
    static const char *const batch[] = {"exec|hi", "e|hi", "exec|resume|--last|hi", "review|--uncommitted",
                                        NULL};

    for (const char *const *l = interactive; *l != NULL; l++) {
        ask(*l);
        ck_assert_msg(req.interactive, "%s", *l);
    }
    for (const char *const *l = batch; *l != NULL; l++) {
        ask(*l);
        ck_assert_msg(!req.interactive, "%s", *l);
    }
}
END_TEST

START_TEST(unknown_options_are_named)
{
    ask("exec|--brand-new|x|hi");
    ck_assert_str_eq(req.unknown, "--brand-new");
    ask("exec|hi|-z");
    ck_assert_str_eq(req.unknown, "-z");
    ask("exec|hi|--|-z");
    ck_assert_ptr_null(req.unknown);
}
END_TEST

static void
model_is(const char *line, const char *model, const char *effort)
{
    ask(line);
    ck_assert_msg(model == NULL ? req.model == NULL : req.model != NULL && strcmp(req.model, model) == 0,
                  "%s: model %s", line, req.model);
    ck_assert_msg(effort == NULL ? req.effort == NULL : req.effort != NULL && strcmp(req.effort, effort) == 0,
                  "%s: effort %s", line, req.effort);
}

START_TEST(model_and_effort_are_those_of_the_command_line)
{
    model_is("exec|hi", NULL, NULL);
    model_is("exec|-m|a|hi", "a", NULL);
    model_is("exec|-ma|hi", "a", NULL);
    model_is("exec|-m=a|hi", "a", NULL);
    model_is("exec|--model=a|-c|model_reasoning_effort=\"high\"|hi", "a", "high");
    model_is("exec|-c|model=a|-m|b|hi", "b", NULL);
    model_is("-m|b|exec|-c|model=a|hi", "b", NULL);
    model_is("-m|a|exec|-m|b|resume|--last|-m|c|hi", "c", NULL);
    model_is("-c|model=a|exec|-c|model=b|hi", "b", NULL);
    model_is("-c|model_reasoning_effort=high|exec|-c|model_reasoning_effort=low|hi", NULL, "low");
    model_is("exec|-c|model_reasoning_effort= high |hi", NULL, "high");
    model_is("exec|-c|model_reasoning_effort='high'|hi", NULL, "high");
    model_is("exec|-c|model_reasoning_effort=HIGH|hi", NULL, "HIGH");
    model_is("exec|-c|plan_mode_reasoning_effort=high|hi", NULL, NULL);
    model_is("exec|-c|model_reasoning_effort=1|hi", NULL, "(not a string)");
    file(USER, "model = \"a\"\nmodel_reasoning_effort = \"high\"\n");
    model_is("exec|hi", NULL, NULL);
    model_is("exec|-m|b|hi", "b", NULL);
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {what_is_not_said_is_unspecified,
                                  sandbox_is_read_in_every_form,
                                  bypass_is_full_access_at_every_level,
                                  reviewed_approvals_are_workspace_write,
                                  assignments_are_decoded_as_toml_or_raw,
                                  assignments_of_other_keys_are_none,
                                  permission_profiles_are_read,
                                  a_profile_is_full_access_unless_its_tables_show_otherwise,
                                  explicit_spellings_that_differ_contradict,
                                  wide_roots_make_full_access,
                                  narrow_roots_do_not,
                                  the_mode_and_its_roots_are_one_spelling,
                                  rejected_access_options_are_malformed,
                                  accepted_access_options_are_not,
                                  a_value_that_does_not_count_is_still_full_access_if_unknown,
                                  classes,
                                  interactive_is_what_is_neither_exec_nor_review,
                                  unknown_options_are_named,
                                  model_and_effort_are_those_of_the_command_line};

    return codex_suite("codex", tests, sizeof(tests) / sizeof(*tests));
}
