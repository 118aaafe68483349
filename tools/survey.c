#include <cjson/cJSON.h>
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../shim/adapters/adapter.h"
#include "doctor.h"
#include "find.h"

/* A CLI may take this long to tell its version. */
#define VERSION_MS 5000

/* How a launch of each form is seen. */
static const struct {
    const char *form, *covered;
} forms[] = {
    {"script", "by the hooks, and by the constructor in its interpreter"},
    {"dynamic", "by the hooks and by the constructor"},
    {"static",
     "by the hooks of a preloaded launcher or by `haccess run`; not when an unpreloaded shell starts it"},
    {"unreadable", "cannot be told"},
    {"shim", "by the front end before it on PATH, whatever starts it"},
};
enum { SHIM = 4 };

/* Has a program header of the interpreter: ld.so runs it, and with it LD_PRELOAD. */
static bool
has_interpreter(int fd)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr small;
        Elf64_Ehdr large;
    } h;
    if (pread(fd, &h, sizeof h, 0) < (ssize_t)sizeof h.small)
        return false;
    bool large = h.ident[EI_CLASS] == ELFCLASS64;
    uint64_t at = large ? h.large.e_phoff : h.small.e_phoff;
    size_t count = large ? h.large.e_phnum : h.small.e_phnum,
           size = large ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    for (size_t i = 0; i < count; i++) {
        uint32_t type; /* the first field of both */
        if (at > (uint64_t)INT64_MAX - (i + 1) * size ||
            pread(fd, &type, sizeof type, (off_t)(at + i * size)) != sizeof type)
            return false;
        if (type == PT_INTERP)
            return true;
    }
    return false;
}

static size_t
form_of(const char *file)
{
    char magic[4] = "";
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t form = 3;
    if (fd == -1)
        return form;
    if (pread(fd, magic, sizeof magic, 0) >= 2) {
        if (memcmp(magic, "#!", 2) == 0)
            form = 0;
        else if (memcmp(magic, ELFMAG, SELFMAG) == 0)
            form = has_interpreter(fd) ? 1 : 2;
    }
    close(fd);
    return form;
}

/* The version in the package.json of that package which the file belongs to, at most three directories up; NULL: none. */
static const char *
package_version(struct mem *m, const char *real, const char *package)
{
    char *dir = mem_strdup(m, real);
    for (int up = 0; up < 3 && package != NULL; up++) {
        char *slash = strrchr(dir, '/'), *text;
        size_t length;
        if (slash == NULL || slash == dir)
            break;
        *slash = '\0';
        if (host_read(m, AT_FDCWD, mem_printf(m, "%s/package.json", dir), 1 << 20, 1, &text, &length) != 0)
            continue;
        cJSON *json = cJSON_Parse(text);
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "name"));
        const char *version = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "version"));
        bool ours = name != NULL && version != NULL && strcmp(name, package) == 0;
        version = ours ? mem_strdup(m, version) : NULL;
        cJSON_Delete(json);
        if (version != NULL)
            return version;
    }
    return NULL;
}

/* The native installer's file is named after its version. */
static const char *
installer_version(struct mem *m, const char *real)
{
    const char *at = strstr(real, "/claude/versions/");
    const char *base = at == NULL ? NULL : at + strlen("/claude/versions/");
    return base != NULL && isdigit((unsigned char)*base) && strchr(base, '/') == NULL ? mem_strdup(m, base)
                                                                                      : NULL;
}

/* What `CLI --version` prints, its first word that begins with a digit. Without the preload: this is no launch. */
static const char *
told_version(const struct host *h, struct mem *m, const char *file)
{
    struct strings env = {0};
    for (char *const *e = h->envp; e != NULL && *e != NULL; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11) != 0)
            strings_add(m, &env, *e);
    strings_add(m, &env, mem_strdup(m, "LD_PRELOAD="));
    char *argv[] = {mem_strdup(m, file), mem_strdup(m, "--version"), NULL}, *save = NULL;
    char *text = capture(m, argv, env.items, VERSION_MS, 0);
    for (char *word = text == NULL ? NULL : strtok_r(text, " \t\r\n", &save); word != NULL;
         word = strtok_r(NULL, " \t\r\n", &save)) {
        word += *word == 'v';
        if (isdigit((unsigned char)*word) && strlen(word) < 64)
            return word;
    }
    return NULL;
}

const char *
cli_version(struct mem *m, const char *file, const struct adapter *a)
{
    char real[PATH_MAX];
    const char *version;

    if (realpath(file, real) == NULL)
        return NULL;
    version = package_version(m, real, a->package);
    return version != NULL ? version : installer_version(m, real);
}

const char *
cli_newer(struct mem *m, const struct adapter *a, const char *version)
{
    if (version == NULL || a == NULL || !adapter_is_newer(a, version))
        return NULL;
    return mem_printf(
        m, "%s %s is newer than what haccess was checked against (%s): options that came since are not known",
        a->id, version, a->checked);
}

size_t
cli_survey(const struct host *h, struct mem *m, struct cli *out, size_t room)
{
    size_t n = 0;
    for (const struct adapter *const *a = adapters; *a != NULL && n < room; a++) {
        const char *file;
        char real[PATH_MAX];
        const char *path = env_get(h->envp, "PATH"), *first;
        if (find_program(m, (*a)->program, path, &first) != 0 ||
            find_behind_shims(m, (*a)->program, path, NULL, &file) != 0 || realpath(file, real) == NULL)
            continue;
        size_t form = find_is_shim(first) ? SHIM : form_of(real);
        const char *version = cli_version(m, file, *a);
        if (version == NULL)
            version = told_version(h, m, file);
        out[n++] = (struct cli){(*a)->program, file, version, *a, forms[form].form, forms[form].covered};
    }
    return n;
}
