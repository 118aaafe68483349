/* A page of --help, line by line. Options and commands stand at the left, what is wrapped stands further in. */
#include "help.h"

#include <check.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options stand to the left of this column; what begins with a dash further in is prose. */
#define MARGIN 8

enum section { OTHER, COMMANDS, PROSE };

static const char *
line_end(const char *s)
{
    return s + strcspn(s, "\n");
}

/* Keeps the length bytes at s as one more name. */
static void
keep(char (*names)[64], size_t *count, const char *before, const char *s, size_t length)
{
    ck_assert_msg(*count < HELP_NAMES && length < 60, "too many names, or too long: %.80s", s);
    snprintf(names[(*count)++], sizeof *names, "%s%.*s", before, (int)length, s);
}

/* The arity that stands behind the names: <X>, <X>..., <x...>, [x], [=<x>]. */
static enum arity
written_arity(const char *value)
{
    const char *end = value + strcspn(value, ">]\n");

    if (*value != '<' && *value != '[')
        return ARITY_NONE;
    if (strncmp(end, ">...", 4) == 0 || (end - value > 3 && strncmp(end - 3, "...", 3) == 0))
        return ARITY_MANY;
    return *value == '<' ? ARITY_ONE : ARITY_OPTIONAL;
}

/* yargs writes the type at the right margin, or on a line of its own below. */
static enum arity
typed_arity(const char *line)
{
    static const struct {
        const char *type;
        enum arity arity;
    } types[] = {{"[boolean]", ARITY_NONE},
                 {"[string]", ARITY_ONE},
                 {"[number]", ARITY_ONE},
                 {"[array]", ARITY_MANY},
                 {"[choices:", ARITY_ONE}};
    const char *first = NULL, *what = line;
    enum arity arity = ARITY_NONE;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *at = strstr(line, types[i].type);

        if (at != NULL && (first == NULL || at < first)) {
            first = at;
            arity = types[i].arity;
        }
    }
    ck_assert_msg(first != NULL, "no type behind %.60s", what);
    return arity;
}

/* "-c, --config <key=value>  ...", "--[no-]chrome", "--debug[=<filter>]" */
static void
read_option(const char *s, bool yargs, struct help *h)
{
    struct help_option *o;
    const char *whole = s;

    h->options = reallocarray(h->options, h->noptions + 1, sizeof *h->options);
    ck_assert_ptr_nonnull(h->options);
    o = &h->options[h->noptions++];
    memset(o, 0, sizeof *o);
    while (*s == '-') {
        bool both = strncmp(s, "--[no-]", 7) == 0;
        const char *name = both ? s + 7 : s;
        size_t n = strcspn(name, " ,=[\n");

        keep(o->names, &o->count, both ? "--" : "", name, n);
        if (both)
            keep(o->names, &o->count, "--no-", name, n);
        s = name + n;
        if (*s == ',')
            s++;
        if (strncmp(s, "  ", 2) == 0)
            break;
        s += strspn(s, " ");
    }
    o->arity = yargs ? typed_arity(whole) : written_arity(s);
}

/* "exec  ... [aliases: e]", "plugin|plugins  ...", "opencode mcp list  ...  [aliases: ls]"; yargs lists the command of the page
 * itself, too. */
static void
read_command(const char *s, const char *path, bool yargs, struct help *h)
{
    const char *end = line_end(s), *aliases;
    struct help_command *c;

    if (yargs) {
        size_t n = strlen(path);

        if (strncmp(s, path, n) != 0 || s[n] != ' ' || !islower((unsigned char)s[n + 1]))
            return;
        s += n + 1;
    }
    h->commands = reallocarray(h->commands, h->ncommands + 1, sizeof *h->commands);
    ck_assert_ptr_nonnull(h->commands);
    c = &h->commands[h->ncommands++];
    memset(c, 0, sizeof *c);
    for (;; s++) {
        size_t n = strcspn(s, " |\n");

        keep(c->names, &c->count, "", s, n);
        s += n;
        if (*s != '|')
            break;
    }
    aliases = strstr(s, "[aliases: ");
    if (aliases == NULL || aliases > end)
        return;
    for (s = aliases + strlen("[aliases: "); islower((unsigned char)*s); s += strspn(s, ", ")) {
        size_t n = strcspn(s, ",]\n");

        keep(c->names, &c->count, "", s, n);
        s += n;
    }
}

void
help_read(const char *text, const char *path, struct help *out)
{
    bool yargs = strstr(text, "[boolean]") != NULL;
    enum section section = OTHER;

    memset(out, 0, sizeof *out);
    for (const char *line = text; *line != '\0'; line = line_end(line), line += *line == '\n') {
        size_t indent = strspn(line, " ");
        const char *s = line + indent;

        if (*s == '\n' || *s == '\0')
            continue;
        if (indent == 0)
            section = strncmp(s, "Commands:", 9) == 0 ? COMMANDS
                      : strncmp(s, "Example", 7) == 0 || strncmp(s, "Usage", 5) == 0 ||
                              strncmp(s, "USAGE", 5) == 0 || strncmp(s, "NOTES", 5) == 0
                          ? PROSE
                          : OTHER;
        else if (section == COMMANDS && indent == 2 && islower((unsigned char)*s))
            read_command(s, path, yargs, out);
        else if (section == OTHER && indent < MARGIN && *s == '-' &&
                 (s[1] == '-' || isalpha((unsigned char)s[1])))
            read_option(s, yargs, out);
    }
}

void
help_free(struct help *h)
{
    free(h->options);
    free(h->commands);
    memset(h, 0, sizeof *h);
}
