/* One launch, whole: what haccess-log why prints, and the page that is exported unfolds. */
#ifndef HACCESS_WHY_H
#define HACCESS_WHY_H

#include "view.h"

/* What went before in the run. */
struct why {
    struct log *log;
    struct mem *mem;
    cJSON *parents[PLACES_MAX]; /* the last probe, by file */
    const char *command;        /* of the run */
};

void why_begin(struct why *y, struct log *l, struct mem *m);

/* Every entry of the run, in its order, before it is printed. */
void why_see(struct why *y, const struct entry *e);

void why_print(const struct why *y, const struct entry *e, const struct view *v);

void why_end(struct why *y);

#endif
