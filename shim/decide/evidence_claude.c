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

/* Reads every transcript of the session below a configuration directory. Returns false with errno when that cannot be
 * searched. */
static bool
search(const struct host *h, struct mem *m, const char *projects, const char *session, bool strict,
       struct parent *p, struct verdict *all)
{
    DIR *dir = opendir(projects);
    const struct dirent *e;
    struct verdict v;

    if (dir == NULL)
        return errno == ENOENT;
    while ((e = readdir(dir)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (evidence_file(h, m, dirfd(dir), projects, mem_printf(m, "%s/%s.jsonl", e->d_name, session),
                          &permission_mode, p, &v) &&
            (!strict || v.state != PARENT_FULL))
            verdict_add(all, &v);
    }
    closedir(dir);
    return true;
}

void
evidence_claude_homes(const struct host *h, struct mem *m, struct strings *out)
{
    const char *config = config_directory(h, m);
    const char *homes[] = {h->home, h->passwd_home};

    if (config != NULL)
        strings_add(m, out, config);
    for (size_t i = 0; i < 2; i++) {
        const char *usual = homes[i] == NULL ? NULL : mem_printf(m, "%s/.claude", homes[i]);

        if (usual != NULL && !strings_has(out, usual))
            strings_add(m, out, usual);
    }
}

void
evidence_claude(const struct host *h, struct mem *m, const char *session, struct parent *p,
                struct verdict *out)
{
    const char *config = config_directory(h, m), *projects, *own;
    struct verdict all = {PARENT_UNKNOWN, NULL};

    *out = (struct verdict){PARENT_UNKNOWN, "there is no home directory to look for its transcript in"};
    if (!session_id(session))
        out->detail = mem_printf(m, "\"%.60s\" is no claude session id", session);
    if (config == NULL || !session_id(session))
        return;
    projects = mem_printf(m, "%s/projects", config);
    if (!search(h, m, projects, session, false, p, &all)) {
        out->detail = mem_printf(m, "%s cannot be searched: %s", projects, strerror(errno));
        return;
    }
    /* The variables that name it are the launcher's to set. What the user's own home says of the session counts all the
     * same, but grants nothing by itself. */
    own = h->passwd_home == NULL ? projects : mem_printf(m, "%s/.claude/projects", h->passwd_home);
    if (strcmp(own, projects) != 0)
        search(h, m, own, session, true, p, &all);
    if (all.detail == NULL)
        all.detail = mem_printf(m, "no transcript of this session below %s", projects);
    *out = all;
}
