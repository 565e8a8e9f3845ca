#include "bench/baseline.h"

void baseline_sequential(const struct baseline *b)
{
    for (int64_t y = 0; y < b->to->height; y++)
        baseline_row(b, y);
}

const char *baseline_flags(void)
{
    return BASELINE_FLAGS;
}
