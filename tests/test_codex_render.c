/* How an access is spelled for codex. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/codex.h"

/* Renders, and renders the result again: it must not change. */
static void
renders(const char *line, enum projection p, enum how how, const char *want)
{
    const char *first, *again;

    ask(line);
    first = render(p, how);
    ck_assert_msg(strcmp(first, want) == 0, "%s: %s, expected %s", line, first, want);
    ask(first);
    again = render(p, how == NARROWED ? AS_ASKED : how);
    ck_assert_msg(strcmp(again, first) == 0, "%s: first %s, then %s", line, first, again);
}

START_TEST(narrowing_removes_every_spelling)
{
    const enum projection p = PROJECTION_WORKSPACE_WRITE;

    renders("exec|--yolo|hi", p, NARROWED, "--sandbox|workspace-write|exec|hi");
    renders("--yolo|exec|--yolo|hi", p, NARROWED, "--sandbox|workspace-write|exec|hi");
    renders("exec|-sdanger-full-access|hi", p, NARROWED, "--sandbox|workspace-write|exec|hi");
    renders("exec|--sandbox=danger-full-access|hi", p, NARROWED, "--sandbox|workspace-write|exec|hi");
    renders("exec|hi|-s|danger-full-access", p, NARROWED, "--sandbox|workspace-write|exec|hi");
    renders("exec|-c|sandbox_mode=danger-full-access|hi", p, NARROWED, "--sandbox|workspace-write|exec|hi");
    renders("-cdefault_permissions=:danger-full-access|exec|hi", p, NARROWED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|resume|--yolo|ID|hi", p, NARROWED, "--sandbox|workspace-write|exec|resume|ID|hi");
    renders("exec|-s|workspace-write|--add-dir|/|--add-dir=/x|hi", p, NARROWED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|-s|workspace-write|-c|sandbox_workspace_write={writable_roots=[\"/\"]}|hi", p, NARROWED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|--yolo|--|--yolo", p, NARROWED, "--sandbox|workspace-write|exec|--|--yolo");
    renders("--yolo|app-server", p, NARROWED, "--sandbox|workspace-write|app-server");
    renders("exec|--yolo|hi", PROJECTION_READ_ONLY, NARROWED, "--sandbox|read-only|exec|hi");
    renders("--yolo", p, NARROWED, "--sandbox|workspace-write");
}
END_TEST

START_TEST(nothing_else_changes)
{
    renders(
        "-m|a|exec|-c|model=b|-c|permissions.x={}|--yolo|-o|f|--json|hi|--color|never",
        PROJECTION_WORKSPACE_WRITE, NARROWED,
        "--sandbox|workspace-write|-m|a|exec|-c|model=b|-c|permissions.x={}|-o|f|--json|hi|--color|never");
    renders("exec|-i|a.png|--yolo|hi", PROJECTION_WORKSPACE_WRITE, NARROWED,
            "--sandbox|workspace-write|exec|-i=a.png|hi");
    renders("exec|-i|a.png|b.png|-s|danger-full-access|hi", PROJECTION_WORKSPACE_WRITE, NARROWED,
            "--sandbox|workspace-write|exec|-i=a.png|-i=b.png|hi");
    renders("exec|-c|unknown|--yolo|hi", PROJECTION_WORKSPACE_WRITE, NARROWED,
            "--sandbox|workspace-write|exec|-c|unknown|hi");
}
END_TEST

/* codex takes -c permissions only where something but --sandbox chooses a mode. */
START_TEST(profile_tables_go_with_what_they_need)
{
    const enum projection p = PROJECTION_WORKSPACE_WRITE;

    renders("exec|-c|default_permissions=x|-c|permissions.x={}|hi", p, AS_ASKED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|-c|sandbox_mode=workspace-write|-c|permissions.x={}|hi", p, AS_ASKED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|--approve-for-me|-c|permissions.x={}|hi", PROJECTION_READ_ONLY, NARROWED,
            "--sandbox|read-only|exec|hi");
    renders("exec|--approve-for-me|-c|permissions.x={}|hi", p, AS_ASKED,
            "exec|--approve-for-me|-c|permissions.x={}|hi");
}
END_TEST

START_TEST(own_options_are_left_byte_for_byte)
{
    static const char *const lines[] = {
        "exec|hi|-s|workspace-write",
        "exec|-sworkspace-write|hi",
        "exec|-s=workspace-write|hi",
        "-s|workspace-write|exec|hi",
        "exec|--approve-for-me|hi",
        "--not-so-yolo|exec|hi",
        "exec|-s|workspace-write|--add-dir|/x|hi",
        "exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=[\"/x\"]|hi",
        NULL};

    for (const char *const *l = lines; *l != NULL; l++)
        renders(*l, PROJECTION_WORKSPACE_WRITE, AS_ASKED, *l);
    renders("exec|-s|read-only|hi", PROJECTION_READ_ONLY, AS_ASKED, "exec|-s|read-only|hi");
    renders("exec|-s|danger-full-access|hi", PROJECTION_FULL, GRANTED, "exec|-s|danger-full-access|hi");
}
END_TEST

START_TEST(other_spellings_are_rendered)
{
    const enum projection p = PROJECTION_WORKSPACE_WRITE;

    renders("exec|-c|sandbox_mode=\"workspace-write\"|hi", p, AS_ASKED, "--sandbox|workspace-write|exec|hi");
    renders("exec|-c|sandbox_mode=workspace-write|-c|sandbox_workspace_write.writable_roots=[\"/x\"]|hi", p,
            AS_ASKED, "--sandbox|workspace-write|exec|-c|sandbox_workspace_write.writable_roots=[\"/x\"]|hi");
    renders("-s|workspace-write|exec|-s|workspace-write|hi", p, AS_ASKED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|-s|workspace-write|-c|sandbox_mode=workspace-write|hi", p, AS_ASKED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|--full-auto|hi", p, AS_ASKED, "--sandbox|workspace-write|exec|hi");
    renders("exec|--approve-for-me|hi", PROJECTION_READ_ONLY, NARROWED, "--sandbox|read-only|exec|hi");
    file(USER, "sandbox_mode = 'read-only'\n");
    renders("exec|hi", PROJECTION_READ_ONLY, AS_ASKED, "--sandbox|read-only|exec|hi");
}
END_TEST

START_TEST(a_grant_drops_roots)
{
    const enum projection p = PROJECTION_FULL;

    renders("exec|hi", p, GRANTED, "--sandbox|danger-full-access|exec|hi");
    renders("exec|--yolo|hi", p, GRANTED, "--sandbox|danger-full-access|exec|hi");
    renders("exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=[\"/a\"]|--add-dir|/b|hi", p,
            GRANTED, "--sandbox|danger-full-access|exec|hi");
    renders("exec|-s|danger-full-access|--add-dir|/b|hi", p, GRANTED, "--sandbox|danger-full-access|exec|hi");
    file(USER, "[sandbox_workspace_write]\nwritable_roots = [\"/\"]\n");
    renders("exec|hi", p, GRANTED, "--sandbox|danger-full-access|exec|hi");
}
END_TEST

START_TEST(a_granted_interactive_bypass_keeps_its_approvals)
{
    const enum projection p = PROJECTION_FULL;

    renders("--yolo", p, GRANTED, "--sandbox|danger-full-access|--ask-for-approval|never");
    renders("--yolo|hi", p, GRANTED, "--sandbox|danger-full-access|--ask-for-approval|never|hi");
    renders("resume|--yolo|--last", p, GRANTED,
            "--sandbox|danger-full-access|--ask-for-approval|never|resume|--last");
    renders("-a|on-request|resume|--yolo", p, GRANTED,
            "--sandbox|danger-full-access|--ask-for-approval|never|resume");
    renders("-a|on-request|-c|sandbox_mode=danger-full-access", p, GRANTED,
            "--sandbox|danger-full-access|-a|on-request");
    renders("-s|danger-full-access", p, GRANTED, "-s|danger-full-access");
    renders("--yolo", PROJECTION_WORKSPACE_WRITE, NARROWED, "--sandbox|workspace-write");
}
END_TEST

START_TEST(wide_roots_of_configuration_are_emptied)
{
    const enum projection p = PROJECTION_WORKSPACE_WRITE;
    const char *want = "--sandbox|workspace-write|-c|sandbox_workspace_write.writable_roots=[]|exec|hi";

    file(USER, "[sandbox_workspace_write]\nwritable_roots = [\"/\"]\n");
    renders("exec|-s|workspace-write|hi", p, NARROWED, want);
    renders("exec|hi", p, NARROWED, want);
    renders("exec|--yolo|-c|sandbox_workspace_write.writable_roots=[\"/x\"]|hi", p, NARROWED, want);
    renders("exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=[]|hi", p, AS_ASKED,
            "exec|-s|workspace-write|-c|sandbox_workspace_write.writable_roots=[]|hi");
    renders("exec|hi", PROJECTION_READ_ONLY, NARROWED, "--sandbox|read-only|exec|hi");
    no_files();
    file(USER, "[sandbox_workspace_write]\nwritable_roots = [\"/x\"]\n");
    renders("exec|--yolo|hi", p, NARROWED, "--sandbox|workspace-write|exec|hi");
}
END_TEST

/* Where default_permissions chooses the mode, in whatever layer, sandbox_workspace_write has no effect, and must have none in what is
 * rendered. */
START_TEST(roots_that_a_profile_holds_back_stay_without_effect)
{
    const enum projection p = PROJECTION_WORKSPACE_WRITE;

    file(USER, "default_permissions = \":workspace\"\n[sandbox_workspace_write]\nwritable_roots = [\"/\"]\n");
    access_is("exec|hi", "workspace-write");
    renders("exec|-c|sandbox_workspace_write.writable_roots=[\"/y\"]|hi", p, AS_ASKED,
            "--sandbox|workspace-write|-c|sandbox_workspace_write.writable_roots=[]|exec|hi");
    no_files();
    file(USER, "[sandbox_workspace_write]\nwritable_roots = [\"/x\"]\n");
    access_is("exec|-c|default_permissions=:workspace|hi", "workspace-write");
    renders("exec|-c|default_permissions=:workspace|hi", p, AS_ASKED,
            "--sandbox|workspace-write|-c|sandbox_workspace_write.writable_roots=[]|exec|hi");
}
END_TEST

/* A mode of the command line lets them count. */
START_TEST(roots_count_beside_a_profile_where_the_launch_names_a_mode)
{
    static const char *const launches[] = {
        "exec|-s|workspace-write|hi", "exec|-c|sandbox_mode=workspace-write|hi", "exec|--approve-for-me|hi",
        "exec|-s|workspace-write|-c|default_permissions=:workspace|hi"};

    for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++) {
        file(USER,
             "default_permissions = \":workspace\"\n[sandbox_workspace_write]\nwritable_roots = [\"/\"]\n");
        access_is(launches[i], "full-access");
        no_files();
    }
    file(USER,
         "default_permissions = \":workspace\"\n[sandbox_workspace_write]\nwritable_roots = [\"/x\"]\n");
    access_is("exec|-s|workspace-write|hi", "workspace-write");
    renders("exec|-s|workspace-write|hi", PROJECTION_WORKSPACE_WRITE, AS_ASKED, "exec|-s|workspace-write|hi");
}
END_TEST

/* Managed configuration goes before every assignment: what is rendered asks for full access all the same, and is refused. */
START_TEST(wide_roots_of_managed_configuration_show_in_what_is_rendered)
{
    file("/etc/codex/managed_config.toml", "[sandbox_workspace_write]\nwritable_roots = [\"/\"]\n");
    ask("exec|--yolo|hi");
    access_is(render(PROJECTION_WORKSPACE_WRITE, NARROWED), "full-access");
    ask("exec|--yolo|hi");
    access_is(render(PROJECTION_READ_ONLY, NARROWED), "read-only");
}
END_TEST

/* A model that reviews approvals lets commands out of every sandbox: it has no say over what is narrowed, nor over readers. */
START_TEST(a_model_does_not_approve_for_who_is_held)
{
    const enum projection w = PROJECTION_WORKSPACE_WRITE, r = PROJECTION_READ_ONLY;
    const char *held = "--sandbox|workspace-write|-c|approvals_reviewer=user|exec|hi";

    renders("exec|--yolo|-c|approvals_reviewer=auto_review|hi", w, NARROWED,
            "--sandbox|workspace-write|exec|hi");
    renders("exec|-s|read-only|-c|approvals_reviewer=\"guardian_subagent\"|hi", r, AS_ASKED,
            "--sandbox|read-only|exec|hi");
    renders("exec|-s|workspace-write|-c|approvals_reviewer=auto_review|hi", w, AS_ASKED,
            "exec|-s|workspace-write|-c|approvals_reviewer=auto_review|hi");
    ck_assert_ptr_nonnull(req.unverified);
    renders("exec|-s|read-only|-c|approvals_reviewer=user|hi", r, AS_ASKED,
            "exec|-s|read-only|-c|approvals_reviewer=user|hi");
    ck_assert_ptr_null(req.unverified);
    renders("exec|-c|approvals_reviewer=auto_review|hi", PROJECTION_FULL, GRANTED,
            "--sandbox|danger-full-access|exec|-c|approvals_reviewer=auto_review|hi");
    file(USER, "approvals_reviewer = \"auto_review\"\n");
    ask("exec|hi");
    ck_assert_ptr_nonnull(strstr(req.unverified, USER));
    renders("exec|--yolo|hi", w, NARROWED, held);
    renders("exec|hi", w, NARROWED, held);
    renders("exec|--yolo|-c|approvals_reviewer=guardian_subagent|hi", w, NARROWED, held);
    renders("exec|-s|read-only|hi", r, AS_ASKED, "--sandbox|read-only|-c|approvals_reviewer=user|exec|hi");
    ck_assert_ptr_null(req.unverified);
    renders("exec|-s|workspace-write|hi", w, AS_ASKED, "exec|-s|workspace-write|hi");
    ask("exec|--approve-for-me|hi");
    ck_assert_ptr_nonnull(strstr(req.unverified, "--approve-for-me"));
}
END_TEST

START_TEST(a_script_keeps_its_place)
{
    char *argv[] = {"node", "/x/codex.js", "exec", "--yolo", "hi", NULL};
    struct rendering how = {.projection = PROJECTION_WORKSPACE_WRITE, .narrowed = true};
    struct rendered out = {0};

    command_parse(m, adapter_codex.grammar, argv, 5, 2, &inv.command);
    adapter_codex.request(m, &inv, &req);
    adapter_codex.render(m, &inv, &req, &how, &out);
    ck_assert_str_eq(join(out.argv), "/x/codex.js|--sandbox|workspace-write|exec|hi");
    ck_assert_uint_eq(out.argc, 6);
}
END_TEST

/* For any argv and mode: the rendering asks for the mode and nothing else, has the same prompt, and is stable. */
START_TEST(a_rendering_asks_for_its_mode)
{
    static const char *const lines[] = {
        "",
        "hi",
        "exec|--yolo|-i|a|b|-s|read-only|hi",
        "--yolo|-i|a|-c|sandbox_mode=read-only|exec|-c|x=1|--add-dir|/|hi|--approve-for-me",
        "exec|-c|default_permissions=:workspace|-i|a|--yolo|resume|--yolo|--last|hi",
        "-s|read-only|hi|exec|-s|danger-full-access|-m|x|--|-s|--yolo",
        "resume|-i|a|--yolo|ID|hi",
        "exec|--brand-new|--yolo|hi",
        "review|-c|sandbox_mode=danger-full-access|--base|main",
        "exec|-c|sandbox_mode=1|-csandbox_mode|hi"};
    static const enum access access[] = {ACCESS_UNSPECIFIED, ACCESS_READ_ONLY, ACCESS_WORKSPACE_WRITE,
                                         ACCESS_FULL};

    for (size_t k = 0; k < sizeof(lines) / sizeof(*lines); k++)
        for (int p = PROJECTION_READ_ONLY; p <= PROJECTION_FULL; p++) {
            const char *line;
            size_t operands;

            ask(lines[k]);
            operands = inv.command.operands;
            line = render((enum projection)p, p == PROJECTION_FULL ? GRANTED : NARROWED);
            ask(line);
            ck_assert_msg(req.access == access[p], "%s became %s", lines[k], line);
            ck_assert_msg(inv.command.operands == operands, "%s became %s", lines[k], line);
            ck_assert_str_eq(render((enum projection)p, AS_ASKED), line);
        }
}
END_TEST

START_TEST(the_working_directory_is_the_deepest_given)
{
    ask("exec|hi");
    ck_assert_ptr_null(adapter_codex.directory(&inv.command));
    ask("-C|/a|exec|--cd=/b|hi");
    ck_assert_str_eq(adapter_codex.directory(&inv.command), "/b");
    ask("-C|/a|exec|hi");
    ck_assert_str_eq(adapter_codex.directory(&inv.command), "/a");
}
END_TEST

static bool public(const char *line)
{
    ask(line);
    for (size_t k = 0; k < inv.command.noptions; k++)
        if (inv.command.options[k].value != NULL)
            return adapter_codex.public_value(inv.command.options[k].spec, inv.command.options[k].value);
    ck_abort_msg("%s has no option", line);
}

START_TEST(only_values_of_access_model_and_effort_are_public)
{
    ck_assert(public("-s|read-only"));
    ck_assert(public("-m|gpt-5.1-codex"));
    ck_assert(public("-c|model=\"gpt\""));
    ck_assert(public("-c|model_reasoning_effort=high"));
    ck_assert(public("-c|sandbox_mode='read-only'"));
    ck_assert(!public("-c|model_provider=x"));
    ck_assert(!public("-c|mcp_servers.x.env={TOKEN=\"secret\"}"));
    ck_assert(!public("-c|model=\"gpt\"\nx=\"secret\""));
    ck_assert(!public("-c|modelx=secret"));
    ck_assert(!public("-c|model"));
    ck_assert(!public("-C|/home/user"));
    ck_assert(!public("-i|a.png"));
}
END_TEST

START_TEST(what_holds_a_worker)
{
    ask("exec|hi");
    ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_VENDOR_DEFAULT), ENFORCED_VENDOR);
    ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_READ_ONLY), ENFORCED_VENDOR);
    ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_WORKSPACE_WRITE), ENFORCED_VENDOR);
    ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_FULL), ENFORCED_NONE);
    ask("exec|--yolo|hi");
    ck_assert_int_eq(adapter_codex.enforcement(&req, PROJECTION_VENDOR_DEFAULT), ENFORCED_NONE);
}
END_TEST

START_TEST(hostile_input_does_no_harm)
{
    enum { WORDS = 20000 };
    char **argv = mem_array(m, WORDS + 1, sizeof(*argv));
    unsigned int state = 1;

    for (size_t i = 0; i < WORDS; i++)
        argv[i] = i % 2 == 0 ? "-c" : "sandbox_mode=read-only";
    ask_argv(argv, WORDS);
    ck_assert_int_eq(req.access, ACCESS_READ_ONLY);
    for (int round = 0; round < 300; round++) {
        static const char letters[] = "-=\"'[]{}.,scimayo\xff\xc2\xa0\n ";
        static const char *const heads[] = {"-c",     "--add-dir",     "exec", "-s", "-i",
                                            "--yolo", "sandbox_mode=", "--",   "-"};
        size_t argc = 1 + (unsigned)round % 12;

        for (size_t i = 0; i < argc; i++) {
            char *w = mem_alloc(m, 64), *to = w;

            state = state * 1103515245 + 12345;
            if (state >> 16 & 1)
                to = stpcpy(w, heads[(state >> 17) % (sizeof(heads) / sizeof(*heads))]);
            for (unsigned n = (state >> 24) % 24; n > 0; n--) {
                state = state * 1103515245 + 12345;
                *to++ = letters[(state >> 16) % (sizeof(letters) - 1)];
            }
            argv[i] = w;
        }
        argv[argc] = NULL;
        ask_argv(argv, argc);
        render(PROJECTION_WORKSPACE_WRITE, NARROWED);
    }
}
END_TEST

int
main(void)
{
    const TTest *const tests[] = {narrowing_removes_every_spelling,
                                  nothing_else_changes,
                                  profile_tables_go_with_what_they_need,
                                  own_options_are_left_byte_for_byte,
                                  other_spellings_are_rendered,
                                  a_grant_drops_roots,
                                  a_granted_interactive_bypass_keeps_its_approvals,
                                  wide_roots_of_configuration_are_emptied,
                                  roots_that_a_profile_holds_back_stay_without_effect,
                                  roots_count_beside_a_profile_where_the_launch_names_a_mode,
                                  wide_roots_of_managed_configuration_show_in_what_is_rendered,
                                  a_model_does_not_approve_for_who_is_held,
                                  a_script_keeps_its_place,
                                  a_rendering_asks_for_its_mode,
                                  the_working_directory_is_the_deepest_given,
                                  only_values_of_access_model_and_effort_are_public,
                                  what_holds_a_worker,
                                  hostile_input_does_no_harm};

    return codex_suite("codex_render", tests, sizeof(tests) / sizeof(*tests));
}
