/* What the adapter itself reads in a launch of Claude Code, where a test has to know. */
#ifndef VENDORS_CLAUDE_READING_H
#define VENDORS_CLAUDE_READING_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the settings are such that the CLI is known not to ignore them; true for NULL. */
bool claude_sure(const char *text);

/* How many --settings there are in a command line, which NULL ends. */
size_t claude_count_settings(char *const argv[]);

#endif
