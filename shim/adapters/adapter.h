/* What haccess knows of one vendor CLI. Adapters are tables and pure functions: no I/O. Configuration reaches
 * them as text, because their caller reads the files that they name. */
#ifndef HACCESS_ADAPTER_H
#define HACCESS_ADAPTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "../mem.h"
#include "grammar.h"

/* What a launch asks for (decision rules, section 2), and one spelling of it. */
enum access {
    ACCESS_UNSPECIFIED,
    ACCESS_READ_ONLY,
    ACCESS_WORKSPACE_WRITE,
    ACCESS_FULL,
    ACCESS_CONTRADICTORY
};

/* What a launch becomes (section 5). */
enum projection {
    PROJECTION_VENDOR_DEFAULT,
    PROJECTION_READ_ONLY,
    PROJECTION_WORKSPACE_WRITE,
    PROJECTION_FULL
};

/* Who holds the worker to it. */
enum enforcement {
    ENFORCED_NONE,
    ENFORCED_VENDOR,
    ENFORCED_APPROVALS,
    ENFORCED_UNVERIFIED,
    ENFORCED_BUBBLEWRAP
};

/* How a spelling takes part when several meet. */
enum source_kind {
    SOURCE_MODE, /* a mode: two different ones contradict each other */
    SOURCE_SANDBOX, /* an OS sandbox switched on beside the mode: workspace-write, and read-only beside a read-only mode */
    SOURCE_BYPASS, /* full access that an explicit SOURCE_SANDBOX bounds to workspace-write (claude's bypass) */
};

struct source {
    enum access access;
    enum source_kind kind;
    bool explicit;        /* argv, HACCESS_ACCESS, lane; false: configuration */
    const char *spelling; /* "--yolo", "-c sandbox_mode", "HACCESS_ACCESS"; for configuration the key */
    const char *value;    /* NULL: none */
    size_t index;         /* word in argv, where there is one; 0: none */
    const char *file;     /* configuration file; NULL: none */
};

/* A configuration file that may bear on the launch. The adapter fills path and role; the caller fills the rest. */
struct config_file {
    const char *path;
    int role;         /* the adapter's own number */
    const char *text; /* NUL-terminated content, NULL: not read */
    size_t length;    /* in bytes */
    int error;        /* errno of the attempt to read it: 0, ENOENT, EACCES, EFBIG ... */
    bool directory;   /* its text is the names in it, one a line */
};

/* One launch as an adapter sees it. */
struct invocation {
    struct command command;
    char *const *envp;
    uid_t uid;
    const char *home;  /* $HOME, else that of the password entry; NULL: neither */
    const char *cwd;   /* working directory of the session (-C applied), absolute; NULL: deleted or unknown */
    const char *named; /* cwd as -C spells it, absolute, links not followed; NULL: like cwd */
    const char *project; /* directory of the policy, else git top level, else cwd; NULL like cwd */
    const char *git_top; /* git top level of cwd; NULL: none */
    /* Returns the path with every link followed, NULL when there is no such thing; NULL: links are not looked at. */
    const char *(*canonical)(struct mem *m, const char *path);
    struct config_file *files;
    size_t nfiles;
    const struct strings *read_allow, *read_deny; /* the policy's read lane (claude); NULL: none */
};

/* Why a launch is refused (section 3). REFUSAL_NONE: it is not. */
enum refusal {
    REFUSAL_NONE,
    REFUSAL_BAD_REQUEST,
    REFUSAL_MALFORMED_REQUEST,
    REFUSAL_FULL_ACCESS_CONFLICTS_WITH_POLICY,
    REFUSAL_FILESYSTEM_POLICIES_CONFLICT,
    REFUSAL_FULL_ACCESS_UNREPRESENTABLE,
    REFUSAL_NO_PROJECTION,
    REFUSAL_SERVER_UNBOUNDED,
    REFUSAL_SETTINGS_UNREADABLE,
    REFUSAL_CLAUDE_WRITE_LANE_REQUIRES_FULL_ACCESS,
    REFUSAL_WRITE_LANE_UNENFORCEABLE,
    REFUSAL_SANDBOX_UNAVAILABLE,
    REFUSAL_JOURNAL_UNAVAILABLE,
};

enum lane { LANE_NONE, LANE_READ, LANE_WRITE };

/* What a launch asks. The adapter fills it from argv, environment and configuration; request.c adds
 * HACCESS_ACCESS and HACCESS_LANE and resolves access. */
struct request {
    struct source *sources;
    size_t nsources, sources_room;
    enum access access;        /* resolved from sources (request_resolve) */
    const char *model;         /* as named on the command line; NULL: not named */
    const char *model_source;  /* what named it, when that is not the command line; NULL otherwise */
    const char *effort;        /* the effort that will hold and was named (section 4); NULL: not named */
    const char *effort_source; /* what named it, when that is not the command line; NULL otherwise */
    const char *provider;      /* codex: the provider the launch is re-pointed to; NULL: not re-pointed */
    struct strings fallbacks;  /* models it may fall back to */
    struct strings endpoints;  /* names of variables that re-point the model service */
    struct strings unconfined; /* tools that are pre-approved and not under a sandbox */
    bool confined;             /* claude: the Bash sandbox is on, cannot be missing, and nothing opens it */
    const char *
        unverified; /* why it cannot be told that the vendor holds the worker; NULL: nothing is known against it */
    bool interactive;
    bool config_broken;         /* codex: a configuration file does not parse: read-only, whatever is asked */
    const char *config_detail;  /* which, and where */
    const char *unknown;        /* the first word the grammar does not know; NULL: none */
    const char *malformed;      /* why the CLI would reject its access options; NULL: it would not */
    const char *vendor_refuses; /* why the CLI would refuse or downgrade full access; NULL: it would not */
    enum lane lane;
    enum access asked; /* HACCESS_ACCESS; ACCESS_UNSPECIFIED: not set */
    const char *bad;   /* what is wrong with HACCESS_ACCESS or HACCESS_LANE; NULL: nothing */
};

/* Adds a spelling to a request. The strings are not copied. */
void request_add(struct mem *m, struct request *r, const struct source *s);

/* How a launch is to be rendered. */
struct rendering {
    enum projection projection;
    bool granted;                                 /* the three conditions hold */
    bool narrowed;                                /* it gets less than it asked */
    const struct strings *read_allow, *read_deny; /* the policy's read lane (claude) */
};

/* The result of a rendering. */
struct rendered {
    char **argv; /* NULL-terminated; the request's own argv when nothing changes */
    size_t argc;
    enum refusal refusal; /* REFUSAL_SETTINGS_UNREADABLE, or none */
    const char *detail;   /* of the refusal */
    const struct program
        *needs; /* programs without which the rendering does not hold; ended by a NULL name; NULL: none */
};

struct program {
    const char *name, *package;
};

struct config_list {
    struct config_file *files;
    size_t count, room;
};

/* Adds a file to be read. path is not copied. */
void config_list_add(struct mem *m, struct config_list *l, const char *path, int role);

/* Adds a directory whose names are wanted. path is not copied. */
void config_list_add_directory(struct mem *m, struct config_list *l, const char *path, int role);

/* An environment entry that the commands of a session should have, where the session has it. */
struct kept {
    const char *name, *value;
    enum kept_kind {
        KEPT_ENTRY,   /* one of a list, as LD_PRELOAD: beside it there may be others */
        KEPT_EXACTLY, /* another value would loosen */
        KEPT_ANY,     /* another value is the user's own choice */
    } kind;
};

struct adapter {
    const char *id;      /* "codex"; also the key in policies and journals */
    const char *program; /* the name under which it is found on PATH */
    const char *package; /* its package of npm; NULL: none */
    /* CLI versions that the table was checked against, newest first: "2.1.332, 2.1.197"; other text where there was no CLI. */
    const char *checked;
    const struct grammar *grammar;
    const char *const *efforts;   /* low to high, NULL-terminated; NULL: the adapter has no scale */
    const char *effort_option;    /* how a command line names an effort, for messages; NULL with efforts */
    const char *default_provider; /* of models, where a launch can name another; NULL: it cannot */
    bool full, workspace_write, read_only; /* which renderings it has */
    bool sandbox; /* it has an OS sandbox of its own, so that the write lane can be enforced */

    /* The class of this command line: the leaf's, unless an option says otherwise (--help, --version: admin). */
    enum launch_class (*classify)(struct mem *m, const struct command *c);

    /* The directory that the CLI changes to before anything else (-C DIR), as given; NULL: none. */
    const char *(*directory)(const struct command *c);

    /* It takes that directory by its name: ".." goes up in the name, and links in it are not followed. */
    bool lexical;

    /* Names the configuration files that may bear on the launch. Called until it names no more, each time with those
     * that it named before in i->files, read: what is in one can name others. May be NULL. */
    void (*config)(struct mem *m, const struct invocation *i, struct config_list *out);

    /* Fills what argv, environment and configuration ask for. *out is zeroed before. */
    void (*request)(struct mem *m, const struct invocation *i, struct request *out);

    /* Spells the projection. Idempotent. For the vendor default called only to take full access off, where the adapter has no
     * workspace_write to narrow it to. */
    void (*render)(struct mem *m, const struct invocation *i, const struct request *r,
                   const struct rendering *how, struct rendered *out);

    /* Returns what keeps the first of these entries from the commands of the session (a setting, where it is, and the entry's
     * name); NULL: they get them all. May be NULL: they always do. */
    const char *(*sheds)(struct mem *m, const struct invocation *i, const struct kept *kept, size_t count);

    /* Returns the command line with those that would not come through spelled as well, or NULL where that cannot be; sheds
     * tells whether it helped. May be NULL: it never can. */
    char **(*keep)(struct mem *m, const struct invocation *i, const struct kept *kept, size_t count,
                   size_t *argc);

    /* What holds a worker that runs with this access, asked for as in r (r describes the argv that is launched). */
    enum enforcement (*enforcement)(const struct request *r, enum projection p);

    /* Whether the value of this option may stand in the journal (values of access, model and effort options), given
     * the value; for key=value options the whole word counts. */
    bool (*public_value)(const struct option_spec *o, const char *value);
};

extern const struct adapter adapter_codex, adapter_claude, adapter_cursor, adapter_opencode, adapter_gemini;

/* Returns the adapter with this id, or NULL. */
const struct adapter *adapter_find(const char *id);

/* Whether a version of the CLI ("0.171.0", "v1.2.3-beta") is newer than the newest that the table was checked against. False
 * for what is no version, and where the table was not checked against any. */
bool adapter_is_newer(const struct adapter *a, const char *version);

/* All adapters, NULL-terminated, in a fixed order. */
extern const struct adapter *const adapters[];

/* Returns the position of an effort word on the scale, or -1. */
int adapter_effort(const struct adapter *a, const char *word);

/* The words of the specification. */
const char *class_word(enum launch_class c);
const char *access_word(enum access a);
const char *projection_word(enum projection p);
const char *enforcement_word(enum enforcement e);
const char *refusal_word(enum refusal r);
const char *lane_word(enum lane l); /* NULL for LANE_NONE */

#endif
