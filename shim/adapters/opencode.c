/* The opencode adapter. opencode has no sandbox: its command line is read to tell sessions, servers and the rest
 * apart and to record the model, never rewritten. Checked against 1.18.33 and 1.17.18, which list the same. */
#include <string.h>

#include "adapter.h"

enum option { MODEL = 1, ATTACH, DIRECTORY, HELP, GLOBAL };
enum { BATCH = 1 };

#define END                                                                                                  \
    {                                                                                                        \
        0                                                                                                    \
    }
#define FLAG(name, letter)                                                                                   \
    {                                                                                                        \
        name, letter, ARITY_NONE, 0, false, NULL                                                             \
    }
#define VALUE(name, letter)                                                                                  \
    {                                                                                                        \
        name, letter, ARITY_ONE, 0, false, NULL                                                              \
    }
#define MODEL_OPTION                                                                                         \
    {                                                                                                        \
        "model", 'm', ARITY_ONE, MODEL, false, NULL                                                          \
    }
#define COMMON                                                                                               \
    {"help", 'h', ARITY_NONE, HELP, false, NULL}, {"version", 'v', ARITY_NONE, HELP, false, NULL},           \
        {"print-logs", 0, ARITY_NONE, GLOBAL, false, NULL}, VALUE("log-level", 0),                           \
    {                                                                                                        \
        "pure", 0, ARITY_NONE, GLOBAL, false, NULL                                                           \
    }
#define NETWORK                                                                                              \
    VALUE("port", 0), VALUE("hostname", 0), FLAG("mdns", 0), VALUE("mdns-domain", 0),                        \
    {                                                                                                        \
        "cors", 0, ARITY_MANY, 0, false, NULL                                                                \
    }
#define CONTINUE FLAG("continue", 'c'), VALUE("session", 's'), FLAG("fork", 0)
#define LOGIN    VALUE("password", 'p'), VALUE("username", 'u')
#define MINI     FLAG("mini", 0), FLAG("no-replay", 0), VALUE("replay-limit", 0)
/* The last two are hidden. */
#define APPROVE FLAG("auto", 0), FLAG("yolo", 0), FLAG("dangerously-skip-permissions", 0)

static const struct option_spec root_options[] = {
    COMMON, NETWORK, CONTINUE, MINI, APPROVE, MODEL_OPTION, VALUE("prompt", 0), VALUE("agent", 0), END};
static const struct option_spec run_options[] = {COMMON,
                                                 CONTINUE,
                                                 LOGIN,
                                                 APPROVE,
                                                 MODEL_OPTION,
                                                 VALUE("command", 0),
                                                 FLAG("share", 0),
                                                 VALUE("agent", 0),
                                                 VALUE("format", 0),
                                                 {"file", 'f', ARITY_MANY, 0, false, NULL},
                                                 VALUE("title", 0),
                                                 {"attach", 0, ARITY_ONE, ATTACH, false, NULL},
                                                 {"dir", 0, ARITY_ONE, DIRECTORY, false, NULL},
                                                 VALUE("port", 0),
                                                 VALUE("variant", 0),
                                                 FLAG("thinking", 0),
                                                 FLAG("interactive", 'i'),
                                                 END};
static const struct option_spec server_options[] = {COMMON, NETWORK, VALUE("cwd", 0), END};
static const struct option_spec attach_options[] = {COMMON, CONTINUE, LOGIN, MINI, VALUE("dir", 0), END};
static const struct option_spec common_options[] = {COMMON, END};
static const struct option_spec github_options[] = {COMMON, VALUE("event", 0), VALUE("token", 0), END};

#define TABLE(name, ...) static const struct option_spec name[] = {COMMON, __VA_ARGS__, END}
#define MANY(name)                                                                                           \
    {                                                                                                        \
        name, 0, ARITY_MANY, 0, false, NULL                                                                  \
    }
TABLE(mcp_add_options, VALUE("url", 0), MANY("env"), MANY("header"));
TABLE(files_options, VALUE("query", 0), VALUE("glob", 0), VALUE("limit", 0));
TABLE(search_options, MANY("glob"), VALUE("limit", 0));
TABLE(debug_agent_options, VALUE("tool", 0), VALUE("params", 0));
TABLE(login_options, VALUE("provider", 'p'), VALUE("method", 'm'));
TABLE(create_options, VALUE("path", 0), VALUE("description", 0), VALUE("mode", 0), VALUE("permissions", 0),
      VALUE("tools", 0), MODEL_OPTION);
TABLE(upgrade_options, VALUE("method", 'm'));
TABLE(uninstall_options, FLAG("keep-config", 'c'), FLAG("keep-data", 'd'), FLAG("dry-run", 0),
      FLAG("force", 'f'));
TABLE(models_options, FLAG("verbose", 0), FLAG("refresh", 0));
TABLE(stats_options, VALUE("days", 0), VALUE("tools", 0), VALUE("models", 0), VALUE("project", 0));
TABLE(export_options, FLAG("sanitize", 0));
TABLE(sessions_options, VALUE("max-count", 'n'), VALUE("format", 0));
TABLE(plugin_options, FLAG("global", 'g'), FLAG("force", 'f'));
TABLE(db_options, VALUE("format", 0));

#define LEAF(word, kind, table)                                                                              \
    &(const struct command_spec)                                                                             \
    {                                                                                                        \
        .name = word, .class = kind, .options = table                                                        \
    }
#define ADMIN(word) LEAF(word, CLASS_ADMIN, common_options)
#define LIST(...)                                                                                            \
    (const struct command_spec *const[])                                                                     \
    {                                                                                                        \
        __VA_ARGS__, NULL                                                                                    \
    }

static const struct command_spec run = {
    .name = "run", .class = CLASS_SESSION, .options = run_options, .id = BATCH};
static const struct command_spec github_run = {
    .name = "run", .class = CLASS_SESSION, .options = github_options, .id = BATCH};
#define ALIASES(...)                                                                                         \
    (const char *const[])                                                                                    \
    {                                                                                                        \
        __VA_ARGS__, NULL                                                                                    \
    }
#define OPTIONS(word, table) LEAF(word, CLASS_ADMIN, table)
#define GROUP(word, ...)                                                                                     \
    &(const struct command_spec)                                                                             \
    {                                                                                                        \
        .name = word, .class = CLASS_ADMIN, .options = common_options, .subcommands = LIST(__VA_ARGS__)      \
    }
static const struct command_spec list = {
    .name = "list", .aliases = ALIASES("ls"), .class = CLASS_ADMIN, .options = common_options};
static const struct command_spec providers = {
    .name = "providers",
    .aliases = ALIASES("auth"),
    .class = CLASS_ADMIN,
    .options = common_options,
    .subcommands = LIST(&list, OPTIONS("login", login_options), ADMIN("logout"))};
static const struct command_spec plugin = {
    .name = "plugin", .aliases = ALIASES("plug"), .class = CLASS_ADMIN, .options = plugin_options};
static const struct command_spec db = {.name = "db",
                                       .class = CLASS_ADMIN,
                                       .options = db_options,
                                       .subcommands = LIST(OPTIONS("path", db_options))};

/* attach is a client of sessions that a server holds. pr checks a branch out and then runs opencode on it. */
static const struct command_spec root = {
    .class = CLASS_SESSION,
    .options = root_options,
    .subcommands = LIST(
        &run, LEAF("pr", CLASS_SESSION, common_options), LEAF("serve", CLASS_SERVER, server_options),
        LEAF("web", CLASS_SERVER, server_options), LEAF("acp", CLASS_SERVER, server_options),
        LEAF("attach", CLASS_SERVER, attach_options), GROUP("github", &github_run, ADMIN("install")),
        &providers, &plugin, ADMIN("completion"),
        GROUP("mcp", OPTIONS("add", mcp_add_options), &list, GROUP("auth", &list), ADMIN("logout"),
              ADMIN("debug")),
        GROUP("debug", ADMIN("config"),
              GROUP("lsp", ADMIN("diagnostics"), ADMIN("symbols"), ADMIN("document-symbols")),
              GROUP("rg", OPTIONS("files", files_options), OPTIONS("search", search_options)),
              GROUP("file", ADMIN("read"), ADMIN("list"), ADMIN("search")), ADMIN("scrap"), ADMIN("skill"),
              GROUP("snapshot", ADMIN("track"), ADMIN("patch"), ADMIN("diff")), ADMIN("startup"),
              OPTIONS("agent", debug_agent_options), ADMIN("v2"), ADMIN("info"), ADMIN("paths"),
              ADMIN("wait")),
        GROUP("agent", OPTIONS("create", create_options), ADMIN("list")), OPTIONS("upgrade", upgrade_options),
        OPTIONS("uninstall", uninstall_options), OPTIONS("models", models_options),
        OPTIONS("stats", stats_options), OPTIONS("export", export_options), ADMIN("import"),
        GROUP("session", OPTIONS("list", sessions_options), ADMIN("delete")), &db, ADMIN("console"))};

/* yargs */
static const struct grammar grammar = {.root = &root, .short_equals = true, .operand_ends_subcommands = true};

/* Whether the word of the first subcommand is none to yargs: behind a flag that only the session declares, it looks for commands
 * before it knows that the flag takes no value. `opencode --auto models` is a session in the directory models (1.18.33). */
static bool
is_value(const struct command *c)
{
    for (size_t i = c->first + 1; c->depth > 1 && i < c->argc; i++) {
        if (c->words[i].kind != WORD_SUBCOMMAND)
            continue;
        for (size_t k = 0; k < c->noptions; k++) {
            const struct occurrence *o = &c->options[k];

            if (o->word == i - 1 && o->level == 0 && o->spec->arity == ARITY_NONE && o->value == NULL &&
                o->spec->id != GLOBAL && strncmp(o->spec->longname, "no-", 3) != 0)
                return true;
        }
        return false;
    }
    return false;
}

static enum launch_class
classify(struct mem *m, const struct command *c)
{
    enum launch_class class = command_leaf(c)->class;

    (void)m;
    if (command_last(c, HELP) != NULL)
        return CLASS_ADMIN;
    if (is_value(c))
        return CLASS_SESSION;
    return class == CLASS_SESSION && command_last(c, ATTACH) != NULL ? CLASS_SERVER : class;
}

static const char *
directory(const struct command *c)
{
    const struct occurrence *o = command_last(c, DIRECTORY);

    return o == NULL ? NULL : o->value;
}

static void
request(struct mem *m, const struct invocation *i, struct request *out)
{
    const struct occurrence *model = command_last(&i->command, MODEL);

    (void)m;
    out->model = model == NULL ? NULL : model->value;
    out->unknown = i->command.unknown == 0 ? NULL : i->command.argv[i->command.unknown];
    out->interactive = command_leaf(&i->command)->id != BATCH;
}

static void
render(struct mem *m, const struct invocation *i, const struct request *r, const struct rendering *how,
       struct rendered *out)
{
    (void)r;
    (void)how;
    out->argv = edit_finish(edit_new(m, &i->command), &out->argc);
}

static enum enforcement
enforcement(const struct request *r, enum projection p)
{
    (void)r;
    (void)p;
    return ENFORCED_NONE;
}

static bool
public_value(const struct option_spec *o, const char *value)
{
    (void)value;
    return o->id == MODEL;
}

const struct adapter adapter_opencode = {
    .id = "opencode",
    .program = "opencode",
    .package = "opencode-ai",
    .checked = "1.18.33, 1.17.18",
    .grammar = &grammar,
    .classify = classify,
    .directory = directory,
    .request = request,
    .render = render,
    .enforcement = enforcement,
    .public_value = public_value,
};
