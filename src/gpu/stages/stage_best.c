/* The production path: chooses a kernel and the size of its tiles. */
#include "base/checked.h"
#include "gpu/stages/stage_options.h"

enum {
    SPAN = 4,           /* adjacent samples that a thread computes: kernels/tile.h */
    LOCAL_MOST = 40960, /* bytes per work group, so that two work groups share a compute unit of
                         * current cards */
    UNROLLED_TAPS = 49, /* most taps of a mask whose sums are unrolled */
    UNROLLED_SIDE = 8,
    UNROLLED_DOWN = 16, /* most taps of a vertical pass that is unrolled */
    SPREAD_MOST = 3,    /* if `spread` is larger, strips do less work in the vertical pass */
    STRIP_MOST = 256    /* threads of a strip */
};

/* Threads, and rows per thread; the smallest tile first. */
static const struct shape {
    int32_t x, y, rows;
} shapes[] = {{32, 4, 8}, {32, 8, 8}, {64, 4, 8}, {64, 4, 10}, {64, 4, 16}, {16, 8, 8}, {16, 4, 8},
              {8, 8, 8},  {8, 4, 8},  {8, 4, 4},  {8, 2, 4},   {8, 1, 2},   {4, 1, 1}};

/* A tile and what it costs. */
struct tile {
    struct shape shape;
    int32_t tap_rows;            /* rows of the mask that use the tile at a time */
    int64_t pitch, middle_pitch; /* words or doubles of the tile's rows; elements of rows between
                                  * passes */
    int64_t bytes;
    double spread;  /* columns with the halo divided by columns of results */
    double traffic; /* bytes requested from global memory, divided by the bytes of reading the input
                       and writing the output once */
};

static int32_t samples_per_word(const struct op *op)
{
    return op->integer ? 4 / sample_size(op->in) : 1;
}

/* Bytes of a sum of the vertical pass: middle_t in kernels/types.h. */
static int64_t middle_size(const struct op *op)
{
    if (!op->integer)
        return stage_real_size(op);
    return sample_is_32(op->in) ? 8 : 4;
}

/* Number of tile rows that are filled, for all rows of taps, divided by the rows of results. */
static double rows_filled(const struct gpu_stage *stage, int64_t height, int32_t tap_rows)
{
    struct stage_box box = stage_box(stage);
    int64_t fills = ceil_div(box.height, tap_rows);
    double rows =
        (double)(fills * (height - stage->op->dilate_y)) + (double)box.height * stage->op->dilate_y;
    return rows / (double)height;
}

static struct tile measure_tile(const struct gpu_stage *stage, struct shape shape, int32_t tap_rows)
{
    const struct op *op = stage->op;
    struct stage_box box = stage_box(stage);
    struct tile tile = {.shape = shape, .tap_rows = tap_rows};
    int64_t per_word = samples_per_word(op), halo = size_mul(box.halo_x, box.step);
    int64_t width = shape.x * SPAN, height = (int64_t)shape.y * shape.rows;
    int64_t filled = round_up(size_add(width, halo), SPAN);
    /* One word more, because samples may start within a word. */
    tile.pitch = round_up(filled / per_word + (per_word > 1), SPAN);
    tile.middle_pitch = filled;
    int64_t rows = height + (int64_t)(tap_rows - 1) * op->dilate_y;
    tile.bytes = size_mul(size_mul(rows, tile.pitch), stage_real_size(op));
    if (op->rule != STAGE_DENSE)
        tile.bytes = size_add(tile.bytes, size_mul(size_mul(height, filled), middle_size(op)));
    double in = sample_size(op->in), out = sample_size(op->out);
    double across = (double)size_add(width + per_word - 1, halo) / (double)width;
    tile.spread = (double)size_add(width, halo) / (double)width;
    tile.traffic = (across * rows_filled(stage, height, tap_rows) * in + out) / (in + out);
    return tile;
}

/* 16 rows of 64-bit sums do not fit the registers. Floats gain nothing from 16 rows, because their
 * tiles already fill local memory. */
static bool shape_fits(const struct op *op, const struct gpu_limits *limits, struct shape shape)
{
    int32_t rows = !op->integer ? 8 : op->in == SWATHE_U8 ? 16 : 10;
    return shape.x * shape.y <= limits->group && shape.x <= limits->group_side[0] &&
           shape.y <= limits->group_side[1] && shape.rows <= rows;
}

/* Finds the first tile whose traffic is within a tenth of the ideal, otherwise the tile with the
 * least traffic. */
static bool find_tile(const struct gpu_stage *stage, const struct gpu_limits *limits,
                      int32_t tap_rows, struct tile *best)
{
    int64_t most = min64(limits->local, LOCAL_MOST);
    bool found = false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct tile tile = measure_tile(stage, shapes[i], tap_rows);
        if (!shape_fits(stage->op, limits, shapes[i]) || tile.bytes > most)
            continue;
        if (!found || tile.traffic < best->traffic)
            *best = tile;
        found = true;
        if (best->traffic <= 1.1)
            return true;
    }
    return found;
}

/* Large masks process their rows of taps in turns if that allows larger tiles. */
static bool find_dense_tile(const struct gpu_stage *stage, const struct gpu_limits *limits,
                            struct tile *best)
{
    struct stage_box box = stage_box(stage);
    bool found = find_tile(stage, limits, box.height, best);
    for (int32_t rows = 16; rows >= 1 && box.height > UNROLLED_SIDE; rows /= 4) {
        struct tile tile;
        if (rows < box.height && find_tile(stage, limits, rows, &tile) &&
            (!found || tile.traffic < best->traffic)) {
            *best = tile;
            found = true;
        }
    }
    return found;
}

static void set_tile(struct gpu_stage *stage, int32_t group_x, int32_t group_y, int32_t width,
                     int32_t height)
{
    stage->group[0] = group_x;
    stage->group[1] = group_y;
    stage->group[2] = 1;
    stage->tile[0] = width;
    stage->tile[1] = height;
    stage->tile[2] = stage->planar ? 1 : stage->op->out_channels;
    stage->tile_is_samples = !stage->planar;
}

static swathe_status use_tile(struct arena *arena, struct gpu_stage *stage, const struct tile *tile)
{
    const struct shape *shape = &tile->shape;
    set_tile(stage, shape->x, shape->y, shape->x * SPAN, shape->y * shape->rows);
    stage->local_bytes = tile->bytes;
    TRY(stage_option(arena, stage, "ROWS", shape->rows));
    TRY(stage_option(arena, stage, "TILE_PITCH", tile->pitch));
    return stage_constant(arena, stage);
}

/* Passes a bit mask of the taps that are 0 as options. */
static swathe_status skip_zeros(struct arena *arena, struct gpu_stage *stage)
{
    const struct op_taps *taps = &stage->op->masks[0];
    uint64_t bits = 0;
    int32_t count = taps->width * taps->height;
    if (stage->op->mask_count > 1 || count > 64)
        return SWATHE_OK;
    for (int32_t i = 0; i < count; i++)
        bits |= (uint64_t)op_tap_is_zero(taps, i) << i;
    if (bits == 0)
        return SWATHE_OK;
    TRY(stage_option(arena, stage, "SKIP_LOW", (int64_t)(bits & UINT32_MAX)));
    return stage_option(arena, stage, "SKIP_HIGH", (int64_t)(bits >> 32));
}

static swathe_status make_dense(struct arena *arena, struct gpu_stage *stage,
                                const struct tile *tile)
{
    struct stage_box box = stage_box(stage);
    TRY(stage_kernel(arena, stage, "dense_tile"));
    TRY(use_tile(arena, stage, tile));
    TRY(stage_option(arena, stage, "TAP_ROWS", tile->tap_rows));
    TRY(skip_zeros(arena, stage));
    stage->work = (double)box.width * box.height;
    if (box.width <= UNROLLED_SIDE && box.width * box.height <= UNROLLED_TAPS &&
        box.halo_y <= 2 * UNROLLED_SIDE && tile->tap_rows == box.height)
        return stage_option(arena, stage, "UNROLLED", 1);
    return SWATHE_OK;
}

/* Multiply-adds of the horizontal pass, and of the vertical pass over the columns of a tile and its
 * halo. */
static double passes_work(const struct stage_box *box, int32_t tile_width)
{
    return (double)box->width +
           box->height * (1.0 + (double)box->halo_x * box->step / (double)tile_width);
}

static swathe_status make_passes(struct arena *arena, struct gpu_stage *stage,
                                 const struct tile *tile)
{
    struct stage_box box = stage_box(stage);
    TRY(stage_kernel(arena, stage, "passes_tile"));
    TRY(use_tile(arena, stage, tile));
    TRY(stage_option(arena, stage, "MIDDLE_PITCH", tile->middle_pitch));
    stage->work = passes_work(&box, stage->tile[0]);
    if (box.height <= UNROLLED_DOWN && box.halo_y <= 2 * UNROLLED_DOWN)
        return stage_option(arena, stage, "UNROLLED", 1);
    return SWATHE_OK;
}

/* Makes the stage with strips of rows after the vertical pass, as many rows as fit and save
 * work. */
static swathe_status make_strip(struct arena *arena, const struct gpu_limits *limits,
                                struct gpu_stage *stage, bool *made)
{
    struct stage_box box = stage_box(stage);
    int32_t threads = (int32_t)min64(min64(limits->group, limits->group_side[0]), STRIP_MOST);
    int64_t row = size_mul(size_add(size_mul(box.halo_x, box.step), 4 * (int64_t)threads),
                           middle_size(stage->op));
    int64_t rows = min64(min64(limits->local, LOCAL_MOST) / row, 8);
    bool mixes = stage_is_mapped(stage->op) && !stage->planar; /* a strip has all channels */
    *made = rows > 0 && !mixes && stage->tap_bytes <= limits->constant;
    if (!*made)
        return SWATHE_OK;
    set_tile(stage, threads, 1, 4 * threads, (int32_t)rows);
    stage->local_bytes = row * rows;
    TRY(stage_kernel(arena, stage, "passes_strip"));
    TRY(stage_option(arena, stage, "STRIP", stage->tile[0]));
    TRY(stage_option(arena, stage, "STRIP_ROWS", rows));
    stage->work = passes_work(&box, stage->tile[0]);
    return stage_constant(arena, stage);
}

static swathe_status stage_best_make_plain(struct arena *arena, const struct gpu_limits *limits,
                                           struct gpu_stage *stage)
{
    struct stage_box box = stage_box(stage);
    int32_t x = (int32_t)min64(min64(limits->group, limits->group_side[0]), 32);
    int32_t y = (int32_t)min64(min64(limits->group / x, limits->group_side[1]), 4);
    set_tile(stage, x, y, x, y);
    stage->work = (double)box.width * box.height;
    return stage_kernel(arena, stage, "plain");
}

/* Tile kernels support planes with different masks and planes that are copied, but not channels of
 * interleaved pixels that differ, or whose number changes. */
static bool takes_tiles(const struct op *op, bool planar)
{
    return planar || op->out_channels == 1 ||
           (op->copied < 0 && op->mask_count <= 1 && !stage_is_mapped(op));
}

swathe_status stage_best(struct arena *arena, const struct gpu_limits *limits,
                         struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    struct stage_box box = stage_box(stage);
    struct tile tile;
    if (stage_is_pixel(op))
        return stage_pixel(arena, limits, stage);
    if (takes_tiles(op, stage->planar) && op->rule == STAGE_DENSE) {
        int64_t boxes = size_mul((int64_t)box.width * box.height, op->mask_count);
        if (size_mul(boxes, stage_real_size(op)) < limits->constant &&
            find_dense_tile(stage, limits, &tile)) {
            TRY(stage_taps(arena, stage, false));
            if (stage->tap_bytes <= limits->constant)
                return make_dense(arena, stage, &tile);
        }
    } else if (op->rule != STAGE_DENSE) {
        bool made;
        TRY(stage_taps(arena, stage, false));
        if (takes_tiles(op, stage->planar) && stage->tap_bytes <= limits->constant &&
            find_tile(stage, limits, box.height, &tile) && tile.spread <= SPREAD_MOST)
            return make_passes(arena, stage, &tile);
        TRY(make_strip(arena, limits, stage, &made));
        if (made)
            return SWATHE_OK;
    }
    TRY(stage_taps(arena, stage, true));
    return stage_best_make_plain(arena, limits, stage);
}
