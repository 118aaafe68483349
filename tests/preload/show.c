/* Says which program it is and what it was given. The tests copy it under the names of CLIs, of ordinary programs and of
 * the helper. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char *argv[], char *envp[])
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    int count = 0;

    exe[n < 0 ? 0 : n] = '\0';
    printf("exe %s\npid %d\nparent %d\nargc %d\n", exe, (int)getpid(), (int)getppid(), argc);
    for (int i = 0; i < argc && i < 8; i++)
        printf("arg %s\n", argv[i]);
    for (; *envp != NULL; envp++, count++)
        if (strncmp(*envp, "HACCESS_", 8) == 0 || strncmp(*envp, "LD_PRELOAD=", 11) == 0 ||
            strncmp(*envp, "X_", 2) == 0)
            printf("env %s\n", *envp);
    printf("entries %d\n", count);
    if (fcntl(7, F_GETFD) >= 0)
        puts("descriptor 7");
    if (getpgrp() == getpid())
        puts("leads its group");
    return 42;
}
