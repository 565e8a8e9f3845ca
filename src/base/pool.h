/* Threads that a context owns, or a parallel-for function that the caller provides. */
#ifndef SWATHE_BASE_POOL_H
#define SWATHE_BASE_POOL_H

#include "base/memory.h"

typedef void pool_work(void *user, int32_t i);
typedef void pool_parallel_for(void *parallel_user, int32_t count, pool_work *work, void *user);

/* The most threads of a pool, and calls of a run. */
enum { POOL_CALLS_MAX = 4096 };

struct pool;

/* `threads` includes the calling thread, which always takes part. Threads start at the first
 * run. */
swathe_status pool_create(const struct memory *memory, int32_t threads,
                          pool_parallel_for *parallel_for, void *parallel_user, struct pool **pool);
/* In a child of fork, where the threads do not exist, it only frees memory. */
void pool_destroy(struct pool *pool);
int32_t pool_threads(const struct pool *pool);

/* Calls work(user, i) for i in 0..count-1, concurrently on free threads, and returns when all calls
 * have finished. Several threads may call this at once. Calls start in order, so a call may wait
 * for one with a lower i, but never for one with a higher i. In a child of fork this thread makes
 * all calls. Fails only if the caller's parallel-for did not make each call once. */
swathe_status pool_run(struct pool *pool, int32_t count, pool_work *work, void *user);

#endif
