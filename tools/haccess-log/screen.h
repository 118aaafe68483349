/* The terminal: its width and colours, what may be shown on it, columns, and the pager. */
#ifndef HACCESS_SCREEN_H
#define HACCESS_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "../../shim/mem.h"

enum colour { PLAIN, RED, YELLOW, MAGENTA, GREEN, DIM, BOLD };

/* Looks at the locale, the terminal and the environment. Call once, before anything is printed. */
void screen_init(void);

/* Columns to lay out for. */
size_t screen_width(void);

/* Sends what follows on stdout through the user's pager, when stdout is a terminal. It is waited for at exit. */
void screen_pager(void);

/* From now on text is UTF-8, whatever the locale says. */
void screen_utf8(void);

/* Between these two, what is printed on stdout is kept, laid out for a screen of that many columns, and then returned. What put()
 * colours stands between CAPTURED_ON, a digit (enum colour), and CAPTURED_OFF; text that is harmless has no such bytes. */
#define CAPTURED_ON  '\001'
#define CAPTURED_OFF '\002'
void screen_capture(size_t columns_wide);
char *screen_captured(struct mem *m);

/* The character where the locale has UTF-8, else the ASCII text. */
const char *glyph(const char *utf8, const char *ascii);

#define ARROW  glyph("→", "->")
#define NONE   glyph("–", "-")
#define TICK   glyph("✓", "+")
#define CROSS  glyph("✗", "x")
#define DOT    glyph("·", ".")
#define QUOTED glyph("«", "<")
#define QUOTE  glyph("»", ">")

/* Text from outside, made harmless by vis(3): printable characters stay, anything else is spelled out. NULL stays
 * NULL. In the region. */
const char *shown(struct mem *m, const char *text);
const char *shown_bytes(struct mem *m, const char *text, size_t n);

/* A path from outside, with the home directory as "~", the same way. */
const char *shown_path(struct mem *m, const char *path);

/* Columns that text takes. */
size_t columns(const char *text);

/* Returns how many bytes of text fit into so many columns. */
size_t columns_fit(const char *text, size_t limit);

/* Prints text in a colour, where there are colours. */
void put(enum colour c, const char *text);

/* One cell of a table. */
struct cell {
    const char *text; /* already harmless */
    enum colour colour;
};

struct column {
    const char *head; /* NULL: none */
    bool right;       /* aligned to the right */
    bool shrinks;     /* may be cut where the terminal is narrow; at least 8 columns stay */
    size_t width;     /* as measured */
};

/* Widens the columns to hold a row. */
void table_measure(struct column *c, size_t n, const struct cell *row);

/* Cuts the columns that shrink until the table fits the screen. Measure all rows before. */
void table_fit(struct column *c, size_t n);

/* Prints the heads, or a row. A last cell that does not fit goes to a line of its own. */
void table_head(const struct column *c, size_t n);
void table_row(struct mem *m, const struct column *c, size_t n, const struct cell *row);

/* Prints JSON text from a journal, its control characters spelled out, and U+FFFD for bytes that are not UTF-8; put_json
 * ends the line. */
void put_json_part(const char *text, size_t n);
void put_json(const char *text, size_t n);

#endif
