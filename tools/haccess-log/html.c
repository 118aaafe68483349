#include "html.h"

#include <sha256.h>
#include <stdio.h>
#include <string.h>

#include "counts.h"
#include "tree.h"
#include "when.h"
#include "why.h"

/* The page's style and script, as they are in their files. */
#define EMBED(name, file)                                                                                    \
    __asm__(".pushsection .rodata\n.globl " #name "\n" #name ":\n.incbin \"" file                            \
            "\"\n.byte 0\n.popsection");                                                                     \
    extern const char name[]

EMBED(page_css, "tools/haccess-log/page.css");
EMBED(page_js, "tools/haccess-log/page.js");

/* Columns that the text of a launch and of a tree is laid out for. */
#define TEXT_WIDTH 110

static void
put_escaped(const char *s, size_t n)
{
    static const char special[] = "<>&\"'";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};

    for (size_t i = 0; i < n; i++) {
        const char *at = s[i] == '\0' ? NULL : strchr(special, s[i]);

        if (at == NULL)
            putchar(s[i]);
        else
            fputs(names[at - special], stdout);
    }
}

static void
put_text(const char *s)
{
    put_escaped(s, strlen(s));
}

/* Text that was printed for a screen, its colours as classes. */
static void
put_captured(const char *s)
{
    while (*s != '\0') {
        size_t n = strcspn(s, (const char[]){CAPTURED_ON, CAPTURED_OFF, '\0'});

        put_escaped(s, n);
        s += n;
        if (*s == CAPTURED_ON && s[1] != '\0') {
            printf("<span class=\"c%c\">", s[1]);
            s += 2;
        } else if (*s != '\0') {
            fputs("</span>", stdout);
            s++;
        }
    }
}

/* In the base64 of RFC 4648, as Content-Security-Policy wants a hash. */
static const char *
script_hash(struct mem *m)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t hash[SHA256_DIGEST_LENGTH + 1] = {0}; /* 33: eleven groups, the last a byte short */
    char *out = mem_alloc(m, 45);
    SHA2_CTX c;

    SHA256Init(&c);
    SHA256Update(&c, (const uint8_t *)page_js, strlen(page_js));
    SHA256Final(hash, &c);
    for (size_t i = 0, k = 0; i < sizeof(hash); i += 3) {
        uint32_t group = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 | hash[i + 2];

        for (int shift = 18; shift >= 0; shift -= 6)
            out[k++] = digits[group >> shift & 63];
    }
    strcpy(out + 43, "=");
    return out;
}

static const char *
class_of(const struct view *v)
{
    return v->refused ? "refused" : v->full ? "full" : v->narrowed ? "narrowed" : "kept";
}

static void
put_column(const char *name, const char *text)
{
    printf("<span class=\"%s\">", name);
    put_text(text);
    fputs("</span>", stdout);
}

static void
put_data(const char *name, const char *text)
{
    printf(" data-%s=\"", name);
    put_text(text);
    putchar('"');
}

static void
put_launch(struct mem *m, const struct why *y, const struct entry *e, const struct view *v)
{
    const char *text;

    printf("<details class=\"launch %s\"", class_of(v));
    put_data("adapter", word_adapter(m, v));
    put_data("access", class_of(v));
    put_data("reason", v->code != NULL ? shown(m, v->code) : v->reason != NULL ? shown(m, v->reason) : NONE);
    fputs("><summary>", stdout);
    put_column("mono", when_time(m, e->ts, y->log->options.utc));
    put_column("mono", v->id == NULL ? NONE : shown(m, v->id));
    put_column("adapter", word_adapter(m, v));
    put_column("model", v->model == NULL ? NONE : shown(m, v->model));
    put_column("effort", v->effort == NULL ? NONE : shown(m, v->effort));
    put_column("got", cell_access(m, v).text);
    put_column("why", word_why(m, v));
    fputs("</summary>", stdout);
    screen_capture(TEXT_WIDTH);
    why_print(y, e, v);
    text = screen_captured(m);
    fputs("<pre>", stdout);
    put_captured(text);
    fputs("</pre></details>\n", stdout);
}

/* What the run is: its first record says. */
static void
put_run_head(struct log *l, struct mem *m, const struct run_entry *run, const cJSON *start)
{
    const char *command = record_string(start, "command"), *cwd = record_string(start, "cwd");

    fputs("<section class=\"run\"><header><h2>", stdout);
    put_text(command == NULL ? "(unknown command)" : shown(m, command));
    fputs("</h2><p><code>", stdout);
    put_text(shown(m, run->id));
    printf("</code> &middot; %s %s", when_day(m, run->started, l->options.utc),
           when_time(m, run->started, l->options.utc));
    if (cwd != NULL) {
        fputs(" &middot; in <code>", stdout);
        put_text(shown_path(m, cwd));
        fputs("</code>", stdout);
    }
    fputs("</p></header>\n", stdout);
}

static void
put_tree(struct log *l, struct mem *m, const struct run_entry *run)
{
    size_t nested;
    const char *text;

    screen_capture(TEXT_WIDTH);
    nested = tree_print(l, m, run);
    text = screen_captured(m);
    if (nested == 0)
        return;
    fputs("<details class=\"tree\"><summary>Who launched whom</summary><pre>", stdout);
    put_captured(text);
    fputs("</pre></details>\n", stdout);
}

static bool
put_run(struct log *l, const struct run_entry *run, struct stats *s)
{
    struct mem *m = mem_new();
    struct run_reader *r = log_open(l, m, run, true);
    cJSON *start = NULL;
    struct why y;
    struct entry e;
    struct view v;
    bool any = false;

    why_begin(&y, l, m);
    while (run_next(r, &e)) {
        const char *event = record_string(e.record, "event");

        why_see(&y, &e);
        if (start == NULL && event != NULL && strcmp(event, "run.start") == 0)
            start = cJSON_Duplicate(e.record, 1);
        if (!view_of(&e, &v) || !filter_matches(&l->options.filter, &v, e.ts))
            continue;
        if (!any) {
            put_run_head(l, m, run, start);
            put_tree(l, m, run);
            fputs("<div class=\"row\"><span>time</span><span>id</span><span>CLI</span><span>model</span>"
                  "<span>effort</span><span>asked &rarr; got</span><span>why</span></div>\n",
                  stdout);
        }
        any = true;
        counts_visit(s, run, &e, &v);

        struct mem *own = mem_new();
        put_launch(own, &y, &e, &v);
        mem_free(own);
    }
    if (any)
        fputs("</section>\n", stdout);
    why_end(&y);
    cJSON_Delete(start);
    log_close(run, r);
    mem_free(m);
    return any;
}

/* Bars with their words, as a picture. */
#define BARS_MAX   8
#define BAR_HEIGHT 22
#define BAR_LEFT   155
#define BAR_WIDTH  120

static void
put_bars(struct mem *m, const char *title, const struct counts *c, size_t max)
{
    size_t most = 1, rows = c->used < max ? c->used : max, rest = c->others;

    if (rows == 0)
        return;
    for (size_t i = 0; i < rows; i++)
        most = c->items[i].n > most ? c->items[i].n : most;
    for (size_t i = rows; i < c->used; i++)
        rest += c->items[i].n;
    printf("<div class=\"card\"><h3>%s</h3><svg viewBox=\"0 0 320 %zu\" role=\"img\" aria-label=\"%s\">\n",
           title, (rows + (rest != 0)) * BAR_HEIGHT, title);
    for (size_t i = 0; i < rows; i++) {
        const char *word = shown(m, c->items[i].word);
        size_t y = i * BAR_HEIGHT, n = strlen(word);
        size_t cut = columns_fit(word, 22); /* about what there is room for; whole in the title */

        fputs("<g><title>", stdout);
        put_text(word);
        printf("</title><text x=\"0\" y=\"%zu\">", y + 15);
        put_escaped(word, cut);
        printf("%s</text><rect x=\"%d\" y=\"%zu\" height=\"12\" width=\"%.1f\" rx=\"2\"/>"
               "<text class=\"n\" x=\"%.1f\" y=\"%zu\">%zu</text></g>\n",
               cut < n ? "…" : "", BAR_LEFT, y + 5, (double)c->items[i].n * BAR_WIDTH / (double)most,
               BAR_LEFT + (double)c->items[i].n * BAR_WIDTH / (double)most + 6, y + 15, c->items[i].n);
    }
    if (rest != 0)
        printf("<text class=\"n\" x=\"0\" y=\"%zu\">others</text><text class=\"n\" x=\"%d\" "
               "y=\"%zu\">%zu</text>\n",
               rows * BAR_HEIGHT + 15, BAR_LEFT, rows * BAR_HEIGHT + 15, rest);
    fputs("</svg></div>\n", stdout);
}

static void
put_total(size_t n, const char *class, const char *what)
{
    printf("<div><b class=\"%s\">%zu</b><span>%s</span></div>", class, n, what);
}

static void
put_summary(struct mem *m, struct stats *s, size_t runs)
{
    counts_sort(s);
    fputs("<section id=\"summary\" aria-label=\"Summary\">\n<div class=\"card totals\">", stdout);
    put_total(s->launches, "", s->launches == 1 ? "launch" : "launches");
    put_total(runs, "", runs == 1 ? "run" : "runs");
    put_total(s->full, s->full == 0 ? "" : "c1", "with full access");
    put_total(s->narrowed, s->narrowed == 0 ? "" : "c2", "narrowed");
    put_total(s->refused, s->refused == 0 ? "" : "c3", "refused");
    fputs("</div>\n", stdout);
    put_bars(m, "Launches by CLI", &s->adapters, BARS_MAX);
    put_bars(m, "Why not full access", &s->reasons, BARS_MAX);
    put_bars(m, "Models named", &s->models, BARS_MAX);
    put_bars(m, "Days, the latest first", &s->days, BARS_MAX);
    fputs("</section>\n", stdout);
}

void
html_export(struct log *l)
{
    struct mem *m = l->mem;
    struct stats *s = mem_alloc(m, sizeof(*s));
    size_t runs = 0;

    s->log = l;
    screen_utf8();
    printf("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
           "'unsafe-inline'; "
           "script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<title>haccess journal</title>\n<style>\n%s</style>\n</head>\n<body>\n"
           "<header><h1>haccess journal</h1><p>What was launched, with which access, and why. Each line "
           "unfolds.</p>"
           "</header>\n"
           "<form hidden><input name=\"words\" type=\"search\" placeholder=\"Words: model, directory, run, "
           "reason …\" "
           "aria-label=\"Words to look for\">\n"
           "<select name=\"adapter\" aria-label=\"CLI\"><option value=\"\">every CLI</option></select>\n"
           "<select name=\"access\" aria-label=\"Access\"><option value=\"\">every access</option></select>\n"
           "<select name=\"reason\" aria-label=\"Reason\"><option value=\"\">every reason</option></select>\n"
           "<output></output></form>\n<main id=\"runs\">\n",
           script_hash(m), page_css);
    for (size_t i = 0; i < l->runs.count; i++)
        runs += put_run(l, &l->runs.items[i], s);
    if (runs == 0)
        fputs("<p class=\"none\">No launches.</p>\n", stdout);
    fputs("</main>\n", stdout);
    /* Counted on the way, and shown above by the style. */
    put_summary(m, s, runs);
    printf("<script>%s</script>\n</body>\n</html>\n", page_js);
}
