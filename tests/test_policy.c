/* The policy's rules, both sides of each: where it is, who is trusted, what it says, what counts. */
#include "shim/decide/policy.h"

#include <cjson/cJSON.h>
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tree.h"

#define ENABLED "{\"workflow\":{\"workerFullAccess\":{\"enabled\":true}}}"

static struct mem *mem;
static char *top;
static const char *home, *project, *policy_file;
static struct host host;
static char *environment[4];
static struct policy p;

static const char *
at(const char *name)
{
    return mem_printf(mem, "%s/%s", top, name);
}

static void
setup(void)
{
    umask(022);
    mem = mem_new();
    top = tree_new();
    tree_mkdir(top, "home/work");
    tree_mkdir(top, "project/sub/deep");
    tree_mkdir(top, "etc");
    home = at("home");
    project = at("project");
    policy_file = at("project/.haccess/policy.json");
    memset(environment, 0, sizeof(environment));
    memset(&host, 0, sizeof(host));
    host.envp = environment;
    host.uid = geteuid();
    host.pid = getpid();
    host.home = host.passwd_home = home;
    host.cwd = project;
    host.etc = at("etc");
    host.now = 1796070555123;
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

static void
put(const char *text)
{
    tree_write(top, "project/.haccess/policy.json", text, 0644);
}

static void
put_ceiling(const char *text)
{
    tree_write(top, "etc/haccess/policy.json", text, 0644);
}

static void
load_in(const char *cwd)
{
    policy_load(&host, mem, cwd, &p);
}

static void
load(void)
{
    load_in(project);
}

static void
allow(void)
{
    const char *what = NULL;

    ck_assert_int_eq(policy_allow(&host, mem, policy_file, &what), 0);
}

/* Asserts that the project's file is malformed, that the problem says this, and that everything is at its strictest. */
static void
expect_invalid(const char *says)
{
    load();
    ck_assert_int_eq(p.file.state, POLICY_INVALID);
    ck_assert_msg(strstr(p.file.problem, says) != NULL, "\"%s\" does not say \"%s\"", p.file.problem, says);
    ck_assert(!p.file.enabled);
    ck_assert_uint_eq(p.file.nfloors, 0);
    ck_assert(!p.observe);
    ck_assert_int_eq(p.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert(!p.write_claude_vendor);
    ck_assert(p.servers_refuse);
    ck_assert(p.in_process_deny);
    ck_assert(!p.journal_full);
    ck_assert_uint_eq(p.not_vendors.count, 0);
}

static const char *
origin_of(const char *key)
{
    for (size_t i = 0; i < p.norigins; i++)
        if (strcmp(p.origins[i].key, key) == 0)
            return p.origins[i].origin;
    return "";
}

static const char *
value_of(const char *key)
{
    for (size_t i = 0; i < p.norigins; i++)
        if (strcmp(p.origins[i].key, key) == 0)
            return p.origins[i].value;
    return "";
}

static void
expect_defaults(void)
{
    ck_assert(!p.observe);
    ck_assert_int_eq(p.write_sandbox, PROJECTION_WORKSPACE_WRITE);
    ck_assert(!p.write_claude_vendor);
    ck_assert_uint_eq(p.read_allow.count, 6);
    ck_assert_str_eq(p.read_allow.items[0], "Read");
    ck_assert_str_eq(p.read_allow.items[5], "Bash(git status:*)");
    ck_assert_uint_eq(p.read_deny.count, 8);
    ck_assert_str_eq(p.read_deny.items[0], "Edit");
    ck_assert_str_eq(p.read_deny.items[7], "Bash(make:*)");
    ck_assert(!p.servers_refuse);
    ck_assert(!p.in_process_deny);
    ck_assert(!p.journal_full);
    ck_assert_uint_eq(p.not_vendors.count, 0);
}

/* Where the policy is. */

START_TEST(without_a_policy_the_defaults_hold)
{
    load();
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    ck_assert_ptr_null(p.file.path);
    ck_assert_ptr_null(p.ceiling.path);
    ck_assert_str_eq(p.project, project);
    ck_assert_ptr_null(p.git_top);
    expect_defaults();
    ck_assert_str_eq(origin_of("mode"), "default");
}
END_TEST

START_TEST(the_nearest_directory_that_has_one_counts)
{
    put("{}");
    tree_write(top, "project/sub/.haccess/policy.json", "{\"servers\":\"refuse\"}", 0644);
    load_in(at("project/sub/deep"));
    ck_assert_str_eq(p.project, at("project/sub"));
    ck_assert_str_eq(p.file.path, at("project/sub/.haccess/policy.json"));
    ck_assert(p.servers_refuse);
    load();
    ck_assert_str_eq(p.project, project);
    ck_assert(!p.servers_refuse);
    ck_assert_str_eq(p.file.path, policy_file);
    ck_assert_uint_eq(strlen(p.file.sha256), 64);
}
END_TEST

START_TEST(a_haccess_directory_without_a_policy_is_passed_over)
{
    put("{}");
    tree_mkdir(top, "project/sub/.haccess");
    tree_write(top, "project/sub/deep/.haccess", "a file", 0644);
    load_in(at("project/sub/deep"));
    ck_assert_str_eq(p.project, project);
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(a_path_is_followed_to_where_it_leads)
{
    put("{}");
    ck_assert_int_eq(symlink("project/sub", at("link")), 0);
    load_in(at("link"));
    ck_assert_str_eq(p.project, project);
    load_in(at("project/sub/.."));
    ck_assert_str_eq(p.project, project);
}
END_TEST

START_TEST(an_unknown_or_missing_directory_has_no_policy)
{
    put("{}");
    load_in(NULL);
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    ck_assert_ptr_null(p.project);
    load_in(at("project/gone"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(a_home_directory_is_no_project_and_ends_the_search)
{
    put("{}");
    host.home = project;
    load();
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    load_in(at("project/sub"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    host.home = at("project/sub");
    load_in(at("project/sub/deep"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    host.home = home;
    host.passwd_home = project;
    load();
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    host.passwd_home = NULL;
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(what_everybody_can_write_to_is_no_project_and_ends_the_search)
{
    put("{}");
    ck_assert_int_eq(chmod(at("project/sub"), 01777), 0);
    load_in(at("project/sub/deep"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    ck_assert_int_eq(chmod(at("project/sub"), 0775), 0);
    load_in(at("project/sub/deep"));
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
    ck_assert_int_eq(chmod(project, 0777), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(without_a_policy_the_git_top_level_is_the_project)
{
    tree_write(top, "project/.git/HEAD", "ref: refs/heads/main\n", 0644);
    tree_mkdir(top, "project/sub/.git"); /* no repository */
    load_in(at("project/sub/deep"));
    ck_assert_str_eq(p.project, project);
    ck_assert_str_eq(p.git_top, project);
    /* A submodule is its own. */
    ck_assert_int_eq(rmdir(at("project/sub/.git")), 0);
    tree_write(top, "project/sub/.git", "gitdir: ../.git/modules/sub\n", 0644);
    load_in(at("project/sub/deep"));
    ck_assert_str_eq(p.project, at("project/sub"));
}
END_TEST

/* A main worktree at project, a linked one at wt. */
static void
linked_worktree(void)
{
    tree_write(top, "project/.git/HEAD", "ref: refs/heads/main\n", 0644);
    tree_write(top, "project/.git/worktrees/wt/gitdir", mem_printf(mem, "%s\n", at("wt/.git")), 0644);
    tree_write(top, "project/.git/worktrees/wt/commondir", "../..\n", 0644);
    tree_write(top, "project/.git/worktrees/wt/HEAD", "ref: refs/heads/wt\n", 0644);
    tree_write(top, "wt/.git", mem_printf(mem, "gitdir: %s\n", at("project/.git/worktrees/wt")), 0644);
    tree_mkdir(top, "wt/src");
}

START_TEST(a_linked_worktree_uses_its_main_worktrees)
{
    linked_worktree();
    put("{\"servers\":\"refuse\"}");
    load_in(at("wt/src"));
    ck_assert_str_eq(p.file.path, policy_file);
    ck_assert_str_eq(p.project, at("wt"));
    ck_assert_str_eq(p.git_top, at("wt"));
    ck_assert(p.servers_refuse);
    tree_write(top, "wt/.haccess/policy.json", "{}", 0644);
    load_in(at("wt/src"));
    ck_assert_str_eq(p.file.path, at("wt/.haccess/policy.json"));
    ck_assert(!p.servers_refuse);
}
END_TEST

START_TEST(relative_paths_of_git_are_relative_to_their_file)
{
    linked_worktree();
    put("{}");
    tree_write(top, "project/.git/worktrees/wt/gitdir", "../../../../wt/.git\n", 0644);
    tree_write(top, "wt/.git", "gitdir: ../project/.git/worktrees/wt\n", 0644);
    load_in(at("wt"));
    ck_assert_str_eq(p.file.path, policy_file);
}
END_TEST

START_TEST(a_git_file_that_the_repository_does_not_know_is_not_believed)
{
    linked_worktree();
    put("{}");
    tree_write(top, "other/.git", mem_printf(mem, "gitdir: %s\n", at("project/.git/worktrees/wt")), 0644);
    load_in(at("other"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(hostile_git_files_are_no_worktree)
{
    static const char *const texts[] = {
        "",          "gitdir:", "gitdir: ",     "gitdir: \n", "gitdir: /nonexistent", "gitdir: .git",
        "gitdir: .", "x",       "gitdir: ../wt"};
    char *big = mem_alloc(mem, 100001);

    linked_worktree();
    put("{}");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tree_write(top, "wt/.git", texts[i], 0644);
        load_in(at("wt"));
        ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    }
    memset(big, 'a', 100000);
    tree_write(top, "wt/.git", big, 0644);
    load_in(at("wt"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    memcpy(big, "gitdir: ", 8);
    big[5000] = '\0';
    tree_write(top, "wt/.git", big, 0644);
    load_in(at("wt"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    linked_worktree();
    tree_write(top, "project/.git/worktrees/wt/commondir", "\n", 0644);
    load_in(at("wt"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(a_main_worktree_that_is_a_home_is_no_project)
{
    linked_worktree();
    put("{}");
    host.home = project;
    load_in(at("wt"));
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
}
END_TEST

/* Trust. */

START_TEST(a_file_that_others_can_change_is_malformed)
{
    put("{}");
    ck_assert_int_eq(chmod(policy_file, 0664), 0);
    expect_invalid(mem_printf(mem, "run `chmod go-w %s`", policy_file));
    expect_invalid("by its group (mode 0664)");
    ck_assert_int_eq(chmod(policy_file, 0646), 0);
    expect_invalid("by everybody (mode 0646)");
    ck_assert_int_eq(chmod(policy_file, 0644), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(a_directory_that_others_can_change_is_malformed)
{
    put("{}");
    ck_assert_int_eq(chmod(at("project/.haccess"), 0775), 0);
    expect_invalid(mem_printf(mem,
                              "its directory can be changed by its group (mode 0775): run `chmod go-w %s`",
                              at("project/.haccess")));
    ck_assert_int_eq(chmod(at("project/.haccess"), 0700), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(a_command_can_be_pasted)
{
    tree_write(top, "it's a dir/.haccess/policy.json", "{}", 0666);
    load_in(at("it's a dir"));
    ck_assert_int_eq(p.file.state, POLICY_INVALID);
    ck_assert_ptr_nonnull(strstr(
        p.file.problem, mem_printf(mem, "`chmod go-w '%s/it'\\''s a dir/.haccess/policy.json'`", top)));
}
END_TEST

START_TEST(links_are_malformed)
{
    tree_write(top, "elsewhere/policy.json", "{}", 0644);
    ck_assert_int_eq(symlink(at("elsewhere"), at("project/.haccess")), 0);
    expect_invalid("its directory is a symbolic link");
    ck_assert_int_eq(unlink(at("project/.haccess")), 0);
    ck_assert_int_eq(symlink("nowhere", at("project/.haccess")), 0);
    expect_invalid("its directory is a symbolic link");
    ck_assert_int_eq(unlink(at("project/.haccess")), 0);
    tree_mkdir(top, "project/.haccess");
    ck_assert_int_eq(symlink("../../elsewhere/policy.json", policy_file), 0);
    expect_invalid("is a symbolic link");
    ck_assert_int_eq(unlink(policy_file), 0);
    ck_assert_int_eq(symlink("nowhere", policy_file), 0);
    expect_invalid("is a symbolic link");
}
END_TEST

START_TEST(only_a_regular_file_is_read)
{
    tree_mkdir(top, "project/.haccess");
    ck_assert_int_eq(mkfifo(policy_file, 0644), 0);
    expect_invalid("is not a regular file");
    ck_assert_int_eq(unlink(policy_file), 0);
    ck_assert_int_eq(mkdir(policy_file, 0755), 0);
    expect_invalid("is not a regular file");
}
END_TEST

START_TEST(a_huge_file_is_malformed)
{
    put("{}");
    ck_assert_int_eq(truncate(policy_file, (off_t)1 << 40), 0);
    expect_invalid("is larger than");
}
END_TEST

START_TEST(an_unreadable_file_is_malformed)
{
    put("{}");
    ck_assert_int_eq(chmod(policy_file, 0), 0);
    expect_invalid("cannot be read: run `chmod u+r");
    ck_assert_int_eq(chmod(policy_file, 0644), 0);
    ck_assert_int_eq(chmod(at("project/.haccess"), 0), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_INVALID);
    ck_assert_int_eq(chmod(at("project/.haccess"), 0755), 0);
}
END_TEST

START_TEST(a_file_of_another_user_is_malformed)
{
    put("{}");
    ck_assert_int_eq(chown(policy_file, 12345, 12345), 0);
    expect_invalid(mem_printf(mem, "belongs to uid 12345, not to root: run `chown root %s`", policy_file));
    host.uid = 54321;
    expect_invalid(mem_printf(mem, "run `chown 54321 %s` as root", policy_file));
    host.uid = 12345; /* the directory is root's, the file the launcher's */
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
    ck_assert_int_eq(chown(at("project/.haccess"), 54321, 54321), 0);
    expect_invalid("belongs to uid 54321");
}
END_TEST

/* What it says. */

static const struct {
    const char *text, *says;
} malformed[] = {
    {"", "line 1, column 1: "},
    {"[]", "the file: must be an object with the keys mode, workflow, servers, notVendors, journal"},
    {"{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,}}}",
     "line 1, column 48: a comma after the last entry"},
    {"{\"mode\":\"enforce\",\"mode\":\"enforce\"}", "mode: is there twice"},
    {"{\"mode\":\"enforce\\u0000\"}", "line 1, column 17: an embedded NUL"},
    {"{\"nope\":1}", "nope: unknown key; known here: mode, workflow"},
    {"{\"mode\":\"Enforce\"}", "mode: must be \"enforce\" or \"observe\""},
    {"{\"mode\":null}", "mode: must be"},
    {"{\"workflow\":1}",
     "workflow: must be an object with the keys workerFullAccess, lanes, workers, inProcessAgents"},
    {"{\"workflow\":{\"lanes\":1}}", "workflow.lanes: must be an object with the keys write, read"},
    {"{\"workflow\":{\"lanes\":{\"writ\":{}}}}", "workflow.lanes.writ: unknown key; known here: write, read"},
    {"{\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"danger-full-access\"}}}}",
     "workflow.lanes.write.sandbox: must be \"workspace-write\" or \"read-only\""},
    {"{\"workflow\":{\"lanes\":{\"write\":{\"claude\":true}}}}",
     "workflow.lanes.write.claude: must be \"refuse\" or \"vendor-sandbox\""},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeAllow\":\"Read\"}}}}",
     "workflow.lanes.read.claudeAllow: must be a list of strings"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeDeny\":[\"Edit\",1]}}}}",
     "workflow.lanes.read.claudeDeny[1]: must be a string"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeDeny\":[\"\"]}}}}",
     "workflow.lanes.read.claudeDeny[0]: must be a string"},
    {"{\"workflow\":{\"workers\":[]}}", "workflow.workers: must be an object of lists"},
    {"{\"workflow\":{\"workers\":{\"*\":\"x\"}}}", "workflow.workers.*: must be a list of strings"},
    {"{\"workflow\":{\"inProcessAgents\":false}}", "workflow.inProcessAgents: must be \"allow\" or \"deny\""},
    {"{\"servers\":\"allow\"}", "servers: must be \"annotate\" or \"refuse\""},
    {"{\"notVendors\":[\"bin/codex\"]}", "notVendors[0]: must be an absolute path, not \"bin/codex\""},
    {"{\"notVendors\":{}}", "notVendors: must be a list of strings"},
    {"{\"journal\":{\"argv\":\"none\"}}", "journal.argv: must be \"flags\" or \"full\""},
    {"{\"journal\":\"full\"}", "journal: must be an object with the keys argv"},
};

START_TEST(a_malformed_value_is_named_and_everything_strictest)
{
    put(malformed[_i].text);
    expect_invalid(malformed[_i].says);
}
END_TEST

static const struct {
    const char *grant, *says;
} malformed_grant[] = {
    {"1", "workflow.workerFullAccess: must be an object with the keys enabled, floors"},
    {"{\"enabled\":\"true\"}", "workflow.workerFullAccess.enabled: must be true or false"},
    {"{\"enabled\":1}", "enabled: must be true or false"},
    {"{\"enabled\":null}", "enabled: must be true or false"},
    {"{\"enabled\":true,\"extra\":1}", "workflow.workerFullAccess.extra: unknown key"},
    {"{\"floors\":[]}", "workflow.workerFullAccess.floors: must be an object"},
    {"{\"enabled\":false,\"floors\":{\"nope\":[]}}",
     "floors.nope: unknown adapter; known are codex, claude-code, cursor, opencode"},
    {"{\"floors\":{\"claude\":[]}}", "floors.claude: unknown adapter"},
    {"{\"floors\":{\"codex\":{}}}", "floors.codex: must be a list"},
    {"{\"floors\":{\"codex\":[\"gpt\"]}}", "floors.codex[0]: must be an object"},
    {"{\"floors\":{\"codex\":[{}]}}", "floors.codex[0].model: is missing"},
    {"{\"floors\":{\"codex\":[{\"model\":1,\"minEffort\":\"low\"}]}}",
     "floors.codex[0].model: must be a string"},
    {"{\"floors\":{\"codex\":[{\"model\":\" \\t\",\"minEffort\":\"low\"}]}}",
     "floors.codex[0].model: must not be empty"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"low\"},{\"model\":\"m\"}]}}",
     "floors.codex[1].minEffort: is missing; add one of none, minimal, low, medium, high, xhigh"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"max\"}]}}",
     "floors.codex[0].minEffort: must be one of none,"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"High\"}]}}",
     "floors.codex[0].minEffort: must be one of"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":3}]}}",
     "floors.codex[0].minEffort: must be one of"},
    {"{\"floors\":{\"claude-code\":[{\"model\":\"m\"}]}}",
     "floors.claude-code[0].minEffort: is missing; add one of low,"},
    {"{\"floors\":{\"claude-code\":[{\"model\":\"m\",\"minEffort\":\"minimal\"}]}}",
     "must be one of low, medium, high, xhigh, max"},
    {"{\"floors\":{\"cursor\":[{\"model\":\"m\",\"minEffort\":\"high\"}]}}",
     "floors.cursor[0].minEffort: must be absent"},
    {"{\"floors\":{\"opencode\":[{\"model\":\"m\",\"minEffort\":\"high\"}]}}",
     "floors.opencode[0].minEffort: must be absent"},
    {"{\"floors\":{\"cursor\":[{\"model\":\"m\",\"provider\":\"p\"}]}}",
     "floors.cursor[0].provider: only codex has providers"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"low\",\"provider\":\"\"}]}}",
     "floors.codex[0].provider: must be"},
    {"{\"floors\":{\"codex\":[{\"model\":\"m\",\"minEffort\":\"low\",\"maxEffort\":\"\"}]}}",
     "floors.codex[0].maxEffort: unknown key"},
    {"{\"floors\":{\"codex\":[],\"codex\":[]}}", "floors.codex: is there twice"},
};

START_TEST(a_malformed_grant_is_named_even_when_it_is_off)
{
    put(mem_printf(mem, "{\"workflow\":{\"workerFullAccess\":%s}}", malformed_grant[_i].grant));
    expect_invalid(malformed_grant[_i].says);
}
END_TEST

START_TEST(floors_are_read)
{
    const struct floors *f;

    put("{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{"
        "\"codex\":[{\"model\":\" "
        "gpt-5.1-codex\\n\",\"minEffort\":\"high\"},{\"model\":\"m\",\"minEffort\":\"none\",\"provider\":"
        "\"azure\"}],"
        "\"claude-code\":[{\"minEffort\":\"max\",\"model\":\"claude-opus-4-5\"}],"
        "\"cursor\":[{\"model\":\"gpt-5.1-codex-high\"}],\"opencode\":[]}}}}");
    allow();
    load();
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    ck_assert_uint_eq(p.file.nfloors, 4);
    f = p.file.floors;
    ck_assert_str_eq(f[0].adapter->id, "codex");
    ck_assert_uint_eq(f[0].count, 2);
    ck_assert_str_eq(f[0].entries[0].model, "gpt-5.1-codex");
    ck_assert_int_eq(f[0].entries[0].min_effort, 4);
    ck_assert_ptr_null(f[0].entries[0].provider);
    ck_assert_int_eq(f[0].entries[1].min_effort, 0);
    ck_assert_str_eq(f[0].entries[1].provider, "azure");
    ck_assert_str_eq(f[1].adapter->id, "claude-code");
    ck_assert_int_eq(f[1].entries[0].min_effort, 4);
    ck_assert_int_eq(f[2].entries[0].min_effort, -1);
    ck_assert_uint_eq(f[3].count, 0);
}
END_TEST

START_TEST(enabled_is_off_unless_it_is_true)
{
    put("{\"workflow\":{\"workerFullAccess\":{\"floors\":{}}}}");
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
    ck_assert(!p.file.enabled);
    ck_assert(p.file.allowed);
    put("{\"workflow\":{\"workerFullAccess\":{\"enabled\":false}}}");
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(the_default_text_is_the_defaults)
{
    put(policy_default_text);
    load();
    ck_assert_msg(p.file.state == POLICY_DISABLED, "%s", p.file.problem);
    ck_assert(!p.file.loosens);
    expect_defaults();
    for (size_t i = 0; i < p.norigins; i++)
        ck_assert_msg(strcmp(p.origins[i].origin, policy_file) == 0, "%s", p.origins[i].key);
}
END_TEST

START_TEST(narrowing_needs_no_consent)
{
    put("{\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"read-only\"},\"read\":{\"claudeAllow\":[\"Read\"]"
        ","
        "\"claudeDeny\":[\"Edit\",\"Write\",\"NotebookEdit\",\"Bash(git push:*)\",\"Bash(git "
        "commit:*)\",\"Bash(git merge:*)\","
        "\"Bash(gh:*)\",\"Bash(make:*)\",\"Bash(npm:*)\"]}},\"inProcessAgents\":\"deny\"},\"servers\":"
        "\"refuse\"}");
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
    ck_assert(!p.file.loosens);
    ck_assert(p.file.allowed);
    ck_assert_int_eq(p.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert_uint_eq(p.read_allow.count, 1);
    ck_assert_uint_eq(p.read_deny.count, 9);
    ck_assert(p.in_process_deny);
    ck_assert(p.servers_refuse);
    ck_assert_str_eq(origin_of("servers"), policy_file);
    ck_assert_str_eq(value_of("workflow.lanes.read.claudeAllow"), "[\"Read\"]");
}
END_TEST

/* Consent. */

static const struct {
    const char *text;
} loosening[] = {
    {ENABLED},
    {"{\"mode\":\"observe\"}"},
    {"{\"workflow\":{\"lanes\":{\"write\":{\"claude\":\"vendor-sandbox\"}}}}"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeAllow\":[\"Read\",\"Grep\",\"Glob\",\"Bash(git "
     "diff:*)\",\"Bash(git log:*)\",\"Bash(git status:*)\",\"Bash(rm:*)\"]}}}}"},
    {"{\"workflow\":{\"lanes\":{\"read\":{\"claudeDeny\":[\"Edit\"]}}}}"},
    {"{\"workflow\":{\"workers\":{\"*\":[\"builder\"]}}}"},
    {"{\"notVendors\":[\"/usr/bin/codex\"]}"},
    {"{\"journal\":{\"argv\":\"full\"}}"},
};

START_TEST(what_loosens_counts_only_when_allowed)
{
    put(loosening[_i].text);
    load();
    ck_assert(p.file.loosens);
    ck_assert(!p.file.allowed);
    expect_defaults();
    ck_assert_int_eq(p.file.state, _i == 0 ? POLICY_NOT_ALLOWED : POLICY_DISABLED);
    ck_assert_ptr_nonnull(strstr(p.file.problem, mem_printf(mem, "run `haccess policy allow %s`", project)));
    allow();
    load();
    ck_assert(p.file.loosens);
    ck_assert(p.file.allowed);
    ck_assert_ptr_nonnull(p.file.allowed_at);
    ck_assert_ptr_null(p.file.problem);
    ck_assert_int_eq(p.file.state, _i == 0 ? POLICY_ENABLED : POLICY_DISABLED);
}
END_TEST

START_TEST(allowed_values_count)
{
    put("{\"mode\":\"observe\",\"workflow\":{\"lanes\":{\"write\":{\"claude\":\"vendor-sandbox\"},\"read\":{"
        "\"claudeAllow\":"
        "[\"Bash(rm:*)\"],\"claudeDeny\":[]}}},\"notVendors\":[\"/opt/"
        "codex\"],\"journal\":{\"argv\":\"full\"}}");
    load();
    ck_assert_uint_eq(p.read_allow.count, 0); /* narrowed to what is in both */
    ck_assert_uint_eq(p.read_deny.count, 8);
    ck_assert(!p.observe);
    ck_assert_ptr_nonnull(strstr(origin_of("mode"), "is not allowed as it is"));
    ck_assert_str_eq(value_of("mode"), "\"enforce\"");
    allow();
    load();
    ck_assert(p.observe);
    ck_assert(p.write_claude_vendor);
    ck_assert_uint_eq(p.read_allow.count, 1);
    ck_assert_str_eq(p.read_allow.items[0], "Bash(rm:*)");
    ck_assert_uint_eq(p.read_deny.count, 0);
    ck_assert_str_eq(p.not_vendors.items[0], "/opt/codex");
    ck_assert(p.journal_full);
    ck_assert_str_eq(origin_of("mode"), policy_file);
    ck_assert_str_eq(value_of("mode"), "\"observe\"");
    ck_assert_str_eq(value_of("notVendors"), "[\"/opt/codex\"]");
}
END_TEST

START_TEST(a_narrowing_value_counts_beside_one_that_is_not_allowed)
{
    put("{\"mode\":\"observe\",\"servers\":\"refuse\",\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"read-"
        "only\"}}}}");
    load();
    ck_assert(!p.observe);
    ck_assert(p.servers_refuse);
    ck_assert_int_eq(p.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert_str_eq(origin_of("servers"), policy_file);
}
END_TEST

START_TEST(any_change_needs_consent_again)
{
    const char *what;

    put(ENABLED);
    allow();
    put(ENABLED "\n");
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    ck_assert_ptr_nonnull(strstr(p.file.problem, "it changed since the host allowed it on 2026-1"));
    ck_assert_ptr_null(p.file.allowed_at);
    put(ENABLED);
    load();
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    ck_assert_int_eq(policy_deny(&host, mem, policy_file, &what), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    ck_assert_ptr_nonnull(strstr(p.file.problem, "the host has not allowed it"));
    ck_assert_int_eq(policy_deny(&host, mem, policy_file, &what), ENOENT);
}
END_TEST

START_TEST(consent_is_to_one_path)
{
    put(ENABLED);
    allow();
    tree_write(top, "project/sub/.haccess/policy.json", ENABLED, 0644);
    load_in(at("project/sub"));
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
}
END_TEST

START_TEST(the_store_is_private_and_where_xdg_says)
{
    struct stat st;
    const char *what;

    put(ENABLED);
    allow();
    ck_assert_int_eq(stat(at("home/.local/share/haccess/allowed"), &st), 0);
    ck_assert_int_eq((int)(st.st_mode & 07777), 0700);
    environment[0] = (char *)(uintptr_t)mem_printf(mem, "XDG_DATA_HOME=%s", at("data"));
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    allow();
    load();
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    ck_assert_int_eq(stat(at("data/haccess/allowed"), &st), 0);
    environment[0] = (char *)(uintptr_t) "XDG_DATA_HOME=relative";
    load();
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    environment[0] = NULL;
    host.home = NULL;
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    ck_assert_int_eq(policy_allow(&host, mem, policy_file, &what), ENOENT);
    ck_assert_str_eq(what, "the home directory");
}
END_TEST

/* Returns the path of the one entry of the store. */
static const char *
entry(void)
{
    const char *what = "";

    put(ENABLED);
    allow();
    ck_assert_int_eq(policy_deny(&host, mem, policy_file, &what), 0);
    allow();
    return what;
}

START_TEST(an_entry_that_others_can_change_is_no_consent)
{
    const char *file = entry();
    struct stat st;

    ck_assert_int_eq(stat(file, &st), 0);
    ck_assert_int_eq((int)(st.st_mode & 07777), 0600);
    ck_assert_int_eq(chmod(file, 0662), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    ck_assert_int_eq(chmod(file, 0640), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    ck_assert_int_eq(chmod(at("home/.local/share/haccess/allowed"), 0770), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    ck_assert_int_eq(policy_allow(&host, mem, policy_file, &file), EPERM);
}
END_TEST

START_TEST(an_entry_that_is_a_link_is_no_consent)
{
    const char *file = entry();

    ck_assert_int_eq(rename(file, at("moved")), 0);
    ck_assert_int_eq(symlink(at("moved"), file), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    allow(); /* replaces the link, not what it points to */
    load();
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    ck_assert_int_eq(rename(at("home/.local/share/haccess/allowed"), at("store")), 0);
    ck_assert_int_eq(symlink(at("store"), at("home/.local/share/haccess/allowed")), 0);
    load();
    ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
}
END_TEST

START_TEST(a_forged_or_torn_entry_is_no_consent)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{\"path\":1,\"sha256\":2,\"time\":3}",
        "{\"path\":\"/other\",\"sha256\":\"\",\"time\":\"2026-11-30T20:29:15Z\"}"};
    const char *file = entry();

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        FILE *f = fopen(file, "w");

        ck_assert_ptr_nonnull(f);
        fputs(texts[i], f);
        fclose(f);
        load();
        ck_assert_int_eq(p.file.state, POLICY_NOT_ALLOWED);
    }
}
END_TEST

START_TEST(an_untrusted_file_cannot_be_allowed)
{
    const char *what = NULL;

    put(ENABLED);
    ck_assert_int_eq(chmod(policy_file, 0666), 0);
    ck_assert_int_eq(policy_allow(&host, mem, policy_file, &what), EPERM);
    ck_assert_str_eq(what, policy_file);
}
END_TEST

START_TEST(a_path_that_is_not_utf8_can_be_allowed)
{
    tree_write(top, "\xff\xfe/.haccess/policy.json", ENABLED, 0644);
    policy_file = at("\xff\xfe/.haccess/policy.json");
    allow();
    load_in(at("\xff\xfe"));
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
}
END_TEST

/* The environment. */

START_TEST(only_zero_switches_it_off)
{
    put(ENABLED);
    allow();
    environment[0] = (char *)(uintptr_t) "HACCESS_WORKER_FULL_ACCESS=0";
    load();
    ck_assert(p.off);
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    ck_assert_str_eq(value_of("workflow.workerFullAccess.enabled"), "false");
    ck_assert_str_eq(origin_of("workflow.workerFullAccess.enabled"), "off: HACCESS_WORKER_FULL_ACCESS=0");
    environment[0] = (char *)(uintptr_t) "HACCESS_WORKER_FULL_ACCESS=00";
    load();
    ck_assert(!p.off);
    ck_assert_str_eq(value_of("workflow.workerFullAccess.enabled"), "true");
    environment[0] = (char *)(uintptr_t) "HACCESS_WORKER_FULL_ACCESS=";
    load();
    ck_assert(!p.off);
}
END_TEST

/* The ceiling; as another user than root it can only be refused. */

START_TEST(a_ceiling_that_is_not_roots_is_malformed)
{
    host.uid = 12345; /* does not help */
    put_ceiling("{}");
    if (geteuid() == 0)
        ck_assert_int_eq(chown(at("etc/haccess/policy.json"), 12345, 12345), 0);
    load();
    ck_assert_int_eq(p.ceiling.state, POLICY_INVALID);
    ck_assert_ptr_nonnull(strstr(p.ceiling.problem, "not to root: run `chown root"));
    ck_assert(p.servers_refuse);
    ck_assert_int_eq(p.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert_ptr_nonnull(strstr(origin_of("servers"), "strictest: "));
}
END_TEST

START_TEST(a_grant_is_evaluated_against_each_file)
{
    put(ENABLED);
    allow();
    put_ceiling("{}");
    load();
    ck_assert_int_eq(p.file.state, POLICY_ENABLED);
    ck_assert_int_eq(p.ceiling.state, POLICY_DISABLED);
    ck_assert_ptr_nonnull(strstr(origin_of("workflow.workerFullAccess.enabled"), "does not enable it"));
    put_ceiling("{\"workflow\":{\"workerFullAccess\":{\"enabled\":true,\"floors\":{\"cursor\":[{\"model\":"
                "\"m\"}]}}}}");
    load();
    ck_assert_int_eq(p.ceiling.state, POLICY_ENABLED);
    ck_assert(p.ceiling.allowed);
    ck_assert_uint_eq(p.ceiling.nfloors, 1);
    ck_assert_uint_eq(p.file.nfloors, 0);
    ck_assert_str_eq(p.ceiling.path, at("etc/haccess/policy.json"));
}
END_TEST

START_TEST(the_stricter_of_each_value_counts)
{
    put("{\"mode\":\"observe\",\"servers\":\"refuse\",\"workflow\":{\"lanes\":{\"write\":{\"claude\":"
        "\"vendor-sandbox\"},"
        "\"read\":{\"claudeAllow\":[\"Read\",\"Bash(ls:*)\"]}}},\"notVendors\":[\"/a/codex\",\"/b/"
        "codex\"],\"journal\":{\"argv\":\"full\"}}");
    allow();
    put_ceiling("{\"mode\":\"observe\",\"workflow\":{\"lanes\":{\"write\":{\"sandbox\":\"read-only\"},"
                "\"read\":{\"claudeAllow\":[\"Read\","
                "\"Grep\"],\"claudeDeny\":[\"Bash\"]}}},\"notVendors\":[\"/b/codex\"]}");
    load();
    ck_assert(p.observe);
    ck_assert(p.servers_refuse);
    ck_assert_int_eq(p.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert(!p.write_claude_vendor);
    ck_assert_uint_eq(p.read_allow.count, 1);
    ck_assert_str_eq(p.read_allow.items[0], "Read");
    ck_assert_uint_eq(p.read_deny.count, 9);
    ck_assert_uint_eq(p.not_vendors.count, 1);
    ck_assert(!p.journal_full);
    ck_assert_str_eq(origin_of("servers"), policy_file);
    ck_assert_str_eq(origin_of("workflow.lanes.write.sandbox"), at("etc/haccess/policy.json"));
    ck_assert_str_eq(origin_of("journal.argv"), at("etc/haccess/policy.json"));
}
END_TEST

START_TEST(a_ceiling_without_a_policy_narrows)
{
    put_ceiling("{\"servers\":\"refuse\"}");
    load();
    ck_assert_int_eq(p.file.state, POLICY_ABSENT);
    ck_assert(p.servers_refuse);
}
END_TEST

START_TEST(a_malformed_ceiling_is_the_strictest)
{
    put("{}");
    put_ceiling("{\"mode\":\"enforce\",}");
    load();
    ck_assert_int_eq(p.file.state, POLICY_DISABLED);
    ck_assert_int_eq(p.ceiling.state, POLICY_INVALID);
    ck_assert(p.servers_refuse);
    ck_assert_int_eq(p.write_sandbox, PROJECTION_READ_ONLY);
}
END_TEST

START_TEST(a_ceiling_is_root_owned_whoever_launches)
{
    put_ceiling("{}");
    host.uid = 12345;
    load();
    ck_assert_int_eq(p.ceiling.state, POLICY_DISABLED);
    ck_assert_int_eq(chmod(at("etc/haccess"), 0777), 0);
    load();
    ck_assert_int_eq(p.ceiling.state, POLICY_INVALID);
}
END_TEST

START_TEST(states_have_the_words_of_explain)
{
    ck_assert_str_eq(policy_state_word(POLICY_ABSENT), "absent");
    ck_assert_str_eq(policy_state_word(POLICY_DISABLED), "disabled");
    ck_assert_str_eq(policy_state_word(POLICY_ENABLED), "enabled");
    ck_assert_str_eq(policy_state_word(POLICY_NOT_ALLOWED), "not-allowed");
    ck_assert_str_eq(policy_state_word(POLICY_INVALID), "invalid");
}
END_TEST

static void
add_place_tests(TCase *t)
{
    tcase_add_test(t, without_a_policy_the_defaults_hold);
    tcase_add_test(t, the_nearest_directory_that_has_one_counts);
    tcase_add_test(t, a_haccess_directory_without_a_policy_is_passed_over);
    tcase_add_test(t, a_path_is_followed_to_where_it_leads);
    tcase_add_test(t, an_unknown_or_missing_directory_has_no_policy);
    tcase_add_test(t, a_home_directory_is_no_project_and_ends_the_search);
    tcase_add_test(t, what_everybody_can_write_to_is_no_project_and_ends_the_search);
    tcase_add_test(t, without_a_policy_the_git_top_level_is_the_project);
    tcase_add_test(t, a_linked_worktree_uses_its_main_worktrees);
    tcase_add_test(t, relative_paths_of_git_are_relative_to_their_file);
    tcase_add_test(t, a_git_file_that_the_repository_does_not_know_is_not_believed);
    tcase_add_test(t, hostile_git_files_are_no_worktree);
    tcase_add_test(t, a_main_worktree_that_is_a_home_is_no_project);
}

static void
add_trust_tests(TCase *t)
{
    tcase_add_test(t, a_file_that_others_can_change_is_malformed);
    tcase_add_test(t, a_directory_that_others_can_change_is_malformed);
    tcase_add_test(t, a_command_can_be_pasted);
    tcase_add_test(t, links_are_malformed);
    tcase_add_test(t, only_a_regular_file_is_read);
    tcase_add_test(t, a_huge_file_is_malformed);
    if (geteuid() != 0)
        tcase_add_test(t, an_unreadable_file_is_malformed);
    else
        tcase_add_test(t, a_file_of_another_user_is_malformed);
}

static void
add_text_tests(TCase *t)
{
    tcase_add_loop_test(t, a_malformed_value_is_named_and_everything_strictest, 0,
                        (int)(sizeof(malformed) / sizeof(malformed[0])));
    tcase_add_loop_test(t, a_malformed_grant_is_named_even_when_it_is_off, 0,
                        (int)(sizeof(malformed_grant) / sizeof(malformed_grant[0])));
    tcase_add_test(t, floors_are_read);
    tcase_add_test(t, enabled_is_off_unless_it_is_true);
    tcase_add_test(t, the_default_text_is_the_defaults);
    tcase_add_test(t, narrowing_needs_no_consent);
    tcase_add_test(t, only_zero_switches_it_off);
    tcase_add_test(t, states_have_the_words_of_explain);
}

static void
add_consent_tests(TCase *t)
{
    tcase_add_loop_test(t, what_loosens_counts_only_when_allowed, 0,
                        (int)(sizeof(loosening) / sizeof(loosening[0])));
    tcase_add_test(t, allowed_values_count);
    tcase_add_test(t, a_narrowing_value_counts_beside_one_that_is_not_allowed);
    tcase_add_test(t, any_change_needs_consent_again);
    tcase_add_test(t, consent_is_to_one_path);
    tcase_add_test(t, the_store_is_private_and_where_xdg_says);
    tcase_add_test(t, an_entry_that_others_can_change_is_no_consent);
    tcase_add_test(t, an_entry_that_is_a_link_is_no_consent);
    tcase_add_test(t, a_forged_or_torn_entry_is_no_consent);
    tcase_add_test(t, an_untrusted_file_cannot_be_allowed);
    tcase_add_test(t, a_path_that_is_not_utf8_can_be_allowed);
}

static void
add_ceiling_tests(TCase *t)
{
    tcase_add_test(t, a_ceiling_that_is_not_roots_is_malformed);
    if (geteuid() != 0)
        return;
    tcase_add_test(t, a_grant_is_evaluated_against_each_file);
    tcase_add_test(t, the_stricter_of_each_value_counts);
    tcase_add_test(t, a_ceiling_without_a_policy_narrows);
    tcase_add_test(t, a_malformed_ceiling_is_the_strictest);
    tcase_add_test(t, a_ceiling_is_root_owned_whoever_launches);
}

int
main(void)
{
    static void (*const add[])(TCase *) = {add_place_tests, add_trust_tests, add_text_tests,
                                           add_consent_tests, add_ceiling_tests};
    Suite *s = suite_create("policy");
    SRunner *r;
    int failed;

    if (geteuid() != 0)
        puts("policy: not root, owners and the ceiling's values are not tested");
    for (size_t i = 0; i < sizeof(add) / sizeof(add[0]); i++) {
        TCase *t = tcase_create("policy");

        tcase_add_checked_fixture(t, setup, teardown);
        add[i](t);
        suite_add_tcase(s, t);
    }
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
