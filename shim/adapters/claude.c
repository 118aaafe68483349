/* Claude Code. What a launch asks for; how it is spelled anew is in claude_render.c. */
#include "claude.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "path.h"

#define BYPASS   "bypassPermissions"
#define MODE_KEY "permissions.defaultMode"

/* Modes that the CLI accepts ("manual" is another word for "default"); anything else it rejects. */
static const char *const modes[] = {
    "acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "manual", "plan", NULL};

/* The program runs itself with such a first word, or is run so by a browser or a desktop: never as a session whose
 * access its command line asks for. Elsewhere than behind the program the CLI knows none of these words. */
static const struct {
    const char *word;
    enum launch_class class;
} first_words[] = {
    {"--bg-pty-host", CLASS_HELPER}, /* executes the CLI once more, which is a launch of its own */
    {"--bg-spare", CLASS_SERVER},
    {"--chrome-native-host", CLASS_HELPER},
    {"--claude-in-chrome-mcp", CLASS_HELPER},
    {"--daemon-worker", CLASS_SERVER},
    {"--eval-mock-server", CLASS_HELPER},
    {"--preload", CLASS_SERVER},
};

static bool
is_word(const char *value, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(*words, value) == 0)
            return true;
    return false;
}

/* The class that the first word alone decides; CLASS_NONE: it does not. */
static enum launch_class
first_class(const struct command *c)
{
    if (c->first < c->argc)
        for (size_t k = 0; k < sizeof(first_words) / sizeof(first_words[0]); k++)
            if (strcmp(first_words[k].word, c->argv[c->first]) == 0)
                return first_words[k].class;
    return CLASS_NONE;
}

/* The last access option beside a command that older versions take for a prompt; NULL: none. */
static const struct occurrence *
asked_of_prompt(const struct command *c)
{
    static const int ids[] = {OPTION_SKIP, OPTION_ALLOW_SKIP, OPTION_INHERIT, OPTION_MODE, OPTION_SETTINGS};
    const struct occurrence *last = NULL;

    for (size_t k = 0; command_leaf(c)->id == COMMAND_RECENT && k < sizeof(ids) / sizeof(ids[0]); k++) {
        const struct occurrence *o = command_last(c, ids[k]);

        if (o != NULL && (last == NULL || o->word > last->word))
            last = o;
    }
    return last;
}

const char *
claude_prompt_command(struct mem *m, const struct command *c)
{
    const char *prompt = c->operand != 0 && c->depth == 1 ? c->argv[c->operand] : "";
    size_t name = 1 + strcspn(prompt[0] == '/' ? prompt + 1 : "", "/ \t\r\n");

    if (prompt[0] != '/' || name == 1 || prompt[name] == '/' || command_last(c, OPTION_NO_COMMANDS) != NULL)
        return NULL;
    return mem_strndup(m, prompt, name);
}

static enum launch_class
classify(struct mem *m, const struct command *c)
{
    enum launch_class class = first_class(c);

    (void)m;
    if (class != CLASS_NONE)
        return class;
    if (command_last(c, OPTION_HELP) != NULL || command_last(c, OPTION_VERSION) != NULL)
        return CLASS_ADMIN;
    class = asked_of_prompt(c) != NULL ? CLASS_SESSION : command_leaf(c)->class;
    if (class == CLASS_SESSION && command_last(c, OPTION_SERVER) != NULL)
        return CLASS_SERVER;
    return class;
}

static const char *
directory(const struct command *c)
{
    const struct occurrence *o = command_last(c, OPTION_CWD);

    return o != NULL ? o->value : NULL;
}

/* Whether nothing of the command line is the adapter's to read or change. */
static bool
is_fixed(const struct command *c)
{
    return first_class(c) != CLASS_NONE || command_leaf(c)->id == COMMAND_FIXED;
}

static void
add_option(struct mem *m, const struct command *c, const struct occurrence *o, enum access access,
           enum source_kind kind, struct request *out)
{
    struct source s = {.access = access,
                       .kind = kind,
                       .explicit = true,
                       .spelling = occurrence_spelling(m, c, o),
                       .value = o->value,
                       .index = o->word};

    request_add(m, out, &s);
}

static void
add_setting(struct mem *m, const struct document *d, const char *key, const char *value, enum access access,
            enum source_kind kind, struct request *out)
{
    bool explicit = d->role == ROLE_FLAG || d->role == ROLE_PARENT;
    struct source s = {
        .access = access, .kind = kind, .explicit = explicit, .value = value, .index = d->index};

    if (explicit) {
        s.spelling = mem_printf(m, "--%ssettings %s", d->role == ROLE_PARENT ? "managed-" : "", key);
    } else {
        s.spelling = key;
        s.file = d->file;
    }
    request_add(m, out, &s);
}

static bool
has_bypass(const struct request *r)
{
    for (size_t k = 0; k < r->nsources; k++)
        if (r->sources[k].kind == SOURCE_BYPASS)
            return true;
    return false;
}

/* The options that name a mode. */
static void
read_modes(struct mem *m, const struct command *c, struct request *out)
{
    const struct occurrence *last = command_last(c, OPTION_MODE);

    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];
        int id = o->spec->id;

        if (id == OPTION_SKIP || id == OPTION_ALLOW_SKIP) {
            add_option(m, c, o, ACCESS_FULL, SOURCE_BYPASS, out);
        } else if ((id == OPTION_MODE || id == OPTION_INHERIT) && o->value != NULL) {
            if (!is_word(o->value, modes) && out->malformed == NULL)
                out->malformed = mem_printf(m, "%s (argument %zu) does not take %s",
                                            occurrence_spelling(m, c, o), o->word, o->value);
            if (strcmp(o->value, BYPASS) == 0)
                add_option(m, c, o, ACCESS_FULL, SOURCE_BYPASS, out);
            else if (o == last && strcmp(o->value, "plan") == 0)
                add_option(m, c, o, ACCESS_READ_ONLY, SOURCE_MODE, out);
        }
    }
}

/* Modes in settings, the strongest document first. A project's files cannot turn bypass on, nor can --managed-settings; where
 * the project's say bypass and the user's too, it is on. A document that may have a member the CLI finds invalid is perhaps
 * ignored as a whole, and what it says hides nothing of the weaker ones. --inherit-permission-mode is the weakest (2.1.332). */
static void
read_default_modes(struct mem *m, const struct command *c, const struct documents *d, struct request *out)
{
    const struct occurrence *inherit = command_last(c, OPTION_INHERIT);
    const struct document *plan = NULL;
    bool named = command_last(c, OPTION_MODE) != NULL;
    bool open = !named;     /* a weaker document may hold */
    bool inherits = !named; /* --inherit-permission-mode may hold: a project's files do not beat it */
    bool suspended =
        false; /* the project's bypass, which does not hold, hides the weaker modes but for bypass */
    size_t sources = out->nsources;

    for (size_t k = d->count; k-- > 0;) {
        const struct document *doc = &d->items[k];
        const char *mode = doc->settings.default_mode;
        bool project = doc->role == ROLE_PROJECT || doc->role == ROLE_LOCAL;

        if (mode == NULL)
            continue;
        if (strcmp(mode, BYPASS) == 0 && project) {
            suspended = suspended || doc->settings.sure;
            continue;
        }
        if (strcmp(mode, BYPASS) == 0 && (open || doc->role == ROLE_FLAG))
            add_setting(m, doc, MODE_KEY, mode, ACCESS_FULL, SOURCE_BYPASS, out);
        if (strcmp(mode, "plan") == 0 && open && !suspended && plan == NULL)
            plan = doc;
        open = open && !doc->settings.sure;
        inherits = inherits && (project || !doc->settings.sure);
    }
    if (out->nsources != sources)
        return;
    if (plan != NULL)
        add_setting(m, plan, MODE_KEY, "plan", ACCESS_READ_ONLY, SOURCE_MODE, out);
    else if (inherits && inherit != NULL && inherit->value != NULL && strcmp(inherit->value, "plan") == 0 &&
             !has_bypass(out))
        add_option(m, c, inherit, ACCESS_READ_ONLY, SOURCE_MODE, out);
}

/* A --settings that cannot be read could ask for anything; one of the files in their places, which the CLI passes over
 * when it cannot read it either, for what its text may hide. */
static void
read_unreadable(struct mem *m, const struct invocation *i, const struct documents *d, bool named,
                struct request *out)
{
    for (size_t k = 0; !named && k < d->count; k++)
        if (d->items[k].settings.hidden &&
            (d->items[k].role == ROLE_USER || d->items[k].role == ROLE_MANAGED))
            add_setting(m, &d->items[k], "(cannot be read)", NULL, ACCESS_FULL, SOURCE_BYPASS, out);
    if (d->flag != NULL && d->flag_text == NULL)
        add_option(m, &i->command, d->flag, ACCESS_FULL, SOURCE_MODE, out);
}

/* The first of the directories, or of the directories that tool rules name, that opens more than the project. */
static const char *
first_wide(struct mem *m, const struct invocation *i, const struct strings *list, bool rules)
{
    for (size_t k = 0; k < list->count; k++) {
        const char *root = rules ? tools_root(m, list->items[k]) : list->items[k];

        if (root != NULL && path_is_wide(m, i, root, i->cwd))
            return list->items[k];
    }
    return NULL;
}

/* The values of an option, those of tool lists as single rules. */
static struct strings
values_of(struct mem *m, const struct command *c, const struct occurrence *o)
{
    struct strings list = {NULL, 0, 0};

    for (size_t v = 0; v < o->nvalues; v++)
        if (o->spec->id == OPTION_ALLOW || o->spec->id == OPTION_DENY)
            tools_split(m, occurrence_value(c, o, v), &list);
        else
            strings_add(m, &list, (char *)(uintptr_t)occurrence_value(c, o, v));
    return list;
}

/* Returns the root that opens the sandbox to more than the project, and what names it: an option, or a document. The
 * sandbox lets commands write wherever the Edit tool may. */
static const char *
wide_root(struct mem *m, const struct invocation *i, const struct documents *d,
          const struct occurrence **option, const struct document **document)
{
    const struct command *c = &i->command;
    const char *root = NULL;

    *option = NULL;
    *document = NULL;
    for (size_t k = 0; root == NULL && k < c->noptions; k++) {
        int id = c->options[k].spec->id;

        if (id != OPTION_ADD_DIR && id != OPTION_ALLOW)
            continue;
        *option = &c->options[k];
        const struct strings values = values_of(m, c, *option);
        root = first_wide(m, i, &values, id == OPTION_ALLOW);
    }
    if (root != NULL)
        return root;
    *option = NULL;
    for (size_t k = 0; root == NULL && k < d->count; k++) {
        *document = &d->items[k];
        root = first_wide(m, i, &d->items[k].settings.directories, false);
        if (root == NULL)
            root = first_wide(m, i, &d->items[k].settings.allow, true);
    }
    return root;
}

/* The entry that lets commands out of the sandbox, and its document; NULL: none. */
static const struct document *
opening_of(const struct documents *d)
{
    return documents_string(d, offsetof(struct settings, opening));
}

/* Of several values, the one that opens it. */
static void
add_root(struct mem *m, const struct command *c, const struct occurrence *o, const char *root,
         struct request *out)
{
    struct source s = {.access = ACCESS_FULL,
                       .kind = SOURCE_MODE,
                       .explicit = true,
                       .spelling = occurrence_spelling(m, c, o),
                       .value = root,
                       .index = o->word};

    request_add(m, out, &s);
}

/* An enabled Bash sandbox is workspace-write. With a root that opens it to more than the project it is full access: the
 * sandbox and its roots are one spelling. Beside bypass, where commands that it lets out run without a question, one
 * that lets commands out bounds nothing, nor does one that goes with a document the CLI may ignore. */
static void
read_sandbox(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    const struct document *enabled = NULL, *roots;
    const struct occurrence *option;
    const char *root;

    for (size_t k = 0; k < d->count; k++)
        if (d->items[k].settings.sandbox != ANSWER_UNSET)
            enabled = d->items[k].settings.sandbox == ANSWER_YES ? &d->items[k] : NULL;
    if (enabled == NULL || (has_bypass(out) && (opening_of(d) != NULL || !enabled->settings.sure)))
        return;
    root = wide_root(m, i, d, &option, &roots);
    for (size_t k = 0; k < out->nsources; k++)
        if (out->sources[k].access == ACCESS_READ_ONLY)
            root = NULL;
    if (root == NULL)
        add_setting(m, enabled, "sandbox.enabled", "true", ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX, out);
    else if (option != NULL)
        add_root(m, &i->command, option, root, out);
    else
        add_setting(m, roots, "sandbox roots", root, ACCESS_FULL, SOURCE_MODE, out);
}

/* A launch that carries the read lane's rendering asks read-only. */
static void
read_lane(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    const struct command *c = &i->command;
    const struct occurrence *mode = command_last(c, OPTION_MODE), *allow = command_last(c, OPTION_ALLOW),
                            *deny = command_last(c, OPTION_DENY);
    const char *allowed = tools_join(m, i->read_allow), *denied = tools_join(m, i->read_deny);

    if (mode == NULL || mode->value == NULL || strcmp(mode->value, "default") != 0)
        return;
    if (allowed == NULL && denied == NULL)
        return;
    for (size_t k = 0; k < c->noptions; k++)
        if (c->options[k].spec->id == OPTION_ALLOW && &c->options[k] != allow)
            return;
    if (flag_document(d) != NULL && flag_document(d)->settings.allow.count != 0)
        return;
    if ((allowed == NULL) != (allow == NULL) ||
        (allowed != NULL && (!allow->glued || strcmp(allow->value, allowed) != 0)))
        return;
    if (denied != NULL) {
        size_t n = strlen(denied);

        if (deny == NULL || !deny->glued || strncmp(deny->value, denied, n) != 0 ||
            (deny->value[n] != '\0' && deny->value[n] != ','))
            return;
    }
    add_option(m, c, mode, ACCESS_READ_ONLY, SOURCE_MODE, out);
}

static void
read_malformed(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    const struct command *c = &i->command;
    static const int ids[] = {OPTION_MODE,  OPTION_INHERIT, OPTION_SETTINGS,
                              OPTION_ALLOW, OPTION_DENY,    OPTION_ADD_DIR};

    for (size_t k = 0; out->malformed == NULL && k < sizeof(ids) / sizeof(ids[0]); k++)
        out->malformed = command_malformed(m, c, ids[k]);
    if (out->malformed == NULL && asked_of_prompt(c) != NULL && asked_of_prompt(c)->level != 0)
        out->malformed = mem_printf(m, "%s (argument %zu) is not taken by claude %s",
                                    occurrence_spelling(m, c, asked_of_prompt(c)), asked_of_prompt(c)->word,
                                    command_leaf(c)->name);
    if (out->malformed == NULL && claude_restricted_bypass(i, d, has_bypass(out)))
        out->malformed =
            command_last(c, OPTION_RESTRICTED) != NULL
                ? "--restricted does not go with bypassPermissions: claude refuses them together"
                : "CLAUDE_CODE_RESTRICTED does not go with bypassPermissions: claude refuses them "
                  "together";
}

/* Adds the rules that let a tool do anything, unless the sandbox holds it or it is denied by name. */
static void
add_unconfined(struct mem *m, const struct strings *rules, const struct strings *denied, struct request *out)
{
    for (size_t k = 0; k < rules->count; k++) {
        const char *rule = rules->items[k];

        if (tools_unrestricted(rule) && !(out->confined && tools_shell(rule)) &&
            !strings_has(&out->unconfined, rule) &&
            !strings_has(denied, mem_strndup(m, rule, strcspn(rule, "("))))
            strings_add(m, &out->unconfined, rule);
    }
}

/* A project's files that say bypass: 2.1.332 ignores them, 2.1.197 does what they say. */
static void
add_project_bypass(struct mem *m, const struct documents *d, bool named, struct request *out)
{
    const struct document *strongest = documents_string(d, offsetof(struct settings, default_mode));

    if (named || has_bypass(out) || strongest == NULL ||
        strcmp(strongest->settings.default_mode, BYPASS) != 0)
        return;
    out->unverified =
        mem_printf(m, "%s says %s, which versions before 2.1.332 follow", strongest->file, BYPASS);
    strings_add(m, &out->unconfined, mem_printf(m, "%s in %s (before 2.1.332)", BYPASS, strongest->file));
}

/* Whether the sandbox holds, and which tools are approved beforehand that it does not hold. */
static void
read_confinement(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out)
{
    const struct command *c = &i->command;
    struct strings denied = {NULL, 0, 0};
    const struct occurrence *option;
    const struct document *roots;

    out->confined = (d->flag == NULL || flag_document(d)->settings.sure) &&
                    documents_answer(d, offsetof(struct settings, sandbox)) == ANSWER_YES &&
                    documents_answer(d, offsetof(struct settings, required)) == ANSWER_YES &&
                    documents_answer(d, offsetof(struct settings, unsandboxed)) == ANSWER_NO &&
                    opening_of(d) == NULL && wide_root(m, i, d, &option, &roots) == NULL;
    for (size_t k = 0; k < c->noptions; k++) {
        if (c->options[k].spec->id != OPTION_DENY)
            continue;
        const struct strings values = values_of(m, c, &c->options[k]);
        for (size_t v = 0; v < values.count; v++)
            if (strchr(values.items[v], '(') == NULL)
                strings_add(m, &denied, values.items[v]);
    }
    for (size_t k = 0; k < c->noptions; k++)
        if (c->options[k].spec->id == OPTION_ALLOW) {
            const struct strings values = values_of(m, c, &c->options[k]);

            add_unconfined(m, &values, &denied, out);
        }
    for (size_t k = 0; k < d->count; k++)
        add_unconfined(m, &d->items[k].settings.allow, &denied, out);
    if (claude_prompt_command(m, c) != NULL)
        strings_add(m, &out->unconfined, mem_printf(m, "what %s allows itself", claude_prompt_command(m, c)));
}

static void
request(struct mem *m, const struct invocation *i, struct request *out)
{
    const struct command *c = &i->command;
    struct documents d;
    bool named = command_last(c, OPTION_MODE) != NULL;

    if (is_fixed(c))
        return;
    documents_read(m, i, &d);
    read_modes(m, c, out);
    read_default_modes(m, c, &d, out);
    read_unreadable(m, i, &d, named, out);
    read_lane(m, i, &d, out);
    read_sandbox(m, i, &d, out);
    read_malformed(m, i, &d, out);
    claude_model(m, i, &d, out);
    read_confinement(m, i, &d, out);
    add_project_bypass(m, &d, named, out);
    out->interactive = classify(m, c) == CLASS_SESSION && command_last(c, OPTION_PRINT) == NULL;
}

static enum enforcement
enforcement(const struct request *r, enum projection p)
{
    if (p == PROJECTION_FULL || has_bypass(r))
        return ENFORCED_NONE;
    if (p == PROJECTION_WORKSPACE_WRITE && r->confined && r->unconfined.count == 0)
        return ENFORCED_VENDOR;
    return p == PROJECTION_VENDOR_DEFAULT && r->unverified != NULL ? ENFORCED_UNVERIFIED : ENFORCED_APPROVALS;
}

static bool
public_value(const struct option_spec *o, const char *value)
{
    (void)value;
    return o->id == OPTION_MODE || o->id == OPTION_INHERIT || o->id == OPTION_MODEL ||
           o->id == OPTION_FALLBACK || o->id == OPTION_EFFORT;
}

const struct adapter adapter_claude = {
    .id = "claude-code",
    .program = "claude",
    .package = "@anthropic-ai/claude-code",
    .checked = "2.1.332, 2.1.197",
    .grammar = &claude_grammar,
    .efforts = claude_efforts,
    .effort_option = "--effort WORD",
    .full = true,
    .workspace_write = true,
    .read_only = true,
    .sandbox = true,
    .classify = classify,
    .directory = directory,
    .config = claude_config,
    .request = request,
    .render = claude_render,
    .enforcement = enforcement,
    .public_value = public_value,
};
