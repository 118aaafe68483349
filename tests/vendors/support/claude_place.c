#include "claude_place.h"

#include <check.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

static char *
place(const struct claude_place *p, const char *what)
{
    return format("%s/%s-%u", p->w->top, what, p->worker);
}

static int
remove_entry(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static void
put(const char *directory, const char *name, const char *text)
{
    char *path = format("%s/%s", directory, name);
    FILE *f;

    if (text != NULL) {
        f = fopen(path, "w");
        ck_assert_msg(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0, "%s: %s", path, strerror(errno));
    }
    free(path);
}

static void
make(const char *directory, const char *name)
{
    char *path = format("%s/%s", directory, name);

    ck_assert_msg(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
    free(path);
}

/* Lays home and project out as for a first launch. The policy grants to whom the session's record says it is free. */
void
claude_lay_out(const struct claude_place *p)
{
    static const char policy[] =
        "{ \"workflow\": { \"workerFullAccess\": { \"enabled\": true, \"floors\": { \"claude-code\": [\n"
        "  { \"model\": \"claude-opus-4-5\", \"minEffort\": \"high\" },\n"
        "  { \"model\": \"claude-opus-5-5\", \"minEffort\": \"high\" } ] } },\n"
        "  \"lanes\": { \"write\": { \"claude\": \"vendor-sandbox\" } } } }\n";
    char *home = place(p, "home"), *project = place(p, "project");

    nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    nftw(project, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    ck_assert(mkdir(home, 0755) == 0 && mkdir(project, 0755) == 0);
    make(home, ".claude");
    make(home, ".claude/projects");
    make(home, ".claude/projects/p");
    put(home, ".claude/settings.json", p->v->user);
    put(home, ".claude/projects/p/" CLAUDE_FREE_SESSION ".jsonl",
        "{\"type\":\"user\",\"permissionMode\":\"bypassPermissions\"}\n");
    make(project, ".git");
    make(project, ".git/objects");
    make(project, ".git/refs");
    put(project, ".git/HEAD", "ref: refs/heads/main\n");
    make(project, "sub");
    make(project, ".claude");
    put(project, ".claude/settings.json", p->v->project);
    put(project, ".claude/settings.local.json", p->v->local);
    put(project, CLAUDE_SETTINGS_NAME, p->v->named);
    make(project, ".haccess");
    put(project, ".haccess/policy.json", policy);
    free(home);
    free(project);
}

/* Runs a program in the project. more: variables added, the last one NULL. */
void
claude_run(const struct claude_place *p, char *const argv[], const char *const *more, struct answer *a)
{
    const char *build = getenv("HACCESS_BUILD");
    char *home = place(p, "home"), *project = place(p, "project"), *envp[32];
    size_t n = 0, owned;

    envp[n++] = format("HOME=%s", home);
    envp[n++] = format("PATH=%s/vendors/node_modules/.bin:%s", build, getenv("PATH"));
    envp[n++] = format("TMPDIR=%s/tmp", p->w->top);
    envp[n++] = format("XDG_DATA_HOME=%s/data-%u", p->w->top, p->worker);
    envp[n++] = format("ANTHROPIC_BASE_URL=http://127.0.0.1:%d/refuse/w%u", p->w->port, p->worker);
    owned = n;
    envp[n++] = (char[]){"ANTHROPIC_API_KEY=none"};
    envp[n++] = (char[]){"LANG=C.UTF-8"};
    envp[n++] = (char[]){"SHELL=/bin/bash"};
    envp[n++] = (char[]){"TERM=dumb"};
    envp[n++] = (char[]){"IS_SANDBOX=1"};
    envp[n++] = (char[]){"CLAUDE_CODE_MAX_RETRIES=0"};
    envp[n++] = (char[]){"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"};
    envp[n++] = (char[]){"DISABLE_AUTOUPDATER=1"};
    for (; more != NULL && *more != NULL; more++)
        envp[n++] = (char *)(uintptr_t)*more;
    envp[n] = NULL;
    differ_run(project, argv, envp, 60, a);
    for (size_t k = 0; k < owned; k++)
        free(envp[k]);
    free(home);
    free(project);
}

static const cJSON *
get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const cJSON *
first_event(const char *out)
{
    const char *end;

    for (const char *line = out; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        cJSON *event = *line == '{' ? cJSON_ParseWithLength(line, (size_t)(end - line)) : NULL;

        if (strcmp(string_at(event, "subtype"), "init") == 0)
            return event;
        cJSON_Delete(event);
    }
    return NULL;
}

/* The parts of the user's messages that the CLI did not put in. */
static char *
prompt_of(const cJSON *body)
{
    char *all = format("%s", ""), *longer;
    const cJSON *message, *part;

    cJSON_ArrayForEach(message, get(body, "messages"))
    {
        if (strcmp(string_at(message, "role"), "user") != 0)
            continue;
        if (cJSON_IsString(get(message, "content"))) {
            longer = format("%s%s\n", all, string_at(message, "content"));
            free(all);
            all = longer;
        }
        if (cJSON_IsArray(get(message, "content")))
            cJSON_ArrayForEach(part, get(message, "content"))
            {
                if (strncmp(string_at(part, "text"), "<system-reminder>", 17) == 0)
                    continue;
                longer = format("%s%s\n", all, string_at(part, "text"));
                free(all);
                all = longer;
            }
    }
    return all;
}

void
claude_ask(const struct claude_place *p, char *const words[], struct claude_real *r)
{
    char *body_path = format("%s/requests.jsonl.w%u", p->w->top, p->worker), *text;
    char *claude = format("%s/vendors/node_modules/.bin/claude", getenv("HACCESS_BUILD"));
    struct vector argv = {0};
    cJSON *body;

    claude_lay_out(p);
    unlink(body_path);
    memset(r, 0, sizeof *r);
    vector_add(&argv, claude);
    for (size_t k = 1; words[k] != NULL; k++)
        vector_add(&argv, words[k]);
    claude_run(p, argv.words, NULL, &r->answer);
    r->init = (cJSON *)(uintptr_t)first_event(r->answer.out);
    r->started = r->init != NULL;
    text = read_file(body_path);
    body = cJSON_Parse(text);
    if (body != NULL) {
        r->prompt = prompt_of(body);
        r->effort = format("%s", string_at(get(body, "output_config"), "effort"));
    }
    cJSON_Delete(body);
    vector_free(&argv);
    free(text);
    free(claude);
    free(body_path);
}

void
claude_real_free(struct claude_real *r)
{
    answer_free(&r->answer);
    cJSON_Delete(r->init);
    free(r->prompt);
    free(r->effort);
}

/* Returns what haccess says of the words, to be deleted by the caller. */
cJSON *
claude_explain(const struct claude_place *p, char *const words[], const char *const *more)
{
    char *haccess = format("%s/haccess", getenv("HACCESS_BUILD"));
    struct vector argv = {0};
    struct answer a;
    cJSON *object;

    vector_add(&argv, haccess);
    vector_add(&argv, "explain");
    vector_add(&argv, "--json");
    vector_add(&argv, "--");
    for (size_t k = 0; words[k] != NULL; k++)
        vector_add(&argv, words[k]);
    claude_run(p, argv.words, more, &a);
    object = cJSON_Parse(a.out);
    answer_free(&a);
    vector_free(&argv);
    free(haccess);
    return object;
}
