/* The gemini adapter (@google/gemini-cli). Checked against 0.61.0 and 0.51.0.
 *
 * It has a bypass (yolo) and no mode that a launch can be held to: without a terminal the model leaves every approval mode,
 * plan and default included, by calling enter_plan_mode and exit_plan_mode, which switches to yolo and asks nobody. --sandbox
 * is a container of docker or podman with the CLI of an image in it, which another gemini reads the command line of; the
 * bubblewrap of its tools (security.toolSandboxing) is a setting that no option sets. So yolo is rendered where it is granted
 * and taken off where it is not, and nothing is said to hold what remains. */
#include <string.h>

#include "gemini.h"

enum gemini_option {
    OPTION_NONE,
    OPTION_DEBUG, /* the only option that a subcommand follows */
    OPTION_ADMIN, /* --help, --version, --list-extensions ... */
    OPTION_DELETE,
    OPTION_YOLO,
    OPTION_NO_YOLO,
    OPTION_APPROVAL,
    OPTION_SANDBOX,
    OPTION_NO_SANDBOX,
    OPTION_SERVER,
    OPTION_MODEL,
    OPTION_PROMPT,
    OPTION_ALLOWED,
    OPTION_ROOTS,
};

#define END                                                                                                  \
    {                                                                                                        \
        NULL, 0, ARITY_NONE, 0, false, NULL                                                                  \
    }
#define OPTION(name, letter, arity, id)                                                                      \
    {                                                                                                        \
        name, letter, arity, id, false, NULL                                                                 \
    }
#define SWITCH(name, letter) OPTION(name, letter, ARITY_SWITCH, 0)
#define VALUE(name, letter)  OPTION(name, letter, ARITY_ONE, 0)
#define TEXT(name, letter)   OPTION(name, letter, ARITY_OPTIONAL, 0)
#define COMMON                                                                                               \
    OPTION("debug", 'd', ARITY_SWITCH, OPTION_DEBUG), OPTION("no-debug", 0, ARITY_NONE, OPTION_DEBUG),       \
        OPTION("help", 'h', ARITY_SWITCH, OPTION_ADMIN)

static const struct option_spec options[] = {
    COMMON,
    SWITCH("accept-raw-output-risk", 0),
    OPTION("acp", 0, ARITY_SWITCH, OPTION_SERVER),
    VALUE("admin-policy", 0),
    VALUE("allowed-mcp-server-names", 0),
    OPTION("allowed-tools", 0, ARITY_ONE, OPTION_ALLOWED),
    {"approval-mode", 0, ARITY_ONE, OPTION_APPROVAL, true, NULL},
    OPTION("delete-session", 0, ARITY_OPTIONAL, OPTION_DELETE),
    OPTION("experimental-acp", 0, ARITY_SWITCH, OPTION_SERVER),
    VALUE("extensions", 'e'),
    TEXT("fake-responses", 0),            /* hidden */
    TEXT("fake-responses-non-strict", 0), /* hidden */
    OPTION("include-directories", 0, ARITY_ONE, OPTION_ROOTS),
    SWITCH("is-command", 0), /* hidden */
    OPTION("list-extensions", 'l', ARITY_SWITCH, OPTION_ADMIN),
    OPTION("list-sessions", 0, ARITY_SWITCH, OPTION_ADMIN),
    OPTION("model", 'm', ARITY_ONE, OPTION_MODEL),
    OPTION("no-sandbox", 0, ARITY_NONE, OPTION_NO_SANDBOX),
    OPTION("no-yolo", 0, ARITY_NONE, OPTION_NO_YOLO),
    VALUE("output-format", 'o'),
    VALUE("policy", 0),
    OPTION("prompt", 'p', ARITY_ONE, OPTION_PROMPT),
    VALUE("prompt-interactive", 'i'),
    SWITCH("raw-output", 0),
    TEXT("record-responses", 0), /* hidden */
    TEXT("resume", 'r'),
    OPTION("sandbox", 's', ARITY_SWITCH, OPTION_SANDBOX),
    SWITCH("screen-reader", 0),
    VALUE("session-file", 0),
    VALUE("session-id", 0),
    SWITCH("skip-trust", 0), /* of the folder: no access */
    OPTION("version", 'v', ARITY_SWITCH, OPTION_ADMIN),
    TEXT("worktree", 'w'),
    OPTION("yolo", 'y', ARITY_SWITCH, OPTION_YOLO),
    END,
};

/* Of all subcommands together: they are told apart by their names alone. */
static const struct option_spec admin_options[] = {
    COMMON,
    SWITCH("all", 0),
    SWITCH("auto-update", 0),
    SWITCH("consent", 0),
    TEXT("description", 0),
    OPTION("env", 'e', ARITY_MANY, 0),
    OPTION("exclude-tools", 0, ARITY_MANY, 0),
    SWITCH("follow", 'f'),
    SWITCH("force", 0),
    SWITCH("from-claude", 0),
    OPTION("header", 'H', ARITY_MANY, 0),
    OPTION("include-tools", 0, ARITY_MANY, 0),
    TEXT("lines", 'n'),
    TEXT("output-format", 'o'),
    TEXT("path", 0),
    TEXT("port", 0),
    SWITCH("pre-release", 0),
    TEXT("ref", 0),
    TEXT("scope", 's'),
    SWITCH("session", 0),
    SWITCH("skip-model", 0),
    SWITCH("skip-settings", 0),
    SWITCH("start", 0),
    TEXT("timeout", 0),
    TEXT("transport", 't'),
    SWITCH("trust", 0),
    TEXT("type", 0),
    END,
};

#define ADMIN(word, ...)                                                                                     \
    &(const struct command_spec)                                                                             \
    {                                                                                                        \
        .name = word, .class = CLASS_ADMIN, .options = admin_options, __VA_ARGS__                            \
    }
#define LIST(...)                                                                                            \
    (const struct command_spec *const[])                                                                     \
    {                                                                                                        \
        __VA_ARGS__, NULL                                                                                    \
    }
#define ALSO(word)                                                                                           \
    .aliases = (const char *const[])                                                                         \
    {                                                                                                        \
        word, NULL                                                                                           \
    }

static const struct command_spec root = {
    .class = CLASS_SESSION,
    .options = options,
    .subcommands =
        LIST(ADMIN("mcp", .subcommands = LIST(ADMIN("add", .foreign = true), ADMIN("remove"), ADMIN("list"),
                                              ADMIN("enable"), ADMIN("disable"))),
             ADMIN("extensions", ALSO("extension"),
                   .subcommands = LIST(ADMIN("install"), ADMIN("uninstall"), ADMIN("list"), ADMIN("update"),
                                       ADMIN("disable"), ADMIN("enable"), ADMIN("link"), ADMIN("new"),
                                       ADMIN("validate"), ADMIN("config"))),
             ADMIN("skills", ALSO("skill"),
                   .subcommands = LIST(ADMIN("list"), ADMIN("enable"), ADMIN("disable"), ADMIN("install"),
                                       ADMIN("link"), ADMIN("uninstall"))),
             ADMIN("hooks", ALSO("hook"), .subcommands = LIST(ADMIN("migrate"))),
             ADMIN("gemma", .subcommands = LIST(ADMIN("setup"), ADMIN("start"), ADMIN("stop"),
                                                ADMIN("status"), ADMIN("logs"))))};

static const struct grammar grammar = {.root = &root,
                                       .short_equals = true,
                                       .operand_ends_subcommands = true,
                                       .yargs = true,
                                       .early = OPTION_DEBUG};

/* What an occurrence of a switch says: only "true" is. */
static bool
is_on(const struct occurrence *o)
{
    return o->value == NULL || strcmp(o->value, "true") == 0;
}

/* The switch that holds: of --yolo, --yolo=false and --no-yolo the last. NULL: none, or it is off. */
static const struct occurrence *
switched_on(const struct command *c, int id, int negation)
{
    const struct occurrence *last = NULL;

    for (size_t k = 0; k < c->noptions; k++)
        if (c->options[k].spec->id == id || c->options[k].spec->id == negation)
            last = &c->options[k];
    return last != NULL && last->spec->id == id && is_on(last) ? last : NULL;
}

static bool
is_value(const struct occurrence *o, const char *value)
{
    return o != NULL && o->value != NULL && strcmp(o->value, value) == 0;
}

static enum launch_class
classify(struct mem *m, const struct command *c)
{
    enum launch_class class = command_leaf(c)->class;
    const struct occurrence *delete = command_last(c, OPTION_DELETE);
    const struct option_spec *seen[16] = {NULL}; /* more than there are such options in the tables */

    (void)m;
    /* Each of the options by itself is enough, and each is off when its last occurrence says so. */
    for (size_t k = c->noptions; k-- > 0;) {
        const struct occurrence *o = &c->options[k];
        size_t n = 0;

        if (o->spec->id != OPTION_ADMIN && o->spec->id != OPTION_SERVER)
            continue;
        while (seen[n] != NULL && seen[n] != o->spec)
            n++;
        if (seen[n] != NULL)
            continue;
        seen[n] = o->spec;
        if (is_on(o) && o->spec->id == OPTION_ADMIN)
            return CLASS_ADMIN;
        if (is_on(o) && class == CLASS_SESSION)
            class = CLASS_SERVER;
    }
    if (delete != NULL && delete->value != NULL && delete->value[0] != '\0')
        return CLASS_ADMIN;
    return class;
}

static const char *
directory(const struct command *c)
{
    (void)c;
    return NULL;
}

/* A word of the form --yolo.x or -y.x=1, which sets a part of the option and thereby the option. */
static const char *
part_of_access(const struct command *c)
{
    static const char *const parts[] = {"--yolo.", "--no-yolo.", "-y.", "--sandbox.", "--no-sandbox.", "-s."};

    for (size_t i = c->first; i < c->argc; i++)
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            if ((c->words[i].kind == WORD_UNKNOWN || c->words[i].kind == WORD_OPTION) &&
                strncmp(c->argv[i], parts[k], strlen(parts[k])) == 0)
                return c->argv[i];
    return NULL;
}

static bool
names_subcommand(const char *word)
{
    for (const struct command_spec *const *s = root.subcommands; *s != NULL; s++)
        if (strcmp((*s)->name, word) == 0 || ((*s)->aliases != NULL && strcmp((*s)->aliases[0], word) == 0))
            return true;
    return false;
}

/* A prompt that begins with the name of a subcommand. The CLI looks for one before it knows its own options: there each takes the
 * word behind it (`-y mcp list` is a prompt, `-y=true mcp list` an error), and taking an option off would change that. */
static const char *
hidden_subcommand(const struct command *c)
{
    bool taken = false; /* by the option in front of it */

    if (c->depth > 1)
        return NULL;
    if (c->operand != 0 && names_subcommand(c->argv[c->operand]))
        return c->argv[c->operand];
    for (size_t i = c->first; i < c->argc; i++) {
        const char *w = c->argv[i];

        if (w[0] != '-' || w[1] == '\0') {
            if (!taken)
                return names_subcommand(w) ? w : NULL;
            taken = false;
        } else {
            taken = strcmp(w, "--") != 0 && strncmp(w, "--no-", 5) != 0 && strchr(w, '=') == NULL &&
                    strcmp(w, "-d") != 0 && strcmp(w, "--debug") != 0;
        }
    }
    return NULL;
}

/* What the CLI rejects, and what it reads in a way that no edit could keep: a letter that takes a value before others (-py). */
static const char *
malformed(struct mem *m, const struct command *c)
{
    static const char *const modes[] = {"default", "auto_edit", "yolo", "plan"};
    const struct occurrence *approval = command_last(c, OPTION_APPROVAL);
    const struct occurrence *yolo = switched_on(c, OPTION_YOLO, OPTION_NO_YOLO);
    const char *part = part_of_access(c), *hidden = hidden_subcommand(c),
               *problem = command_malformed(m, c, OPTION_APPROVAL);

    if (problem != NULL)
        return problem;
    if (part != NULL)
        return mem_printf(m, "%s sets a part of an option that has none", part);
    if (hidden != NULL)
        return mem_printf(m, "%s is also a subcommand; put it first, or the prompt behind -p", hidden);
    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];

        if (o->missing && o->bundled)
            return mem_printf(m, "%s (argument %zu): -%c takes a value and has to be the last letter",
                              c->argv[o->word], o->word, o->spec->shortname);
    }
    if (approval == NULL || approval->value == NULL)
        return NULL;
    if (yolo != NULL)
        return mem_printf(m, "%s (argument %zu) cannot be combined with %s (argument %zu)",
                          occurrence_spelling(m, c, yolo), yolo->word, occurrence_spelling(m, c, approval),
                          approval->word);
    for (size_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++)
        if (strcmp(approval->value, modes[k]) == 0)
            return NULL;
    return mem_printf(m, "%s (argument %zu) is none of default, auto_edit, yolo, plan", approval->value,
                      approval->value_word);
}

static void
add_source(struct mem *m, const struct command *c, struct request *out, const struct occurrence *o,
           enum access access, enum source_kind kind)
{
    struct source source = {.access = access,
                            .kind = kind,
                            .explicit = true,
                            .spelling = occurrence_spelling(m, c, o),
                            .value = o->value,
                            .index = o->word};

    request_add(m, out, &source);
}

/* Tools that run without being asked about: the shell's, by any of its names. */
static void
add_unconfined(struct mem *m, const struct command *c, struct request *out)
{
    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];

        if (o->spec->id == OPTION_ALLOWED && o->value != NULL &&
            (strstr(o->value, "run_shell_command") != NULL || strstr(o->value, "ShellTool") != NULL))
            strings_add(m, &out->unconfined, o->value);
    }
}

static void
request(struct mem *m, const struct invocation *i, struct request *out)
{
    static const char *const endpoints[] = {"GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL",
                                            "CODE_ASSIST_ENDPOINT"};
    const struct command *c = &i->command;
    const struct occurrence *yolo = switched_on(c, OPTION_YOLO, OPTION_NO_YOLO);
    const struct occurrence *sandbox = switched_on(c, OPTION_SANDBOX, OPTION_NO_SANDBOX);
    const struct occurrence *approval = command_last(c, OPTION_APPROVAL);
    const struct occurrence *model = command_last(c, OPTION_MODEL);
    const char *inside = env_get(i->envp, "SANDBOX");

    if (yolo != NULL)
        add_source(m, c, out, yolo, ACCESS_FULL, SOURCE_BYPASS);
    if (is_value(approval, "yolo"))
        add_source(m, c, out, approval, ACCESS_FULL, SOURCE_BYPASS);
    if (is_value(approval, "plan"))
        add_source(m, c, out, approval, ACCESS_READ_ONLY, SOURCE_MODE);
    /* With SANDBOX set it takes itself to be in the container already. */
    if (sandbox != NULL && (inside == NULL || inside[0] == '\0'))
        add_source(m, c, out, sandbox, ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX);
    else
        add_unconfined(m, c, out);
    for (size_t k = 0; k < sizeof(endpoints) / sizeof(endpoints[0]); k++)
        if (env_get(i->envp, endpoints[k]) != NULL)
            strings_add(m, &out->endpoints, endpoints[k]);
    out->malformed = malformed(m, c);
    out->model = model != NULL ? model->value : NULL;
    out->vendor_refuses = gemini_other_model(m, i);
    out->unknown = c->unknown != 0 ? c->argv[c->unknown] : NULL;
    out->interactive = command_last(c, OPTION_PROMPT) == NULL;
}

/* Whether the launch asks for full access with one spelling and nothing else. */
static bool
is_own(const struct command *c)
{
    size_t asking = 0;

    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];

        switch (o->spec->id) {
        case OPTION_YOLO:
            if (!is_on(o))
                return false;
            asking++;
            break;
        case OPTION_APPROVAL:
            if (!is_value(o, "yolo"))
                return false;
            asking++;
            break;
        case OPTION_NO_YOLO:
        case OPTION_SANDBOX:
        case OPTION_NO_SANDBOX:
        case OPTION_ROOTS:
            return false;
        default:
            break;
        }
    }
    return asking == 1;
}

/* Whether a rendering takes an option off. Of what is narrowed a weaker mode stays, and the sandbox. */
static bool
goes(const struct occurrence *o, enum projection p)
{
    switch (o->spec->id) {
    case OPTION_YOLO:
    case OPTION_NO_YOLO:
    case OPTION_ROOTS:
        return true;
    case OPTION_APPROVAL:
        return p == PROJECTION_FULL || is_value(o, "yolo");
    case OPTION_SANDBOX:
    case OPTION_NO_SANDBOX:
        return p == PROJECTION_FULL;
    case OPTION_ALLOWED:
        return p != PROJECTION_FULL;
    default:
        return false;
    }
}

static void
render(struct mem *m, const struct invocation *i, const struct request *r, const struct rendering *how,
       struct rendered *out)
{
    const struct command *c = &i->command;
    struct edit *e = edit_new(m, c);

    (void)r;
    memset(out, 0, sizeof(*out));
    if (how->projection != PROJECTION_FULL || !is_own(c)) {
        for (size_t k = 0; k < c->noptions; k++)
            if (goes(&c->options[k], how->projection))
                edit_remove(e, &c->options[k]);
        if (how->projection == PROJECTION_FULL) {
            edit_insert(e, "--approval-mode");
            edit_insert(e, "yolo");
        }
    }
    out->argv = edit_finish(e, &out->argc);
}

/* In what looks like a job of GitHub's it gives its commands a short list of variables, ours not among them. */
static const char *
sheds(struct mem *m, const struct invocation *i, const struct kept *kept, size_t count)
{
    const char *sha = env_get(i->envp, "GITHUB_SHA"), *surface = env_get(i->envp, "SURFACE");
    bool strict = sha != NULL && sha[0] != '\0';

    if (count == 0 || (!strict && (surface == NULL || strcmp(surface, "Github") != 0)))
        return NULL;
    return mem_printf(m, "%s in the environment keeps %s from the commands of the session",
                      strict ? "GITHUB_SHA" : "SURFACE=Github", kept[0].name);
}

/* The container of --sandbox has not been seen at work. */
static enum enforcement
enforcement(const struct request *r, enum projection p)
{
    return p != PROJECTION_FULL && r->access == ACCESS_WORKSPACE_WRITE ? ENFORCED_UNVERIFIED : ENFORCED_NONE;
}

static bool
public_value(const struct option_spec *o, const char *value)
{
    (void)value;
    return o->id == OPTION_APPROVAL || o->id == OPTION_MODEL || o->id == OPTION_YOLO ||
           o->id == OPTION_SANDBOX || o->id == OPTION_ALLOWED;
}

const struct adapter adapter_gemini = {
    .id = "gemini",
    .program = "gemini",
    .package = "@google/gemini-cli",
    .checked = "0.61.0, 0.51.0",
    .grammar = &grammar,
    .full = true,
    .classify = classify,
    .directory = directory,
    .config = gemini_config,
    .request = request,
    .render = render,
    .sheds = sheds,
    .enforcement = enforcement,
    .public_value = public_value,
};
