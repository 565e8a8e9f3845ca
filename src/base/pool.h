/* Threads that a context owns, or a parallel-for that the caller lends. */
#ifndef SWATHE_BASE_POOL_H
#define SWATHE_BASE_POOL_H

#include "base/memory.h"

typedef void pool_work(void *user, int32_t i);
typedef void pool_lent(void *lender, int32_t count, pool_work *work, void *user);

struct pool;

/* `threads` counts the caller, who always works too. Threads start at the first run. */
swathe_status pool_create(const struct memory *memory, int32_t threads, pool_lent *lent,
                          void *lender, struct pool **pool);
void pool_destroy(struct pool *pool);
int32_t pool_threads(const struct pool *pool);

/* work(user, i) for i in 0..count-1, concurrently where threads are free, and returns when all are
 * done. Any number of callers at once. A call may wait for one with a lower i, never the reverse:
 * they start in order. */
void pool_run(struct pool *pool, int32_t count, pool_work *work, void *user);

#endif
