/* Where programs and the parts of haccess are. */
#ifndef HACCESS_TOOLS_FIND_H
#define HACCESS_TOOLS_FIND_H

#include <stdbool.h>

#include "../shim/mem.h"

/* Finds the file that execvp would execute: name itself when it has a slash, else the first executable regular file of
 * that name in path (NULL: the system's default). Returns 0 with *file set, or the errno that execvp would give. */
int find_program(struct mem *m, const char *name, const char *path, const char **file);

/* How a front end that `haccess shims` wrote begins. */
#define SHIM_MARK "#!/bin/sh\n# haccess shim: "

/* Whether the file is such a front end, in whatever directory and of whatever installation. */
bool find_is_shim(const char *file);

/* find_program for a name without a slash, front ends passed over. With after, a file that is on path, only what stands
 * behind it is looked at; NULL, or not on path: all. */
int find_behind_shims(struct mem *m, const char *name, const char *path, const char *after,
                      const char **file);

/* The same on $PATH, for a command of haccess: what fails is reported on stderr. Returns 0 with *file set, or
 * the errno. */
int find_or_report(struct mem *m, const char *command, const char *name, const char **file);

/* The parts that belong to this haccess: beside it (build directory), or in ../lib (installed). */
struct parts {
    bool installed;      /* found in ../lib */
    const char *library; /* absolute path of libhaccess.so, NULL: not there */
    const char *helper;  /* absolute path that the library will execute, NULL without a library */
};

void find_parts(struct mem *m, struct parts *out);

/* The same where the library is to be preloaded, for a command of haccess: false, reported on stderr, when it is not there or
 * LD_PRELOAD cannot name it. */
bool find_library(struct mem *m, const char *command, struct parts *out);

/* The value of LD_PRELOAD (old, may be NULL) with the library in it once, in the place of any copy of it, else last: others,
 * such as a sanitizer, may have to be first. */
const char *find_preload(struct mem *m, const char *old, const char *library);

/* envp with the library preloaded, as a launch under haccess has it: itself where LD_PRELOAD is set, or without a library. */
char **find_preloaded(struct mem *m, char *const envp[]);

#endif
