/* Dense integer masks on matrix units: see cpu/tiles.h. */
#include "algorithm/toeplitz.h"

#include "base/checked.h"
#include "base/layout.h"

/* Most columns of a task, so that all of it stays in the cache. */
enum { COLUMNS = 1024 };

static bool toeplitz_applies(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    struct toeplitz_shape shape;
    return tiles_find(at->isa) && op->rule == STAGE_DENSE && op->integer &&
           !sample_is_float(op->out) && op->channels * sample_size(op->in) <= TILES_PLANES &&
           op->channels * sample_size(op->out) <= TILES_PLANES && toeplitz_measure(op, &shape);
}

static int64_t toeplitz_products(const struct toeplitz_shape *shape)
{
    return (int64_t)shape->halves * shape->pieces * ceil_div(shape->lines, TILES_LINES);
}

/* One product computes 256 results, 64 columns wide. */
static double toeplitz_work(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    struct toeplitz_shape shape;
    toeplitz_measure(op, &shape);
    double whole = (double)round_up(op->out_width, TILES_COLUMNS) / (double)op->out_width;
    return (double)toeplitz_products(&shape) * whole;
}

static swathe_status toeplitz_make_shuffles(struct arena *arena, const struct op *op,
                                            struct toeplitz *toeplitz)
{
    int32_t in = sample_size(op->in), out = sample_size(op->out);
    for (int32_t i = 0; i < 2; i++) {
        int32_t step = i == 0 ? 1 : op->channels;
        TRY(tiles_shuffle_split(arena, step, in, NULL, &toeplitz->split[i]));
        TRY(tiles_shuffle_join(arena, step, out, NULL, &toeplitz->join[i]));
        if (op->in == SWATHE_S16) /* flips the sign bit in the upper halves, so that samples are not
                                     negative */
            toeplitz->split[i].flipped = 0xaaaaaaaa;
    }
    return SWATHE_OK;
}

static swathe_status toeplitz_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                   struct plan_stage *stage)
{
    struct toeplitz *toeplitz;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *toeplitz, "a plan", &toeplitz));
    TRY(arena_new(arena, op->mask_count, sizeof *toeplitz->masks, "taps", &toeplitz->masks));
    toeplitz->tiles = tiles_find(isa);
    toeplitz_measure(op, &toeplitz->shape);
    for (int32_t m = 0; m < op->mask_count; m++)
        TRY(toeplitz_mask(arena, op, &op->masks[m], &toeplitz->shape, &toeplitz->masks[m]));
    TRY(toeplitz_make_shuffles(arena, op, toeplitz));
    stage->group = toeplitz->shape.group;
    stage->chunk = COLUMNS;
    stage->prepared = toeplitz;
    return SWATHE_OK;
}

/* ---- Running
 * -------------------------------------------------------------------------------------- */

/* The parts of a task's scratch. */
struct toeplitz_scratch {
    int32_t planes;      /* bytes of an input pixel; each has a plane */
    int64_t plane_bytes; /* bytes per row */
    uint8_t *pixels;     /* rows × planes */
    int64_t half_bytes;
    uint8_t *lines;       /* halves × lines of all patches, one after another */
    int64_t result_bytes; /* bytes per row */
    uint8_t *results;
    int64_t bytes;
};

static int32_t count_patches(const struct toeplitz *toeplitz, int32_t rows)
{
    return (int32_t)round_up(ceil_div(rows, TILES_ROWS), tiles_at_once(&toeplitz->masks[0]));
}

static struct toeplitz_scratch toeplitz_lay_out(const struct plan_stage *stage, int64_t columns,
                                                int32_t step, uint8_t *memory)
{
    const struct toeplitz *toeplitz = stage->prepared;
    const struct toeplitz_shape *shape = &toeplitz->shape;
    struct layout layout = {memory, 0};
    struct toeplitz_scratch scratch = {.planes = step * shape->halves};
    int64_t patches = count_patches(toeplitz, stage->group);
    int64_t wide = round_up(min64(columns, COLUMNS), TILES_COLUMNS);
    /* An odd number of vectors, so that rows do not map to the same cache sets. */
    scratch.plane_bytes = round_up(wide + (int64_t)shape->row_lines * TILES_STEP, 64) | 64;
    scratch.pixels = layout_part(&layout, stage->group + shape->height - 1,
                                 scratch.plane_bytes * scratch.planes);
    scratch.half_bytes =
        ((patches - 1) * TILES_ROWS * shape->row_lines + shape->lines + TILES_LINES) *
        TILES_COLUMNS;
    scratch.lines = layout_part(&layout, shape->halves, scratch.half_bytes);
    scratch.result_bytes = (int64_t)step * sample_size(stage->op->out) * TILES_COLUMNS;
    scratch.results = layout_part(&layout, patches * TILES_ROWS, scratch.result_bytes);
    scratch.bytes = layout.bytes;
    return scratch;
}

static int64_t toeplitz_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    return toeplitz_lay_out(stage, count / step, step, NULL).bytes;
}

/* Splits the rows under the results into a plane for each byte of a pixel. */
static void split_rows(const struct row_task *task, const struct toeplitz_scratch *scratch,
                       int64_t columns)
{
    const struct toeplitz *toeplitz = task->stage->prepared;
    const struct toeplitz_shape *shape = &toeplitz->shape;
    for (int32_t r = 0; r < task->height + shape->height - 1; r++)
        toeplitz->tiles->split(&toeplitz->split[task->step > 1],
                               task->rows[shape->top + r] + (int64_t)shape->left * scratch->planes,
                               (columns + shape->width - 1) * scratch->planes,
                               scratch->pixels + r * scratch->planes * scratch->plane_bytes,
                               scratch->plane_bytes);
}

/* Computes one channel of 64 columns from x on. Lines beyond the rows, and samples beyond the
 * columns, hold garbage values: only results that are discarded use them with a non-zero weight. */
static void sum_channel(const struct row_task *task, const struct toeplitz_scratch *scratch,
                        int64_t x, int32_t channel)
{
    const struct op *op = task->stage->op;
    const struct toeplitz *toeplitz = task->stage->prepared;
    const struct toeplitz_shape *shape = &toeplitz->shape;
    struct tiles_column column = {.mask = &toeplitz->masks[task->mask],
                                  .patch_lines = (int64_t)TILES_ROWS * shape->row_lines,
                                  .patches = count_patches(toeplitz, task->height),
                                  .type = op->out,
                                  .low = (int32_t)op->low,
                                  .high = (int32_t)op->high,
                                  .row_bytes = scratch->result_bytes};
    column.results = scratch->results + (int64_t)channel * sample_size(op->out) * TILES_COLUMNS;
    for (int32_t h = 0; h < shape->halves; h++) {
        uint8_t *lines = scratch->lines + h * scratch->half_bytes;
        int32_t plane = channel * shape->halves + h;
        toeplitz->tiles->spread(scratch->pixels + plane * scratch->plane_bytes + x,
                                scratch->planes * scratch->plane_bytes,
                                task->height + shape->height - 1, shape->row_lines, lines);
        column.lines[h] = lines;
    }
    toeplitz->tiles->sum(&column);
}

/* Prefetches a part of what is needed next while one channel of 64 columns is computed: the source
 * of the next task, and the lines to which these results go. */
static void prefetch_part(const struct row_task *task, int64_t x, int32_t channel)
{
    enum { LINE = 64 };
    const struct op *op = task->stage->op;
    int64_t in = (int64_t)task->step * sample_size(op->in);
    int64_t out = (int64_t)task->step * sample_size(op->out);
    int32_t first = channel * task->height / task->step;
    int32_t last = (channel + 1) * task->height / task->step;
    for (int32_t r = first; r < last; r++) {
        const uint8_t *source = task->ahead ? task->ahead[r] + x * in : NULL;
        const uint8_t *result = (const uint8_t *)task->results[r] + x * out;
        for (int64_t b = 0; source && b < TILES_COLUMNS * in; b += LINE)
            __builtin_prefetch(source + b, 0, 2);
        for (int64_t b = 0; b < TILES_COLUMNS * out; b += LINE)
            __builtin_prefetch(result + b, 1, 2);
    }
}

static void toeplitz_run(const struct row_task *task)
{
    const struct toeplitz *toeplitz = task->stage->prepared;
    int64_t columns = task->count / task->step;
    int64_t pixel = (int64_t)task->step * sample_size(task->stage->op->out);
    struct toeplitz_scratch scratch =
        toeplitz_lay_out(task->stage, columns, task->step, task->scratch);
    toeplitz->tiles->begin();
    split_rows(task, &scratch, columns);
    for (int64_t x = 0; x < columns; x += TILES_COLUMNS) {
        for (int32_t c = 0; c < task->step; c++) {
            prefetch_part(task, x, c);
            sum_channel(task, &scratch, x, c);
        }
        toeplitz->tiles->join(&toeplitz->join[task->step > 1], scratch.results, task->height,
                              task->results, x * pixel, min64(TILES_COLUMNS, columns - x) * pixel);
    }
    toeplitz->tiles->end();
}

const struct algorithm_calls algorithm_toeplitz = {.applies = toeplitz_applies,
                                                   .work = toeplitz_work,
                                                   .make = toeplitz_make,
                                                   .scratch_bytes = toeplitz_scratch_bytes,
                                                   .run = toeplitz_run};
