#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "line.h"
#include "place.h"
#include "encode.h"

#define SCHEMA_VERSION 1

/* How long to wait for the lock before the spool is used. */
#define LOCK_MS 2000

struct journal {
    const char *path, *run;
    struct place place;
    int fd;
    bool spooled;
    int64_t now;
    struct mem *mem;

    /* The tail, as of known. */
    bool known, torn, empty;
    off_t size;
    int64_t seq;          /* of the next record: its line's number, from 0 */
    char prev[HASH_SIZE]; /* of the last line */
    uint64_t last_id;     /* 0: not looked for yet */

    struct lines_back back;
};

static int64_t
monotonic_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Locks by asking again and again: a timer's signal would be one more thing to put back before the exec. Returns 0 or
 * an errno. */
static int
lock(int fd)
{
    int64_t until = monotonic_ms() + LOCK_MS;
    struct timespec pause = {0, 200000};

    while (flock(fd, LOCK_EX | LOCK_NB) == -1) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return errno;
        if (monotonic_ms() >= until)
            return ETIMEDOUT;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 5000000)
            pause.tv_nsec *= 2;
    }
    return 0;
}

/* Starts reading backwards from the end of the file as it is. */
static int
rewind_back(struct journal *j)
{
    struct stat st;

    if (fstat(j->fd, &st) == -1)
        return errno;
    j->back.fd = j->fd;
    j->back.end = j->size = st.st_size;
    j->back.have = 0;
    return 0;
}

/* Reads seq and prev off the end. A line without a seq of its own (torn, forged) counts as one record, so that seq is
 * always the number of the line. */
static int
read_tail(struct journal *j)
{
    struct line line;
    int64_t unreadable = 0, seq = -1;
    int r, e = rewind_back(j);

    if (e != 0)
        return e;
    memcpy(j->prev, hash_zero, sizeof(j->prev));
    j->torn = false;
    for (bool last = true; seq == -1 && (r = line_back(&j->back, &line)) != 0; last = false) {
        cJSON *record;

        if (r == -1)
            return errno;
        if (last) {
            j->torn = !line.terminated;
            e = 0;
            if (line.text != NULL)
                hash_bytes(line.text, line.length, j->prev);
            else
                e = hash_part(j->fd, line.start, line.length, j->prev);
            if (e != 0)
                return e;
        }
        record = line_record(&line);
        seq = record_seq(record);
        cJSON_Delete(record);
        if (seq == -1)
            unreadable++;
    }
    j->seq = seq + 1 + unreadable;
    j->empty = seq == -1;
    j->known = true;
    return 0;
}

/* Opens the file and locks it. Returns 0 with *problem untouched, 1 when the directory was removed meanwhile and all has
 * to be done again, or -1 with *problem set. */
static int
open_file(struct journal *j, uid_t uid, const char **problem)
{
    const char *why = NULL;
    struct stat st;
    int e;

    j->fd = openat(j->place.run, JOURNAL_FILE,
                   O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (j->fd == -1 && errno == ENOENT)
        return 1; /* only a directory that was removed has no room for a file */
    if (j->fd == -1)
        why = errno == ELOOP ? "it is a symbolic link" : strerror(errno);
    else if (fstat(j->fd, &st) == -1)
        why = strerror(errno);
    else if (!S_ISREG(st.st_mode))
        why = "it is not a regular file";
    else if (st.st_uid != uid)
        why = mem_printf(j->mem, "it belongs to uid %lu", (unsigned long)st.st_uid);
    else if (st.st_nlink > 1)
        why = "it has another name as well (a hard link)";
    else if ((st.st_mode & 07777) != 0600 && fchmod(j->fd, 0600) == -1)
        why = strerror(errno);
    else if ((e = lock(j->fd)) != 0)
        why = e == ETIMEDOUT ? "another process has held its lock for 2 s" : strerror(e);
    else if (fstat(j->fd, &st) == -1)
        why = strerror(errno);
    else if (st.st_nlink == 0)
        return 1;
    else if ((e = read_tail(j)) != 0)
        why = strerror(e);
    if (why == NULL)
        return 0;
    *problem = mem_printf(j->mem, "%s: %s", j->path, why);
    return -1;
}

static bool
open_in(struct journal *j, const char *root, bool spool, uid_t uid, const char **problem)
{
    int r = -1;

    j->path = mem_printf(j->mem, "%s/runs/%s/" JOURNAL_FILE, root, j->run);
    j->spooled = spool;
    /* A run that is being pruned comes back as a new one. */
    for (int tries = 0; tries < MADE_AGAIN; tries++) {
        if (place_create(j->mem, root, spool, uid, j->run, &j->place, problem) == -1)
            return false;
        r = open_file(j, uid, problem);
        if (r == 0)
            return true;
        if (j->fd != -1)
            close(j->fd);
        place_close(&j->place);
        if (r == -1)
            return false;
    }
    *problem = mem_printf(j->mem, "%s: it is removed again and again", j->path);
    return false;
}

struct journal *
journal_open(const struct journal_host *where, struct mem *m, const char *run, const char **problem)
{
    const char *first = "no home directory", *second = NULL;
    struct journal *j;

    if (!run_id_valid(run)) {
        *problem = mem_printf(m, "not a run id: %s", run);
        return NULL;
    }
    j = mem_alloc(m, sizeof(*j));
    j->mem = m;
    j->run = mem_strdup(m, run);
    j->now = where->now;
    if (where->state != NULL && open_in(j, where->state, false, where->uid, &first))
        return j;
    if (open_in(j, place_spool(m, where->spool, where->uid), true, where->uid, &second))
        return j;
    *problem = mem_printf(m, "%s; %s", first, second);
    return NULL;
}

bool
journal_empty(const struct journal *j)
{
    return j->empty;
}

bool
journal_spooled(const struct journal *j)
{
    return j->spooled;
}

const char *
journal_path(const struct journal *j)
{
    return j->path;
}

/* Returns whether the line may be a record that mentions text. Cheap: most lines are passed over by it. */
static bool
mentions(const struct line *l, const char *text)
{
    return l->text != NULL && memmem(l->text, l->length, text, strlen(text)) != NULL;
}

static bool
is_launch(const cJSON *record)
{
    const char *event = record_string(record, "event");

    return event != NULL && (strcmp(event, "agent.start") == 0 || strcmp(event, "agent.refused") == 0);
}

/* Returns the number in a launch's id, 0 when it is none of this file. */
static uint64_t
id_number(const cJSON *record, char letter)
{
    const char *id = record_string(record, "id");
    uint64_t n = 0;

    if (id == NULL || id[0] != letter || id[1] < '1' || id[1] > '9' || strlen(id) > 16)
        return 0;
    for (id++; *id >= '0' && *id <= '9'; id++)
        n = n * 10 + (uint64_t)(*id - '0');
    return *id == '\0' ? n : 0;
}

/* Finds the last id that was given. A line that cannot be read may have been a launch that went ahead: each counts as an
 * id, so that none is given twice. */
static uint64_t
find_last_id(struct journal *j)
{
    uint64_t unreadable = 0, n = 0;
    struct line line;

    if (rewind_back(j) != 0)
        return (uint64_t)j->seq + 1;
    while (n == 0) {
        cJSON *record = NULL;
        int r = line_back(&j->back, &line);

        if (r == 0)
            break;
        /* What cannot be read cannot be numbered either, but there are never more ids than lines. */
        if (r == -1)
            return (uint64_t)j->seq + 1;
        if (line.terminated && mentions(&line, "\"event\":\"") && !mentions(&line, "\"event\":\"agent."))
            continue;
        record = line_record(&line);
        if (record == NULL)
            unreadable++;
        else if (is_launch(record))
            n = id_number(record, j->spooled ? 's' : 'a');
        cJSON_Delete(record);
    }
    return n + unreadable;
}

const char *
journal_next_id(struct journal *j)
{
    if (j->last_id == 0)
        j->last_id = find_last_id(j);
    j->last_id++;
    return mem_printf(j->mem, "%c%llu", j->spooled ? 's' : 'a', (unsigned long long)j->last_id);
}

const char *
journal_last_parent(struct journal *j)
{
    struct line line;
    const char *key = NULL;
    bool found = false;

    if (rewind_back(j) != 0)
        return NULL;
    while (!found && line_back(&j->back, &line) == 1) {
        cJSON *record;
        const char *event;

        if (!mentions(&line, "\"worker_access.parent\""))
            continue;
        record = line_record(&line);
        event = record_string(record, "event");
        found = event != NULL && strcmp(event, "worker_access.parent") == 0;
        if (found)
            key = mem_strdup(j->mem, record_string(record, "key"));
        cJSON_Delete(record);
    }
    return key;
}

/* Writes all of it, with one call when the file system can. Returns 0 or an errno. */
static int
write_whole(int fd, const char *bytes, size_t n)
{
    struct sigaction ignore, before;
    int e = 0;

    /* A file-size limit would kill the process that wants to say so. */
    memset(&ignore, 0, sizeof(ignore));
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGXFSZ, &ignore, &before);
    while (n > 0) {
        ssize_t r = write(fd, bytes, n);

        if (r == -1 && errno == EINTR)
            continue;
        if (r <= 0) {
            e = r == 0 ? ENOSPC : errno;
            break;
        }
        bytes += r;
        n -= (size_t)r;
    }
    sigaction(SIGXFSZ, &before, NULL);
    return e;
}

static void
format_time(int64_t ms, char out[32])
{
    time_t seconds = (time_t)(ms / 1000);
    struct tm tm;
    size_t n;

    gmtime_r(&seconds, &tm);
    n = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 32 - n, ".%03dZ", (int)(ms % 1000));
}

/* The envelope, with the fields moved behind it. Returns the record and how many fields the envelope has. */
static cJSON *
envelope(const struct journal *j, const char *event, cJSON *fields, int *keep)
{
    cJSON *record = cJSON_CreateObject(), *field;
    char ts[32];
    bool ok;

    format_time(j->now, ts);
    ok = cJSON_AddNumberToObject(record, "schema_version", SCHEMA_VERSION) != NULL &&
         cJSON_AddStringToObject(record, "run_id", j->run) != NULL &&
         cJSON_AddNumberToObject(record, "seq", (double)j->seq) != NULL &&
         cJSON_AddStringToObject(record, "ts", ts) != NULL &&
         cJSON_AddStringToObject(record, "event", event) != NULL &&
         cJSON_AddStringToObject(record, "prev", j->prev) != NULL &&
         (!j->spooled || cJSON_AddTrueToObject(record, "spooled") != NULL);
    *keep = cJSON_GetArraySize(record);
    while (ok && (field = fields->child) != NULL) {
        cJSON_DetachItemViaPointer(fields, field);
        ok = cJSON_AddItemToArray(record, field); /* to an object's list; it keeps its key */
    }
    if (ok)
        return record;
    cJSON_Delete(record);
    return NULL;
}

int
journal_append(struct journal *j, const char *event, cJSON *fields)
{
    cJSON *record = NULL;
    size_t length;
    char *text = NULL;
    int keep, e = 0;

    if (!j->known)
        e = read_tail(j);
    if (e == 0 && j->torn) {
        e = write_whole(j->fd, "\n", 1);
        if (e == 0) {
            j->torn = false;
            j->size++;
        }
    }
    if (e == 0) {
        record = envelope(j, event, fields, &keep);
        text = record == NULL ? NULL : record_text(record, keep, &length);
        e = text == NULL ? ENOMEM : 0;
    }
    if (e == 0) {
        e = write_whole(j->fd, text, length);
        if (e == 0) {
            hash_bytes(text, length - 1, j->prev);
            j->seq++;
            j->empty = false;
            j->size += (off_t)length;
        } else {
            j->known = false; /* a part of it may be there: the next one goes on over that */
        }
    }
    cJSON_free(text);
    cJSON_Delete(record);
    cJSON_Delete(fields);
    return e;
}

/* Some file systems cannot sync a directory, and say EINVAL. */
static int
sync_dir(int fd)
{
    return fsync(fd) == -1 && errno != EINVAL ? errno : 0;
}

int
journal_sync(struct journal *j)
{
    int e = fsync(j->fd) == -1 ? errno : 0;

    /* The names too: who made the directory may not have synced it. */
    if (e == 0)
        e = sync_dir(j->place.run);
    if (e == 0)
        e = sync_dir(j->place.runs);
    return e;
}

void
journal_close(struct journal *j)
{
    if (j == NULL)
        return;
    close(j->fd);
    place_close(&j->place);
}

/* Finds a launch in one file, from the end: the one that is asked for is mostly one of the last. */
static cJSON *
find_in(int fd, struct lines_back *back, const char *id)
{
    cJSON *record = NULL;
    struct line line;
    struct stat st;

    if (fstat(fd, &st) == -1)
        return NULL;
    memset(back, 0, offsetof(struct lines_back, window));
    back->fd = fd;
    back->end = st.st_size;
    while (record == NULL && line_back(back, &line) == 1) {
        const char *s;

        if (!mentions(&line, id))
            continue;
        record = line_record(&line);
        s = record_string(record, "id");
        if (s == NULL || strcmp(s, id) != 0 || !is_launch(record)) {
            cJSON_Delete(record);
            record = NULL;
        }
    }
    return record;
}

cJSON *
journal_find(const struct journal_host *where, struct mem *m, const char *run, const char *id)
{
    struct lines_back *back = mem_alloc(m, sizeof(*back));
    struct strings places = {0};
    cJSON *record = NULL;
    struct stat st;

    if (!run_id_valid(run) || *id == '\0')
        return NULL;
    place_all(m, where, &places);
    for (size_t i = 0; record == NULL && i < places.count; i++) {
        int runs = place_runs(places.items[i], i > 0 || where->state == NULL, where->uid);
        int fd = runs == -1 ? -1 : place_read(runs, run);

        if (fd != -1 && fstat(fd, &st) == 0 && st.st_uid == where->uid)
            record = find_in(fd, back, id);
        if (fd != -1)
            close(fd);
        if (runs != -1)
            close(runs);
    }
    return record;
}
