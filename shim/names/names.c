/* The names that vendors give to their CLIs and to the variables by which a session is known. */
#include <string.h>

#include "vendors.h"

#define CODEX    "codex"
#define CLAUDE   "claude-code"
#define CURSOR   "cursor"
#define OPENCODE "opencode"
#define GEMINI   "gemini"

const struct marker_name marker_names[] = {
    {"CODEX_THREAD_ID", CODEX},    {"CLAUDE_CODE_SESSION_ID", CLAUDE},
    {"CURSOR_SESSION_ID", CURSOR}, {"CURSOR_CONVERSATION_ID", CURSOR},
    {"CURSOR_AGENT", CURSOR},      {"OPENCODE_SESSION_ID", OPENCODE},
    {"OPENCODE_PID", OPENCODE},    {"OPENCODE", OPENCODE},
    {"GEMINI_CLI", GEMINI},        {NULL, NULL},
};

/* Checked against codex-cli 0.171.0, Claude Code 2.1.332, opencode 1.18.33 and gemini-cli 0.61.0; cursor-agent
 * from its documentation. codex.js and gemini.js are what npm's links named codex and gemini point to. */
static const struct {
    const char *name;
    const char *adapter;
    const char *within; /* what the path must contain besides, NULL: nothing */
} names[] = {
    {"codex", CODEX, NULL},
    {"codex-x86_64-unknown-linux-musl", CODEX, NULL},
    {"codex-aarch64-unknown-linux-musl", CODEX, NULL},
    {"codex.js", CODEX, "codex/bin/codex.js"},
    {"claude", CLAUDE, NULL},
    {"claude.exe", CLAUDE, NULL},
    {"cli.js", CLAUDE, "claude-code/cli.js"},
    {"cli.js", CLAUDE, "claude-agent-sdk/cli.js"},
    {"cli-wrapper.cjs", CLAUDE, "claude-code/cli-wrapper.cjs"},
    {"cursor-agent", CURSOR, NULL},
    {"agent", CURSOR, "cursor"},
    {"opencode", OPENCODE, NULL},
    {"opencode.exe", OPENCODE, NULL},
    {"gemini", GEMINI, NULL},
    {"gemini.js", GEMINI, "gemini-cli/bundle/gemini.js"},
    {"index.js", GEMINI, "gemini-cli/dist/index.js"}, /* older */
};

const char *
path_base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* Claude's native installer names its file after the version: …/claude/versions/2.1.332. */
static bool
versioned_claude(const char *path, const char *base)
{
    static const char dir[] = "claude/versions/";
    size_t length = sizeof(dir) - 1, before = (size_t)(base - path);

    if (*base < '0' || *base > '9' || before < length || memcmp(base - length, dir, length) != 0)
        return false;
    return before == length || base[-(ptrdiff_t)length - 1] == '/';
}

/* Whether where has needle; one with a slash must begin at a component. */
static bool
contains(const char *where, const char *needle)
{
    const char *at = strstr(where, needle);

    if (at == NULL || strchr(needle, '/') == NULL)
        return at != NULL;
    at = where + strlen(where) - strlen(needle);
    return strcmp(at, needle) == 0 && (at == where || at[-1] == '/');
}

const char *
vendor_of(const char *path)
{
    const char *base = path_base(path);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(base, names[i].name) == 0 && (names[i].within == NULL || contains(path, names[i].within)))
            return names[i].adapter;
    return versioned_claude(path, base) ? CLAUDE : NULL;
}

const char *
environment_value(char *const envp[], const char *name)
{
    size_t length = strlen(name);

    if (envp != NULL)
        for (; *envp != NULL; envp++)
            if (strncmp(*envp, name, length) == 0 && (*envp)[length] == '=')
                return *envp + length + 1;
    return NULL;
}
