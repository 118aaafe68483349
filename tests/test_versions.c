/* Which CLI versions are newer than what a table was checked against. */
#include <check.h>
#include <stdlib.h>

#include "../shim/adapters/adapter.h"

static bool
newer(const char *checked, const char *version)
{
    const struct adapter a = {.checked = checked};
    return adapter_is_newer(&a, version);
}

START_TEST(numbers_are_compared_as_numbers)
{
    ck_assert(newer("0.171.0, 0.151.0", "0.172.0"));
    ck_assert(newer("0.171.0, 0.151.0", "0.171.1"));
    ck_assert(newer("0.171.0, 0.151.0", "1.0"));
    ck_assert(newer("2.1.99", "2.1.100"));
    ck_assert(newer("2.1", "2.1.1"));
    ck_assert(newer("1.18.33", "v1.19.0"));
    ck_assert(newer("0.171.0", "0.172.0-alpha.1"));
    ck_assert(newer("1.0.0", "99999999999999999999999.0"));
}
END_TEST

START_TEST(the_same_and_older_ones_are_not)
{
    ck_assert(!newer("0.171.0, 0.151.0", "0.171.0"));
    ck_assert(!newer("0.171.0, 0.151.0", "0.160.0"));
    ck_assert(!newer("0.171.0, 0.151.0", "0.99.9"));
    ck_assert(!newer("0.171.0", "0.171"));
    ck_assert(!newer("0.171.0", "0.171.0-alpha.1"));
    ck_assert(!newer("2.1.100", "2.1.99"));
}
END_TEST

START_TEST(what_is_no_version_is_not)
{
    ck_assert(!newer("1.0", ""));
    ck_assert(!newer("1.0", "v"));
    ck_assert(!newer("1.0", "latest"));
    ck_assert(!newer("its documentation of November 2026", "2026.11"));
    ck_assert(!newer(NULL, "1.0"));
}
END_TEST

/* Else nothing would ever be newer. */
START_TEST(tables_of_real_clis_name_a_version_first)
{
    for (const struct adapter *const *a = adapters; *a != NULL; a++)
        if (*a != &adapter_cursor)
            ck_assert_msg(adapter_is_newer(*a, "999999.0"), "%s: %s", (*a)->id, (*a)->checked);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("versions");
    TCase *t = tcase_create("versions");
    tcase_add_test(t, numbers_are_compared_as_numbers);
    tcase_add_test(t, the_same_and_older_ones_are_not);
    tcase_add_test(t, what_is_no_version_is_not);
    tcase_add_test(t, tables_of_real_clis_name_a_version_first);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
