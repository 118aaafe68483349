#include "reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "place.h"

int64_t
record_time(const char *ts)
{
    struct tm tm = {0};
    const char *end = ts == NULL ? NULL : strptime(ts, "%Y-%m-%dT%H:%M:%S", &tm);
    int64_t ms = 0;
    int scale = 100;

    if (end == NULL)
        return -1;
    if (*end == '.')
        for (end++; *end >= '0' && *end <= '9'; end++, scale /= 10)
            ms += (*end - '0') * scale;
    if (strcmp(end, "Z") != 0 || tm.tm_year < 70)
        return -1;
    return (int64_t)timegm(&tm) * 1000 + ms;
}

/* When the run in this file began, and when it was last written. Looks at its first lines only. */
static int64_t
started(int fd, int64_t *changed)
{
    struct lines_on *l = calloc(1, sizeof(*l));
    struct line line;
    int64_t ts = -1;
    struct stat st;

    if (l != NULL) {
        l->fd = fd;
        for (int i = 0; ts == -1 && i < 16 && line_on(l, &line) == 1; i++) {
            cJSON *record = line_record(&line);

            ts = record_time(record_string(record, "ts"));
            cJSON_Delete(record);
        }
        free(l);
    }
    *changed = fstat(fd, &st) == 0 ? (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000 : 0;
    return ts == -1 ? *changed : ts;
}

static void
add_file(struct run_list *l, struct mem *m, const char *id, const char *root, bool spool, int64_t at,
         int64_t changed)
{
    struct run_entry *run = NULL;

    /* Only a spool can have a run that another place has already. */
    for (size_t i = 0; spool && i < l->count && run == NULL; i++)
        if (strcmp(l->items[i].id, id) == 0)
            run = &l->items[i];
    if (run == NULL) {
        if (l->count == l->room) {
            size_t room = l->room == 0 ? 64 : 2 * l->room;
            struct run_entry *items = mem_array(m, room, sizeof(*items));

            if (l->count != 0)
                memcpy(items, l->items, l->count * sizeof(*items));
            l->items = items;
            l->room = room;
        }
        run = &l->items[l->count++];
        run->id = mem_strdup(m, id);
        run->started = at;
    }
    if (at < run->started)
        run->started = at;
    if (changed > run->changed)
        run->changed = changed;
    if (run->nfiles < PLACES_MAX)
        run->files[run->nfiles++] = (struct run_file){root, spool};
}

static void
add_problem(struct mem *m, struct strings *problems, const char *path, int error)
{
    strings_add(
        m, problems,
        mem_printf(m, "%s: %s", path, error == EPERM ? "not this user's own, so not read" : strerror(error)));
}

/* The directories that were read: TMPDIR may name the same one in several ways. */
struct seen {
    dev_t dev[PLACES_MAX];
    ino_t ino[PLACES_MAX];
    size_t count;
};

static bool
is_seen(struct seen *s, int fd)
{
    struct stat st;

    if (fstat(fd, &st) == -1)
        return false;
    for (size_t i = 0; i < s->count; i++)
        if (s->dev[i] == st.st_dev && s->ino[i] == st.st_ino)
            return true;
    s->dev[s->count] = st.st_dev;
    s->ino[s->count++] = st.st_ino;
    return false;
}

static void
read_place(struct run_list *l, struct mem *m, const char *root, bool spool, uid_t uid, struct seen *seen)
{
    int runs = place_runs(root, spool, uid), again = -1;
    struct dirent *d;
    DIR *dir = NULL;

    if (runs != -1 && is_seen(seen, runs)) {
        close(runs);
        return;
    }
    if (runs != -1)
        again = dup(runs);
    if (again != -1)
        dir = fdopendir(again);
    if (dir == NULL) {
        if (errno != ENOENT)
            add_problem(m, &l->problems, root, errno);
        if (again != -1)
            close(again);
        if (runs != -1)
            close(runs);
        return;
    }
    while ((d = readdir(dir)) != NULL) {
        int64_t at, changed;
        int fd;

        if (!run_id_valid(d->d_name))
            continue;
        fd = place_read(runs, d->d_name);
        if (fd == -1) {
            if (errno != ENOENT && errno != ENOTDIR)
                add_problem(m, &l->problems, mem_printf(m, "%s/runs/%s/" JOURNAL_FILE, root, d->d_name),
                            errno);
            continue;
        }
        at = started(fd, &changed);
        add_file(l, m, d->d_name, root, spool, at, changed);
        close(fd);
    }
    closedir(dir);
    close(runs);
}

static int
newest_first(const void *a, const void *b)
{
    const struct run_entry *x = a, *y = b;

    if (x->started != y->started)
        return x->started < y->started ? 1 : -1;
    return strcmp(y->id, x->id);
}

void
run_list_read(const struct journal_host *where, struct mem *m, struct run_list *out)
{
    struct strings places = {0};
    struct seen seen = {.count = 0};

    memset(out, 0, sizeof(*out));
    place_all(m, where, &places);
    for (size_t i = 0; i < places.count && i < PLACES_MAX; i++)
        read_place(out, m, places.items[i], i > 0 || where->state == NULL, where->uid, &seen);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof(*out->items), newest_first);
}

const struct run_entry *
run_list_find(const struct run_list *l, struct mem *m, const char *text, const char **problem)
{
    const struct run_entry *found = NULL;
    size_t matches = 0, n = 1;

    if (text == NULL || text[0] == '@') {
        char *end = NULL;

        if (text != NULL) {
            errno = 0;
            n = strtoul(text + 1, &end, 10);
            if (text[1] < '0' || text[1] > '9' || *end != '\0' || errno != 0 || n == 0) {
                *problem = mem_printf(m, "%s: not a run: @1 is the newest, @2 the one before", text);
                return NULL;
            }
        }
        if (n <= l->count)
            return &l->items[n - 1];
        *problem = l->count == 0 ? "there is no run yet"
                                 : mem_printf(m, "%s: no such run; there %s %zu", text,
                                              l->count == 1 ? "is" : "are", l->count);
        return NULL;
    }
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(l->items[i].id, text) == 0)
            return &l->items[i];
        if (strncmp(l->items[i].id, text, strlen(text)) == 0) {
            found = &l->items[i];
            matches++;
        }
    }
    if (matches == 1)
        return found;
    *problem = matches == 0 ? mem_printf(m, "%s: no such run", text)
                            : mem_printf(m, "%s: %zu runs begin so", text, matches);
    return NULL;
}

/* One file, with its next line read ahead. */
struct part {
    const char *path;
    size_t index;
    bool spool;
    bool ready; /* next holds a line that was not given yet */
    struct entry next;
    int64_t number, ts;
    char prev[HASH_SIZE];
    struct lines_on lines;
    struct glance glance;
};

struct run_reader {
    struct part *parts[PLACES_MAX];
    size_t nparts;
    const char *run;
    bool chain, glances;
    struct part *given; /* whose line is with the caller */
    size_t unread;
};

struct run_reader *
run_open(const struct run_entry *run, const struct journal_host *where, struct mem *m, bool chain,
         struct strings *problems)
{
    struct run_reader *r = mem_alloc(m, sizeof(*r));

    r->chain = chain;
    r->run = run->id;
    for (size_t i = 0; i < run->nfiles; i++) {
        int runs = place_runs(run->files[i].root, run->files[i].spool, where->uid);
        int fd = runs == -1 ? -1 : place_read(runs, run->id);
        const char *path = mem_printf(m, "%s/runs/%s/" JOURNAL_FILE, run->files[i].root, run->id);
        struct part *p;

        if (fd == -1)
            add_problem(m, problems, path, errno);
        if (runs != -1)
            close(runs);
        if (fd == -1)
            continue;
        p = calloc(1, sizeof(*p));
        if (p == NULL) {
            add_problem(m, problems, path, ENOMEM);
            close(fd);
            continue;
        }
        p->path = path;
        p->index = i;
        p->spool = run->files[i].spool;
        p->lines.fd = fd;
        p->lines.hash = chain;
        memcpy(p->prev, hash_zero, sizeof(p->prev));
        r->parts[r->nparts++] = p;
    }
    return r;
}

/* A line without an end may be in the middle of being written: what holds while nobody has the lock is final. */
static void
let_writer_finish(int fd)
{
    const struct timespec pause = {0, 5000000};

    for (int i = 0; i < 20; i++) {
        if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
            flock(fd, LOCK_UN);
            return;
        }
        nanosleep(&pause, NULL);
    }
}

/* Says what is wrong with a line's place in the chain, or NULL. */
static const char *
check_chain(const struct run_reader *r, const struct part *p, const cJSON *record)
{
    const char *prev = record_string(record, "prev"), *run = record_string(record, "run_id");

    if (record_seq(record) != p->number - 1)
        return record_seq(record) == -1 ? "no seq" : "seq is not the line's number";
    if (prev == NULL || strcmp(prev, p->prev) != 0)
        return "prev does not match";
    if (run == NULL || strcmp(run, r->run) != 0)
        return "run_id is another run's";
    if (!p->next.line.terminated)
        return "the line has no end"; /* the record is whole, and what was written is not */
    return NULL;
}

void
entry_read(struct entry *e, const struct glance *g, int64_t before)
{
    e->glance = g;
    e->record = g != NULL ? NULL : line_record(&e->line);
    e->broken = e->problem = NULL;
    if (e->record == NULL && g == NULL)
        e->problem = !e->line.terminated    ? "torn"
                     : e->line.text == NULL ? "longer than 16 KiB"
                                            : "not a JSON object";
    e->ts = record_time(g != NULL ? g->ts : record_string(e->record, "ts"));
    if (e->ts == -1)
        e->ts = before;
}

/* Reads a file's next line ahead. */
static void
read_ahead(struct run_reader *r, struct part *p)
{
    struct entry *e = &p->next;
    off_t start = p->lines.next;
    int got = line_on(&p->lines, &e->line);

    if (got == 1 && !e->line.terminated) {
        let_writer_finish(p->lines.fd);
        p->lines.next = start;
        p->lines.have = 0;
        got = line_on(&p->lines, &e->line);
    }
    if (got != 1)
        return;
    p->ready = true;
    e->number = ++p->number;
    e->file = p->index;
    e->spool = p->spool;
    e->path = p->path;
    entry_read(e, r->glances && !r->chain && glance(&e->line, &p->glance) ? &p->glance : NULL, p->ts);
    p->ts = e->ts;
    if (r->chain) {
        if (e->record != NULL)
            e->broken = check_chain(r, p, e->record);
        memcpy(p->prev, p->lines.sha256, sizeof(p->prev));
        memcpy(e->sha256, p->lines.sha256, sizeof(e->sha256));
    }
}

bool
run_next(struct run_reader *r, struct entry *out)
{
    struct part *first = NULL;

    if (r->given != NULL) {
        cJSON_Delete(r->given->next.record);
        r->given->next.record = NULL;
        r->given = NULL;
    }
    for (size_t i = 0; i < r->nparts; i++) {
        if (!r->parts[i]->ready)
            read_ahead(r, r->parts[i]);
        if (r->parts[i]->ready && (first == NULL || r->parts[i]->next.ts < first->next.ts))
            first = r->parts[i];
    }
    if (first == NULL)
        return false;
    first->ready = false;
    r->given = first;
    *out = first->next;
    r->unread += out->problem != NULL;
    return true;
}

void
run_glances(struct run_reader *r)
{
    r->glances = true;
}

const cJSON *
run_record(struct run_reader *r, struct entry *e)
{
    if (e->record == NULL && e->glance != NULL)
        e->record = r->given->next.record = line_record(&e->line);
    return e->record;
}

size_t
run_unread(const struct run_reader *r)
{
    return r->unread;
}

int
run_fd(const struct run_reader *r, size_t file)
{
    for (size_t i = 0; i < r->nparts; i++)
        if (r->parts[i]->index == file)
            return r->parts[i]->lines.fd;
    return -1;
}

void
run_close(struct run_reader *r)
{
    for (size_t i = 0; i < r->nparts; i++) {
        cJSON_Delete(r->parts[i]->next.record);
        close(r->parts[i]->lines.fd);
        free(r->parts[i]);
    }
    r->nparts = 0;
}
