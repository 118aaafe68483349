/* TOML as codex reads it, and that no document harms the reader. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../shim/toml/toml.h"

static struct mem *m;

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

static struct toml_value *
read_string(const char *text)
{
    struct toml_error error;
    struct toml_value *t = toml_read(m, text, strlen(text), &error);

    ck_assert_msg(t != NULL, "%s: %zu:%zu: %s", text, error.line, error.column, error.message);
    return t;
}

static struct toml_error
rejected(const char *text, size_t length)
{
    struct toml_error error;

    ck_assert_ptr_null(toml_read(m, text, length, &error));
    ck_assert_ptr_nonnull(error.message);
    return error;
}

START_TEST(values_keep_their_types)
{
    struct toml_value *t =
        read_string("s = \"x\"\nb = true\nn = 1\nf = 1.5\nd = 2026-01-01\na = [\"p\", [1]]\n[t]\nk = 'v'\n");

    ck_assert_int_eq(t->type, TOML_TABLE);
    ck_assert_uint_eq(t->count, 7);
    ck_assert_str_eq(toml_get_string(t, "s"), "x");
    ck_assert_int_eq(toml_get(t, "b")->type, TOML_BOOLEAN);
    ck_assert(toml_get(t, "b")->boolean);
    ck_assert_int_eq(toml_get(t, "n")->type, TOML_OTHER);
    ck_assert_int_eq(toml_get(t, "f")->type, TOML_OTHER);
    ck_assert_int_eq(toml_get(t, "d")->type, TOML_OTHER);
    ck_assert_int_eq(toml_get(t, "a")->type, TOML_ARRAY);
    ck_assert_uint_eq(toml_get(t, "a")->count, 2);
    ck_assert_str_eq(toml_get(t, "a")->items[0]->string, "p");
    ck_assert_str_eq(toml_get_string(toml_get(t, "t"), "k"), "v");
    ck_assert_ptr_null(toml_get_string(t, "n"));
    ck_assert_ptr_null(toml_get(t, "nothing"));
    ck_assert_ptr_null(toml_get(toml_get(t, "s"), "k"));
    ck_assert_ptr_null(toml_get(NULL, "k"));
}
END_TEST

START_TEST(strings_are_decoded)
{
    struct toml_value *t = read_string("a = \"\\u0061\\U00000062\"\nb = 'a\\u0061'\nc = \"\"\"\nx\"\"\"\n");

    ck_assert_str_eq(toml_get_string(t, "a"), "ab");
    ck_assert_str_eq(toml_get_string(t, "b"), "a\\u0061");
    ck_assert_str_eq(toml_get_string(t, "c"), "x");
}
END_TEST

/* codex 0.171 takes these. */
START_TEST(what_toml_1_1_adds_is_read)
{
    struct toml_value *t = read_string("a = \"\\x64\\e\"\nt = {\n  k = \"v\",\n}\n");

    ck_assert_str_eq(toml_get_string(t, "a"), "d\x1b");
    ck_assert_str_eq(toml_get_string(toml_get(t, "t"), "k"), "v");
}
END_TEST

START_TEST(a_nul_in_a_string_does_not_end_it)
{
    ck_assert_str_eq(toml_get_string(read_string("a = \"x\\u0000y\""), "a"), "x\xef\xbf\xbdy");
}
END_TEST

START_TEST(an_error_has_line_and_column)
{
    struct toml_error error = rejected("a = 1\nx = = 1\n", 14);

    ck_assert_uint_eq(error.line, 2);
    ck_assert_uint_eq(error.column, 5);
}
END_TEST

START_TEST(what_is_no_toml_is_rejected)
{
    rejected("x", 1);
    rejected("x = 1\nx = 2\n", 12);
    rejected("x = \"\xff\"", 7);
    rejected("x = \"\0\"", 7);
    rejected("x = [1", 6);
    rejected("\xef\xbb", 2);
    rejected("[\x1b]\n", 4);
    rejected("[a.\x1b]\n", 6);
    rejected("x = {\x01", 6);
}
END_TEST

START_TEST(an_empty_document_is_an_empty_table)
{
    ck_assert_uint_eq(read_string("")->count, 0);
    ck_assert_uint_eq(read_string("# only this\n")->count, 0);
}
END_TEST

/* Fills a buffer of n copies of a part between two ends. */
static char *
repeat(const char *head, const char *part, size_t n, const char *tail)
{
    char *s = mem_alloc(m, strlen(head) + n * strlen(part) + strlen(tail) + 1), *to = stpcpy(s, head);

    while (n-- > 0)
        to = stpcpy(to, part);
    strcpy(to, tail);
    return s;
}

START_TEST(deep_documents_do_not_take_the_stack)
{
    char *s;

    s = repeat("x = ", "[", 100000, "");
    rejected(s, strlen(s));
    s = repeat("", "a.", 100000, "a = 1");
    rejected(s, strlen(s));
    s = repeat("[", "a . ", 100000, "a]\n");
    rejected(s, strlen(s));
    s = repeat("", "\"a\".", 100000, "a = 1");
    rejected(s, strlen(s));
    s = repeat("x = ", "{a.a.a.a=", 1000, "1");
    rejected(s, strlen(s));
}
END_TEST

START_TEST(long_documents_and_prose_are_read)
{
    char *s = repeat("x = \"", "A sentence ends. Another... 1.2.3 www.example.com. ", 1000, "\"\n");

    ck_assert_ptr_nonnull(toml_get_string(read_string(s), "x"));
    s = repeat("x = [", "\"/a.b.c\", ", 10000, "]\n");
    ck_assert_uint_eq(toml_get(read_string(s), "x")->count, 10000);
    s = repeat("", "a.", 100, "a = 1\n");
    ck_assert_ptr_nonnull(toml_get(read_string(s), "a"));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("toml");
    TCase *t = tcase_create("toml");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, values_keep_their_types);
    tcase_add_test(t, strings_are_decoded);
    tcase_add_test(t, what_toml_1_1_adds_is_read);
    tcase_add_test(t, a_nul_in_a_string_does_not_end_it);
    tcase_add_test(t, an_error_has_line_and_column);
    tcase_add_test(t, what_is_no_toml_is_rejected);
    tcase_add_test(t, an_empty_document_is_an_empty_table);
    tcase_add_test(t, deep_documents_do_not_take_the_stack);
    tcase_add_test(t, long_documents_and_prose_are_read);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
