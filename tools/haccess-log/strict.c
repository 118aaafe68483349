#include "strict.h"

#include <string.h>

struct text {
    const char *at, *end;
    int depth;
};

/* cJSON reads nothing deeper. */
#define DEPTH_MAX 1000

static bool value(struct text *t);

static void
blanks(struct text *t)
{
    while (t->at < t->end && *t->at == ' ')
        t->at++;
}

/* Takes c. */
static bool
take(struct text *t, char c)
{
    bool there = t->at < t->end && *t->at == c;

    t->at += there;
    return there;
}

static size_t
digits(struct text *t)
{
    const char *from = t->at;

    while (t->at < t->end && *t->at >= '0' && *t->at <= '9')
        t->at++;
    return (size_t)(t->at - from);
}

static bool
number(struct text *t)
{
    take(t, '-');
    if (!take(t, '0') && digits(t) == 0)
        return false;
    if (take(t, '.') && digits(t) == 0)
        return false;
    if (take(t, 'e') || take(t, 'E')) {
        if (!take(t, '+'))
            take(t, '-');
        return digits(t) != 0;
    }
    return true;
}

static bool
string(struct text *t)
{
    if (!take(t, '"'))
        return false;
    while (t->at < t->end && *t->at != '"') {
        if (*t->at++ != '\\')
            continue;
        if (t->at == t->end || strchr("\"\\/bfnrtu", *t->at) == NULL || *t->at == '\0')
            return false;
        if (*t->at++ == 'u') {
            if (t->end - t->at < 4)
                return false;
            for (int i = 0; i < 4; i++, t->at++)
                if (*t->at == '\0' || strchr("0123456789abcdefABCDEF", *t->at) == NULL)
                    return false;
        }
    }
    return take(t, '"');
}

/* The members of an object, or the elements of an array, up to close. */
static bool
members(struct text *t, char close, bool named)
{
    if (++t->depth > DEPTH_MAX)
        return false;
    t->at++;
    blanks(t);
    if (take(t, close)) {
        t->depth--;
        return true;
    }
    do {
        blanks(t);
        if (named) {
            if (!string(t))
                return false;
            blanks(t);
            if (!take(t, ':'))
                return false;
        }
        if (!value(t))
            return false;
    } while (take(t, ','));
    t->depth--;
    return take(t, close);
}

static bool
word(struct text *t, const char *w)
{
    size_t n = strlen(w);
    bool there = (size_t)(t->end - t->at) >= n && memcmp(t->at, w, n) == 0;

    t->at += there ? n : 0;
    return there;
}

static bool
value(struct text *t)
{
    bool good;

    blanks(t);
    if (t->at == t->end)
        return false;
    switch (*t->at) {
    case '{':
        good = members(t, '}', true);
        break;
    case '[':
        good = members(t, ']', false);
        break;
    case '"':
        good = string(t);
        break;
    case 't':
        good = word(t, "true");
        break;
    case 'f':
        good = word(t, "false");
        break;
    case 'n':
        good = word(t, "null");
        break;
    default:
        good = number(t);
    }
    blanks(t);
    return good;
}

bool
strict_json(const char *text, size_t n)
{
    struct text t = {text, text + n, 0};

    return value(&t) && t.at == t.end;
}
