/* haccess shims: front ends on PATH, for launchers that load no library (statically linked ones, Go's).
 *
 * A front end is a script of one line, which calls `haccess shims --start NAME`. That looks for the next CLI of its name and
 * hands it over to haccess-exec, as a hook of the library does. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../shim/adapters/adapter.h"
#include "../shim/decide/host.h"
#include "../shim/decide/lineage.h"
#include "../shim/names/names.h"
#include "find.h"
#include "haccess.h"
#include "text.h"

static const char usage[] =
    "usage: haccess shims DIR\n"
    "       haccess shims --start NAME -- [ARGUMENT...]\n"
    "\n"
    "Writes front ends for the agent CLIs (codex, claude, ...) into DIR, and makes it\n"
    "if it is not there. With DIR first on PATH, launchers that load no library, such\n"
    "as programs written in Go, start CLIs through haccess, too: a front end starts\n"
    "the next CLI of its name on PATH. To undo it, take DIR off PATH and remove it.\n"
    "\n"
    "  -s, --start NAME  what a front end calls: start the next NAME on PATH\n"
    "\n"
    "Exit status of --start: that of the CLI; 126 when it is refused or cannot be\n"
    "executed, 127 when there is none.\n";

/* ---- starting */

static const struct adapter *
adapter_of_program(const char *name)
{
    for (const struct adapter *const *a = adapters; *a != NULL; a++)
        if (strcmp((*a)->program, name) == 0)
            return *a;
    return NULL;
}

static void
set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        err(FOUND, "shims: %s", name);
}

/* dl_iterate_phdr: whether an object is the library. */
static int
is_loaded(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *slash = info->dlpi_name == NULL ? NULL : strrchr(info->dlpi_name, '/');

    (void)size, (void)unused;
    return slash != NULL && strcmp(slash + 1, "libhaccess.so") == 0;
}

/* What stands for this process and no other, in whatever PID namespace. */
static const char *
process_mark(struct mem *m)
{
    struct lineage l;
    struct host h;

    host_init(&h, m, environ);
    lineage_read(&h, m, &l);
    return mem_printf(m, "%d.%llu:", (int)getpid(), l.self.start);
}

/* What this process started already, or NULL. A script that looks for the CLI on PATH behind itself, and finds a front end
 * there, would come back for ever. */
static const char *
started(const char *mark)
{
    const char *said = getenv(ENV_SHIM);

    return said != NULL && strncmp(said, mark, strlen(mark)) == 0 ? said + strlen(mark) : NULL;
}

/* Returns the exit code when the CLI cannot be started. argv[0] is its name. */
static int
start(struct mem *m, char **argv)
{
    const char *name = argv[0], *mark = process_mark(m), *file, *preload = getenv("LD_PRELOAD");
    struct parts parts;
    struct handoff handoff;
    size_t size;
    char *entry;
    int e = find_behind_shims(m, name, getenv("PATH"), started(mark), &file);

    if (e != 0) {
        warnx("shims: %s: %s", name,
              e == ENOENT ? "there is no other one on PATH behind the front end of haccess" : strerror(e));
        return e == ENOENT ? NOT_FOUND : REFUSED;
    }
    set(ENV_SHIM, mem_printf(m, "%s%s", mark, file));
    /* Where the library is loaded its hook knows what to do, also with a launch that was decided before it came here. An
     * emptied LD_PRELOAD is the documented way around haccess. */
    if ((preload != NULL && *preload == '\0') || dl_iterate_phdr(is_loaded, NULL) != 0) {
        execvp(file, argv);
        err(errno == ENOENT ? NOT_FOUND : REFUSED, "shims: %s", text_show(m, file));
    }
    if (!find_library(m, "shims", &parts))
        return REFUSED;
    set("LD_PRELOAD", find_preload(m, preload, parts.library));
    handoff = (struct handoff){.file = file, .searched = true};
    size = handoff_format(&handoff, NULL, 0);
    entry = mem_alloc(m, size);
    handoff_format(&handoff, entry, size);
    set(ENV_HANDOFF, entry + sizeof ENV_HANDOFF);
    execv(parts.helper, argv);
    warn("shims: %s", text_show(m, parts.helper));
    return REFUSED;
}

/* ---- writing */

/* A word for sh. */
static const char *
quoted(struct mem *m, const char *word)
{
    const char *out = "'";

    for (; *word != '\0'; word++)
        out = *word == '\'' ? mem_printf(m, "%s'\\''", out) : mem_printf(m, "%s%c", out, *word);
    return mem_printf(m, "%s'", out);
}

static const char *
front_end(struct mem *m, const char *haccess, const char *name)
{
    const char *program = quoted(m, haccess);

    return mem_printf(
        m,
        SHIM_MARK "%s\n"
                  "# Starts the next %s on PATH as a launch that haccess decides. See haccess(1), shims.\n"
                  "[ -x %s ] || {\n"
                  "    echo \"%s: haccess is not where this front end looks for it: make it anew with "
                  "haccess shims, or remove $0\" >&2\n"
                  "    exit 127\n"
                  "}\n"
                  "exec %s shims --start %s -- \"$@\"\n",
        name, name, program, name, program, name);
}

/* Opens the directory for front ends, which is made when it is not there. What others could write to must not be on PATH. */
static int
open_directory(struct mem *m, const char *dir)
{
    struct stat st;
    int fd;

    if (mkdir(dir, 0755) == -1 && errno != EEXIST)
        err(FOUND, "shims: %s", text_show(m, dir));
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd == -1 || fstat(fd, &st) == -1)
        err(FOUND, "shims: %s", text_show(m, dir));
    if (st.st_uid != geteuid())
        errx(FOUND, "shims: %s: belongs to uid %u, not to you: choose a directory of your own",
             text_show(m, dir), st.st_uid);
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        errx(FOUND,
             "shims: %s: others can write to it (mode %04o), and could change what PATH finds: chmod go-w it",
             text_show(m, dir), st.st_mode & 07777);
    return fd;
}

/* Writes a file whole, or not at all. */
static void
put(struct mem *m, int dir, const char *name, const char *text)
{
    const char *temporary = mem_printf(m, ".%s.%d", name, (int)getpid());
    size_t n = strlen(text);
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    bool ok = fd != -1 && write(fd, text, n) == (ssize_t)n && fchmod(fd, 0755) == 0;
    int e = errno;

    if (fd != -1)
        ok = close(fd) == 0 && ok;
    if (ok && renameat(dir, temporary, dir, name) == 0)
        return;
    e = ok ? errno : e;
    unlinkat(dir, temporary, 0);
    errno = e;
    err(FOUND, "shims: %s", name);
}

static int
write_all(struct mem *m, const char *where)
{
    char dir[PATH_MAX], self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    int fd = open_directory(m, where);
    bool taken = false;

    if (n <= 0 || realpath(where, dir) == NULL)
        err(FOUND, "shims: %s", n <= 0 ? "/proc/self/exe" : text_show(m, where));
    self[n] = '\0';
    if (strchr(dir, ':') != NULL)
        errx(FOUND, "shims: %s: PATH cannot name a directory with a colon", text_show(m, dir));
    for (const struct adapter *const *a = adapters; *a != NULL; a++) {
        const char *file = mem_printf(m, "%s/%s", dir, (*a)->program);
        struct stat st;

        if (lstat(file, &st) == 0 && !(S_ISREG(st.st_mode) && find_is_shim(file))) {
            warnx("shims: %s: is there, and no front end of haccess: nothing was written",
                  text_show(m, file));
            taken = true;
        }
    }
    if (taken)
        return FOUND;
    for (const struct adapter *const *a = adapters; *a != NULL; a++) {
        put(m, fd, (*a)->program, front_end(m, self, (*a)->program));
        printf("%s/%s\n", text_show(m, dir), (*a)->program);
    }
    close(fd);
    printf("\nPut the directory first on the PATH of the launchers:\n\n    export PATH=%s:\"$PATH\"\n\n"
           "To undo this, take it off PATH and remove it.\n",
           text_show(m, quoted(m, dir)));
    return DONE;
}

int
command_shims(int argc, char **argv)
{
    static const struct option longs[] = {COMMON_LONG, {"start", required_argument, NULL, 's'}, {0}};
    const char *name = NULL;
    int c, code = DONE;

    while ((c = command_option(argc, argv, "+:s:" COMMON_SHORT, longs, "shims", usage, &code)) != -1) {
        if (c != 's')
            return code;
        name = optarg;
    }
    struct mem *m = mem_new();
    if (name != NULL && adapter_of_program(name) == NULL) {
        warnx("shims: --start: %s: haccess knows no agent CLI of that name", text_word(m, name));
        code = USAGE;
    } else if (name != NULL) {
        argv[optind - 1] = mem_strdup(m, name); /* in the place of the last option, or of -- */
        code = start(m, argv + optind - 1);
    } else if (argc != optind + 1) {
        fputs(usage, stderr);
        code = USAGE;
    } else {
        code = write_all(m, argv[optind]);
    }
    mem_free(m);
    if (fflush(stdout) != 0) {
        warn("shims: standard output");
        return FOUND;
    }
    return code;
}
