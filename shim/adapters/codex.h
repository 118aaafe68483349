/* What the files of the codex adapter share. */
#ifndef HACCESS_CODEX_H
#define HACCESS_CODEX_H

#include "../toml/toml.h"
#include "adapter.h"
#include "path.h"

/* Options that mean something here. */
enum codex_option {
    CODEX_SANDBOX = 1, /* -s */
    CODEX_BYPASS,      /* --dangerously-bypass-approvals-and-sandbox, --yolo */
    CODEX_APPROVE,     /* --approve-for-me, --not-so-yolo */
    CODEX_FULL_AUTO,   /* gone in 0.171, workspace-write before */
    CODEX_CONFIG,      /* -c key=value */
    CODEX_ADD_DIR,
    CODEX_APPROVAL, /* -a */
    CODEX_MODEL,
    CODEX_PROFILE,
    CODEX_CD,
    CODEX_OSS,
    CODEX_LOCAL_PROVIDER,
    CODEX_REMOTE,
    CODEX_TRUST,
    CODEX_IGNORE_USER_CONFIG,
    CODEX_IGNORE_RULES,
    CODEX_HELP,
    CODEX_VERSION,
};

/* Commands that mean something here. */
enum codex_command {
    CODEX_RUNS_BATCH = 1, /* exec and review: not interactive */
};

extern const struct grammar codex_grammar;

/* Configuration files by what they are. */
enum codex_role {
    CODEX_USER,         /* $CODEX_HOME/config.toml */
    CODEX_USER_PROFILE, /* $CODEX_HOME/NAME.config.toml of -p NAME */
    CODEX_PROJECT,      /* .codex/config.toml, from the working directory up to the project root */
    CODEX_SYSTEM,       /* /etc/codex/config.toml */
    CODEX_MANAGED,      /* /etc/codex/managed_config.toml */
    CODEX_REQUIREMENTS, /* /etc/codex/requirements.toml */
    CODEX_MARK,  /* what may mark the project root, in the session's directory and every one above it */
    CODEX_RULES, /* rules directories of user and host: what is approved there runs without the sandbox */
    CODEX_PROJECT_RULES, /* those beside the project's files */
    CODEX_GIT_LINK,      /* .git of the git top level: in a worktree, a file that names the main repository */
};

/* One -c assignment. */
struct codex_assignment {
    const struct occurrence *option;
    const char *key;          /* trimmed; parts separated by dots, without quoting */
    const char *head;         /* its first part */
    struct toml_value *value; /* decoded */
};

/* Where a setting was found. */
struct codex_setting {
    struct toml_value *value; /* NULL: nowhere */
    const char *file;         /* NULL: -c */
};

/* The configuration of one launch: the -c assignments, and the files that count, weakest first. */
struct codex_config {
    struct mem *m;
    const struct invocation *i;
    struct codex_assignment *assignments; /* in the order in which codex applies them */
    size_t nassignments;
    struct codex_layer {
        struct toml_value *table;
        const char *file; /* NULL: the -c assignments */
        int role;
    } * layers;
    size_t nlayers;
    struct toml_value *requirements; /* NULL: none */
    bool requirements_broken;
    bool broken;
    const char *detail;     /* what is broken */
    const char *rules;      /* a directory with rules that count; NULL: none */
    struct strings markers; /* names of what marks the project root */
    const char *root;       /* the project as codex sees it; NULL: the working directory is not known */
};

/* Reads the -c assignments of a command line, and the files of the invocation. The memory is the region's. */
void codex_config_read(struct mem *m, const struct invocation *i, struct codex_config *out);

/* Reads the -c assignments only, those without "=" left out. Returns how many there are. */
size_t codex_assignments(struct mem *m, const struct command *c, struct codex_assignment **out);

/* Finds markers and root: the nearest directory with a marker, else the working directory. For codex_config_read. */
void codex_find_root(struct codex_config *c);

/* Names the files for codex_config_read: first those of host and user, then what may mark the project root, then the
 * project's. */
void codex_config_files(struct mem *m, const struct invocation *i, struct config_list *out);

/* Returns the last layer's value of a path of keys (ended by NULL), with the file. -c counts when with_overrides is set. */
struct codex_setting codex_config_find(const struct codex_config *c, const char *const *path,
                                       bool with_overrides);

/* Returns what -c sets a path to. */
struct codex_setting codex_config_override(const struct codex_config *c, const char *const *path);

/* Returns the tables of all layers at a key, merged as codex merges them; NULL where there is none. */
struct toml_value *codex_config_merged(const struct codex_config *c, const char *key);

/* Returns what a value of sandbox_mode asks for. known is false for anything but a known word; that is full access. */
enum access codex_mode(const struct toml_value *value, bool *known);

/* Returns what the permission profile of that name asks for (a value of default_permissions). */
enum access codex_profile(const struct codex_config *c, const struct toml_value *name);

/* Returns whether codex knows a permission profile of that name. */
bool codex_profile_exists(const struct codex_config *c, const struct toml_value *name);

/* Returns the access that an option spells by itself, or ACCESS_UNSPECIFIED where it spells none. */
enum access codex_option_access(const struct occurrence *o);

/* Whether sandbox_workspace_write has an effect: not where a permission profile chooses the mode. Beside --sandbox its roots count
 * whatever profile stands there, though codex's header does not show them; beside --approve-for-me and an assigned sandbox_mode they
 * count unless the profile is assigned too (measured on 0.151 and 0.171). */
bool codex_roots_count(const struct codex_config *c);

/* Returns the layer of the files whose mode holds where argv names none, or NULL. */
const struct codex_layer *codex_configured_mode(const struct codex_config *c);

/* Returns what codex would reject about the access options, or NULL. */
const char *codex_rejects(const struct codex_config *c);

/* Whether an assignment is one of a mode (sandbox_mode, default_permissions), or of roots. */
bool codex_assigns_mode(const struct codex_assignment *a);
bool codex_assigns_roots(const struct codex_assignment *a);

/* Whether configuration files name roots in sandbox_workspace_write. */
bool codex_has_roots(const struct codex_config *c);

/* Returns the first wide root among the sandbox_workspace_write.writable_roots in force, or NULL. */
const char *codex_wide_root(const struct codex_config *c, bool with_overrides, const char **file);

/* Returns the approvals_reviewer in force, with value NULL where it is the user: another one, a model, lets commands out of
 * the sandbox whatever approval_policy says (measured on 0.171; in exec, too, and under read-only). */
struct codex_setting codex_reviewer(const struct codex_config *c, bool with_overrides);

/* Whether an assignment is one of approvals_reviewer. */
bool codex_assigns_reviewer(const struct codex_assignment *a);

/* Returns why codex would not give full access (requirements, managed configuration), or NULL. */
const char *codex_refuses_full(const struct codex_config *c);

/* The adapter's request and render. */
void codex_request(struct mem *m, const struct invocation *i, struct request *out);
void codex_render(struct mem *m, const struct invocation *i, const struct request *r,
                  const struct rendering *how, struct rendered *out);

/* adapter.sheds and adapter.keep */
const char *codex_sheds(struct mem *m, const struct invocation *i, const struct kept *kept, size_t count);
char **codex_keep(struct mem *m, const struct invocation *i, const struct kept *kept, size_t count,
                  size_t *argc);

#endif
