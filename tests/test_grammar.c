/* Reading and editing command lines by a table, as clap and as commander read them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../shim/adapters/grammar.h"

enum { SANDBOX = 1, YOLO, IMAGE, MODEL, DEBUG, TOOLS, PRINT };

#define END                                                                                                  \
    {                                                                                                        \
        0                                                                                                    \
    }
static const struct option_spec root_options[] = {{"sandbox", 's', ARITY_ONE, SANDBOX, true, NULL},
                                                  {"yolo", 0, ARITY_NONE, YOLO, true, "g"},
                                                  {"careful", 0, ARITY_NONE, 0, true, "g"},
                                                  {"image", 'i', ARITY_MANY, IMAGE, false, NULL},
                                                  {"model", 'm', ARITY_ONE, MODEL, true, NULL},
                                                  {"debug", 'd', ARITY_OPTIONAL, DEBUG, false, NULL},
                                                  {"print", 'p', ARITY_NONE, PRINT, false, NULL},
                                                  {"verbose", 'v', ARITY_NONE, 0, false, NULL},
                                                  END};
static const struct option_spec exec_options[] = {{"sandbox", 's', ARITY_ONE, SANDBOX, true, NULL},
                                                  {"yolo", 0, ARITY_NONE, YOLO, true, NULL},
                                                  {"image", 'i', ARITY_MANY, IMAGE, false, NULL},
                                                  END};
static const struct option_spec resume_options[] = {{"yolo", 0, ARITY_NONE, YOLO, true, NULL}, END};
static const struct command_spec resume = {
    .name = "resume", .class = CLASS_SESSION, .options = resume_options};
static const struct command_spec exec = {.name = "exec",
                                         .aliases = (const char *const[]){"e", NULL},
                                         .class = CLASS_SESSION,
                                         .options = exec_options,
                                         .subcommands = (const struct command_spec *const[]){&resume, NULL}};
static const struct command_spec add = {.name = "add", .class = CLASS_ADMIN, .foreign = true};
static const struct command_spec root = {.class = CLASS_SESSION,
                                         .options = root_options,
                                         .subcommands =
                                             (const struct command_spec *const[]){&exec, &add, NULL}};
static const struct grammar clap = {.root = &root, .short_equals = true};
static const struct grammar commander = {
    .root = &root, .dash_values = true, .operand_ends_subcommands = true};
static const struct grammar plain = {.root = &root, .dash_values = true, .plain = PRINT};

static const struct option_spec yargs_options[] = {{"dry-run", 'n', ARITY_SWITCH, YOLO, false, NULL},
                                                   {"model", 'm', ARITY_ONE, MODEL, false, NULL},
                                                   {"debug", 'd', ARITY_SWITCH, DEBUG, false, NULL},
                                                   END};
static const struct command_spec yargs_root = {
    .options = yargs_options, .subcommands = (const struct command_spec *const[]){&exec, NULL}};
static const struct grammar yargs = {
    .root = &yargs_root, .short_equals = true, .yargs = true, .early = DEBUG};

static struct mem *m;
static struct command c;

static void
setup(void)
{
    m = mem_new();
}

static void
teardown(void)
{
    mem_free(m);
}

/* Splits "program|a|b" at the bars, and reads it. */
static void
read_line(const struct grammar *g, const char *line)
{
    struct strings words = {0};

    for (const char *at = line;; at++) {
        size_t n = strcspn(at, "|");

        strings_add(m, &words, mem_strndup(m, at, n));
        at += n;
        if (*at == '\0')
            break;
    }
    command_parse(m, g, words.items, words.count, 1, &c);
}

static const char *
join(char *const argv[])
{
    char *line = argv[0];

    for (size_t i = 1; argv[i] != NULL; i++)
        line = mem_printf(m, "%s|%s", line, argv[i]);
    return line;
}

/* How each word is taken: o option, v value, s subcommand, p operand, u unknown, - dashes, d data. */
static void
kinds(const struct grammar *g, const char *line, const char *want)
{
    static const char letters[] = "ovspu-d";
    char *got;

    read_line(g, line);
    got = mem_alloc(m, c.argc + 1);
    for (size_t i = 1; i < c.argc; i++)
        got[i - 1] = letters[c.words[i].kind];
    ck_assert_msg(strcmp(got, want) == 0, "%s: %s, expected %s", line, got, want);
}

static void
value(const struct grammar *g, const char *line, int id, const char *want)
{
    const struct occurrence *o;

    read_line(g, line);
    o = command_last(&c, id);
    ck_assert_msg(o != NULL, "%s", line);
    if (want == NULL)
        ck_assert_ptr_null(o->value);
    else
        ck_assert_str_eq(o->value, want);
}

START_TEST(values_are_read_in_every_form)
{
    value(&clap, "x|-s|ro", SANDBOX, "ro");
    value(&clap, "x|-sro", SANDBOX, "ro");
    value(&clap, "x|-s=ro", SANDBOX, "ro");
    value(&clap, "x|--sandbox|ro", SANDBOX, "ro");
    value(&clap, "x|--sandbox=ro", SANDBOX, "ro");
    value(&clap, "x|--sandbox=", SANDBOX, "");
    value(&clap, "x|-s=", SANDBOX, "");
    value(&clap, "x|--sandbox=a=b", SANDBOX, "a=b");
    value(&clap, "x|hi|-s|ro", SANDBOX, "ro");
    value(&clap, "x|-vs|ro", SANDBOX, "ro");
    value(&clap, "x|-vsro", SANDBOX, "ro");
    value(&commander, "x|-s=ro", SANDBOX, "=ro");
    value(&commander, "x|-d", DEBUG, NULL);
    value(&commander, "x|-d|api", DEBUG, "api");
    value(&commander, "x|-d|-v", DEBUG, NULL);
    value(&commander, "x|--debug=", DEBUG, "");
}
END_TEST

START_TEST(names_are_not_abbreviated)
{
    kinds(&clap, "x|--sand|ro", "up");
    kinds(&clap, "x|--sandboxes|ro", "up");
    kinds(&clap, "x|ex", "p");
}
END_TEST

START_TEST(a_flag_with_a_value_is_unknown)
{
    kinds(&clap, "x|--yolo=true", "u");
    kinds(&clap, "x|--yolo=", "u");
}
END_TEST

START_TEST(dash_values_are_taken_by_commander_only)
{
    kinds(&clap, "x|-m|-v|hi", "oop");
    kinds(&clap, "x|-m|--|hi", "o-d");
    kinds(&clap, "x|-m|-|hi", "ovp");
    kinds(&commander, "x|-m|-v|hi", "ovp");
    read_line(&clap, "x|-m|-v");
    ck_assert(command_last(&c, MODEL)->missing);
    read_line(&clap, "x|-m");
    ck_assert(command_last(&c, MODEL)->missing);
}
END_TEST

START_TEST(open_ended_options_take_every_word_up_to_an_option)
{
    kinds(&clap, "x|-i|a|b|exec|-v|hi", "ovvvop");
    kinds(&clap, "x|-i|a|-|--|hi", "ovv-d");
    kinds(&clap, "x|-i=a|hi", "op");
    kinds(&clap, "x|-ia|hi", "op");
    kinds(&clap, "x|--image=a|hi", "op");
    read_line(&clap, "x|-i|a|b");
    ck_assert_uint_eq(c.options[0].nvalues, 2);
    ck_assert_str_eq(occurrence_value(&c, &c.options[0], 1), "b");
}
END_TEST

START_TEST(subcommands_are_found_behind_options_and_operands)
{
    kinds(&clap, "x|-s|ro|exec|hi", "ovsp");
    kinds(&clap, "x|hi|exec|there", "psp");
    kinds(&clap, "x|e|resume|resume", "ssp");
    kinds(&commander, "x|hi|exec", "pp");
    kinds(&commander, "x|--new|exec", "up");
    kinds(&plain, "x|exec|-p", "po");
    kinds(&plain, "x|exec|hi", "sp");
    read_line(&clap, "x|-s|exec");
    ck_assert_uint_eq(c.depth, 1);
}
END_TEST

START_TEST(options_belong_to_the_level_they_stand_at)
{
    kinds(&clap, "x|exec|-m|a", "sup");
    kinds(&clap, "x|exec|resume|-s|ro", "ssup");
    read_line(&clap, "x|-s|a|exec|-s|b");
    ck_assert_uint_eq(c.options[0].level, 0);
    ck_assert_uint_eq(c.options[1].level, 1);
    ck_assert_str_eq(command_last(&c, SANDBOX)->value, "b");
    read_line(&clap, "x|--new|-s|a");
    ck_assert_uint_eq(c.unknown, 1);
}
END_TEST

START_TEST(words_behind_dashes_are_data)
{
    kinds(&clap, "x|--|exec|-s|ro", "-ddd");
    kinds(&clap, "x|exec|--|resume", "s-d");
    kinds(&clap, "x|exec|--|--|-s", "s-dd");
    kinds(&clap, "x|add|tool|-s|ro", "spdd");
    kinds(&clap, "x|-", "p");
    kinds(&clap, "x|", "p");
}
END_TEST

START_TEST(a_bundle_with_an_unknown_letter_is_unknown)
{
    kinds(&clap, "x|-vX", "u");
    ck_assert_uint_eq(c.noptions, 0);
}
END_TEST

START_TEST(malformed_options_are_told)
{
    read_line(&clap, "x|-s|a|-s|a");
    ck_assert_ptr_nonnull(command_malformed(m, &c, SANDBOX));
    read_line(&clap, "x|-s|a|exec|-s|a");
    ck_assert_ptr_null(command_malformed(m, &c, SANDBOX));
    read_line(&clap, "x|-s|--yolo");
    ck_assert_ptr_nonnull(command_malformed(m, &c, SANDBOX));
    ck_assert_ptr_null(command_malformed(m, &c, YOLO));
    read_line(&clap, "x|--yolo|--careful");
    ck_assert_ptr_nonnull(command_malformed(m, &c, YOLO));
    read_line(&clap, "x|--careful|exec|--yolo");
    ck_assert_ptr_null(command_malformed(m, &c, YOLO));
}
END_TEST

START_TEST(spellings_are_as_written)
{
    read_line(&clap, "x|-sro|exec|--sandbox=ro|--yolo");
    ck_assert_str_eq(occurrence_spelling(m, &c, &c.options[0]), "-s");
    ck_assert_str_eq(occurrence_spelling(m, &c, &c.options[1]), "--sandbox");
    ck_assert_str_eq(occurrence_spelling(m, &c, &c.options[2]), "--yolo");
}
END_TEST

/* Removes every occurrence of SANDBOX and YOLO; puts "--new" in when insert. */
static void
edited(const struct grammar *g, const char *line, bool insert, const char *want)
{
    struct edit *e;
    char **argv;
    size_t argc;

    read_line(g, line);
    e = edit_new(m, &c);
    for (size_t k = 0; k < c.noptions; k++)
        if (c.options[k].spec->id == SANDBOX || c.options[k].spec->id == YOLO)
            edit_remove(e, &c.options[k]);
    if (insert)
        edit_insert(e, "--new");
    argv = edit_finish(e, &argc);
    ck_assert_msg(strcmp(join(argv), want) == 0, "%s: %s, expected %s", line, join(argv), want);
    ck_assert_ptr_null(argv[argc]);
}

START_TEST(removing_takes_the_option_and_its_value)
{
    edited(&clap, "x|-s|ro|hi", false, "x|hi");
    edited(&clap, "x|-sro|hi|--yolo", false, "x|hi");
    edited(&clap, "x|exec|--sandbox=ro|hi|--|-s|ro", false, "x|exec|hi|--|-s|ro");
    edited(&clap, "x|-vs|ro|hi", false, "x|-v|hi");
    edited(&clap, "x|-vsro|hi", false, "x|-v|hi");
    edited(&clap, "x|hi", false, "x|hi");
    edited(&clap, "x|-s|ro|exec|hi", true, "x|--new|exec|hi");
    edited(&clap, "x", true, "x|--new");
}
END_TEST

START_TEST(a_gap_does_not_feed_an_open_ended_option)
{
    edited(&clap, "x|-i|a|--yolo|hi", true, "x|--new|-i=a|hi");
    edited(&clap, "x|-i|a|b|-s|ro|hi", true, "x|--new|-i=a|-i=b|hi");
    edited(&clap, "x|--image|a|--yolo|exec|hi", true, "x|--new|--image=a|exec|hi");
    edited(&clap, "x|-i|a|--yolo|-v|hi", true, "x|--new|-i|a|-v|hi");
    edited(&clap, "x|-i|a|--yolo|--|hi", true, "x|--new|-i|a|--|hi");
    edited(&clap, "x|-i|a|--yolo", true, "x|--new|-i|a");
    edited(&clap, "x|-i=a|--yolo|hi", true, "x|--new|-i=a|hi");
    edited(&commander, "x|-i|a|--yolo|hi", true, "x|--new|-ia|hi");
    edited(&clap, "x|-vi|a|--yolo|hi", true, "x|--new|-v|-i=a|hi");
}
END_TEST

START_TEST(a_gap_does_not_feed_an_optional_value)
{
    edited(&commander, "x|-d|--yolo|hi", true, "x|-d|--new|hi");
    edited(&commander, "x|-d|api|--yolo|hi", true, "x|--new|-d|api|hi");
    edited(&commander, "x|-d|--yolo|-v|hi", true, "x|--new|-d|-v|hi");
}
END_TEST

/* Reads again what an edit made: the operands must be the same, and a value that is missing must not be healed. */
START_TEST(edits_keep_the_meaning_of_the_rest)
{
    static const char *const lines[] = {"x|-d|--yolo|hi",
                                        "x|-d|--yolo|-d|-s|ro|hi|there",
                                        "x|-i|a|--yolo|exec|-i|b|-s|ro|hi",
                                        "x|-m|a|--yolo|-i|a|-s|b|",
                                        "x|-d|--yolo|--|hi",
                                        "x|-v|-d|-s|a|-i|x|--yolo|hi",
                                        "x|-vd|--yolo|hi",
                                        "x|-vi|a|--yolo|hi|-s|b|there",
                                        "x|-d|-s|ro|exec|--yolo|resume|hi",
                                        "x|--debug|--yolo|hi|-i|a|--yolo|b"};

    for (size_t i = 0; i < 2 * sizeof(lines) / sizeof(*lines); i++)
        for (int insert = 0; insert < 2; insert++) {
            const struct grammar *g = i % 2 == 0 ? &clap : &commander;
            struct command before;
            struct strings kept = {0}, left = {0};
            struct edit *e;
            char **argv;
            size_t argc;

            read_line(g, lines[i / 2]);
            before = c;
            e = edit_new(m, &before);
            for (size_t k = 0; k < before.noptions; k++)
                if (before.options[k].spec->id == SANDBOX || before.options[k].spec->id == YOLO)
                    edit_remove(e, &before.options[k]);
            if (insert)
                edit_insert(e, "-v");
            argv = edit_finish(e, &argc);
            command_parse(m, g, argv, argc, 1, &c);
            for (size_t k = 1; k < before.argc; k++)
                if (before.words[k].kind == WORD_OPERAND || before.words[k].kind == WORD_DATA)
                    strings_add(m, &kept, before.argv[k]);
            for (size_t k = 1; k < argc; k++)
                if (c.words[k].kind == WORD_OPERAND || c.words[k].kind == WORD_DATA)
                    strings_add(m, &left, argv[k]);
            strings_add(m, &kept, "");
            strings_add(m, &left, "");
            ck_assert_msg(strcmp(join(kept.items), join(left.items)) == 0, "%s became %s", lines[i / 2],
                          join(argv));
            ck_assert_msg(before.depth == c.depth, "%s became %s", lines[i / 2], join(argv));
        }
}
END_TEST

/* Measured with yargs 17 in gemini-cli 0.61.0. */
START_TEST(yargs_switches_take_true_or_false)
{
    value(&yargs, "x|-n|false", YOLO, "false");
    value(&yargs, "x|--dry-run|true", YOLO, "true");
    value(&yargs, "x|--dry-run=maybe", YOLO, "maybe");
    value(&yargs, "x|-n|hi", YOLO, NULL);
    kinds(&yargs, "x|-n|false|-n|hi", "ovop");
    edited(&yargs, "x|-d|-n|true|true", false, "x|true|-d");
    edited(&yargs, "x|-d|-n|true|hi", false, "x|-d|hi");
    edited(&yargs, "x|-dn|false|hi", true, "x|--new|-d|hi");
}
END_TEST

START_TEST(yargs_names_may_be_in_camel_case)
{
    value(&yargs, "x|--dryRun", YOLO, NULL);
    value(&yargs, "x|--dryRun=true", YOLO, "true");
    kinds(&yargs, "x|--dryrun", "u");
    kinds(&yargs, "x|--DryRun", "u");
    kinds(&yargs, "x|--dryRu", "u");
    kinds(&clap, "x|--Model=a", "u");
}
END_TEST

START_TEST(yargs_letters_are_options_each)
{
    read_line(&yargs, "x|-mn|hi");
    ck_assert_uint_eq(c.noptions, 2);
    ck_assert(c.options[0].missing && c.options[0].bundled);
    ck_assert_int_eq(c.options[1].spec->id, YOLO);
    value(&yargs, "x|-m=a", MODEL, "a");
    value(&yargs, "x|-m/a", MODEL, "/a");
    value(&yargs, "x|-m12", MODEL, "12");
    value(&yargs, "x|-dm|a", MODEL, "a");
    kinds(&yargs, "x|-mab", "u");
}
END_TEST

START_TEST(yargs_subcommands_stand_behind_early_options_only)
{
    kinds(&yargs, "x|-d|exec", "os");
    kinds(&yargs, "x|-n|exec", "op");
    kinds(&yargs, "x|-m|a|exec", "ovp");
}
END_TEST

START_TEST(a_missing_value_is_not_healed)
{
    edited(&clap, "x|-m|--yolo|hi", true, "x|-m|--new|hi");
    edited(&clap, "x|-m|--yolo", true, "x|--new|-m");
}
END_TEST

START_TEST(long_lines_are_read_in_linear_time)
{
    enum { WORDS = 200000 };
    char **argv = mem_array(m, WORDS + 1, sizeof(*argv));

    argv[0] = mem_strdup(m, "x");
    for (size_t i = 1; i < WORDS; i++)
        argv[i] = mem_strdup(m, i % 2 == 0 ? "--yolo" : "-sx");
    command_parse(m, &clap, argv, WORDS, 1, &c);
    ck_assert_uint_eq(c.noptions, WORDS - 1);
    ck_assert_ptr_nonnull(command_malformed(m, &c, SANDBOX));
    ck_assert_ptr_nonnull(command_last(&c, YOLO));
}
END_TEST

START_TEST(an_empty_command_line_is_one)
{
    char *argv[] = {NULL};

    command_parse(m, &clap, argv, 0, 1, &c);
    ck_assert_uint_eq(c.depth, 1);
    ck_assert_ptr_eq(command_leaf(&c), &root);
    ck_assert_ptr_null(edit_finish(edit_new(m, &c), NULL)[0]);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("grammar");
    TCase *t = tcase_create("grammar");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, values_are_read_in_every_form);
    tcase_add_test(t, names_are_not_abbreviated);
    tcase_add_test(t, a_flag_with_a_value_is_unknown);
    tcase_add_test(t, dash_values_are_taken_by_commander_only);
    tcase_add_test(t, open_ended_options_take_every_word_up_to_an_option);
    tcase_add_test(t, subcommands_are_found_behind_options_and_operands);
    tcase_add_test(t, options_belong_to_the_level_they_stand_at);
    tcase_add_test(t, words_behind_dashes_are_data);
    tcase_add_test(t, a_bundle_with_an_unknown_letter_is_unknown);
    tcase_add_test(t, malformed_options_are_told);
    tcase_add_test(t, spellings_are_as_written);
    tcase_add_test(t, removing_takes_the_option_and_its_value);
    tcase_add_test(t, a_gap_does_not_feed_an_open_ended_option);
    tcase_add_test(t, a_gap_does_not_feed_an_optional_value);
    tcase_add_test(t, edits_keep_the_meaning_of_the_rest);
    tcase_add_test(t, yargs_switches_take_true_or_false);
    tcase_add_test(t, yargs_names_may_be_in_camel_case);
    tcase_add_test(t, yargs_letters_are_options_each);
    tcase_add_test(t, yargs_subcommands_stand_behind_early_options_only);
    tcase_add_test(t, a_missing_value_is_not_healed);
    tcase_add_test(t, long_lines_are_read_in_linear_time);
    tcase_add_test(t, an_empty_command_line_is_one);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
