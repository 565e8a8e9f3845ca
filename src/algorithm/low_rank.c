/* Float masks that are nearly a sum of a few products of a column and a row: one vertical pass per
 * term, then all rows in one sum. */
#include "algorithm/few_terms.h"
#include "algorithm/multirow.h"
#include "base/checked.h"

#include <math.h>
#include <string.h>

/* The terms of one mask. */
struct low_rank_mask {
    int32_t terms;
    struct multirow *multirow;   /* one per term; NULL if the mask is dilated */
    struct packed_taps *columns; /* taps of the columns, used if the mask is dilated */
    int64_t across_count;
    const float *across;         /* the rows of all terms */
    int32_t *term, *column;      /* the term of each tap, and its column */
    struct packed_taps directly; /* the mask itself, for samples that are not finite */
};

struct low_rank {
    kernel *kernel;
    int32_t most; /* largest number of terms of a mask */
    struct low_rank_mask *masks;
};

static bool low_rank_applies(const struct algorithm_case *at)
{
    return at->analysis != NULL;
}

/* A sum of one row loads each sample again for each tap, and the rows between the passes are stored
 * in memory. */
static double low_rank_work(const struct algorithm_case *at)
{
    return 2.5 * (double)terms_work(at);
}

static struct op_taps column_of(const struct op_taps *taps, const struct terms *terms, int32_t t)
{
    return (struct op_taps){.width = 1,
                            .height = taps->height,
                            .anchor_y = taps->anchor_y,
                            .f = terms->columns + (int64_t)t * taps->height};
}

static swathe_status low_rank_make_multirow(struct arena *arena, const struct op_taps *column,
                                            int isa, struct plan_stage *stage,
                                            struct multirow *multirow)
{
    TRY(multirow_make(arena, stage->op, column, KERNEL_FAST, "f32", isa, stage, multirow));
    multirow->columns[0] = 0; /* from the leftmost column that the horizontal pass reads */
    multirow->args.bias = 0.0f;
    multirow->args.low = -INFINITY;
    multirow->args.high = INFINITY;
    return SWATHE_OK;
}

static swathe_status low_rank_make_down(struct arena *arena, const struct op_taps *taps,
                                        const struct terms *terms, int isa,
                                        struct plan_stage *stage, struct low_rank_mask *mask)
{
    bool several = stage->op->dilate_y == 1;
    stage->group = several ? MULTIROW_GROUP : 1;
    if (several)
        TRY(arena_new(arena, terms->count, sizeof *mask->multirow, "taps", &mask->multirow));
    else
        TRY(arena_new(arena, terms->count, sizeof *mask->columns, "taps", &mask->columns));
    for (int32_t t = 0; t < terms->count; t++) {
        struct op_taps column = column_of(taps, terms, t);
        if (several)
            TRY(low_rank_make_multirow(arena, &column, isa, stage, &mask->multirow[t]));
        else
            TRY(algorithm_pack(arena, stage->op, &column, KERNEL_FAST, &mask->columns[t]));
    }
    return SWATHE_OK;
}

static swathe_status low_rank_make_across(struct arena *arena, const struct op *op,
                                          const struct op_taps *taps, const struct terms *terms,
                                          struct low_rank_mask *mask)
{
    mask->across_count = (int64_t)terms->count * taps->width;
    mask->across = terms->rows;
    TRY(arena_new(arena, mask->across_count, sizeof *mask->term, "taps", &mask->term));
    TRY(arena_new(arena, mask->across_count, sizeof *mask->column, "taps", &mask->column));
    for (int64_t i = 0; i < mask->across_count; i++) {
        mask->term[i] = (int32_t)(i / taps->width);
        mask->column[i] = ((int32_t)(i % taps->width) - taps->anchor_x) * op->dilate_x + op->left;
    }
    return SWATHE_OK;
}

static swathe_status low_rank_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                   struct plan_stage *stage)
{
    struct low_rank *low;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *low, "a plan", &low));
    TRY(arena_new(arena, op->mask_count, sizeof *low->masks, "a plan", &low->masks));
    for (int32_t m = 0; m < op->mask_count; m++) {
        const struct op_taps *taps = &op->masks[m];
        const struct terms *terms = (const struct terms *)stage->analysis + m;
        low->masks[m].terms = terms->count;
        low->most = terms->count > low->most ? terms->count : low->most;
        TRY(low_rank_make_down(arena, taps, terms, isa, stage, &low->masks[m]));
        TRY(low_rank_make_across(arena, op, taps, terms, &low->masks[m]));
        TRY(algorithm_pack(arena, op, taps, KERNEL_FAST, &low->masks[m].directly));
    }
    low->kernel = algorithm_find(KERNEL_FAST, "f32", "f32", isa, stage);
    stage->prepared = low;
    stage->chunk = algorithm_chunk(op);
    return SWATHE_OK;
}

/* Bytes of a pointer per tap of the longest sum, of the rows between the passes, and of a row of
 * floats if the result is converted. */
static int64_t low_rank_pointer_bytes(const struct plan_stage *stage)
{
    const struct low_rank *low = stage->prepared;
    int64_t taps = 0, bytes = 0;
    for (int32_t m = 0; m < stage->op->mask_count; m++) {
        const struct low_rank_mask *mask = &low->masks[m];
        taps = max64(taps, max64(mask->across_count, mask->directly.count));
        taps = max64(taps, stage->op->masks[m].height);
        if (mask->multirow)
            bytes = max64(bytes, multirow_scratch_bytes(&mask->multirow[0], 1));
    }
    return max64(bytes, round_up(taps * (int64_t)sizeof(void *), MEMORY_ALIGN));
}

static int64_t low_rank_middle_bytes(const struct op *op, int64_t count, int32_t step)
{
    int64_t samples = count + ((int64_t)op->left + op->right) * step;
    return round_up(samples * (int64_t)sizeof(float), MEMORY_ALIGN);
}

static int64_t low_rank_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct low_rank *low = stage->prepared;
    return low_rank_pointer_bytes(stage) +
           (int64_t)low->most * stage->group * low_rank_middle_bytes(stage->op, count, step) +
           round_up(count * (int64_t)sizeof(float), MEMORY_ALIGN);
}

static struct kernel_args sum_of(const void *const *source, const void *taps, int64_t tap_count,
                                 void *result, int64_t count)
{
    return (struct kernel_args){.source = source,
                                .taps = taps,
                                .tap_count = tap_count,
                                .result = result,
                                .count = count,
                                .low = -INFINITY,
                                .high = INFINITY};
}

/* Runs the vertical pass of one term, for all rows of the task. */
static void low_rank_run_down(const struct row_task *task, const struct low_rank_mask *mask,
                              int32_t term, void *const *middle)
{
    const struct op *op = task->stage->op;
    const struct low_rank *low = task->stage->prepared;
    int64_t count = task->count + ((int64_t)op->left + op->right) * task->step;
    const void **source = task->scratch;
    if (mask->multirow) {
        multirow_run(&mask->multirow[term], task, count, middle, task->scratch);
        return;
    }
    const struct packed_taps *down = &mask->columns[term];
    for (int32_t r = 0; r < task->height; r++) {
        for (int64_t t = 0; t < down->count; t++)
            source[t] = task->rows[down->row[t] + r];
        struct kernel_args args = sum_of(source, down->taps, down->count, middle[r], count);
        low->kernel(&args);
    }
}

/* `middle` is the row of the first term; those of other terms follow at distance `apart`. */
static void low_rank_run_across(const struct row_task *task, const struct low_rank_mask *mask,
                                const uint8_t *middle, int64_t apart, float *result)
{
    const struct low_rank *low = task->stage->prepared;
    int64_t pixel = (int64_t)task->step * (int64_t)sizeof(float);
    const void **source = task->scratch;
    for (int64_t t = 0; t < mask->across_count; t++)
        source[t] = middle + mask->term[t] * apart + mask->column[t] * pixel;
    struct kernel_args args = sum_of(source, mask->across, mask->across_count, result, task->count);
    args.bias = task->stage->op->bias;
    low->kernel(&args);
}

/* The sign bit is set if the value is not finite: only the largest exponent carries into it. */
static uint32_t not_finite(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7fffffff) + 0x00800000;
}

static bool is_finite(float value)
{
    return !(not_finite(value) & 0x80000000);
}

static bool all_finite(const float *values, int64_t count)
{
    uint32_t any = 0;
    for (int64_t i = 0; i < count; i++)
        any |= not_finite(values[i]);
    return !(any & 0x80000000);
}

/* A sample that is not finite makes all results non-finite whose mask covers it, even at zero taps,
 * and terms of opposite signs turn an infinity into a NaN. Those results are computed from the mask
 * itself. Each is computed separately, so it does not depend on how the image is cut. */
static void low_rank_repair(const struct row_task *task, const struct packed_taps *taps,
                            int32_t row, float *result)
{
    const struct low_rank *low = task->stage->prepared;
    int64_t pixel = (int64_t)task->step * (int64_t)sizeof(float), end;
    const void **source = task->scratch;
    if (all_finite(result, task->count))
        return;
    for (int64_t i = 0; i < task->count; i = end + 1) {
        for (end = i; end < task->count && !is_finite(result[end]);)
            end++;
        if (end == i)
            continue;
        for (int64_t t = 0; t < taps->count; t++)
            source[t] = task->rows[taps->row[t] + row] + taps->column[t] * pixel +
                        i * (int64_t)sizeof(float);
        struct kernel_args args = sum_of(source, taps->taps, taps->count, result + i, end - i);
        args.bias = task->stage->op->bias;
        low->kernel(&args);
    }
}

/* Clamps values; NaN stays NaN. */
static void low_rank_clamp(const struct op *op, float *values, int64_t count)
{
    float low = (float)op->low, high = (float)op->high;
    if (isinf(low) && isinf(high))
        return;
    for (int64_t i = 0; i < count; i++) {
        float v = values[i];
        values[i] = v < low ? low : v > high ? high : v;
    }
}

static void low_rank_run(const struct row_task *task)
{
    const struct plan_stage *stage = task->stage;
    const struct low_rank *low = stage->prepared;
    const struct low_rank_mask *mask = &low->masks[task->mask];
    int64_t bytes = low_rank_middle_bytes(stage->op, task->count, task->step);
    uint8_t *middle = (uint8_t *)task->scratch + low_rank_pointer_bytes(stage);
    float *floats = (float *)(middle + low->most * stage->group * bytes);
    for (int32_t t = 0; t < mask->terms; t++) {
        void *rows[MULTIROW_GROUP];
        for (int32_t r = 0; r < task->height; r++)
            rows[r] = middle + (t * stage->group + r) * bytes;
        low_rank_run_down(task, mask, t, rows);
    }
    for (int32_t r = 0; r < task->height; r++) {
        float *result = stage->to_result ? floats : task->results[r];
        low_rank_run_across(task, mask, middle + r * bytes, stage->group * bytes, result);
        low_rank_repair(task, &mask->directly, r, result);
        if (stage->to_result)
            algorithm_store(task, floats, task->results[r]);
        else
            low_rank_clamp(stage->op, result, task->count);
    }
}

const struct algorithm_calls algorithm_low_rank = {.analyse = terms_find,
                                                   .applies = low_rank_applies,
                                                   .work = low_rank_work,
                                                   .make = low_rank_make,
                                                   .scratch_bytes = low_rank_scratch_bytes,
                                                   .run = low_rank_run,
                                                   .relative_error = terms_relative_error,
                                                   .error_bound = terms_error_bound,
                                                   .reorders = true};
