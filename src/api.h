/* Declarations shared by the files of public functions. */
#ifndef SWATHE_API_H
#define SWATHE_API_H

#include "base/pool.h"
#include "filter/chain.h"
#include "plan/plan.h"
#include "run/run.h"

struct swathe_context {
    struct memory memory;
    struct pool *pool;
    struct wisdom *wisdom;
    struct gpu_devices *devices;
    int64_t max_memory; /* default limit, in bytes, of the memory of a run or a file */
};

static inline struct plan_maker api_maker(const swathe_context *context)
{
    return (struct plan_maker){&context->memory,
                               context->wisdom,
                               context->max_memory,
                               context->devices,
                               pool_threads(context->pool),
                               run_scratch_bytes};
}

/* The public types, which contain the internal ones. */
struct swathe_chain {
    struct chain *chain;
    const struct memory *memory;
};
struct swathe_plan {
    struct plan *plan;
    const struct memory *memory;
};

/* Copies a caller's struct into ours. It may be shorter or longer, if it was compiled with another
 * version: only fields that both have are copied. If `given` is NULL, `own` keeps its defaults. */
swathe_status api_take(void *own, size_t own_size, const void *given, const char *name);
/* Copies our struct into the caller's, for results. */
swathe_status api_give(void *given, const void *own, size_t own_size, const char *name);

/* Fails if a source of the caller has no read function. */
swathe_status api_check_source(const swathe_source *source);

#define TAKE(own, given) api_take(&(own), sizeof(own), given, #given)
#define GIVE(given, own) api_give(given, &(own), sizeof(own), #given)
#define REQUIRE(pointer)                                                                           \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return fail(SWATHE_ERROR_ARGUMENT, "%s is NULL", #pointer);                            \
    } while (0)

#endif
