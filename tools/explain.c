#include "explain.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "find.h"
#include "haccess.h"
#include "text.h"

static const char usage[] =
    "usage: haccess explain [--json] [--exe FILE] -- CMD [ARGUMENT...]\n"
    "\n"
    "Says what haccess would do with CMD if it were launched here and now. Nothing is\n"
    "run or recorded; the launching session is probed as for a real launch.\n"
    "\n"
    "  -e, --exe FILE  the file that is executed, where CMD (argv[0]) is another name\n"
    "  -j, --json      one JSON object\n"
    "\n"
    "Exit status: 0; 126 when the launch would be refused, 127 when CMD is not found.\n";

static int
explain(struct mem *m, char **argv, const char *exe, bool json)
{
    const char *file;
    if (find_or_report(m, "explain", exe != NULL ? exe : argv[0], &file) != 0)
        return NOT_FOUND;

    struct host host;
    struct launch launch;
    host_init(&host, m, find_preloaded(m, environ));
    launch_plan(&host, m, file, argv, NULL, &launch);
    if (launch.outcome == OUTCOME_PASSTHROUGH)
        policy_load(&host, m, host.cwd, &launch.policy); /* not consulted, but it is what holds here */
    if (json)
        text_print_json(explain_json(m, &launch));
    else
        explain_text(m, &host, &launch);
    if (fflush(stdout) != 0) {
        warn("explain: standard output");
        return FOUND;
    }
    return launch.outcome == OUTCOME_REFUSE ? REFUSED : DONE;
}

int
command_explain(int argc, char **argv)
{
    static const struct option longs[] = {
        COMMON_LONG, {"exe", required_argument, NULL, 'e'}, {"json", no_argument, NULL, 'j'}, {0}};
    const char *exe = NULL;
    bool json = false;
    int c, code = DONE;

    while ((c = command_option(argc, argv, "+:e:j" COMMON_SHORT, longs, "explain", usage, &code)) != -1) {
        switch (c) {
        case 'e':
            exe = optarg;
            break;
        case 'j':
            json = true;
            break;
        default:
            return code;
        }
    }
    if (optind == argc) {
        fputs(usage, stderr);
        return USAGE;
    }
    struct mem *m = mem_new();
    code = explain(m, argv + optind, exe, json);
    mem_free(m);
    return code;
}
