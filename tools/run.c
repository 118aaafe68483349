#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../shim/decide/launch.h"
#include "../shim/journal/journal.h"
#include "find.h"
#include "haccess.h"
#include "text.h"

static const char usage[] =
    "usage: haccess run [--run-id ID] -- CMD [ARGUMENT...]\n"
    "\n"
    "Runs CMD as a new run: every agent CLI that it starts, directly or not, is\n"
    "decided and recorded under one run id. If CMD is itself an agent CLI it is\n"
    "decided here, so that a statically linked one is covered too.\n"
    "\n"
    "  -r, --run-id ID  the id; without it a new one is made\n"
    "\n"
    "Exit status: that of CMD; 126 when it is refused or cannot be executed, 127 when\n"
    "it is not found.\n";

/* Source: journal specification. */
static const char *
new_run_id(struct mem *m)
{
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &utc));
    return mem_printf(m, "run-%s-%06x", when, (unsigned)(arc4random() & 0xffffff));
}

static void
set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        err(FOUND, "run: %s", name);
}

/* Returns the exit code when CMD cannot be run. */
static int
run(struct mem *m, char **argv, const char *id)
{
    struct parts parts;
    if (!find_library(m, "run", &parts))
        return FOUND;
    const char *file;
    int e = find_or_report(m, "run", argv[0], &file);
    if (e != 0)
        return e == ENOENT || e == ENOTDIR ? NOT_FOUND : REFUSED;

    set(ENV_RUN, id != NULL ? id : new_run_id(m));
    set("LD_PRELOAD", find_preload(m, getenv("LD_PRELOAD"), parts.library));

    struct host host;
    struct launch launch;
    host_init(&host, m, environ);
    launch_plan(&host, m, file, argv, NULL, &launch);
    if (launch.class != CLASS_NONE)
        launch_execute(&host, m, &launch, strchr(argv[0], '/') == NULL);
    execvp(argv[0], argv);
    e = errno;
    warnx("run: %s: %s", text_show(m, argv[0]), strerror(e));
    return e == ENOENT ? NOT_FOUND : REFUSED;
}

int
command_run(int argc, char **argv)
{
    static const struct option longs[] = {COMMON_LONG, {"run-id", required_argument, NULL, 'r'}, {0}};
    const char *id = NULL;
    int c, code = DONE;

    while ((c = command_option(argc, argv, "+:r:" COMMON_SHORT, longs, "run", usage, &code)) != -1) {
        if (c != 'r')
            return code;
        id = optarg;
    }
    struct mem *m = mem_new();
    if (id != NULL && !run_id_valid(id)) {
        warnx("run: %s: a run id is a letter or digit, then up to 199 of letters, digits, '.', '_' and '-'",
              text_word(m, id));
        code = USAGE;
    } else if (optind == argc) {
        fputs(usage, stderr);
        code = USAGE;
    } else {
        code = run(m, argv + optind, id);
    }
    mem_free(m);
    return code;
}
