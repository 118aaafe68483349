/* haccess-log: what was launched, with which access, and why. */
#include <err.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../shim/decide/decision.h"
#include "log.h"
#include "screen.h"
#include "when.h"

static const struct subcommand {
    const char *name, *arguments, *does;
    int (*view)(struct log *, int, char **);
    int least, most; /* how many arguments; most -1: any number */
} commands[] = {
    {"runs", "", "the runs, newest first (without a command)", view_runs, 0, 0},
    {"show", "[RUN]", "the launches of a run; with a filter, of all", view_show, 0, 1},
    {"tree", "[RUN]", "the launches as they were nested", view_tree, 0, 1},
    {"why", "[RUN] ID", "one launch: checks, evidence, and its arguments", view_why, 1, 2},
    {"follow", "", "new records as they are written, over all runs", view_follow, 0, 0},
    {"stats", "", "counts by adapter, model, reason and day", view_stats, 0, 0},
    {"proof", "[RUN]", "each launch's access, tied to the journal's hashes", view_proof, 0, 1},
    {"verify", "[RUN...]", "check the hash chain; exits 1 on what does not fit", view_verify, 0, -1},
    {"reconcile", "[RUN]", "what ran beside what was granted; exits 1 on wider", view_reconcile, 0, 1},
    {"export", "--format F", "every launch as jsonl, csv or html", view_export, 0, 0},
    {"prune", "--older-than AGE", "remove old runs, whole", view_prune, 0, 0},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

enum {
    OPT_SINCE = 256,
    OPT_UNTIL,
    OPT_ADAPTER,
    OPT_MODEL,
    OPT_REASON,
    OPT_MODE,
    OPT_REFUSED,
    OPT_UNSANDBOXED,
    OPT_CWD,
    OPT_JSON,
    OPT_UTC,
    OPT_OLDER,
    OPT_FORMAT,
    OPT_VERSION
};

static const struct option long_options[] = {
    {"since", required_argument, NULL, OPT_SINCE},
    {"until", required_argument, NULL, OPT_UNTIL},
    {"adapter", required_argument, NULL, OPT_ADAPTER},
    {"model", required_argument, NULL, OPT_MODEL},
    {"reason", required_argument, NULL, OPT_REASON},
    {"mode", required_argument, NULL, OPT_MODE},
    {"refused", no_argument, NULL, OPT_REFUSED},
    {"unsandboxed", no_argument, NULL, OPT_UNSANDBOXED},
    {"cwd", required_argument, NULL, OPT_CWD},
    {"json", no_argument, NULL, 'j'},
    {"utc", no_argument, NULL, 'u'},
    {"older-than", required_argument, NULL, OPT_OLDER},
    {"dry-run", no_argument, NULL, 'n'},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static void
usage(FILE *to)
{
    fputs("usage: haccess-log [OPTION...] [COMMAND] [ARGUMENT...]\n\n", to);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %-16s %s\n", commands[i].name, commands[i].arguments, commands[i].does);
    fputs("\nRUN: an id, a unique beginning of one, @1 (the newest), @2 ...; else the newest.\n"
          "  --since TIME, --until TIME   an ISO time, 2h, 7d, today, yesterday\n"
          "  --adapter A, --model M, --reason R, --mode sandboxed|full-access\n"
          "                               only such launches (A, M and R may hold * and ?)\n"
          "  --refused, --unsandboxed     only what was refused; what ran without a sandbox\n"
          "  --cwd DIR                    only launches in or below DIR\n"
          "  -j, --json; -u, --utc        for programs; times in UTC\n"
          "  -n, --dry-run                prune: only say what would be removed\n"
          "  -h, --help, -V, --version\n",
          to);
}

static _Noreturn void
misuse(const char *what, const char *why)
{
    struct mem *m = mem_new();

    fprintf(stderr, "haccess-log: %s: %s\n", shown(m, what), why);
    exit(EXIT_USAGE);
}

static int64_t
time_option(const struct log *l, const char *name, const char *text)
{
    int64_t ts = text == NULL ? -1 : when_parse(text, l->where.now, l->options.utc);

    if (text != NULL && ts == -1)
        misuse(text, mem_printf(l->mem, "%s takes a time: 2026-11-30T20:00, 2h, 7d, today, yesterday", name));
    return ts;
}

/* Relative directories and "." are meant from here. */
static const char *
directory_option(struct mem *m, const char *text)
{
    char *real;

    if (text == NULL || *text == '/')
        return text;
    real = realpath(text, NULL);
    if (real == NULL)
        err(EXIT_FOUND, "--cwd");
    text = mem_strdup(m, real);
    free(real);
    return text;
}

/* A journal may name what this version does not know: it is looked for all the same. */
static void
note_unknown(const struct filter *f)
{
    static const char glob[] = "*?[";
    bool known = f->reason == NULL || strpbrk(f->reason, glob) != NULL;
    struct mem *m = mem_new();

    if (f->adapter != NULL && strpbrk(f->adapter, glob) == NULL && strcmp(f->adapter, "claude") != 0 &&
        adapter_find(f->adapter) == NULL)
        warnx("note: --adapter %s: haccess knows no such CLI", shown(m, f->adapter));
    for (int r = REASON_CONFIG_INVALID; !known && r <= REASON_ARGV_UNBOUNDING; r++)
        known = strcmp(reason_word((enum reason)r), f->reason) == 0;
    for (int r = REFUSAL_NONE + 1; !known && r <= REFUSAL_JOURNAL_UNAVAILABLE; r++)
        known = strcmp(refusal_word((enum refusal)r), f->reason) == 0;
    if (!known)
        warnx("note: --reason %s: haccess has no such reason or refusal", shown(m, f->reason));
    mem_free(m);
}

static void
read_options(struct log *l, int argc, char **argv)
{
    struct options *o = &l->options;
    const char *since = NULL, *until = NULL;
    int c;

    while ((c = getopt_long(argc, argv, "hVjun", long_options, NULL)) != -1) {
        switch (c) {
        case OPT_SINCE:
            since = optarg;
            break;
        case OPT_UNTIL:
            until = optarg;
            break;
        case OPT_ADAPTER:
            o->filter.adapter = optarg;
            break;
        case OPT_MODEL:
            o->filter.model = optarg;
            break;
        case OPT_REASON:
            o->filter.reason = optarg;
            break;
        case OPT_MODE:
            if (strcmp(optarg, "sandboxed") != 0 && strcmp(optarg, "full-access") != 0)
                misuse(optarg, "--mode takes sandboxed or full-access");
            o->filter.mode = optarg;
            break;
        case OPT_UNSANDBOXED:
            o->filter.unsandboxed = true;
            break;
        case OPT_REFUSED:
            o->filter.refused = true;
            break;
        case OPT_CWD:
            o->filter.cwd = optarg;
            break;
        case OPT_OLDER:
            o->older_than = optarg;
            break;
        case OPT_FORMAT:
            o->format = optarg;
            break;
        case 'j':
            o->json = true;
            break;
        case 'u':
            o->utc = true;
            break;
        case 'n':
            o->dry_run = true;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        case 'V':
            puts("haccess-log " HACCESS_VERSION);
            exit(0);
        default:
            fputs("haccess-log --help tells more\n", stderr);
            exit(EXIT_USAGE);
        }
    }
    if (o->filter.mode != NULL && strcmp(o->filter.mode, "sandboxed") != 0 &&
        strcmp(o->filter.mode, "full-access") != 0)
        misuse(o->filter.mode, "--mode takes sandboxed or full-access");
    o->filter.since = time_option(l, "--since", since);
    o->filter.until = time_option(l, "--until", until);
    o->filter.cwd = directory_option(l->mem, o->filter.cwd);
    note_unknown(&o->filter);
}

void
log_problems(const struct strings *problems)
{
    struct mem *m = mem_new();

    for (size_t i = 0; i < problems->count; i++)
        fprintf(stderr, "haccess-log: %s\n", shown(m, problems->items[i]));
    mem_free(m);
}

const struct run_entry *
log_run(struct log *l, const char *text)
{
    const char *problem;
    const struct run_entry *run = run_list_find(&l->runs, l->mem, text, &problem);

    if (run == NULL)
        errx(EXIT_FOUND, "%s", shown(l->mem, problem));
    return run;
}

struct run_reader *
log_open(struct log *l, struct mem *m, const struct run_entry *run, bool chain)
{
    struct strings problems = {0};
    struct run_reader *r = run_open(run, &l->where, m, chain, &problems);

    log_problems(&problems);
    return r;
}

void
log_close(const struct run_entry *run, struct run_reader *r)
{
    size_t n = run_unread(r);
    struct mem *m = mem_new();

    if (n != 0)
        fprintf(stderr, "haccess-log: %s: %zu %s cannot be read and %s left out; see haccess-log verify\n",
                shown(m, run->id), n, n == 1 ? "line" : "lines", n == 1 ? "is" : "are");
    mem_free(m);
    run_close(r);
}

int
main(int argc, char **argv)
{
    struct mem *m = mem_new();
    struct log l = {.mem = m};
    const struct subcommand *command = &commands[0];
    struct timespec now;
    int status, n;

    screen_init();
    clock_gettime(CLOCK_REALTIME, &now);
    journal_host(m, environ, getenv("HOME"), geteuid(), (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000,
                 &l.where);
    if (l.where.state != NULL && *l.where.state != '/')
        misuse(l.where.state, "HACCESS_STATE_DIR is not an absolute path");
    read_options(&l, argc, argv);
    argv += optind;
    n = argc - optind;
    if (n > 0) {
        command = NULL;
        for (size_t i = 0; i < COMMANDS; i++)
            if (strcmp(commands[i].name, argv[0]) == 0)
                command = &commands[i];
        if (command == NULL)
            misuse(argv[0], "no such command; haccess-log --help lists them");
        argv++;
        n--;
    }
    if (n < command->least || (command->most != -1 && n > command->most))
        misuse(command->name, mem_printf(m, "usage: haccess-log %s %s", command->name, command->arguments));
    run_list_read(&l.where, m, &l.runs);
    log_problems(&l.runs.problems);
    status = command->view(&l, n, argv);
    /* An earlier part may be what was lost. */
    if (fflush(stdout) != 0 || ferror(stdout))
        err(EXIT_FOUND, "standard output");
    mem_free(m);
    return status;
}
