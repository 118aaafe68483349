/* The run a launch belongs to. */
#include <fcntl.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../journal/journal.h"
#include "../names/names.h"
#include "lineage.h"

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

const char *
preload_entry(char *const envp[], size_t *length)
{
    static const char library[] = "libhaccess.so";
    const char *p = env_get(envp, "LD_PRELOAD");

    while (p != NULL && *p != '\0') {
        size_t n = *length = strcspn(p, " \t\n:");
        const char *slash = memrchr(p, '/', n);
        const char *name = slash == NULL ? p : slash + 1;

        if (strncmp(name, library, sizeof(library) - 1) == 0)
            return p;
        p += n;
        p += strspn(p, " \t\n:");
    }
    return NULL;
}

static bool
preloads(char *const envp[])
{
    size_t length;

    return preload_entry(envp, &length) != NULL;
}

/* Whether a command line is that of a shell that somebody types into: a shell's name, and neither a script nor -c. */
static bool
interactive_shell(char *const argv[])
{
    static const char *const shells[] = {"sh",    "ash",   "bash", "csh",  "dash", "elvish", "fish",
                                         "ksh",   "ksh93", "lksh", "mksh", "nu",   "oksh",   "pwsh",
                                         "rbash", "tcsh",  "yash", "zsh",  NULL};
    static const char *const with_value[] = {"--rcfile", "--init-file", "--init-command", "--config", NULL};
    const char *name;
    size_t i;

    if (argv == NULL || argv[0] == NULL)
        return false;
    name = base_name(argv[0]);
    if (*name == '-')
        name++;
    for (i = 0; shells[i] != NULL && strcmp(shells[i], name) != 0; i++)
        ;
    if (shells[i] == NULL)
        return false;
    for (i = 1; argv[i] != NULL; i++) {
        const char *word = argv[i];
        bool value = false;

        if (word[0] != '-' && word[0] != '+')
            return false;
        if (strncmp(word, "--command", 9) == 0 || strcmp(word, "--") == 0)
            return false;
        for (size_t k = 0; with_value[k] != NULL; k++)
            value = value || strcmp(with_value[k], word) == 0;
        if (word[1] != '-') {
            char last = word[strlen(word) - 1];

            if (word[0] == '-' && strpbrk(word, "cs") != NULL)
                return false;
            value = last == 'o' || last == 'O';
        }
        if (value && argv[i + 1] != NULL)
            i++;
    }
    return true;
}

/* Returns the second at which a process started, 0 when it cannot be told. */
static time_t
started(const struct host *h, struct mem *m, unsigned long long ticks)
{
    char *text;
    size_t length;
    const char *line;
    long hertz = sysconf(_SC_CLK_TCK);

    if (host_read(m, AT_FDCWD, mem_printf(m, "%s/stat", h->proc), 4 << 20, 1, &text, &length) != 0)
        return 0;
    line = strstr(text, "\nbtime ");
    if (line == NULL || hertz <= 0)
        return 0;
    return (time_t)(strtoll(line + 7, NULL, 10) + (long long)(ticks / (unsigned long long)hertz));
}

static const char *
derived_id(const struct host *h, struct mem *m, const struct ancestor *root)
{
    char hex[SHA256_DIGEST_STRING_LENGTH], when[32];
    char *boot = mem_strdup(m, "");
    const char *seed;
    size_t length;
    struct tm utc;
    time_t start = started(h, m, root->start);

    if (start <= 0)
        start = (time_t)(h->now / 1000);
    if (gmtime_r(&start, &utc) == NULL || strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc) != 16)
        strcpy(when, "19700101T000000Z");
    host_read(m, AT_FDCWD, mem_printf(m, "%s/sys/kernel/random/boot_id", h->proc), 4096, 1, &boot, &length);
    seed = mem_printf(m, "%d %llu %s", root->pid, root->start, boot);
    SHA256Data((const uint8_t *)seed, strlen(seed), hex);
    return mem_printf(m, "run-%s-%.6s", when, hex);
}

static const char *
directory_of(const struct host *h, struct mem *m, pid_t pid)
{
    char target[4096];
    ssize_t n;

    if (pid == h->pid)
        return h->cwd;
    n = readlink(mem_printf(m, "%s/%d/cwd", h->proc, pid), target, sizeof(target));
    return n > 0 && (size_t)n < sizeof(target) && target[0] == '/' ? mem_strndup(m, target, (size_t)n) : NULL;
}

/* The outermost process of the run that HACCESS_RUN_ID names. */
static const struct ancestor *
root_named(const struct host *h, const struct lineage *l, const char *id)
{
    const struct ancestor *root = &l->self;

    for (size_t i = 0; i < l->count; i++) {
        const char *theirs = env_get(l->items[i].envp, ENV_RUN);

        if (l->items[i].uid == h->uid && theirs != NULL && strcmp(theirs, id) == 0)
            root = &l->items[i];
    }
    return root;
}

/* The outermost process that preloads haccess, up to the session leader: beyond it, and in a login shell, a run would
 * last for weeks. */
static const struct ancestor *
root_derived(const struct host *h, const struct lineage *l)
{
    const struct ancestor *root = &l->self;

    for (size_t i = 0; i < l->count && l->items[i].session == l->self.session; i++) {
        const struct ancestor *a = &l->items[i];
        bool leader = a->pid == a->session;

        if (a->uid == h->uid && preloads(a->envp) && !(leader && interactive_shell(a->argv)))
            root = a;
    }
    return root;
}

void
run_find(const struct host *h, struct mem *m, const struct lineage *l, struct run *out)
{
    const char *id = env_get(h->envp, ENV_RUN);
    const struct ancestor *root;

    if (id != NULL && run_id_valid(id)) {
        root = root_named(h, l, id);
        out->id = id;
    } else {
        root = root_derived(h, l);
        out->id = derived_id(h, m, root);
    }
    out->pid = root->pid;
    out->argv = root->argv;
    out->cwd = directory_of(h, m, root->pid);
}
