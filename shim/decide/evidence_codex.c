/* Codex: the rollout of a thread, sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl. */
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "evidence_file.h"

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)

/* Judges one of the two places that say it. */
static struct verdict
judge_type(struct mem *m, struct json_span payload, const char *key, const char *full)
{
    struct json_span object, type;
    struct verdict v = {PARENT_UNKNOWN, NULL};

    if (json_member(payload, key, &object) != JSON_ONCE || json_member(object, "type", &type) != JSON_ONCE ||
        !json_is_string(type)) {
        v.detail = mem_printf(m, "the last turn_context has no single %s.type that is a string", key);
    } else {
        v.state = json_equals(type, full) ? PARENT_FULL : PARENT_SANDBOXED;
        v.detail = mem_printf(m, "the last turn_context has %s.type %s", key, record_word(m, type));
    }
    return v;
}

static bool
judge(struct mem *m, struct json_span line, struct verdict *out)
{
    struct json_span type, payload, profile;
    enum json_found found = json_member(line, "type", &type);
    struct verdict v;

    if (found == JSON_NONE || (found == JSON_ONCE && !json_equals(type, "turn_context")))
        return false;
    *out = (struct verdict){PARENT_UNKNOWN, "the last turn_context has type or payload twice, or no payload"};
    if (found == JSON_TWICE || json_member(line, "payload", &payload) != JSON_ONCE)
        return true;
    *out = judge_type(m, payload, "sandbox_policy", "danger-full-access");
    if (json_member(payload, "permission_profile", &profile) != JSON_NONE) {
        v = judge_type(m, payload, "permission_profile", "disabled");
        verdict_add(out, &v);
    }
    return true;
}

static const struct record_kind turn_context = {"\"turn_context\"", "turn_context", judge};

/* Reads the creation time, in milliseconds, out of a UUIDv7 (RFC 9562, 5.7). Returns false when it is none. */
static bool
uuid7_time(const char *s, int64_t *ms)
{
    static const char hex[] = "0123456789abcdef";
    int64_t time = 0;

    if (strlen(s) != 36)
        return false;
    for (int i = 0; i < 36; i++) {
        const char *digit;

        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (s[i] != '-')
                return false;
            continue;
        }
        digit = strchr(hex, s[i]);
        if (digit == NULL)
            return false;
        if (i < 13)
            time = time * 16 + (digit - hex);
    }
    *ms = time;
    return s[14] == '7' && strchr("89ab", s[19]) != NULL;
}

static bool
ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n >= k && strcmp(s + n - k, end) == 0;
}

/* What is looked for, and what came out so far. */
struct search {
    const struct host *h;
    struct mem *m;
    struct parent *p;
    const char *plain, *packed; /* ends of the names */
    bool strict;                /* what is found only counts against the launch */
    struct verdict verdict;
};

static void
found(struct search *s, const struct verdict *v)
{
    if (!s->strict || v->state != PARENT_FULL)
        verdict_add(&s->verdict, v);
}

static void
search_day(struct search *s, const char *directory)
{
    struct mem *m = s->m;
    DIR *dir = opendir(directory);
    const struct dirent *e;
    struct verdict v;

    if (dir == NULL && errno != ENOENT && errno != ENOTDIR && !s->strict) {
        v = (struct verdict){PARENT_UNKNOWN,
                             mem_printf(m, "%s cannot be searched: %s", directory, strerror(errno))};
        found(s, &v);
    }
    while (dir != NULL && (e = readdir(dir)) != NULL) {
        if (strncmp(e->d_name, "rollout-", 8) != 0)
            continue;
        if (ends_with(e->d_name, s->plain)) {
            if (evidence_file(s->h, m, dirfd(dir), directory, e->d_name, &turn_context, s->p, &v))
                found(s, &v);
        } else if (ends_with(e->d_name, s->packed)) {
            v = (struct verdict){PARENT_UNKNOWN,
                                 mem_printf(m, "%s/%s is compressed, and not read", directory, e->d_name)};
            found(s, &v);
        }
    }
    if (dir != NULL)
        closedir(dir);
}

/* Every directory that codex may keep its sessions in. */
static void
codex_homes(const struct host *h, struct mem *m, struct strings *out)
{
    const char *own = env_get(h->envp, "CODEX_HOME"), *wsl = env_get(h->envp, "WSL_DISTRO_NAME");
    const char *usual = h->home == NULL ? NULL : mem_printf(m, "%s/.codex", h->home);
    const struct dirent *e;
    DIR *users;

    if (own != NULL && *own != '\0')
        strings_add(m, out, own);
    if (usual != NULL && !strings_has(out, usual))
        strings_add(m, out, usual);
    if (wsl == NULL || *wsl == '\0' || (users = opendir(h->windows_homes)) == NULL)
        return;
    while ((e = readdir(users)) != NULL)
        if (e->d_name[0] != '.')
            strings_add(m, out, mem_printf(m, "%s/%s/.codex", h->windows_homes, e->d_name));
    closedir(users);
}

/* Searches the days on which the thread can have begun. The directory is of the local day, wherever local was. */
static void
search_home(struct search *s, const char *home, int64_t created)
{
    for (int day = -1; day <= 1; day++) {
        time_t t = (time_t)(created / 1000) + day * (time_t)(DAY_MS / 1000);
        struct tm utc;

        if (gmtime_r(&t, &utc) != NULL)
            search_day(s, mem_printf(s->m, "%s/sessions/%04d/%02d/%02d", home, utc.tm_year + 1900,
                                     utc.tm_mon + 1, utc.tm_mday));
    }
}

void
evidence_codex_homes(const struct host *h, struct mem *m, struct strings *out)
{
    const char *own = h->passwd_home == NULL ? NULL : mem_printf(m, "%s/.codex", h->passwd_home);

    codex_homes(h, m, out);
    if (own != NULL && !strings_has(out, own))
        strings_add(m, out, own);
}

void
evidence_codex(const struct host *h, struct mem *m, const char *thread, struct parent *p, struct verdict *out)
{
    struct search s = {.h = h, .m = m, .p = p};
    struct strings homes = {0};
    int64_t created;

    if (!uuid7_time(thread, &created)) {
        *out = (struct verdict){PARENT_UNKNOWN,
                                mem_printf(m, "\"%.60s\" is no codex thread id (UUIDv7)", thread)};
        return;
    }
    s.plain = mem_printf(m, "-%s.jsonl", thread);
    s.packed = mem_printf(m, "-%s.jsonl.zst", thread);
    codex_homes(h, m, &homes);
    for (size_t i = 0; i < homes.count; i++)
        search_home(&s, homes.items[i], created);
    /* The variables that name these are the launcher's to set. What the user's own home says of the thread counts all
     * the same, but grants nothing by itself. */
    s.strict = true;
    if (h->passwd_home != NULL && !strings_has(&homes, mem_printf(m, "%s/.codex", h->passwd_home)))
        search_home(&s, mem_printf(m, "%s/.codex", h->passwd_home), created);
    if (s.verdict.detail == NULL)
        s.verdict = (struct verdict){
            PARENT_UNKNOWN, homes.count == 0
                                ? "there is no home directory to look for its rollout in"
                                : mem_printf(m, "no rollout of this thread below %s", homes.items[0])};
    *out = s.verdict;
}
