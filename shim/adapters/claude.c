#include "adapter.h"

static const char *const efforts[] = {"low", "medium", "high", "xhigh", "max", NULL};

const struct adapter adapter_claude = {
    .id = "claude-code",
    .efforts = efforts,
    .effort_option = "--effort WORD",
};
