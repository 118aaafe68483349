#include "text.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vis.h>

/* A word of a command line is cut behind this many bytes. */
#define WORD_SHOWN 100

/* Returns the length of the well-formed UTF-8 sequence at s, and the character; 0 when there is none. */
static size_t
utf8(const unsigned char *s, uint32_t *c)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } form[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

    for (size_t n = 0; n < 4; n++) {
        if ((s[0] & form[n].mask) != form[n].lead)
            continue;
        uint32_t v = s[0] & (unsigned char)~form[n].mask;
        for (size_t i = 1; i <= n; i++) {
            if ((s[i] & 0xc0) != 0x80)
                return 0;
            v = v << 6 | (s[i] & 0x3fU);
        }
        if (v < form[n].least || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
            return 0;
        *c = v;
        return n + 1;
    }
    return 0;
}

/* Characters that are not seen but change how others are: C1 controls, and what turns or hides text. */
static bool
unseen(uint32_t c)
{
    return (c >= 0x80 && c < 0xa0) || c == 0xad || c == 0x61c || (c >= 0x200b && c < 0x2010) ||
           (c >= 0x2028 && c < 0x2030) || (c >= 0x2060 && c < 0x2070) || c == 0xfeff ||
           (c >= 0xfff0 && c < 0xfffd) || (c >= 0xe0000 && c < 0xe1000);
}

bool
text_unicode(void)
{
    static int known = -1;
    if (known < 0) {
        locale_t l = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
        known = l != (locale_t)0 && strcmp(nl_langinfo_l(CODESET, l), "UTF-8") == 0;
        if (l != (locale_t)0)
            freelocale(l);
    }
    return known;
}

/* vis(3) byte by byte: its string functions lose characters in a UTF-8 locale when a string is not all UTF-8. */
static const char *
show(struct mem *m, const char *s, size_t length)
{
    char *out = mem_alloc(m, 4 * length + 1), *end = out;
    for (size_t i = 0; i < length;) {
        const unsigned char *p = (const unsigned char *)s + i;
        uint32_t c;
        size_t n = utf8(p, &c);
        if (n > 1 && n <= length - i && text_unicode() && !unseen(c)) {
            memcpy(end, p, n);
            end += n;
            i += n;
            continue;
        }
        end = vis(end, *p, VIS_CSTYLE | VIS_TAB | VIS_NL | VIS_NOSLASH | VIS_NOLOCALE, p[1]);
        i++;
    }
    *end = '\0';
    return out;
}

const char *
text_show(struct mem *m, const char *s)
{
    return s == NULL ? NULL : show(m, s, strlen(s));
}

const char *
text_word(struct mem *m, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
    size_t length = strlen(s), shown = length;
    if (length > WORD_SHOWN) {
        shown = WORD_SHOWN;
        while (shown > 0 && ((unsigned char)s[shown] & 0xc0) == 0x80)
            shown--; /* not within a character */
    }
    const char *text = show(m, s, shown);
    const char *more = shown < length ? mem_printf(m, "... (%zu bytes)", length) : "";
    if (length > 0 && s[strspn(s, plain)] == '\0')
        return mem_printf(m, "%s%s", text, more);
    const char *quote = strchr(s, '\'') == NULL ? "'" : "\"";
    return mem_printf(m, "%s%s%s%s", quote, text, quote, more);
}

const char *
text_path(struct mem *m, const char *path, const char *home)
{
    size_t n = home == NULL ? 0 : strlen(home);
    if (n > 1 && strncmp(path, home, n) == 0 && (path[n] == '/' || path[n] == '\0'))
        return text_show(m, mem_printf(m, "~%s", path + n));
    return text_show(m, path);
}

/* Columns of the terminal on standard output, 0 where it is none. */
static size_t
terminal_width(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Characters, which is what columns are for all but East Asian text. */
static size_t
columns(const char *s, size_t length)
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += ((unsigned char)s[i] & 0xc0) != 0x80;
    return n;
}

void
text_print(const char *text, size_t column)
{
    size_t width = terminal_width(), at = column;
    for (const char *p = text; *p != '\0';) {
        size_t blank = strspn(p, " "), word = strcspn(p + blank, " "), take = columns(p, blank + word);
        if (width > column && at > column && at + take > width) {
            printf("\n%*s", (int)column, "");
            at = column;
            p += blank;
            take -= blank;
            blank = 0;
        }
        fwrite(p, 1, blank + word, stdout);
        at += take;
        p += blank + word;
    }
    putchar('\n');
}

const struct paint *
paint_for(FILE *f)
{
    static const struct paint none = {"", "", "", "", "", "", ""};
    static const struct paint ansi = {"\033[1m",  "\033[2m",  "\033[31m", "\033[32m",
                                      "\033[33m", "\033[35m", "\033[0m"};
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    bool dumb = term == NULL || *term == '\0' || strcmp(term, "dumb") == 0;
    return (no != NULL && *no != '\0') || dumb || !isatty(fileno(f)) ? &none : &ansi;
}

cJSON *
text_json(struct mem *m, const char *s)
{
    if (s == NULL)
        return cJSON_CreateNull();
    size_t length = strlen(s);
    char *out = mem_alloc(m, 3 * length + 1), *end = out;
    for (size_t i = 0; i < length;) {
        uint32_t c;
        size_t n = utf8((const unsigned char *)s + i, &c);
        if (n == 0) {
            memcpy(end, "\xef\xbf\xbd", 3);
            end += 3;
            i++;
        } else {
            memcpy(end, s + i, n);
            end += n;
            i += n;
        }
    }
    return cJSON_CreateString(out);
}

void
text_print_json(cJSON *tree)
{
    char *text = cJSON_PrintUnformatted(tree);
    if (text != NULL)
        puts(text);
    free(text);
    cJSON_Delete(tree);
}
