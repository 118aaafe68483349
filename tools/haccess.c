/* haccess: its commands by name. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "haccess.h"
#include "text.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"run", command_run},       {"explain", command_explain}, {"policy", command_policy},
    {"doctor", command_doctor}, {"shims", command_shims},
};

static const char usage[] = "usage: haccess COMMAND [ARGUMENT...]\n"
                            "\n"
                            "  run [--run-id ID] -- CMD...\n"
                            "         run CMD as a new run, with haccess in every program below it\n"
                            "  explain [--json] [--exe FILE] -- CMD...\n"
                            "         say what would happen to CMD here and now; run nothing\n"
                            "  policy check|show|init|allow|deny [--json] [DIR]\n"
                            "         validate, show or write the host policy, consent to it\n"
                            "  doctor [--json]\n"
                            "         say whether haccess works here, and what it covers\n"
                            "  shims DIR\n"
                            "         write front ends for PATH, for launchers that load no library\n"
                            "\n"
                            "  -h, --help     this text; haccess COMMAND --help says more\n"
                            "  -V, --version  the version\n"
                            "\n"
                            "See haccess(1), haccess-policy(5), and haccess-log(1) for what was recorded.\n";

static void
print_version(void)
{
    puts("haccess " HACCESS_VERSION);
}

int
command_option(int argc, char **argv, const char *shorts, const struct option *longs, const char *what,
               const char *help, int *code)
{
    opterr = 0; /* getopt would begin its messages with the command's name */
    int c = getopt_long(argc, argv, shorts, longs, NULL);
    if (c == 'h') {
        fputs(help, stdout);
        *code = DONE;
        return 0;
    }
    if (c == 'V') {
        print_version();
        *code = DONE;
        return 0;
    }
    if (c != '?' && c != ':')
        return c;
    /* A long option leaves optind behind it; a bundle of short ones leaves optopt. */
    char letter[3] = {'-', (char)optopt, '\0'};
    const char *word =
        optopt != 0 && optopt < 256 && strncmp(argv[optind - 1], "--", 2) != 0 ? letter : argv[optind - 1];
    struct mem *m = mem_new();
    warnx("%s: %s: %s (see haccess %s --help)", what, text_show(m, word),
          c == ':' ? "needs a value" : "no such option, or one that takes no value", what);
    mem_free(m);
    *code = USAGE;
    return 0;
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        fputs(usage, stderr);
        return USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0) {
        fputs(usage, stdout);
        return DONE;
    }
    if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0) {
        print_version();
        return DONE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    struct mem *m = mem_new();
    warnx("%s: no such command (see haccess --help)", text_show(m, word));
    mem_free(m);
    return USAGE;
}
