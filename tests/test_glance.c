/* A glance says what the tree says, or nothing. */
#include "shim/journal/glance.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct glance g;

static bool
look(const char *text)
{
    struct line l = {.text = text, .length = strlen(text), .terminated = true};

    return glance(&l, &g);
}

/* The strings that the tree has in the same places. */
static const struct place {
    const char *object, *name;
    size_t offset;
} places[] = {
    {NULL, "event", offsetof(struct glance, event)},
    {NULL, "ts", offsetof(struct glance, ts)},
    {NULL, "id", offsetof(struct glance, id)},
    {NULL, "adapter", offsetof(struct glance, adapter)},
    {NULL, "class", offsetof(struct glance, class)},
    {NULL, "cwd", offsetof(struct glance, cwd)},
    {NULL, "projection", offsetof(struct glance, projection)},
    {NULL, "enforcement", offsetof(struct glance, enforcement)},
    {NULL, "parent_launch", offsetof(struct glance, parent_launch)},
    {NULL, "continues", offsetof(struct glance, continues)},
    {"request", "model", offsetof(struct glance, model)},
    {"request", "effort", offsetof(struct glance, effort)},
    {"request", "access", offsetof(struct glance, asked)},
    {"access", "reason", offsetof(struct glance, reason)},
    {"access", "detail", offsetof(struct glance, detail)},
    {"access", "remedy", offsetof(struct glance, remedy)},
    {"refusal", "code", offsetof(struct glance, code)},
};

static bool
is_true(const cJSON *record, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(record, name));
}

/* Asserts that a glance that says something says what the tree does. Returns whether it said something. */
static bool
assert_like_tree(const char *text, size_t n)
{
    struct line l = {.text = text, .length = n, .terminated = true};
    cJSON *record = line_record(&l);
    bool said = glance(&l, &g);

    ck_assert_msg(!said || record != NULL, "no record: %.*s", (int)n, text);
    for (size_t i = 0; said && i < sizeof(places) / sizeof(places[0]); i++) {
        const struct place *p = &places[i];
        const cJSON *o = p->object == NULL ? record : cJSON_GetObjectItemCaseSensitive(record, p->object);
        const char *tree = record_string(o, p->name), *here;

        memcpy(&here, (const char *)&g + p->offset, sizeof(here));
        ck_assert_msg(tree == NULL ? here == NULL : here != NULL && strcmp(tree, here) == 0,
                      "%s: %s, not %s: %.*s", p->name, here == NULL ? "none" : here,
                      tree == NULL ? "none" : tree, (int)n, text);
    }
    if (said) {
        ck_assert_int_eq(g.observed, is_true(record, "observed"));
        ck_assert_int_eq(g.spooled, is_true(record, "spooled"));
    }
    cJSON_Delete(record);
    return said;
}

#define LAUNCH                                                                                               \
    "{\"schema_version\":1,\"run_id\":\"r\",\"seq\":1,\"ts\":\"2026-11-30T20:29:15.123Z\","                  \
    "\"event\":\"agent.start\",\"prev\":\"00\",\"id\":\"a1\",\"adapter\":\"codex\",\"class\":\"session\","   \
    "\"cwd\":\"/w\",\"request\":{\"access\":\"full-access\",\"model\":\"m\",\"effort\":null,\"n\":[1.5e3,"   \
    "{\"model\":\"x\"}]},\"access\":{\"mode\":\"sandboxed\",\"reason\":\"disabled\",\"detail\":\"d\","       \
    "\"remedy\":\"r\"},\"checks\":[{\"name\":\"a \\\"b\\\" \\u00e9\",\"saw\":null},[],{}],"                  \
    "\"projection\":\"workspace-write\",\"parent_launch\":null,\"observed\":true,\"spooled\":false,"         \
    "\"refusal\":{\"code\":\"c\"}}"

START_TEST(launch_is_glanced_at)
{
    ck_assert(assert_like_tree(LAUNCH, strlen(LAUNCH)));
    ck_assert_str_eq(g.event, "agent.start");
    ck_assert_str_eq(g.model, "m");
    ck_assert_str_eq(g.asked, "full-access");
    ck_assert_str_eq(g.reason, "disabled");
    ck_assert_ptr_null(g.effort);
    ck_assert(g.observed && !g.spooled);
}
END_TEST

/* What is asked for may be spelled otherwise: then the tree has to be read. */
START_TEST(escape_in_what_is_asked_for_says_nothing)
{
    ck_assert(!look("{\"event\":\"agent.st\\u0061rt\"}"));
    ck_assert(!look("{\"ev\\u0065nt\":\"agent.start\"}"));
    ck_assert(!look("{\"access\":{\"reason\":\"\\u0071ualified\"}}"));
    ck_assert(!look("{\"access\":{\"re\\u0061son\":\"qualified\"}}"));
    ck_assert(look("{\"checks\":{\"re\\u0061son\":\"\\u0071ualified\"}}"));
}
END_TEST

START_TEST(first_member_of_a_name_counts)
{
    static const char *const twice[] = {
        "{\"event\":\"a\",\"event\":\"b\"}",
        "{\"event\":1,\"event\":\"b\"}",
        "{\"access\":{\"reason\":\"a\",\"reason\":\"b\"},\"access\":{\"reason\":\"c\",\"mode\":\"d\"}}",
        "{\"access\":null,\"access\":{\"reason\":\"c\"}}",
        "{\"observed\":false,\"observed\":true}",
        "{\"observed\":\"true\",\"observed\":true}"};

    for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++)
        assert_like_tree(twice[i], strlen(twice[i]));
    ck_assert(look(twice[0]));
    ck_assert_str_eq(g.event, "a");
}
END_TEST

/* A filter that passes over such a line would hide it. */
START_TEST(what_is_no_record_says_nothing)
{
    static const char *const bad[] = {"",
                                      "null",
                                      "[]",
                                      "{",
                                      "{}{}",
                                      "{},",
                                      "{\"a\":}",
                                      "{\"a\":1",
                                      "{\"a\" 1}",
                                      "{a:1}",
                                      "{\"a\":tru}",
                                      "{\"a\":\"\\x\"}",
                                      "{\"a\":\"\\ud800\"}",
                                      "{\"a\":\"\\u12\"}",
                                      "{\"a\":[1,]}",
                                      "{\"a\":1,}",
                                      "{\"a\":\"b}",
                                      "{\"a\":01x}",
                                      "{\"a\":--1}",
                                      "{\"a\":\"\\",
                                      "{\"a\":'b'}"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!look(bad[i]), "%s", bad[i]);
    ck_assert(!assert_like_tree("{\"a\":\"\0\"}", 9));
    ck_assert(look("{}"));
}
END_TEST

START_TEST(changed_lines_are_read_like_the_tree_reads_them)
{
    static const char alphabet[] = "{}[]\",:\\u0019eE+-. \t\ntfnd\xc3\xff";
    unsigned seed = 20261201;
    size_t n = strlen(LAUNCH), said = 0;
    char text[sizeof(LAUNCH)];

    for (int round = 0; round < 40000; round++) {
        size_t length = n;

        memcpy(text, LAUNCH, sizeof(text));
        for (int k = rand_r(&seed) % 3; k >= 0; k--) {
            size_t at = (size_t)rand_r(&seed) % length, other = (size_t)rand_r(&seed) % length;

            switch (rand_r(&seed) % 4) {
            case 0:
                text[at] = (char)(rand_r(&seed) % 256);
                break;
            case 1:
                text[at] = alphabet[(size_t)rand_r(&seed) % (sizeof(alphabet) - 1)];
                break;
            case 2: /* a piece from elsewhere: keys twice, values of other kinds */
                if (at + 24 <= length && other + 24 <= length)
                    memmove(text + at, text + other, 24);
                break;
            default:
                length = at + 1;
            }
        }
        said += assert_like_tree(text, length);
    }
    ck_assert_uint_gt(said, 100);
}
END_TEST

START_TEST(longest_line_fits)
{
    static char text[RECORD_MAX + 1];

    memset(text, 'x', RECORD_MAX);
    memcpy(text, "{\"cwd\":\"", 8);
    memcpy(text + RECORD_MAX - 2, "\"}", 2);
    ck_assert(assert_like_tree(text, RECORD_MAX));
    ck_assert_uint_eq(strlen(g.cwd), RECORD_MAX - 10);
    memset(text, '[', RECORD_MAX);
    memcpy(text, "{\"a\":", 5);
    ck_assert(!look(text));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("glance");
    TCase *c = tcase_create("glance");
    SRunner *r;
    int failed;

    tcase_add_test(c, launch_is_glanced_at);
    tcase_add_test(c, escape_in_what_is_asked_for_says_nothing);
    tcase_add_test(c, first_member_of_a_name_counts);
    tcase_add_test(c, what_is_no_record_says_nothing);
    tcase_add_test(c, changed_lines_are_read_like_the_tree_reads_them);
    tcase_add_test(c, longest_line_fits);
    suite_add_tcase(s, c);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
