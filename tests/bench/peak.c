/* Runs a program and prints the most memory that it held: peak PROGRAM [ARGUMENT...] */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
    struct rusage usage;
    int status;
    pid_t pid;

    if (argc < 2)
        errx(2, "usage: peak PROGRAM [ARGUMENT...]");
    pid = fork();
    if (pid < 0)
        err(1, "fork");
    if (pid == 0) {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (wait4(pid, &status, 0, &usage) != pid)
        err(1, "wait4");
    printf("  %ld KB\n", usage.ru_maxrss);
    return 0;
}
