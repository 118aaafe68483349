/* Properties of the Claude Code adapter that hold for every command line, tried on random ones. A failure prints the seed, the
 * trial and the launch; HACCESS_SEED and HACCESS_TRIAL replay it (tests/vendors/support/differ.h). */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/claude_launch.h"
#include "vendors/support/claude_vectors.h"

#define TRIALS 6000

static struct claude_vector v;
static unsigned long long seed, trial;
static const char *manner;

static unsigned long long
number(const char *name, unsigned long long otherwise)
{
    const char *value = getenv(name);

    if (value == NULL || *value == '\0')
        return otherwise;
    return strcmp(value, "fresh") == 0 ? (unsigned long long)time(NULL) : strtoull(value, NULL, 10);
}

static void
hold(bool is, const char *what)
{
    char *argv, *rendered;

    if (is)
        return;
    argv = vector_quote(v.argv.words);
    rendered = claude_rendered.argv != NULL ? vector_quote(claude_rendered.argv) : strdup("(none)");
    ck_abort_msg(
        "HACCESS_SEED=%llu HACCESS_TRIAL=%llu, %s: %s\n%s\n%s\nuser %s\nproject %s\nlocal %s\nnamed %s", seed,
        trial, manner, what, argv, rendered, v.user, v.project, v.local, v.named);
}

/* What of a command line is the user's own: the words that no rendering may touch. */
struct rest {
    struct strings words; /* operands, data and unknown words, in their order */
    struct strings
        values; /* of the options that stay, with their names, in their order; not those that may move */
};

static bool
stays(int id, enum projection p, bool narrowed)
{
    switch (id) {
    case OPTION_MODE:
    case OPTION_SKIP:
    case OPTION_ALLOW_SKIP:
    case OPTION_INHERIT:
    case OPTION_SETTINGS:
        return false;
    case OPTION_ALLOW:
        return p != PROJECTION_READ_ONLY && !narrowed;
    case OPTION_DENY:
        return p != PROJECTION_READ_ONLY;
    case OPTION_ADD_DIR:
        return !narrowed;
    default:
        return true;
    }
}

static void
read_rest(const struct command *c, enum projection p, bool narrowed, struct rest *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = c->first; i < c->argc; i++) {
        unsigned char kind = c->words[i].kind;

        if (kind == WORD_OPERAND || kind == WORD_DATA || kind == WORD_UNKNOWN || kind == WORD_SUBCOMMAND)
            strings_add(claude_mem, &out->words, c->argv[i]);
    }
    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];

        if (!stays(o->spec->id, p, narrowed))
            continue;
        if (o->spec->arity == ARITY_OPTIONAL && o->nvalues == 0)
            continue; /* it moves in front of what would become its value */
        if (o->nvalues == 0)
            strings_add(claude_mem, &out->values, o->spec->longname != NULL ? o->spec->longname : "-");
        for (size_t i = 0; i < o->nvalues; i++)
            strings_add(claude_mem, &out->values,
                        mem_printf(claude_mem, "%s=%s", o->spec->longname != NULL ? o->spec->longname : "-",
                                   occurrence_value(c, o, i)));
    }
}

static bool
same(const struct strings *a, const struct strings *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}

static size_t
count(const struct command *c, int id)
{
    size_t n = 0;

    for (size_t k = 0; k < c->noptions; k++)
        n += c->options[k].spec->id == id;
    return n;
}

static void
set_files(void)
{
    claude_invocation.nfiles = 0;
    if (v.user != NULL)
        claude_set_file("/home/user/.claude/settings.json", ROLE_USER, v.user);
    if (v.project != NULL)
        claude_set_file("/home/user/project/.claude/settings.json", ROLE_PROJECT, v.project);
    if (v.local != NULL)
        claude_set_file("/home/user/project/.claude/settings.local.json", ROLE_LOCAL, v.local);
}

/* Reads a command line, and the file that its --settings names, where it is the one that is there. */
static void
read_launch(char **argv)
{
    const struct occurrence *o;

    set_files();
    claude_read_argv(argv);
    o = command_last(&claude_invocation.command, OPTION_SETTINGS);
    if (v.named == NULL || o == NULL || o->value == NULL || strstr(o->value, CLAUDE_SETTINGS_NAME) == NULL ||
        strlen(o->value) > 12)
        return;
    claude_set_file("/home/user/project/" CLAUDE_SETTINGS_NAME, ROLE_FLAG, v.named);
    claude_read_argv(argv);
}

static void
try_rendering(enum projection p, bool narrowed)
{
    struct rest before, after;
    struct rendered first;
    const struct command *c = &claude_invocation.command;
    const char *detail = NULL;

    manner = p == PROJECTION_FULL        ? "full-access"
             : p == PROJECTION_READ_ONLY ? "read-only"
             : narrowed                  ? "narrowed"
                                         : "workspace-write";
    read_launch(v.argv.words);
    claude_rendered.argv = NULL;
    claude_access();
    read_rest(c, p, narrowed, &before);
    claude_spell(p, narrowed);
    if (claude_rendered.refusal != REFUSAL_NONE)
        return;
    first = claude_rendered;
    read_launch(first.argv);
    read_rest(c, p, narrowed, &after);
    hold(same(&before.words, &after.words), "operands differ");
    if (p == PROJECTION_READ_ONLY) { /* its own tool lists are put in front */
        hold(count(c, OPTION_ALLOW) <= 1, "more than one allow list");
    }
    hold(same(&before.values, &after.values), "other options differ");
    hold(count(c, OPTION_SETTINGS) <= 1, "more than one --settings");
    hold(count(c, OPTION_MODE) == 1, "not one mode");
    hold(count(c, OPTION_SKIP) + count(c, OPTION_ALLOW_SKIP) + count(c, OPTION_INHERIT) == 0,
         "a bypass stays");
    if (request_resolve(claude_mem, &claude_request, &detail) == REFUSAL_NONE) {
        enum access access = claude_request.access;

        /* A file or a root may still open it, which the launch refuses then. */
        hold(p != PROJECTION_FULL || access == ACCESS_FULL, "not read as full access again");
        hold(p != PROJECTION_READ_ONLY || access == ACCESS_READ_ONLY, "not read as read-only again");
    }
    claude_spell(p, narrowed);
    hold(claude_rendered.refusal == REFUSAL_NONE, "refused when rendered again");
    for (size_t i = 0; i < first.argc || i < claude_rendered.argc; i++)
        hold(i < first.argc && i < claude_rendered.argc &&
                 strcmp(first.argv[i], claude_rendered.argv[i]) == 0,
             "rendered again it differs");
}

START_TEST(renderings_hold_for_every_command_line)
{
    unsigned long long only = number("HACCESS_TRIAL", ~0ULL), last = only == ~0ULL ? TRIALS : only + 1;

    seed = number("HACCESS_SEED", 1);
    for (trial = only == ~0ULL ? 0 : only; trial < last; trial++) {
        struct chance c = chance_for(seed, (size_t)trial);

        claude_setup();
        claude_set_lane();
        claude_vector_make(&c, false, &v);
        read_launch(v.argv.words);
        if (claude_request.malformed == NULL && strcmp(claude_class(), "session") == 0 &&
            command_leaf(&claude_invocation.command)->id != COMMAND_FIXED) {
            try_rendering(PROJECTION_READ_ONLY, false);
            try_rendering(PROJECTION_WORKSPACE_WRITE, false);
            try_rendering(PROJECTION_WORKSPACE_WRITE, true);
            try_rendering(PROJECTION_FULL, false);
        }
        claude_vector_free(&v);
        claude_teardown();
    }
    printf("HACCESS_SEED=%llu, %d trials\n", seed, TRIALS);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("claude, random command lines");
    TCase *t = tcase_create("properties");
    SRunner *sr;
    int failed;

    tcase_set_timeout(t, 120);
    tcase_add_test(t, renderings_hold_for_every_command_line);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
