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
 * version: only fields that both have are copied. If `given` is NULL, `own` keeps its defaults. If
 * a field that only the caller has is set, the others are copied, but the call fails. */
swathe_status api_take(void *own, size_t own_size, const void *given, const char *name);
/* Fails if `status` is a failure or reserved fields are set: later versions take new fields from
 * them, and this version must not ignore those. */
swathe_status api_check_reserved(swathe_status status, const void *fields, size_t size,
                                 const char *name);
/* Copies our struct into the caller's, for results. */
swathe_status api_give(void *given, const void *own, size_t own_size, const char *name);

/* Fails if a source of the caller has no read function or an invalid shape. */
swathe_status api_check_source(const swathe_source *source);

/* TAKE is for structs with `reserved`, TAKE0 for those with `reserved0` too, TAKE_ANY for others
 * and for structs that the call fills. */
#define TAKE_ANY(own, given) api_take(&(own), sizeof(own), given, #given)
#define TAKE(own, given)                                                                           \
    api_check_reserved(TAKE_ANY(own, given), (own).reserved, sizeof((own).reserved), #given)
#define TAKE0(own, given)                                                                          \
    api_check_reserved(TAKE(own, given), &(own).reserved0, sizeof((own).reserved0), #given)
#define GIVE(given, own) api_give(given, &(own), sizeof(own), #given)
#define REQUIRE(pointer)                                                                           \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return fail(SWATHE_ERROR_ARGUMENT, "%s is NULL", #pointer);                            \
    } while (0)

#endif
