/* Which session's record is which launch's: by the session id where the command line names it, by the prompt where that is
 * one's alone, else by adapter, directory and time. Nothing is guessed: where several fit, the result says so. */
#include <stdlib.h>
#include <string.h>

#include "reconcile.h"

/* How long after its launch a session may begin. A person may take any time to type. */
#define BEGINS_MS             ((int64_t)120 * 1000)
#define BEGINS_INTERACTIVE_MS ((int64_t)60 * 60 * 1000)
#define BEFORE_MS             100 /* it begins after the launch was written down, but for a clock that is set */

static const char by_id[] = "session id", by_prompt[] = "prompt", by_time[] = "time and directory";

struct match {
    const struct host *h;
    struct mem *m;
    struct worker *w;
    size_t n;
    struct sessions *s;
};

/* What may stand before an id in its word. */
static const char *const before[] = {"", "--session-id=", "--resume=", "-r=", "-r"};

#define SPELLINGS (sizeof(before) / sizeof(before[0]))

static bool
is_hash_of(const char *sha256, const char *text, size_t n)
{
    char hex[HASH_SIZE];

    hash_bytes(text, n, hex);
    return strcmp(hex, sha256) == 0;
}

static bool
is_blank(char c)
{
    return c == '\n' || c == ' ';
}

/* Whether the text is the argument, or begins or ends with it: what is piped to the CLI is put beside the prompt. */
static bool
holds(const char *text, const struct said *a)
{
    size_t n = strlen(text), k = a->bytes;

    if (k == 0 || k > n)
        return false;
    if (k == n)
        return is_hash_of(a->sha256, text, n);
    return (is_blank(text[k]) && is_hash_of(a->sha256, text, k)) ||
           (is_blank(text[n - k - 1]) && is_hash_of(a->sha256, text + n - k, k));
}

/* Whether the session began with a prompt of the launch. */
static bool
says(struct match *x, const struct worker *w, struct session *s)
{
    session_prompts(x->h, x->m, s);
    for (size_t i = 0; i < s->prompts.count; i++)
        for (size_t k = 0; k < w->nprompts; k++)
            if (holds(s->prompts.items[i], &w->prompts[k]))
                return true;
    return false;
}

/* Whether two directories are the same: by name, or, where they are still there, in fact. */
static bool
same_directory(const char *a, const char *b)
{
    char *x, *y;
    bool same;

    if (a == NULL || b == NULL)
        return false;
    if (strcmp(a, b) == 0)
        return true;
    x = realpath(a, NULL);
    y = x == NULL ? NULL : realpath(b, NULL);
    same = y != NULL && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

/* Whether the session can have begun with the launch, or be one that it took up again. */
static bool
fits(const struct worker *w, const struct session *s)
{
    int64_t until = w->ts + (w->interactive ? BEGINS_INTERACTIVE_MS : BEGINS_MS);

    if (strcmp(w->adapter, s->adapter) != 0 || s->created > until)
        return false;
    if (w->resumes && !w->forks ? s->created > w->ts : s->created < w->ts - BEFORE_MS)
        return false;
    return same_directory(w->cwd, s->cwd);
}

static void
add(struct match *x, struct worker *w, struct session *s)
{
    if (w->nsessions == w->room) {
        size_t room = w->room == 0 ? 4 : 2 * w->room;
        struct session **grown = mem_array(x->m, room, sizeof(struct session *));

        if (w->nsessions != 0)
            memcpy(grown, w->sessions, w->nsessions * sizeof(struct session *));
        w->sessions = grown;
        w->room = room;
    }
    w->sessions[w->nsessions++] = s;
}

/* Takes every session of which a launch names the id: a thread can have records in two homes. */
static void
match_ids(struct match *x)
{
    for (size_t k = 0; k < x->s->count; k++) {
        struct session *s = &x->s->items[k];
        char hex[SPELLINGS][HASH_SIZE];
        bool hashed = false;

        for (size_t i = 0; i < x->n; i++) {
            struct worker *w = &x->w[i];
            bool named = false;

            if (w->beyond != NULL || w->forks || w->ids.count == 0 || strcmp(w->adapter, s->adapter) != 0)
                continue;
            for (size_t n = 0; n < SPELLINGS && !hashed; n++) {
                const char *text = mem_printf(x->m, "%s%s", before[n], s->id);

                hash_bytes(text, strlen(text), hex[n]);
            }
            hashed = true;
            for (size_t n = 0; n < SPELLINGS && !named; n++)
                named = strings_has(&w->ids, hex[n]);
            if (named) {
                add(x, w, s);
                w->by = by_id;
                /* One that it took up again was begun by another launch. */
                s->taken = s->taken || s->created >= w->ts - BEFORE_MS;
            }
        }
    }
}

static void
match_times(struct match *x)
{
    for (size_t i = 0; i < x->n; i++) {
        struct worker *w = &x->w[i];

        for (size_t k = 0; w->beyond == NULL && w->by == NULL && k < x->s->count; k++) {
            struct session *s = &x->s->items[k];

            if (!s->taken && fits(w, s)) {
                add(x, w, s);
                s->claims++;
            }
        }
    }
}

static void
drop(struct worker *w, size_t k)
{
    w->sessions[k]->claims--;
    memmove(&w->sessions[k], &w->sessions[k + 1], (w->nsessions - k - 1) * sizeof(struct session *));
    w->nsessions--;
}

/* Whether it is nobody else's, by time and directory. */
static bool
is_alone(const struct worker *w)
{
    return w->nsessions == 1 && w->sessions[0]->claims == 1;
}

/* Where a launch has several, or shares one, those that begin with one of its words are kept; and one that the words of one
 * launch name alone is nobody else's. */
static void
match_prompts(struct match *x)
{
    for (size_t i = 0; i < x->n; i++) {
        struct worker *w = &x->w[i];
        size_t said = 0;

        if (w->by != NULL || w->nsessions == 0 || is_alone(w))
            continue;
        for (size_t k = 0; k < w->nsessions; k++)
            said += says(x, w, w->sessions[k]);
        if (said == 0)
            continue;
        for (size_t k = w->nsessions; k-- > 0;)
            if (!says(x, w, w->sessions[k]))
                drop(w, k);
        w->by = by_prompt;
        if (w->nsessions == 1)
            w->sessions[0]->named++;
    }
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = x->w[i].by == NULL ? x->w[i].nsessions : 0; k-- > 0;)
            if (x->w[i].sessions[k]->named == 1)
                drop(&x->w[i], k);
}

/* Lists for each session the launches that it may be of. */
static void
list_claims(struct match *x)
{
    for (size_t k = 0; k < x->s->count; k++) {
        x->s->items[k].workers = mem_array(x->m, x->s->items[k].claims + 1, sizeof(struct worker *));
        x->s->items[k].claims = 0;
    }
    for (size_t i = 0; i < x->n; i++)
        for (size_t k = 0; x->w[i].by != by_id && k < x->w[i].nsessions; k++) {
            struct session *s = x->w[i].sessions[k];

            s->workers[s->claims++] = &x->w[i];
        }
}

/* Until when the session was this launch's: the next one that is certainly of the same session ends it. */
static int64_t
until(const struct match *x, const struct worker *w, const struct session *s)
{
    int64_t to = INT64_MAX;

    for (size_t i = 0; i < x->n; i++) {
        const struct worker *o = &x->w[i];

        if (o != w && o->ts > w->ts && o->ts < to && o->nsessions == 1 && o->sessions[0] == s &&
            o->by != NULL)
            to = o->ts;
    }
    return to;
}

static enum result
compare(const struct grant *g, const struct ran *r)
{
    return r->rank > g->high ? RESULT_WIDER : r->rank < g->low ? RESULT_NARROWER : RESULT_AGREED;
}

/* Whether a session that was found by time alone began with another prompt than the launch has: then it need not be its. */
static bool
says_otherwise(struct match *x, const struct worker *w)
{
    return w->by == by_time && w->nprompts != 0 && !w->interactive && !w->resumes &&
           !says(x, w, w->sessions[0]) && w->sessions[0]->prompts.count != 0;
}

/* One record, or several of one session: the widest of what they say counts. */
static void
judge_own(struct match *x, struct worker *w)
{
    for (size_t k = 0; k < w->nsessions; k++) {
        const struct session *s = w->sessions[k];
        struct ran r;

        session_ran(x->h, x->m, s, w->ts, until(x, w, s), &r);
        if (r.found && (!w->ran.found || r.rank > w->ran.rank)) {
            const char *problem = w->ran.problem;

            w->ran = r;
            w->ran.problem = r.problem != NULL ? r.problem : problem;
        } else if (r.problem != NULL) {
            w->ran.problem = r.problem;
        }
    }
    if (w->ran.found && compare(&w->grant, &w->ran) == RESULT_WIDER) {
        w->result = RESULT_WIDER; /* whatever cannot be read of it */
    } else if (w->ran.problem != NULL) {
        w->result = RESULT_UNCLEAR;
        w->detail = w->ran.problem;
    } else if (!w->ran.found) {
        w->result = RESULT_NONE;
        w->detail = "its record does not say what it ran with";
    } else if (says_otherwise(x, w)) {
        w->result = RESULT_UNCLEAR;
        w->detail = "the only session of that directory and time began with another prompt";
    } else {
        w->result = compare(&w->grant, &w->ran);
    }
}

/* Launches that may have each other's records, by way of any number of others. */
struct group {
    struct worker **workers;
    size_t nworkers;
    struct session **sessions;
    size_t nsessions;
    int64_t from;                      /* the first launch */
    size_t ran[RANKS], granted[RANKS]; /* how many records are at least so wide, how many launches may be */
};

static void
gather(struct match *x, struct worker *first, struct group *g)
{
    g->workers = mem_array(x->m, x->n, sizeof(struct worker *));
    g->sessions = mem_array(x->m, x->s->count, sizeof(struct session *));
    g->from = INT64_MAX;
    first->done = true;
    g->workers[g->nworkers++] = first;
    for (size_t i = 0; i < g->nworkers; i++) {
        struct worker *w = g->workers[i];

        g->from = w->ts < g->from ? w->ts : g->from;
        for (size_t k = 0; k < w->nsessions; k++) {
            struct session *s = w->sessions[k];

            if (s->grouped)
                continue;
            s->grouped = true;
            g->sessions[g->nsessions++] = s;
            for (size_t o = 0; o < s->claims; o++)
                if (!s->workers[o]->done) {
                    s->workers[o]->done = true;
                    g->workers[g->nworkers++] = s->workers[o];
                }
        }
    }
}

static void
count(struct match *x, struct group *g)
{
    struct ran r;

    for (size_t k = 0; k < g->nsessions; k++) {
        session_ran(x->h, x->m, g->sessions[k], g->from, INT64_MAX, &r);
        g->sessions[k]->rank = r.found ? r.rank : -1;
        for (int t = 0; r.found && t <= r.rank; t++)
            g->ran[t]++;
    }
    for (size_t i = 0; i < g->nworkers; i++)
        for (int t = 0; t <= g->workers[i]->grant.high; t++)
            g->granted[t]++;
}

/* Whether one that is wider than the launch was granted may be its, where more are so wide than launches were granted it:
 * then one of the launches ran wider, whichever it is. */
static bool
is_surplus(const struct group *g, const struct worker *w)
{
    for (size_t k = 0; k < w->nsessions; k++) {
        int rank = w->sessions[k]->rank;

        if (rank > w->grant.high && g->ran[rank] > g->granted[rank])
            return true;
    }
    return false;
}

static void
judge_group(struct match *x, struct worker *first)
{
    struct group g = {0};
    const char *who;

    gather(x, first, &g);
    count(x, &g);
    who = g.nworkers == 1 ? counted(x->m, g.nsessions, "session", "sessions that may be its")
                          : mem_printf(x->m, "%s, %s of that directory and time",
                                       counted(x->m, g.nworkers, "launch", "launches"),
                                       counted(x->m, g.nsessions, "session", "sessions"));
    for (size_t i = 0; i < g.nworkers; i++) {
        struct worker *w = g.workers[i];

        w->by = NULL;
        w->result = RESULT_UNCLEAR;
        w->detail = who;
        if (is_surplus(&g, w)) {
            w->result = RESULT_WIDER;
            w->detail = mem_printf(x->m, "%s; more ran so wide than were granted it", who);
        }
    }
}

void
workers_reconcile(const struct host *h, struct mem *m, struct worker *w, size_t n, struct sessions *s)
{
    struct match x = {h, m, w, n, s};

    match_ids(&x);
    match_times(&x);
    match_prompts(&x);
    list_claims(&x);
    for (size_t i = 0; i < n; i++) {
        if (w[i].done)
            continue;
        if (w[i].beyond != NULL || w[i].nsessions == 0) {
            w[i].result = RESULT_NONE;
            w[i].detail = w[i].beyond != NULL ? w[i].beyond : "no session of that directory and time";
        } else if (w[i].by == by_id || is_alone(&w[i])) {
            if (w[i].by == NULL)
                w[i].by = by_time;
            judge_own(&x, &w[i]);
        } else {
            judge_group(&x, &w[i]);
        }
    }
}
