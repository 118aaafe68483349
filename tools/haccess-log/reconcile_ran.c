/* What a session's record says that it ran with, and what a launch was granted, on the same scale. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../shim/decide/evidence_file.h"
#include "../../shim/decide/json.h"
#include "../../shim/decide/tail.h"
#include "reconcile.h"

/* What a session writes comes after its launch, but for a clock that is set. */
#define SLACK_MS 100

/* What a CLI calls its modes, by what they permit. A word that is not here counts as the widest. */
static const struct mode {
    const char *word;
    int rank;
} codex_modes[] = {{"read-only", 0}, {"workspace-write", 1}, {"danger-full-access", 2}, {NULL, 2}},
  claude_modes[] = {{"plan", 0}, {"default", 1},           {"manual", 1}, {"dontAsk", 1}, {"acceptEdits", 2},
                    {"auto", 3}, {"bypassPermissions", 4}, {NULL, 4}};

static bool
is_codex(const char *adapter)
{
    return adapter != NULL && strcmp(adapter, "codex") == 0;
}

static int
rank_of(const struct mode *modes, const char *word)
{
    while (modes->word != NULL && strcmp(modes->word, word) != 0)
        modes++;
    return modes->rank;
}

/* Returns the permission mode that a recorded command line names, or NULL. */
static const char *
named_mode(struct mem *m, const struct view *v, const char *field)
{
    const char *mode = NULL;
    struct words w;

    words_of(m, v, field, &w);
    for (size_t i = 0; i < w.argc && strcmp(w.argv[i], "--") != 0; i++) {
        if (strcmp(w.argv[i], "--permission-mode") == 0 && i + 1 < w.argc && *w.argv[i + 1] != '\0')
            mode = w.argv[i + 1];
        else if (strncmp(w.argv[i], "--permission-mode=", 18) == 0)
            mode = w.argv[i] + 18;
    }
    return mode;
}

void
grant_of(struct mem *m, const struct view *v, struct grant *out)
{
    /* Claude Code's sandbox is not in its transcript: the modes are those that a rendering for the projection has. */
    static const struct {
        const char *word;
        struct grant codex, claude;
    } grants[] = {
        {"full-access", {2, 2, "full-access", NULL}, {4, 4, "full-access", NULL}},
        {"workspace-write", {1, 1, "workspace-write", NULL}, {0, 2, "workspace-write", NULL}},
        {"read-only", {0, 0, "read-only", NULL}, {0, 1, "read-only", NULL}},
    };
    const char *word = v->observed ? v->asked : v->projection;
    bool codex = is_codex(v->adapter);
    const char *mode;

    *out =
        codex ? (struct grant){0, 1, "vendor-default", NULL} : (struct grant){0, 3, "vendor-default", NULL};
    for (size_t i = 0; word != NULL && i < sizeof(grants) / sizeof(grants[0]); i++)
        if (strcmp(word, grants[i].word) == 0)
            *out = codex ? grants[i].codex : grants[i].claude;
    mode = codex || v->observed ? NULL : named_mode(m, v, "argv_rendered");
    if (mode != NULL && strcmp(out->word, "vendor-default") != 0) {
        out->low = out->high = rank_of(claude_modes, mode);
        out->mode = mode;
    }
}

struct reading {
    struct mem *m;
    int64_t from, to;
    struct ran *out;
    bool codex;
};

static void
found(struct reading *r, int rank, const char *word)
{
    if (!r->out->found || rank > r->out->rank) {
        r->out->rank = rank;
        r->out->word = word;
    }
    r->out->found = true;
}

/* A value as a word: without its quotes. */
static const char *
word_of(struct mem *m, struct json_span value)
{
    if (!json_is_string(value))
        return record_word(m, value);
    return mem_strndup(m, value.text + 1, value.length - 2);
}

static bool
is(const cJSON *o, const char *name, const char *word)
{
    const char *text = record_string(o, name);

    return text != NULL && strcmp(text, word) == 0;
}

/* Whether it is "/", however spelled. */
static bool
is_root(const char *path)
{
    return path != NULL && *path == '/' && path[strspn(path, "/.")] == '\0';
}

static bool
has_root(const cJSON *policy)
{
    const cJSON *root;

    cJSON_ArrayForEach(root, cJSON_GetObjectItemCaseSensitive(policy, "writable_roots"))
    {
        if (is_root(cJSON_GetStringValue(root)))
            return true;
    }
    return false;
}

/* What a rollout's permission_profile lets it write, as a rank of codex_modes. Words that are not known count as the widest. */
static int
profile_rank(const cJSON *profile)
{
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(profile, "file_system"), *entry;
    int rank = 0;

    if ((record_string(profile, "type") != NULL && !is(profile, "type", "managed")) ||
        (record_string(files, "type") != NULL && !is(files, "type", "restricted")))
        return 2;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(files, "entries"))
    {
        const cJSON *path = cJSON_GetObjectItemCaseSensitive(entry, "path");

        if (is(entry, "access", "read") || is(entry, "access", "none") || is(entry, "access", "deny"))
            continue;
        if (is_root(record_string(path, "path")) ||
            is(cJSON_GetObjectItemCaseSensitive(path, "value"), "kind", "root"))
            return 2;
        rank = 1;
    }
    return rank;
}

/* What a turn can write in fact: what its policy is called need not say it. */
static int
written_rank(struct json_span policy, struct json_span profile)
{
    cJSON *p = cJSON_ParseWithLength(policy.text, policy.length);
    cJSON *q = profile.text == NULL ? NULL : cJSON_ParseWithLength(profile.text, profile.length);
    int rank = has_root(p) ? 2 : profile_rank(q);

    cJSON_Delete(p);
    cJSON_Delete(q);
    return rank;
}

/* Takes what a turn_context says. Returns false when the line is none. */
static bool
read_codex(struct reading *r, struct json_span line)
{
    struct json_span type, payload, policy, profile = {NULL, 0};
    const char *word;
    int named, rank;

    if (json_member(line, "type", &type) == JSON_NONE || !json_equals(type, "turn_context"))
        return false;
    if (json_member(line, "payload", &payload) != JSON_ONCE ||
        json_member(payload, "sandbox_policy", &policy) != JSON_ONCE ||
        json_member(policy, "type", &type) != JSON_ONCE || !json_is_string(type)) {
        r->out->problem = "a turn_context without one sandbox_policy.type";
        return true;
    }
    if (json_member(payload, "permission_profile", &profile) == JSON_NONE)
        profile.text = NULL;
    word = word_of(r->m, type);
    named = rank_of(codex_modes, word);
    rank = written_rank(policy, profile);
    if (rank <= named)
        found(r, named, word);
    else
        found(r, rank, mem_printf(r->m, "%s, writing %s", word, rank == 2 ? "everywhere" : "by its profile"));
    return true;
}

static bool
read_claude(struct reading *r, struct json_span line)
{
    struct json_span mode;
    enum json_found there = json_member(line, "permissionMode", &mode);

    if (there == JSON_NONE)
        return false;
    if (there == JSON_TWICE || !json_is_string(mode))
        r->out->problem = "a permissionMode that is there twice, or no string";
    else
        found(r, rank_of(claude_modes, word_of(r->m, mode)), word_of(r->m, mode));
    return true;
}

/* When a line was written; -1: it does not say. */
static int64_t
time_of(struct mem *m, struct json_span line)
{
    struct json_span ts;

    if (json_member(line, "timestamp", &ts) == JSON_NONE || !json_is_string(ts))
        return -1;
    return record_time(word_of(m, ts));
}

static void
read_line(struct reading *r, struct json_span line, struct ran *out)
{
    struct ran *own = r->out;

    r->out = out;
    if (r->codex)
        read_codex(r, line);
    else
        read_claude(r, line);
    r->out = own;
}

/* A line that does not say when it was written stands with the next that does. Whose it is, the last of them in a session that
 * was taken up again does not tell: where it would be wider, nothing is said. */
static void
settle(struct reading *r, struct ran *loose, bool its_own)
{
    if (loose->problem != NULL)
        r->out->problem = loose->problem;
    else if (loose->found && its_own)
        found(r, loose->rank, loose->word);
    else if (loose->found && (!r->out->found || loose->rank > r->out->rank))
        r->out->problem = "a mode without a time, which may be an earlier launch's";
    memset(loose, 0, sizeof(*loose));
}

/* Goes back from the end. A session that was taken up again has earlier turns, which were other launches'. */
static void
read_back(struct reading *r, struct tail *t)
{
    enum tail_result found_line = TAIL_NONE;
    struct ran loose = {0};
    struct json_span line;
    struct json_error error;
    int64_t at = -1, ts;

    while (r->out->problem == NULL && (found_line = tail_next(t, &line.text, &line.length)) == TAIL_LINE) {
        if (!json_valid(line.text, line.length, &error)) {
            r->out->problem = mem_printf(r->m, "a torn or forged line: %s", error.why);
            return;
        }
        ts = time_of(r->m, line);
        at = ts == -1 ? at : ts;
        if (at != -1 && at >= r->to)
            continue;
        if (ts == -1) {
            read_line(r, line, &loose);
        } else if (ts < r->from) {
            settle(r, &loose, false);
            return;
        } else {
            settle(r, &loose, true);
            read_line(r, line, r->out);
        }
    }
    settle(r, &loose, true);
    if (found_line == TAIL_TOO_LONG)
        r->out->problem = "a line of more than 1 MiB that may say it";
    else if (found_line == TAIL_TOO_FAR || found_line == TAIL_ERROR)
        r->out->problem = "it cannot be read whole";
}

void
session_ran(const struct host *h, struct mem *m, const struct session *s, int64_t from, int64_t to,
            struct ran *out)
{
    /* All of a session that the launch began is its own. */
    bool taken_up = s->created < from - SLACK_MS;
    struct reading r = {m, taken_up ? from - SLACK_MS : INT64_MIN, to, out, is_codex(s->adapter)};
    struct tail *t = malloc(sizeof(*t));
    int fd = session_open(h, s->path);
    struct stat st;

    memset(out, 0, sizeof(*out));
    if (t == NULL || fd == -1 || fstat(fd, &st) == -1) {
        out->problem = "it cannot be opened";
    } else {
        tail_init(t, fd, (uint64_t)st.st_size, r.codex ? "\"turn_context\"" : "\"permissionMode\"");
        read_back(&r, t);
        tail_free(t);
    }
    free(t);
    if (fd != -1)
        close(fd);
}
