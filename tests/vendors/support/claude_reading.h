/* What the adapter itself reads in a launch of Claude Code, where a test has to know. */
#ifndef VENDORS_CLAUDE_READING_H
#define VENDORS_CLAUDE_READING_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the CLI may ignore the settings, as they have a member that it is not known to accept; false for NULL. */
bool claude_unsure(const char *text);

/* Whether the settings have an entry that lets commands out of the sandbox; false for NULL. */
bool claude_opens(const char *text);

/* Whether the settings have permissions.disableBypassPermissionsMode; false for NULL. */
bool claude_disables(const char *text);

/* How many --settings there are in a command line, which NULL ends. */
size_t claude_count_settings(char *const argv[]);

#endif
