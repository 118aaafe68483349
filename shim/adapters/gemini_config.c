/* Settings of gemini. They turn no yolo on; modelConfigs puts other models in the place of the one that -m names (0.61.0). */
#include "gemini.h"

#include <string.h>

void
gemini_config(struct mem *m, const struct invocation *i, struct config_list *out)
{
    static const char *const hosts[] = {"GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"};
    static const char *const files[] = {"/etc/gemini-cli/settings.json",
                                        "/etc/gemini-cli/system-defaults.json"};
    const char *home = env_get(i->envp, "GEMINI_CLI_HOME");

    if (i->nfiles != 0)
        return;
    for (size_t k = 0; k < sizeof(hosts) / sizeof(hosts[0]); k++) {
        const char *path = env_get(i->envp, hosts[k]);

        config_list_add(m, out, path != NULL && path[0] == '/' ? path : files[k], 0);
    }
    if (home == NULL || home[0] == '\0')
        home = i->home;
    if (home != NULL)
        config_list_add(m, out, mem_printf(m, "%s/.gemini/settings.json", home), 0);
    if (i->cwd != NULL)
        config_list_add(m, out, mem_printf(m, "%s/.gemini/settings.json", i->cwd), 0);
}

const char *
gemini_other_model(struct mem *m, const struct invocation *i)
{
    for (size_t k = 0; k < i->nfiles; k++) {
        const struct config_file *f = &i->files[k];

        /* The files may have comments, and the key may be escaped. */
        if (f->text != NULL && (memmem(f->text, f->length, "modelConfigs", 12) != NULL ||
                                memmem(f->text, f->length, "\\u00", 4) != NULL))
            return mem_printf(
                m,
                "modelConfigs in %s may put another model in the place of the named one; take it "
                "out there",
                f->path);
    }
    return NULL;
}
