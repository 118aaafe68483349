#include "adapter.h"

static const char *const efforts[] = {"none", "minimal", "low", "medium", "high", "xhigh", NULL};

const struct adapter adapter_codex = {
    .id = "codex",
    .efforts = efforts,
    .effort_option = "-c model_reasoning_effort=WORD",
    .default_provider = "openai",
};
