/* One launch of Claude Code, hand-made, for the tests of its adapter. */
#ifndef HACCESS_TEST_CLAUDE_LAUNCH_H
#define HACCESS_TEST_CLAUDE_LAUNCH_H

#include "shim/adapters/adapter.h"
#include "shim/adapters/claude_config.h"
#include "shim/adapters/claude_table.h"
#include "shim/decide/decision.h"

/* The settings of a sandbox that holds. */
#define HELD "{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":true,\"allowUnsandboxedCommands\":false}}"

/* The launch, what it asks, and what was made of it. */
extern struct mem *claude_mem;
extern struct invocation claude_invocation;
extern struct request claude_request;
extern struct rendered claude_rendered;
extern char *claude_environment[8];
extern struct config_file claude_files[8];

/* The fixture: a user in /home/user/project with an empty environment and no files. */
void claude_setup(void);
void claude_teardown(void);

void claude_set_env(const char *entry);
void claude_set_file(const char *path, int role, const char *text);
/* A policy whose read lane allows Read and Bash(git diff:*), and denies Edit and Bash(git push:*). */
void claude_set_lane(void);

/* Reads a command line: a NULL-terminated array, or the words behind "claude". */
void claude_read_argv(char **argv);
void claude_read_words(const char *first, ...);
#define LAUNCH(...) claude_read_words("claude", __VA_ARGS__, (const char *)NULL)

/* The word for the resolved access, and for the class. */
const char *claude_access(void);
const char *claude_class(void);

/* Renders what was read. */
void claude_spell(enum projection p, bool narrowed);
/* Fails unless the rendering is "claude" and these words. */
void claude_is_argv(const char *first, ...);
#define IS(...) claude_is_argv("claude", __VA_ARGS__, (const char *)NULL)
/* Reads the rendering as a launch and renders it again; fails when that changes anything. */
void claude_stays(enum projection p);

#endif
