/* haccess-log: the runs. */
#include <stdio.h>
#include <string.h>

#include "view.h"
#include "when.h"

struct tally {
    size_t launches, full, narrowed, refused;
};

static void
count(struct tally *t, const struct view *v)
{
    t->launches++;
    t->full += v->full;
    t->narrowed += v->narrowed;
    t->refused += v->refused;
}

/* Reads one run. *command gets what started it, in the region. Returns false when the filter leaves nothing of it. */
static bool
read_run(struct log *l, const struct run_entry *run, struct tally *t, const char **command)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, false);
    struct entry e;
    struct view v;

    memset(t, 0, sizeof(*t));
    *command = NULL;
    run_glances(r);
    while (run_next(r, &e)) {
        const char *event = e.glance != NULL ? e.glance->event : record_string(e.record, "event");

        if (*command == NULL && event != NULL && strcmp(event, "run.start") == 0)
            *command = shown(l->mem, record_string(run_record(r, &e), "command"));
        if (view_of(&e, &v) && filter_matches(&l->options.filter, &v, e.ts))
            count(t, &v);
    }
    log_close(run, r);
    mem_free(m);
    return t->launches != 0 || !filter_given(&l->options.filter);
}

static void
print_json(const struct run_entry *run, const struct tally *t, const char *command)
{
    cJSON *o = cJSON_CreateObject(), *files = NULL;
    struct mem *m = mem_new();
    char *text;

    cJSON_AddStringToObject(o, "run_id", run->id);
    cJSON_AddStringToObject(o, "started",
                            mem_printf(m, "%sT%s.%03dZ", when_day(m, run->started, true),
                                       when_time(m, run->started, true), (int)(run->started % 1000)));
    cJSON_AddItemToObject(o, "command", command == NULL ? cJSON_CreateNull() : cJSON_CreateString(command));
    cJSON_AddNumberToObject(o, "launches", (double)t->launches);
    cJSON_AddNumberToObject(o, "full_access", (double)t->full);
    cJSON_AddNumberToObject(o, "narrowed", (double)t->narrowed);
    cJSON_AddNumberToObject(o, "refused", (double)t->refused);
    files = cJSON_AddArrayToObject(o, "files");
    for (size_t i = 0; i < run->nfiles; i++)
        cJSON_AddItemToArray(files, cJSON_CreateString(mem_printf(m, "%s/runs/%s/journal.jsonl",
                                                                  run->files[i].root, run->id)));
    text = cJSON_PrintUnformatted(o);
    if (text != NULL)
        put_json(text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(o);
    mem_free(m);
}

#define COLUMNS 7

struct row {
    struct cell cells[COLUMNS];
};

static struct cell
number(struct mem *m, size_t n, enum colour c)
{
    return (struct cell){mem_printf(m, "%zu", n), n == 0 ? DIM : c};
}

int
view_runs(struct log *l, int argc, char **argv)
{
    static const char *const narrow[COLUMNS] = {"RUN", "STARTED", "CMD", "N", "FULL", "NARR", "REF"};
    struct column c[COLUMNS] = {{.head = "RUN"},
                                {.head = "STARTED"},
                                {.head = "CMD", .shrinks = true},
                                {.head = "LAUNCHES", .right = true},
                                {.head = "FULL", .right = true},
                                {.head = "NARROWED", .right = true},
                                {.head = "REFUSED", .right = true}};
    struct mem *m = l->mem;
    struct row *rows = mem_array(m, l->runs.count + 1, sizeof(*rows));
    size_t n = 0, launches = 0, full = 0, total = 0;
    const char *summary, *more = "more: haccess-log show @1";

    (void)argc, (void)argv;
    screen_pager();
    for (size_t i = 0; i < l->runs.count; i++) {
        const struct run_entry *run = &l->runs.items[i];
        const char *command;
        struct tally t;

        if (!read_run(l, run, &t, &command))
            continue;
        launches += t.launches;
        full += t.full;
        if (l->options.json) {
            print_json(run, &t, command);
            continue;
        }
        rows[n++] = (struct row){{{shown(m, run->id), PLAIN},
                                  {when_near(m, run->started, l->where.now, l->options.utc), PLAIN},
                                  {command == NULL ? NONE : command, PLAIN},
                                  number(m, t.launches, PLAIN),
                                  number(m, t.full, RED),
                                  number(m, t.narrowed, YELLOW),
                                  number(m, t.refused, MAGENTA)}};
    }
    if (l->options.json)
        return 0;
    if (n == 0) {
        puts(l->runs.count == 0
                 ? "no runs yet: haccess run -- CMD, or LD_PRELOAD=libhaccess.so CMD, makes one"
                 : "no such launches");
        return 0;
    }
    for (size_t i = 0; i < COLUMNS; i++)
        total += columns(c[i].head);
    for (size_t i = 0; i < COLUMNS && screen_width() < 96; i++)
        c[i].head = narrow[i];
    for (size_t i = 0; i < n; i++)
        table_measure(c, COLUMNS, rows[i].cells);
    table_fit(c, COLUMNS);
    table_head(c, COLUMNS);
    for (size_t i = 0; i < n; i++)
        table_row(m, c, COLUMNS, rows[i].cells);
    summary = mem_printf(m, "%s, %s, %zu with full access", counted(m, n, "run", "runs"),
                         counted(m, launches, "launch", "launches"), full);
    total = columns(summary) + columns(more);
    printf("%s%*s%s\n", summary, (int)(total + 2 < screen_width() ? screen_width() - total : 2), "", more);
    return 0;
}
