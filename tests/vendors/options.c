/* What --help of a real CLI lists has to be in the adapter's table: every command, every option, and whether it takes a value;
 * in the versions that the tables were checked against, and in older ones. When this fails, the CLI has changed: mend the
 * table, and the version beside it. */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../shim/adapters/adapter.h"
#include "support/files.h"
#include "support/help.h"
#include "support/world.h"

/* One reading of all pages of one CLI. */
struct reading {
    struct world *w;
    const struct grammar *grammar;
    const char *path;    /* where the CLI is: a shell word in front of PATH */
    const char *version; /* what it calls itself */
    char *bad;           /* what is wrong, a line each */
    int pages;
};

__attribute__((format(printf, 2, 3))) static void
differ(struct reading *r, const char *text, ...)
{
    va_list ap;
    char *line, *all;

    va_start(ap, text);
    ck_assert_int_ne(vasprintf(&line, text, ap), -1);
    va_end(ap);
    all = format("%s%s\n", r->bad == NULL ? "" : r->bad, line);
    free(r->bad);
    free(line);
    r->bad = all;
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

/* yargs' pages tell flags from what takes values, and no more. */
static bool
same_arity(const struct grammar *g, enum arity table, enum arity listed)
{
    return g->yargs ? (table == ARITY_SWITCH) == (listed == ARITY_NONE) : table == listed;
}

static void
check_options(struct reading *r, const char *path, const struct command_spec *c, const struct help *h)
{
    static const char *const words[] = {"none", "one", "switch", "optional", "many"};

    for (size_t i = 0; i < h->noptions; i++)
        for (size_t k = 0; k < h->options[i].count; k++) {
            const struct help_option *listed = &h->options[i];
            const struct option_spec *o = find_option(c, listed->names[k]);

            if (o == NULL)
                differ(r, "%s %s is not in the table (%s)", path, listed->names[k], words[listed->arity]);
            else if (!same_arity(r->grammar, o->arity, listed->arity))
                differ(r, "%s %s: %s in the table, %s in its help", path, listed->names[k], words[o->arity],
                       words[listed->arity]);
        }
}

/* Checks the help of a command and of everything that it lists. */
static void
check_command(struct reading *r, const char *path, const struct command_spec *c)
{
    char *line = format("PATH=%s:$PATH COLUMNS=200 GEMINI_CLI_NO_RELAUNCH=1 %s --help 2>&1", r->path, path);
    struct outcome o;
    struct help h;

    world_type(r->w, line, &o);
    if (o.status != 0)
        differ(r, "%s: exit %d", line, o.status);
    help_read(o.out, path, &h);
    outcome_free(&o);
    free(line);
    r->pages++;
    check_options(r, path, c, &h);
    for (size_t i = 0; i < h.ncommands; i++) {
        const struct help_command *listed = &h.commands[i];
        const struct command_spec *sub = find_command(c, listed->names[0]);
        char *inner = format("%s %s", path, listed->names[0]);

        for (size_t k = 0; k < listed->count; k++)
            if (strcmp(listed->names[k], "help") != 0 && find_command(c, listed->names[k]) != sub)
                differ(r, "%s is not in the table as %s", inner, listed->names[k]);
        /* The page of help is that of its command, and that of completion the root's. */
        if (strcmp(listed->names[0], "help") == 0 || strcmp(inner, "opencode completion") == 0)
            ;
        else if (sub == NULL)
            differ(r, "%s is not in the table", inner);
        else
            check_command(r, inner, sub);
        free(inner);
    }
    help_free(&h);
}

/* Commands that no page lists, and that have one. */
static const char *const hidden_codex[] = {
    "execpolicy",     "execpolicy check", "cloud", "responses-api-proxy", "tcp-tunnel",
    "git-credential", "migrate-rollouts", NULL};
static const char *const hidden_claude[] = {
    "attach", "respawn", "logs", "stop", "rm", "import", "daemon", "remote-control", "self-hosted-runner",
    NULL};
static const char *const none[] = {NULL};

#define NEWEST "$NEWEST"
#define OLDER  "$OLDER"

static const struct {
    const struct adapter *adapter;
    const char *name, *path, *version;
    int pages; /* at least so many: fewer were not read right */
    const char *const *hidden;
} clis[] = {
    {&adapter_codex, "codex", NEWEST, "0.171.0", 80, hidden_codex},
    {&adapter_codex, "codex", OLDER, "0.151.0", 60, none},
    {&adapter_claude, "claude", NEWEST, "2.1.332", 50, hidden_claude},
    {&adapter_claude, "claude", OLDER, "2.1.197", 40, none},
    {&adapter_opencode, "opencode", NEWEST, "1.18.33", 60, none},
    {&adapter_opencode, "opencode", OLDER, "1.17.18", 60, none},
    {&adapter_gemini, "gemini", NEWEST, "0.61.0", 33, none},
    {&adapter_gemini, "gemini", OLDER, "0.51.0", 33, none},
};

START_TEST(help_lists_nothing_unknown)
{
    struct world w;
    struct outcome o;
    struct reading r = {
        .w = &w, .grammar = clis[_i].adapter->grammar, .path = clis[_i].path, .version = clis[_i].version};
    if (clis[_i].adapter == &adapter_gemini && !world_runs_gemini())
        return;

    char *line = format("PATH=%s:$PATH %s --version", clis[_i].path, clis[_i].name);

    world_open(&w, "{}");
    world_type(&w, line, &o);
    ck_assert_msg(o.status == 0 && strstr(o.out, r.version) != NULL, "%s: %s", line, o.out);
    outcome_free(&o);
    free(line);
    check_command(&r, clis[_i].name, clis[_i].adapter->grammar->root);
    for (const char *const *hidden = clis[_i].hidden; *hidden != NULL; hidden++) {
        const struct command_spec *c = clis[_i].adapter->grammar->root;
        char *path = format("%s %s", clis[_i].name, *hidden), *words = format("%s", *hidden), *save = NULL;

        for (char *word = strtok_r(words, " ", &save); word != NULL && c != NULL;
             word = strtok_r(NULL, " ", &save))
            c = find_command(c, word);
        ck_assert_msg(c != NULL, "%s is not in the table", path);
        check_command(&r, path, c);
        free(words);
        free(path);
    }
    if (r.bad != NULL)
        fprintf(stderr, "%s %s:\n%s", clis[_i].name, r.version, r.bad); /* too long for a message */
    ck_assert_msg(r.bad == NULL, "the table of %s lacks something of %s", clis[_i].name, r.version);
    ck_assert_int_ge(r.pages, clis[_i].pages);
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

    tcase_set_timeout(t, 1200);
    tcase_add_loop_test(t, help_lists_nothing_unknown, 0, sizeof clis / sizeof clis[0]);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
