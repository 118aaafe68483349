/* haccess-log follow: launches as they are recorded, over all runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "view.h"
#include "when.h"

/* A run that is being watched. Runs that nothing was written to for a while are let go, so that their number does not grow:
 * a new record in one brings it back. */
struct watched {
    const char *id;
    struct mem *mem;
    struct run_reader *reader;
    int64_t read_to; /* time of the last record that was seen */
    size_t files;
};

#define WATCHED_MAX 64

/* What will come is not known, so the widths are those of usual words. */
#define COLUMNS 7
static const struct column widths[COLUMNS] = {{.width = 8}, {.width = 3},  {.width = 8}, {.width = 15},
                                              {.width = 6}, {.width = 13}, {.width = 0}};

/* The run that the last line belongs to. */
static char last_run[256];

static void
print_record(struct log *l, const struct run_entry *run, const struct entry *e)
{
    struct mem *m = mem_new();
    struct cell row[COLUMNS];
    struct view v;

    if (l->options.json) {
        if (e->record != NULL)
            put_record(e);
    } else if (view_of(e, &v)) {
        if (strcmp(last_run, run->id) != 0) {
            snprintf(last_run, sizeof(last_run), "%s", run->id);
            put(BOLD, mem_printf(m, "%s\n", run->id));
        }
        row[0] = (struct cell){when_time(m, e->ts, l->options.utc), PLAIN};
        row[1] = (struct cell){v.id == NULL ? NONE : shown(m, v.id), PLAIN};
        row[2] = (struct cell){word_adapter(m, &v), PLAIN};
        row[3] = (struct cell){v.model == NULL ? NONE : shown(m, v.model), PLAIN};
        row[4] = (struct cell){v.effort == NULL ? NONE : shown(m, v.effort), PLAIN};
        row[5] = cell_access(m, &v);
        row[6] = (struct cell){word_why(m, &v), PLAIN};
        table_row(m, widths, COLUMNS, row);
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
    return l->options.json && !filter_given(&l->options.filter);
}

static void
let_go(struct watched *w)
{
    if (w->reader != NULL)
        run_close(w->reader);
    mem_free(w->mem);
    memset(w, 0, sizeof(*w));
}

/* Whether a file that is read has lost its name: the run was pruned, and has begun again if it is still listed. */
static bool
is_removed(const struct watched *w)
{
    struct stat st;

    for (size_t i = 0; i < w->files; i++) {
        int fd = run_fd(w->reader, i);

        if (fd != -1 && fstat(fd, &st) == 0 && st.st_nlink == 0)
            return true;
    }
    return false;
}

/* Finds the run among the watched, or begins to watch it in place of the one that was silent longest. */
static struct watched *
watch(struct log *l, struct watched *all, const struct run_entry *run, bool *begun)
{
    struct watched *oldest = &all[0];

    *begun = false;
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        if (all[i].id != NULL && strcmp(all[i].id, run->id) == 0) {
            int64_t read_to = all[i].read_to; /* it has one more file now, or another */

            if (all[i].files == run->nfiles && !is_removed(&all[i]))
                return &all[i];

            let_go(&all[i]);
            all[i].read_to = read_to;
            oldest = &all[i];
            break;
        }
        if (all[i].id == NULL || (oldest->id != NULL && all[i].read_to < oldest->read_to))
            oldest = &all[i];
    }
    if (oldest->id != NULL)
        let_go(oldest);
    oldest->mem = mem_new();
    oldest->id = mem_strdup(oldest->mem, run->id);
    oldest->files = run->nfiles;
    oldest->reader = log_open(l, oldest->mem, run, false);
    *begun = true;
    return oldest;
}

static int
last_written_first(const void *a, const void *b)
{
    const struct run_entry *x = a, *y = b;

    return x->changed == y->changed ? 0 : x->changed < y->changed ? 1 : -1;
}

int
view_follow(struct log *l, int argc, char **argv)
{
    static struct watched all[WATCHED_MAX];
    const struct timespec pause = {0, 500000000};
    int64_t from = l->options.filter.since != -1 ? l->options.filter.since : l->where.now;

    (void)argc, (void)argv;
    l->options.filter.since = -1;
    for (;;) {
        struct mem *m = mem_new();
        struct run_list runs;
        struct entry e;

        run_list_read(&l->where, m, &runs);
        if (runs.count > 1)
            qsort(runs.items, runs.count, sizeof(*runs.items), last_written_first);
        for (size_t i = runs.count < WATCHED_MAX ? runs.count : WATCHED_MAX; i-- > 0;) {
            bool begun;
            struct watched *w = watch(l, all, &runs.items[i], &begun);
            int64_t seen = w->read_to > from ? w->read_to : from;

            while (run_next(w->reader, &e)) {
                if ((!begun || e.ts >= seen) && is_wanted(l, &e))
                    print_record(l, &runs.items[i], &e);
                if (e.ts > w->read_to)
                    w->read_to = e.ts;
            }
        }
        mem_free(m);
        if (ferror(stdout))
            return EXIT_FOUND;
        nanosleep(&pause, NULL);
    }
}
