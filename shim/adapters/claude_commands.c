/* The commands of Claude Code beside a session's, checked against 2.1.332 and 2.1.197: what their --help lists, at every depth, and
 * the hidden ones that its program knows. In 2.1.197 import, purge (but below project), sandbox, self-hosted-runner,
 * self-hosted-agent-proxy, workspace-trust, worktree-hook, design-login and edit-… are words of a prompt. */
#include "claude_table.h"

static const struct option_spec agents_options[] = {
    {"add-dir", 0, ARITY_ONE, OPTION_ADD_DIR, false, NULL},
    {"agent", 0, ARITY_ONE, 0, false, NULL},
    {"all", 0, ARITY_NONE, 0, false, NULL},
    {"allow-dangerously-skip-permissions", 0, ARITY_NONE, OPTION_ALLOW_SKIP, false, NULL},
    {"cwd", 0, ARITY_ONE, OPTION_CWD, false, NULL},
    {"dangerously-skip-permissions", 0, ARITY_NONE, OPTION_SKIP, false, NULL},
    {"effort", 0, ARITY_ONE, OPTION_EFFORT, false, NULL},
    {"help", 'h', ARITY_NONE, OPTION_HELP, false, NULL},
    {"json", 0, ARITY_NONE, 0, false, NULL},
    {"mcp-config", 0, ARITY_ONE, 0, false, NULL},
    {"model", 0, ARITY_ONE, OPTION_MODEL, false, NULL},
    {"permission-mode", 0, ARITY_ONE, OPTION_MODE, false, NULL},
    {"plugin-dir", 0, ARITY_ONE, 0, false, NULL},
    {"restricted", 0, ARITY_NONE, OPTION_RESTRICTED, false, NULL},
    {"setting-sources", 0, ARITY_ONE, OPTION_SOURCES, false, NULL},
    {"settings", 0, ARITY_ONE, OPTION_SETTINGS, false, NULL},
    {"strict-mcp-config", 0, ARITY_NONE, 0, false, NULL},
    {NULL, 0, ARITY_NONE, 0, false, NULL},
};

/* What the administrative commands take, all together: of these only --help changes what happens. They take none of the options
 * of access: beside a recent command, these mean the version that takes its word for a prompt. */
static const struct option_spec admin_options[] = {
    {"accept-command", 0, ARITY_ONE, 0, false, NULL},
    {"all", 'a', ARITY_NONE, 0, false, NULL},
    {"allow-dangerously-skip-permissions", 0, ARITY_NONE, OPTION_ALLOW_SKIP, false, NULL},
    {"author", 0, ARITY_ONE, 0, false, NULL},
    {"author-email", 0, ARITY_ONE, 0, false, NULL},
    {"available", 0, ARITY_NONE, 0, false, NULL},
    {"callback-port", 0, ARITY_ONE, 0, false, NULL},
    {"claudeai", 0, ARITY_NONE, 0, false, NULL},
    {"client-id", 0, ARITY_ONE, 0, false, NULL},
    {"client-secret", 0, ARITY_NONE, 0, false, NULL},
    {"config", 0, ARITY_ONE, 0, false, NULL},
    {"console", 0, ARITY_NONE, 0, false, NULL},
    {"dangerously-skip-permissions", 0, ARITY_NONE, OPTION_SKIP, false, NULL},
    {"data-size", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"debug", 'd', ARITY_NONE, 0, false, NULL},
    {"description", 0, ARITY_ONE, 0, false, NULL},
    {"discard", 0, ARITY_NONE, 0, false, NULL},
    {"discard-unpushed", 0, ARITY_ONE, 0, false, NULL},
    {"dry-run", 0, ARITY_NONE, 0, false, NULL},
    {"email", 0, ARITY_ONE, 0, false, NULL},
    {"env", 'e', ARITY_MANY, 0, false, NULL},
    {"force", 'f', ARITY_NONE, 0, false, NULL},
    {"force-remove-worktree", 0, ARITY_ONE, 0, false, NULL},
    {"header", 'H', ARITY_MANY, 0, false, NULL},
    {"help", 'h', ARITY_NONE, OPTION_HELP, false, NULL},
    {"interactive", 'i', ARITY_NONE, 0, false, NULL},
    {"json", 0, ARITY_NONE, 0, false, NULL},
    {"keep-data", 0, ARITY_NONE, 0, false, NULL},
    {"label", 0, ARITY_ONE, 0, false, NULL},
    {"marketplace", 0, ARITY_ONE, 0, false, NULL},
    {"message", 'm', ARITY_ONE, 0, false, NULL},
    {"model", 0, ARITY_ONE, 0, false, NULL},
    {"no-browser", 0, ARITY_NONE, 0, false, NULL},
    {"no-post", 0, ARITY_NONE, 0, false, NULL},
    {"permission-mode", 0, ARITY_ONE, OPTION_MODE, false, NULL},
    {"post", 0, ARITY_NONE, 0, false, NULL},
    {"profile", 0, ARITY_ONE, 0, false, NULL},
    {"prune", 0, ARITY_NONE, 0, false, NULL},
    {"push", 0, ARITY_NONE, 0, false, NULL},
    {"remote", 0, ARITY_ONE, 0, false, NULL},
    {"scope", 's', ARITY_ONE, 0, false, NULL},
    {"settings", 0, ARITY_ONE, OPTION_SETTINGS, false, NULL},
    {"sparse", 0, ARITY_MANY, 0, false, NULL},
    {"sso", 0, ARITY_NONE, 0, false, NULL},
    {"strict", 0, ARITY_NONE, 0, false, NULL},
    {"text", 0, ARITY_NONE, 0, false, NULL},
    {"timeout", 0, ARITY_ONE, 0, false, NULL},
    {"transport", 't', ARITY_ONE, 0, false, NULL},
    {"trust-workspace", 0, ARITY_NONE, 0, false, NULL},
    {"values-stdin", 0, ARITY_NONE, 0, false, NULL},
    {"verbose", 0, ARITY_NONE, 0, false, NULL},
    {"with", 0, ARITY_MANY, 0, false, NULL},
    {"yes", 'y', ARITY_NONE, 0, false, NULL},
    {NULL, 0, ARITY_NONE, 0, false, NULL},
};

/* Each case is a claude of its own, which is a launch of its own. */
static const struct option_spec eval_options[] = {
    {"ablation", 0, ARITY_ONE, 0, false, NULL},
    {"allow-real-servers", 0, ARITY_NONE, 0, false, NULL},
    {"allow-tools", 0, ARITY_MANY, 0, false, NULL},
    {"bare", 0, ARITY_NONE, 0, false, NULL},
    {"case", 0, ARITY_ONE, 0, false, NULL},
    {"concurrency", 'j', ARITY_ONE, 0, false, NULL},
    {"disallow-tools", 0, ARITY_MANY, 0, false, NULL},
    {"eval-dir", 0, ARITY_ONE, 0, false, NULL},
    {"help", 'h', ARITY_NONE, OPTION_HELP, false, NULL},
    {"interactive", 'i', ARITY_NONE, 0, false, NULL},
    {"json", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"judge-model", 0, ARITY_ONE, 0, false, NULL},
    {"keep-temp", 0, ARITY_NONE, 0, false, NULL},
    {"max-cost-usd", 0, ARITY_ONE, 0, false, NULL},
    {"mocks", 0, ARITY_ONE, 0, false, NULL},
    {"model", 0, ARITY_ONE, 0, false, NULL},
    {"no-publish", 0, ARITY_NONE, 0, false, NULL},
    {"no-scaffold", 0, ARITY_NONE, 0, false, NULL},
    {"output-dir", 0, ARITY_ONE, 0, false, NULL},
    {"publish-report", 0, ARITY_NONE, 0, false, NULL},
    {"report", 0, ARITY_ONE, 0, false, NULL},
    {"runs", 0, ARITY_ONE, 0, false, NULL},
    {"scaffold", 0, ARITY_NONE, 0, false, NULL},
    {"tag", 0, ARITY_MANY, 0, false, NULL},
    {"threshold", 0, ARITY_ONE, 0, false, NULL},
    {"trust-plugin", 0, ARITY_NONE, 0, false, NULL},
    {"verbose", 0, ARITY_NONE, 0, false, NULL},
    {NULL, 0, ARITY_NONE, 0, false, NULL},
};

static const struct option_spec remote_control_options[] = {
    {"capacity", 0, ARITY_ONE, 0, false, NULL},
    {"chrome", 0, ARITY_NONE, 0, false, NULL},
    {"continue", 'c', ARITY_NONE, 0, false, NULL},
    {"create-session-in-dir", 0, ARITY_NONE, 0, false, NULL},
    {"debug", 'd', ARITY_OPTIONAL, 0, false, NULL},
    {"debug-file", 0, ARITY_ONE, 0, false, NULL},
    {"help", 'h', ARITY_NONE, OPTION_HELP, false, NULL},
    {"name", 0, ARITY_ONE, 0, false, NULL},
    {"no-chrome", 0, ARITY_NONE, 0, false, NULL},
    {"no-create-session-in-dir", 0, ARITY_NONE, 0, false, NULL},
    {"permission-mode", 0, ARITY_ONE, OPTION_MODE, false, NULL},
    {"remote-control-session-name-prefix", 0, ARITY_ONE, 0, false, NULL},
    {"session-id", 0, ARITY_ONE, 0, false, NULL},
    {"settings", 0, ARITY_ONE, OPTION_SETTINGS, false, NULL},
    {"spawn", 0, ARITY_ONE, 0, false, NULL},
    {"verbose", 'v', ARITY_NONE, 0, false, NULL},
    {NULL, 0, ARITY_NONE, 0, false, NULL},
};

static const struct option_spec daemon_options[] = {
    {"any", 0, ARITY_NONE, 0, false, NULL},      {"help", 'h', ARITY_NONE, OPTION_HELP, false, NULL},
    {"json-path", 0, ARITY_ONE, 0, false, NULL}, {"keep-workers", 0, ARITY_NONE, 0, false, NULL},
    {"log-file", 0, ARITY_ONE, 0, false, NULL},  {NULL, 0, ARITY_NONE, 0, false, NULL},
};

static const struct option_spec runner_options[] = {
    {"agent-proxy-url", 0, ARITY_ONE, 0, false, NULL},
    {"api-url", 0, ARITY_ONE, 0, false, NULL},
    {"base-dir", 0, ARITY_ONE, 0, false, NULL},
    {"capacity", 0, ARITY_ONE, 0, false, NULL},
    {"checkout-hook-timeout-min", 0, ARITY_ONE, 0, false, NULL},
    {"client-label", 0, ARITY_ONE, 0, false, NULL},
    {"configure-git", 0, ARITY_NONE, 0, false, NULL},
    {"confine-repo-settings", 0, ARITY_ONE, 0, false, NULL},
    {"debug-token-dir", 0, ARITY_ONE, 0, false, NULL},
    {"defer-shutdown-max-min", 0, ARITY_ONE, 0, false, NULL},
    {"diff-finds-nested-repository", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"drain-grace-sec", 0, ARITY_ONE, 0, false, NULL},
    {"drain-marker-file", 0, ARITY_ONE, 0, false, NULL},
    {"drain-wait-sec", 0, ARITY_ONE, 0, false, NULL},
    {"environment-secret-file", 0, ARITY_ONE, 0, false, NULL},
    {"exec-path", 0, ARITY_ONE, 0, false, NULL},
    {"exit-if-unused-min", 0, ARITY_ONE, 0, false, NULL},
    {"git-host-rewrite", 0, ARITY_ONE, 0, false, NULL},
    {"git-ssh-rewrite", 0, ARITY_ONE, 0, false, NULL},
    {"health-port", 0, ARITY_ONE, 0, false, NULL},
    {"help", 'h', ARITY_NONE, OPTION_HELP, false, NULL},
    {"hold-idle-file", 0, ARITY_ONE, 0, false, NULL},
    {"hooks-dir", 0, ARITY_ONE, 0, false, NULL},
    {"host-config-snapshot", 0, ARITY_ONE, 0, false, NULL},
    {"kill-session-after-min", 0, ARITY_ONE, 0, false, NULL},
    {"lock-to-account", 0, ARITY_ONE, 0, false, NULL},
    {"log-file", 0, ARITY_ONE, 0, false, NULL},
    {"log-file-no-follow", 0, ARITY_NONE, 0, false, NULL},
    {"log-level", 0, ARITY_ONE, 0, false, NULL},
    {"max-hold-min", 0, ARITY_ONE, 0, false, NULL},
    {"nested-model-access", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"nested-model-allow", 0, ARITY_ONE, 0, false, NULL},
    {"nested-model-call-budget", 0, ARITY_ONE, 0, false, NULL},
    {"post-session-hook-timeout-sec", 0, ARITY_ONE, 0, false, NULL},
    {"proxy-authorization-command", 0, ARITY_ONE, 0, false, NULL},
    {"proxy-authorization-file", 0, ARITY_ONE, 0, false, NULL},
    {"push-outcome-on-release", 0, ARITY_NONE, 0, false, NULL},
    {"release-idle-session-min", 0, ARITY_ONE, 0, false, NULL},
    {"remove-session-state", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"repository-folder", 0, ARITY_ONE, 0, false, NULL},
    {"retire-at", 0, ARITY_ONE, 0, false, NULL},
    {"server-auto-mode-lists", 0, ARITY_ONE, 0, false, NULL},
    {"session-stop-grace-sec", 0, ARITY_ONE, 0, false, NULL},
    {"start-dir", 0, ARITY_ONE, 0, false, NULL},
    {"startup-timeout-min", 0, ARITY_ONE, 0, false, NULL},
    {"trust-workspace", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"use-anthropic-gh", 0, ARITY_OPTIONAL, 0, false, NULL},
    {"use-anthropic-git-proxy", 0, ARITY_NONE, 0, false, NULL},
    {NULL, 0, ARITY_NONE, 0, false, NULL},
};

#define COMMAND(word, aliases, class, options, subcommands, id)                                              \
    &(const struct command_spec)                                                                             \
    {                                                                                                        \
        word, aliases, class, options, subcommands, false, id                                                \
    }
/* A command that runs no session of its own. */
#define ADMIN(word)  COMMAND(word, NULL, CLASS_ADMIN, admin_options, NULL, COMMAND_PLAIN)
#define RECENT(word) COMMAND(word, NULL, CLASS_ADMIN, admin_options, NULL, COMMAND_RECENT)
#define ALSO(word, alias)                                                                                    \
    COMMAND(word, ((const char *const[]){alias, NULL}), CLASS_ADMIN, admin_options, NULL, COMMAND_PLAIN)
#define GROUP(word, commands) COMMAND(word, NULL, CLASS_ADMIN, admin_options, commands, COMMAND_PLAIN)
#define LIST(name, ...)       static const struct command_spec *const name[] = {__VA_ARGS__, NULL}

LIST(auth, ADMIN("login"), ADMIN("logout"), ADMIN("status"));
LIST(auto_mode, ADMIN("config"), ADMIN("critique"), ADMIN("defaults"), ADMIN("reset"));
/* The client of serve calls the tools. */
LIST(mcp, ADMIN("add"), ADMIN("add-from-claude-desktop"), ADMIN("add-json"), ADMIN("get"), ADMIN("list"),
     ADMIN("login"), ADMIN("logout"), ADMIN("remove"), ADMIN("reset-project-choices"),
     COMMAND("serve", NULL, CLASS_SERVER, admin_options, NULL, COMMAND_PLAIN));
LIST(eval, COMMAND("init", NULL, CLASS_ADMIN, eval_options, NULL, COMMAND_PLAIN));
LIST(marketplace, ADMIN("add"), ADMIN("list"), ALSO("remove", "rm"), ADMIN("update"));
LIST(plugin, ADMIN("configure"), ADMIN("details"), ADMIN("disable"), ADMIN("enable"),
     COMMAND("eval", NULL, CLASS_ADMIN, eval_options, eval, COMMAND_PLAIN), ALSO("init", "new"),
     ALSO("install", "i"), ADMIN("list"), GROUP("marketplace", marketplace), ALSO("prune", "autoremove"),
     ADMIN("restore-set-aside"), ADMIN("tag"), ADMIN("test"), ALSO("uninstall", "remove"), ADMIN("update"),
     ADMIN("validate"));
LIST(project, ADMIN("purge"));
#define DAEMON(word, class, id) COMMAND(word, NULL, class, daemon_options, NULL, id)
LIST(daemon_commands, DAEMON("run", CLASS_SERVER, COMMAND_FIXED),
     DAEMON("status", CLASS_ADMIN, COMMAND_PLAIN), DAEMON("logs", CLASS_ADMIN, COMMAND_PLAIN),
     DAEMON("stop", CLASS_ADMIN, COMMAND_PLAIN), DAEMON("uninstall", CLASS_ADMIN, COMMAND_PLAIN));

static const char *const plugin_aliases[] = {"plugins", NULL};
static const char *const remote_control_aliases[] = {"rc", "remote", "sync", "bridge", NULL};

const struct command_spec *const claude_commands[] = {
    GROUP("auth", auth),
    GROUP("auto-mode", auto_mode),
    ADMIN("doctor"),
    RECENT("edit-chrome-settings"),
    RECENT("edit-hook"),
    RECENT("edit-memory-settings"),
    RECENT("edit-permission-rules"),
    RECENT("edit-sandbox-settings"),
    RECENT("edit-skill-overrides"),
    RECENT("design-login"),
    ADMIN("gateway"), /* passes sign-ins and telemetry on, runs no agent */
    ADMIN("import-conversations"),
    ADMIN("install"),
    ADMIN("logs"),
    GROUP("mcp", mcp),
    COMMAND("plugin", plugin_aliases, CLASS_ADMIN, admin_options, plugin, COMMAND_PLAIN),
    GROUP("project", project),
    RECENT("purge"),
    ADMIN("rm"),
    RECENT("sandbox"),
    RECENT("self-hosted-agent-proxy"),
    ADMIN("setup-token"),
    ALSO("stop", "kill"),
    ALSO("update", "upgrade"),
    RECENT("workspace-trust"),
    RECENT("worktree-hook"),
    /* It becomes the first words of a prompt. */
    COMMAND("import", NULL, CLASS_SESSION, admin_options, NULL, COMMAND_PLAIN),
    /* Sessions run elsewhere or by another process: the view starts them in the background, attach and respawn take
     * up one that runs or ran there, remote control and the daemon serve a client, a review runs in the cloud. */
    COMMAND("agents", NULL, CLASS_SERVER, agents_options, NULL, COMMAND_PLAIN),
    COMMAND("attach", NULL, CLASS_SERVER, admin_options, NULL, COMMAND_FIXED),
    COMMAND("respawn", NULL, CLASS_SERVER, admin_options, NULL, COMMAND_FIXED),
    COMMAND("remote-control", remote_control_aliases, CLASS_SERVER, remote_control_options, NULL,
            COMMAND_FIXED),
    COMMAND("daemon", NULL, CLASS_SERVER, daemon_options, daemon_commands, COMMAND_FIXED),
    COMMAND("self-hosted-runner", NULL, CLASS_SERVER, runner_options, NULL, COMMAND_FIXED),
    COMMAND("ultrareview", NULL, CLASS_SERVER, admin_options, NULL, COMMAND_FIXED),
    NULL,
};
