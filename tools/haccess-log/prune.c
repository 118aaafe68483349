/* haccess-log prune: removes old runs, whole. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../shim/journal/place.h"
#include "view.h"
#include "when.h"

/* Removes one file of a run with its directory. The lock is held meanwhile: who waits for it sees that the file has no name
 * any more, and begins the run again. Returns 0 or an errno. */
static int
remove_file(const struct run_file *f, const char *run, uid_t uid, int64_t before)
{
    int runs = place_runs(f->root, f->spool, uid), fd = -1, dir = -1, e = 0;
    struct stat st;

    if (runs == -1)
        return errno;
    fd = place_read(runs, run);
    dir = openat(runs, run, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd == -1 || dir == -1 || flock(fd, LOCK_EX | LOCK_NB) == -1 || fstat(fd, &st) == -1)
        e = errno;
    else if ((int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000 > before)
        e = EWOULDBLOCK; /* a launch was recorded since the runs were listed */
    else if (
        unlinkat(dir, JOURNAL_FILE, 0) == -1 ||
        /* Not empty: somebody put something else there, or begins the run again. Neither is the run that is old. */
        (unlinkat(runs, run, AT_REMOVEDIR) == -1 && errno != ENOTEMPTY && errno != EEXIST))
        e = errno;
    if (dir != -1)
        close(dir);
    if (fd != -1)
        close(fd);
    close(runs);
    return e;
}

/* Removes the directories of runs whose file is gone: a prune or a writer was ended between the two. A writer that is
 * about to make the file makes the directory again. */
static void
remove_empty(const char *root, bool spool, uid_t uid, int64_t before)
{
    int runs = place_runs(root, spool, uid), again = runs == -1 ? -1 : dup(runs);
    DIR *dir = again == -1 ? NULL : fdopendir(again);
    struct dirent *d;
    struct stat st;

    while (dir != NULL && (d = readdir(dir)) != NULL)
        if (run_id_valid(d->d_name) && fstatat(runs, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(st.st_mode) && (int64_t)st.st_mtim.tv_sec * 1000 <= before)
            unlinkat(runs, d->d_name, AT_REMOVEDIR); /* what is not empty stays */
    if (dir != NULL)
        closedir(dir);
    else if (again != -1)
        close(again);
    if (runs != -1)
        close(runs);
}

/* One object a run. */
static void
print_json(const char *run, bool dry_run)
{
    cJSON *o = cJSON_CreateObject();
    char *text;

    cJSON_AddStringToObject(o, "run_id", run);
    cJSON_AddBoolToObject(o, "removed", !dry_run);
    text = cJSON_PrintUnformatted(o);
    if (text != NULL)
        put_json(text, strlen(text));
    cJSON_free(text);
    cJSON_Delete(o);
}

int
view_prune(struct log *l, int argc, char **argv)
{
    int64_t age = l->options.older_than == NULL ? -1 : when_length(l->options.older_than);
    size_t removed = 0, failed = 0;
    struct strings places = {0};

    (void)argc, (void)argv;
    if (age == -1)
        errx(EXIT_USAGE, "prune: --older-than takes an age: 90d, 12h, 2w");
    if (filter_given(&l->options.filter))
        errx(EXIT_USAGE, "prune: runs are removed whole: no filter can be given");
    for (size_t i = 0; i < l->runs.count; i++) {
        const struct run_entry *run = &l->runs.items[i];
        bool gone = true;

        /* By what was written last: a run may go on for longer than that. */
        if (run->changed > l->where.now - age || run->started > l->where.now - age)
            continue;
        for (size_t k = 0; k < run->nfiles && !l->options.dry_run; k++) {
            int e = remove_file(&run->files[k], run->id, l->where.uid, l->where.now - age);

            if (e == 0)
                continue;
            gone = false;
            fprintf(stderr, "haccess-log: %s/runs/%s: %s\n", shown(l->mem, run->files[k].root),
                    shown(l->mem, run->id), e == EWOULDBLOCK ? "it is being written" : strerror(e));
        }
        removed += gone;
        failed += !gone;
        if (gone && l->options.json)
            print_json(run->id, l->options.dry_run);
        else if (gone)
            printf("%s %s\n", l->options.dry_run ? "would remove" : "removed", shown(l->mem, run->id));
    }
    place_all(l->mem, &l->where, &places);
    for (size_t i = 0; i < places.count && !l->options.dry_run; i++)
        remove_empty(places.items[i], i > 0 || l->where.state == NULL, l->where.uid, l->where.now - age);
    if (!l->options.json)
        printf("%s %s of %zu\n", counted(l->mem, removed, "run", "runs"),
               l->options.dry_run ? "to remove" : "removed", l->runs.count);
    return failed == 0 ? 0 : EXIT_FOUND;
}
