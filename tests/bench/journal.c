/* Makes a journal as haccess writes them, chained: journal COUNT STATE_DIRECTORY [RUN]
 *
 * Launches of a week, about 1.2 KB each, always the same: the answers of different programs can be compared. */
#include <err.h>
#include <errno.h>
#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define START 1796070555 /* 2026-11-30T20:29:15Z */
#define WEEK  (7 * 24 * 60 * 60)

static uint64_t state = 20261130;

/* splitmix64 */
static uint32_t
chance(uint32_t below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % below);
}

/* One outcome of a decision, and how many of a hundred launches have it. */
static const struct outcome {
    uint32_t percent;
    const char *reason, *mode, *projection, *enforcement, *detail;
} outcomes[] = {
    {8, "qualified", "full-access", "full-access", "none",
     "the policy allows it, the launching session holds full access, and model and effort are listed"},
    {40, "disabled", "sandboxed", "workspace-write", "vendor",
     "no .haccess/policy.json at or above /home/user/shop"},
    {18, "model_not_listed", "sandboxed", "workspace-write", "vendor",
     "no floor of /home/user/shop/.haccess/policy.json lists the model"},
    {14, "parent_unknown", "sandboxed", "vendor-default", "vendor",
     "no record of the launching session says what it holds"},
    {12, "effort_below_floor", "sandboxed", "workspace-write", "vendor",
     "the model needs effort high by /home/user/shop/.haccess/policy.json, the launch names low"},
    {8, "parent_sandboxed", "sandboxed", "read-only", "vendor",
     "no_new_privs is set: the launching session is confined"},
};

static const char *const models[] = {"gpt-5.1-codex", "gpt-5.1", "claude-opus-4-5", "sonnet"};
static const char *const efforts[] = {"\"low\"", "\"medium\"", "\"high\"", "null"};

static const struct outcome *
choose(void)
{
    uint32_t at = chance(100);
    const struct outcome *o = outcomes;

    for (; at >= o->percent; o++)
        at -= o->percent;
    return o;
}

static int
make_launch(char *to, size_t room, const char *head, long i)
{
    const struct outcome *o = choose();
    uint32_t model = chance(4), effort = chance(4);
    const char *adapter = model < 2 ? "codex" : "claude-code", *program = model < 2 ? "codex" : "claude";

    return snprintf(
        to, room,
        "%s,\"id\":\"a%ld\",\"adapter\":\"%s\",\"class\":\"session\",\"target\":\"/usr/bin/"
        "%s\",\"argv0\":\"%s\","
        "\"cwd\":\"/home/user/"
        "shop%u\",\"pid\":%u,\"ppid\":%u,\"lane\":null,\"request\":{\"access\":\"%s\",\"model\":\"%s\","
        "\"effort\":%s,\"lane\":null,\"interactive\":false,\"sources\":[]},\"access\":{\"mode\":\"%s\","
        "\"reason\":\"%s\","
        "\"detail\":\"%s\"},\"checks\":[{\"name\":\"policy "
        "valid\",\"result\":\"passed\",\"saw\":null},{\"name\":\"adapter "
        "can\",\"result\":\"passed\",\"saw\":\"%s\"},{\"name\":\"grammar "
        "known\",\"result\":\"passed\",\"saw\":\"0.171.0\"}],"
        "\"projection\":\"%s\",\"enforcement\":\"%s\",\"argv_requested\":[\"%s\",\"exec\",\"-m\",\"%s\",{"
        "\"bytes\":%u,"
        "\"sha256\":\"dbf812e1cbe1f04d6b41f279863c38193d37ba062fc08ff9600e00fdc6c1f11d\"}],\"argv_rendered\":"
        "[\"%s\","
        "\"--sandbox\",\"%s\",\"exec\",\"-m\",\"%s\",{\"bytes\":212,\"sha256\":"
        "\"dbf812e1cbe1f04d6b41f279863c38193d37ba062fc08ff9600e00fdc6c1f11d\"}],\"parent_launch\":null,"
        "\"endpoint\":[],"
        "\"policy\":{\"sha256\":\"823412d1eacb67956220e532959f0104603057c88704863ca38e7cd188fda812\"}}",
        head, i, adapter, program, program, chance(5), 1000 + chance(60000), 1000 + chance(60000),
        chance(2) == 0 ? "full-access" : "unspecified", models[model], efforts[effort], o->mode, o->reason,
        o->detail, adapter, o->projection, o->enforcement, program, models[model], chance(2000), program,
        o->projection, models[model]);
}

static void
make_directory(const char *path)
{
    if (mkdir(path, 0700) == -1 && errno != EEXIST)
        err(1, "%s", path);
}

static FILE *
create(const char *directory, const char *run)
{
    char path[4096];
    FILE *f;

    make_directory(directory);
    snprintf(path, sizeof(path), "%s/runs", directory);
    make_directory(path);
    snprintf(path, sizeof(path), "%s/runs/%s", directory, run);
    make_directory(path);
    snprintf(path, sizeof(path), "%s/runs/%s/journal.jsonl", directory, run);
    umask(077);
    f = fopen(path, "w");
    if (f == NULL)
        err(1, "%s", path);
    return f;
}

int
main(int argc, char *argv[])
{
    const char *run = argc > 3 ? argv[3] : "run-20261130T202915Z-3fa91c";
    long count = argc > 2 ? atol(argv[1]) : 0;
    char prev[SHA256_DIGEST_STRING_LENGTH], line[4096], head[512], ts[32];
    FILE *f;

    if (count < 1)
        errx(2, "usage: journal COUNT STATE_DIRECTORY [RUN]");
    f = create(argv[2], run);
    memset(prev, '0', sizeof(prev) - 1);
    prev[sizeof(prev) - 1] = '\0';
    for (long i = 0; i < count; i++) {
        int64_t ms = (int64_t)START * 1000 + (int64_t)((double)i / (double)count * WEEK * 1000);
        time_t seconds = (time_t)(ms / 1000);
        struct tm tm;
        int n;

        gmtime_r(&seconds, &tm);
        strftime(ts, sizeof(ts), "%Y-%m-%dT%H:%M:%S", &tm);
        snprintf(head, sizeof(head),
                 "{\"schema_version\":1,\"run_id\":\"%s\",\"seq\":%ld,\"ts\":\"%s.%03dZ\",\"event\":\"%s\","
                 "\"prev\":\"%s\"",
                 run, i, ts, (int)(ms % 1000), i == 0 ? "run.start" : "agent.start", prev);
        if (i == 0)
            n = snprintf(
                line, sizeof(line),
                "%s,\"version\":\"0.1.0\",\"cwd\":\"/home/user/shop\",\"command\":\"./orchestrate.sh\"}",
                head);
        else
            n = make_launch(line, sizeof(line), head, i);
        SHA256Data((const uint8_t *)line, (size_t)n, prev);
        line[n] = '\n';
        if (fwrite(line, 1, (size_t)n + 1, f) != (size_t)n + 1)
            err(1, "%s", argv[2]);
    }
    if (fclose(f) != 0)
        err(1, "%s", argv[2]);
    return 0;
}
