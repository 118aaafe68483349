/* The configuration of codex (0.171.0): which files count, and what they ask for. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/codex.h"

static void
model_is(const char *line, const char *model, const char *effort)
{
    ask(line);
    ck_assert_msg(model == NULL ? req.model == NULL : req.model != NULL && strcmp(req.model, model) == 0,
                  "%s: model %s", line, req.model);
    ck_assert_msg(effort == NULL ? req.effort == NULL : req.effort != NULL && strcmp(req.effort, effort) == 0,
                  "%s: effort %s", line, req.effort);
}

START_TEST(managed_configuration_sets_the_effort_that_holds)
{
    file("/etc/codex/managed_config.toml", "model = \"m\"\nmodel_reasoning_effort = \"low\"\n");
    model_is("exec|-c|model=a|-c|model_reasoning_effort=high|hi", "m", "low");
    ck_assert_str_eq(req.effort_source, "/etc/codex/managed_config.toml");
    model_is("exec|-m|a|hi", "a", NULL);
}
END_TEST

START_TEST(a_review_takes_the_review_model)
{
    model_is("exec|-m|a|-c|review_model=b|review", "b", NULL);
    ck_assert_ptr_nonnull(strstr(req.model_source, "-c"));
    model_is("-m|a|-c|review_model=b|review", "b", NULL);
    model_is("exec|-m|a|-c|review_model=b|hi", "a", NULL);
    model_is("exec|-c|review_model=b|review", NULL, NULL); /* none is named for the launch */
    file(USER, "review_model = \"c\"\n");
    model_is("exec|-m|a|review", "c", NULL);
    ck_assert_ptr_nonnull(strstr(req.model_source, USER));
    model_is("exec|-m|a|-c|review_model=a|review", "a", NULL);
    model_is("exec|-m|a|resume|hi", "a", NULL);
}
END_TEST

static void
provider_is(const char *line, const char *want)
{
    ask(line);
    ck_assert_msg(want == NULL ? req.provider == NULL
                               : req.provider != NULL && strcmp(req.provider, want) == 0,
                  "%s: provider %s", line, req.provider);
}

START_TEST(a_provider_other_than_openai_is_named)
{
    provider_is("exec|hi", NULL);
    provider_is("exec|-c|model_provider=openai|hi", NULL);
    provider_is("exec|-c|model_provider=mock|hi", "mock");
    provider_is("exec|-c|model_provider='mock'|hi", "mock");
    provider_is("exec|--oss|hi", "oss");
    provider_is("exec|--oss|-c|oss_provider=ollama|hi", "ollama");
    provider_is("exec|--oss|--local-provider|lmstudio|hi", "lmstudio");
    provider_is("exec|-c|model_providers.openai.base_url=x|hi", "model_providers.openai");
    file(USER, "model_provider = \"mine\"\n");
    provider_is("exec|hi", "mine");
    provider_is("exec|-c|model_provider=openai|hi", NULL);
    no_files();
    file(HOME "/.codex/x.config.toml", "model_provider = \"mine\"\n");
    provider_is("exec|-p|x|hi", "mine");
    provider_is("exec|hi", NULL);
}
END_TEST

START_TEST(a_project_cannot_choose_the_provider)
{
    file(USER, "[projects.\"" PROJECT "\"]\ntrust_level = \"trusted\"\n");
    file(PROJECT "/.codex/config.toml", "model_provider = \"mine\"\n");
    provider_is("exec|hi", NULL);
}
END_TEST

START_TEST(re_pointed_endpoints_are_listed)
{
    char *envp[] = {"OPENAI_BASE_URL=http://x", "CODEX_OSS_PORT=", NULL};

    ask("exec|hi");
    ck_assert_uint_eq(req.endpoints.count, 0);
    inv.envp = envp;
    ask("exec|-c|openai_base_url=x|hi");
    ck_assert_uint_eq(req.endpoints.count, 2);
    ck_assert(strings_has(&req.endpoints, "OPENAI_BASE_URL"));
    ck_assert(strings_has(&req.endpoints, "openai_base_url"));
}
END_TEST

START_TEST(configuration_answers_what_argv_leaves_open)
{
    file(USER, "sandbox_mode = \"danger-full-access\" # mine\n");
    access_is("exec|hi", "full-access");
    ck_assert(!req.sources[0].explicit);
    ck_assert_str_eq(req.sources[0].spelling, "sandbox_mode");
    ck_assert_str_eq(req.sources[0].file, USER);
    access_is("exec|-s|read-only|hi", "read-only");
    access_is("exec|-c|sandbox_mode=read-only|hi", "read-only");
    access_is("exec|--ignore-user-config|hi", "unspecified");
    no_files();
    file(USER, "sandbox_mode = \"bogus\"\n");
    access_is("exec|hi", "full-access");
    no_files();
    file("/etc/codex/config.toml", "sandbox_mode = \"read-only\"\n");
    access_is("exec|--ignore-user-config|hi", "read-only");
}
END_TEST

START_TEST(the_home_of_configuration_is_codex_home)
{
    char *envp[] = {"CODEX_HOME=/else/where", NULL};

    file(USER, "sandbox_mode = \"danger-full-access\"\n");
    file("/else/where/config.toml", "sandbox_mode = \"read-only\"\n");
    file("/else/where/x.config.toml", "sandbox_mode = \"workspace-write\"\n");
    inv.envp = envp;
    access_is("exec|hi", "read-only");
    access_is("exec|-p|x|hi", "workspace-write");
    envp[0] = "CODEX_HOME=";
    access_is("exec|hi", "full-access");
    inv.home = NULL;
    access_is("exec|hi", "unspecified");
}
END_TEST

START_TEST(default_permissions_goes_before_sandbox_mode_in_one_file_only)
{
    file(USER, "sandbox_mode = \"danger-full-access\"\ndefault_permissions = \":read-only\"\n");
    access_is("exec|hi", "read-only");
    file(HOME "/.codex/x.config.toml", "sandbox_mode = \"workspace-write\"\n");
    access_is("exec|-p|x|hi", "workspace-write");
    no_files();
    file(USER, "sandbox_mode = \"read-only\"\n");
    file(HOME "/.codex/x.config.toml", "default_permissions = \":danger-full-access\"\n");
    access_is("exec|-p|x|hi", "full-access");
}
END_TEST

#define TRUST(dir, level) "[projects.\"" dir "\"]\ntrust_level = \"" level "\"\n"

/* Measured with the real CLI: only the exact name ".git" wants a HEAD where it is a directory. */
START_TEST(the_project_root_is_the_nearest_directory_with_a_marker)
{
#define ABOVE "/home/user/work"
    inv.git_top = NULL;
    file(USER, TRUST(ABOVE, "trusted") TRUST(PROJECT, "trusted"));
    file(ABOVE "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "unspecified");
    access_is("exec|-c|project_root_markers=[\".mark\"]|hi", "unspecified");
    file(ABOVE "/.git", ""); /* no repository to git */
    unreadable(ABOVE "/.git/HEAD", ENOTDIR);
    access_is("exec|hi", "full-access");
    access_is("exec|-c|project_root_markers=[]|hi", "unspecified");
    change_error(2, EINVAL);
    change_error(3, ENOENT);
    access_is("exec|hi", "unspecified");
    access_is("exec|-c|project_root_markers=[\"./.git\"]|hi", "unspecified");
    change_error(3, 0);
    access_is("exec|hi", "full-access");
    unreadable(PROJECT "/.git", EINVAL);
    unreadable(PROJECT "/.git/HEAD", 0);
    access_is("exec|hi", "unspecified");
    file(ABOVE "/.mark", "");
    access_is("exec|-c|project_root_markers=[\".mark\"]|hi", "full-access");
    access_is("exec|-c|project_root_markers=[\"none\",\".mark\"]|hi", "full-access");
    access_is("exec|-c|project_root_markers=[\".mark\",\".git\"]|hi", "unspecified");
    change_error(6, EINVAL);
    access_is("exec|-c|project_root_markers=[\".mark\"]|hi", "full-access");
    change_error(6, ELOOP);
    access_is("exec|-c|project_root_markers=[\".mark\"]|hi", "unspecified");
}
END_TEST

START_TEST(markers_come_from_host_and_user_not_from_the_project)
{
    static const char *const settles[] = {USER, HOME "/.codex/x.config.toml", "/etc/codex/config.toml",
                                          "/etc/codex/managed_config.toml"};
    static const char text[] = "project_root_markers = [\".mark\"]\n" TRUST(ABOVE, "trusted");

    for (size_t k = 0; k < sizeof(settles) / sizeof(settles[0]); k++) {
        no_files();
        file(ABOVE "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
        file(ABOVE "/.mark", "");
        file(settles[k], text);
        access_is("exec|-p|x|hi", "full-access");
        access_is("exec|-p|x|-c|project_root_markers=[\".git\"]|hi", k == 3 ? "full-access" : "unspecified");
    }
    no_files();
    file(ABOVE "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    file(ABOVE "/.mark", "");
    file(PROJECT "/.codex/config.toml", text);
    file(USER, TRUST(PROJECT, "trusted") TRUST(ABOVE, "trusted"));
    access_is("exec|hi", "unspecified");
}
END_TEST

START_TEST(more_markers_than_anybody_has_hold_the_launch_read_only)
{
    const char *line = "exec|-c|project_root_markers=[";

    for (int k = 0; k < 65; k++)
        line = mem_printf(m, "%s%s\"m%d\"", line, k == 0 ? "" : ",", k);
    access_is(mem_printf(m, "%s]|hi", line), "read-only");
    ck_assert(req.config_broken);
}
END_TEST

/* /home/user/hub/link leads to the project. */
#define HUB HOME "/hub"

static const char *
follow_link(struct mem *region, const char *path)
{
    const char *link = HUB "/link";
    size_t length = strlen(link);

    if (strncmp(path, link, length) != 0)
        return path;
    return mem_printf(region, PROJECT "%s", path + length);
}

/* codex looks for files above the name that -C has, and not above the place that it leads to. */
START_TEST(a_directory_named_by_a_link_is_where_the_link_is)
{
    inv.named = HUB "/link";
    inv.canonical = follow_link;
    file(USER, TRUST(HUB, "trusted"));
    file(HUB "/.git", "");
    file(HUB "/.git/HEAD", "");
    file(HUB "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "full-access");
    change_file(0, TRUST(PROJECT, "trusted"));
    access_is("exec|hi", "unspecified");
    inv.named = NULL;
    access_is("exec|hi", "unspecified");
}
END_TEST

START_TEST(trust_is_looked_up_by_place_else_by_name)
{
    inv.named = HUB "/link";
    inv.canonical = follow_link;
    file(USER, TRUST(HUB "/link", "trusted"));
    file(HUB "/link/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "full-access");
    change_file(0, TRUST(PROJECT, "trusted"));
    access_is("exec|hi", "full-access");
    change_file(0, TRUST(HUB "/link", "untrusted") TRUST(PROJECT, "trusted"));
    access_is("exec|hi", "full-access");
    change_file(0, TRUST(HUB "/link", "trusted") TRUST(PROJECT, "untrusted"));
    access_is("exec|hi", "unspecified");
    inv.named = NULL;
    change_file(0, TRUST(HUB "/link", "trusted"));
    access_is("exec|hi", "unspecified");
}
END_TEST

START_TEST(a_project_file_counts_where_its_directory_is_trusted)
{
    file(USER, "sandbox_mode = \"read-only\"\n" TRUST(PROJECT, "trusted"));
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "full-access");
    inv.cwd = PROJECT "/sub/deep";
    access_is("exec|hi", "full-access");
    file(PROJECT "/sub/.codex/config.toml", "sandbox_mode = \"workspace-write\"\n");
    access_is("exec|hi", "workspace-write");
    change_file(0, "sandbox_mode = \"read-only\"\n");
    access_is("exec|hi", "read-only");
    access_is("exec|--trust|hi", "workspace-write");
    access_is("exec|-c|projects={\"" PROJECT "\"={trust_level=\"trusted\"}}|hi", "workspace-write");
    access_is("exec|-c|projects." PROJECT ".trust_level=trusted|hi", "workspace-write");
    access_is("exec|-c|projects.\"" PROJECT "\".trust_level=trusted|hi", "read-only");
}
END_TEST

START_TEST(trust_is_that_of_the_directory_else_of_the_root)
{
    inv.cwd = PROJECT "/sub";
    file(USER, "sandbox_mode = \"read-only\"\n" TRUST(PROJECT, "trusted") TRUST(PROJECT "/sub", "untrusted"));
    file(PROJECT "/sub/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"workspace-write\"\n");
    access_is("exec|hi", "workspace-write");
    no_files();
    file(USER, "sandbox_mode = \"read-only\"\n" TRUST(PROJECT "/sub", "trusted"));
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "read-only");
    file(PROJECT "/sub/.codex/config.toml", "sandbox_mode = \"workspace-write\"\n");
    access_is("exec|hi", "workspace-write");
    no_files();
    file(USER, "sandbox_mode = \"read-only\"\n" TRUST(HOME "/work", "trusted"));
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "read-only");
}
END_TEST

START_TEST(a_worktree_has_the_trust_of_its_main_repository)
{
    file(USER, "sandbox_mode = \"read-only\"\n" TRUST("/main", "trusted"));
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "read-only");
    file(PROJECT "/.git", "gitdir: /main/.git/worktrees/project\n");
    access_is("exec|hi", "full-access");
    change_file(2, "gitdir: ../../../../main/.git/worktrees/project\n");
    access_is("exec|hi", "full-access");
    unreadable(PROJECT "/.git", EISDIR);
    access_is("exec|hi", "read-only");
    ck_assert(!req.config_broken);
}
END_TEST

START_TEST(without_git_only_the_working_directory_is_searched)
{
    inv.git_top = NULL;
    inv.cwd = inv.project = PROJECT "/sub";
    file(USER, TRUST(PROJECT, "trusted") TRUST(PROJECT "/sub", "trusted"));
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "unspecified");
    file(PROJECT "/sub/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|hi", "full-access");
}
END_TEST

START_TEST(a_home_that_is_a_repository_names_its_file_once)
{
    inv.git_top = inv.cwd = inv.project = HOME;
    file(USER, "sandbox_mode = \"danger-full-access\"\n" TRUST(HOME, "trusted"));
    access_is("exec|--ignore-user-config|hi", "unspecified");
    access_is("exec|hi", "full-access");
}
END_TEST

/* Measured, against the documentation's "profile first". */
START_TEST(project_files_go_before_the_profile)
{
    file(USER, TRUST(PROJECT, "trusted"));
    file(HOME "/.codex/x.config.toml", "sandbox_mode = \"read-only\"\n");
    access_is("exec|-p|x|hi", "read-only");
    access_is("exec|--ignore-user-config|-p|x|hi", "unspecified");
    file(PROJECT "/.codex/config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|-p|x|hi", "full-access");
}
END_TEST

START_TEST(the_deepest_profile_counts_and_must_be_a_plain_name)
{
    file(HOME "/.codex/x.config.toml", "sandbox_mode = \"danger-full-access\"\n");
    file(HOME "/.codex/y.config.toml", "sandbox_mode = \"read-only\"\n");
    access_is("-p|x|exec|hi", "full-access");
    access_is("-p|x|exec|-p|y|hi", "read-only");
    access_is("exec|-p|nothing|hi", "unspecified");
    file(HOME "/z.config.toml", "sandbox_mode = \"danger-full-access\"\n");
    access_is("exec|-p|../z|hi", "unspecified");
}
END_TEST

START_TEST(roots_of_configuration_count)
{
    file(USER, "[sandbox_workspace_write]\nwritable_roots = [\"/\"]\n");
    access_is("exec|-s|workspace-write|hi", "full-access");
    access_is("exec|hi", "full-access");
    ck_assert(!req.sources[0].explicit);
    access_is("exec|-s|read-only|hi", "read-only");
    access_is("exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=[]|hi", "workspace-write");
    access_is("exec|-s|workspace-write|-c|sandbox_workspace_write={network_access=true}|hi", "full-access");
    no_files();
    /* Relative to the file. */
    file(USER, "[sandbox_workspace_write]\nwritable_roots = [\"..\"]\n");
    access_is("exec|-s|workspace-write|hi", "full-access");
    no_files();
    file(USER, "[sandbox_workspace_write]\nwritable_roots = [\"x\", \"../y\"]\n");
    access_is("exec|-s|workspace-write|hi", "workspace-write");
    no_files();
    file(USER, "sandbox_mode = \"workspace-write\"\n[sandbox_workspace_write]\nwritable_roots = [1]\n");
    access_is("exec|hi", "full-access");
    no_files();
    file(USER, "sandbox_mode = \"read-only\"\n[sandbox_workspace_write]\nwritable_roots = [\"/\"]\n");
    access_is("exec|hi", "read-only");
}
END_TEST

/* What codex stops at must not become a launch because rendering puts a mode in its place. */
START_TEST(a_profile_that_there_is_not_is_malformed_where_it_would_hold)
{
    static const char *const names[] = {"", ":bogus", "missing"};

    for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
        char text[64];

        no_files();
        snprintf(text, sizeof(text), "default_permissions = \"%s\"\n", names[k]);
        file(USER, text);
        ask("exec|hi");
        ck_assert_ptr_nonnull(req.malformed);
        ck_assert_ptr_nonnull(strstr(req.malformed, USER));
        ask("exec|-s|read-only|hi");
        ck_assert_ptr_null(req.malformed);
        ask("exec|-c|sandbox_mode=read-only|hi");
        ck_assert_ptr_null(req.malformed);
    }
    no_files();
    file(USER, "[permissions.mine.filesystem]\n\":root\" = \"write\"\n");
    ask("exec|--add-dir|/|hi");
    ck_assert_ptr_nonnull(req.malformed);
    ask("exec|-s|read-only|hi");
    ck_assert_ptr_null(req.malformed);
}
END_TEST

START_TEST(configuration_that_does_not_parse_is_told)
{
    ask("exec|hi");
    ck_assert(!req.config_broken);
    file(USER, "a = 1\nx = = 1\n");
    ask("exec|--yolo|hi");
    ck_assert(req.config_broken);
    ck_assert_ptr_nonnull(strstr(req.config_detail, USER ":2:5: "));
    ask("exec|--ignore-user-config|hi");
    ck_assert(!req.config_broken);
    no_files();
    unreadable(USER, EACCES);
    ask("exec|hi");
    ck_assert(req.config_broken);
    ck_assert_ptr_nonnull(strstr(req.config_detail, USER));
    no_files();
    file(USER, "x = \"\xff\"\n");
    ask("exec|hi");
    ck_assert(req.config_broken);
}
END_TEST

START_TEST(only_files_that_count_can_be_broken)
{
    file(PROJECT "/.codex/config.toml", "x = = 1\n");
    file(HOME "/.codex/x.config.toml", "x = = 1\n");
    ask("exec|hi");
    ck_assert(!req.config_broken);
    ask("exec|-p|x|hi");
    ck_assert(req.config_broken);
    ask("exec|--trust|hi");
    ck_assert(req.config_broken);
}
END_TEST

START_TEST(managed_configuration_holds_where_argv_is_silent)
{
    file("/etc/codex/managed_config.toml", "sandbox_mode = \"danger-full-access\"\n");
    file(USER, "sandbox_mode = \"read-only\"\n");
    access_is("exec|hi", "full-access");
    access_is("exec|-s|read-only|hi", "read-only");
}
END_TEST

static void
refuses(const char *path, const char *text, bool want)
{
    no_files();
    file(path, text);
    ask("exec|hi");
    ck_assert_msg((req.vendor_refuses != NULL) == want, "%s: %s", text, req.vendor_refuses);
}

/* 0.171: an execpolicy rule that allows a command runs it without the sandbox, beside -s read-only as well. */
START_TEST(rules_leave_it_unverified_that_the_sandbox_holds)
{
    static const char *const lines[] = {"exec|hi", "exec|-s|read-only|hi", "-s|workspace-write|exec|hi"};

    for (size_t k = 0; k < 3; k++) {
        no_files();
        ask(lines[k]);
        ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_READ_ONLY), ENFORCED_VENDOR);
        file(HOME "/.codex/rules", ".\n..\nnotes.txt\n");
        ask(lines[k]);
        ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_READ_ONLY), ENFORCED_VENDOR);
        change_file(0, ".\n..\ndefault.rules\n");
        ask(lines[k]);
        ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_READ_ONLY), ENFORCED_UNVERIFIED);
        ck_assert_ptr_nonnull(strstr(req.unverified, HOME "/.codex/rules"));
    }
    ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_FULL), ENFORCED_NONE);
    change_error(0, EACCES);
    ask("exec|hi");
    ck_assert_ptr_nonnull(req.unverified);
    ask("exec|--ignore-rules|hi");
    ck_assert_ptr_null(req.unverified);
}
END_TEST

START_TEST(rules_of_a_project_count_where_it_is_trusted)
{
    file(PROJECT "/.codex/rules", "a.rules\n");
    ask("exec|hi");
    ck_assert_ptr_null(req.unverified);
    ask("exec|-c|projects={\"" PROJECT "\"={trust_level=\"trusted\"}}|hi");
    ck_assert_ptr_nonnull(req.unverified);
}
END_TEST

START_TEST(requirements_that_forbid_full_access_are_told)
{
    const char *path = "/etc/codex/requirements.toml", *managed = "/etc/codex/managed_config.toml";

    ask("exec|hi");
    ck_assert_ptr_null(req.vendor_refuses);
    refuses(path, "allowed_sandbox_modes = [\"read-only\", \"workspace-write\"]\n", true);
    refuses(path, "allowed_sandbox_modes = [\"read-only\", \"danger-full-access\"]\n", false);
    refuses(path, "allowed_sandbox_modes = []\n", true);
    refuses(path, "[allowed_permission_profiles]\n\":read-only\" = true\n\":workspace\" = true\n", true);
    refuses(path, "[allowed_permission_profiles]\n\":danger-full-access\" = true\n", false);
    refuses(path, "[permissions.filesystem]\ndeny_read = [\"/x\"]\n", true);
    refuses(
        path,
        "[[remote_sandbox_config]]\nhostname_patterns = [\"*\"]\nallowed_sandbox_modes = [\"read-only\"]\n",
        true);
    refuses(path, "allowed_approval_policies = [\"on-request\"]\n", false);
    refuses(path, "x = = 1\n", true);
    refuses(managed, "sandbox_mode = \"read-only\"\n", true);
    refuses(managed, "sandbox_mode = \"danger-full-access\"\n", false);
    refuses(USER, "sandbox_mode = \"read-only\"\n", false);
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {managed_configuration_sets_the_effort_that_holds,
                                  a_review_takes_the_review_model,
                                  a_directory_named_by_a_link_is_where_the_link_is,
                                  trust_is_looked_up_by_place_else_by_name,
                                  a_provider_other_than_openai_is_named,
                                  a_project_cannot_choose_the_provider,
                                  re_pointed_endpoints_are_listed,
                                  configuration_answers_what_argv_leaves_open,
                                  the_home_of_configuration_is_codex_home,
                                  default_permissions_goes_before_sandbox_mode_in_one_file_only,
                                  the_project_root_is_the_nearest_directory_with_a_marker,
                                  markers_come_from_host_and_user_not_from_the_project,
                                  more_markers_than_anybody_has_hold_the_launch_read_only,
                                  a_project_file_counts_where_its_directory_is_trusted,
                                  trust_is_that_of_the_directory_else_of_the_root,
                                  a_worktree_has_the_trust_of_its_main_repository,
                                  without_git_only_the_working_directory_is_searched,
                                  a_home_that_is_a_repository_names_its_file_once,
                                  project_files_go_before_the_profile,
                                  the_deepest_profile_counts_and_must_be_a_plain_name,
                                  a_profile_that_there_is_not_is_malformed_where_it_would_hold,
                                  roots_of_configuration_count,
                                  configuration_that_does_not_parse_is_told,
                                  only_files_that_count_can_be_broken,
                                  managed_configuration_holds_where_argv_is_silent,
                                  requirements_that_forbid_full_access_are_told,
                                  rules_leave_it_unverified_that_the_sandbox_holds,
                                  rules_of_a_project_count_where_it_is_trusted};

    return codex_suite("codex_config", tests, sizeof(tests) / sizeof(*tests));
}
