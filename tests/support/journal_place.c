#include "journal_place.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/journal/journal.h"
#include "tests/support/spool.h"
#include "tests/support/tree.h"

void
journal_place_open(struct journal_place *p)
{
    spool_hide();
    memset(p, 0, sizeof(*p));
    p->top = tree_new();
    p->m = mem_new();
    p->now = 1796070600000; /* 2026-11-30T20:30:00Z */
    tree_mkdir(p->top, "tmp");
    strings_add(p->m, &p->env, mem_printf(p->m, "PATH=%s:/usr/bin:/bin", getenv("HACCESS_BUILD")));
    strings_add(p->m, &p->env, mem_printf(p->m, "HACCESS_STATE_DIR=%s/state", p->top));
    strings_add(p->m, &p->env, mem_printf(p->m, "HOME=%s/home", p->top));
    strings_add(p->m, &p->env, mem_printf(p->m, "TMPDIR=%s/tmp", p->top));
    strings_add(p->m, &p->env, mem_printf(p->m, "SPOOL=tmp/haccess-%u", (unsigned)geteuid()));
    strings_add(p->m, &p->env, "LANG=C.UTF-8");
    strings_add(p->m, &p->env, "TZ=UTC");
}

void
journal_place_close(struct journal_place *p)
{
    outcome_free(&p->last);
    mem_free(p->m);
    tree_remove(p->top);
    free(p->top);
    memset(p, 0, sizeof(*p));
}

int
journal_place_run(struct journal_place *p, const char *command)
{
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, mem_strdup(p->m, command), NULL};

    outcome_free(&p->last);
    p->last = orphan_run(p->top, argv, p->env.items, false);
    return p->last.code;
}

void
journal_place_append(struct journal_place *p, const char *run_id, bool spool, const char *event,
                     const char *fields)
{
    struct journal_host where = {spool ? NULL : mem_printf(p->m, "%s/state", p->top),
                                 mem_printf(p->m, "%s/tmp", p->top), geteuid(), p->now};
    const char *problem = "";
    struct journal *j = journal_open(&where, p->m, run_id, &problem);
    cJSON *o = cJSON_Parse(fields);

    ck_assert_msg(j != NULL, "%s", problem);
    ck_assert_msg(o != NULL, "%s", fields);
    ck_assert_int_eq(journal_append(j, event, o), 0);
    journal_close(j);
}
