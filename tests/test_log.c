/* haccess-log on journals of fixtures/journals and on journals that are written here. */
#include <check.h>
#include <ctype.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/journal/journal.h"
#include "shim/journal/line.h"
#include "tests/support/spool.h"
#include "tests/support/tree.h"

#define RUN   "run-20261130T202915Z-3fa91c"
#define OTHER "run-20261130T181102Z-90be77"

static char *top;
static struct mem *mem;
static const char *build, *fixtures;

/* Copies a journal of the fixtures: git keeps no modes. */
static void
copy(const char *place, const char *run, const char *root)
{
    const char *path = mem_printf(mem, "%s/runs/%s/journal.jsonl", root, run);
    char *text = tree_read(fixtures, mem_printf(mem, "journals/%s/runs/%s/journal.jsonl", place, run));

    ck_assert_msg(text != NULL, "no fixture for %s", run);
    tree_write(top, path, text, 0600);
    chmod(mem_printf(mem, "%s/%s/runs", top, root), 0700);
    chmod(mem_printf(mem, "%s/%s/runs/%s", top, root, run), 0700);
    free(text);
}

static void
setup(void)
{
    spool_hide();
    mem = mem_new();
    top = tree_new();
    build = getenv("HACCESS_BUILD");
    if (build == NULL)
        build = "build";
    fixtures = mem_printf(mem, "%s/../fixtures", build);
    tree_mkdir(top, "tmp");
}

static void
setup_fixtures(void)
{
    const char *spool;

    setup();
    spool = mem_printf(mem, "tmp/haccess-%u", (unsigned)geteuid());
    copy("state", RUN, "state");
    copy("state", OTHER, "state");
    copy("spool", RUN, spool);
    chmod(mem_printf(mem, "%s/%s", top, spool), 0700);
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

struct answer {
    int code; /* 128 + signal where one ended it */
    char *out, *err;
};

/* The words of a command line, in the region. */
static char **
split(const char *program, const char *words)
{
    struct strings argv = {0};
    char *rest = mem_strdup(mem, words), *word;

    strings_add(mem, &argv, program);
    while ((word = strsep(&rest, " ")) != NULL)
        if (*word != '\0')
            strings_add(mem, &argv, word);
    return argv.items;
}

static char **
environment(const char *extra)
{
    char **env = split("PATH=/usr/bin:/bin", extra);
    struct strings all = {0};

    for (; *env != NULL; env++)
        strings_add(mem, &all, *env);
    strings_add(mem, &all, mem_printf(mem, "HACCESS_STATE_DIR=%s/state", top));
    strings_add(mem, &all, mem_printf(mem, "TMPDIR=%s/tmp", top));
    strings_add(mem, &all, "HOME=/home/user");
    strings_add(mem, &all, "TZ=UTC");
    return all.items;
}

static char *
slurp_fd(int fd)
{
    size_t have = 0, room = 65536;
    char *text = malloc(room), *copy_;
    ssize_t n;

    while ((n = read(fd, text + have, room - have - 1)) > 0) {
        have += (size_t)n;
        if (have + 1 == room)
            text = realloc(text, room *= 2);
    }
    text[have] = '\0';
    copy_ = mem_strndup(mem, text, have);
    free(text);
    return copy_;
}

static int
status_code(pid_t pid)
{
    int status;

    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static struct answer
run_with(const char *words, const char *env, rlim_t memory)
{
    char **argv = split(mem_printf(mem, "%s/haccess-log", build), words), **envp = environment(env);
    int ends[2],
        errors = open(mem_printf(mem, "%s/stderr", top), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct answer a;
    pid_t pid;

    ck_assert_int_eq(pipe(ends), 0);
    pid = fork();
    ck_assert_int_ne(pid, -1);
    if (pid == 0) {
        struct rlimit limit = {memory, memory};

        if (memory != 0)
            setrlimit(RLIMIT_DATA, &limit);
        dup2(ends[1], STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execve(argv[0], argv, envp);
        _exit(127);
    }
    close(ends[1]);
    a.out = slurp_fd(ends[0]);
    close(ends[0]);
    a.code = status_code(pid);
    lseek(errors, 0, SEEK_SET);
    a.err = slurp_fd(errors);
    close(errors);
    return a;
}

static struct answer
run(const char *words)
{
    return run_with(words, "LANG=C.UTF-8 COLUMNS=100", 0);
}

/* Puts a word in place of every occurrence of another. */
static char *
replaced(const char *text, const char *from, const char *to)
{
    char *out = mem_strdup(mem, "");
    const char *at;

    while ((at = strstr(text, from)) != NULL) {
        out = mem_printf(mem, "%s%.*s%s", out, (int)(at - text), text, to);
        text = at + strlen(from);
    }
    return mem_printf(mem, "%s%s", out, text);
}

/* One command, and the file that has what it prints. */
static const struct look {
    const char *words, *env, *expected;
    int code;
} looks[] = {
    {"show", "LANG=C.UTF-8 COLUMNS=100", "show", 0},
    {"show @1", "LANG=C.UTF-8 COLUMNS=80", "show-80", 0},
    {"show @1", "LC_ALL=C COLUMNS=100", "show-ascii", 0},
    {"show " OTHER, "LANG=C.UTF-8 COLUMNS=100", "show-other", 0},
    {"show --refused", "LANG=C.UTF-8 COLUMNS=100", "show-refused", 0},
    {"tree", "LANG=C.UTF-8 COLUMNS=100", "tree", 0},
    {"why a1", "LANG=C.UTF-8 COLUMNS=100", "why-a1", 0},
    {"why @1 a2", "LANG=C.UTF-8 COLUMNS=80", "why-a2", 0},
    {"why " RUN "/a3", "LANG=C.UTF-8 COLUMNS=100", "why-a3", 0},
    {"why a4", "LANG=C.UTF-8 COLUMNS=100", "why-a4", 0},
    {"why s1", "LANG=C.UTF-8 COLUMNS=100", "why-s1", 0},
    {"verify", "LANG=C.UTF-8 COLUMNS=100", "verify", 0},
    {"stats", "LANG=C.UTF-8 COLUMNS=100", "stats", 0},
    {"proof", "LANG=C.UTF-8 COLUMNS=100", "proof", 0},
    {"export --format csv", "LANG=C.UTF-8 COLUMNS=100", "export-csv", 0},
    {"--help", "LANG=C.UTF-8 COLUMNS=100", "help", 0},
};

START_TEST(view_looks_as_expected)
{
    const struct look *k = &looks[_i];
    struct answer a = run_with(k->words, k->env, 0);
    char *expected = tree_read(fixtures, mem_printf(mem, "journals/expected/%s.txt", k->expected));
    char *out = replaced(replaced(a.out, top, "TOP"), mem_printf(mem, "haccess-%u/", (unsigned)geteuid()),
                         "haccess-UID/");

    ck_assert_int_eq(a.code, k->code);
    ck_assert_str_eq(a.err, "");
    ck_assert_msg(expected != NULL && strcmp(out, expected) == 0,
                  "haccess-log %s prints other than %s.txt:\n%s", k->words, k->expected, out);
    free(expected);
}
END_TEST

/* What a browser makes of the page is in tests/html.py. */
START_TEST(the_page_has_what_the_views_say)
{
    static const char *const parts[] = {
        "script-src 'sha256-",
        "<details class=\"launch full\" data-adapter=\"codex\" data-access=\"full\"",
        " data-reason=\"qualified\">",
        "<details class=\"launch refused\"",
        "Who launched whom",
        "effort_below_floor",
        "<b class=\"c1\">2</b><span>with full access",
        "to grant it: ",
    };
    struct answer a = run("export --format html");

    ck_assert_int_eq(a.code, 0);
    ck_assert_str_eq(a.err, "");
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        ck_assert_msg(strstr(a.out, parts[i]) != NULL, "no %s in: %s", parts[i], a.out);
    a = run("export --format html --refused");
    ck_assert(strstr(a.out, "launch refused\"") != NULL && strstr(a.out, "launch full\"") == NULL);
    a = run("export --format html --model nothing");
    ck_assert_ptr_nonnull(strstr(a.out, "No launches."));
}
END_TEST

START_TEST(a_question_is_asked_of_all_runs)
{
    struct answer a = run("show --adapter codex");

    ck_assert_ptr_nonnull(strstr(a.out, "\n4 launches in 2 runs\n"));
    ck_assert(strstr(a.out, RUN) != NULL && strstr(a.out, RUN) < strstr(a.out, OTHER));
    a = run("show --adapter codex @1");
    ck_assert(strstr(a.out, OTHER) == NULL && strstr(a.out, " launches in ") == NULL);
    a = run("show --mode full-access --until 2026-11-30T19:00 --utc");
    ck_assert_str_eq(a.out, "0 launches in 0 runs\n");
    a = run("show --adapter codex --json");
    ck_assert(strstr(a.out, RUN) != NULL && strstr(a.out, OTHER) != NULL);
    a = run("show");
    ck_assert(strstr(a.out, OTHER) == NULL);
}
END_TEST

START_TEST(runs_are_listed)
{
    struct answer a = run("");

    ck_assert_int_eq(a.code, 0);
    ck_assert_ptr_nonnull(strstr(a.out, " ./orchestrate.sh         5     2         1        1\n"));
    ck_assert_ptr_nonnull(strstr(a.out, " codex exec               1     0         1        0\n"));
    ck_assert_ptr_nonnull(strstr(a.out, "\n2 runs, 6 launches, 2 with full access  "));
    ck_assert(strstr(a.out, RUN) < strstr(a.out, OTHER));
    a = run_with("", "LANG=C.UTF-8 COLUMNS=80", 0);
    for (char *line = strtok(a.out, "\n"); line != NULL; line = strtok(NULL, "\n"))
        ck_assert_uint_le(strlen(line), 80 + 2); /* an ellipsis is three bytes */
}
END_TEST

START_TEST(filters_filter)
{
    static const struct {
        const char *words;
        int launches;
    } cases[] = {{"--adapter codex", 4},
                 {"--adapter claude", 2},
                 {"--adapter claude-code", 2},
                 {"--adapter c*", 6},
                 {"--model gpt-5.1-codex", 2},
                 {"--model gpt*", 2},
                 {"--reason qualified", 2},
                 {"--reason full_access_conflicts_with_policy", 1},
                 {"--mode full-access", 2},
                 {"--mode sandboxed", 3},
                 {"--refused", 1},
                 {"--cwd /home/user", 6},
                 {"--cwd /home/user/shop/", 6},
                 {"--cwd /home/us", 0},
                 {"--since 2026-11-30T20:29:40Z", 3},
                 {"--until 2026-11-30T20:29:40Z", 3},
                 {"--since 2026-11-30T21:29:40+01:00", 3},
                 {"--since 2026-11-30T20:29 --until 2026-11-30T20:29:30", 2},
                 {"--since 2026-12-01", 0},
                 {"--adapter codex --mode sandboxed", 2}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct answer a = run(mem_printf(mem, "stats --json %s", cases[i].words));

        ck_assert_msg(strstr(a.out, mem_printf(mem, "{\"launches\":%d,", cases[i].launches)) == a.out,
                      "%s: %s", cases[i].words, a.out);
    }
}
END_TEST

START_TEST(json_is_one_object_a_line)
{
    static const char *const commands[] = {"--json",       "show --json",          "show @2 -j",
                                           "tree --json",  "why a2 --json",        "verify --json",
                                           "stats --json", "export --format jsonl"};

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        struct answer a = run(commands[i]);
        int lines = 0;

        ck_assert_int_eq(a.code, 0);
        for (char *line = strtok(a.out, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
            cJSON *o = cJSON_Parse(line);

            ck_assert_msg(cJSON_IsObject(o), "%s: %s", commands[i], line);
            cJSON_Delete(o);
        }
        ck_assert_int_gt(lines, 0);
    }
}
END_TEST

START_TEST(misuse_exits_two)
{
    static const char *const bad[] = {
        "bogus",       "--bogus", "show @1 a2 a3",        "why",    "--since never",
        "--mode full", "prune",   "prune --older-than x", "export", "export --format pdf"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct answer a = run(bad[i]);

        ck_assert_msg(a.code == 2, "%s: exit %d", bad[i], a.code);
        ck_assert_str_eq(a.out, "");
        ck_assert(strstr(a.err, "haccess-log: ") != NULL);
    }
    ck_assert_int_eq(run("show nothing").code, 1);
    ck_assert_int_eq(run("show run-").code, 1);
    ck_assert_int_eq(run("show @9").code, 1);
    ck_assert_str_eq(run("show @9").err, "haccess-log: @9: no such run; there are 2\n");
    ck_assert_int_eq(run("why a9").code, 1);
    ck_assert_int_eq(run("-- show").code, 0);
    ck_assert_int_eq(run("--version").code, 0);
}
END_TEST

static const char state_file[] = "state/runs/" RUN "/journal.jsonl";

/* Writes the journal anew. */
static void
rewrite(const char *text, mode_t mode)
{
    unlink(mem_printf(mem, "%s/%s", top, state_file));
    tree_write(top, state_file, text, mode);
}

START_TEST(verify_names_the_record)
{
    char *text = tree_read(top, state_file), *third = strstr(text, "\"seq\":3"), *at;
    struct answer a;

    at = strstr(third, "workspace-write");
    *at = 'W';
    rewrite(text, 0600);
    while (third[-1] != '\n')
        third--;
    a = run("verify");
    ck_assert_int_eq(a.code, 1);
    ck_assert_ptr_nonnull(
        strstr(a.out, mem_printf(mem,
                                 RUN "  6 records  BROKEN at seq 3: it was changed: the prev of seq 4 "
                                     "does not match (line 4, byte %td)",
                                 third - text)));
    ck_assert_ptr_nonnull(strstr(a.out, "1 of 2 runs broken"));
    ck_assert_int_eq(run("verify " OTHER).code, 0);
    a = run("why a3");
    ck_assert_ptr_nonnull(strstr(a.out, "chained to 3 ✗ prev does not match"));
    a = run("verify --json");
    ck_assert_ptr_nonnull(strstr(a.out, "\"kind\":\"changed\",\"what\":\"it was changed: the prev of seq 4 "
                                        "does not match\",\"seq\":3,\"line\":4,"));
    ck_assert_int_eq(run("proof").code, 1);
    free(text);
}
END_TEST

START_TEST(verify_names_a_torn_line)
{
    char *text = tree_read(top, state_file);
    struct answer a;

    text[strlen(text) - 40] = '\0';
    rewrite(text, 0600);
    a = run("verify @1");
    ck_assert_int_eq(a.code, 1);
    ck_assert_ptr_nonnull(strstr(a.out, "TORN at seq 5: the line has no end (line 6, byte "));
    a = run("show");
    ck_assert_int_eq(a.code, 0);
    ck_assert_ptr_nonnull(strstr(a.out, "line 6  torn"));
    free(text);
}
END_TEST

START_TEST(verify_names_an_open_file)
{
    char *text = tree_read(top, state_file);
    struct answer a;

    rewrite(text, 0644);
    chmod(mem_printf(mem, "%s/%s", top, state_file), 0644);
    a = run("verify");
    ck_assert_int_eq(a.code, 1);
    ck_assert_ptr_nonnull(strstr(a.out, "open to others: mode 0644"));
    free(text);
}
END_TEST

/* Writes a launch whose every word is hostile. */
static void
write_hostile(const char *word)
{
    struct journal_host where = {mem_printf(mem, "%s/state", top), mem_printf(mem, "%s/tmp", top), geteuid(),
                                 1796070600000};
    const char *problem = "";
    struct journal *j = journal_open(&where, mem, "hostile", &problem);
    cJSON *o = cJSON_CreateObject(), *part;

    ck_assert_msg(j != NULL, "%s", problem);
    cJSON_AddStringToObject(o, "command", word);
    cJSON_AddStringToObject(o, "cwd", word);
    part = cJSON_AddObjectToObject(o, "policy");
    cJSON_AddStringToObject(part, "path", word);
    cJSON_AddStringToObject(part, "state", word);
    ck_assert_int_eq(journal_append(j, "run.start", o), 0);
    for (int i = 0; i < 2; i++) {
        static const char *const words[] = {"adapter",   "class",      "target",      "argv0",
                                            "cwd",       "projection", "enforcement", "parent_launch",
                                            "continues", "lane"};
        static const char *const lists[] = {"argv_requested", "argv_rendered", "endpoint", "checks"};

        o = cJSON_CreateObject();
        cJSON_AddStringToObject(o, "id", i == 0 ? "a1" : word);
        for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
            cJSON_AddStringToObject(o, words[k], word);
        for (size_t k = 0; k < sizeof(lists) / sizeof(lists[0]); k++) {
            cJSON *list = cJSON_AddArrayToObject(o, lists[k]);

            cJSON_AddItemToArray(list, k < 3 ? cJSON_CreateString(word) : cJSON_CreateObject());
            if (k == 3)
                for (int n = 0; n < 3; n++)
                    cJSON_AddStringToObject(list->child, n == 0 ? "name" : n == 1 ? "result" : "saw", word);
        }
        part = cJSON_AddObjectToObject(o, "request");
        cJSON_AddStringToObject(part, "access", word);
        cJSON_AddStringToObject(part, "model", word);
        cJSON_AddStringToObject(part, "effort", word);
        part = cJSON_AddObjectToObject(o, "access");
        cJSON_AddStringToObject(part, "mode", word);
        cJSON_AddStringToObject(part, "reason", word);
        cJSON_AddStringToObject(part, "detail", word);
        cJSON_AddStringToObject(part, "remedy", word);
        part = cJSON_AddObjectToObject(o, "refusal");
        cJSON_AddStringToObject(part, "code", word);
        cJSON_AddStringToObject(part, "detail", word);
        ck_assert_int_eq(journal_append(j, i == 0 ? "agent.start" : "agent.refused", o), 0);
    }
    o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "note", word);
    ck_assert_int_eq(journal_append(j, word, o), 0);
    journal_close(j);
}

static const char *const all_views[] = {"",
                                        "show",
                                        "tree",
                                        "why a1",
                                        "verify",
                                        "stats",
                                        "proof",
                                        "export --format csv",
                                        "export --format html",
                                        "export --format jsonl",
                                        "--json",
                                        "show --json",
                                        "why a1 --json",
                                        "stats --json"};

#define VIEWS (sizeof(all_views) / sizeof(all_views[0]))

START_TEST(no_control_character_reaches_the_terminal)
{
    write_hostile("\033]0;owned\007\033[2J\033[31m\x9b"
                  "31m\xc2\x9b"
                  "31m\x7f\b\r<script>'\"\xe2\x80\xae");
    for (size_t i = 0; i < VIEWS; i++)
        for (int ascii = 0; ascii < 2; ascii++) {
            struct answer a = run_with(all_views[i], ascii ? "LC_ALL=C" : "LANG=C.UTF-8", 0);

            ck_assert_int_lt(a.code, 2);
            for (const unsigned char *s = (unsigned char *)a.out; *s != '\0'; s++) {
                ck_assert_msg((*s >= 0x20 && *s != 0x7f) || *s == '\n' || (*s == '\r' && s[1] == '\n'),
                              "%s: byte %02x", all_views[i], *s);
                ck_assert_msg(*s != 0xc2 || s[1] >= 0xa0, "%s: a C1 control", all_views[i]);
            }
            /* The page has its own, behind everything that is from outside. */
            ck_assert(strstr(all_views[i], "html") == NULL ||
                      (strstr(a.out, "<script>") != NULL && strstr(a.out, "&lt;script&gt;") != NULL &&
                       strstr(strstr(a.out, "<script>") + 1, "<script>") == NULL &&
                       strstr(strstr(a.out, "<script>"), "owned") == NULL));
        }
}
END_TEST

START_TEST(mutated_journals_crash_nothing)
{
    char *text = tree_read(top, state_file), *changed;
    unsigned seed = 20261130;
    size_t n = strlen(text);

    for (int round = 0; round < 60; round++) {
        changed = mem_strndup(mem, text, n);
        for (int k = 0; k < 12; k++) {
            size_t at = (size_t)rand_r(&seed) % n;

            switch (rand_r(&seed) % 4) {
            case 0:
                changed[at] = (char)(1 + rand_r(&seed) % 255);
                break;
            case 1:
                changed[at] = "{}[]\",:0\n"[rand_r(&seed) % 9];
                break;
            case 2: /* a value of another type */
                while (at < n - 12 && changed[at] != ':')
                    at++;
                memcpy(changed + at + 1, "[[]]", 4);
                break;
            default:
                memmove(changed + at, changed + at + (n - at) / 7, strlen(changed + at + (n - at) / 7) + 1);
                n = strlen(changed);
            }
        }
        rewrite(changed, 0600);
        n = strlen(text);
        for (size_t i = (size_t)round % 3; i < VIEWS; i += 3) {
            struct answer a = run(all_views[i]);

            ck_assert_msg(a.code <= 1, "round %d, %s: exit %d", round, all_views[i], a.code);
        }
    }
    free(text);
}
END_TEST

START_TEST(memory_does_not_grow_with_the_journal)
{
    char *text = tree_read(top, state_file), *second = strchr(text, '\n') + 1,
         *line = strstr(text, "\n{\"schema_version\":1");
    FILE *f = fopen(mem_printf(mem, "%s/%s", top, state_file), "a");

    (void)second;
    line = strstr(line + 1, "\n{") + 1;
    for (int i = 0; i < 12000; i++)
        fwrite(line, 1, (size_t)(strchr(line, '\n') + 1 - line), f);
    fclose(f);
    ck_assert_int_eq(run_with("show", "LANG=C.UTF-8", 4 << 20).code, 0);
    ck_assert_int_eq(run_with("verify", "LANG=C.UTF-8", 4 << 20).code, 1);
    ck_assert_int_eq(run_with("stats", "LANG=C.UTF-8", 4 << 20).code, 0);
    free(text);
}
END_TEST

START_TEST(fresh_journal_is_seen)
{
    struct answer a = run("");

    ck_assert_int_eq(a.code, 0);
    ck_assert_ptr_nonnull(strstr(a.out, "no runs yet"));
    ck_assert_int_eq(run("show").code, 1);
    ck_assert_int_eq(run("verify").code, 0);
    write_hostile("plain");
    a = run("show");
    ck_assert_int_eq(a.code, 0);
    ck_assert_ptr_nonnull(strstr(a.out, "hostile  plain  in plain"));
    ck_assert_int_eq(run("verify").code, 0);
}
END_TEST

/* Appends a record whose fields are given as JSON. */
static void
write_record(const char *event, const char *fields)
{
    struct journal_host where = {mem_printf(mem, "%s/state", top), mem_printf(mem, "%s/tmp", top), geteuid(),
                                 1796070600000};
    const char *problem = "";
    struct journal *j = journal_open(&where, mem, "run", &problem);
    cJSON *o = cJSON_Parse(fields);

    ck_assert_msg(j != NULL, "%s", problem);
    ck_assert_msg(o != NULL, "%s", fields);
    ck_assert_int_eq(journal_append(j, event, o), 0);
    journal_close(j);
}

START_TEST(observed_launch_is_shown_as_it_ran)
{
    struct answer a;

    write_record("agent.start",
                 "{\"id\":\"a1\",\"adapter\":\"codex\",\"request\":{\"access\":\"full-access\"},\"access\":{"
                 "\"mode\":\"sandboxed\",\"reason\":\"disabled\"},"
                 "\"projection\":\"workspace-write\",\"observed\":true}");
    write_record("agent.start",
                 "{\"id\":\"a2\",\"adapter\":\"codex\",\"request\":{\"access\":\"unspecified\"},\"access\":{"
                 "\"mode\":\"full-access\",\"reason\":\"qualified\"},"
                 "\"projection\":\"full-access\",\"observed\":true}");
    a = run("show");
    ck_assert_ptr_nonnull(strstr(a.out, "full → FULL  disabled   (observed: would be ws)"));
    ck_assert_ptr_nonnull(strstr(a.out, "– → default  qualified   (observed: would be full)"));
    ck_assert_ptr_nonnull(strstr(run("").out, "2 launches, 1 with full access"));
    ck_assert_ptr_nonnull(strstr(run("why a1").out, "would have been workspace-write (mode: observe)"));
}
END_TEST

/* What would have been is worth a word where it is something else. */
START_TEST(observed_launch_without_a_difference_has_its_reason_only)
{
    write_record("agent.start",
                 "{\"id\":\"a1\",\"adapter\":\"codex\",\"request\":{\"access\":\"read-only\"},\"access\":{"
                 "\"mode\":\"sandboxed\",\"reason\":\"disabled\"},"
                 "\"projection\":\"read-only\",\"observed\":true}");
    write_record("agent.start",
                 "{\"id\":\"a2\",\"adapter\":\"codex\",\"request\":{\"access\":\"unspecified\"},\"access\":{"
                 "\"mode\":\"sandboxed\",\"reason\":\"disabled\"},"
                 "\"projection\":\"vendor-default\",\"observed\":true}");
    ck_assert_ptr_nonnull(strstr(run("show").out, "ro → ro      disabled\n"));
    ck_assert_ptr_nonnull(strstr(run("show").out, "– → default  disabled\n"));
}
END_TEST

START_TEST(observed_refusal_is_counted_by_its_code)
{
    write_record(
        "agent.start",
        "{\"id\":\"a1\",\"adapter\":\"codex\",\"request\":{\"access\":\"contradictory\"},"
        "\"access\":null,\"refusal\":{\"code\":\"full_access_conflicts_with_policy\",\"detail\":\"x\"},"
        "\"projection\":\"read-only\",\"observed\":true}");
    ck_assert_ptr_nonnull(
        strstr(run("stats").out, "why not full access: full_access_conflicts_with_policy 1\n"));
    ck_assert_ptr_nonnull(strstr(run("why a1").out, "got      as asked          "));
}
END_TEST

/* What a check saw goes on under itself where the screen ends. */
START_TEST(check_is_broken_at_the_width)
{
    write_record("agent.start",
                 "{\"id\":\"a1\",\"adapter\":\"codex\",\"access\":{\"mode\":\"sandboxed\",\"reason\":"
                 "\"parent_unknown\"},\"checks\":[{\"name\":\"parent\",\"result\":\"failed\",\"saw\":"
                 "\"the records of the session that launches it say nothing of its sandbox at all\"}]}");
    ck_assert_ptr_nonnull(strstr(run_with("why a1", "LANG=C.UTF-8 COLUMNS=80", 0).out,
                                 "parent                 the records of the session that launches it\n"
                                 "                                  say nothing of its sandbox at all\n"));
}
END_TEST

START_TEST(failure_and_continuation_are_shown)
{
    struct answer a;

    write_record("agent.start", "{\"id\":\"a1\",\"adapter\":\"codex\",\"access\":{\"reason\":\"disabled\"}}");
    write_record(
        "agent.start",
        "{\"id\":\"a2\",\"adapter\":\"codex\",\"access\":{\"reason\":\"disabled\"},\"continues\":\"a1\"}");
    write_record("agent.failed", "{\"id\":\"a2\",\"errno\":\"ENOENT\"}");
    a = run("show");
    ck_assert_ptr_nonnull(strstr(a.out, "disabled   (in the process of a1)"));
    ck_assert_ptr_nonnull(strstr(a.out, "a2  the exec failed: ENOENT"));
    ck_assert_ptr_nonnull(strstr(run("why a2").out, "failed   the exec failed: ENOENT"));
    ck_assert_ptr_nonnull(strstr(run("why a2").out, "after    a1 in the same process"));
}
END_TEST

START_TEST(later_schemas_and_events_are_shown)
{
    struct answer a;

    write_record("agent.migrated", "{\"schema_version\":9,\"colour\":\"blue\"}");
    write_record(
        "agent.start",
        "{\"schema_version\":9,\"id\":\"a1\",\"adapter\":\"newcli\",\"access\":{\"reason\":\"new_reason\"},"
        "\"projection\":\"half-access\"}");
    a = run("show");
    ck_assert_int_eq(a.code, 0);
    ck_assert_ptr_nonnull(strstr(a.out, "agent.migrated"));
    ck_assert_ptr_nonnull(strstr(a.out, "\"colour\":\"blue\""));
    ck_assert_ptr_nonnull(strstr(a.out, "newcli"));
    ck_assert_ptr_nonnull(strstr(a.out, "– → half-access  new_reason"));
    ck_assert_int_eq(run("why a1").code, 0);
}
END_TEST

START_TEST(prune_removes_old_runs_whole)
{
    struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    const char *spool = mem_printf(mem, "tmp/haccess-%u/runs/" RUN "/journal.jsonl", (unsigned)geteuid());
    const char *paths[] = {mem_printf(mem, "%s/%s", top, state_file), mem_printf(mem, "%s/%s", top, spool)};
    char *text = tree_read(top, state_file);

    /* A record from long ago, so that both clocks agree. */
    for (char *at = text; (at = strstr(at, "\"ts\":\"2026")) != NULL; at++)
        memcpy(at + 6, "2001", 4);
    for (int i = 0; i < 2; i++) {
        unlink(paths[i]);
        tree_write(top, i == 0 ? state_file : spool, text, 0600);
        ck_assert_int_eq(utimensat(AT_FDCWD, paths[i], old, 0), 0);
    }
    free(text);
    ck_assert_ptr_nonnull(strstr(run("prune --older-than 90d -n").out, "would remove " RUN));
    ck_assert_int_eq(access(paths[0], F_OK), 0);
    ck_assert_int_eq(run("prune --older-than 90d").code, 0);
    ck_assert_int_eq(access(mem_printf(mem, "%s/state/runs/" RUN, top), F_OK), -1);
    ck_assert_int_eq(access(paths[1], F_OK), -1);
    ck_assert_int_eq(access(mem_printf(mem, "%s/state/runs/" OTHER, top), F_OK), 0);
}
END_TEST

START_TEST(follow_shows_what_is_written)
{
    char **argv = split(mem_printf(mem, "%s/haccess-log", build), "follow --since 2026-11-30T20:29:50"),
         **envp;
    int ends[2];
    char text[4096] = "";
    size_t have = 0;
    ssize_t n;
    pid_t pid;

    envp = environment("LANG=C.UTF-8");
    ck_assert_int_eq(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execve(argv[0], argv, envp);
        _exit(127);
    }
    close(ends[1]);
    usleep(200000);
    write_hostile("plain"); /* at 20:30:00 */
    alarm(20);
    while (strstr(text, "refused: plain") == NULL &&
           (n = read(ends[0], text + have, sizeof(text) - have - 1)) > 0)
        text[have += (size_t)n] = '\0';
    alarm(0);
    kill(pid, SIGTERM);
    status_code(pid);
    close(ends[0]);
    ck_assert_ptr_nonnull(strstr(text, "hostile\n"));
    ck_assert_ptr_null(strstr(text, "20:29:16"));
}
END_TEST

/* Runs it on a terminal. */
static char *
run_on_terminal(const char *words, const char *env)
{
    char **argv = split(mem_printf(mem, "%s/haccess-log", build), words), **envp = environment(env);
    struct winsize size = {24, 70, 0, 0};
    char *out;
    int fd;
    pid_t pid = forkpty(&fd, NULL, NULL, &size);

    ck_assert_int_ne(pid, -1);
    if (pid == 0) {
        execve(argv[0], argv, envp);
        _exit(127);
    }
    out = slurp_fd(fd);
    close(fd);
    ck_assert_int_eq(status_code(pid), 0);
    return out;
}

START_TEST(terminal_gets_colour_width_and_pager)
{
    char *out = run_on_terminal("show", "LANG=C.UTF-8 TERM=xterm HACCESS_PAGER=");

    ck_assert_ptr_nonnull(strstr(out, "\033[1;31m– → FULL\033[m"));
    out = run_on_terminal("show", "LANG=C.UTF-8 TERM=xterm HACCESS_PAGER= NO_COLOR=1");
    ck_assert_ptr_null(strchr(out, '\033'));
    ck_assert_ptr_nonnull(
        strstr(out, "\n                            refused: full_access_conflicts_with_policy"));
    out = run_on_terminal("show", "LANG=C.UTF-8 TERM=xterm HACCESS_PAGER=tac NO_COLOR=1");
    ck_assert_ptr_nonnull(strstr(out, "parent_sandboxed"));
    ck_assert(strstr(out, "parent_sandboxed") < strstr(out, "TIME"));
    out = run_on_terminal("show", "LANG=C.UTF-8 TERM=xterm PAGER=tac NO_COLOR=1");
    ck_assert(strstr(out, "parent_sandboxed") < strstr(out, "TIME"));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("log");
    TCase *given = tcase_create("fixtures"), *fresh = tcase_create("fresh");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(given, setup_fixtures, teardown);
    tcase_add_loop_test(given, view_looks_as_expected, 0, (int)(sizeof(looks) / sizeof(looks[0])));
    tcase_add_test(given, a_question_is_asked_of_all_runs);
    tcase_add_test(given, runs_are_listed);
    tcase_add_test(given, the_page_has_what_the_views_say);
    tcase_add_test(given, filters_filter);
    tcase_add_test(given, json_is_one_object_a_line);
    tcase_add_test(given, misuse_exits_two);
    tcase_add_test(given, verify_names_the_record);
    tcase_add_test(given, verify_names_a_torn_line);
    tcase_add_test(given, verify_names_an_open_file);
    tcase_add_test(given, mutated_journals_crash_nothing);
    tcase_add_test(given, memory_does_not_grow_with_the_journal);
    tcase_add_test(given, prune_removes_old_runs_whole);
    tcase_add_test(given, follow_shows_what_is_written);
    tcase_add_test(given, terminal_gets_colour_width_and_pager);
    tcase_add_checked_fixture(fresh, setup, teardown);
    tcase_add_test(fresh, no_control_character_reaches_the_terminal);
    tcase_add_test(fresh, fresh_journal_is_seen);
    tcase_add_test(fresh, observed_launch_is_shown_as_it_ran);
    tcase_add_test(fresh, observed_launch_without_a_difference_has_its_reason_only);
    tcase_add_test(fresh, observed_refusal_is_counted_by_its_code);
    tcase_add_test(fresh, check_is_broken_at_the_width);
    tcase_add_test(fresh, failure_and_continuation_are_shown);
    tcase_add_test(fresh, later_schemas_and_events_are_shown);
    suite_add_tcase(s, given);
    suite_add_tcase(s, fresh);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
