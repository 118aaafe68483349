/* haccess-log prune: removes old runs, whole. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "../../shim/journal/place.h"
#include "view.h"
#include "when.h"

/* Removes one file of a run with its directory. The lock is held meanwhile: who waits for it sees that the file has no name
 * any more, and begins the run again. Returns 0 or an errno. */
static int
remove_file(const struct run_file *f, const char *run, uid_t uid)
{
    int runs = place_runs(f->root, f->spool, uid), fd = -1, dir = -1, e = 0;

    if (runs == -1)
        return errno;
    fd = place_read(runs, run);
    dir = openat(runs, run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd == -1 || dir == -1 || flock(fd, LOCK_EX | LOCK_NB) == -1 || unlinkat(dir, JOURNAL_FILE, 0) == -1 ||
        unlinkat(runs, run, AT_REMOVEDIR) == -1)
        e = errno;
    if (dir != -1)
        close(dir);
    if (fd != -1)
        close(fd);
    close(runs);
    return e;
}

int
view_prune(struct log *l, int argc, char **argv)
{
    int64_t age = l->options.older_than == NULL ? -1 : when_length(l->options.older_than);
    size_t removed = 0, failed = 0;

    (void)argc, (void)argv;
    if (age == -1)
        errx(EXIT_USAGE, "prune: --older-than takes an age: 90d, 12h, 2w");
    for (size_t i = 0; i < l->runs.count; i++) {
        const struct run_entry *run = &l->runs.items[i];
        bool gone = true;

        /* By what was written last: a run may go on for longer than that. */
        if (run->changed > l->where.now - age || run->started > l->where.now - age)
            continue;
        for (size_t k = 0; k < run->nfiles && !l->options.dry_run; k++) {
            int e = remove_file(&run->files[k], run->id, l->where.uid);

            if (e == 0)
                continue;
            gone = false;
            fprintf(stderr, "haccess-log: %s/runs/%s: %s\n", shown(l->mem, run->files[k].root),
                    shown(l->mem, run->id), e == EWOULDBLOCK ? "it is being written" : strerror(e));
        }
        removed += gone;
        failed += !gone;
        if (gone)
            printf("%s %s\n", l->options.dry_run ? "would remove" : "removed", shown(l->mem, run->id));
    }
    printf("%s %s of %zu\n", counted(l->mem, removed, "run", "runs"),
           l->options.dry_run ? "to remove" : "removed", l->runs.count);
    return failed == 0 ? 0 : EXIT_FOUND;
}
