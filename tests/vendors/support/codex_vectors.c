#include "codex_vectors.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"

#define LIST(...)                                                                                            \
    (const char *const[])                                                                                    \
    {                                                                                                        \
        __VA_ARGS__, NULL                                                                                    \
    }

/* A launch being made. */
struct maker {
    struct chance *c;
    struct vector *v;
    bool wild;      /* words that codex rejects as well */
    bool sub;       /* behind exec's resume, fork or review, which take less */
    char used[256]; /* options that may stand once at a level, and do already, with spaces around them */
};

/* Whether the option may stand here: what clap would reject, only in a wild launch. */
static bool
may(struct maker *m, const char *option)
{
    char padded[64];

    snprintf(padded, sizeof padded, " %s ", option);
    if (m->wild)
        return true;
    if (strstr(m->used, padded) != NULL || strlen(m->used) + strlen(padded) >= sizeof m->used)
        return false;
    strcat(m->used, padded);
    return true;
}

static const char *
mode_word(struct chance *c, bool wild)
{
    if (wild && chance_percent(c, 20))
        return chance_pick(c, LIST("bogus", "", "Read-Only", "workspace_write", "danger", "-x"));
    return chance_pick(c, LIST("read-only", "workspace-write", "danger-full-access"));
}

static const char *
profile_word(struct chance *c, bool wild)
{
    if (wild && chance_percent(c, 15))
        return chance_pick(c, LIST(":bogus", "missing", "", "workspace"));
    return chance_pick(c, LIST(":read-only", ":workspace", ":danger-full-access", "mine", "wide", "reader"));
}

/* A list of paths as TOML. */
static const char *
roots_value(struct chance *c)
{
    return chance_pick(c, LIST("[]", "[\"/\"]", "[\"/x\"]", "['$TOP']", "[\"$TOP/project\"]",
                               "[\"$TOP/home\"]", "[\"$TOP/outside\",]", "[ '/x', \"/y\" ] # more",
                               "[\"/x\", \"$TOP/home/../..\"]", "[\"sub\"]", "[\"..\"]", "[\"~\"]", "/x",
                               "[1]", "[\"$TOP/project/sub/\"]", "[\"/x/../\"]", "[\"\\u002F\"]"));
}

/* A word as TOML spells it, or as codex takes it where it is no TOML. The caller frees. */
static char *
spelled(struct chance *c, const char *word)
{
    switch (chance_below(c, 14)) {
    case 0:
    case 1:
    case 2:
        return format("%s", word);
    case 3:
    case 4:
        return format("\"%s\"", word);
    case 5:
        return format("'%s'", word);
    case 6:
        return format("\"\"\"%s\"\"\"", word);
    case 7:
        return format("'''\n%s'''", word);
    case 8:
        return format("\"%s\" # \"read-only\"", word);
    case 9:
        return format(" %s\t", word);
    case 10:
        return *word == '\0' ? format("''")
                             : format("\"\\u%04x%s\"", (unsigned)(unsigned char)*word, word + 1);
    case 11:
        return format("''%s''", word);
    case 12:
        return format(chance_percent(c, 50) ? "\"%s" : "%s'", word);
    default:
        return format(chance_percent(c, 50) ? "'%s'\nmodel = 'y'" : "%s # comment", word);
    }
}

/* The text of an assignment; the caller frees. */
static char *
assignment(struct chance *c, bool wild)
{
    char *value, *text;

    switch (chance_below(c, wild ? 22 : 19)) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        value = spelled(c, mode_word(c, wild));
        text = format("%s=%s",
                      chance_percent(c, 80)
                          ? "sandbox_mode"
                          : chance_pick(c, LIST(" sandbox_mode ", "\"sandbox_mode\"", "sandbox_mode.x",
                                                "sandbox-mode", "SANDBOX_MODE")),
                      value);
        break;
    case 5:
    case 6:
    case 7:
        value = spelled(c, profile_word(c, wild));
        text = format("%s=%s", chance_percent(c, 90) ? "default_permissions" : " default_permissions", value);
        break;
    case 8:
        value = format(
            "%s",
            chance_pick(c, LIST("{filesystem={\":root\"=\"write\"}}",
                                "{filesystem={\":workspace_roots\"=\"write\",\":root\"=\"read\"}}",
                                "{extends=\":workspace\"}", "{extends=':danger-full-access'}",
                                "{filesystem={\"$TOP\"='write'}}", "{ filesystem = { '/x' = 'write' } }",
                                "{}", "{filesystem={\":root\"=\"read\"},network={enabled=true}}")));
        text = format("permissions.mine=%s", value);
        break;
    case 9:
        value = format("%s", chance_pick(c, LIST("read", "write", "\"write\"", "deny", "'none'")));
        text = format("permissions.%s=%s",
                      chance_pick(c, LIST("mine.filesystem.:root", "mine.filesystem.:workspace_roots",
                                          "wide.filesystem.:root")),
                      value);
        break;
    case 10:
    case 11:
        value = format("%s", roots_value(c));
        text = chance_percent(c, 70)
                   ? format("sandbox_workspace_write.writable_roots=%s", value)
                   : format("sandbox_workspace_write={writable_roots=%s, network_access=true}",
                            strchr(value, '#') ? "[]" : value);
        break;
    case 12:
        value = format("%s", chance_pick(c, wild ? LIST("true", "maybe") : LIST("true", "false")));
        text = format("sandbox_workspace_write.%s=%s",
                      chance_pick(c, LIST("network_access", "exclude_tmpdir_env_var", "exclude_slash_tmp")),
                      value);
        break;
    case 13:
        value = format("%s", chance_pick(c, LIST("trusted", "untrusted", "\"trusted\"")));
        text = chance_percent(c, 50) ? format("projects.$TOP/project.trust_level=%s", value)
                                     : format("projects={\"$TOP/project%s\"={trust_level=\"trusted\"}}",
                                              chance_percent(c, 50) ? "/sub" : "");
        break;
    case 14:
        value = spelled(c, chance_pick(c, LIST("gpt-5.1-codex", "gpt-5.1", "o3")));
        text = format("model=%s", value);
        break;
    case 15:
    case 16:
        value = spelled(c, chance_pick(c, LIST("high", "xhigh", "low", "minimal", "bogus")));
        text = format("model_reasoning_effort=%s", value);
        break;
    case 17:
        value = spelled(c, chance_pick(c, LIST("mock", "other")));
        text = format("model_provider=%s", value);
        break;
    case 18:
        if (chance_percent(c, 50)) {
            value = spelled(c, chance_pick(c, LIST("all", "core", "none")));
            text = format("shell_environment_policy.inherit=%s", value);
            break;
        }
        value = spelled(c, chance_pick(c, LIST("never", "on-request", "untrusted")));
        text = format("approval_policy=%s", value);
        break;
    case 19:
        value = format("%s", chance_pick(c, LIST("{}", "1", "[[", "true")));
        text = format("%s=%s", chance_pick(c, LIST("foo", "x.y.z", "tui.notifications", "features.nothing")),
                      value);
        break;
    case 20:
        value = format("x");
        text = format("%s", chance_pick(c, LIST("sandbox_mode", "=danger-full-access", "", "-",
                                                "sandbox_mode==danger-full-access", ".sandbox_mode=read-only",
                                                "sandbox_mode.=danger-full-access", "a=b=c")));
        break;
    default:
        value = spelled(c, "danger-full-access");
        text = format(
            "%s=%s",
            chance_pick(c, LIST("profile", "profiles.x.sandbox_mode", "shell_environment_policy.inherit",
                                "sandbox_permissions", "instructions")),
            value);
        break;
    }
    free(value);
    return text;
}

/* An option that takes a value, in one of its forms. */
static void
valued(struct maker *m, const char *longname, char letter, const char *value)
{
    switch (chance_below(m->c, letter == '\0' ? 2 : 5)) {
    case 0:
        vector_add_format(m->v, "--%s", longname);
        vector_add(m->v, value);
        break;
    case 1:
        vector_add_format(m->v, "--%s=%s", longname, value);
        break;
    case 2:
        vector_add_format(m->v, "-%c", letter);
        vector_add(m->v, value);
        break;
    case 3:
        vector_add_format(m->v, "-%c%s", letter, value);
        break;
    default:
        vector_add_format(m->v, "-%c=%s", letter, value);
        break;
    }
}

static void
assign(struct maker *m)
{
    char *text = assignment(m->c, m->wild);

    valued(m, "config", 'c', text);
    free(text);
}

static void
image(struct maker *m)
{
    switch (chance_below(m->c, 4)) {
    case 0:
        valued(m, "image", 'i', "a.png");
        break;
    case 1:
        valued(m, "image", 'i', "a.png,b.png");
        break;
    case 2:
        vector_add(m->v, chance_pick(m->c, LIST("-ia.png", "-i=a.png", "--image=a.png")));
        break;
    default:
        vector_add(m->v, "-i");
        vector_add(m->v, "a.png");
        vector_add(m->v, chance_pick(m->c, LIST("b.png", "-", "-cx=1")));
        break;
    }
}

/* Words that codex rejects, or may one day. */
static void
odd_option(struct maker *m)
{
    switch (chance_below(m->c, 6)) {
    case 0:
    case 1:
        vector_add(m->v, chance_pick(m->c, LIST("-s", "--sandbox", "--sandbox=", "-s=", "--sand=read-only",
                                                "--sandbo", "-S", "--Sandbox", "-sread-only=x", "--add-dir",
                                                "--add-dir=", "--full-auto", "--yolo=true", "--yol")));
        break;
    case 2:
        vector_add(m->v, chance_pick(m->c, LIST("--unknown", "-X", "--sandbox-mode", "-Xs", "---", "--c",
                                                "-sX", "--worktree=no", "-p", "-c", "-i")));
        break;
    case 3:
        vector_add(m->v, chance_pick(m->c, LIST("--help", "-h", "--version", "-V", "-hV", "--last", "--all",
                                                "--oss", "--search", "--strict-config")));
        break;
    case 4:
        valued(m, "profile", 'p', chance_pick(m->c, LIST("nope", "../x", "")));
        break;
    default:
        valued(m, chance_percent(m->c, 50) ? "add-dir" : "cd", '\0',
               chance_pick(m->c, LIST("", "-x", "missing")));
        break;
    }
}

static void
access_option(struct maker *m)
{
    switch (chance_below(m->c, 9)) {
    case 0:
    case 1:
    case 2:
    case 3:
        if (!m->sub && may(m, "sandbox"))
            valued(m, "sandbox", 's', mode_word(m->c, m->wild));
        break;
    case 4:
    case 5:
        if (may(m, "yolo"))
            vector_add(m->v, chance_pick(m->c, LIST("--yolo", "--dangerously-bypass-approvals-and-sandbox")));
        break;
    case 6:
        if (!m->sub && may(m, "sandbox") && may(m, "yolo"))
            vector_add(m->v, chance_pick(m->c, LIST("--approve-for-me", "--not-so-yolo")));
        break;
    default:
        if (!m->sub)
            valued(m, "add-dir", '\0',
                   chance_pick(m->c, LIST("/x", "/", "..", ".", "sub", "~", "$TOP", "$TOP/home", "/x/..",
                                          "$TOP/outside")));
        break;
    }
}

/* Options of exec and its subcommands. */
static void
batch_option(struct maker *m)
{
    const char *option = chance_pick(
        m->c, LIST("--skip-git-repo-check", "--trust", "--ephemeral", "--ignore-rules", "--json"));

    if (may(m, option))
        vector_add(m->v, option);
}

static void
other_option(struct maker *m, bool batch)
{
    switch (chance_below(m->c, 9)) {
    case 0:
    case 1:
        if (may(m, "model"))
            valued(m, "model", 'm', chance_pick(m->c, LIST("gpt-5.1-codex", "gpt-5.1", "-")));
        break;
    case 2:
    case 3:
        image(m);
        break;
    case 4:
        if (!m->sub && may(m, "profile"))
            valued(m, "profile", 'p', "x");
        break;
    case 5:
        if (!m->sub && may(m, "cd"))
            valued(m, "cd", 'C',
                   chance_pick(m->c, LIST(".", "$TOP/project/sub", "$TOP/plain", "$TOP/project")));
        break;
    case 6:
        valued(m, chance_percent(m->c, 50) ? "enable" : "disable", '\0',
               m->wild ? chance_pick(m->c, LIST("foo", "")) : "shell_tool");
        break;
    case 7:
        if (!batch && m->wild)
            valued(m, "ask-for-approval", 'a',
                   chance_pick(m->c, LIST("never", "on-request", "untrusted", "bogus")));
        break;
    default:
        if (batch)
            batch_option(m);
        break;
    }
}

static void
some_options(struct maker *m, size_t most, bool batch)
{
    for (size_t n = chance_below(m->c, most + 1); n > 0; n--)
        if (m->wild && chance_percent(m->c, 20))
            odd_option(m);
        else
            switch (chance_below(m->c, 10)) {
            case 0:
            case 1:
            case 2:
            case 3:
                access_option(m);
                break;
            case 4:
            case 5:
            case 6:
                assign(m);
                break;
            default:
                other_option(m, batch);
                break;
            }
}

static void
prompt(struct maker *m)
{
    if (chance_percent(m->c, 25))
        vector_add(m->v, "--");
    else if (!m->wild) { /* nothing that is no prompt without it */
        vector_add(m->v, chance_pick(m->c, LIST("hi", "hi there", "say 'x'; \"y\"", "", "two\nlines",
                                                "sandbox_mode=danger-full-access", "mcp-server",
                                                "\xc3\xa9\xe2\x80\xa8", "~", "read-only", "=")));
        return;
    }
    vector_add(m->v,
               chance_pick(m->c, LIST("hi", "hi there", "-s read-only", "--yolo is what I want", "-s",
                                      "--yolo", "two\nlines", "resume", "exec", "e", "help", "review",
                                      "sandbox_mode=danger-full-access", "-c sandbox_mode=read-only", "--")));
    if (m->wild && chance_percent(m->c, 15))
        vector_add(m->v, chance_pick(m->c, LIST("more", "-s", "--yolo", "read-only", "-")));
}

/* Begins another level, at which options may stand again. */
static void
level(struct maker *m, const char *word)
{
    vector_add(m->v, word);
    m->used[0] = '\0';
}

static void
subcommand(struct maker *m)
{
    const char *sub = chance_pick(m->c, LIST("resume", "resume", "review", "fork"));

    level(m, sub);
    m->sub = !m->wild;
    some_options(m, 1, true);
    if (strcmp(sub, "resume") == 0)
        vector_add(m->v, chance_percent(m->c, 90) ? "--last" : "01a22ecf-7bb3-7e90-a4dc-f26e017b814b");
    else if (strcmp(sub, "fork") == 0)
        vector_add(m->v, "01a22ecf-7bb3-7e90-a4dc-f26e017b814b");
}

static void
words(struct maker *m)
{
    bool batch = chance_percent(m->c, 93);

    level(m, "codex");
    if (chance_percent(m->c, 70) && may(m, "model")) /* what a floor asks for */
        valued(m, "model", 'm', "gpt-5.1-codex");
    if (chance_percent(m->c, 70))
        valued(m, "config", 'c', "model_reasoning_effort=high");
    some_options(m, 2, false);
    if (chance_percent(m->c, 3)) {
        level(m, chance_pick(
                     m->c, LIST("review", "logout", "mcp", "completion", "features", "help", "apply", "a")));
        some_options(m, 1, false);
        if (chance_percent(m->c, 50))
            prompt(m);
        return;
    }
    if (batch)
        level(m, chance_percent(m->c, 80) ? "exec" : "e");
    if (batch && chance_percent(m->c, 92) && may(m, "--skip-git-repo-check"))
        vector_add(m->v, "--skip-git-repo-check");
    some_options(m, 3, batch);
    if (batch && chance_percent(m->c, 12))
        subcommand(m);
    prompt(m);
    if (chance_percent(m->c, 20))
        some_options(m, 2, batch);
}

/* A configuration file; NULL: none. The caller frees. */
static char *
configuration(struct chance *c, unsigned percent, bool user, bool wild)
{
    char *text = NULL;
    size_t size;
    FILE *f;

    if (!chance_percent(c, percent))
        return NULL;
    f = open_memstream(&text, &size);
    if (chance_percent(c, user ? 75 : 45))
        fprintf(f, "sandbox_mode = \"%s\"\n",
                chance_pick(c, LIST("read-only", "workspace-write", "danger-full-access")));
    if (chance_percent(c, 25))
        fprintf(f, "default_permissions = \"%s\"\n", profile_word(c, wild));
    if (chance_percent(c, 5))
        fputs("model = \"o3\"\n", f);
    if (chance_percent(c, 5))
        fputs("model_reasoning_effort = \"low\"\n", f);
    if (wild && chance_percent(c, 4))
        fputs("x = = 1\n", f);
    if (wild && chance_percent(c, 8))
        fputs("sandbox_mode = 'bogus'\n", f); /* twice, or not a mode */
    if (!user && chance_percent(c, 10))
        fputs("model_provider = \"other\"\n", f);
    if (chance_percent(c, 30))
        fprintf(f, "[sandbox_workspace_write]\nwritable_roots = %s\n",
                chance_pick(c, LIST("[]", "[\"/\"]", "[\"/x\"]", "[\"..\"]", "[\"~\"]", "['$TOP']",
                                    "[\"../..\"]", "[\".\"]")));
    if (user || chance_percent(c, 20))
        fputs("[permissions.mine.filesystem]\n\":workspace_roots\" = \"write\"\n\":root\" = "
              "\"read\"\n[permissions.wide.filesystem]\n\":root\" = \"write\"\n"
              "[permissions.reader.filesystem]\n\":root\" = \"read\"\n",
              f);
    if (chance_percent(c, user ? 45 : 5))
        fprintf(f, "[projects.\"$TOP/%s\"]\ntrust_level = \"%s\"\n",
                chance_pick(c, LIST("project", "project", "project/sub", "plain")),
                chance_percent(c, 90) ? "trusted" : "untrusted");
    fclose(f);
    return text;
}

void
codex_launch_make(struct chance *c, struct codex_launch *l)
{
    *l = (struct codex_launch){0};
    bool wild = chance_percent(c, 40);

    words(&(struct maker){.c = c, .v = &l->argv, .wild = wild});
    l->user = configuration(c, 50, true, wild);
    l->profile = configuration(c, 60, false, wild);
    l->project = configuration(c, 30, false, wild);
    l->sub = configuration(c, 15, false, wild);
    l->cwd = chance_pick(c, LIST("project", "project", "project/sub", "plain"));
}

void
codex_launch_free(struct codex_launch *l)
{
    vector_free(&l->argv);
    free(l->user);
    free(l->profile);
    free(l->project);
    free(l->sub);
}
