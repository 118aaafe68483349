/* What codex --help lists has to be in the adapter's table: every command, every option, and whether it takes a value.
 * When this fails, the CLI has changed: mend the table, and the version beside it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/adapters/adapter.h"
#include "support/files.h"
#include "support/world.h"

static struct world w;

/* Copies the word at s, which ends before any of the stops, into a buffer; returns what is behind it. */
static const char *
word(const char *s, const char *stops, char *into, size_t size)
{
    size_t n = strcspn(s, stops);

    ck_assert_uint_lt(n, size);
    memcpy(into, s, n);
    into[n] = '\0';
    return s + n;
}

/* The arity that help gives an option: what stands behind its names. */
static enum arity
listed_arity(const char *value)
{
    const char *end = value + strcspn(value, ">]");

    if (*value != '<' && *value != '[')
        return ARITY_NONE;
    if (strncmp(end, ">...", 4) == 0 || (end - value > 3 && strncmp(end - 3, "...", 3) == 0))
        return ARITY_MANY;
    return *value == '<' ? ARITY_ONE : ARITY_OPTIONAL;
}

static const struct option_spec *
find_option(const struct command_spec *c, const char *name)
{
    for (const struct option_spec *o = c->options; o != NULL && (o->longname != NULL || o->shortname != '\0');
         o++)
        if (name[1] == '-' ? o->longname != NULL && strcmp(o->longname, name + 2) == 0
                           : o->shortname == name[1] && name[2] == '\0')
            return o;
    return NULL;
}

/* "-c, --config <key=value>  ...": the names, and what they take. */
static void
check_option(const char *path, const struct command_spec *c, const char *line)
{
    char names[8][64];
    size_t count = 0;

    while (*line == '-') {
        ck_assert_uint_lt(count, 8);
        line = word(line, " ,\n", names[count++], sizeof(names[0]));
        line += strspn(line, ",");
        if (strncmp(line, "  ", 2) == 0)
            break;
        line += strspn(line, " ");
    }
    for (size_t k = 0; k < count; k++) {
        const struct option_spec *o = find_option(c, names[k]);

        ck_assert_msg(o != NULL, "%s: %s is not in the table", path, names[k]);
        ck_assert_msg(o->arity == listed_arity(line), "%s %s: %s", path, names[k], line);
    }
}

static const struct command_spec *
find_command(const struct command_spec *c, const char *name)
{
    for (const struct command_spec *const *s = c->subcommands; s != NULL && *s != NULL; s++) {
        if (strcmp((*s)->name, name) == 0)
            return *s;
        for (const char *const *a = (*s)->aliases; a != NULL && *a != NULL; a++)
            if (strcmp(*a, name) == 0)
                return *s;
    }
    return NULL;
}

/* Checks the help of a command, then that of its subcommands in the table. */
static void
check_command(const char *path, const struct command_spec *c)
{
    struct outcome o;
    char *line = format("COLUMNS=200 %s --help", path);
    enum { OTHER, COMMANDS, OPTIONS } section = OTHER;

    world_type(&w, line, &o);
    ck_assert_msg(o.status == 0, "%s: %s", line, o.err);
    for (char *at = o.out; at != NULL; at = strchr(at, '\n')) {
        size_t indent;

        at += *at == '\n';
        indent = strspn(at, " ");
        if (indent == 0 && *at != '\n' && *at != '\0')
            section = strncmp(at, "Commands:", 9) == 0                                 ? COMMANDS
                      : strncmp(at, "Options", 7) == 0 || strstr(at, "ptions") != NULL ? OPTIONS
                                                                                       : OTHER;
        if (section == OPTIONS && indent > 0 && indent < 8 && at[indent] == '-')
            check_option(path, c, at + indent);
        if (section == COMMANDS && indent == 2) {
            char name[64];

            word(at + indent, " |\n", name, sizeof(name));
            ck_assert_msg(strcmp(name, "help") == 0 || find_command(c, name) != NULL,
                          "%s: %s is not in the table", path, name);
        }
    }
    outcome_free(&o);
    free(line);
    for (const struct command_spec *const *s = c->subcommands; s != NULL && *s != NULL; s++) {
        char *inner;

        if (strcmp((*s)->name, "help") == 0)
            continue;
        inner = format("%s %s", path, (*s)->name);
        check_command(inner, *s);
        free(inner);
    }
}

START_TEST(codex_help_lists_nothing_unknown)
{
    world_open(&w, "{}");
    check_command("codex", adapter_codex.grammar->root);
    world_close(&w);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("options of the real CLIs");
    TCase *t = tcase_create("options");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_set_timeout(t, 400);
    tcase_add_test(t, codex_help_lists_nothing_unknown);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
