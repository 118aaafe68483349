/* The launches of a run as they were nested. */
#ifndef HACCESS_TREE_H
#define HACCESS_TREE_H

#include "view.h"

/* Prints the tree of a run's launches, those that the filter asks for. Returns how many stand below another one. */
size_t tree_print(struct log *l, struct mem *m, const struct run_entry *run);

#endif
