#include "watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "../../shim/journal/place.h"
#include "../../shim/journal/reader.h"

#define LOOK_MS 500

#define GONE  (IN_DELETE_SELF | IN_MOVE_SELF)
#define NAMES (IN_CREATE | IN_MOVED_TO | GONE | IN_ONLYDIR | IN_MASK_ADD)
#define FILES (IN_MODIFY | IN_CREATE | IN_MOVED_TO | GONE | IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD)

/* One place. While its directory of runs is not there, the nearest directory above is watched. */
struct spot {
    const char *root;
    bool spool;
    int runs;                /* watch of the directory of runs; -1: it is not there */
    int above;               /* of the nearest directory that is; -1: none */
    char next[NAME_MAX + 1]; /* what is to come in that */
};

/* A run's directory. Sorted by their watches, which grow. */
struct run_watch {
    int wd;
    size_t spot;
    char *run; /* NULL: it is gone */
};

struct watch {
    const struct journal_host *where;
    watch_changed *changed;
    void *data;
    struct spot spots[PLACES_MAX];
    size_t nspots;
    struct run_watch *runs;
    size_t nruns, room;
    int fd;     /* -1: no inotify */
    bool looks; /* something is not watched, so that it has to be looked at */
    bool began; /* what is found from now on is new */
};

static void
tell(struct watch *w, const struct spot *s, const char *run, bool known)
{
    w->changed(w->data, s->root, s->spool, run, known);
}

static int
add(struct watch *w, const char *path, uint32_t mask)
{
    int wd = w->fd == -1 ? -1 : inotify_add_watch(w->fd, path, mask);

    if (wd == -1 && errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ELOOP)
        w->looks = true;
    return wd;
}

static struct run_watch *
find(struct watch *w, int wd)
{
    size_t low = 0, high = w->nruns;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (w->runs[middle].wd < wd)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->nruns && w->runs[low].wd == wd ? &w->runs[low] : NULL;
}

/* Makes room for one more; what is gone makes way first. */
static bool
reserve(struct watch *w)
{
    size_t kept = 0;
    struct run_watch *grown;

    if (w->nruns < w->room)
        return true;
    for (size_t i = 0; i < w->nruns; i++)
        if (w->runs[i].run != NULL)
            w->runs[kept++] = w->runs[i];
    w->nruns = kept;
    if (w->nruns * 2 < w->room)
        return true;
    grown = reallocarray(w->runs, w->room == 0 ? 64 : 2 * w->room, sizeof(*grown));
    if (grown == NULL)
        return w->nruns < w->room;
    w->runs = grown;
    w->room = w->room == 0 ? 64 : 2 * w->room;
    return true;
}

/* Watches a run's directory, and tells of it: what was written before the watch was there is seen now. */
static void
enter(struct watch *w, size_t spot, const char *run)
{
    const struct spot *s = &w->spots[spot];
    struct run_watch *r;
    char path[PATH_MAX];
    int wd;

    if (snprintf(path, sizeof(path), "%s/runs/%s", s->root, run) >= (int)sizeof(path))
        return;
    wd = add(w, path, FILES);
    r = wd == -1 ? NULL : find(w, wd);
    if (wd != -1 && r == NULL) {
        if (!reserve(w)) {
            w->looks = true;
        } else if (w->nruns != 0 && w->runs[w->nruns - 1].wd > wd) {
            w->looks = true; /* they were all used once: 2^31 of them */
        } else {
            w->runs[w->nruns++] = (struct run_watch){wd, spot, strdup(run)};
        }
    }
    tell(w, s, run, !w->began);
}

static void
list(struct watch *w, size_t spot)
{
    const struct spot *s = &w->spots[spot];
    int runs = place_runs(s->root, s->spool, w->where->uid);
    DIR *dir = runs == -1 ? NULL : fdopendir(runs);
    const struct dirent *d;

    if (dir == NULL && runs != -1)
        close(runs);
    while (dir != NULL && (d = readdir(dir)) != NULL)
        if (run_id_valid(d->d_name))
            enter(w, spot, d->d_name);
    if (dir != NULL)
        closedir(dir);
}

/* Whether other processes write there without this kernel's knowledge. */
static bool
is_remote(const char *path)
{
    static const uint32_t remote[] = {
        0x6969 /* NFS */,    0xff534d42 /* CIFS */, 0xfe534d42 /* SMB 2 */, 0x65735546 /* FUSE */,
        0x01021997 /* 9P */, 0x5346414f /* AFS */,  0x00c36400 /* Ceph */,  0x7461636f /* OCFS2 */};
    struct statfs fs;

    if (statfs(path, &fs) == -1)
        return false;
    for (size_t i = 0; i < sizeof(remote) / sizeof(remote[0]); i++)
        if ((uint32_t)fs.f_type == remote[i])
            return true;
    return false;
}

/* Watches the nearest directory above the directory of runs that is there. Returns false when the next one came
 * meanwhile. */
static bool
watch_above(struct watch *w, struct spot *s)
{
    char path[PATH_MAX], next[PATH_MAX], *slash;

    if (snprintf(path, sizeof(path), "%s/runs", s->root) >= (int)sizeof(path))
        return true;
    while ((slash = strrchr(path, '/')) != NULL && slash != path) {
        memcpy(next, path, sizeof(path));
        *slash = '\0';
        strlcpy(s->next, slash + 1, sizeof(s->next));
        s->above = add(w, path, NAMES);
        if (s->above != -1)
            return access(next, F_OK) == -1;
    }
    if (slash != NULL)
        strlcpy(s->next, slash + 1, sizeof(s->next));
    s->above = add(w, "/", NAMES);
    return true;
}

/* How often the way to the runs may change while it is looked at. */
#define TRIES 64

static void
settle(struct watch *w, size_t spot)
{
    struct spot *s = &w->spots[spot];
    char path[PATH_MAX];

    s->runs = s->above = -1;
    if (snprintf(path, sizeof(path), "%s/runs", s->root) >= (int)sizeof(path))
        return;
    for (int tries = 0; tries < TRIES; tries++) {
        s->runs = add(w, path, NAMES | IN_DONT_FOLLOW);
        if (s->runs != -1 || w->fd == -1) {
            w->looks = w->looks || is_remote(path);
            list(w, spot);
            return;
        }
        if (watch_above(w, s))
            return;
    }
    w->looks = true;
}

struct watch *
watch_open(const struct journal_host *where, struct mem *m, watch_changed *changed, void *data)
{
    struct watch *w = mem_alloc(m, sizeof(*w));
    struct strings places = {0};

    w->where = where;
    w->changed = changed;
    w->data = data;
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    w->looks = w->fd == -1;
    place_all(m, where, &places);
    for (size_t i = 0; i < places.count && i < PLACES_MAX; i++) {
        w->spots[i] = (struct spot){.root = places.items[i], .spool = i > 0 || where->state == NULL};
        w->nspots++;
    }
    for (size_t i = 0; i < w->nspots; i++)
        settle(w, i);
    w->began = true;
    return w;
}

/* What happened to a directory of runs, or above one. */
static void
spot_event(struct watch *w, size_t spot, const struct inotify_event *e)
{
    struct spot *s = &w->spots[spot];

    if (s->runs == e->wd) {
        if ((e->mask & (IN_CREATE | IN_MOVED_TO)) != 0 && e->len != 0 && run_id_valid(e->name))
            enter(w, spot, e->name);
        else if ((e->mask & (GONE | IN_IGNORED)) != 0)
            settle(w, spot);
    } else if (s->above == e->wd &&
               ((e->mask & (GONE | IN_IGNORED)) != 0 || e->len == 0 || strcmp(e->name, s->next) == 0)) {
        settle(w, spot);
    }
}

static void
event(struct watch *w, const struct inotify_event *e)
{
    struct run_watch *r;

    if ((e->mask & IN_Q_OVERFLOW) != 0) {
        for (size_t i = 0; i < w->nspots; i++)
            settle(w, i);
        return;
    }
    r = find(w, e->wd);
    if (r != NULL && r->run != NULL) {
        tell(w, &w->spots[r->spot], r->run, false);
        if ((e->mask & IN_IGNORED) != 0) {
            free(r->run);
            r->run = NULL;
        }
    }
    for (size_t i = 0; i < w->nspots; i++)
        spot_event(w, i, e);
}

static void
drain(struct watch *w)
{
    _Alignas(struct inotify_event) char block[16384];
    ssize_t n;

    while ((n = read(w->fd, block, sizeof(block))) > 0)
        for (const char *at = block; at < block + n;) {
            const struct inotify_event *e = (const struct inotify_event *)(const void *)at;

            event(w, e);
            at += sizeof(*e) + e->len;
        }
}

bool
watch_wait(struct watch *w)
{
    struct pollfd fds[] = {{STDOUT_FILENO, 0, 0}, {w->fd, POLLIN, 0}};

    while (poll(fds, 2, w->looks ? LOOK_MS : -1) == -1)
        if (errno != EINTR)
            return false;
    if ((fds[0].revents & POLLERR) != 0)
        return false;
    if (w->fd != -1)
        drain(w);
    for (size_t i = 0; w->looks && i < w->nspots; i++)
        list(w, i);
    return true;
}
