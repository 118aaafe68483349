#include "claude_launch.h"

#include <check.h>
#include <stdarg.h>
#include <string.h>

struct mem *region;
struct invocation launched;
struct request asked;
struct rendered rendered;
char *environment[8];
struct config_file files[8];
static struct strings read_allow, read_deny;

void
claude_setup(void)
{
    region = mem_new();
    memset(&launched, 0, sizeof(launched));
    memset(environment, 0, sizeof(environment));
    memset(files, 0, sizeof(files));
    memset(&read_allow, 0, sizeof(read_allow));
    memset(&read_deny, 0, sizeof(read_deny));
    launched.envp = environment;
    launched.uid = 1000;
    launched.home = "/home/user";
    launched.cwd = launched.project = "/home/user/project";
    launched.files = files;
}

void
claude_teardown(void)
{
    mem_free(region);
}

void
set_env(const char *entry)
{
    size_t n = 0;

    while (environment[n] != NULL)
        n++;
    environment[n] = mem_strdup(region, entry);
}

void
set_file(const char *path, int role, const char *text)
{
    files[launched.nfiles++] =
        (struct config_file){.path = path, .role = role, .text = text, .length = strlen(text)};
}

/* Reads a command line: its words, the last one NULL. */
void
read_argv(char **argv)
{
    size_t argc = 0;

    while (argv[argc] != NULL)
        argc++;
    command_parse(region, &claude_grammar, argv, argc, 1, &launched.command);
    memset(&asked, 0, sizeof(asked));
    adapter_claude.request(region, &launched, &asked);
}

static char **
words(va_list ap, const char *first)
{
    struct strings list = {NULL, 0, 0};

    for (const char *w = first; w != NULL; w = va_arg(ap, const char *))
        strings_add(region, &list, mem_strdup(region, w));
    return list.items;
}

void
launch(const char *first, ...)
{
    va_list ap;

    va_start(ap, first);
    read_argv(words(ap, first));
    va_end(ap);
}

const char *
access_of(void)
{
    const char *detail = NULL;

    request_resolve(region, &asked, &detail);
    return access_word(asked.access);
}

const char *
class_of(void)
{
    return class_word(adapter_claude.classify(region, &launched.command));
}

/* Renders what was launched. */
void
render(enum projection p, bool narrowed)
{
    struct rendering how = {.projection = p,
                            .granted = p == PROJECTION_FULL,
                            .narrowed = narrowed,
                            .read_allow = &read_allow,
                            .read_deny = &read_deny};

    adapter_claude.render(region, &launched, &asked, &how, &rendered);
}

void
is_argv(const char *first, ...)
{
    va_list ap;
    char **want;
    size_t n = 0;

    ck_assert_int_eq(rendered.refusal, REFUSAL_NONE);
    va_start(ap, first);
    want = words(ap, first);
    va_end(ap);
    for (; want[n] != NULL; n++) {
        ck_assert_msg(rendered.argv[n] != NULL, "word %zu: want '%s', nothing there", n, want[n]);
        ck_assert_msg(strcmp(want[n], rendered.argv[n]) == 0, "word %zu: want '%s', got '%s'", n, want[n],
                      rendered.argv[n]);
    }
    ck_assert_msg(rendered.argv[n] == NULL, "word %zu too many: '%s'", n, rendered.argv[n]);
    ck_assert_uint_eq(rendered.argc, n);
}

/* Renders the rendering again, which must change nothing. */
void
stays(enum projection p)
{
    char **first = rendered.argv;
    size_t n = 0;

    read_argv(first);
    render(p, false);
    ck_assert_int_eq(rendered.refusal, REFUSAL_NONE);
    for (; first[n] != NULL && rendered.argv[n] != NULL; n++)
        ck_assert_msg(strcmp(first[n], rendered.argv[n]) == 0, "word %zu: '%s', again '%s'", n, first[n],
                      rendered.argv[n]);
    ck_assert(first[n] == NULL && rendered.argv[n] == NULL);
}

void
set_lane(void)
{
    strings_add(region, &read_allow, mem_strdup(region, "Read"));
    strings_add(region, &read_allow, mem_strdup(region, "Bash(git diff:*)"));
    strings_add(region, &read_deny, mem_strdup(region, "Edit"));
    strings_add(region, &read_deny, mem_strdup(region, "Bash(git push:*)"));
    launched.read_allow = &read_allow;
    launched.read_deny = &read_deny;
}
