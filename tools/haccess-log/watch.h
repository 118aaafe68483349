/* When a journal is written to, in any place it may be in. */
#ifndef HACCESS_WATCH_H
#define HACCESS_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "../../shim/journal/journal.h"

/* What is told: the run's journal in the place may have changed, or be gone. known: it was there when the watch began. */
typedef void watch_changed(void *data, const char *root, bool spool, const char *run, bool known);

struct watch;

/* Begins to watch the places that journals may be in, whether they are there yet or not, and tells of each run in them.
 * Never fails: where the kernel does not tell (no inotify, no more watches, a file system of another host), it looks
 * twice a second. Lives until the process ends. */
struct watch *watch_open(const struct journal_host *where, struct mem *m, watch_changed *changed, void *data);

/* Waits until something changed, and tells. Returns false when nobody reads standard output any more. */
bool watch_wait(struct watch *w);

#endif
