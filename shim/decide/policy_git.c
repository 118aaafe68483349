/* What git knows of a directory, from its files: no git is run, and what the files say is not believed without a look. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "policy_file.h"

/* Returns the first line of a file of git's that holds a path, without prefix; NULL when it is no such file. */
static const char *
path_in(struct mem *m, const char *file, const char *prefix)
{
    char *text;
    size_t length, n = strlen(prefix);

    if (host_read(m, AT_FDCWD, file, PATH_MAX + 64, 1, &text, &length) != 0 || strncmp(text, prefix, n) != 0)
        return NULL;
    text += n;
    text[strcspn(text, "\r\n")] = '\0';
    return *text == '\0' ? NULL : text;
}

/* Returns the canonical form of path, which is relative to base; NULL when there is no such file. */
static const char *
resolve(struct mem *m, const char *base, const char *path)
{
    char *real =
        path == NULL ? NULL : realpath(*path == '/' ? path : mem_printf(m, "%s/%s", base, path), NULL);
    const char *copy = mem_strdup(m, real);

    free(real);
    return copy;
}

/* Whether a canonical path is an entry of directory, which ends with a slash. */
static bool
is_below(const char *path, const char *directory)
{
    size_t n = strlen(directory);

    return strncmp(path, directory, n) == 0 && path[n] != '\0' && strchr(path + n, '/') == NULL;
}

static bool
is_top_level(struct mem *m, const char *dir)
{
    const char *dot_git = mem_printf(m, "%s/.git", dir);
    struct stat st;

    if (stat(dot_git, &st) == -1)
        return false;
    if (S_ISDIR(st.st_mode))
        return lstat(mem_printf(m, "%s/HEAD", dot_git), &st) == 0;
    return path_in(m, dot_git, "gitdir: ") != NULL;
}

const char *
git_top_level(struct mem *m, const char *dir)
{
    char *top = mem_strdup(m, dir), *slash;

    while (!is_top_level(m, top)) {
        slash = strrchr(top, '/');
        if (slash == NULL || slash[1] == '\0')
            return NULL;
        slash[slash == top] = '\0';
    }
    return top;
}

const char *
git_main_worktree(struct mem *m, const char *top)
{
    const char *dot_git = mem_printf(m, "%s/.git", top), *own, *common, *back, *slash;
    struct stat st, other;

    if (lstat(dot_git, &st) == -1 || !S_ISREG(st.st_mode))
        return NULL;
    own = resolve(m, top, path_in(m, dot_git, "gitdir: "));
    if (own == NULL)
        return NULL;
    /* The repository has to name this worktree, too: anybody can write a .git file that points to a project whose policy
     * is allowed. */
    back = resolve(m, own, path_in(m, mem_printf(m, "%s/gitdir", own), ""));
    if (back == NULL || lstat(back, &other) == -1 || st.st_dev != other.st_dev || st.st_ino != other.st_ino)
        return NULL;
    common = resolve(m, own, path_in(m, mem_printf(m, "%s/commondir", own), ""));
    /* And it has to be the repository that does: a directory elsewhere can name both of them. git keeps what it knows of
     * a worktree nowhere else. */
    if (common == NULL || !is_below(own, mem_printf(m, "%s/worktrees/", common)))
        return NULL;
    slash = strrchr(common, '/');
    /* A bare repository has no main worktree. */
    if (slash == NULL || slash == common || strcmp(slash, "/.git") != 0)
        return NULL;
    return mem_strndup(m, common, (size_t)(slash - common));
}
