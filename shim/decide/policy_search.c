/* Where the policy of a directory is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "policy_file.h"

static const char *
policy_path(struct mem *m, const char *dir)
{
    return mem_printf(m, "%s/.haccess/policy.json", dir);
}

/* Whether there is a policy in dir, readable or not. Doubt is a policy: that it cannot be looked at, or that a link is in
 * its place, must not make it go away. */
static bool
has_policy(struct mem *m, const char *dir)
{
    struct stat st;

    if (lstat(mem_printf(m, "%s/.haccess", dir), &st) == -1)
        return errno != ENOENT && errno != ENOTDIR;
    if (S_ISLNK(st.st_mode))
        return true;
    return S_ISDIR(st.st_mode) && (lstat(policy_path(m, dir), &st) == 0 || errno != ENOENT);
}

/* Whether st is the directory at path. */
static bool
is_directory(const struct stat *st, const char *path)
{
    struct stat other;

    return path != NULL && stat(path, &other) == 0 && st->st_dev == other.st_dev &&
           st->st_ino == other.st_ino;
}

/* Homes, the root and what everybody can write to are no projects: a file there would speak for every project. */
static bool
can_be_project(const struct host *h, const char *dir)
{
    struct stat st;

    return stat(dir, &st) == 0 && (st.st_mode & S_IWOTH) == 0 && !is_directory(&st, h->home) &&
           !is_directory(&st, h->passwd_home) && !is_directory(&st, "/");
}

void
policy_search(const struct host *h, struct mem *m, const char *cwd, struct policy_place *out)
{
    char *real = cwd == NULL ? NULL : realpath(cwd, NULL);
    char *dir = mem_strdup(m, real), *slash;

    free(real);
    memset(out, 0, sizeof(*out));
    out->project = cwd;
    if (dir == NULL)
        return;
    out->git_top = git_top_level(m, dir);
    out->project = out->git_top != NULL ? out->git_top : mem_strdup(m, dir);
    while (can_be_project(h, dir)) {
        const char *top = mem_strdup(m, dir), *main;

        if (has_policy(m, dir)) {
            out->project = top;
            out->path = policy_path(m, top);
            return;
        }
        main = git_main_worktree(m, top);
        if (main != NULL && can_be_project(h, main) && has_policy(m, main)) {
            out->project = top;
            out->path = policy_path(m, main);
            return;
        }
        slash = strrchr(dir, '/');
        if (slash == NULL || slash == dir)
            return;
        *slash = '\0';
    }
}

const char *
policy_find(const struct host *h, struct mem *m, const char *cwd, const char **project)
{
    struct policy_place place;

    policy_search(h, m, cwd, &place);
    *project = place.project;
    return place.path;
}
