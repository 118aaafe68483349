#include "diff.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Whether two recorded words are the same: strings, or digests of the same bytes. */
static bool
same(const cJSON *a, const cJSON *b)
{
    const char *x = record_string(a, "sha256"), *y = record_string(b, "sha256");

    if (cJSON_IsString(a) && cJSON_IsString(b))
        return strcmp(a->valuestring, b->valuestring) == 0;
    return x != NULL && y != NULL && strcmp(x, y) == 0;
}

/* Prints words from..end on one line. */
static void
print_words(struct mem *m, const struct words *w, size_t from, size_t end, bool added)
{
    if (from == end)
        return;
    put(added ? GREEN : RED, added ? "       +" : "       -");
    for (size_t i = from; i < end; i++) {
        putchar(' ');
        put(added ? GREEN : RED, word_shown(m, w, i));
    }
    putchar('\n');
}

/* More cells than this are not compared word for word; no command line that haccess writes comes near. */
#define CELLS_MAX 4000000

/* The lengths of the longest common subsequences of all ends of the two. */
static uint16_t *
subsequences(struct mem *m, const struct words *from, size_t rows, const struct words *to, size_t cols,
             size_t start)
{
    uint16_t *t = mem_array(m, (rows + 1) * (cols + 1), sizeof(*t));

    for (size_t i = rows; i-- > 0;)
        for (size_t k = cols; k-- > 0;) {
            uint16_t *cell = &t[i * (cols + 1) + k];
            uint16_t down = t[(i + 1) * (cols + 1) + k], right = cell[1];

            if (same(from->items[start + i], to->items[start + k]))
                *cell = (uint16_t)(t[(i + 1) * (cols + 1) + k + 1] + 1);
            else
                *cell = down > right ? down : right;
        }
    return t;
}

bool
diff_print(struct mem *m, const struct words *from, const struct words *to)
{
    size_t start = 0, a = from->argc, b = to->argc, i = 0, k = 0, rows, cols;
    uint16_t *t;

    while (start < a && start < b && same(from->items[start], to->items[start]))
        start++;
    while (a > start && b > start && same(from->items[a - 1], to->items[b - 1]))
        a--, b--;
    rows = a - start;
    cols = b - start;
    if (rows == 0 && cols == 0)
        return false;
    if (rows >= UINT16_MAX || cols >= UINT16_MAX || (rows + 1) * (cols + 1) > CELLS_MAX) {
        print_words(m, from, start, a, false);
        print_words(m, to, start, b, true);
        return true;
    }
    t = subsequences(m, from, rows, to, cols, start);
    while (i < rows || k < cols) {
        size_t removed = i, added = k;

        while (i < rows || k < cols) {
            if (i < rows && k < cols && same(from->items[start + i], to->items[start + k]))
                break;
            if (i < rows && (k == cols || t[(i + 1) * (cols + 1) + k] >= t[i * (cols + 1) + k + 1]))
                i++;
            else
                k++;
        }
        print_words(m, from, start + removed, start + i, false);
        print_words(m, to, start + added, start + k, true);
        while (i < rows && k < cols && same(from->items[start + i], to->items[start + k]))
            i++, k++;
    }
    return true;
}
