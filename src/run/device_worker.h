/* One thread's access to a GPU: a queue, and buffers on device and host. A rectangle of the result
 * is divided until everything that it needs fits the device. Each of these cells passes all stages
 * before it is copied back. Two workers overlap: one copies while the other computes. */
#ifndef SWATHE_RUN_DEVICE_WORKER_H
#define SWATHE_RUN_DEVICE_WORKER_H

#include "plan/plan.h"
#include "run/worker.h"

#include <stdatomic.h>

enum { DEVICE_WORKERS_MOST = 2 };

struct device_worker;

/* `share` workers use the plan's device at the same time. If `timed`, it waits for the device after
 * each part of a cell. */
swathe_status device_worker_create(const struct memory *memory, const struct plan *plan,
                                   int32_t share, bool timed, struct device_worker **worker);
/* Sets `times` to those of the worker. NULL is allowed. */
void device_worker_destroy(struct device_worker *worker, swathe_run_times *times);

/* Computes a rectangle of the result into `result`, which must contain it. */
swathe_status device_worker_run(struct device_worker *worker, const swathe_rect *rect,
                                const struct row_source *source, const swathe_image *result,
                                const atomic_bool *stopped);

#endif
