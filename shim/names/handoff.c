/* What a hook hands to the helper, as one environment entry:
 *
 *     HACCESS_EXEC=<0|1>f:<file>          the file, found
 *     HACCESS_EXEC=<0|1>p:<file>/<PATH>   a bare name, to be searched for in PATH
 *
 * with 1 where a file that the kernel cannot execute is to be run by /bin/sh. */
#include <string.h>

#include "names.h"

static const char prefix[] = ENV_HANDOFF "=";

size_t
handoff_format(const struct handoff *h, char *out, size_t size)
{
    bool search = h->path != NULL && strchr(h->file, '/') == NULL;
    size_t head = sizeof(prefix) - 1 + 3, file = strlen(h->file), path = search ? 1 + strlen(h->path) : 0;
    size_t total = head + file + path + 1;

    if (total > size)
        return total;
    memcpy(out, prefix, sizeof(prefix) - 1);
    out += sizeof(prefix) - 1;
    *out++ = h->searched ? '1' : '0';
    *out++ = search ? 'p' : 'f';
    *out++ = ':';
    memcpy(out, h->file, file);
    out += file;
    if (search) {
        *out++ = '/';
        memcpy(out, h->path, path - 1);
        out += path - 1;
    }
    *out = '\0';
    return total;
}

bool
handoff_parse(char *value, struct handoff *h)
{
    char *slash;

    if ((value[0] != '0' && value[0] != '1') || (value[1] != 'f' && value[1] != 'p') || value[2] != ':')
        return false;
    *h = (struct handoff){value + 3, value[0] == '1', NULL};
    if (value[1] == 'p') {
        slash = strchr(value + 3, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
        h->path = slash + 1;
    }
    return *h->file != '\0';
}
