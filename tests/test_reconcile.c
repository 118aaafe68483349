/* haccess-log reconcile, on records that real CLIs wrote (fixtures/records) and journals that are written here. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/journal/journal.h"
#include "shim/journal/line.h"
#include "shim/journal/reader.h"
#include "shim/mem.h"
#include "tests/support/journal_place.h"
#include "tests/support/tree.h"

/* The sessions of the fixtures, and when they began on 2026-11-30. All are of /home/user/project, all were asked "hello" or "hi". */
#define CODEX_FULL    "2026/11/30/rollout-2026-11-30T20-29-25-01a22e25-e69c-76f0-a028-51377d5d8eaa.jsonl"
#define CODEX_WRITE   "2026/11/30/rollout-2026-11-30T20-29-38-01a22e26-192c-7ad3-b4af-29a072cce1f6.jsonl"
#define CODEX_READ    "2026/11/30/rollout-2026-11-30T20-29-39-01a22e26-1ba6-7881-bbed-e3c0f72150c9.jsonl"
#define CODEX_MIXED   "2026/11/30/rollout-2026-11-30T20-34-02-01a22e2a-21dc-7711-afa4-b7ae4779eb9e.jsonl"
#define CLAUDE_PLAN   "0b40df5d-ecf4-4e05-bf4f-0f34d2320243" /* 20:29:59 */
#define CLAUDE_EDITS  "cfa2db84-8863-4432-991c-07114949c908" /* 20:29:59 */
#define CLAUDE_ASKS   "3e281c9f-f7c8-42fe-aa84-c97df24861d2" /* 20:34:37, default */
#define CLAUDE_BYPASS "2f0028c6-c4d6-4771-adb3-896448d4d395" /* 20:34:43 */

static struct journal_place p;
static struct mem *m;

static void
setup(void)
{
    journal_place_open(&p);
    m = p.m;
    strings_add(m, &p.env, mem_printf(m, "F=%s/../fixtures/records", getenv("HACCESS_BUILD")));
    strings_add(m, &p.env, "C=home/.codex/sessions/2026/11/30");
    strings_add(m, &p.env, "P=home/.claude/projects/-home-user-project");
}

static void
teardown(void)
{
    journal_place_close(&p);
}

static int
run(const char *command)
{
    return journal_place_run(&p, command);
}

/* Lays a session's record out, last written at the end of that day. */
static void
codex(const char *name)
{
    ck_assert_int_eq(run(mem_printf(m,
                                    "mkdir -p $C && cp $F/codex-0.171/sessions/%s $C && chmod -R u+w home && "
                                    "touch -d 2026-11-30T23:00Z $C/*",
                                    name)),
                     0);
}

static void
claude(const char *id)
{
    ck_assert_int_eq(
        run(mem_printf(m,
                       "mkdir -p $P && cp $F/claude-2.1.197/projects/-home-user-project/%s.jsonl $P && "
                       "chmod -R u+w home && touch -d 2026-11-30T23:00Z $P/*",
                       id)),
        0);
}

/* Records a launch at a time of that day; more: members that replace or follow the usual ones. */
static void
record(const char *run_id, const char *id, const char *time, const char *event, const char *fields)
{
    p.now = record_time(mem_printf(m, "2026-11-30T%sZ", time));
    journal_place_append(&p, run_id, false, event, mem_printf(m, "{\"id\":\"%s\",%s}", id, fields));
}

#define LAUNCH(adapter, got, more)                                                                           \
    "\"adapter\":\"" adapter                                                                                 \
    "\",\"class\":\"session\",\"cwd\":\"/home/user/project\",\"request\":{\"access\":\""                     \
    "unspecified\",\"interactive\":false},\"projection\":\"" got "\"" more

static void
launch(const char *id, const char *time, const char *fields)
{
    record("r", id, time, "agent.start", fields);
}

/* What reconcile says of a launch, and that its exit status is 1 when anything is wider. */
static const char *
result_of(const char *id)
{
    const char *mark = mem_printf(m, "\"id\":\"%s\"", id), *line, *result, *text;
    int code = run("haccess-log reconcile --json");

    ck_assert_str_eq(p.last.err, "");
    ck_assert_int_eq(code, strstr(p.last.out, "\"result\":\"wider\"") != NULL);
    line = strstr(p.last.out, mark);
    ck_assert_msg(line != NULL, "no %s: %s", id, p.last.out);
    result = strstr(line, "\"result\":\"") + 10;
    text = mem_strndup(m, result, strcspn(result, "\""));
    return text;
}

static bool
said(const char *text)
{
    return strstr(p.last.out, text) != NULL;
}

/* Each mode against each grant. */
START_TEST(codex_mode_is_compared_with_the_grant)
{
    static const struct {
        const char *record, *time, *got, *result;
    } cases[] = {
        {CODEX_FULL, "20:29:25", "full-access", "agreed"},
        {CODEX_FULL, "20:29:25", "workspace-write", "wider"},
        {CODEX_FULL, "20:29:25", "read-only", "wider"},
        {CODEX_FULL, "20:29:25", "vendor-default", "wider"},
        {CODEX_WRITE, "20:29:38", "full-access", "narrower"},
        {CODEX_WRITE, "20:29:38", "workspace-write", "agreed"},
        {CODEX_WRITE, "20:29:38", "read-only", "wider"},
        {CODEX_WRITE, "20:29:38", "vendor-default", "agreed"},
        {CODEX_READ, "20:29:39", "full-access", "narrower"},
        {CODEX_READ, "20:29:39", "workspace-write", "narrower"},
        {CODEX_READ, "20:29:39", "read-only", "agreed"},
        {CODEX_READ, "20:29:39", "vendor-default", "agreed"},
    };

    codex(cases[_i].record);
    launch("a1", mem_printf(m, "%s.000", cases[_i].time),
           mem_printf(m, LAUNCH("codex", "%s", ""), cases[_i].got));
    ck_assert_str_eq(result_of("a1"), cases[_i].result);
    ck_assert(said("\"found_by\":\"time and directory\""));
}
END_TEST

START_TEST(claude_mode_is_compared_with_the_grant)
{
    static const struct {
        const char *record, *time, *got, *mode, *result;
    } cases[] = {
        {CLAUDE_BYPASS, "20:34:43", "full-access", "bypassPermissions", "agreed"},
        {CLAUDE_BYPASS, "20:34:43", "workspace-write", "acceptEdits", "wider"},
        {CLAUDE_BYPASS, "20:34:43", "vendor-default", NULL, "wider"},
        {CLAUDE_ASKS, "20:34:37", "full-access", "bypassPermissions", "narrower"},
        {CLAUDE_ASKS, "20:34:37", "workspace-write", "default", "agreed"},
        {CLAUDE_ASKS, "20:34:37", "workspace-write", "acceptEdits", "narrower"},
        {CLAUDE_ASKS, "20:34:37", "vendor-default", NULL, "agreed"},
        {CLAUDE_EDITS, "20:29:59", "workspace-write", "acceptEdits", "agreed"},
        {CLAUDE_EDITS, "20:29:59", "workspace-write", "plan", "wider"},
        {CLAUDE_EDITS, "20:29:59", "read-only", "default", "wider"},
        {CLAUDE_EDITS, "20:29:59", "read-only", NULL, "wider"},
        {CLAUDE_PLAN, "20:29:59", "read-only", "plan", "agreed"},
        {CLAUDE_PLAN, "20:29:59", "read-only", "default", "narrower"},
    };
    const char *mode = cases[_i].mode;

    claude(cases[_i].record);
    launch(
        "a1", mem_printf(m, "%s.000", cases[_i].time),
        mem_printf(m, LAUNCH("claude-code", "%s", "%s"), cases[_i].got,
                   mode == NULL
                       ? ""
                       : mem_printf(m, ",\"argv_rendered\":[\"claude\",\"-p\",\"--permission-mode\",\"%s\"]",
                                    mode)));
    ck_assert_str_eq(result_of("a1"), cases[_i].result);
}
END_TEST

/* What widened once was wide, whatever the session ended with. */
START_TEST(widest_turn_counts)
{
    codex(CODEX_MIXED);
    launch("a1", "20:34:02.000", LAUNCH("codex", "workspace-write", ""));
    ck_assert_str_eq(result_of("a1"), "wider");
    run("sed -i '/turn_context/{/20:34:0\\|danger/d}' $C/*; touch -d 2026-11-30T23:00Z $C/*");
    ck_assert_str_eq(result_of("a1"), "agreed");
}
END_TEST

/* A resumed session has the turns of other launches in front. */
START_TEST(turns_before_a_launch_are_not_its_own)
{
    codex(CODEX_MIXED);
    launch("a1", "20:34:26.500",
           LAUNCH("codex", "read-only",
                  ",\"argv_rendered\":[\"codex\",\"exec\",\"resume\","
                  "\"01a22e2a-21dc-7711-afa4-b7ae4779eb9e\"]"));
    ck_assert_str_eq(result_of("a1"), "wider"); /* later ones are, as far as it can tell */
    launch("a2", "20:34:27.450",
           LAUNCH("codex", "full-access",
                  ",\"argv_rendered\":[\"codex\",\"exec\",\"resume\","
                  "\"01a22e2a-21dc-7711-afa4-b7ae4779eb9e\"]"));
    ck_assert_str_eq(result_of("a1"), "agreed");
    ck_assert_str_eq(result_of("a2"), "agreed");
    ck_assert(said("\"found_by\":\"session id\""));
}
END_TEST

/* Its words are kept as hashes, by which the id is found all the same. */
START_TEST(session_is_found_by_the_id_that_the_launch_names)
{
    static const char *const words[] = {"--session-id=" CLAUDE_BYPASS, CLAUDE_BYPASS};
    char hex[HASH_SIZE];

    claude(CLAUDE_BYPASS);
    claude(CLAUDE_ASKS);
    hash_bytes(words[_i], strlen(words[_i]), hex);
    launch(
        "a1", "20:34:36.000",
        mem_printf(
            m,
            LAUNCH(
                "claude-code", "full-access",
                ",\"argv_rendered\":[\"claude\",\"-p\",\"--session-id\",{\"bytes\":%zu,\"sha256\":\"%s\"}]"),
            strlen(words[_i]), hex));
    ck_assert_str_eq(result_of("a1"), "agreed");
    ck_assert(said("\"found_by\":\"session id\""));
    ck_assert(said(CLAUDE_BYPASS) && !said(CLAUDE_ASKS));
}
END_TEST

/* Two sessions, one launch: nothing is guessed. */
START_TEST(two_candidates_are_unclear)
{
    codex(CODEX_WRITE);
    codex(CODEX_READ);
    launch("a1", "20:29:38.000", LAUNCH("codex", "workspace-write", ""));
    ck_assert_str_eq(result_of("a1"), "unclear");
    ck_assert(said("2 sessions that may be its"));
    ck_assert(said(&CODEX_WRITE[11]) && said(&CODEX_READ[11]));
}
END_TEST

START_TEST(two_launches_of_one_session_are_unclear)
{
    codex(CODEX_WRITE);
    launch("a1", "20:29:37.000", LAUNCH("codex", "workspace-write", ""));
    launch("a2", "20:29:38.000", LAUNCH("codex", "workspace-write", ""));
    ck_assert_str_eq(result_of("a1"), "unclear");
    ck_assert_str_eq(result_of("a2"), "unclear");
}
END_TEST

/* Whichever of two launches it was. */
START_TEST(more_wide_sessions_than_grants_are_wider)
{
    codex(CODEX_FULL);
    codex(CODEX_WRITE);
    launch("a1", "20:29:24.000", LAUNCH("codex", "workspace-write", ""));
    launch("a2", "20:29:25.000", LAUNCH("codex", "workspace-write", ""));
    ck_assert_str_eq(result_of("a1"), "wider");
    ck_assert_str_eq(result_of("a2"), "wider");
    ck_assert(said("more ran so wide than were granted it"));
}
END_TEST

START_TEST(as_many_wide_sessions_as_grants_are_unclear)
{
    codex(CODEX_FULL);
    codex(CODEX_WRITE);
    launch("a1", "20:29:24.000", LAUNCH("codex", "workspace-write", ""));
    launch("a2", "20:29:25.000", LAUNCH("codex", "full-access", ""));
    ck_assert_str_eq(result_of("a1"), "unclear");
    ck_assert_str_eq(result_of("a2"), "unclear");
}
END_TEST

/* The first words of the user tell sessions of one directory apart. */
START_TEST(prompt_tells_sessions_apart)
{
    static const char *const words[] = {"one", "two"};
    char hex[2][HASH_SIZE];

    codex(CODEX_FULL);
    codex(CODEX_WRITE);
    run("sed -i 's/\"text\":\"hello\"/\"text\":\"one\"/' $C/*25-01a22e25*; sed -i "
        "'s/\"text\":\"hello\"/\"text\":\"two\"/' "
        "$C/*38-01a22e26*; touch -d 2026-11-30T23:00Z $C/*");
    for (int i = 0; i < 2; i++) {
        hash_bytes(words[i], 3, hex[i]);
        launch(i == 0 ? "a1" : "a2", "20:29:25.000",
               mem_printf(m,
                          LAUNCH("codex", "%s",
                                 ",\"argv_rendered\":[\"codex\",\"exec\",{\"bytes\":3,\"sha256\":\"%s\"}]"),
                          i == _i ? "full-access" : "workspace-write", hex[i]));
    }
    ck_assert_str_eq(result_of("a1"), _i == 0 ? "agreed" : "wider");
    ck_assert(said("\"found_by\":\"prompt\""));
    ck_assert_str_eq(result_of("a2"), _i == 0 ? "agreed" : "narrower");
}
END_TEST

/* The same prompt twice says nothing. */
START_TEST(one_prompt_of_two_sessions_is_unclear)
{
    char hex[HASH_SIZE];

    codex(CODEX_FULL);
    codex(CODEX_WRITE);
    hash_bytes("hello", 5, hex);
    launch("a1", "20:29:25.000",
           mem_printf(m,
                      LAUNCH("codex", "full-access",
                             ",\"argv_rendered\":[\"codex\",\"exec\",{\"bytes\":5,\"sha256\":\"%s\"}]"),
                      hex));
    ck_assert_str_eq(result_of("a1"), "unclear");
}
END_TEST

/* What is piped to a CLI is put beside its prompt. */
START_TEST(prompt_is_found_beside_what_was_piped)
{
    static const struct {
        const char *text, *by;
    } cases[] = {{"say\\\\n\\\\n<stdin>", "prompt"},
                 {"piped\\\\n\\\\nsay", "prompt"},
                 {"say", "prompt"},
                 {"sayings", NULL},
                 {"hearsay", NULL}};
    char hex[HASH_SIZE];

    codex(CODEX_FULL);
    codex(CODEX_WRITE);
    run(mem_printf(
        m, "sed -i 's/\"text\":\"hello\"/\"text\":\"%s\"/' $C/*25-01a22e25*; touch -d 2026-11-30T23:00Z $C/*",
        cases[_i].text));
    hash_bytes("say", 3, hex);
    launch("a1", "20:29:25.000",
           mem_printf(m,
                      LAUNCH("codex", "full-access",
                             ",\"argv_rendered\":[\"codex\",\"exec\",{\"bytes\":3,\"sha256\":\"%s\"}]"),
                      hex));
    ck_assert_str_eq(result_of("a1"), cases[_i].by == NULL ? "unclear" : "agreed");
    ck_assert(said("\"found_by\":\"prompt\"") == (cases[_i].by != NULL));
}
END_TEST

/* The only session there is may still be another's; one that is wider is told all the same. */
START_TEST(only_session_with_another_prompt_is_no_agreement)
{
    static const struct {
        const char *got, *words, *result;
    } cases[] = {{"full-access", "\"exec\",\"something else\"", "unclear"},
                 {"full-access", "\"exec\",\"hello\"", "agreed"},
                 {"full-access", "\"exec\"", "agreed"},
                 {"workspace-write", "\"exec\",\"something else\"", "wider"}};

    codex(CODEX_FULL);
    launch("a1", "20:29:25.000",
           mem_printf(m, LAUNCH("codex", "%s", ",\"argv_rendered\":[\"codex\",%s]"), cases[_i].got,
                      cases[_i].words));
    ck_assert_str_eq(result_of("a1"), cases[_i].result);
}
END_TEST

START_TEST(sessions_of_other_times_and_places_are_not_its)
{
    codex(CODEX_FULL);
    launch("a1", "20:29:35.000", LAUNCH("codex", "workspace-write", "")); /* began after it */
    launch("a2", "20:20:00.000", LAUNCH("codex", "workspace-write", ""));
    launch("a3", "20:29:25.000", LAUNCH("claude-code", "workspace-write", ""));
    launch("a4", "20:29:25.000",
           "\"adapter\":\"codex\",\"class\":\"session\",\"cwd\":\"/home/user/"
           "other\",\"projection\":\"workspace-write\"");
    for (int i = 1; i <= 4; i++)
        ck_assert_str_eq(result_of(mem_printf(m, "a%d", i)), "no-record");
}
END_TEST

/* The launch of another run may be what a session belongs to. */
START_TEST(launches_of_other_runs_compete)
{
    codex(CODEX_WRITE);
    record("other", "a1", "20:29:37.000", "agent.start", LAUNCH("codex", "workspace-write", ""));
    launch("a1", "20:29:38.000", LAUNCH("codex", "workspace-write", ""));
    run("haccess-log reconcile --json r");
    ck_assert(said("\"result\":\"unclear\"") && !said("\"run_id\":\"other\""));
}
END_TEST

START_TEST(what_ran_nothing_has_no_record)
{
    codex(CODEX_FULL);
    record("r", "a1", "20:29:25.000", "agent.refused", LAUNCH("codex", "workspace-write", ""));
    launch("a2", "20:29:25.000", LAUNCH("codex", "workspace-write", ""));
    record("r", "a2", "20:29:25.000", "agent.failed", "\"errno\":\"ENOENT\"");
    launch("a3", "20:29:25.000", LAUNCH("opencode", "vendor-default", ""));
    launch("a4", "20:29:25.000", LAUNCH("codex", "workspace-write", ",\"x\":1"));
    launch("a5", "20:29:25.100", LAUNCH("codex", "full-access", ",\"continues\":\"a4\""));
    ck_assert_str_eq(result_of("a2"), "no-record");
    ck_assert_str_eq(result_of("a3"), "no-record");
    ck_assert_str_eq(result_of("a4"), "no-record");
    ck_assert(said("it went on as a5"));
    ck_assert_str_eq(result_of("a5"), "agreed");
    ck_assert(!said("\"id\":\"a1\""));
}
END_TEST

/* Observed launches ran as they asked. */
START_TEST(observed_launch_is_compared_with_what_it_asked)
{
    codex(CODEX_FULL);
    launch("a1", "20:29:25.000",
           "\"adapter\":\"codex\",\"class\":\"session\",\"cwd\":\"/home/user/project\",\"observed\":true,"
           "\"request\":{\"access\":\"full-access\"},\"projection\":\"workspace-write\"");
    ck_assert_str_eq(result_of("a1"), "agreed");
}
END_TEST

/* The strictest reading: of what cannot be read nothing is agreed. */
START_TEST(record_that_cannot_be_read_is_unclear)
{
    static const char *const damage[] = {
        "echo '{\"timestamp\":\"2026-11-30T20:29:50.000Z\",\"type\":\"turn_context\"' | tee -a $C/*.jsonl >x",
        ("printf '{\"timestamp\":\"2026-11-30T20:29:50.000Z\",\"type\":\"turn_context\",\"payload\":{}}\\n' "
         "| tee -a $C/*.jsonl >x"),
        "{ printf '{\"a\":\"\"turn_context\"'; head -c 1100000 /dev/zero | tr '\\0' x; echo; } | tee -a "
        "$C/*.jsonl >x",
        "sed -i 's/\"type\":\"workspace-write\",/&\"type\":\"read-only\",/' $C/*.jsonl",
    };

    codex(CODEX_WRITE);
    launch("a1", "20:29:38.000", LAUNCH("codex", "workspace-write", ""));
    ck_assert_str_eq(result_of("a1"), "agreed");
    ck_assert_int_eq(run(damage[_i]), 0);
    run("touch -d 2026-11-30T23:00Z $C/*");
    ck_assert_str_eq(result_of("a1"), "unclear");
}
END_TEST

/* A mode that is not known, and one that says less than it does. */
START_TEST(what_may_be_wider_is_wider)
{
    static const char *const changes[] = {
        ("s/\"sandbox_policy\":{\"type\":\"workspace-write\"/"
         "\"sandbox_policy\":{\"type\":\"external-sandbox\"/"),
        "s/\"sandbox_policy\":{\"type\":\"workspace-write\"/&,\"writable_roots\":[\"\\/tmp\",\"\\/\"]/",
        "s/\"permission_profile\":{\"type\":\"managed\"/\"permission_profile\":{\"type\":\"disabled\"/",
        "s|\"sandbox_policy\":{\"type\":\"workspace-write\"|&,\"writable_roots\":[\"\\\\/\"]|",
        "s|\"sandbox_policy\":{\"type\":\"workspace-write\"|&,\"writable_roots\":[\"/./\"]|",
        "s|{\"type\":\"special\",\"value\":{\"kind\":\"tmpdir\"}}|{\"type\":\"path\",\"path\":\"/\"}|",
        "s|\"value\":{\"kind\":\"tmpdir\"}|\"value\": {\"kind\": \"root\"}|",
        "s|\"file_system\":{\"type\":\"restricted\"|\"file_system\":{\"type\":\"other\"|",
    };

    codex(CODEX_WRITE);
    launch("a1", "20:29:38.000", LAUNCH("codex", "workspace-write", ""));
    run(mem_printf(m, "sed -i '%s' $C/*.jsonl; touch -d 2026-11-30T23:00Z $C/*", changes[_i]));
    ck_assert_str_eq(result_of("a1"), "wider");
}
END_TEST

/* Codex enforces the profile; the policy beside it is an older word for it. */
START_TEST(profile_that_writes_is_not_read_only)
{
    codex(CODEX_READ);
    launch("a1", "20:29:38.000", LAUNCH("codex", "read-only", ""));
    ck_assert_str_eq(result_of("a1"), "agreed");
    run("sed -i 's|\"entries\":\\[|&{\"access\":\"write\",\"path\":{\"type\":\"path\",\"path\":\"/srv\"}},|' "
        "$C/*.jsonl; "
        "touch -d 2026-11-30T23:00Z $C/*");
    ck_assert_str_eq(result_of("a1"), "wider");
    ck_assert(said("read-only, writing by its profile"));
}
END_TEST

/* Claude Code writes its mode without a time as well. In a session that was taken up again, whose it is need not be known. */
START_TEST(mode_without_a_time_counts)
{
    static const struct {
        const char *where, *time, *result;
    } cases[] = {{"$a", "20:34:37", "wider"},
                 {"1i", "20:34:37", "wider"},
                 {"$a", "20:34:50", "wider"},
                 {"1i", "20:34:50", "agreed"},
                 {"3a", "20:34:50", "unclear"}};
    const char *words = ",\"argv_rendered\":[\"claude\",\"--resume\",\"" CLAUDE_ASKS "\"]";

    claude(CLAUDE_ASKS);
    /* A later turn of the same session, in the same mode. */
    run("sed '3!d;s/20:34:37/20:34:55/' $P/*.jsonl >x; cat x >>$P/" CLAUDE_ASKS ".jsonl");
    run(mem_printf(
        m,
        "sed -i '%s {\"type\":\"permission-mode\",\"permissionMode\":\"bypassPermissions\"}' $P/*.jsonl; "
        "touch -d 2026-11-30T23:00Z $P/*",
        cases[_i].where));
    launch("a1", mem_printf(m, "%s.000", cases[_i].time),
           mem_printf(m, LAUNCH("claude-code", "vendor-default", "%s"), words));
    ck_assert_str_eq(result_of("a1"), cases[_i].result);
}
END_TEST

/* What the session was told is no record of it. */
START_TEST(quoted_records_do_not_count)
{
    codex(CODEX_WRITE);
    launch("a1", "20:29:38.000", LAUNCH("codex", "workspace-write", ""));
    run("echo "
        "'{\"timestamp\":\"2026-11-30T20:29:50.000Z\",\"type\":\"response_item\",\"payload\":{\"type\":"
        "\"turn_context\","
        "\"sandbox_policy\":{\"type\":\"danger-full-access\"}}}' | tee -a $C/*.jsonl >x; touch -d "
        "2026-11-30T23:00Z "
        "$C/*");
    ck_assert_str_eq(result_of("a1"), "agreed");
}
END_TEST

/* As for evidence: a link, or somebody else's file, is no record. */
START_TEST(links_and_other_files_are_passed_over)
{
    codex(CODEX_FULL);
    launch("a1", "20:29:25.000", LAUNCH("codex", "full-access", ""));
    ck_assert_int_eq(
        run("cd $C && for f in *; do mv $f ../x && ln -s ../x $f; done; mkfifo rollout-x.jsonl; mkdir "
            "rollout-y.jsonl; : >rollout-z.jsonl; echo null >rollout-w.jsonl"),
        0);
    ck_assert_str_eq(result_of("a1"), "no-record");
    /* A directory may be linked: the same file by two names is one. */
    run("cd $C && rm -rf * && mv ../x rollout-x.jsonl && ln -s 30 ../29");
    ck_assert_str_eq(result_of("a1"), "agreed");
}
END_TEST

START_TEST(homes_that_the_environment_names_are_searched)
{
    codex(CODEX_FULL);
    claude(CLAUDE_ASKS);
    launch("a1", "20:29:25.000", LAUNCH("codex", "full-access", ""));
    launch("a2", "20:34:37.000", LAUNCH("claude-code", "vendor-default", ""));
    run("mv home/.codex x; mv home/.claude y; CODEX_HOME=$PWD/x CLAUDE_CONFIG_DIR=$PWD/y haccess-log "
        "reconcile");
    ck_assert(said("2 launches: 2 agreed\n"));
    run("haccess-log reconcile");
    ck_assert(said("2 launches: 2 no record\n"));
}
END_TEST

START_TEST(table_names_the_record_and_fits)
{
    codex(CODEX_FULL);
    claude(CLAUDE_ASKS);
    launch("a1", "20:29:25.000", LAUNCH("codex", "workspace-write", ""));
    launch("a2", "20:34:37.000", LAUNCH("claude-code", "vendor-default", ""));
    launch("a3", "20:40:00.000", LAUNCH("codex", "workspace-write", ""));
    ck_assert_int_eq(run("COLUMNS=80 haccess-log reconcile"), 1);
    ck_assert(said("r\nTIME      ID  ADAPTER  GRANTED          RAN WITH            RESULT\n"
                   "20:29:25  a1  codex    workspace-write  danger-full-access  wider than granted\n"
                   "          ~/.codex/sessions/2026/11/30/rollout-2026-11-30T20-29-25-01a22e25-"));
    ck_assert(said("20:34:37  a2  claude   vendor-default   default             agreed\n"));
    ck_assert(said("\n3 launches: 1 agreed, 1 wider than granted, 1 no record\n"));
}
END_TEST

START_TEST(filters_choose_the_launches)
{
    codex(CODEX_FULL);
    launch("a1", "20:29:25.000", LAUNCH("codex", "workspace-write", ""));
    launch("a2", "20:34:37.000", LAUNCH("claude-code", "vendor-default", ""));
    record("s", "a1", "20:50:00.000", "agent.start", LAUNCH("codex", "workspace-write", ""));
    ck_assert_int_eq(run("haccess-log reconcile r --adapter claude"), 0);
    ck_assert(said("1 launch: 1 no record\n"));
    ck_assert_int_eq(run("haccess-log reconcile"), 0); /* the newest */
    ck_assert_int_eq(run("haccess-log reconcile --since 2026-11-30T20:00"), 1);
    ck_assert(said("3 launches: 1 wider than granted, 2 no record\n"));
    ck_assert_int_eq(run("haccess-log reconcile --since 2026-11-30T20:49"), 0);
    ck_assert(said("1 launch: 1 no record\n"));
    ck_assert_int_eq(run("haccess-log reconcile --refused"), 0);
    ck_assert_str_eq(p.last.out, "no such launches\n");
    ck_assert_int_eq(run("haccess-log reconcile nothing"), 1);
}
END_TEST

/* What a session's record holds is shown as text. */
START_TEST(hostile_records_are_shown_through_vis)
{
    codex(CODEX_FULL);
    launch("a1", "20:29:25.000", LAUNCH("codex", "workspace-write", ""));
    run("sed -i 's/\"type\":\"danger-full-access\"/\"type\":\"\\\\u001b[31mx\\xc2\\x9by\\x7f\"/' $C/*.jsonl; "
        "touch -d 2026-11-30T23:00Z $C/*");
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(run(i == 0 ? "haccess-log reconcile" : "haccess-log reconcile --json"), 1);
        for (const char *c = p.last.out; *c != '\0'; c++)
            ck_assert(((unsigned char)*c >= 0x20 && *c != 0x7f) || *c == '\n');
        ck_assert_ptr_null(strstr(p.last.out, "\xc2\x9b"));
    }
}
END_TEST

/* Thousands of launches and sessions of one directory take no time. */
START_TEST(crowds_take_no_time)
{
    FILE *f;

    codex(CODEX_WRITE);
    run("cd $C && for i in 1 2 3 4 5 6 7 8; do mkdir -p $i; done; rm -rf ?; set -- *; i=0; while [ $i -lt "
        "600 ]; do "
        "cp $1 rollout-$i.jsonl; i=$((i+1)); done; touch -d 2026-11-30T23:00Z *");
    tree_mkdir(p.top, "state/runs/r");
    f = fopen(mem_printf(m, "%s/state/runs/r/journal.jsonl", p.top), "w");
    for (int i = 0; i < 3000; i++)
        fprintf(f,
                "{\"run_id\":\"r\",\"ts\":\"2026-11-30T20:29:%02d.%03dZ\",\"event\":\"agent.start\",\"id\":"
                "\"a%d\"," LAUNCH("codex", "workspace-write", "") "}\n",
                20 + i / 200, i % 1000, i);
    fclose(f);
    ck_assert_int_eq(run("timeout 20 haccess-log reconcile"), 0);
    ck_assert(said("3000 launches: "));
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("reconcile");
    TCase *t = tcase_create("reconcile");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, codex_mode_is_compared_with_the_grant, 0, 12);
    tcase_add_loop_test(t, claude_mode_is_compared_with_the_grant, 0, 13);
    tcase_add_test(t, widest_turn_counts);
    tcase_add_test(t, turns_before_a_launch_are_not_its_own);
    tcase_add_loop_test(t, session_is_found_by_the_id_that_the_launch_names, 0, 2);
    tcase_add_test(t, two_candidates_are_unclear);
    tcase_add_test(t, two_launches_of_one_session_are_unclear);
    tcase_add_test(t, more_wide_sessions_than_grants_are_wider);
    tcase_add_test(t, as_many_wide_sessions_as_grants_are_unclear);
    tcase_add_loop_test(t, prompt_tells_sessions_apart, 0, 2);
    tcase_add_test(t, one_prompt_of_two_sessions_is_unclear);
    tcase_add_loop_test(t, prompt_is_found_beside_what_was_piped, 0, 5);
    tcase_add_loop_test(t, only_session_with_another_prompt_is_no_agreement, 0, 4);
    tcase_add_test(t, sessions_of_other_times_and_places_are_not_its);
    tcase_add_test(t, launches_of_other_runs_compete);
    tcase_add_test(t, what_ran_nothing_has_no_record);
    tcase_add_test(t, observed_launch_is_compared_with_what_it_asked);
    tcase_add_loop_test(t, record_that_cannot_be_read_is_unclear, 0, 4);
    tcase_add_loop_test(t, what_may_be_wider_is_wider, 0, 8);
    tcase_add_test(t, profile_that_writes_is_not_read_only);
    tcase_add_loop_test(t, mode_without_a_time_counts, 0, 5);
    tcase_add_test(t, quoted_records_do_not_count);
    tcase_add_test(t, links_and_other_files_are_passed_over);
    tcase_add_test(t, homes_that_the_environment_names_are_searched);
    tcase_add_test(t, table_names_the_record_and_fits);
    tcase_add_test(t, filters_choose_the_launches);
    tcase_add_test(t, hostile_records_are_shown_through_vis);
    tcase_add_test(t, crowds_take_no_time);
    suite_add_tcase(s, t);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
