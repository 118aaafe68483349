/* Where random launches of Claude Code are made: a home and a project for each worker, laid out anew for every run. */
#ifndef VENDORS_CLAUDE_PLACE_H
#define VENDORS_CLAUDE_PLACE_H

#include <cjson/cJSON.h>

#include "claude_vectors.h"
#include "differ.h"
#include "world.h"

/* A session whose record says that it has full access. */
#define CLAUDE_FREE_SESSION "0f0f0f0f-1111-4222-8333-444444444444"

struct claude_place {
    const struct world *w;
    unsigned worker;
    const struct claude_vector *v; /* the files that lie there */
};

/* What the real CLI says of a launch. */
struct claude_real {
    bool started; /* it printed its first event */
    struct answer answer;
    cJSON *init;  /* that event; NULL: there is none */
    char *prompt; /* as the model service got it; NULL: it got none */
    char *effort; /* likewise */
};

/* Lays home and project out as for a first launch, with a policy that grants. */
void claude_lay_out(const struct claude_place *p);

/* Runs a program in the project. more: variables added, the last one NULL; NULL: none. */
void claude_run(const struct claude_place *p, char *const argv[], const char *const *more, struct answer *a);

/* Lays out, and runs the real CLI with the words behind the first. */
void claude_ask(const struct claude_place *p, char *const words[], struct claude_real *r);
void claude_real_free(struct claude_real *r);

/* Returns what haccess says of the words, to be deleted by the caller; NULL when it was no JSON. */
cJSON *claude_explain(const struct claude_place *p, char *const words[], const char *const *more);

#endif
