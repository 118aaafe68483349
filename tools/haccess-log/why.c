/* haccess-log why: one launch, whole. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "diff.h"
#include "when.h"
#include "why.h"

static const cJSON *
member(const cJSON *o, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(o, name);
}

/* A number as it should be shown, or a dash. */
static const char *
number(struct mem *m, const cJSON *o, const char *name)
{
    const cJSON *n = member(o, name);

    return cJSON_IsNumber(n) ? mem_printf(m, "%.0f", n->valuedouble) : NONE;
}

static const char *
long_word(struct mem *m, const char *word)
{
    static const char *const words[][2] = {{"full-access", "full access"},
                                           {"unspecified", "nothing in particular"},
                                           {"vendor-default", "vendor default"}};

    for (size_t i = 0; word != NULL && i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i][0]) == 0)
            return words[i][1];
    return word == NULL ? NONE : shown(m, word);
}

static void
label(const char *name)
{
    printf("%-9s", name);
}

/* Text behind a label, broken at spaces where the screen ends, each line under the first. */
static void
print_text(const char *text, size_t indent)
{
    size_t room = screen_width() > indent + 20 ? screen_width() - indent : 20;

    while (columns(text) > room) {
        size_t n = strlen(text), cut = 0;

        for (size_t i = 0; i < n && i < room; i++)
            if (text[i] == ' ')
                cut = i;
        if (cut == 0)
            cut = strcspn(text, " ");
        printf("%.*s\n", (int)cut, text);
        text += cut;
        text += strspn(text, " ");
        if (*text == '\0')
            return;
        printf("%*s", (int)indent, "");
    }
    puts(text);
}

/* The launch above: its id alone where it is one of the same run. */
static const char *
own_id(const struct view *v)
{
    const char *run = record_string(v->record, "run_id");
    size_t n = run == NULL ? 0 : strlen(run);

    if (n != 0 && strncmp(v->parent_launch, run, n) == 0 && v->parent_launch[n] == '/')
        return v->parent_launch + n + 1;
    return v->parent_launch;
}

static void
print_title(struct mem *m, const struct view *v, const struct words *w, int64_t ts, bool utc,
            const char *command)
{
    put(BOLD, v->id == NULL ? NONE : shown(m, v->id));
    printf("  %s", w->name);
    if (v->class != NULL && strcmp(v->class, "session") != 0)
        printf(" (%s)", shown(m, v->class));
    if (v->cwd != NULL)
        printf("  in %s", shown_path(m, v->cwd));
    printf("  %s %s  pid %s", when_day(m, ts, utc), when_time(m, ts, utc), number(m, v->record, "pid"));
    if (v->parent_launch != NULL)
        printf(" (under %s)", shown(m, own_id(v)));
    else if (command != NULL)
        printf(" (from %s)", command);
    putchar('\n');
    if (v->continues != NULL)
        printf("%-9s%s in the same process: decided again, and bounded by it\n", "after",
               shown(m, v->continues));
}

/* "--yolo (argument 2)", "sandbox_mode danger-full-access in ~/.codex/config.toml". */
static const char *
source_shown(struct mem *m, const cJSON *source)
{
    const char *spelling = record_string(source, "spelling"), *value = record_string(source, "value");
    const char *file = record_string(source, "file");
    const char *text = spelling == NULL ? NONE : shown(m, spelling);

    if (value != NULL)
        text = mem_printf(m, "%s %s", text, shown(m, value));
    if (file != NULL)
        return mem_printf(m, "%s in %s", text, shown_path(m, file));
    if (cJSON_IsNumber(member(source, "index")))
        return mem_printf(m, "%s (argument %s)", text, number(m, source, "index"));
    return text;
}

static void
print_asked(struct mem *m, const struct view *v)
{
    const cJSON *sources = member(v->request, "sources"), *source;
    bool first = true;

    label("asked");
    printf("%-18s", long_word(m, v->asked));
    cJSON_ArrayForEach(source, sources)
    {
        if (!first)
            printf("%27s", "");
        puts(source_shown(m, source));
        first = false;
    }
    if (first)
        putchar('\n');
}

static const char *
enforcement_shown(struct mem *m, const struct view *v)
{
    static const char *const words[][2] = {{"none", "by nobody"},
                                           {"approvals", "by the CLI's own approvals and tool lists only"},
                                           {"unverified", "by the CLI, not verified"},
                                           {"bubblewrap", "by bubblewrap"}};
    const char *word = record_string(v->record, "enforcement");

    if (word == NULL)
        return "";
    if (strcmp(word, "vendor") == 0)
        return mem_printf(m, "enforced by %s", word_adapter(m, v));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i][0]) == 0)
            return mem_printf(m, "enforced %s", words[i][1]);
    return mem_printf(m, "enforcement %s", shown(m, word));
}

static void
print_got(struct mem *m, const struct view *v)
{
    bool contradictory = v->asked != NULL && strcmp(v->asked, "contradictory") == 0;
    const char *got = v->refused                     ? "refused"
                      : v->full                      ? "FULL ACCESS"
                      : v->observed && contradictory ? "as asked"
                                                     : long_word(m, v->observed ? v->asked : v->projection);
    const char *doubt = record_string(member(v->record, "request"), "unverified");
    const char *how = v->refused ? "the CLI was not run" : v->full ? "no sandbox" : enforcement_shown(m, v);

    label("got");
    put(v->refused ? MAGENTA : v->full ? RED : v->narrowed ? YELLOW : PLAIN, mem_printf(m, "%-18s", got));
    puts(how);
    if (!v->refused && !v->full && doubt != NULL) {
        label("");
        print_text(shown(m, doubt), 9);
    }
    if (v->observed)
        printf("%-9swould have been %s (mode: observe)\n", "",
               v->code != NULL ? mem_printf(m, "refused: %s", shown(m, v->code))
                               : long_word(m, v->projection));
}

static void
print_because(struct mem *m, const struct view *v)
{
    const char *detail = record_string(v->refusal, "detail");

    label("because");
    if (v->code != NULL) {
        print_text(mem_printf(m, "%s: %s", shown(m, v->code), detail == NULL ? "" : shown(m, detail)), 9);
        if (v->reason == NULL)
            return;
        label("access");
    }
    print_text(mem_printf(m, "%s: %s", v->reason == NULL ? NONE : shown(m, v->reason),
                          v->detail == NULL ? "" : shown(m, v->detail)),
               9);
    if (v->remedy != NULL) {
        label("");
        print_text(mem_printf(m, "to grant it: %s", shown(m, v->remedy)), 9);
    }
}

static const char *
policy_shown(struct mem *m, const struct view *v)
{
    const cJSON *policy = member(v->record, "policy");
    const char *path = record_string(policy, "path"), *sha256 = record_string(policy, "sha256");
    size_t n = v->cwd == NULL ? 0 : strlen(v->cwd);

    if (path == NULL)
        return "";
    if (n > 1 && strncmp(path, v->cwd, n) == 0 && path[n] == '/')
        path += n + 1;
    return mem_printf(m, "%s%s%.8s%s", shown_path(m, path), sha256 == NULL ? "" : "  sha256 ",
                      sha256 == NULL ? "" : shown(m, sha256), sha256 == NULL ? "" : glyph("…", "..."));
}

static void
print_checks(struct mem *m, const struct view *v)
{
    const cJSON *checks = member(v->record, "checks"), *check;
    bool first = true;

    cJSON_ArrayForEach(check, checks)
    {
        const char *name = record_string(check, "name"), *result = record_string(check, "result");
        const char *saw = record_string(check, "saw"), *text;
        bool passed = result != NULL && strcmp(result, "passed") == 0;
        bool failed = result != NULL && strcmp(result, "failed") == 0;

        if (first)
            putchar('\n');
        label(first ? "checks" : "");
        first = false;
        put(passed ? GREEN : failed ? RED : DIM, passed ? TICK : failed ? CROSS : DOT);
        text = saw != NULL                                                   ? shown_path(m, saw)
               : passed && name != NULL && strcmp(name, "policy valid") == 0 ? policy_shown(m, v)
               : passed || failed                                            ? ""
               : name != NULL && strcmp(name, "parent") == 0                 ? "not probed"
                                                                             : "not reached";
        if (*text == '\0')
            printf(" %s\n", name == NULL ? NONE : shown(m, name));
        else {
            printf(" %-22s ", name == NULL ? NONE : shown(m, name));
            print_text(text, 34);
        }
    }
}

/* What the parent's own records said: the last probe before the launch. */
static void
print_parent(struct mem *m, const cJSON *parent, bool utc)
{
    const cJSON *item;
    const char *state = record_string(parent, "state"), *detail = record_string(parent, "detail");

    if (parent == NULL)
        return;
    putchar('\n');
    label("parent");
    print_text(mem_printf(m, "%s: %s", long_word(m, state), detail == NULL ? "" : shown(m, detail)), 9);
    cJSON_ArrayForEach(item, member(parent, "markers"))
    {
        const char *name = record_string(item, "name"), *value = record_string(item, "value");

        printf(
            "%-9s%s=%s%s\n", "", name == NULL ? NONE : shown(m, name), value == NULL ? "" : shown(m, value),
            cJSON_IsNumber(member(item, "pid")) ? mem_printf(m, "  (pid %s)", number(m, item, "pid")) : "");
    }
    cJSON_ArrayForEach(item, member(parent, "records"))
    {
        const cJSON *mtime = member(item, "mtime");
        const char *path = record_string(item, "path");

        printf("%-9s%s  %s bytes", "", path == NULL ? NONE : shown_path(m, path), number(m, item, "size"));
        if (cJSON_IsNumber(mtime) && mtime->valuedouble > 0 && mtime->valuedouble < 9e15)
            printf("  of %s", when_time(m, (int64_t)mtime->valuedouble, utc));
        putchar('\n');
    }
}

static void
print_argv(struct mem *m, const struct view *v)
{
    struct words asked, rendered;
    const char *line = "";

    words_of(m, v, "argv_requested", &asked);
    putchar('\n');
    label("argv");
    if (asked.whole != NULL)
        line = word_shown(m, &asked, 0);
    for (size_t i = 0; i < asked.argc; i++)
        line = mem_printf(m, "%s%s%s", line, i == 0 ? "" : " ", word_shown(m, &asked, i));
    print_text(line, 9);
    if (v->refused)
        return;
    words_of(m, v, "argv_rendered", &rendered);
    if (asked.whole != NULL || rendered.whole != NULL) {
        const char *x = record_string(asked.whole, "sha256"), *y = record_string(rendered.whole, "sha256");

        printf("%-9s%s\n", "",
               x != NULL && y != NULL && strcmp(x, y) == 0 ? "(run as it was)"
                                                           : "(rewritten; too long to show)");
    } else if (!diff_print(m, &asked, &rendered)) {
        printf("%-9s(run as it was)\n", "");
    }
}

static void
print_record(struct mem *m, const struct entry *e)
{
    int64_t seq = record_seq(e->record);

    label("record");
    if (seq == -1)
        printf("no seq");
    else if (seq == 0)
        printf("seq 0, the first");
    else
        printf("seq %lld, chained to %lld", (long long)seq, (long long)seq - 1);
    putchar(' ');
    put(e->broken == NULL ? GREEN : RED, e->broken == NULL ? TICK : CROSS);
    if (e->broken != NULL)
        printf(" %s", e->broken);
    printf("%s\n", e->spool || cJSON_IsTrue(member(e->record, "spooled"))
                       ? mem_printf(m, "  (spooled in %s)", shown_path(m, e->path))
                       : "");
}

/* What was written on the same launch later: that its exec failed. */
static void
print_failure(struct mem *m, const cJSON *record)
{
    const char *name = record_string(record, "errno");

    label("failed");
    put(MAGENTA, mem_printf(m, "the exec failed: %s\n", name == NULL ? "?" : shown(m, name)));
}

static void
print_json(const struct entry *e, const cJSON *parent)
{
    cJSON *o = cJSON_Duplicate(e->record, 1), *chain = cJSON_AddObjectToObject(o, "integrity");
    char *text;

    cJSON_AddStringToObject(chain, "path", e->path);
    cJSON_AddNumberToObject(chain, "line", (double)e->number);
    cJSON_AddStringToObject(chain, "sha256", e->sha256);
    cJSON_AddStringToObject(chain, "chain", e->broken == NULL ? "ok" : e->broken);
    cJSON_AddItemToObject(o, "parent", parent == NULL ? cJSON_CreateNull() : cJSON_Duplicate(parent, 1));
    text = cJSON_PrintUnformatted(o);
    if (text != NULL)
        put_json(text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(o);
}

static bool
was_probed(const struct view *v)
{
    const cJSON *check;

    cJSON_ArrayForEach(check, member(v->record, "checks"))
    {
        const char *name = record_string(check, "name"), *result = record_string(check, "result");

        if (name != NULL && strcmp(name, "parent") == 0)
            return result != NULL && strcmp(result, "not run") != 0;
    }
    return false;
}

static void
print_launch(struct log *l, const struct entry *e, const struct view *v, const cJSON *parent,
             const char *command)
{
    struct mem *m = mem_new();
    struct words w;

    if (l->options.json) {
        print_json(e, parent);
    } else {
        words_of(m, v, "argv_requested", &w);
        print_title(m, v, &w, e->ts, l->options.utc, command);
        print_asked(m, v);
        print_got(m, v);
        print_because(m, v);
        print_checks(m, v);
        print_parent(m, parent, l->options.utc);
        print_argv(m, v);
        print_record(m, e);
    }
    mem_free(m);
}

void
why_begin(struct why *y, struct log *l, struct mem *m)
{
    *y = (struct why){.log = l, .mem = m};
}

void
why_see(struct why *y, const struct entry *e)
{
    const char *event = record_string(e->record, "event");

    if (event == NULL)
        return;
    if (strcmp(event, "run.start") == 0 && y->command == NULL)
        y->command = shown(y->mem, record_string(e->record, "command"));
    if (strcmp(event, "worker_access.parent") == 0) {
        cJSON_Delete(y->parents[e->file]);
        y->parents[e->file] = cJSON_Duplicate(e->record, 1);
    }
}

void
why_print(const struct why *y, const struct entry *e, const struct view *v)
{
    print_launch(y->log, e, v, was_probed(v) ? y->parents[e->file] : NULL, y->command);
}

void
why_end(struct why *y)
{
    for (size_t i = 0; i < PLACES_MAX; i++)
        cJSON_Delete(y->parents[i]);
}

/* Finds the launch, with the last probe before it in the same file. Returns how many launches of that id there are: two
 * spools may each have their s1. */
static int
find_launch(struct log *l, const struct run_entry *run, const char *id)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, true);
    struct why y;
    struct entry e;
    struct view v;
    int found = 0;

    why_begin(&y, l, m);
    while (run_next(r, &e)) {
        const char *event = record_string(e.record, "event"), *its = record_string(e.record, "id");

        why_see(&y, &e);
        if (event == NULL || its == NULL || strcmp(its, id) != 0)
            continue;
        if (view_of(&e, &v)) {
            if (found++ > 0 && !l->options.json)
                putchar('\n');
            why_print(&y, &e, &v);
        } else if (found > 0 && strcmp(event, "agent.failed") == 0) {
            if (l->options.json)
                put_record(&e);
            else
                print_failure(m, e.record);
        }
    }
    why_end(&y);
    log_close(run, r);
    mem_free(m);
    return found;
}

int
view_why(struct log *l, int argc, char **argv)
{
    char *id = argv[argc - 1], *slash = argc == 1 ? strrchr(id, '/') : NULL;
    const char *name = argc == 2 ? argv[0] : NULL;
    const struct run_entry *run;

    /* A launch as parent_launch names it: RUN/ID. */
    if (slash != NULL) {
        name = mem_strndup(l->mem, id, (size_t)(slash - id));
        id = slash + 1;
    }
    run = log_run(l, name);
    screen_pager();
    if (find_launch(l, run, id) == 0) {
        const char *problem;
        const struct run_entry *named = run_list_find(&l->runs, l->mem, id, &problem);

        fflush(stdout);
        if (named != NULL)
            errx(EXIT_FOUND, "%s is a run: name one of its launches, as %s/a1", shown(l->mem, id),
                 shown(l->mem, named->id));
        errx(EXIT_FOUND, "%s: no such launch in %s", shown(l->mem, id), shown(l->mem, run->id));
    }
    return 0;
}
