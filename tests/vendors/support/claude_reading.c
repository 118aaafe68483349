#include "claude_reading.h"

#include <string.h>

#include "../../../shim/adapters/adapter.h"
#include "../../../shim/adapters/claude_settings.h"
#include "../../../shim/adapters/claude_table.h"

bool
claude_unsure(const char *text)
{
    struct mem *m = mem_new();
    struct settings s = {.sure = true};

    if (text != NULL)
        settings_read(m, text, strlen(text), &s);
    mem_free(m);
    return !s.sure;
}

bool
claude_opens(const char *text)
{
    struct mem *m = mem_new();
    struct settings s = {.opening = NULL};
    bool opens;

    if (text != NULL)
        settings_read(m, text, strlen(text), &s);
    opens = s.opening != NULL;
    mem_free(m);
    return opens;
}

bool
claude_disables(const char *text)
{
    struct mem *m = mem_new();
    struct settings s = {.no_bypass = false};
    bool disables;

    if (text != NULL)
        settings_read(m, text, strlen(text), &s);
    disables = s.no_bypass;
    mem_free(m);
    return disables;
}

size_t
claude_count_settings(char *const argv[])
{
    struct mem *m = mem_new();
    struct command c;
    size_t argc = 0, n = 0;

    while (argv[argc] != NULL)
        argc++;
    command_parse(m, adapter_claude.grammar, argv, argc, 1, &c);
    for (size_t k = 0; k < c.noptions; k++)
        n += c.options[k].spec->id == OPTION_SETTINGS;
    mem_free(m);
    return n;
}
