#include "record.h"

#include <sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "private.h"

/* A longer command line is recorded as one digest: the record has 16 KiB. */
#define WORDS_MAX 400

static void
add_string(cJSON *o, const char *key, const char *value)
{
    if (value != NULL)
        cJSON_AddStringToObject(o, key, value);
    else
        cJSON_AddNullToObject(o, key);
}

static cJSON *
digest(uint64_t bytes, SHA2_CTX *sum)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    cJSON *o = cJSON_CreateObject();

    SHA256End(sum, hex);
    cJSON_AddNumberToObject(o, "bytes", (double)bytes);
    cJSON_AddStringToObject(o, "sha256", hex);
    return o;
}

/* The digest of a whole command line: its words, each with its NUL. */
static cJSON *
digest_words(char *const argv[], size_t argc)
{
    uint64_t bytes = 0;
    SHA2_CTX sum;

    SHA256Init(&sum);
    for (size_t i = 0; i < argc; i++) {
        SHA256Update(&sum, (const uint8_t *)argv[i], strlen(argv[i]) + 1);
        bytes += strlen(argv[i]) + 1;
    }
    return digest(bytes, &sum);
}

static cJSON *
record_argv(struct mem *m, const struct launch *l, char *const argv[], size_t argc, const bool **kept)
{
    struct command c;
    cJSON *words;
    bool *keep;

    *kept = NULL;
    if (argc > WORDS_MAX)
        return digest_words(argv, argc);
    command_parse(m, l->adapter->grammar, argv, argc, l->invocation.command.first, &c);
    keep = mem_array(m, argc + 1, sizeof(*keep));
    private_mark(m, l->adapter, &c, l->policy.journal_full, keep);
    *kept = keep;
    words = cJSON_CreateArray();
    for (size_t i = 0; i < argc; i++)
        cJSON_AddItemToArray(words, keep[i] ? cJSON_CreateString(argv[i]) : private_digest(argv[i]));
    return words;
}

static cJSON *
record_strings(const struct strings *list)
{
    cJSON *a = cJSON_CreateArray();

    for (size_t i = 0; i < list->count; i++)
        cJSON_AddItemToArray(a, cJSON_CreateString(list->items[i]));
    return a;
}

static cJSON *
record_policy(const struct policy *p)
{
    cJSON *o = cJSON_CreateObject();

    add_string(o, "path", p->file.path);
    add_string(o, "sha256", p->file.sha256[0] != '\0' ? p->file.sha256 : NULL);
    cJSON_AddStringToObject(o, "state", policy_state_word(p->file.state));
    if (p->file.allowed_at != NULL)
        cJSON_AddStringToObject(o, "allowed_at", p->file.allowed_at);
    if (p->ceiling.path != NULL) {
        cJSON *c = cJSON_AddObjectToObject(o, "ceiling");

        cJSON_AddStringToObject(c, "path", p->ceiling.path);
        add_string(c, "sha256", p->ceiling.sha256[0] != '\0' ? p->ceiling.sha256 : NULL);
        cJSON_AddStringToObject(c, "state", policy_state_word(p->ceiling.state));
    }
    return o;
}

/* How much of an option of an unknown program is its name. A short one may have its value in the same word, as mysql's
 * -pPASSWORD: only its first letter is sure to be none. */
static size_t
flag_length(const char *word)
{
    return word[1] != '-'
               ? 2
               : 2 + strspn(word + 2, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
}

/* The program of a run and the flags in front of its first operand (what follows may be another program's), for people;
 * no operands and no values. */
static const char *
command_text(struct mem *m, char *const argv[])
{
    static const char *const interpreters[] = {"sh",      "bash", "dash", "zsh",  "ksh", "python",
                                               "python3", "node", "perl", "ruby", "env"};
    const char *base = strrchr(argv[0], '/'), *text = argv[0];
    size_t i = 1;

    base = base == NULL ? argv[0] : base + 1;
    for (size_t k = 0; k < sizeof(interpreters) / sizeof(interpreters[0]); k++)
        if (strcmp(base, interpreters[k]) == 0 && argv[1] != NULL && argv[1][0] != '-')
            text = argv[i++];
    for (; argv[i] != NULL && argv[i][0] == '-' && argv[i][1] != '\0' && i < 32; i++)
        text = mem_printf(m, "%s %.*s", text, (int)flag_length(argv[i]), argv[i]);
    return text;
}

/* The same for a vendor launch that is its own run: with subcommands. */
static const char *
launch_text(struct mem *m, const struct launch *l)
{
    const struct command *c = &l->invocation.command;
    const char *program = c->first != 0 ? l->argv[c->first - 1] : l->adapter->id;
    const char *base = strrchr(program, '/'), *text = base == NULL ? program : base + 1;

    for (size_t i = 1; i < c->depth; i++)
        text = mem_printf(m, "%s %s", text, c->path[i]->name);
    for (size_t k = 0; k < c->noptions && k < 32; k++)
        text = mem_printf(m, "%s %s", text, occurrence_spelling(m, c, &c->options[k]));
    return text;
}

cJSON *
record_run(const struct host *h, struct mem *m, const struct launch *l, const struct run *run)
{
    cJSON *o = cJSON_CreateObject();
    char name[256] = "";

    gethostname(name, sizeof(name) - 1);
    cJSON_AddStringToObject(o, "version", HACCESS_VERSION);
    cJSON_AddStringToObject(o, "host", name);
    cJSON_AddNumberToObject(o, "uid", h->uid);
    cJSON_AddNumberToObject(o, "pid", run->pid);
    add_string(o, "cwd", run->cwd != NULL ? run->cwd : h->cwd);
    if (run->pid == h->pid || run->argv == NULL || run->argv[0] == NULL)
        cJSON_AddStringToObject(o, "command", launch_text(m, l));
    else
        cJSON_AddStringToObject(o, "command", command_text(m, run->argv));
    cJSON_AddItemToObject(o, "policy", record_policy(&l->policy));
    return o;
}

const char *
record_parent_key(struct mem *m, const struct parent *p)
{
    const char *text = mem_printf(m, "%s|%s", parent_state_word(p->state), p->detail);
    SHA2_CTX sum;
    char hex[SHA256_DIGEST_STRING_LENGTH];

    for (size_t i = 0; i < p->adapters.count; i++)
        text = mem_printf(m, "%s|%s", text, p->adapters.items[i]);
    for (size_t i = 0; i < p->nmarkers; i++)
        text = mem_printf(m, "%s|%s=%s", text, p->markers[i].name, p->markers[i].value);
    SHA256Init(&sum);
    SHA256Update(&sum, (const uint8_t *)text, strlen(text));
    SHA256End(&sum, hex);
    return mem_strndup(m, hex, 16);
}

cJSON *
record_parent(const struct launch *l, const char *key)
{
    const struct parent *p = &l->parent;
    cJSON *o = cJSON_CreateObject(), *list;

    cJSON_AddStringToObject(o, "key", key);
    cJSON_AddStringToObject(o, "state", parent_state_word(p->state));
    cJSON_AddItemToObject(o, "adapters", record_strings(&p->adapters));
    cJSON_AddStringToObject(o, "detail", p->detail);
    list = cJSON_AddArrayToObject(o, "markers");
    for (size_t i = 0; i < p->nmarkers; i++) {
        cJSON *marker = cJSON_CreateObject();

        cJSON_AddStringToObject(marker, "adapter", p->markers[i].adapter);
        cJSON_AddStringToObject(marker, "name", p->markers[i].name);
        cJSON_AddStringToObject(marker, "value", p->markers[i].value);
        if (p->markers[i].pid != 0)
            cJSON_AddNumberToObject(marker, "pid", p->markers[i].pid);
        cJSON_AddItemToArray(list, marker);
    }
    list = cJSON_AddArrayToObject(o, "records");
    for (size_t i = 0; i < p->nrecords; i++) {
        cJSON *record = cJSON_CreateObject();

        cJSON_AddStringToObject(record, "path", p->records[i].path);
        cJSON_AddNumberToObject(record, "inode", (double)p->records[i].inode);
        cJSON_AddNumberToObject(record, "size", (double)p->records[i].size);
        cJSON_AddNumberToObject(record, "mtime", (double)p->records[i].mtime);
        cJSON_AddItemToArray(list, record);
    }
    cJSON_AddNumberToObject(o, "ms", (double)p->ms);
    return o;
}

cJSON *
record_request(const struct launch *l)
{
    const struct request *r = &l->request;
    cJSON *o = cJSON_CreateObject(), *sources;

    cJSON_AddStringToObject(o, "access", access_word(r->access));
    add_string(o, "model", r->model);
    add_string(o, "effort", r->effort);
    add_string(o, "lane", lane_word(r->lane));
    if (r->model_source != NULL)
        cJSON_AddStringToObject(o, "model_source", r->model_source);
    if (r->effort_source != NULL)
        cJSON_AddStringToObject(o, "effort_source", r->effort_source);
    if (r->provider != NULL)
        cJSON_AddStringToObject(o, "provider", r->provider);
    if (r->fallbacks.count != 0)
        cJSON_AddItemToObject(o, "fallbacks", record_strings(&r->fallbacks));
    if (r->unverified != NULL)
        cJSON_AddStringToObject(o, "unverified", r->unverified);
    if (r->unconfined.count != 0)
        cJSON_AddItemToObject(o, "unconfined", record_strings(&r->unconfined));
    cJSON_AddBoolToObject(o, "interactive", r->interactive);
    sources = cJSON_AddArrayToObject(o, "sources");
    for (size_t i = 0; i < r->nsources; i++) {
        const struct source *s = &r->sources[i];
        cJSON *source = cJSON_CreateObject();

        cJSON_AddStringToObject(source, "spelling", s->spelling);
        add_string(source, "value", s->value);
        if (s->file != NULL) {
            cJSON_AddStringToObject(source, "file", s->file);
            cJSON_AddStringToObject(source, "key", s->spelling);
        } else if (s->index != 0) {
            cJSON_AddNumberToObject(source, "index", (double)s->index);
        }
        cJSON_AddItemToArray(sources, source);
    }
    return o;
}

cJSON *
record_access(const struct launch *l)
{
    cJSON *o;

    if (!l->decided)
        return cJSON_CreateNull();
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "mode", l->decision.full ? "full-access" : "sandboxed");
    cJSON_AddStringToObject(o, "reason", reason_word(l->decision.reason));
    cJSON_AddStringToObject(o, "detail", l->decision.detail);
    if (l->decision.remedy != NULL)
        cJSON_AddStringToObject(o, "remedy", l->decision.remedy);
    return o;
}

cJSON *
record_checks(const struct launch *l)
{
    static const char *const results[] = {"not run", "passed", "failed"};
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; i < CHECKS && l->decided && l->class != CLASS_SERVER; i++) {
        const struct check *c = &l->decision.checks[i];
        cJSON *o = cJSON_CreateObject();

        cJSON_AddStringToObject(o, "name", c->name);
        cJSON_AddStringToObject(o, "result", results[c->result]);
        add_string(o, "saw", c->saw);
        cJSON_AddItemToArray(list, o);
    }
    return list;
}

cJSON *
record_agent(const struct host *h, struct mem *m, const struct launch *l, const char *id,
             const char *parent_launch, const char *continues)
{
    cJSON *o = cJSON_CreateObject(), *refusal;
    const bool *kept, *unused;

    cJSON_AddStringToObject(o, "id", id);
    cJSON_AddStringToObject(o, "adapter", l->adapter->id);
    cJSON_AddStringToObject(o, "class", class_word(l->class));
    cJSON_AddStringToObject(o, "target", l->target);
    add_string(o, "argv0", l->argv[0]);
    add_string(o, "cwd", l->invocation.cwd);
    cJSON_AddNumberToObject(o, "pid", h->pid);
    cJSON_AddNumberToObject(o, "ppid", l->lineage.self.parent);
    add_string(o, "lane", lane_word(l->request.lane));
    cJSON_AddItemToObject(o, "request", record_request(l));
    cJSON_AddItemToObject(o, "access", record_access(l));
    cJSON_AddItemToObject(o, "checks", record_checks(l));
    /* As explain says it: what was refused before it was decided has no projection, and what is not run is held by
     * nobody. */
    add_string(o, "projection", l->decided ? projection_word(l->projection) : NULL);
    add_string(o, "enforcement", l->outcome == OUTCOME_LAUNCH ? enforcement_word(l->enforcement) : NULL);
    cJSON_AddItemToObject(o, "argv_requested", record_argv(m, l, l->argv, l->argc, &kept));
    if (l->outcome == OUTCOME_LAUNCH)
        cJSON_AddItemToObject(o, "argv_rendered", record_argv(m, l, l->rendered, l->rendered_argc, &unused));
    add_string(o, "parent_launch", parent_launch);
    if (continues != NULL)
        cJSON_AddStringToObject(o, "continues", continues);
    if (l->observed)
        cJSON_AddTrueToObject(o, "observed");
    cJSON_AddItemToObject(o, "endpoint", record_strings(&l->request.endpoints));
    cJSON_AddItemToObject(o, "policy", record_policy(&l->policy));
    if (l->refusal != REFUSAL_NONE) {
        refusal = cJSON_AddObjectToObject(o, "refusal");
        cJSON_AddStringToObject(refusal, "code", refusal_word(l->refusal));
        cJSON_AddStringToObject(refusal, "detail", l->refusal_detail);
    }
    private_hide(m, l, kept, o);
    return o;
}

cJSON *
record_failed(const char *id, int error)
{
    cJSON *o = cJSON_CreateObject();

    cJSON_AddStringToObject(o, "id", id);
    add_string(o, "errno", strerrorname_np(error));
    return o;
}
