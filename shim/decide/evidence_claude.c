/* Claude Code: the transcript of a session, projects/<project>/<session>.jsonl. */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "evidence_file.h"

static bool
judge(struct mem *m, struct json_span line, struct verdict *out)
{
    struct json_span mode;
    enum json_found found = json_member(line, "permissionMode", &mode);

    if (found == JSON_NONE)
        return false;
    if (found == JSON_TWICE || !json_is_string(mode))
        *out = (struct verdict){PARENT_UNKNOWN, "the last permissionMode is there twice, or no string"};
    else
        *out = (struct verdict){json_equals(mode, "bypassPermissions") ? PARENT_FULL : PARENT_SANDBOXED,
                                mem_printf(m, "the last permissionMode is %s", record_word(m, mode))};
    return true;
}

static const struct record_kind permission_mode = {"\"permissionMode\"", "permissionMode", judge};

static bool
session_id(const char *s)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    return *s != '\0' && s[strspn(s, allowed)] == '\0';
}

static const char *
config_directory(const struct host *h, struct mem *m)
{
    const char *own = env_get(h->envp, "CLAUDE_CONFIG_DIR");

    if (own != NULL && *own != '\0')
        return own;
    return h->home == NULL ? NULL : mem_printf(m, "%s/.claude", h->home);
}

void
evidence_claude(const struct host *h, struct mem *m, const char *session, struct parent *p,
                struct verdict *out)
{
    const char *config = config_directory(h, m), *projects;
    struct verdict all = {PARENT_UNKNOWN, NULL}, v;
    const struct dirent *e;
    DIR *dir;

    *out = (struct verdict){PARENT_UNKNOWN, "there is no home directory to look for its transcript in"};
    if (!session_id(session))
        out->detail = mem_printf(m, "\"%.60s\" is no claude session id", session);
    if (config == NULL || !session_id(session))
        return;
    projects = mem_printf(m, "%s/projects", config);
    dir = opendir(projects);
    if (dir == NULL && errno != ENOENT) {
        out->detail = mem_printf(m, "%s cannot be searched: %s", projects, strerror(errno));
        return;
    }
    while (dir != NULL && (e = readdir(dir)) != NULL) {
        const char *name;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        name = mem_printf(m, "%s/%s.jsonl", e->d_name, session);
        if (evidence_file(h, m, dirfd(dir), projects, name, &permission_mode, p, &v))
            verdict_add(&all, &v);
    }
    if (dir != NULL)
        closedir(dir);
    if (all.detail == NULL)
        all.detail = mem_printf(m, "no transcript of this session below %s", projects);
    *out = all;
}
