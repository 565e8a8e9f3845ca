#include "base/checked.h"
#include "gpu/stages/stage_options.h"

#include <string.h>

static void add_sum(struct gpu_task *task, int64_t add)
{
    task->add_low = (unsigned)(uint64_t)add;
    task->add_high = (int)(add >> 32);
}

/* floor((2·(S + A) + n) / 2n) = floor((S + A + ⌊n/2⌋) / n), in signed 64-bit integers */
static void set_long_mean(const struct op *op, struct gpu_task *task)
{
    task->count = (int)op->mean_count;
    add_sum(task, op->mean_add + op->mean_count / 2);
    task->shift = -1;
}

/* floor((2·(S + A) + n) / 2n) = floor(A / n) + floor((S + A mod n + ⌊n/2⌋) / n). Signed samples are
 * shifted to start at 0, so that the dividend is never negative. With t below 2^31 and 2^(l−1) < n
 * ≤ 2^l, m = floor(2^(31+l) / n) + 1 exceeds 2^(31+l) / n by e / n, e ≤ n ≤ 2^l. So t·m / 2^(31+l)
 * exceeds t / n by less than 1 / n, and their floors are equal. m is below 2^32 except for n = 1,
 * which needs no division. shift < 0: t takes 64 bits. */
static void set_mean(const struct op *op, struct gpu_task *task)
{
    if (sample_is_32(op->in) || sample_is_32(op->out)) {
        set_long_mean(op, task);
        return;
    }
    int64_t n = op->mean_count, whole = floor_div(op->mean_add, n);
    int64_t add = op->mean_add - whole * n + n / 2, highest = op->in == SWATHE_U8 ? 255 : 65535;
    bool is_signed = op->in == SWATHE_S16;
    int l = 0;
    while ((int64_t)1 << l < n)
        l++;
    task->count = (int)n;
    task->base = (int)(whole - (is_signed ? 32768 : 0));
    add_sum(task, add + (is_signed ? 32768 * n : 0));
    task->reciprocal = n > 1 ? (unsigned)(((uint64_t)1 << (31 + l)) / (uint64_t)n + 1) : 0;
    task->shift = add + highest * n <= INT32_MAX ? (n > 1 ? l - 1 : 0) : -1;
}

/* The 32 bits of a value of any integer type. */
static int integer_word(double value)
{
    return (int)(uint32_t)(int64_t)value;
}

static void put_double(double value, int *word0, int *word1)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *word0 = (int)(uint32_t)bits;
    *word1 = (int)(uint32_t)(bits >> 32);
}

void stage_fill(const struct op *op, double value, struct gpu_task *task)
{
    if (stage_real_size(op) == 8) {
        put_double(value, &task->fill, &task->base);
        return;
    }
    task->fill_float = (float)value;
    if (!sample_is_float(op->in))
        task->fill = integer_word(value);
}

static void make_stage_set_range(const struct op *op, struct gpu_task *task)
{
    if (stage_real_size(op) == 8) {
        int bias = 0;
        put_double(op->low, &task->low, &task->down_shift);
        put_double(op->high, &task->high, &task->shift);
        put_double(op->bias, &bias, &task->add_high);
        task->add_low = (unsigned)bias;
        return;
    }
    task->low_float = (float)op->low;
    task->high_float = (float)op->high;
    task->bias = (float)op->bias;
    if (!sample_is_float(op->out)) {
        task->low = integer_word(op->low);
        task->high = integer_word(op->high);
    }
}

static void set_task(const struct op *op, struct gpu_task *task)
{
    *task = (struct gpu_task){0};
    stage_fill(op, op->border.value, task);
    make_stage_set_range(op, task);
    if (!stage_is_integer(op) || op->rule == STAGE_MIX)
        return;
    if (op->rule == STAGE_MEAN) {
        set_mean(op, task);
        return;
    }
    bool passes = op->rule == STAGE_TWO_PASS;
    const struct op_taps *last = passes ? &op->terms->across : &op->masks[0];
    task->down_shift = passes ? op->terms->down.shift : 0;
    task->down_add = passes ? (int)op->terms->down.add : 0;
    task->shift = last->shift;
    add_sum(task, last->add);
}

/* The production path adds as the contract does, and is compiled for the mask. */
static swathe_status check_best(const struct gpu_stage *stage)
{
    if (!stage->runtime && stage->op->arithmetic == ARITHMETIC_contract)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED,
                "strategy best has no form for %s; use another strategy, such as naive",
                stage->runtime ? "sizes that are known at run time" : "the arithmetic of a report");
}

static swathe_status make_stage_check_layout(const struct gpu_stage *stage)
{
    const struct gpu_strategy *strategy = stage->strategy;
    if (strategy->planar < 0 || stage->op->channels == 1 ||
        (strategy->planar == 1) == stage->planar)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED, "strategy %s requires %s images", strategy->name,
                strategy->planar ? "planar" : "interleaved");
}

swathe_status gpu_stage_make(struct arena *arena, const struct op *op,
                             const struct gpu_choice *choice, const struct gpu_limits *limits,
                             struct gpu_stage *stage)
{
    struct gpu_stage made = {
        .op = op, .planar = choice->planar, .runtime = choice->runtime, .has_tables = true};
    made.strategy = choice->strategy ? choice->strategy : gpu_strategy_at(0);
    TRY(make_stage_check_layout(&made));
    if (made.strategy->shape == GPU_SHAPE_BEST)
        TRY(check_best(&made));
    set_task(op, &made.task);
    TRY(stage_describe(arena, &made));
    if (made.strategy->shape == GPU_SHAPE_BEST)
        TRY(stage_best(arena, limits, &made));
    else
        TRY(stage_strategy(arena, choice->block, limits, &made));
    if (!made.runtime) {
        TRY(stage_option(arena, &made, "GROUP_X", made.group[0]));
        TRY(stage_option(arena, &made, "GROUP_Y", made.group[1]));
    }
    *stage = made;
    return SWATHE_OK;
}

void gpu_stage_grid(const struct gpu_stage *stage, int32_t width, int32_t rows, int32_t grid[3])
{
    int64_t across = (int64_t)width * (stage->tile_is_samples ? stage->op->out_channels : 1);
    int64_t x = ceil_div(stage->is_line ? across * rows : across, stage->tile[0]);
    int64_t y = stage->is_line ? 1 : ceil_div(rows, stage->tile[1]);
    grid[0] = (int32_t)(stage->is_down ? y : x);
    grid[1] = (int32_t)(stage->is_down ? x : y);
    grid[2] = (int32_t)ceil_div(stage->op->out_channels, stage->tile[2]);
}
