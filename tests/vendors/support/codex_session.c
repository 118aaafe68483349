#include "codex_session.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

const char *const session_kinds[] = {"read-only", "workspace-write", "full-access", "other"};

static const char *
codex_binary(void)
{
    static char *path;

    if (path == NULL)
        path = format(
            "%s/vendors/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
            getenv("HACCESS_BUILD"));
    return path;
}

/* The rest of the line that begins with this, or NULL; the caller frees. */
static char *
line_of(const char *text, const char *begin)
{
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, begin, strlen(begin)) == 0)
            return format("%.*s", (int)strcspn(at + strlen(begin), "\n"), at + strlen(begin));
    }
    return NULL;
}

/* Whether writing below path writes everywhere that matters; path as codex prints it. */
static bool
is_wide(const char *top, const char *path)
{
    char *clean = format("%s", ""), *copy = format("%s", path), *save = NULL, *home = format("%s/home", top);
    size_t n;

    for (char *part = strtok_r(copy, "/", &save); part != NULL; part = strtok_r(NULL, "/", &save)) {
        char *slash = strrchr(clean, '/');

        if (strcmp(part, "..") == 0 && slash != NULL)
            *slash = '\0';
        else if (strcmp(part, ".") != 0 && strcmp(part, "..") != 0) {
            char *longer = format("%s/%s", clean, part);

            free(clean);
            clean = longer;
        }
    }
    n = strlen(clean);
    bool wide = *path == '/' && strncmp(home, clean, n) == 0 && (home[n] == '/' || home[n] == '\0');
    free(clean);
    free(copy);
    free(home);
    return wide;
}

/* The mode in a header line: "workspace-write [workdir, /tmp, $TMPDIR, /x] (network access enabled)". */
static enum session_kind
header_kind(const char *top, const char *line)
{
    char *copy, *save = NULL, *list;
    enum session_kind kind = WORKSPACE_WRITE;

    if (strncmp(line, "read-only", 9) == 0)
        return READ_ONLY;
    if (strncmp(line, "danger-full-access", 18) == 0 || strncmp(line, "external-sandbox", 16) == 0)
        return FULL_ACCESS;
    if (strncmp(line, "workspace-write", 15) != 0)
        return OTHER;
    list = strchr(line, '[');
    copy = format("%s", list == NULL ? "" : list + 1);
    for (char *root = strtok_r(copy, ",]", &save); root != NULL; root = strtok_r(NULL, ",]", &save))
        if (is_wide(top, root + strspn(root, " ")))
            kind = FULL_ACCESS;
    free(copy);
    return kind;
}

/* The mode in what the model is told: entries of a profile. */
static enum session_kind
profile_kind(const char *top, const char *text)
{
    enum session_kind kind = READ_ONLY;
    static const char write[] = "access=\"write\">", path[] = "<path>";

    if (strstr(text, "type=\"disabled\"") != NULL)
        return FULL_ACCESS;
    while ((text = strstr(text, write)) != NULL) {
        text += strlen(write);
        if (strncmp(text, "<special>:root", 14) == 0)
            return FULL_ACCESS;
        if (strncmp(text, path, strlen(path)) == 0) {
            char *name = format("%.*s", (int)strcspn(text + strlen(path), "<"), text + strlen(path));
            bool wide = is_wide(top, name);

            free(name);
            if (wide)
                return FULL_ACCESS;
        }
        kind = WORKSPACE_WRITE;
    }
    return kind;
}

/* Reads the request: the newest words of the user, and for a session without a header the rest. */
static void
read_request(const char *top, struct session *s, const char *text)
{
    cJSON *body = cJSON_Parse(text), *item, *newest = NULL;
    const char *profile = NULL;

    ck_assert_msg(body != NULL, "no request: %.200s", text);
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(body, "input"))
    {
        cJSON *content = cJSON_GetObjectItemCaseSensitive(item, "content"), *part;

        if (strcmp(string_at(item, "role"), "user") != 0)
            continue;
        newest = content;
        cJSON_ArrayForEach(part, content)
        {
            const char *found = strstr(string_at(part, "text"), "<permission_profile");

            if (found != NULL)
                profile = found;
        }
    }
    s->prompt = newest == NULL ? format("(none)") : cJSON_PrintUnformatted(newest);
    if (s->sandbox == NULL) {
        s->sandbox = format("%s", profile == NULL ? "(none told)" : profile);
        s->kind = profile == NULL ? OTHER : profile_kind(top, profile);
        s->model = format("%s", string_at(body, "model"));
    } else if (profile != NULL && profile_kind(top, profile) == FULL_ACCESS) {
        /* The header leaves out what a profile lets be written, and roots beside one. */
        s->kind = FULL_ACCESS;
    }
    cJSON_Delete(body);
}

void
session_run(struct session *s, const struct vector *v, const char *top, const char *directory,
            char *const envp[], const char *requests)
{
    char **words = calloc(v->count + 1, sizeof *words), *text;
    struct answer a;

    ck_assert_ptr_nonnull(words);
    for (size_t k = 0; k < v->count; k++)
        vector_add(&s->asked, v->words[k]);
    memcpy(words, v->words, v->count * sizeof *words);
    words[0] = (char *)(uintptr_t)codex_binary();
    unlink(requests);
    differ_run(directory, words, envp, 20, &a);
    free(words);

    s->sandbox = line_of(a.err, "sandbox: ");
    if (s->sandbox != NULL) {
        s->kind = header_kind(top, s->sandbox);
        s->model = line_of(a.err, "model: ");
        s->effort = line_of(a.err, "reasoning effort: ");
        s->provider = line_of(a.err, "provider: ");
    }
    text = read_file(requests);
    s->ran = *text != '\0';
    if (s->ran)
        read_request(top, s, text);
    /* The TUI starts without a terminal only as far as this. */
    s->accepted =
        s->ran || strstr(a.err, "stdin is not a terminal") != NULL || a.status == 0 || a.status == -1;
    s->endless = a.status == -1;
    s->told = format("exit %d: %s", a.status, a.err);
    free(text);
    answer_free(&a);
}

void
session_free(struct session *s)
{
    vector_free(&s->asked);
    free(s->sandbox);
    free(s->prompt);
    free(s->model);
    free(s->effort);
    free(s->provider);
    free(s->told);
}

/* Writes a file of the launch below top, or sees to it that it is not there. */
void
session_file(const char *top, const char *name, const char *before, const char *text, const char *after)
{
    char *path = format("%s/%s", top, name), *filled;
    FILE *f;

    if (text == NULL && before == NULL && after == NULL) {
        unlink(path);
        free(path);
        return;
    }
    filled = replace(text == NULL ? "" : text, "$TOP", top);
    f = fopen(path, "w");
    ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
    fprintf(f, "%s%s%s", before == NULL ? "" : before, filled, after == NULL ? "" : after);
    ck_assert_int_eq(fclose(f), 0);
    free(filled);
    free(path);
}
