/* A library whose constructor moves the environment, and executes something when X_EARLY says what. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void
move(void)
{
    char *early = getenv("X_EARLY");

    setenv("X_MOVED", "1", 1);
    if (early != NULL) {
        unsetenv("X_EARLY");
        execl(early, "codex", "early", (char *)NULL);
    }
}
