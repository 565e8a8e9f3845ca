#include "gpu/drivers/device.h"

#include <string.h>

#if SWATHE_TESTS
#define CHANGED_BY_TESTS_ONLY
#else
#define CHANGED_BY_TESTS_ONLY const
#endif

#define BACK_END(id, name, summary) const char gpu_name_##id[] = name;
#include "gpu/drivers/backend.def"
#undef BACK_END

static CHANGED_BY_TESTS_ONLY struct gpu_back_end back_ends[] = {
#define BACK_END(id, name, summary) {gpu_name_##id, summary, &gpu_calls_##id},
#include "gpu/drivers/backend.def"
#undef BACK_END
};

enum { COUNT = sizeof back_ends / sizeof *back_ends };

const struct gpu_back_end *gpu_back_end_at(int index)
{
    return index >= 0 && index < COUNT ? &back_ends[index] : NULL;
}

const struct gpu_back_end *gpu_back_end_named(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(back_ends[i].name, name) == 0)
            return &back_ends[i];
    return NULL;
}

#if SWATHE_TESTS
void gpu_back_end_wrap(const char *name, const struct gpu_calls *calls)
{
    static const struct gpu_calls *const own[] = {
#define BACK_END(id, name, summary) &gpu_calls_##id,
#include "gpu/drivers/backend.def"
#undef BACK_END
    };
    for (int i = 0; i < COUNT; i++)
        if (strcmp(back_ends[i].name, name) == 0)
            back_ends[i].calls = calls ? calls : own[i];
}
#endif
