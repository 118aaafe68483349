/* What codex hands on to the commands of its sessions, and how the library gets there all the same. Measured on 0.171.0; the
 * confinement tests with the real CLI hold it to that. */
#include <check.h>
#include <string.h>

#include "support/codex.h"

static const struct kept kept[] = {
    {"LD_PRELOAD", "/usr/lib/libhaccess.so", KEPT_ENTRY},
    {"HACCESS_RUN_ID", "r1", KEPT_ANY},
    {"HACCESS_LANE", "read", KEPT_EXACTLY},
};
#define KEPT (sizeof kept / sizeof *kept)

#define SET     "shell_environment_policy.set."
#define LIBRARY "-c|" SET "LD_PRELOAD=\"/usr/lib/libhaccess.so\""
#define RUN     "|-c|" SET "HACCESS_RUN_ID=\"r1\""
#define LANE    "|-c|" SET "HACCESS_LANE=\"read\""

/* The setting named as the obstacle; NULL: none. */
static void
sheds(const char *line, const char *want)
{
    ask(line);
    const char *got = adapter_codex.sheds(m, &inv, kept, KEPT);
    ck_assert_msg(want == NULL ? got == NULL : got != NULL && strstr(got, want) != NULL, "%s: %s, not %s",
                  line, got != NULL ? got : "nothing", want != NULL ? want : "nothing");
}

static void
keeps(const char *line, const char *want)
{
    size_t argc;
    ask(line);
    char **argv = adapter_codex.keep(m, &inv, kept, KEPT, &argc);
    if (want == NULL) {
        ck_assert_ptr_null(argv);
        return;
    }
    ck_assert_str_eq(join(argv), want);
    ck_assert_ptr_null(argv[argc]);
    sheds(want, NULL);
}

START_TEST(what_is_inherited_is_left)
{
    sheds("exec|hi", NULL);
    file(USER, "[shell_environment_policy]\ninherit = \"all\"\nexclude = [\"AWS_*\"]\ninclude_only = []\n");
    sheds("exec|hi", NULL);
    sheds("exec|-c|shell_environment_policy.include_only=[\"*\"]|hi", NULL);
    sheds("exec|-c|shell_environment_policy.include_only=[\"ld_*\", \"HACCESS_*\"]|hi", NULL);
}
END_TEST

START_TEST(each_setting_that_drops_is_named)
{
    sheds("exec|-c|shell_environment_policy.inherit=none|hi",
          "inherit = none in the arguments (-c) keeps LD_PRELOAD");
    sheds("exec|-c|shell_environment_policy={inherit=\"core\"}|hi", "inherit = core");
    sheds("-c|shell_environment_policy.exclude=[\"ld_*\"]|exec|hi", ".exclude in ");
    sheds("exec|-c|shell_environment_policy.exclude=[\"haccess_run_??\"]|hi", "keeps HACCESS_RUN_ID");
    sheds("exec|-c|shell_environment_policy.include_only=[\"PATH\"]|hi", ".include_only in ");
    sheds("exec|-c|shell_environment_policy.include_only=[\"[L]D_*\"]|hi",
          ".include_only in "); /* no classes */
    file(USER, "[shell_environment_policy]\ninherit = \"none\"\n");
    sheds("exec|hi", "inherit = none in " USER);
    sheds("exec|-c|shell_environment_policy.inherit=all|hi", NULL);
    sheds("exec|--ignore-user-config|hi", NULL);
}
END_TEST

START_TEST(it_is_given_back_beside_what_the_user_sets)
{
    keeps("exec|-c|shell_environment_policy.inherit=none|hi",
          LIBRARY RUN LANE "|exec|-c|shell_environment_policy.inherit=none|hi");
    keeps("exec|-c|shell_environment_policy.exclude=[\"HACCESS_L*\"]|hi",
          "-c|" SET "HACCESS_LANE=\"read\"|exec|-c|shell_environment_policy.exclude=[\"HACCESS_L*\"]|hi");
    file(USER, "[shell_environment_policy]\ninherit = \"none\"\n"
               "set = { LD_PRELOAD = \"/x/a.so\", HACCESS_RUN_ID = \"mine\", HACCESS_LANE = \"write\" }\n");
    keeps("exec|hi", "-c|" SET "LD_PRELOAD=\"/x/a.so:/usr/lib/libhaccess.so\"" LANE "|exec|hi");
    change_file(0, "[shell_environment_policy]\ninherit = \"none\"\n"
                   "set = { LD_PRELOAD = \"a.so:libhaccess.so\" }\n");
    keeps("exec|hi", "-c|" SET "HACCESS_RUN_ID=\"r1\"" LANE "|exec|hi");
}
END_TEST

/* Empty is the library's off switch, and stays. */
START_TEST(an_empty_preload_stays)
{
    sheds("exec|-c|" SET "LD_PRELOAD=\"\"|hi", ".set in ");
    keeps("exec|-c|" SET "LD_PRELOAD=\"\"|hi", NULL);
}
END_TEST

/* A table that the launch assigns whole replaces what earlier assignments said: then it does not help, and is not done. */
START_TEST(what_would_not_help_is_told)
{
    static const char *const lines[] = {
        "exec|-c|shell_environment_policy={inherit=\"none\"}|hi",
        "exec|-c|shell_environment_policy.inherit=none|-c|shell_environment_policy.set={A=\"1\"}|hi",
        "exec|-c|shell_environment_policy.include_only=[\"PATH\"]|hi",
    };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        size_t argc;
        ask(lines[k]);
        char **argv = adapter_codex.keep(m, &inv, kept, KEPT, &argc);
        ck_assert_ptr_nonnull(argv);
        sheds(join(argv), "");
    }
}
END_TEST

START_TEST(a_value_is_a_string_of_toml)
{
    const struct kept odd = {"LD_PRELOAD", "/a \"b\"\\\t/libhaccess.so", KEPT_ENTRY},
                      latin = {"LD_PRELOAD", "/\xff/libhaccess.so", KEPT_ENTRY};
    size_t argc;
    ask("exec|-c|shell_environment_policy.inherit=none|hi");
    ck_assert_str_eq(adapter_codex.keep(m, &inv, &odd, 1, &argc)[2],
                     SET "LD_PRELOAD=\"/a \\\"b\\\"\\\\\\u0009/libhaccess.so\"");
    ck_assert_ptr_null(adapter_codex.keep(m, &inv, &latin, 1, &argc));
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {
        what_is_inherited_is_left,
        each_setting_that_drops_is_named,
        it_is_given_back_beside_what_the_user_sets,
        an_empty_preload_stays,
        what_would_not_help_is_told,
        a_value_is_a_string_of_toml,
    };
    return codex_suite("codex shell environment", tests, sizeof tests / sizeof *tests);
}
