/* Paths, and the question whether one opens more than the project. */
#ifndef HACCESS_PATH_H
#define HACCESS_PATH_H

#include "adapter.h"

/* Returns a path as a CLI reads it (relative to base, "~" is the home directory) as an absolute one without "." and
 * "..", or NULL where base or home is not known. Links are not followed. */
char *path_absolute(struct mem *m, const struct invocation *i, const char *path, const char *base);

/* Returns the directory that holds an absolute path, or NULL for "/". */
char *path_parent(struct mem *m, const char *path);

/* Returns whether path is the directory or below it; both absolute and normalized. */
bool path_holds(const char *directory, const char *path);

/* Returns whether a directory added to a sandbox opens more than the project: it is, or is a link to, "/", the home
 * directory or a directory above it, or one above the project; or it cannot be told. base: what a relative one is relative
 * to, NULL: unknown. Source: decision specification, section 2. */
bool path_is_wide(struct mem *m, const struct invocation *i, const char *path, const char *base);

#endif
