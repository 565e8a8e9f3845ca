/* Large masks: rows are transformed in sections (overlap-save), their spectra are multiplied and
 * summed down the columns, and the result is transformed back. A row of the mask then costs one
 * product per sample instead of one per tap. Columns are not transformed, because their halos would
 * cost most.
 * Two neighbouring sections of a row are the real and the imaginary part of one transform, so their
 * rounding errors depend on each other. Such pairs are the units of this algorithm's grid. Rows are
 * independent of each other. */
#include "algorithm/fourier_plan.h"

#include "base/checked.h"
#include "base/layout.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* With a larger margin most results would be computed again. */
#define MARGIN_MOST 0.125

static swathe_status fourier_analyse(struct arena *arena, const struct op *op, double accuracy,
                                     const void **found)
{
    struct fourier_analysis *analysis;
    (void)accuracy;
    *found = NULL;
    if (op->rule != STAGE_DENSE)
        return SWATHE_OK;
    TRY(arena_new(arena, 1, sizeof *analysis, "a plan", &analysis));
    analysis->sums = fourier_sums(op);
    analysis->shape = fourier_choose(op, &analysis->sums);
    if (fourier_repairs(op) && analysis->shape.cost < INFINITY)
        analysis->margin = fourier_margin(op, &analysis->sums, analysis->shape.points);
    *found = analysis;
    return SWATHE_OK;
}

static bool fourier_applies(const struct algorithm_case *at)
{
    const struct fourier_analysis *analysis = at->analysis;
    return analysis && analysis->shape.cost < INFINITY && analysis->margin <= MARGIN_MOST;
}

static double fourier_work(const struct algorithm_case *at)
{
    const struct fourier_analysis *analysis = at->analysis;
    return analysis->shape.cost;
}

static void fourier_set_ends(const struct op *op, const struct op_taps *taps,
                             struct fourier_mask *mask)
{
    double sum = 0.0;
    mask->add = (double)op->bias;
    if (!op->integer)
        return;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        sum += taps->w[i];
    mask->add =
        (double)mask->taps.add + ldexp(sum, -algorithm_common_bits(taps)) * fourier_centre(op->in);
}

static swathe_status make_masks(struct arena *arena, const struct op *op, int isa,
                                enum kernel_sum again, struct fourier *fourier)
{
    enum kernel_sum sum = op->integer ? KERNEL_LONG : KERNEL_FAST;
    TRY(arena_new(arena, op->mask_count, sizeof *fourier->masks, "masks", &fourier->masks));
    for (int32_t m = 0; m < op->mask_count; m++) {
        struct fourier_mask *mask = &fourier->masks[m];
        TRY(algorithm_pack(arena, op, &op->masks[m], sum, &mask->taps));
        TRY(algorithm_pack(arena, op, &op->masks[m], again, &mask->again));
        TRY(fourier_spectra(arena, op, fourier, isa, mask));
        fourier_set_ends(op, &op->masks[m], mask);
    }
    return SWATHE_OK;
}

static swathe_status fourier_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                  struct plan_stage *stage)
{
    struct fourier *fourier;
    const struct fourier_analysis *analysis = stage->analysis;
    enum kernel_sum again = algorithm_sum(op, exact);
    int used;
    TRY(arena_new(arena, 1, sizeof *fourier, "a plan", &fourier));
    fourier->kernels = fourier_find(isa, fourier_wide(op), &used);
    fourier->shape = analysis->shape;
    fourier_factor(fourier->shape.points, &fourier->size);
    TRY(fourier_twiddles(arena, &fourier->size, fourier_wide(op)));
    TRY(make_masks(arena, op, isa, again, fourier));
    stage->isa = used < stage->isa ? used : stage->isa;
    stage->group = fourier->shape.group;
    stage->grid_x = 2 * fourier->shape.columns;
    stage->prepared = fourier;
    fourier->direct = algorithm_find(again, sample_entry(stage->row_type)->name,
                                     sample_entry(algorithm_result(op))->name, isa, stage);
    fourier->margin = analysis->margin;
    if (op->integer)
        fourier->centre = fourier_centre(op->in);
    else /* intermediate magnitudes stay below 2·points·max(1, Σ|k|)·|sample| */
        fourier->too_large = fmin(4.0 * fourier->size.points * fmax(1.0, op->gain),
                                  op->real == SWATHE_F64 ? DBL_MAX : (double)FLT_MAX);
    return SWATHE_OK;
}

/* ---- One task ------------------------------------------------------------------------------- */

/* The parts of its scratch. */
struct fourier_scratch {
    uint8_t *work, *bins;
    uint8_t *invalid; /* per row, a real: NaN if a sample is not finite or too large */
    uint8_t *reals;   /* results before conversion to another type, `lanes` rows */
    struct fourier_again again;
    int64_t work_bytes, bins_bytes, rows;
};

static int64_t rows_held(const struct plan_stage *stage)
{
    const struct fourier *fourier = stage->prepared;
    int64_t lanes = fourier->kernels->lanes;
    return round_up(round_up(stage->group, lanes) + stage->op->above + stage->op->below, lanes);
}

/* Divides the scratch; returns the bytes of all parts. */
static int64_t fourier_lay_out(const struct plan_stage *stage, int32_t step, uint8_t *memory,
                               struct fourier_scratch *scratch)
{
    const struct fourier *fourier = stage->prepared;
    int64_t real = fourier->kernels->real_size, point = 2 * real * fourier->size.points;
    struct layout layout = {memory, 0};
    bool floats = !stage->op->integer;
    scratch->rows = rows_held(stage);
    scratch->work_bytes = point * fourier->kernels->lanes;
    scratch->bins_bytes = point * scratch->rows;
    scratch->work = layout_part(&layout, step, scratch->work_bytes);
    scratch->bins = layout_part(&layout, step, scratch->bins_bytes);
    scratch->invalid = layout_part(&layout, floats ? scratch->rows : 0, real);
    int64_t row = 2 * fourier->shape.columns * step * real;
    scratch->reals = layout_part(&layout, stage->to_result ? row : 0, fourier->kernels->lanes);
    bool again = floats || fourier->margin > 0.0;
    scratch->again.source =
        layout_part(&layout, again ? stage->op->tap_count + 1 : 0, sizeof(void *));
    scratch->again.reals = scratch->reals;
    return layout.bytes;
}

static int64_t fourier_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    struct fourier_scratch scratch;
    (void)count;
    return fourier_lay_out(stage, step, NULL, &scratch);
}

/* Two sections, one unit of the grid: columns x … of the task. */
struct section_pair {
    const struct row_task *task;
    const struct fourier *fourier;
    const struct fourier_mask *mask;
    struct fourier_scratch *scratch;
    int64_t x, columns;
};

static enum fourier_sample sample_of(swathe_type type)
{
    return type == SWATHE_U8    ? FOURIER_U8
           : type == SWATHE_U16 ? FOURIER_U16
           : type == SWATHE_S16 ? FOURIER_S16
           : type == SWATHE_F32 ? FOURIER_F32
                                : FOURIER_F64;
}

static struct fourier_sections sections_of(const struct section_pair *pair, int64_t columns,
                                           int64_t most)
{
    int64_t distance = pair->fourier->shape.columns;
    return (struct fourier_sections){
        .work = pair->scratch->work,
        .points = pair->fourier->size.points,
        .step = pair->task->step,
        .distance = distance,
        .count = {min64(columns, most), max64(min64(columns - distance, most), 0)}};
}

/* Computes the spectra of all input rows, `lanes` of them at a time. Lanes after the last row
 * repeat it, and their results are not used. */
static void transform_rows(const struct section_pair *pair, int64_t rows)
{
    const struct row_task *task = pair->task;
    const struct fourier *fourier = pair->fourier;
    const struct op *op = task->stage->op;
    int64_t lanes = fourier->kernels->lanes,
            last = (int64_t)task->height + op->above + op->below - 1;
    int64_t pixel = (int64_t)task->step * sample_size(task->stage->row_type);
    int64_t reach = pair->columns + op->left + op->right;
    const void *pointers[FOURIER_LANES_MAX];
    struct fourier_input in = {.sections = sections_of(pair, reach, fourier->size.points),
                               .rows = pointers,
                               .centre = fourier->centre,
                               .too_large = fourier->too_large};
    for (int64_t y = 0; y < rows && !cancel_wanted(); y += lanes) {
        for (int64_t r = 0; r < lanes; r++)
            pointers[r] = task->rows[min64(y + r, last)] + pair->x * pixel;
        in.invalid = op->integer ? NULL : pair->scratch->invalid + y * fourier->kernels->real_size;
        fourier->kernels->gather[sample_of(task->stage->row_type)](&in);
        for (int32_t c = 0; c < task->step; c++)
            fourier->kernels->forward(&fourier->size,
                                      pair->scratch->work + c * pair->scratch->work_bytes,
                                      pair->scratch->bins + c * pair->scratch->bins_bytes +
                                          y * 2 * lanes * fourier->kernels->real_size,
                                      pair->scratch->rows);
    }
}

/* Multiplies all points, some of them at a time. Their bins and spectra are consecutive. */
static void multiply_pieces(const struct fourier *fourier, struct fourier_product *product)
{
    const struct fourier_kernels *kernels = fourier->kernels;
    enum { LEAST = FOURIER_LANES_MAX, MOST = 1 << 22 };
    int64_t all = fourier->size.points, work = product->tap_count * product->count;
    int64_t piece = max64(MOST / (work + 1) / LEAST * LEAST, LEAST);
    int64_t bins = 2 * product->rows * kernels->real_size;
    int64_t taps = 2 * (int64_t)product->tap_count * kernels->real_size;
    for (int64_t at = 0; at < all && !cancel_wanted(); at += product->points) {
        product->points = (int32_t)min64(piece, all - at);
        kernels->multiply(product);
        product->bins = (uint8_t *)product->bins + product->points * bins;
        product->taps = (const uint8_t *)product->taps + product->points * taps;
    }
}

static void fourier_multiply(const struct section_pair *pair, int64_t rows)
{
    for (int32_t c = 0; c < pair->task->step; c++) {
        struct fourier_product product = {.bins =
                                              pair->scratch->bins + c * pair->scratch->bins_bytes,
                                          .rows = pair->scratch->rows,
                                          .count = rows,
                                          .taps = pair->mask->spectra,
                                          .row = pair->mask->row,
                                          .tap_count = pair->mask->rows};
        multiply_pieces(pair->fourier, &product);
    }
}

/* Where the sections' results start in row y of the task; NULL: the row is not needed. */
static uint8_t *result_at(const struct section_pair *pair, int64_t y)
{
    const struct row_task *task = pair->task;
    uint8_t *row = y < task->height ? task->results[y] : NULL;
    return row ? row + pair->x * task->step * sample_size(task->stage->op->out) : NULL;
}

static void fourier_convert_row(const struct section_pair *pair, int64_t y, const void *from)
{
    struct row_task part = *pair->task;
    part.count = pair->columns * part.step;
    if (result_at(pair, y))
        algorithm_store(&part, from, result_at(pair, y));
}

/* Stores the results of `lanes` rows from y on. */
static void store_rows(const struct section_pair *pair, int64_t y)
{
    const struct fourier *fourier = pair->fourier;
    const struct plan_stage *stage = pair->task->stage;
    int64_t lanes = fourier->kernels->lanes;
    void *pointers[FOURIER_LANES_MAX];
    bool converts = stage->to_result != NULL;
    struct fourier_output out = {
        .sections = sections_of(pair, pair->columns, fourier->shape.columns),
        .rows = pointers,
        .add = pair->mask->add,
        .scale = ldexp(1.0, -pair->mask->taps.shift),
        .low = converts ? -INFINITY : stage->op->low, /* the conversion clamps */
        .high = converts ? INFINITY : stage->op->high};
    int64_t row = pair->columns * pair->task->step * fourier->kernels->real_size;
    for (int64_t r = 0; r < lanes; r++)
        pointers[r] = converts ? pair->scratch->reals + r * row : result_at(pair, y + r);
    fourier->kernels->scatter[sample_of(algorithm_result(stage->op))](&out);
    for (int64_t r = 0; converts && r < lanes; r++)
        fourier_convert_row(pair, y + r, pointers[r]);
    if (fourier->margin > 0.0)
        fourier_recompute(pair->task, &pair->scratch->again, &out, pair->x, y);
}

static void transform_back(const struct section_pair *pair, int64_t rows)
{
    const struct fourier_kernels *kernels = pair->fourier->kernels;
    for (int64_t y = 0; y < rows && !cancel_wanted(); y += kernels->lanes) {
        for (int32_t c = 0; c < pair->task->step; c++)
            kernels->inverse(&pair->fourier->size,
                             pair->scratch->bins + c * pair->scratch->bins_bytes +
                                 y * 2 * kernels->lanes * kernels->real_size,
                             pair->scratch->rows,
                             pair->scratch->work + c * pair->scratch->work_bytes);
        store_rows(pair, y);
    }
}

static bool is_invalid(const struct section_pair *pair, int64_t y)
{
    const void *rows = pair->scratch->invalid;
    bool wide = pair->task->stage->op->real == SWATHE_F64, invalid = false;
    for (int32_t t = 0; t < pair->mask->rows; t++) {
        int64_t row = pair->mask->row[t] + y;
        invalid |= wide ? isnan(((const double *)rows)[row]) : isnan(((const float *)rows)[row]);
    }
    return invalid;
}

static void run_pair(const struct section_pair *pair)
{
    const struct op *op = pair->task->stage->op;
    int64_t lanes = pair->fourier->kernels->lanes;
    int64_t made = round_up(pair->task->height, lanes);
    transform_rows(pair, round_up(made + op->above + op->below, lanes));
    fourier_multiply(pair, made);
    transform_back(pair, made);
    if (cancel_wanted())
        return;
    for (int64_t y = 0; !op->integer && y < pair->task->height; y++)
        if (pair->task->results[y] && is_invalid(pair, y))
            fourier_direct(pair->task, &pair->scratch->again, pair->x * pair->task->step,
                           (pair->x + pair->columns) * pair->task->step, y);
}

static void fourier_run(const struct row_task *task)
{
    const struct fourier *fourier = task->stage->prepared;
    int64_t columns = task->count / task->step, width = 2 * fourier->shape.columns;
    struct fourier_scratch scratch;
    fourier_lay_out(task->stage, task->step, task->scratch, &scratch);
    for (int64_t x = 0; x < columns; x += width) {
        struct section_pair pair = {.task = task,
                                    .fourier = fourier,
                                    .mask = &fourier->masks[task->mask],
                                    .scratch = &scratch,
                                    .x = x,
                                    .columns = min64(width, columns - x)};
        run_pair(&pair);
    }
}

const struct algorithm_calls algorithm_fourier = {.analyse = fourier_analyse,
                                                  .applies = fourier_applies,
                                                  .work = fourier_work,
                                                  .least_taps =
                                                      64, /* because units of the grid are large */
                                                  .make = fourier_make,
                                                  .scratch_bytes = fourier_scratch_bytes,
                                                  .run = fourier_run,
                                                  .relative_error = fourier_relative_error,
                                                  .error_bound = fourier_error_bound,
                                                  .reorders = true,
                                                  .repairs = fourier_repairs};
