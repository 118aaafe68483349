/* Where a policy is, and whose word it is: the rules, both sides of each. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/policy_bench.h"
#include "tests/support/tree.h"

START_TEST(without_a_policy_the_defaults_hold)
{
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    ck_assert_ptr_null(bench.policy.file.path);
    ck_assert_ptr_null(bench.policy.ceiling.path);
    ck_assert_str_eq(bench.policy.project, bench.project);
    ck_assert_ptr_null(bench.policy.git_top);
    bench_expect_defaults();
    ck_assert_str_eq(bench_origin("mode"), "default");
}
END_TEST

START_TEST(the_nearest_directory_that_has_one_counts)
{
    bench_put("{}");
    tree_write(bench.top, "project/sub/.haccess/policy.json", "{\"servers\":\"refuse\"}", 0644);
    bench_load_in(bench_at("project/sub/deep"));
    ck_assert_str_eq(bench.policy.project, bench_at("project/sub"));
    ck_assert_str_eq(bench.policy.file.path, bench_at("project/sub/.haccess/policy.json"));
    ck_assert(bench.policy.servers_refuse);
    bench_load();
    ck_assert_str_eq(bench.policy.project, bench.project);
    ck_assert(!bench.policy.servers_refuse);
    ck_assert_str_eq(bench.policy.file.path, bench.file);
    ck_assert_uint_eq(strlen(bench.policy.file.sha256), 64);
}
END_TEST

START_TEST(a_haccess_directory_without_a_policy_is_passed_over)
{
    bench_put("{}");
    tree_mkdir(bench.top, "project/sub/.haccess");
    tree_write(bench.top, "project/sub/deep/.haccess", "a file", 0644);
    bench_load_in(bench_at("project/sub/deep"));
    ck_assert_str_eq(bench.policy.project, bench.project);
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(a_path_is_followed_to_where_it_leads)
{
    bench_put("{}");
    ck_assert_int_eq(symlink("project/sub", bench_at("link")), 0);
    bench_load_in(bench_at("link"));
    ck_assert_str_eq(bench.policy.project, bench.project);
    bench_load_in(bench_at("project/sub/.."));
    ck_assert_str_eq(bench.policy.project, bench.project);
}
END_TEST

START_TEST(an_unknown_or_missing_directory_has_no_policy)
{
    bench_put("{}");
    bench_load_in(NULL);
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    ck_assert_ptr_null(bench.policy.project);
    bench_load_in(bench_at("project/gone"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(a_home_directory_is_no_project_and_ends_the_search)
{
    bench_put("{}");
    bench.host.home = bench.project;
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    bench_load_in(bench_at("project/sub"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    bench.host.home = bench_at("project/sub");
    bench_load_in(bench_at("project/sub/deep"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    bench.host.home = bench.home;
    bench.host.passwd_home = bench.project;
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    bench.host.passwd_home = NULL;
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(what_everybody_can_write_to_is_no_project_and_ends_the_search)
{
    bench_put("{}");
    ck_assert_int_eq(chmod(bench_at("project/sub"), 01777), 0);
    bench_load_in(bench_at("project/sub/deep"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    ck_assert_int_eq(chmod(bench_at("project/sub"), 0775), 0);
    bench_load_in(bench_at("project/sub/deep"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
    ck_assert_int_eq(chmod(bench.project, 0777), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(without_a_policy_the_git_top_level_is_the_project)
{
    tree_write(bench.top, "project/.git/HEAD", "ref: refs/heads/main\n", 0644);
    tree_mkdir(bench.top, "project/sub/.git"); /* no repository */
    bench_load_in(bench_at("project/sub/deep"));
    ck_assert_str_eq(bench.policy.project, bench.project);
    ck_assert_str_eq(bench.policy.git_top, bench.project);
    /* A submodule is its own. */
    ck_assert_int_eq(rmdir(bench_at("project/sub/.git")), 0);
    tree_write(bench.top, "project/sub/.git", "gitdir: ../.git/modules/sub\n", 0644);
    bench_load_in(bench_at("project/sub/deep"));
    ck_assert_str_eq(bench.policy.project, bench_at("project/sub"));
}
END_TEST

/* A main worktree at project, a linked one at wt. */
static void
linked_worktree(void)
{
    tree_write(bench.top, "project/.git/HEAD", "ref: refs/heads/main\n", 0644);
    tree_write(bench.top, "project/.git/worktrees/wt/gitdir",
               mem_printf(bench.mem, "%s\n", bench_at("wt/.git")), 0644);
    tree_write(bench.top, "project/.git/worktrees/wt/commondir", "../..\n", 0644);
    tree_write(bench.top, "project/.git/worktrees/wt/HEAD", "ref: refs/heads/wt\n", 0644);
    tree_write(bench.top, "wt/.git",
               mem_printf(bench.mem, "gitdir: %s\n", bench_at("project/.git/worktrees/wt")), 0644);
    tree_mkdir(bench.top, "wt/src");
}

START_TEST(a_linked_worktree_uses_its_main_worktrees)
{
    linked_worktree();
    bench_put("{\"servers\":\"refuse\"}");
    bench_load_in(bench_at("wt/src"));
    ck_assert_str_eq(bench.policy.file.path, bench.file);
    ck_assert_str_eq(bench.policy.project, bench_at("wt"));
    ck_assert_str_eq(bench.policy.git_top, bench_at("wt"));
    ck_assert(bench.policy.servers_refuse);
    tree_write(bench.top, "wt/.haccess/policy.json", "{}", 0644);
    bench_load_in(bench_at("wt/src"));
    ck_assert_str_eq(bench.policy.file.path, bench_at("wt/.haccess/policy.json"));
    ck_assert(!bench.policy.servers_refuse);
}
END_TEST

START_TEST(relative_paths_of_git_are_relative_to_their_file)
{
    linked_worktree();
    bench_put("{}");
    tree_write(bench.top, "project/.git/worktrees/wt/gitdir", "../../../../wt/.git\n", 0644);
    tree_write(bench.top, "wt/.git", "gitdir: ../project/.git/worktrees/wt\n", 0644);
    bench_load_in(bench_at("wt"));
    ck_assert_str_eq(bench.policy.file.path, bench.file);
}
END_TEST

START_TEST(a_git_file_that_the_repository_does_not_know_is_not_believed)
{
    linked_worktree();
    bench_put("{}");
    tree_write(bench.top, "other/.git",
               mem_printf(bench.mem, "gitdir: %s\n", bench_at("project/.git/worktrees/wt")), 0644);
    bench_load_in(bench_at("other"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(only_the_repository_itself_knows_its_worktrees)
{
    static const char *const places[] = {"fake",
                                         "other/fake",
                                         "project/fake",
                                         "project/.git/fake",
                                         "project/.git/worktrees/wt/fake",
                                         "project/.git/worktrees"};

    linked_worktree();
    bench_put("{\"servers\":\"refuse\"}");
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const char *own = bench_at(places[i]);

        tree_write(bench.top, "other/.git", mem_printf(bench.mem, "gitdir: %s\n", own), 0644);
        tree_write(bench.top, mem_printf(bench.mem, "%s/gitdir", places[i]),
                   mem_printf(bench.mem, "%s\n", bench_at("other/.git")), 0644);
        tree_write(bench.top, mem_printf(bench.mem, "%s/commondir", places[i]),
                   mem_printf(bench.mem, "%s\n", bench_at("project/.git")), 0644);
        bench_load_in(bench_at("other"));
        ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
        ck_assert(!bench.policy.servers_refuse);
    }
    tree_write(bench.top, "other/.git",
               mem_printf(bench.mem, "gitdir: %s\n", bench_at("project/.git/worktrees/two")), 0644);
    tree_write(bench.top, "project/.git/worktrees/two/gitdir",
               mem_printf(bench.mem, "%s\n", bench_at("other/.git")), 0644);
    tree_write(bench.top, "project/.git/worktrees/two/commondir", "../..\n", 0644);
    bench_load_in(bench_at("other"));
    ck_assert_str_eq(bench.policy.file.path, bench.file);
}
END_TEST

START_TEST(hostile_git_files_are_no_worktree)
{
    static const char *const texts[] = {
        "",          "gitdir:", "gitdir: ",     "gitdir: \n", "gitdir: /nonexistent", "gitdir: .git",
        "gitdir: .", "x",       "gitdir: ../wt"};
    char *big = mem_alloc(bench.mem, 100001);

    linked_worktree();
    bench_put("{}");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tree_write(bench.top, "wt/.git", texts[i], 0644);
        bench_load_in(bench_at("wt"));
        ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    }
    memset(big, 'a', 100000);
    tree_write(bench.top, "wt/.git", big, 0644);
    bench_load_in(bench_at("wt"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    memcpy(big, "gitdir: ", 8);
    big[5000] = '\0';
    tree_write(bench.top, "wt/.git", big, 0644);
    bench_load_in(bench_at("wt"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
    linked_worktree();
    tree_write(bench.top, "project/.git/worktrees/wt/commondir", "\n", 0644);
    bench_load_in(bench_at("wt"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
}
END_TEST

START_TEST(a_main_worktree_that_is_a_home_is_no_project)
{
    linked_worktree();
    bench_put("{}");
    bench.host.home = bench.project;
    bench_load_in(bench_at("wt"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_ABSENT);
}
END_TEST

/* Trust. */

START_TEST(a_file_that_others_can_change_is_malformed)
{
    bench_put("{}");
    ck_assert_int_eq(chmod(bench.file, 0664), 0);
    bench_expect_invalid(mem_printf(bench.mem, "run `chmod go-w %s`", bench.file));
    bench_expect_invalid("by its group (mode 0664)");
    ck_assert_int_eq(chmod(bench.file, 0646), 0);
    bench_expect_invalid("by everybody (mode 0646)");
    ck_assert_int_eq(chmod(bench.file, 0644), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(a_directory_that_others_can_change_is_malformed)
{
    bench_put("{}");
    ck_assert_int_eq(chmod(bench_at("project/.haccess"), 0775), 0);
    bench_expect_invalid(
        mem_printf(bench.mem, "its directory can be changed by its group (mode 0775): run `chmod go-w %s`",
                   bench_at("project/.haccess")));
    ck_assert_int_eq(chmod(bench_at("project/.haccess"), 0700), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
}
END_TEST

START_TEST(a_command_can_be_pasted)
{
    tree_write(bench.top, "it's a dir/.haccess/policy.json", "{}", 0666);
    bench_load_in(bench_at("it's a dir"));
    ck_assert_int_eq(bench.policy.file.state, POLICY_INVALID);
    ck_assert_ptr_nonnull(
        strstr(bench.policy.file.problem,
               mem_printf(bench.mem, "`chmod go-w '%s/it'\\''s a dir/.haccess/policy.json'`", bench.top)));
}
END_TEST

START_TEST(links_are_malformed)
{
    tree_write(bench.top, "elsewhere/policy.json", "{}", 0644);
    ck_assert_int_eq(symlink(bench_at("elsewhere"), bench_at("project/.haccess")), 0);
    bench_expect_invalid("its directory is a symbolic link");
    ck_assert_int_eq(unlink(bench_at("project/.haccess")), 0);
    ck_assert_int_eq(symlink("nowhere", bench_at("project/.haccess")), 0);
    bench_expect_invalid("its directory is a symbolic link");
    ck_assert_int_eq(unlink(bench_at("project/.haccess")), 0);
    tree_mkdir(bench.top, "project/.haccess");
    ck_assert_int_eq(symlink("../../elsewhere/policy.json", bench.file), 0);
    bench_expect_invalid("is a symbolic link");
    ck_assert_int_eq(unlink(bench.file), 0);
    ck_assert_int_eq(symlink("nowhere", bench.file), 0);
    bench_expect_invalid("is a symbolic link");
}
END_TEST

START_TEST(only_a_regular_file_is_read)
{
    tree_mkdir(bench.top, "project/.haccess");
    ck_assert_int_eq(mkfifo(bench.file, 0644), 0);
    bench_expect_invalid("is not a regular file");
    ck_assert_int_eq(unlink(bench.file), 0);
    ck_assert_int_eq(mkdir(bench.file, 0755), 0);
    bench_expect_invalid("is not a regular file");
}
END_TEST

START_TEST(a_huge_file_is_malformed)
{
    bench_put("{}");
    ck_assert_int_eq(truncate(bench.file, (off_t)1 << 40), 0);
    bench_expect_invalid("is larger than");
}
END_TEST

START_TEST(an_unreadable_file_is_malformed)
{
    bench_put("{}");
    ck_assert_int_eq(chmod(bench.file, 0), 0);
    bench_expect_invalid("cannot be read: run `chmod u+r");
    ck_assert_int_eq(chmod(bench.file, 0644), 0);
    ck_assert_int_eq(chmod(bench_at("project/.haccess"), 0), 0);
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_INVALID);
    ck_assert_int_eq(chmod(bench_at("project/.haccess"), 0755), 0);
}
END_TEST

START_TEST(a_file_of_another_user_is_malformed)
{
    bench_put("{}");
    ck_assert_int_eq(chown(bench.file, 12345, 12345), 0);
    bench_expect_invalid(
        mem_printf(bench.mem, "belongs to uid 12345, not to root: run `chown root %s`", bench.file));
    bench.host.uid = 54321;
    bench_expect_invalid(mem_printf(bench.mem, "run `chown 54321 %s` as root", bench.file));
    bench.host.uid = 12345; /* the directory is root's, the file the launcher's */
    bench_load();
    ck_assert_int_eq(bench.policy.file.state, POLICY_DISABLED);
    ck_assert_int_eq(chown(bench_at("project/.haccess"), 54321, 54321), 0);
    bench_expect_invalid("belongs to uid 54321");
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
    tcase_add_test(t, only_the_repository_itself_knows_its_worktrees);
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

int
main(void)
{
    static void (*const add[])(TCase *) = {add_place_tests, add_trust_tests};
    Suite *s = suite_create("policy_place");
    SRunner *r;
    int failed;

    if (geteuid() != 0)
        puts("policy_place: not root, owners are not tested");
    for (size_t i = 0; i < sizeof(add) / sizeof(add[0]); i++) {
        TCase *t = tcase_create("policy_place");

        tcase_add_checked_fixture(t, bench_setup, bench_teardown);
        add[i](t);
        suite_add_tcase(s, t);
    }
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
