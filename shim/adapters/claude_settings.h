/* One settings document of Claude Code: what it says of access, and the same document with another say. */
#ifndef HACCESS_CLAUDE_SETTINGS_H
#define HACCESS_CLAUDE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "../mem.h"

enum answer { ANSWER_UNSET, ANSWER_NO, ANSWER_YES };

/* What bears on access in a document. Strings are in the region; NULL or empty: not there. */
struct settings {
    bool readable; /* it is one JSON object; false: nothing else is set but hidden and opening */
    bool hidden;   /* it is not readable here, perhaps to the CLI, and may ask for bypass */
    /* Every member is one that the CLI is known to accept. Of a document with one that it does not, 2.1.197 silently drops
     * the whole, sandbox included (2.1.332 does not start where the sandbox must hold). */
    bool sure;
    const char *default_mode;   /* permissions.defaultMode */
    bool no_bypass;             /* permissions.disableBypassPermissionsMode */
    struct strings allow;       /* permissions.allow */
    struct strings directories; /* permissions.additionalDirectories and sandbox.filesystem.allowWrite */
    enum answer sandbox;        /* sandbox.enabled */
    enum answer required;       /* sandbox.failIfUnavailable */
    enum answer unsandboxed;    /* sandbox.allowUnsandboxedCommands */
    enum answer auto_allow;     /* sandbox.autoAllowBashIfSandboxed */
    const char *opening;        /* the key of the first other entry that lets commands out of the sandbox */
    const char *agent;          /* agent */
    const char *effort;         /* env.CLAUDE_CODE_EFFORT_LEVEL */
    const char *max_effort;     /* maxEffortLevel */
    const char *scrub;          /* env.CLAUDE_CODE_SUBPROCESS_ENV_SCRUB */
    struct strings fallbacks;   /* fallbackModel */
    bool limited; /* availableModels is there: of another model than its own the CLI makes one of them */
    struct strings models; /* availableModels */
    const char *body;      /* env.CLAUDE_CODE_EXTRA_BODY */
    struct strings env;    /* the names in env */
};

/* Reads the length bytes at text. Of duplicate keys the last counts, as in the CLI. Never fails: see out->readable. */
void settings_read(struct mem *m, const char *text, size_t length, struct settings *out);

/* What a value of CLAUDE_CODE_EXTRA_BODY, a JSON object whose members go into every request, says of the model. */
struct extra_body {
    const char *model, *effort; /* NULL: it says nothing of it; "(unreadable)" when it cannot be told what */
};

void extra_body_read(struct mem *m, const char *text, struct extra_body *out);

/* How a document is to be changed. */
struct settings_change {
    enum { SANDBOX_AS_IT_IS, SANDBOX_OFF, SANDBOX_HELD } sandbox;
    bool quiet;      /* sandboxed Bash is not approved by itself: sandbox.autoAllowBashIfSandboxed false */
    bool drop_allow; /* permissions.allow goes */
    bool drop_roots; /* what opens the sandbox goes, and additional directories */
};

/* Returns the document with the change, in the region: members in their order and spelled as they were (numbers keep
 * their digits), white space between them gone, what is added at the end. permissions.defaultMode that asks for bypass
 * goes in any case. text NULL: an empty document. NULL when the text is not one JSON object, or when a member that a change
 * touches has a value of another kind than the CLI takes: it ignores such a document, or does not start, and to put another
 * value there would heal it. *misfit is then the name of the member. */
char *settings_merge(struct mem *m, const char *text, size_t length, const struct settings_change *how,
                     const char **misfit);

#endif
