#include "screen.h"

#include <err.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vis.h>
#include <wchar.h>
#include <wctype.h>

#include "../../shim/journal/encode.h"

static bool utf8, tty, colours, cut;
static FILE *screen; /* stdout, while what goes to it is captured */
static char *captured;
static size_t captured_length;
static size_t screen_columns; /* width and cut as they are outside of it */
static bool screen_cut;
static size_t width = 80;
static pid_t pager;

void
screen_init(void)
{
    const char *text = getenv("COLUMNS"), *no_color = getenv("NO_COLOR"), *term = getenv("TERM"), *problem;
    struct winsize size;
    long long n;

    setlocale(LC_ALL, "");
    utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    tty = isatty(STDOUT_FILENO) == 1;
    colours = tty && (no_color == NULL || *no_color == '\0') && (term == NULL || strcmp(term, "dumb") != 0);
    n = text == NULL ? 0 : strtonum(text, 20, 10000, &problem);
    if (n != 0)
        width = (size_t)n;
    else if (tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        width = size.ws_col;
    /* What goes to a program is not cut, unless a width was asked for. */
    cut = tty || n != 0;
}

size_t
screen_width(void)
{
    return width;
}

void
screen_utf8(void)
{
    utf8 = setlocale(LC_CTYPE, "C.UTF-8") != NULL;
}

/* In glibc stdout is a variable like any other (Glibc manual, Standard Streams). */
void
screen_capture(size_t columns_wide)
{
    screen = stdout;
    stdout = open_memstream(&captured, &captured_length);
    if (stdout == NULL)
        err(1, "memory");
    screen_columns = width;
    screen_cut = cut;
    width = columns_wide;
    cut = true;
}

char *
screen_captured(struct mem *m)
{
    char *text;

    if (fclose(stdout) != 0)
        err(1, "memory");
    stdout = screen;
    screen = NULL;
    width = screen_columns;
    cut = screen_cut;
    text = mem_strndup(m, captured, captured_length);
    free(captured);
    return text;
}

static bool
on_path(const char *name)
{
    const char *path = getenv("PATH");
    char *copy = path == NULL ? NULL : strdup(path), *rest = copy, *dir, file[4096];
    bool found = false;

    while (!found && rest != NULL && (dir = strsep(&rest, ":")) != NULL) {
        snprintf(file, sizeof(file), "%s/%s", *dir == '\0' ? "." : dir, name);
        found = access(file, X_OK) == 0;
    }
    free(copy);
    return found;
}

static void
wait_for_pager(void)
{
    fflush(stdout);
    fclose(stdout);
    while (waitpid(pager, NULL, 0) == -1 && errno == EINTR)
        ;
}

void
screen_pager(void)
{
    const char *command = getenv("HACCESS_PAGER");
    int ends[2];

    if (command == NULL)
        command = getenv("PAGER");
    if (command == NULL && on_path("less"))
        command = "less";
    if (!tty || command == NULL || *command == '\0' || strcmp(command, "cat") == 0 || pipe(ends) == -1)
        return;
    fflush(stdout);
    pager = fork();
    if (pager == -1) {
        warn("pager");
        close(ends[0]);
        close(ends[1]);
        return;
    }
    if (pager == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LESS", "FRX", 0);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    /* The pager has the terminal: an interrupt is its affair until it ends. */
    signal(SIGINT, SIG_IGN);
    atexit(wait_for_pager);
}

const char *
glyph(const char *in_utf8, const char *ascii)
{
    return utf8 ? in_utf8 : ascii;
}

/* Characters that are printable but change what is around them: joiners and direction marks. */
static bool
deceives(wchar_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0xfeff || c == 0x061c || c == 0xad;
}

const char *
shown_bytes(struct mem *m, const char *text, size_t n)
{
    /* vis(3) makes at most 4 characters of a byte. */
    char *out = mem_alloc(m, 4 * n + 1), *to = out;
    size_t step;

    for (size_t i = 0; i < n; i += step) {
        mbstate_t state = {0};
        wchar_t c = 0;

        step = (unsigned char)text[i] < 0x80 ? 1 : mbrtowc(&c, text + i, n - i, &state);
        if (step == 0 || step > n - i)
            step = 1, c = 0;
        if (c != 0 && iswprint((wint_t)c) && !deceives(c)) {
            memcpy(to, text + i, step);
            to += step;
        } else if ((unsigned char)text[i] < 0x80) {
            to = vis(to, text[i], VIS_CSTYLE | VIS_NL | VIS_TAB | VIS_NOSLASH, i + 1 < n ? text[i + 1] : 0);
        } else {
            for (size_t k = 0; k < step; k++)
                to += sprintf(to, "\\%03o", (unsigned)(unsigned char)text[i + k]);
        }
    }
    *to = '\0';
    return out;
}

const char *
shown(struct mem *m, const char *text)
{
    return text == NULL ? NULL : shown_bytes(m, text, strlen(text));
}

const char *
shown_path(struct mem *m, const char *path)
{
    const char *home = getenv("HOME");
    size_t n = home == NULL ? 0 : strlen(home);

    if (path != NULL && n > 1 && strncmp(path, home, n) == 0 && (path[n] == '/' || path[n] == '\0'))
        path = mem_printf(m, "~%s", path + n);
    return shown(m, path);
}

/* Columns that the first n bytes take; with a limit, *fits gets how many bytes stay within it. */
static size_t
measure(const char *text, size_t limit, size_t *fits)
{
    size_t n = strlen(text), used = 0, step;

    if (fits != NULL)
        *fits = 0;
    for (size_t i = 0; i < n; i += step) {
        mbstate_t state = {0};
        wchar_t c = L' ';
        int w;

        step = mbrtowc(&c, text + i, n - i, &state);
        if (step == 0 || step > n - i)
            step = 1, c = L' ';
        w = wcwidth(c);
        used += w < 0 ? 1 : (size_t)w;
        if (fits != NULL && used <= limit)
            *fits = i + step;
    }
    return used;
}

size_t
columns(const char *text)
{
    return measure(text, 0, NULL);
}

size_t
columns_fit(const char *text, size_t limit)
{
    size_t fits;

    measure(text, limit, &fits);
    return fits;
}

void
put(enum colour c, const char *text)
{
    static const char *const codes[] = {
        [RED] = "1;31", [YELLOW] = "33", [MAGENTA] = "35", [GREEN] = "32", [DIM] = "2", [BOLD] = "1"};

    if (screen != NULL && c != PLAIN)
        printf("%c%c%s%c", CAPTURED_ON, '0' + (int)c, text, CAPTURED_OFF);
    else if (colours && c != PLAIN)
        printf("\033[%sm%s\033[m", codes[c], text);
    else
        fputs(text, stdout);
}

void
table_measure(struct column *c, size_t n, const struct cell *row)
{
    for (size_t i = 0; i < n; i++) {
        size_t w = columns(row[i].text), head = c[i].head == NULL ? 0 : columns(c[i].head);

        if (w < head)
            w = head;
        if (c[i].width < w)
            c[i].width = w;
    }
}

#define GAP       2
#define NARROWEST 8
#define LAST      18 /* what the last column is worth cutting others for: a longer cell gets a line of its own */

static size_t
table_width(const struct column *c, size_t n)
{
    size_t total = 0;

    for (size_t i = 0; i < n; i++)
        total += i + 1 < n ? c[i].width + GAP : c[i].width < LAST ? c[i].width : LAST;
    return total;
}

void
table_fit(struct column *c, size_t n)
{
    for (size_t i = 0; cut && i < n; i++) {
        size_t total = table_width(c, n), over = total > width ? total - width : 0;

        if (!c[i].shrinks || c[i].width <= NARROWEST)
            continue;
        c[i].width = c[i].width - NARROWEST > over ? c[i].width - over : NARROWEST;
    }
}

static void
pad(size_t n)
{
    printf("%*s", (int)n, "");
}

void
table_row(struct mem *m, const struct column *c, size_t n, const struct cell *row)
{
    size_t at = 0, owed = 0;

    for (size_t i = 0; i < n; i++) {
        const char *text = row[i].text;
        size_t w = columns(text), fits;

        if (w > c[i].width && c[i].shrinks) {
            measure(text, c[i].width - 1, &fits);
            text = mem_printf(m, "%.*s%s", (int)fits, text, glyph("…", "~"));
            w = columns(text);
        }
        if (i + 1 == n && !c[i].right && cut && i > 0 && at + owed + w > width) {
            putchar('\n');
            at = 0;
            owed = w < width ? width - w : 4;
        }
        if (c[i].right && w < c[i].width)
            owed += c[i].width - w;
        if (*text != '\0') {
            pad(owed);
            at += owed + w;
            owed = 0;
            put(row[i].colour, text);
        }
        if (!c[i].right && w < c[i].width)
            owed += c[i].width - w;
        owed += GAP;
    }
    putchar('\n');
}

void
table_head(const struct column *c, size_t n)
{
    struct cell heads[16];
    struct mem *m = mem_new();

    for (size_t i = 0; i < n && i < 16; i++)
        heads[i] = (struct cell){c[i].head, DIM};
    table_row(m, c, n, heads);
    mem_free(m);
}

/* Whether a character of JSON text is printed as it is: one that is valid and no control character. */
static bool
is_plain(const unsigned char *s, size_t n, size_t *length)
{
    if (*s >= 0x20 && *s < 0x7f) {
        *length = 1;
        return true;
    }
    *length = *s < 0x20 || *s == 0x7f ? 0 : utf8_length(s, n);
    return *length != 0 && (*s != 0xc2 || s[1] >= 0xa0);
}

void
put_json_part(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length, from = 0, i = 0;

    while (i < n) {
        if (is_plain(s + i, n - i, &length)) {
            i += length;
            continue;
        }
        fwrite(text + from, 1, i - from, stdout);
        if (s[i] < 0x20 || s[i] == 0x7f)
            printf("\\u%04x", s[i]);
        else if (length == 0)
            fputs(replacement, stdout);
        else
            printf("\\u%04x", s[++i]);
        from = ++i;
    }
    fwrite(text + from, 1, n - from, stdout);
}

void
put_json(const char *text, size_t n)
{
    put_json_part(text, n);
    putchar('\n');
}
