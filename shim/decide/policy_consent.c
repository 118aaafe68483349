/* The host's consent to a policy file: its path and hash, in the user's own data directory. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "policy_file.h"

/* An entry repeats the values of a policy, which is at most 256 KiB. */
#define CONSENT_MAX (2 * 1024 * 1024)

static const char *
data_directory(const struct host *h, struct mem *m)
{
    const char *xdg = env_get(h->envp, "XDG_DATA_HOME");

    if (xdg != NULL && xdg[0] == '/')
        return xdg;
    return h->home == NULL ? NULL : mem_printf(m, "%s/.local/share", h->home);
}

static const char *
store_directory(const struct host *h, struct mem *m)
{
    const char *data = data_directory(h, m);

    return data == NULL ? NULL : mem_printf(m, "%s/haccess/allowed", data);
}

/* The name of a policy file's entry. */
static const char *
entry_name(struct mem *m, const char *path)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];

    SHA256Data((const uint8_t *)path, strlen(path), hex);
    return mem_strdup(m, hex);
}

/* What others can write to is not the host's word. */
static bool
ours(int fd, uid_t uid)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_uid == uid && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int
open_directory(int at, const char *path)
{
    return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* "2026-11-29T10:02:00Z" as local time, without its seconds. */
static const char *
local_time(struct mem *m, const char *utc)
{
    struct tm tm = {0};
    char text[32];
    time_t t;

    if (strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &tm) == NULL)
        return NULL;
    t = timegm(&tm);
    if (localtime_r(&t, &tm) == NULL || strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &tm) == 0)
        return NULL;
    return mem_strdup(m, text);
}

static const char *
text_of(const cJSON *entry, const char *key)
{
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, key));

    return s == NULL ? "" : s;
}

/* Returns the entry of a policy file, NULL when there is none that can be trusted. The caller deletes it. */
static cJSON *
read_entry(const struct host *h, struct mem *m, const char *path)
{
    const char *store = store_directory(h, m);
    int dir = store == NULL ? -1 : open_directory(AT_FDCWD, store), fd = -1;
    cJSON *entry = NULL;
    size_t length;
    char *text;

    if (dir == -1)
        return NULL;
    if (ours(dir, h->uid))
        fd = openat(dir, entry_name(m, path), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    close(dir);
    if (fd == -1)
        return NULL;
    if (ours(fd, h->uid) && host_read_fd(m, fd, CONSENT_MAX, &text, &length) == 0)
        entry = cJSON_ParseWithLength(text, length);
    close(fd);
    if (entry != NULL && strcmp(text_of(entry, "path"), path) == 0)
        return entry;
    cJSON_Delete(entry);
    return NULL;
}

bool
consent_given(const struct host *h, struct mem *m, const char *path, const char *hash, const char **at)
{
    cJSON *entry = read_entry(h, m, path);
    bool given;

    *at = entry == NULL ? NULL : local_time(m, text_of(entry, "time"));
    given = *at != NULL && strcmp(text_of(entry, "sha256"), hash) == 0;
    cJSON_Delete(entry);
    return given;
}

/* Returns what a policy's text says, NULL where it is malformed. */
static struct policy_origin *
values_of(struct mem *m, const char *text, size_t length)
{
    struct policy_origin *values = mem_array(m, POLICY_KEYS, sizeof(*values));
    struct grant_policy grant = {0};
    struct policy_values says;

    policy_defaults(m, &says);
    if (policy_parse(m, text, length, &says, &grant) != NULL)
        return NULL;
    for (size_t k = 0; k < POLICY_KEYS; k++) {
        values[k].key = policy_keys[k].path;
        values[k].value = k == KEY_ENABLED ? (grant.enabled ? "true" : "false")
                                           : policy_value_text(m, &says, (enum policy_key)k);
    }
    return values;
}

bool
policy_says(const struct host *h, struct mem *m, const char *path, struct policy_origin **values,
            size_t *count)
{
    char hash[SHA256_DIGEST_STRING_LENGTH], *text;
    size_t length;

    *count = 0;
    *values = policy_read(m, path, h->uid, &text, &length, hash) != NULL ? NULL : values_of(m, text, length);
    if (*values == NULL)
        return false;
    *count = POLICY_KEYS;
    return true;
}

const char *
policy_last_allowed(const struct host *h, struct mem *m, const char *path, struct policy_origin **values,
                    size_t *count)
{
    cJSON *entry = read_entry(h, m, path);
    const cJSON *said = cJSON_GetObjectItemCaseSensitive(entry, "values");
    const char *at = entry == NULL ? NULL : local_time(m, text_of(entry, "time"));

    *count = 0;
    *values = mem_array(m, POLICY_KEYS, sizeof(**values));
    for (size_t k = 0; at != NULL && k < POLICY_KEYS; k++) {
        const char *value = text_of(said, policy_keys[k].path);

        if (*value != '\0')
            (*values)[(*count)++] = (struct policy_origin){policy_keys[k].path, mem_strdup(m, value), at};
    }
    cJSON_Delete(entry);
    return at;
}

/* Makes the directories of path that are not there. */
static int
make_directories(struct mem *m, const char *path)
{
    char *copy = mem_strdup(m, path), *p = copy;

    while (p != NULL && *p != '\0') {
        p = strchr(p + 1, '/');
        if (p != NULL)
            *p = '\0';
        if (mkdir(copy, 0700) == -1 && errno != EEXIST)
            return errno;
        if (p != NULL)
            *p = '/';
    }
    return 0;
}

/* Opens the store, made where it is not there. Returns 0 or an errno. */
static int
open_store(const struct host *h, struct mem *m, int *dir, const char **what)
{
    *what = store_directory(h, m);
    if (*what == NULL) {
        *what = "the home directory";
        return ENOENT;
    }
    if (make_directories(m, *what) != 0 || (*dir = open_directory(AT_FDCWD, *what)) == -1)
        return errno;
    if (!ours(*dir, h->uid)) {
        close(*dir);
        return EPERM;
    }
    return 0;
}

static char *
entry_text(const struct host *h, const char *path, const char *hash, const struct policy_origin *values)
{
    char when[32];
    struct tm utc;
    time_t now = (time_t)(h->now / 1000);
    cJSON *entry = cJSON_CreateObject(), *said;
    char *text;

    if (gmtime_r(&now, &utc) == NULL || strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        strcpy(when, "1970-01-01T00:00:00Z");
    cJSON_AddStringToObject(entry, "path", path);
    cJSON_AddStringToObject(entry, "sha256", hash);
    cJSON_AddStringToObject(entry, "time", when);
    said = values == NULL ? NULL : cJSON_AddObjectToObject(entry, "values");
    for (size_t k = 0; said != NULL && k < POLICY_KEYS; k++)
        cJSON_AddStringToObject(said, values[k].key, values[k].value);
    text = cJSON_PrintUnformatted(entry);
    cJSON_Delete(entry);
    return text;
}

/* Writes the entry beside its place and moves it there, so that there is never half of one. */
static int
write_entry(struct mem *m, int dir, const char *name, const char *text)
{
    const char *temporary = mem_printf(m, "%s.%d", name, getpid());
    size_t length = strlen(text);
    int error = 0, fd;

    unlinkat(dir, temporary, 0);
    fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd == -1)
        return errno;
    errno = ENOSPC; /* what a short write means, which sets none */
    if (write(fd, text, length) != (ssize_t)length || fsync(fd) == -1)
        error = errno;
    if (close(fd) == -1 && error == 0)
        error = errno;
    if (error == 0 && renameat(dir, temporary, dir, name) == -1)
        error = errno;
    if (error != 0)
        unlinkat(dir, temporary, 0);
    else
        fsync(dir);
    return error;
}

int
policy_allow(const struct host *h, struct mem *m, const char *path, const char **what)
{
    char hash[SHA256_DIGEST_STRING_LENGTH], *policy, *text;
    int dir, error;
    size_t length;

    *what = path;
    if (policy_read(m, path, h->uid, &policy, &length, hash) != NULL)
        return EPERM;
    error = open_store(h, m, &dir, what);
    if (error != 0)
        return error;
    text = entry_text(h, path, hash, values_of(m, policy, length));
    error = text == NULL ? ENOMEM : write_entry(m, dir, entry_name(m, path), text);
    cJSON_free(text);
    close(dir);
    return error;
}

int
policy_deny(const struct host *h, struct mem *m, const char *path, const char **what)
{
    const char *store = store_directory(h, m);
    int error = 0;

    *what = store == NULL ? "the home directory" : mem_printf(m, "%s/%s", store, entry_name(m, path));
    if (store == NULL || unlink(*what) == -1)
        error = store == NULL ? ENOENT : errno;
    return error;
}
