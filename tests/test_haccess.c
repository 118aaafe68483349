/* haccess(1): its commands, as a user has them. */
#include <cjson/cJSON.h>
#include <check.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../shim/adapters/adapter.h"
#include "../shim/mem.h"
#include "support/orphan.h"
#include "support/tree.h"

static char *root, *build;

/* A home, a project and a PATH of one test. */
static struct mem *m;
static char *top;
static struct strings env;

static void
set(const char *entry)
{
    size_t n = strcspn(entry, "=") + 1;
    for (size_t i = 0; i < env.count; i++)
        if (strncmp(env.items[i], entry, n) == 0) {
            env.items[i] = mem_strdup(m, entry);
            return;
        }
    strings_add(m, &env, mem_strdup(m, entry));
}

static void
setup(void)
{
    m = mem_new();
    top = tree_sub(root);
    env = (struct strings){0};
    tree_mkdir(top, "home");
    tree_mkdir(top, "project");
    tree_write(top, "bin/codex", "#!/bin/sh\n: >\"${0%/*}/../ran\"\nprintf '%s\\n' \"$@\"\n", 0755);
    set(mem_printf(m, "HOME=%s/home", top));
    set(mem_printf(m, "PATH=%s/bin:/usr/bin:/bin", top));
    set(mem_printf(m, "HACCESS_STATE_DIR=%s/state", top));
    set("LANG=C.UTF-8");
}

static void
teardown(void)
{
    mem_free(m);
    free(top);
}

/* Runs a command line, split at single spaces, in the project; "haccess" is the one that was built. */
static struct outcome
run(const char *line)
{
    struct strings argv = {0};
    char *save = NULL, *copy = mem_strdup(m, line);
    for (char *w = strtok_r(copy, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
        strings_add(m, &argv, strcmp(w, "haccess") == 0 ? mem_printf(m, "%s/haccess", build) : w);
    return orphan_run(mem_printf(m, "%s/project", top), argv.items, env.items, false);
}

static void
expect_code(const char *line, int code)
{
    struct outcome o = run(line);
    ck_assert_msg(o.code == code, "%s: exit %d, not %d: %s%s", line, o.code, code, o.out, o.err);
    outcome_free(&o);
}

/* Runs it; out (or err where out is NULL) must hold the text. */
static void
expect_text(const char *line, int code, const char *out, const char *err)
{
    struct outcome o = run(line);
    ck_assert_msg(o.code == code, "%s: exit %d, not %d: %s%s", line, o.code, code, o.out, o.err);
    ck_assert_msg(out == NULL || strstr(o.out, out) != NULL, "%s: no \"%s\" in: %s", line, out, o.out);
    ck_assert_msg(err == NULL || strstr(o.err, err) != NULL, "%s: no \"%s\" in: %s", line, err, o.err);
    outcome_free(&o);
}

/* Runs it; standard output must be one JSON object. The caller deletes it. */
static cJSON *
expect_json(const char *line, int code)
{
    struct outcome o = run(line);
    cJSON *object = cJSON_Parse(o.out);
    ck_assert_msg(o.code == code && cJSON_IsObject(object), "%s: exit %d: %s%s", line, o.code, o.out, o.err);
    outcome_free(&o);
    return object;
}

static const cJSON *
get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static void
write_policy(const char *text)
{
    tree_write(top, "project/.haccess/policy.json", text, 0644);
}

static bool
exists(const char *path)
{
    return access(mem_printf(m, "%s/%s", top, path), F_OK) == 0;
}

#define ENABLED                                                                                              \
    "{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{\"codex\":["                          \
    "{\"model\":\"gpt-5.1-codex\",\"minEffort\":\"high\"}]}}}}"

START_TEST(every_command_has_help_and_version)
{
    static const char *const lines[] = {"haccess",        "haccess run",    "haccess explain",
                                        "haccess policy", "haccess doctor", "haccess shims"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        expect_text(mem_printf(m, "%s --help", lines[i]), 0, "usage: haccess", NULL);
        expect_text(mem_printf(m, "%s -h", lines[i]), 0, "usage: haccess", NULL);
        expect_text(mem_printf(m, "%s --version", lines[i]), 0, "haccess " HACCESS_VERSION, NULL);
        expect_text(mem_printf(m, "%s -V", lines[i]), 0, "haccess " HACCESS_VERSION, NULL);
    }
}
END_TEST

START_TEST(a_wrong_command_line_exits_2_and_says_what)
{
    expect_text("haccess", 2, NULL, "usage: haccess");
    expect_text("haccess frobnicate", 2, NULL, "haccess: frobnicate: no such command");
    expect_text("haccess explain --frob -- true", 2, NULL, "haccess: explain: --frob: ");
    expect_text("haccess explain -x -- true", 2, NULL, "haccess: explain: -x: ");
    expect_text("haccess run --run-id", 2, NULL, "haccess: run: --run-id: needs a value");
    expect_text("haccess policy frob", 2, NULL, "haccess: policy: frob: ");
    expect_code("haccess explain", 2);
    expect_code("haccess run", 2);
    expect_code("haccess policy", 2);
    expect_code("haccess policy check . .", 2);
    expect_code("haccess doctor x", 2);
}
END_TEST

START_TEST(explain_exits_127_for_what_is_not_found)
{
    expect_text("haccess explain -- nonexistent", 127, NULL,
                "haccess: explain: nonexistent: not found on PATH");
    expect_text("haccess explain -- /nonexistent/codex", 127, NULL, "No such file or directory");
    expect_text("haccess explain -- /", 127, NULL, "Permission denied");
    expect_code("haccess explain --exe /nonexistent -- codex", 127);
}
END_TEST

START_TEST(explain_exits_126_for_what_would_be_refused)
{
    expect_text("haccess explain -- codex exec --yolo -s read-only hi", 126,
                "full_access_conflicts_with_policy", NULL);
    cJSON *o = expect_json("haccess explain --json -- codex exec --yolo -s read-only hi", 126);
    ck_assert(cJSON_IsNull(get(o, "argv")) && cJSON_IsNull(get(o, "access")) &&
              cJSON_IsNull(get(o, "parent")));
    ck_assert_str_eq(cJSON_GetStringValue(get(get(o, "refusal"), "code")),
                     "full_access_conflicts_with_policy");
    ck_assert(cJSON_IsString(get(get(o, "refusal"), "detail")));
    cJSON_Delete(o);
}
END_TEST

START_TEST(explain_prints_the_documented_object)
{
    static const char *const keys[] = {"class",  "adapter",    "target",      "request", "outcome", "refusal",
                                       "access", "projection", "enforcement", "parent",  "policy",  "argv"};
    cJSON *o = expect_json("haccess explain --json -- codex exec --yolo hi", 0);
    const cJSON *item = o->child;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++, item = item->next) {
        ck_assert_ptr_nonnull(item);
        ck_assert_str_eq(item->string, keys[i]);
    }
    ck_assert_ptr_null(item);
    const cJSON *source = cJSON_GetArrayItem(get(get(o, "request"), "sources"), 0);
    ck_assert_str_eq(cJSON_GetStringValue(get(source, "spelling")), "--yolo");
    ck_assert(cJSON_IsNull(get(source, "value")));
    ck_assert_int_eq((int)cJSON_GetNumberValue(get(source, "index")), 2);
    ck_assert(cJSON_IsNull(get(get(o, "request"), "lane")));
    ck_assert_str_eq(cJSON_GetStringValue(get(o, "target")), mem_printf(m, "%s/bin/codex", top));
    ck_assert_str_eq(cJSON_GetStringValue(get(get(o, "policy"), "state")), "absent");
    cJSON_Delete(o);
}
END_TEST

START_TEST(a_source_in_configuration_has_file_and_key)
{
    tree_write(top, "home/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n", 0644);
    cJSON *o = expect_json("haccess explain --json -- codex exec hi", 0);
    const cJSON *source = cJSON_GetArrayItem(get(get(o, "request"), "sources"), 0);
    ck_assert_str_eq(cJSON_GetStringValue(get(source, "file")),
                     mem_printf(m, "%s/home/.codex/config.toml", top));
    ck_assert_str_eq(cJSON_GetStringValue(get(source, "key")), "sandbox_mode");
    ck_assert_ptr_null(get(source, "index"));
    cJSON_Delete(o);
}
END_TEST

START_TEST(what_is_no_launch_passes_as_given)
{
    cJSON *o = expect_json("haccess explain --json -- /bin/echo codex", 0);
    ck_assert_str_eq(cJSON_GetStringValue(get(o, "outcome")), "passthrough");
    ck_assert_str_eq(cJSON_GetStringValue(get(o, "class")), "none");
    ck_assert(cJSON_IsNull(get(o, "access")) && cJSON_IsNull(get(o, "adapter")));
    ck_assert_int_eq(cJSON_GetArraySize(get(o, "argv")), 2);
    cJSON_Delete(o);
    expect_text("haccess explain -- codex --version", 0, "admin", NULL);
}
END_TEST

START_TEST(explain_tells_people_what_was_asked_and_why_not)
{
    struct outcome o = run("haccess explain -- codex exec --yolo hi");
    ck_assert_int_eq(o.code, 0);
    static const char *const parts[] = {"asked    full-access",
                                        "--yolo (argument 2)",
                                        "got      workspace-write",
                                        "because  disabled: ",
                                        "to grant it: ",
                                        "checks ",
                                        "argv     codex exec --yolo hi\n",
                                        "- --yolo\n",
                                        "+ --sandbox workspace-write\n"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        ck_assert_msg(strstr(o.out, parts[i]) != NULL, "no \"%s\" in: %s", parts[i], o.out);
    ck_assert_ptr_null(strchr(o.out, '\033'));
    outcome_free(&o);
}
END_TEST

START_TEST(explain_runs_and_records_nothing)
{
    expect_code("haccess explain -- codex exec hi", 0);
    ck_assert(!exists("ran") && !exists("state"));
}
END_TEST

START_TEST(no_escape_sequence_reaches_the_terminal)
{
    static const char *const lines[] = {"haccess explain -- codex exec \033[31mhi\033[0m \xc2\x9b\x31m \xff",
                                        "haccess explain -- \033]0;x\a",
                                        "haccess explain --\033[1m -- true",
                                        "haccess run -- \033]0;x\a",
                                        "haccess \033[1m",
                                        "haccess policy check \033[1m",
                                        "haccess policy \033[1m"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct outcome o = run(lines[i]);
        ck_assert_msg(strpbrk(o.out, "\033\a\xff") == NULL && strpbrk(o.err, "\033\a\xff") == NULL,
                      "%zu: %s%s", i, o.out, o.err);
        ck_assert_msg(strstr(o.out, "\xc2\x9b") == NULL, "%zu: %s", i, o.out);
        outcome_free(&o);
    }
}
END_TEST

START_TEST(what_is_not_utf8_still_makes_valid_json)
{
    cJSON *o = expect_json("haccess explain --json -- codex exec a\xff\xc0\x80z", 0);
    ck_assert_str_eq(cJSON_GetStringValue(cJSON_GetArrayItem(get(o, "argv"), 2)),
                     "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
    cJSON_Delete(o);
}
END_TEST

START_TEST(init_writes_a_default_that_is_valid_and_loosens_nothing)
{
    struct stat st;
    expect_code("/bin/sh -c umask\t077;exec\t\"$0\"\tpolicy\tinit haccess", 0);
    ck_assert_int_eq(stat(mem_printf(m, "%s/project/.haccess", top), &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0755);
    ck_assert_int_eq(stat(mem_printf(m, "%s/project/.haccess/policy.json", top), &st), 0);
    ck_assert_int_eq(st.st_mode & 07777, 0644);
    expect_text("haccess policy check", 0, ": ok", NULL);
    expect_text("haccess policy allow", 0, "loosens nothing", NULL);
}
END_TEST

/* The first thing that is done to it: the codex line is taken in, then the next one, too. */
START_TEST(what_init_writes_stays_sound_line_by_line)
{
    static const char *const lines[] = {"\"codex\"", ", \"claude-code\"", ", \"cursor\""};
    const char *path = mem_printf(m, "%s/project/.haccess/policy.json", top);

    expect_code("haccess policy init", 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct outcome o = run(mem_printf(m, "/bin/sed -i s|//\\s\\(%s\\)|\\1| %s",
                                          i == 0   ? "\"codex"
                                          : i == 1 ? ",\\s\"claude"
                                                   : ",\\s\"cursor",
                                          path));
        ck_assert_int_eq(o.code, 0);
        outcome_free(&o);
        char *text = tree_read(top, "project/.haccess/policy.json");
        ck_assert_msg(strstr(text, mem_printf(m, "        %s", lines[i])) != NULL, "%s", text);
        free(text);
        expect_text("haccess policy check", 0, ": ok", NULL);
    }
}
END_TEST

START_TEST(init_never_overwrites)
{
    write_policy("{}");
    expect_text("haccess policy init", 1, NULL, "is there already");
    char *text = tree_read(top, "project/.haccess/policy.json");
    ck_assert_str_eq(text, "{}");
    free(text);
}
END_TEST

START_TEST(init_refuses_what_is_no_project)
{
    expect_text(mem_printf(m, "haccess policy init %s/home", top), 1, NULL, "is no project");
    ck_assert(!exists("home/.haccess"));
}
END_TEST

START_TEST(check_exits_1_for_a_malformed_policy)
{
    expect_text("haccess policy check", 0, "no policy", NULL);
    write_policy("{\"mode\":\"lax\"}");
    expect_text("haccess policy check", 1, "mode", NULL);
    cJSON *o = expect_json("haccess policy check --json", 1);
    ck_assert(cJSON_IsFalse(get(o, "ok")) && cJSON_IsString(get(get(o, "policy"), "problem")));
    cJSON_Delete(o);
    write_policy("{\"mode\":\"enforce\"}");
    expect_text("haccess policy check", 0, ": ok", NULL);
    write_policy("{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{\"codex\":[]}}}}");
    expect_code("haccess policy allow", 0);
    expect_text("haccess policy check", 0, "lists no model: nothing qualifies", NULL);
}
END_TEST

START_TEST(allow_refuses_a_malformed_policy)
{
    expect_text("haccess policy allow", 1, NULL, "no .haccess/policy.json");
    write_policy("{,}");
    expect_text("haccess policy allow", 1, NULL, "malformed");
}
END_TEST

START_TEST(allow_shows_what_it_loosens_and_holds_until_the_file_changes)
{
    write_policy(ENABLED);
    expect_text("haccess policy show", 0, "not allowed", NULL);
    expect_text("haccess policy allow", 0, "workflow.workerFullAccess.enabled", NULL);
    expect_text("haccess policy show", 0, "enabled, allowed", NULL);
    write_policy(ENABLED " ");
    expect_text("haccess policy show", 0, "not allowed", NULL);
    expect_text("haccess policy check", 0, "changed since it was allowed on 20", NULL);
    expect_text("haccess explain -- codex exec --yolo hi", 0, "changed since the host allowed it on 20",
                NULL);
    cJSON *o = expect_json("haccess policy allow --json", 0);
    ck_assert(cJSON_IsTrue(get(o, "allowed")) && cJSON_GetArraySize(get(o, "values")) == 2);
    cJSON_Delete(o);
}
END_TEST

START_TEST(allow_tells_what_changed_since_it_was_last_allowed)
{
    write_policy(ENABLED);
    struct outcome o = run("haccess policy allow");
    ck_assert_msg(o.code == 0 && strstr(o.out, "Changed since") == NULL, "%s", o.out);
    outcome_free(&o);
    write_policy("// other words, the same values\n" ENABLED);
    o = run("haccess policy allow");
    ck_assert_msg(o.code == 0 && strstr(o.out, "Changed since") == NULL, "%s", o.out);
    outcome_free(&o);
    write_policy(
        "{\"mode\":\"observe\",\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{\"codex\":["
        "{\"model\":\"gpt-5.1-codex\",\"minEffort\":\"low\"}]}}}}");
    o = run("haccess policy allow");
    ck_assert_msg(strstr(o.out, "Changed since it was allowed on 20") != NULL &&
                      strstr(o.out, "  mode\n    - \"enforce\"\n    + \"observe\"\n") != NULL &&
                      strstr(o.out, "floors\n    - {") != NULL && strstr(o.out, "\"high\"") != NULL &&
                      strstr(o.out, "\"low\"") != NULL && strstr(o.out, "    - true") == NULL,
                  "%s", o.out);
    outcome_free(&o);
    write_policy("{\"servers\":\"refuse\"}");
    cJSON *j = expect_json("haccess policy allow --json", 0);
    const cJSON *c, *changes = get(j, "changes");
    int seen = 0;
    cJSON_ArrayForEach(c, changes) seen += strcmp(cJSON_GetStringValue(get(c, "key")), "servers") == 0 &&
                                           strcmp(cJSON_GetStringValue(get(c, "before")), "annotate") == 0 &&
                                           strcmp(cJSON_GetStringValue(get(c, "after")), "refuse") == 0;
    ck_assert_int_eq(seen, 1);
    ck_assert_int_eq(cJSON_GetArraySize(changes), 4);
    cJSON_Delete(j);
}
END_TEST

START_TEST(deny_tells_what_counts_no_more)
{
    write_policy(ENABLED);
    expect_code("haccess policy allow", 0);
    expect_text("haccess policy deny", 0, "These count no more:\n  workflow.workerFullAccess.enabled  true",
                NULL);
    struct outcome o = run("haccess policy deny");
    ck_assert_msg(strstr(o.out, "no more") == NULL, "%s", o.out);
    outcome_free(&o);
}
END_TEST

START_TEST(deny_withdraws_consent)
{
    write_policy(ENABLED);
    expect_text("haccess policy deny", 0, "was not allowed", NULL);
    expect_code("haccess policy allow", 0);
    expect_text("haccess policy deny", 0, "no longer allowed", NULL);
    expect_text("haccess policy show", 0, "not allowed", NULL);
}
END_TEST

START_TEST(show_says_where_each_value_comes_from)
{
    write_policy("{\"servers\":\"refuse\"}");
    cJSON *o = expect_json(mem_printf(m, "haccess policy show --json %s/project", top), 0);
    const cJSON *v;
    int seen = 0;
    cJSON_ArrayForEach(v, get(o, "values"))
    {
        const char *key = cJSON_GetStringValue(get(v, "key")),
                   *origin = cJSON_GetStringValue(get(v, "origin"));
        if (strcmp(key, "servers") == 0) {
            ck_assert_str_eq(cJSON_GetStringValue(get(v, "value")), "refuse");
            ck_assert_str_eq(origin, mem_printf(m, "%s/project/.haccess/policy.json", top));
            seen++;
        } else if (strcmp(key, "mode") == 0) {
            ck_assert_str_eq(origin, "default");
            seen++;
        }
    }
    ck_assert_int_eq(seen, 2);
    cJSON_Delete(o);
}
END_TEST

/* Runs `haccess run` on a program that prints its environment, and checks one variable against a pattern. */
static void
expect_variable(const char *options, const char *pattern)
{
    regex_t re;
    struct outcome o = run(mem_printf(m, "haccess run %s -- /usr/bin/env", options));
    ck_assert_int_eq(regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB), 0);
    ck_assert_msg(o.code == 0 && regexec(&re, o.out, 0, NULL, 0) == 0, "no %s in: %s%s", pattern, o.out,
                  o.err);
    regfree(&re);
    outcome_free(&o);
}

START_TEST(run_sets_the_run_id)
{
    expect_variable("", "^HACCESS_RUN_ID=run-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}$");
    expect_variable("--run-id my.run-1", "^HACCESS_RUN_ID=my\\.run-1$");
    expect_variable("-r x", "^HACCESS_RUN_ID=x$");
    expect_text("haccess run -r .x -- /bin/true", 2, NULL, "a run id is");
    expect_code("haccess run --run-id= -- /bin/true", 2);
}
END_TEST

START_TEST(run_preloads_the_library_once_and_keeps_the_rest)
{
    expect_variable("", mem_printf(m, "^LD_PRELOAD=%s/libhaccess\\.so$", build));
    set("LD_PRELOAD=libm.so.6:/nonexistent/libhaccess.so libhaccess.so");
    expect_variable("", mem_printf(m, "^LD_PRELOAD=libm\\.so\\.6:%s/libhaccess\\.so$", build));
    set("LD_PRELOAD=libm.so.6");
    expect_variable("", mem_printf(m, "^LD_PRELOAD=libm\\.so\\.6:%s/libhaccess\\.so$", build));
}
END_TEST

START_TEST(run_ends_as_the_command_does)
{
    expect_code("haccess run -- /bin/sh -c exit\t7", 7);
    expect_text("haccess run -- nonexistent", 127, NULL, "haccess: run: nonexistent: ");
    expect_text("haccess run -- /", 126, NULL, "haccess: run: /: Permission denied");
}
END_TEST

START_TEST(run_decides_a_launch_itself)
{
    expect_text("haccess run -r r -- codex exec --yolo hi", 0, "--sandbox\nworkspace-write\nexec\nhi\n",
                "disabled");
    ck_assert(exists("ran") && exists("state/runs/r/journal.jsonl"));
    char *journal = tree_read(top, "state/runs/r/journal.jsonl"), *first = strstr(journal, "\"agent.start\"");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "\"agent.start\"")); /* the library does not decide it again */
    free(journal);
}
END_TEST

START_TEST(run_refuses_a_launch_itself)
{
    expect_text("haccess run -r r -- codex exec --yolo -s read-only hi", 126, NULL,
                "full_access_conflicts_with_policy");
    ck_assert(!exists("ran"));
}
END_TEST

static const cJSON *
finding(const cJSON *report, const char *name)
{
    const cJSON *c;
    cJSON_ArrayForEach(c, get(report, "checks")) if (strcmp(cJSON_GetStringValue(get(c, "name")), name) ==
                                                     0) return c;
    ck_abort_msg("no finding %s", name);
    return NULL;
}

static void
expect_finding(const cJSON *report, const char *name, const char *result)
{
    const cJSON *c = finding(report, name);
    char *text = cJSON_PrintUnformatted(c);
    ck_assert_msg(strcmp(cJSON_GetStringValue(get(c, "result")), result) == 0, "want %s: %s", result, text);
    free(text);
}

START_TEST(doctor_looks_at_what_was_built)
{
    cJSON *o = expect_json("haccess doctor --json", 0);
    expect_finding(o, "library", "ok");
    expect_finding(o, "helper", "ok");
    expect_finding(o, "loaded here", "note");
    expect_finding(o, "journal", "ok");
    expect_finding(o, "policy", "note");
    ck_assert(cJSON_IsTrue(get(o, "ok")));
    cJSON_Delete(o);
    ck_assert(!exists("state"));
    set(mem_printf(m, "LD_PRELOAD=%s/libhaccess.so", build));
    o = expect_json("haccess doctor --json", 0);
    expect_finding(o, "loaded here", "ok");
    cJSON_Delete(o);
}
END_TEST

/* It is found by name here, and only because of a variable that a program may clear. */
START_TEST(doctor_tells_that_ld_library_path_is_needed)
{
    if (access("/usr/local/lib/libhaccess.so", F_OK) == 0)
        return;
    set(mem_printf(m, "LD_LIBRARY_PATH=%s", build));
    expect_text("haccess doctor", 0, "finds it as libhaccess.so by LD_LIBRARY_PATH only", NULL);
}
END_TEST

START_TEST(doctor_exits_1_on_a_problem)
{
    write_policy("{,}");
    cJSON *o = expect_json("haccess doctor --json", 1);
    expect_finding(o, "policy", "problem");
    cJSON_Delete(o);
    expect_text("haccess doctor", 1, "policy", NULL);
    tree_write(top, "file", "", 0644);
    set(mem_printf(m, "HACCESS_STATE_DIR=%s/file", top));
    write_policy("{}");
    o = expect_json("haccess doctor --json", 1);
    expect_finding(o, "journal", "problem");
    cJSON_Delete(o);
}
END_TEST

START_TEST(doctor_finds_the_clis_and_their_versions)
{
    tree_write(top, "lib/package.json", "{\"name\":\"@openai/codex\",\"version\":\"1.2.3\"}", 0644);
    tree_write(top, "lib/bin/codex.js", "#!/usr/bin/env node\n", 0755);
    ck_assert_int_eq(unlink(mem_printf(m, "%s/bin/codex", top)), 0);
    ck_assert_int_eq(symlink("../lib/bin/codex.js", mem_printf(m, "%s/bin/codex", top)), 0);
    tree_write(top, "bin/opencode", "#!/bin/sh\necho opencode v4.5.6\n", 0755);
    cJSON *o = expect_json("haccess doctor --json", 0);
    const cJSON *codex = cJSON_GetArrayItem(get(o, "clis"), 0),
                *opencode = cJSON_GetArrayItem(get(o, "clis"), 1);
    ck_assert_int_eq(cJSON_GetArraySize(get(o, "clis")), 2);
    ck_assert_str_eq(cJSON_GetStringValue(get(codex, "version")), "1.2.3");
    ck_assert_str_eq(cJSON_GetStringValue(get(codex, "form")), "script");
    ck_assert_str_eq(cJSON_GetStringValue(get(opencode, "version")), "4.5.6");
    cJSON_Delete(o);
}
END_TEST

/* A CLI beside its npm package, as npm lays it out. */
static void
package(const char *version)
{
    tree_write(top, "lib/package.json",
               mem_printf(m, "{\"name\":\"@openai/codex\",\"version\":\"%s\"}", version), 0644);
    tree_write(top, "lib/bin/codex.js", "#!/usr/bin/env node\n", 0755);
    unlink(mem_printf(m, "%s/bin/codex", top));
    ck_assert_int_eq(symlink("../lib/bin/codex.js", mem_printf(m, "%s/bin/codex", top)), 0);
}

START_TEST(a_cli_that_is_newer_than_what_was_checked_is_told)
{
    package("99.0.0");
    expect_text("haccess doctor", 0, "codex 99.0.0 is newer than", NULL);
    expect_text("haccess explain -- codex exec hi", 0, "codex 99.0.0 is newer than", NULL);
    expect_text("haccess explain -- codex --version", 0, "admin", NULL);
    cJSON *o = expect_json("haccess explain --json -- codex exec hi", 0);
    ck_assert_str_eq(cJSON_GetStringValue(get(get(o, "newer"), "version")), "99.0.0");
    ck_assert_str_eq(cJSON_GetStringValue(get(get(o, "newer"), "checked")), adapter_codex.checked);
    cJSON_Delete(o);
    o = expect_json("haccess doctor --json", 0);
    ck_assert_str_eq(cJSON_GetStringValue(get(cJSON_GetArrayItem(get(o, "clis"), 0), "checked")),
                     adapter_codex.checked);
    cJSON_Delete(o);
}
END_TEST

START_TEST(a_cli_that_was_checked_or_is_older_is_not)
{
    static const char *const versions[] = {"0.171.0", "0.99.0", "0.171.0-alpha.3", "unknown"};

    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        package(versions[i]);
        struct outcome d = run("haccess doctor"), e = run("haccess explain -- codex exec hi");
        ck_assert_msg(strstr(d.out, "newer") == NULL, "%s: %s", versions[i], d.out);
        ck_assert_msg(strstr(e.out, "newer") == NULL, "%s: %s", versions[i], e.out);
        outcome_free(&d);
        outcome_free(&e);
        cJSON *o = expect_json("haccess explain --json -- codex exec hi", 0);
        ck_assert_ptr_null(get(o, "newer"));
        cJSON_Delete(o);
    }
}
END_TEST

/* The installed layout, by the Makefile. */
START_TEST(what_install_puts_in_place_works_and_uninstall_removes_it)
{
    static const char *const files[] = {"bin/haccess",
                                        "bin/haccess-log",
                                        "lib/libhaccess.so",
                                        "lib/haccess-exec",
                                        "share/haccess/policy.schema.json",
                                        "share/man/man1/haccess.1",
                                        "share/man/man5/haccess-policy.5",
                                        "share/bash-completion/completions/haccess",
                                        "share/bash-completion/completions/haccess-log",
                                        "share/zsh/site-functions/_haccess"};
    const char *make = mem_printf(m, "make -s -C %s/.. DESTDIR=%s/dest PREFIX=/opt/haccess", build, top);
    const char *prefix = mem_printf(m, "%s/dest/opt/haccess", top);
    set("MAKEFLAGS=");
    expect_code(mem_printf(m, "%s install", make), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        ck_assert_msg(access(mem_printf(m, "%s/%s", prefix, files[i]), F_OK) == 0, "%s", files[i]);
    struct outcome o = run(mem_printf(m, "%s/bin/haccess run -- /usr/bin/env", prefix));
    ck_assert_msg(strstr(o.out, mem_printf(m, "LD_PRELOAD=%s/lib/libhaccess.so\n", prefix)) != NULL, "%s%s",
                  o.out, o.err);
    outcome_free(&o);
    /* Where no configuration of ld.so leads, that is no fault, and the library is named by its path. */
    if (access("/usr/local/lib/libhaccess.so", F_OK) != 0) {
        expect_text(mem_printf(m, "%s/bin/haccess doctor", prefix), 0,
                    mem_printf(m, "LD_PRELOAD=%s/lib/libhaccess.so CMD", prefix), NULL);
    }
    expect_code(mem_printf(m, "%s uninstall", make), 0);
    o = run(mem_printf(m, "find %s/dest ! -type d", top));
    ck_assert_str_eq(o.out, "");
    outcome_free(&o);
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {
        every_command_has_help_and_version,
        a_wrong_command_line_exits_2_and_says_what,
        explain_exits_127_for_what_is_not_found,
        explain_exits_126_for_what_would_be_refused,
        explain_prints_the_documented_object,
        a_source_in_configuration_has_file_and_key,
        what_is_no_launch_passes_as_given,
        explain_tells_people_what_was_asked_and_why_not,
        explain_runs_and_records_nothing,
        no_escape_sequence_reaches_the_terminal,
        what_is_not_utf8_still_makes_valid_json,
        init_writes_a_default_that_is_valid_and_loosens_nothing,
        what_init_writes_stays_sound_line_by_line,
        init_never_overwrites,
        init_refuses_what_is_no_project,
        check_exits_1_for_a_malformed_policy,
        allow_refuses_a_malformed_policy,
        allow_shows_what_it_loosens_and_holds_until_the_file_changes,
        allow_tells_what_changed_since_it_was_last_allowed,
        deny_tells_what_counts_no_more,
        deny_withdraws_consent,
        show_says_where_each_value_comes_from,
        run_sets_the_run_id,
        run_preloads_the_library_once_and_keeps_the_rest,
        run_ends_as_the_command_does,
        run_decides_a_launch_itself,
        run_refuses_a_launch_itself,
        doctor_looks_at_what_was_built,
        doctor_exits_1_on_a_problem,
        doctor_tells_that_ld_library_path_is_needed,
        doctor_finds_the_clis_and_their_versions,
        a_cli_that_is_newer_than_what_was_checked_is_told,
        a_cli_that_was_checked_or_is_older_is_not,
        what_install_puts_in_place_works_and_uninstall_removes_it,
    };
    const char *dir = getenv("HACCESS_BUILD");

    build = dir == NULL ? NULL : realpath(dir, NULL);
    if (build == NULL) {
        fprintf(stderr, "HACCESS_BUILD: not set; run by `make check`\n");
        return 1;
    }
    umask(022);
    root = tree_new();

    Suite *s = suite_create("haccess");
    TCase *t = tcase_create("commands");
    tcase_add_checked_fixture(t, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        tcase_add_test(t, tests[i]);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    tree_remove(root);
    free(root);
    free(build);
    return failed != 0;
}
