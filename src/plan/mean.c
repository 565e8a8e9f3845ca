/* box on integers: sums of columns, running sums of those, one division. */
#include "plan/algorithm.h"

#include "base/checked.h"

struct mean {
    struct packed_taps down;
    kernel *down_kernel, *divide_kernel;
    bool narrow; /* column sums are int16, else double */
};

static bool applies(const struct op *op)
{
    return op->rule == STAGE_MEAN;
}

/* The rows of the mask, then about as much again for the rest, whatever the width. */
static double cost(const struct op *op)
{
    return (double)op->masks[0].height + 4.0;
}

static swathe_status pack_column(struct arena *arena, const struct op *op, enum kernel_sum sum,
                                 struct packed_taps *packed)
{
    const struct op_taps *size = &op->masks[0];
    struct op_taps ones = {.width = 1, .height = size->height, .anchor_y = size->anchor_y};
    TRY(arena_new(arena, ones.height, sizeof *ones.w, "taps", &ones.w));
    for (int32_t i = 0; i < ones.height; i++)
        ones.w[i] = 1;
    return algorithm_pack(arena, op, &ones, sum, packed);
}

static swathe_status make(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage)
{
    struct mean *mean;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *mean, "a plan", &mean));
    mean->narrow = op->in == SWATHE_U8 && op->masks[0].height * UINT8_MAX <= INT16_MAX;
    enum kernel_sum sum = mean->narrow ? KERNEL_NARROW : KERNEL_RAW;
    TRY(pack_column(arena, op, sum, &mean->down));
    mean->down_kernel =
        algorithm_find(sum, sample_row(op->in)->name, mean->narrow ? "s16" : "f64", isa, stage);
    mean->divide_kernel = algorithm_find(KERNEL_MEAN, "f64", sample_row(op->out)->name, isa, stage);
    stage->prepared = mean;
    return SWATHE_OK;
}

/* A pointer per row of the mask, the column sums, and the sums of those. */
static int64_t pointer_bytes(const struct op *op)
{
    return round_up(((int64_t)op->masks[0].height + 1) * (int64_t)sizeof(void *), MEMORY_ALIGN);
}

static int64_t column_bytes(const struct op *op, int64_t count, int32_t step)
{
    int64_t samples = count + ((int64_t)op->left + op->right) * step;
    return round_up(samples * (int64_t)sizeof(double), MEMORY_ALIGN);
}

static int64_t scratch(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct op *op = stage->op;
    return pointer_bytes(op) + column_bytes(op, count, step) +
           round_up(count * (int64_t)sizeof(double), MEMORY_ALIGN);
}

static void sum_columns(const struct row_job *job, const struct mean *mean, void *columns)
{
    const struct op *op = job->stage->op;
    const void **source = job->scratch;
    for (int64_t t = 0; t < mean->down.count; t++)
        source[t] = job->rows[mean->down.row[t]];
    struct kernel_args args = {.source = source,
                               .taps = mean->down.taps,
                               .tap_count = mean->down.count,
                               .result = columns,
                               .count = job->count + ((int64_t)op->left + op->right) * job->step,
                               .low = INT16_MIN,
                               .high = INT16_MAX};
    mean->down_kernel(&args);
}

/* sums[i] = Σ columns[i + t·apart] for t < taps: the first `apart` sums are added up, each later
 * one comes from the one `apart` before it. Column sums are integers: int16 ones add up below 2^31
 * for masks of 2^22 taps, others in doubles below 2^53. Kept in `last`, which stays in registers
 * where the compiler knows `apart`. */
enum { APART_MAX = 8 };

#define DEFINE_RUNNING(name, type, total)                                                          \
    static inline void name##_by(const type *columns, int64_t taps, int64_t apart, int64_t count,  \
                                 double *sums)                                                     \
    {                                                                                              \
        total last[APART_MAX] = {0};                                                               \
        int64_t i = 0;                                                                             \
        for (int64_t c = 0; c < apart; c++)                                                        \
            for (int64_t t = 0; t + 1 < taps; t++)                                                 \
                last[c] += columns[c + t * apart];                                                 \
        const type *entering = columns + (taps - 1) * apart;                                       \
        for (; i + apart <= count; i += apart)                                                     \
            for (int64_t c = 0; c < apart; c++) {                                                  \
                total sum = last[c] + entering[i + c];                                             \
                sums[i + c] = (double)sum;                                                         \
                last[c] = sum - columns[i + c];                                                    \
            }                                                                                      \
        for (int64_t c = 0; i + c < count; c++)                                                    \
            sums[i + c] = (double)(last[c] + entering[i + c]);                                     \
    }                                                                                              \
                                                                                                   \
    static void name##_far(const type *columns, int64_t taps, int64_t apart, int64_t count,        \
                           double *sums)                                                           \
    {                                                                                              \
        for (int64_t i = 0; i < count; i++) {                                                      \
            sums[i] = 0.0;                                                                         \
            if (i >= apart)                                                                        \
                sums[i] = sums[i - apart] +                                                        \
                          ((double)columns[i + (taps - 1) * apart] - (double)columns[i - apart]);  \
            for (int64_t t = 0; i < apart && t < taps; t++)                                        \
                sums[i] += (double)columns[i + t * apart];                                         \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void name(const type *columns, int64_t taps, int64_t apart, int64_t count,              \
                     double *sums)                                                                 \
    {                                                                                              \
        if (apart == 1)                                                                            \
            name##_by(columns, taps, 1, count, sums);                                              \
        else if (apart == 3)                                                                       \
            name##_by(columns, taps, 3, count, sums);                                              \
        else if (apart == 4)                                                                       \
            name##_by(columns, taps, 4, count, sums);                                              \
        else if (apart <= APART_MAX && apart <= count)                                             \
            name##_by(columns, taps, apart, count, sums);                                          \
        else                                                                                       \
            name##_far(columns, taps, apart, count, sums);                                         \
    }
DEFINE_RUNNING(run_shorts, int16_t, int32_t)
DEFINE_RUNNING(run_doubles, double, double)

static void run(const struct row_job *job)
{
    static const double one = 1.0;
    const struct op *op = job->stage->op;
    const struct mean *mean = job->stage->prepared;
    uint8_t *columns = (uint8_t *)job->scratch + pointer_bytes(op);
    double *sums = (double *)(columns + column_bytes(op, job->count, job->step));
    int64_t apart = (int64_t)job->step * op->dilate_x;
    sum_columns(job, mean, columns);
    if (mean->narrow)
        run_shorts((const int16_t *)columns, op->masks[0].width, apart, job->count, sums);
    else
        run_doubles((const double *)columns, op->masks[0].width, apart, job->count, sums);
    /* floor((2(S + add) + n) / 2n) = floor((S + add + n/2) / n) */
    const void *source = sums;
    struct kernel_args args = {.source = &source,
                               .taps = &one,
                               .tap_count = 1,
                               .result = job->results[0],
                               .count = job->count,
                               .add_wide = (double)op->mean_add + 0.5 * (double)op->mean_count,
                               .divisor = (double)op->mean_count,
                               .low = op->low,
                               .high = op->high};
    mean->divide_kernel(&args);
}

const struct algorithm_calls algorithm_mean = {applies, cost, make, scratch, run};
