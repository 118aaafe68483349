/* haccess-log export: every launch, for other programs and for people without this one. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "each.h"
#include "html.h"

static void
put_jsonl(void *data, const struct run_entry *run, const struct entry *e, const struct view *v)
{
    (void)data, (void)run, (void)v;
    put_record(e);
}

/* The fields of csv. */
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
    html_export(l);
    return 0;
}
