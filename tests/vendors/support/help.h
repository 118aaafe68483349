/* What a page of --help lists, whichever library wrote it (clap, commander, yargs) or hand. */
#ifndef VENDORS_HELP_H
#define VENDORS_HELP_H

#include <stddef.h>

#include "../../../shim/adapters/grammar.h"

#define HELP_NAMES 8

struct help_option {
    char names[HELP_NAMES][64]; /* with their dashes */
    size_t count;
    enum arity arity;
};

struct help_command {
    char names[HELP_NAMES][64]; /* the aliases that the page tells behind the first */
    size_t count;
};

struct help {
    struct help_option *options;
    size_t noptions;
    struct help_command *commands;
    size_t ncommands;
};

/* Reads a page of the command that is typed as path ("opencode mcp"). help_free() frees what it lists. */
void help_read(const char *text, const char *path, struct help *out);
void help_free(struct help *h);

#endif
