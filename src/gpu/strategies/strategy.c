#include "gpu/stages/device_stage.h"

#include <string.h>

static const struct gpu_strategy strategies[] = {
#define STRATEGY(name, kernel, shape, reads, flow, planar, constant, down, block, summary, loads)  \
    {name, summary, loads, kernel, shape, reads, flow, planar, constant, down, block},
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

bool gpu_strategy_has_runtime(const struct gpu_strategy *strategy)
{
    enum gpu_shape shape = strategy->shape;
    return shape != GPU_SHAPE_BEST && shape != GPU_SHAPE_PRODUCTS && shape != GPU_SHAPE_GEMM;
}
