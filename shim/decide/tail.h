/* The lines of a file from its end, as far as they hold a word. Files are gigabytes, lines can be megabytes: memory is one
 * block, and one line that was asked for. */
#ifndef HACCESS_TAIL_H
#define HACCESS_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAIL_BLOCK    (64 * 1024)
#define TAIL_WORD_MAX 64
#define TAIL_LINE_MAX (1024 * 1024)
#define TAIL_SCAN_MAX ((uint64_t)4 << 30)

struct tail {
    int fd;
    const char *word;
    size_t word_length;
    uint64_t line_end; /* end of the line that is looked at, without its newline */
    uint64_t at;       /* what is behind this offset, up to line_end, was looked at */
    uint64_t scanned;
    bool hit;       /* ... and has the word */
    uint64_t start; /* offset of the block */
    size_t loaded;  /* its length; 0: none */
    char *line;     /* a line that is longer than the block */
    char block[TAIL_BLOCK + TAIL_WORD_MAX];
};

enum tail_result {
    TAIL_LINE,
    TAIL_NONE,     /* the beginning of the file was reached */
    TAIL_TOO_LONG, /* the line is longer than TAIL_LINE_MAX */
    TAIL_TOO_FAR,  /* TAIL_SCAN_MAX bytes hold none */
    TAIL_ERROR,    /* errno; EIO also when the file became shorter */
};

/* Begins at the end of a file of size bytes. word is at most TAIL_WORD_MAX long, without a newline, and not copied. */
void tail_init(struct tail *t, int fd, uint64_t size, const char *word);

/* Finds the next line that holds the word, going backwards. A last line without a newline counts. *line, of *length bytes
 * without its newline and not NUL-terminated, is valid until the next call. */
enum tail_result tail_next(struct tail *t, const char **line, size_t *length);

/* Frees what t holds; fd stays open. */
void tail_free(struct tail *t);

#endif
