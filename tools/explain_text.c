#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "explain.h"
#include "text.h"

/* Beyond this many pairs of words, the change of argv is shown without looking for what stayed in between. */
#define DIFF_PAIRS 4000000

struct view {
    struct mem *m;
    const struct paint *paint;
    const char *home;
};

/* What is told stands to the right of what it is. */
#define LABEL_WIDTH 9

static void
label(const char *name)
{
    printf("%-*s", LABEL_WIDTH, name);
}

static void
tell(const char *name, const char *text)
{
    label(name);
    text_print(text, LABEL_WIDTH);
}

static const char *
source_place(const struct view *v, const struct source *s)
{
    if (s->file != NULL)
        return mem_printf(v->m, "in %s", text_path(v->m, s->file, v->home));
    if (s->index != 0)
        return mem_printf(v->m, "argument %zu", s->index);
    return "environment";
}

static void
print_asked(const struct view *v, const struct request *r)
{
    label("asked");
    printf("%-18s", r->access == ACCESS_UNSPECIFIED ? "nothing" : access_word(r->access));
    if (r->nsources == 0)
        printf("no access option, no configuration");
    for (size_t i = 0; i < r->nsources; i++) {
        const struct source *s = &r->sources[i];
        printf("%s%s%s%s (%s)", i == 0 ? "" : ", ", text_show(v->m, s->spelling), s->value == NULL ? "" : " ",
               s->value == NULL ? "" : text_word(v->m, s->value), source_place(v, s));
    }
    putchar('\n');
    if (r->model == NULL && r->effort == NULL && r->lane == LANE_NONE)
        return;
    const struct {
        const char *name, *value;
    } named[] = {{"model", r->model},
                 {"effort", r->effort},
                 {"lane", r->lane == LANE_NONE ? NULL : lane_word(r->lane)}};
    const char *gap = "";
    label("");
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i].value != NULL) {
            printf("%s%s %s", gap, named[i].name, text_show(v->m, named[i].value));
            gap = "  ";
        }
    putchar('\n');
}

static const char *
held_by(struct mem *m, const struct launch *l)
{
    switch (l->enforcement) {
    case ENFORCED_VENDOR:
        return mem_printf(m, "enforced by %s", l->adapter->id);
    case ENFORCED_APPROVALS:
        return "held by permission prompts and tool lists only";
    case ENFORCED_UNVERIFIED:
        return "asked of the CLI, not verified";
    case ENFORCED_BUBBLEWRAP:
        return "enforced by bubblewrap";
    default:
        return "not enforced by anything";
    }
}

static const char *
joined(struct mem *m, const struct strings *list)
{
    const char *all = "";
    for (size_t i = 0; i < list->count; i++)
        all = mem_printf(m, "%s%s%s", all, i == 0 ? "" : ", ", list->items[i]);
    return all;
}

static void
print_got(const struct view *v, const struct launch *l)
{
    const struct paint *c = v->paint;
    label("got");
    if (l->outcome == OUTCOME_REFUSE)
        printf("%srefused%s           the CLI is not run\n", c->magenta, c->off);
    else if (l->observed)
        printf("%sas asked%s          mode observe changes nothing; %s\n", c->yellow, c->off,
               held_by(v->m, l));
    else
        printf("%s%-18s%s%s\n", l->decision.full ? c->red : c->yellow, projection_word(l->projection), c->off,
               held_by(v->m, l));
    if (l->outcome != OUTCOME_REFUSE && l->unconfined.count != 0)
        tell("", text_show(v->m, mem_printf(v->m, "approved beforehand, and held by nothing: %s",
                                            joined(v->m, &l->unconfined))));
    if (l->outcome != OUTCOME_REFUSE && l->request.unverified != NULL)
        tell("", text_show(v->m, l->request.unverified));
    if (l->observed) {
        label("");
        if (l->refusal != REFUSAL_NONE)
            printf("enforced, it would be refused\n");
        else
            printf("enforced, it would be %s\n", projection_word(l->projection));
    }
}

static void
print_because(const struct view *v, const struct launch *l)
{
    const struct decision *d = &l->decision;
    if (l->refusal != REFUSAL_NONE)
        tell("because",
             text_show(v->m, mem_printf(v->m, "%s: %s", refusal_word(l->refusal), l->refusal_detail)));
    if (!l->decided)
        return;
    tell(l->refusal == REFUSAL_NONE ? "because" : "and",
         text_show(v->m, mem_printf(v->m, "%s: %s", reason_word(d->reason), d->detail)));
    if (d->remedy != NULL)
        tell("", text_show(v->m, mem_printf(v->m, "to grant it: %s", d->remedy)));
}

static void
print_checks(const struct view *v, const struct launch *l)
{
    bool unicode = text_unicode();
    const struct paint *c = v->paint;
    const struct {
        const char *mark, *color;
    } marks[] = {
        [CHECK_NOT_RUN] = {unicode ? "·" : "-", c->dim},
        [CHECK_PASSED] = {unicode ? "✓" : "+", c->green},
        [CHECK_FAILED] = {unicode ? "✗" : "x", c->red},
    };

    if (!l->decided || l->class == CLASS_SERVER)
        return;
    putchar('\n');
    for (size_t i = 0; i < CHECKS; i++) {
        const struct check *k = &l->decision.checks[i];
        const char *name = k->name, *saw = k->saw != NULL ? text_path(v->m, k->saw, v->home) : "";
        bool rest = k->result == CHECK_NOT_RUN; /* the first failure ends them */
        if (rest && i + 1 < CHECKS)
            name = mem_printf(v->m, "%zu more", CHECKS - i);
        label(i == 0 ? "checks" : "");
        printf("%s%s%s %s", marks[k->result].color, marks[k->result].mark, c->off, name);
        if (rest)
            saw = "not looked at";
        if (*saw != '\0')
            printf("%*s%s", (int)(strlen(name) < 22 ? 22 - strlen(name) : 1), "", saw);
        putchar('\n');
        if (rest)
            break;
    }
}

static void
print_words(const struct view *v, const char *sign, const char *color, char *const words[],
            const bool *chosen, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (!chosen[i])
            continue;
        if (!any)
            printf("%s       %s", color, sign);
        any = true;
        printf(" %s", text_word(v->m, words[i]));
    }
    if (any)
        printf("%s\n", v->paint->off);
}

/* Marks what only a has and what only b has: what is outside a longest common subsequence. */
static void
compare(struct mem *m, char *const a[], size_t na, char *const b[], size_t nb, bool *only_a, bool *only_b)
{
    size_t begin = 0;
    while (begin < na && begin < nb && strcmp(a[begin], b[begin]) == 0)
        begin++;
    while (na > begin && nb > begin && strcmp(a[na - 1], b[nb - 1]) == 0)
        na--, nb--;
    size_t rows = na - begin, columns = nb - begin;
    for (size_t i = begin; i < na; i++)
        only_a[i] = true;
    for (size_t j = begin; j < nb; j++)
        only_b[j] = true;
    if (rows == 0 || columns == 0 || rows > DIFF_PAIRS / columns)
        return;
    /* length[i][j]: of the longest common subsequence of what is behind i and j. */
    unsigned *length = mem_array(m, (rows + 1) * (columns + 1), sizeof *length);
    for (size_t i = rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;) {
            const unsigned *here = length + i * (columns + 1) + j;
            unsigned down = here[columns + 1], right = here[1];
            length[i * (columns + 1) + j] = strcmp(a[begin + i], b[begin + j]) == 0 ? here[columns + 2] + 1
                                            : down > right                          ? down
                                                                                    : right;
        }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
        const unsigned *here = length + i * (columns + 1) + j;
        if (strcmp(a[begin + i], b[begin + j]) == 0) {
            only_a[begin + i++] = false;
            only_b[begin + j++] = false;
        } else if (here[columns + 1] >= here[1]) {
            i++;
        } else {
            j++;
        }
    }
}

static void
print_argv(const struct view *v, const struct launch *l)
{
    putchar('\n');
    label("argv");
    for (size_t i = 0; i < l->argc; i++)
        printf("%s%s", i == 0 ? "" : " ", text_word(v->m, l->argv[i]));
    putchar('\n');
    if (l->rendered == NULL)
        return;
    bool *removed = mem_array(v->m, l->argc + 1, sizeof *removed);
    bool *added = mem_array(v->m, l->rendered_argc + 1, sizeof *added);
    compare(v->m, l->argv, l->argc, l->rendered, l->rendered_argc, removed, added);
    print_words(v, "-", v->paint->red, l->argv, removed, l->argc);
    print_words(v, "+", v->paint->green, l->rendered, added, l->rendered_argc);
}

static void
print_coverage(const struct view *v, const struct launch *l)
{
    if (l->shed == NULL)
        return;
    tell("covers",
         text_show(v->m, mem_printf(v->m, "%s; %s", l->shed,
                                    l->restored ? "-c gives it back"
                                                : "what they launch is neither decided nor recorded")));
}

static void
print_policy(const struct view *v, const struct policy *p)
{
    label("policy");
    if (p->file.path == NULL)
        printf("none\n");
    else
        printf("%s  %s\n", text_path(v->m, p->file.path, v->home), policy_state_word(p->file.state));
    if (p->ceiling.path != NULL) {
        label("");
        printf("ceiling %s  %s\n", text_show(v->m, p->ceiling.path), policy_state_word(p->ceiling.state));
    }
}

static void
print_parent(const struct view *v, const struct launch *l)
{
    if (l->probed)
        tell("parent", text_show(v->m, mem_printf(v->m, "%s: %s", parent_state_word(l->parent.state),
                                                  l->parent.detail)));
    else
        tell("parent", "not probed");
}

void
explain_text(struct mem *m, const struct host *h, const struct launch *l)
{
    const struct view v = {m, paint_for(stdout), h->home};
    const char *newer;

    printf("%s%s%s  %s", v.paint->bold, text_show(m, l->argv[0]), v.paint->off,
           text_path(m, l->target, h->home));
    if (h->cwd != NULL)
        printf("  in %s", text_path(m, h->cwd, h->home));
    putchar('\n');
    if (l->outcome == OUTCOME_PASSTHROUGH) {
        static const char *const why[] = {
            [CLASS_NONE] = "not a vendor CLI",
            [CLASS_HELPER] = "the CLI's own helper",
            [CLASS_ADMIN] = "starts no agent session",
        };
        label("class");
        printf("%s: %s; runs as it is, and is not recorded\n", class_word(l->class), why[l->class]);
        return;
    }
    print_asked(&v, &l->request);
    print_got(&v, l);
    print_because(&v, l);
    newer = cli_newer(m, l->adapter, cli_version(m, l->target, l->adapter));
    if (newer != NULL)
        tell("note", text_show(m, newer));
    print_coverage(&v, l);
    print_policy(&v, &l->policy);
    print_parent(&v, l);
    print_checks(&v, l);
    print_argv(&v, l);
}
