/* A place of its own for one test with the real CLIs: home, project, model service, and the records that came of it.
 * Everything is below build/vendors/run/ (below /var/tmp/haccess-check-vendors-<uid>/ in a checkout below /tmp); the place
 * of a test that failed stays there to be looked at, until the next run. Every function fails the test when it cannot do its work. */
#ifndef VENDORS_WORLD_H
#define VENDORS_WORLD_H

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

struct world {
    char top[PATH_MAX / 2]; /* below it home, project, outside, tmp, bin */
    int port;               /* of the model service */
    pid_t model;
    int model_input; /* the service ends when this closes */
    int runs;
};

/* What one command did. The texts belong to the caller. */
struct outcome {
    int status; /* exit status as the shell tells it */
    char *out, *err;
};

/* The floors that the tests grant under, for all CLIs; codex's names the model service of the tests, which the launch is
 * re-pointed to. */
extern const char world_enabling_policy[];

/* A script in which Claude's session "outer" starts a sub-agent, "probe", which writes project/t1; and the file of that sub-agent,
 * .claude/agents/free.md, with a mode of its own. */
extern const char world_sub_agents[], world_free_agent[];

/* Makes the place. script: for each word, the tool calls of the session that is asked for it (see mock-model.js), a JSON
 * object in which $TOP is replaced. */
void world_open(struct world *w, const char *script);
void world_close(struct world *w);

/* Writes the project's policy, with the host's consent when allow. */
void world_policy(struct world *w, const char *text, bool allow);

/* Writes a file below top; mode as for chmod. */
void world_write(struct world *w, const char *name, mode_t mode, const char *text);
bool world_has(const struct world *w, const char *name);

/* Types a line into a plain shell in the project: no preload, no session marker, and no ancestor that has one. The line sees
 * $LIB (the library), $TOP, $HACCESS, $HACCESS_LOG, the CLIs on PATH, and their directories $NEWEST (that one) and $OLDER. Fails the test when it takes too long. */
void world_type(struct world *w, const char *line, struct outcome *o);
void outcome_free(struct outcome *o);

/* The model requests of the session that was asked for word: how many, the model and effort of the first, and the text of the answer
 * to its tool call number turn (from 1); NULL when there was none. Texts belong to the caller. */
int world_requests(const struct world *w, const char *word);
char *world_answer(const struct world *w, const char *word, int turn);

/* The journals of the one run there is, its place first and the spools after it, checked line by line against the journal
 * specification (envelope, sequence, chain, modes) and told as one line a record:
 *     run.start
 *     worker_access.parent full-access codex
 *     agent.start a1 codex unspecified -> full-access qualified, enforced by none, under -
 *     agent.refused a1 codex contradictory full_access_conflicts_with_policy, under -
 * Spooled records begin with "spool ". The text belongs to the caller. "" when nothing was recorded. */
char *world_journal(const struct world *w);

/* Asserts that the journal tells exactly that. */
void assert_journal(const struct world *w, const char *want);

/* The first record with that id, of the place or a spool. Belongs to the caller. */
cJSON *world_record(const struct world *w, const char *id);

/* Asserts that `haccess-log verify` finds the chain whole, and that `haccess-log show` names each of the ids (NULL ends). */
void assert_shown(struct world *w, ...);

/* Asserts that the session's probe (bin/probe, its tool call number turn) ran without or under no_new_privs, and could or could
 * not write outside the project. */
void assert_free(const struct world *w, const char *word, int turn);
void assert_confined(const struct world *w, const char *word, int turn);

/* Whether node is new enough for gemini, which says that it needs 20; Debian 12 has 18. Says so when it is not. */
bool world_runs_gemini(void);

#endif
