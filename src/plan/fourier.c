/* Large masks: rows are transformed in blocks (overlap and save), the mask's columns are direct
 * sums of spectra, and the result is transformed back. A row of the mask then costs a product per
 * sample instead of one for each of its taps, and nothing is transformed down the columns, where
 * halos would cost most.
 *
 * Two neighbouring blocks of a row are the real and the imaginary part of one transform. Their
 * roundings depend on each other: such pairs are the grid of this algorithm. Rows do not depend on
 * each other. */
#include "plan/fourier_plan.h"

#include "base/checked.h"
#include "filter/quantise.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Of the results, at most; those in doubt are computed again one by one. */
#define DOUBT_MOST 0x1p-10

/* How near a whole number a result must not be; none, where the sum itself is certain: whole
 * numbers that differ by less than a half are equal. */
static double doubt_of(const struct op *op, const struct op_taps *taps)
{
    double error = fourier_integer_error(op, taps);
    int32_t shift = taps->shift - algorithm_common_bits(taps);
    return error < 0.5 ? 0.0 : ldexp(error + 1.0, -shift); /* and what adding the ends may lose */
}

static double worst_doubt(const struct op *op)
{
    double worst = 0.0;
    for (int32_t i = 0; i < op->mask_count; i++)
        worst = fmax(worst, doubt_of(op, &op->masks[i]));
    return worst;
}

/* Sums of u8 stay below 2^31 by the contract; those of 16 bits must stay whole as doubles. */
static bool sums_fit(const struct op *op)
{
    for (int32_t m = 0; m < op->mask_count; m++) {
        const struct op_taps *taps = &op->masks[m];
        double sum = fabs((double)taps->add);
        for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
            sum += fabs((double)taps->w[i]) * (double)quantise_sample_max(op->in);
        if (sum >= 0x1p50)
            return false;
    }
    return true;
}

static bool applies(const struct op *op, int isa)
{
    (void)isa;
    if (op->rule != STAGE_DENSE || !fourier_fits(op))
        return false;
    return !op->integer || (sums_fit(op) && worst_doubt(op) <= DOUBT_MOST);
}

static double work(const struct op *op)
{
    return fourier_choose(op).cost;
}

static void set_ends(const struct op *op, const struct op_taps *taps, struct fourier_mask *mask)
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
                                struct fourier *fourier)
{
    enum kernel_sum sum = op->integer ? KERNEL_LONG : KERNEL_FAST;
    TRY(arena_new(arena, op->mask_count, sizeof *fourier->masks, "masks", &fourier->masks));
    for (int32_t m = 0; m < op->mask_count; m++) {
        struct fourier_mask *mask = &fourier->masks[m];
        TRY(algorithm_pack(arena, op, &op->masks[m], sum, &mask->taps));
        TRY(fourier_spectra(arena, fourier, isa, mask));
        set_ends(op, &op->masks[m], mask);
    }
    return SWATHE_OK;
}

static swathe_status make(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage)
{
    struct fourier *fourier;
    int used;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *fourier, "a plan", &fourier));
    fourier->kernels = fourier_find(isa, fourier_wide(op), &used);
    fourier->shape = fourier_choose(op);
    fourier_factor(fourier->shape.points, &fourier->size);
    TRY(fourier_turns(arena, &fourier->size, fourier_wide(op)));
    TRY(make_masks(arena, op, isa, fourier));
    stage->isa = used < stage->isa ? used : stage->isa;
    stage->group = fourier->shape.group;
    stage->grid_x = 2 * fourier->shape.columns;
    stage->prepared = fourier;
    if (op->integer) {
        fourier->centre = fourier_centre(op->in);
        fourier->doubt = worst_doubt(op);
        return SWATHE_OK;
    }
    /* |values| on the way stay below 2·points·max(1, Σ|k|)·|sample|. */
    fourier->too_large = fmin(4.0 * fourier->size.points * fmax(1.0, op->gain), (double)FLT_MAX);
    fourier->direct = algorithm_find(KERNEL_FAST, "f32", "f32", isa, stage);
    return SWATHE_OK;
}

/* ---- One job ------------------------------------------------------------------------------- */

/* Scratch, cut up. */
struct desk {
    uint8_t *work, *bins;
    float *spoilt;       /* per row: NaN where a sample is not finite or too large */
    float *floats;       /* results before they become integers, `lanes` rows */
    const void **source; /* a pointer per tap */
    int64_t work_bytes, bins_bytes, rows;
};

static int64_t rows_held(const struct plan_stage *stage)
{
    const struct fourier *fourier = stage->prepared;
    int64_t lanes = fourier->kernels->lanes;
    return round_up(round_up(stage->group, lanes) + stage->op->above + stage->op->below, lanes);
}

/* With no memory it only measures. */
static void *cut(uint8_t *memory, int64_t *used, int64_t bytes)
{
    void *piece = memory ? memory + *used : NULL;
    *used = size_add(*used, round_up(bytes, MEMORY_ALIGN));
    return piece;
}

/* Gives the bytes in use. */
static int64_t lay_out(const struct plan_stage *stage, int32_t step, uint8_t *memory,
                       struct desk *desk)
{
    const struct fourier *fourier = stage->prepared;
    int64_t point = 2 * (int64_t)fourier->kernels->real_size * fourier->size.points;
    int64_t used = 0;
    bool floats = !stage->op->integer;
    desk->rows = rows_held(stage);
    desk->work_bytes = point * fourier->kernels->lanes;
    desk->bins_bytes = point * desk->rows;
    desk->work = cut(memory, &used, desk->work_bytes * step);
    desk->bins = cut(memory, &used, desk->bins_bytes * step);
    desk->spoilt = cut(memory, &used, floats ? desk->rows * (int64_t)sizeof(float) : 0);
    int64_t row = 2 * fourier->shape.columns * step * (int64_t)sizeof(float);
    desk->floats = cut(memory, &used, stage->to_result ? row * fourier->kernels->lanes : 0);
    int64_t taps = floats ? stage->op->tap_count + 1 : 0;
    desk->source = cut(memory, &used, taps * (int64_t)sizeof(void *));
    return used;
}

static int64_t scratch(const struct plan_stage *stage, int64_t count, int32_t step)
{
    struct desk desk;
    (void)count;
    return lay_out(stage, step, NULL, &desk);
}

/* One cell of the grid: columns x … of the job. */
struct cell {
    const struct row_job *job;
    const struct fourier *fourier;
    const struct fourier_mask *mask;
    struct desk *desk;
    int64_t x, columns;
};

static enum fourier_sample sample_of(swathe_type type)
{
    return type == SWATHE_U8    ? FOURIER_U8
           : type == SWATHE_U16 ? FOURIER_U16
           : type == SWATHE_S16 ? FOURIER_S16
                                : FOURIER_F32;
}

static struct fourier_block block_of(const struct cell *cell, int64_t columns, int64_t most)
{
    int64_t distance = cell->fourier->shape.columns;
    return (struct fourier_block){
        .work = cell->desk->work,
        .points = cell->fourier->size.points,
        .step = cell->job->step,
        .distance = distance,
        .count = {min64(columns, most), max64(min64(columns - distance, most), 0)}};
}

/* Spectra of all input rows, `lanes` of them at a time; those past the last repeat it, and what
 * comes of them is not used. */
static void transform_rows(const struct cell *cell, int64_t rows)
{
    const struct row_job *job = cell->job;
    const struct fourier *fourier = cell->fourier;
    const struct op *op = job->stage->op;
    int64_t lanes = fourier->kernels->lanes,
            last = (int64_t)job->height + op->above + op->below - 1;
    int64_t pixel = (int64_t)job->step * sample_size(job->stage->row_type);
    int64_t reach = cell->columns + op->left + op->right;
    const void *pointers[FOURIER_LANES_MAX];
    struct fourier_input in = {.block = block_of(cell, reach, fourier->size.points),
                               .rows = pointers,
                               .centre = fourier->centre,
                               .too_large = fourier->too_large};
    for (int64_t y = 0; y < rows; y += lanes) {
        for (int64_t r = 0; r < lanes; r++)
            pointers[r] = job->rows[min64(y + r, last)] + cell->x * pixel;
        in.spoilt = op->integer ? NULL : cell->desk->spoilt + y;
        fourier->kernels->gather[sample_of(job->stage->row_type)](&in);
        for (int32_t c = 0; c < job->step; c++)
            fourier->kernels->forward(&fourier->size, cell->desk->work + c * cell->desk->work_bytes,
                                      cell->desk->bins + c * cell->desk->bins_bytes +
                                          y * 2 * lanes * fourier->kernels->real_size,
                                      cell->desk->rows);
    }
}

static void multiply(const struct cell *cell, int64_t rows)
{
    for (int32_t c = 0; c < cell->job->step; c++) {
        struct fourier_product product = {.bins = cell->desk->bins + c * cell->desk->bins_bytes,
                                          .rows = cell->desk->rows,
                                          .count = rows,
                                          .taps = cell->mask->spectra,
                                          .row = cell->mask->row,
                                          .tap_count = cell->mask->rows,
                                          .points = cell->fourier->size.points};
        cell->fourier->kernels->multiply(&product);
    }
}

/* The same row in the result. */
static uint8_t *result_at(const struct cell *cell, int64_t y)
{
    const struct row_job *job = cell->job;
    uint8_t *row = y < job->height ? job->results[y] : NULL;
    return row ? row + cell->x * job->step * sample_size(job->stage->op->out) : NULL;
}

static void convert_row(const struct cell *cell, int64_t y, const float *from)
{
    struct row_job part = *cell->job;
    part.count = cell->columns * part.step;
    if (result_at(cell, y))
        algorithm_store(&part, from, result_at(cell, y));
}

/* Results of `lanes` rows from y on. */
static void store_rows(const struct cell *cell, int64_t y)
{
    const struct fourier *fourier = cell->fourier;
    const struct plan_stage *stage = cell->job->stage;
    int64_t lanes = fourier->kernels->lanes;
    void *pointers[FOURIER_LANES_MAX];
    bool converts = stage->to_result != NULL;
    struct fourier_output out = {.block = block_of(cell, cell->columns, fourier->shape.columns),
                                 .rows = pointers,
                                 .add = cell->mask->add,
                                 .scale = ldexp(1.0, -cell->mask->taps.shift),
                                 .low = converts ? -INFINITY
                                                 : stage->op->low, /* the conversion clamps */
                                 .high = converts ? INFINITY : stage->op->high};
    float *floats = cell->desk->floats;
    for (int64_t r = 0; r < lanes; r++)
        pointers[r] = converts ? (void *)(floats + r * cell->columns * cell->job->step)
                               : (void *)result_at(cell, y + r);
    fourier->kernels->scatter[sample_of(stage->op->integer ? stage->op->out : SWATHE_F32)](&out);
    for (int64_t r = 0; converts && r < lanes; r++)
        convert_row(cell, y + r, pointers[r]);
    if (fourier->doubt > 0.0)
        fourier_settle(cell->job, &out, cell->x, y);
}

static void transform_back(const struct cell *cell, int64_t rows)
{
    const struct fourier_kernels *kernels = cell->fourier->kernels;
    for (int64_t y = 0; y < rows; y += kernels->lanes) {
        for (int32_t c = 0; c < cell->job->step; c++)
            kernels->inverse(&cell->fourier->size,
                             cell->desk->bins + c * cell->desk->bins_bytes +
                                 y * 2 * kernels->lanes * kernels->real_size,
                             cell->desk->rows, cell->desk->work + c * cell->desk->work_bytes);
        store_rows(cell, y);
    }
}

/* A row from its definition, over what transforms made of samples that they cannot take. */
static void sum_directly(const struct cell *cell, int64_t y)
{
    const struct row_job *job = cell->job;
    const struct packed_taps *taps = &cell->mask->taps;
    bool converts = job->stage->to_result != NULL;
    int64_t pixel = (int64_t)job->step * (int64_t)sizeof(float);
    if (!result_at(cell, y))
        return;
    for (int64_t t = 0; t < taps->count; t++)
        cell->desk->source[t] = job->rows[taps->row[t] + y] + (cell->x + taps->column[t]) * pixel;
    struct kernel_args args = {.source = cell->desk->source,
                               .taps = taps->taps,
                               .tap_count = taps->count,
                               .result = converts ? (void *)cell->desk->floats
                                                  : (void *)result_at(cell, y),
                               .count = cell->columns * job->step};
    algorithm_finish(job->stage->op, taps, &args);
    if (converts) {
        args.low = -INFINITY;
        args.high = INFINITY;
    }
    cell->fourier->direct(&args);
    if (converts)
        convert_row(cell, y, cell->desk->floats);
}

static bool is_spoilt(const struct cell *cell, int64_t y)
{
    bool spoilt = false;
    for (int32_t t = 0; t < cell->mask->rows; t++)
        spoilt |= isnan(cell->desk->spoilt[cell->mask->row[t] + y]);
    return spoilt;
}

static void run_cell(const struct cell *cell)
{
    const struct op *op = cell->job->stage->op;
    int64_t lanes = cell->fourier->kernels->lanes;
    int64_t made = round_up(cell->job->height, lanes);
    transform_rows(cell, round_up(made + op->above + op->below, lanes));
    multiply(cell, made);
    transform_back(cell, made);
    for (int64_t y = 0; !op->integer && y < cell->job->height; y++)
        if (is_spoilt(cell, y))
            sum_directly(cell, y);
}

static void run(const struct row_job *job)
{
    const struct fourier *fourier = job->stage->prepared;
    int64_t columns = job->count / job->step, width = 2 * fourier->shape.columns;
    struct desk desk;
    lay_out(job->stage, job->step, job->scratch, &desk);
    for (int64_t x = 0; x < columns; x += width) {
        struct cell cell = {.job = job,
                            .fourier = fourier,
                            .mask =
                                &fourier->masks[job->stage->op->mask_count > 1 ? job->channel : 0],
                            .desk = &desk,
                            .x = x,
                            .columns = min64(width, columns - x)};
        run_cell(&cell);
    }
}

const struct algorithm_calls algorithm_fourier = {.applies = applies,
                                                  .work = work,
                                                  .least_taps =
                                                      64, /* grids would dwarf small tiles */
                                                  .make = make,
                                                  .scratch = scratch,
                                                  .run = run,
                                                  .relative_error = fourier_relative_error,
                                                  .error_bound = fourier_float_error,
                                                  .reorders = true};
