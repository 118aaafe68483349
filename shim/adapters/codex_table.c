/* The command line of codex as a table, checked against 0.171.0 and 0.151.0: what --help and the completion scripts list,
 * and the hidden aliases and commands that its completions show.
 *
 * Classes. Sessions are the root (TUI), exec and its subcommands, review, resume and fork. Servers are all that
 * runs agent turns for somebody else: app-server, exec-server, remote-control; agents (tasks are started from its
 * screen, in the shared daemon) and queue (a turn in a session that another process holds; it takes no --sandbox);
 * debug app-server send-message-v2 (a client of an app-server that it starts); mcp-server, a command of 0.151, which 0.171
 * takes as a prompt. Administrative is the rest, also
 * "sandbox" and "execpolicy check", whose words belong to another program and start no agent, and "cloud", whose
 * sessions run elsewhere. */
#include "codex.h"

/* A row is { long name, letter, arity, id, once, group }. clap rejects a second occurrence of everything but what
 * it appends. Conflicts are not groups here: --approve-for-me conflicts with two options that go together. */
#define END                                                                                                  \
    {                                                                                                        \
        0                                                                                                    \
    }
#define FLAG(name, id)                                                                                       \
    {                                                                                                        \
        name, 0, ARITY_NONE, id, true, NULL                                                                  \
    }
#define VALUE(name, letter, id)                                                                              \
    {                                                                                                        \
        name, letter, ARITY_ONE, id, true, NULL                                                              \
    }
#define APPEND(name, letter, id)                                                                             \
    {                                                                                                        \
        name, letter, ARITY_ONE, id, false, NULL                                                             \
    }
#define COMMON                                                                                               \
    APPEND("config", 'c', CODEX_CONFIG), APPEND("enable", 0, 0), APPEND("disable", 0, 0),                    \
    {                                                                                                        \
        "help", 'h', ARITY_NONE, CODEX_HELP, true, NULL                                                      \
    }
#define VERSION                                                                                              \
    {                                                                                                        \
        "version", 'V', ARITY_NONE, CODEX_VERSION, true, NULL                                                \
    }
#define REMOTE VALUE("remote", 0, CODEX_REMOTE), VALUE("remote-auth-token-env", 0, 0)
#define STRICT FLAG("strict-config", 0)
#define IMAGES                                                                                               \
    {                                                                                                        \
        "image", 'i', ARITY_MANY, 0, false, NULL                                                             \
    }
#define BYPASS    FLAG("dangerously-bypass-approvals-and-sandbox", CODEX_BYPASS), FLAG("yolo", CODEX_BYPASS)
#define HOOKS     FLAG("dangerously-bypass-hook-trust", 0)
#define DIRECTORY VALUE("cd", 'C', CODEX_CD)
/* What the root, exec, resume, fork and the commands on saved sessions share. */
#define SHARED                                                                                               \
    IMAGES, VALUE("model", 'm', CODEX_MODEL), FLAG("oss", CODEX_OSS),                                        \
        VALUE("local-provider", 0, CODEX_LOCAL_PROVIDER), VALUE("profile", 'p', CODEX_PROFILE),              \
        VALUE("sandbox", 's', CODEX_SANDBOX), FLAG("approve-for-me", CODEX_APPROVE),                         \
        FLAG("not-so-yolo", CODEX_APPROVE), FLAG("full-auto", CODEX_FULL_AUTO), BYPASS, HOOKS, DIRECTORY,    \
        FLAG("worktree", 0), APPEND("add-dir", 0, CODEX_ADD_DIR)
/* What only the TUI takes. */
#define SCREEN                                                                                               \
    VALUE("ask-for-approval", 'a', CODEX_APPROVAL), FLAG("search", 0), FLAG("no-alt-screen", 0),             \
        FLAG("no-daemon", 0)
/* What exec and its subcommands take. */
#define BATCH                                                                                                \
    VALUE("thread-source", 0, 0), VALUE("cyber-access-program", 0, 0), FLAG("skip-git-repo-check", 0),       \
        FLAG("trust", CODEX_TRUST), FLAG("ephemeral", 0),                                                    \
        FLAG("ignore-user-config", CODEX_IGNORE_USER_CONFIG), FLAG("ignore-rules", CODEX_IGNORE_RULES),      \
        VALUE("output-schema", 0, 0), FLAG("json", 0), VALUE("output-last-message", 'o', 0)
#define BATCH_SUB                                                                                            \
    COMMON, REMOTE, STRICT, VALUE("model", 'm', CODEX_MODEL), BYPASS, HOOKS, FLAG("worktree", 0), BATCH
#define REVIEW VALUE("base", 0, 0), VALUE("commit", 0, 0), VALUE("title", 0, 0), FLAG("uncommitted", 0)
#define JSON   FLAG("json", 0)
/* How the app-server and the exec-server listen and authenticate. */
#define LISTEN                                                                                               \
    VALUE("listen", 0, 0), VALUE("ws-auth", 0, 0), VALUE("ws-token-file", 0, 0),                             \
        VALUE("ws-token-sha256", 0, 0), VALUE("ws-shared-secret-file", 0, 0), VALUE("ws-issuer", 0, 0),      \
        VALUE("ws-audience", 0, 0), VALUE("ws-max-clock-skew-seconds", 0, 0)
#define EXECUTOR                                                                                             \
    STRICT, VALUE("linux-sandbox-pid-namespace", 0, 0), FLAG("linux-sandbox-transparent-tcp", 0),            \
        VALUE("tcp-upstream-proxy", 0, 0), FLAG("proxy-private-ips-via-upstream", 0), VALUE("remote", 0, 0), \
        VALUE("remote-transport", 0, 0), VALUE("environment-id", 0, 0), VALUE("name", 0, 0),                 \
        FLAG("use-agent-identity-auth", 0), FLAG("registration-bearer-stdin", 0),                            \
        FLAG("executor-credential-stdin", 0), FLAG("aws-sigv4", 0), VALUE("aws-profile", 0, 0),              \
        VALUE("aws-region", 0, 0), VALUE("aws-service", 0, 0), FLAG("exit-on-stdin-close", 0)

#define OPTIONS(name, ...) static const struct option_spec name[] = {__VA_ARGS__, END}

OPTIONS(root_options, COMMON, REMOTE, STRICT, SHARED, SCREEN, VERSION);
OPTIONS(common_options, COMMON);
OPTIONS(json_options, COMMON, JSON);
OPTIONS(agents_options, COMMON, REMOTE, DIRECTORY, FLAG("no-daemon", 0), FLAG("no-alt-screen", 0));
OPTIONS(exec_options, COMMON, REMOTE, STRICT, SHARED, BATCH, VALUE("color", 0, 0), VERSION);
/* Here -i takes one value a time. */
OPTIONS(exec_resume_options, BATCH_SUB, APPEND("image", 'i', 0), FLAG("last", 0), FLAG("all", 0));
OPTIONS(exec_fork_options, BATCH_SUB, APPEND("image", 'i', 0));
OPTIONS(exec_review_options, BATCH_SUB, REVIEW);
OPTIONS(review_options, COMMON, STRICT, FLAG("trust", CODEX_TRUST), REVIEW);
OPTIONS(resume_options, COMMON, REMOTE, STRICT, SHARED, SCREEN, VERSION, FLAG("last", 0), FLAG("all", 0),
        FLAG("include-non-interactive", 0));
OPTIONS(fork_options, COMMON, REMOTE, STRICT, SHARED, SCREEN, VERSION, FLAG("last", 0), FLAG("all", 0));
OPTIONS(saved_options, COMMON, REMOTE, STRICT, SHARED, FLAG("force", 0));
/* 0.151 takes the session's options here, 0.171 only --cd and --profile. */
OPTIONS(queue_options, COMMON, REMOTE, STRICT, SHARED, VALUE("thread", 0, 0), VALUE("message", 0, 0),
        FLAG("resume", 0));
OPTIONS(app_server_options, COMMON, STRICT, LISTEN, FLAG("startup-sign-out", 0),
        FLAG("print-startup-config", 0), VALUE("startup-client-info", 0, 0),
        VALUE("cloud-skills-snapshot", 0, 0), VALUE("code-mode-host", 0, 0), FLAG("stdio", 0),
        FLAG("analytics-default-enabled", 0));
OPTIONS(mcp_server_options, COMMON, STRICT);
OPTIONS(bootstrap_options, COMMON, FLAG("remote-control", 0));
OPTIONS(daemon_update_options, COMMON, FLAG("from-cli", 0), {"yes", 'y', ARITY_NONE, 0, true, NULL});
OPTIONS(proxy_options, COMMON, VALUE("sock", 0, 0));
OPTIONS(generate_options, COMMON, VALUE("out", 'o', 0), VALUE("prettier", 'p', 0), FLAG("experimental", 0));
OPTIONS(remote_control_options, COMMON, JSON, FLAG("no-daemon", 0));
OPTIONS(exec_server_options, COMMON, LISTEN, EXECUTOR, VALUE("concurrent-requests", 0, 0),
        FLAG("chatgpt-token-stdin", 0), VALUE("chatgpt-account-id", 0, 0));
OPTIONS(forward_options, COMMON, EXECUTOR, VALUE("connect", 0, 0));
OPTIONS(login_options, COMMON, FLAG("with-api-key", 0), FLAG("with-access-token", 0), FLAG("device-auth", 0));
OPTIONS(mcp_add_options, COMMON, APPEND("env", 0, 0), VALUE("url", 0, 0), VALUE("bearer-token-env-var", 0, 0),
        VALUE("oauth-client-id", 0, 0), VALUE("oauth-client-secret", 0, 0),
        VALUE("oauth-client-registration", 0, 0), VALUE("oauth-resource", 0, 0));
OPTIONS(mcp_login_options, COMMON, FLAG("no-browser", 0), VALUE("scopes", 0, 0),
        VALUE("oauth-client-registration", 0, 0));
OPTIONS(plugin_options, COMMON, VALUE("marketplace", 'm', 0), JSON, FLAG("available", 0));
OPTIONS(marketplace_add_options, COMMON, VALUE("ref", 0, 0), APPEND("sparse", 0, 0), JSON);
OPTIONS(doctor_options, COMMON, JSON, FLAG("network-only", 0), FLAG("summary", 0), FLAG("all", 0),
        FLAG("no-color", 0), FLAG("ascii", 0));
OPTIONS(sandbox_options, COMMON, FLAG("transparent-tcp", 0), VALUE("sandbox-state-json", 0, 0),
        APPEND("sandbox-state-readable-root", 0, 0), FLAG("sandbox-state-disable-network", 0),
        VALUE("permission-profile", 'P', 0), VALUE("profile", 'p', 0), VALUE("cd", 'C', 0),
        FLAG("include-managed-config", 0));
OPTIONS(models_options, COMMON, FLAG("bundled", 0));
OPTIONS(prompt_input_options, COMMON, IMAGES);
OPTIONS(trace_reduce_options, COMMON, VALUE("output", 'o', 0));
OPTIONS(execpolicy_check_options, COMMON, APPEND("rules", 'r', 0), FLAG("pretty", 0),
        FLAG("resolve-host-executables", 0));
OPTIONS(migrate_rollouts_options, COMMON, FLAG("apply", 0), APPEND("thread", 0, 0),
        VALUE("max-mib-per-second", 0, 0), JSON, FLAG("verbose", 0));
OPTIONS(migrate_nfs_options, COMMON, VALUE("staging-dir", 0, 0));
OPTIONS(cloud_options, COMMON, VERSION);
OPTIONS(cloud_task_options, COMMON, VALUE("env", 0, 0), VALUE("attempts", 0, 0), VALUE("branch", 0, 0),
        VALUE("limit", 0, 0), VALUE("cursor", 0, 0), JSON, VALUE("attempt", 0, 0));
OPTIONS(tunnel_options, COMMON, VALUE("proxy-url", 0, 0), VALUE("environment-id", 0, 0), VALUE("port", 0, 0),
        VALUE("target", 0, 0), VALUE("token-file", 0, 0));
OPTIONS(responses_proxy_options, COMMON, VALUE("port", 0, 0), VALUE("server-info", 0, 0),
        FLAG("http-shutdown", 0), VALUE("upstream-url", 0, 0), VALUE("dump-dir", 0, 0),
        FLAG("github-oidc", 0), VALUE("oidc-audience", 0, 0), VALUE("identity-provider-id", 0, 0),
        VALUE("service-account-id", 0, 0), VALUE("github-oidc-request-url", 0, 0));

#define COMMAND(variable, ...) static const struct command_spec variable = {__VA_ARGS__}
#define SUBCOMMANDS(...)                                                                                     \
    (const struct command_spec *const[])                                                                     \
    {                                                                                                        \
        __VA_ARGS__, &help, NULL                                                                             \
    }
#define ALIASES(...)                                                                                         \
    (const char *const[])                                                                                    \
    {                                                                                                        \
        __VA_ARGS__, NULL                                                                                    \
    }
/* A command without subcommands of its own. */
#define LEAF(word, kind, table)                                                                              \
    {                                                                                                        \
        .name = word, .class = kind, .options = table                                                        \
    }
#define ADMIN(word, table)   &(const struct command_spec)LEAF(word, CLASS_ADMIN, table)
#define SERVER(word, table)  &(const struct command_spec)LEAF(word, CLASS_SERVER, table)
#define SESSION(word, table) &(const struct command_spec)LEAF(word, CLASS_SESSION, table)

/* clap adds it to every command that has subcommands; its words name commands. */
COMMAND(help, .name = "help", .class = CLASS_ADMIN, .foreign = true);

COMMAND(exec, .name = "exec", .aliases = ALIASES("e"), .class = CLASS_SESSION, .options = exec_options,
        .id = CODEX_RUNS_BATCH,
        .subcommands = SUBCOMMANDS(SESSION("resume", exec_resume_options), SESSION("fork", exec_fork_options),
                                   SESSION("review", exec_review_options)));
COMMAND(review, .name = "review", .class = CLASS_SESSION, .options = review_options, .id = CODEX_RUNS_BATCH);
COMMAND(login, .name = "login", .class = CLASS_ADMIN, .options = login_options,
        .subcommands = SUBCOMMANDS(ADMIN("status", common_options)));
COMMAND(mcp_add, .name = "add", .class = CLASS_ADMIN, .options = mcp_add_options, .foreign = true);
COMMAND(mcp, .name = "mcp", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(ADMIN("list", json_options), ADMIN("get", json_options), &mcp_add,
                                   ADMIN("remove", common_options), ADMIN("login", mcp_login_options),
                                   ADMIN("logout", common_options)));
COMMAND(marketplace, .name = "marketplace", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(ADMIN("add", marketplace_add_options), ADMIN("list", json_options),
                                   ADMIN("upgrade", json_options), ADMIN("remove", json_options)));
COMMAND(plugin, .name = "plugin", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(ADMIN("add", plugin_options), ADMIN("list", plugin_options), &marketplace,
                                   ADMIN("remove", plugin_options)));
COMMAND(daemon_command, .name = "daemon", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(SERVER("bootstrap", bootstrap_options), SERVER("start", common_options),
                                   SERVER("restart", common_options), ADMIN("update", daemon_update_options),
                                   ADMIN("enable-remote-control", common_options),
                                   ADMIN("disable-remote-control", common_options),
                                   ADMIN("stop", common_options), ADMIN("version", common_options)));
COMMAND(app_server, .name = "app-server", .class = CLASS_SERVER, .options = app_server_options,
        .subcommands = SUBCOMMANDS(&daemon_command, SERVER("proxy", proxy_options),
                                   ADMIN("generate-ts", generate_options),
                                   ADMIN("generate-json-schema", generate_options),
                                   ADMIN("generate-internal-json-schema", generate_options)));
COMMAND(remote_control, .name = "remote-control", .class = CLASS_SERVER, .options = remote_control_options,
        .subcommands = SUBCOMMANDS(SERVER("start", json_options), ADMIN("stop", json_options),
                                   ADMIN("pair", json_options)));
COMMAND(exec_server, .name = "exec-server", .class = CLASS_SERVER, .options = exec_server_options,
        .subcommands = SUBCOMMANDS(SERVER("forward", forward_options)));
COMMAND(sandbox, .name = "sandbox", .class = CLASS_ADMIN, .options = sandbox_options, .foreign = true,
        .subcommands = SUBCOMMANDS(ADMIN("uninstall", common_options)));
COMMAND(debug_app_server, .name = "app-server", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(SERVER("send-message-v2", common_options)));
COMMAND(debug, .name = "debug", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(ADMIN("models", models_options), &debug_app_server,
                                   ADMIN("prompt-input", prompt_input_options),
                                   ADMIN("trace-reduce", trace_reduce_options),
                                   ADMIN("clear-memories", common_options)));
COMMAND(execpolicy_check, .name = "check", .class = CLASS_ADMIN, .options = execpolicy_check_options,
        .foreign = true);
COMMAND(execpolicy, .name = "execpolicy", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(&execpolicy_check));
COMMAND(apply, .name = "apply", .aliases = ALIASES("a"), .class = CLASS_ADMIN, .options = common_options);
COMMAND(cloud, .name = "cloud", .aliases = ALIASES("cloud-tasks"), .class = CLASS_ADMIN,
        .options = cloud_options,
        .subcommands = SUBCOMMANDS(ADMIN("exec", cloud_task_options), ADMIN("status", cloud_task_options),
                                   ADMIN("list", cloud_task_options), ADMIN("apply", cloud_task_options),
                                   ADMIN("diff", cloud_task_options)));
COMMAND(features, .name = "features", .class = CLASS_ADMIN, .options = common_options,
        .subcommands = SUBCOMMANDS(ADMIN("list", common_options), ADMIN("enable", common_options),
                                   ADMIN("disable", common_options)));

COMMAND(root, .class = CLASS_SESSION, .options = root_options,
        .subcommands = SUBCOMMANDS(
            SERVER("agents", agents_options), &exec, &review, &login, ADMIN("logout", common_options), &mcp,
            &plugin, &app_server, &remote_control, ADMIN("completion", common_options),
            ADMIN("update", common_options), ADMIN("doctor", doctor_options), &sandbox, &debug, &execpolicy,
            &apply, SESSION("resume", resume_options), SERVER("queue", queue_options),
            ADMIN("archive", saved_options), ADMIN("delete", saved_options),
            ADMIN("unarchive", saved_options), ADMIN("migrate-rollouts", migrate_rollouts_options),
            ADMIN("migrate-nfs-db", migrate_nfs_options), SESSION("fork", fork_options), &cloud, &exec_server,
            &features, SERVER("mcp-server", mcp_server_options), ADMIN("git-credential", common_options),
            ADMIN("tcp-tunnel", tunnel_options), ADMIN("responses-api-proxy", responses_proxy_options)));

const struct grammar codex_grammar = {.root = &root, .dash_values = false, .short_equals = true};
