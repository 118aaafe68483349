/* haccess-log verify: whether the journal is what was written. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "view.h"

/* More problems of one file than this are only counted. */
#define PROBLEMS_MAX 20

/* What was found in one file of a run. */
struct finding {
    const char *path;
    bool spool;
    size_t records;
    size_t problems;
    struct strings texts; /* the first PROBLEMS_MAX */
    cJSON *list;          /* the same as JSON */
};

static void
add_finding(struct mem *m, struct finding *f, const char *what, const struct entry *e)
{
    long long line = e == NULL ? 0 : (long long)e->number, byte = e == NULL ? 0 : (long long)e->line.start;
    cJSON *o;

    if (++f->problems > PROBLEMS_MAX)
        return;
    if (e == NULL) {
        strings_add(m, &f->texts, what);
    } else {
        bool torn = e->record == NULL && strcmp(what, "torn") == 0;

        strings_add(m, &f->texts,
                    mem_printf(m, "%s at seq %lld: %s (line %lld, byte %lld)", torn ? "TORN" : "BROKEN",
                               line - 1, torn ? "the line has no end" : what, line, byte));
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "what", what);
    if (e != NULL) {
        cJSON_AddNumberToObject(o, "seq", (double)line - 1);
        cJSON_AddNumberToObject(o, "line", (double)line);
        cJSON_AddNumberToObject(o, "byte", (double)byte);
    }
    cJSON_AddItemToArray(f->list, o);
}

/* Checks what the specification says of the file: the user's own, and closed to others. */
static void
check_file(struct log *l, struct mem *m, struct finding *f, int fd)
{
    struct stat st;

    if (fd == -1 || fstat(fd, &st) == -1) {
        add_finding(m, f, "cannot be opened", NULL);
        return;
    }
    if (st.st_uid != l->where.uid)
        add_finding(m, f, mem_printf(m, "it belongs to uid %lu", (unsigned long)st.st_uid), NULL);
    if (st.st_nlink > 1)
        add_finding(m, f, "it has another name as well (a hard link)", NULL);
    if ((st.st_mode & 077) != 0)
        add_finding(m, f, mem_printf(m, "open to others: mode %04o", (unsigned)(st.st_mode & 07777)), NULL);
}

/* The directories that the file is in: who can write one can put another file there. */
static void
check_directories(struct log *l, struct mem *m, struct finding *f, const char *root, const char *run)
{
    const char *paths[] = {mem_printf(m, "%s/runs", root), mem_printf(m, "%s/runs/%s", root, run)};
    struct stat st;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (stat(paths[i], &st) == -1)
            continue;
        if (st.st_uid != l->where.uid)
            add_finding(m, f,
                        mem_printf(m, "%s belongs to uid %lu", shown(m, paths[i]), (unsigned long)st.st_uid),
                        NULL);
        else if ((st.st_mode & 022) != 0)
            add_finding(m, f,
                        mem_printf(m, "%s can be written by others: mode %04o", shown(m, paths[i]),
                                   (unsigned)(st.st_mode & 07777)),
                        NULL);
    }
}

static void
print_finding(struct mem *m, const struct log *l, const char *run, const struct finding *f, bool named)
{
    if (l->options.json) {
        cJSON *o = cJSON_CreateObject();
        char *text;

        cJSON_AddStringToObject(o, "run_id", run);
        cJSON_AddStringToObject(o, "path", f->path);
        cJSON_AddNumberToObject(o, "records", (double)f->records);
        cJSON_AddStringToObject(o, "chain", f->problems == 0 ? "ok" : "broken");
        cJSON_AddNumberToObject(o, "problems_count", (double)f->problems);
        cJSON_AddItemReferenceToObject(o, "problems", f->list);
        text = cJSON_PrintUnformatted(o);
        if (text != NULL)
            put_json(text, strlen(text));
        cJSON_free(text);
        cJSON_Delete(o);
        return;
    }
    printf("%s  %s  ", shown(m, run), counted(m, f->records, "record", "records"));
    if (f->problems == 0)
        put(GREEN, "chain ok");
    else
        put(RED, f->texts.items[0]);
    if (named || f->spool)
        printf("  %s", shown_path(m, f->path));
    putchar('\n');
    for (size_t i = 1; i < f->texts.count; i++)
        printf("    %s\n", f->texts.items[i]);
    if (f->problems > PROBLEMS_MAX)
        printf("    and %zu more\n", f->problems - PROBLEMS_MAX);
}

/* Returns whether every file of the run is as it was written. */
static bool
verify_run(struct log *l, const struct run_entry *run)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, true);
    struct finding files[PLACES_MAX] = {0};
    struct entry e;
    bool good = true;

    for (size_t i = 0; i < run->nfiles; i++) {
        files[i].path = mem_printf(m, "%s/runs/%s/journal.jsonl", run->files[i].root, run->id);
        files[i].spool = run->files[i].spool;
        files[i].list = cJSON_CreateArray();
        check_file(l, m, &files[i], run_fd(r, i));
        check_directories(l, m, &files[i], run->files[i].root, run->id);
    }
    while (run_next(r, &e)) {
        struct finding *f = &files[e.file];

        f->records++;
        if (e.problem != NULL)
            add_finding(m, f, e.problem, &e);
        else if (e.broken != NULL)
            add_finding(m, f, e.broken, &e);
    }
    for (size_t i = 0; i < run->nfiles; i++) {
        print_finding(m, l, run->id, &files[i], run->nfiles > 1);
        good = good && files[i].problems == 0;
        cJSON_Delete(files[i].list);
    }
    run_close(r);
    mem_free(m);
    return good;
}

int
view_verify(struct log *l, int argc, char **argv)
{
    size_t runs = 0, broken = 0;

    screen_pager();
    for (int i = 0; i < argc; i++, runs++)
        broken += !verify_run(l, log_run(l, argv[i]));
    for (size_t i = 0; argc == 0 && i < l->runs.count; i++, runs++)
        broken += !verify_run(l, &l->runs.items[i]);
    /* What cannot be read cannot be vouched for. */
    if (argc == 0 && l->runs.problems.count != 0)
        broken += l->runs.problems.count;
    if (!l->options.json && broken != 0)
        printf("%zu of %s broken\n", broken, counted(l->mem, runs, "run", "runs"));
    else if (!l->options.json && runs == 0)
        puts("no runs yet");
    return broken == 0 ? 0 : EXIT_FOUND;
}
