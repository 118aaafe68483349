/* What the files of the gemini adapter share. */
#ifndef HACCESS_GEMINI_H
#define HACCESS_GEMINI_H

#include "adapter.h"

/* adapter.config: the settings files, in which models may be renamed. */
void gemini_config(struct mem *m, const struct invocation *i, struct config_list *out);

/* Returns why the CLI may run another model than the one that is named, or NULL. */
const char *gemini_other_model(struct mem *m, const struct invocation *i);

#endif
