/* Times, as people write and read them. */
#ifndef HACCESS_WHEN_H
#define HACCESS_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "../../shim/mem.h"

/* Reads "2h", "7d", "30m", "90s", "2w" (ago), "now", "today", "yesterday", or an ISO time, local where it names no zone.
 * Returns milliseconds since 1970, or -1. */
int64_t when_parse(const char *text, int64_t now, bool utc);

/* Reads "90d", "12h" ... as a length. Returns milliseconds, or -1. */
int64_t when_length(const char *text);

/* "20:29:15". */
const char *when_time(struct mem *m, int64_t ts, bool utc);

/* "2026-11-30". */
const char *when_day(struct mem *m, int64_t ts, bool utc);

/* "today 20:29:15", "yesterday 20:29", "2026-11-28 20:29". */
const char *when_near(struct mem *m, int64_t ts, int64_t now, bool utc);

#endif
