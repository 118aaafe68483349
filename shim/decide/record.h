/* Journal records of a launch, as JSON. What may be written down is decided here: options, subcommands and the values of
 * access, model and effort options that the grammar knows; prompts and secrets never. */
#ifndef HACCESS_RECORD_H
#define HACCESS_RECORD_H

#include <cjson/cJSON.h>

#include "launch.h"

/* The fields of run.start, worker_access.parent, agent.start and agent.refused. Each returns a new object, the caller's. */
cJSON *record_run(const struct host *h, struct mem *m, const struct launch *l, const struct run *run);
cJSON *record_parent(const struct launch *l, const char *key);
cJSON *record_agent(const struct host *h, struct mem *m, const struct launch *l, const char *id,
                    const char *parent_launch, const char *continues);

/* The fields of agent.failed. error is an errno. */
cJSON *record_failed(const char *id, int error);

/* What distinguishes one result of a probe from another, as one string. */
const char *record_parent_key(struct mem *m, const struct parent *p);

/* The parts that explain prints as well. */
cJSON *record_request(const struct launch *l);
cJSON *record_access(const struct launch *l);
cJSON *record_checks(const struct launch *l);

#endif
