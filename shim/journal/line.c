#include "line.h"

#include <errno.h>
#include <sha2.h>
#include <string.h>
#include <unistd.h>

const char hash_zero[HASH_SIZE] = "0000000000000000000000000000000000000000000000000000000000000000";

/* pread until n bytes or the end of the file. Returns the count, or -1. */
static ssize_t
read_at(int fd, char *to, size_t n, off_t at)
{
    size_t have = 0;

    while (have < n) {
        ssize_t r = pread(fd, to + have, n - have, at + (off_t)have);

        if (r == -1 && errno == EINTR)
            continue;
        if (r == -1)
            return -1;
        if (r == 0)
            break;
        have += (size_t)r;
    }
    return (ssize_t)have;
}

/* Makes the window end at the offset upto. */
static int
fill_back(struct lines_back *b, off_t upto)
{
    size_t want = upto < LINE_WINDOW ? (size_t)upto : LINE_WINDOW;
    ssize_t r;

    b->base = upto - (off_t)want;
    r = read_at(b->fd, b->window, want, b->base);
    if (r == -1 || (size_t)r != want) {
        b->have = 0;
        if (r != -1)
            errno = EIO; /* the file shrank */
        return -1;
    }
    b->have = want;
    return 0;
}

/* Returns whether the window holds the bytes from start to end. */
static bool
covers(off_t base, size_t have, off_t start, off_t end)
{
    return have != 0 && base <= start && end <= base + (off_t)have;
}

/* A line that is longer is not looked through: a file without a newline can be as large as a file system takes (it may
 * have no blocks at all), and a launch waits. */
#define BACK_MAX (64 << 20)

int
line_back(struct lines_back *b, struct line *out)
{
    off_t end = b->end, pos;
    const char *newline;

    if (end == 0)
        return 0;
    if (!covers(b->base, b->have, end - 1, end) && fill_back(b, end) == -1)
        return -1;
    out->terminated = b->window[end - 1 - b->base] == '\n';
    if (out->terminated)
        end--;
    out->start = 0;
    for (pos = end; pos > 0; pos = b->base) {
        if (end - pos > BACK_MAX) {
            errno = EFBIG;
            return -1;
        }
        if (!covers(b->base, b->have, pos - 1, pos) && fill_back(b, pos) == -1)
            return -1;
        newline = memrchr(b->window, '\n', (size_t)(pos - b->base));
        if (newline != NULL) {
            out->start = b->base + (newline - b->window) + 1;
            break;
        }
    }
    out->length = (size_t)(end - out->start);
    out->text = NULL;
    if (out->length <= RECORD_MAX) {
        if (!covers(b->base, b->have, out->start, end) && fill_back(b, end) == -1)
            return -1;
        out->text = b->window + (out->start - b->base);
    }
    b->end = out->start;
    return 1;
}

void
hash_bytes(const void *bytes, size_t n, char out[HASH_SIZE])
{
    SHA256Data(bytes, n, out);
}

int
hash_part(int fd, off_t start, size_t n, char out[HASH_SIZE])
{
    char block[8192];
    SHA2_CTX c;

    SHA256Init(&c);
    while (n > 0) {
        ssize_t r = read_at(fd, block, n < sizeof(block) ? n : sizeof(block), start);

        if (r <= 0)
            return r == 0 ? EIO : errno;
        SHA256Update(&c, (const uint8_t *)block, (size_t)r);
        start += r;
        n -= (size_t)r;
    }
    SHA256End(&c, out);
    return 0;
}

/* Makes the window begin at the offset from. Returns 0 at the end of the file, -1 with errno. */
static int
fill_on(struct lines_on *l, off_t from)
{
    ssize_t r = read_at(l->fd, l->window, LINE_WINDOW, from);

    l->base = from;
    l->have = r > 0 ? (size_t)r : 0;
    return r > 0 ? 1 : (int)r;
}

/* Returns where the next byte that was written is: a hole has no newline, and may be longer than any disk. */
static off_t
behind_hole(int fd, off_t from)
{
    off_t data = lseek(fd, from, SEEK_DATA);

    if (data == -1 && errno == ENXIO)
        data = lseek(fd, 0, SEEK_END);
    return data > from ? data : from;
}

/* Returns the offset of the first newline at or behind from, or the end of the file with *found false; -1 with errno. */
static off_t
find_newline(struct lines_on *l, off_t from, bool *found)
{
    for (;;) {
        if (covers(l->base, l->have, from, from + 1)) {
            const char *at = l->window + (from - l->base);
            const char *newline = memchr(at, '\n', l->have - (size_t)(at - l->window));

            *found = newline != NULL;
            if (*found)
                return l->base + (newline - l->window);
            from = behind_hole(l->fd, l->base + (off_t)l->have);
        }
        *found = false;
        int r = fill_on(l, from);
        if (r <= 0)
            return r == 0 ? from : -1;
    }
}

int
line_on(struct lines_on *l, struct line *out)
{
    bool found;
    off_t end = find_newline(l, l->next, &found);

    if (end == -1)
        return -1;
    if (end == l->next && !found)
        return 0;
    out->start = l->next;
    out->length = (size_t)(end - out->start);
    out->terminated = found;
    out->text = NULL;
    if (out->length <= RECORD_MAX) {
        if (out->length != 0 && !covers(l->base, l->have, out->start, end)) {
            int r = fill_on(l, out->start);
            if (r == -1)
                return -1;
            if (!covers(l->base, l->have, out->start, end)) {
                errno = EIO;
                return -1;
            }
        }
        out->text = out->length == 0 ? "" : l->window + (out->start - l->base);
    }
    if (l->hash) {
        if (out->text != NULL) {
            hash_bytes(out->text, out->length, l->sha256);
        } else {
            int e = hash_part(l->fd, out->start, out->length, l->sha256);
            if (e != 0) {
                errno = e;
                return -1;
            }
        }
    }
    l->next = end + (found ? 1 : 0);
    return 1;
}

cJSON *
line_record(const struct line *l)
{
    const char *end = NULL;
    cJSON *record;

    /* A NUL would end the parser's text early; no record has one. */
    if (l->text == NULL || memchr(l->text, '\0', l->length) != NULL)
        return NULL;
    record = cJSON_ParseWithLengthOpts(l->text, l->length, &end, 0);
    if (record == NULL)
        return NULL;
    while (end < l->text + l->length && strchr(" \t\r", *end) != NULL)
        end++;
    if (!cJSON_IsObject(record) || end != l->text + l->length) {
        cJSON_Delete(record);
        return NULL;
    }
    return record;
}

const char *
record_string(const cJSON *record, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(record, name));
}

int64_t
record_seq(const cJSON *record)
{
    const cJSON *seq = cJSON_GetObjectItemCaseSensitive(record, "seq");
    double v;

    if (!cJSON_IsNumber(seq))
        return -1;
    v = seq->valuedouble;
    if (!(v >= 0 && v < 9007199254740992.0) || v != (double)(int64_t)v)
        return -1;
    return (int64_t)v;
}
