#include "claude_settings.h"

#include <math.h>
#include <string.h>

#include "claude_settings_parts.h"

/* Entries of "sandbox" that let commands out of it, beside those that the three keys of a held sandbox answer. From the
 * settings schema of 2.1.332. */
const char *const sandbox_openings[] = {
    "excludedCommands",
    "allowNestedUserNamespaces",
    "enableWeakerNestedSandbox",
    "enableWeakerNetworkIsolation",
    "allowAppleEvents",
    "ripgrep",
    "bwrapPath",
    "socatPath",
    NULL,
};
const char *const filesystem_openings[] = {"disabled", NULL};
const char *const network_openings[] = {"allowAllUnixSockets", "allowUnixSockets", NULL};

cJSON *
settings_parse(const char *text, size_t length)
{
    const char *end = NULL;
    cJSON *tree;

    if (memchr(text, '\0', length) != NULL || memmem(text, length, "\\u0000", 6) != NULL)
        return NULL;
    tree = cJSON_ParseWithLengthOpts(text, length + 1, &end, 1);
    if (tree != NULL && !cJSON_IsObject(tree)) {
        cJSON_Delete(tree);
        return NULL;
    }
    return tree;
}

/* The last member with the name, which is the one that JavaScript keeps. */
static const cJSON *
member(const cJSON *object, const char *name)
{
    const cJSON *found = NULL, *item;

    if (cJSON_IsObject(object))
        cJSON_ArrayForEach(item, object) if (strcmp(item->string, name) == 0) found = item;
    return found;
}

static const char *
text_of(struct mem *m, const cJSON *item)
{
    return cJSON_IsString(item) ? mem_strdup(m, item->valuestring) : NULL;
}

static enum answer
answer_of(const cJSON *item)
{
    if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? ANSWER_YES : ANSWER_NO;
    return ANSWER_UNSET;
}

static void
add_texts(struct mem *m, const cJSON *list, struct strings *out)
{
    const cJSON *item;

    if (cJSON_IsString(list))
        strings_add(m, out, mem_strdup(m, list->valuestring));
    else if (cJSON_IsArray(list))
        cJSON_ArrayForEach(item, list) if (cJSON_IsString(item))
            strings_add(m, out, mem_strdup(m, item->valuestring));
}

static bool
opens(const cJSON *item)
{
    if (item == NULL || cJSON_IsFalse(item) || cJSON_IsNull(item))
        return false;
    return !cJSON_IsArray(item) || cJSON_GetArraySize(item) != 0;
}

static const char *
first_opening(struct mem *m, const cJSON *object, const char *path, const char *const *names)
{
    for (; *names != NULL; names++)
        if (opens(member(object, *names)))
            return mem_printf(m, "%s.%s", path, *names);
    return NULL;
}

/* The shape of a member that 2.1.197 and 2.1.332 were seen to accept. */
enum shape {
    SHAPE_STRING,
    SHAPE_BOOLEAN,
    SHAPE_LIST,
    SHAPE_MODE,
    SHAPE_DISABLE,
    SHAPE_VARIABLES,
    SHAPE_OBJECT
};

struct member_shape {
    const char *name;
    enum shape shape;
    const struct member_shape *within; /* of SHAPE_OBJECT; ended by a NULL name */
};

static const struct member_shape permissions_shape[] = {
    {"allow", SHAPE_LIST, NULL}, {"additionalDirectories", SHAPE_LIST, NULL},
    {"ask", SHAPE_LIST, NULL},   {"defaultMode", SHAPE_MODE, NULL},
    {"deny", SHAPE_LIST, NULL},  {"disableBypassPermissionsMode", SHAPE_DISABLE, NULL},
    {NULL, SHAPE_STRING, NULL},
};

static const struct member_shape network_shape[] = {
    {"allowAllUnixSockets", SHAPE_BOOLEAN, NULL},
    {"allowLocalBinding", SHAPE_BOOLEAN, NULL},
    {"allowUnixSockets", SHAPE_LIST, NULL},
    {"allowedDomains", SHAPE_LIST, NULL},
    {NULL, SHAPE_STRING, NULL},
};

static const struct member_shape filesystem_shape[] = {
    {"allowWrite", SHAPE_LIST, NULL},  {"denyRead", SHAPE_LIST, NULL}, {"denyWrite", SHAPE_LIST, NULL},
    {"disabled", SHAPE_BOOLEAN, NULL}, {NULL, SHAPE_STRING, NULL},
};

static const struct member_shape sandbox_shape[] = {
    {"allowUnsandboxedCommands", SHAPE_BOOLEAN, NULL},
    {"autoAllowBashIfSandboxed", SHAPE_BOOLEAN, NULL},
    {"enabled", SHAPE_BOOLEAN, NULL},
    {"excludedCommands", SHAPE_LIST, NULL},
    {"failIfUnavailable", SHAPE_BOOLEAN, NULL},
    {"filesystem", SHAPE_OBJECT, filesystem_shape},
    {"network", SHAPE_OBJECT, network_shape},
    {NULL, SHAPE_STRING, NULL},
};

static const struct member_shape document_shape[] = {
    {"$schema", SHAPE_STRING, NULL},
    {"agent", SHAPE_STRING, NULL},
    {"alwaysThinkingEnabled", SHAPE_BOOLEAN, NULL},
    {"disableAllHooks", SHAPE_BOOLEAN, NULL},
    {"enableAllProjectMcpServers", SHAPE_BOOLEAN, NULL},
    {"env", SHAPE_VARIABLES, NULL},
    {"includeCoAuthoredBy", SHAPE_BOOLEAN, NULL},
    {"language", SHAPE_STRING, NULL},
    {"model", SHAPE_STRING, NULL},
    {"outputStyle", SHAPE_STRING, NULL},
    {"permissions", SHAPE_OBJECT, permissions_shape},
    {"respectGitignore", SHAPE_BOOLEAN, NULL},
    {"sandbox", SHAPE_OBJECT, sandbox_shape},
    {"spinnerTipsEnabled", SHAPE_BOOLEAN, NULL},
    {NULL, SHAPE_STRING, NULL},
};

static bool
all_strings(const cJSON *list)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list) if (!cJSON_IsString(item)) return false;
    return true;
}

static bool is_sure(const cJSON *object, const struct member_shape *shapes);

static bool
has_shape(const cJSON *item, const struct member_shape *s)
{
    /* Not "manual": 2.1.197 takes it on the command line only. */
    static const char *const modes[] = {"acceptEdits", "auto",    "bypassPermissions",
                                        "default",     "dontAsk", "plan"};

    switch (s->shape) {
    case SHAPE_STRING:
        return cJSON_IsString(item);
    case SHAPE_BOOLEAN:
        return cJSON_IsBool(item);
    case SHAPE_LIST:
        return cJSON_IsArray(item) && all_strings(item);
    case SHAPE_MODE:
        for (size_t k = 0; cJSON_IsString(item) && k < sizeof(modes) / sizeof(modes[0]); k++)
            if (strcmp(item->valuestring, modes[k]) == 0)
                return true;
        return false;
    case SHAPE_DISABLE:
        return cJSON_IsString(item) && strcmp(item->valuestring, "disable") == 0;
    case SHAPE_VARIABLES:
        return cJSON_IsObject(item) && all_strings(item);
    case SHAPE_OBJECT:
        return cJSON_IsObject(item) && is_sure(item, s->within);
    }
    return false;
}

static bool
is_sure(const cJSON *object, const struct member_shape *shapes)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, object)
    {
        const struct member_shape *s = shapes;

        while (s->name != NULL && strcmp(s->name, item->string) != 0)
            s++;
        if (s->name == NULL || !has_shape(item, s))
            return false;
    }
    return true;
}

static const char *
first_misfit(struct mem *m, const cJSON *object, const char *path, const struct member_shape *shapes)
{
    const char *found = NULL;

    for (const struct member_shape *s = shapes; found == NULL && s->name != NULL; s++) {
        const cJSON *item = member(object, s->name);
        const char *name = mem_printf(m, "%s%s%s", path, *path != '\0' ? "." : "", s->name);

        if (item == NULL || s->shape == SHAPE_MODE || s->shape == SHAPE_DISABLE)
            continue;
        if (s->shape == SHAPE_OBJECT && cJSON_IsObject(item))
            found = first_misfit(m, item, name, s->within);
        else if (s->shape == SHAPE_LIST ? !cJSON_IsArray(item) : !has_shape(item, s))
            found = name;
    }
    return found;
}

const char *
settings_misfit(struct mem *m, const cJSON *tree)
{
    static const struct member_shape touched[] = {
        {"permissions", SHAPE_OBJECT, permissions_shape},
        {"sandbox", SHAPE_OBJECT, sandbox_shape},
        {NULL, SHAPE_STRING, NULL},
    };

    return first_misfit(m, tree, "", touched);
}

static void
read_sandbox(struct mem *m, const cJSON *sandbox, struct settings *out)
{
    const cJSON *filesystem = member(sandbox, "filesystem");

    out->sandbox = answer_of(member(sandbox, "enabled"));
    out->required = answer_of(member(sandbox, "failIfUnavailable"));
    out->unsandboxed = answer_of(member(sandbox, "allowUnsandboxedCommands"));
    out->auto_allow = answer_of(member(sandbox, "autoAllowBashIfSandboxed"));
    add_texts(m, member(filesystem, "allowWrite"), &out->directories);
    out->opening = first_opening(m, sandbox, "sandbox", sandbox_openings);
    if (out->opening == NULL)
        out->opening = first_opening(m, filesystem, "sandbox.filesystem", filesystem_openings);
    if (out->opening == NULL)
        out->opening = first_opening(m, member(sandbox, "network"), "sandbox.network", network_openings);
}

/* What the CLI makes of a value in "env": it takes numbers and booleans, too (2.1.332). */
static const char *
variable_of(struct mem *m, const cJSON *item)
{
    if (cJSON_IsNumber(item))
        return isfinite(item->valuedouble) ? mem_printf(m, "%.15g", item->valuedouble) : "0";
    if (cJSON_IsBool(item))
        return cJSON_IsTrue(item) ? "true" : "false";
    return text_of(m, item);
}

static void
read_env(struct mem *m, const cJSON *env, struct settings *out)
{
    const cJSON *item;

    out->effort = variable_of(m, member(env, "CLAUDE_CODE_EFFORT_LEVEL"));
    out->scrub = variable_of(m, member(env, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB"));
    out->body = text_of(m, member(env, "CLAUDE_CODE_EXTRA_BODY"));
    if (cJSON_IsObject(env))
        cJSON_ArrayForEach(item, env) strings_add(m, &out->env, mem_strdup(m, item->string));
}

static const char *
said(struct mem *m, const cJSON *item)
{
    return item == NULL ? NULL : cJSON_IsString(item) ? text_of(m, item) : "(unreadable)";
}

void
extra_body_read(struct mem *m, const char *text, struct extra_body *out)
{
    cJSON *tree = settings_parse(text, strlen(text));
    const char *begin = text + strspn(text, " \t\r\n");

    out->model = said(m, member(tree, "model"));
    out->effort = said(m, member(member(tree, "output_config"), "effort"));
    /* What is no object the CLI passes over; an object it may read where cJSON does not. */
    if (tree == NULL && *begin == '{')
        out->model = out->effort = "(unreadable)";
    cJSON_Delete(tree);
}

/* Whether a text that cannot be read here may ask for bypass. The CLI reads some that cJSON does not: UTF-16, an escaped
 * NUL or half of a surrogate pair, any depth (2.1.332). One that is broken to it, too, it passes over. */
static bool
may_hide(const char *text, size_t length)
{
    return memmem(text, length, "bypassPermissions", 17) != NULL || memmem(text, length, "\\u", 2) != NULL ||
           (length >= 2 && memcmp(text, "\xff\xfe", 2) == 0);
}

void
settings_read(struct mem *m, const char *text, size_t length, struct settings *out)
{
    cJSON *tree = settings_parse(text, length);
    const cJSON *permissions = member(tree, "permissions");
    const char *no_bypass;

    memset(out, 0, sizeof(*out));
    if (tree == NULL) {
        out->hidden = may_hide(text, length);
        out->opening = out->hidden ? "what cannot be read" : NULL;
        return;
    }
    out->readable = true;
    out->default_mode = text_of(m, member(permissions, "defaultMode"));
    no_bypass = text_of(m, member(permissions, "disableBypassPermissionsMode"));
    out->no_bypass = no_bypass != NULL && strcmp(no_bypass, "disable") == 0;
    add_texts(m, member(permissions, "allow"), &out->allow);
    add_texts(m, member(permissions, "additionalDirectories"), &out->directories);
    read_sandbox(m, member(tree, "sandbox"), out);
    out->max_effort = text_of(m, member(tree, "maxEffortLevel"));
    add_texts(m, member(tree, "fallbackModel"), &out->fallbacks);
    out->limited = cJSON_IsArray(member(tree, "availableModels"));
    add_texts(m, member(tree, "availableModels"), &out->models);
    read_env(m, member(tree, "env"), out);
    out->sure = is_sure(tree, document_shape);
    cJSON_Delete(tree);
}
