/* The commands of haccess(1), and what they share. */
#ifndef HACCESS_TOOLS_H
#define HACCESS_TOOLS_H

#include <getopt.h>

/* Exit codes. Source: commands specification. */
enum {
    DONE = 0,
    FOUND = 1, /* a check found something, or the command could not do its work */
    USAGE = 2,
    REFUSED = 126, /* also: found, but cannot be executed */
    NOT_FOUND = 127,
};

/* Each takes its arguments, argv[0] being its own name, and returns the exit code. */
int command_run(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_policy(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_shims(int argc, char **argv);

/* getopt_long that knows --help and --version and reports faults as haccess does. what is the command's name, usage
 * its help. Returns the option, -1 at their end, or 0 when the command is to end with *code. */
int command_option(int argc, char **argv, const char *shorts, const struct option *longs, const char *what,
                   const char *usage, int *code);

/* The options that every command has; the first entries of each table. */
#define COMMON_SHORT "hV"
#define COMMON_LONG                                                                                          \
    {"help", no_argument, NULL, 'h'},                                                                        \
    {                                                                                                        \
        "version", no_argument, NULL, 'V'                                                                    \
    }

#endif
