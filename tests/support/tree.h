/* Temporary directories of a test program. */
#ifndef TESTS_TREE_H
#define TESTS_TREE_H

#include <sys/types.h>

/* Makes an empty directory under $TMPDIR or /tmp. Its canonical path; the caller frees it. Aborts when it cannot. */
char *tree_new(void);

/* Makes an empty directory in top. Its path; the caller frees it. */
char *tree_sub(const char *top);

/* Writes a file, making the directories above it. path is relative to top. */
void tree_write(const char *top, const char *path, const char *text, mode_t mode);

/* Makes a directory and those above it. */
void tree_mkdir(const char *top, const char *path);

/* Reads a file; NULL when it cannot. The caller frees it. */
char *tree_read(const char *top, const char *path);

/* Removes the directory and what is in it. */
void tree_remove(const char *top);

#endif
