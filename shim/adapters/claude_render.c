/* How an access is spelled for Claude Code. */
#include <stddef.h>
#include <string.h>

#include "claude.h"

/* What its Bash sandbox needs on Linux. */
static const struct program needs[] = {{"bwrap", "bubblewrap"}, {"socat", "socat"}, {NULL, NULL}};

struct spelling {
    struct mem *m;
    const struct invocation *i;
    const struct request *r;
    const struct rendering *how;
    struct documents d;
    const char *asked; /* the mode that holds without a bypass; NULL: none is named */
};

static size_t
count_of(const struct command *c, int id)
{
    size_t n = 0;

    for (size_t k = 0; k < c->noptions; k++)
        n += c->options[k].spec->id == id;
    return n;
}

static bool
is_mode(const char *mode, const char *word)
{
    return mode != NULL && strcmp(mode, word) == 0;
}

/* The mode that is asked for, on the command line or in settings. */
static const char *
asked_mode(const struct invocation *i, const struct documents *d, const struct request *r)
{
    const struct occurrence *o = command_last(&i->command, OPTION_MODE);
    const struct document *set = documents_string(d, offsetof(struct settings, default_mode));

    if (o != NULL)
        return o->value;
    for (size_t k = 0; k < r->nsources; k++) /* wherever it is said */
        if (r->sources[k].access == ACCESS_READ_ONLY && is_mode(r->sources[k].value, "plan"))
            return "plan";
    return set != NULL ? set->settings.default_mode : NULL;
}

/* Whether an enabled sandbox approves the commands that it holds, which then write in the project, in plan mode too: what
 * 2.1.197 does unless it is told not to. */
static bool
approves_commands(const struct documents *d)
{
    return documents_answer(d, offsetof(struct settings, sandbox)) == ANSWER_YES &&
           documents_answer(d, offsetof(struct settings, auto_allow)) != ANSWER_NO;
}

/* Whether the launch asks for the projection with the adapter's own option and with nothing else (decision rules,
 * section 5). */
static bool
is_own(const struct spelling *s)
{
    const struct command *c = &s->i->command;
    const struct document *document = flag_document(&s->d);
    const struct settings *flag = document != NULL ? &document->settings : NULL;
    const char *mode = s->asked;
    size_t settings = count_of(c, OPTION_SETTINGS);

    if (count_of(c, OPTION_MODE) != 1 || count_of(c, OPTION_SKIP) + count_of(c, OPTION_ALLOW_SKIP) != 0)
        return false;
    if (count_of(c, OPTION_INHERIT) + count_of(c, OPTION_MANAGED) != 0 || settings > 1)
        return false;
    if (flag != NULL && (!flag->readable || is_mode(flag->default_mode, "bypassPermissions")))
        return false;
    switch (s->how->projection) {
    case PROJECTION_FULL:
        return is_mode(mode, "bypassPermissions") && flag != NULL && flag->sandbox == ANSWER_NO;
    case PROJECTION_WORKSPACE_WRITE:
        return is_mode(mode, "acceptEdits") && flag != NULL && flag->sandbox == ANSWER_YES &&
               flag->required == ANSWER_YES && flag->unsandboxed == ANSWER_NO &&
               count_of(c, OPTION_ALLOW) == 0 && flag->allow.count == 0 && !s->how->narrowed;
    case PROJECTION_READ_ONLY:
        return is_mode(mode, "plan") && count_of(c, OPTION_ALLOW) == 0 &&
               (flag == NULL || flag->allow.count == 0) && s->r->lane != LANE_READ && !s->how->narrowed &&
               !approves_commands(&s->d);
    default:
        return false;
    }
}

static const char *
rendered_mode(const struct spelling *s)
{
    static const char *const weaker[] = {"default", "manual", "plan", "dontAsk", NULL};

    switch (s->how->projection) {
    case PROJECTION_FULL:
        return "bypassPermissions";
    case PROJECTION_READ_ONLY:
        return is_mode(s->asked, "plan") ? "plan" : "default";
    default:
        /* The plan mode of a settings file is not what is asked: what asks to write beats it. On the command line it would
         * be a read-only request the next time. */
        if (is_mode(s->asked, "plan") && count_of(&s->i->command, OPTION_MODE) == 0)
            return "acceptEdits";
        for (const char *const *w = weaker; *w != NULL; w++)
            if (is_mode(s->asked, *w))
                return *w;
        return "acceptEdits";
    }
}

/* The change that the projection makes to a settings document. */
static struct settings_change
change_of(const struct spelling *s)
{
    struct settings_change change = {.sandbox = SANDBOX_AS_IT_IS};

    switch (s->how->projection) {
    case PROJECTION_FULL:
        change.sandbox = SANDBOX_OFF;
        break;
    case PROJECTION_READ_ONLY:
        change.quiet = approves_commands(&s->d);
        change.drop_allow = true;
        change.drop_roots = s->how->narrowed;
        break;
    default:
        change.sandbox = SANDBOX_HELD;
        change.drop_allow = change.drop_roots = s->how->narrowed;
        break;
    }
    return change;
}

/* Puts --settings in where there is something to say. Returns false when the launch's own cannot be read; *misfit is then the
 * member that is at fault, if it is one. */
static bool
put_settings(const struct spelling *s, struct edit *e, const char **misfit)
{
    struct settings_change change = change_of(s);
    const char *text;

    if (s->d.flag != NULL && s->d.flag_text == NULL)
        return false;
    if (s->d.flag == NULL && change.sandbox == SANDBOX_AS_IT_IS && !change.quiet)
        return true;
    text = settings_merge(s->m, s->d.flag_text, s->d.flag_length, &change, misfit);
    if (text == NULL)
        return false;
    edit_insert(e, "--settings");
    edit_insert(e, text);
    return true;
}

/* Whether tool rules and roots of --managed-settings must go. */
static bool
changes_parent(const struct spelling *s)
{
    return s->d.parent != NULL && (s->how->projection == PROJECTION_READ_ONLY || s->how->narrowed);
}

static bool
put_parent(const struct spelling *s, struct edit *e, const char **misfit)
{
    struct settings_change change = {.drop_allow = true, .drop_roots = s->how->narrowed};
    const char *text;

    if (!changes_parent(s))
        return true;
    text = settings_merge(s->m, s->d.parent->value, strlen(s->d.parent->value), &change, misfit);
    if (text == NULL)
        return false;
    edit_insert(e, "--managed-settings");
    edit_insert(e, text);
    return true;
}

/* The lists of the read lane: its own allow list instead of the launch's, its deny list before the launch's. */
static void
put_lane(const struct spelling *s, struct edit *e, const char *mode)
{
    const struct command *c = &s->i->command;
    const char *allow = tools_join(s->m, s->how->read_allow), *denied;
    struct strings deny = {NULL, 0, 0};

    for (size_t k = 0; s->how->read_deny != NULL && k < s->how->read_deny->count; k++)
        strings_add(s->m, &deny, s->how->read_deny->items[k]);
    for (size_t k = 0; k < c->noptions; k++) {
        const struct occurrence *o = &c->options[k];

        if (o->spec->id == OPTION_DENY) {
            for (size_t v = 0; v < o->nvalues; v++)
                tools_split(s->m, occurrence_value(c, o, v), &deny);
            edit_remove(e, o);
        }
    }
    tools_unique(s->m, &deny);
    denied = tools_join(s->m, &deny);
    if (allow != NULL && !is_mode(mode, "plan"))
        edit_insert(e, mem_printf(s->m, "--allowedTools=%s", allow));
    if (denied != NULL)
        edit_insert(e, mem_printf(s->m, "--disallowedTools=%s", denied));
}

/* Whether a rendering takes the option off. */
static bool
goes(const struct spelling *s, int id)
{
    switch (id) {
    case OPTION_MODE:
    case OPTION_SKIP:
    case OPTION_ALLOW_SKIP:
    case OPTION_INHERIT:
    case OPTION_SETTINGS:
        return true;
    case OPTION_MANAGED:
        return changes_parent(s);
    case OPTION_ALLOW:
        return s->how->projection == PROJECTION_READ_ONLY || s->how->narrowed;
    case OPTION_ADD_DIR:
        return s->how->narrowed;
    default:
        return false;
    }
}

void
claude_render(struct mem *m, const struct invocation *i, const struct request *r, const struct rendering *how,
              struct rendered *out)
{
    struct spelling s = {.m = m, .i = i, .r = r, .how = how};
    struct edit *e = edit_new(m, &i->command);
    const char *mode;

    memset(out, 0, sizeof(*out));
    documents_read(m, i, &s.d);
    s.asked = asked_mode(i, &s.d, r);
    if (how->projection == PROJECTION_WORKSPACE_WRITE)
        out->needs = needs;
    if (!is_own(&s)) {
        mode = rendered_mode(&s);
        for (size_t k = 0; k < i->command.noptions; k++)
            if (goes(&s, i->command.options[k].spec->id))
                edit_remove(e, &i->command.options[k]);
        edit_insert(e, "--permission-mode");
        edit_insert(e, mode);
        const char *option = "--settings", *misfit = NULL;
        if (!put_settings(&s, e, &misfit) || !put_parent(&s, e, (option = "--managed-settings", &misfit))) {
            out->refusal = REFUSAL_SETTINGS_UNREADABLE;
            out->detail =
                misfit != NULL
                    ? mem_printf(m,
                                 "%s in %s has a value that the CLI does not take, so "
                                 "the launch cannot be held to %s; correct it",
                                 misfit, option, projection_word(how->projection))
                    : mem_printf(m,
                                 "the value of %s cannot be read as one JSON object, so "
                                 "the launch cannot be held to %s; give a regular file or the JSON itself",
                                 option, projection_word(how->projection));
            return;
        }
        if (how->projection == PROJECTION_READ_ONLY)
            put_lane(&s, e, mode);
    }
    out->argv = edit_finish(e, &out->argc);
}
