/* What the launching session holds: the markers that say which sessions there are, what rules full access out whatever
 * their records say, and one verdict for each. */
#include "evidence.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../names/names.h"
#include "evidence_file.h"

static bool
blank(const char *s)
{
    return s[strspn(s, " \t\r\n\v\f")] == '\0';
}

static void
add_marker(struct mem *m, struct parent *p, const struct marker *k)
{
    struct marker *grown;

    for (size_t i = 0; i < p->nmarkers; i++)
        if (strcmp(p->markers[i].adapter, k->adapter) == 0 && strcmp(p->markers[i].value, k->value) == 0)
            return;
    grown = mem_array(m, p->nmarkers + 1, sizeof(*grown));
    if (p->nmarkers != 0)
        memcpy(grown, p->markers, p->nmarkers * sizeof(*grown));
    grown[p->nmarkers++] = *k;
    p->markers = grown;
    if (!strings_has(&p->adapters, k->adapter))
        strings_add(m, &p->adapters, k->adapter);
}

/* Adds the markers of one environment. A name that is there twice counts twice: programs differ in which one they see. */
static void
add_markers(struct mem *m, struct parent *p, char *const envp[], pid_t pid)
{
    const char *done = NULL; /* the adapter whose marker was found */

    for (size_t i = 0; marker_names[i].name != NULL; i++) {
        size_t n = strlen(marker_names[i].name);
        struct marker k = {.adapter = marker_names[i].adapter, .name = marker_names[i].name, .pid = pid};

        if (done != NULL && strcmp(done, k.adapter) == 0)
            continue;
        for (size_t j = 0; envp != NULL && envp[j] != NULL; j++)
            if (strncmp(envp[j], k.name, n) == 0 && envp[j][n] == '=' && !blank(envp[j] + n + 1)) {
                k.value = envp[j] + n + 1;
                add_marker(m, p, &k);
                done = k.adapter;
            }
    }
}

/* Returns the name of a variable that a vendor's sandbox sets, NULL: none in this environment. */
static const char *
sandbox_variable(struct mem *m, char *const envp[])
{
    static const char prefix[] = "CODEX_SANDBOX", whole[] = "SANDBOX_RUNTIME=";

    for (; envp != NULL && *envp != NULL; envp++) {
        const char *equals = strchr(*envp, '=');

        if (equals != NULL && !blank(equals + 1) &&
            (strncmp(*envp, prefix, sizeof(prefix) - 1) == 0 ||
             strncmp(*envp, whole, sizeof(whole) - 1) == 0))
            return mem_strndup(m, *envp, (size_t)(equals - *envp));
    }
    return NULL;
}

/* An environment that the rules look at: the launch's own, then those of the ancestors of the same uid that can be read. */
struct environment {
    char *const *envp;
    pid_t pid;
};

static struct environment *
environments(const struct host *h, struct mem *m, const struct lineage *l, size_t *count)
{
    struct environment *list = mem_array(m, l->count + 1, sizeof(*list));

    *count = 0;
    list[(*count)++] = (struct environment){h->envp, 0};
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].uid == h->uid && l->items[i].envp != NULL)
            list[(*count)++] = (struct environment){l->items[i].envp, l->items[i].pid};
    return list;
}

/* NoNewPrivs of a process by its status file: 0, 1, or -1 when it cannot be told. */
static int
status_no_new_privs(const struct host *h, struct mem *m, pid_t pid)
{
    static const char field[] = "\nNoNewPrivs:";
    const char *p;
    char *text;
    size_t length;

    if (host_read(m, AT_FDCWD, mem_printf(m, "%s/%d/status", h->proc, pid), 64 * 1024, 1, &text, &length) !=
            0 ||
        (p = strstr(text, field)) == NULL)
        return -1;
    p += sizeof(field) - 1;
    p += strspn(p, " \t");
    return p[0] == '0' && p[1] == '\n' ? 0 : p[0] == '1' && p[1] == '\n' ? 1 : -1;
}

/* Step 3. Returns whether it settles the matter. */
static bool
no_new_privs(const struct host *h, struct mem *m, struct verdict *out)
{
    int asked, status;

    if (h->no_new_privs == NULL)
        return false;
    asked = h->no_new_privs();
    status = asked == 1 ? 1 : status_no_new_privs(h, m, h->pid);
    if (status == 1) {
        out->state = PARENT_SANDBOXED;
        /* A sandbox with processes of its own (codex's) looks like a container from inside. */
        out->detail =
            status_no_new_privs(h, m, 1) == 1
                ? "no_new_privs is set for everything here, by the container or by the sandbox around "
                  "the launching session: nothing can qualify in it"
                : "no_new_privs is set: the launching session is sandboxed";
        return true;
    }
    if (asked == 0 && status == 0)
        return false;
    out->state = PARENT_UNKNOWN;
    out->detail =
        asked != 0 ? "prctl cannot tell whether no_new_privs is set"
                   : mem_printf(m, "%s/%d/status cannot tell whether no_new_privs is set", h->proc, h->pid);
    return true;
}

/* Claude Code 2.1.332 writes what it adds to a transcript up to 0.1 seconds later (measured): the first command of a session
 * can be there before its transcript, and that of a resumed session while the transcript still ends with the mode that the
 * session had before. */
#define LATE_TRIES 25
#define LATE_PAUSE 20 /* ms */

/* When the process of the marker's session began, milliseconds since 1970; 0: it is not among the ancestors. It is the one
 * above those that have the marker, if it is that vendor's CLI. */
static int64_t
session_began(const struct host *h, const struct lineage *l, const struct marker *k)
{
    size_t above = 0;
    struct match match;
    struct timespec now, boot;
    long ticks = sysconf(_SC_CLK_TCK);

    for (size_t i = 0; i < l->count; i++) {
        const char *value = l->items[i].uid == h->uid ? env_get(l->items[i].envp, k->name) : NULL;

        if (value != NULL && strcmp(value, k->value) == 0)
            above = i + 1;
    }
    if (above >= l->count || l->items[above].argv == NULL || l->items[above].argv[0] == NULL || ticks <= 0)
        return 0;
    match_exec(l->items[above].argv[0], l->items[above].argv, &match);
    if (match.kind != MATCH_LAUNCH || strcmp(match.adapter, k->adapter) != 0)
        return 0;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    return (int64_t)(now.tv_sec - boot.tv_sec) * 1000 + (now.tv_nsec - boot.tv_nsec) / 1000000 +
           (int64_t)(l->items[above].start * 1000 / (unsigned long long)ticks);
}

/* Whether the session may be about to write what is asked for: of the records from the first on none was written since the
 * session's process began, or they say nothing. */
static bool
is_late(const struct parent *p, size_t first, int64_t began, const struct verdict *v)
{
    if (v->state == PARENT_UNKNOWN)
        return true;
    for (size_t i = first; i < p->nrecords; i++)
        if (p->records[i].mtime >= began)
            return false;
    return true;
}

/* The verdict of a transcript, given the time to be written. Where it stays late (a clock was set, the session keeps none),
 * it counts as it is. */
static void
judge_claude(const struct host *h, struct mem *m, const struct lineage *l, const struct marker *k,
             struct parent *p, struct verdict *out)
{
    const struct timespec pause = {.tv_nsec = LATE_PAUSE * 1000000L};
    int64_t began = session_began(h, l, k);
    size_t first = p->nrecords;

    evidence_claude(h, m, k->value, p, out);
    for (int i = 0; began != 0 && i < LATE_TRIES && is_late(p, first, began, out); i++) {
        nanosleep(&pause, NULL);
        p->nrecords = first;
        evidence_claude(h, m, k->value, p, out);
    }
}

/* Step 4, one session. */
static void
judge_marker(const struct host *h, struct mem *m, const struct lineage *l, const struct marker *k,
             struct parent *p, struct verdict *out)
{
    if (strcmp(k->adapter, "codex") == 0)
        evidence_codex(h, m, k->value, p, out);
    else if (strcmp(k->adapter, "claude-code") == 0 && h->no_new_privs != NULL)
        judge_claude(h, m, l, k, p, out);
    else if (strcmp(k->adapter, "claude-code") == 0)
        *out = (struct verdict){PARENT_UNKNOWN, "whether its Bash sandbox is on can be told on Linux only"};
    else
        *out = (struct verdict){PARENT_UNKNOWN, "it keeps no record of its access"};
    out->detail = mem_printf(m, "%s session %.60s%s: %s", k->adapter, k->value,
                             k->pid == 0 ? "" : mem_printf(m, " (of process %d)", k->pid), out->detail);
}

/* Returns the detail of all the sessions that made the whole what it is. */
static const char *
details(struct mem *m, const struct verdict *verdicts, size_t n, enum parent_state state)
{
    const char *text = NULL;

    for (size_t i = 0; i < n; i++)
        if (verdicts[i].state == state)
            text = text == NULL ? verdicts[i].detail : mem_printf(m, "%s; %s", text, verdicts[i].detail);
    return text;
}

static void
probe(const struct host *h, struct mem *m, const struct lineage *l, struct parent *p)
{
    size_t n;
    struct environment *e = environments(h, m, l, &n);
    struct verdict *verdicts, all = {PARENT_UNKNOWN, NULL};

    for (size_t i = 0; i < n; i++)
        add_markers(m, p, e[i].envp, e[i].pid);
    if (p->nmarkers == 0) {
        p->detail = "no agent session is above this launch (no CODEX_THREAD_ID, CLAUDE_CODE_SESSION_ID or "
                    "other marker)";
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const char *name = sandbox_variable(m, e[i].envp);

        if (name != NULL) {
            p->state = PARENT_SANDBOXED;
            p->detail = mem_printf(m, "%.60s is set%s: the launching session is sandboxed", name,
                                   e[i].pid == 0 ? "" : mem_printf(m, " in process %d", e[i].pid));
            return;
        }
    }
    if (no_new_privs(h, m, &all)) {
        p->state = all.state;
        p->detail = all.detail;
        return;
    }
    verdicts = mem_array(m, p->nmarkers, sizeof(*verdicts));
    for (size_t i = 0; i < p->nmarkers; i++) {
        judge_marker(h, m, l, &p->markers[i], p, &verdicts[i]);
        verdict_add(&all, &verdicts[i]);
    }
    p->state = all.state;
    p->detail = details(m, verdicts, p->nmarkers, all.state);
}

static int64_t
milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void
evidence_probe(const struct host *h, struct mem *m, const struct lineage *l, struct parent *out)
{
    int64_t began = milliseconds();

    memset(out, 0, sizeof(*out));
    out->state = PARENT_UNKNOWN;
    probe(h, m, l, out);
    out->ms = milliseconds() - began;
}

const char *
parent_state_word(enum parent_state s)
{
    static const char *const words[] = {
        [PARENT_UNKNOWN] = "unknown", [PARENT_SANDBOXED] = "sandboxed", [PARENT_FULL] = "full-access"};

    return words[s];
}
