/* Strict JSON, with and without comments: what is accepted, and where a problem is said to be. */
#include "shim/decide/jsonc.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shim/decide/json.h"

static struct mem *mem;

static void
setup(void)
{
    mem = mem_new();
}

static void
teardown(void)
{
    mem_free(mem);
}

/* Returns the problem with a text with comments, or "" when there is none. */
static const char *
problem_of(const char *text, size_t length)
{
    const char *problem = "";
    cJSON *json = jsonc_parse(mem, text, length, &problem);

    if (json == NULL)
        return problem;
    cJSON_Delete(json);
    return "";
}

static const char *
problem(const char *text)
{
    return problem_of(text, strlen(text));
}

static bool
valid(const char *text)
{
    struct json_error error;

    return json_valid(text, strlen(text), &error);
}

START_TEST(comments_of_both_kinds_are_blanks)
{
    const char *why;
    const char *text = "// one\n{ /* two\n * lines */ \"a\": // three\n [1, /**/ 2] /* end */ }\n// last";
    cJSON *json = jsonc_parse(mem, text, strlen(text), &why);

    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(json, "a")), 2);
    cJSON_Delete(json);
    ck_assert_str_eq(problem("/* a ** / * // \" */1"), "");
}
END_TEST

START_TEST(comments_in_strings_are_text)
{
    const char *why;
    const char *text = "{\"u\": \"http://x/*y*/\", \"q\": \"\\\"// no\"}";
    cJSON *json = jsonc_parse(mem, text, strlen(text), &why);

    ck_assert_ptr_nonnull(json);
    ck_assert_str_eq(cJSON_GetObjectItem(json, "u")->valuestring, "http://x/*y*/");
    ck_assert_str_eq(cJSON_GetObjectItem(json, "q")->valuestring, "\"// no");
    cJSON_Delete(json);
}
END_TEST

START_TEST(plain_json_has_no_comments)
{
    const char *why = NULL;
    const char *text = "{} // no";

    ck_assert_ptr_null(json_parse(mem, text, strlen(text), &why));
    ck_assert_str_eq(why, "line 1, column 4: something after the end of the value");
}
END_TEST

START_TEST(a_problem_is_where_it_was_before_the_comments_went)
{
    ck_assert_str_eq(problem("// a\n{ /* b */ \"x\" 1}"),
                     "line 2, column 15: expected a colon after the key");
    ck_assert_str_eq(problem("{/* \xc3\xa9\xc3\xa9 */ x}"),
                     "line 1, column 11: expected a key in double quotes");
    ck_assert_str_eq(problem("[1,\n\n  nul]"), "line 3, column 3: expected a value");
}
END_TEST

static const struct {
    const char *text, *problem;
} wrong[] = {
    {"", "line 1, column 1: the text ends too early"},
    {"// only a comment", "line 1, column 18: the text ends too early"},
    {"{\"a\": 1,}", "line 1, column 8: a comma after the last entry"},
    {"[1, 2, /* x */ ]", "line 1, column 6: a comma after the last entry"},
    {"[,]", "line 1, column 2: expected a value"},
    {"{\"a\":1 \"b\":2}", "line 1, column 8: expected a comma or a closing brace"},
    {"[1 2]", "line 1, column 4: expected a comma or a closing bracket"},
    {"{'a': 1}", "line 1, column 2: expected a key in double quotes"},
    {"{a: 1}", "line 1, column 2: expected a key in double quotes"},
    {"{} {}", "line 1, column 4: something after the end of the value"},
    {"{} /* open", "line 1, column 4: a comment that does not end"},
    {"\"open", "line 1, column 1: a string that does not end"},
    {"[\"a\nb\"]", "line 1, column 4: a string that does not end on its line"},
    {"\"\t\"", "line 1, column 2: a control character in a string"},
    {"\"\\x41\"", "line 1, column 2: this is no escape that JSON has"},
    {"\"\\u12g4\"", "line 1, column 2: this is no escape that JSON has"},
    {"\"a\\u0000b\"", "line 1, column 3: an embedded NUL"},
    {"\"\\ud800\"", NULL},
    {"\xef\xbb\xbf{}", "line 1, column 1: a byte order mark"},
    {"{\"a\":1,\"a\":2}", "a: is there twice; keep one"},
    {"{\"x\":[{\"a\":1,\"b\":2,\"\\u0061\":2}]}", "x[0].a: is there twice; keep one"},
};

START_TEST(a_wrong_text_is_named_with_its_place)
{
    const char *why = problem(wrong[_i].text);

    if (wrong[_i].problem == NULL)
        ck_assert_str_ne(why, "");
    else
        ck_assert_str_eq(why, wrong[_i].problem);
}
END_TEST

START_TEST(a_raw_nul_is_an_error_wherever_it_is)
{
    ck_assert_str_eq(problem_of("{}\0", 3), "line 1, column 3: an embedded NUL");
    ck_assert_str_eq(problem_of("{\"a\0b\":1}", 9), "line 1, column 4: an embedded NUL");
    ck_assert_str_eq(problem_of("{} // a\0b", 9), "line 1, column 8: an embedded NUL");
}
END_TEST

START_TEST(the_same_key_in_different_objects_is_no_duplicate)
{
    ck_assert_str_eq(problem("{\"a\":{\"a\":1},\"b\":[{\"a\":1},{\"a\":1}],\"A\":1}"), "");
}
END_TEST

START_TEST(numbers_and_words_are_those_of_the_rfc)
{
    static const char *const good[] = {"0",        "-0",   "10",    "1.5",  "1e9", "1E+9",
                                       "-1.25e-3", "true", "false", "null", " 1 "};
    static const char *const bad[] = {"01",  "+1",  ".5",       "1.",   "1e",    "1e+", "-",
                                      "0x1", "NaN", "Infinity", "True", "nulll", "tru", "1 1"};

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        ck_assert_msg(valid(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!valid(bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(only_utf8_is_text)
{
    static const char *const good[] = {"\"\xc3\xa9\"",     "\"\xe2\x82\xac\"",     "\"\xf0\x9f\x98\x80\"",
                                       "\"\xed\x9f\xbf\"", "\"\xf4\x8f\xbf\xbf\"", "\"\x7f\""};
    static const char *const bad[] = {"\"\x80\"",
                                      "\"\xc3\"",
                                      "\"\xc0\xaf\"",
                                      "\"\xe0\x80\xaf\"",
                                      "\"\xed\xa0\x80\"",
                                      "\"\xf4\x90\x80\x80\"",
                                      "\"\xf0\x80\x80\xaf\"",
                                      "\"\xff\"",
                                      "\"\xe2\x82\""};

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        ck_assert_msg(valid(good[i]), "good %zu", i);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!valid(bad[i]), "bad %zu", i);
}
END_TEST

START_TEST(nesting_has_an_end)
{
    char deep[2000];

    memset(deep, '[', sizeof(deep));
    ck_assert_str_eq(problem_of(mem_strndup(mem, deep, 1000), 1000), "line 1, column 201: nested too deeply");
    memset(deep + 200, ']', 200);
    ck_assert_str_eq(problem_of(mem_strndup(mem, deep, 400), 400), "");
}
END_TEST

START_TEST(no_prefix_and_no_changed_byte_crashes)
{
    const char *text =
        "{\"a\": [1, -2.5e3, \"\\u00e9\\n\xc3\xa9\", true, null, {\"b\": {}}] /* c */ } // d\n";
    size_t n = strlen(text);

    for (size_t i = 0; i < n; i++) {
        problem_of(mem_strndup(mem, text, i), i);
        for (int c = 0; c < 256; c += 5) {
            char *copy = mem_strndup(mem, text, n);

            copy[i] = (char)c;
            problem_of(copy, n);
        }
    }
}
END_TEST

static struct json_span
span(const char *text)
{
    ck_assert_msg(valid(text), "%s", text);
    return (struct json_span){text, strlen(text)};
}

START_TEST(a_member_is_looked_for_at_the_top_level_only)
{
    struct json_span v;

    ck_assert_int_eq(json_member(span("{\"x\":{\"k\":1},\"y\":\"\\\"k\\\":2\",\"z\":[{\"k\":3}]}"), "k", &v),
                     JSON_NONE);
    ck_assert_int_eq(json_member(span(" { \"x\" : [ 1 , {} ] , \"k\" : \"v\" } "), "k", &v), JSON_ONCE);
    ck_assert(json_equals(v, "v"));
    ck_assert_int_eq(json_member(span("[\"k\", 1]"), "k", &v), JSON_NONE);
    ck_assert_int_eq(json_member(span("\"k\""), "k", &v), JSON_NONE);
    ck_assert_int_eq(json_member(span("{}"), "k", &v), JSON_NONE);
}
END_TEST

START_TEST(a_member_spelled_twice_is_seen_twice)
{
    struct json_span v;

    ck_assert_int_eq(json_member(span("{\"k\":1,\"\\u006b\":2}"), "k", &v), JSON_TWICE);
    ck_assert_uint_eq(v.length, 1);
    ck_assert_int_eq(*v.text, '1');
}
END_TEST

START_TEST(a_value_is_compared_as_it_is_decoded)
{
    ck_assert(json_equals(span("\"a-b\""), "a-b"));
    ck_assert(json_equals(span("\"a\\u002Db\""), "a-b"));
    ck_assert(json_equals(span("\"a\\/b\""), "a/b"));
    ck_assert(!json_equals(span("\"a-b \""), "a-b"));
    ck_assert(!json_equals(span("\"a-\""), "a-b"));
    ck_assert(!json_equals(span("\"\""), "a"));
    ck_assert(!json_equals(span("true"), "true"));
    ck_assert(!json_equals(span("1"), ""));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("jsonc");
    TCase *t = tcase_create("jsonc");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, comments_of_both_kinds_are_blanks);
    tcase_add_test(t, comments_in_strings_are_text);
    tcase_add_test(t, plain_json_has_no_comments);
    tcase_add_test(t, a_problem_is_where_it_was_before_the_comments_went);
    tcase_add_loop_test(t, a_wrong_text_is_named_with_its_place, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
    tcase_add_test(t, a_raw_nul_is_an_error_wherever_it_is);
    tcase_add_test(t, the_same_key_in_different_objects_is_no_duplicate);
    tcase_add_test(t, numbers_and_words_are_those_of_the_rfc);
    tcase_add_test(t, only_utf8_is_text);
    tcase_add_test(t, nesting_has_an_end);
    tcase_add_test(t, no_prefix_and_no_changed_byte_crashes);
    tcase_add_test(t, a_member_is_looked_for_at_the_top_level_only);
    tcase_add_test(t, a_member_spelled_twice_is_seen_twice);
    tcase_add_test(t, a_value_is_compared_as_it_is_decoded);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
