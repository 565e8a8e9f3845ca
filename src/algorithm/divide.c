/* Sums of samples by sums of weights. */
#include "algorithm/algorithm.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

enum { GROUP = 8, ROWS = 4 };

struct divide {
    struct alpha_pixels *pixels;       /* for several channels at once; NULL: not possible */
    kernel *to_double;                 /* of sums; NULL: they are doubles */
    kernel *quotient;                  /* NULL: by the definition */
    struct kernel_quotient *constants; /* of each part */
    kernel *to_result;                 /* NULL: the results are doubles */
};

static bool divide_applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_DIVIDE;
}

static double divide_work(const struct algorithm_case *at)
{
    (void)at;
    return 8.0;
}

static bool is_within(const struct op *op, double value)
{
    const struct sample_entry *type = sample_entry(op->out);
    return value != value ? sample_is_float(op->out)
                          : value >= type->lowest && value <= type->highest;
}

/* Missing results are clamped to the range of the type. */
bool divide_has_kernel(const struct op *op)
{
    return is_within(op, op->weights->missing.none) &&
           is_within(op, weights_present(op->missing, op->weights->missing.none));
}

/* Is an integer alpha, the quotient of the same sum of weights, 0 below a weight? */
static bool has_threshold(const struct op *op, const struct weights_part *part)
{
    const struct weights *weights = op->weights;
    const struct weights_quotient *quotient = &weights->quotient;
    return weights->missing.rule.kind == WEIGHTS_ALPHA && !quotient->centred &&
           !sample_is_float(op->out) && part->weight == quotient->part[quotient->parts - 1].weight;
}

/* The smallest |Σ k·m| of results that are present. An alpha below ½ is rounded to 0. */
static double least_weight(const struct op *op, const struct weights_part *part)
{
    double all = fabs(op->weights->quotient.sums[part->mask].all);
    double least = has_threshold(op, part) ? 0.5 * (all / op->weights->most)
                                           : op->weights->missing.rule.least * all;
    return fmax(least, 0x1p-1074);
}

struct kernel_quotient divide_constants(const struct op *op, int32_t part)
{
    const struct weights *weights = op->weights;
    const struct weights_quotient *quotient = &weights->quotient;
    struct weights_sum sum = quotient->sums[quotient->part[part].mask];
    return (struct kernel_quotient){.all = sum.all,
                                    .unit = sum.unit,
                                    .least = least_weight(op, &quotient->part[part]),
                                    .none = weights->missing.none,
                                    .beside = weights_present(op->missing, weights->missing.none),
                                    .is_integer = !sample_is_float(op->out),
                                    .is_f32 = op->out == SWATHE_F32};
}

static swathe_status divide_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                 struct plan_stage *stage)
{
    struct divide *divide;
    (void)exact;
    stage->chunk = algorithm_chunk(op);
    stage->group = GROUP;
    TRY(arena_new(arena, 1, sizeof *divide, "a plan", &divide));
    TRY(arena_new(arena, op->weights->quotient.parts, sizeof *divide->constants, "a plan",
                  &divide->constants));
    stage->prepared = divide;
    TRY(alpha_pixels_make(arena, op, isa, stage, &divide->pixels));
    if (op->in == SWATHE_F32)
        divide->to_double = algorithm_find(KERNEL_CONVERT, "f32", "f64", isa, stage);
    if (!divide_has_kernel(op))
        return SWATHE_OK;
    for (int32_t i = 0; i < op->weights->quotient.parts; i++)
        divide->constants[i] = divide_constants(op, i);
    divide->quotient = algorithm_find(KERNEL_QUOTIENT, "f64", "f64", isa, stage);
    if (op->out != SWATHE_F64)
        divide->to_result =
            algorithm_find(KERNEL_CONVERT, "f64", sample_entry(op->out)->name, isa, stage);
    return SWATHE_OK;
}

/* Rows of a task that the kernel reads and writes, or for the definition a sample of each plane. */
struct rows {
    double *ones, *flags, *sums, *values;
};

static struct rows rows_of(const struct row_task *task)
{
    double *first = task->scratch;
    return (struct rows){first, first + task->count, first + 2 * task->count,
                         first + 3 * task->count};
}

static int64_t divide_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    if (step > 1) /* pixels */
        return 0;
    int64_t rows = stage->op->in == SWATHE_F32 ? ROWS + stage->op->channels : ROWS;
    return round_up(max64(rows * count, stage->op->channels) * (int64_t)sizeof(double),
                    MEMORY_ALIGN);
}

/* A row of sums, as doubles. */
static const double *plane_row(const struct row_task *task, int32_t plane, int32_t row)
{
    const struct divide *divide = task->stage->prepared;
    const void *from = task->rows[plane * GROUP + row];
    if (!divide->to_double)
        return from;
    double *to = (double *)task->scratch + (ROWS + plane) * task->count;
    divide->to_double(&(struct kernel_args){.source = &from, .result = to, .count = task->count});
    return to;
}

/* ---- By the definition ----------------------------------------------------------------------- */

static void divide_take(const struct row_task *task, int32_t row, int64_t i, int32_t plane,
                        double *planes)
{
    swathe_type type = task->stage->op->in;
    if (plane >= 0)
        planes[plane] = sample_load(task->rows[plane * GROUP + row] + i * sample_size(type), type);
}

static void take_part(const struct row_task *task, int32_t row, int64_t i,
                      const struct weights_part *part, double *planes)
{
    divide_take(task, row, i, part->sum, planes);
    divide_take(task, row, i, part->weight, planes);
    divide_take(task, row, i, part->centre, planes);
    divide_take(task, row, i, part->sample, planes);
}

static void define_row(const struct row_task *task, int32_t row)
{
    const struct op *op = task->stage->op;
    const struct weights *weights = op->weights;
    const struct weights_quotient *quotient = &weights->quotient;
    const struct weights_part *part = &quotient->part[task->mask];
    double *planes = task->scratch;
    int32_t size = sample_size(op->out);
    for (int64_t i = 0; i < task->count; i++) {
        take_part(task, row, i, part, planes);
        take_part(task, row, i, &quotient->part[quotient->parts - 1], planes);
        sample_store((uint8_t *)task->results[row] + i * size, op->out,
                     weights_divide(weights, part, planes));
    }
}

/* ---- By kernels --------------------------------------------------------------------------------
 */

static void store_row(const struct row_task *task, int32_t row, const double *values, double low,
                      double high)
{
    const struct divide *divide = task->stage->prepared;
    const void *source = values;
    struct kernel_args args = {.source = &source,
                               .result = task->results[row],
                               .count = task->count,
                               .low = low,
                               .high = high};
    if (divide->to_result)
        divide->to_result(&args);
    else
        memcpy(task->results[row], values, (size_t)task->count * sizeof *values);
}

/* Alpha before it is rounded, or 0 and the largest alpha for a mask. */
static void weight_row(const struct row_task *task, const struct weights_part *part, int32_t row,
                       double *values)
{
    const struct op *op = task->stage->op;
    const struct weights *weights = op->weights;
    const struct weights_quotient *quotient = &weights->quotient;
    const double *weight = plane_row(task, part->weight, row);
    const double *centre =
        part->centre < 0 ? rows_of(task).ones : plane_row(task, part->centre, row);
    double least = least_weight(op, part), top = quotient->top;
    double share = quotient->sums[part->mask].all / weights->most;
    for (int64_t i = 0; weights->missing.rule.kind == WEIGHTS_MASK && i < task->count; i++)
        values[i] = centre[i] != 0.0 && (quotient->centred || fabs(weight[i]) >= least) ? top : 0.0;
    if (weights->missing.rule.kind == WEIGHTS_MASK)
        return;
    if (quotient->centred)
        memcpy(values, centre, (size_t)task->count * sizeof *values);
    else
        for (int64_t i = 0; i < task->count; i++)
            values[i] = share == 0.0 ? 0.0 : weight[i] / share;
    for (int64_t i = 0; i < task->count; i++)
        values[i] = values[i] < top ? values[i] : top;
}

/* What is not 0 where results are present: the weight of the centre, or alpha as it is stored. */
static const double *flag_row(const struct row_task *task, const struct weights_part *part,
                              int32_t row)
{
    const struct op *op = task->stage->op;
    const struct weights *weights = op->weights;
    const struct weights_quotient *quotient = &weights->quotient;
    double *flags = rows_of(task).flags;
    if (weights->missing.rule.kind != WEIGHTS_ALPHA || has_threshold(op, part))
        return part->centre < 0 ? rows_of(task).ones : plane_row(task, part->centre, row);
    weight_row(task, &quotient->part[quotient->parts - 1], row, flags);
    for (int64_t i = 0; !sample_is_float(op->out) && i < task->count; i++)
        flags[i] = flags[i] >= 0.5 ? 1.0 : 0.0;
    for (int64_t i = 0; op->out == SWATHE_F32 && i < task->count; i++)
        flags[i] = (float)flags[i];
    return flags;
}

/* Sums in which missing samples count as the centre. */
static const double *centred_row(const struct row_task *task, const struct weights_part *part,
                                 int32_t row)
{
    const struct weights *weights = task->stage->op->weights;
    const double *n = plane_row(task, part->sum, row), *d = plane_row(task, part->weight, row);
    const double *p = plane_row(task, part->sample, row);
    double *sums = rows_of(task).sums, all = weights->quotient.sums[part->mask].all;
    for (int64_t i = 0; i < task->count; i++)
        sums[i] = d[i] == all ? n[i] : fma(all - d[i], p[i], n[i]);
    return sums;
}

static void divide_row(const struct row_task *task, int32_t row)
{
    const struct op *op = task->stage->op;
    const struct divide *divide = task->stage->prepared;
    const struct weights_part *part = &op->weights->quotient.part[task->mask];
    struct rows rows = rows_of(task);
    struct kernel_quotient constants = divide->constants[task->mask];
    const void *source[] = {plane_row(task, part->sum, row), plane_row(task, part->weight, row),
                            flag_row(task, part, row)};
    if (op->weights->quotient.centred) { /* sums divided by the unit alone */
        source[0] = centred_row(task, part, row);
        source[1] = rows.ones;
        constants.all = 1.0;
    }
    struct kernel_args args = {.source = source,
                               .tap_count = 3,
                               .taps = &constants,
                               .result = rows.values,
                               .count = task->count,
                               .bias = op->weights->quotient.bias,
                               .low = op->low,
                               .high = op->high};
    divide->quotient(&args);
    const struct sample_entry *type = sample_entry(op->out); /* the values are within low … high */
    store_row(task, row, rows.values, type->lowest, type->highest);
}

static void divide_run(const struct row_task *task)
{
    const struct op *op = task->stage->op;
    const struct divide *divide = task->stage->prepared;
    const struct weights_part *part = &op->weights->quotient.part[task->mask];
    struct rows rows = rows_of(task);
    if (task->step > 1) {
        alpha_pixels_run(divide->pixels, task);
        return;
    }
    for (int64_t i = 0; divide->quotient && i < task->count; i++)
        rows.ones[i] = 1.0;
    for (int32_t row = 0; row < task->height; row++) {
        if (!divide->quotient) {
            define_row(task, row);
        } else if (part->is_weight) {
            weight_row(task, part, row, rows.values);
            store_row(task, row, rows.values, 0.0,
                      fmin(op->weights->quotient.top, sample_entry(op->out)->highest));
        } else {
            divide_row(task, row);
        }
    }
}

const struct algorithm_calls algorithm_divide = {.applies = divide_applies,
                                                 .work = divide_work,
                                                 .make = divide_make,
                                                 .scratch_bytes = divide_scratch_bytes,
                                                 .run = divide_run};
