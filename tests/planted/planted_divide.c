/* divide.c with a bug: sums are not divided by those of the weights, or the results of two masks of
 * a stack are swapped. */
#include "algorithm/algorithm.h"

#define algorithm_divide right_divide
#include "algorithm/divide.c"
#undef algorithm_divide

#ifndef PLANT_STACK
#define PLANT_STACK 0
#endif

/* As if no weight were missing. */
static void undivided_row(const struct row_job *job, int32_t row)
{
    const struct op *op = job->stage->op;
    const struct weights *weights = op->weights;
    const struct weights_part *part = &weights->part[job->mask];
    double *planes = job->scratch;
    for (int64_t i = 0; i < job->count; i++) {
        take_part(job, row, i, part, planes);
        take_part(job, row, i, &weights->part[weights->parts - 1], planes);
        planes[part->weight] = weights->sums[part->mask].all;
        sample_store((uint8_t *)job->results[row] + i * sample_size(op->out), op->out,
                     weights_divide(weights, part, planes));
    }
}

static void wrong_run(const struct row_job *job)
{
    const struct weights *weights = job->stage->op->weights;
    struct row_job wrong = *job;
    bool is_weight = weights->part[job->mask].is_weight;
    if (PLANT_STACK && !is_weight && weights->results > weights->colours)
        wrong.mask = (job->mask + weights->colours) % weights->results;
    if (PLANT_STACK || is_weight) {
        run(&wrong);
        return;
    }
    for (int32_t row = 0; row < job->height; row++)
        undivided_row(job, row);
}

const struct algorithm_calls algorithm_divide = {.applies = applies,
                                                 .work = work,
                                                 .make = make,
                                                 .scratch_bytes = scratch_bytes,
                                                 .run = wrong_run};
