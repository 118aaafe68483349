/* haccess-log: what its views share. */
#ifndef HACCESS_LOG_H
#define HACCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "../../shim/journal/reader.h"

#define EXIT_FOUND 1 /* a check found something, or what was asked for is not there */
#define EXIT_USAGE 2

struct filter {
    int64_t since, until; /* milliseconds since 1970; -1: not given */
    const char *adapter, *model, *reason, *mode, *cwd;
    bool refused, unsandboxed;
};

struct options {
    struct filter filter;
    bool json, utc;
    const char *older_than, *format;
    bool dry_run;
};

/* What a view works on. */
struct log {
    struct mem *mem;
    struct journal_host where;
    struct options options;
    struct run_list runs;
};

/* The views. Each returns the exit status. argv holds the arguments behind the view's name, argc of them. */
int view_runs(struct log *l, int argc, char **argv);
int view_show(struct log *l, int argc, char **argv);
int view_why(struct log *l, int argc, char **argv);
int view_verify(struct log *l, int argc, char **argv);
int view_reconcile(struct log *l, int argc, char **argv);
int view_tree(struct log *l, int argc, char **argv);
int view_proof(struct log *l, int argc, char **argv);
int view_follow(struct log *l, int argc, char **argv);
int view_stats(struct log *l, int argc, char **argv);
int view_prune(struct log *l, int argc, char **argv);
int view_export(struct log *l, int argc, char **argv);

/* Returns the run that text names; exits with a message when there is none. NULL: the newest. */
const struct run_entry *log_run(struct log *l, const char *text);

/* Opens a run; what cannot be opened is said on stderr. */
struct run_reader *log_open(struct log *l, struct mem *m, const struct run_entry *run, bool chain);

/* Closes it, for a view that passes over what cannot be read: that there is such a line is said on stderr. */
void log_close(const struct run_entry *run, struct run_reader *r);

/* Says on stderr what could not be read. */
void log_problems(const struct strings *problems);

#endif
