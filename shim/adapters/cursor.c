/* cursor-agent. Not verified on a real binary: the table is from its documentation (2026-11) and public reports. */
#include <string.h>

#include "adapter.h"

enum cursor_option {
    OPTION_NONE,
    OPTION_SANDBOX,   /* --sandbox enabled|disabled */
    OPTION_FORCE,     /* -f, --force, --yolo */
    OPTION_MODE,      /* --mode plan|ask */
    OPTION_PLAN,      /* --plan */
    OPTION_MODEL,     /* -m, --model */
    OPTION_WORKSPACE, /* --workspace */
    OPTION_PRINT,     /* -p, --print */
    OPTION_SERVER,    /* the session runs elsewhere */
    OPTION_ADMIN,     /* --help, --version, --list-models */
};

static const struct option_spec options[] = {
    {"api-key", 0, ARITY_ONE, 0, false, NULL},
    {"approve-mcps", 0, ARITY_NONE, 0, false, NULL},
    {"cloud", 'c', ARITY_NONE, OPTION_SERVER, false, NULL},
    {"continue", 0, ARITY_NONE, 0, false, NULL},
    {"force", 'f', ARITY_NONE, OPTION_FORCE, false, NULL},
    {"header", 'H', ARITY_ONE, 0, false, NULL},
    {"help", 'h', ARITY_NONE, OPTION_ADMIN, false, NULL},
    {"list-models", 0, ARITY_NONE, OPTION_ADMIN, false, NULL},
    {"mode", 0, ARITY_ONE, OPTION_MODE, false, NULL},
    {"model", 'm', ARITY_ONE, OPTION_MODEL, false, NULL},
    {"name", 'n', ARITY_ONE, 0, false, NULL},
    {"output-format", 0, ARITY_ONE, 0, false, NULL},
    {"plan", 0, ARITY_NONE, OPTION_PLAN, false, NULL},
    {"print", 'p', ARITY_NONE, OPTION_PRINT, false, NULL},
    {"resume", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"sandbox", 0, ARITY_ONE, OPTION_SANDBOX, false, NULL},
    {"skip-worktree-setup", 0, ARITY_NONE, 0, false, NULL},
    {"stream-partial-output", 0, ARITY_NONE, 0, false, NULL},
    {"trust", 0, ARITY_NONE, 0, false, NULL}, /* of the workspace: no access */
    {"version", 'v', ARITY_NONE, OPTION_ADMIN, false, NULL},
    {"workspace", 0, ARITY_ONE, OPTION_WORKSPACE, false, NULL},
    {"worktree", 'w', ARITY_OPTIONAL, 0, false, NULL},
    {"worktree-base", 0, ARITY_ONE, 0, false, NULL},
    {"yolo", 0, ARITY_NONE, OPTION_FORCE, false, NULL},
    {NULL, 0, ARITY_NONE, 0, false, NULL},
};

#define COMMAND(word, class)                                                                                 \
    &(const struct command_spec)                                                                             \
    {                                                                                                        \
        word, NULL, class, options, NULL, false, 0                                                           \
    }

static const struct command_spec *const subcommands[] = {
    COMMAND("about", CLASS_ADMIN),
    COMMAND("acp", CLASS_SERVER), /* an editor is its client */
    COMMAND("agent", CLASS_SESSION),
    COMMAND("create-chat", CLASS_ADMIN),
    COMMAND("generate-rule", CLASS_ADMIN),
    COMMAND("help", CLASS_ADMIN),
    COMMAND("install-shell-integration", CLASS_ADMIN),
    COMMAND("login", CLASS_ADMIN),
    COMMAND("logout", CLASS_ADMIN),
    COMMAND("ls", CLASS_SESSION), /* the chat that is picked goes on */
    COMMAND("mcp", CLASS_ADMIN),
    COMMAND("models", CLASS_ADMIN),
    COMMAND("resume", CLASS_SESSION),
    COMMAND("rule", CLASS_ADMIN),
    COMMAND("status", CLASS_ADMIN),
    COMMAND("uninstall-shell-integration", CLASS_ADMIN),
    COMMAND("update", CLASS_ADMIN),
    COMMAND("upgrade", CLASS_ADMIN),
    COMMAND("whoami", CLASS_ADMIN),
    COMMAND("worker", CLASS_SERVER), /* serves the vendor's cloud */
    NULL,
};

static const struct command_spec root = {
    .class = CLASS_SESSION, .options = options, .subcommands = subcommands};

static const struct grammar grammar = {.root = &root, .dash_values = true, .operand_ends_subcommands = true};

/* What an option asks for. Words that are none of the CLI's ask for full access: what it would make of them is not known. */
static const struct spelling {
    int id;
    const char *value; /* NULL: any other, or none */
    enum access access;
    enum source_kind kind;
} spellings[] = {
    {OPTION_FORCE, NULL, ACCESS_FULL, SOURCE_MODE},
    {OPTION_PLAN, NULL, ACCESS_READ_ONLY, SOURCE_MODE},
    {OPTION_MODE, "plan", ACCESS_READ_ONLY, SOURCE_MODE},
    {OPTION_MODE, "ask", ACCESS_READ_ONLY, SOURCE_MODE},
    {OPTION_MODE, "agent", ACCESS_UNSPECIFIED, SOURCE_MODE},
    {OPTION_MODE, NULL, ACCESS_FULL, SOURCE_MODE},
    {OPTION_SANDBOX, "enabled", ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX},
    {OPTION_SANDBOX, NULL, ACCESS_FULL, SOURCE_MODE},
};

static enum launch_class
classify(struct mem *m, const struct command *c)
{
    enum launch_class class = command_leaf(c)->class;

    (void)m;
    if (command_last(c, OPTION_ADMIN) != NULL)
        return CLASS_ADMIN;
    if (class == CLASS_SESSION && command_last(c, OPTION_SERVER) != NULL)
        return CLASS_SERVER;
    return class;
}

static const char *
directory(const struct command *c)
{
    const struct occurrence *o = command_last(c, OPTION_WORKSPACE);

    return o != NULL ? o->value : NULL;
}

static const struct spelling *
spelling_of(const struct occurrence *o)
{
    for (size_t k = 0; k < sizeof(spellings) / sizeof(spellings[0]); k++) {
        const struct spelling *s = &spellings[k];

        if (s->id == o->spec->id &&
            (s->value == NULL || (o->value != NULL && strcmp(s->value, o->value) == 0)))
            return s;
    }
    return NULL;
}

static void
request(struct mem *m, const struct invocation *i, struct request *out)
{
    const struct command *c = &i->command;
    const struct occurrence *model = command_last(c, OPTION_MODEL);

    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];
        const struct spelling *s = spelling_of(o);

        if (s != NULL && s->access != ACCESS_UNSPECIFIED && !o->missing) {
            struct source source = {.access = s->access,
                                    .kind = s->kind,
                                    .explicit = true,
                                    .spelling = occurrence_spelling(m, c, o),
                                    .value = o->value,
                                    .index = o->word};

            request_add(m, out, &source);
        }
    }
    out->malformed = command_malformed(m, c, OPTION_SANDBOX);
    if (out->malformed == NULL)
        out->malformed = command_malformed(m, c, OPTION_MODE);
    out->model = model != NULL ? model->value : NULL;
    out->interactive = command_last(c, OPTION_PRINT) == NULL;
}

static size_t
count_of(const struct command *c, int id, const char *value)
{
    size_t n = 0;

    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];

        n += o->spec->id == id && (value == NULL || (o->value != NULL && strcmp(o->value, value) == 0));
    }
    return n;
}

/* Whether the launch asks for the projection with the adapter's own option and nothing else. */
static bool
is_own(const struct command *c, enum projection p)
{
    size_t sandboxes = count_of(c, OPTION_SANDBOX, NULL), modes = count_of(c, OPTION_MODE, NULL);
    size_t reading = count_of(c, OPTION_MODE, "plan") + count_of(c, OPTION_MODE, "ask");

    if (count_of(c, OPTION_FORCE, NULL) + count_of(c, OPTION_PLAN, NULL) != 0)
        return false;
    switch (p) {
    case PROJECTION_FULL:
        return modes == 0 && sandboxes == 1 && count_of(c, OPTION_SANDBOX, "disabled") == 1;
    case PROJECTION_WORKSPACE_WRITE:
        return modes == 0 && sandboxes == 1 && count_of(c, OPTION_SANDBOX, "enabled") == 1;
    case PROJECTION_READ_ONLY:
        return modes == 1 && reading == 1 && sandboxes == count_of(c, OPTION_SANDBOX, "enabled") &&
               sandboxes <= 1;
    default:
        return false;
    }
}

/* Whether a rendering takes an option off. A grant keeps --force: it answers the questions that remain. */
static bool
goes(const struct occurrence *o, enum projection p)
{
    switch (o->spec->id) {
    case OPTION_SANDBOX:
        return true;
    case OPTION_FORCE:
        return p != PROJECTION_FULL;
    case OPTION_MODE:
    case OPTION_PLAN:
        return p == PROJECTION_READ_ONLY || spelling_of(o)->access != ACCESS_UNSPECIFIED;
    default:
        return false;
    }
}

static void
render(struct mem *m, const struct invocation *i, const struct request *r, const struct rendering *how,
       struct rendered *out)
{
    const struct command *c = &i->command;
    const struct occurrence *mode = command_last(c, OPTION_MODE);
    struct edit *e = edit_new(m, c);

    (void)r;
    memset(out, 0, sizeof(*out));
    if (!is_own(c, how->projection)) {
        for (size_t k = 0; k < c->noptions; k++)
            if (goes(&c->options[k], how->projection))
                edit_remove(e, &c->options[k]);
        if (how->projection == PROJECTION_READ_ONLY) {
            edit_insert(e, "--mode");
            edit_insert(e, mode != NULL && mode->value != NULL && strcmp(mode->value, "ask") == 0 ? "ask"
                                                                                                  : "plan");
        }
        edit_insert(e, "--sandbox");
        edit_insert(e, how->projection == PROJECTION_FULL ? "disabled" : "enabled");
    }
    out->argv = edit_finish(e, &out->argc);
}

static enum enforcement
enforcement(const struct request *r, enum projection p)
{
    (void)r;
    return p == PROJECTION_FULL ? ENFORCED_NONE : ENFORCED_UNVERIFIED;
}

static bool
public_value(const struct option_spec *o, const char *value)
{
    (void)value;
    return o->id == OPTION_SANDBOX || o->id == OPTION_MODE || o->id == OPTION_MODEL;
}

const struct adapter adapter_cursor = {
    .id = "cursor",
    .program = "cursor-agent",
    .checked = "its documentation of November 2026",
    .grammar = &grammar,
    .full = true,
    .workspace_write = true,
    .read_only = true,
    .sandbox = true,
    .classify = classify,
    .directory = directory,
    .request = request,
    .render = render,
    .enforcement = enforcement,
    .public_value = public_value,
};
