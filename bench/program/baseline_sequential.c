#include "baseline.h"

#include <string.h>

static const struct baseline_way ways[] = {
#define BASELINE(name, form, parallel, summary) {name, summary, BASELINE_##form, parallel},
#include "baseline.def"
#undef BASELINE
};

const struct baseline_way *baseline_way_at(int index)
{
    return index >= 0 && index < (int)(sizeof ways / sizeof *ways) ? &ways[index] : NULL;
}

const struct baseline_way *baseline_way(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    return NULL;
}

bool baseline_run(const struct baseline *b)
{
    if (b->way->parallel)
        return baseline_openmp(b);
    if (b->way->form == BASELINE_PADDED)
        baseline_planes(b);
    for (int64_t y = 0; b->way->form != BASELINE_PADDED && y < b->to->height; y++)
        baseline_row(b, y);
    return true;
}

const char *baseline_flags(void)
{
    return BASELINE_FLAGS;
}
