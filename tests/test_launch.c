/* A launch from end to end: the library, the helper, a stand-in CLI, the journal. Design, section 4; decision specification,
 * sections 3 and 5; journal specification. */
#include <cjson/cJSON.h>
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/mem.h"
#include "support/orphan.h"
#include "support/tree.h"

#define THREAD "01a22e25-e69c-76f0-a028-51377d5d8eaa"

/* Says what it was given, one line a word; and does what a prompt that begins with "run:" says, as an agent would. */
static const char standin[] = "#!/bin/sh\n"
                              "echo \"ran $$\"\n"
                              "for word; do echo \"[$word]\"; done\n"
                              "env | grep '^HACCESS_' | sort\n"
                              "case $word in run:*) eval \"${word#run:}\" ;; esac\n"
                              "exit 7\n";

static const char policy[] = "{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{\"codex\":[{"
                             "\"model\":\"m\",\"minEffort\":\"high\"}]}}}}";

static const char record_format[] =
    "{\"timestamp\":\"2026-11-30T20:29:25.681Z\",\"ordinal\":5,\"type\":\"turn_context\","
    "\"payload\":{\"sandbox_policy\":{\"type\":\"%s\"},\"permission_profile\":{\"type\":\"%s\"}}}\n";

static char *top;
static struct mem *m;
static struct strings env;
static struct outcome last;

static void
set(const char *name, const char *value)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < env.count; i++)
        if (strncmp(env.items[i], name, n) == 0 && env.items[i][n] == '=') {
            env.items[i] = mem_printf(m, "%s=%s", name, value);
            return;
        }
    strings_add(m, &env, mem_printf(m, "%s=%s", name, value));
}

static void
setup(void)
{
    top = tree_new();
    m = mem_new();
    env = (struct strings){NULL, 0, 0};
    tree_mkdir(top, "home");
    tree_mkdir(top, "project");
    tree_write(top, "bin/codex", standin, 0755);
    set("HOME", mem_printf(m, "%s/home", top));
    set("PATH", mem_printf(m, "%s/bin:/usr/bin:/bin", top));
    set("LANG", "C.UTF-8");
    set("TMPDIR", mem_printf(m, "%s/tmp", top));
    tree_mkdir(top, "tmp");
    set("HACCESS_STATE_DIR", mem_printf(m, "%s/state", top));
    set("HACCESS_RUN_ID", "r");
    set("LD_PRELOAD", mem_printf(m, "%s/libhaccess.so", getenv("HACCESS_BUILD")));
}

static void
teardown(void)
{
    outcome_free(&last);
    memset(&last, 0, sizeof(last));
    mem_free(m);
    tree_remove(top);
    free(top);
}

/* Runs a shell command in the project; the exit code is what it ends with. */
static int
run(const char *command)
{
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, mem_strdup(m, command), NULL};

    outcome_free(&last);
    last = orphan_run(mem_printf(m, "%s/project", top), argv, env.items, false);
    return last.code;
}

static bool
printed(const char *text)
{
    return strstr(last.out, text) != NULL;
}

/* The i-th record of an event (from 0) in the run's journal, NULL when there are fewer. */
static cJSON *
record(const char *event, int i)
{
    char *text = tree_read(top, "state/runs/r/journal.jsonl"), *line, *rest = text;
    cJSON *found = NULL;

    while (found == NULL && (line = strsep(&rest, "\n")) != NULL) {
        cJSON *o = cJSON_Parse(line);
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(o, "event"));

        if (name != NULL && strcmp(name, event) == 0 && i-- == 0)
            found = o;
        else
            cJSON_Delete(o);
    }
    free(text);
    return found;
}

/* A string in the i-th record of an event, by a path such as "access.reason"; "" when it is not there. */
static const char *
field(const char *event, int i, const char *path)
{
    cJSON *o = record(event, i);
    const cJSON *at = o;
    char *keys = mem_strdup(m, path), *key;
    const char *value;

    while ((key = strsep(&keys, ".")) != NULL)
        at = cJSON_GetObjectItem(at, key);
    value = cJSON_GetStringValue(at);
    value = mem_strdup(m, value != NULL ? value : "");
    cJSON_Delete(o);
    return value;
}

static int
count(const char *event)
{
    cJSON *o;
    int n = 0;

    while ((o = record(event, n)) != NULL) {
        cJSON_Delete(o);
        n++;
    }
    return n;
}

static void
parent_session(const char *policy_type, const char *profile)
{
    char *text = mem_printf(m, record_format, policy_type, profile);

    set("CODEX_THREAD_ID", THREAD);
    tree_write(top, "home/.codex/sessions/2026/11/30/rollout-2026-11-30T20-29-25-" THREAD ".jsonl", text,
               0644);
}

static void
enable(void)
{
    char *argv[] = {mem_printf(m, "%s/haccess", getenv("HACCESS_BUILD")), (char[]){"policy"},
                    (char[]){"allow"}, NULL};

    tree_write(top, "project/.haccess/policy.json", policy, 0644);
    outcome_free(&last);
    last = orphan_run(mem_printf(m, "%s/project", top), argv, env.items, false);
    ck_assert_int_eq(last.code, 0);
}

#define QUALIFIED "codex exec -m m -c model_reasoning_effort=high hi"

START_TEST(a_launch_is_one_record_and_ends_as_the_cli_does)
{
    ck_assert_int_eq(run("codex exec --yolo hi"), 7);
    ck_assert(printed("[--sandbox]\n[workspace-write]\n[exec]\n[hi]\n"));
    ck_assert_int_eq(count("run.start"), 1);
    ck_assert_int_eq(count("agent.start"), 1);
    ck_assert_str_eq(field("agent.start", 0, "id"), "a1");
    ck_assert_str_eq(field("agent.start", 0, "access.reason"), "disabled");
    ck_assert_str_eq(field("agent.start", 0, "projection"), "workspace-write");
    ck_assert(printed("HACCESS_RUN_ID=r\n"));
    ck_assert(printed("HACCESS_LAUNCH=r/a1:codex:"));
    ck_assert(!printed("HACCESS_EXEC"));
}
END_TEST

START_TEST(a_narrowed_launch_says_so_in_one_line)
{
    run("codex exec --yolo hi");
    ck_assert_ptr_nonnull(
        strstr(last.err, "haccess: codex asked full access and runs workspace-write: disabled: "));
    ck_assert_ptr_eq(strchr(last.err, '\n'), last.err + strlen(last.err) - 1);
    run("codex exec hi");
    ck_assert_str_eq(last.err, "");
}
END_TEST

START_TEST(the_line_on_stderr_lets_no_escape_sequence_through)
{
    run("codex exec --yolo -s \"$(printf 'read-only\\033[2J\\nx')\" hi");
    ck_assert_ptr_null(strchr(last.err, '\033'));
    ck_assert_ptr_eq(strchr(last.err, '\n'), last.err + strlen(last.err) - 1);
}
END_TEST

START_TEST(the_helper_keeps_the_pid)
{
    run("sh -c 'echo \"was $$\"; exec codex exec hi'");
    ck_assert_int_eq(atoi(strstr(last.out, "was ") + 4), atoi(strstr(last.out, "ran ") + 4));
}
END_TEST

START_TEST(an_added_root_is_wide_by_what_its_link_leads_to)
{
    static const char *const targets[] = {"/", "..", "../home", "inner"};
    static const bool wide[] = {true, true, true, false};

    tree_mkdir(top, "project/inner");
    ck_assert_int_eq(symlink(targets[_i], mem_printf(m, "%s/project/link", top)), 0);
    run("git init -q .; codex exec -s workspace-write --add-dir link hi");
    ck_assert_str_eq(field("agent.start", 0, "request.access"), wide[_i] ? "full-access" : "workspace-write");
    ck_assert_int_eq(printed("[--add-dir]"), !wide[_i]);
    /* A directory of the host's choosing is none that is wide. */
    run("mkdir ../other; codex exec -s workspace-write --add-dir ../other hi");
    ck_assert_str_eq(field("agent.start", 1, "request.access"), "workspace-write");
}
END_TEST

START_TEST(what_is_not_held_is_not_said_to_be_held)
{
    run("cd / && codex exec -s workspace-write hi; cd / && codex exec hi; cd / && codex exec -s read-only "
        "hi");
    ck_assert_str_eq(field("agent.start", 0, "enforcement"), "none");
    ck_assert_str_eq(field("agent.start", 1, "enforcement"), "unverified");
    ck_assert_str_eq(field("agent.start", 2, "enforcement"), "vendor");
    ck_assert_ptr_nonnull(strstr(field("agent.start", 0, "request.unverified"), "working directory is /"));
    tree_write(top, "home/.codex/rules/default.rules",
               "prefix_rule(pattern=[\"python3\"], decision=\"allow\")\n", 0644);
    run("codex exec -s read-only hi; codex exec --ignore-rules -s read-only hi");
    ck_assert_str_eq(field("agent.start", 3, "enforcement"), "unverified");
    ck_assert_str_eq(field("agent.start", 4, "enforcement"), "vendor");
}
END_TEST

START_TEST(a_refusal_exits_126_and_runs_nothing)
{
    ck_assert_int_eq(run("codex exec --yolo -s read-only hi"), 126);
    ck_assert(!printed("ran"));
    ck_assert_ptr_eq(strchr(last.err, '\n'), last.err + strlen(last.err) - 1);
    ck_assert_int_eq(count("agent.start"), 0);
    ck_assert_str_eq(field("agent.refused", 0, "refusal.code"), "full_access_conflicts_with_policy");
    ck_assert_ptr_null(cJSON_GetObjectItem(record("agent.refused", 0), "argv_rendered"));
    ck_assert(cJSON_IsNull(cJSON_GetObjectItem(record("agent.refused", 0), "projection")));
    ck_assert(cJSON_IsNull(cJSON_GetObjectItem(record("agent.refused", 0), "enforcement")));
}
END_TEST

/* With everything that makes an exec a new launch in the environment, too. */
START_TEST(an_admin_command_passes_untouched_and_unrecorded)
{
    static const char *const commands[] = {"codex --version", "HACCESS_ACCESS=full-access codex --version",
                                           "HACCESS_LANE=write codex login status",
                                           "HACCESS_LANE=read codex mcp list"};

    ck_assert_int_eq(run(commands[_i]), 7);
    ck_assert(printed("ran"));
    ck_assert_int_eq(count("agent.start"), 0);
    ck_assert(!printed("HACCESS_LAUNCH"));
}
END_TEST

START_TEST(an_admin_command_passes_the_token_through)
{
    run("codex exec 'run:codex --version'");
    ck_assert_int_eq(count("agent.start"), 1);
    ck_assert_ptr_nonnull(strstr(strstr(last.out, "[--version]"), "HACCESS_LAUNCH=r/a1:codex:"));
}
END_TEST

START_TEST(requests_in_the_environment_are_consumed_by_the_launch)
{
    run("HACCESS_ACCESS=read-only codex exec hi");
    ck_assert(printed("[--sandbox]\n[read-only]\n"));
    ck_assert(!printed("HACCESS_ACCESS"));
    run("HACCESS_LANE=write codex exec hi");
    ck_assert(printed("[--sandbox]\n[workspace-write]\n"));
    ck_assert(!printed("HACCESS_LANE"));
}
END_TEST

START_TEST(below_a_reader_there_are_only_readers)
{
    run("HACCESS_LANE=read codex exec 'run:codex exec inner'");
    ck_assert(printed("HACCESS_LANE=read"));
    ck_assert_int_eq(count("agent.start"), 2);
    ck_assert_str_eq(field("agent.start", 1, "projection"), "read-only");
    ck_assert_str_eq(field("agent.start", 1, "lane"), "read");
}
END_TEST

START_TEST(a_reader_cannot_launch_a_writer)
{
    run("HACCESS_LANE=read codex exec 'run:HACCESS_LANE=write codex exec inner'");
    ck_assert_str_eq(field("agent.start", 1, "projection"), "read-only");
    ck_assert_str_eq(field("agent.start", 1, "lane"), "read");
    ck_assert_ptr_nonnull(strstr(strstr(last.out, "[inner]"), "HACCESS_LANE=read\n"));
    run("HACCESS_LANE=read codex exec 'run:HACCESS_ACCESS=full-access codex exec inner'");
    ck_assert_str_eq(field("agent.refused", 0, "refusal.code"), "full_access_conflicts_with_policy");
    /* A shell is no reader: what it was asked for its next launch is not asked of all. */
    run("HACCESS_LANE=read sh -c 'HACCESS_LANE=write codex exec hi; exit'");
    ck_assert_str_eq(field("agent.start", 3, "lane"), "write");
}
END_TEST

START_TEST(what_is_switched_off_stays_off_below)
{
    tree_write(top, "project/.haccess/policy.json", policy, 0644);
    run("HACCESS_WORKER_FULL_ACCESS=0 sh -c 'HACCESS_WORKER_FULL_ACCESS=1 codex exec hi; exit'");
    ck_assert_str_eq(field("agent.start", 0, "access.reason"), "disabled");
    ck_assert(printed("HACCESS_WORKER_FULL_ACCESS=0\n"));
    run("HACCESS_WORKER_FULL_ACCESS=1 codex exec hi");
    ck_assert_str_eq(field("agent.start", 1, "access.reason"), "policy_not_allowed");
    ck_assert(printed("HACCESS_WORKER_FULL_ACCESS=1\n"));
}
END_TEST

START_TEST(a_launch_below_another_names_it)
{
    run("codex exec 'run:codex exec inner'; codex exec other");
    ck_assert_int_eq(count("agent.start"), 3);
    ck_assert_str_eq(field("agent.start", 0, "parent_launch"), "");
    ck_assert_str_eq(field("agent.start", 1, "parent_launch"), "r/a1");
    ck_assert_str_eq(field("agent.start", 2, "parent_launch"), "");
    ck_assert_int_eq(count("run.start"), 1);
}
END_TEST

/* A launcher scrubs the token; the ancestor still carries it. */
START_TEST(a_launch_below_another_is_known_by_its_ancestor)
{
    run("codex exec 'run:env -u HACCESS_LAUNCH codex exec inner'");
    ck_assert_str_eq(field("agent.start", 1, "parent_launch"), "r/a1");
}
END_TEST

START_TEST(the_execs_of_one_launch_are_one_record)
{
    /* As npm's codex: a script that executes a program of its own, with the same arguments. */
    tree_write(top, "real/codex", standin, 0755);
    tree_write(top, "bin/codex", mem_printf(m, "#!/usr/bin/env sh\nexec %s/real/codex \"$@\"\n", top), 0755);
    run("codex exec --yolo hi");
    ck_assert(printed("[--sandbox]\n[workspace-write]\n[exec]\n[hi]\n"));
    ck_assert_int_eq(count("agent.start"), 1);
    /* Or starts it. */
    tree_write(top, "bin/codex", mem_printf(m, "#!/usr/bin/env sh\n%s/real/codex \"$@\"\nexit\n", top), 0755);
    run("codex exec --yolo hi");
    ck_assert_int_eq(count("agent.start"), 2);
}
END_TEST

START_TEST(a_wrapper_that_adds_options_is_decided_again_under_the_first_decision)
{
    enable();
    parent_session("danger-full-access", "disabled");
    tree_write(top, "real/codex", standin, 0755);
    tree_write(
        top, "bin/codex",
        mem_printf(m, "#!/bin/sh\nexec %s/real/codex exec --yolo -m m -c model_reasoning_effort=high hi\n",
                   top),
        0755);
    ck_assert_int_eq(run("codex exec hi"), 7);
    ck_assert(printed("[--sandbox]\n[workspace-write]\n"));
    ck_assert(!printed("[--yolo]"));
    ck_assert_int_eq(count("agent.start"), 2);
    ck_assert_str_eq(field("agent.start", 0, "continues"), "");
    ck_assert_str_eq(field("agent.start", 1, "continues"), "a1");
    ck_assert_str_eq(field("agent.start", 1, "access.reason"), "disabled");
    ck_assert_str_eq(field("agent.start", 1, "parent_launch"), "");
}
END_TEST

START_TEST(a_wrapper_may_keep_what_was_granted)
{
    enable();
    parent_session("danger-full-access", "disabled");
    tree_write(top, "real/codex", standin, 0755);
    tree_write(top, "bin/codex", mem_printf(m, "#!/bin/sh\nexec %s/real/codex \"$@\" more\n", top), 0755);
    run(QUALIFIED);
    ck_assert(printed("[--sandbox]\n[danger-full-access]\n"));
    ck_assert_str_eq(field("agent.start", 1, "continues"), "a1");
    ck_assert_str_eq(field("agent.start", 1, "access.mode"), "full-access");
}
END_TEST

START_TEST(what_is_listed_in_notVendors_is_not_decided_and_what_it_executes_is)
{
    tree_write(top, "real/codex", standin, 0755);
    tree_write(top, "bin/codex", mem_printf(m, "#!/bin/sh\necho front\nexec %s/real/codex \"$@\"\n", top),
               0755);
    tree_write(top, "project/.haccess/policy.json", mem_printf(m, "{\"notVendors\":[\"%s/bin/codex\"]}", top),
               0644);
    run("haccess=$(dirname \"$LD_PRELOAD\")/haccess; $haccess policy allow >/dev/null; codex exec --yolo hi");
    ck_assert(printed("front\n"));
    ck_assert_int_eq(count("agent.start"), 1);
    ck_assert_str_eq(field("agent.start", 0, "target"), mem_printf(m, "%s/real/codex", top));
    ck_assert(printed("[--sandbox]\n[workspace-write]\n"));
}
END_TEST

/* What codex's configuration keeps from its commands is given back, and only then; explain says so. */
START_TEST(commands_that_lose_the_library_get_it_back)
{
    const char *library = mem_printf(m, "[shell_environment_policy.set.LD_PRELOAD=\"%s/libhaccess.so\"]\n",
                                     getenv("HACCESS_BUILD"));
    const char *explain =
        mem_printf(m, "%s/haccess explain --json -- codex exec hi", getenv("HACCESS_BUILD"));

    tree_write(top, "home/.codex/config.toml", "[shell_environment_policy]\ninherit = \"all\"\n", 0644);
    run("codex exec hi");
    ck_assert(printed("\n[exec]\n[hi]\n") && !printed("[-c]"));
    ck_assert_int_eq(run(explain), 0);
    ck_assert(!printed("coverage"));

    tree_write(top, "home/.codex/config.toml", "[shell_environment_policy]\ninherit = \"none\"\n", 0644);
    run("HACCESS_LANE=read codex exec hi");
    ck_assert(printed(library) && printed("[shell_environment_policy.set.HACCESS_RUN_ID=\"r\"]\n"));
    ck_assert(printed("[shell_environment_policy.set.HACCESS_LANE=\"read\"]\n") && printed("/state\"]\n"));
    ck_assert(printed("[--sandbox]\n[read-only]\n[exec]\n[hi]\n"));
    run(explain);
    ck_assert(printed("\"coverage\"") && printed("\"restored\""));

    run("LD_PRELOAD= codex exec hi");
    ck_assert(!printed("[-c]"));
    run("codex exec -c 'shell_environment_policy.include_only=[\"PATH\"]' hi");
    ck_assert(!printed("shell_environment_policy.set"));
    run(mem_printf(
        m, "%s/haccess explain --json -- codex -c 'shell_environment_policy.include_only=[\"PATH\"]' exec",
        getenv("HACCESS_BUILD")));
    ck_assert(printed("\"lost\""));

    tree_write(top, "project/.haccess/policy.json", "{\"mode\":\"observe\"}", 0644);
    run(mem_printf(m, "%s/haccess policy allow", getenv("HACCESS_BUILD")));
    run("codex exec hi");
    ck_assert(printed("\n[exec]\n[hi]\n") && !printed("[-c]"));
}
END_TEST

START_TEST(observe_changes_nothing_and_records_what_would_be)
{
    tree_write(top, "project/.haccess/policy.json", "{\"mode\":\"observe\"}", 0644);
    run("$(dirname \"$LD_PRELOAD\")/haccess policy allow >/dev/null; codex exec --yolo hi; codex exec --yolo "
        "-s read-only hi");
    ck_assert(printed("[exec]\n[--yolo]\n[hi]\n"));
    ck_assert(printed("[exec]\n[--yolo]\n[-s]\n[read-only]\n[hi]\n"));
    ck_assert_str_eq(last.err, "");
    ck_assert_int_eq(count("agent.start"), 2);
    ck_assert(cJSON_IsTrue(cJSON_GetObjectItem(record("agent.start", 0), "observed")));
    ck_assert_str_eq(field("agent.start", 0, "projection"), "workspace-write");
    ck_assert_str_eq(field("agent.start", 0, "enforcement"), "none");
    ck_assert_str_eq(field("agent.start", 1, "refusal.code"), "full_access_conflicts_with_policy");
}
END_TEST

START_TEST(a_qualified_launch_runs_with_full_access)
{
    enable();
    parent_session("danger-full-access", "disabled");
    ck_assert_int_eq(run(QUALIFIED), 7);
    ck_assert(printed("[--sandbox]\n[danger-full-access]\n[exec]\n[-m]\n[m]\n"));
    ck_assert_str_eq(field("agent.start", 0, "access.reason"), "qualified");
    ck_assert_str_eq(field("worker_access.parent", 0, "state"), "full-access");
}
END_TEST

START_TEST(the_parent_is_recorded_when_its_result_is_new)
{
    enable();
    parent_session("danger-full-access", "disabled");
    run(QUALIFIED "; " QUALIFIED);
    ck_assert_int_eq(count("worker_access.parent"), 1);
    parent_session("workspace-write", "managed");
    run(QUALIFIED);
    ck_assert_int_eq(count("worker_access.parent"), 2);
    ck_assert_str_eq(field("worker_access.parent", 1, "state"), "sandboxed");
    ck_assert_str_eq(field("agent.start", 2, "access.reason"), "parent_sandboxed");
}
END_TEST

START_TEST(without_a_durable_record_full_access_is_refused_and_nothing_else)
{
    set("TMPDIR", "/dev/null");
    enable();
    parent_session("danger-full-access", "disabled");
    set("HACCESS_STATE_DIR", "/dev/null/state");
    ck_assert_int_eq(run(QUALIFIED), 126);
    ck_assert(!printed("ran"));
    ck_assert_ptr_nonnull(strstr(last.err, "journal_unavailable"));
    ck_assert_int_eq(run("codex exec hi"), 7);
    ck_assert(printed("ran"));
    ck_assert_ptr_nonnull(strstr(last.err, "not recorded"));
}
END_TEST

/* A file size limit is how a test makes a full disk without a file system of its own. */
START_TEST(on_a_full_disk_full_access_is_refused_and_nothing_else)
{
    enable();
    parent_session("danger-full-access", "disabled");
    /* Through a pipe, which has no size. */
    run("(ulimit -f 0; " QUALIFIED "; echo \"code $?\") 2>&1 | cat");
    ck_assert(printed("code 126\n"));
    ck_assert(!printed("ran"));
    ck_assert(printed("journal_unavailable"));
    run("(ulimit -f 0; codex exec hi; echo \"code $?\") 2>&1 | cat");
    ck_assert(printed("ran"));
    ck_assert(printed("not recorded"));
    ck_assert(printed("code 7\n"));
    /* And with the line on stderr lost as well. */
    ck_assert_int_eq(run("(ulimit -f 0; codex exec hi) 2>err | cat >&2; test ! -s err"), 0);
    ck_assert_ptr_nonnull(strstr(last.err, "ran"));
    /* The CLI has the signal disposition that its caller had. */
    run("(ulimit -f 0; codex exec 'run:dd if=/dev/zero of=big count=9 2>/dev/null; echo $?') | cat");
    ck_assert(printed("153\n"));
}
END_TEST

/* A descriptor that nobody reads any more: opened for writing while there is a reader, which then goes. */
START_TEST(a_stderr_that_nobody_reads_does_not_end_a_launch)
{
    static const char unread[] = "mkfifo unread; exec 3<>unread 4>unread 3<&-; ";

    ck_assert_int_eq(run(mem_printf(m, "%scodex exec --yolo hi 2>&4", unread)), 7);
    ck_assert(printed("ran"));
    ck_assert_int_eq(run("rm unread"), 0);
    ck_assert_int_eq(run(mem_printf(m, "%scodex exec -s read-only --yolo hi 2>&4", unread)), 126);
    /* The CLI has the signal disposition that its caller had. */
    run("codex exec 'run:sh -c \"kill -s PIPE \\$\\$\"; echo status $?'");
    ck_assert_msg(printed("status 141\n"), "%s", last.out);
    run("trap '' PIPE; codex exec 'run:sh -c \"kill -s PIPE \\$\\$\"; echo status $?'");
    ck_assert_msg(printed("status 0\n"), "%s", last.out);
}
END_TEST

/* A file that is opened in the place of a closed stream would get what is meant for it. */
START_TEST(closed_streams_stay_closed)
{
    static const char codex[] = "codex exec --yolo \"run:ls /proc/self/fd >$F 2>&1\" <&- >&- 2>&-";

    ck_assert_int_eq(run(mem_printf(m, "F=with; %s", codex)), 7);
    ck_assert_int_eq(run(mem_printf(m, "F=without; LD_PRELOAD= %s", codex)), 7);
    ck_assert_int_eq(run("cat with without; test -s with && cmp with without"), 0);
    ck_assert_int_eq(run("! grep -v '^{' ../state/runs/r/journal.jsonl"), 0);
    ck_assert_int_eq(count("agent.start"), 1);
}
END_TEST

/* With few descriptors the helper reads neither its own start time nor a journal. The CLI does as well as without it. */
START_TEST(few_descriptors)
{
    for (int n = 4; n < 16; n++) {
        int code = run(mem_printf(m, "ulimit -n %d; LD_PRELOAD= timeout 10 codex exec hi", n));

        ck_assert_int_eq(run(mem_printf(m, "ulimit -n %d; timeout 10 codex exec hi", n)), code);
    }
    ck_assert(printed("ran"));
}
END_TEST

/* Where a file system can be mounted, the disk is really full. */
START_TEST(on_a_full_disk_the_record_goes_to_the_spool)
{
    tree_mkdir(top, "state");
    if (run("unshare -m true 2>/dev/null") != 0)
        return;
    ck_assert_int_eq(
        run("unshare -m sh -c 'mount -t tmpfs -o size=4k tmpfs \"$HACCESS_STATE_DIR\" || exit 9; "
            "head -c 9000 /dev/zero >\"$HACCESS_STATE_DIR/fill\" 2>/dev/null; codex exec hi'"),
        7);
    ck_assert_str_eq(last.err, "");
    ck_assert_int_eq(run("cat ../tmp/haccess-*/runs/r/journal.jsonl"), 0);
    ck_assert(printed("\"id\":\"s1\""));
}
END_TEST

START_TEST(a_cli_that_cannot_be_executed_is_recorded_as_failed)
{
    tree_write(top, "bin/codex", "#!/nonexistent/interpreter\n", 0755);
    ck_assert_int_eq(run("codex exec hi"), 127);
    ck_assert_int_eq(count("agent.start"), 1);
    ck_assert_str_eq(field("agent.failed", 0, "errno"), "ENOENT");
    ck_assert_str_eq(field("agent.failed", 0, "id"), "a1");
}
END_TEST

START_TEST(a_script_without_an_interpreter_runs_as_execvp_runs_it)
{
    tree_write(top, "bin/codex", standin + strlen("#!/bin/sh\n"), 0755);
    ck_assert_int_eq(run("env codex exec --yolo hi"), 7);
    ck_assert(printed("[--sandbox]\n[workspace-write]\n[exec]\n[hi]\n"));
    ck_assert_int_eq(count("agent.start"), 1);
}
END_TEST

START_TEST(prompts_and_secrets_are_not_in_the_journal)
{
    run("codex exec --yolo -c api_key=hunter2 -m m -i /secret.png 'my secret prompt'");
    ck_assert_int_eq(count("agent.start"), 1);
    ck_assert_ptr_null(strstr(tree_read(top, "state/runs/r/journal.jsonl"), "secret"));
    ck_assert_ptr_null(strstr(tree_read(top, "state/runs/r/journal.jsonl"), "hunter2"));
    ck_assert_ptr_nonnull(strstr(tree_read(top, "state/runs/r/journal.jsonl"), "--yolo"));
}
END_TEST

/* Wherever it stands: in place of a model, glued to an option, in settings that do not parse, behind what the CLI does not
 * know. Each command has the word "hunter2" somewhere, and is one record. */
START_TEST(a_prompt_or_secret_in_an_odd_place_is_not_in_the_journal)
{
    static const char *const commands[] = {
        "codex exec --yolo -m 'the hunter2 prompt' hi",
        "codex exec --yolo '-mthe hunter2 prompt' hi",
        "codex exec '--model=the hunter2 prompt' hi",
        "codex exec --yolo=hunter2 hi",
        "codex exec --yolo -c 'model_reasoning_effort=\"the hunter2 prompt\"' -m m hi",
        "codex exec -c 'model_provider=the hunter2 prompt' -m m hi",
        "codex exec -c 'sandbox_mode=the hunter2 prompt' hi",
        "codex exec -s 'the hunter2 prompt' hi",
        "codex exec --yolo -s 'the hunter2 prompt' hi",
        "codex exec --unknown 'the hunter2 prompt'",
        "codex exec --yolo '--unknown=hunter2'",
        "codex exec --yolo -zhunter2 hi",
        "HACCESS_ACCESS='the hunter2 prompt' codex exec hi",
        "HACCESS_LANE='the hunter2 prompt' codex exec hi",
        "claude -p --model 'the hunter2 prompt' hi",
        "claude -p --dangerously-skip-permissions --effort 'the hunter2 prompt' hi",
        "claude -p --fallback-model 'the hunter2 prompt' hi",
        "claude -p --permission-mode 'the hunter2 prompt' hi",
        "claude -p --settings '{\"env\":{\"TOKEN\":\"hunter2' hi",
        "claude -p '--settings={\"env\":{\"TOKEN\":\"hunter2' hi",
        "cursor-agent -p --mode 'the hunter2 prompt' hi",
        "cursor-agent -p --sandbox 'the hunter2 prompt' hi",
        "opencode run -m 'the hunter2 prompt' hi",
    };
    const char *text;

    tree_write(top, "bin/claude", standin, 0755);
    tree_write(top, "bin/cursor-agent", standin, 0755);
    tree_write(top, "bin/opencode", standin, 0755);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        run(commands[i]);
        text = tree_read(top, "state/runs/r/journal.jsonl");
        ck_assert_msg(text != NULL && strstr(text, "hunter2") == NULL, "%s", commands[i]);
        ck_assert_int_eq(count("agent.start") + count("agent.refused"), (int)i + 1);
    }
}
END_TEST

/* "argv": "full" keeps the words of a command line, and still no credential. */
START_TEST(with_argv_full_no_credential_is_in_the_journal)
{
    static const char *const commands[] = {
        "codex exec -c mcp_servers.x.env.API_TOKEN=hunter2 kept",
        "codex exec --api-key hunter2 kept",
        "codex exec --api-key=hunter2 kept",
        "cursor-agent -p --api-key hunter2 kept",
        "cursor-agent -p -H 'Authorization: Bearer hunter2' kept",
        "claude -p --mcp-config '{\"headers\":{\"X\":\"hunter2\"}}' kept",
        "claude -p --settings '{\"env\":{\"A_KEY\":\"hunter2\"}}' kept",
        "claude -p --settings '{\"env\":{\"DB_PW\":\"hunter2\"}}' kept",
        "opencode run --attach http://user:hunter2@host kept",
    };

    tree_write(top, "bin/claude", standin, 0755);
    tree_write(top, "bin/cursor-agent", standin, 0755);
    tree_write(top, "bin/opencode", standin, 0755);
    tree_write(top, "project/.haccess/policy.json", "{\"journal\":{\"argv\":\"full\"}}", 0644);
    run("$(dirname \"$LD_PRELOAD\")/haccess policy allow >/dev/null");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        run(commands[i]);
        ck_assert_msg(strstr(tree_read(top, "state/runs/r/journal.jsonl"), "hunter2") == NULL, "%s",
                      commands[i]);
        ck_assert_int_eq(count("agent.start") + count("agent.refused"), (int)i + 1);
    }
    ck_assert_ptr_nonnull(strstr(tree_read(top, "state/runs/r/journal.jsonl"), "\"kept\""));
}
END_TEST

/* The options of a program that haccess does not know may have a value in their own word. */
START_TEST(the_command_of_a_run_tells_names_of_options_only)
{
    tree_write(top, "project/tool.sh", "#!/bin/sh\ncodex exec hi\n", 0755);
    set("HACCESS_RUN_ID", "another");
    run("HACCESS_RUN_ID=r ./tool.sh -phunter2 --password=hunter2 '--header hunter2' --json '-H x: hunter2' "
        "hunter2; true");
    ck_assert_int_eq(count("run.start"), 1);
    ck_assert_ptr_null(strstr(field("run.start", 0, "command"), "hunter2"));
    ck_assert_str_eq(field("run.start", 0, "command"), "./tool.sh -p --password --header --json -H");
}
END_TEST

START_TEST(the_launches_of_one_script_are_one_run)
{
    glob_t found;

    set("HACCESS_RUN_ID", "not/a run id");
    tree_write(top, "project/orchestrate.sh", "#!/bin/sh\ncodex exec one\ncodex exec 'run:codex exec two'\n",
               0755);
    run("./orchestrate.sh");
    ck_assert_int_eq(glob(mem_printf(m, "%s/state/runs/run-*/journal.jsonl", top), 0, NULL, &found), 0);
    ck_assert_uint_eq(found.gl_pathc, 1);
    ck_assert_ptr_nonnull(strstr(found.gl_pathv[0], "Z-"));
    globfree(&found);
}
END_TEST

START_TEST(bad_input_200000_words)
{
    ck_assert_int_eq(run("ulimit -s unlimited 2>/dev/null || ulimit -s 65536; codex exec --yolo $(yes x | "
                         "head -n 200000)"),
                     7);
    ck_assert(printed("[--sandbox]\n[workspace-write]\n[exec]\n[x]\n"));
    ck_assert_int_eq(count("agent.start"), 1);
}
END_TEST

START_TEST(bad_input_invalid_utf8)
{
    ck_assert_int_eq(run("codex exec --yolo -m \"$(printf '\\377\\300m')\" \"$(printf 'a\\377b')\""), 7);
    ck_assert(printed("[a\377b]"));
    ck_assert_int_eq(count("agent.start"), 1);
}
END_TEST

START_TEST(bad_input_no_home)
{
    ck_assert_int_eq(run("unset HOME HACCESS_STATE_DIR; codex exec --yolo hi"), 7);
    ck_assert(printed("[workspace-write]"));
    set("HOME", "");
    ck_assert_int_eq(run("codex exec --yolo hi"), 7);
    set("HOME", "relative");
    ck_assert_int_eq(run("codex exec --yolo hi"), 7);
}
END_TEST

START_TEST(bad_input_deleted_working_directory)
{
    ck_assert_int_eq(run("mkdir gone && cd gone && rmdir ../gone && codex exec --yolo hi"), 7);
    ck_assert(printed("[workspace-write]"));
    ck_assert_int_eq(count("agent.start"), 1);
}
END_TEST

START_TEST(bad_input_empty_environment)
{
    ck_assert_int_eq(run("env -i LD_PRELOAD=\"$LD_PRELOAD\" HACCESS_STATE_DIR=\"$HACCESS_STATE_DIR\" "
                         "HACCESS_RUN_ID=r \"$(command -v codex)\" exec "
                         "--yolo hi"),
                     7);
    ck_assert_int_eq(count("agent.start"), 1);
}
END_TEST

START_TEST(bad_input_malformed_policy_grants_nothing)
{
    static const char *const texts[] = {
        "{", "[]", "null", "{\"mode\":1}", "\377\376", "{\"mode\":\"enforce\"}}"};

    parent_session("danger-full-access", "disabled");
    tree_write(top, "project/.haccess/policy.json", texts[_i], 0644);
    ck_assert_int_eq(run("codex exec --yolo -m m -c model_reasoning_effort=high hi"), 7);
    ck_assert(printed("[--sandbox]\n[read-only]\n"));
    ck_assert_str_eq(field("agent.start", 0, "access.reason"), "config_invalid");
}
END_TEST

START_TEST(the_helper_is_not_run_by_hand)
{
    ck_assert_int_eq(run("$(dirname \"$LD_PRELOAD\")/haccess-exec exec hi"), 2);
    ck_assert_ptr_nonnull(strstr(last.err, "haccess run"));
}
END_TEST

static Suite *
suite(void)
{
    Suite *s = suite_create("launch");
    TCase *t = tcase_create("end to end");

    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_launch_is_one_record_and_ends_as_the_cli_does);
    tcase_add_test(t, a_narrowed_launch_says_so_in_one_line);
    tcase_add_test(t, the_line_on_stderr_lets_no_escape_sequence_through);
    tcase_add_test(t, the_helper_keeps_the_pid);
    tcase_add_loop_test(t, an_added_root_is_wide_by_what_its_link_leads_to, 0, 4);
    tcase_add_test(t, what_is_not_held_is_not_said_to_be_held);
    tcase_add_test(t, a_refusal_exits_126_and_runs_nothing);
    tcase_add_loop_test(t, an_admin_command_passes_untouched_and_unrecorded, 0, 4);
    tcase_add_test(t, an_admin_command_passes_the_token_through);
    tcase_add_test(t, requests_in_the_environment_are_consumed_by_the_launch);
    tcase_add_test(t, below_a_reader_there_are_only_readers);
    tcase_add_test(t, a_reader_cannot_launch_a_writer);
    tcase_add_test(t, what_is_switched_off_stays_off_below);
    tcase_add_test(t, a_launch_below_another_names_it);
    tcase_add_test(t, a_launch_below_another_is_known_by_its_ancestor);
    tcase_add_test(t, the_execs_of_one_launch_are_one_record);
    tcase_add_test(t, a_wrapper_that_adds_options_is_decided_again_under_the_first_decision);
    tcase_add_test(t, a_wrapper_may_keep_what_was_granted);
    tcase_add_test(t, what_is_listed_in_notVendors_is_not_decided_and_what_it_executes_is);
    tcase_add_test(t, commands_that_lose_the_library_get_it_back);
    tcase_add_test(t, observe_changes_nothing_and_records_what_would_be);
    tcase_add_test(t, a_qualified_launch_runs_with_full_access);
    tcase_add_test(t, the_parent_is_recorded_when_its_result_is_new);
    tcase_add_test(t, without_a_durable_record_full_access_is_refused_and_nothing_else);
    tcase_add_test(t, on_a_full_disk_full_access_is_refused_and_nothing_else);
    tcase_add_test(t, a_stderr_that_nobody_reads_does_not_end_a_launch);
    tcase_add_test(t, closed_streams_stay_closed);
    tcase_add_test(t, few_descriptors);
    tcase_add_test(t, on_a_full_disk_the_record_goes_to_the_spool);
    tcase_add_test(t, a_cli_that_cannot_be_executed_is_recorded_as_failed);
    tcase_add_test(t, a_script_without_an_interpreter_runs_as_execvp_runs_it);
    tcase_add_test(t, prompts_and_secrets_are_not_in_the_journal);
    tcase_add_test(t, a_prompt_or_secret_in_an_odd_place_is_not_in_the_journal);
    tcase_add_test(t, with_argv_full_no_credential_is_in_the_journal);
    tcase_add_test(t, the_command_of_a_run_tells_names_of_options_only);
    tcase_add_test(t, the_launches_of_one_script_are_one_run);
    tcase_add_test(t, bad_input_200000_words);
    tcase_add_test(t, bad_input_invalid_utf8);
    tcase_add_test(t, bad_input_no_home);
    tcase_add_test(t, bad_input_deleted_working_directory);
    tcase_add_test(t, bad_input_empty_environment);
    tcase_add_loop_test(t, bad_input_malformed_policy_grants_nothing, 0, 6);
    tcase_add_test(t, the_helper_is_not_run_by_hand);
    suite_add_tcase(s, t);
    return s;
}

int
main(void)
{
    SRunner *r = srunner_create(suite());
    int failed;

    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
