/* The writer's rules, journal specification. */
#include "shim/journal/journal.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shim/journal/line.h"
#include "shim/journal/place.h"
#include "tests/support/tree.h"

#define RUN "run-20261130T202915Z-3fa91c"

static char *top;
static struct mem *mem;
static struct journal_host where;

static void
setup(void)
{
    mem = mem_new();
    top = tree_new();
    where.state = mem_printf(mem, "%s/a/b/state", top);
    where.spool = mem_printf(mem, "%s/tmp", top);
    where.uid = geteuid();
    where.now = 1796070555123; /* 2026-11-30T20:29:15.123Z */
    ck_assert_int_eq(mkdir(where.spool, 0755), 0);
}

static void
teardown(void)
{
    tree_remove(top);
    free(top);
    mem_free(mem);
}

static const char *
state_file(void)
{
    return mem_printf(mem, "%s/runs/" RUN "/journal.jsonl", where.state);
}

static const char *
spool_file(void)
{
    return mem_printf(mem, "%s/haccess-%u/runs/" RUN "/journal.jsonl", where.spool, (unsigned)where.uid);
}

static char *
slurp(const char *path, size_t *n)
{
    int fd = open(path, O_RDONLY);
    struct stat st;
    char *text;

    ck_assert_msg(fd != -1, "%s: %s", path, strerror(errno));
    ck_assert_int_eq(fstat(fd, &st), 0);
    text = mem_alloc(mem, (size_t)st.st_size + 1);
    ck_assert_int_eq(read(fd, text, (size_t)st.st_size), st.st_size);
    close(fd);
    if (n != NULL)
        *n = (size_t)st.st_size;
    return text;
}

static void
spill(const char *path, const char *text, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

    ck_assert_int_ne(fd, -1);
    ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
    close(fd);
}

static struct journal *
open_journal(void)
{
    const char *problem = NULL;
    struct journal *j = journal_open(&where, mem, RUN, &problem);

    ck_assert_msg(j != NULL, "%s", problem);
    return j;
}

static int
append_launch(struct journal *j, const char *id)
{
    cJSON *fields = cJSON_CreateObject();

    cJSON_AddStringToObject(fields, "id", id);
    cJSON_AddStringToObject(fields, "adapter", "codex");
    return journal_append(j, "agent.start", fields);
}

/* One launch in a journal that is opened for it. Returns its id. */
static const char *
launch(void)
{
    struct journal *j = open_journal();
    const char *id = journal_next_id(j);

    ck_assert_int_eq(append_launch(j, id), 0);
    journal_close(j);
    return id;
}

/* Checks seq and prev of each line. Returns how many lines there are; torn ones are counted in *unreadable. */
static int
check_chain(const char *path, int *unreadable)
{
    static struct lines_on l;
    char prev[HASH_SIZE];
    struct line line;
    int n = 0, bad = 0, r;

    memset(&l, 0, sizeof(l));
    l.fd = open(path, O_RDONLY);
    l.hash = true;
    ck_assert_int_ne(l.fd, -1);
    memcpy(prev, hash_zero, sizeof(prev));
    while ((r = line_on(&l, &line)) == 1) {
        cJSON *record = line_record(&line);

        if (record == NULL) {
            bad++;
        } else {
            ck_assert_int_eq(record_seq(record), n);
            ck_assert_str_eq(record_string(record, "prev"), prev);
        }
        cJSON_Delete(record);
        memcpy(prev, l.sha256, sizeof(prev));
        n++;
    }
    ck_assert_int_eq(r, 0);
    close(l.fd);
    if (unreadable != NULL)
        *unreadable = bad;
    else
        ck_assert_int_eq(bad, 0);
    return n;
}

START_TEST(envelope_comes_first_and_chains)
{
    struct journal *j = open_journal();
    char *text, *second, expected[HASH_SIZE];

    ck_assert(journal_empty(j));
    ck_assert(!journal_spooled(j));
    ck_assert_str_eq(journal_path(j), state_file());
    ck_assert_int_eq(append_launch(j, journal_next_id(j)), 0);
    ck_assert(!journal_empty(j));
    ck_assert_int_eq(append_launch(j, journal_next_id(j)), 0);
    ck_assert_int_eq(journal_sync(j), 0);
    journal_close(j);
    text = slurp(state_file(), NULL);
    second = strchr(text, '\n') + 1;
    hash_bytes(text, (size_t)(second - 1 - text), expected);
    ck_assert_str_eq(text,
                     mem_printf(mem,
                                "{\"schema_version\":1,\"run_id\":\"" RUN
                                "\",\"seq\":0,\"ts\":\"2026-11-30T20:29:15.123Z\",\"event\":\"agent.start\","
                                "\"prev\":\"%s\",\"id\":\"a1\",\"adapter\":\"codex\"}\n"
                                "{\"schema_version\":1,\"run_id\":\"" RUN
                                "\",\"seq\":1,\"ts\":\"2026-11-30T20:29:15.123Z\",\"event\":\"agent.start\","
                                "\"prev\":\"%s\",\"id\":\"a2\",\"adapter\":\"codex\"}\n",
                                hash_zero, expected));
}
END_TEST

START_TEST(reopened_journal_goes_on)
{
    ck_assert_str_eq(launch(), "a1");
    ck_assert_str_eq(launch(), "a2");
    ck_assert_str_eq(launch(), "a3");
    ck_assert_int_eq(check_chain(state_file(), NULL), 3);
}
END_TEST

static mode_t
mode_of(const char *path)
{
    struct stat st;

    ck_assert_int_eq(lstat(path, &st), 0);
    return st.st_mode & 07777;
}

START_TEST(modes_whatever_the_umask)
{
    mode_t before = umask((mode_t)(_i == 0 ? 0 : 0777));

    launch();
    umask(before);
    ck_assert_int_eq(mode_of(state_file()), 0600);
    ck_assert_int_eq(mode_of(mem_printf(mem, "%s/runs/" RUN, where.state)), 0700);
    ck_assert_int_eq(mode_of(mem_printf(mem, "%s/runs", where.state)), 0700);
    ck_assert_int_eq(mode_of(where.state), 0700);
    ck_assert_int_eq(mode_of(mem_printf(mem, "%s/a", top)), 0700);
}
END_TEST

START_TEST(run_id_is_validated)
{
    static const char *const bad[] = {"", ".", "..", "../x", "a/b", "-x", "_x", "a b", "a\n", "\xff"};
    const char *problem;
    char name[202];

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        problem = NULL;
        ck_assert_ptr_null(journal_open(&where, mem, bad[i], &problem));
        ck_assert_ptr_nonnull(problem);
    }
    memset(name, 'a', sizeof(name) - 1);
    name[201] = '\0';
    ck_assert(!run_id_valid(name));
    name[200] = '\0';
    ck_assert(run_id_valid(name));
    ck_assert(run_id_valid("0.-_"));
}
END_TEST

START_TEST(torn_line_is_completed_and_kept)
{
    static const char torn[] = "{\"schema_version\":1,\"run_id\":\"" RUN "\",\"seq\":1,\"ts\":\"2026-";
    int unreadable;
    char *text;

    launch();
    spill(state_file(), torn, sizeof(torn) - 1);
    /* The torn record may have been a2, and that launch may be running. */
    ck_assert_str_eq(launch(), "a3");
    ck_assert_str_eq(launch(), "a4");
    text = slurp(state_file(), NULL);
    ck_assert_ptr_nonnull(strstr(text, mem_printf(mem, "\n%s\n{", torn)));
    ck_assert_int_eq(check_chain(state_file(), &unreadable), 4);
    ck_assert_int_eq(unreadable, 1);
}
END_TEST

START_TEST(forged_lines_do_no_harm)
{
    static const char *const lines[] = {"\n",
                                        "null\n",
                                        "[]\n",
                                        "{}\n",
                                        "{\"seq\":-1}\n",
                                        "{\"seq\":1e300}\n",
                                        "{\"seq\":0.5}\n",
                                        "{\"seq\":\"4\",\"id\":4,\"event\":[]}\n",
                                        "\xff\xfe\n",
                                        "{\"seq\":1}{\n"};
    static char huge[300000];

    launch();
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        spill(state_file(), lines[i], strlen(lines[i]));
    memset(huge, 'x', sizeof(huge));
    spill(state_file(), huge, sizeof(huge));
    launch();
    launch();
    ck_assert_ptr_nonnull(strstr(slurp(state_file(), NULL), "\"seq\":12,"));
    ck_assert_ptr_nonnull(strstr(slurp(state_file(), NULL), "\"seq\":13,"));
}
END_TEST

START_TEST(ids_count_launches_only)
{
    struct journal *j = open_journal();
    cJSON *fields;

    for (int i = 0; i < 12; i++)
        ck_assert_int_eq(append_launch(j, journal_next_id(j)), 0);
    fields = cJSON_CreateObject();
    cJSON_AddStringToObject(fields, "id", "a3");
    ck_assert_int_eq(journal_append(j, "agent.failed", fields), 0);
    for (int i = 0; i < 200; i++) {
        fields = cJSON_CreateObject();
        cJSON_AddStringToObject(fields, "id", "w99");
        ck_assert_int_eq(journal_append(j, "worker.start", fields), 0);
    }
    journal_close(j);
    ck_assert_str_eq(launch(), "a13");
    j = open_journal();
    ck_assert_str_eq(journal_next_id(j), "a14");
    ck_assert_str_eq(journal_next_id(j), "a15");
    journal_close(j);
}
END_TEST

START_TEST(last_parent_is_the_last)
{
    struct journal *j = open_journal();
    cJSON *fields;

    ck_assert_ptr_null(journal_last_parent(j));
    for (int i = 0; i < 3; i++) {
        fields = cJSON_CreateObject();
        cJSON_AddStringToObject(fields, "key", mem_printf(mem, "key %d", i));
        ck_assert_int_eq(journal_append(j, "worker_access.parent", fields), 0);
        append_launch(j, journal_next_id(j));
    }
    ck_assert_str_eq(journal_last_parent(j), "key 2");
    journal_close(j);
}
END_TEST

START_TEST(launches_are_found)
{
    const char *tmp = where.spool, *state = where.state;
    cJSON *record;

    for (int i = 0; i < 20; i++)
        launch();
    where.state = NULL;
    launch();
    where.state = state;
    record = journal_find(&where, mem, RUN, "a7");
    ck_assert_str_eq(record_string(record, "id"), "a7");
    cJSON_Delete(record);
    record = journal_find(&where, mem, RUN, "s1");
    ck_assert_str_eq(record_string(record, "id"), "s1");
    cJSON_Delete(record);
    ck_assert_ptr_null(journal_find(&where, mem, RUN, "a21"));
    ck_assert_ptr_null(journal_find(&where, mem, RUN, ""));
    ck_assert_ptr_null(journal_find(&where, mem, "other", "a1"));
    ck_assert_ptr_null(journal_find(&where, mem, "../" RUN, "a1"));
    /* A spool that others can write is not believed. */
    chmod(mem_printf(mem, "%s/haccess-%u", tmp, (unsigned)where.uid), 0777);
    ck_assert_ptr_null(journal_find(&where, mem, RUN, "s1"));
}
END_TEST

/* The length of the only line of the journal, whose record is parsed. */
static cJSON *
only_record(size_t *length)
{
    char *text = slurp(state_file(), length);
    struct line line = {text, *length - 1, 0, true};

    ck_assert_ptr_eq(strchr(text, '\n'), text + *length - 1);
    return line_record(&line);
}

START_TEST(huge_array_becomes_a_digest)
{
    struct journal *j = open_journal();
    cJSON *fields = cJSON_CreateObject(), *argv = cJSON_CreateArray(), *record, *part;
    size_t length;

    for (int i = 0; i < 200000; i++)
        cJSON_AddItemToArray(argv, cJSON_CreateString("word"));
    cJSON_AddStringToObject(fields, "id", "a1");
    cJSON_AddItemToObject(fields, "argv_requested", argv);
    cJSON_AddStringToObject(fields, "projection", "workspace-write");
    ck_assert_int_eq(journal_append(j, "agent.start", fields), 0);
    journal_close(j);
    record = only_record(&length);
    ck_assert_uint_le(length, RECORD_MAX);
    part = cJSON_GetObjectItem(record, "argv_requested");
    ck_assert_int_eq((int)cJSON_GetNumberValue(cJSON_GetObjectItem(part, "bytes")), 200000 * 7 + 1);
    ck_assert_uint_eq(strlen(record_string(part, "sha256")), 64);
    ck_assert_str_eq(record_string(record, "id"), "a1");
    ck_assert_str_eq(record_string(record, "projection"), "workspace-write");
    cJSON_Delete(record);
}
END_TEST

START_TEST(huge_word_is_replaced_alone)
{
    struct journal *j = open_journal();
    cJSON *fields = cJSON_CreateObject(), *argv = cJSON_CreateArray(), *record, *part;
    static char word[1 << 20];
    char expected[HASH_SIZE];
    size_t length;

    memset(word, 'x', sizeof(word) - 1);
    cJSON_AddItemToArray(argv, cJSON_CreateString("codex"));
    cJSON_AddItemToArray(argv, cJSON_CreateString(word));
    cJSON_AddItemToArray(argv, cJSON_CreateString("exec"));
    cJSON_AddItemToObject(fields, "argv_requested", argv);
    ck_assert_int_eq(journal_append(j, "agent.start", fields), 0);
    journal_close(j);
    record = only_record(&length);
    part = cJSON_GetObjectItem(record, "argv_requested");
    ck_assert_int_eq(cJSON_GetArraySize(part), 3);
    ck_assert_str_eq(cJSON_GetArrayItem(part, 2)->valuestring, "exec");
    part = cJSON_GetArrayItem(part, 1);
    ck_assert_int_eq((int)cJSON_GetNumberValue(cJSON_GetObjectItem(part, "bytes")), sizeof(word) - 1);
    hash_bytes(word, sizeof(word) - 1, expected);
    ck_assert_str_eq(record_string(part, "sha256"), expected);
    cJSON_Delete(record);
}
END_TEST

START_TEST(line_of_any_size_fits)
{
    /* Around the limit, where a byte decides. */
    for (size_t n = RECORD_MAX - 400; n < RECORD_MAX + 10; n += 7) {
        struct journal *j = open_journal();
        cJSON *fields = cJSON_CreateObject();
        char *word = mem_alloc(mem, n + 1);

        memset(word, n % 2 == 0 ? 'x' : '\xff', n);
        cJSON_AddStringToObject(fields, "x", word);
        ck_assert_int_eq(journal_append(j, "agent.start", fields), 0);
        journal_close(j);
    }
    check_chain(state_file(), NULL);
    /* Nothing large, but too much of it. */
    {
        struct journal *j = open_journal();
        cJSON *fields = cJSON_CreateObject();

        cJSON_AddStringToObject(fields, "id", "a1");
        for (int i = 0; i < 5000; i++)
            cJSON_AddTrueToObject(fields, mem_printf(mem, "field%d", i));
        ck_assert_int_eq(journal_append(j, "agent.start", fields), 0);
        journal_close(j);
    }
    check_chain(state_file(), NULL);
}
END_TEST

START_TEST(invalid_utf8_loses_no_record)
{
    static const char *const words[] = {"\xff",     "a\xc3",    "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                        "\xc0\xaf", "\xe2\x82", "\x80\x80"};
    struct journal *j = open_journal();
    cJSON *fields = cJSON_CreateObject(), *argv = cJSON_AddArrayToObject(fields, "argv_requested"), *record;
    size_t length;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        cJSON_AddItemToArray(argv, cJSON_CreateString(words[i]));
    cJSON_AddItemToArray(argv, cJSON_CreateString("h\xc3\xa9 \xf0\x9f\x98\x80 \xe2\x86\x92 \x01\x7f\n"));
    ck_assert_int_eq(journal_append(j, "agent.start", fields), 0);
    journal_close(j);
    record = only_record(&length);
    argv = cJSON_GetObjectItem(record, "argv_requested");
    ck_assert_int_eq(cJSON_GetArraySize(argv), 8);
    ck_assert_str_eq(cJSON_GetArrayItem(argv, 0)->valuestring, "\xef\xbf\xbd");
    ck_assert_str_eq(cJSON_GetArrayItem(argv, 1)->valuestring, "a\xef\xbf\xbd");
    ck_assert_str_eq(cJSON_GetArrayItem(argv, 2)->valuestring, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    ck_assert_str_eq(cJSON_GetArrayItem(argv, 7)->valuestring,
                     "h\xc3\xa9 \xf0\x9f\x98\x80 \xe2\x86\x92 \x01\x7f\n");
    cJSON_Delete(record);
}
END_TEST

#define WRITERS 8
#define APPENDS 200

START_TEST(writers_at_once)
{
    pid_t pids[WRITERS];
    static bool seen[WRITERS * APPENDS + 1];
    struct line line;
    static struct lines_on l;
    int status, n = 0;

    for (int i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        ck_assert_int_ne(pids[i], -1);
        if (pids[i] == 0) {
            /* Waits for its turn as long as it takes: this is about the file, not about the limit of the wait. */
            for (int k = 0; k < APPENDS;) {
                struct mem *own = mem_new();
                const char *problem;
                struct journal *j = journal_open(&where, own, RUN, &problem);

                if (j == NULL)
                    _exit(1);
                if (!journal_spooled(j)) {
                    if (append_launch(j, journal_next_id(j)) != 0)
                        _exit(2);
                    k++;
                }
                journal_close(j);
                mem_free(own);
            }
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(check_chain(state_file(), NULL), WRITERS * APPENDS);
    l.fd = open(state_file(), O_RDONLY);
    while (line_on(&l, &line) == 1) {
        cJSON *record = line_record(&line);
        int id = atoi(record_string(record, "id") + 1);

        ck_assert_int_eq(id, ++n);
        ck_assert(!seen[id]);
        seen[id] = true;
        cJSON_Delete(record);
    }
    close(l.fd);
}
END_TEST

START_TEST(killed_writers_break_nothing)
{
    const struct timespec pause = {0, 7000000};
    int unreadable;

    for (int round = 0; round < 20; round++) {
        pid_t pid = fork();

        ck_assert_int_ne(pid, -1);
        if (pid == 0)
            for (;;)
                launch();
        nanosleep(&pause, NULL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    launch();
    ck_assert_int_gt(check_chain(state_file(), &unreadable), 1);
}
END_TEST

START_TEST(read_only_place_goes_to_the_spool)
{
    char *text;

    /* Also for root, who may write anywhere: a file where the directory belongs. */
    spill(mem_printf(mem, "%s/a", top), "", 0);
    ck_assert_str_eq(launch(), "s1");
    ck_assert_str_eq(launch(), "s2");
    text = slurp(spool_file(), NULL);
    ck_assert_ptr_nonnull(strstr(text, "\"seq\":0,"));
    ck_assert_ptr_nonnull(strstr(text, ",\"spooled\":true,\"id\":\"s1\""));
    ck_assert_int_eq(check_chain(spool_file(), NULL), 2);
    ck_assert_int_eq(mode_of(spool_file()), 0600);
    ck_assert_int_eq(mode_of(mem_printf(mem, "%s/haccess-%u", where.spool, (unsigned)where.uid)), 0700);
}
END_TEST

START_TEST(no_home_goes_to_the_spool)
{
    where.state = NULL;
    ck_assert_str_eq(launch(), "s1");
}
END_TEST

START_TEST(relative_state_goes_to_the_spool)
{
    where.state = "state";
    ck_assert_str_eq(launch(), "s1");
    ck_assert_int_eq(access("state", F_OK), -1);
}
END_TEST

START_TEST(neither_place_names_both)
{
    const char *problem = NULL;

    spill(mem_printf(mem, "%s/a", top), "", 0);
    where.spool = mem_printf(mem, "%s/nowhere", top);
    ck_assert_ptr_null(journal_open(&where, mem, RUN, &problem));
    ck_assert_ptr_nonnull(strstr(problem, where.state));
    ck_assert_ptr_nonnull(strstr(problem, where.spool));
}
END_TEST

/* What a link in each place does: the record goes elsewhere, and what the link points to stays as it is. */
START_TEST(links_are_not_followed)
{
    const char *elsewhere = mem_printf(mem, "%s/elsewhere", top);
    const char *runs = mem_printf(mem, "%s/runs", where.state);
    const char *run = mem_printf(mem, "%s/" RUN, runs);

    launch();
    if (_i == 0) {
        ck_assert_int_eq(rename(state_file(), elsewhere), 0);
        ck_assert_int_eq(symlink(elsewhere, state_file()), 0);
    } else {
        ck_assert_int_eq(rename(_i == 1 ? run : runs, elsewhere), 0);
        ck_assert_int_eq(symlink(elsewhere, _i == 1 ? run : runs), 0);
    }
    ck_assert_str_eq(launch(), "s1");
    ck_assert_int_eq(check_chain(state_file(), NULL), 1);
}
END_TEST

START_TEST(hard_link_is_not_written)
{
    launch();
    ck_assert_int_eq(link(state_file(), mem_printf(mem, "%s/elsewhere", top)), 0);
    ck_assert_str_eq(launch(), "s1");
}
END_TEST

START_TEST(fifo_does_not_block)
{
    launch();
    ck_assert_int_eq(unlink(state_file()), 0);
    ck_assert_int_eq(mkfifo(state_file(), 0600), 0);
    ck_assert_str_eq(launch(), "s1");
}
END_TEST

START_TEST(open_directory_is_not_used)
{
    launch();
    chmod(mem_printf(mem, "%s/runs/" RUN, where.state), 0777);
    ck_assert_str_eq(launch(), "s1");
}
END_TEST

START_TEST(hostile_spool_is_not_used)
{
    const char *spool = mem_printf(mem, "%s/haccess-%u", where.spool, (unsigned)where.uid), *problem = NULL;
    const char *elsewhere = mem_printf(mem, "%s/elsewhere", top);

    where.state = NULL;
    if (_i == 0) { /* somebody else's */
        if (geteuid() != 0)
            return;
        ck_assert_int_eq(mkdir(spool, 0777), 0);
        ck_assert_int_eq(chown(spool, 12345, 12345), 0);
    } else if (_i == 1) { /* open to others */
        ck_assert_int_eq(mkdir(spool, 0700), 0);
        ck_assert_int_eq(chmod(spool, 0750), 0);
    } else { /* a link to a directory of ours */
        ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
        ck_assert_int_eq(symlink(elsewhere, spool), 0);
    }
    ck_assert_ptr_null(journal_open(&where, mem, RUN, &problem));
    ck_assert_ptr_nonnull(strstr(problem, spool));
    ck_assert_int_eq(access(spool_file(), F_OK), -1);
}
END_TEST

START_TEST(lock_is_waited_for_two_seconds)
{
    struct timespec a, b;
    double waited;
    int fd;

    launch();
    /* What a stopped process does: it holds the lock and never lets go. */
    fd = open(state_file(), O_RDONLY);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    clock_gettime(CLOCK_MONOTONIC, &a);
    ck_assert_str_eq(launch(), "s1");
    clock_gettime(CLOCK_MONOTONIC, &b);
    waited = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
    ck_assert(waited >= 2.0 && waited < 4.0);
    close(fd);
    ck_assert_str_eq(launch(), "a2");
}
END_TEST

START_TEST(removed_run_is_begun_again)
{
    pid_t pid;
    int fd, status;

    launch();
    fd = open(state_file(), O_RDONLY);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    pid = fork();
    ck_assert_int_ne(pid, -1);
    if (pid == 0)
        _exit(strcmp(launch(), "a1") == 0 ? 0 : 1);
    usleep(100000);
    ck_assert_int_eq(unlink(state_file()), 0);
    ck_assert_int_eq(rmdir(mem_printf(mem, "%s/runs/" RUN, where.state)), 0);
    ck_assert_int_eq(flock(fd, LOCK_UN), 0); /* closing it would not do: the child has it too */
    close(fd);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(check_chain(state_file(), NULL), 1);
}
END_TEST

/* A prune removes empty directories: between making one and making the file in it, too. */
START_TEST(directory_removed_below_a_writer_is_made_again)
{
    const char *dir;
    pid_t pid;

    launch();
    dir = mem_printf(mem, "%s/runs/" RUN, where.state);
    pid = fork();
    ck_assert_int_ne(pid, -1);
    while (pid == 0) {
        rmdir(dir);
        usleep(20);
    }
    for (int i = 0; i < 300; i++) {
        ck_assert_int_eq(unlink(state_file()), 0);
        ck_assert_str_eq(launch(), "a1");
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ck_assert_int_eq(access(spool_file(), F_OK), -1);
}
END_TEST

/* The first record was torn: the run has a beginning all the same. */
START_TEST(run_without_a_readable_record_is_begun)
{
    const char *problem = NULL;
    struct journal *j;

    launch();
    ck_assert_int_eq(truncate(state_file(), 40), 0);
    j = journal_open(&where, mem, RUN, &problem);
    ck_assert_ptr_nonnull(j);
    ck_assert(journal_empty(j));
    ck_assert_int_eq(journal_append(j, "run.start", cJSON_CreateObject()), 0);
    ck_assert(!journal_empty(j));
    journal_close(j);
    j = journal_open(&where, mem, RUN, &problem);
    ck_assert(!journal_empty(j));
    journal_close(j);
}
END_TEST

/* A file may be larger than the disk, and have no line in it. A launch does not wait for that. */
START_TEST(endless_line_does_not_hold_a_launch_up)
{
    launch();
    ck_assert_int_eq(truncate(state_file(), (off_t)1 << 40), 0);
    alarm(20);
    ck_assert_str_eq(launch(), "s1");
    ck_assert_int_eq(truncate(spool_file(), (off_t)1 << 40), 0);
    const char *problem = NULL;
    ck_assert_ptr_null(journal_open(&where, mem, RUN, &problem));
    ck_assert_ptr_nonnull(problem);
    cJSON_Delete(journal_find(&where, mem, RUN, "a1"));
    alarm(0);
}
END_TEST

/* Appends in a child whose files may have at most this many bytes. Returns the errno. */
static int
append_limited(rlim_t bytes)
{
    pid_t pid = fork();
    int status;

    ck_assert_int_ne(pid, -1);
    if (pid == 0) {
        struct rlimit limit = {bytes, bytes};
        struct journal *j = open_journal();
        const char *id = journal_next_id(j);

        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(append_launch(j, id));
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

START_TEST(size_limit_is_an_error_not_a_death)
{
    struct stat st;
    int unreadable;

    launch();
    ck_assert_int_eq(stat(state_file(), &st), 0);
    ck_assert_int_eq(append_limited((rlim_t)st.st_size), EFBIG);
    ck_assert_int_eq(check_chain(state_file(), NULL), 1);
    ck_assert_int_eq(append_limited((rlim_t)st.st_size + 50), EFBIG);
    ck_assert_str_eq(launch(), "a3");
    ck_assert_int_eq(check_chain(state_file(), &unreadable), 3);
    ck_assert_int_eq(unreadable, 1);
}
END_TEST

START_TEST(full_disk_is_an_error_and_loses_nothing)
{
    const char *disk = mem_printf(mem, "%s/disk", top);
    int e, before, unreadable, fd;
    struct journal *j;
    static char block[4096];

    ck_assert_int_eq(mkdir(disk, 0700), 0);
    if (mount("none", disk, "tmpfs", 0, "size=64k") == -1)
        return; /* no root: the size limit above shows the same */
    where.state = mem_printf(mem, "%s/state", disk);
    launch();
    j = open_journal();
    fd = open(mem_printf(mem, "%s/filler", disk), O_WRONLY | O_CREAT, 0600);
    while (write(fd, block, sizeof(block)) > 0)
        ;
    close(fd);
    while ((e = append_launch(j, journal_next_id(j))) == 0)
        ;
    ck_assert_int_eq(e, ENOSPC);
    journal_close(j);
    before = check_chain(state_file(), &unreadable);
    ck_assert_int_le(unreadable, 1);
    ck_assert_int_eq(unlink(mem_printf(mem, "%s/filler", disk)), 0);
    launch();
    ck_assert_int_eq(check_chain(state_file(), &unreadable), before + 1);
    /* Meanwhile the spool takes what the disk does not. */
    where.state = NULL;
    ck_assert_str_eq(launch(), "s1");
    ck_assert_int_eq(umount(disk), 0);
}
END_TEST

/* Claude's sandbox puts its TMPDIR below the one it was started with. */
START_TEST(places_hold_the_spool_of_claudes_sandbox)
{
    const unsigned uid = (unsigned)where.uid;
    struct strings all = {NULL, 0, 0};

    place_all(mem, &where, &all);
    ck_assert_uint_eq(all.count, 5);
    ck_assert_str_eq(all.items[0], where.state);
    ck_assert(strings_has(&all, mem_printf(mem, "%s/haccess-%u", where.spool, uid)));
    ck_assert(strings_has(&all, mem_printf(mem, "%s/claude-%u/haccess-%u", where.spool, uid, uid)));
    ck_assert(strings_has(&all, mem_printf(mem, "/tmp/haccess-%u", uid)));
    ck_assert(strings_has(&all, mem_printf(mem, "/tmp/claude-%u/haccess-%u", uid, uid)));
}
END_TEST

START_TEST(places_follow_the_environment)
{
    static char *const state[] = {"HACCESS_STATE_DIR=/s", "XDG_STATE_HOME=/x", NULL};
    static char *const xdg[] = {"HACCESS_STATE_DIR=", "XDG_STATE_HOME=/x", "TMPDIR=/t", NULL};
    static char *const relative[] = {"XDG_STATE_HOME=x", "TMPDIR=t", NULL};
    struct journal_host h;

    journal_host(mem, state, "/home/u", 7, 42, &h);
    ck_assert_str_eq(h.state, "/s");
    ck_assert_str_eq(h.spool, "/tmp");
    ck_assert_uint_eq(h.uid, 7);
    ck_assert_int_eq(h.now, 42);
    journal_host(mem, xdg, "/home/u", 7, 42, &h);
    ck_assert_str_eq(h.state, "/x/haccess");
    ck_assert_str_eq(h.spool, "/t");
    journal_host(mem, relative, "/home/u", 7, 42, &h);
    ck_assert_str_eq(h.state, "/home/u/.local/state/haccess");
    ck_assert_str_eq(h.spool, "/tmp");
    journal_host(mem, NULL, NULL, 7, 42, &h);
    ck_assert_ptr_null(h.state);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("journal");
    TCase *c = tcase_create("writer");
    SRunner *r;
    int failed;

    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, envelope_comes_first_and_chains);
    tcase_add_test(c, reopened_journal_goes_on);
    tcase_add_loop_test(c, modes_whatever_the_umask, 0, 2);
    tcase_add_test(c, run_id_is_validated);
    tcase_add_test(c, torn_line_is_completed_and_kept);
    tcase_add_test(c, forged_lines_do_no_harm);
    tcase_add_test(c, ids_count_launches_only);
    tcase_add_test(c, last_parent_is_the_last);
    tcase_add_test(c, launches_are_found);
    tcase_add_test(c, huge_array_becomes_a_digest);
    tcase_add_test(c, huge_word_is_replaced_alone);
    tcase_add_test(c, line_of_any_size_fits);
    tcase_add_test(c, invalid_utf8_loses_no_record);
    tcase_add_test(c, writers_at_once);
    tcase_add_test(c, killed_writers_break_nothing);
    tcase_add_test(c, read_only_place_goes_to_the_spool);
    tcase_add_test(c, no_home_goes_to_the_spool);
    tcase_add_test(c, relative_state_goes_to_the_spool);
    tcase_add_test(c, neither_place_names_both);
    tcase_add_loop_test(c, links_are_not_followed, 0, 3);
    tcase_add_test(c, hard_link_is_not_written);
    tcase_add_test(c, fifo_does_not_block);
    tcase_add_test(c, open_directory_is_not_used);
    tcase_add_loop_test(c, hostile_spool_is_not_used, 0, 3);
    tcase_add_test(c, lock_is_waited_for_two_seconds);
    tcase_add_test(c, removed_run_is_begun_again);
    tcase_add_test(c, directory_removed_below_a_writer_is_made_again);
    tcase_add_test(c, run_without_a_readable_record_is_begun);
    tcase_add_test(c, endless_line_does_not_hold_a_launch_up);
    tcase_add_test(c, size_limit_is_an_error_not_a_death);
    tcase_add_test(c, full_disk_is_an_error_and_loses_nothing);
    tcase_add_test(c, places_follow_the_environment);
    tcase_add_test(c, places_hold_the_spool_of_claudes_sandbox);
    suite_add_tcase(s, c);
    r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
