/* The journals as the specification describes them, read without haccess's own reader. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <sha256.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "world.h"

/* Where a run's records may be, below top: the place, the spool, the spool inside claude's sandbox. %d is the uid. */
static const char *const places[] = {"home/.local/state/haccess/runs", "tmp/haccess-%d/runs",
                                     "tmp/claude-%d/haccess-%d/runs"};
#define PLACES (sizeof places / sizeof *places)

static char *
place_path(const struct world *w, size_t i)
{
    char *uid = format("%d", (int)getuid()), *name = replace(places[i], "%d", uid),
         *path = format("%s/%s", w->top, name);
    free(uid);
    free(name);
    return path;
}

static void
assert_mode(const char *path, mode_t mode)
{
    struct stat st;
    ck_assert_msg(lstat(path, &st) == 0, "%s: %s", path, strerror(errno));
    ck_assert_msg((st.st_mode & 07777) == mode, "%s: mode %o, not %o", path, st.st_mode & 07777, mode);
    ck_assert_uint_eq(st.st_uid, getuid());
}

/* The one run below a place, NULL when there is none. More than one fails the test: what one command starts is one run. */
static char *
only_run(const char *place)
{
    char *run = NULL;
    DIR *d = opendir(place);
    if (d == NULL)
        return NULL;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        ck_assert_msg(run == NULL, "%s: two runs, %s and %s", place, run, e->d_name);
        run = format("%s", e->d_name);
    }
    closedir(d);
    return run;
}

static void
assert_chain(const char *text, const cJSON *records, const char *run, const char *path)
{
    char prev[SHA256_DIGEST_STRING_LENGTH];
    int seq = 0;
    const cJSON *r;
    memset(prev, '0', sizeof prev - 1);
    prev[sizeof prev - 1] = '\0';
    cJSON_ArrayForEach(r, records)
    {
        size_t n = strcspn(text, "\n");
        const cJSON *at = cJSON_GetObjectItemCaseSensitive(r, "seq"),
                    *version = cJSON_GetObjectItemCaseSensitive(r, "schema_version");
        ck_assert_msg(cJSON_IsNumber(version) && version->valueint == 1, "%s: line %d: schema_version", path,
                      seq + 1);
        ck_assert_msg(cJSON_IsNumber(at) && at->valueint == seq, "%s: line %d: seq", path, seq + 1);
        ck_assert_str_eq(string_at(r, "run_id"), run);
        ck_assert_msg(strcmp(string_at(r, "prev"), prev) == 0, "%s: line %d: prev", path, seq + 1);
        ck_assert_msg(n < 16384, "%s: line %d: %zu bytes", path, seq + 1, n);
        SHA256Data((const uint8_t *)text, n, prev);
        text += n + 1;
        seq++;
    }
}

/* The records of one place, checked; NULL when there are none. */
static cJSON *
read_place(const struct world *w, size_t i, char **run)
{
    char *place = place_path(w, i), *here = only_run(place);
    cJSON *records = NULL;
    if (here != NULL) {
        char *directory = format("%s/%s", place, here), *path = format("%s/journal.jsonl", directory);
        assert_mode(directory, 0700);
        assert_mode(path, 0600);
        char *text = read_file(path);
        records = parse_lines(text, path);
        assert_chain(text, records, here, path);
        ck_assert_msg(*run == NULL || strcmp(*run, here) == 0, "two runs, %s and %s", *run, here);
        free(text);
        free(path);
        free(directory);
        if (*run == NULL)
            *run = format("%s", here);
    }
    free(here);
    free(place);
    return records;
}

static char *
adapters_of(const cJSON *record)
{
    char *all = format("%s", "");
    const cJSON *a;
    cJSON_ArrayForEach(a, cJSON_GetObjectItemCaseSensitive(record, "adapters"))
    {
        char *longer = format("%s%s%s", all, *all ? "," : "", cJSON_GetStringValue(a));
        free(all);
        all = longer;
    }
    return all;
}

/* The launch that this one ran under: its id, with the run before it only when that is another. */
static const char *
parent_of(const cJSON *r)
{
    const char *parent = string_at(r, "parent_launch"), *run = string_at(r, "run_id");
    size_t n = strlen(run);
    return strncmp(parent, run, n) == 0 && parent[n] == '/' ? parent + n + 1 : parent;
}

static char *
tell(const cJSON *r)
{
    const char *event = string_at(r, "event");
    const cJSON *request = cJSON_GetObjectItemCaseSensitive(r, "request"),
                *access = cJSON_GetObjectItemCaseSensitive(r, "access");
    if (strcmp(event, "run.start") == 0)
        return format("%s", event);
    if (strcmp(event, "worker_access.parent") == 0) {
        char *adapters = adapters_of(r),
             *line = format("%s %s %s", event, string_at(r, "state"), *adapters ? adapters : "-");
        free(adapters);
        return line;
    }
    if (strcmp(event, "agent.start") == 0)
        return format("%s %s %s %s -> %s %s%s%s, under %s", event, string_at(r, "id"),
                      string_at(r, "adapter"), string_at(request, "access"), string_at(r, "projection"),
                      string_at(access, "reason"),
                      cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(r, "observed")) ? ", observed" : "",
                      cJSON_HasObjectItem(r, "continues") ? ", continued" : "", parent_of(r));
    if (strcmp(event, "agent.refused") == 0)
        return format("%s %s %s %s %s, under %s", event, string_at(r, "id"), string_at(r, "adapter"),
                      string_at(request, "access"),
                      string_at(cJSON_GetObjectItemCaseSensitive(r, "refusal"), "code"), parent_of(r));
    return format("%s", event);
}

char *
world_journal(const struct world *w)
{
    char *all = format("%s", ""), *run = NULL;
    for (size_t i = 0; i < PLACES; i++) {
        cJSON *records = read_place(w, i, &run);
        const cJSON *r;
        cJSON_ArrayForEach(r, records)
        {
            char *line = tell(r), *longer = format("%s%s%s\n", all, i > 0 ? "spool " : "", line);
            ck_assert_msg(!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(r, "spooled")) == (i == 0),
                          "%s: spooled", line);
            free(line);
            free(all);
            all = longer;
        }
        cJSON_Delete(records);
    }
    free(run);
    return all;
}

void
assert_journal(const struct world *w, const char *want)
{
    char *got = world_journal(w);
    ck_assert_msg(strcmp(got, want) == 0, "want records\n%sgot\n%s", want, got);
    free(got);
}

cJSON *
world_record(const struct world *w, const char *id)
{
    char *run = NULL;
    cJSON *found = NULL;
    for (size_t i = 0; i < PLACES; i++) {
        cJSON *records = read_place(w, i, &run), *r;
        cJSON_ArrayForEach(r, records)
        {
            if (found == NULL && strcmp(string_at(r, "id"), id) == 0)
                found = cJSON_Duplicate(r, 1);
        }
        cJSON_Delete(records);
    }
    free(run);
    ck_assert_msg(found != NULL, "no record %s", id);
    return found;
}

void
assert_shown(struct world *w, ...)
{
    struct outcome o;
    va_list ap;
    /* The newest run is this world's: another process of this user may have spooled runs below /tmp. */
    world_type(w, "$HACCESS_LOG verify @1", &o);
    ck_assert_msg(o.status == 0, "haccess-log verify: exit %d: %s%s", o.status, o.out, o.err);
    outcome_free(&o);
    world_type(w, "$HACCESS_LOG show @1", &o);
    ck_assert_msg(o.status == 0, "haccess-log show: exit %d: %s%s", o.status, o.out, o.err);
    va_start(ap, w);
    for (const char *id; (id = va_arg(ap, const char *)) != NULL;) {
        char *cell = format(" %s ", id);
        ck_assert_msg(strstr(o.out, cell) != NULL, "haccess-log show: no %s in\n%s", id, o.out);
        free(cell);
    }
    va_end(ap);
    outcome_free(&o);
}
