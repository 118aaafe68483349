/* One launch from argv to the decision and the new argv, without executing anything. What explain prints and what
 * the helper does come from here, so that they cannot differ. */
#ifndef HACCESS_LAUNCH_H
#define HACCESS_LAUNCH_H

#include "../names/names.h"
#include "decision.h"

enum outcome { OUTCOME_LAUNCH, OUTCOME_REFUSE, OUTCOME_PASSTHROUGH };

struct launch {
    enum launch_class class;
    const struct adapter *adapter; /* NULL for class none */
    const char *target;            /* the file that is or would be executed */
    struct match match;            /* what executing it with argv is */
    char *const *argv;             /* as requested */
    size_t argc;
    struct invocation invocation; /* with the command as read */
    struct policy policy;
    struct request request;
    struct lineage lineage;
    bool probed;
    struct parent parent;
    bool decided; /* section 4 ran, or class server */
    struct decision decision;
    enum projection projection;
    enum enforcement enforcement;
    struct strings unconfined; /* tools that what is launched may use unasked, and that nothing holds */
    enum outcome outcome;      /* as it happens: in observe mode never OUTCOME_REFUSE */
    bool observed;
    enum refusal refusal; /* also in observe mode: what would have been */
    const char *refusal_detail;
    char **rendered; /* the argv to execute; the requested one when nothing changes; NULL when refused */
    size_t rendered_argc;
    const char *shed; /* what keeps the library from the commands of the session; NULL: nothing */
    bool restored;    /* the rendered argv gives it back to them */
    const struct first_decision *first; /* NULL: not a continuation */
    struct first_decision first_storage;
};

/* Sees to it that the commands of a planned session are launched with the library: fills shed, and where the CLI has a
 * spelling for it, rendered and restored. Changes nothing in observe mode, or where the launch's environment has no library. */
void launch_keep(const struct host *h, struct mem *m, struct launch *l);

/* Says what executing target with argv would be; reads the one link that names alone cannot settle. */
void launch_match(struct mem *m, const char *target, char *const argv[], struct match *out);

/* Decides. target is the file that would be executed, argv the caller's. first: an earlier decision in the same
 * process, or NULL. Runs and records nothing. */
void launch_plan(const struct host *h, struct mem *m, const char *target, char *const argv[],
                 const struct first_decision *first, struct launch *out);

/* "launch", "refuse", "passthrough". */
const char *outcome_word(enum outcome o);

/* Records the plan, prints what belongs on stderr, and executes the CLI; never returns. h->envp is the environment
 * to pass on, before haccess's own changes. searched: execvp's rules hold for a file that the kernel cannot execute. */
_Noreturn void launch_execute(const struct host *h, struct mem *m, struct launch *l, bool searched);

#endif
