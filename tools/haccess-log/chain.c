#include "chain.h"

#include <string.h>

/* Lines that are remembered: that far apart copied or swapped ones are still recognized as such. */
#define NEAR 256

/* A line that was read. */
struct link {
    char sha256[HASH_SIZE];
    int64_t seq; /* that belongs to it */
    int64_t line;
    off_t byte;
    bool told; /* there is a finding of it */
};

struct chain {
    struct findings *out;
    const char *run;
    struct link links[NEAR]; /* a ring */
    size_t count;
    int64_t next; /* the seq that comes */
    int64_t
        loose; /* lines since the last one that fits, of which it is not known whether they have a seq of their own */

    struct finding *gap; /* records are missing here, from first to last */
    int64_t first, last;
    bool late; /* one of them came after all */

    struct finding *doubt; /* the last line's prev does not match: it or the one before was changed */
};

struct finding *
finding_add(struct findings *f, const char *kind, const char *what, int64_t line, int64_t seq, off_t byte)
{
    if (f->count++ >= FINDINGS_MAX)
        return NULL;
    f->items[f->count - 1] = (struct finding){kind, what, line, seq, byte};
    return &f->items[f->count - 1];
}

static struct finding *
tell(struct chain *c, const char *kind, const char *what, const struct link *l)
{
    return finding_add(c->out, kind, what, l->line, l->seq, l->byte);
}

/* Changes what a finding says, and of which line. */
static void
retell(struct finding *f, const char *kind, const char *what, const struct link *l)
{
    if (f != NULL)
        *f = (struct finding){kind, what, l->line, l->seq, l->byte};
}

struct chain *
chain_new(struct findings *f, const char *run)
{
    struct chain *c = mem_alloc(f->mem, sizeof(*c));

    c->out = f;
    c->run = run;
    /* What the first record refers to. */
    memcpy(c->links[0].sha256, hash_zero, HASH_SIZE);
    c->links[0].seq = -1;
    c->links[0].told = true;
    c->count = 1;
    c->last = -1;
    return c;
}

/* The line so many before the next one. NULL: none, or too far away. */
static struct link *
back(struct chain *c, size_t n)
{
    return n == 0 || n > c->count || n > NEAR ? NULL : &c->links[(c->count - n) % NEAR];
}

/* Returns how many lines back one with that hash is, the nearest; 0: there is none. */
static size_t
find(struct chain *c, const char *hash)
{
    struct link *l;

    if (hash == NULL || strlen(hash) != HASH_SIZE - 1)
        return 0;
    for (size_t n = 1; (l = back(c, n)) != NULL; n++)
        if (*l->sha256 == *hash && memcmp(l->sha256, hash, HASH_SIZE) == 0)
            return n;
    return 0;
}

static void
push(struct chain *c, const struct link *l)
{
    c->links[c->count++ % NEAR] = *l;
    c->next = l->seq + 1;
    c->loose = 0;
}

/* The last line goes on from an earlier one: what stands between was put in. */
static void
tell_added(struct chain *c, size_t n)
{
    for (size_t i = n - 1; i > 0; i--) {
        struct link *l = back(c, i);

        if (!l->told)
            tell(c, "added", "put in: the record behind it goes on from the one before", l);
        l->told = true;
    }
}

/* What a doubt about the last line's prev comes to, now that the next line's is known. n: how far back the line is that it
 * refers to. */
static void
settle(struct chain *c, size_t n)
{
    struct link *doubted = back(c, 1), *before = back(c, 2);

    if (n == 1 && before->line != 0)
        retell(c->doubt, "changed",
               mem_printf(c->out->mem, "it was changed: the prev of seq %lld does not match",
                          (long long)doubted->seq),
               before);
    else if (n == 2)
        retell(c->doubt, "added", "put in: its prev does not match, and no record refers to it", doubted);
    else
        retell(c->doubt, "changed", "it was changed: its prev does not match, nor does the prev of the next",
               doubted);
    c->doubt = NULL;
}

/* Takes a line that nothing can be read of: it counts as one record, as for who writes. */
static void
take_unreadable(struct chain *c, const struct entry *e, struct link *l)
{
    bool torn = strcmp(e->problem, "torn") == 0;

    l->seq = c->next;
    l->told = true;
    tell(c, torn ? "torn" : "unreadable", torn ? "the line has no end" : e->problem, l);
    push(c, l);
}

/* Whether a record is one that was missed before it came: then it stands behind what it belongs in front of. */
static bool
is_late(struct chain *c, struct link *l, int64_t seq)
{
    if (c->first == c->last + 1 || seq < c->first || seq > c->last)
        return false;
    l->told = true; /* the first of them tells of all */
    if (!c->late)
        retell(c->gap, "reordered",
               mem_printf(c->out->mem, "out of order: seq %lld stands before it", (long long)c->last + 1), l);
    c->late = true;
    return true;
}

/* Takes a record that goes on from the line so many before, as its seq and prev say. */
static void
take_fitting(struct chain *c, struct link *l, size_t n)
{
    if (!is_late(c, l, l->seq))
        tell_added(c, n);
    push(c, l);
}

/* Takes a record that does not fit. */
static void
take_misfit(struct chain *c, struct link *l, int64_t seq, bool prev_fits)
{
    struct mem *m = c->out->mem;
    const struct link *before = back(c, 1);

    if (!prev_fits && is_late(c, l, seq)) {
        int64_t next = c->last + 2 > c->next ? c->last + 2 : c->next;

        push(c, l);
        c->next = next;
    } else if (prev_fits || seq == -1) {
        l->seq = c->next;
        l->told = true;
        tell(c, "changed", seq == -1 ? "no seq" : mem_printf(m, "its seq is %lld", (long long)seq), l);
        push(c, l);
    } else if (seq > c->next && seq - c->next > c->loose) {
        c->first = c->next;
        c->last = seq - 1;
        c->late = false;
        c->gap =
            tell(c, "missing",
                 c->first == c->last ? mem_printf(m, "seq %lld is missing before it", (long long)c->first)
                                     : mem_printf(m, "seq %lld to %lld are missing before it",
                                                  (long long)c->first, (long long)c->last),
                 l);
        push(c, l);
    } else if (seq >= c->next) {
        /* Where the line before is known to be changed, its hash is no other finding. */
        if (seq == c->next && (!before->told || before->line == 0)) {
            c->doubt = tell(c, "changed",
                            before->line == 0 ? "prev does not match: the first record has none"
                                              : "prev does not match: it or the record before was changed",
                            l);
            l->told = true;
        }
        push(c, l);
    } else {
        tell(c, "added", mem_printf(m, "put in or out of order: its seq is %lld", (long long)seq),
             &(struct link){.line = l->line, .seq = c->next, .byte = l->byte});
        c->loose++;
    }
}

void
chain_line(struct chain *c, const struct entry *e)
{
    struct link l = {.line = e->number, .byte = e->line.start};
    const char *run = record_string(e->record, "run_id"), *prev = record_string(e->record, "prev");
    struct link *twin;
    size_t n;

    memcpy(l.sha256, e->sha256, HASH_SIZE);
    if (e->problem != NULL) {
        if (c->doubt != NULL)
            settle(c, 0);
        take_unreadable(c, e, &l);
        return;
    }
    l.seq = record_seq(e->record);
    n = find(c, l.sha256);
    if (n != 0) {
        twin = back(c, n);
        l.seq = c->next;
        tell(c, "doubled",
             mem_printf(c->out->mem, "a copy of seq %lld in line %lld", (long long)twin->seq,
                        (long long)twin->line),
             &l);
        c->loose++;
        return;
    }
    n = find(c, prev);
    if (c->doubt != NULL)
        settle(c, n);
    if (n != 0 && l.seq == back(c, n)->seq + 1)
        take_fitting(c, &l, n);
    else
        take_misfit(c, &l, l.seq, n == 1);
    l.seq = e->number - 1;
    if (run == NULL || strcmp(run, c->run) != 0)
        tell(c, "changed", "run_id is another run's", &l);
    if (!e->line.terminated)
        tell(c, "torn", "the line has no end", &l);
}
