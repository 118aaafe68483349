/* Paths of added directories: decision specification, section 2. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shim/adapters/path.h"

static struct mem *m;
static struct invocation at;

static void
setup(void)
{
    m = mem_new();
    at = (struct invocation){
        .cwd = "/home/user/project", .home = "/home/user", .project = "/home/user/project"};
}

static void
teardown(void)
{
    mem_free(m);
}

START_TEST(wide_is_the_root_the_home_and_what_is_above_home_or_project)
{
    static const char *const wide[] = {"/",           "//",
                                       "/home",       "/home/user",
                                       "/home/user/", "/home/user/project/..",
                                       "..",          "~",
                                       "~/",          "/home/user/project/sub/../../",
                                       "/proc/1/root"};
    static const char *const narrow[] = {
        "/home/user/project",     ".",     "sub", "/var/tmp", "/home/user/other", "~/other",
        "/home/user/project/sub", "/homes"};

    for (size_t k = 0; k < sizeof(wide) / sizeof(wide[0]); k++)
        ck_assert_msg(path_is_wide(m, &at, wide[k], at.cwd), "%s", wide[k]);
    for (size_t k = 0; k < sizeof(narrow) / sizeof(narrow[0]); k++)
        ck_assert_msg(!path_is_wide(m, &at, narrow[k], at.cwd), "%s", narrow[k]);
}
END_TEST

START_TEST(what_cannot_be_told_is_wide)
{
    ck_assert(path_is_wide(m, &at, "x", NULL));
    at.home = NULL;
    ck_assert(path_is_wide(m, &at, "~/x", "/"));
    at.project = NULL;
    ck_assert(path_is_wide(m, &at, "/srv", "/"));
}
END_TEST

static const char *
linked(struct mem *region, const char *path)
{
    (void)region;
    return strcmp(path, "/home/user/project/link") == 0 ? "/" : strstr(path, "gone") != NULL ? NULL : path;
}

START_TEST(a_link_is_what_it_leads_to)
{
    at.canonical = linked;
    ck_assert(path_is_wide(m, &at, "link", at.cwd));
    ck_assert(!path_is_wide(m, &at, "sub", at.cwd));
    ck_assert(!path_is_wide(m, &at, "gone", at.cwd));
    /* By its own place it is wide, wherever it leads. */
    ck_assert(path_is_wide(m, &at, "/gone/..", at.cwd));
}
END_TEST

START_TEST(absolute_paths_are_normalized)
{
    ck_assert_str_eq(path_absolute(m, &at, "a//b/./c/..", "/x"), "/x/a/b");
    ck_assert_str_eq(path_absolute(m, &at, "../../..", "/x"), "/");
    ck_assert_str_eq(path_absolute(m, &at, "~/a", NULL), "/home/user/a");
    ck_assert_ptr_null(path_absolute(m, &at, "a", NULL));
    ck_assert_str_eq(path_parent(m, "/a/b"), "/a");
    ck_assert_str_eq(path_parent(m, "/a"), "/");
    ck_assert_ptr_null(path_parent(m, "/"));
    ck_assert(path_holds("/a", "/a/b") && path_holds("/a", "/a") && path_holds("/", "/a"));
    ck_assert(!path_holds("/a", "/ab") && !path_holds("/a/b", "/a"));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("paths");
    TCase *t = tcase_create("rules");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, wide_is_the_root_the_home_and_what_is_above_home_or_project);
    tcase_add_test(t, what_cannot_be_told_is_wide);
    tcase_add_test(t, a_link_is_what_it_leads_to);
    tcase_add_test(t, absolute_paths_are_normalized);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
