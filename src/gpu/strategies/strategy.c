#include "gpu/stages/device_stage.h"

#include <string.h>

static const struct gpu_strategy strategies[] = {
#define STRATEGY(name, kernel, shape, reads, flow, planar, constant, block, summary, loads)        \
    {name, summary, loads, kernel, shape, reads, flow, planar, constant, block},
#include "gpu/strategies/strategy.def"
#undef STRATEGY
};

const struct gpu_strategy *gpu_strategy_at(int index)
{
    int count = (int)(sizeof strategies / sizeof *strategies);
    return index >= 0 && index < count ? &strategies[index] : NULL;
}

const struct gpu_strategy *gpu_strategy_named(const char *name)
{
    for (int i = 0; gpu_strategy_at(i); i++)
        if (strcmp(strategies[i].name, name) == 0)
            return &strategies[i];
    return NULL;
}

bool gpu_strategy_is_apart(const struct gpu_strategy *strategy)
{
    return strategy->flow == GPU_FLOW_TURNS || strategy->flow == GPU_FLOW_SEPARATE;
}
