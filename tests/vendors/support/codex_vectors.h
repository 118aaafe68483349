/* Random launches of codex, from its grammar and around it. */
#ifndef VENDORS_CODEX_VECTORS_H
#define VENDORS_CODEX_VECTORS_H

#include "differ.h"

/* One launch: the words, the configuration beside them (NULL: no such file), and where it is typed. In words and texts
 * $TOP is the directory that holds home, project (a git repository), project/sub and plain (none). */
struct codex_launch {
    struct vector argv; /* argv[0] is "codex" */
    char *user,
        *profile; /* home/.codex/config.toml, without the model service, which the test puts in; home/.codex/x.config.toml */
    char *project, *sub; /* .codex/config.toml there */
    const char *cwd;     /* project, project/sub or plain */
};

void codex_launch_make(struct chance *c, struct codex_launch *l);
void codex_launch_free(struct codex_launch *l);

#endif
