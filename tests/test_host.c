/* Reading a file whole, and what the real host is said to be. */
#include "shim/decide/host.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tree.h"

static struct mem *mem;
static char *top;
static char *text;
static size_t length;

static void
setup(void)
{
    mem = mem_new();
    top = tree_new();
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

static int
read_file(const char *name, size_t max, int follow)
{
    return host_read(mem, AT_FDCWD, mem_printf(mem, "%s/%s", top, name), max, follow, &text, &length);
}

START_TEST(a_file_is_read_up_to_a_limit)
{
    char *big = mem_alloc(mem, 100001);

    memset(big, 'a', 100000);
    tree_write(top, "f", big, 0600);
    ck_assert_int_eq(read_file("f", 100000, 0), 0);
    ck_assert_uint_eq(length, 100000);
    ck_assert_uint_eq(strlen(text), 100000);
    ck_assert_int_eq(read_file("f", 99999, 0), EFBIG);
    tree_write(top, "empty", "", 0600);
    ck_assert_int_eq(read_file("empty", 0, 0), 0);
    ck_assert_uint_eq(length, 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(a_file_without_a_size_is_read_to_its_end)
{
    ck_assert_int_eq(host_read(mem, AT_FDCWD, "/proc/self/status", 1 << 20, 0, &text, &length), 0);
    ck_assert_ptr_nonnull(strstr(text, "Uid:"));
    ck_assert_int_eq(host_read(mem, AT_FDCWD, "/proc/self/status", 10, 0, &text, &length), EFBIG);
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused_at_once)
{
    ck_assert_int_eq(mkfifo(mem_printf(mem, "%s/fifo", top), 0600), 0);
    ck_assert_int_eq(read_file("fifo", 100, 1), EINVAL);
    ck_assert_int_eq(read_file(".", 100, 1), EINVAL);
    ck_assert_int_eq(read_file("gone", 100, 1), ENOENT);
    ck_assert_int_eq(host_read(mem, AT_FDCWD, "/dev/zero", 100, 1, &text, &length), EINVAL);
}
END_TEST

START_TEST(a_link_is_followed_when_asked)
{
    tree_write(top, "f", "text", 0600);
    ck_assert_int_eq(symlink("f", mem_printf(mem, "%s/link", top)), 0);
    ck_assert_int_eq(read_file("link", 100, 0), ELOOP);
    ck_assert_int_eq(read_file("link", 100, 1), 0);
    ck_assert_str_eq(text, "text");
}
END_TEST

START_TEST(the_real_host)
{
    static char *none[] = {NULL}, *relative[] = {"HOME=relative", NULL},
                *absolute[] = {"HOME=/some/home", NULL};
    struct host h;
    char *cwd = getcwd(NULL, 0);

    host_init(&h, mem, absolute);
    ck_assert_str_eq(h.home, "/some/home");
    ck_assert_str_eq(h.cwd, cwd);
    ck_assert_uint_eq(h.uid, geteuid());
    ck_assert_int_eq(h.pid, getpid());
    ck_assert_int_eq(h.no_new_privs(), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    ck_assert_int_gt(h.now, 1700000000000);
    ck_assert_str_eq(h.etc, "/etc");
    host_init(&h, mem, relative);
    ck_assert_ptr_eq(h.home, h.passwd_home);
    host_init(&h, mem, none);
    ck_assert_ptr_eq(h.home, h.passwd_home);
    free(cwd);
}
END_TEST

START_TEST(a_directory_is_listed_up_to_a_limit)
{
    const char *dir = mem_printf(mem, "%s/list", top);

    ck_assert_int_eq(mkdir(dir, 0700), 0);
    ck_assert_int_eq(mkdir(mem_printf(mem, "%s/x.rules", dir), 0700), 0);
    ck_assert_int_eq(host_list(mem, dir, 4096, &text, &length), 0);
    ck_assert_ptr_nonnull(strstr(text, "x.rules\n"));
    ck_assert_uint_eq(length, strlen(text));
    ck_assert_int_eq(host_list(mem, dir, 4, &text, &length), EFBIG);
    ck_assert_int_eq(host_list(mem, mem_printf(mem, "%s/none", top), 4096, &text, &length), ENOENT);
    ck_assert_int_eq(host_list(mem, "/dev/null", 4096, &text, &length), ENOTDIR);
}
END_TEST

START_TEST(a_deleted_working_directory_is_unknown)
{
    static char *none[] = {NULL};
    const char *gone = mem_printf(mem, "%s/gone", top);
    struct host h;

    ck_assert_int_eq(mkdir(gone, 0700), 0);
    ck_assert_int_eq(chdir(gone), 0);
    ck_assert_int_eq(rmdir(gone), 0);
    host_init(&h, mem, none);
    ck_assert_ptr_null(h.cwd);
    ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("host");
    TCase *t = tcase_create("host");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_file_is_read_up_to_a_limit);
    tcase_add_test(t, a_file_without_a_size_is_read_to_its_end);
    tcase_add_test(t, what_is_no_regular_file_is_refused_at_once);
    tcase_add_test(t, a_link_is_followed_when_asked);
    tcase_add_test(t, the_real_host);
    tcase_add_test(t, a_directory_is_listed_up_to_a_limit);
    tcase_add_test(t, a_deleted_working_directory_is_unknown);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
