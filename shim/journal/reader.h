/* Reading the journal: runs, and the records of one run in order, from all the places it was written to. Memory does not
 * grow with a journal, nothing that is in one is fatal, and nothing is dropped. Source: journal specification. */
#ifndef HACCESS_READER_H
#define HACCESS_READER_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "../mem.h"
#include "glance.h"
#include "journal.h"
#include "line.h"

/* Places that one run may have: the state directory and four spools (place_all). */
#define PLACES_MAX 5

/* One file of a run. */
struct run_file {
    const char *root; /* of the place */
    bool spool;
};

struct run_entry {
    const char *id;
    int64_t started; /* milliseconds since 1970: of its first readable record, else of the file */
    int64_t changed; /* when its files were last written */
    struct run_file files[PLACES_MAX];
    size_t nfiles;
};

/* All runs, newest first. */
struct run_list {
    struct run_entry *items;
    size_t count, room;
    struct strings problems; /* places that are there and cannot be read: path and why */
};

/* Finds the runs of a user in all places. A place that is not there is none; a spool that is not the user's own is not
 * looked at. */
void run_list_read(const struct journal_host *where, struct mem *m, struct run_list *out);

/* Returns the run that text names: an id, a unique prefix of one, or @N (@1 the newest); NULL: the newest. Returns NULL
 * with *problem set when there is none, or more than one. */
const struct run_entry *run_list_find(const struct run_list *l, struct mem *m, const char *text,
                                      const char **problem);

/* One record, or what stands in its place. Valid until the next call. */
struct entry {
    cJSON *record;               /* NULL: it cannot be read as one, or was not read yet (run_glances) */
    const struct glance *glance; /* what it says; NULL: record is set, or it cannot be read */
    const char *problem; /* why: "torn", "longer than 16 KiB", "not a JSON object"; NULL: it is a record */
    struct line line;    /* its bytes; text NULL when it is too long */
    int64_t number;      /* of the line in its file, from 1 */
    size_t file;         /* index in the run's files */
    bool spool;          /* the file is in a spool, whatever the record says */
    const char *path;    /* of the file */
    int64_t ts;          /* milliseconds since 1970; of the line before when it has none */
    const char
        *broken; /* what does not fit the chain ("prev does not match"); NULL: it does, or not asked for */
    char sha256[HASH_SIZE]; /* of the line; only with chain */
};

struct run_reader;

/* Opens the files of a run. chain: check seq and prev of every line, which costs a hash of each. Never fails: a file that
 * cannot be opened is a problem in *problems (path and why), and empty. */
struct run_reader *run_open(const struct run_entry *run, const struct journal_host *where, struct mem *m,
                            bool chain, struct strings *problems);

/* Gives the next record in the order of time, and within a file in its order. Returns false at the end; asked again, it
 * gives what was written since. */
bool run_next(struct run_reader *r, struct entry *out);

/* From now on records are only glanced at where that suffices to know what they say; not where the chain is checked. */
void run_glances(struct run_reader *r);

/* Returns the record of the entry that was given last, which is read now where it was only glanced at. */
const cJSON *run_record(struct run_reader *r, struct entry *e);

/* Fills in what an entry says, from its line: record (the caller's to delete), problem and ts. glance: what was seen of it
 * already, NULL: nothing. before: the time of the line before. */
void entry_read(struct entry *e, const struct glance *g, int64_t before);

/* Returns how many lines were given so far that cannot be read as records. */
size_t run_unread(const struct run_reader *r);

/* Returns the descriptor of a file of the run, or -1. */
int run_fd(const struct run_reader *r, size_t file);

void run_close(struct run_reader *r);

/* Reads "2026-11-30T20:29:15.123Z". Returns milliseconds since 1970, or -1. */
int64_t record_time(const char *ts);

#endif
