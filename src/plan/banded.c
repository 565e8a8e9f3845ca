/* Gaussians of u8 on matrix units, both passes as products of banded matrices: see cpu/bands.h. */
#include "base/checked.h"
#include "base/layout.h"
#include "cpu/bands.h"
#include "cpu/tiles.h"
#include "plan/algorithm.h"

#include <string.h>

enum {
    COLUMNS = 1024, /* most columns of a job, so that all of it stays in the cache */
    GROUP = 128,    /* rows of a job: the rows above and below are prepared again for each job */
    SPAN_MOST = 241,
    TOTAL = 1 << 15 /* of the taps of a pass */
};

struct banded {
    const struct tiles_calls *tiles;
    struct bands_mask mask;
    int32_t rows, columns; /* that a result reads */
    int32_t lead;          /* columns before the first: chosen so that few chunks have a tap */
    /* For rows of one plane, and of interleaved pixels. */
    struct tiles_shuffle split[2], join[2];
};

/* Taps that are two unsigned bytes and add up to 1. */
static bool taps_suit(const struct op_taps *taps)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        if (taps->w[i] < 0)
            return false;
        sum += taps->w[i];
    }
    return sum == TOTAL;
}

/* The kernels round, but do not clamp, and results of such taps are within 0 … 255. */
static bool applies(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    return tiles_find(at->isa) && op->rule == STAGE_TWO_PASS && op->integer &&
           op->in == SWATHE_U8 && op->out == SWATHE_U8 && op->channels <= TILES_PLANES &&
           op->low <= 0.0 && op->high >= UINT8_MAX && op->left + op->right < SPAN_MOST &&
           op->above + op->below < SPAN_MOST && op->down.shift == 8 && op->down.add == 128 &&
           op->across.shift == 22 && op->across.add == 1 << 21 && taps_suit(&op->down) &&
           taps_suit(&op->across);
}

static int32_t tap_row(const struct op *op, int32_t i)
{
    return (i - op->down.anchor_y) * op->dilate_y + op->above;
}

static int32_t tap_column(const struct op *op, int32_t i)
{
    return (i - op->across.anchor_x) * op->dilate_x + op->left;
}

static int32_t part_of(int32_t tap, int32_t part)
{
    return part ? tap >> 8 : tap & 255;
}

/* Down: rows that a band reads, in chunks of equal depth. */
static int32_t down_chunks(const struct op *op)
{
    return (int32_t)ceil_div(op->above + op->below + BANDS_ROWS, BANDS_COLUMNS);
}

static int32_t down_deep(const struct op *op)
{
    int32_t rows = op->above + op->below + BANDS_ROWS;
    return (int32_t)round_up(ceil_div(rows, down_chunks(op)), 4);
}

/* Products for 32 columns of results in the second pass, if its columns start at `lead`. */
static int32_t across_products(const struct op *op, int32_t lead)
{
    int32_t products = 0;
    for (int32_t part = 0; part < 2; part++) {
        int32_t first = -1, last = 0;
        for (int32_t i = 0; i < op->across.width; i++)
            if (op->across.w[i] > 255 * part) {
                first = first < 0 ? tap_column(op, i) : first;
                last = tap_column(op, i);
            }
        for (int32_t half = 0; first >= 0 && half < 2; half++) {
            int32_t at = lead + BANDS_ROWS * half;
            products += 2 * ((at + last + BANDS_ROWS - 1) / BANDS_COLUMNS -
                             (at + first) / BANDS_COLUMNS + 1);
        }
    }
    return products;
}

static int32_t best_lead(const struct op *op)
{
    int32_t best = 0;
    for (int32_t lead = 1; lead < BANDS_COLUMNS; lead++)
        if (across_products(op, lead) < across_products(op, best))
            best = lead;
    return best;
}

/* Products for 256 results, whole tiles at the edges included. To prepare samples takes about as
 * long as two products. */
static double work(const struct algorithm_case *at)
{
    enum { PREPARE = 2 };
    const struct op *op = at->op;
    int64_t columns = min64(op->out_width, COLUMNS), rows = min64(op->out_height, GROUP);
    double wide = (double)round_up(columns, BANDS_COLUMNS) / (double)columns;
    double wide_in =
        (double)round_up(columns + op->left + op->right, BANDS_COLUMNS) / (double)columns;
    double tall = (double)round_up(rows, BANDS_ROWS) / (double)rows;
    double tall_in = (double)(rows + op->above + op->below) / (double)rows;
    return PREPARE * wide_in * tall_in + 2.0 * down_chunks(op) * wide_in * tall +
           across_products(op, best_lead(op)) / 2.0 * wide * tall;
}

static swathe_status make_down(struct arena *arena, const struct op *op, struct bands_mask *mask)
{
    struct bands_taps *taps = &mask->down;
    mask->down_chunks = down_chunks(op);
    mask->deep = down_deep(op);
    TRY(arena_new(arena, 2 * mask->down_chunks, BANDS_TILE, "taps", &taps->tiles));
    for (int32_t y = 0; y < BANDS_ROWS; y++)
        for (int32_t i = 0; i < op->down.height; i++)
            for (int32_t part = 0; part < 2; part++) {
                int32_t at = y + tap_row(op, i), chunk = at / mask->deep;
                int32_t tap = part_of(op->down.w[i], part);
                uint8_t *tile = taps->tiles + (2 * chunk + part) * BANDS_TILE;
                tile[y * BANDS_COLUMNS + at % mask->deep] = (uint8_t)tap;
                taps->has[chunk][part] |= tap != 0;
            }
    return SWATHE_OK;
}

/* Column n of the results is 4-byte column n of the tile; its row is a quarter of the depth. */
static swathe_status make_across(struct arena *arena, const struct op *op, int32_t lead,
                                 int32_t half, struct bands_mask *mask)
{
    struct bands_taps *taps = &mask->across[half];
    TRY(arena_new(arena, 2 * BANDS_CHUNKS, BANDS_TILE, "taps", &taps->tiles));
    for (int32_t n = 0; n < 16; n++)
        for (int32_t i = 0; i < op->across.width; i++)
            for (int32_t part = 0; part < 2; part++) {
                int32_t at = lead + 16 * half + n + tap_column(op, i);
                int32_t chunk = at / BANDS_COLUMNS, depth = at % BANDS_COLUMNS;
                int32_t tap = part_of(op->across.w[i], part);
                uint8_t *tile = taps->tiles + (2 * chunk + part) * BANDS_TILE;
                tile[depth / 4 * BANDS_COLUMNS + n * 4 + depth % 4] = (uint8_t)tap;
                taps->has[chunk][part] |= tap != 0;
                taps->has[chunk][0] |= tap != 0;
                mask->across_chunks = chunk < mask->across_chunks ? mask->across_chunks : chunk + 1;
            }
    return SWATHE_OK;
}

/* Reads results in the order in which the second pass stores them. */
static swathe_status make_join(struct arena *arena, int32_t count, struct tiles_shuffle *join)
{
    TRY(tiles_shuffle_join(arena, count, 1, join));
    int64_t bytes = (int64_t)count * count * TILES_COLUMNS;
    uint8_t *index;
    TRY(arena_new(arena, bytes, 1, "a plan", &index));
    for (int64_t i = 0; i < bytes; i++)
        index[i] = (uint8_t)bands_place(join->index[i]);
    join->index = index;
    return SWATHE_OK;
}

static swathe_status make(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage)
{
    struct banded *banded;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *banded, "a plan", &banded));
    banded->tiles = tiles_find(isa);
    banded->rows = op->above + op->below + 1;
    banded->columns = op->left + op->right + 1;
    banded->lead = best_lead(op);
    TRY(make_down(arena, op, &banded->mask));
    for (int32_t half = 0; half < 2; half++)
        TRY(make_across(arena, op, banded->lead, half, &banded->mask));
    for (int32_t i = 0; i < BANDS_COLUMNS; i++)
        banded->mask.order[i] = (uint8_t)bands_order(i);
    for (int32_t i = 0; i < 2; i++) {
        int32_t step = i == 0 ? 1 : op->channels;
        TRY(tiles_shuffle_split(arena, step, &banded->split[i]));
        TRY(make_join(arena, step, &banded->join[i]));
    }
    /* Spans that wrap are as wide as the image, and so are the buffers of a group. */
    stage->group = op_wraps_columns(op) ? BANDS_ROWS : GROUP;
    stage->chunk = COLUMNS;
    stage->prepared = banded;
    return SWATHE_OK;
}

/* ---- Running -------------------------------------------------------------------------------- */

/* The parts of a job's scratch. */
struct banded_scratch {
    int64_t in_blocks, out_blocks; /* of 64 columns */
    int64_t plane_bytes;           /* bytes of a row of a plane */
    uint8_t *planes;               /* four rows of all planes */
    int64_t block_bytes;
    uint8_t *quads; /* for each plane: for each block: all rows, interleaved by four */
    struct bands_middle middle;
    uint8_t *results; /* of a band: for each block, 16 rows of all planes */
    int64_t bytes;
};

static struct banded_scratch lay_out(const struct banded *banded, int64_t columns, int32_t step,
                                     uint8_t *memory)
{
    const struct bands_mask *mask = &banded->mask;
    struct layout layout = {memory, 0};
    struct banded_scratch scratch = {0};
    int64_t wide = min64(columns, COLUMNS), reads = wide + banded->columns - 1;
    scratch.in_blocks = ceil_div(banded->lead + reads, BANDS_COLUMNS);
    scratch.out_blocks = ceil_div(wide, BANDS_COLUMNS);
    scratch.plane_bytes = (scratch.in_blocks + 1) * BANDS_COLUMNS;
    scratch.planes = layout_part(&layout, 4 * step, scratch.plane_bytes);
    /* The last chunk of the last band may end beyond its rows. */
    int64_t rows = GROUP - BANDS_ROWS + (mask->down_chunks - 1) * mask->deep + BANDS_COLUMNS;
    scratch.block_bytes = ceil_div(rows, 4) * BANDS_QUAD;
    scratch.quads = layout_part(&layout, step * scratch.in_blocks, scratch.block_bytes);
    scratch.middle.tiles = scratch.in_blocks + mask->across_chunks;
    scratch.middle.bytes = layout_part(&layout, 4 * scratch.middle.tiles, BANDS_TILE);
    scratch.results = layout_part(&layout, scratch.out_blocks * step, BANDS_TILE);
    scratch.bytes = layout.bytes;
    return scratch;
}

static int64_t scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    return lay_out(stage->prepared, count / step, step, NULL).bytes;
}

/* Splits four rows into planes and interleaves them. */
static void bring_quad(const struct row_job *job, const struct banded_scratch *scratch, int64_t q)
{
    const struct banded *banded = job->stage->prepared;
    int64_t last = job->height + banded->rows - 2, row_bytes = job->step * scratch->plane_bytes;
    for (int64_t i = 0; i < 4; i++)
        banded->tiles->split(&banded->split[job->step > 1], job->rows[min64(4 * q + i, last)],
                             job->count + (int64_t)(banded->columns - 1) * job->step,
                             scratch->planes + i * row_bytes + banded->lead, scratch->plane_bytes);
    for (int64_t c = 0; c < job->step; c++)
        banded->tiles->bands->interleave(
            &banded->mask, scratch->planes + c * scratch->plane_bytes, row_bytes,
            scratch->in_blocks,
            scratch->quads + c * scratch->in_blocks * scratch->block_bytes + q * BANDS_QUAD,
            scratch->block_bytes);
}

static void run_band(const struct row_job *job, const struct banded_scratch *scratch, int64_t y)
{
    const struct banded *banded = job->stage->prepared;
    const struct bands_calls *bands = banded->tiles->bands;
    int64_t row_bytes = (int64_t)job->step * BANDS_COLUMNS, block_bytes = BANDS_ROWS * row_bytes;
    for (int64_t c = 0; c < job->step; c++) {
        bands->down(&banded->mask,
                    scratch->quads + c * scratch->in_blocks * scratch->block_bytes +
                        y / 4 * BANDS_QUAD,
                    scratch->block_bytes, scratch->in_blocks, &scratch->middle);
        bands->across(&banded->mask, &scratch->middle, scratch->out_blocks,
                      scratch->results + c * BANDS_COLUMNS, row_bytes, block_bytes);
    }
    for (int64_t b = 0; b < scratch->out_blocks; b++)
        banded->tiles->join(&banded->join[job->step > 1], scratch->results + b * block_bytes,
                            min64(BANDS_ROWS, job->height - y), job->results + y, b * row_bytes,
                            min64(row_bytes, job->count - b * row_bytes));
}

static void run(const struct row_job *job)
{
    const struct banded *banded = job->stage->prepared;
    struct banded_scratch scratch =
        lay_out(banded, job->count / job->step, job->step, job->scratch);
    banded->tiles->begin();
    for (int64_t y = 0, have = 0; y < job->height; y += BANDS_ROWS) {
        for (; have < min64(y + BANDS_ROWS, job->height) + banded->rows - 1; have += 4)
            bring_quad(job, &scratch, have / 4);
        run_band(job, &scratch, y);
    }
    banded->tiles->end();
}

const struct algorithm_calls algorithm_banded = {
    .applies = applies, .work = work, .make = make, .scratch_bytes = scratch_bytes, .run = run};
