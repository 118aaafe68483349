/* haccess explain: one plan, shown to programs or to people. */
#ifndef HACCESS_TOOLS_EXPLAIN_H
#define HACCESS_TOOLS_EXPLAIN_H

#include <cjson/cJSON.h>

#include "../shim/decide/launch.h"

/* The object of the commands specification. The caller deletes it; NULL when there is no memory. */
cJSON *explain_json(struct mem *m, const struct launch *l);

/* Prints asked, got, because, the checks and the change of argv on stdout. */
void explain_text(struct mem *m, const struct host *h, const struct launch *l);

#endif
