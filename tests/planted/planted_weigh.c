/* weigh.c with a bug: weights come from the row below. */
#include "algorithm/algorithm.h"

#define algorithm_weigh right_weigh
#include "algorithm/weigh.c"
#undef algorithm_weigh

static void wrong_run(const struct row_job *job)
{
    const struct op *op = job->stage->op;
    int32_t channel = op->weights->channel >= 0 ? op->weights->channel : job->plane;
    if (job->mask != OP_WEIGHT) {
        run(job);
        return;
    }
    for (int32_t r = 0; r < job->height; r++) {
        int32_t below = r + 1 < job->height ? r + 1 : r;
        weigh_loop *loop = find_loop(op->in, job->mask);
        loop(&(struct weigh_row){.weights = op->weights,
                                 .samples = job->rows[job->plane * GROUP + r],
                                 .channel = job->rows[channel * GROUP + below],
                                 .result = job->results[r],
                                 .count = job->count});
    }
}

const struct algorithm_calls algorithm_weigh = {.applies = applies,
                                                .work = work,
                                                .make = make,
                                                .scratch_bytes = scratch_bytes,
                                                .run = wrong_run};
