#include "grammar.h"

#include <string.h>

struct parser {
    struct mem *m;
    struct command *c;
    size_t room;
    bool ended; /* by "--", or by another program's words */
    bool plain; /* no subcommands */
    bool late;  /* no more subcommands */
};

static bool
is_option_word(const char *w)
{
    return w[0] == '-' && w[1] != '\0';
}

static bool
is_end(const struct option_spec *o)
{
    return o->longname == NULL && o->shortname == '\0';
}

/* Whether a name of this length is written for the option: as it is, or with capitals in the place of its hyphens. */
static bool
is_named(const struct grammar *g, const char *longname, const char *name, size_t length)
{
    size_t at = 0;

    if (strncmp(longname, name, length) == 0 && longname[length] == '\0')
        return true;
    for (; g->yargs && at < length && *longname != '\0'; at++, longname++) {
        if (*longname == '-' && longname[1] >= 'a' && longname[1] <= 'z') {
            longname++;
            if (name[at] != *longname - 'a' + 'A')
                return false;
        } else if (name[at] != *longname) {
            return false;
        }
    }
    return g->yargs && at == length && *longname == '\0';
}

static const struct option_spec *
find_long(const struct grammar *g, const struct command_spec *s, const char *name, size_t length)
{
    if (s->options == NULL)
        return NULL;
    for (const struct option_spec *o = s->options; !is_end(o); o++)
        if (o->longname != NULL && is_named(g, o->longname, name, length))
            return o;
    return NULL;
}

static const struct option_spec *
find_short(const struct command_spec *s, char letter)
{
    if (s->options == NULL)
        return NULL;
    for (const struct option_spec *o = s->options; !is_end(o); o++)
        if (o->shortname == letter)
            return o;
    return NULL;
}

static const struct command_spec *
find_subcommand(const struct command_spec *s, const char *name)
{
    if (s->subcommands == NULL)
        return NULL;
    for (const struct command_spec *const *sub = s->subcommands; *sub != NULL; sub++) {
        if (strcmp((*sub)->name, name) == 0)
            return *sub;
        for (const char *const *a = (*sub)->aliases; a != NULL && *a != NULL; a++)
            if (strcmp(*a, name) == 0)
                return *sub;
    }
    return NULL;
}

static struct occurrence *
add_occurrence(struct parser *p, const struct option_spec *spec, size_t word)
{
    struct command *c = p->c;
    struct occurrence *o;

    if (c->noptions == p->room) {
        size_t room = p->room == 0 ? 16 : p->room * 2;
        struct occurrence *grown = mem_array(p->m, room, sizeof(*grown));

        if (c->noptions != 0)
            memcpy(grown, c->options, c->noptions * sizeof(*grown));
        c->options = grown;
        p->room = room;
    }
    o = &c->options[c->noptions++];
    o->spec = spec;
    o->word = word;
    o->level = (unsigned char)(c->depth - 1);
    if (c->depth == 1 && c->grammar->early != 0 && spec->id != c->grammar->early)
        p->late = true;
    return o;
}

static void
mark(struct command *c, size_t word, enum word_kind kind)
{
    c->words[word].kind = (unsigned char)kind;
    c->words[word].level = (unsigned char)(c->depth - 1);
}

/* Takes the value of o from the words behind word i; returns the last word taken. */
static size_t
take_values(struct parser *p, struct occurrence *o, size_t i)
{
    struct command *c = p->c;
    size_t limit = o->spec->arity == ARITY_MANY ? c->argc : i + 2;

    while (i + 1 < c->argc && i + 1 < limit) {
        const char *next = c->argv[i + 1];
        /* The first value of a required option is taken as it is where the parser says so; the others never. */
        bool truth = strcmp(next, "true") == 0 || strcmp(next, "false") == 0;
        bool dash_ok = c->grammar->dash_values && o->nvalues == 0 && o->spec->arity != ARITY_OPTIONAL;

        if ((is_option_word(next) && !dash_ok) || (o->spec->arity == ARITY_SWITCH && !truth))
            break;
        i++;
        mark(c, i, WORD_VALUE);
        if (o->nvalues++ == 0) {
            o->value = next;
            o->value_word = i;
        }
    }
    o->missing = o->nvalues == 0 && (o->spec->arity == ARITY_ONE || o->spec->arity == ARITY_MANY);
    return i;
}

static void
glue(struct occurrence *o, size_t word, const char *value)
{
    o->value = value;
    o->value_word = word;
    o->nvalues = 1;
    o->glued = true;
}

static void
unknown(struct command *c, size_t i)
{
    mark(c, i, WORD_UNKNOWN);
    if (c->unknown == 0)
        c->unknown = i;
}

/* Reads the long option in word i; returns the last word taken. */
static size_t
parse_long(struct parser *p, size_t i)
{
    struct command *c = p->c;
    const char *name = c->argv[i] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const struct option_spec *spec = find_long(c->grammar, command_leaf(c), name, length);
    struct occurrence *o;

    if (spec == NULL || (equals != NULL && spec->arity == ARITY_NONE)) {
        unknown(c, i);
        return i;
    }
    mark(c, i, WORD_OPTION);
    o = add_occurrence(p, spec, i);
    if (equals != NULL) {
        glue(o, i, equals + 1);
        return i;
    }
    return spec->arity == ARITY_NONE ? i : take_values(p, o, i);
}

/* Whether the rest of a short word is the value of the letter before it. yargs takes it for more letters, unless it begins like
 * no letter or is a number. */
static bool
is_glued(const struct grammar *g, const char *rest)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return !g->yargs || strchr(letters, *rest) == NULL || rest[strspn(rest, "0123456789")] == '\0';
}

/* Reads the short options in word i; returns the last word taken. */
static size_t
parse_short(struct parser *p, size_t i)
{
    struct command *c = p->c;
    const char *word = c->argv[i];
    size_t begun = c->noptions;

    mark(c, i, WORD_OPTION);
    for (size_t at = 1; word[at] != '\0'; at++) {
        const struct option_spec *spec = find_short(command_leaf(c), word[at]);
        struct occurrence *o;

        if (spec == NULL) {
            c->noptions = begun;
            unknown(c, i);
            return i;
        }
        o = add_occurrence(p, spec, i);
        o->offset = at;
        if (spec->arity == ARITY_NONE)
            continue;
        if (word[at + 1] == '\0') {
            i = take_values(p, o, i);
        } else if (!is_glued(c->grammar, word + at + 1)) {
            o->missing = spec->arity != ARITY_SWITCH;
            continue;
        } else {
            const char *value = word + at + 1;

            glue(o, i, c->grammar->short_equals && *value == '=' ? value + 1 : value);
        }
        break;
    }
    for (size_t k = begun; k < c->noptions; k++)
        c->options[k].bundled = c->noptions - begun > 1;
    return i;
}

static void
parse_operand(struct parser *p, size_t i)
{
    struct command *c = p->c;
    const struct command_spec *leaf = command_leaf(c);

    bool late = p->late || (c->grammar->operand_ends_subcommands && (c->operand != 0 || c->unknown != 0));

    if (!p->ended && !p->plain && !late && c->depth < COMMAND_DEPTH) {
        const struct command_spec *sub = find_subcommand(leaf, c->argv[i]);

        if (sub != NULL) {
            mark(c, i, WORD_SUBCOMMAND);
            c->path[c->depth++] = sub;
            return;
        }
    }
    mark(c, i, p->ended ? WORD_DATA : WORD_OPERAND);
    if (c->operand == 0)
        c->operand = i;
    c->operands++;
    if (leaf->foreign)
        p->ended = true;
}

static void
parse(struct mem *m, const struct grammar *g, char *const argv[], size_t argc, size_t first, bool plain,
      struct command *out)
{
    struct parser p = {.m = m, .c = out, .plain = plain};

    memset(out, 0, sizeof(*out));
    out->grammar = g;
    out->argv = argv;
    out->argc = argc;
    out->first = first < argc ? first : argc;
    out->words = mem_array(m, argc + 1, sizeof(*out->words));
    out->path[0] = g->root;
    out->depth = 1;
    for (size_t i = out->first; i < argc; i++) {
        const char *w = argv[i];

        if (p.ended || !is_option_word(w)) {
            parse_operand(&p, i);
        } else if (strcmp(w, "--") == 0) {
            mark(out, i, WORD_DASHES);
            p.ended = true;
        } else if (w[1] == '-') {
            i = parse_long(&p, i);
        } else {
            i = parse_short(&p, i);
        }
    }
}

/* Whether the option that does away with subcommands stands there as a word of its own. */
static bool
is_plain(const struct command *c)
{
    for (size_t i = 0; i < c->noptions; i++)
        if (c->options[i].spec->id == c->grammar->plain && !c->options[i].bundled)
            return true;
    return false;
}

void
command_parse(struct mem *m, const struct grammar *g, char *const argv[], size_t argc, size_t first,
              struct command *out)
{
    if (g->plain != 0) {
        parse(m, g, argv, argc, first, true, out);
        if (is_plain(out))
            return;
    }
    parse(m, g, argv, argc, first, false, out);
}

const struct command_spec *
command_leaf(const struct command *c)
{
    return c->path[c->depth - 1];
}

const struct occurrence *
command_last(const struct command *c, int id)
{
    const struct occurrence *last = NULL;

    for (size_t i = 0; i < c->noptions; i++) {
        const struct occurrence *o = &c->options[i];

        if (o->spec->id == id && (last == NULL || o->level >= last->level))
            last = o;
    }
    return last;
}

const char *
occurrence_value(const struct command *c, const struct occurrence *o, size_t i)
{
    return i == 0 ? o->value : c->argv[o->value_word + i];
}

const char *
occurrence_spelling(struct mem *m, const struct command *c, const struct occurrence *o)
{
    const char *word = c->argv[o->word];

    if (word[1] != '-')
        return mem_printf(m, "-%c", o->spec->shortname);
    return o->glued ? mem_strndup(m, word, (size_t)(o->value - 1 - word)) : word;
}

const char *
command_malformed(struct mem *m, const struct command *c, int id)
{
    /* The last occurrence at the level, per level: enough to see a second one, and linear in the options. */
    const struct occurrence *seen[COMMAND_DEPTH] = {NULL};

    for (size_t i = 0; i < c->noptions; i++) {
        const struct occurrence *o = &c->options[i];

        if (o->spec->id != id)
            continue;
        if (o->missing)
            return mem_printf(m, "%s (argument %zu) has no value", occurrence_spelling(m, c, o), o->word);
        if (o->spec->once && seen[o->level] != NULL)
            return mem_printf(m, "%s (argument %zu) is given twice", occurrence_spelling(m, c, o), o->word);
        if (o->spec->group != NULL)
            for (size_t k = 0; k < c->noptions; k++) {
                const struct occurrence *other = &c->options[k];

                if (k != i && other->level == o->level && other->spec->group != NULL &&
                    other->spec->id != id && strcmp(other->spec->group, o->spec->group) == 0)
                    return mem_printf(m, "%s (argument %zu) cannot be combined with %s (argument %zu)",
                                      occurrence_spelling(m, c, o), o->word, occurrence_spelling(m, c, other),
                                      other->word);
            }
        seen[o->level] = o;
    }
    return NULL;
}
