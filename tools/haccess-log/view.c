#include "view.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "strict.h"

static const cJSON *
member(const cJSON *o, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(o, name);
}

/* The same from a glance: all but the record itself. */
static void
view_glance(const struct glance *g, struct view *out)
{
    out->id = g->id;
    out->adapter = g->adapter;
    out->class = g->class;
    out->cwd = g->cwd;
    out->model = g->model;
    out->effort = g->effort;
    out->asked = g->asked;
    out->projection = g->projection;
    out->enforcement = g->enforcement;
    out->reason = g->reason;
    out->detail = g->detail;
    out->remedy = g->remedy;
    out->code = g->code;
    out->parent_launch = g->parent_launch;
    out->continues = g->continues;
    out->observed = g->observed;
    out->spooled = g->spooled;
}

static void
view_record(const cJSON *record, struct view *out)
{
    out->record = record;
    out->access = member(record, "access");
    out->request = member(record, "request");
    out->refusal = member(record, "refusal");
    out->id = record_string(record, "id");
    out->adapter = record_string(record, "adapter");
    out->class = record_string(record, "class");
    out->cwd = record_string(record, "cwd");
    out->model = record_string(out->request, "model");
    out->effort = record_string(out->request, "effort");
    out->asked = record_string(out->request, "access");
    out->projection = record_string(record, "projection");
    out->enforcement = record_string(record, "enforcement");
    out->reason = record_string(out->access, "reason");
    out->detail = record_string(out->access, "detail");
    out->remedy = record_string(out->access, "remedy");
    out->code = record_string(out->refusal, "code");
    out->parent_launch = record_string(record, "parent_launch");
    out->continues = record_string(record, "continues");
    out->observed = cJSON_IsTrue(member(record, "observed"));
    out->spooled = cJSON_IsTrue(member(record, "spooled"));
}

bool
view_of(const struct entry *e, struct view *out)
{
    const char *event =
        e->record == NULL && e->glance != NULL ? e->glance->event : record_string(e->record, "event");
    bool start = event != NULL && strcmp(event, "agent.start") == 0;

    if (!start && (event == NULL || strcmp(event, "agent.refused") != 0))
        return false;
    memset(out, 0, sizeof(*out));
    if (e->record == NULL)
        view_glance(e->glance, out);
    else
        view_record(e->record, out);
    out->refused = !start;
    out->spooled = out->spooled || e->spool;
    if (!out->refused) {
        const char *asked = out->asked == NULL ? "" : out->asked;
        const char *got = out->projection == NULL ? "" : out->projection;
        bool asked_full = strcmp(asked, "full-access") == 0,
             asked_write = strcmp(asked, "workspace-write") == 0;
        bool got_read = strcmp(got, "read-only") == 0, got_write = strcmp(got, "workspace-write") == 0;

        out->full = out->observed ? asked_full : strcmp(got, "full-access") == 0;
        out->narrowed =
            !out->observed && ((asked_full && (got_read || got_write)) || (asked_write && got_read));
    }
    return true;
}

void
put_record(const struct entry *e)
{
    char *text = NULL;

    if (!strict_json(e->line.text, e->line.length)) {
        cJSON *read = e->record == NULL ? line_record(&e->line) : NULL;

        text = cJSON_PrintUnformatted(e->record == NULL ? read : e->record);
        cJSON_Delete(read);
    }
    if (text != NULL)
        put_json(text, strlen(text));
    else
        put_json(e->line.text, e->line.length);
    cJSON_free(text);
}

void
put_entry(const struct entry *e)
{
    if (e->problem != NULL)
        printf("{\"problem\":\"%s\",\"line\":%lld,\"byte\":%lld,\"bytes\":%zu}\n", e->problem,
               (long long)e->number, (long long)e->line.start, e->line.length);
    else
        put_record(e);
}

bool
filter_given(const struct filter *f)
{
    return f->since != -1 || f->until != -1 || f->refused || f->unsandboxed || f->adapter != NULL ||
           f->model != NULL || f->reason != NULL || f->mode != NULL || f->cwd != NULL;
}

static bool
matches(const char *pattern, const char *value)
{
    return pattern == NULL || (value != NULL && fnmatch(pattern, value, 0) == 0);
}

static bool
below(const char *dir, const char *path)
{
    size_t n = strlen(dir);

    while (n > 1 && dir[n - 1] == '/')
        n--;
    return path != NULL && strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/' || n == 1);
}

/* By what ran, as all views count it: what observe mode only computed is not the question. */
static bool
mode_matches(const char *mode, const struct view *v)
{
    return mode == NULL || (!v->refused && v->full == (strcmp(mode, "full-access") == 0));
}

/* Whether it ran, and no sandbox of the operating system is known to have held it. */
static bool
is_unsandboxed(const struct view *v)
{
    static const char *const sandboxes[] = {"vendor", "bubblewrap", "bubblewrap+vendor", NULL};

    for (const char *const *s = sandboxes; v->enforcement != NULL && *s != NULL; s++)
        if (strcmp(*s, v->enforcement) == 0)
            return false;
    return !v->refused;
}

bool
filter_matches(const struct filter *f, const struct view *v, int64_t ts)
{
    const char *short_name = v->adapter != NULL && strcmp(v->adapter, "claude-code") == 0 ? "claude" : NULL;

    return (f->since == -1 || ts >= f->since) && (f->until == -1 || ts < f->until) &&
           (!f->refused || v->refused) &&
           (matches(f->adapter, v->adapter) || (short_name != NULL && matches(f->adapter, short_name))) &&
           matches(f->model, v->model) &&
           (matches(f->reason, v->reason) || (v->code != NULL && matches(f->reason, v->code))) &&
           mode_matches(f->mode, v) && (!f->unsandboxed || is_unsandboxed(v)) &&
           (f->cwd == NULL || below(f->cwd, v->cwd));
}

/* The short words of access and projection. */
static const char *
short_word(struct mem *m, const char *word)
{
    static const char *const words[][2] = {{"full-access", "full"},
                                           {"workspace-write", "ws"},
                                           {"read-only", "ro"},
                                           {"vendor-default", "default"}};

    if (word == NULL || strcmp(word, "unspecified") == 0)
        return NONE;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i][0]) == 0)
            return words[i][1];
    return shown(m, word);
}

const char *
word_asked(struct mem *m, const struct view *v)
{
    return short_word(m, v->asked);
}

const char *
word_got(struct mem *m, const struct view *v)
{
    if (v->refused)
        return "refused";
    if (v->full)
        return "FULL";
    if (!v->observed)
        return short_word(m, v->projection);
    return v->asked == NULL || strcmp(v->asked, "unspecified") == 0 ? "default" : short_word(m, v->asked);
}

struct cell
cell_access(struct mem *m, const struct view *v)
{
    enum colour c = v->refused ? MAGENTA : v->full ? RED : v->narrowed ? YELLOW : PLAIN;
    const char *got = word_got(m, v);

    if (v->asked != NULL && strcmp(v->asked, "contradictory") == 0)
        return (struct cell){"contradictory", c};
    if (c == PLAIN && strcmp(got, "default") == 0)
        c = DIM;
    return (struct cell){mem_printf(m, "%s %s %s", word_asked(m, v), ARROW, got), c};
}

/* Whether an observed launch ran with another access than it would have been given. */
static bool
observed_otherwise(const struct view *v)
{
    const char *ran = v->asked == NULL || strcmp(v->asked, "unspecified") == 0 ? "vendor-default" : v->asked;

    return v->projection == NULL || strcmp(ran, v->projection) != 0;
}

const char *
word_why(struct mem *m, const struct view *v)
{
    const char *why = v->reason == NULL ? NONE : shown(m, v->reason);

    if (v->refused)
        why = mem_printf(m, "refused: %s", v->code == NULL ? NONE : shown(m, v->code));
    else if (v->observed && v->code != NULL)
        why = mem_printf(m, "(observed: would be refused, %s)", shown(m, v->code));
    else if (v->observed && observed_otherwise(v))
        why = mem_printf(m, "%s   (observed: would be %s)", why, short_word(m, v->projection));
    if (v->continues != NULL)
        why = mem_printf(m, "%s   (in the process of %s)", why, shown(m, v->continues));
    return v->spooled ? mem_printf(m, "%s   (spooled)", why) : why;
}

const char *
word_adapter(struct mem *m, const struct view *v)
{
    if (v->adapter == NULL)
        return NONE;
    return strcmp(v->adapter, "claude-code") == 0 ? "claude" : shown(m, v->adapter);
}

const char *
counted(struct mem *m, size_t n, const char *one, const char *many)
{
    return mem_printf(m, "%zu %s", n, n == 1 ? one : many);
}
