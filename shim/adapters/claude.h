/* The files of the Claude Code adapter, among themselves. */
#ifndef HACCESS_CLAUDE_H
#define HACCESS_CLAUDE_H

#include "adapter.h"
#include "claude_config.h"
#include "claude_table.h"
#include "claude_tools.h"

/* adapter.efforts */
extern const char *const claude_efforts[];

/* Returns the prompt of the command line when it runs a command or a skill (/NAME ...): its file says which tools need no
 * approval, and may name another model and effort. NULL: it runs none. */
const char *claude_prompt_command(struct mem *m, const struct command *c);

/* Fills the parts of a request that do not concern access: model, effort, fallbacks, endpoints, vendor_refuses. */
void claude_model(struct mem *m, const struct invocation *i, const struct documents *d, struct request *out);

/* adapter.render */
void claude_render(struct mem *m, const struct invocation *i, const struct request *r,
                   const struct rendering *how, struct rendered *out);

#endif
