/* haccess-log verify: whether the journal is what was written. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "chain.h"
#include "view.h"

/* Launches that are remembered: records of one launch in two places have the same time, so that they come together. */
#define RECENT 64

/* What was found in one file of a run. */
struct checked {
    const char *path;
    bool spool;
    size_t records;
    struct findings findings;
    struct chain *chain;
    bool misplaced; /* told once */
};

/* A launch, by what two records of it have in common. */
struct recent {
    uint64_t hash;
    size_t file;
    int64_t line;
};

static void
add_finding(struct checked *f, const char *kind, const char *what)
{
    finding_add(&f->findings, kind, what, 0, 0, 0);
}

/* whose: in front of what is said. */
static void
check_mode(struct mem *m, struct checked *f, const char *whose, mode_t mode, mode_t right)
{
    if ((mode & 07777) == right)
        return;
    add_finding(f, "mode",
                mem_printf(m, "%s%s: mode %04o, not %04o", whose,
                           (mode & 077) != 0 ? "open to others" : "wrong mode", (unsigned)(mode & 07777),
                           (unsigned)right));
}

/* Checks what the specification says of the file: the user's own, and closed to others. */
static void
check_file(struct log *l, struct mem *m, struct checked *f, int fd)
{
    struct stat st;

    if (fd == -1 || fstat(fd, &st) == -1) {
        add_finding(f, "unreadable", "cannot be opened");
        return;
    }
    if (st.st_uid != l->where.uid)
        add_finding(f, "owner", mem_printf(m, "it belongs to uid %lu", (unsigned long)st.st_uid));
    if (st.st_nlink > 1)
        add_finding(f, "link", "it has another name as well (a hard link)");
    check_mode(m, f, "", st.st_mode, 0600);
}

/* The directories that the file is in: who can write one can put another file there. */
static void
check_directories(struct log *l, struct mem *m, struct checked *f, const char *root, const char *run)
{
    const char *paths[] = {mem_printf(m, "%s/runs", root), mem_printf(m, "%s/runs/%s", root, run)};
    struct stat st;

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (lstat(paths[i], &st) == -1)
            continue;
        if (st.st_uid != l->where.uid)
            add_finding(f, "owner",
                        mem_printf(m, "%s belongs to uid %lu", shown(m, paths[i]), (unsigned long)st.st_uid));
        check_mode(m, f, mem_printf(m, "%s ", shown(m, paths[i])), st.st_mode, 0700);
    }
}

/* What two records of one launch have in common, whatever their place gave them: seq, prev, id. */
static uint64_t
launch_hash(const cJSON *record)
{
    static const char *const names[] = {"ts", "event", "adapter", "target", "cwd", "pid", "argv_requested"};
    uint64_t h = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(record, names[i]);
        char *text = value == NULL ? NULL : cJSON_PrintUnformatted(value);

        for (const char *c = text; c != NULL && *c != '\0'; c++)
            h = (h ^ (unsigned char)*c) * 1099511628211u;
        h = (h ^ 0xff) * 1099511628211u;
        cJSON_free(text);
    }
    return h;
}

/* Whether a record is where it says that it is, and only there. */
static void
check_place(struct mem *m, struct checked *files, const struct entry *e, struct recent *recent, size_t *n)
{
    struct checked *f = &files[e->file];
    bool says = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(e->record, "spooled"));
    struct view v;
    uint64_t hash;

    if (says != e->spool && !f->misplaced) {
        f->misplaced = true;
        finding_add(&f->findings, "misplaced",
                    says ? "it says that it is spooled, and is not in a spool"
                         : "it does not say that it is spooled",
                    e->number, e->number - 1, e->line.start);
    }
    if (!view_of(e, &v))
        return;
    hash = launch_hash(e->record);
    for (size_t i = 0; i < RECENT && i < *n; i++)
        if (recent[i].hash == hash && recent[i].file != e->file)
            finding_add(&f->findings, "twice",
                        mem_printf(m, "this launch is also in line %lld of %s", (long long)recent[i].line,
                                   shown(m, files[recent[i].file].path)),
                        e->number, e->number - 1, e->line.start);
    recent[(*n)++ % RECENT] = (struct recent){hash, e->file, e->number};
}

static cJSON *
json_findings(const struct findings *f)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < f->count && i < FINDINGS_MAX; i++) {
        const struct finding *x = &f->items[i];
        cJSON *o = cJSON_CreateObject();

        cJSON_AddStringToObject(o, "kind", x->kind);
        cJSON_AddStringToObject(o, "what", x->what);
        if (x->line != 0) {
            cJSON_AddNumberToObject(o, "seq", (double)x->seq);
            cJSON_AddNumberToObject(o, "line", (double)x->line);
            cJSON_AddNumberToObject(o, "byte", (double)x->byte);
        }
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

static const char *
text_of(struct mem *m, const struct finding *x)
{
    if (x->line == 0)
        return x->what;
    return mem_printf(m, "%s at seq %lld: %s (line %lld, byte %lld)",
                      strcmp(x->kind, "torn") == 0 ? "TORN" : "BROKEN", (long long)x->seq, x->what,
                      (long long)x->line, (long long)x->byte);
}

static void
print_checked(struct mem *m, const struct log *l, const char *run, const struct checked *f, bool named)
{
    if (l->options.json) {
        cJSON *o = cJSON_CreateObject();
        char *text;

        cJSON_AddStringToObject(o, "run_id", run);
        cJSON_AddStringToObject(o, "path", f->path);
        cJSON_AddNumberToObject(o, "records", (double)f->records);
        cJSON_AddStringToObject(o, "chain", f->findings.count == 0 ? "ok" : "broken");
        cJSON_AddNumberToObject(o, "problems_count", (double)f->findings.count);
        cJSON_AddBoolToObject(o, "spool", f->spool);
        cJSON_AddItemToObject(o, "problems", json_findings(&f->findings));
        text = cJSON_PrintUnformatted(o);
        if (text != NULL)
            put_json(text, strlen(text));
        cJSON_free(text);
        cJSON_Delete(o);
        return;
    }
    printf("%s  %s  ", shown(m, run), counted(m, f->records, "record", "records"));
    if (f->findings.count == 0)
        put(GREEN, "chain ok");
    else
        put(RED, text_of(m, &f->findings.items[0]));
    if (f->spool)
        fputs("  (spooled)", stdout);
    putchar('\n');
    if (named || f->spool)
        printf("    %s\n", shown_path(m, f->path));
    for (size_t i = 1; i < f->findings.count && i < FINDINGS_MAX; i++)
        printf("    %s\n", text_of(m, &f->findings.items[i]));
    if (f->findings.count > FINDINGS_MAX)
        printf("    and %zu more\n", f->findings.count - FINDINGS_MAX);
}

/* Returns whether every file of the run is as it was written. */
static bool
verify_run(struct log *l, const struct run_entry *run)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, true);
    struct checked files[PLACES_MAX] = {0};
    struct recent recent[RECENT];
    size_t nrecent = 0;
    struct entry e;
    bool good = true;

    for (size_t i = 0; i < run->nfiles; i++) {
        files[i].path = mem_printf(m, "%s/runs/%s/journal.jsonl", run->files[i].root, run->id);
        files[i].spool = run->files[i].spool;
        files[i].findings.mem = m;
        files[i].chain = chain_new(&files[i].findings, run->id);
        check_file(l, m, &files[i], run_fd(r, i));
        check_directories(l, m, &files[i], run->files[i].root, run->id);
    }
    while (run_next(r, &e)) {
        files[e.file].records++;
        chain_line(files[e.file].chain, &e);
        if (e.record != NULL)
            check_place(m, files, &e, recent, &nrecent);
    }
    for (size_t i = 0; i < run->nfiles; i++) {
        print_checked(m, l, run->id, &files[i], run->nfiles > 1);
        good = good && files[i].findings.count == 0;
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
