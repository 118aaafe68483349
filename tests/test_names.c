/* Names, tokens and hand-overs: the strings that the preload library and the helper agree on. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../shim/names/names.h"

#define ARGV(...) ((char *const[]){__VA_ARGS__, NULL})

static void
expect(const char *file, const char *target, char *const argv[], enum match_kind kind, const char *adapter,
       size_t first)
{
    struct match m;

    match_image(file, target, argv, &m);
    ck_assert_msg(m.kind == kind, "%s (%s): kind %d, expected %d", file,
                  argv != NULL && argv[0] != NULL ? argv[0] : "", (int)m.kind, (int)kind);
    if (adapter == NULL)
        ck_assert_ptr_null(m.adapter);
    else
        ck_assert_str_eq(m.adapter, adapter);
    if (kind == MATCH_LAUNCH)
        ck_assert_uint_eq(m.first, first);
}

static void
launch(const char *file, char *const argv[], const char *adapter, size_t first)
{
    struct match m;

    expect(file, NULL, argv, MATCH_LAUNCH, adapter, first);
    match_exec(file, argv, &m);
    ck_assert_int_eq(m.kind, MATCH_LAUNCH);
    ck_assert_uint_eq(m.first, first);
}

static void
none(const char *file, char *const argv[])
{
    expect(file, NULL, argv, MATCH_NONE, NULL, 0);
}

static void
helper(const char *file, char *const argv[], const char *adapter)
{
    expect(file, NULL, argv, MATCH_HELPER, adapter, 0);
}

START_TEST(vendor_names_are_launches)
{
    launch("codex", ARGV("codex", "exec"), "codex", 1);
    launch("/usr/bin/codex", ARGV("codex"), "codex", 1);
    launch("./codex", ARGV("./codex"), "codex", 1);
    launch("/x/codex-x86_64-unknown-linux-musl", ARGV("codex"), "codex", 1);
    launch("/x/codex-aarch64-unknown-linux-musl", ARGV("codex-aarch64-unknown-linux-musl"), "codex", 1);
    launch("/x/@openai/codex/bin/codex.js", ARGV("codex"), "codex", 1);
    launch("/x/claude", ARGV("claude", "-p"), "claude-code", 1);
    launch("/x/claude.exe", ARGV("claude"), "claude-code", 1);
    launch("/home/u/.local/share/claude/versions/2.1.332", ARGV("claude"), "claude-code", 1);
    launch("/home/u/.local/share/claude/versions/2.1.332",
           ARGV("/home/u/.local/share/claude/versions/2.1.332"), "claude-code", 1);
    launch("/x/cursor-agent", ARGV("cursor-agent"), "cursor", 1);
    launch("/home/u/.cursor/bin/agent", ARGV("agent"), "cursor", 1);
    launch("/x/opencode", ARGV("opencode"), "opencode", 1);
    launch("/x/opencode.exe", ARGV("opencode.exe"), "opencode", 1);
    launch("/x/gemini", ARGV("gemini", "-p", "hi"), "gemini", 1);
    launch("/x/@google/gemini-cli/bundle/gemini.js", ARGV("gemini"), "gemini", 1);
    /* As it starts itself again. */
    launch("/usr/bin/node", ARGV("node", "--max-old-space-size=4096", "/x/.bin/gemini", "-p", "hi"), "gemini",
           3);
    launch("/usr/bin/node", ARGV("node", "/x/@google/gemini-cli/dist/index.js", "-p"), "gemini", 2);
}
END_TEST

START_TEST(other_names_are_none)
{
    none("/bin/ls", ARGV("ls", "codex"));
    none("/usr/bin/agent", ARGV("agent"));
    none("agent", ARGV("agent"));
    none("/x/codex/run", ARGV("run"));
    none("/x/codexx", ARGV("codexx"));
    none("/x/Codex", ARGV("Codex"));
    none("/x/claude/versions/latest", ARGV("claude"));
    none("/x/myclaude/versions/2.1", ARGV("claude"));
    none("/x/claude/versions/2/rg", ARGV("rg"));
    none("/bin/ls", ARGV("codex"));
    none("/usr/bin/env", ARGV("env", "node", "/usr/bin/codex"));
    none("/usr/bin/timeout", ARGV("timeout", "5", "codex"));
    none("", ARGV("codex"));
    none("/usr/bin/", ARGV("x"));
}
END_TEST

START_TEST(null_and_empty_argv)
{
    char *const empty[] = {NULL};

    none("/bin/ls", NULL);
    none("/bin/ls", empty);
    none("/usr/bin/node", NULL);
    none("/usr/bin/node", empty);
    helper("/usr/bin/codex", NULL, "codex");
    helper("/usr/bin/codex", empty, "codex");
}
END_TEST

START_TEST(a_vendor_file_under_another_name_is_a_helper)
{
    helper("/x/claude", ARGV("rg", "-n", "x"), "claude-code");
    helper("/x/claude.exe", ARGV("ugrep"), "claude-code");
    helper("/x/codex", ARGV("codex-linux-sandbox", "codex"), "codex");
    helper("/x/codex", ARGV("apply_patch"), "codex");
    helper("/home/u/.local/share/claude/versions/2.1.332", ARGV("bfs"), "claude-code");
}
END_TEST

/* rg PATTERN FILE, where FILE is the CLI's own: no script, although the file is a word of argv. */
START_TEST(a_helper_that_reads_its_own_file_is_no_script)
{
    helper("/x/claude", ARGV("rg", "x", "/x/claude"), "claude-code");
}
END_TEST

START_TEST(a_descriptor_is_a_launch_only_under_a_vendor_name)
{
    none("/proc/self/fd/3", ARGV("/proc/self/fd/3", "/bin/bash", "-c", "true"));
    expect("/proc/self/fd/3", "/x/claude", ARGV("/proc/self/fd/3", "/bin/bash"), MATCH_HELPER, "claude-code",
           0);
    expect("/dev/fd/3", "/x/claude", ARGV("3"), MATCH_HELPER, "claude-code", 0);
    expect("/proc/self/exe", "/x/claude", ARGV("claude"), MATCH_LAUNCH, "claude-code", 1);
    expect("/proc/self/fd/3", "/usr/bin/ls", ARGV("codex"), MATCH_NONE, NULL, 0);
    ck_assert(match_open_file("/proc/self/fd/3"));
    ck_assert(match_open_file("/dev/fd/3"));
    ck_assert(!match_open_file("/usr/bin/codex"));
}
END_TEST

START_TEST(interpreters_with_a_vendor_script)
{
    launch("node", ARGV("node", "/usr/bin/codex", "exec", "hi"), "codex", 2);
    launch("/usr/bin/node", ARGV("node", "--max-old-space-size=4096", "/usr/bin/codex", "exec"), "codex", 3);
    launch("/usr/bin/node", ARGV("node", "--require", "a.js", "-r", "b.js", "--", "/x/codex/bin/codex.js"),
           "codex", 7);
    launch("/usr/bin/node", ARGV("node", "/x/node_modules/@anthropic-ai/claude-code/cli.js", "-p"),
           "claude-code", 2);
    launch("/usr/bin/node", ARGV("node", "/x/@anthropic-ai/claude-code/cli-wrapper.cjs", "-p"), "claude-code",
           2);
    launch("/usr/bin/node", ARGV("node", "/x/@anthropic-ai/claude-agent-sdk/cli.js"), "claude-code", 2);
    launch("/usr/bin/bun", ARGV("bun", "run", "/x/claude-code/cli.js"), "claude-code", 3);
    launch("/usr/bin/deno", ARGV("deno", "run", "-A", "/x/claude-code/cli.js"), "claude-code", 4);
    launch("/bin/bash", ARGV("bash", "-euo", "pipefail", "/usr/bin/codex", "exec"), "codex", 4);
    launch("/bin/bash", ARGV("bash", "+o", "posix", "--rcfile", "x", "-", "./codex"), "codex", 7);
    launch("/bin/sh", ARGV("/bin/sh", "/x/cursor-agent", "-p"), "cursor", 2);
    launch("python3.11", ARGV("python3.11", "-X", "dev", "-Wignore", "-u", "/x/codex"), "codex", 6);
    launch("perl", ARGV("perl", "-w", "-I", "lib", "-Mstrict", "/x/opencode"), "opencode", 6);
    launch("ruby", ARGV("ruby", "-rjson", "-I", "lib", "/x/opencode"), "opencode", 5);
}
END_TEST

START_TEST(interpreters_with_something_else)
{
    none("/usr/bin/node", ARGV("node", "app.js", "/usr/bin/codex"));
    none("/usr/bin/node", ARGV("node", "/x/other/cli.js"));
    none("/usr/bin/node", ARGV("node", "/x/myclaude-code/cli.js"));
    none("/usr/bin/node", ARGV("node", "src/codex.js"));
    none("/usr/bin/node", ARGV("node", "--run", "codex"));
    none("/usr/bin/node", ARGV("node", "-e", "codex"));
    none("/usr/bin/node", ARGV("node", "-pe", "codex"));
    none("/usr/bin/node", ARGV("node", "--eval", "codex"));
    none("/usr/bin/node", ARGV("node", "--require", "codex"));
    none("/usr/bin/node", ARGV("node", "-", "codex"));
    none("/bin/sh", ARGV("sh", "-c", "codex"));
    none("/bin/bash", ARGV("bash", "-lc", "codex", "codex"));
    none("/bin/bash", ARGV("bash", "-s", "codex"));
    none("/bin/bash", ARGV("bash", "-o", "codex"));
    none("/bin/bash", ARGV("-bash"));
    none("python3", ARGV("python3", "-m", "codex"));
    none("python3", ARGV("python3", "-cpass", "codex"));
    none("perl", ARGV("perl", "-e", "codex"));
    none("perl", ARGV("perl", "-ne", "codex", "codex"));
    none("/usr/bin/python3-config", ARGV("python3-config", "codex"));
}
END_TEST

START_TEST(an_interpreter_named_as_a_vendor)
{
    launch("/x/node", ARGV("/home/u/.local/bin/cursor-agent", "/x/index.js", "-p"), "cursor", 2);
    launch("/x/node", ARGV("claude"), "claude-code", 1);
    none("/x/node", ARGV("agent", "/x/index.js"));
}
END_TEST

/* execve("/usr/bin/codex"), as env's constructor sees it, and what follows. */
START_TEST(a_script_image_is_found_by_its_own_name)
{
    expect("/usr/bin/codex", NULL, ARGV("/usr/bin/env", "node", "/usr/bin/codex", "exec", "hi"), MATCH_LAUNCH,
           "codex", 3);
    expect("/usr/bin/codex", NULL, ARGV("/usr/bin/node", "/usr/bin/codex", "exec"), MATCH_LAUNCH, "codex", 2);
    expect("./codex", NULL, ARGV("/bin/sh", "-e", "./codex", "exec"), MATCH_LAUNCH, "codex", 3);
    expect("/usr/bin/cx", NULL, ARGV("/bin/sh", "/usr/bin/cx", "/usr/bin/codex"), MATCH_NONE, NULL, 0);
    expect("/usr/bin/node", NULL, ARGV("node", "/usr/bin/codex", "/usr/bin/node"), MATCH_LAUNCH, "codex", 2);
    expect("/usr/bin/env", NULL, ARGV("/usr/bin/env", "node", "/usr/bin/codex"), MATCH_NONE, NULL, 0);
}
END_TEST

START_TEST(a_renamed_link_is_a_launch_by_its_target)
{
    const char *versioned = "/home/u/.local/share/claude/versions/2.1.332";

    expect("/x/cc", versioned, ARGV("cc", "-p"), MATCH_LAUNCH, "claude-code", 1);
    expect("/x/cc", versioned, ARGV("claude", "-p"), MATCH_LAUNCH, "claude-code", 1);
    expect("/x/cc", versioned, ARGV("rg", "-p"), MATCH_HELPER, "claude-code", 1);
    expect("/x/cx", "../lib/node_modules/@openai/codex/bin/codex.js",
           ARGV("/usr/bin/env", "node", "/x/cx", "exec"), MATCH_LAUNCH, "codex", 3);
    expect("/usr/bin/node", "../@openai/codex/bin/codex.js", ARGV("node", "/x/cx", "exec"), MATCH_LAUNCH,
           "codex", 2);
    expect("/bin/vi", "/etc/alternatives/vi", ARGV("vi", "codex"), MATCH_NONE, NULL, 0);
}
END_TEST

START_TEST(the_link_worth_reading)
{
    ck_assert_ptr_null(match_link("/usr/bin/codex", ARGV("codex")));
    ck_assert_ptr_null(match_link("/usr/bin/node", ARGV("node")));
    ck_assert_ptr_null(match_link("/bin/sh", ARGV("sh", "-c", "x")));
    ck_assert_str_eq(match_link("/bin/cc", ARGV("cc")), "/bin/cc");
    ck_assert_str_eq(match_link("/bin/node", ARGV("node", "/x/y", "z")), "/x/y");
    ck_assert_str_eq(match_link("/x/y", ARGV("/usr/bin/env", "node", "/x/y", "z")), "/x/y");
}
END_TEST

START_TEST(the_hash_is_equal_at_every_exec_of_one_launch)
{
    char *const envp[] = {"PATH=/bin", "CODEX_THREAD_ID=t", NULL};
    char *const reordered[] = {"CODEX_THREAD_ID=t", "CODEX_MANAGED_BY_NPM=1", NULL};
    static char *const steps[][6] = {{"codex", "exec", "hi", NULL},
                                     {"/usr/bin/env", "node", "/usr/bin/codex", "exec", "hi", NULL},
                                     {"node", "/usr/bin/codex", "exec", "hi", NULL},
                                     {"/x/bin/codex", "exec", "hi", NULL}};
    static const char *const files[] = {"/usr/bin/codex", "/usr/bin/codex", "/usr/bin/node", "/x/bin/codex"};
    uint64_t first = launch_hash(ARGV("exec", "hi"), envp);

    for (size_t i = 0; i < 4; i++) {
        struct match m;

        match_image(files[i], NULL, steps[i], &m);
        ck_assert_int_eq(m.kind, MATCH_LAUNCH);
        ck_assert(launch_hash(steps[i] + m.first, reordered) == first);
    }
}
END_TEST

START_TEST(the_hash_tells_launches_apart)
{
    char *const plain[] = {NULL};
    uint64_t h = launch_hash(ARGV("exec", "hi"), plain);

    ck_assert(h != launch_hash(ARGV("exec", "ho"), plain));
    ck_assert(h != launch_hash(ARGV("exechi"), plain));
    ck_assert(h != launch_hash(ARGV("exec", "hi", ""), plain));
    ck_assert(h != launch_hash(ARGV("exec", "hi"), ARGV("CODEX_THREAD_ID=t")));
    ck_assert(launch_hash(ARGV("exec"), ARGV("CODEX_THREAD_ID=t")) !=
              launch_hash(ARGV("exec"), ARGV("CLAUDE_CODE_SESSION_ID=t")));
    ck_assert(h != launch_hash(ARGV("exec", "hi"), ARGV("HACCESS_LANE=read")));
    ck_assert(h == launch_hash(ARGV("exec", "hi"), ARGV("HACCESS_LANE=write")));
    ck_assert(h == launch_hash(ARGV("exec", "hi"), NULL));
    ck_assert(launch_hash(NULL, NULL) == launch_hash(plain, plain));
}
END_TEST

START_TEST(tokens_survive_a_round)
{
    struct launch_token t = {"run-1",
                             "0007",
                             "claude-code",
                             4711,
                             18446744073709551615ull,
                             0xfedcba9876543210u},
                        back;
    char text[TOKEN_MAX];

    token_format(&t, text);
    ck_assert_str_eq(text, "run-1/0007:claude-code:4711:18446744073709551615:fedcba9876543210");
    ck_assert(token_parse(text, &back));
    ck_assert(memcmp(&t, &back, sizeof(t)) == 0);
    t.run[0] = t.id[0] = '\0';
    memset(t.run, 0, sizeof(t.run));
    memset(t.id, 0, sizeof(t.id));
    token_format(&t, text);
    ck_assert_str_eq(text, "claude-code:4711:18446744073709551615:fedcba9876543210");
    ck_assert(token_parse(text, &back));
    ck_assert(memcmp(&t, &back, sizeof(t)) == 0);
}
END_TEST

START_TEST(the_longest_token_fits)
{
    struct launch_token t, back;
    char text[TOKEN_MAX];

    memset(&t, 0, sizeof(t));
    memset(t.run, 'r', sizeof(t.run) - 1);
    memset(t.id, 'i', sizeof(t.id) - 1);
    memset(t.adapter, 'a', sizeof(t.adapter) - 1);
    t.pid = 0x7fffffff;
    t.start = ~0ull;
    t.hash = ~0ull;
    token_format(&t, text);
    ck_assert_uint_lt(strlen(text), TOKEN_MAX);
    ck_assert(token_parse(text, &back));
    ck_assert(memcmp(&t, &back, sizeof(t)) == 0);
}
END_TEST

START_TEST(what_is_no_token)
{
    static const char *const bad[] = {"",
                                      ":",
                                      "a",
                                      "a:1:2",
                                      "a:1:2:",
                                      "a::2:3",
                                      "a:1:2:x",
                                      "a:1:2:3 ",
                                      "a:-1:2:3",
                                      "a:99999999999:2:3",
                                      "a:1:2:10000000000000000",
                                      "a:1:99999999999999999999:3",
                                      "r/:a:1:2:3",
                                      "/i:a:1:2:3",
                                      "r/i:1:2:3",
                                      "r/i/j:a:1:2:3",
                                      "r b/i:a:1:2:3",
                                      "a:1:2:3:4",
                                      "a:1:2:FF",
                                      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:1:2:3",
                                      "\xff:1:2:3"};
    struct launch_token t;
    char *big = malloc(1 << 20);

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(!token_parse(bad[i], &t), "%s", bad[i]);
    memset(big, 'x', (1 << 20) - 1);
    big[(1 << 20) - 1] = '\0';
    ck_assert(!token_parse(big, &t));
    memset(big, '1', (1 << 20) - 1);
    memcpy(big, "a:", 2);
    ck_assert(!token_parse(big, &t));
    free(big);
}
END_TEST

static void
handed(const char *file, bool searched, const char *path, const char *text)
{
    struct handoff h = {file, searched, path}, back;
    char buffer[256];
    size_t n = handoff_format(&h, buffer, sizeof(buffer));

    ck_assert_uint_eq(n, strlen(text) + 1);
    ck_assert_str_eq(buffer, text);
    ck_assert_uint_eq(handoff_format(&h, NULL, 0), n);
    ck_assert(handoff_parse(strchr(buffer, '=') + 1, &back));
    ck_assert_str_eq(back.file, file);
    ck_assert(back.searched == searched);
    if (path == NULL || strchr(file, '/') != NULL)
        ck_assert_ptr_null(back.path);
    else
        ck_assert_str_eq(back.path, path);
}

START_TEST(handovers_survive_a_round)
{
    handed("/usr/bin/codex", false, NULL, "HACCESS_EXEC=0f:/usr/bin/codex");
    handed("./a:b=c\xff", true, NULL, "HACCESS_EXEC=1f:./a:b=c\xff");
    handed("codex", true, "/usr/bin:/bin:", "HACCESS_EXEC=1p:codex//usr/bin:/bin:");
    handed("codex", false, "", "HACCESS_EXEC=0p:codex/");
    handed("./codex", false, "/bin", "HACCESS_EXEC=0f:./codex");
}
END_TEST

START_TEST(what_is_no_handover)
{
    static const char *const bad[] = {"",     "0",        "0f",  "0f:",     "2f:x",
                                      "0x:x", "1p:codex", "1p:", "1p:/bin", "0f/x"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[32];
        struct handoff h;

        strcpy(text, bad[i]);
        ck_assert_msg(!handoff_parse(text, &h), "%s", bad[i]);
    }
}
END_TEST

START_TEST(every_marker_has_an_adapter)
{
    size_t i;

    for (i = 0; marker_names[i].name != NULL; i++)
        ck_assert_ptr_nonnull(marker_names[i].adapter);
    ck_assert_uint_gt(i, 0);
    ck_assert_str_eq(marker_names[0].name, "CODEX_THREAD_ID");
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("names");
    TCase *t = tcase_create("match");
    SRunner *sr;
    int failed;

    tcase_add_test(t, vendor_names_are_launches);
    tcase_add_test(t, other_names_are_none);
    tcase_add_test(t, null_and_empty_argv);
    tcase_add_test(t, a_vendor_file_under_another_name_is_a_helper);
    tcase_add_test(t, a_helper_that_reads_its_own_file_is_no_script);
    tcase_add_test(t, a_descriptor_is_a_launch_only_under_a_vendor_name);
    tcase_add_test(t, interpreters_with_a_vendor_script);
    tcase_add_test(t, interpreters_with_something_else);
    tcase_add_test(t, an_interpreter_named_as_a_vendor);
    tcase_add_test(t, a_script_image_is_found_by_its_own_name);
    tcase_add_test(t, a_renamed_link_is_a_launch_by_its_target);
    tcase_add_test(t, the_link_worth_reading);
    suite_add_tcase(s, t);
    t = tcase_create("marks");
    tcase_add_test(t, the_hash_is_equal_at_every_exec_of_one_launch);
    tcase_add_test(t, the_hash_tells_launches_apart);
    tcase_add_test(t, tokens_survive_a_round);
    tcase_add_test(t, the_longest_token_fits);
    tcase_add_test(t, what_is_no_token);
    tcase_add_test(t, handovers_survive_a_round);
    tcase_add_test(t, what_is_no_handover);
    tcase_add_test(t, every_marker_has_an_adapter);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
