/* box on integers: column sums that are updated row by row, running sums of those, one division.
 * All are integers of 16 or 32 bits, or doubles if the sums of a mask could exceed 2^31. */
#include "algorithm/byte_passes.h"

#include "base/checked.h"
#include "base/layout.h"
#include "cpu/reciprocal.h"

#include <string.h>

enum { SMALL = 15, SMALL_SCALAR = 5, GROUP = 16, ZEROS = MEMORY_ALIGN };
enum { PHASES_MOST = 64 }; /* rows of sums that are kept, at most */
_Static_assert(ZEROS >= KERNEL_APART_MOST * sizeof(int32_t), "zeros right before the column sums");

struct mean {
    /* For small masks: all sums fit 16 bits, and adding up a row of the mask is faster than a
     * running sum. NULL: the mask is not small. */
    struct byte_passes *small;
    kernel *slide, *finish;
    int32_t phases; /* rows that do not share column sums: the dilation of a mask of several rows */
    bool keeps;     /* sums from row to row; otherwise each row adds up its columns */
    bool integers;  /* column sums are integers; otherwise doubles */
    int32_t sample_size; /* of a column sum */
    struct reciprocal by;
};

static bool mean_applies(const struct algorithm_case *at)
{
    return at->op->rule == STAGE_MEAN;
}

/* Cost of a sample, independent of the size of the mask. */
static double mean_work(const struct algorithm_case *at)
{
    return at->op->in == SWATHE_U8 ? 6.0 : 16.0;
}

/* The smallest sample, and the integer part of the bias: floor((S + add) / n) =
 * floor((S - lowest·n + add modulo n) / n) + lowest + floor(add / n). */
static int32_t mean_lowest(const struct op *op)
{
    return op->in == SWATHE_S16 ? INT16_MIN : 0;
}

static int64_t whole_bias(const struct op *op)
{
    int64_t whole = op->mean_add / op->mean_count;
    return whole - (whole * op->mean_count > op->mean_add);
}

/* True if all sums are below 2^31, so that 32 bits hold them and their quotients are exact. */
static bool is_integers(const struct op *op)
{
    int64_t range = op->in == SWATHE_U8 ? UINT8_MAX : UINT16_MAX;
    return !sample_is_32(op->in) && !sample_is_32(op->out) && op->mean_count > 1 &&
           (range + 2) * op->mean_count <= INT32_MAX &&
           (int64_t)op->channels * op->dilate_x <= KERNEL_APART_MOST;
}

/* True if column sums are below 2^15. */
static bool mean_is_narrow(const struct op *op)
{
    return is_integers(op) && op->in == SWATHE_U8 && op->out == SWATHE_U8 && op->mean_add == 0 &&
           op->masks[0].height * UINT8_MAX <= INT16_MAX;
}

static bool is_small(const struct op *op, int isa)
{
    int32_t most = isa > 0 ? SMALL : SMALL_SCALAR;
    uint32_t n = (uint32_t)min64(op->mean_count, UINT16_MAX);
    return op->masks[0].width <= most && op->masks[0].height <= most && op->mean_add == 0 &&
           byte_passes_suit(op, op->masks[0].height, op->masks[0].width) &&
           reciprocal_short(n, n / 2).multiplier > 0;
}

static swathe_status make_small(struct arena *arena, const struct op *op, int isa,
                                struct plan_stage *stage)
{
    struct mean *mean = stage->prepared;
    const struct op_taps *mask = &op->masks[0];
    uint32_t n = (uint32_t)op->mean_count;
    TRY(arena_new(arena, 1, sizeof *mean->small, "a plan", &mean->small));
    byte_passes_make(op, KERNEL_short_passes_u8_u8, op->above - mask->anchor_y, mask->height,
                     op->left - mask->anchor_x * op->dilate_x, mask->width, isa, stage,
                     mean->small);
    mean->small->args.add = n / 2;
    mean->small->args.mean.reciprocal = reciprocal_short(n, n / 2);
    return SWATHE_OK;
}

static swathe_status mean_make(struct arena *arena, const struct op *op, int isa, bool exact,
                               struct plan_stage *stage)
{
    struct mean *mean;
    const char *out = sample_entry(op->out)->name;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *mean, "a plan", &mean));
    mean->integers = is_integers(op);
    mean->sample_size = mean_is_narrow(op) ? 2 : mean->integers ? 4 : 8;
    const char *columns = mean_is_narrow(op) ? "s16" : mean->integers ? "s32" : "f64";
    mean->slide = algorithm_find(KERNEL_SLIDE, sample_entry(op->in)->name, columns, isa, stage);
    mean->finish =
        algorithm_find(mean->integers ? KERNEL_RUNNING : KERNEL_MEAN, columns, out, isa, stage);
    if (mean->integers)
        mean->by = reciprocal_of((uint32_t)op->mean_count);
    mean->keeps = op->dilate_y <= PHASES_MOST;
    mean->phases = mean->keeps && op->masks[0].height > 1 ? op->dilate_y : 1;
    stage->prepared = mean;
    stage->chunk = algorithm_chunk(op);
    stage->group = GROUP;
    return is_small(op, isa) ? make_small(arena, op, isa, stage) : SWATHE_OK;
}

static int64_t column_count(const struct op *op, int64_t count, int32_t step)
{
    return count + ((int64_t)op->left + op->right) * step;
}

struct mean_scratch {
    uint8_t *zeros; /* a row */
    double *sums;   /* running sums */
    int64_t bytes;
};

static struct mean_scratch mean_lay_out(const struct plan_stage *stage, int64_t count, int32_t step,
                                        uint8_t *memory)
{
    const struct mean *mean = stage->prepared;
    struct layout layout = {memory, 0};
    struct mean_scratch scratch;
    scratch.zeros =
        layout_part(&layout, column_count(stage->op, count, step), sample_size(stage->row_type));
    scratch.sums = layout_part(&layout, mean->integers ? 0 : count, sizeof *scratch.sums);
    scratch.bytes = layout.bytes;
    return scratch;
}

/* Bytes of the column sums of one phase, preceded by zeros. */
static int64_t phase_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct mean *mean = stage->prepared;
    return ZEROS + round_up(size_mul(column_count(stage->op, count, step), mean->sample_size),
                            MEMORY_ALIGN);
}

static int64_t mean_kept_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct mean *mean = stage->prepared;
    return mean->small ? 0 : size_mul(mean->phases, phase_bytes(stage, count, step));
}

static int64_t mean_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct mean *mean = stage->prepared;
    if (mean->small)
        return byte_passes_scratch_bytes(mean->small);
    return mean_lay_out(stage, count, step, NULL).bytes;
}

/* sums[i] = Σ columns[i + t·apart] for t < taps. The first `apart` sums are added up; each later
 * one is updated from the one `apart` before it. All are integers below 2^53. */
static void run_doubles(const double *columns, int64_t taps, int64_t apart, int64_t count,
                        double *sums)
{
    for (int64_t i = 0; i < count && i < apart; i++) {
        sums[i] = 0.0;
        for (int64_t t = 0; t < taps; t++)
            sums[i] += columns[i + t * apart];
    }
    for (int64_t i = apart; i < count; i++)
        sums[i] = sums[i - apart] + (columns[i + (taps - 1) * apart] - columns[i - apart]);
}

/* The column sums of row r of the task. Between rows, that is all rows under the mask but its last:
 * the row that leaves was in the task before, the one that enters is in the next. */
static uint8_t *columns_of(const struct row_task *task, int32_t r)
{
    const struct mean *mean = task->stage->prepared;
    return (uint8_t *)task->kept + ZEROS +
           (task->y + r) % mean->phases * phase_bytes(task->stage, task->count, task->step);
}

static void mean_slide(const struct row_task *task, const uint8_t *entering, const uint8_t *leaving,
                       void *columns)
{
    const struct mean *mean = task->stage->prepared;
    const void *source[] = {entering, leaving};
    struct kernel_args args = {.source = source,
                               .result = columns,
                               .count = column_count(task->stage->op, task->count, task->step)};
    mean->slide(&args);
}

/* Adds up all rows under the mask but its last, for row r of the task; `rows` are those under its
 * first row. */
static void add_up(const struct row_task *task, const struct mean_scratch *scratch,
                   const uint8_t *const *rows, int32_t r)
{
    const struct op *op = task->stage->op;
    uint8_t *columns = columns_of(task, r);
    memset(columns - ZEROS, 0, (size_t)phase_bytes(task->stage, task->count, task->step));
    for (int32_t t = 0; t + 1 < op->masks[0].height; t++)
        mean_slide(task, rows[r + t * op->dilate_y], scratch->zeros, columns);
}

static void finish_integers(const struct row_task *task, int32_t r)
{
    const struct op *op = task->stage->op;
    const struct mean *mean = task->stage->prepared;
    const void *source = columns_of(task, r);
    int64_t n = op->mean_count;
    struct kernel_args args = {.source = &source,
                               .tap_count = op->masks[0].width,
                               .apart = (int64_t)task->step * op->dilate_x,
                               .result = task->results[r],
                               .count = task->count,
                               .mean.divisor = (double)op->mean_count,
                               .mean.reciprocal = mean->by,
                               .add =
                                   n / 2 + op->mean_add - whole_bias(op) * n - mean_lowest(op) * n,
                               .mean.add_low = (int32_t)(mean_lowest(op) + whole_bias(op)),
                               .low = op->low,
                               .high = op->high,
                               .ahead = task->ahead ? (const void *const *)task->ahead + r : NULL};
    mean->finish(&args);
}

static void finish_doubles(const struct row_task *task, const struct mean_scratch *scratch,
                           int32_t r)
{
    static const double one = 1.0;
    const struct op *op = task->stage->op;
    const struct mean *mean = task->stage->prepared;
    const void *source = scratch->sums;
    run_doubles((const double *)(const void *)columns_of(task, r), op->masks[0].width,
                (int64_t)task->step * op->dilate_x, task->count, scratch->sums);
    /* floor((2(S + add) + n) / 2n) = floor((S + add + n/2) / n) */
    struct kernel_args args = {.source = &source,
                               .taps = &one,
                               .tap_count = 1,
                               .result = task->results[r],
                               .count = task->count,
                               .add_wide = (double)op->mean_add + 0.5 * (double)op->mean_count,
                               .mean.divisor = (double)op->mean_count,
                               .low = op->low,
                               .high = op->high};
    mean->finish(&args);
}

/* Prefetches a row that will be needed after the next one. */
static void prefetch_row(const struct row_task *task, const uint8_t *row)
{
    int64_t bytes =
        column_count(task->stage->op, task->count, task->step) * sample_size(task->stage->row_type);
    for (int64_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(row + i);
}

/* Computes row r of the task. */
static void mean_run_row(const struct row_task *task, const struct mean_scratch *scratch, int32_t r)
{
    const struct op *op = task->stage->op;
    const struct mean *mean = task->stage->prepared;
    int32_t above = r - mean->phases; /* the row with the same column sums before */
    int32_t last = (op->masks[0].height - 1) * op->dilate_y;
    const uint8_t *const *rows = task->rows + op->above - op->masks[0].anchor_y * op->dilate_y;
    if (!mean->keeps || task->y + above < task->first)
        add_up(task, scratch, rows, r);
    mean_slide(task, rows[r + last], mean->keeps && above >= 0 ? rows[above] : scratch->zeros,
               columns_of(task, r));
    if (r + 1 < task->height)
        prefetch_row(task, rows[r + last + 1]);
    if (mean->integers)
        finish_integers(task, r);
    else
        finish_doubles(task, scratch, r);
    if (mean->keeps &&
        r + mean->phases >= task->height) /* the next task has no pointer to the row that leaves */
        mean_slide(task, scratch->zeros, rows[r], columns_of(task, r));
}

static void mean_run(const struct row_task *task)
{
    const struct mean *mean = task->stage->prepared;
    if (mean->small) {
        byte_passes_run(mean->small, task);
        return;
    }
    struct mean_scratch scratch = mean_lay_out(task->stage, task->count, task->step, task->scratch);
    memset(scratch.zeros, 0,
           (size_t)(column_count(task->stage->op, task->count, task->step) *
                    sample_size(task->stage->row_type)));
    for (int32_t r = 0; r < task->height; r++)
        mean_run_row(task, &scratch, r);
}

const struct algorithm_calls algorithm_mean = {.applies = mean_applies,
                                               .work = mean_work,
                                               .make = mean_make,
                                               .scratch_bytes = mean_scratch_bytes,
                                               .kept_bytes = mean_kept_bytes,
                                               .run = mean_run};
