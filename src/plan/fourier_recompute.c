/* Computes integer results again if their Fourier sum is so close to a rounding boundary that its
 * error could change the result. */
#include "plan/fourier_plan.h"

#include <math.h>

static int64_t sample_at(const uint8_t *row, swathe_type type, int64_t i)
{
    if (type == SWATHE_U8)
        return row[i];
    return type == SWATHE_U16 ? ((const uint16_t *)row)[i] : ((const int16_t *)row)[i];
}

static void store(void *row, swathe_type type, int64_t i, int64_t value)
{
    if (type == SWATHE_U8)
        ((uint8_t *)row)[i] = (uint8_t)value;
    else if (type == SWATHE_U16)
        ((uint16_t *)row)[i] = (uint16_t)value;
    else
        ((int16_t *)row)[i] = (int16_t)value;
}

/* Computes one result from the definition: sample i of output row y. */
static void compute(const struct row_job *job, const struct packed_taps *taps, int64_t i, int64_t y)
{
    const struct op *op = job->stage->op;
    int64_t sum = taps->add, low = (int64_t)op->low, high = (int64_t)op->high;
    for (int64_t t = 0; t < taps->count; t++)
        sum +=
            ((const int32_t *)taps->taps)[t] * sample_at(job->rows[taps->row[t] + y], op->in,
                                                         i + (int64_t)taps->column[t] * job->step);
    sum >>= taps->shift;
    store(job->results[y], op->out, i, sum < low ? low : sum > high ? high : sum);
}

static bool is_near(double value, double margin)
{
    return value - floor(value) <= margin || ceil(value) - value <= margin;
}

void fourier_recompute(const struct row_job *job, const struct fourier_output *out, int64_t x,
                       int64_t y)
{
    const struct fourier *fourier = job->stage->prepared;
    const struct fourier_mask *mask = &fourier->masks[job->mask];
    const struct fourier_sections *sections = &out->sections;
    const double *work = sections->work;
    int64_t lanes = fourier->kernels->lanes;
    for (int64_t lane = 0; lane < lanes && y + lane < job->height; lane++)
        for (int64_t c = 0; job->results[y + lane] && c < job->step; c++)
            for (int part = 0; part < 2; part++)
                for (int64_t i = 0; i < sections->count[part]; i++) {
                    double v = work[((sections->points * c + i) * 2 + part) * lanes + lane];
                    if (is_near((v + out->add) * out->scale, fourier->margin))
                        compute(job, &mask->taps,
                                (x + part * sections->distance + i) * job->step + c, y + lane);
                }
}
