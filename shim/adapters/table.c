/* The adapters, and the words for what they speak of. */
#include <limits.h>
#include <string.h>

#include "adapter.h"

const struct adapter *const adapters[] = {&adapter_codex,    &adapter_claude, &adapter_cursor,
                                          &adapter_opencode, &adapter_gemini, NULL};

const struct adapter *
adapter_find(const char *id)
{
    for (const struct adapter *const *a = adapters; *a != NULL; a++)
        if (strcmp((*a)->id, id) == 0)
            return *a;
    return NULL;
}

int
adapter_effort(const struct adapter *a, const char *word)
{
    if (a->efforts != NULL)
        for (int i = 0; a->efforts[i] != NULL; i++)
            if (strcmp(a->efforts[i], word) == 0)
                return i;
    return -1;
}

/* The next number of a version, and what is behind it; 0 where there are no more. What is too large counts as the largest. */
static unsigned long
next_number(const char **version)
{
    unsigned long n = 0;

    for (; **version >= '0' && **version <= '9'; ++*version) {
        unsigned long digit = (unsigned long)(**version - '0');

        n = n > (ULONG_MAX - digit) / 10 ? ULONG_MAX : n * 10 + digit;
    }
    if ((*version)[0] == '.' && (*version)[1] >= '0' && (*version)[1] <= '9')
        ++*version;
    return n;
}

bool
adapter_is_newer(const struct adapter *a, const char *version)
{
    const char *checked = a->checked;

    version += *version == 'v';
    if (checked == NULL || *checked < '0' || *checked > '9')
        return false;
    while ((*version >= '0' && *version <= '9') || (*checked >= '0' && *checked <= '9')) {
        unsigned long one = next_number(&version), other = next_number(&checked);

        if (one != other)
            return one > other;
    }
    return false;
}

void
request_add(struct mem *m, struct request *r, const struct source *s)
{
    if (r->nsources == r->sources_room) {
        size_t room = r->sources_room == 0 ? 4 : r->sources_room * 2;
        struct source *grown = mem_array(m, room, sizeof(*grown));

        if (r->nsources != 0)
            memcpy(grown, r->sources, r->nsources * sizeof(*grown));
        r->sources = grown;
        r->sources_room = room;
    }
    r->sources[r->nsources++] = *s;
}

void
config_list_add(struct mem *m, struct config_list *l, const char *path, int role)
{
    if (l->count == l->room) {
        size_t room = l->room == 0 ? 8 : l->room * 2;
        struct config_file *grown = mem_array(m, room, sizeof(*grown));

        if (l->count != 0)
            memcpy(grown, l->files, l->count * sizeof(*grown));
        l->files = grown;
        l->room = room;
    }
    l->files[l->count++] = (struct config_file){.path = path, .role = role};
}

void
config_list_add_directory(struct mem *m, struct config_list *l, const char *path, int role)
{
    config_list_add(m, l, path, role);
    l->files[l->count - 1].directory = true;
}

const char *
class_word(enum launch_class c)
{
    static const char *const words[] = {"none", "helper", "admin", "server", "session"};

    return words[c];
}

const char *
access_word(enum access a)
{
    static const char *const words[] = {"unspecified", "read-only", "workspace-write", "full-access",
                                        "contradictory"};

    return words[a];
}

const char *
projection_word(enum projection p)
{
    static const char *const words[] = {"vendor-default", "read-only", "workspace-write", "full-access"};

    return words[p];
}

const char *
enforcement_word(enum enforcement e)
{
    static const char *const words[] = {"none", "vendor", "approvals", "unverified", "bubblewrap"};

    return words[e];
}

const char *
refusal_word(enum refusal r)
{
    static const char *const words[] = {
        [REFUSAL_NONE] = NULL,
        [REFUSAL_BAD_REQUEST] = "bad_request",
        [REFUSAL_MALFORMED_REQUEST] = "malformed_request",
        [REFUSAL_FULL_ACCESS_CONFLICTS_WITH_POLICY] = "full_access_conflicts_with_policy",
        [REFUSAL_FILESYSTEM_POLICIES_CONFLICT] = "filesystem_policies_conflict",
        [REFUSAL_FULL_ACCESS_UNREPRESENTABLE] = "full_access_unrepresentable",
        [REFUSAL_NO_PROJECTION] = "no_projection",
        [REFUSAL_SERVER_UNBOUNDED] = "server_unbounded",
        [REFUSAL_SETTINGS_UNREADABLE] = "settings_unreadable",
        [REFUSAL_CLAUDE_WRITE_LANE_REQUIRES_FULL_ACCESS] = "claude_write_lane_requires_full_access",
        [REFUSAL_WRITE_LANE_UNENFORCEABLE] = "write_lane_unenforceable",
        [REFUSAL_SANDBOX_UNAVAILABLE] = "sandbox_unavailable",
        [REFUSAL_JOURNAL_UNAVAILABLE] = "journal_unavailable",
    };

    return words[r];
}

const char *
lane_word(enum lane l)
{
    static const char *const words[] = {NULL, "read", "write"};

    return words[l];
}
