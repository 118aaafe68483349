#include "glance.h"

#include <stddef.h>
#include <string.h>

/* Nothing that haccess writes is deeper. */
#define DEPTH_MAX 32

/* cJSON reads no longer number. */
#define NUMBER_MAX 60

struct scan {
    const char *p, *end;
    struct glance *out;
    char *to;      /* where the next string goes */
    unsigned seen; /* members that were found already, a bit each */
};

/* The objects whose members are looked at. */
enum level { TOP, REQUEST, ACCESS, REFUSAL, OTHER };

static const struct member {
    enum level level;
    const char *name;
    size_t length, offset; /* where the string's address or the flag goes; of an object: nowhere */
    enum { STRING, FLAG, OBJECT } kind;
    enum level inside;
} members[] = {
#define TEXT(level, name, field)                                                                             \
    {                                                                                                        \
        level, name, sizeof(name) - 1, offsetof(struct glance, field), STRING, OTHER                         \
    }
    TEXT(TOP, "event", event),
    TEXT(TOP, "ts", ts),
    TEXT(TOP, "id", id),
    TEXT(TOP, "adapter", adapter),
    TEXT(TOP, "class", class),
    TEXT(TOP, "cwd", cwd),
    TEXT(TOP, "projection", projection),
    TEXT(TOP, "enforcement", enforcement),
    TEXT(TOP, "parent_launch", parent_launch),
    TEXT(TOP, "continues", continues),
    {TOP, "observed", 8, offsetof(struct glance, observed), FLAG, OTHER},
    {TOP, "spooled", 7, offsetof(struct glance, spooled), FLAG, OTHER},
    {TOP, "request", 7, 0, OBJECT, REQUEST},
    {TOP, "access", 6, 0, OBJECT, ACCESS},
    {TOP, "refusal", 7, 0, OBJECT, REFUSAL},
    TEXT(REQUEST, "model", model),
    TEXT(REQUEST, "effort", effort),
    TEXT(REQUEST, "access", asked),
    TEXT(ACCESS, "reason", reason),
    TEXT(ACCESS, "detail", detail),
    TEXT(ACCESS, "remedy", remedy),
    TEXT(REFUSAL, "code", code),
#undef TEXT
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

static bool value(struct scan *s, const struct member *m, int depth);

static bool
take(struct scan *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

/* Returns whether one of eight bytes is c: the usual test for a zero byte, after what is c was made zero. */
static uint64_t
has_byte(uint64_t eight, unsigned char c)
{
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    uint64_t x = eight ^ (ones * c);

    return (x - ones) & ~x & high;
}

/* Goes to the next quote or backslash. */
static const char *
plain(const char *p, const char *end)
{
    uint64_t eight;

    for (; end - p >= 8; p += 8) {
        memcpy(&eight, p, 8);
        if ((has_byte(eight, '"') | has_byte(eight, '\\')) != 0)
            break;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

static bool
is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Passes over an escape. A surrogate has to fit its other half, which the tree's parser knows. */
static bool
escape(struct scan *s)
{
    if (s->end - s->p < 2)
        return false;
    if (s->p[1] == 'u') {
        if (s->end - s->p < 6 || ((s->p[2] == 'd' || s->p[2] == 'D') && s->p[3] > '7'))
            return false;
        for (int i = 2; i < 6; i++)
            if (!is_hex(s->p[i]))
                return false;
        s->p += 6;
        return true;
    }
    if (memchr("\"\\/bfnrt", s->p[1], 8) == NULL)
        return false;
    s->p += 2;
    return true;
}

/* Passes over a string. */
static bool
string(struct scan *s, const char **text, size_t *length, bool *escaped)
{
    if (!take(s, '"'))
        return false;
    *text = s->p;
    *escaped = false;
    for (;;) {
        s->p = plain(s->p, s->end);
        if (s->p == s->end)
            return false;
        if (*s->p == '"')
            break;
        *escaped = true;
        if (!escape(s))
            return false;
    }
    *length = (size_t)(s->p - *text);
    s->p++;
    return true;
}

static size_t
digits(struct scan *s)
{
    const char *from = s->p;

    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return (size_t)(s->p - from);
}

static bool
number(struct scan *s)
{
    const char *from = s->p;

    take(s, '-');
    if (!take(s, '0') && digits(s) == 0)
        return false;
    if (take(s, '.') && digits(s) == 0)
        return false;
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        if (digits(s) == 0)
            return false;
    }
    return s->p - from <= NUMBER_MAX;
}

static bool
word(struct scan *s, const char *w, size_t n)
{
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, w, n) != 0)
        return false;
    s->p += n;
    return true;
}

static const struct member *
find(enum level level, const char *name, size_t length)
{
    for (const struct member *m = members; m < members + MEMBERS; m++)
        if (m->level == level && m->length == length && memcmp(m->name, name, length) == 0)
            return m;
    return NULL;
}

static bool
object(struct scan *s, enum level level, int depth)
{
    s->p++;
    if (take(s, '}'))
        return true;
    do {
        const struct member *m = NULL;
        const char *name;
        size_t length;
        bool escaped;

        if (!string(s, &name, &length, &escaped) || !take(s, ':'))
            return false;
        if (level != OTHER) {
            if (escaped)
                return false;
            m = find(level, name, length);
            if (m != NULL) {
                unsigned bit = 1u << (m - members);

                if ((s->seen & bit) != 0)
                    m = NULL;
                s->seen |= bit;
            }
        }
        if (!value(s, m, depth + 1))
            return false;
    } while (take(s, ','));
    return take(s, '}');
}

static bool
array(struct scan *s, int depth)
{
    s->p++;
    if (take(s, ']'))
        return true;
    do
        if (!value(s, NULL, depth + 1))
            return false;
    while (take(s, ','));
    return take(s, ']');
}

/* Reads a value; m: the member that it is of, NULL for one that nobody asks for. */
static bool
value(struct scan *s, const struct member *m, int depth)
{
    const char *text;
    size_t length;
    bool escaped;

    if (s->p == s->end || depth > DEPTH_MAX)
        return false;
    switch (*s->p) {
    case '{':
        return object(s, m == NULL ? OTHER : m->inside, depth);
    case '[':
        return array(s, depth);
    case '"':
        if (!string(s, &text, &length, &escaped))
            return false;
        if (m == NULL || m->kind != STRING)
            return true;
        if (escaped)
            return false;
        memcpy(s->to, text, length);
        s->to[length] = '\0';
        memcpy((char *)s->out + m->offset, &s->to, sizeof(s->to));
        s->to += length + 1;
        return true;
    case 't':
        if (m != NULL && m->kind == FLAG)
            *(bool *)((char *)s->out + m->offset) = true;
        return word(s, "true", 4);
    case 'f':
        return word(s, "false", 5);
    case 'n':
        return word(s, "null", 4);
    default:
        return number(s);
    }
}

bool
glance(const struct line *l, struct glance *out)
{
    struct scan s = {.out = out, .to = out->text};

    memset(out, 0, offsetof(struct glance, text));
    if (l->text == NULL || l->length == 0 || *l->text != '{' || memchr(l->text, '\0', l->length) != NULL)
        return false;
    s.p = l->text;
    s.end = l->text + l->length;
    return object(&s, TOP, 0) && s.p == s.end;
}
