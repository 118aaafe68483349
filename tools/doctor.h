/* haccess doctor: what it looked at, apart from how that is shown. */
#ifndef HACCESS_TOOLS_DOCTOR_H
#define HACCESS_TOOLS_DOCTOR_H

#include "../shim/adapters/adapter.h"
#include "../shim/decide/host.h"

enum finding_kind { FINDING_GOOD, FINDING_NOTE, FINDING_PROBLEM };

struct finding {
    enum finding_kind kind;
    const char *name;
    const char *saw;    /* in plain words */
    const char *remedy; /* NULL: none */
};

/* One vendor CLI on PATH. */
struct cli {
    const char *name, *path, *version; /* version NULL: could not be told */
    const struct adapter *adapter;
    const char *form;    /* "script", "dynamic", "static", "unreadable" */
    const char *covered; /* in plain words */
};

/* Fills out with the vendor CLIs on PATH, room of them at most; returns their number. */
size_t cli_survey(const struct host *h, struct mem *m, struct cli *out, size_t room);

/* The version of a vendor CLI's file, by what is on disk: nothing is run. NULL: none is told there. */
const char *cli_version(struct mem *m, const char *file, const struct adapter *a);

/* In plain words that a version is newer than what haccess was checked against, and what that means; NULL: it is not. */
const char *cli_newer(struct mem *m, const struct adapter *a, const char *version);

/* Runs a program with the environment envp, its output going nowhere else; waits at most that many milliseconds, then kills it.
 * Returns its standard output (and standard error, when both is set) as text, at most 64 KiB, or NULL when it could not
 * be run, failed or took too long. */
char *capture(struct mem *m, char *const argv[], char *const envp[], int milliseconds, int both);

#endif
