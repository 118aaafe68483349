/* Lines of a journal, read from either end with bounded memory. */
#ifndef HACCESS_LINE_H
#define HACCESS_LINE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Longest line that is written, with its newline. A longer one is never held in memory. */
#define RECORD_MAX 16384

/* Hexadecimal SHA-256 with its NUL. */
#define HASH_SIZE 65

/* The prev of a first record. */
extern const char hash_zero[HASH_SIZE];

struct line {
    const char
        *text; /* without the newline, not terminated, until the next call; NULL: longer than RECORD_MAX */
    size_t length;   /* in bytes, without the newline */
    off_t start;     /* offset in the file */
    bool terminated; /* it has its newline; false: torn, or being written */
};

#define LINE_WINDOW (4 * RECORD_MAX)

/* Lines from the last to the first. Set fd and end (the file's size); the rest zero. */
struct lines_back {
    int fd;
    off_t end;  /* the lines before this are still to come */
    off_t base; /* offset of the window */
    size_t have;
    char window[LINE_WINDOW];
};

/* Gives the next line towards the beginning. Returns 1, 0 when there is none, or -1 with errno (EFBIG: a line of
 * more than 64 MiB). */
int line_back(struct lines_back *b, struct line *out);

/* Lines from the first to the last. Set fd; the rest zero. At the end of a growing file it can be asked again. */
struct lines_on {
    int fd;
    off_t next; /* offset of the next line */
    bool hash;  /* compute the hash of each line */
    char sha256[HASH_SIZE];
    off_t base;
    size_t have;
    char window[LINE_WINDOW];
};

/* Gives the next line. Returns 1, 0 at the end, or -1 with errno. An unterminated last line is given as it is; asking
 * again then goes on behind it. */
int line_on(struct lines_on *l, struct line *out);

/* Reads the record in a line: a JSON object with nothing behind it. Returns the caller's tree, or NULL. */
cJSON *line_record(const struct line *l);

/* Returns a record's string field, or NULL when it is absent or none. Points into the record. */
const char *record_string(const cJSON *record, const char *name);

/* Returns a record's seq, or -1 when it is absent or no sequence number. */
int64_t record_seq(const cJSON *record);

/* Writes the hexadecimal hash of n bytes to out. */
void hash_bytes(const void *bytes, size_t n, char out[HASH_SIZE]);

/* The same for a part of a file. Returns 0 or an errno. */
int hash_part(int fd, off_t start, size_t n, char out[HASH_SIZE]);

#endif
