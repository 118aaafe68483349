/* The real codex on one vector, and what it says of itself. */
#ifndef VENDORS_CODEX_SESSION_H
#define VENDORS_CODEX_SESSION_H

#include "differ.h"

enum session_kind { READ_ONLY, WORKSPACE_WRITE, FULL_ACCESS, OTHER };
/* As haccess calls them. */
extern const char *const session_kinds[];

/* What codex made of a vector. Texts are NULL where it did not say. */
struct session {
    struct vector asked;
    bool accepted;          /* it took the words */
    bool ran;               /* and started a session, so that the rest is known */
    bool endless;           /* it did not end by itself */
    enum session_kind kind; /* of writes that are possible; full access where they reach everything */
    char *sandbox, *model, *effort,
        *provider; /* the header's lines; without a header what the model is told */
    char *prompt;  /* the newest words of the user in the request, as JSON */
    char *told;    /* exit status and standard error */
};

/* Runs codex in a directory. top: what holds home and project. requests: where the model service puts the body of the request
 * that it refused (mock-model.js). */
void session_run(struct session *s, const struct vector *v, const char *top, const char *directory,
                 char *const envp[], const char *requests);
void session_free(struct session *s);

/* Writes a file below top: text with $TOP replaced, between before and after (NULL: nothing); all three NULL: removes it. */
void session_file(const char *top, const char *name, const char *before, const char *text, const char *after);

#endif
