#include "adapter.h"

const struct adapter adapter_cursor = {
    .id = "cursor",
    .efforts = NULL,
};
