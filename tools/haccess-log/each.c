#include "each.h"

size_t
each_launch(struct log *l, bool glances,
            void (*visit)(void *data, const struct run_entry *run, const struct entry *e,
                          const struct view *v),
            void *data)
{
    size_t runs = 0;

    for (size_t i = 0; i < l->runs.count; i++) {
        const struct run_entry *run = &l->runs.items[i];
        struct mem *m = mem_new();
        struct run_reader *r;
        bool any = false;
        struct entry e;
        struct view v;

        r = log_open(l, m, run, false);
        if (glances)
            run_glances(r);
        while (run_next(r, &e))
            if (view_of(&e, &v) && filter_matches(&l->options.filter, &v, e.ts)) {
                visit(data, run, &e, &v);
                any = true;
            }
        log_close(run, r);
        runs += any;
        mem_free(m);
    }
    return runs;
}
