#include "adapter.h"

const struct adapter adapter_opencode = {
    .id = "opencode",
    .efforts = NULL,
};
