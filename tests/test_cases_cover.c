/* That the launch cases leave no word of the decision rules out: each reason, refusal, class, projection, enforcement and state
 * of a parent is expected by two cases at least, and each adapter is launched in both lanes and in every class. */
#include <cjson/cJSON.h>
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shim/adapters/adapter.h"
#include "../shim/decide/decision.h"

static cJSON *cases;

static const char *
text(const cJSON *object, const char *key)
{
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return s != NULL ? s : "";
}

static const cJSON *
expected(const cJSON *c)
{
    return cJSON_GetObjectItemCaseSensitive(c, "expect");
}

static int
count(const char *key, const char *word)
{
    const cJSON *c;
    int n = 0;
    cJSON_ArrayForEach(c, cases) n += strcmp(text(expected(c), key), word) == 0;
    return n;
}

static void
assert_covered(const char *key, const char *word)
{
    ck_assert_msg(count(key, word) >= 2, "%s %s: %d cases", key, word, count(key, word));
}

START_TEST(every_reason)
{
    for (int r = REASON_CONFIG_INVALID; r <= REASON_ARGV_UNBOUNDING; r++)
        assert_covered("reason", reason_word((enum reason)r));
}
END_TEST

/* Two depend on what the host has, and are tested with a host that lacks it (tests/test_launch.c). */
START_TEST(every_refusal)
{
    for (int r = REFUSAL_NONE + 1; r <= REFUSAL_JOURNAL_UNAVAILABLE; r++)
        if (r != REFUSAL_SANDBOX_UNAVAILABLE && r != REFUSAL_JOURNAL_UNAVAILABLE)
            assert_covered("refusal", refusal_word((enum refusal)r));
}
END_TEST

START_TEST(every_class_projection_request_and_parent)
{
    static const char *const parents[] = {"full-access", "sandboxed", "unknown"};
    for (int c = CLASS_NONE; c <= CLASS_SESSION; c++)
        assert_covered("class", class_word((enum launch_class)c));
    for (int p = PROJECTION_VENDOR_DEFAULT; p <= PROJECTION_FULL; p++)
        assert_covered("projection", projection_word((enum projection)p));
    for (int a = ACCESS_UNSPECIFIED; a <= ACCESS_CONTRADICTORY; a++)
        assert_covered("request", access_word((enum access)a));
    for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++)
        assert_covered("parent", parents[i]);
}
END_TEST

/* The one that is left out is for workers, which no CLI starts. */
START_TEST(every_enforcement)
{
    for (int e = ENFORCED_NONE; e < ENFORCED_BUBBLEWRAP; e++)
        assert_covered("enforcement", enforcement_word((enum enforcement)e));
}
END_TEST

/* Which adapter a case launches, by its first words. */
static bool
launches(const cJSON *c, const struct adapter *a)
{
    static const struct {
        const char *name;
        const struct adapter *adapter;
    } names[] = {{"codex", &adapter_codex},
                 {"claude", &adapter_claude},
                 {"cursor-agent", &adapter_cursor},
                 {"opencode", &adapter_opencode}};
    const char *first =
        cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(c, "argv"), 0));

    for (size_t i = 0; first != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, first) == 0)
            return names[i].adapter == a;
    return false;
}

static const struct adapter *const judged[] = {&adapter_codex, &adapter_claude, &adapter_cursor,
                                               &adapter_opencode};

START_TEST(every_adapter_in_both_lanes_and_every_class)
{
    static const char *const lanes[] = {"read", "write"}, *const classes[] = {"session", "server", "admin"};
    const struct adapter *a = judged[_i];
    const cJSON *c;

    for (size_t k = 0; k < 2; k++) {
        int n = 0;
        cJSON_ArrayForEach(c, cases) n +=
            launches(c, a) &&
            strcmp(text(cJSON_GetObjectItemCaseSensitive(c, "env"), "HACCESS_LANE"), lanes[k]) == 0;
        ck_assert_msg(n > 0, "%s: no case in the %s lane", a->id, lanes[k]);
    }
    for (size_t k = 0; k < 3; k++) {
        int n = 0;
        cJSON_ArrayForEach(c, cases) n +=
            launches(c, a) && strcmp(text(expected(c), "class"), classes[k]) == 0;
        ck_assert_msg(n >= 2, "%s: %d cases of class %s", a->id, n, classes[k]);
    }
}
END_TEST

START_TEST(every_adapter_is_granted_or_cannot_be)
{
    const struct adapter *a = judged[_i];
    const char *reason = a->full ? "qualified" : "adapter_unrepresentable";
    const cJSON *c;
    int n = 0;

    cJSON_ArrayForEach(c, cases) n += launches(c, a) && strcmp(text(expected(c), "reason"), reason) == 0;
    ck_assert_msg(n >= 2, "%s: %d cases that end with %s", a->id, n, reason);
}
END_TEST

START_TEST(every_case_has_a_name_of_its_own)
{
    const cJSON *c, *other;

    cJSON_ArrayForEach(c, cases)
    {
        ck_assert_str_ne(text(c, "id"), "");
        ck_assert_str_ne(text(expected(c), "outcome"), "");
        for (other = c->next; other != NULL; other = other->next)
            ck_assert_str_ne(text(c, "id"), text(other, "id"));
    }
}
END_TEST

static void
read_cases(const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;

    while (f != NULL && getline(&line, &room, f) != -1) {
        cJSON *c = cJSON_Parse(line);
        if (c != NULL)
            cJSON_AddItemToArray(cases, c);
    }
    free(line);
    if (f != NULL)
        fclose(f);
}

int
main(void)
{
    const char *build = getenv("HACCESS_BUILD");
    char *pattern;
    glob_t files;

    if (build == NULL || asprintf(&pattern, "%s/../fixtures/launch-cases*.jsonl", build) == -1 ||
        glob(pattern, 0, NULL, &files) != 0) {
        fprintf(stderr, "no launch cases; run by `make check`\n");
        return 1;
    }
    cases = cJSON_CreateArray();
    for (size_t i = 0; i < files.gl_pathc; i++)
        read_cases(files.gl_pathv[i]);
    globfree(&files);
    free(pattern);

    Suite *s = suite_create("what the launch cases cover");
    TCase *t = tcase_create("words");
    tcase_add_test(t, every_reason);
    tcase_add_test(t, every_refusal);
    tcase_add_test(t, every_class_projection_request_and_parent);
    tcase_add_test(t, every_enforcement);
    tcase_add_loop_test(t, every_adapter_in_both_lanes_and_every_class, 0, sizeof judged / sizeof judged[0]);
    tcase_add_loop_test(t, every_adapter_is_granted_or_cannot_be, 0, sizeof judged / sizeof judged[0]);
    tcase_add_test(t, every_case_has_a_name_of_its_own);
    suite_add_tcase(s, t);
    SRunner *sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    int failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    cJSON_Delete(cases);
    return failed != 0;
}
