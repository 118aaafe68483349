/* How a projection is spelled for codex. */
#include <string.h>

#include "codex.h"

/* What of the command line bears on access. */
struct spellings {
    size_t own;       /* -s and --approve-for-me */
    enum access asks; /* what the last of these asks */
    size_t other;     /* bypass, -c assignments of a mode ... */
    size_t bypass;
    size_t roots;
    size_t beside; /* of other: assignments of sandbox_mode that say what projection says */
};

static enum access
projected(enum projection p)
{
    static const enum access access[] = {
        [PROJECTION_VENDOR_DEFAULT] = ACCESS_UNSPECIFIED,
        [PROJECTION_READ_ONLY] = ACCESS_READ_ONLY,
        [PROJECTION_WORKSPACE_WRITE] = ACCESS_WORKSPACE_WRITE,
        [PROJECTION_FULL] = ACCESS_FULL,
    };

    return access[p];
}

static struct spellings
count(const struct codex_config *c, enum access projection)
{
    const struct command *line = &c->i->command;
    struct spellings s = {0};

    for (size_t k = 0; k < line->noptions; k++) {
        const struct occurrence *o = &line->options[k];
        int id = o->spec->id;

        if (id == CODEX_SANDBOX || id == CODEX_APPROVE) {
            s.own++;
            s.asks = codex_option_access(o);
        } else if (codex_option_access(o) != ACCESS_UNSPECIFIED) {
            s.other++;
        }
        s.bypass += id == CODEX_BYPASS;
        s.roots += id == CODEX_ADD_DIR;
    }
    for (size_t k = 0; k < c->nassignments; k++) {
        const struct codex_assignment *a = &c->assignments[k];
        bool known;

        s.other += codex_assigns_mode(a);
        s.beside +=
            strcmp(a->key, "sandbox_mode") == 0 && codex_mode(a->value, &known) == projection && known;
        s.roots += codex_assigns_roots(a);
    }
    return s;
}

/* Whether something is removed that codex wants beside -c permissions tables: it stops with an error where neither a
 * profile nor sandbox_mode is set, and does not count --sandbox. The tables have to go with it. */
static bool
strands_profiles(const struct codex_config *c)
{
    for (size_t k = 0; k < c->nassignments; k++)
        if (codex_assigns_mode(&c->assignments[k]))
            return true;
    return command_last(&c->i->command, CODEX_APPROVE) != NULL;
}

/* Whether configuration files define profiles that none of them chooses. With an assignment of a mode, or --approve-for-me, codex
 * takes them; with --sandbox in its place it can pass over the files as a whole and know none of their providers (0.171). */
static bool
has_stray_profiles(const struct codex_config *c)
{
    static const char *const tables_path[] = {"permissions", NULL};
    const struct toml_value *tables = codex_config_find(c, tables_path, false).value;

    return tables != NULL && tables->type == TOML_TABLE && tables->count != 0 &&
           codex_configured_mode(c) == NULL;
}

static void
remove_spellings(const struct codex_config *c, struct edit *e, bool directories, bool roots, bool approval,
                 bool reviewer)
{
    const struct command *line = &c->i->command;
    bool profiles = strands_profiles(c);

    for (size_t k = 0; k < line->noptions; k++) {
        const struct occurrence *o = &line->options[k];

        if (codex_option_access(o) != ACCESS_UNSPECIFIED || (directories && o->spec->id == CODEX_ADD_DIR) ||
            (approval && o->spec->id == CODEX_APPROVAL))
            edit_remove(e, o);
    }
    for (size_t k = 0; k < c->nassignments; k++) {
        const struct codex_assignment *a = &c->assignments[k];

        if (codex_assigns_mode(a) || (roots && codex_assigns_roots(a)) ||
            (reviewer && codex_assigns_reviewer(a)) || (profiles && strcmp(a->head, "permissions") == 0))
            edit_remove(e, a->option);
    }
}

void
codex_render(struct mem *m, const struct invocation *i, const struct request *r, const struct rendering *how,
             struct rendered *out)
{
    static const char *const modes[] = {
        [PROJECTION_READ_ONLY] = "read-only",
        [PROJECTION_WORKSPACE_WRITE] = "workspace-write",
        [PROJECTION_FULL] = "danger-full-access",
    };
    bool drop = how->narrowed || how->granted, reveals, approval, empty, reviewed;
    struct codex_config c;
    struct spellings s;
    struct edit *e;
    const char *file;

    codex_config_read(m, i, &c);
    s = count(&c, projected(how->projection));
    /* Where a profile held the roots of configuration files back, --sandbox in its place would let them count: an assignment
     * empties them. */
    reveals = !codex_roots_count(&c);
    empty = how->projection == PROJECTION_WORKSPACE_WRITE &&
            ((reveals && codex_has_roots(&c)) ||
             (codex_wide_root(&c, !drop && !reveals, &file) != NULL && file != NULL));
    approval = how->granted && r->interactive && s.bypass != 0;
    /* A model that approves what leaves the sandbox must not loosen what is narrowed, nor any read-only. */
    reviewed = (how->projection == PROJECTION_READ_ONLY ||
                (how->projection == PROJECTION_WORKSPACE_WRITE && how->narrowed)) &&
               codex_reviewer(&c, true).value != NULL;
    e = edit_new(m, &i->command);
    if (how->projection != PROJECTION_VENDOR_DEFAULT &&
        !(s.own == 1 && s.asks == projected(how->projection) && s.other == s.beside &&
          (s.beside == 0 || has_stray_profiles(&c)) && !(drop && s.roots != 0) && !empty && !reviewed)) {
        remove_spellings(&c, e, drop, drop || reveals, approval, reviewed);
        edit_insert(e, "--sandbox");
        edit_insert(e, modes[how->projection]);
        if (strands_profiles(&c) && has_stray_profiles(&c)) {
            edit_insert(e, "-c");
            edit_insert(e, mem_printf(m, "sandbox_mode=\"%s\"", modes[how->projection]));
        }
        if (approval) {
            edit_insert(e, "--ask-for-approval");
            edit_insert(e, "never");
        }
        if (empty) {
            edit_insert(e, "-c");
            edit_insert(e, "sandbox_workspace_write.writable_roots=[]");
        }
        if (reviewed && codex_reviewer(&c, false).value != NULL) {
            edit_insert(e, "-c");
            edit_insert(e, "approvals_reviewer=user");
        }
    }
    out->argv = edit_finish(e, &out->argc);
}
