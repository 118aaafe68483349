/* A host made up of directories of its own, for the policy's tests. */
#ifndef TESTS_POLICY_BENCH_H
#define TESTS_POLICY_BENCH_H

#include "shim/decide/policy.h"

/* A policy that enables worker full access, and nothing else. */
#define ENABLED "{\"workflow\":{\"workerFullAccess\":{\"enabled\":true}}}"

struct policy_bench {
    struct mem *mem;
    char *top;                         /* the directory of it all */
    const char *home, *project, *file; /* in it; file is the project's policy */
    struct host host;
    char *environment[4]; /* the host's, empty at first */
    struct policy policy; /* what the last load said */
};

extern struct policy_bench bench;

/* Before and after each test. */
void bench_setup(void);
void bench_teardown(void);

/* The path of something in top, in bench.mem. */
const char *bench_at(const char *name);

/* Writes the project's policy; the ceiling. */
void bench_put(const char *text);
void bench_put_ceiling(const char *text);

/* Loads what holds in the project; in a directory. */
void bench_load(void);
void bench_load_in(const char *cwd);

/* Consents to the project's policy as it is. */
void bench_allow(void);

/* Loads, and asserts that the project's policy is malformed, that the problem says this, and that everything is at its
 * strictest. */
void bench_expect_invalid(const char *says);

/* Asserts that every value that was loaded is the default. */
void bench_expect_defaults(void);

/* Where a value that was loaded comes from, and what it is; "" for an unknown key. */
const char *bench_origin(const char *key);
const char *bench_value(const char *key);

#endif
