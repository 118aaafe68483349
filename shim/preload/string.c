/* The string functions, our own. Another library may stand before the libc's: a sanitizer's, which looks at memory that
 * only instrumented code keeps account of, or a fuzzer's; and neither has to run on a small stack or in a vfork child. And the libc's are
 * chosen while it is relocated (IFUNC): a library without NEEDED may come before that, as with LD_PRELOAD=libc.so.6:libhaccess.so.
 * Compiled with -fno-builtin, so that the compiler does not make calls to them of their own loops. */
#include <stdint.h>
#include <string.h>

static char *
writable(const char *s)
{
    return (char *)(uintptr_t)s;
}

void *
memcpy(void *restrict to, const void *restrict from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    while (n-- != 0)
        *t++ = *f++;
    return to;
}

void *
memset(void *to, int c, size_t n)
{
    unsigned char *t = to;

    while (n-- != 0)
        *t++ = (unsigned char)c;
    return to;
}

int
memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (; n != 0; n--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

size_t
strlen(const char *s)
{
    const char *end = s;

    while (*end != '\0')
        end++;
    return (size_t)(end - s);
}

char *
strcpy(char *restrict to, const char *restrict from)
{
    return memcpy(to, from, strlen(from) + 1);
}

int
strncmp(const char *a, const char *b, size_t n)
{
    for (; n != 0; n--, a++, b++)
        if (*a != *b || *a == '\0')
            return (unsigned char)*a - (unsigned char)*b;
    return 0;
}

int
strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *
strchr(const char *s, int c)
{
    for (; *s != (char)c; s++)
        if (*s == '\0')
            return NULL;
    return writable(s);
}

char *
strrchr(const char *s, int c)
{
    const char *last = NULL;

    for (; *s != '\0'; s++)
        if (*s == (char)c)
            last = s;
    return writable((char)c == '\0' ? s : last);
}

size_t
strspn(const char *s, const char *set)
{
    size_t n = 0;

    while (s[n] != '\0' && strchr(set, s[n]) != NULL)
        n++;
    return n;
}

size_t
strcspn(const char *s, const char *set)
{
    size_t n = 0;

    while (s[n] != '\0' && strchr(set, s[n]) == NULL)
        n++;
    return n;
}

char *
strstr(const char *s, const char *part)
{
    size_t n = strlen(part);

    while (strncmp(s, part, n) != 0)
        if (*s++ == '\0')
            return NULL;
    return writable(s);
}
