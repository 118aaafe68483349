/* Where an interpreter's command line names the script it runs. */
#include <string.h>

#include "vendors.h"

/* How a short option's letter reads on: what is not listed is a flag, and the next letter of the word follows. */
struct interpreter {
    const char *name;
    const char *next; /* letters whose value is the next word, whatever follows the letter */
    const char
        *value; /* letters whose value is the rest of the word, or the next word when there is no rest */
    const char *rest;         /* letters that take the rest of the word, if any */
    const char *none;         /* letters with which no script file runs */
    const char *const *longs; /* long options whose value is the next word */
    const char *const *nones; /* long options with which no script file runs */
    const char *verb;         /* a first word that is skipped */
    bool dash_is_end;         /* a lone dash ends the options; otherwise it is standard input */
};

static const char *const nothing[] = {NULL};
static const char *const shell_longs[] = {"--rcfile", "--init-file", "--emulate", NULL};
static const char *const python_longs[] = {"--check-hash-based-pycs", NULL};
static const char *const ruby_longs[] = {"--encoding", "--external-encoding", "--internal-encoding", NULL};
static const char *const eval_longs[] = {"--eval", "--print", "--check", "--run", NULL};
static const char *const node_longs[] = {"--require",
                                         "--import",
                                         "--loader",
                                         "--experimental-loader",
                                         "--conditions",
                                         "--env-file",
                                         "--env-file-if-exists",
                                         "--title",
                                         "--icu-data-dir",
                                         "--openssl-config",
                                         "--redirect-warnings",
                                         "--trace-event-categories",
                                         "--trace-event-file-pattern",
                                         "--trace-require-module",
                                         "--disable-warning",
                                         "--diagnostic-dir",
                                         "--report-dir",
                                         "--report-directory",
                                         "--report-filename",
                                         "--report-signal",
                                         "--input-type",
                                         "--experimental-default-type",
                                         "--unhandled-rejections",
                                         "--dns-result-order",
                                         "--tls-cipher-list",
                                         "--tls-keylog",
                                         "--inspect-port",
                                         "--inspect-publish-uid",
                                         "--localstorage-file",
                                         "--heapsnapshot-signal",
                                         "--cpu-prof-dir",
                                         "--cpu-prof-name",
                                         "--heap-prof-dir",
                                         "--heap-prof-name",
                                         "--watch-path",
                                         "--secure-heap",
                                         "--secure-heap-min",
                                         "--max-http-header-size",
                                         NULL};
static const char *const bun_longs[] = {
    "--preload", "--require", "--import", "--cwd",        "--env-file",          "--config",
    "--define",  "--loader",  "--port",   "--conditions", "--tsconfig-override", "--inspect-name",
    NULL};
static const char *const deno_longs[] = {"--config",   "--import-map", "--log-level", "--cert",    "--seed",
                                         "--location", "--ext",        "--preload",   "--require", NULL};

static const struct interpreter interpreters[] = {
    {"node", "", "rC", "", "epc", node_longs, eval_longs, NULL, false},
    {"nodejs", "", "rC", "", "epc", node_longs, eval_longs, NULL, false},
    {"bun", "", "rcdl", "", "ep", bun_longs, eval_longs, "run", false},
    {"deno", "", "cL", "", "", deno_longs, nothing, "run", false},
    {"sh", "oO", "", "", "cs", shell_longs, nothing, NULL, true},
    {"bash", "oO", "", "", "cs", shell_longs, nothing, NULL, true},
    {"dash", "o", "", "", "cs", nothing, nothing, NULL, true},
    {"ash", "o", "", "", "cs", nothing, nothing, NULL, true},
    {"zsh", "o", "", "", "cs", shell_longs, nothing, NULL, true},
    {"ksh", "o", "", "", "cs", nothing, nothing, NULL, true},
    {"mksh", "o", "T", "", "cs", nothing, nothing, NULL, true},
    {"fish", "", "Cdof", "", "c", nothing, nothing, NULL, true},
    {"python", "", "WXQ", "", "cm", python_longs, nothing, NULL, false},
    {"pypy", "", "WXQ", "", "cm", python_longs, nothing, NULL, false},
    {"perl", "", "I", "0CDFMVdilmx", "eE", nothing, nothing, NULL, false},
    {"ruby", "", "CEIr", "0FKTWxi", "e", ruby_longs, nothing, NULL, false},
};

/* python, python3, python3.11: a version may follow the name. */
static const struct interpreter *
interpreter_named(const char *base)
{
    for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++) {
        size_t length = strlen(interpreters[i].name);

        if (strncmp(base, interpreters[i].name, length) == 0 &&
            strspn(base + length, "0123456789.-") == strlen(base + length))
            return &interpreters[i];
    }
    return NULL;
}

static bool
listed(const char *const *list, const char *word)
{
    for (; *list != NULL; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

/* Returns how many words behind this one are values of the options in it; -1: no script will run. */
static int
option_words(const struct interpreter *in, const char *word)
{
    int words = 0;

    if (word[0] == '-' && word[1] == '-')
        return listed(in->nones, word) ? -1 : listed(in->longs, word);
    for (const char *c = word + 1; *c != '\0'; c++) {
        if (strchr(in->none, *c) != NULL)
            return -1;
        if (strchr(in->next, *c) != NULL)
            words++;
        else if (strchr(in->value, *c) != NULL)
            return words + (c[1] == '\0');
        else if (strchr(in->rest, *c) != NULL)
            return words;
    }
    return words;
}

ptrdiff_t
interpreter_script(const char *base, char *const argv[])
{
    const struct interpreter *in = interpreter_named(base);
    bool verb_seen = false;

    if (in == NULL)
        return -1;
    if (argv == NULL || argv[0] == NULL)
        return 0;
    for (ptrdiff_t i = 1; argv[i] != NULL; i++) {
        const char *word = argv[i];
        int values;

        if (strcmp(word, "--") == 0 || (in->dash_is_end && strcmp(word, "-") == 0))
            return argv[i + 1] == NULL ? 0 : i + 1;
        if (strcmp(word, "-") == 0)
            return 0;
        if (word[0] != '-' && !(word[0] == '+' && in->next[0] != '\0')) {
            if (in->verb == NULL || verb_seen || strcmp(word, in->verb) != 0)
                return i;
            verb_seen = true;
            continue;
        }
        values = option_words(in, word);
        if (values < 0)
            return 0;
        for (; values > 0 && argv[i + 1] != NULL; values--)
            i++;
    }
    return 0;
}
