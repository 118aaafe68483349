/* haccess-log proof: one JSON document that ties what each launch got to the journal as it is. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "view.h"

/* Prints an object, and frees it. */
static void
print_object(cJSON *o)
{
    char *text = cJSON_PrintUnformatted(o);

    put_json_part(text == NULL ? "null" : text, text == NULL ? 4 : strlen(text));
    cJSON_free(text);
    cJSON_Delete(o);
}

static void
copy(cJSON *to, const cJSON *from, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(from, name);

    cJSON_AddItemToObject(to, name, value == NULL ? cJSON_CreateNull() : cJSON_Duplicate(value, 1));
}

static cJSON *
proof_of(const struct entry *e)
{
    static const char *const fields[] = {"id",      "seq",           "ts",         "event",       "adapter",
                                         "class",   "access",        "projection", "enforcement", "observed",
                                         "refusal", "parent_launch", "continues"};
    cJSON *o = cJSON_CreateObject();

    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        copy(o, e->record, fields[i]);
    cJSON_AddStringToObject(o, "sha256", e->sha256);
    cJSON_AddStringToObject(o, "path", e->path);
    return o;
}

/* What the file as a whole is. The hash is over the bytes that were read, so that a launch recorded meanwhile does not
 * make the document contradict itself. */
static cJSON *
integrity(const struct run_reader *r, struct mem *m, const struct run_entry *run, size_t i, off_t bytes,
          size_t records, const char *chain)
{
    cJSON *o = cJSON_CreateObject();
    char hash[HASH_SIZE] = "";

    cJSON_AddStringToObject(o, "path",
                            mem_printf(m, "%s/runs/%s/journal.jsonl", run->files[i].root, run->id));
    if (run_fd(r, i) == -1 || hash_part(run_fd(r, i), 0, (size_t)bytes, hash) != 0)
        cJSON_AddNullToObject(o, "sha256");
    else
        cJSON_AddStringToObject(o, "sha256", hash);
    cJSON_AddNumberToObject(o, "bytes", (double)bytes);
    cJSON_AddNumberToObject(o, "records", (double)records);
    cJSON_AddStringToObject(o, "chain", chain == NULL ? "ok" : chain);
    return o;
}

/* Launches that went no further than their record: nothing ran, whatever the access says. */
static void
print_failed(struct log *l, const struct run_entry *run)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, true);
    bool first = true;
    struct entry e;

    fputs("\n],\"failed\":[", stdout);
    while (run_next(r, &e)) {
        static const char *const fields[] = {"id", "seq", "ts", "errno"};
        const char *event = record_string(e.record, "event");
        cJSON *o;

        if (event == NULL || strcmp(event, "agent.failed") != 0)
            continue;
        o = cJSON_CreateObject();
        for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
            copy(o, e.record, fields[i]);
        cJSON_AddStringToObject(o, "sha256", e.sha256);
        cJSON_AddStringToObject(o, "path", e.path);
        fputs(first ? "\n" : ",\n", stdout);
        first = false;
        print_object(o);
    }
    run_close(r);
    mem_free(m);
}

int
view_proof(struct log *l, int argc, char **argv)
{
    const struct run_entry *run = log_run(l, argc > 0 ? argv[0] : NULL);
    struct run_reader *r = log_open(l, l->mem, run, true);
    size_t records[PLACES_MAX] = {0};
    off_t bytes[PLACES_MAX] = {0};
    const char *chain[PLACES_MAX] = {NULL};
    bool first = true, good = true;
    struct entry e;
    struct view v;

    printf("{\"schema_version\":1,\"run_id\":\"%s\",\"launches\":[", run->id);
    while (run_next(r, &e)) {
        const char *wrong = e.problem != NULL ? e.problem : e.broken;

        records[e.file]++;
        bytes[e.file] = e.line.start + (off_t)e.line.length + (e.line.terminated ? 1 : 0);
        if (wrong != NULL && chain[e.file] == NULL)
            chain[e.file] = mem_printf(l->mem, "broken at line %lld: %s", (long long)e.number, wrong);
        if (!view_of(&e, &v) || !filter_matches(&l->options.filter, &v, e.ts))
            continue;
        fputs(first ? "\n" : ",\n", stdout);
        first = false;
        print_object(proof_of(&e));
    }
    print_failed(l, run);
    fputs("\n],\"integrity\":[", stdout);
    for (size_t i = 0; i < run->nfiles; i++) {
        fputs(i == 0 ? "\n" : ",\n", stdout);
        print_object(integrity(r, l->mem, run, i, bytes[i], records[i], chain[i]));
        good = good && chain[i] == NULL && run_fd(r, i) != -1;
    }
    fputs("\n]}\n", stdout);
    run_close(r);
    return good ? 0 : EXIT_FOUND;
}
