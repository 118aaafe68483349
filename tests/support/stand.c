#include "stand.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../shim/names/names.h"

char stand_dir[64];

const char *
stand_path(const char *path)
{
    static char buffers[16][PATH_MAX];
    static size_t next;
    char *out = buffers[next++ % 16];

    snprintf(out, PATH_MAX, "%s/%s", stand_dir, path);
    return out;
}

static void
copy_fd(int from, int to)
{
    char buffer[65536];
    ssize_t n;

    while ((n = read(from, buffer, sizeof(buffer))) > 0)
        ck_assert_int_eq(write(to, buffer, (size_t)n), n);
}

void
stand_copy(const char *built, const char *path)
{
    const char *build = getenv("HACCESS_BUILD");
    char from[PATH_MAX];
    int in, out;

    ck_assert_msg(build != NULL, "HACCESS_BUILD is not set");
    snprintf(from, sizeof(from), "%s/%s", build, built);
    in = open(from, O_RDONLY | O_CLOEXEC);
    ck_assert_msg(in >= 0, "%s: %s", from, strerror(errno));
    out = open(stand_path(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    ck_assert_int_ge(out, 0);
    copy_fd(in, out);
    close(in);
    close(out);
}

void
stand_write(const char *path, const char *text, unsigned mode)
{
    FILE *f = fopen(stand_path(path), "we");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
    chmod(stand_path(path), mode);
}

void
stand_open(void)
{
    static const char *const dirs[] = {"lib",  "bin",         "bin/directory",
                                       "deep", "deep/claude", "deep/claude/versions"};
    const char *tmp = getenv("TMPDIR");

    if (tmp == NULL || strlen(tmp) > 32)
        tmp = "/tmp";
    snprintf(stand_dir, sizeof(stand_dir), "%s/haccess-XXXXXX", tmp);
    ck_assert_ptr_nonnull(mkdtemp(stand_dir));
    chmod(stand_dir, 0755);
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
        mkdir(stand_path(dirs[i]), 0755);
    stand_copy("libhaccess.so", "lib/libhaccess.so");
    stand_copy("tests/preload/show", "lib/haccess-exec");
    stand_copy("tests/preload/show-static", "bin/codex");
    stand_copy("tests/preload/show", "bin/plain");
}

void
stand_close(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", stand_dir);
    ck_assert_int_eq(system(command), 0);
}

/* Of this process. */
static unsigned long long
start_time(void)
{
    char text[1024], *c;
    FILE *f = fopen("/proc/self/stat", "re");
    size_t n = f != NULL ? fread(text, 1, sizeof(text) - 1, f) : 0;

    if (f != NULL)
        fclose(f);
    text[n] = '\0';
    c = strrchr(text, ')');
    for (int field = 2; c != NULL && field < 22; field++)
        if ((c = strchr(c, ' ')) != NULL)
            c++;
    return c != NULL ? strtoull(c, NULL, 10) : 0;
}

/* Adds an entry to the environment, in place of one with its name. */
static void
set(char **envp, const char *entry)
{
    size_t n = strcspn(entry, "="), i = 0, to = 0;

    for (; envp[i] != NULL; i++)
        if (strncmp(envp[i], entry, n) != 0 || envp[i][n] != '=')
            envp[to++] = envp[i];
    envp[to] = NULL;
    if (entry[n] == '=') {
        envp[to++] = strdup(entry);
        envp[to] = NULL;
    }
}

static void
set_token(char **envp, const struct stand_token *spec)
{
    struct launch_token t = {.run = "r", .id = "a0"};
    char text[TOKEN_MAX], entry[TOKEN_MAX + 32];

    if (strcmp(spec->variable, ENV_PASSED) == 0)
        t.run[0] = '\0';
    snprintf(t.adapter, sizeof(t.adapter), "%s", spec->adapter);
    t.pid = (pid_t)(getpid() + spec->pid);
    t.start = start_time() + (unsigned long long)spec->start;
    t.hash = launch_hash((char *const *)(uintptr_t)spec->args, envp);
    if (spec->file != NULL)
        t.hash = passed_hash(spec->file, (char *const *)(uintptr_t)spec->args, envp);
    token_format(&t, text);
    snprintf(entry, sizeof(entry), "%s=%s", spec->variable, text);
    set(envp, entry);
}

static void
become(const struct stand_run *r, int out)
{
    static char *envp[64];
    char entry[PATH_MAX * 2];
    struct rlimit limit;

    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    for (int fd = r->keep_fd ? 4 : 3; fd < 256; fd++)
        close(fd);
    snprintf(entry, sizeof(entry), "PATH=%s/bin:%s", stand_dir, getenv("PATH"));
    set(envp, entry);
    snprintf(entry, sizeof(entry), "LD_PRELOAD=%s/lib/libhaccess.so", stand_dir);
    set(envp, entry);
    for (size_t i = 0; r->env != NULL && r->env[i] != NULL; i++)
        set(envp, r->env[i]);
    if (r->token.variable != NULL)
        set_token(envp, &r->token);
    if (r->large && getrlimit(RLIMIT_STACK, &limit) == 0) {
        limit.rlim_cur =
            limit.rlim_max == RLIM_INFINITY || limit.rlim_max > (64u << 20) ? 64u << 20 : limit.rlim_max;
        setrlimit(RLIMIT_STACK, &limit);
    }
    if (chdir(r->cwd != NULL ? r->cwd : stand_dir) != 0)
        _exit(99);
    execve(r->file != NULL ? r->file : r->argv[0], (char *const *)(uintptr_t)r->argv, envp);
    dprintf(STDOUT_FILENO, "%s: %s\n", r->argv[0], strerror(errno));
    _exit(98);
}

char *
stand_output(const struct stand_run *r)
{
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    int ends[2], status;
    ssize_t n;
    pid_t pid;

    ck_assert_int_eq(pipe(ends), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        become(r, ends[1]);
    close(ends[1]);
    while ((n = read(ends[0], text + size, room - size - 64)) > 0) {
        size += (size_t)n;
        if (room - size < 4096)
            text = realloc(text, room *= 2);
        ck_assert_ptr_nonnull(text);
    }
    close(ends[0]);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    snprintf(text + size, 64, "exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    return text;
}

char *
stand_without(char *text, const char *const *words)
{
    char *to = text;

    for (char *line = text, *end; *line != '\0'; line = end) {
        bool drop = false;

        end = strchr(line, '\n');
        end = end == NULL ? line + strlen(line) : end + 1;
        for (const char *const *w = words; *w != NULL && !drop; w++)
            drop = strncmp(line, *w, strlen(*w)) == 0;
        if (!drop) {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    *to = '\0';
    return text;
}

long
stand_number(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, n) == 0 && line[n] == ' ')
            return strtol(line + n, NULL, 10);
    }
    return -1;
}

bool
stand_line(const char *text, const char *format, ...)
{
    char wanted[PATH_MAX * 2];
    size_t n;
    va_list ap;

    va_start(ap, format);
    vsnprintf(wanted, sizeof(wanted), format, ap);
    va_end(ap);
    n = strlen(wanted);
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, wanted, n) == 0 && (line[n] == '\n' || line[n] == '\0'))
            return true;
    }
    return false;
}

bool
stand_has(const char *program)
{
    char path[PATH_MAX];
    const char *dir = getenv("PATH");

    while (dir != NULL && *dir != '\0') {
        size_t n = strcspn(dir, ":");

        snprintf(path, sizeof(path), "%.*s/%s", (int)n, dir, program);
        if (access(path, X_OK) == 0)
            return true;
        dir += n + (dir[n] == ':');
    }
    return false;
}
