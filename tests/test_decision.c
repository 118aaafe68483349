/* The decision, rule by rule: decision specification, sections 2 to 5. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "shim/decide/decision.h"

static struct mem *m;
static struct policy policy;
static struct request request;
static struct parent parent;
static struct decision decision;
static struct floor_entry entries[2];
static struct floors floors;
static const char *detail;

/* A launch that qualifies; each test spoils one thing. */
static void
setup(void)
{
    m = mem_new();
    memset(&policy, 0, sizeof(policy));
    memset(&request, 0, sizeof(request));
    memset(&parent, 0, sizeof(parent));
    entries[0] =
        (struct floor_entry){.model = "gpt-5.1-codex", .min_effort = adapter_effort(&adapter_codex, "high")};
    floors = (struct floors){.adapter = &adapter_codex, .entries = entries, .count = 1};
    policy.project = "/p";
    policy.write_sandbox = PROJECTION_WORKSPACE_WRITE;
    policy.file = (struct grant_policy){.state = POLICY_ENABLED,
                                        .path = "/p/.haccess/policy.json",
                                        .enabled = true,
                                        .allowed = true,
                                        .floors = &floors,
                                        .nfloors = 1};
    request.model = "gpt-5.1-codex";
    request.effort = "high";
    parent.state = PARENT_FULL;
    parent.detail = "rollout";
    detail = NULL;
}

static void
teardown(void)
{
    mem_free(m);
}

static enum reason
decide(void)
{
    enum refusal refusal = request_resolve(m, &request, &detail);

    ck_assert_int_eq(refusal, REFUSAL_NONE);
    decide_access(m, &adapter_codex, &request, &policy, &parent, NULL, &decision);
    ck_assert_int_eq(decision.full, decision.reason == REASON_QUALIFIED);
    ck_assert_ptr_nonnull(decision.detail);
    ck_assert_str_ne(decision.detail, "");
    return decision.reason;
}

/* Decides without a parent: the reason of a check before the probe, or that the probe is needed. */
static enum reason
decide_before_probe(void)
{
    request_resolve(m, &request, &detail);
    decide_access(m, &adapter_codex, &request, &policy, NULL, NULL, &decision);
    ck_assert(!decision.needs_parent);
    ck_assert(!decision.full);
    return decision.reason;
}

static void
ask(enum access access, enum source_kind kind, bool explicit, const char *spelling)
{
    struct source s = {.access = access,
                       .kind = kind,
                       .explicit = explicit,
                       .spelling = spelling,
                       .index = explicit ? 2 : 0,
                       .file = explicit ? NULL : "/home/config.toml"};

    request_add(m, &request, &s);
}

static enum access
resolve(enum refusal expected)
{
    ck_assert_int_eq(request_resolve(m, &request, &detail), expected);
    return request.access;
}

START_TEST(section2_full_access_beside_a_filesystem_policy_is_contradictory)
{
    static const enum access policies[] = {ACCESS_READ_ONLY, ACCESS_WORKSPACE_WRITE};

    for (int order = 0; order < 2; order++) {
        request.nsources = 0;
        if (order == 0)
            ask(policies[_i], SOURCE_MODE, true, "-s");
        ask(ACCESS_FULL, SOURCE_MODE, true, "--yolo");
        if (order == 1)
            ask(policies[_i], SOURCE_MODE, true, "-s");
        ck_assert_int_eq(resolve(REFUSAL_FULL_ACCESS_CONFLICTS_WITH_POLICY), ACCESS_CONTRADICTORY);
        ck_assert_ptr_nonnull(strstr(detail, "--yolo"));
        ck_assert_ptr_nonnull(strstr(detail, "-s"));
    }
}
END_TEST

START_TEST(section2_two_filesystem_policies_are_contradictory)
{
    ask(ACCESS_READ_ONLY, SOURCE_MODE, true, "HACCESS_ACCESS");
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_MODE, true, "-s");
    ck_assert_int_eq(resolve(REFUSAL_FILESYSTEM_POLICIES_CONFLICT), ACCESS_CONTRADICTORY);
}
END_TEST

START_TEST(section2_the_same_twice_is_not_contradictory)
{
    static const enum access all[] = {ACCESS_READ_ONLY, ACCESS_WORKSPACE_WRITE, ACCESS_FULL};

    ask(all[_i], SOURCE_MODE, true, "a");
    ask(all[_i], SOURCE_MODE, true, "b");
    ck_assert_int_eq(resolve(REFUSAL_NONE), all[_i]);
}
END_TEST

START_TEST(section2_explicit_wins_over_configuration)
{
    ask(ACCESS_FULL, SOURCE_MODE, false, "sandbox_mode");
    ask(ACCESS_READ_ONLY, SOURCE_MODE, true, "-s");
    ck_assert_int_eq(resolve(REFUSAL_NONE), ACCESS_READ_ONLY);
    request.nsources = 0;
    ask(ACCESS_READ_ONLY, SOURCE_MODE, false, "sandbox_mode");
    ask(ACCESS_FULL, SOURCE_MODE, true, "--yolo");
    ck_assert_int_eq(resolve(REFUSAL_NONE), ACCESS_FULL);
}
END_TEST

START_TEST(section2_configuration_counts_where_argv_is_silent)
{
    static const enum access all[] = {ACCESS_READ_ONLY, ACCESS_WORKSPACE_WRITE, ACCESS_FULL};

    ask(all[_i], SOURCE_MODE, false, "sandbox_mode");
    ck_assert_int_eq(resolve(REFUSAL_NONE), all[_i]);
}
END_TEST

START_TEST(section2_sandbox_beside_read_only_mode_is_read_only)
{
    ask(ACCESS_READ_ONLY, SOURCE_MODE, true, "HACCESS_LANE");
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX, true, "sandbox.enabled");
    ck_assert_int_eq(resolve(REFUSAL_NONE), ACCESS_READ_ONLY);
    request.nsources = 0;
    ask(ACCESS_READ_ONLY, SOURCE_MODE, false, "permissions.defaultMode");
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX, true, "sandbox.enabled");
    ck_assert_int_eq(resolve(REFUSAL_NONE), ACCESS_READ_ONLY);
}
END_TEST

START_TEST(section2_bypass_beside_explicit_sandbox_is_workspace_write)
{
    ask(ACCESS_FULL, SOURCE_BYPASS, true, "--dangerously-skip-permissions");
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX, true, "sandbox.enabled");
    ck_assert_int_eq(resolve(REFUSAL_NONE), ACCESS_WORKSPACE_WRITE);
}
END_TEST

START_TEST(section2_bypass_beside_configured_sandbox_is_full_access)
{
    ask(ACCESS_FULL, SOURCE_BYPASS, true, "--dangerously-skip-permissions");
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX, false, "sandbox.enabled");
    ck_assert_int_eq(resolve(REFUSAL_NONE), ACCESS_FULL);
}
END_TEST

START_TEST(section2_bypass_with_sandbox_and_plan_is_contradictory)
{
    ask(ACCESS_FULL, SOURCE_BYPASS, true, "--dangerously-skip-permissions");
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX, true, "sandbox.enabled");
    ask(ACCESS_READ_ONLY, SOURCE_MODE, true, "--permission-mode");
    ck_assert_int_eq(resolve(REFUSAL_FULL_ACCESS_CONFLICTS_WITH_POLICY), ACCESS_CONTRADICTORY);
}
END_TEST

START_TEST(section2_full_mode_beside_explicit_sandbox_is_contradictory)
{
    ask(ACCESS_FULL, SOURCE_MODE, true, "HACCESS_ACCESS");
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_SANDBOX, true, "sandbox.enabled");
    ck_assert_int_eq(resolve(REFUSAL_FULL_ACCESS_CONFLICTS_WITH_POLICY), ACCESS_CONTRADICTORY);
}
END_TEST

START_TEST(section2_broken_configuration_is_read_only_whatever_is_asked)
{
    request.config_broken = true;
    request.config_detail = "config.toml does not parse";
    ask(ACCESS_FULL, SOURCE_MODE, true, "--yolo");
    ck_assert_int_eq(decide_before_probe(), REASON_POLICY_READ_ONLY);
    ck_assert_int_eq(request.access, ACCESS_READ_ONLY);
}
END_TEST

static enum refusal
refuse(const struct adapter *a, enum launch_class c)
{
    return decide_refusal(m, a, c, &policy, &request, &detail);
}

START_TEST(section3_bad_request_comes_first)
{
    request.bad = "HACCESS_LANE=both";
    request.malformed = "-s has no value";
    ask(ACCESS_FULL, SOURCE_MODE, true, "--yolo");
    ask(ACCESS_READ_ONLY, SOURCE_MODE, true, "-s");
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SESSION), REFUSAL_BAD_REQUEST);
    request.bad = NULL;
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SESSION), REFUSAL_MALFORMED_REQUEST);
    request.malformed = NULL;
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SESSION), REFUSAL_FULL_ACCESS_CONFLICTS_WITH_POLICY);
}
END_TEST

START_TEST(section3_full_access_unrepresentable)
{
    request.asked = ACCESS_FULL;
    ask(ACCESS_FULL, SOURCE_MODE, true, "HACCESS_ACCESS");
    ck_assert_int_eq(refuse(&adapter_opencode, CLASS_SESSION), REFUSAL_FULL_ACCESS_UNREPRESENTABLE);
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SESSION), REFUSAL_NONE);
}
END_TEST

START_TEST(section3_no_projection)
{
    request.asked = ACCESS_READ_ONLY;
    ck_assert_int_eq(refuse(&adapter_opencode, CLASS_SESSION), REFUSAL_NO_PROJECTION);
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SESSION), REFUSAL_NONE);
    request.asked = ACCESS_UNSPECIFIED;
    request.lane = LANE_READ;
    ck_assert_int_eq(refuse(&adapter_opencode, CLASS_SESSION), REFUSAL_NO_PROJECTION);
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SESSION), REFUSAL_NONE);
}
END_TEST

START_TEST(section3_server_unbounded)
{
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SERVER), REFUSAL_NONE);
    policy.servers_refuse = true;
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SERVER), REFUSAL_SERVER_UNBOUNDED);
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SESSION), REFUSAL_NONE);
    policy.servers_refuse = false;
    request.asked = ACCESS_WORKSPACE_WRITE;
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SERVER), REFUSAL_SERVER_UNBOUNDED);
    request.asked = ACCESS_UNSPECIFIED;
    request.lane = LANE_WRITE;
    ck_assert_int_eq(refuse(&adapter_codex, CLASS_SERVER), REFUSAL_SERVER_UNBOUNDED);
}
END_TEST

START_TEST(section3_write_lane_of_claude_needs_full_access_or_the_hosts_word)
{
    request.lane = LANE_WRITE;
    ck_assert_int_eq(decide_refusal_after(m, &adapter_claude, &request, &policy, false, &detail),
                     REFUSAL_CLAUDE_WRITE_LANE_REQUIRES_FULL_ACCESS);
    ck_assert_int_eq(decide_refusal_after(m, &adapter_claude, &request, &policy, true, &detail),
                     REFUSAL_NONE);
    policy.write_claude_vendor = true;
    ck_assert_int_eq(decide_refusal_after(m, &adapter_claude, &request, &policy, false, &detail),
                     REFUSAL_NONE);
    ck_assert_int_eq(decide_refusal_after(m, &adapter_codex, &request, &policy, false, &detail),
                     REFUSAL_NONE);
}
END_TEST

START_TEST(section3_write_lane_unenforceable)
{
    request.lane = LANE_WRITE;
    ck_assert_int_eq(decide_refusal_after(m, &adapter_opencode, &request, &policy, false, &detail),
                     REFUSAL_WRITE_LANE_UNENFORCEABLE);
    request.lane = LANE_NONE;
    ck_assert_int_eq(decide_refusal_after(m, &adapter_opencode, &request, &policy, false, &detail),
                     REFUSAL_NONE);
}
END_TEST

START_TEST(section4_16_qualified)
{
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
    for (size_t i = 0; i < CHECKS; i++)
        ck_assert_int_eq(decision.checks[i].result, CHECK_PASSED);
}
END_TEST

START_TEST(section4_1_config_invalid)
{
    struct grant_policy *const files[] = {&policy.file, &policy.ceiling};

    files[_i]->path = "/x";
    files[_i]->state = POLICY_INVALID;
    files[_i]->problem = "line 3";
    ck_assert_int_eq(decide_before_probe(), REASON_CONFIG_INVALID);
    ck_assert_str_eq(decision.detail, "/x: line 3");
}
END_TEST

START_TEST(section4_2_disabled_without_a_policy)
{
    policy.file = (struct grant_policy){.state = POLICY_ABSENT};
    ck_assert_int_eq(decide_before_probe(), REASON_DISABLED);
}
END_TEST

START_TEST(section4_2_disabled_when_not_enabled)
{
    policy.file.enabled = false;
    policy.file.state = POLICY_DISABLED;
    ck_assert_int_eq(decide_before_probe(), REASON_DISABLED);
}
END_TEST

START_TEST(section4_2_disabled_by_environment)
{
    policy.off = true;
    ck_assert_int_eq(decide_before_probe(), REASON_DISABLED);
    ck_assert_ptr_nonnull(strstr(decision.detail, "HACCESS_WORKER_FULL_ACCESS"));
}
END_TEST

START_TEST(section4_2_disabled_by_the_ceiling)
{
    policy.ceiling =
        (struct grant_policy){.state = POLICY_DISABLED, .path = "/etc/haccess/policy.json", .allowed = true};
    ck_assert_int_eq(decide_before_probe(), REASON_DISABLED);
    ck_assert_ptr_nonnull(strstr(decision.detail, "/etc/haccess/policy.json"));
}
END_TEST

START_TEST(section4_3_policy_not_allowed)
{
    policy.file.allowed = false;
    policy.file.state = POLICY_NOT_ALLOWED;
    ck_assert_int_eq(decide_before_probe(), REASON_POLICY_NOT_ALLOWED);
    ck_assert_ptr_nonnull(strstr(decision.remedy, "haccess policy allow"));
}
END_TEST

START_TEST(section4_4_adapter_unrepresentable)
{
    request_resolve(m, &request, &detail);
    decide_access(m, &adapter_opencode, &request, &policy, &parent, NULL, &decision);
    ck_assert_int_eq(decision.reason, REASON_ADAPTER_UNREPRESENTABLE);
    ck_assert(!decision.full);
}
END_TEST

START_TEST(section4_5_policy_read_only)
{
    ask(ACCESS_READ_ONLY, SOURCE_MODE, _i == 0, "-s");
    ck_assert_int_eq(decide_before_probe(), REASON_POLICY_READ_ONLY);
}
END_TEST

START_TEST(section4_6_not_asked_interactive)
{
    request.interactive = true;
    ck_assert_int_eq(decide_before_probe(), REASON_NOT_ASKED);
    ask(ACCESS_FULL, SOURCE_MODE, true, "--yolo");
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
}
END_TEST

START_TEST(section4_6_not_asked_by_variable)
{
    request.asked = ACCESS_WORKSPACE_WRITE;
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_MODE, true, "HACCESS_ACCESS");
    ck_assert_int_eq(decide_before_probe(), REASON_NOT_ASKED);
}
END_TEST

START_TEST(section4_6_workspace_write_in_argv_is_widened)
{
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_MODE, true, "-s");
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
}
END_TEST

START_TEST(section4_7_grammar_unknown)
{
    request.unknown = "--brand-new";
    ck_assert_int_eq(decide_before_probe(), REASON_GRAMMAR_UNKNOWN);
}
END_TEST

START_TEST(section4_8_no_floor_for_the_adapter)
{
    policy.file.nfloors = 0;
    request.model = NULL;
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
}
END_TEST

START_TEST(section4_9_model_unset)
{
    request.model = NULL;
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_UNSET);
}
END_TEST

START_TEST(section4_10_model_is_compared_exactly)
{
    static const char *const models[] = {"gpt-5.1", "GPT-5.1-codex", "gpt-5.1-codex ", ""};

    request.model = models[_i];
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
}
END_TEST

START_TEST(section4_10_fallback_has_to_be_listed)
{
    strings_add(m, &request.fallbacks, "gpt-5.1-codex");
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
    strings_add(m, &request.fallbacks, "gpt-5-mini");
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
}
END_TEST

START_TEST(section4_10_provider_has_to_be_named)
{
    request.provider = "mock";
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
    entries[0].provider = "mock";
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
    request.provider = "other";
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
    request.provider = NULL;
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
    entries[0].provider = "openai";
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
}
END_TEST

START_TEST(section4_11_effort_unset)
{
    request.effort = NULL;
    ck_assert_int_eq(decide_before_probe(), REASON_EFFORT_UNSET);
}
END_TEST

START_TEST(section4_12_effort_below_floor)
{
    static const char *const below[] = {"none", "minimal", "low", "medium", "ultra", "High", ""};

    request.effort = below[_i];
    ck_assert_int_eq(decide_before_probe(), REASON_EFFORT_BELOW_FLOOR);
    ck_assert_ptr_nonnull(strstr(decision.detail, "high"));
}
END_TEST

START_TEST(section4_12_effort_at_or_above_floor)
{
    static const char *const enough[] = {"high", "xhigh"};

    request.effort = enough[_i];
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
}
END_TEST

START_TEST(section4_12_any_satisfied_entry_will_do)
{
    entries[1] =
        (struct floor_entry){.model = "gpt-5.1-codex", .min_effort = adapter_effort(&adapter_codex, "low")};
    floors.count = 2;
    request.effort = "medium";
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
    request.effort = "minimal";
    ck_assert_int_eq(decide_before_probe(), REASON_EFFORT_BELOW_FLOOR);
}
END_TEST

START_TEST(section4_13_vendor_would_refuse)
{
    request.vendor_refuses = "uid 0 without IS_SANDBOX=1";
    ck_assert_int_eq(decide_before_probe(), REASON_VENDOR_WOULD_REFUSE);
}
END_TEST

START_TEST(section4_14_parent_sandboxed)
{
    parent.state = PARENT_SANDBOXED;
    parent.detail = "no_new_privs is set";
    ck_assert_int_eq(decide(), REASON_PARENT_SANDBOXED);
    ck_assert_ptr_nonnull(strstr(decision.detail, "no_new_privs is set"));
}
END_TEST

START_TEST(section4_15_parent_unknown)
{
    parent.state = PARENT_UNKNOWN;
    ck_assert_int_eq(decide(), REASON_PARENT_UNKNOWN);
}
END_TEST

START_TEST(section4_parent_is_asked_for_last)
{
    request_resolve(m, &request, &detail);
    decide_access(m, &adapter_codex, &request, &policy, NULL, NULL, &decision);
    ck_assert(decision.needs_parent);
    ck_assert(!decision.full);
}
END_TEST

/* Where a ceiling exists both files have to grant, and the detail names the one that does not. */
START_TEST(section4_ceiling_checks_fail_against_either_file)
{
    static const char *const ceiling = "/etc/haccess/policy.json";
    struct floor_entry strict = {.model = "gpt-5.1-codex",
                                 .min_effort = adapter_effort(&adapter_codex, "xhigh")};
    struct floors top = {.adapter = &adapter_codex, .entries = &strict, .count = 1};

    policy.ceiling = (struct grant_policy){.state = POLICY_ENABLED,
                                           .path = ceiling,
                                           .enabled = true,
                                           .allowed = true,
                                           .floors = &top,
                                           .nfloors = 1};
    ck_assert_int_eq(decide_before_probe(), REASON_EFFORT_BELOW_FLOOR);
    ck_assert_ptr_nonnull(strstr(decision.detail, ceiling));
    request.effort = "xhigh";
    ck_assert_int_eq(decide(), REASON_QUALIFIED);
    strict.model = "gpt-5.2-codex";
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
    ck_assert_ptr_nonnull(strstr(decision.detail, ceiling));
    policy.ceiling.nfloors = 0;
    ck_assert_int_eq(decide_before_probe(), REASON_MODEL_NOT_LISTED);
}
END_TEST

static enum projection
project(bool full)
{
    request_resolve(m, &request, &detail);
    return decide_projection(&adapter_codex, &request, &policy, full, NULL);
}

START_TEST(section5_qualified_is_full_access)
{
    ck_assert_int_eq(project(true), PROJECTION_FULL);
}
END_TEST

START_TEST(section5_sandboxed_keeps_what_is_narrow)
{
    ck_assert_int_eq(project(false), PROJECTION_VENDOR_DEFAULT);
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_MODE, true, "-s");
    ck_assert_int_eq(project(false), PROJECTION_WORKSPACE_WRITE);
    request.nsources = 0;
    ask(ACCESS_READ_ONLY, SOURCE_MODE, true, "-s");
    ck_assert_int_eq(project(false), PROJECTION_READ_ONLY);
}
END_TEST

START_TEST(section5_full_access_is_narrowed_to_the_write_lanes_sandbox)
{
    ask(ACCESS_FULL, SOURCE_MODE, true, "--yolo");
    ck_assert_int_eq(project(false), PROJECTION_WORKSPACE_WRITE);
    policy.write_sandbox = PROJECTION_READ_ONLY;
    ck_assert_int_eq(project(false), PROJECTION_READ_ONLY);
}
END_TEST

START_TEST(section5_write_lane)
{
    request.lane = LANE_WRITE;
    ck_assert_int_eq(project(false), PROJECTION_WORKSPACE_WRITE);
    policy.write_sandbox = PROJECTION_READ_ONLY;
    ck_assert_int_eq(project(false), PROJECTION_READ_ONLY);
    ask(ACCESS_WORKSPACE_WRITE, SOURCE_MODE, true, "-s");
    ck_assert_int_eq(project(false), PROJECTION_READ_ONLY);
    policy.write_sandbox = PROJECTION_WORKSPACE_WRITE;
    ck_assert_int_eq(project(false), PROJECTION_WORKSPACE_WRITE);
}
END_TEST

START_TEST(section5_without_renderings_the_vendors_default_stands)
{
    ask(ACCESS_FULL, SOURCE_MODE, true, "--auto");
    request_resolve(m, &request, &detail);
    ck_assert_int_eq(decide_projection(&adapter_opencode, &request, &policy, false, NULL),
                     PROJECTION_VENDOR_DEFAULT);
}
END_TEST

/* Design, section 4: a wrapper that changes the arguments is decided again under the first decision. */
START_TEST(continuation_is_held_to_the_first_decision)
{
    static const enum projection first_had[] = {PROJECTION_VENDOR_DEFAULT, PROJECTION_READ_ONLY,
                                                PROJECTION_WORKSPACE_WRITE};
    static const enum projection full_becomes[] = {PROJECTION_WORKSPACE_WRITE, PROJECTION_READ_ONLY,
                                                   PROJECTION_WORKSPACE_WRITE};
    static const enum projection open_becomes[] = {PROJECTION_VENDOR_DEFAULT, PROJECTION_READ_ONLY,
                                                   PROJECTION_WORKSPACE_WRITE};
    struct first_decision first = {.id = "a1", .full = false, .projection = first_had[_i]};

    request_resolve(m, &request, &detail);
    ck_assert_int_eq(decide_projection(&adapter_codex, &request, &policy, false, &first), open_becomes[_i]);
    ask(ACCESS_FULL, SOURCE_MODE, true, "--yolo");
    request_resolve(m, &request, &detail);
    decide_access(m, &adapter_codex, &request, &policy, &parent, &first, &decision);
    ck_assert(!decision.full);
    ck_assert_int_eq(decision.reason, REASON_DISABLED);
    ck_assert_ptr_nonnull(strstr(decision.detail, "a1"));
    ck_assert_int_eq(decide_projection(&adapter_codex, &request, &policy, false, &first), full_becomes[_i]);
}
END_TEST

START_TEST(continuation_of_full_access_may_stay_full)
{
    struct first_decision first = {.id = "a1", .full = true, .projection = PROJECTION_FULL};

    request_resolve(m, &request, &detail);
    decide_access(m, &adapter_codex, &request, &policy, &parent, &first, &decision);
    ck_assert(decision.full);
    ck_assert_int_eq(decide_projection(&adapter_codex, &request, &policy, true, &first), PROJECTION_FULL);
}
END_TEST

static Suite *
suite(void)
{
    Suite *s = suite_create("decision");
    TCase *t = tcase_create("rules");

    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, section2_full_access_beside_a_filesystem_policy_is_contradictory, 0, 2);
    tcase_add_test(t, section2_two_filesystem_policies_are_contradictory);
    tcase_add_loop_test(t, section2_the_same_twice_is_not_contradictory, 0, 3);
    tcase_add_test(t, section2_explicit_wins_over_configuration);
    tcase_add_loop_test(t, section2_configuration_counts_where_argv_is_silent, 0, 3);
    tcase_add_test(t, section2_sandbox_beside_read_only_mode_is_read_only);
    tcase_add_test(t, section2_bypass_beside_explicit_sandbox_is_workspace_write);
    tcase_add_test(t, section2_bypass_beside_configured_sandbox_is_full_access);
    tcase_add_test(t, section2_bypass_with_sandbox_and_plan_is_contradictory);
    tcase_add_test(t, section2_full_mode_beside_explicit_sandbox_is_contradictory);
    tcase_add_test(t, section2_broken_configuration_is_read_only_whatever_is_asked);
    tcase_add_test(t, section3_bad_request_comes_first);
    tcase_add_test(t, section3_full_access_unrepresentable);
    tcase_add_test(t, section3_no_projection);
    tcase_add_test(t, section3_server_unbounded);
    tcase_add_test(t, section3_write_lane_of_claude_needs_full_access_or_the_hosts_word);
    tcase_add_test(t, section3_write_lane_unenforceable);
    tcase_add_test(t, section4_16_qualified);
    tcase_add_loop_test(t, section4_1_config_invalid, 0, 2);
    tcase_add_test(t, section4_2_disabled_without_a_policy);
    tcase_add_test(t, section4_2_disabled_when_not_enabled);
    tcase_add_test(t, section4_2_disabled_by_environment);
    tcase_add_test(t, section4_2_disabled_by_the_ceiling);
    tcase_add_test(t, section4_3_policy_not_allowed);
    tcase_add_test(t, section4_4_adapter_unrepresentable);
    tcase_add_loop_test(t, section4_5_policy_read_only, 0, 2);
    tcase_add_test(t, section4_6_not_asked_interactive);
    tcase_add_test(t, section4_6_not_asked_by_variable);
    tcase_add_test(t, section4_6_workspace_write_in_argv_is_widened);
    tcase_add_test(t, section4_7_grammar_unknown);
    tcase_add_test(t, section4_8_no_floor_for_the_adapter);
    tcase_add_test(t, section4_9_model_unset);
    tcase_add_loop_test(t, section4_10_model_is_compared_exactly, 0, 4);
    tcase_add_test(t, section4_10_fallback_has_to_be_listed);
    tcase_add_test(t, section4_10_provider_has_to_be_named);
    tcase_add_test(t, section4_11_effort_unset);
    tcase_add_loop_test(t, section4_12_effort_below_floor, 0, 7);
    tcase_add_loop_test(t, section4_12_effort_at_or_above_floor, 0, 2);
    tcase_add_test(t, section4_12_any_satisfied_entry_will_do);
    tcase_add_test(t, section4_13_vendor_would_refuse);
    tcase_add_test(t, section4_14_parent_sandboxed);
    tcase_add_test(t, section4_15_parent_unknown);
    tcase_add_test(t, section4_parent_is_asked_for_last);
    tcase_add_test(t, section4_ceiling_checks_fail_against_either_file);
    tcase_add_test(t, section5_qualified_is_full_access);
    tcase_add_test(t, section5_sandboxed_keeps_what_is_narrow);
    tcase_add_test(t, section5_full_access_is_narrowed_to_the_write_lanes_sandbox);
    tcase_add_test(t, section5_write_lane);
    tcase_add_test(t, section5_without_renderings_the_vendors_default_stands);
    tcase_add_loop_test(t, continuation_is_held_to_the_first_decision, 0, 3);
    tcase_add_test(t, continuation_of_full_access_may_stay_full);
    suite_add_tcase(s, t);
    return s;
}

int
main(void)
{
    SRunner *r = srunner_create(suite());
    int failed;

    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
