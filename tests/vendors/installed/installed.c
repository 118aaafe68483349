/* The real CLIs with haccess as `make install` leaves it on this machine. Run by `make check-installed`, which installs and
 * uninstalls. */
#include <check.h>
#include <stdlib.h>

#include "../support/world.h"

static const struct launch {
    const char *line, *journal;
} launches[] = {
    {"LD_PRELOAD=libhaccess.so codex exec 'say mock:probe'",
     "run.start\nagent.start a1 codex unspecified -> vendor-default disabled, under -\n"},
    {"LD_PRELOAD=libhaccess.so claude -p 'say mock:probe'",
     "run.start\nagent.start a1 claude-code unspecified -> vendor-default disabled, under -\n"},
    {"haccess run -- codex exec 'say mock:probe'",
     "run.start\nagent.start a1 codex unspecified -> vendor-default disabled, under -\n"},
};

START_TEST(a_launch_is_recorded_and_shown)
{
    struct world w;
    struct outcome o;
    world_open(&w, "{ \"probe\": [ \"sh $TOP/bin/probe\" ] }");
    world_type(&w, launches[_i].line, &o);
    ck_assert_msg(o.status == 0, "%s: exit %d\n%s%s", launches[_i].line, o.status, o.out, o.err);
    outcome_free(&o);
    ck_assert_int_eq(world_requests(&w, "probe"), 2);
    assert_journal(&w, launches[_i].journal);
    world_type(&w, "haccess-log verify @1 && haccess-log show", &o);
    ck_assert_msg(o.status == 0, "haccess-log: exit %d\n%s%s", o.status, o.out, o.err);
    outcome_free(&o);
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("real CLIs, haccess installed");
    TCase *t = tcase_create("installed");
    tcase_set_timeout(t, 400);
    tcase_add_loop_test(t, a_launch_is_recorded_and_shown, 0, sizeof launches / sizeof *launches);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
