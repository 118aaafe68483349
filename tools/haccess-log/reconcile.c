/* haccess-log reconcile: what was granted beside what the workers' own records say that they ran with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reconcile.h"
#include "when.h"

/* Launches of other runs that are this near in time may be those that a session belongs to. */
#define NEAR_MS ((int64_t)60 * 60 * 1000)

/* The launches, and which of them are asked for. */
struct list {
    struct log *log;
    struct mem *m;
    struct worker *items;
    size_t count, room;
};

static struct worker *
new_worker(struct list *l)
{
    if (l->count == l->room) {
        size_t room = l->room == 0 ? 64 : 2 * l->room;
        struct worker *items = mem_array(l->m, room, sizeof(*items));

        if (l->count != 0)
            memcpy(items, l->items, l->count * sizeof(*items));
        l->items = items;
        l->room = room;
    }
    return &l->items[l->count++];
}

/* Takes from the command line what may name the session: each word's hash, whether it was kept or not. */
static void
read_words(struct mem *m, struct mem *own, const struct view *v, struct worker *w)
{
    struct words c;

    words_of(own, v, v->observed ? "argv_requested" : "argv_rendered", &c);
    w->prompts = mem_array(m, c.argc + 1, sizeof(*w->prompts));
    for (size_t i = 1; i < c.argc; i++) {
        const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(c.items[i], "bytes");
        const char *hash = record_string(c.items[i], "sha256"), *word = c.argv[i];
        double length = cJSON_IsNumber(bytes) ? bytes->valuedouble : (double)strlen(word);
        char hex[HASH_SIZE];

        if (hash == NULL && cJSON_IsString(c.items[i])) {
            hash_bytes(word, strlen(word), hex);
            hash = hex;
        }
        if (hash == NULL)
            continue;
        hash = mem_strdup(m, hash);
        if (c.prompt[i])
            w->prompts[w->nprompts++] = (struct said){hash, length > 0 && length < 1e9 ? (size_t)length : 0};
        if (length >= UUID_LENGTH && length <= UUID_LENGTH + OPTION_LENGTH)
            strings_add(m, &w->ids, hash);
        if (c.prompt[i])
            continue;
        w->forks = w->forks || strcmp(word, "fork") == 0 || strcmp(word, "--fork-session") == 0;
        w->resumes = w->resumes || strcmp(word, "resume") == 0 || strcmp(word, "--resume") == 0 ||
                     strcmp(word, "-r") == 0 || strcmp(word, "--continue") == 0 ||
                     (strcmp(word, "-c") == 0 && strcmp(w->adapter, "claude-code") == 0);
    }
}

/* Says why there can be no record, or NULL. */
static const char *
beyond(const struct view *v)
{
    if (v->adapter == NULL || (strcmp(v->adapter, "codex") != 0 && strcmp(v->adapter, "claude-code") != 0))
        return "this CLI keeps no record that says it";
    if (v->class != NULL && strcmp(v->class, "session") != 0)
        return "it is a server: its clients choose";
    return NULL;
}

static void
add_launch(struct list *l, const struct run_entry *run, const struct entry *e, const struct view *v,
           bool asked)
{
    struct mem *m = l->m, *own = mem_new();
    struct worker *w = new_worker(l);

    w->run = run->id;
    w->asked = asked;
    w->ts = e->ts;
    w->id = v->id == NULL ? "" : mem_strdup(m, v->id);
    w->adapter = v->adapter == NULL ? "" : mem_strdup(m, v->adapter);
    w->cwd = mem_strdup(m, v->cwd);
    w->interactive = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(v->request, "interactive"));
    w->beyond = beyond(v);
    grant_of(m, v, &w->grant);
    read_words(m, own, v, w);
    mem_free(own);
}

static struct worker *
find(struct list *l, size_t from, const char *id)
{
    for (size_t i = l->count; id != NULL && i-- > from;)
        if (strcmp(l->items[i].id, id) == 0)
            return &l->items[i];
    return NULL;
}

/* Reads the launches of a run within a time. What was refused ran nothing, and is left out. */
static void
read_run(struct list *l, const struct run_entry *run, bool asked, int64_t from, int64_t to)
{
    struct run_reader *r = log_open(l->log, l->m, run, false);
    size_t first = l->count;
    struct entry e;
    struct view v;

    run_glances(r);
    while (run_next(r, &e)) {
        const char *event = e.glance != NULL ? e.glance->event : record_string(e.record, "event");
        struct worker *w;

        if (e.ts < from || e.ts > to || event == NULL)
            continue;
        if (strcmp(event, "agent.failed") == 0) {
            w = find(l, first, record_string(run_record(r, &e), "id"));
            if (w != NULL)
                w->beyond = "its exec failed, and nothing ran";
        } else if (view_of(&e, &v) && !v.refused) {
            bool wanted = asked && filter_matches(&l->log->options.filter, &v, e.ts);

            run_record(r, &e);
            view_of(&e, &v);
            w = find(l, first, v.continues);
            if (w != NULL)
                w->beyond = mem_printf(l->m, "it went on as %s", v.id == NULL ? "?" : v.id);
            add_launch(l, run, &e, &v, wanted);
        }
    }
    run_close(r);
}

/* The time in which there are launches that are asked for. */
static bool
span(struct list *l, int64_t *from, int64_t *to)
{
    bool any = false;

    for (size_t i = 0; i < l->count; i++) {
        const struct worker *w = &l->items[i];

        if (!w->asked)
            continue;
        *from = any && *from < w->ts ? *from : w->ts;
        *to = any && *to > w->ts ? *to : w->ts;
        any = true;
    }
    return any;
}

static const struct {
    const char *word, *text;
    enum colour colour;
} results[] = {
    [RESULT_AGREED] = {"agreed", "agreed", GREEN},
    [RESULT_WIDER] = {"wider", "wider than granted", RED},
    [RESULT_NARROWER] = {"narrower", "narrower than granted", YELLOW},
    [RESULT_UNCLEAR] = {"unclear", "unclear", MAGENTA},
    [RESULT_NONE] = {"no-record", "no record", DIM},
};

#define RESULTS (sizeof(results) / sizeof(results[0]))

static void
add_text(cJSON *o, const char *name, const char *text)
{
    if (text == NULL)
        cJSON_AddNullToObject(o, name);
    else
        cJSON_AddStringToObject(o, name, text);
}

static void
print_json(struct mem *m, const struct worker *w)
{
    cJSON *o = cJSON_CreateObject(), *list;
    char *text;

    cJSON_AddStringToObject(o, "run_id", w->run);
    cJSON_AddStringToObject(o, "id", w->id);
    cJSON_AddStringToObject(o, "ts",
                            mem_printf(m, "%sT%s.%03dZ", when_day(m, w->ts, true), when_time(m, w->ts, true),
                                       (int)(w->ts % 1000)));
    cJSON_AddStringToObject(o, "adapter", w->adapter);
    add_text(o, "cwd", w->cwd);
    cJSON_AddStringToObject(o, "granted", w->grant.word);
    add_text(o, "granted_mode", w->grant.mode);
    add_text(o, "ran_with", w->ran.found ? w->ran.word : NULL);
    cJSON_AddStringToObject(o, "result", results[w->result].word);
    add_text(o, "found_by", w->by);
    list = cJSON_AddArrayToObject(o, "records");
    for (size_t i = 0; i < w->nsessions; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(w->sessions[i]->path));
    add_text(o, "detail", w->detail);
    text = cJSON_PrintUnformatted(o);
    if (text != NULL)
        put_json(text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(o);
}

#define COLUMNS 6

static void
fill_row(struct mem *m, const struct log *l, const struct worker *w, struct cell *row)
{
    const char *result = results[w->result].text;

    if (w->detail != NULL)
        result = mem_printf(m, "%s: %s", result, shown(m, w->detail));
    row[0] = (struct cell){when_time(m, w->ts, l->options.utc), PLAIN};
    row[1] = (struct cell){shown(m, w->id), PLAIN};
    row[2] = (struct cell){strcmp(w->adapter, "claude-code") == 0 ? "claude" : shown(m, w->adapter), PLAIN};
    row[3] = (struct cell){shown(m, w->grant.mode != NULL ? w->grant.mode : w->grant.word), PLAIN};
    row[4] = (struct cell){w->ran.found ? shown(m, w->ran.word) : NONE, PLAIN};
    row[5] = (struct cell){result, results[w->result].colour};
}

/* Where to look: for what is to be looked at. */
static void
print_records(struct mem *m, const struct worker *w)
{
    if (w->result == RESULT_AGREED || w->result == RESULT_NONE)
        return;
    for (size_t i = 0; i < w->nsessions && i < 4; i++)
        printf("          %s%s%s\n", shown_path(m, w->sessions[i]->path), w->by == NULL ? "" : "  by ",
               w->by == NULL ? "" : w->by);
    if (w->nsessions > 4)
        printf("          and %zu more\n", w->nsessions - 4);
}

static void
print_summary(struct mem *m, const size_t counts[RESULTS], size_t total)
{
    const char *before = ": ";

    fputs(counted(m, total, "launch", "launches"), stdout);
    for (size_t i = 0; i < RESULTS; i++)
        if (counts[i] != 0) {
            fputs(before, stdout);
            put(i == RESULT_WIDER ? RED : PLAIN, mem_printf(m, "%zu %s", counts[i], results[i].text));
            before = ", ";
        }
    putchar('\n');
}

static void
print_table(struct log *l, const struct list *list, const size_t counts[RESULTS], size_t total)
{
    struct column c[COLUMNS] = {{.head = "TIME"},    {.head = "ID"},       {.head = "ADAPTER"},
                                {.head = "GRANTED"}, {.head = "RAN WITH"}, {.head = "RESULT"}};
    const char *last = "";
    struct cell row[COLUMNS];

    for (size_t i = 0; i < COLUMNS; i++)
        c[i].width = columns(c[i].head);
    for (int print = 0; print < 2; print++)
        for (size_t i = 0; i < list->count; i++) {
            const struct worker *w = &list->items[i];
            struct mem *m = mem_new();

            if (w->asked) {
                fill_row(m, l, w, row);
                if (print == 0)
                    table_measure(c, COLUMNS, row);
                if (print == 1 && strcmp(last, w->run) != 0) {
                    put(BOLD, mem_printf(m, "%s\n", shown(m, w->run)));
                    if (*last == '\0')
                        table_head(c, COLUMNS);
                    last = w->run;
                }
                if (print == 1) {
                    table_row(m, c, COLUMNS, row);
                    print_records(m, w);
                }
            }
            mem_free(m);
        }
    print_summary(l->mem, counts, total);
}

int
view_reconcile(struct log *l, int argc, char **argv)
{
    bool all = argc == 0 && filter_given(&l->options.filter);
    const struct run_entry *run = all ? NULL : log_run(l, argc > 0 ? argv[0] : NULL);
    struct list list = {.log = l, .m = l->mem};
    struct sessions sessions = {0};
    size_t counts[RESULTS] = {0}, total = 0;
    int64_t from = 0, to = 0;
    struct host h;

    for (size_t i = 0; i < l->runs.count; i++)
        if (all || &l->runs.items[i] == run)
            read_run(&list, &l->runs.items[i], true, 0, INT64_MAX);
    if (span(&list, &from, &to)) {
        for (size_t i = 0; i < l->runs.count; i++) {
            const struct run_entry *o = &l->runs.items[i];

            if (!all && o != run && o->started <= to + NEAR_MS && o->changed >= from - NEAR_MS)
                read_run(&list, o, false, from - NEAR_MS, to + NEAR_MS);
        }
        host_init(&h, l->mem, environ);
        sessions_find(&h, l->mem, from - NEAR_MS, &sessions);
        workers_reconcile(&h, l->mem, list.items, list.count, &sessions);
    }
    screen_pager();
    for (size_t i = 0; i < list.count; i++) {
        const struct worker *w = &list.items[i];

        if (!w->asked)
            continue;
        counts[w->result]++;
        total++;
        if (l->options.json)
            print_json(l->mem, w);
    }
    if (!l->options.json && total == 0)
        puts("no such launches");
    else if (!l->options.json)
        print_table(l, &list, counts, total);
    return counts[RESULT_WIDER] != 0 ? EXIT_FOUND : 0;
}
