/* The records that CLIs keep of their sessions, and what is at their beginning. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../shim/decide/evidence.h"
#include "../../shim/decide/json.h"
#include "reconcile.h"

/* What is read of a record's beginning: its first line can hold all instructions of a model. */
#define HEAD_MAX (1024 * 1024)

/* Prompts that are looked at: the first ones may be what the CLI itself says to the model. */
#define PROMPTS_MAX 8

struct search {
    const struct host *h;
    struct mem *m;
    struct sessions *out;
    int64_t from;
    const char *adapter;
    char *head;
};

int
session_open(const struct host *h, const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;

    if (fd != -1 && (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) || st.st_uid != h->uid)) {
        close(fd);
        return -1;
    }
    return fd;
}

static size_t
read_head(int fd, char *to, size_t n)
{
    size_t have = 0;
    ssize_t got;

    while (have < n &&
           ((got = pread(fd, to + have, n - have, (off_t)have)) > 0 || (got == -1 && errno == EINTR)))
        have += got > 0 ? (size_t)got : 0;
    return have;
}

/* Takes the next whole line off a text. Returns false when there is none. */
static bool
next_line(struct json_span *rest, struct json_span *line)
{
    const char *end = rest->length == 0 ? NULL : memchr(rest->text, '\n', rest->length);

    if (end == NULL)
        return false;
    line->text = rest->text;
    line->length = (size_t)(end - rest->text);
    rest->length -= line->length + 1;
    rest->text = end + 1;
    return true;
}

/* Returns a string member of an object that json_valid took, decoded; NULL: none. */
static const char *
string_member(struct mem *m, struct json_span object, const char *name)
{
    struct json_span value;
    const char *text = NULL;
    cJSON *string;

    if (json_member(object, name, &value) == JSON_NONE || !json_is_string(value))
        return NULL;
    string = cJSON_ParseWithLength(value.text, value.length);
    text = mem_strdup(m, cJSON_GetStringValue(string));
    cJSON_Delete(string);
    return text;
}

/* Looks for session_meta, which is the first line. */
static bool
read_codex(struct mem *m, struct json_span head, struct session *s)
{
    struct json_span line, payload, type;
    struct json_error error;
    const char *id;

    if (!next_line(&head, &line) || !json_valid(line.text, line.length, &error) ||
        json_member(line, "type", &type) == JSON_NONE || !json_equals(type, "session_meta") ||
        json_member(line, "payload", &payload) == JSON_NONE)
        return false;
    id = string_member(m, payload, "id");
    s->id = id == NULL ? "" : id;
    s->cwd = string_member(m, payload, "cwd");
    s->created = record_time(string_member(m, payload, "timestamp"));
    if (s->created == -1)
        s->created = record_time(string_member(m, line, "timestamp"));
    return s->created != -1;
}

/* A transcript says where and when on most of its lines, and its name is the session's; those of subagents are called
 * otherwise. */
static bool
read_claude(struct mem *m, struct json_span head, struct session *s)
{
    const char *name = strrchr(s->path, '/') + 1, *id = NULL;
    struct json_span line;
    struct json_error error;

    s->created = -1;
    while ((s->cwd == NULL || s->created == -1 || id == NULL) && next_line(&head, &line)) {
        if (!json_valid(line.text, line.length, &error))
            continue;
        if (s->created == -1)
            s->created = record_time(string_member(m, line, "timestamp"));
        if (s->cwd == NULL)
            s->cwd = string_member(m, line, "cwd");
        if (id == NULL)
            id = string_member(m, line, "sessionId");
    }
    s->id = mem_strndup(m, name, strlen(name) - strlen(".jsonl"));
    return s->created != -1 && id != NULL && strcmp(id, s->id) == 0;
}

static bool
is_codex(const char *adapter)
{
    return strcmp(adapter, "codex") == 0;
}

static void
add(struct sessions *l, struct mem *m, const struct session *s)
{
    for (size_t i = 0; i < l->count; i++) /* by a link, or by another name of the directory */
        if (l->items[i].dev == s->dev && l->items[i].ino == s->ino)
            return;
    if (l->count == l->room) {
        size_t room = l->room == 0 ? 64 : 2 * l->room;
        struct session *items = mem_array(m, room, sizeof(*items));

        if (l->count != 0)
            memcpy(items, l->items, l->count * sizeof(*items));
        l->items = items;
        l->room = room;
    }
    l->items[l->count++] = *s;
}

/* Reads the head: as much as a first look takes, and more where the first line is longer. */
static struct json_span
head_of(struct search *s, int fd)
{
    size_t n = read_head(fd, s->head, 128 * 1024);

    if (n == 128 * 1024 && memchr(s->head, '\n', n) == NULL)
        n = read_head(fd, s->head, HEAD_MAX);
    return (struct json_span){s->head, n};
}

static void
look_at(struct search *s, const char *path)
{
    struct session found = {.adapter = s->adapter, .path = path};
    int fd = session_open(s->h, path);
    struct json_span head;
    struct stat st;

    if (fd == -1)
        return;
    if (fstat(fd, &st) == 0 && (int64_t)st.st_mtim.tv_sec * 1000 + 999 >= s->from) {
        found.dev = st.st_dev;
        found.ino = st.st_ino;
        head = head_of(s, fd);
        if (is_codex(s->adapter) ? read_codex(s->m, head, &found) : read_claude(s->m, head, &found))
            add(s->out, s->m, &found);
    }
    close(fd);
}

static bool
ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n > k && strcmp(s + n - k, end) == 0;
}

/* Goes down so many directories, and looks at the records there. */
static void
walk(struct search *s, const char *path, int depth)
{
    DIR *dir = opendir(path);
    const struct dirent *e;

    while (dir != NULL && (e = readdir(dir)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        if (depth > 0)
            walk(s, mem_printf(s->m, "%s/%s", path, e->d_name), depth - 1);
        else if (ends_with(e->d_name, ".jsonl"))
            look_at(s, mem_printf(s->m, "%s/%s", path, e->d_name));
    }
    if (dir != NULL)
        closedir(dir);
}

void
sessions_find(const struct host *h, struct mem *m, int64_t from, struct sessions *out)
{
    struct search s = {.h = h, .m = m, .out = out, .from = from, .head = malloc(HEAD_MAX)};
    struct strings homes = {0};

    if (s.head == NULL)
        return;
    s.adapter = "codex";
    evidence_codex_homes(h, m, &homes);
    for (size_t i = 0; i < homes.count; i++)
        walk(&s, mem_printf(m, "%s/sessions", homes.items[i]), 3); /* YYYY/MM/DD */
    homes.count = 0;
    s.adapter = "claude-code";
    evidence_claude_homes(h, m, &homes);
    for (size_t i = 0; i < homes.count; i++)
        walk(&s, mem_printf(m, "%s/projects", homes.items[i]), 1);
    free(s.head);
}

/* Adds what the user says in a line. */
static void
add_prompts(struct mem *m, struct session *s, const cJSON *content)
{
    const cJSON *part;

    if (cJSON_IsString(content))
        strings_add(m, &s->prompts, mem_strdup(m, content->valuestring));
    cJSON_ArrayForEach(part, content)
    {
        const char *text = record_string(part, "text");

        if (text != NULL && s->prompts.count < PROMPTS_MAX)
            strings_add(m, &s->prompts, mem_strdup(m, text));
    }
}

void
session_prompts(const struct host *h, struct mem *m, struct session *s)
{
    int fd = s->prompts_read ? -1 : session_open(h, s->path);
    char *text = fd == -1 ? NULL : malloc(HEAD_MAX);
    struct json_span rest = {text, 0}, line;

    s->prompts_read = true;
    if (text != NULL)
        rest.length = read_head(fd, text, HEAD_MAX);
    while (s->prompts.count < PROMPTS_MAX && next_line(&rest, &line)) {
        struct line l = {.text = line.text, .length = line.length};
        const cJSON *message;
        cJSON *record;
        const char *role;

        if (memmem(line.text, line.length, "\"user\"", 6) == NULL || (record = line_record(&l)) == NULL)
            continue;
        message = cJSON_GetObjectItemCaseSensitive(record, is_codex(s->adapter) ? "payload" : "message");
        role = record_string(message, "role");
        if (role != NULL && strcmp(role, "user") == 0)
            add_prompts(m, s, cJSON_GetObjectItemCaseSensitive(message, "content"));
        cJSON_Delete(record);
    }
    free(text);
    if (fd != -1)
        close(fd);
}
