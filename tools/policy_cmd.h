/* Between the parts of `haccess policy`. */
#ifndef HACCESS_TOOLS_POLICY_CMD_H
#define HACCESS_TOOLS_POLICY_CMD_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "../shim/decide/policy.h"

/* What a subcommand works on. */
struct policy_command {
    struct mem *m;
    struct host host;
    const char *dir; /* absolute */
    bool json;
};

int policy_command_allow(const struct policy_command *p);
int policy_command_deny(const struct policy_command *p);

/* text_path, with the user's home. */
const char *policy_path_text(const struct policy_command *p, const char *path);

/* Reports on stderr and returns FOUND. */
int policy_failure(const struct policy_command *p, const char *path, const char *why);

/* Adds a value under a static key. */
void policy_put(cJSON *object, const char *key, cJSON *value);

/* New objects: {"path"}; one file's state, null without a file; a value and where it comes from. */
cJSON *policy_path_object(const struct policy_command *p, const char *path);
cJSON *policy_file_object(const struct policy_command *p, const struct grant_policy *g);
cJSON *policy_origin_object(const struct policy_command *p, const struct policy_origin *o);

void policy_print_origins(const struct policy_command *p, const struct policy_origin *origins, size_t n);

#endif
