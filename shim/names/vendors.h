/* Between the tables of names and what looks things up in them. */
#ifndef HACCESS_VENDORS_H
#define HACCESS_VENDORS_H

#include "names.h"

/* Returns what follows the last slash of path. */
const char *path_base(const char *path);

/* Returns the adapter whose CLI (or whose script) a file of this name is, NULL when it is none. */
const char *vendor_of(const char *path);

/* Returns the index in argv of the script that the interpreter of this name would run with argv; 0 when it would run
 * none (a command string, a module, standard input). Returns -1 when base is not the name of a known interpreter. */
ptrdiff_t interpreter_script(const char *base, char *const argv[]);

#endif
