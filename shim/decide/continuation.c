#include "continuation.h"

#include <string.h>

#include "../journal/journal.h"
#include "launch.h"

static const char *
text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static void
read_record(struct mem *m, const cJSON *record, struct first_decision *first)
{
    const cJSON *access = cJSON_GetObjectItemCaseSensitive(record, "access");
    const char *mode = text_of(access, "mode"), *projection = text_of(record, "projection");

    first->parent_launch = mem_strdup(m, text_of(record, "parent_launch"));
    for (enum projection p = PROJECTION_VENDOR_DEFAULT; projection != NULL && p <= PROJECTION_FULL; p++)
        if (strcmp(projection, projection_word(p)) == 0)
            first->projection = p;
    first->full = mode != NULL && strcmp(mode, "full-access") == 0 && first->projection == PROJECTION_FULL;
}

bool
continuation(const struct host *h, struct mem *m, const char *target, char *const argv[],
             struct first_decision *first)
{
    const char *value = env_get(h->envp, ENV_LAUNCH), *lane = env_get(h->envp, ENV_LANE);
    struct journal_host where;
    struct launch_token t;
    struct lineage l;
    struct match match;
    cJSON *record;

    if (value == NULL || !token_parse(value, &t) || t.pid != h->pid || t.run[0] == '\0')
        return false;
    if (env_get(h->envp, ENV_ACCESS) != NULL || (lane != NULL && strcmp(lane, "write") == 0))
        return false;
    launch_match(m, target, argv, &match);
    if (match.kind != MATCH_LAUNCH || strcmp(match.adapter, t.adapter) != 0)
        return false;
    lineage_read(h, m, &l);
    if (l.self.start != t.start)
        return false;
    memset(first, 0, sizeof(*first));
    first->id = mem_strdup(m, t.id);
    first->projection = PROJECTION_VENDOR_DEFAULT;
    journal_host(m, h->envp, h->home, h->uid, h->now, &where);
    record = journal_find(&where, m, t.run, t.id);
    if (record != NULL)
        read_record(m, record, first);
    cJSON_Delete(record);
    return true;
}
