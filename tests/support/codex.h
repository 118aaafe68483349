/* Command lines for the codex adapter, read in a made-up host: configuration files are given as text. */
#ifndef TESTS_CODEX_H
#define TESTS_CODEX_H

#include <check.h>
#include <stdbool.h>

#include "../../shim/adapters/adapter.h"

#define HOME "/home/user"
#define PROJECT                                                                                              \
    "/home/user/work/project" /* working directory and git top level, until a test says otherwise */
#define USER HOME "/.codex/config.toml"

/* Fresh for every test; what is read last is in inv and req. */
extern struct mem *m;
extern struct invocation inv;
extern struct request req;

/* The files that are there: the index-th given. Whether one is read is the adapter's choice. */
void file(const char *path, const char *text);
void change_file(size_t index, const char *text);
void change_error(size_t index, int error);
void unreadable(const char *path, int error);
void no_files(void);

/* Reads a command line: words behind "codex", separated by bars. */
void ask(const char *line);
void ask_argv(char *const argv[], size_t argc);

/* Checks the access that a command line asks for, resolved. */
void access_is(const char *line, const char *want);

enum how { AS_ASKED, NARROWED, GRANTED };

/* Renders what was read last; returns the words behind the program, joined by bars. */
const char *render(enum projection p, enum how how);

/* Returns the words behind argv[0], joined by bars. */
const char *join(char *const argv[]);

/* Runs the tests, prints Check's summary, and returns the exit status. */
int codex_suite(const char *name, const TTest *const tests[], size_t count);

#endif
