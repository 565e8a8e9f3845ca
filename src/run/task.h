/* One task of a stage: runs its algorithm over the columns of a span, in chunks that stay in the
 * cache. */
#ifndef SWATHE_RUN_TASK_H
#define SWATHE_RUN_TASK_H

#include "run/clamped.h"
#include "run/effort.h"
#include "run/ring.h"

/* The requested rows of one plane. */
struct task_target {
    uint8_t *const *rows;
    struct interval wanted, made; /* `made` is `wanted` extended to whole units of a grid */
    int64_t offset;               /* of the plane, in bytes */
    bool stream;                  /* they may bypass the caches */
};

/* A stage, and the memory that its worker provides for its tasks. */
struct task_place {
    const struct plan *plan;
    const struct plan_stage *stage;
    const struct ring *ring; /* contains the input rows */
    struct interval columns; /* of the stage's output */
    uint8_t *scratch;        /* for the algorithm */
    struct clamped *clamped; /* counts clamped results of this stage; NULL: does not */
    struct interval span;    /* the columns whose results are counted */
    struct effort *effort;
};

/* Bytes that the tasks of all chunks of `columns` columns keep. */
int64_t task_kept_bytes(const struct plan *plan, const struct plan_stage *stage, int64_t columns);

/* Computes the rows of a target from the rows in the ring buffer, unless place->effort was or is
 * stopped. */
void task_run(const struct task_place *place, struct task_target *target, int64_t plane_stride);

#endif
