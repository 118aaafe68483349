/* Runs commands in turn, round after round, and says how long each took and what it held:
 *
 *     race ROUNDS NAME COMMAND OUTPUT [NAME COMMAND OUTPUT ...]
 *
 * A command is a shell's, its standard output goes to the file OUTPUT. Prints the median of each, its ratio to the first, and
 * the most memory that it held. */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RACERS 8
#define ROUNDS 99

struct racer {
    const char *name, *command, *output;
    double seconds[ROUNDS];
    long peak; /* KB */
};

static void
run(struct racer *r, int round)
{
    struct timespec a, b;
    struct rusage usage;
    int status;
    pid_t pid;

    clock_gettime(CLOCK_MONOTONIC, &a);
    pid = fork();
    if (pid < 0)
        err(1, "fork");
    if (pid == 0) {
        dup2(open(r->output, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", r->command, (char *)NULL);
        _exit(127);
    }
    if (wait4(pid, &status, 0, &usage) != pid)
        err(1, "wait4");
    clock_gettime(CLOCK_MONOTONIC, &b);
    if (status != 0)
        errx(1, "%s: it failed", r->command);
    r->seconds[round] = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
    if (usage.ru_maxrss > r->peak)
        r->peak = usage.ru_maxrss;
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
    static struct racer racers[RACERS];
    int rounds = argc > 1 ? atoi(argv[1]) : 0, n = (argc - 2) / 3;

    if (rounds < 1 || rounds > ROUNDS || n < 1 || n > RACERS || (argc - 2) % 3 != 0)
        errx(2, "usage: race ROUNDS NAME COMMAND OUTPUT [NAME COMMAND OUTPUT ...]");
    for (int i = 0; i < n; i++)
        racers[i] =
            (struct racer){.name = argv[2 + 3 * i], .command = argv[3 + 3 * i], .output = argv[4 + 3 * i]};
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < n; i++)
            run(&racers[i], round);
    for (int i = 0; i < n; i++) {
        qsort(racers[i].seconds, (size_t)rounds, sizeof(double), by_value);
        printf("  %-34s %8.2f s %6.1f x %7ld KB\n", racers[i].name, racers[i].seconds[rounds / 2],
               racers[i].seconds[rounds / 2] / racers[0].seconds[rounds / 2], racers[i].peak);
    }
    return 0;
}
