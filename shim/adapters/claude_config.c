#include "claude_config.h"

#include <string.h>
#include <strings.h>

#include "claude_table.h"

#define MANAGED_SETTINGS "/etc/claude-code/managed-settings.json"

bool
claude_truthy(const char *value)
{
    static const char *const words[] = {"1", "true", "yes", "on"};

    for (size_t k = 0; value != NULL && k < sizeof(words) / sizeof(words[0]); k++)
        if (strcasecmp(value, words[k]) == 0)
            return true;
    return false;
}

bool
claude_restricted(const struct invocation *i)
{
    return command_last(&i->command, OPTION_RESTRICTED) != NULL ||
           claude_truthy(env_get(i->envp, "CLAUDE_CODE_RESTRICTED"));
}

bool
claude_restricted_bypass(const struct invocation *i, const struct documents *d, bool asked)
{
    static const char bypass[] = "bypassPermissions";
    const struct command *c = &i->command;
    const struct occurrence *mode = command_last(c, OPTION_MODE);
    bool other = false;

    if (!claude_restricted(i))
        return false;
    if (command_last(c, OPTION_ALLOW_SKIP) != NULL)
        return true;
    for (size_t k = 0; k < d->count; k++) {
        const char *word = d->items[k].settings.default_mode;

        if (d->items[k].settings.no_bypass)
            return false;
        other = other || (word != NULL && strcmp(word, bypass) != 0);
    }
    if (command_last(c, OPTION_SKIP) != NULL)
        return true;
    if (mode != NULL)
        return mode->value != NULL && strcmp(mode->value, bypass) == 0;
    return asked && !other;
}

/* Whether --setting-sources lets a kind of file in. */
static bool
source_wanted(const struct invocation *i, const char *kind)
{
    const struct occurrence *o = command_last(&i->command, OPTION_SOURCES);
    const char *p;

    if (claude_restricted(i))
        return false;
    if (o == NULL || o->value == NULL)
        return true;
    for (p = o->value; *p != '\0'; p += *p == ',') {
        size_t n = strcspn(p, ",");
        const char *word = p;

        p += n;
        for (; n != 0 && *word == ' '; n--)
            word++;
        while (n != 0 && word[n - 1] == ' ')
            n--;
        if (strlen(kind) == n && strncmp(word, kind, n) == 0)
            return true;
    }
    return false;
}

static const char *
trim(const char *text, size_t *length)
{
    if (*length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        *length -= 3;
    }
    while (*length != 0 && strchr(" \t\n\v\f\r", *text) != NULL) {
        text++;
        --*length;
    }
    while (*length != 0 && strchr(" \t\n\v\f\r", text[*length - 1]) != NULL)
        --*length;
    return text;
}

/* A value of --settings in braces is the document itself; anything else is a file. */
static bool
is_inline(const char *value)
{
    size_t length = strlen(value);
    const char *text = trim(value, &length);

    return length >= 2 && text[0] == '{' && text[length - 1] == '}';
}

/* The --settings that counts: the last one; an empty one is none. */
static const struct occurrence *
flag_of(const struct command *c)
{
    const struct occurrence *o = command_last(c, OPTION_SETTINGS);

    return o != NULL && o->value != NULL && o->value[0] != '\0' ? o : NULL;
}

static void
add_below(struct mem *m, struct config_list *out, const char *directory, const char *name,
          enum claude_role role)
{
    if (directory != NULL)
        config_list_add(m, out, mem_printf(m, "%s/%s", directory, name), (int)role);
}

void
claude_config(struct mem *m, const struct invocation *i, struct config_list *out)
{
    const char *user = env_get(i->envp, "CLAUDE_CONFIG_DIR");
    const struct occurrence *flag = flag_of(&i->command),
                            *root = command_last(&i->command, OPTION_CONFIG_ROOT);
    const char *project = i->cwd;

    if (i->nfiles != 0)
        return;
    if (root != NULL && root->value != NULL)
        project = root->value[0] == '/' || i->cwd == NULL ? root->value
                                                          : mem_printf(m, "%s/%s", i->cwd, root->value);
    if (user == NULL || user[0] == '\0')
        user = i->home == NULL ? NULL : mem_printf(m, "%s/.claude", i->home);
    if (source_wanted(i, "user"))
        add_below(m, out, user,
                  claude_truthy(env_get(i->envp, "CLAUDE_CODE_USE_COWORK_PLUGINS")) ? "cowork_settings.json"
                                                                                    : "settings.json",
                  ROLE_USER);
    if (source_wanted(i, "project"))
        add_below(m, out, project, ".claude/settings.json", ROLE_PROJECT);
    if (source_wanted(i, "local"))
        add_below(m, out, project, ".claude/settings.local.json", ROLE_LOCAL);
    if (flag != NULL && !is_inline(flag->value)) {
        if (flag->value[0] == '/')
            config_list_add(m, out, flag->value, ROLE_FLAG);
        else
            add_below(m, out, i->cwd, flag->value, ROLE_FLAG);
    }
    config_list_add(m, out, MANAGED_SETTINGS, ROLE_MANAGED);
}

static struct document *
add(struct documents *d, enum claude_role role, const char *file)
{
    struct document *out = &d->items[d->count++];

    out->role = role;
    out->file = file;
    return out;
}

static const struct config_file *
file_of(const struct invocation *i, enum claude_role role)
{
    for (size_t k = 0; k < i->nfiles; k++)
        if (i->files[k].role == (int)role && i->files[k].text != NULL)
            return &i->files[k];
    return NULL;
}

static void
read_flag(struct mem *m, const struct invocation *i, struct documents *d)
{
    struct document *out;
    const struct config_file *f = file_of(i, ROLE_FLAG);

    d->flag = flag_of(&i->command);
    if (d->flag == NULL)
        return;
    out = add(d, ROLE_FLAG, NULL);
    out->index = d->flag->word;
    if (is_inline(d->flag->value)) {
        d->flag_length = strlen(d->flag->value);
        d->flag_text = trim(d->flag->value, &d->flag_length);
        d->flag_text = mem_strndup(m, d->flag_text, d->flag_length);
    } else if (f != NULL) {
        out->file = f->path;
        d->flag_text = f->text;
        d->flag_length = f->length;
    } else {
        return;
    }
    settings_read(m, d->flag_text, d->flag_length, &out->settings);
    if (!out->settings.readable)
        d->flag_text = NULL;
}

/* Of what a parent process hands over, the CLI takes tool rules and what restricts: it turns neither bypass on nor the
 * sandbox off (2.1.332, 2.1.197). */
static void
read_parent(struct mem *m, const struct occurrence *o, struct documents *d)
{
    struct document *out = add(d, ROLE_PARENT, NULL);

    d->parent = o;
    out->index = o->word;
    settings_read(m, o->value, strlen(o->value), &out->settings);
    out->settings.default_mode = NULL;
    out->settings.sandbox = out->settings.required = out->settings.unsandboxed = ANSWER_UNSET;
}

void
documents_read(struct mem *m, const struct invocation *i, struct documents *out)
{
    memset(out, 0, sizeof(*out));
    for (enum claude_role role = ROLE_USER; role <= ROLE_MANAGED; role++) {
        const struct config_file *f = file_of(i, role);

        if (role == ROLE_FLAG) {
            read_flag(m, i, out);
        } else if (role == ROLE_PARENT) {
            const struct occurrence *o = command_last(&i->command, OPTION_MANAGED);

            if (o != NULL && o->value != NULL)
                read_parent(m, o, out);
        } else if (f != NULL) {
            settings_read(m, f->text, f->length, &add(out, role, f->path)->settings);
        }
    }
}

const struct document *
flag_document(const struct documents *d)
{
    for (size_t k = 0; k < d->count; k++)
        if (d->items[k].role == ROLE_FLAG)
            return &d->items[k];
    return NULL;
}

enum answer
documents_answer(const struct documents *d, size_t member)
{
    for (size_t k = d->count; k-- > 0;) {
        enum answer a;

        memcpy(&a, (const char *)&d->items[k].settings + member, sizeof(a));
        if (a != ANSWER_UNSET)
            return a;
    }
    return ANSWER_UNSET;
}

const char *
document_string(const struct document *d, size_t member)
{
    const char *text;

    memcpy(&text, (const char *)&d->settings + member, sizeof(text));
    return text;
}

const struct document *
documents_string(const struct documents *d, size_t member)
{
    for (size_t k = d->count; k-- > 0;)
        if (document_string(&d->items[k], member) != NULL)
            return &d->items[k];
    return NULL;
}
