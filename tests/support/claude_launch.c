#include "claude_launch.h"

#include <check.h>
#include <stdarg.h>
#include <string.h>

struct mem *claude_mem;
struct invocation claude_invocation;
struct request claude_request;
struct rendered claude_rendered;
char *claude_environment[8];
struct config_file claude_files[8];
static struct strings read_allow, read_deny;

void
claude_setup(void)
{
    claude_mem = mem_new();
    memset(&claude_invocation, 0, sizeof(claude_invocation));
    memset(claude_environment, 0, sizeof(claude_environment));
    memset(claude_files, 0, sizeof(claude_files));
    memset(&read_allow, 0, sizeof(read_allow));
    memset(&read_deny, 0, sizeof(read_deny));
    claude_invocation.envp = claude_environment;
    claude_invocation.uid = 1000;
    claude_invocation.home = "/home/user";
    claude_invocation.cwd = claude_invocation.project = "/home/user/project";
    claude_invocation.files = claude_files;
}

void
claude_teardown(void)
{
    mem_free(claude_mem);
}

void
claude_set_env(const char *entry)
{
    size_t n = 0;

    while (claude_environment[n] != NULL)
        n++;
    claude_environment[n] = mem_strdup(claude_mem, entry);
}

void
claude_set_file(const char *path, int role, const char *text)
{
    claude_files[claude_invocation.nfiles++] =
        (struct config_file){.path = path, .role = role, .text = text, .length = strlen(text)};
}

/* Reads a command line: its words, the last one NULL. */
void
claude_read_argv(char **argv)
{
    size_t argc = 0;

    while (argv[argc] != NULL)
        argc++;
    command_parse(claude_mem, &claude_grammar, argv, argc, 1, &claude_invocation.command);
    memset(&claude_request, 0, sizeof(claude_request));
    adapter_claude.request(claude_mem, &claude_invocation, &claude_request);
}

static char **
words(va_list ap, const char *first)
{
    struct strings list = {NULL, 0, 0};

    for (const char *w = first; w != NULL; w = va_arg(ap, const char *))
        strings_add(claude_mem, &list, mem_strdup(claude_mem, w));
    return list.items;
}

void
claude_read_words(const char *first, ...)
{
    va_list ap;

    va_start(ap, first);
    claude_read_argv(words(ap, first));
    va_end(ap);
}

const char *
claude_access(void)
{
    const char *detail = NULL;

    request_resolve(claude_mem, &claude_request, &detail);
    return access_word(claude_request.access);
}

const char *
claude_class(void)
{
    return class_word(adapter_claude.classify(claude_mem, &claude_invocation.command));
}

/* Renders what was read. */
void
claude_spell(enum projection p, bool narrowed)
{
    struct rendering how = {.projection = p,
                            .granted = p == PROJECTION_FULL,
                            .narrowed = narrowed,
                            .read_allow = &read_allow,
                            .read_deny = &read_deny};

    adapter_claude.render(claude_mem, &claude_invocation, &claude_request, &how, &claude_rendered);
}

void
claude_is_argv(const char *first, ...)
{
    va_list ap;
    char **want;
    size_t n = 0;

    ck_assert_int_eq(claude_rendered.refusal, REFUSAL_NONE);
    va_start(ap, first);
    want = words(ap, first);
    va_end(ap);
    for (; want[n] != NULL; n++) {
        ck_assert_msg(claude_rendered.argv[n] != NULL, "word %zu: want '%s', nothing there", n, want[n]);
        ck_assert_msg(strcmp(want[n], claude_rendered.argv[n]) == 0, "word %zu: want '%s', got '%s'", n,
                      want[n], claude_rendered.argv[n]);
    }
    ck_assert_msg(claude_rendered.argv[n] == NULL, "word %zu too many: '%s'", n, claude_rendered.argv[n]);
    ck_assert_uint_eq(claude_rendered.argc, n);
}

/* Renders the rendering again, which must change nothing. */
void
claude_stays(enum projection p)
{
    char **first = claude_rendered.argv;
    size_t n = 0;

    claude_read_argv(first);
    claude_spell(p, false);
    ck_assert_int_eq(claude_rendered.refusal, REFUSAL_NONE);
    for (; first[n] != NULL && claude_rendered.argv[n] != NULL; n++)
        ck_assert_msg(strcmp(first[n], claude_rendered.argv[n]) == 0, "word %zu: '%s', again '%s'", n,
                      first[n], claude_rendered.argv[n]);
    ck_assert(first[n] == NULL && claude_rendered.argv[n] == NULL);
}

void
claude_set_lane(void)
{
    strings_add(claude_mem, &read_allow, mem_strdup(claude_mem, "Read"));
    strings_add(claude_mem, &read_allow, mem_strdup(claude_mem, "Bash(git diff:*)"));
    strings_add(claude_mem, &read_deny, mem_strdup(claude_mem, "Edit"));
    strings_add(claude_mem, &read_deny, mem_strdup(claude_mem, "Bash(git push:*)"));
    claude_invocation.read_allow = &read_allow;
    claude_invocation.read_deny = &read_deny;
}
