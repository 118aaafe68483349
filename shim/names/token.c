/* The mark of a decided launch, and the hash that tells one launch's execs from another launch. */
#include <string.h>

#include "names.h"

#define FNV_BASIS 14695981039346656037u
#define FNV_PRIME 1099511628211u

/* FNV-1a over the string and its NUL, so that ("ab", "c") differs from ("a", "bc"). */
static uint64_t
hash_string(uint64_t h, const char *s)
{
    const unsigned char *c = (const unsigned char *)s;

    do
        h = (h ^ *c) * FNV_PRIME;
    while (*c++ != '\0');
    return h;
}

uint64_t
launch_hash(char *const args[], char *const envp[])
{
    uint64_t h = FNV_BASIS;
    const char *value;

    if (args != NULL)
        for (; *args != NULL; args++)
            h = hash_string(h, *args);
    for (size_t i = 0; marker_names[i].name != NULL; i++) {
        value = environment_value(envp, marker_names[i].name);
        if (value == NULL)
            continue;
        /* 0xff begins no valid UTF-8: the markers do not read as further arguments. */
        h = hash_string((h ^ 0xff) * FNV_PRIME, marker_names[i].name);
        h = hash_string(h, value);
    }
    value = environment_value(envp, ENV_LANE);
    if (value != NULL && strcmp(value, "read") == 0)
        h = hash_string((h ^ 0xfe) * FNV_PRIME, value);
    return h;
}

uint64_t
passed_hash(const char *file, char *const args[], char *const envp[])
{
    return hash_string((launch_hash(args, envp) ^ 0xfd) * FNV_PRIME, file);
}

static char *
put_string(char *out, const char *end, const char *s)
{
    while (*s != '\0' && out < end)
        *out++ = *s++;
    return out;
}

static char *
put_number(char *out, const char *end, unsigned long long n, unsigned base)
{
    char digits[24];
    size_t i = sizeof(digits);

    digits[--i] = '\0';
    do
        digits[--i] = "0123456789abcdef"[n % base];
    while ((n /= base) != 0);
    return put_string(out, end, digits + i);
}

void
token_format(const struct launch_token *t, char *out)
{
    const char *end = out + TOKEN_MAX - 1;

    if (t->run[0] != '\0') {
        out = put_string(out, end, t->run);
        out = put_string(out, end, "/");
        out = put_string(out, end, t->id);
        out = put_string(out, end, ":");
    }
    out = put_string(out, end, t->adapter);
    out = put_string(out, end, ":");
    out = put_number(out, end, (unsigned long long)t->pid, 10);
    out = put_string(out, end, ":");
    out = put_number(out, end, t->start, 10);
    out = put_string(out, end, ":");
    out = put_number(out, end, t->hash, 16);
    *out = '\0';
}

static bool
word_byte(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '_' || c == '-';
}

/* Copies a word that stop ends to out; returns what follows stop, NULL when it is no word or does not fit. */
static const char *
get_word(const char *text, char stop, char *out, size_t size)
{
    size_t n = 0;

    while (word_byte((unsigned char)text[n])) {
        if (n + 1 >= size)
            return NULL;
        out[n] = text[n];
        n++;
    }
    out[n] = '\0';
    return n == 0 || text[n] != stop ? NULL : text + n + 1;
}

/* Reads digits up to stop; returns what follows stop (the NUL itself when that is stop), NULL for no number. */
static const char *
get_number(const char *text, char stop, unsigned base, unsigned long long max, unsigned long long *out)
{
    const char *c = text;

    *out = 0;
    for (; *c != stop; c++) {
        unsigned digit = *c >= '0' && *c <= '9'   ? (unsigned)(*c - '0')
                         : *c >= 'a' && *c <= 'f' ? (unsigned)(*c - 'a') + 10
                                                  : base;

        if (digit >= base || *out > (max - digit) / base)
            return NULL;
        *out = *out * base + digit;
    }
    if (c == text)
        return NULL;
    return stop == '\0' ? c : c + 1;
}

bool
token_parse(const char *text, struct launch_token *out)
{
    unsigned long long pid, hash;
    size_t n = strcspn(text, "/:");

    memset(out, 0, sizeof(*out));
    if (text[n] == '/') {
        text = get_word(text, '/', out->run, sizeof(out->run));
        if (text == NULL || (text = get_word(text, ':', out->id, sizeof(out->id))) == NULL)
            return false;
    }
    if ((text = get_word(text, ':', out->adapter, sizeof(out->adapter))) == NULL ||
        (text = get_number(text, ':', 10, 0x7fffffff, &pid)) == NULL ||
        (text = get_number(text, ':', 10, ~0ull, &out->start)) == NULL ||
        get_number(text, '\0', 16, UINT64_MAX, &hash) == NULL)
        return false;
    out->pid = (pid_t)pid;
    out->hash = hash;
    return true;
}
