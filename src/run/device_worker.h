/* One thread's way to a GPU: a queue, buffers there and here. A rectangle of the result is cut
 * until what it needs fits the device; each of these cells goes through all stages before it comes
 * back. Two workers overlap: one copies while the other computes. */
#ifndef SWATHE_RUN_DEVICE_WORKER_H
#define SWATHE_RUN_DEVICE_WORKER_H

#include "plan/plan.h"
#include "run/worker.h"

#include <stdatomic.h>

enum { DEVICE_WORKERS_MOST = 2 };

struct device_worker;

/* `share` workers use the plan's device at a time. Where it is `timed`, it waits for the device
 * after each part of a cell. */
swathe_status device_worker_create(const struct memory *memory, const struct plan *plan,
                                   int32_t share, bool timed, struct device_worker **worker);
/* Adds what its cells took so far. */
void device_worker_add_times(const struct device_worker *worker, swathe_run_times *times);
void device_worker_destroy(struct device_worker *worker);

/* Makes a rectangle of the result in `result`, which holds it. */
swathe_status device_worker_run(struct device_worker *worker, const swathe_rect *rect,
                                const struct row_source *source, const swathe_image *result,
                                const atomic_bool *stopped);

#endif
