/* The library among real programs: launchers, what stays alive below them, no extra system calls, and the file itself. */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stand.h"

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char *const functions[] = {
    "execve",  "execv",    "execl",          "execle",       "execvp",      "execlp",      "execvpe",
    "fexecve", "execveat", "execveat-empty", "execveat-dir", "posix_spawn", "posix_spawnp"};

#define FUNCTIONS ((int)(sizeof(functions) / sizeof(functions[0])))

/* A program by its name on the PATH. */
static char *
run(const char *const *argv, const char *const *env)
{
    const char *with[16] = {"/usr/bin/env"}, **to = with + 1;

    for (; *argv != NULL; argv++)
        *to++ = *argv;
    *to = NULL;
    return stand_output(&(struct stand_run){.argv = with, .env = env});
}

static void
open_with_makefile(void)
{
    stand_open();
    stand_copy("tests/preload/caller", "bin/caller");
    stand_write("Makefile", "all:\n\t@codex exec hi\n", 0644);
    stand_write("orchestrate.sh", "#!/bin/sh\ncodex exec hi\n", 0755);
    stand_write("spawn.js",
                "require('child_process').spawnSync('codex', ['exec', 'hi'], { stdio: 'inherit' })\n", 0644);
    stand_write("vfork.py", "import subprocess; subprocess.run(['codex', 'exec', 'hi'])\n", 0644);
    stand_write("spawn.py", "import subprocess; subprocess.run(['codex', 'exec', 'hi'], close_fds=False)\n",
                0644);
    stand_write("system.py", "import os; os.system('codex exec hi')\n", 0644);
    stand_write("run.pl", "system('codex', 'exec', 'hi');\n", 0644);
}

static const char *const launchers[][6] = {
    {"./orchestrate.sh"},
    {"sh", "-c", "codex exec hi"},
    {"bash", "-c", "codex exec hi; true"},
    {"zsh", "-c", "codex exec hi; true"},
    {"env", "A=b", "codex", "exec", "hi"},
    {"timeout", "20", "codex", "exec", "hi"},
    {"nice", "codex", "exec", "hi"},
    {"xargs", "-n2", "codex", "exec", "hi"},
    {"find", ".", "-maxdepth", "0", "-exec"},
    {"make", "-s"},
    {"python3", "vfork.py"},
    {"python3", "spawn.py"},
    {"python3", "system.py"},
    {"perl", "run.pl"},
    {"node", "spawn.js"},
    {"git", "-c", "alias.x=!codex exec hi", "x"},
};

START_TEST(a_launcher_is_seen_through)
{
    const char *argv[16];
    size_t n = 0;
    char *out;

    for (; n < 6 && launchers[_i][n] != NULL; n++)
        argv[n] = launchers[_i][n];
    if (strcmp(argv[0], "find") == 0) {
        static const char *const rest[] = {"codex", "exec", "hi", ";"};

        for (size_t i = 0; i < 4; i++)
            argv[n++] = rest[i];
    }
    argv[n] = NULL;
    if (argv[0][0] != '.' && !stand_has(argv[0]))
        return;
    out = run(argv, LIST("HOME=/nonexistent"));
    ck_assert_msg(stand_line(out, "exe %s", stand_path("lib/haccess-exec")), "%s: not diverted:\n%s", argv[0],
                  out);
    ck_assert_msg(stand_line(out, "arg exec") && stand_line(out, "arg hi"), "%s: %s", argv[0], out);
    ck_assert_msg(strstr(out, stand_path("bin/codex")) != NULL, "%s: %s", argv[0], out);
    free(out);
}
END_TEST

START_TEST(programs_say_the_same)
{
    static const char *const programs[][4] = {
        {"ls", "/"},
        {"python3", "-c", "print(1)"},
        {"node", "-p", "1"},
        {"perl", "-v"},
        {"git", "--version"},
        {"sh", "-c", "echo $0; ls /nonexistent; exec nonexistent"},
        {"bash", "-c", "echo $BASH_VERSION; nonexistent"},
        {"make", "--version"},
        {"env", "nonexistent"},
        {"find", "/", "-maxdepth", "0"},
        {"python3", "-c", "import subprocess; subprocess.run(['ls', '/'])"},
        {"python3", "-c", "import subprocess; subprocess.run(['nonexistent'])"}};

    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        char *with, *without;

        if (!stand_has(programs[i][0]))
            continue;
        with = run(programs[i], LIST("HOME=/nonexistent"));
        without = run(programs[i], LIST("HOME=/nonexistent", "LD_PRELOAD"));
        ck_assert_msg(strcmp(with, without) == 0, "%s: with the library\n%swithout\n%s", programs[i][0], with,
                      without);
        free(with);
        free(without);
    }
}
END_TEST

/* By its name for what searches the PATH. */
static const char *
target(const char *function)
{
    static const char *const search[] = {"execvp", "execlp", "execvpe", "posix_spawnp"};

    for (size_t i = 0; i < sizeof(search) / sizeof(search[0]); i++)
        if (strcmp(function, search[i]) == 0)
            return "plain";
    return stand_path("bin/plain");
}

/* What plain sees when the caller was started with start and calls with options. */
static char *
below(const char *function, const char *const *start, const char *const *options)
{
    const char *argv[16] = {"caller"}, **to = argv + 1;

    for (; options != NULL && *options != NULL; options++)
        *to++ = *options;
    *to++ = function;
    *to++ = target(function);
    *to++ = "plain";
    *to = NULL;
    return stand_output(&(struct stand_run){.file = stand_path("bin/caller"), .argv = argv, .env = start});
}

START_TEST(the_preload_stays_alive)
{
    const char *f = functions[_i], *own = stand_path("lib/libhaccess.so");
    char *out = below(f, NULL, LIST("-u", "LD_PRELOAD"));

    ck_assert_msg(stand_line(out, "env LD_PRELOAD=%s", own), "%s unset: %s", f, out);
    free(out);
    /* Appended: libasan insists on being the first. */
    out = below(f, NULL, LIST("-e", "LD_PRELOAD=/nonexistent/other.so"));
    ck_assert_msg(stand_line(out, "env LD_PRELOAD=/nonexistent/other.so:%s", own), "%s other: %s", f, out);
    free(out);
    out = below(f, NULL, LIST("-e", "LD_PRELOAD=/nonexistent/other.so /x/libhaccess.so"));
    ck_assert_msg(stand_line(out, "env LD_PRELOAD=/nonexistent/other.so /x/libhaccess.so"), "%s there: %s", f,
                  out);
    free(out);
    /* The off switch. */
    out = below(f, NULL, LIST("-e", "LD_PRELOAD="));
    ck_assert_msg(stand_line(out, "env LD_PRELOAD="), "%s off: %s", f, out);
    free(out);
}
END_TEST

/* Whether plain runs with so many more entries in its environment, of which LD_PRELOAD is none. */
static bool
runs_with(const char *function, const char *const *start, unsigned long entries)
{
    char number[24], *out;
    bool ran;

    snprintf(number, sizeof(number), "%lu", entries);
    out = below(function, start, LIST("-u", "LD_PRELOAD", "-k", number));
    ran = stand_line(out, "exe %s", stand_path("bin/plain"));
    free(out);
    return ran;
}

START_TEST(what_has_no_room_for_the_preload_runs_without_it)
{
    unsigned long most = 0, more = 1ul << 19;

    /* Without the library, whatever the limit is. */
    while (more - most > 1) {
        unsigned long middle = most + (more - most) / 2;

        if (runs_with("execve", LIST("LD_PRELOAD"), middle))
            most = middle;
        else
            more = middle;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (runs_with(functions[i], LIST("LD_PRELOAD"), most))
            ck_assert_msg(runs_with(functions[i], NULL, most), "%s", functions[i]);
    ck_assert(!runs_with("execve", NULL, most + 1));
}
END_TEST

/* An error of glibc's fexecve. Elsewhere it is an empty environment, in which the preload stays alive. */
START_TEST(no_environment)
{
    const char *f = functions[_i], *own = stand_path("lib/libhaccess.so");
    bool given = strcmp(f, "execv") != 0 && strcmp(f, "execl") != 0 && strcmp(f, "execvp") != 0 &&
                 strcmp(f, "execlp") != 0;
    char *out = below(f, NULL, LIST("-n"));

    if (strcmp(f, "fexecve") == 0)
        ck_assert_msg(stand_line(out, "failed %d", EINVAL), "%s", out);
    else
        ck_assert_msg(stand_line(out, "env LD_PRELOAD=%s", own) && (!given || stand_line(out, "entries 1")),
                      "%s: %s", f, out);
    free(out);
}
END_TEST

/* A list of system calls that ends what makes another one has readlink, as every static program of glibc makes it. */
START_TEST(a_program_under_a_filter)
{
#ifdef SYS_readlink
    char *out = below("execve", NULL, LIST("-s"));

    ck_assert_msg(stand_line(out, "exit 9") || stand_line(out, "exe %s", stand_path("bin/plain")), "%s", out);
    free(out);
#endif
}
END_TEST

START_TEST(run_state_and_narrowing_stay_alive)
{
    const char *f = functions[_i];
    const char *const *start = LIST("HACCESS_RUN_ID=r1", "HACCESS_STATE_DIR=/s",
                                    "HACCESS_WORKER_FULL_ACCESS=0", "HACCESS_LANE=read");
    char *out = below(f, start,
                      LIST("-u", "HACCESS_RUN_ID", "-u", "HACCESS_STATE_DIR", "-u",
                           "HACCESS_WORKER_FULL_ACCESS", "-u", "HACCESS_LANE"));

    for (; *start != NULL; start++)
        ck_assert_msg(stand_line(out, "env %s", *start), "%s %s: %s", f, *start, out);
    free(out);
    /* What is there is left alone. */
    out = below(f, LIST("HACCESS_RUN_ID=r1", "HACCESS_LANE=read"),
                LIST("-e", "HACCESS_RUN_ID=r2", "-e", "HACCESS_LANE=write"));
    ck_assert_msg(stand_line(out, "env HACCESS_RUN_ID=r2") && stand_line(out, "env HACCESS_LANE=write"),
                  "%s: %s", f, out);
    ck_assert(!stand_line(out, "env HACCESS_RUN_ID=r1"));
    free(out);
    /* What loosens, or is consumed, is not kept. */
    out = below(f, LIST("HACCESS_WORKER_FULL_ACCESS=1", "HACCESS_LANE=write", "HACCESS_ACCESS=full-access"),
                LIST("-u", "HACCESS_WORKER_FULL_ACCESS", "-u", "HACCESS_LANE", "-u", "HACCESS_ACCESS"));
    ck_assert_msg(strstr(out, "env HACCESS_") == NULL, "%s: %s", f, out);
    free(out);
}
END_TEST

/* /proc holds more than descriptors. */
START_TEST(a_path_below_proc_is_a_path)
{
    char *out = run(LIST("sh", "-c", "cd bin && /proc/self/cwd/codex exec hi; true"), NULL);

    ck_assert_msg(stand_line(out, "env HACCESS_EXEC=0f:/proc/self/cwd/codex"), "%s", out);
    free(out);
}
END_TEST

START_TEST(an_empty_preload_switches_off)
{
    const char *codex = stand_path("bin/codex");
    char *out = run(LIST("sh", "-c", "LD_PRELOAD= codex exec hi"), NULL);

    ck_assert_msg(stand_line(out, "exe %s", codex) && stand_line(out, "env LD_PRELOAD="), "%s", out);
    free(out);
    out = run(LIST("env", "LD_PRELOAD=", "sh", "-c", "codex exec hi; true"), NULL);
    ck_assert_msg(stand_line(out, "exe %s", codex), "%s", out);
    free(out);
    /* Unset is not off. */
    out = run(LIST("env", "-u", "LD_PRELOAD", "codex"), NULL);
    ck_assert_msg(stand_line(out, "exe %s", stand_path("lib/haccess-exec")), "%s", out);
    free(out);
}
END_TEST

START_TEST(a_launch_keeps_them_too)
{
    char *out = stand_output(
        &(struct stand_run){.file = stand_path("bin/caller"),
                            .argv = LIST("caller", "-u", "LD_PRELOAD", "-u", "HACCESS_LANE", "-e",
                                         "HACCESS_EXEC=stale", "execve", stand_path("bin/codex"), "codex"),
                            .env = LIST("HACCESS_LANE=read")});

    ck_assert_msg(stand_line(out, "env LD_PRELOAD=%s", stand_path("lib/libhaccess.so")) &&
                      stand_line(out, "env HACCESS_LANE=read"),
                  "%s", out);
    ck_assert(stand_line(out, "env HACCESS_EXEC=0f:%s", stand_path("bin/codex")) &&
              !stand_line(out, "env HACCESS_EXEC=stale"));
    free(out);
}
END_TEST

#define TRACE_MAX 256

struct trace {
    long calls[TRACE_MAX]; /* numbers, between the caller's marks or up to the exec */
    size_t count;
    bool possible;
};

static void
be_traced(const char *const *argv, char *const *envp)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(97);
    if (freopen("/dev/null", "w", stdout) == NULL)
        _exit(97);
    execve(argv[0], (char *const *)(uintptr_t)argv, envp);
    _exit(97);
}

static void
trace(const char *const *argv, char *const *envp, struct trace *t)
{
    struct __ptrace_syscall_info info;
    bool begun = false;
    int status;
    pid_t pid = fork();

    t->count = 0;
    if (pid == 0)
        be_traced(argv, envp);
    waitpid(pid, &status, 0);
    t->possible =
        WIFSTOPPED(status) && ptrace(PTRACE_SETOPTIONS, pid, NULL,
                                     PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) == 0;
    while (t->possible && WIFSTOPPED(status)) {
        int signal = WSTOPSIG(status);

        if (begun && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
            break;
        if (signal == (SIGTRAP | 0x80) && ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 &&
            info.op == PTRACE_SYSCALL_INFO_ENTRY) {
            if (info.entry.nr == SYS_getpgid) {
                if (begun)
                    break;
                begun = true;
            } else if (begun && t->count < TRACE_MAX) {
                t->calls[t->count++] = (long)info.entry.nr;
            }
        }
        ptrace(PTRACE_SYSCALL, pid, NULL, signal == SIGTRAP || (signal & 0x80) != 0 ? 0 : signal);
        waitpid(pid, &status, 0);
    }
    if (WIFSTOPPED(status)) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    ck_assert_msg(!t->possible || begun, "the caller did not begin");
}

START_TEST(no_extra_system_call)
{
    static const char *const names[] = {"plain", "missing", "agent"};
    char preload[512], path[512];
    struct trace with, without;

    snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", stand_path("lib/libhaccess.so"));
    snprintf(path, sizeof(path), "PATH=/nonexistent:%s:/bin", stand_path("bin"));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *file = strcmp(target(functions[_i]), "plain") == 0 ? names[i] : stand_path("bin/plain");
        const char *argv[] = {stand_path("bin/caller"), functions[_i], file, "plain", "x", NULL};

        if (i > 0 && file[0] == '/')
            argv[2] = stand_path(names[i]);
        trace(argv, (char *[]){path, preload, NULL}, &with);
        trace(argv, (char *[]){path, NULL}, &without);
        if (!with.possible)
            return;
        ck_assert_uint_gt(without.count, 0);
        ck_assert_msg(with.count == without.count, "%s %s: %zu system calls with the library, %zu without",
                      functions[_i], argv[2], with.count, without.count);
        ck_assert(memcmp(with.calls, without.calls, with.count * sizeof(with.calls[0])) == 0);
    }
}
END_TEST

static char *
tool(const char *const *argv)
{
    return stand_output(&(struct stand_run){.argv = argv, .env = LIST("LD_PRELOAD")});
}

START_TEST(exported_names)
{
    static const char *const names[] = {
        "__execvpe", "execl",   "execle",  "execlp",      "execv",        "execve",      "execveat",
        "execvp",    "execvpe", "fexecve", "pidfd_spawn", "pidfd_spawnp", "posix_spawn", "posix_spawnp"};
    size_t exported = 0;
    char *out;

    if (!stand_has("nm"))
        return;
    out = tool(LIST("/usr/bin/env", "nm", "-D", "--defined-only", stand_path("lib/libhaccess.so")));
    for (const char *line = strstr(out, " T "); line != NULL; line = strstr(line + 1, " T ")) {
        bool known = false;

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
            known = known || (strncmp(line + 3, names[i], strlen(names[i])) == 0 &&
                              line[3 + strlen(names[i])] == '\n');
        ck_assert_msg(known, "exported: %.40s", line + 3);
        exported++;
    }
    ck_assert_uint_eq(exported, sizeof(names) / sizeof(names[0]));
    ck_assert_msg(strstr(out, " D ") == NULL && strstr(out, " B ") == NULL && strstr(out, " W ") == NULL,
                  "%s", out);
    free(out);
}
END_TEST

START_TEST(needs_no_library_and_no_version)
{
    static const char *const wanted[] = {
        "__errno_location", "__libc_stack_end",     "_dl_sym", "dladdr", "dlsym", "environ",
        "getauxval",        "gnu_get_libc_version", "syscall"};
    size_t count = 0;
    char *out;

    if (!stand_has("readelf") || !stand_has("nm"))
        return;
    out = tool(LIST("/usr/bin/env", "readelf", "-d", "-V", stand_path("lib/libhaccess.so")));
    ck_assert_msg(strstr(out, "NEEDED") == NULL && strstr(out, "No version information") != NULL, "%s", out);
    free(out);
    out = tool(LIST("/usr/bin/env", "nm", "-D", "--undefined-only", stand_path("lib/libhaccess.so")));
    for (const char *line = out; (line = strchr(line, '\n')) != NULL; line++)
        count++;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        ck_assert_msg(strstr(out, wanted[i]) != NULL, "%s not in %s", wanted[i], out);
        count--;
    }
    /* The last line is the tool's exit code. */
    ck_assert_msg(count == 1, "%s", out);
    ck_assert_msg(strstr(out, " w dlsym") != NULL, "%s", out);
    free(out);
}
END_TEST

int
main(void)
{
    Suite *s = suite_create("preload: host");
    TCase *t = tcase_create("host");
    SRunner *sr;
    int failed;

    tcase_add_unchecked_fixture(t, open_with_makefile, stand_close);
    tcase_add_loop_test(t, a_launcher_is_seen_through, 0, (int)(sizeof(launchers) / sizeof(launchers[0])));
    tcase_add_test(t, programs_say_the_same);
    tcase_add_loop_test(t, the_preload_stays_alive, 0, FUNCTIONS);
    tcase_add_test(t, what_has_no_room_for_the_preload_runs_without_it);
    tcase_add_loop_test(t, no_environment, 0, FUNCTIONS);
    tcase_add_test(t, a_program_under_a_filter);
    tcase_add_loop_test(t, run_state_and_narrowing_stay_alive, 0, FUNCTIONS);
    tcase_add_test(t, a_path_below_proc_is_a_path);
    tcase_add_test(t, an_empty_preload_switches_off);
    tcase_add_test(t, a_launch_keeps_them_too);
    tcase_add_loop_test(t, no_extra_system_call, 0, FUNCTIONS);
    tcase_add_test(t, exported_names);
    tcase_add_test(t, needs_no_library_and_no_version);
    suite_add_tcase(s, t);
    sr = srunner_create(s);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed != 0;
}
