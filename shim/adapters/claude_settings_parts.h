/* What reading and changing a settings document share. */
#ifndef HACCESS_CLAUDE_SETTINGS_PARTS_H
#define HACCESS_CLAUDE_SETTINGS_PARTS_H

#include <cjson/cJSON.h>

#include "claude_settings.h"

/* Entries of "sandbox", "sandbox.filesystem" and "sandbox.network" that let commands out of it. NULL-terminated. */
extern const char *const sandbox_openings[], *const filesystem_openings[], *const network_openings[];

/* Returns the document at text (length bytes, a NUL behind them), to be deleted by the caller; NULL when it is not one JSON
 * object, or has an escaped NUL, which would make cJSON and the CLI see different keys. */
cJSON *settings_parse(const char *text, size_t length);

/* Returns the path ("sandbox.enabled") of the first member of permissions or sandbox, among those that a change may touch, whose
 * value is not of the kind that the CLI takes; NULL: there is none. In the region. */
const char *settings_misfit(struct mem *m, const cJSON *tree);

#endif
