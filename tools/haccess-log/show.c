/* haccess-log show: the launches of a run, in order. */
#include <stdio.h>
#include <string.h>

#include "view.h"
#include "when.h"

#define COLUMNS 7

static const struct column heads[COLUMNS] = {{.head = "TIME"},    {.head = "ID"},
                                             {.head = "ADAPTER"}, {.head = "MODEL", .shrinks = true},
                                             {.head = "EFFORT"},  {0},
                                             {.head = "WHY"}};

static void
fill_row(struct mem *m, const struct view *v, int64_t ts, bool utc, struct cell *row)
{
    row[0] = (struct cell){when_time(m, ts, utc), PLAIN};
    row[1] = (struct cell){v->id == NULL ? NONE : shown(m, v->id), PLAIN};
    row[2] = (struct cell){word_adapter(m, v), PLAIN};
    row[3] = (struct cell){v->model == NULL ? NONE : shown(m, v->model), PLAIN};
    row[4] = (struct cell){v->effort == NULL ? NONE : shown(m, v->effort), PLAIN};
    row[5] = cell_access(m, v);
    row[6] = (struct cell){word_why(m, v), PLAIN};
}

static bool
is_event(const cJSON *record, const char *name)
{
    const char *event = record_string(record, "event");

    return event != NULL && strcmp(event, name) == 0;
}

/* What the run is, from its first record. */
static void
print_title(struct log *l, const struct run_entry *run, const cJSON *start)
{
    struct mem *m = mem_new();
    const cJSON *policy = cJSON_GetObjectItemCaseSensitive(start, "policy");
    const char *path = record_string(policy, "path"), *state = record_string(policy, "state");
    const char *command = record_string(start, "command"), *cwd = record_string(start, "cwd");

    (void)l;
    put(BOLD, shown(m, run->id));
    if (start == NULL)
        printf("  (no run.start record)");
    if (command != NULL)
        printf("  %s", shown(m, command));
    if (cwd != NULL)
        printf("  in %s", shown_path(m, cwd));
    if (path != NULL && cwd != NULL && strncmp(path, cwd, strlen(cwd)) == 0 && path[strlen(cwd)] == '/')
        path += strlen(cwd) + 1;
    if (state != NULL && path != NULL)
        printf("  (policy %s, %s)", shown_path(m, path),
               strcmp(state, "enabled") == 0 ? "allowed" : shown(m, state));
    else if (state != NULL)
        printf("  (policy %s)", shown(m, state));
    putchar('\n');
    mem_free(m);
}

/* What a record says beyond its envelope. A later schema may mean something else by the envelope: it stays. */
static const char *
fields_shown(struct mem *m, const cJSON *record)
{
    static const char *const envelope[] = {"schema_version", "run_id", "seq", "ts", "event", "prev"};
    cJSON *fields = cJSON_Duplicate(record, 1);
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(fields, "schema_version");
    const char *out;
    char *text;

    if (cJSON_IsNumber(version) && version->valuedouble == 1)
        for (size_t i = 0; i < sizeof(envelope) / sizeof(envelope[0]); i++)
            cJSON_DeleteItemFromObjectCaseSensitive(fields, envelope[i]);
    text = cJSON_PrintUnformatted(fields);
    out = text == NULL ? "" : shown(m, text);
    cJSON_free(text);
    cJSON_Delete(fields);
    return out;
}

void
put_other(struct mem *m, const struct entry *e, bool utc)
{
    const char *event = record_string(e->record, "event");

    if (e->record == NULL) {
        put(MAGENTA, mem_printf(m, "line %lld  %s", (long long)e->number, e->problem));
        printf("  %zu bytes  %s\n", e->line.length,
               e->line.text == NULL
                   ? ""
                   : shown_bytes(m, e->line.text, e->line.length < 60 ? e->line.length : 60));
    } else if (is_event(e->record, "agent.failed")) {
        const char *id = record_string(e->record, "id"), *name = record_string(e->record, "errno");

        printf("%s  %s  ", when_time(m, e->ts, utc), id == NULL ? NONE : shown(m, id));
        put(MAGENTA, mem_printf(m, "the exec failed: %s\n", name == NULL ? "?" : shown(m, name)));
    } else {
        printf("%s  %s  %s\n", when_time(m, e->ts, utc), event == NULL ? "(no event)" : shown(m, event),
               fields_shown(m, e->record));
    }
}

bool
is_other(const struct entry *e)
{
    return !is_event(e->record, "run.start") && !is_event(e->record, "worker_access.parent");
}

/* Goes through the run: first to measure, then to print. Returns how many launches there are. */
static size_t
pass(struct log *l, const struct run_entry *run, struct column *c, bool print)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, false);
    const char *day = NULL, *last = NULL;
    bool titled = false;
    size_t count = 0;
    struct entry e;
    struct view v;

    run_glances(r);
    while (run_next(r, &e)) {
        struct mem *own = mem_new();
        struct cell row[COLUMNS];
        bool launch = view_of(&e, &v);

        if (!launch)
            run_record(r, &e);
        if (print && !titled) {
            print_title(l, run, is_event(e.record, "run.start") ? e.record : NULL);
            table_head(c, COLUMNS);
            titled = true;
        }
        if (launch ? filter_matches(&l->options.filter, &v, e.ts)
                   : print && !filter_given(&l->options.filter) && is_other(&e)) {
            day = when_day(own, e.ts, l->options.utc);
            if (print && last != NULL && strcmp(day, last) != 0)
                put(DIM, mem_printf(own, "%s\n", day));
            if (last == NULL || strcmp(day, last) != 0)
                last = mem_strdup(m, day);
            count += launch;
            if (launch) {
                fill_row(own, &v, e.ts, l->options.utc, row);
                if (print)
                    table_row(own, c, COLUMNS, row);
                else
                    table_measure(c, COLUMNS, row);
            } else {
                put_other(own, &e, l->options.utc);
            }
        }
        mem_free(own);
    }
    if (print && filter_given(&l->options.filter))
        log_close(run, r);
    else
        run_close(r);
    mem_free(m);
    return count;
}

static void
print_json(struct log *l, const struct run_entry *run)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, false);
    struct entry e;
    struct view v;

    run_glances(r);
    while (run_next(r, &e)) {
        bool launch = view_of(&e, &v);

        if (e.problem != NULL ||
            (launch ? filter_matches(&l->options.filter, &v, e.ts) : !filter_given(&l->options.filter)))
            put_entry(&e);
    }
    run_close(r);
    mem_free(m);
}

/* Shows one run; with any false, only when there is something to show. Returns the number of launches. */
static size_t
show_run(struct log *l, const struct run_entry *run, bool any)
{
    struct column c[COLUMNS];
    size_t count;

    memcpy(c, heads, sizeof(c));
    c[5].head = mem_printf(l->mem, "ASKED %s GOT", ARROW);
    for (size_t i = 0; i < COLUMNS; i++)
        c[i].width = columns(c[i].head);
    count = pass(l, run, c, false);
    if (count == 0 && !any)
        return 0;
    table_fit(c, COLUMNS);
    pass(l, run, c, true);
    return count;
}

/* A question about launches is asked of all runs. */
static void
show_all(struct log *l)
{
    size_t launches = 0, runs = 0;

    for (size_t i = 0; i < l->runs.count; i++) {
        const struct run_entry *run = &l->runs.items[i];
        size_t n;

        if (l->options.json) {
            print_json(l, run);
            continue;
        }
        n = show_run(l, run, false);
        if (n != 0)
            putchar('\n');
        launches += n;
        runs += n != 0;
    }
    if (!l->options.json)
        printf("%s in %s\n", counted(l->mem, launches, "launch", "launches"),
               counted(l->mem, runs, "run", "runs"));
}

int
view_show(struct log *l, int argc, char **argv)
{
    screen_pager();
    if (argc == 0 && filter_given(&l->options.filter)) {
        show_all(l);
        return 0;
    }
    const struct run_entry *run = log_run(l, argc > 0 ? argv[0] : NULL);
    if (l->options.json)
        print_json(l, run);
    else
        show_run(l, run, true);
    return 0;
}
