/* Whether an exec is a vendor launch. Strings only: a hook asks this for every program that is executed. */
#include <string.h>

#include "vendors.h"

/* Words that the kernel and nested interpreters put before the script's name: at most one each, four deep. */
#define SCRIPT_WORDS 8

bool
match_open_file(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

const char *
match_name(const char *path)
{
    return vendor_of(path);
}

/* The index of the script's name in the argv that the kernel made when execfn is a script: the interpreter, at most one
 * argument, execfn as it was passed, the caller's arguments. 0: execfn is no script. `env` is only in this
 * place an interpreter; anywhere else the program that it runs gets an exec of its own. */
static size_t
kernel_script(const char *execfn, char *const argv[])
{
    const char *base;

    if (argv == NULL || argv[0] == NULL)
        return 0;
    base = path_base(argv[0]);
    if (strcmp(argv[0], execfn) == 0 || (strcmp(base, "env") != 0 && interpreter_script(base, NULL) < 0))
        return 0;
    for (size_t i = 1; i <= SCRIPT_WORDS && argv[i] != NULL; i++)
        if (strcmp(argv[i], execfn) == 0)
            return i;
    return 0;
}

static void
launched(struct match *out, const char *adapter, char *const argv[], size_t script)
{
    out->kind = MATCH_LAUNCH;
    out->adapter = adapter;
    out->script = script != 0 ? argv[script] : NULL;
    out->first = script + 1;
}

/* An interpreter is a launch by its script, by the script's link, or by an argv[0] that a wrapper gave it
 * (cursor-agent: exec -a "$0" node index.js). */
static void
match_interpreter(const char *target, char *const argv[], size_t script, struct match *out)
{
    const char *adapter = NULL;

    if (script != 0)
        adapter = vendor_of(argv[script]);
    if (adapter == NULL && script != 0 && target != NULL)
        adapter = vendor_of(target);
    if (adapter == NULL && argv != NULL && argv[0] != NULL)
        adapter = vendor_of(argv[0]);
    if (adapter != NULL)
        launched(out, adapter, argv, script);
}

/* A vendor file under another name is not a launch: the CLI executes its own file as rg, as apply_patch, as a sandbox
 * helper, and where it does so through a descriptor argv[0] is that descriptor's path. */
static void
match_file(const char *file, const char *target, char *const argv[], struct match *out)
{
    const char *adapter = vendor_of(file), *name;

    if (adapter == NULL && target != NULL)
        adapter = vendor_of(target);
    if (adapter == NULL)
        return;
    name = argv != NULL && argv[0] != NULL ? argv[0] : "";
    if (vendor_of(name) != NULL ||
        (!match_open_file(file) && strcmp(path_base(name), path_base(file)) == 0)) {
        launched(out, adapter, argv, 0);
        return;
    }
    out->kind = MATCH_HELPER;
    out->adapter = adapter;
    out->first = argv != NULL && argv[0] != NULL;
}

void
match_image(const char *execfn, const char *target, char *const argv[], struct match *out)
{
    size_t script = kernel_script(execfn, argv);
    ptrdiff_t word;

    *out = (struct match){MATCH_NONE, NULL, 0, NULL};
    if (script != 0)
        match_interpreter(target, argv, script, out);
    word = interpreter_script(path_base(execfn), argv);
    /* Also where execfn is a word of argv: `node /usr/bin/codex /usr/bin/node`. */
    if (out->kind == MATCH_NONE && word >= 0)
        match_interpreter(script == 0 ? target : NULL, argv, (size_t)word, out);
    if (script == 0 && word < 0)
        match_file(execfn, target, argv, out);
}

void
match_exec(const char *file, char *const argv[], struct match *out)
{
    match_image(file, NULL, argv, out);
}

const char *
match_link(const char *execfn, char *const argv[])
{
    struct match m;
    ptrdiff_t word;

    match_exec(execfn, argv, &m);
    if (m.kind != MATCH_NONE)
        return NULL;
    if (kernel_script(execfn, argv) != 0)
        return execfn;
    word = interpreter_script(path_base(execfn), argv);
    if (word < 0)
        return execfn;
    return word == 0 ? NULL : argv[word];
}
