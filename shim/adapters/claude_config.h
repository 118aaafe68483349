/* The settings that hold for one launch of Claude Code: where they are, and what they say together. Pure. */
#ifndef HACCESS_CLAUDE_CONFIG_H
#define HACCESS_CLAUDE_CONFIG_H

#include "adapter.h"
#include "claude_settings.h"

/* Where a document comes from, weakest first (config_file.role). */
enum claude_role { ROLE_USER, ROLE_PROJECT, ROLE_LOCAL, ROLE_FLAG, ROLE_PARENT, ROLE_MANAGED };

struct document {
    enum claude_role role;
    const char *file; /* NULL: given on the command line itself */
    size_t index;     /* word of the option that names it; 0: a file in its fixed place */
    struct settings settings;
};

/* The documents of a launch, weakest first; one that is not there is left out. */
struct documents {
    struct document items[ROLE_MANAGED + 1];
    size_t count;
    const struct occurrence *flag; /* the --settings that counts; NULL: none */
    const char *flag_text;         /* its text; NULL: unreadable, or none */
    size_t flag_length;
    const struct occurrence *parent; /* the --managed-settings that counts; NULL: none */
};

/* adapter.config */
void claude_config(struct mem *m, const struct invocation *i, struct config_list *out);

/* Whether the launch is restricted (--restricted, CLAUDE_CODE_RESTRICTED): no settings files, no bypass. */
bool claude_restricted(const struct invocation *i);

/* Whether a restricted launch is one that the CLI refuses because of the bypass. --restricted takes none, wherever it would come
 * from (2.1.332, measured); rendered without it, a launch would run that the CLI itself does not start. asked: something in
 * the launch says bypass. */
bool claude_restricted_bypass(const struct invocation *i, const struct documents *d, bool asked);

/* Whether the CLI takes the value of a variable for yes. NULL is no. */
bool claude_truthy(const char *value);

/* Reads every document of the launch. */
void documents_read(struct mem *m, const struct invocation *i, struct documents *out);

/* Returns the strongest answer to a question: member is the offset of an enum answer in struct settings. */
enum answer documents_answer(const struct documents *d, size_t member);

/* Returns the strongest document that sets a string (offset in struct settings), or NULL. */
const struct document *documents_string(const struct documents *d, size_t member);

/* Returns the document of the --settings that counts; NULL: none. */
const struct document *flag_document(const struct documents *d);

/* Returns the string at that offset. */
const char *document_string(const struct document *d, size_t member);

#endif
