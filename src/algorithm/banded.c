/* Gaussians of u8 on matrix units, both passes as products of banded matrices: see cpu/bands.h. */
#include "algorithm/algorithm.h"
#include "base/checked.h"
#include "base/layout.h"
#include "cpu/bands.h"
#include "cpu/tiles.h"

enum {
    BLOCKS = 32, /* of results at once, so that the values between the passes stay in the cache */
    GROUP = 64,
    MASK_MOST = 241,
    WRAP_MOST = 8192, /* columns: a span that wraps is as wide as the image, and so is its memory */
};

struct banded {
    const struct tiles_calls *tiles;
    struct bands_mask mask;
    int32_t rows, columns; /* that a result reads */
    int32_t lead;          /* columns before the first: chosen so that few chunks have a tap */
    int32_t ring;          /* rows of the ring of interleaved rows */
    /* For rows of one plane, and of interleaved pixels. */
    struct tiles_shuffle split[2], join[2];
};

/* Bits of the sum of taps that are two unsigned bytes and add up to a power of two; -1: they are
 * not, or do not. */
static int32_t total_bits(const struct op_taps *taps)
{
    int64_t sum = 0;
    int32_t bits = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        if (taps->w[i] < 0)
            return -1;
        sum += taps->w[i];
    }
    while (INT64_C(1) << bits < sum)
        bits++;
    return INT64_C(1) << bits == sum ? bits : -1;
}

/* Do the taps of each pass add up to 1, which leaves 1 to 7 fraction bits between the passes? Does
 * each pass round half up? */
static bool taps_suit(const struct op_taps *down, const struct op_taps *across)
{
    int32_t kept = total_bits(down) - down->shift, second = total_bits(across);
    return second >= 0 && kept == across->shift - second && kept >= 1 && kept <= 7 &&
           down->shift >= 8 && down->add == 1 << (down->shift - 1) && across->shift >= 8 &&
           across->shift < 31 && across->add == 1 << (across->shift - 1);
}

/* Down: rows of the ring, in chunks of equal depth. */
static int32_t ring_rows(const struct op *op)
{
    int32_t rows = (int32_t)round_up(op->above + op->below + BANDS_ROWS, BANDS_ROWS);
    while (rows % (4 * ceil_div(rows, BANDS_COLUMNS)) != 0)
        rows += BANDS_ROWS;
    return rows;
}

static int32_t down_chunks(const struct op *op)
{
    return (int32_t)ceil_div(ring_rows(op), BANDS_COLUMNS);
}

/* The kernels round, but do not clamp, and results of such taps are within 0 … 255. */
static bool banded_applies(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    if (!tiles_find(at->isa) || op->rule != STAGE_TWO_PASS || !op->integer)
        return false;
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    return op->in == SWATHE_U8 && op->out == SWATHE_U8 && op->channels <= TILES_PLANES &&
           op->low <= 0.0 && op->high >= UINT8_MAX && op->left + op->right < MASK_MOST &&
           op->above + op->below < MASK_MOST && taps_suit(down, across) &&
           (down->shift == 8 || down_chunks(op) > 1) &&
           (!op_wraps_columns(op) || op->in_width <= WRAP_MOST);
}

static int32_t banded_tap_row(const struct op *op, int32_t i)
{
    return (i - op->terms->down.anchor_y) * op->dilate_y + op->above;
}

static int32_t banded_tap_column(const struct op *op, int32_t i)
{
    return (i - op->terms->across.anchor_x) * op->dilate_x + op->left;
}

static int32_t banded_part_of(int32_t tap, int32_t part)
{
    return part ? tap >> 8 : tap & 255;
}

/* Products for 32 columns of results in the second pass, if its columns start at `lead`. */
static int32_t across_products(const struct op *op, int32_t lead)
{
    int32_t products = 0;
    for (int32_t part = 0; part < 2; part++) {
        int32_t first = -1, last = 0;
        for (int32_t i = 0; i < op->terms->across.width; i++)
            if (op->terms->across.w[i] > 255 * part) {
                first = first < 0 ? banded_tap_column(op, i) : first;
                last = banded_tap_column(op, i);
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
static double banded_work(const struct algorithm_case *at)
{
    enum { PREPARE = 2 };
    const struct op *op = at->op;
    int64_t columns = op->out_width, rows = op->out_height;
    double wide = (double)round_up(columns, BANDS_COLUMNS) / (double)columns;
    double wide_in =
        (double)round_up(columns + op->left + op->right, BANDS_COLUMNS) / (double)columns;
    double tall = (double)round_up(rows, BANDS_ROWS) / (double)rows;
    double tall_in = (double)(rows + op->above + op->below) / (double)rows;
    return PREPARE * wide_in * tall_in + 2.0 * down_chunks(op) * wide_in * tall +
           across_products(op, best_lead(op)) / 2.0 * wide * tall;
}

static swathe_status make_turn(struct arena *arena, const struct op *op, int32_t turn,
                               struct bands_mask *mask)
{
    struct bands_taps *taps = &mask->down[turn];
    int32_t ring = ring_rows(op);
    TRY(arena_new(arena, 2 * mask->down_chunks, BANDS_TILE, "taps", &taps->tiles));
    for (int32_t y = 0; y < BANDS_ROWS; y++)
        for (int32_t i = 0; i < op->terms->down.height; i++)
            for (int32_t part = 0; part < 2; part++) {
                int32_t at = (BANDS_ROWS * turn + y + banded_tap_row(op, i)) % ring;
                int32_t chunk = at / mask->deep, tap = banded_part_of(op->terms->down.w[i], part);
                uint8_t *tile = taps->tiles + (2 * chunk + part) * BANDS_TILE;
                tile[y * BANDS_COLUMNS + at % mask->deep] = (uint8_t)tap;
                taps->has[chunk][part] |= tap != 0;
            }
    return SWATHE_OK;
}

static swathe_status banded_make_down(struct arena *arena, const struct op *op,
                                      struct bands_mask *mask)
{
    const struct op_taps *down = &op->terms->down, *across = &op->terms->across;
    mask->down_chunks = down_chunks(op);
    mask->deep = ring_rows(op) / mask->down_chunks;
    int32_t add = (int32_t)(across->add >> total_bits(across));
    mask->down_start = (int32_t)down->add + (add << down->shift);
    mask->down_shift = down->shift - 8;
    mask->across_shift = across->shift - 8;
    for (int32_t turn = 0; turn < ring_rows(op) / BANDS_ROWS; turn++)
        TRY(make_turn(arena, op, turn, mask));
    return SWATHE_OK;
}

/* Column n of the results is 4-byte column n of the tile; its row is a quarter of the depth. */
static swathe_status banded_make_across(struct arena *arena, const struct op *op, int32_t lead,
                                        int32_t half, struct bands_mask *mask)
{
    struct bands_taps *taps = &mask->across[half];
    TRY(arena_new(arena, 2 * BANDS_CHUNKS, BANDS_TILE, "taps", &taps->tiles));
    for (int32_t n = 0; n < 16; n++)
        for (int32_t i = 0; i < op->terms->across.width; i++)
            for (int32_t part = 0; part < 2; part++) {
                int32_t at = lead + 16 * half + n + banded_tap_column(op, i);
                int32_t chunk = at / BANDS_COLUMNS, depth = at % BANDS_COLUMNS;
                int32_t tap = banded_part_of(op->terms->across.w[i], part);
                uint8_t *tile = taps->tiles + (2 * chunk + part) * BANDS_TILE;
                tile[depth / 4 * BANDS_COLUMNS + n * 4 + depth % 4] = (uint8_t)tap;
                taps->has[chunk][part] |= tap != 0;
                taps->has[chunk][0] |= tap != 0;
                mask->across_chunks = chunk < mask->across_chunks ? mask->across_chunks : chunk + 1;
            }
    return SWATHE_OK;
}

static swathe_status banded_make_shuffles(struct arena *arena, int32_t step,
                                          struct tiles_shuffle *split, struct tiles_shuffle *join)
{
    uint8_t order[BANDS_COLUMNS], place[BANDS_COLUMNS];
    for (int32_t i = 0; i < BANDS_COLUMNS; i++) {
        order[i] = (uint8_t)bands_order(i);
        place[i] = (uint8_t)bands_place(i);
    }
    TRY(tiles_shuffle_split(arena, step, 1, order, split));
    return tiles_shuffle_join(arena, step, 1, place, join);
}

static swathe_status banded_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                 struct plan_stage *stage)
{
    struct banded *banded;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *banded, "a plan", &banded));
    banded->tiles = tiles_find(isa);
    banded->rows = op->above + op->below + 1;
    banded->columns = op->left + op->right + 1;
    banded->lead = best_lead(op);
    banded->ring = ring_rows(op);
    TRY(banded_make_down(arena, op, &banded->mask));
    for (int32_t half = 0; half < 2; half++)
        TRY(banded_make_across(arena, op, banded->lead, half, &banded->mask));
    for (int32_t i = 0; i < 2; i++)
        TRY(banded_make_shuffles(arena, i == 0 ? 1 : op->channels, &banded->split[i],
                                 &banded->join[i]));
    stage->group = GROUP;
    stage->prepared = banded;
    return SWATHE_OK;
}

/* ---- Running -------------------------------------------------------------------------------- */

/* What tasks pass on: the interleaved rows of all tasks since row `origin`. */
struct banded_kept {
    int64_t *origin;
    struct bands_quads quads;
    int64_t bytes;
};

static int64_t in_blocks(const struct banded *banded, int64_t columns)
{
    return ceil_div(banded->lead + columns + banded->columns - 1, BANDS_COLUMNS);
}

static struct banded_kept lay_out_kept(const struct banded *banded, int64_t columns, int32_t step,
                                       uint8_t *memory)
{
    struct layout layout = {memory, 0};
    struct banded_kept kept = {.quads.blocks = in_blocks(banded, columns),
                               .quads.block_bytes = banded->ring / 4 * BANDS_QUAD};
    kept.origin = layout_part(&layout, 1, sizeof *kept.origin);
    /* The last chunk's tiles may end beyond the ring. */
    kept.quads.bytes = layout_part(
        &layout, 1,
        size_add(size_mul(step * kept.quads.blocks, kept.quads.block_bytes), 4 * BANDS_TILE));
    kept.bytes = layout.bytes;
    return kept;
}

static int64_t banded_kept_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    return lay_out_kept(stage->prepared, count / step, step, NULL).bytes;
}

struct banded_scratch {
    struct bands_middle middle;
    uint8_t *results; /* of a band: for each block, 16 rows of all planes */
    int64_t bytes;
};

static struct banded_scratch banded_lay_out(const struct banded *banded, int64_t columns,
                                            int32_t step, uint8_t *memory)
{
    struct layout layout = {memory, 0};
    struct banded_scratch scratch = {0};
    int64_t wide = min64(columns, BLOCKS * BANDS_COLUMNS);
    scratch.middle.tiles = in_blocks(banded, wide) + banded->mask.across_chunks;
    scratch.middle.bytes = layout_part(&layout, 4 * scratch.middle.tiles, BANDS_TILE);
    scratch.results = layout_part(&layout, ceil_div(wide, BANDS_COLUMNS) * step, BANDS_TILE);
    scratch.bytes = layout.bytes;
    return scratch;
}

static int64_t banded_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    return banded_lay_out(stage->prepared, count / step, step, NULL).bytes;
}

/* Interleaves rows `first` … `first` + 3, counted from the first that the task reads, into quad
 * `at` of the ring. */
static void bring_quad(const struct row_task *task, const struct banded_kept *kept, int64_t first,
                       int64_t at)
{
    const struct banded *banded = task->stage->prepared;
    int64_t last = task->height + banded->rows - 2;
    const uint8_t *rows[4];
    struct bands_quads to = kept->quads;
    to.bytes += at * BANDS_QUAD;
    for (int64_t i = 0; i < 4; i++)
        rows[i] = task->rows[min64(first + i, last)];
    banded->tiles->bands->interleave(&banded->split[task->step > 1], rows,
                                     task->count + (int64_t)(banded->columns - 1) * task->step,
                                     banded->lead, &to);
}

/* Computes blocks `first` … of a band, which starts at row y of the task. */
static void run_blocks(const struct row_task *task, const struct banded_kept *kept,
                       const struct banded_scratch *scratch, int64_t y, int64_t first,
                       int64_t blocks, struct bands_ahead *ahead)
{
    const struct banded *banded = task->stage->prepared;
    const struct bands_calls *bands = banded->tiles->bands;
    const struct bands_quads *quads = &kept->quads;
    int64_t row_bytes = (int64_t)task->step * BANDS_COLUMNS, block_bytes = BANDS_ROWS * row_bytes;
    int64_t reads = min64(quads->blocks - first, in_blocks(banded, blocks * BANDS_COLUMNS));
    int32_t turn = (int32_t)((task->y + y - *kept->origin) % banded->ring / BANDS_ROWS);
    for (int64_t c = 0; c < task->step; c++) {
        bands->down(&banded->mask, turn,
                    quads->bytes + (c * quads->blocks + first) * quads->block_bytes,
                    quads->block_bytes, reads, &scratch->middle);
        bands->across(&banded->mask, &scratch->middle, blocks, scratch->results + c * BANDS_COLUMNS,
                      row_bytes, block_bytes, ahead);
    }
    for (int64_t b = 0; b < blocks; b++)
        banded->tiles->join(&banded->join[task->step > 1], scratch->results + b * block_bytes,
                            min64(BANDS_ROWS, task->height - y), task->results + y,
                            (first + b) * row_bytes,
                            min64(row_bytes, task->count - (first + b) * row_bytes));
}

static void run_band(const struct row_task *task, const struct banded_kept *kept,
                     const struct banded_scratch *scratch, int64_t y)
{
    int64_t blocks = ceil_div(task->count / task->step, BANDS_COLUMNS);
    int64_t some = ceil_div(blocks, ceil_div(blocks, BLOCKS));
    struct bands_ahead ahead = {.in = task->ahead ? task->ahead + y : NULL,
                                .out = task->results + y,
                                .rows = min64(BANDS_ROWS, task->height - y),
                                .bytes = task->count};
    for (int64_t first = 0; first < blocks; first += some)
        run_blocks(task, kept, scratch, y, first, min64(some, blocks - first), &ahead);
}

/* Bands start at multiples of 16 rows from the origin. A task elsewhere is a new origin. */
static void banded_run(const struct row_task *task)
{
    const struct banded *banded = task->stage->prepared;
    int64_t columns = task->count / task->step;
    struct banded_scratch scratch = banded_lay_out(banded, columns, task->step, task->scratch);
    struct banded_kept kept = lay_out_kept(banded, columns, task->step, task->kept);
    bool follows = task->first < task->y && (task->y - *kept.origin) % BANDS_ROWS == 0;
    *kept.origin = follows ? *kept.origin : task->y;
    /* Rows are counted from the first that the origin reads. Quads may have been incomplete. */
    int64_t above = task->y - *kept.origin, have = follows ? (above + banded->rows - 1) / 4 * 4 : 0;
    banded->tiles->begin();
    for (int64_t y = 0; y < task->height; y += BANDS_ROWS) {
        int64_t need = above + min64(y + BANDS_ROWS, task->height) + banded->rows - 1;
        for (; have < need; have += 4)
            bring_quad(task, &kept, have - above, have % banded->ring / 4);
        run_band(task, &kept, &scratch, y);
    }
    banded->tiles->end();
}

const struct algorithm_calls algorithm_banded = {.applies = banded_applies,
                                                 .work = banded_work,
                                                 .make = banded_make,
                                                 .scratch_bytes = banded_scratch_bytes,
                                                 .kept_bytes = banded_kept_bytes,
                                                 .run = banded_run};
