/* One thread's way to a GPU: a queue, buffers there and here. A rectangle of the result is cut
 * until what it needs fits the device; each piece goes through all stages before it comes back. Two
 * lanes overlap: one copies while the other computes. */
#ifndef SWATHE_RUN_LANE_H
#define SWATHE_RUN_LANE_H

#include "plan/plan.h"
#include "run/worker.h"

#include <stdatomic.h>

enum { LANES_MOST = 2 };

struct lane;

/* `share` lanes use the plan's device at a time. Where it is `timed`, it waits for the device after
 * each part of a piece. */
swathe_status lane_create(const struct memory *memory, const struct plan *plan, int32_t share,
                          bool timed, struct lane **lane);
/* Adds what its pieces took so far. */
void lane_add_times(const struct lane *lane, swathe_run_times *times);
void lane_destroy(struct lane *lane);

/* Makes a rectangle of the result in `result`, which holds it. */
swathe_status lane_rect(struct lane *lane, const swathe_rect *rect, const struct row_source *source,
                        const swathe_image *result, const atomic_bool *stopped);

#endif
