/* One job of a stage: its algorithm over the columns of a span, in chunks that stay in the cache.
 */
#ifndef SWATHE_RUN_JOB_H
#define SWATHE_RUN_JOB_H

#include "run/ring.h"

/* Rows that are asked for, of one plane. */
struct job_target {
    uint8_t *const *rows;
    struct interval wanted, made; /* made: those of a grid are made whole */
    int64_t offset;               /* of the plane, in bytes */
    bool stream;                  /* past the caches */
};

/* A stage, and what its worker lends to its jobs. */
struct job_place {
    const struct plan *plan;
    const struct plan_stage *stage;
    const struct ring *ring;   /* holds the input rows */
    struct interval columns;   /* of the stage's output */
    uint8_t *scratch, *nearby; /* the algorithm's; rows on their way past the caches */
    kernel *uncached;
};

/* Makes the rows of a target from those that the ring holds for them. */
void job_run(const struct job_place *place, struct job_target *target, int64_t plane_stride);

#endif
