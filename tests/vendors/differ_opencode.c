/* Random command lines of opencode: haccess never rewrites one, says of none that it asks for access, tells servers from
 * sessions, and the model and the prompt that it reads are those that opencode sends. A start of opencode takes seconds, so that
 * the real one gets few of them. */
#include <cjson/cJSON.h>
#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/differ.h"
#include "support/files.h"
#include "support/world.h"

#define WORKERS   2
#define TRIALS    12
#define EXPLAINED 12 /* command lines for each one that is run */

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct world w;

struct trial {
    unsigned worker;
    FILE *report;
    struct vector argv;
};

__attribute__((format(printf, 2, 3))) static void
wrong(const struct trial *t, const char *how, ...)
{
    va_list ap;
    char *line = vector_quote(t->argv.words);

    fprintf(t->report, "%s\n", line);
    free(line);
    va_start(ap, how);
    vfprintf(t->report, how, ap);
    va_end(ap);
    fputc('\n', t->report);
}

static void
add_one(struct chance *c, struct vector *v, const char *option, const char *value)
{
    if (chance_percent(c, 40)) {
        vector_add_format(v, "%s=%s", option, value);
    } else {
        vector_add(v, option);
        vector_add(v, value);
    }
}

/* Those with a value no more than once: opencode makes a list of several, and takes none. */
static void
add_option(struct chance *c, struct vector *v, unsigned *given)
{
    size_t which = chance_below(c, 6);

    if (which < 3 && (*given & 1U << which) != 0)
        which = 3;
    *given |= 1U << which;
    switch (which) {
    case 0:
        add_one(c, v, "--title", chance_pick(c, LIST("a title", "x")));
        break;
    case 1:
        add_one(c, v, "--format", chance_pick(c, LIST("json", "default")));
        break;
    case 2:
        add_one(c, v, "--agent", chance_pick(c, LIST("build", "plan")));
        break;
    case 3:
        vector_add(v, chance_pick(c, LIST("--auto", "--yolo", "--dangerously-skip-permissions")));
        break;
    default:
        vector_add(v, chance_pick(c, LIST("--thinking", "--print-logs", "--pure", "--auto")));
    }
}

static const char *const prompts[] = {"say hello",
                                      "hi",
                                      "\xc3\xa4\xc3\xb6 \xe2\x82\xac",
                                      "a=b",
                                      "what does yolo do?",
                                      "serve",
                                      "two\nlines",
                                      "it's",
                                      "{\"a\":1}",
                                      "run",
                                      NULL};

/* A session that ends, with the model named once. */
static void
make_run(struct chance *c, struct vector *v)
{
    size_t before = chance_below(c, 3), after = chance_below(c, 3);
    const char *model = chance_pick(c, LIST("anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-5"));
    bool behind = chance_percent(c, 25);
    unsigned given = 0;

    vector_add(v, "opencode");
    vector_add(v, "run");
    while (before-- > 0)
        add_option(c, v, &given);
    add_one(c, v, chance_pick(c, LIST("-m", "--model")), model);
    if (!behind)
        vector_add(v, chance_pick(c, prompts));
    while (after-- > 0)
        add_option(c, v, &given);
    if (behind) {
        vector_add(v, "--");
        vector_add(v, chance_pick(c, prompts));
    }
}

/* Anything; returns whether it is a server. */
static bool
make_any(struct chance *c, struct vector *v)
{
    static const char *const servers[] = {"serve", "web", "acp", NULL};
    bool server = chance_percent(c, 30);

    if (!server) {
        make_run(c, v);
        if (chance_percent(c, 30)) {
            unsigned given = 0;

            vector_free(v);
            vector_add(v, "opencode");
            add_option(c, v, &given);
            vector_add(v, chance_pick(c, LIST(".", "--frobnicate", "--prompt=hi", "--mini")));
        }
        return false;
    }
    if (chance_percent(c, 30)) {
        vector_add(v, "opencode");
        vector_add(v, "run");
        add_one(c, v, "--attach", "http://127.0.0.1:1");
        vector_add(v, chance_pick(c, prompts));
        return true;
    }
    vector_add(v, "opencode");
    vector_add(v, chance_pick(c, servers));
    if (chance_percent(c, 50))
        add_one(c, v, "--port", "0");
    return true;
}

static void
run(const struct trial *t, char *const argv[], const char *const *more, struct answer *a)
{
    const char *build = getenv("HACCESS_BUILD");
    char *project = format("%s/project", w.top), *envp[16];
    size_t n = 0, owned;

    envp[n++] = format("HOME=%s/home-%u", w.top, t->worker);
    envp[n++] = format("PATH=%s/vendors/node_modules/.bin:%s", build, getenv("PATH"));
    envp[n++] = format("TMPDIR=%s/tmp", w.top);
    envp[n++] = format("OPENCODE_CONFIG=%s/opencode-%u.json", w.top, t->worker);
    owned = n;
    envp[n++] = (char[]){"LANG=C.UTF-8"};
    envp[n++] = (char[]){"TERM=dumb"};
    envp[n++] = (char[]){"OPENCODE_DISABLE_AUTOUPDATE=1"};
    for (; more != NULL && *more != NULL; more++)
        envp[n++] = (char *)(uintptr_t)*more;
    envp[n] = NULL;
    differ_run(project, argv, envp, 120, a);
    for (size_t k = 0; k < owned; k++)
        free(envp[k]);
    free(project);
}

static const cJSON *
get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static cJSON *
explain(const struct trial *t, const char *const *more)
{
    char *haccess = format("%s/haccess", getenv("HACCESS_BUILD"));
    struct vector argv = {0};
    struct answer a;
    cJSON *object;

    vector_add(&argv, haccess);
    vector_add(&argv, "explain");
    vector_add(&argv, "--json");
    vector_add(&argv, "--");
    for (size_t k = 0; k < t->argv.count; k++)
        vector_add(&argv, t->argv.words[k]);
    run(t, argv.words, more, &a);
    object = cJSON_Parse(a.out);
    if (object == NULL)
        wrong(t, "haccess explain: exit %d, no JSON: %.200s%.300s", a.status, a.out, a.err);
    answer_free(&a);
    vector_free(&argv);
    free(haccess);
    return object;
}

static void
check_explained(const struct trial *t, const cJSON *said, const char *class)
{
    struct vector argv = {0};
    const cJSON *word;

    cJSON_ArrayForEach(word, get(said, "argv")) vector_add(&argv, word->valuestring);
    if (strcmp(string_at(said, "class"), class) != 0)
        wrong(t, "haccess says %s, it is a %s", string_at(said, "class"), class);
    if (strcmp(string_at(get(said, "request"), "access"), "unspecified") != 0)
        wrong(t, "haccess says that it asks %s", string_at(get(said, "request"), "access"));
    if (strcmp(string_at(said, "projection"), "vendor-default") != 0 ||
        strcmp(string_at(said, "enforcement"), "none") != 0)
        wrong(t, "haccess says %s, enforced by %s", string_at(said, "projection"),
              string_at(said, "enforcement"));
    if (!vector_equal(&argv, &t->argv))
        wrong(t, "haccess rewrites it");
    vector_free(&argv);
}

/* What asks for an access that opencode cannot be held to is refused, whatever the command line. */
static void
check_asked(const struct trial *t)
{
    static const char *const asked[] = {"HACCESS_ACCESS=full-access", "HACCESS_ACCESS=workspace-write",
                                        "HACCESS_ACCESS=read-only", "HACCESS_LANE=read"};

    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        cJSON *said = explain(t, LIST(asked[k]));

        if (strcmp(string_at(said, "outcome"), "refuse") != 0)
            wrong(t, "%s: %s", asked[k], string_at(said, "outcome"));
        cJSON_Delete(said);
    }
}

/* Everything that the user said in a request, in one text. */
static char *
prompt_of(const cJSON *body)
{
    char *all = format("%s", "");
    const cJSON *message, *part;

    cJSON_ArrayForEach(message, get(body, "messages")) if (strcmp(string_at(message, "role"), "user") == 0)
        cJSON_ArrayForEach(part, get(message, "content"))
    {
        char *longer = format("%s%s\n", all, string_at(part, "text"));
        free(all);
        all = longer;
    }
    return all;
}

/* The real one, started with the library as a user does. */
static void
check_real(const struct trial *t, const cJSON *said)
{
    const char *build = getenv("HACCESS_BUILD"), *model = string_at(get(said, "request"), "model");
    char *body_path = format("%s/requests.jsonl.o%u", w.top, t->worker),
         *preload = format("LD_PRELOAD=%s/libhaccess.so", build),
         *program = format("%s/vendors/node_modules/.bin/opencode", build), *text, *prompt;
    struct vector argv = {0};
    struct answer a;
    cJSON *body;

    unlink(body_path);
    vector_add(&argv, program);
    for (size_t k = 1; k < t->argv.count; k++)
        vector_add(&argv, t->argv.words[k]);
    run(t, argv.words, LIST(preload), &a);
    text = read_file(body_path);
    body = cJSON_Parse(text);
    prompt = prompt_of(body);
    if (body == NULL)
        wrong(t, "opencode: exit %d, asked no model: %.400s%.400s", a.status, a.out, a.err);
    else if (strchr(model, '/') == NULL || strcmp(strchr(model, '/') + 1, string_at(body, "model")) != 0)
        wrong(t, "haccess says %s, opencode asks %s", model, string_at(body, "model"));
    for (const char *const *p = prompts; body != NULL && *p != NULL; p++)
        for (size_t k = 2; k < t->argv.count; k++)
            if (strcmp(t->argv.words[k], *p) == 0 && strstr(prompt, *p) == NULL)
                wrong(t, "the prompt is not %s, it is %s", *p, prompt);
    cJSON_Delete(body);
    answer_free(&a);
    vector_free(&argv);
    free(prompt);
    free(text);
    free(program);
    free(preload);
    free(body_path);
}

static void
trial(size_t number, unsigned worker, struct chance *c, FILE *report, void *context)
{
    struct trial t = {.worker = worker, .report = report};
    cJSON *said;

    (void)number, (void)context;
    for (size_t k = 0; k < EXPLAINED; k++) {
        bool server = make_any(c, &t.argv);

        said = explain(&t, NULL);
        check_explained(&t, said, server ? "server" : "session");
        if (k == 0)
            check_asked(&t);
        cJSON_Delete(said);
        vector_free(&t.argv);
    }
    make_run(c, &t.argv);
    said = explain(&t, NULL);
    check_explained(&t, said, "session");
    check_real(&t, said);
    cJSON_Delete(said);
    vector_free(&t.argv);
}

START_TEST(opencode_is_left_as_it_is)
{
    struct differ d = {
        .name = "differ_opencode", .trials = TRIALS, .workers = WORKERS, .seconds = 900, .trial = trial};

    world_open(&w, "{}");
    for (unsigned k = 0; k < WORKERS; k++) {
        char *name = format("opencode-%u.json", k),
             *text = format("{ \"provider\": { \"anthropic\": { \"options\": { \"baseURL\": "
                            "\"http://127.0.0.1:%d/refuse/o%u/v1\", "
                            "\"apiKey\": \"none\" } } }, \"autoupdate\": false, \"share\": \"disabled\" }\n",
                            w.port, k);

        world_write(&w, name, 0644, text);
        free(text);
        free(name);
    }
    size_t failed = differ(&d);
    world_close(&w);
    ck_assert_uint_eq(failed, 0);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("random command lines of opencode");
    TCase *t = tcase_create("differ");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 1000);
    tcase_add_test(t, opencode_is_left_as_it_is);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
