/* haccess-log export: every launch, for other programs and for people without this one. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "each.h"
#include "when.h"

static void
put_jsonl(void *data, const struct run_entry *run, const struct entry *e, const struct view *v)
{
    (void)data, (void)run, (void)v;
    put_record(e);
}

/* The fields of csv and html. */
static const char *const heads[] = {"run",      "time",    "id",     "adapter", "class",   "model",
                                    "effort",   "asked",   "got",    "reason",  "refusal", "enforcement",
                                    "observed", "spooled", "parent", "cwd",     "detail"};

#define FIELDS (sizeof(heads) / sizeof(heads[0]))

static void
fields_of(struct mem *m, const struct run_entry *run, const struct entry *e, const struct view *v,
          const char *out[FIELDS])
{
    const char *detail = v->code == NULL ? v->detail : record_string(v->refusal, "detail");
    const char *fields[FIELDS] = {run->id,
                                  record_string(e->record, "ts"),
                                  v->id,
                                  v->adapter,
                                  v->class,
                                  v->model,
                                  v->effort,
                                  v->asked,
                                  v->refused    ? "refused"
                                  : v->observed ? v->asked
                                                : v->projection,
                                  v->reason,
                                  v->code,
                                  record_string(v->record, "enforcement"),
                                  v->observed ? "yes" : "",
                                  v->spooled ? "yes" : "",
                                  v->parent_launch,
                                  v->cwd,
                                  detail};

    for (size_t i = 0; i < FIELDS; i++)
        out[i] = fields[i] == NULL ? "" : shown(m, fields[i]);
}

static void
put_csv(void *data, const struct run_entry *run, const struct entry *e, const struct view *v)
{
    struct mem *m = mem_new();
    const char *fields[FIELDS];

    (void)data;
    fields_of(m, run, e, v, fields);
    for (size_t i = 0; i < FIELDS; i++) {
        const char *s = fields[i];

        fputs(i == 0 ? "\"" : ",\"", stdout);
        /* A spreadsheet takes these for formulas. */
        if (*s != '\0' && strchr("=+-@", *s) != NULL)
            putchar('\'');
        for (; *s != '\0'; s++) {
            if (*s == '"')
                putchar('"');
            putchar(*s);
        }
        putchar('"');
    }
    fputs("\r\n", stdout);
    mem_free(m);
}

static void
put_html_text(const char *s)
{
    for (; *s != '\0'; s++) {
        switch (*s) {
        case '<':
            fputs("&lt;", stdout);
            break;
        case '>':
            fputs("&gt;", stdout);
            break;
        case '&':
            fputs("&amp;", stdout);
            break;
        case '"':
            fputs("&quot;", stdout);
            break;
        case '\'':
            fputs("&#39;", stdout);
            break;
        default:
            putchar(*s);
        }
    }
}

static void
put_html(void *data, const struct run_entry *run, const struct entry *e, const struct view *v)
{
    struct mem *m = mem_new();
    const char *fields[FIELDS];

    (void)data;
    fields_of(m, run, e, v, fields);
    printf("<tr class=\"%s\">", v->refused    ? "refused"
                                : v->full     ? "full"
                                : v->narrowed ? "narrowed"
                                              : "kept");
    for (size_t i = 0; i < FIELDS; i++) {
        fputs("<td>", stdout);
        put_html_text(fields[i]);
        fputs("</td>", stdout);
    }
    fputs("</tr>\n", stdout);
    mem_free(m);
}

/* One page, no script, nothing loaded from anywhere. */
static const char page[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>haccess journal</title>\n<style>\n"
    "body{font:14px/1.4 system-ui,sans-serif;margin:1rem;color:#111;background:#fff}\n"
    "table{border-collapse:collapse}th,td{padding:.2rem "
    ".6rem;text-align:left;vertical-align:top;border-bottom:1px solid #ddd}\n"
    "th{position:sticky;top:0;background:#f4f4f4}td{font-family:ui-monospace,monospace;font-size:12px}\n"
    ".full td:nth-child(9){color:#b00020;font-weight:bold}.narrowed td:nth-child(9){color:#8a5a00}\n"
    ".refused td:nth-child(9){color:#8e24aa}\n"
    "</style>\n</head>\n<body>\n<h1>haccess journal</h1>\n<table>\n<thead><tr>";

int
view_export(struct log *l, int argc, char **argv)
{
    const char *format = l->options.format;

    (void)argc, (void)argv;
    if (format == NULL && l->options.json)
        format = "jsonl";
    if (format == NULL ||
        (strcmp(format, "jsonl") != 0 && strcmp(format, "csv") != 0 && strcmp(format, "html") != 0))
        errx(EXIT_USAGE, "export: --format takes jsonl, csv or html");
    if (strcmp(format, "jsonl") == 0) {
        each_launch(l, true, put_jsonl, NULL);
        return 0;
    }
    if (strcmp(format, "csv") == 0) {
        for (size_t i = 0; i < FIELDS; i++)
            printf("%s%s", i == 0 ? "" : ",", heads[i]);
        fputs("\r\n", stdout);
        each_launch(l, false, put_csv, NULL);
        return 0;
    }
    fputs(page, stdout);
    for (size_t i = 0; i < FIELDS; i++)
        printf("<th>%s</th>", heads[i]);
    fputs("</tr></thead>\n<tbody>\n", stdout);
    each_launch(l, false, put_html, NULL);
    fputs("</tbody>\n</table>\n</body>\n</html>\n", stdout);
    return 0;
}
