/* Measures what the library costs: starts a program many times with and without it, in turn, in one run.
 *
 *     spawn ROUNDS LIBRARY PROGRAM [ARGUMENT...]
 *
 * Prints the ratio of the medians, with the medians as context. The starting process has the library loaded when its own
 * environment preloads it; the children's environments are this one's with and without LD_PRELOAD. */
#include <err.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double
start_once(char *const argv[], char *const envp[])
{
    struct timespec a, b;
    int status, error;
    pid_t pid;

    clock_gettime(CLOCK_MONOTONIC, &a);
    error = posix_spawn(&pid, argv[0], NULL, NULL, argv, envp);
    if (error != 0)
        errx(1, "%s: %s", argv[0], strerror(error));
    waitpid(pid, &status, 0);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return (double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int
main(int argc, char *argv[])
{
    size_t rounds, n = 0;
    double *plain, *loaded;
    char **without, **with, *preload;

    if (argc < 4)
        errx(2, "usage: spawn ROUNDS LIBRARY PROGRAM [ARGUMENT...]");
    rounds = strtoul(argv[1], NULL, 10);
    plain = calloc(rounds + 1, sizeof(*plain));
    loaded = calloc(rounds + 1, sizeof(*loaded));
    while (environ[n] != NULL)
        n++;
    without = calloc(n + 2, sizeof(*without));
    with = calloc(n + 2, sizeof(*with));
    if (plain == NULL || loaded == NULL || without == NULL || with == NULL || rounds == 0 ||
        asprintf(&preload, "LD_PRELOAD=%s", argv[2]) < 0)
        err(1, NULL);
    for (size_t i = 0, k = 0; i < n; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
            without[k] = with[k] = environ[i], k++, with[k] = preload;
    if (with[0] == NULL)
        with[0] = preload;
    for (size_t i = 0; i < rounds; i++) {
        plain[i] = start_once(argv + 3, without);
        loaded[i] = start_once(argv + 3, with);
    }
    qsort(plain, rounds, sizeof(*plain), by_value);
    qsort(loaded, rounds, sizeof(*loaded), by_value);
    printf("ratio %.3f   (medians of %zu, interleaved: %.0f us without, %.0f us with)\n",
           loaded[rounds / 2] / plain[rounds / 2], rounds, plain[rounds / 2], loaded[rounds / 2]);
    return 0;
}
