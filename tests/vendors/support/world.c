/* The place, the model service, and commands typed there. */
#include "world.h"

#include <check.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

/* A launch takes a second or two; the limit is for one that hangs. */
#define LIMIT_SECONDS 150

const char world_enabling_policy[] =
    "{ \"workflow\": { \"workerFullAccess\": { \"enabled\": true, \"floors\": {\n"
    "  \"codex\": [ { \"model\": \"gpt-5.1-codex\", \"minEffort\": \"high\", \"provider\": \"mock\" } ],\n"
    "  \"claude-code\": [ { \"model\": \"claude-opus-4-5\", \"minEffort\": \"high\" } ],\n"
    "  \"gemini\": [ { \"model\": \"gemini-2.5-pro\" } ] } } } }\n";

const char world_sub_agents[] =
    "{ \"outer\": [ {\"tool\": \"Agent\", \"input\": {\"description\": \"x\", \"prompt\": \"say "
    "mock:probe\",\n"
    "    \"subagent_type\": \"free\"}} ], \"probe\": [ \"touch $TOP/project/t1\" ] }";
const char world_free_agent[] =
    "---\nname: free\ndescription: d\npermissionMode: bypassPermissions\n---\np\n";

/* Run by a session's shell tool: what is it allowed to do? */
static const char probe[] =
    "#!/bin/sh\n"
    "grep NoNewPrivs /proc/self/status\n"
    "touch \"$TOP/outside/mark\" 2>/dev/null && echo outside=yes || echo outside=no\n";

/* Run by a session's shell tool as `sh FILE COMMAND...`, which claude's settings below approve in every mode: the same launch
 * from any session, with the library as a user would name it. */
static const char launch[] = "#!/bin/sh\n"
                             "cd \"$TOP/project\" || exit 1\n"
                             "grep NoNewPrivs /proc/self/status\n"
                             "LD_PRELOAD=$LIB \"$@\" </dev/null\n"
                             "echo exit=$?\n";

static const char claude_settings[] = "{ \"permissions\": { \"allow\": [ \"Bash(sh *)\" ] } }\n";

/* With another service it asks how to log in. */
static const char gemini_settings[] =
    "{ \"security\": { \"auth\": { \"selectedType\": \"gemini-api-key\" } },\n"
    "  \"general\": { \"enableAutoUpdate\": false },\n"
    "  \"privacy\": { \"usageStatisticsEnabled\": false } }\n";

static const char *
build_directory(void)
{
    const char *build = getenv("HACCESS_BUILD");
    ck_assert_msg(build != NULL && build[0] == '/', "HACCESS_BUILD is not set: use make check-vendors");
    return build;
}

/* Where the places are made. What is below /tmp can be written from inside codex's workspace-write, and would show nothing. */
static char *
run_directory(void)
{
    char *directory = strncmp(build_directory(), "/tmp/", 5) != 0
                          ? format("%s/vendors/run", build_directory())
                          : format("/var/tmp/haccess-check-vendors-%u", (unsigned)getuid());
    ck_assert_msg(mkdir(directory, 0755) == 0 || errno == EEXIST, "%s: %s", directory, strerror(errno));
    return directory;
}

void
world_write(struct world *w, const char *name, mode_t mode, const char *text)
{
    char *path = format("%s/%s", w->top, name);
    FILE *f = fopen(path, "w");
    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
    ck_assert(fputs(text, f) >= 0 && fclose(f) == 0);
    ck_assert_int_eq(chmod(path, mode), 0);
    free(path);
}

bool
world_has(const struct world *w, const char *name)
{
    char *path = format("%s/%s", w->top, name);
    bool has = access(path, F_OK) == 0;
    free(path);
    return has;
}

static void
make_directory(const struct world *w, const char *name)
{
    char *path = format("%s/%s", w->top, name);
    ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
    free(path);
}

/* Starts the service and reads the port it took. */
static void
start_model(struct world *w)
{
    int in[2], out[2];
    ck_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    char *script = format("%s/script.json", w->top), *log = format("%s/requests.jsonl", w->top),
         *trouble = format("%s/model.err", w->top);
    w->model = fork();
    ck_assert_int_ge(w->model, 0);
    if (w->model == 0) {
        int e = open(trouble, O_WRONLY | O_CREAT, 0644);
        if (e < 0 || dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || dup2(e, 2) < 0)
            _exit(127);
        execlp("node", "node", VENDORS_SOURCE "/mock-model.js", script, log, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    w->model_input = in[1];
    char line[16] = "";
    ck_assert_msg(read(out[0], line, sizeof line - 1) > 0, "the model service did not start: %s", trouble);
    close(out[0]);
    w->port = atoi(line);
    ck_assert_int_gt(w->port, 0);
    free(script);
    free(log);
    free(trouble);
}

void
world_open(struct world *w, const char *script)
{
    static const char *const directories[] = {
        "home",         "home/.codex",          "home/.claude",      "home/.gemini", "project",
        "project/.git", "project/.git/objects", "project/.git/refs", "outside",      "tmp",
        "bin"};
    memset(w, 0, sizeof *w);
    umask(022);
    char *directory = run_directory(), *top = format("%s/XXXXXX", directory);
    free(directory);
    ck_assert_msg(mkdtemp(top) != NULL, "%s: %s", top, strerror(errno));
    ck_assert_int_eq(chmod(top, 0755), 0);
    ck_assert_uint_lt(strlen(top), sizeof w->top);
    strcpy(w->top, top);
    free(top);
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        make_directory(w, directories[i]);
    world_write(w, "project/.git/HEAD", 0644, "ref: refs/heads/main\n");
    world_write(w, "bin/probe", 0755, probe);
    world_write(w, "bin/launch", 0755, launch);
    world_write(w, "home/.claude/settings.json", 0644, claude_settings);
    world_write(w, "home/.gemini/settings.json", 0644, gemini_settings);
    char *text = replace(script, "$TOP", w->top);
    world_write(w, "script.json", 0644, text);
    free(text);
    start_model(w);

    /* One try: a sandboxed worker that cannot reach the service shall say so at once. */
    text = format("model_provider = \"mock\"\n[model_providers.mock]\nname = \"mock\"\nbase_url = "
                  "\"http://127.0.0.1:%d/v1\"\n"
                  "wire_api = \"responses\"\nenv_key = \"MOCK_CREDIT\"\nrequest_max_retries = "
                  "0\nstream_max_retries = 0\n",
                  w->port);
    world_write(w, "home/.codex/config.toml", 0644, text);
    free(text);
    /* codex's tool shells are login shells, and /etc/profile sets PATH anew. */
    text = format("PATH='%s/vendors/node_modules/.bin:%s'\n", build_directory(), getenv("PATH"));
    world_write(w, "home/.profile", 0644, text);
    free(text);
}

static int
remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

void
world_close(struct world *w)
{
    close(w->model_input);
    waitpid(w->model, NULL, 0);
    /* What a CLI leaves running for a moment may still write there; the next run clears it away. */
    nftw(w->top, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void
world_policy(struct world *w, const char *text, bool allow)
{
    if (!world_has(w, "project/.haccess"))
        make_directory(w, "project/.haccess");
    world_write(w, "project/.haccess/policy.json", 0644, text);
    if (!allow)
        return;
    struct outcome o;
    world_type(w, "$HACCESS policy allow", &o);
    ck_assert_msg(o.status == 0, "haccess policy allow: exit %d: %s", o.status, o.err);
    outcome_free(&o);
}

void
outcome_free(struct outcome *o)
{
    free(o->out);
    free(o->err);
}

/* The environment of a user who has nothing to do with any agent session. */
static char **
user_environment(const struct world *w)
{
    const char *build = build_directory();
    char *env[] = {
        format("HOME=%s/home", w->top),
        format("PATH=%s/vendors/node_modules/.bin:%s", build, getenv("PATH")),
        format("TMPDIR=%s/tmp", w->top),
        format("LIB=%s/libhaccess.so", build),
        format("HACCESS=%s/haccess", build),
        format("HACCESS_LOG=%s/haccess-log", build),
        format("NEWEST=%s/vendors/node_modules/.bin", build),
        format("OLDER=%s/vendors/older/node_modules/.bin", build),
        format("TOP=%s", w->top),
        format("ANTHROPIC_BASE_URL=http://127.0.0.1:%d", w->port),
        format("ANTHROPIC_API_KEY=none"),
        format("MOCK_CREDIT=none"),
        format("GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:%d", w->port),
        format("GEMINI_API_KEY=none"),
        format("GEMINI_MODEL=gemini-2.5-pro"), /* its own choice asks the service which to take */
        format("GEMINI_CLI_TRUST_WORKSPACE=true"),
        format("LANG=C.UTF-8"),
        format("SHELL=/bin/bash"),
        format("TERM=dumb"),
        format("IS_SANDBOX=1"), /* claude takes no bypass as root without it */
        format("CLAUDE_CODE_MAX_RETRIES=0"),
        format("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"),
        format("DISABLE_AUTOUPDATER=1"),
        NULL,
    };
    char **copy = malloc(sizeof env);
    ck_assert_ptr_nonnull(copy);
    return memcpy(copy, env, sizeof env);
}

/* In the child: leaves the test's session and waits until it has been handed to init, so that the command has no ancestor
 * but init and the shell that tells its exit status. */
_Noreturn static void
run_orphaned(const struct world *w, int go, int result, char *const argv[], char *const envp[])
{
    char c, *project = format("%s/project", w->top);
    if (setsid() < 0)
        _exit(127);
    pid_t pid = fork();
    if (pid != 0)
        _exit(pid < 0);
    if (read(go, &c, 1) != 1 || setsid() < 0 || dup2(result, 3) < 0 || chdir(project) < 0)
        _exit(127);
    execve("/bin/sh", argv, envp);
    _exit(127);
}

/* Reads the exit status that the shell tells; -1 when it does not in time. */
static int
read_status(int fd)
{
    char line[16] = "";
    size_t n = 0;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (n < sizeof line - 1 && strchr(line, '\n') == NULL) {
        if (poll(&p, 1, (LIMIT_SECONDS + 20) * 1000) <= 0)
            return -1;
        ssize_t got = read(fd, line + n, sizeof line - 1 - n);
        if (got <= 0)
            return -1;
        n += (size_t)got;
    }
    return atoi(line);
}

void
world_type(struct world *w, const char *line, struct outcome *o)
{
    static const char wrapper[] =
        "timeout -k 5 \"$2\" sh -c \"$1\" >\"$3\" 2>\"$4\" </dev/null 3>&-; echo $? >&3";
    char *out = format("%s/typed-%d.out", w->top, ++w->runs),
         *err = format("%s/typed-%d.err", w->top, w->runs);
    char *limit = format("%d", LIMIT_SECONDS), *copy = format("%s", line);
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)wrapper, "sh", copy, limit, out, err, NULL};
    char **envp = user_environment(w);
    int go[2], result[2];
    ck_assert(pipe2(go, O_CLOEXEC) == 0 && pipe2(result, O_CLOEXEC) == 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        run_orphaned(w, go[0], result[1], argv, envp);
    close(result[1]);
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(write(go[1], "g", 1), 1);
    o->status = read_status(result[0]);
    close(go[0]);
    close(go[1]);
    close(result[0]);
    o->out = read_file(out);
    o->err = read_file(err);
    ck_assert_msg(o->status >= 0 && o->status != 124, "%s: no end after %d s\n%s%s", line, LIMIT_SECONDS,
                  o->out, o->err);
    for (char **e = envp; *e != NULL; e++)
        free(*e);
    free(envp);
    free(copy);
    free(limit);
    free(out);
    free(err);
}

static cJSON *
read_requests(const struct world *w)
{
    char *path = format("%s/requests.jsonl", w->top), *text = read_file(path);
    cJSON *all = parse_lines(text, path);
    free(path);
    free(text);
    return all;
}

int
world_requests(const struct world *w, const char *word)
{
    int n = 0;
    cJSON *all = read_requests(w), *r;
    cJSON_ArrayForEach(r, all) n += strcmp(string_at(r, "word"), word) == 0;
    cJSON_Delete(all);
    return n;
}

char *
world_answer(const struct world *w, const char *word, int turn)
{
    char *answer = NULL;
    cJSON *all = read_requests(w), *r;
    cJSON_ArrayForEach(r, all)
    {
        cJSON *at = cJSON_GetObjectItemCaseSensitive(r, "turn");
        if (strcmp(string_at(r, "word"), word) == 0 && cJSON_IsNumber(at) && at->valueint == turn &&
            answer == NULL)
            answer = format("%s", string_at(r, "output"));
    }
    cJSON_Delete(all);
    return answer;
}

static void
assert_probe(const struct world *w, const char *word, int turn, const char *privileges, const char *outside)
{
    char *answer = world_answer(w, word, turn);
    ck_assert_msg(answer != NULL, "the session asked for %s ran no tool call %d", word, turn);
    ck_assert_msg(strstr(answer, privileges) != NULL && strstr(answer, outside) != NULL,
                  "%s: want %s and %s in: %s", word, privileges, outside, answer);
    free(answer);
}

void
assert_free(const struct world *w, const char *word, int turn)
{
    assert_probe(w, word, turn, "NoNewPrivs:\t0", "outside=yes");
}

void
assert_confined(const struct world *w, const char *word, int turn)
{
    assert_probe(w, word, turn, "NoNewPrivs:\t1", "outside=no");
}

bool
world_runs_gemini(void)
{
    bool runs = system("node -e 'parseInt(process.versions.node) >= 20 || process.exit(1)'") == 0;

    if (!runs)
        puts("gemini needs node 20: not run");
    return runs;
}
