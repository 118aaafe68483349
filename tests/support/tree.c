#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
must(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "tree: %s: %s\n", what, strerror(errno));
        abort();
    }
}

static char *
join(const char *a, const char *b)
{
    char *s;
    must(asprintf(&s, "%s/%s", a, b) != -1, "asprintf");
    return s;
}

static char *
make_in(const char *dir)
{
    char *s = join(dir, "haccess-test-XXXXXX");
    must(mkdtemp(s) != NULL, s);
    return s;
}

char *
tree_new(void)
{
    const char *tmp = getenv("TMPDIR");
    char *s = make_in(tmp != NULL && *tmp == '/' ? tmp : "/tmp"), *real = realpath(s, NULL);
    must(real != NULL, s);
    free(s);
    return real;
}

char *
tree_sub(const char *top)
{
    return make_in(top);
}

/* Makes every directory of the path up to its last slash. */
static void
make_above(char *path)
{
    for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
        *p = '\0';
        must(mkdir(path, 0755) == 0 || errno == EEXIST, path);
        *p = '/';
    }
}

void
tree_mkdir(const char *top, const char *path)
{
    char *full = join(top, path);
    make_above(full);
    must(mkdir(full, 0755) == 0 || errno == EEXIST, full);
    free(full);
}

void
tree_write(const char *top, const char *path, const char *text, mode_t mode)
{
    char *full = join(top, path);
    make_above(full);
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    size_t length = strlen(text);
    must(fd != -1 && write(fd, text, length) == (ssize_t)length && fchmod(fd, mode) == 0 && close(fd) == 0,
         full);
    free(full);
}

char *
tree_read(const char *top, const char *path)
{
    char *full = join(top, path), *text = NULL;
    int fd = open(full, O_RDONLY | O_CLOEXEC);
    struct stat st;
    free(full);
    if (fd == -1)
        return NULL;
    if (fstat(fd, &st) == 0 && (text = calloc(1, (size_t)st.st_size + 1)) != NULL)
        must(read(fd, text, (size_t)st.st_size) == st.st_size, path);
    close(fd);
    return text;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

void
tree_remove(const char *top)
{
    nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
