/* What a vendor launch looks like from outside, and the marks that haccess leaves in an environment. Shared by
 * the preload library and the helper. Everything here is async-signal-safe: strings on the stack, no allocation,
 * no lock, no errno, no libc call that could be any of these; no I/O. */
#ifndef HACCESS_NAMES_H
#define HACCESS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Environment variables. */
#define ENV_HANDOFF "HACCESS_EXEC" /* hook -> helper: the file, and how it was found; removed by the helper */
#define ENV_LAUNCH  "HACCESS_LAUNCH" /* helper -> CLI: <run>/<id>:<adapter>:<pid>:<start time>:<hash> */
#define ENV_PASSED  "HACCESS_PASSED" /* helper -> CLI: the same without <run>/<id>, for what is not decided */
#define ENV_SHIM    "HACCESS_SHIM"   /* front end -> front end: <pid>.<start time>:<file that it started> */
#define ENV_RUN     "HACCESS_RUN_ID"
#define ENV_STATE   "HACCESS_STATE_DIR"
#define ENV_ACCESS  "HACCESS_ACCESS"
#define ENV_LANE    "HACCESS_LANE"
#define ENV_OFF     "HACCESS_WORKER_FULL_ACCESS"

enum match_kind {
    MATCH_NONE,   /* not a vendor CLI */
    MATCH_LAUNCH, /* a vendor CLI under its own name */
    MATCH_HELPER, /* a vendor file that the CLI executes under another name for a purpose of its own */
};

struct match {
    enum match_kind kind;
    const char *adapter; /* id, static; NULL for MATCH_NONE */
    size_t
        first; /* index in argv of the first argument behind the program, or behind the script; at most argc */
    const char *script; /* where an interpreter runs a script: its word in argv; NULL otherwise */
};

/* Says what executing file with argv would be. file is a path or a bare name; argv may be NULL or empty.
 * Source: design, section 3, "What is a launch". */
void match_exec(const char *file, char *const argv[], struct match *out);

/* The same where links may have been read: execfn is the file (the caller's name for it, or a running image's
 * AT_EXECFN), target the target of the link that match_link names, NULL when it is none. With target NULL this says
 * what match_exec says, and also recognizes an image that the kernel made of a script: execfn is then a word of argv,
 * behind the interpreter. Whoever receives a hand-over must ask this one with the link read once: a renamed link
 * (/usr/local/bin/cc -> .../claude/versions/2.1.0) is a launch by its target only. */
void match_image(const char *execfn, const char *target, char *const argv[], struct match *out);

/* Returns the path whose link target could make (execfn, argv) a launch: the script where an interpreter runs one, else
 * execfn. Returns NULL when the names alone settle it. Points into the arguments. */
const char *match_link(const char *execfn, char *const argv[]);

/* Returns the adapter id when the basename of path is a vendor's name for its CLI, else NULL. */
const char *match_name(const char *path);

/* Returns whether path names an open file rather than a place: below /proc/ or /dev/fd/. */
bool match_open_file(const char *path);

/* A variable that a vendor sets for what its session runs. */
struct marker_name {
    const char *name, *adapter;
};

/* The session markers of all adapters, ended by a NULL name. An adapter's markers are in order of preference: the first that
 * is set is its marker. */
extern const struct marker_name marker_names[];

/* Returns the hash of a launch: over the arguments (args: from the first behind the program on, NULL-terminated),
 * over the session markers in envp and over HACCESS_LANE when it says read. Not a secret, no security: it tells
 * one launch's execs from another launch. Source: design, section 4. */
uint64_t launch_hash(char *const args[], char *const envp[]);

/* The same for ENV_PASSED, which speaks of one file only: another file of that name (the real CLI behind a program that is
 * no vendor CLI) is asked about again. file is the path that is executed, or the script's. */
uint64_t passed_hash(const char *file, char *const args[], char *const envp[]);

struct launch_token {
    char run[201]; /* empty in ENV_PASSED */
    char id[32];
    char adapter[32];
    pid_t pid;
    unsigned long long start; /* of that process, in clock ticks since boot: field 22 of /proc/<pid>/stat */
    uint64_t hash;
};

/* Longest text of a token, with its NUL. */
#define TOKEN_MAX 352

/* Writes the token's text to out (TOKEN_MAX bytes). Without a run (ENV_PASSED) the text begins with the adapter. */
void token_format(const struct launch_token *t, char *out);

/* Reads a token's text. Returns false, with *out undefined, when it is not one. */
bool token_parse(const char *text, struct launch_token *out);

/* Returns the value of a variable in an environment block, NULL when it is not there. The first entry of a name counts.
 * envp may be NULL. */
const char *environment_value(char *const envp[], const char *name);

/* What a hook hands to the helper. */
struct handoff {
    const char *file; /* the file to be executed, as the caller named it or as the search found it */
    bool searched;    /* by execvp's rules: where the kernel says ENOEXEC, /bin/sh runs it */
    const char *
        path; /* the PATH to search for file in the new process, NULL when file is already found (or has a slash) */
};

/* Writes "ENV_HANDOFF=..." into out of size bytes. Returns the length that it takes with its NUL; when that is more than
 * size, nothing useful is in out. */
size_t handoff_format(const struct handoff *h, char *out, size_t size);

/* Reads the value of ENV_HANDOFF, in place: h points into value. Returns false when it is malformed. */
bool handoff_parse(char *value, struct handoff *h);

#endif
