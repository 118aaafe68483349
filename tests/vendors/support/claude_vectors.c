#include "claude_vectors.h"

#include <check.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A value that has to be quoted somewhere, or that looks like something else. */
static const char *const odd[] = {"",          "-",    "--x=y", "a b",          "\xc3\xa4\xf0\x9f\x98\x80",
                                  "'\"\\$(x)", "a\nb", "=",     "--model=none", "{}",
                                  NULL};
static const char *const prompts[] = {"say hello",  "hi",
                                      "two\nlines", "\xc3\xa4\xc3\xb6 \xe2\x82\xac",
                                      "a=b",        "what does --yolo do?",
                                      "Read",       "/tmp",
                                      "{\"a\":1}",  "plan",
                                      "doctor",     "mcp",
                                      "update",     "it's \"quoted\" \\ $HOME `x`",
                                      NULL};
static const char *const modes[] = {
    "acceptEdits", "auto", "bypassPermissions", "bypassPermissions", "default", "dontAsk", "manual", "plan",
    "plan",        NULL};
static const char *const no_modes[] = {
    "BypassPermissions",   "bypass", "", "plan ", "bypassPermissions,plan", "Plan", "yolo", "-", "\"plan\"",
    "bypassPermissions\n", NULL};
static const char *const tools[] = {
    "Read",  "Bash",       "Bash(git diff:*)", "Bash(ls *),Read", "Edit Write",
    "Write", "Edit(//**)", "Bash(*)",          "Grep,Glob",       "mcp__x__y",
    "",      "default",    "Edit(/tmp/**)",    "WebFetch",        NULL};
static const char *const directories[] = {".", "/",       "..", "/tmp",       "sub",
                                          "~", "nowhere", "",   "../outside", NULL};
static const char *const models[] = {"claude-opus-4-5", "claude-opus-4-5",
                                     "claude-opus-5-5", "claude-sonnet-5-5",
                                     "sonnet",          "opus",
                                     "Claude-Opus-4-5", NULL};
static const char *const efforts[] = {"low",   "medium", "high", "xhigh", "max",     "HIGH", " high ",
                                      "ultra", "",       "none", "5",     "minimal", "auto", NULL};
static const char *const servers[] = {
    "{\"mcpServers\":{}}", "{\"mcpServers\":{\"s\":{\"command\":\"true\"}}}", "{}", "nowhere.json", "", NULL};

void
claude_vector_free(struct claude_vector *v)
{
    vector_free(&v->argv);
    free(v->user);
    free(v->project);
    free(v->local);
    free(v->named);
    memset(v, 0, sizeof *v);
}

/* Settings, as text that is made member by member. */

struct text {
    char *s;
    size_t length;
    FILE *f;
};

static void
text_open(struct text *t)
{
    t->f = open_memstream(&t->s, &t->length);
    ck_assert_ptr_nonnull(t->f);
}

static char *
text_close(struct text *t)
{
    ck_assert_int_eq(fclose(t->f), 0);
    return t->s;
}

/* A list of members, each of which is in it with some probability, in an order by chance; sometimes one is there twice. */
struct member {
    const char *name;
    const char *const *values;   /* JSON, one of them; NULL: `within` */
    const struct member *within; /* members of an object */
    unsigned percent;
};

#define BOOLS LIST("true", "true", "false", "\"true\"", "null")
#define RULES                                                                                                \
    LIST("[\"Bash\"]", "[]", "[\"Read\",\"Edit(//**)\"]", "[\"Bash(git *)\"]", "\"Bash\"",                   \
         "[\"Write\",\"Bash(*)\"]")

static const struct member filesystem[] = {
    {"allowWrite", LIST("[\"/\"]", "[\"/tmp\"]", "[]", "[\"~/\"]"), NULL, 40},
    {"disabled", LIST("true", "false"), NULL, 15},
    {NULL, NULL, NULL, 0},
};
static const struct member sandbox[] = {
    {"enabled", LIST("true", "true", "true", "false", "\"true\"", "1"), NULL, 85},
    {"failIfUnavailable", BOOLS, NULL, 30},
    {"allowUnsandboxedCommands", BOOLS, NULL, 30},
    {"autoAllowBashIfSandboxed", BOOLS, NULL, 30},
    {"excludedCommands", LIST("[]", "[\"git *\"]", "[\"*\"]"), NULL, 15},
    {"filesystem", NULL, filesystem, 12},
    {"network", LIST("{}", "{\"allowUnixSockets\":[\"/run/x\"]}", "{\"allowedDomains\":[\"a.b\"]}"), NULL,
     10},
    {NULL, NULL, NULL, 0},
};
static const struct member permissions[] = {
    {"defaultMode",
     LIST("\"bypassPermissions\"", "\"bypassPermissions\"", "\"plan\"", "\"plan\"", "\"acceptEdits\"",
          "\"default\"", "\"dontAsk\"", "\"auto\"", "\"manual\"", "\"BypassPermissions\"",
          "\"bypass\\u0050ermissions\"", "7", "null"),
     NULL, 60},
    {"allow", RULES, NULL, 30},
    {"deny", RULES, NULL, 20},
    {"ask", RULES, NULL, 10},
    {"additionalDirectories", LIST("[\"/\"]", "[\"../outside\"]", "[]", "[\"sub\"]"), NULL, 15},
    {"disableBypassPermissionsMode", LIST("\"disable\"", "\"enable\"", "true"), NULL, 6},
    {NULL, NULL, NULL, 0},
};
static const struct member variables[] = {
    {"CLAUDE_CODE_EFFORT_LEVEL", LIST("\"low\"", "\"max\"", "\"auto\"", "\"xx\"", "3"), NULL, 40},
    {"FOO", LIST("\"bar\"", "\"\"", "1"), NULL, 40},
    {NULL, NULL, NULL, 0},
};
static const struct member document[] = {
    {"permissions", NULL, permissions, 55},
    {"sandbox", NULL, sandbox, 45},
    {"env", NULL, variables, 20},
    {"model", LIST("\"claude-sonnet-5-5\"", "\"opus\"", "null"), NULL, 8},
    {"effortLevel", LIST("\"low\"", "\"high\""), NULL, 8},
    {"cleanupPeriodDays", LIST("1000000000000000000", "20", "1e2", "-0.5"), NULL, 10},
    {"\\u00fcnrelated",
     LIST("{\"a\":[1,2,{\"b\":null}]}", "\"\xc3\xa4\\ud83d\\ude00\"", "\" a : { b , c } \""), NULL, 20},
    {"includeCoAuthoredBy", BOOLS, NULL, 10},
    {"outputStyle", LIST("\"Explanatory\"", "\"default\""), NULL, 8},
    {NULL, NULL, NULL, 0},
};

static void
write_members(struct chance *c, const struct member *members, FILE *f)
{
    size_t n = 0, first = 0;
    bool any = false;

    while (members[n].name != NULL)
        n++;
    first = chance_below(c, n);
    fputs(chance_percent(c, 20) ? "{ \n" : "{", f);
    for (size_t k = 0; k < n; k++) {
        const struct member *m = &members[(first + k) % n];

        for (unsigned times = chance_percent(c, 4) ? 2 : 1; times > 0 && chance_percent(c, m->percent);
             times--) {
            fprintf(f, "%s\"%s\"%s", any ? "," : "", m->name, chance_percent(c, 20) ? " : " : ":");
            any = true;
            if (m->values != NULL)
                fputs(chance_pick(c, m->values), f);
            else
                write_members(c, m->within, f);
        }
    }
    fputs(chance_percent(c, 10) ? " }" : "}", f);
}

static char *
make_settings(struct chance *c)
{
    static const char *const broken[] = {"{", "{\"permissions\":}", "[]", "{\"a\":1,}", "null", " ", "{} x",
                                         NULL};
    struct text t;

    if (chance_percent(c, 4))
        return strdup(chance_pick(c, broken));
    text_open(&t);
    if (chance_percent(c, 3))
        fputs("\xef\xbb\xbf", t.f);
    write_members(c, document, t.f);
    if (chance_percent(c, 20))
        fputs("\n", t.f);
    return text_close(&t);
}

/* The command line is made of units, options with their values, in any order. */

#define UNITS 24

struct units {
    struct vector items[UNITS];
    size_t count;
    bool prompt; /* one of them is an operand */
};

static struct vector *
unit(struct units *u)
{
    ck_assert_uint_lt(u->count, UNITS);
    return &u->items[u->count++];
}

/* An option with one value, in one of its forms. */
static void
add_one(struct chance *c, struct units *u, const char *option, const char *value)
{
    struct vector *v = unit(u);

    if (chance_percent(c, 40)) {
        vector_add_format(v, "%s=%s", option, value);
    } else {
        vector_add(v, option);
        if (!chance_percent(c, 1))
            vector_add(v, value);
    }
}

static void
add_many(struct chance *c, struct units *u, const char *option, const char *const *values)
{
    struct vector *v = unit(u);
    size_t n = 1 + chance_below(c, 3);

    if (chance_percent(c, 40)) {
        vector_add_format(v, "%s=%s", option, chance_pick(c, values));
        return;
    }
    vector_add(v, option);
    while (n-- > 0)
        vector_add(v, chance_pick(c, values));
}

static void
add_mode(struct chance *c, struct units *u)
{
    const char *value = chance_percent(c, 4) ? chance_pick(c, no_modes) : chance_pick(c, modes);

    add_one(c, u, "--permission-mode", value);
}

static void
add_bypass(struct chance *c, struct units *u)
{
    switch (chance_below(c, 8)) {
    case 0:
        add_one(c, u, "--inherit-permission-mode", chance_pick(c, modes));
        break;
    case 1:
    case 2:
        vector_add(unit(u), "--allow-dangerously-skip-permissions");
        break;
    case 3:
        add_one(c, u, "--permission-mode", "bypassPermissions");
        break;
    default:
        vector_add(unit(u), "--dangerously-skip-permissions");
    }
}

static void
add_settings(struct chance *c, struct units *u)
{
    static const char *const files[] = {
        CLAUDE_SETTINGS_NAME, CLAUDE_SETTINGS_NAME, "./" CLAUDE_SETTINGS_NAME, "nowhere.json", "", NULL};
    char *text = make_settings(c);

    add_one(c, u, "--settings", chance_percent(c, 30) ? chance_pick(c, files) : text);
    free(text);
}

static void
add_allow(struct chance *c, struct units *u)
{
    add_many(c, u, chance_pick(c, LIST("--allowedTools", "--allowed-tools")), tools);
}

static void
add_deny(struct chance *c, struct units *u)
{
    add_many(c, u, chance_pick(c, LIST("--disallowedTools", "--disallowed-tools")), tools);
}

static void
add_variadic(struct chance *c, struct units *u)
{
    switch (chance_below(c, 4)) {
    case 0:
        add_many(c, u, "--tools", tools);
        break;
    case 1:
        add_many(c, u, "--mcp-config", servers);
        break;
    case 2:
        add_many(c, u, "--betas", LIST("x", "interleaved-thinking"));
        break;
    default:
        add_many(c, u, "--add-dir", directories);
    }
}

static void
add_directory(struct chance *c, struct units *u)
{
    add_many(c, u, "--add-dir", directories);
}

/* The value may be missing, and what follows is then taken for one unless it begins with a dash. */
static void
add_optional(struct chance *c, struct units *u)
{
    const char *option = chance_pick(c, LIST("-d", "-d", "-d", "--debug", "--debug", "--prompt-suggestions",
                                             "-r", "-w", "--from-pr", "--resume", "--worktree"));
    struct vector *v = unit(u);

    switch (chance_below(c, 4)) {
    case 0:
        vector_add_format(v, option[1] == '-' ? "%s=%s" : "%s%s", option,
                          chance_pick(c, LIST("api", "false", "x")));
        break;
    case 1:
        vector_add(v, option);
        vector_add(v, chance_pick(c, LIST("api", "true", "x")));
        break;
    default:
        vector_add(v, option);
    }
}

static void
add_model(struct chance *c, struct units *u)
{
    add_one(c, u, "--model", chance_percent(c, 4) ? chance_pick(c, odd) : chance_pick(c, models));
}

static void
add_effort(struct chance *c, struct units *u)
{
    add_one(c, u, "--effort", chance_pick(c, efforts));
}

static void
add_fallback(struct chance *c, struct units *u)
{
    add_one(c, u, "--fallback-model",
            chance_pick(c, LIST("claude-sonnet-5-5", "haiku", "claude-opus-4-5,sonnet")));
}

static void
add_sources(struct chance *c, struct units *u)
{
    add_one(c, u, "--setting-sources",
            chance_pick(c, LIST("user", "project", "local", "user,project", "", "project, local",
                                "user,project,local", "users", "User")));
}

static void
add_other(struct chance *c, struct units *u)
{
    static const char *const flags[] = {"--strict-mcp-config",
                                        "--disable-slash-commands",
                                        "--no-session-persistence",
                                        "--include-partial-messages",
                                        "--verbose",
                                        "-p",
                                        "--bare",
                                        "-c",
                                        "--fork-session",
                                        "--debug-to-stderr",
                                        "--restricted",
                                        "--safe-mode",
                                        "--ide",
                                        "--no-chrome",
                                        NULL};
    static const char *const taking[] = {
        "--append-system-prompt", "--system-prompt", "-n", "--name", "--agent", NULL};

    switch (chance_below(c, 4)) {
    case 0:
        add_one(c, u, chance_pick(c, taking), chance_pick(c, odd));
        break;
    case 1:
        add_one(c, u, "--max-turns", chance_pick(c, LIST("3", "0", "-1", "x")));
        break;
    case 2:
        add_one(c, u, chance_pick(c, taking),
                chance_pick(c, LIST("--dangerously-skip-permissions", "--settings", "bypass")));
        break;
    default:
        vector_add(unit(u), chance_pick(c, flags));
    }
}

static void
add_bundle(struct chance *c, struct units *u)
{
    vector_add(unit(u),
               chance_pick(c, LIST("-pd", "-dp", "-pnx", "-pc", "-pn", "-pr", "-cp", "-pw", "-pp", "-pdx")));
}

static void
add_unknown(struct chance *c, struct units *u)
{
    vector_add(unit(u),
               chance_pick(c, LIST("--frobnicate", "--permission", "--permission-mod=plan", "-Z", "-pZ",
                                   "---", "--dangerously-skip-permissions=true", "--print=yes",
                                   "--setting={}", "--Permission-Mode=plan", "-permission-mode", "--yolo")));
}

static void
add_server(struct chance *c, struct units *u)
{
    vector_add(unit(u), chance_pick(c, LIST("--bg", "--remote-control", "--sdk-url=x", "--rc=a", "--desktop",
                                            "--agents-view-if-allowed", "--cloud")));
}

static const struct {
    void (*add)(struct chance *, struct units *);
    unsigned weight;
    bool runs;
} kinds[] = {
    {add_mode, 16, true}, {add_bypass, 18, true},  {add_settings, 20, true}, {add_allow, 9, true},
    {add_deny, 7, true},  {add_variadic, 6, true}, {add_directory, 8, true}, {add_optional, 10, true},
    {add_model, 6, true}, {add_effort, 6, true},   {add_fallback, 3, true},  {add_sources, 4, true},
    {add_other, 7, true}, {add_bundle, 3, true},   {add_unknown, 2, true},   {add_server, 3, false},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void
add_any(struct chance *c, bool runs, struct units *u)
{
    for (;;) {
        size_t k = chance_below(c, KINDS);

        if ((kinds[k].runs || !runs) && chance_percent(c, kinds[k].weight * 5)) {
            kinds[k].add(c, u);
            return;
        }
    }
}

static void
shuffle(struct chance *c, struct units *u)
{
    for (size_t k = u->count; k > 1; k--) {
        size_t other = chance_below(c, k);
        struct vector kept = u->items[k - 1];

        u->items[k - 1] = u->items[other];
        u->items[other] = kept;
    }
}

static char *
maybe_settings(struct chance *c, unsigned percent)
{
    return chance_percent(c, percent) ? make_settings(c) : NULL;
}

void
claude_vector_make(struct chance *c, bool runs, struct claude_vector *v)
{
    struct units u = {0};
    size_t n = 1 + chance_below(c, 5);
    bool behind = chance_percent(c, 12), at_end = !behind && chance_percent(c, 60);

    memset(v, 0, sizeof *v);
    if (runs || chance_percent(c, 70)) {
        vector_add(unit(&u), "-p");
        add_one(c, &u, "--output-format", "stream-json");
        vector_add(unit(&u), "--verbose");
    }
    if (chance_percent(c, 45)) { /* what a grant needs */
        add_one(c, &u, "--model", chance_pick(c, LIST("claude-opus-4-5", "claude-opus-5-5")));
        add_one(c, &u, "--effort", chance_pick(c, LIST("high", "xhigh", "max")));
    }
    while (n-- > 0)
        add_any(c, runs, &u);
    if (!behind && !at_end && chance_percent(c, 95))
        vector_add(unit(&u), chance_pick(c, prompts));
    shuffle(c, &u);
    vector_add(&v->argv, "claude");
    for (size_t k = 0; k < u.count; k++) {
        for (size_t i = 0; i < u.items[k].count; i++)
            vector_add(&v->argv, u.items[k].words[i]);
        vector_free(&u.items[k]);
    }
    if (at_end)
        vector_add(&v->argv, chance_pick(c, prompts));
    if (behind) {
        vector_add(&v->argv, "--");
        vector_add(&v->argv,
                   chance_percent(c, 50) ? chance_pick(c, prompts) : "--dangerously-skip-permissions");
        if (chance_percent(c, 40))
            vector_add(&v->argv, chance_pick(c, LIST("--permission-mode", "plan", "--", "-p", "more")));
    }
    v->user = maybe_settings(c, 15);
    v->project = maybe_settings(c, 10);
    v->local = maybe_settings(c, 8);
    v->named = maybe_settings(c, 90);
}
