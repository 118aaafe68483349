/* Lists of tools and directories as Claude Code's options and settings spell them. Pure. */
#ifndef HACCESS_CLAUDE_TOOLS_H
#define HACCESS_CLAUDE_TOOLS_H

#include <stdbool.h>

#include "../mem.h"

/* Adds the rules of one value of --allowedTools or --disallowedTools to list: they are separated by commas or white
 * space outside of parentheses. */
void tools_split(struct mem *m, const char *value, struct strings *list);

/* Leaves the first of equal rules. */
void tools_unique(struct mem *m, struct strings *list);

/* Returns the rules joined with commas; NULL for none. */
const char *tools_join(struct mem *m, const struct strings *list);

/* Whether the rule lets a tool that can write or execute do so anywhere: Bash, Bash(*), Write ... */
bool tools_unrestricted(const char *rule);

/* Whether the rule is about shell commands, which the OS sandbox holds (it does not hold the file tools). */
bool tools_shell(const char *rule);

/* Returns the directory that a rule of the Edit or Write tools opens (for Edit of "//var/tmp/" and what is below, /var/tmp/), as path_is_wide
 * takes it, or NULL for any other rule. */
const char *tools_root(struct mem *m, const char *rule);

#endif
