#include "codex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/decide/decision.h"

struct mem *m;
struct invocation inv;
struct request req;

static struct config_file given[8];
static size_t ngiven;

static void
setup(void)
{
    m = mem_new();
    memset(&inv, 0, sizeof(inv));
    memset(&req, 0, sizeof(req));
    inv.home = HOME;
    inv.cwd = inv.project = inv.git_top = PROJECT;
    ngiven = 0;
}

static void
teardown(void)
{
    mem_free(m);
}

void
file(const char *path, const char *text)
{
    given[ngiven++] = (struct config_file){.path = path, .text = text, .length = strlen(text)};
}

void
change_file(size_t index, const char *text)
{
    given[index].text = text;
    given[index].length = strlen(text);
}

void
change_error(size_t index, int error)
{
    given[index].error = error;
}

void
unreadable(const char *path, int error)
{
    given[ngiven++] = (struct config_file){.path = path, .error = error};
}

void
no_files(void)
{
    ngiven = 0;
}

/* What reading the file came to. The git top level has its repository. */
static void
fill(struct config_file *f)
{
    const char *git = inv.git_top == NULL ? "" : mem_printf(m, "%s/.git", inv.git_top);

    f->error = ENOENT;
    if (strcmp(f->path, git) == 0)
        f->error = EINVAL;
    if (strcmp(f->path, mem_printf(m, "%s/HEAD", git)) == 0)
        f->error = 0;
    for (size_t g = 0; g < ngiven; g++)
        if (strcmp(given[g].path, f->path) == 0) {
            f->text = given[g].text;
            f->length = given[g].length;
            f->error = given[g].error;
        }
}

void
ask_argv(char *const argv[], size_t argc)
{
    struct config_list list = {0};
    const char *detail;

    command_parse(m, adapter_codex.grammar, argv, argc, 1, &inv.command);
    inv.nfiles = 0;
    for (adapter_codex.config(m, &inv, &list); list.count != inv.nfiles;
         adapter_codex.config(m, &inv, &list)) {
        for (size_t k = inv.nfiles; k < list.count; k++)
            fill(&list.files[k]);
        inv.files = list.files;
        inv.nfiles = list.count;
    }
    memset(&req, 0, sizeof(req));
    adapter_codex.request(m, &inv, &req);
    request_resolve(m, &req, &detail);
}

void
ask(const char *line)
{
    struct strings words = {0};

    strings_add(m, &words, "codex");
    while (*line != '\0') {
        size_t n = strcspn(line, "|");

        strings_add(m, &words, mem_strndup(m, line, n));
        line += n + (line[n] == '|');
    }
    ask_argv(words.items, words.count);
}

void
access_is(const char *line, const char *want)
{
    ask(line);
    ck_assert_msg(strcmp(access_word(req.access), want) == 0, "%s: %s, expected %s", line,
                  access_word(req.access), want);
}

const char *
join(char *const argv[])
{
    const char *line = "";

    for (size_t i = 1; argv[i] != NULL; i++)
        line = mem_printf(m, "%s%s%s", line, i == 1 ? "" : "|", argv[i]);
    return line;
}

const char *
render(enum projection p, enum how how)
{
    struct rendering r = {.projection = p, .narrowed = how == NARROWED, .granted = how == GRANTED};
    struct rendered out = {0};

    adapter_codex.render(m, &inv, &req, &r, &out);
    ck_assert_ptr_null(out.argv[out.argc]);
    return join(out.argv);
}

int
codex_suite(const char *name, const TTest *const tests[], size_t count)
{
    Suite *s = suite_create(name);
    TCase *t = tcase_create(name);
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    for (size_t k = 0; k < count; k++)
        tcase_add_test(t, tests[k]);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
