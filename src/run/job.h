/* One job of a stage: its algorithm over the columns of a span, in chunks that stay near. */
#ifndef SWATHE_RUN_JOB_H
#define SWATHE_RUN_JOB_H

#include "run/worker.h"

/* Rows that are asked for, of one plane. */
struct job_target {
    uint8_t *const *rows;
    struct interval wanted, made; /* made: those of a grid are made whole */
    int64_t offset;               /* of the plane, in bytes */
    bool stream;                  /* past the caches */
};

/* Makes the rows of a target from those that the worker's ring of stage i holds for them. */
void job_run(const struct worker *worker, int32_t i, struct job_target *target,
             int64_t plane_stride);

#endif
