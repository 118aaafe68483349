/* Counts over launches: by adapter, model, reason and day. */
#ifndef HACCESS_COUNTS_H
#define HACCESS_COUNTS_H

#include "view.h"

/* Different words that are counted each; what comes after that many is counted together. */
#define WORDS_MAX 1000

struct count {
    const char *word; /* as written */
    size_t n;
};

struct counts {
    struct count items[WORDS_MAX];
    size_t used, others;
};

struct stats {
    struct log *log;
    size_t launches, full, narrowed, refused;
    struct counts adapters, models, reasons, days;
};

/* Adds a launch; for each_launch, with a struct stats (zeroed, log set) as data. */
void counts_visit(void *data, const struct run_entry *run, const struct entry *e, const struct view *v);

/* Sorts: the most frequent first, days the latest first. */
void counts_sort(struct stats *s);

#endif
