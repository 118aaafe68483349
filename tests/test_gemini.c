/* The gemini adapter, rule by rule. What the CLI does with these command lines was measured with 0.61.0. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shim/adapters/adapter.h"
#include "shim/decide/decision.h"

#define WORDS 16

static struct mem *m;
static struct invocation i;
static struct request r;
static struct rendered out;

static void
setup(void)
{
    m = mem_new();
    memset(&i, 0, sizeof(i));
}

static void
teardown(void)
{
    mem_free(m);
}

/* The words of a line, separated by single spaces. */
static char **
words(const char *line)
{
    char **argv = mem_array(m, WORDS + 1, sizeof(*argv));
    size_t n = 0;

    for (const char *end; *line != '\0'; line = *end == '\0' ? end : end + 1) {
        end = line + strcspn(line, " ");
        ck_assert_uint_lt(n, WORDS);
        argv[n++] = mem_strndup(m, line, (size_t)(end - line));
    }
    return argv;
}

static void
read_argv(char **argv)
{
    size_t argc = 0;

    while (argv[argc] != NULL)
        argc++;
    command_parse(m, adapter_gemini.grammar, argv, argc, 1, &i.command);
    memset(&r, 0, sizeof(r));
    adapter_gemini.request(m, &i, &r);
}

static const char *
access_of(const char *line)
{
    const char *detail = NULL;

    read_argv(words(line));
    request_resolve(m, &r, &detail);
    return access_word(r.access);
}

static const char *
class_of(const char *line)
{
    read_argv(words(line));
    return class_word(adapter_gemini.classify(m, &i.command));
}

/* Renders the line, which becomes `want`, and that once more, which stays. */
static void
renders(enum projection p, const char *line, const char *want)
{
    struct rendering how = {.projection = p};
    char **wanted = words(want);

    read_argv(words(line));
    for (int round = 0; round < 2; round++) {
        size_t n = 0;

        adapter_gemini.render(m, &i, &r, &how, &out);
        for (; wanted[n] != NULL; n++) {
            ck_assert_msg(out.argv[n] != NULL, "%s: no word %zu", line, n);
            ck_assert_str_eq(out.argv[n], wanted[n]);
        }
        ck_assert_msg(out.argv[n] == NULL, "%s: %s", line, out.argv[n]);
        read_argv(out.argv);
    }
}

static const struct {
    const char *line, *access;
} asking[] = {
    {"gemini -p hi", "unspecified"},
    {"gemini --yolo -p hi", "full-access"},
    {"gemini -y -p hi", "full-access"},
    {"gemini -dy -p hi", "full-access"},
    {"gemini -ydp hi", "full-access"},
    {"gemini -dy=true -p hi", "full-access"},
    {"gemini --yolo=true -p hi", "full-access"},
    {"gemini --yolo true -p hi", "full-access"},
    {"gemini --yolo=false -p hi", "unspecified"},
    {"gemini -y false -p hi", "unspecified"},
    {"gemini --yolo=1 -p hi", "unspecified"},
    {"gemini -dy1 -p hi", "unspecified"},
    {"gemini --yolo --no-yolo -p hi", "unspecified"},
    {"gemini --no-yolo --yolo -p hi", "full-access"},
    {"gemini --approval-mode yolo -p hi", "full-access"},
    {"gemini --approvalMode=yolo -p hi", "full-access"},
    {"gemini --no-yolo --approval-mode=yolo", "full-access"},
    {"gemini --approval-mode auto_edit -p hi", "unspecified"},
    {"gemini --approval-mode default -p hi", "unspecified"},
    {"gemini --approval-mode plan -p hi", "read-only"},
    {"gemini -s -p hi", "workspace-write"},
    {"gemini -sy -p hi", "workspace-write"},
    {"gemini --yolo --sandbox -p hi", "workspace-write"},
    {"gemini --yolo --sandbox=false -p hi", "full-access"},
    {"gemini --yolo -s --no-sandbox -p hi", "full-access"},
    {"gemini -p hi -- --yolo", "unspecified"},
    {"gemini -p=--yolo", "unspecified"},
    {"gemini hi", "unspecified"},
};

START_TEST(what_is_asked)
{
    ck_assert_str_eq(access_of(asking[_i].line), asking[_i].access);
    ck_assert_msg(r.malformed == NULL, "%s: %s", asking[_i].line, r.malformed);
}
END_TEST

START_TEST(a_sandbox_inside_a_sandbox_is_none)
{
    char *envp[] = {(char *)(uintptr_t) "SANDBOX=sandbox-exec", NULL};

    i.envp = envp;
    ck_assert_str_eq(access_of("gemini -s -y -p hi"), "full-access");
    envp[0] = (char *)(uintptr_t) "SANDBOX=";
    ck_assert_str_eq(access_of("gemini -s -y -p hi"), "workspace-write");
}
END_TEST

static const struct {
    const char *line, *says; /* NULL: nothing is wrong */
} malformed[] = {
    {"gemini --approval-mode", "has no value"},
    {"gemini --approval-mode --yolo", "has no value"},
    {"gemini --approval-mode=", "none of default"},
    {"gemini --approval-mode YOLO", "YOLO (argument 2) is none of"},
    {"gemini --approval-mode plan --approval-mode plan", "given twice"},
    {"gemini --yolo --approval-mode default", "cannot be combined"},
    {"gemini --yolo=false --approval-mode default", NULL},
    {"gemini --yolo.a -p hi", "--yolo.a"},
    {"gemini -y.a=1 -p hi", "-y.a=1"},
    {"gemini -y.a -p hi", "-y.a"},
    {"gemini --no-yolo.a -p hi", "--no-yolo.a"},
    {"gemini -py hi", "-p takes a value"},
    {"gemini -ry -p hi", "-r takes a value"},
    {"gemini -y mcp list", "mcp is also a subcommand"},
    {"gemini -y foo mcp list", "mcp is also a subcommand"},
    {"gemini -m x extension", "extension is also a subcommand"},
    {"gemini -p mcp", NULL},
    {"gemini -y mend mcp", "mcp is also a subcommand"},
    {"gemini mend mcp", NULL},
    {"gemini mcp add x tool --yolo", NULL},
};

START_TEST(what_the_cli_rejects_is_malformed)
{
    read_argv(words(malformed[_i].line));
    if (malformed[_i].says == NULL)
        ck_assert_msg(r.malformed == NULL, "%s: %s", malformed[_i].line, r.malformed);
    else
        ck_assert_msg(r.malformed != NULL && strstr(r.malformed, malformed[_i].says) != NULL, "%s: %s",
                      malformed[_i].line, r.malformed != NULL ? r.malformed : "nothing");
}
END_TEST

static const struct {
    const char *line, *class;
} classes[] = {
    {"gemini", "session"},
    {"gemini hi", "session"},
    {"gemini mcp list", "admin"},
    {"gemini -d mcp list", "admin"},
    {"gemini --no-debug extension list", "admin"},
    {"gemini hi mcp list", "session"},
    {"gemini -y mcp list", "session"}, /* to the CLI a prompt, in yolo */
    {"gemini --skip-trust mcp list", "session"},
    {"gemini --version", "admin"},
    {"gemini --version=false", "session"},
    {"gemini -y -h", "admin"},
    {"gemini --list-extensions", "admin"},
    {"gemini --list-extensions=false -y -p hi", "session"},
    {"gemini --list-sessions --list-extensions=false", "admin"},
    {"gemini --delete-session 3", "admin"},
    {"gemini --delete-session -y -p hi", "session"},
    {"gemini --acp", "server"},
    {"gemini --experimentalAcp", "server"},
    {"gemini --acp=false -p hi", "session"},
    {"gemini --acp --help", "admin"},
};

START_TEST(classes_are_told_apart)
{
    ck_assert_msg(strcmp(class_of(classes[_i].line), classes[_i].class) == 0, "%s: %s", classes[_i].line,
                  class_of(classes[_i].line));
}
END_TEST

START_TEST(full_access_is_one_mode)
{
    renders(PROJECTION_FULL, "gemini -p hi", "gemini --approval-mode yolo -p hi");
    renders(PROJECTION_FULL, "gemini --approval-mode auto_edit -p hi", "gemini --approval-mode yolo -p hi");
    renders(PROJECTION_FULL, "gemini -sy -p hi", "gemini --approval-mode yolo -p hi");
    renders(PROJECTION_FULL, "gemini -y false -p hi", "gemini --approval-mode yolo -p hi");
    renders(PROJECTION_FULL, "gemini --no-sandbox -p hi --include-directories /",
            "gemini --approval-mode yolo -p hi");
    /* What it is named in front of stays what it was. */
    renders(PROJECTION_FULL, "gemini -d -s true", "gemini --approval-mode yolo -d");
    renders(PROJECTION_FULL, "gemini -d --sandbox=true true", "gemini -d --approval-mode yolo true");
}
END_TEST

START_TEST(its_own_spelling_stays_byte_for_byte)
{
    renders(PROJECTION_FULL, "gemini -p hi --yolo", "gemini -p hi --yolo");
    renders(PROJECTION_FULL, "gemini -dy -p hi", "gemini -dy -p hi");
    renders(PROJECTION_FULL, "gemini -p hi --approvalMode=yolo", "gemini -p hi --approvalMode=yolo");
    /* Two of them are not: */
    renders(PROJECTION_FULL, "gemini --yolo --yolo -p hi", "gemini --approval-mode yolo -p hi");
}
END_TEST

START_TEST(what_is_not_granted_is_taken_off)
{
    renders(PROJECTION_VENDOR_DEFAULT, "gemini -p hi --yolo", "gemini -p hi");
    renders(PROJECTION_VENDOR_DEFAULT, "gemini -dy true -p hi", "gemini -d -p hi");
    renders(PROJECTION_VENDOR_DEFAULT, "gemini --approval-mode=yolo -p hi -- --yolo",
            "gemini -p hi -- --yolo");
    renders(PROJECTION_VENDOR_DEFAULT,
            "gemini -y --allowed-tools run_shell_command --include-directories / --skip-trust hi",
            "gemini --skip-trust hi");
    renders(PROJECTION_VENDOR_DEFAULT, "gemini -y --no-sandbox --policy p.toml -p hi",
            "gemini --no-sandbox --policy p.toml -p hi");
    /* Neither an option that may go without a value nor a switch takes in the prompt. */
    renders(PROJECTION_VENDOR_DEFAULT, "gemini -r -y hi", "gemini hi -r");
    renders(PROJECTION_VENDOR_DEFAULT, "gemini -d -y true true", "gemini true -d");
    ck_assert_str_eq(access_of("gemini -p hi"), "unspecified");
}
END_TEST

/* Measured: without a terminal the model leaves plan and default for yolo, and is asked by nobody. */
START_TEST(no_mode_holds_it)
{
    access_of("gemini --approval-mode plan -p hi");
    ck_assert_int_eq(adapter_gemini.enforcement(&r, PROJECTION_VENDOR_DEFAULT), ENFORCED_NONE);
    access_of("gemini -s -p hi");
    ck_assert_int_eq(adapter_gemini.enforcement(&r, PROJECTION_VENDOR_DEFAULT), ENFORCED_UNVERIFIED);
    ck_assert_int_eq(adapter_gemini.enforcement(&r, PROJECTION_FULL), ENFORCED_NONE);
    ck_assert(adapter_gemini.full && !adapter_gemini.workspace_write && !adapter_gemini.read_only &&
              !adapter_gemini.sandbox && adapter_gemini.efforts == NULL);
}
END_TEST

START_TEST(model_tools_and_service_are_told)
{
    char *envp[] = {(char *)(uintptr_t) "GOOGLE_GEMINI_BASE_URL=http://x", NULL};

    i.envp = envp;
    access_of("gemini -m a --model=gemini-2.5-pro --allowedTools=run_shell_command(git) -i hi");
    ck_assert_str_eq(r.model, "gemini-2.5-pro");
    ck_assert_uint_eq(r.endpoints.count, 1);
    ck_assert_uint_eq(r.unconfined.count, 1);
    ck_assert(r.interactive && r.unknown == NULL);
    access_of("gemini --allowed-tools read_file -p hi --frobnicate");
    ck_assert(!r.interactive && r.model == NULL);
    ck_assert_uint_eq(r.unconfined.count, 0);
    ck_assert_str_eq(r.unknown, "--frobnicate");
}
END_TEST

START_TEST(github_jobs_keep_the_library_from_commands)
{
    static const struct kept kept[] = {{"LD_PRELOAD", "/x/libhaccess.so", KEPT_ENTRY}};
    char *envp[] = {(char *)(uintptr_t) "GITHUB_SHA=0", NULL};
    const char *why;

    access_of("gemini -p hi");
    ck_assert_ptr_null(adapter_gemini.sheds(m, &i, kept, 1));
    i.envp = envp;
    why = adapter_gemini.sheds(m, &i, kept, 1);
    ck_assert_msg(why != NULL && strstr(why, "GITHUB_SHA") != NULL && strstr(why, "LD_PRELOAD") != NULL, "%s",
                  why);
    envp[0] = (char *)(uintptr_t) "GITHUB_SHA=";
    ck_assert_ptr_null(adapter_gemini.sheds(m, &i, kept, 1));
    envp[0] = (char *)(uintptr_t) "SURFACE=Github";
    ck_assert_ptr_nonnull(adapter_gemini.sheds(m, &i, kept, 1));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("gemini");
    TCase *t = tcase_create("adapter");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, what_is_asked, 0, (int)(sizeof(asking) / sizeof(asking[0])));
    tcase_add_test(t, a_sandbox_inside_a_sandbox_is_none);
    tcase_add_loop_test(t, what_the_cli_rejects_is_malformed, 0,
                        (int)(sizeof(malformed) / sizeof(malformed[0])));
    tcase_add_loop_test(t, classes_are_told_apart, 0, (int)(sizeof(classes) / sizeof(classes[0])));
    tcase_add_test(t, full_access_is_one_mode);
    tcase_add_test(t, its_own_spelling_stays_byte_for_byte);
    tcase_add_test(t, what_is_not_granted_is_taken_off);
    tcase_add_test(t, no_mode_holds_it);
    tcase_add_test(t, model_tools_and_service_are_told);
    tcase_add_test(t, github_jobs_keep_the_library_from_commands);
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
