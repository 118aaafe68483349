/* haccess-log tree: the launches as they were nested. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tree.h"

/* One launch, kept until the whole run was read: a parent may be in another file than its children. */
struct node {
    const char *id, *parent; /* "<run>/<id>" of the launch above; NULL: none */
    const char *name, *what, *why;
    struct cell got;
    size_t *children;
    size_t nchildren, room;
    struct node *above; /* where it is drawn; NULL: it is a root */
    int depth;
};

struct forest {
    struct mem *mem;
    struct node *items;
    size_t count, room;
    size_t *latest;  /* by id: one more than the index of the last such node that was planted, 0: free */
    size_t slots;    /* of latest: a power of two */
    size_t width[3]; /* of name with its indent, what, got */
};

static void
add_node(struct forest *f, const char *run, const struct view *v)
{
    struct words w;
    struct mem *m = f->mem, *own = mem_new();
    const char *model = v->model == NULL ? NULL : shown(own, v->model);
    struct node *n;

    if (f->count == f->room) {
        size_t room = f->room == 0 ? 64 : 2 * f->room;
        struct node *items = mem_array(m, room, sizeof(*items));

        if (f->count != 0)
            memcpy(items, f->items, f->count * sizeof(*items));
        f->items = items;
        f->room = room;
    }
    n = &f->items[f->count++];
    words_of(own, v, "argv_requested", &w);
    n->id = v->id == NULL ? NONE : mem_strdup(m, shown(own, v->id));
    n->name = mem_strdup(m, w.name);
    n->what = model == NULL       ? ""
              : v->effort == NULL ? mem_strdup(m, model)
                                  : mem_printf(m, "%s/%s", model, shown(own, v->effort));
    n->why = mem_strdup(m, v->refused ? (v->code == NULL ? NONE : shown(own, v->code)) : word_why(own, v));
    n->got = cell_access(own, v);
    n->got.text = v->refused ? "refused"
                  : v->narrowed
                      ? mem_printf(m, "%s%s%s", word_asked(own, v), glyph("→", ">"), word_got(own, v))
                      : mem_strdup(m, word_got(own, v));
    if (v->parent_launch != NULL && strncmp(v->parent_launch, run, strlen(run)) == 0 &&
        v->parent_launch[strlen(run)] == '/')
        n->parent = mem_strdup(m, shown(own, v->parent_launch + strlen(run) + 1));
    mem_free(own);
}

/* The place of an id among the latest. */
static size_t *
slot(struct forest *f, const char *id)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    size_t i;

    for (const char *c = id; *c != '\0'; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    for (i = h & (f->slots - 1); f->latest[i] != 0 && strcmp(f->items[f->latest[i] - 1].id, id) != 0;)
        i = (i + 1) & (f->slots - 1);
    return &f->latest[i];
}

/* Deeper nesting than this is drawn at this depth. */
#define DEPTH_MAX 40

/* Puts each launch below the nearest earlier one that has the id it names: a forged parent cannot make a circle. */
static void
plant(struct forest *f)
{
    for (f->slots = 64; f->slots < 2 * f->count; f->slots *= 2)
        ;
    f->latest = mem_array(f->mem, f->slots, sizeof(*f->latest));
    for (size_t i = 0; i < f->count; i++) {
        struct node *n = &f->items[i], *above = NULL;

        if (n->parent != NULL && *slot(f, n->parent) != 0)
            above = &f->items[*slot(f, n->parent) - 1];
        *slot(f, n->id) = i + 1;
        if (above != NULL && above->depth >= DEPTH_MAX)
            above = above->above;
        n->above = above;
        if (above == NULL)
            continue;
        n->depth = above->depth + 1;
        if (above->nchildren == above->room) {
            size_t room = above->room == 0 ? 4 : 2 * above->room,
                   *children = mem_array(f->mem, room, sizeof(*children));

            if (above->nchildren != 0)
                memcpy(children, above->children, above->nchildren * sizeof(*children));
            above->children = children;
            above->room = room;
        }
        above->children[above->nchildren++] = i;
    }
}

/* Called for each launch in the order it is drawn: lines is what stands before its branch. */
typedef void visit(struct forest *f, const struct node *n, const char *lines, bool last);

static void
walk(struct forest *f, const size_t *children, size_t n, const char *lines, visit *each)
{
    for (size_t i = 0; i < n; i++) {
        const struct node *node = &f->items[children[i]];
        bool last = i + 1 == n;

        each(f, node, lines, last);
        if (node->nchildren != 0)
            walk(f, node->children, node->nchildren,
                 mem_printf(f->mem, "%s%s", lines, last ? "   " : glyph("│  ", "|  ")), each);
    }
}

static const char *
branch(struct forest *f, const struct node *n, const char *lines, bool last)
{
    return mem_printf(f->mem, "%s%s%s  %s", lines, last ? glyph("└─ ", "`- ") : glyph("├─ ", "|- "), n->id,
                      n->name);
}

static void
widen(size_t *width, const char *text)
{
    if (columns(text) > *width)
        *width = columns(text);
}

static void
measure(struct forest *f, const struct node *n, const char *lines, bool last)
{
    widen(&f->width[0], branch(f, n, lines, last));
    widen(&f->width[1], n->what);
    widen(&f->width[2], n->got.text);
}

static void
print(struct forest *f, const struct node *n, const char *lines, bool last)
{
    const char *text = branch(f, n, lines, last);

    printf("%s%*s", text, (int)(f->width[0] - columns(text) + 3), "");
    printf("%s%*s", n->what, (int)(f->width[1] - columns(n->what) + 2), "");
    put(n->got.colour, n->got.text);
    printf("%*s%s\n", (int)(f->width[2] - columns(n->got.text) + 2), "", n->why);
}

size_t
tree_print(struct log *l, struct mem *m, const struct run_entry *run)
{
    struct forest f = {.mem = m};
    struct run_reader *r = log_open(l, m, run, false);
    const char *command = NULL;
    size_t *roots, nroots = 0;
    struct entry e;
    struct view v;

    while (run_next(r, &e)) {
        const char *event = record_string(e.record, "event");

        if (command == NULL && event != NULL && strcmp(event, "run.start") == 0)
            command = shown(m, record_string(e.record, "command"));
        if (!view_of(&e, &v) || !filter_matches(&l->options.filter, &v, e.ts))
            continue;
        if (l->options.json)
            put_record(&e); /* parent_launch says how they nest */
        else
            add_node(&f, run->id, &v);
    }
    log_close(run, r);
    if (l->options.json)
        return 0;
    plant(&f);
    roots = mem_array(m, f.count + 1, sizeof(*roots));
    for (size_t i = 0; i < f.count; i++)
        if (f.items[i].above == NULL)
            roots[nroots++] = i;
    put(BOLD, shown(m, run->id));
    printf("%s%s\n", command == NULL ? "" : "  ", command == NULL ? "" : command);
    walk(&f, roots, nroots, "", measure);
    walk(&f, roots, nroots, "", print);
    return f.count - nroots;
}

int
view_tree(struct log *l, int argc, char **argv)
{
    const struct run_entry *run = log_run(l, argc > 0 ? argv[0] : NULL);

    screen_pager();
    tree_print(l, l->mem, run);
    return 0;
}
