/* The JSON Schema that is published for editors and the parser say the same. */
#include <cjson/cJSON.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shim/decide/policy_file.h"
#include "support/tree.h"

static struct mem *m;
static cJSON *schema;

static const cJSON *
get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* What the parser says to a policy with value at path (its keys, NULL-terminated). */
static const char *
parse(const char *const *path, const char *value)
{
    struct grant_policy grant = {0};
    struct policy_values values;
    const char *text = value;
    size_t n = 0;

    while (path[n] != NULL)
        n++;
    while (n-- > 0)
        text = mem_printf(m, "{\"%s\":%s}", path[n], text);
    policy_defaults(m, &values);
    return policy_parse(m, text, strlen(text), &values, &grant);
}

/* The names of an object's keys as the parser lists them when it meets one that it does not know. */
static void
same_keys(const char *const *path, const cJSON *object)
{
    const char *said = parse(path, "{\"no such key\":0}"), *list;
    const cJSON *p;
    size_t n = 0, known = 1;

    ck_assert_ptr_nonnull(said);
    list = strstr(said, "known here: ");
    if (list == NULL)
        list = strstr(said, "known are ");
    ck_assert_msg(list != NULL, "%s", said);
    list = strchr(list, ' ');
    for (const char *c = list; *c != '\0'; c++)
        known += *c == ',';
    cJSON_ArrayForEach(p, get(object, "properties"))
    {
        ck_assert_msg(strstr(list, p->string) != NULL, "the parser does not know %s: %s", p->string, said);
        n++;
    }
    ck_assert_msg(n == known, "the parser knows more than the schema: %s", said);
    ck_assert(cJSON_IsFalse(get(object, "additionalProperties")));
}

static const char *
printed(const cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    const char *copy = mem_strdup(m, text);

    cJSON_free(text);
    return copy;
}

static void
accepts(const char *const *path, const char *value)
{
    const char *said = parse(path, value);

    ck_assert_msg(said == NULL, "%s: %s", value, said);
}

static void
rejects(const char *const *path, const char *value)
{
    ck_assert_msg(parse(path, value) != NULL, "%s at %s is accepted", value, path[0]);
}

static void
compare(const char **path, size_t depth, const cJSON *here)
{
    const cJSON *value, *child;

    path[depth] = NULL;
    if (get(here, "default") != NULL)
        accepts(path, printed(get(here, "default")));
    if (get(here, "enum") != NULL) {
        cJSON_ArrayForEach(value, get(here, "enum")) accepts(path, printed(value));
        rejects(path, "\"no such word\"");
    } else if (strcmp(cJSON_GetStringValue(get(here, "type")), "boolean") == 0) {
        accepts(path, "true");
        rejects(path, "\"true\"");
    } else if (strcmp(cJSON_GetStringValue(get(here, "type")), "array") == 0) {
        rejects(path, "[\"\"]");
        rejects(path, "[0]");
        rejects(path, "{}");
    } else if (get(here, "properties") != NULL) {
        rejects(path, "[]");
        same_keys(path, here);
        cJSON_ArrayForEach(child, get(here, "properties"))
        {
            path[depth] = child->string;
            compare(path, depth + 1, child);
        }
    }
}

START_TEST(every_object_has_the_keys_and_words_of_the_parser)
{
    const char *path[16];

    compare(path, 0, schema);
}
END_TEST

START_TEST(defaults_are_those_of_the_parser)
{
    struct policy_values values;

    policy_defaults(m, &values);
    for (size_t k = 0; k < POLICY_KEYS; k++) {
        const cJSON *here = schema;
        char *copy = mem_strdup(m, policy_keys[k].path), *save = NULL;
        const char *want = policy_value_text(m, &values, (enum policy_key)k);

        for (char *w = strtok_r(copy, ".", &save); w != NULL; w = strtok_r(NULL, ".", &save))
            here = get(get(here, "properties"), w);
        ck_assert_msg(get(here, "default") != NULL, "%s has no default", policy_keys[k].path);
        ck_assert_str_eq(printed(get(here, "default")), want == NULL ? "false" : want);
    }
}
END_TEST

START_TEST(floors_have_every_adapter_and_its_efforts)
{
    const cJSON *floors = get(get(get(schema, "properties"), "workflow"), "properties");

    floors = get(get(get(get(floors, "workerFullAccess"), "properties"), "floors"), "properties");
    for (const struct adapter *const *a = adapters; *a != NULL; a++) {
        const char *path[] = {"workflow", "workerFullAccess", "floors", (*a)->id, NULL};
        const cJSON *entry = get(get(floors, (*a)->id), "items"), *word,
                    *efforts = get(get(get(entry, "properties"), "minEffort"), "enum");
        int n = 0;

        ck_assert_msg(entry != NULL, "%s", (*a)->id);
        ck_assert_int_eq(cJSON_GetArraySize(get(entry, "required")), (*a)->efforts == NULL ? 1 : 2);
        for (const char *const *e = (*a)->efforts; e != NULL && *e != NULL; e++)
            n++;
        ck_assert_int_eq(cJSON_GetArraySize(efforts), n);
        cJSON_ArrayForEach(word, efforts)
            accepts(path, mem_printf(m, "[{\"model\":\"x\",\"minEffort\":%s}]", printed(word)));
        if (n == 0)
            accepts(path, "[{\"model\":\"x\"}]");
        else
            rejects(path, "[{\"model\":\"x\"}]");
        ck_assert_int_eq(get(get(entry, "properties"), "provider") != NULL, strcmp((*a)->id, "codex") == 0);
    }
}
END_TEST

int
main(void)
{
    const char *build = getenv("HACCESS_BUILD");

    m = mem_new();
    char *text =
        tree_read(mem_printf(m, "%s/..", build == NULL ? "build" : build), "tools/policy.schema.json");
    schema = text == NULL ? NULL : cJSON_Parse(text);
    free(text);
    if (schema == NULL) {
        fprintf(stderr, "tools/policy.schema.json: not there, or no JSON\n");
        return 1;
    }

    Suite *s = suite_create("policy schema");
    TCase *t = tcase_create("against the parser");
    tcase_add_test(t, every_object_has_the_keys_and_words_of_the_parser);
    tcase_add_test(t, defaults_are_those_of_the_parser);
    tcase_add_test(t, floors_have_every_adapter_and_its_efforts);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    cJSON_Delete(schema);
    mem_free(m);
    return failed != 0;
}
