/* What the helper does with a plan: record it, say what has to be said, execute the CLI. */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vis.h>

#include "../journal/journal.h"
#include "record.h"

#define EXIT_REFUSED   126
#define EXIT_NOT_FOUND 127

/* One line on stderr. Words from outside may hold anything: no escape sequence reaches the terminal, and the line stays one. */
static void __attribute__((format(printf, 2, 3))) say(struct mem *m, const char *format, ...)
{
    char line[2048], *safe;
    va_list ap;

    va_start(ap, format);
    vsnprintf(line, sizeof(line), format, ap);
    va_end(ap);
    safe = mem_alloc(m, 4 * strlen(line) + 1);
    strvis(safe, line, VIS_CSTYLE | VIS_NL | VIS_TAB | VIS_NOSLASH);
    dprintf(STDERR_FILENO, "haccess: %s\n", safe);
}

static _Noreturn void
exit_refused(struct mem *m, const struct launch *l)
{
    say(m, "%s refused: %s: %s", l->adapter->id, refusal_word(l->refusal), l->refusal_detail);
    exit(EXIT_REFUSED);
}

static void
say_narrowed(struct mem *m, const struct launch *l)
{
    if (l->observed || l->decision.full || l->request.access != ACCESS_FULL)
        return;
    say(m, "%s asked full access and runs %s: %s: %s%s%s", l->adapter->id, projection_word(l->projection),
        reason_word(l->decision.reason), l->decision.detail,
        l->decision.remedy != NULL ? "; to grant it: " : "",
        l->decision.remedy != NULL ? l->decision.remedy : "");
}

/* "<run>/<id>" of a token's text, or NULL. */
static const char *
token_launch(struct mem *m, const char *text)
{
    struct launch_token t;

    if (text == NULL || !token_parse(text, &t) || t.run[0] == '\0')
        return NULL;
    return mem_printf(m, "%s/%s", t.run, t.id);
}

/* Where a launch stands: its run, and what is written about it. */
struct entry {
    struct run run;
    struct journal_host where;
    const char *id;
    bool written;
};

/* Appends the records of a launch. Returns NULL, or what went wrong. */
static const char *
append_launch(const struct host *h, struct mem *m, const struct launch *l, struct journal *j, struct entry *e)
{
    const char *parent = token_launch(m, lineage_launch(h, &l->lineage)), *key;
    int error = 0;

    if (l->first != NULL)
        parent = l->first->parent_launch;
    if (journal_empty(j))
        error = journal_append(j, "run.start", record_run(h, m, l, &e->run));
    if (error == 0 && l->probed) {
        const char *last = journal_last_parent(j);

        key = record_parent_key(m, &l->parent);
        if (last == NULL || strcmp(last, key) != 0)
            error = journal_append(j, "worker_access.parent", record_parent(l, key));
    }
    e->id = journal_next_id(j);
    if (error == 0)
        error = journal_append(j, l->outcome == OUTCOME_REFUSE ? "agent.refused" : "agent.start",
                               record_agent(h, m, l, e->id, parent, l->first != NULL ? l->first->id : NULL));
    e->written = error == 0;
    if (error == 0 && l->decision.full && l->outcome == OUTCOME_LAUNCH)
        error = journal_sync(j);
    return error == 0 ? NULL : mem_printf(m, "%s: %s", journal_path(j), strerror(error));
}

/* Writes the launch down. A full-access launch without a durable record turns into a refusal; that is written too, where
 * it can be. */
static void
record(const struct host *h, struct mem *m, struct launch *l, struct entry *e)
{
    const char *problem = NULL;
    struct journal *j;

    e->id = "a0";
    e->written = false;
    run_find(h, m, &l->lineage, &e->run);
    journal_host(m, h->envp, h->home, h->uid, h->now, &e->where);
    j = journal_open(&e->where, m, e->run.id, &problem);
    if (j != NULL)
        problem = append_launch(h, m, l, j, e);
    if (j != NULL && problem != NULL && !e->written && !journal_spooled(j)) {
        /* The place is there and takes nothing, as a full disk: the spool may be on another. */
        journal_close(j);
        e->where.state = NULL;
        j = journal_open(&e->where, m, e->run.id, &problem);
        if (j != NULL)
            problem = append_launch(h, m, l, j, e);
    }
    if (problem != NULL && l->decision.full && l->outcome == OUTCOME_LAUNCH && !l->observed) {
        l->refusal = REFUSAL_JOURNAL_UNAVAILABLE;
        l->refusal_detail = mem_printf(m, "a full-access launch needs a durable record: %s", problem);
        l->outcome = OUTCOME_REFUSE;
        /* Written, but perhaps not on the disk: what it says did not happen. */
        if (j != NULL && e->written)
            journal_append(j, "agent.failed", record_failed(e->id, EIO));
        if (j != NULL)
            append_launch(h, m, l, j, e);
    } else if (problem != NULL) {
        say(m, "this launch is not recorded: %s", problem);
    }
    if (j != NULL)
        journal_close(j);
}

static void
record_failure(struct mem *m, const struct entry *e, int error)
{
    const char *problem = NULL;
    struct journal *j = e->written ? journal_open(&e->where, m, e->run.id, &problem) : NULL;

    if (j == NULL)
        return;
    journal_append(j, "agent.failed", record_failed(e->id, error));
    journal_close(j);
}

/* The environment of the CLI: h's, without the entries named in drop (NULL-terminated), with those in add. */
static char **
environment(const struct host *h, struct mem *m, const char *const drop[], const struct strings *add)
{
    struct strings out = {NULL, 0, 0};

    for (char *const *e = h->envp; *e != NULL; e++) {
        bool dropped = false;

        for (const char *const *d = drop; *d != NULL && !dropped; d++)
            dropped = strncmp(*e, *d, strlen(*d)) == 0 && (*e)[strlen(*d)] == '=';
        if (!dropped)
            strings_add(m, &out, *e);
    }
    for (size_t i = 0; i < add->count; i++)
        strings_add(m, &out, add->items[i]);
    if (out.items == NULL)
        out.items = mem_array(m, 1, sizeof(*out.items));
    return out.items;
}

/* Executes; returns the errno. A file that the kernel does not know goes to sh where execvp's rules hold. */
static int
execute(struct mem *m, const char *file, char **argv, char **envp, bool searched)
{
    struct strings sh = {NULL, 0, 0};
    int error;

    execve(file, argv, envp);
    error = errno;
    if (error != ENOEXEC || !searched)
        return error;
    strings_add(m, &sh, "/bin/sh");
    strings_add(m, &sh, file);
    for (size_t i = 1; argv[0] != NULL && argv[i] != NULL; i++)
        strings_add(m, &sh, argv[i]);
    execve("/bin/sh", sh.items, envp);
    return errno;
}

static _Noreturn void
exit_failed(struct mem *m, const char *file, int error)
{
    say(m, "%s: %s", file, strerror(error));
    exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_REFUSED);
}

/* A limit on file sizes is an error like a full disk, and a stderr that nobody reads is no reason not to launch: neither
 * must end the process. The CLI gets the dispositions that its caller had. */
static const int survived[] = {SIGXFSZ, SIGPIPE};

#define SURVIVED (sizeof(survived) / sizeof(survived[0]))

static void
survive(struct sigaction before[SURVIVED])
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    for (size_t i = 0; i < SURVIVED; i++)
        sigaction(survived[i], &ignore, &before[i]);
}

static void
put_back(const struct sigaction before[SURVIVED])
{
    for (size_t i = 0; i < SURVIVED; i++)
        sigaction(survived[i], &before[i], NULL);
}

static void
fill_token(const struct host *h, const struct launch *l, struct launch_token *t)
{
    strlcpy(t->adapter, l->match.adapter, sizeof(t->adapter));
    t->pid = h->pid;
    t->start = l->lineage.self.start;
}

/* What is not decided passes with a mark that keeps it from being asked about again. */
static _Noreturn void
pass(const struct host *h, struct mem *m, struct launch *l, bool searched)
{
    static const char *const drop[] = {ENV_HANDOFF, ENV_PASSED, NULL};
    struct launch_token t = {.run = ""};
    struct strings add = {NULL, 0, 0};
    char text[TOKEN_MAX], **envp;

    if (l->match.adapter != NULL) {
        lineage_read(h, m, &l->lineage);
        fill_token(h, l, &t);
        t.hash = passed_hash(l->match.script != NULL ? l->match.script : l->target, l->argv + l->match.first,
                             environment(h, m, drop, &add));
        token_format(&t, text);
        strings_add(m, &add, mem_printf(m, ENV_PASSED "=%s", text));
    }
    envp = environment(h, m, drop, &add);
    exit_failed(m, l->target, execute(m, l->target, (char **)(uintptr_t)l->argv, envp, searched));
}

void
launch_execute(const struct host *h, struct mem *m, struct launch *l, bool searched)
{
    /* A request for the next launch is consumed by it; the lane read is passed on, so that below a reader there are
     * only readers. */
    const char *const drop[] = {
        ENV_HANDOFF, ENV_PASSED, ENV_LAUNCH, ENV_RUN, ENV_ACCESS, ENV_LANE, l->policy.off ? ENV_OFF : NULL,
        NULL};
    struct launch_token t = {.run = ""};
    struct strings add = {NULL, 0, 0};
    char text[TOKEN_MAX], **envp;
    struct sigaction before[SURVIVED];
    struct entry e;
    int error;

    if (l->outcome == OUTCOME_PASSTHROUGH)
        pass(h, m, l, searched);
    survive(before);
    record(h, m, l, &e);
    if (l->outcome == OUTCOME_REFUSE)
        exit_refused(m, l);
    say_narrowed(m, l);
    if (l->request.lane == LANE_READ)
        strings_add(m, &add, mem_strdup(m, ENV_LANE "=read"));
    if (l->policy.off)
        strings_add(m, &add, mem_strdup(m, ENV_OFF "=0"));
    envp = environment(h, m, drop, &add);
    strlcpy(t.run, e.run.id, sizeof(t.run));
    strlcpy(t.id, e.id, sizeof(t.id));
    fill_token(h, l, &t);
    t.hash = launch_hash(l->rendered + l->match.first, envp);
    token_format(&t, text);
    strings_add(m, &add, mem_printf(m, ENV_RUN "=%s", e.run.id));
    strings_add(m, &add, mem_printf(m, ENV_LAUNCH "=%s", text));
    put_back(before);
    error = execute(m, l->target, l->rendered, environment(h, m, drop, &add), searched);
    survive(before);
    record_failure(m, &e, error);
    exit_failed(m, l->target, error);
}
