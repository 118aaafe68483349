/* The reader of lines from the end of a file, against a reader that has the whole file in memory. */
#include "shim/decide/tail.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORD "\"needle\""

static char path[4096];
static int fd;
static struct tail tail;

static void
setup(void)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(path, sizeof(path), "%s/haccess-tail-XXXXXX", tmp == NULL ? "/tmp" : tmp);
    fd = mkstemp(path);
    ck_assert_int_ne(fd, -1);
    unlink(path);
}

static void
teardown(void)
{
    tail_free(&tail);
    close(fd);
}

static void
put(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, text, n);

        ck_assert_int_gt(done, 0);
        text += done;
        n -= (size_t)done;
    }
}

static void
put_text(const char *text)
{
    put(text, strlen(text));
}

static void
put_many(char c, size_t n)
{
    char block[4096];

    memset(block, c, sizeof(block));
    for (; n > sizeof(block); n -= sizeof(block))
        put(block, sizeof(block));
    put(block, n);
}

static void
begin(void)
{
    tail_init(&tail, fd, (uint64_t)lseek(fd, 0, SEEK_CUR), WORD);
}

/* Asserts that the next line found is this one. */
static void
expect(const char *text)
{
    const char *line;
    size_t n;

    ck_assert_int_eq(tail_next(&tail, &line, &n), TAIL_LINE);
    ck_assert_uint_eq(n, strlen(text));
    ck_assert_mem_eq(line, text, n);
}

static void
expect_result(enum tail_result want)
{
    const char *line;
    size_t n;

    ck_assert_int_eq(tail_next(&tail, &line, &n), want);
}

START_TEST(lines_with_the_word_come_last_first)
{
    put_text("a " WORD "\nb\n" WORD " c\nd\n");
    begin();
    expect(WORD " c");
    expect("a " WORD);
    expect_result(TAIL_NONE);
    expect_result(TAIL_NONE);
}
END_TEST

START_TEST(an_unterminated_last_line_counts)
{
    put_text("a " WORD "\nb " WORD);
    begin();
    expect("b " WORD);
    expect("a " WORD);
    expect_result(TAIL_NONE);
}
END_TEST

START_TEST(files_without_the_word_have_none)
{
    begin();
    expect_result(TAIL_NONE);
    put_text("\n\n\n");
    begin();
    expect_result(TAIL_NONE);
    put_text("\"need\nle\" needle");
    begin();
    expect_result(TAIL_NONE);
}
END_TEST

/* A word that lies across the border of two blocks, at each offset. */
START_TEST(a_word_across_blocks_is_found)
{
    for (size_t shift = 0; shift <= strlen(WORD) + 2; shift++) {
        ck_assert_int_eq(ftruncate(fd, 0), 0);
        lseek(fd, 0, SEEK_SET);
        put_text("x" WORD "y\n");
        put_many('z', TAIL_BLOCK - shift);
        begin();
        expect("x" WORD "y");
        expect_result(TAIL_NONE);
        tail_free(&tail);
    }
}
END_TEST

START_TEST(a_line_of_several_blocks_is_given_whole)
{
    const char *line;
    size_t n;

    put_text("first\n" WORD);
    put_many('x', 3 * TAIL_BLOCK);
    put_text("\nlast\n");
    begin();
    ck_assert_int_eq(tail_next(&tail, &line, &n), TAIL_LINE);
    ck_assert_uint_eq(n, strlen(WORD) + 3 * TAIL_BLOCK);
    ck_assert_mem_eq(line, WORD, strlen(WORD));
    ck_assert_int_eq(line[n - 1], 'x');
    expect_result(TAIL_NONE);
}
END_TEST

START_TEST(a_long_line_is_passed_over_without_the_word_and_told_with_it)
{
    put_text(WORD "\n");
    put_many('x', 2 * TAIL_LINE_MAX);
    put_text("\nend\n");
    begin();
    expect(WORD);
    put_text(WORD);
    put_many('x', TAIL_LINE_MAX);
    begin();
    expect_result(TAIL_TOO_LONG);
}
END_TEST

START_TEST(a_scan_has_an_end)
{
    put_text(WORD "\n");
    ck_assert_int_eq(ftruncate(fd, (off_t)(TAIL_SCAN_MAX + 2 * TAIL_BLOCK)), 0);
    tail_init(&tail, fd, TAIL_SCAN_MAX + 2 * TAIL_BLOCK, WORD);
    /* The hole is not read for this: the limit is one on bytes, and was all but used up. */
    tail.scanned = TAIL_SCAN_MAX - TAIL_BLOCK;
    expect_result(TAIL_TOO_FAR);
}
END_TEST

START_TEST(a_file_that_became_shorter_is_an_error)
{
    put_text(WORD "\n");
    put_many('x', 2 * TAIL_BLOCK);
    begin();
    ck_assert_int_eq(ftruncate(fd, 10), 0);
    expect_result(TAIL_ERROR);
    ck_assert_int_eq(errno, EIO);
}
END_TEST

/* Random files of short and long lines, some with the word. */
START_TEST(it_finds_what_a_forward_reader_finds)
{
    char *text, *end;
    size_t n = 0, room = 600 * 1024;
    unsigned seed = (unsigned)_i + 1;

    text = malloc(room + 1);
    ck_assert_ptr_nonnull(text);
    while (n < room - 100 * 1024) {
        size_t length =
            rand_r(&seed) % 20 == 0 ? (size_t)rand_r(&seed) % (90 * 1024) : (size_t)rand_r(&seed) % 300;

        memset(text + n, 'x', length);
        if (length > 20 && rand_r(&seed) % 3 == 0)
            memcpy(text + n + (size_t)rand_r(&seed) % (length - 10), WORD, strlen(WORD));
        n += length;
        text[n++] = '\n';
    }
    if (_i % 2 == 1)
        n--;
    text[n] = '\0';
    put(text, n);
    begin();
    end = text + n - (_i % 2 == 0 ? 1 : 0);
    while (end >= text) {
        char *line;

        *end = '\0';
        line = memrchr(text, '\n', (size_t)(end - text));
        line = line == NULL ? text : line + 1;
        if (strstr(line, WORD) != NULL)
            expect(line);
        end = line - 1;
    }
    expect_result(TAIL_NONE);
    free(text);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("tail");
    TCase *t = tcase_create("tail");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, lines_with_the_word_come_last_first);
    tcase_add_test(t, an_unterminated_last_line_counts);
    tcase_add_test(t, files_without_the_word_have_none);
    tcase_add_test(t, a_word_across_blocks_is_found);
    tcase_add_test(t, a_line_of_several_blocks_is_given_whole);
    tcase_add_test(t, a_long_line_is_passed_over_without_the_word_and_told_with_it);
    tcase_add_test(t, a_scan_has_an_end);
    tcase_add_test(t, a_file_that_became_shorter_is_an_error);
    tcase_add_loop_test(t, it_finds_what_a_forward_reader_finds, 0, 6);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
