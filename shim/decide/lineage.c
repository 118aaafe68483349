#include "lineage.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../names/names.h"

/* An argument or environment string is at most 128 KiB long (MAX_ARG_STRLEN, execve(2)). */
#define STRING_MAX (128 * 1024)

/* Command lines are shown and looked at, never executed: their beginning will do. */
#define COMMAND_MAX (16 * 1024)

/* Deeper than any real tree of processes, and an end to one that is made up. */
#define DEPTH_MAX 4096

/* Whether entry is a variable whose name is name; with prefix, whose name begins so. */
static bool
named(const char *entry, const char *name, bool prefix)
{
    size_t n = strlen(name);

    return strncmp(entry, name, n) == 0 && (prefix || entry[n] == '=');
}

bool
lineage_keeps(const char *entry)
{
    static const struct {
        const char *name;
        bool prefix;
    } kept[] = {
        {"CODEX_SANDBOX", true},
        {"SANDBOX_RUNTIME", false},
        {"LD_PRELOAD", false},
        {"HACCESS_", true},
    };

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (named(entry, kept[i].name, kept[i].prefix))
            return true;
    for (size_t i = 0; marker_names[i].name != NULL; i++)
        if (named(entry, marker_names[i].name, false))
            return true;
    return false;
}

/* Reads until the buffer is full or the file ends. Returns false on an error, with what was read before it kept. */
static bool
fill(int fd, char *buffer, size_t room, size_t *length)
{
    while (*length < room) {
        ssize_t got = read(fd, buffer + *length, room - *length);

        if (got == -1 && errno == EINTR)
            continue;
        if (got == -1)
            return false;
        if (got == 0)
            return true;
        *length += (size_t)got;
    }
    return true;
}

/* Reads the NUL-separated strings of a file in dirfd, and keeps those that keep wants (NULL: all), from the first max
 * bytes. Returns NULL when it cannot be read. A string longer than any can be is cut. */
static char **
read_strings(struct mem *m, int dirfd, const char *name, size_t max, bool (*keep)(const char *))
{
    struct strings list = {0};
    size_t room = max < STRING_MAX ? max : STRING_MAX, length = 0, seen = 0;
    bool more = true, ok, cut = false;
    char *buffer;
    int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd == -1)
        return NULL;
    buffer = malloc(room + 1);
    ok = buffer != NULL;
    while (ok && more && seen < max) {
        size_t had = length, at = 0;

        ok = fill(fd, buffer, room, &length);
        more = length == room;
        seen += length - had;
        while (at < length) {
            char *end = memchr(buffer + at, '\0', length - at);

            if (end == NULL && more && at != 0)
                break;
            if (end == NULL)
                end = buffer + length;
            *end = '\0';
            if (!cut && (keep == NULL || keep(buffer + at)))
                strings_add(m, &list, mem_strdup(m, buffer + at));
            cut = end == buffer + length && more;
            at = (size_t)(end - buffer) + 1;
        }
        length = at < length ? length - at : 0;
        memmove(buffer, buffer + at, length);
    }
    free(buffer);
    close(fd);
    if (!ok && list.count == 0)
        return NULL;
    if (list.items == NULL)
        list.items = mem_array(m, 1, sizeof(*list.items));
    return list.items;
}

/* Reads the stat line: "pid (comm) state ppid pgrp session tty_nr tpgid ... starttime", the comm with anything in it. */
static bool
read_stat(int dirfd, struct ancestor *a)
{
    char line[4096];
    size_t length = 0;
    const char *p;
    int fd = openat(dirfd, "stat", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    bool ok;

    if (fd == -1)
        return false;
    ok = fill(fd, line, sizeof(line) - 1, &length);
    close(fd);
    line[length] = '\0';
    p = strrchr(line, ')');
    /* state ppid pgrp session tty_nr, fourteen fields, starttime (proc(5), fields 3-7 and 22) */
    return ok && p != NULL &&
           sscanf(p + 1, " %*c %d %*d %d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
                  &a->parent, &a->session, &a->tty, &a->start) == 4;
}

/* Returns false when the process cannot be read at all. Its directory is opened once, so that all that is read is of
 * one process, even when the pid is given to another one meanwhile. */
static bool
read_process(const struct host *h, struct mem *m, pid_t pid, struct ancestor *a)
{
    int dir = open(mem_printf(m, "%s/%d", h->proc, pid), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    bool ok;

    memset(a, 0, sizeof(*a));
    a->pid = pid;
    if (dir == -1)
        return false;
    ok = fstat(dir, &st) == 0 && read_stat(dir, a);
    if (ok) {
        a->uid = st.st_uid;
        a->argv = read_strings(m, dir, "cmdline", COMMAND_MAX, NULL);
        /* The launch's own environment is h->envp: what a launcher passes on, not what it was started with. */
        if (pid != h->pid)
            a->envp = read_strings(m, dir, "environ", SIZE_MAX, lineage_keeps);
    }
    close(dir);
    return ok;
}

static char **
kept_environment(struct mem *m, char *const envp[])
{
    struct strings list = {.items = mem_array(m, 1, sizeof(char *))};

    for (; envp != NULL && *envp != NULL; envp++)
        if (lineage_keeps(*envp))
            strings_add(m, &list, *envp);
    return list.items;
}

void
lineage_read(const struct host *h, struct mem *m, struct lineage *out)
{
    struct ancestor next;
    size_t room = 0;
    const struct ancestor *child = &out->self;

    memset(out, 0, sizeof(*out));
    if (!read_process(h, m, h->pid, &out->self)) {
        out->self.pid = h->pid;
        out->self.uid = h->uid;
    }
    out->self.envp = kept_environment(m, h->envp);
    /* A parent that started after its child is a stranger that got the parent's pid. */
    while (child->parent > 0 && out->count < DEPTH_MAX && read_process(h, m, child->parent, &next) &&
           next.start <= child->start) {
        if (out->count == room) {
            struct ancestor *grown = mem_array(m, room = room == 0 ? 16 : room * 2, sizeof(*grown));

            if (out->count != 0)
                memcpy(grown, out->items, out->count * sizeof(*grown));
            out->items = grown;
        }
        out->items[out->count] = next;
        child = &out->items[out->count++];
    }
}

bool
lineage_says(const struct host *h, const struct lineage *l, const char *name, const char *value,
             bool launched)
{
    for (size_t i = 0; i < l->count; i++) {
        char *const *envp = l->items[i].envp;
        const char *theirs = l->items[i].uid == h->uid ? env_get(envp, name) : NULL;

        if (theirs != NULL && strcmp(theirs, value) == 0 && (!launched || env_get(envp, ENV_LAUNCH) != NULL))
            return true;
    }
    return false;
}

const char *
lineage_launch(const struct host *h, const struct lineage *l)
{
    const char *token = env_get(h->envp, ENV_LAUNCH);

    for (size_t i = 0; (token == NULL || *token == '\0') && i < l->count; i++)
        token = env_get(l->items[i].envp, ENV_LAUNCH);
    return token != NULL && *token != '\0' ? token : NULL;
}
