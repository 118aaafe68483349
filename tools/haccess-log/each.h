/* Every launch of every run. */
#ifndef HACCESS_EACH_H
#define HACCESS_EACH_H

#include "view.h"

/* Calls visit for each launch that the filter asks for, the newest run first. glances: visit needs no more of the record
 * than the view's strings and flags, which is much faster. Returns the number of runs that had one. */
size_t each_launch(struct log *l, bool glances,
                   void (*visit)(void *data, const struct run_entry *run, const struct entry *e,
                                 const struct view *v),
                   void *data);

#endif
