/* Declarations shared by the files of public functions. */
#ifndef SWATHE_API_H
#define SWATHE_API_H

#include "base/pool.h"
#include "filter/chain.h"
#include "plan/plan.h"
#include "run/run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* What a plan was created from; bytes NULL: a plan that is not kept. */
struct plan_key {
    const struct memory *memory;
    char *bytes;
    size_t size;
    uint64_t hash;
    int64_t cleared; /* how often the cache had been cleared when the plan was looked for */
};

/* Plans that are kept for later calls (api_plan_cache.c). */
struct plan_cache {
    pthread_mutex_t mutex;
    swathe_plan *first; /* the one that was used last */
    int32_t count, most;
    int64_t bytes, cleared;
    int64_t process; /* that created the context; see swathe_context_destroy on fork */
};

struct swathe_context {
    struct memory memory;
    struct pool *pool;
    struct wisdom *wisdom;
    struct gpu_devices *devices;
    struct plan_cache plans;
    int64_t max_memory;   /* default limit, in bytes, of the memory of a run or a file */
    atomic_bool pageable; /* plans copy to and from GPUs through pageable memory */
};

static inline struct plan_maker api_maker(const swathe_context *context)
{
    return (struct plan_maker){&context->memory,
                               context->wisdom,
                               context->max_memory,
                               context->devices,
                               pool_threads(context->pool),
                               atomic_load(&context->pageable),
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
    struct plan_cache *cache; /* of its context, whose mutex protects the fields below */
    swathe_plan *next;
    struct plan_key key;
    int64_t users;
    bool kept;
};

/* `most` as swathe_context_options.cached_plans. */
void plan_cache_init(struct plan_cache *cache, int32_t most);
void plan_cache_destroy(struct plan_cache *cache);
/* Forgets all plans: others would be chosen now. */
void plan_cache_clear(struct plan_cache *cache);
void plan_key_make(struct plan_key *key, const swathe_context *context, const swathe_chain *chain,
                   const swathe_shape *source, const swathe_plan_options *options);
void plan_key_free(struct plan_key *key);
/* NULL: there is none. Each plan that these return must be released once. */
swathe_plan *plan_cache_find(struct plan_cache *cache, struct plan_key *key);
/* Keeps a new plan, which takes the key, or returns an equal one in its place. */
swathe_plan *plan_cache_add(struct plan_cache *cache, struct plan_key *key, swathe_plan *plan);
void plan_cache_release(struct plan_cache *cache, swathe_plan *plan);

/* Copies a caller's struct into ours. It may be shorter or longer, if it was compiled with another
 * version: only fields that both have are copied. If `given` is NULL, `own` keeps its defaults. If
 * a field that only the caller has is set, the others are copied, but the call fails. */
swathe_status api_take(void *own, size_t own_size, const void *given, const char *name);
/* Copies our struct into the caller's, for results. */
swathe_status api_give(void *given, const void *own, size_t own_size, const char *name);

#define TAKE(own, given) api_take(&(own), sizeof(own), given, #given)
#define GIVE(given, own) api_give(given, &(own), sizeof(own), #given)
#define REQUIRE(pointer)                                                                           \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return fail(SWATHE_ERROR_ARGUMENT, "%s is NULL", #pointer);                            \
    } while (0)

#endif
