#include "request.h"

#include <fcntl.h>
#include <string.h>

#include "../names/names.h"
#include "host.h"

/* Larger files are no configuration that anybody wrote; a CLI's own limit is not known. */
#define CONFIG_MAX (4U << 20)

void
request_files(struct mem *m, const struct adapter *a, struct invocation *i)
{
    struct config_list list = {NULL, 0, 0};

    i->nfiles = 0;
    while (a->config != NULL) {
        a->config(m, i, &list);
        if (list.count == i->nfiles)
            break;
        for (size_t k = i->nfiles; k < list.count; k++) {
            struct config_file *f = &list.files[k];
            char *text = NULL;

            f->error = f->directory ? host_list(m, f->path, CONFIG_MAX, &text, &f->length)
                                    : host_read(m, AT_FDCWD, f->path, CONFIG_MAX, 1, &text, &f->length);
            f->text = f->error == 0 ? text : NULL;
        }
        i->files = list.files;
        i->nfiles = list.count;
    }
}

static void
read_access(struct mem *m, const char *value, struct request *r)
{
    struct source s = {.kind = SOURCE_MODE, .explicit = true, .spelling = ENV_ACCESS, .value = value};

    for (enum access a = ACCESS_READ_ONLY; a <= ACCESS_FULL; a++)
        if (strcmp(value, access_word(a)) == 0)
            r->asked = s.access = a;
    if (r->asked != ACCESS_UNSPECIFIED)
        request_add(m, r, &s);
    else
        r->bad = mem_printf(m, ENV_ACCESS "=%s: it takes read-only, workspace-write or full-access", value);
}

void
request_reader(struct mem *m, struct request *r)
{
    struct source s = {.access = ACCESS_READ_ONLY,
                       .kind = SOURCE_MODE,
                       .explicit = true,
                       .spelling = ENV_LANE,
                       .value = "read"};

    if (r->lane == LANE_READ)
        return;
    r->lane = LANE_READ;
    request_add(m, r, &s);
}

static void
read_lane(struct mem *m, const char *value, struct request *r)
{
    if (strcmp(value, "read") == 0) {
        request_reader(m, r);
    } else if (strcmp(value, "write") == 0) {
        r->lane = LANE_WRITE;
    } else if (r->bad == NULL) {
        r->bad = mem_printf(m, ENV_LANE "=%s: it takes read or write", value);
    }
}

void
request_read(struct mem *m, const struct adapter *a, const struct invocation *i, struct request *out)
{
    const char *access = env_get(i->envp, ENV_ACCESS);
    const char *lane = env_get(i->envp, ENV_LANE);

    memset(out, 0, sizeof(*out));
    if (a->request != NULL)
        a->request(m, i, out);
    if (i->command.unknown != 0 && out->unknown == NULL)
        out->unknown = i->command.argv[i->command.unknown];
    if (access != NULL)
        read_access(m, access, out);
    if (lane != NULL)
        read_lane(m, lane, out);
}
