#include "tail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
tail_init(struct tail *t, int fd, uint64_t size, const char *word)
{
    t->fd = fd;
    t->word = word;
    t->word_length = strlen(word);
    t->line_end = t->at = size;
    t->scanned = 0;
    t->hit = false;
    t->start = 0;
    t->loaded = 0;
    t->line = NULL;
}

void
tail_free(struct tail *t)
{
    free(t->line);
    t->line = NULL;
}

/* Reads exactly n bytes. */
static bool
read_at(int fd, char *buffer, size_t n, uint64_t offset)
{
    while (n > 0) {
        ssize_t got = pread(fd, buffer, n, (off_t)offset);

        if (got == -1 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got == 0)
                errno = EIO;
            return false;
        }
        buffer += got;
        n -= (size_t)got;
        offset += (size_t)got;
    }
    return true;
}

/* Loads the block before t->at, and the few bytes behind it in which a word can end that begins before it. */
static bool
load(struct tail *t)
{
    uint64_t end = t->at + t->word_length - 1;

    if (end > t->line_end)
        end = t->line_end;
    t->start = t->at > TAIL_BLOCK ? t->at - TAIL_BLOCK : 0;
    t->loaded = (size_t)(end - t->start);
    t->scanned += t->at - t->start;
    return read_at(t->fd, t->block, t->loaded, t->start);
}

/* Gives out the line from offset from to offset to. */
static enum tail_result
give(struct tail *t, uint64_t from, uint64_t to, const char **line, size_t *length)
{
    if (to - from > TAIL_LINE_MAX)
        return TAIL_TOO_LONG;
    *length = (size_t)(to - from);
    if (from >= t->start && to <= t->start + t->loaded) {
        *line = t->block + (from - t->start);
        return TAIL_LINE;
    }
    free(t->line);
    *line = t->line = malloc(*length);
    return t->line != NULL && read_at(t->fd, t->line, *length, from) ? TAIL_LINE : TAIL_ERROR;
}

/* Whether the word is in the block from p on, up to the end of the line that is looked at. */
static bool
has_word(const struct tail *t, const char *p)
{
    const char *end = t->block + (t->line_end < t->start + t->loaded ? t->line_end - t->start : t->loaded);

    return memmem(p, (size_t)(end - p), t->word, t->word_length) != NULL;
}

/* Passes over a whole block in which the word is not, and which no line with the word reaches into: as nearly all of a
 * large file. Only the line that begins before the block goes on. */
static void
pass_block(struct tail *t)
{
    const char *newline = memchr(t->block, '\n', (size_t)(t->at - t->start));

    if (newline != NULL)
        t->line_end = t->start + (uint64_t)(newline - t->block);
    t->at = t->start;
}

enum tail_result
tail_next(struct tail *t, const char **line, size_t *length)
{
    while (t->at > 0) {
        const char *newline, *segment;

        if (t->loaded == 0 || t->at <= t->start) {
            if (t->scanned >= TAIL_SCAN_MAX)
                return TAIL_TOO_FAR;
            if (!load(t))
                return TAIL_ERROR;
            if (!t->hit && !has_word(t, t->block)) {
                pass_block(t);
                continue;
            }
        }
        newline = memrchr(t->block, '\n', (size_t)(t->at - t->start));
        segment = newline == NULL ? t->block : newline + 1;
        t->hit = t->hit || has_word(t, segment);
        if (newline == NULL) {
            t->at = t->start;
        } else {
            uint64_t from = t->start + (uint64_t)(segment - t->block), to = t->line_end;
            bool hit = t->hit;

            t->line_end = t->at = from - 1;
            t->hit = false;
            if (hit)
                return give(t, from, to, line, length);
        }
    }
    if (!t->hit)
        return TAIL_NONE;
    t->hit = false;
    return give(t, 0, t->line_end, line, length);
}
