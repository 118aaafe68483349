/* What became of a command line. */
#ifndef HACCESS_DIFF_H
#define HACCESS_DIFF_H

#include "view.h"

/* Prints the words that were removed and added, in their order, one line for each run of them. Returns false, with nothing
 * printed, when there are none. */
bool diff_print(struct mem *m, const struct words *from, const struct words *to);

#endif
