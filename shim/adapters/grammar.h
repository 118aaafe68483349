/* A vendor CLI's command line as a table, and the reading and editing of one command line by it. Pure. */
#ifndef HACCESS_GRAMMAR_H
#define HACCESS_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include "../mem.h"

/* The class of an exec (decision rules, section 1). */
enum launch_class { CLASS_NONE, CLASS_HELPER, CLASS_ADMIN, CLASS_SERVER, CLASS_SESSION };

enum arity {
    ARITY_NONE,     /* --json */
    ARITY_ONE,      /* --model X, --model=X, -mX */
    ARITY_SWITCH,   /* --yolo, --yolo=false; a following word is its value when it is true or false (yargs) */
    ARITY_OPTIONAL, /* --debug [X]: a following word is its value when it does not begin with '-' */
    ARITY_MANY,     /* --image X...: every following word that does not begin with '-' */
};

/* One option of one command. */
struct option_spec {
    const char *longname; /* without the dashes; NULL: none */
    char shortname;       /* 0: none */
    enum arity arity;
    int id;            /* the adapter's own number for what it means; aliases share it; 0: of no interest */
    bool once;         /* the CLI rejects a second one at the same level */
    const char *group; /* options of one group conflict with each other at one level; NULL: none */
};

/* One command or subcommand. A word that names none of the subcommands is an operand. */
struct command_spec {
    const char *name;           /* NULL for the root */
    const char *const *aliases; /* NULL-terminated, or NULL */
    enum launch_class class;    /* what running it is, before options have their say */
    const struct option_spec
        *options; /* ends with an entry whose longname and shortname are both empty; may be NULL */
    const struct command_spec *const *subcommands; /* NULL-terminated, or NULL */
    bool foreign; /* after its first operand the words belong to another program */
    int id;       /* the adapter's own number, 0: of no interest */
};

/* What differs between the parsers that the CLIs are built on. */
struct grammar {
    const struct command_spec *root;
    bool dash_values;              /* the value of ARITY_ONE may begin with '-' (commander: yes, clap: no) */
    bool short_equals;             /* -m=X gives X (clap), not "=X" (commander) */
    bool operand_ends_subcommands; /* after a first operand or unknown option no subcommand is recognized */
    /* yargs: each letter of a short word is an option, also behind one that takes a value, which then goes without; a long name's
     * hyphens may be written as capitals (--approvalMode). */
    bool yargs;
    int early; /* yargs: id of the options of the root that a subcommand may follow; behind any other it is none, because the
                * program declares that option's arity later and takes the word for its value; 0: it may follow all */
    int plain; /* id of an option of the root beside which no subcommand is recognized, wherever it stands (claude -p: its
                * program does not even declare them then); 0: none */
};

enum word_kind {
    WORD_OPTION, /* an option, with or without a value in the same word */
    WORD_VALUE,  /* the value of the option before it */
    WORD_SUBCOMMAND,
    WORD_OPERAND, /* prompt, session id ... */
    WORD_UNKNOWN, /* begins with '-' and is not in the table */
    WORD_DASHES,  /* the "--" that ends options */
    WORD_DATA,    /* behind "--", or another program's */
};

struct word {
    unsigned char kind;  /* enum word_kind */
    unsigned char level; /* 0: root */
};

/* One option as it occurs. An option of ARITY_MANY occurs once with nvalues values. */
struct occurrence {
    const struct option_spec *spec;
    size_t word;       /* index in argv of the option's word */
    const char *value; /* first value, pointing into argv, or NULL */
    size_t
        value_word; /* index of the word that holds it: == word for glued forms, 0 where there is no value */
    size_t nvalues; /* separate or glued values, in consecutive words from value_word */
    size_t offset;  /* of the option's letter in its word, for a short option */
    unsigned char level;
    bool glued;   /* value in the option's own word */
    bool bundled; /* a short option that shares its word with others */
    bool missing; /* needs a value and has none */
};

#define COMMAND_DEPTH 6

/* A command line, read. Everything is in the region it was parsed into; the words are the caller's. */
struct command {
    const struct grammar *grammar;
    char *const *argv;
    size_t argc;
    size_t first;       /* index of the first argument behind the program (or the script) */
    struct word *words; /* argc of them; those before first mean nothing */
    struct occurrence *options;
    size_t noptions;
    const struct command_spec *path[COMMAND_DEPTH]; /* root, subcommand, its subcommand ... */
    size_t depth;                                   /* entries of path, at least 1 */
    size_t unknown;                                 /* index of the first WORD_UNKNOWN, 0: none */
    size_t operand;                                 /* index of the first operand or data word, 0: none */
    size_t operands;                                /* operands and data words together */
};

/* Reads argv (argc words, ended by NULL) from word first on. An unknown option is taken to have no value. */
void command_parse(struct mem *m, const struct grammar *g, char *const argv[], size_t argc, size_t first,
                   struct command *out);

/* Returns the innermost command. */
const struct command_spec *command_leaf(const struct command *c);

/* Returns the last occurrence with the id at the deepest level that has one (the one that counts in clap and in
 * commander alike), or NULL. */
const struct occurrence *command_last(const struct command *c, int id);

/* Returns the i-th value of an occurrence (0 <= i < nvalues). */
const char *occurrence_value(const struct command *c, const struct occurrence *o, size_t i);

/* Returns how the option is spelled in argv, without a separate value: "--sandbox", "-s", "--yolo". For a glued
 * form, without the value. In the region. */
const char *occurrence_spelling(struct mem *m, const struct command *c, const struct occurrence *o);

/* Returns what the CLI would reject about the options with this id, or NULL: a missing value, one given twice at
 * a level (spec.once), two of one group at a level. The text names the word. In the region. */
const char *command_malformed(struct mem *m, const struct command *c, int id);

/* A change of a command line: options removed, values replaced, words put in behind the program. */
struct edit;

struct edit *edit_new(struct mem *m, const struct command *c);

/* Removes an option with its values. Removing one twice is the same as once. */
void edit_remove(struct edit *e, const struct occurrence *o);

/* Puts a word in right behind the program (or script), after those put in before. Not copied. */
void edit_insert(struct edit *e, const char *word);

/* Returns the new argv, NULL-terminated, and its length in *argc when that is not NULL. With nothing removed and
 * nothing put in, it is the old one word for word. Removing never makes an open-ended option take in the word
 * behind the gap: it is rewritten in '=' form, and behind an option that may go without a value the inserted
 * words take the gap's place. */
char **edit_finish(struct edit *e, size_t *argc);

#endif
