/* What the processes below keep: our own preload entry, the run, the state directory, and what narrows. Copied when the process
 * starts, since programs overwrite the block that their environment came in. */
#include <limits.h>
#include <string.h>

#include "preload.h"

#define PRELOAD "LD_PRELOAD="

static char own_preload[sizeof(PRELOAD) +
                        PATH_MAX]; /* with the name; empty: this process was not preloaded by name */
static char own_run[sizeof(ENV_RUN "=") + 200];
static char own_state[sizeof(ENV_STATE "=") + PATH_MAX];
static char own_off[sizeof(ENV_OFF "=0")];
static char own_lane[sizeof(ENV_LANE "=read")];

/* The narrowing ones are kept at this value only: kept at another they would loosen. */
static const struct {
    const char *name;
    const char *value; /* NULL: any */
    char *text;
    size_t size;
} variables[] = {
    {ENV_RUN "=", NULL, own_run, sizeof(own_run)},
    {ENV_STATE "=", NULL, own_state, sizeof(own_state)},
    {ENV_OFF "=", "0", own_off, sizeof(own_off)},
    {ENV_LANE "=", "read", own_lane, sizeof(own_lane)},
};

#define VARIABLES (sizeof(variables) / sizeof(variables[0]))

/* Our entry in the text of an LD_PRELOAD: the one with our basename. The loader takes spaces and colons. */
static const char *
own_entry(const char *list, size_t *length)
{
    static const char name[] = "libhaccess.so";

    for (list += strspn(list, ": "); *list != '\0'; list += *length, list += strspn(list, ": ")) {
        size_t n = *length = strcspn(list, ": "), base = n;

        while (base > 0 && list[base - 1] != '/')
            base--;
        if (n - base == sizeof(name) - 1 && memcmp(list + base, name, n - base) == 0)
            return list;
    }
    return NULL;
}

static bool
named(const char *entry, const char *name)
{
    return strncmp(entry, name, strlen(name)) == 0;
}

void
keep_start(char *const envp[])
{
    const char *entry;
    size_t length;

    if (envp == NULL)
        return;
    for (; *envp != NULL; envp++) {
        if (named(*envp, PRELOAD)) {
            entry = own_entry(*envp + sizeof(PRELOAD) - 1, &length);
            if (entry != NULL && length < PATH_MAX) {
                memcpy(own_preload, PRELOAD, sizeof(PRELOAD) - 1);
                memcpy(own_preload + sizeof(PRELOAD) - 1, entry, length);
                own_preload[sizeof(PRELOAD) - 1 + length] = '\0';
            }
        }
        for (size_t i = 0; i < VARIABLES; i++) {
            if (!named(*envp, variables[i].name))
                continue;
            length = strlen(*envp) + 1;
            if (length <= variables[i].size &&
                (variables[i].value == NULL ||
                 strcmp(*envp + strlen(variables[i].name), variables[i].value) == 0))
                memcpy(variables[i].text, *envp, length);
        }
    }
}

bool
keep_missing(char *const envp[], struct kept *k)
{
    size_t length;

    *k = (struct kept){0, NULL, false, false, 0};
    for (size_t i = 0; i < VARIABLES; i++)
        if (variables[i].text[0] != '\0')
            k->missing |= 1u << i;
    if (envp != NULL) {
        for (char *const *e = envp; *e != NULL; e++) {
            k->count++;
            if ((*e)[0] == 'L' && named(*e, PRELOAD))
                k->preload = *e;
            if ((*e)[0] == 'H')
                for (size_t i = 0; i < VARIABLES; i++)
                    if (named(*e, variables[i].name))
                        k->missing &= ~(1u << i);
        }
    }
    k->off = k->preload != NULL && k->preload[sizeof(PRELOAD) - 1] == '\0';
    if (own_preload[0] != '\0' && !k->off)
        k->append = k->preload == NULL || own_entry(k->preload + sizeof(PRELOAD) - 1, &length) == NULL;
    return k->missing != 0 || k->append;
}

size_t
keep_room(const struct kept *k)
{
    size_t text = k->append && k->preload != NULL ? strlen(k->preload) + sizeof(own_preload) : 0;

    return (k->count + VARIABLES + 3) * sizeof(char *) + text;
}

/* Whether a and b are entries of the same variable. */
static bool
same_name(const char *a, const char *b)
{
    size_t n = strcspn(a, "=") + 1;

    return strncmp(a, b, n) == 0;
}

char **
keep_build(const struct kept *k, char *const envp[], const char *entry, void *space)
{
    char **out = space, *text = (char *)(out + k->count + VARIABLES + 3);
    size_t n = 0, length;

    for (size_t i = 0; i < k->count; i++) {
        if (entry != NULL && same_name(entry, envp[i]))
            continue;
        out[n] = envp[i];
        if (k->append && envp[i] == k->preload) {
            out[n] = text;
            length = strlen(k->preload);
            memcpy(text, k->preload, length);
            text[length] = ':';
            strcpy(text + length + 1, own_preload + sizeof(PRELOAD) - 1);
        }
        n++;
    }
    if (k->append && k->preload == NULL)
        out[n++] = own_preload;
    for (size_t i = 0; i < VARIABLES; i++)
        if ((k->missing & 1u << i) != 0)
            out[n++] = variables[i].text;
    if (entry != NULL)
        out[n++] = (char *)(uintptr_t)entry;
    out[n] = NULL;
    return out;
}
