/* A launch that is decided again in the process of an earlier one, because a wrapper changed its arguments. */
#ifndef HACCESS_CONTINUATION_H
#define HACCESS_CONTINUATION_H

#include <stdbool.h>

#include "decision.h"

/* Whether executing target with argv continues an earlier decision on this process: the token in the environment names this
 * process and this adapter, and no variable makes it a new launch. Fills *first from that decision's record; without
 * a record it is a sandboxed one. Source: design, section 4. */
bool continuation(const struct host *h, struct mem *m, const char *target, char *const argv[],
                  struct first_decision *first);

#endif
