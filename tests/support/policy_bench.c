#include "policy_bench.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"

struct policy_bench bench;

const char *
bench_at(const char *name)
{
    return mem_printf(bench.mem, "%s/%s", bench.top, name);
}

void
bench_setup(void)
{
    umask(022);
    bench.mem = mem_new();
    bench.top = tree_new();
    /* Ends the search for a policy, whatever is above. */
    chmod(bench.top, 01777);
    tree_mkdir(bench.top, "home/work");
    tree_mkdir(bench.top, "project/sub/deep");
    tree_mkdir(bench.top, "etc");
    bench.home = bench_at("home");
    bench.project = bench_at("project");
    bench.file = bench_at("project/.haccess/policy.json");
    memset(bench.environment, 0, sizeof(bench.environment));
    memset(&bench.host, 0, sizeof(bench.host));
    bench.host.envp = bench.environment;
    bench.host.uid = geteuid();
    bench.host.pid = getpid();
    bench.host.home = bench.host.passwd_home = bench.home;
    bench.host.cwd = bench.project;
    bench.host.etc = bench_at("etc");
    bench.host.now = 1796070555123;
}

void
bench_teardown(void)
{
    tree_remove(bench.top);
    free(bench.top);
    mem_free(bench.mem);
}

void
bench_put(const char *text)
{
    tree_write(bench.top, "project/.haccess/policy.json", text, 0644);
}

void
bench_put_ceiling(const char *text)
{
    tree_write(bench.top, "etc/haccess/policy.json", text, 0644);
}

void
bench_load_in(const char *cwd)
{
    policy_load(&bench.host, bench.mem, cwd, &bench.policy);
}

void
bench_load(void)
{
    bench_load_in(bench.project);
}

void
bench_allow(void)
{
    const char *what = NULL;

    ck_assert_int_eq(policy_allow(&bench.host, bench.mem, bench.file, &what), 0);
}

/* Asserts that the project's file is malformed, that the problem says this, and that everything is at its strictest. */
void
bench_expect_invalid(const char *says)
{
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_INVALID);
    ck_assert_msg(strstr(bench.policy.file.problem, says) != NULL, "\"%s\" does not say \"%s\"",
                  bench.policy.file.problem, says);
    ck_assert(!bench.policy.file.enabled);
    ck_assert_uint_eq(bench.policy.file.nfloors, 0);
    ck_assert(!bench.policy.observe);
    ck_assert_int_eq(bench.policy.write_sandbox, PROJECTION_READ_ONLY);
    ck_assert(!bench.policy.write_claude_vendor);
    ck_assert(bench.policy.servers_refuse);
    ck_assert(bench.policy.in_process_deny);
    ck_assert(!bench.policy.journal_full);
    ck_assert_uint_eq(bench.policy.not_vendors.count, 0);
}

const char *
bench_origin(const char *key)
{
    for (size_t i = 0; i < bench.policy.norigins; i++)
        if (strcmp(bench.policy.origins[i].key, key) == 0)
            return bench.policy.origins[i].origin;
    return "";
}

const char *
bench_value(const char *key)
{
    for (size_t i = 0; i < bench.policy.norigins; i++)
        if (strcmp(bench.policy.origins[i].key, key) == 0)
            return bench.policy.origins[i].value;
    return "";
}

void
bench_expect_defaults(void)
{
    ck_assert(!bench.policy.observe);
    ck_assert_int_eq(bench.policy.write_sandbox, PROJECTION_WORKSPACE_WRITE);
    ck_assert(!bench.policy.write_claude_vendor);
    ck_assert_uint_eq(bench.policy.read_allow.count, 6);
    ck_assert_str_eq(bench.policy.read_allow.items[0], "Read");
    ck_assert_str_eq(bench.policy.read_allow.items[5], "Bash(git status:*)");
    ck_assert_uint_eq(bench.policy.read_deny.count, 8);
    ck_assert_str_eq(bench.policy.read_deny.items[0], "Edit");
    ck_assert_str_eq(bench.policy.read_deny.items[7], "Bash(make:*)");
    ck_assert(!bench.policy.servers_refuse);
    ck_assert(!bench.policy.in_process_deny);
    ck_assert(!bench.policy.journal_full);
    ck_assert_uint_eq(bench.policy.not_vendors.count, 0);
}
