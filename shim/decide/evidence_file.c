#include "evidence_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tail.h"

void
verdict_add(struct verdict *all, const struct verdict *v)
{
    static const int strictness[] = {[PARENT_FULL] = 0, [PARENT_UNKNOWN] = 1, [PARENT_SANDBOXED] = 2};

    if (all->detail == NULL || strictness[v->state] > strictness[all->state])
        *all = *v;
}

const char *
record_word(struct mem *m, struct json_span value)
{
    size_t n = value.length > 60 ? 60 : value.length;

    return mem_printf(m, "%.*s%s", (int)n, value.text, n < value.length ? "..." : "");
}

static void
add_record(struct mem *m, struct parent *p, const char *path, const struct stat *st)
{
    struct record_file *grown = mem_array(m, p->nrecords + 1, sizeof(*grown));

    if (p->nrecords != 0)
        memcpy(grown, p->records, p->nrecords * sizeof(*grown));
    grown[p->nrecords++] = (struct record_file){
        .path = path,
        .inode = st->st_ino,
        .size = (uint64_t)st->st_size,
        .mtime = (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000,
    };
    p->records = grown;
}

static void
unknown(struct mem *m, const char *path, const char *why, struct verdict *out)
{
    out->state = PARENT_UNKNOWN;
    out->detail = mem_printf(m, "%s %s", path, why);
}

/* Judges the last line that is the record. An earlier one does not count where a later one cannot be read. */
static void
judge_file(struct mem *m, int fd, uint64_t size, const char *path, const struct record_kind *kind,
           struct verdict *out)
{
    struct tail *t = malloc(sizeof(*t));
    enum tail_result found = TAIL_ERROR;
    struct json_error error;
    struct json_span line;
    bool judged = false;

    if (t == NULL) {
        unknown(m, path, "cannot be read: out of memory", out);
        return;
    }
    tail_init(t, fd, size, kind->word);
    while (!judged && (found = tail_next(t, &line.text, &line.length)) == TAIL_LINE) {
        judged = true;
        if (!json_valid(line.text, line.length, &error))
            unknown(m, path, mem_printf(m, "has a torn or forged %s line: %s", kind->name, error.why), out);
        else
            judged = kind->judge(m, line, out);
    }
    if (!judged && found == TAIL_NONE)
        unknown(m, path, mem_printf(m, "holds no %s", kind->name), out);
    else if (!judged && found == TAIL_TOO_LONG)
        unknown(m, path,
                mem_printf(m, "has a line longer than %d KiB that may be its last %s", TAIL_LINE_MAX / 1024,
                           kind->name),
                out);
    else if (!judged && found == TAIL_TOO_FAR)
        unknown(m, path, mem_printf(m, "holds no %s in its last 4 GiB", kind->name), out);
    else if (!judged)
        unknown(m, path, mem_printf(m, "cannot be read: %s", strerror(errno)), out);
    tail_free(t);
    free(t);
}

bool
evidence_file(const struct host *h, struct mem *m, int dir, const char *directory, const char *name,
              const struct record_kind *kind, struct parent *p, struct verdict *out)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int error = fd == -1 ? errno : 0;
    const char *path;
    struct stat st;

    if (error == ENOENT || error == ENOTDIR)
        return false;
    path = mem_printf(m, "%s/%s", directory, name);
    if (error == 0 && fstat(fd, &st) == -1)
        error = errno;
    if (error == ELOOP)
        unknown(m, path, "is a symbolic link", out);
    else if (error != 0)
        unknown(m, path, mem_printf(m, "cannot be opened: %s", strerror(error)), out);
    else if (!S_ISREG(st.st_mode))
        unknown(m, path, "is not a regular file", out);
    else if (st.st_uid != h->uid)
        unknown(m, path, mem_printf(m, "belongs to uid %u, not to uid %u", st.st_uid, h->uid), out);
    else {
        add_record(m, p, path, &st);
        judge_file(m, fd, (uint64_t)st.st_size, path, kind, out);
    }
    if (fd != -1)
        close(fd);
    return true;
}
