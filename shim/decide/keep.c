/* A CLI may keep the environment from the commands that it runs, and with it the library: what they launch would be neither
 * decided nor recorded. */
#include <string.h>

#include "../journal/journal.h"
#include "launch.h"

#define KEPT_MAX 5

/* What the preload library keeps in every exec below it (libhaccess(7)). Returns how many. */
static size_t
entries(const struct host *h, struct mem *m, const struct launch *l, const char *run, struct kept kept[])
{
    size_t n = 0, length;
    const char *library = preload_entry(h->envp, &length), *state = env_get(h->envp, ENV_STATE);

    if (library == NULL)
        return 0;
    kept[n++] = (struct kept){"LD_PRELOAD", mem_strndup(m, library, length), KEPT_ENTRY};
    kept[n++] = (struct kept){ENV_RUN, run, KEPT_ANY};
    if (state != NULL)
        kept[n++] = (struct kept){ENV_STATE, state, KEPT_ANY};
    if (l->request.lane == LANE_READ)
        kept[n++] = (struct kept){ENV_LANE, "read", KEPT_EXACTLY};
    if (l->policy.off)
        kept[n++] = (struct kept){ENV_OFF, "0", KEPT_EXACTLY};
    return n;
}

static const char *
shed_by(struct mem *m, const struct launch *l, char **argv, size_t argc, const struct kept kept[], size_t n,
        struct invocation *i)
{
    *i = l->invocation;
    command_parse(m, l->adapter->grammar, argv, argc, l->invocation.command.first, &i->command);
    return l->adapter->sheds(m, i, kept, n);
}

void
launch_keep(const struct host *h, struct mem *m, struct launch *l)
{
    struct kept kept[KEPT_MAX];
    struct invocation i;
    struct run run;
    size_t n, argc;
    char **argv;

    if (l->outcome != OUTCOME_LAUNCH || l->adapter->sheds == NULL)
        return;
    n = entries(h, m, l, "", kept);
    if (n == 0)
        return;
    l->shed = shed_by(m, l, l->rendered, l->rendered_argc, kept, n, &i);
    if (l->shed == NULL || l->observed || l->adapter->keep == NULL)
        return;
    run_find(h, m, &l->lineage, &run);
    n = entries(h, m, l, run.id, kept);
    argv = l->adapter->keep(m, &i, kept, n, &argc);
    if (argv == NULL || shed_by(m, l, argv, argc, kept, n, &i) != NULL)
        return;
    l->rendered = argv;
    l->rendered_argc = argc;
    l->restored = true;
}
