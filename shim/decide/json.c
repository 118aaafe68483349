#include "json.h"

#include <stdint.h>
#include <string.h>

#define DEPTH_MAX 200

struct scan {
    const char *p, *end;
    struct json_error error;
};

static bool
fail(struct scan *s, const char *at, const char *why)
{
    s->p = at;
    s->error.why = why;
    return false;
}

static void
blanks(struct scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static bool
take(struct scan *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static int
hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *d = c == '\0' ? NULL : strchr(digits, c);

    return d == NULL ? -1 : (int)(d - digits) % 16;
}

/* Reads four hex digits at p. Returns -1 when they are not there. */
static int
hex4(const char *p, const char *end)
{
    int code = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(p[i]);

        if (digit == -1)
            return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* Returns the length of the UTF-8 sequence at p, 0 when it is none: overlong forms, surrogates and code points beyond
 * U+10FFFF are not (RFC 3629). */
static size_t
utf8_length(const char *p, const char *end)
{
    unsigned char lead = (unsigned char)*p, low = 0x80, high = 0xbf;
    size_t n;

    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    n = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead == 0xe0)
        low = 0xa0;
    if (lead == 0xed)
        high = 0x9f;
    if (lead == 0xf0)
        low = 0x90;
    if (lead == 0xf4)
        high = 0x8f;
    if ((size_t)(end - p) < n)
        return 0;
    for (size_t i = 1; i < n; i++, low = 0x80, high = 0xbf)
        if ((unsigned char)p[i] < low || (unsigned char)p[i] > high)
            return 0;
    return n;
}

static bool
escape(struct scan *s)
{
    int code;

    if (s->end - s->p >= 2 && s->p[1] != '\0' && strchr("\"\\/bfnrt", s->p[1]) != NULL) {
        s->p += 2;
        return true;
    }
    if (s->end - s->p < 2 || s->p[1] != 'u' || (code = hex4(s->p + 2, s->end)) == -1)
        return fail(s, s->p, "this is no escape that JSON has");
    if (code == 0)
        return fail(s, s->p, "an embedded NUL");
    s->p += 6;
    return true;
}

static bool
string(struct scan *s)
{
    const char *start = s->p;

    if (!take(s, '"'))
        return fail(s, s->p, "expected a string in double quotes");
    while (s->p < s->end && *s->p != '"') {
        unsigned char c = (unsigned char)*s->p;
        size_t n;

        if (c == '\\') {
            if (!escape(s))
                return false;
        } else if (c == '\0') {
            return fail(s, s->p, "an embedded NUL");
        } else if (c < 0x20) {
            return fail(s, s->p,
                        c == '\n' || c == '\r' ? "a string that does not end on its line"
                                               : "a control character in a string");
        } else if ((n = utf8_length(s->p, s->end)) == 0) {
            return fail(s, s->p, "not UTF-8");
        } else {
            s->p += n;
        }
    }
    if (!take(s, '"'))
        return fail(s, start, "a string that does not end");
    return true;
}

static size_t
digits(struct scan *s)
{
    const char *start = s->p;

    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return (size_t)(s->p - start);
}

static bool
number(struct scan *s)
{
    const char *start = s->p;

    take(s, '-');
    if (!take(s, '0') && digits(s) == 0)
        return fail(s, start, "not a number");
    if (take(s, '.') && digits(s) == 0)
        return fail(s, start, "a number without digits after its point");
    if (take(s, 'e') || take(s, 'E')) {
        if (!take(s, '+'))
            take(s, '-');
        if (digits(s) == 0)
            return fail(s, start, "a number without digits in its exponent");
    }
    return true;
}

static bool
word(struct scan *s)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i]);

        if ((size_t)(s->end - s->p) >= n && memcmp(s->p, words[i], n) == 0) {
            s->p += n;
            return true;
        }
    }
    return fail(s, s->p, "expected a value");
}

static bool value(struct scan *s, int depth);

/* The inside of an object or array: what stands between the commas. */
static bool
member(struct scan *s, char close, int depth)
{
    blanks(s);
    if (close == '}') {
        if (s->p < s->end && *s->p != '"')
            return fail(s, s->p, "expected a key in double quotes");
        if (!string(s))
            return false;
        blanks(s);
        if (!take(s, ':'))
            return fail(s, s->p, "expected a colon after the key");
    }
    return value(s, depth);
}

static bool
container(struct scan *s, char close, int depth)
{
    const char *comma;

    if (depth == DEPTH_MAX)
        return fail(s, s->p, "nested too deeply");
    s->p++;
    blanks(s);
    if (take(s, close))
        return true;
    for (;;) {
        if (!member(s, close, depth + 1))
            return false;
        blanks(s);
        if (take(s, close))
            return true;
        comma = s->p;
        if (!take(s, ','))
            return fail(s, s->p,
                        close == '}' ? "expected a comma or a closing brace"
                                     : "expected a comma or a closing bracket");
        blanks(s);
        if (s->p < s->end && *s->p == close)
            return fail(s, comma, "a comma after the last entry");
    }
}

static bool
value(struct scan *s, int depth)
{
    blanks(s);
    if (s->p == s->end)
        return fail(s, s->p, "expected a value");
    switch (*s->p) {
    case '{':
        return container(s, '}', depth);
    case '[':
        return container(s, ']', depth);
    case '"':
        return string(s);
    default:
        return *s->p == '-' || (*s->p >= '0' && *s->p <= '9') ? number(s) : word(s);
    }
}

bool
json_valid(const char *text, size_t n, struct json_error *error)
{
    struct scan s = {.p = text, .end = text + n};
    bool ok;

    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        ok = fail(&s, s.p, "a byte order mark");
    else
        ok = value(&s, 0);
    if (ok) {
        blanks(&s);
        if (s.p != s.end)
            ok = fail(&s, s.p, *s.p == '\0' ? "an embedded NUL" : "something after the end of the value");
    }
    if (!ok) {
        s.error.offset = (size_t)(s.p - text);
        if (s.p == s.end)
            s.error.why = "the text ends too early";
        *error = s.error;
    }
    return ok;
}

/* Skips a value in a text that is known to be valid. */
static const char *
skip(const char *p, const char *end)
{
    int depth = 0;

    do {
        if (*p == '"') {
            for (p++; *p != '"'; p++)
                if (*p == '\\')
                    p++;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            depth--;
        } else if (depth == 0) {
            while (p < end && strchr(",]} \t\r\n", *p) == NULL)
                p++;
            return p;
        }
        p++;
    } while (depth > 0);
    return p;
}

bool
json_is_string(struct json_span v)
{
    return v.length >= 2 && v.text[0] == '"';
}

/* Decodes an escape of one of the characters that a key or word of ours has. Returns 0 for any other. */
static int
unescape(const char **p, const char *end)
{
    int code = 0;

    if ((*p)[1] == 'u') {
        code = hex4(*p + 2, end);
        *p += 6;
        return code < 0x80 ? code : 0;
    }
    code = strchr("\"\\/", (*p)[1]) != NULL ? (*p)[1] : 0;
    *p += 2;
    return code;
}

bool
json_equals(struct json_span v, const char *s)
{
    const char *p = v.text + 1, *end = v.text + v.length - 1;

    if (!json_is_string(v))
        return false;
    for (; p < end && *s != '\0'; s++)
        if ((*p == '\\' ? unescape(&p, end) : *p++) != *s)
            return false;
    return p == end && *s == '\0';
}

enum json_found
json_member(struct json_span object, const char *key, struct json_span *found)
{
    struct scan s = {.p = object.text, .end = object.text + object.length};
    enum json_found count = JSON_NONE;

    blanks(&s);
    if (!take(&s, '{'))
        return JSON_NONE;
    for (blanks(&s); s.p < s.end && *s.p == '"'; blanks(&s)) {
        struct json_span name = {s.p, 0}, here;

        s.p = skip(s.p, s.end);
        name.length = (size_t)(s.p - name.text);
        blanks(&s);
        take(&s, ':');
        blanks(&s);
        here.text = s.p;
        s.p = skip(s.p, s.end);
        here.length = (size_t)(s.p - here.text);
        if (json_equals(name, key)) {
            if (count == JSON_NONE)
                *found = here;
            count = count == JSON_NONE ? JSON_ONCE : JSON_TWICE;
        }
        blanks(&s);
        take(&s, ',');
    }
    return count;
}
