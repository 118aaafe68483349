/* haccess-log follow: launches as they are recorded, over all runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../shim/journal/place.h"
#include "view.h"
#include "watch.h"
#include "when.h"

/* Records that are remembered of each journal: should it be written anew, they are not shown again. */
#define SHOWN_MAX 1024

/* Times are taken before the lock, so that records can be out of order by as long as that is waited for. */
#define DISORDER_MS 5000

struct shown_record {
    uint64_t hash;
    int64_t ts;
};

/* A run's journal in one place, as far as it was read. No file stays open, and what has no news takes little room. */
struct followed {
    char *run;
    const char *root;
    dev_t dev;
    ino_t ino;
    off_t next;  /* where the next line begins */
    int64_t ts;  /* of the last line */
    bool gone;   /* it was removed, and what comes in its place is another one */
    bool reborn; /* that came */
    bool anew;   /* it was written anew, perhaps not all of it yet: what was shown is not shown again */
    off_t
        last; /* where the last line begins, and what it was: another one there means that the file was written anew */
    size_t last_length;
    uint64_t last_hash;
    struct shown_record *shown; /* a ring */
    size_t nshown;
};

struct follow {
    struct log *log;
    int64_t from;
    struct followed *items;
    size_t count, room;
    char last_run[256]; /* that the last line on the screen belongs to */
    struct lines_on lines;
};

/* What will come is not known, so the widths are those of usual words. */
#define COLUMNS 7
static const struct column widths[COLUMNS] = {{.width = 8}, {.width = 3},  {.width = 8}, {.width = 15},
                                              {.width = 6}, {.width = 13}, {.width = 0}};

static void
print_launch(struct mem *m, const struct log *l, const struct entry *e, const struct view *v)
{
    struct cell row[COLUMNS];

    row[0] = (struct cell){when_time(m, e->ts, l->options.utc), PLAIN};
    row[1] = (struct cell){v->id == NULL ? NONE : shown(m, v->id), PLAIN};
    row[2] = (struct cell){word_adapter(m, v), PLAIN};
    row[3] = (struct cell){v->model == NULL ? NONE : shown(m, v->model), PLAIN};
    row[4] = (struct cell){v->effort == NULL ? NONE : shown(m, v->effort), PLAIN};
    row[5] = cell_access(m, v);
    row[6] = (struct cell){word_why(m, v), PLAIN};
    table_row(m, widths, COLUMNS, row);
}

/* Prints an entry that is wanted. */
static void
print_entry(struct follow *f, const char *run, const struct entry *e)
{
    const struct log *l = f->log;
    struct mem *m = mem_new();
    struct view v;

    if (l->options.json) {
        put_entry(e);
    } else {
        if (strcmp(f->last_run, run) != 0) {
            snprintf(f->last_run, sizeof(f->last_run), "%s", run);
            put(BOLD, mem_printf(m, "%s\n", run));
        }
        if (view_of(e, &v))
            print_launch(m, l, e, &v);
        else
            put_other(m, e, l->options.utc);
    }
    fflush(stdout);
    mem_free(m);
}

static bool
is_wanted(const struct log *l, const struct entry *e)
{
    struct view v;

    if (view_of(e, &v))
        return filter_matches(&l->options.filter, &v, e->ts);
    return !filter_given(&l->options.filter) && (l->options.json || is_other(e));
}

static uint64_t
hash_line(const char *text, size_t n)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return h;
}

/* Whether a line of a file that was written anew was shown before, or is older than what is remembered. */
static bool
is_old(const struct followed *j, int64_t from, int64_t ts, uint64_t hash)
{
    size_t n = j->nshown < SHOWN_MAX ? j->nshown : SHOWN_MAX;

    if (ts < (j->nshown > SHOWN_MAX ? j->shown[j->nshown % SHOWN_MAX].ts : from))
        return true;
    for (size_t i = 0; i < n; i++)
        if (j->shown[i].hash == hash)
            return true;
    return false;
}

static void
remember(struct followed *j, int64_t ts, uint64_t hash)
{
    if (j->shown == NULL)
        j->shown = calloc(SHOWN_MAX, sizeof(*j->shown));
    if (j->shown != NULL)
        j->shown[j->nshown++ % SHOWN_MAX] = (struct shown_record){hash, ts};
}

/* Returns the journal, which is added when it is new. NULL: no memory. */
static struct followed *
find(struct follow *f, const char *root, const char *run, bool *added)
{
    *added = false;
    for (size_t i = f->count; i-- > 0;)
        if (strcmp(f->items[i].run, run) == 0 && strcmp(f->items[i].root, root) == 0)
            return &f->items[i];
    if (f->count == f->room) {
        size_t room = f->room == 0 ? 64 : 2 * f->room;
        struct followed *grown = reallocarray(f->items, room, sizeof(*grown));

        if (grown == NULL)
            return NULL;
        f->items = grown;
        f->room = room;
    }
    f->items[f->count] = (struct followed){.run = strdup(run), .root = root};
    if (f->items[f->count].run == NULL)
        return NULL;
    *added = true;
    return &f->items[f->count++];
}

/* Goes to the first record that is not older than what is asked for. */
static void
skip_old(const struct follow *f, struct followed *j, int fd, off_t size)
{
    struct lines_back *b = calloc(1, sizeof(*b));
    struct line line;

    j->next = size;
    if (b == NULL)
        return;
    b->fd = fd;
    b->end = size;
    while (line_back(b, &line) == 1) {
        cJSON *record = line_record(&line);
        int64_t ts = record_time(record_string(record, "ts"));

        cJSON_Delete(record);
        if (ts != -1 && ts < f->from - DISORDER_MS && line.terminated)
            break;
        j->next = line.start;
    }
    free(b);
}

/* Whether the file is the one that was read so far, with more behind it. */
static bool
goes_on(const struct followed *j, int fd, const struct stat *st)
{
    char *text;
    bool same;

    if (st->st_dev != j->dev || st->st_ino != j->ino || st->st_size < j->next)
        return false;
    if (j->last_length == 0)
        return true;
    text = malloc(j->last_length);
    same = text != NULL && pread(fd, text, j->last_length, j->last) == (ssize_t)j->last_length &&
           hash_line(text, j->last_length) == j->last_hash;
    free(text);
    return same;
}

static int64_t
count_lines(int fd, off_t end)
{
    char block[8192];
    int64_t n = 0;
    ssize_t got;

    for (off_t at = 0; at < end && (got = pread(fd, block, sizeof(block), at)) > 0; at += got)
        for (ssize_t i = 0; i < got && at + i < end; i++)
            n += block[i] == '\n';
    return n;
}

/* Reads what is new. A last line without its end is still being written. */
static void
read_on(struct follow *f, struct followed *j, int fd, bool spool, int64_t from)
{
    struct entry e;

    memset(&e, 0, sizeof(e));
    memset(&f->lines, 0, offsetof(struct lines_on, window));
    f->lines.fd = fd;
    f->lines.next = j->next;
    while (line_on(&f->lines, &e.line) == 1 && e.line.terminated) {
        uint64_t hash = e.line.text == NULL ? 0 : hash_line(e.line.text, e.line.length);

        entry_read(&e, NULL, j->ts);
        e.spool = spool;
        e.number = e.problem == NULL ? 0 : count_lines(fd, e.line.start) + 1;
        j->ts = e.ts;
        j->next = f->lines.next;
        j->last = e.line.start;
        j->last_length = e.line.text == NULL ? 0 : e.line.length;
        j->last_hash = hash;
        if (e.ts >= from && !(j->anew && is_old(j, from, e.ts, hash)) && is_wanted(f->log, &e)) {
            remember(j, e.ts, hash);
            print_entry(f, j->run, &e);
        }
        cJSON_Delete(e.record);
    }
}

static void
read_changed(struct follow *f, struct followed *j, int fd, bool begin, bool spool)
{
    int64_t from = INT64_MIN;
    struct stat st;

    if (fstat(fd, &st) == -1)
        return;
    if (begin) {
        from = f->from;
        skip_old(f, j, fd, st.st_size);
    } else if (j->ino != 0 && (j->gone || !goes_on(j, fd, &st))) {
        j->anew = true;
        j->reborn = j->gone;
        j->next = 0;
        j->last_length = 0;
    }
    if (j->anew && !j->reborn)
        from = f->from;
    j->gone = false;
    j->dev = st.st_dev;
    j->ino = st.st_ino;
    read_on(f, j, fd, spool, from);
}

static void
changed(void *data, const char *root, bool spool, const char *run, bool known)
{
    struct follow *f = data;
    int runs = place_runs(root, spool, f->log->where.uid), fd = runs == -1 ? -1 : place_read(runs, run);
    bool added;
    struct followed *j = find(f, root, run, &added);

    if (runs != -1)
        close(runs);
    if (j != NULL && fd == -1)
        j->gone = true;
    if (j != NULL && fd != -1)
        read_changed(f, j, fd, added && known, spool);
    if (fd != -1)
        close(fd);
}

int
view_follow(struct log *l, int argc, char **argv)
{
    struct follow *f = mem_alloc(l->mem, sizeof(*f));
    struct watch *w;

    (void)argc, (void)argv;
    f->log = l;
    f->from = l->options.filter.since != -1 ? l->options.filter.since : l->where.now;
    l->options.filter.since = -1;
    w = watch_open(&l->where, l->mem, changed, f);
    while (!ferror(stdout) && watch_wait(w))
        ;
    return EXIT_FOUND;
}
