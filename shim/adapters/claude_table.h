/* The command line of Claude Code as a table, and what its options mean to the adapter. */
#ifndef HACCESS_CLAUDE_TABLE_H
#define HACCESS_CLAUDE_TABLE_H

#include "grammar.h"

enum claude_option {
    OPTION_NONE,
    OPTION_MODE,        /* --permission-mode */
    OPTION_SKIP,        /* --dangerously-skip-permissions */
    OPTION_ALLOW_SKIP,  /* --allow-dangerously-skip-permissions */
    OPTION_INHERIT,     /* --inherit-permission-mode */
    OPTION_SETTINGS,    /* --settings */
    OPTION_MANAGED,     /* --managed-settings */
    OPTION_SOURCES,     /* --setting-sources */
    OPTION_CONFIG_ROOT, /* --project-config-root */
    OPTION_ALLOW,       /* --allowedTools */
    OPTION_DENY,        /* --disallowedTools */
    OPTION_ADD_DIR,     /* --add-dir */
    OPTION_MODEL,       /* --model */
    OPTION_EFFORT,      /* --effort */
    OPTION_FALLBACK,    /* --fallback-model */
    OPTION_PRINT,       /* -p, --print */
    OPTION_RESTRICTED,  /* --restricted */
    OPTION_NO_COMMANDS, /* --disable-slash-commands */
    OPTION_CWD,         /* --cwd of `claude agents` */
    OPTION_HELP,        /* -h, --help */
    OPTION_VERSION,     /* -v, --version */
    OPTION_SERVER,      /* another process chooses what the session may do */
};

/* The meaning of a command (command_spec.id). */
enum claude_command {
    COMMAND_PLAIN,
    COMMAND_FIXED, /* it reads its own words, and only directly behind the program: nothing may be put in front */
    COMMAND_RECENT, /* 2.1.197 does not know it: there, the word is a prompt */
};

extern const struct grammar claude_grammar;

/* The commands of the root, NULL-terminated. */
extern const struct command_spec *const claude_commands[];

#endif
