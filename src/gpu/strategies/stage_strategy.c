#include "base/checked.h"
#include "gpu/stages/stage_options.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    BLOCK_LEAST = 8,
    BLOCK_MOST = 32,
    PRODUCTS_MOST = 256 /* that a thread keeps */
};

/* Products that are rounded before they are added are another arithmetic than that of the contract,
 * unless they are integers. */
static swathe_status stage_strategy_check_arithmetic(const struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    bool adds_products = stage->strategy->shape == GPU_SHAPE_PRODUCTS;
    bool rounds_products = op->arithmetic == ARITHMETIC_report_002;
    if (rounds_products && !adds_products)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s adds products as the contract does; arithmetic report-002 needs "
                    "strategy global or global-constant",
                    stage->strategy->name);
    if (adds_products && !rounds_products && !op->integer)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s rounds the products of floats before it adds them, which is "
                    "arithmetic report-002; choose that for f32 images, or use strategy %s",
                    stage->strategy->name, stage->strategy->constant ? "constant" : "naive");
    return SWATHE_OK;
}

static swathe_status check_op(const struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    const char *name = stage->strategy->name;
    if (op->rule == STAGE_TWO_PASS)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "strategy %s takes dense masks, %.60s is computed in two passes; add :dense, as in "
            "gaussian:5:dense, or use strategy best",
            name, op->text);
    if (op->rule == STAGE_MEAN)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "strategy %s takes dense masks, %.60s is an exact mean of integers; write it as "
            "mask:(1 1 1; 1 1 1; 1 1 1):normalise, or use strategy best",
            name, op->text);
    if (stage_is_pixel(op))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s takes dense masks, %.60s is computed from the samples of one "
                    "pixel; use strategy best",
                    name, op->text);
    if (stage_is_mapped(op))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s uses samples without weights (alpha, nodata); use strategy best, "
                    "or alpha keep",
                    name);
    if (op->mask_count > 1)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "strategy %s uses one mask for all channels, this stage has %d; use strategy best",
            name, op->mask_count);
    if (stage->strategy->flow == GPU_FLOW_SEPARATE && op->channels > GPU_PLANES_MAX)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s takes at most %d channels, this image has %d; use strategy "
                    "3channel",
                    name, GPU_PLANES_MAX, op->channels);
    if (stage->runtime && !gpu_strategy_has_runtime(stage->strategy))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s must know the size of the mask when it is compiled; omit :runtime",
                    name);
    return stage_strategy_check_arithmetic(stage);
}

static bool is_per_channel(enum gpu_shape shape)
{
    return shape == GPU_SHAPE_LINE || shape == GPU_SHAPE_SAMPLE || shape == GPU_SHAPE_TILE ||
           shape == GPU_SHAPE_GEMM;
}

/* Sets the thread block and the results of its threads. */
static void stage_strategy_set_shape(struct gpu_stage *stage, int32_t block)
{
    struct stage_box box = stage_box(stage);
    enum gpu_shape shape = stage->strategy->shape;
    bool covers = shape == GPU_SHAPE_COVER;
    bool line = shape == GPU_SHAPE_LINE || shape == GPU_SHAPE_LINE_PIXELS;
    int32_t side = shape == GPU_SHAPE_GEMM ? GPU_GEMM_SIDE : 1;
    stage->is_line = line;
    stage->is_down = stage->strategy->down;
    stage->group[0] = line ? block * block : block;
    stage->group[1] = line ? 1 : block;
    stage->group[2] = 1;
    stage->tile[0] = stage->group[0] * side - (covers ? box.halo_x : 0);
    stage->tile[1] = stage->group[1] * side - (covers ? box.halo_y : 0);
    stage->tile[2] = is_per_channel(shape) ? 1 : stage->op->channels;
    stage->work = (double)box.width * box.height;
}

static int64_t local_bytes(const struct gpu_stage *stage, int64_t block)
{
    struct stage_box box = stage_box(stage);
    int64_t inner = block * block, sample = stage_real_size(stage->op);
    int64_t around = size_mul(block + box.halo_x, block + box.halo_y);
    int64_t pixel = sample * stage->op->channels;
    switch (stage->strategy->shape) {
    case GPU_SHAPE_COVER:
        return inner * pixel + (stage->strategy->constant ? 0 : stage->tap_bytes);
    case GPU_SHAPE_CACHED:
        return inner * pixel;
    case GPU_SHAPE_QUAD:
    case GPU_SHAPE_TILE_PIXELS:
        return size_mul(around, pixel);
    case GPU_SHAPE_TILE:
        return size_mul(around, sample);
    case GPU_SHAPE_GEMM: /* rows of odd length, and the Toeplitz matrix */
        return size_mul(size_add(size_mul(stage->tile[1], (stage->tile[0] + box.halo_x) | 1),
                                 size_mul(GPU_GEMM_SIDE + box.halo_x, GPU_GEMM_SIDE)),
                        sample);
    default:
        return 0;
    }
}

static int32_t halo_of(const struct gpu_stage *stage)
{
    struct stage_box box = stage_box(stage);
    return box.halo_x > box.halo_y ? box.halo_x : box.halo_y;
}

/* The largest halo that a thread block supports. shared*: 2r < block; quad*: 2r <= block */
static int32_t halo_most(const struct gpu_stage *stage, int32_t block)
{
    enum gpu_shape shape = stage->strategy->shape;
    return shape == GPU_SHAPE_COVER ? block - 1 : shape == GPU_SHAPE_QUAD ? block : INT32_MAX;
}

static bool threads_fit(const struct gpu_stage *stage, const struct gpu_limits *limits)
{
    return stage->group[0] * stage->group[1] <= limits->group &&
           stage->group[0] <= limits->group_side[0] && stage->group[1] <= limits->group_side[1];
}

static bool block_fits(const struct gpu_stage *stage, int32_t block,
                       const struct gpu_limits *limits)
{
    struct gpu_stage probe = *stage;
    if (halo_of(stage) > halo_most(stage, block))
        return false;
    stage_strategy_set_shape(&probe, block);
    return threads_fit(&probe, limits) && local_bytes(&probe, block) <= limits->local;
}

/* The way out for a message: the largest thread block that fits, preferably a multiple of 8,
 * otherwise the strategy `other`. */
static const char *stage_strategy_advise(const struct gpu_stage *stage,
                                         const struct gpu_limits *limits, const char *other,
                                         char *buffer, size_t size)
{
    static const int32_t steps[] = {8, 1};
    for (int i = 0; i < 2; i++)
        for (int32_t block = BLOCK_MOST; block >= BLOCK_LEAST; block -= steps[i])
            if (block_fits(stage, block, limits)) {
                snprintf(buffer, size, "use a block that fits, as in %s:%d", stage->strategy->name,
                         block);
                return buffer;
            }
    snprintf(buffer, size, "no block fits: use strategy %s", other);
    return buffer;
}

/* Checks halo, threads and local memory. */
static swathe_status check_block(const struct gpu_stage *stage, int32_t block,
                                 const struct gpu_limits *limits)
{
    char way[80];
    const char *name = stage->strategy->name;
    if (halo_of(stage) > halo_most(stage, block))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s: the mask spans %d pixels, a block of %d holds %d; %s", name,
                    halo_of(stage) + 1, block, halo_most(stage, block) + 1,
                    stage_strategy_advise(stage, limits, "naive", way, sizeof way));
    if (!threads_fit(stage, limits))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s: %d x %d threads per group, the device allows %d (%d x %d); %s",
                    name, stage->group[0], stage->group[1], limits->group, limits->group_side[0],
                    limits->group_side[1],
                    stage_strategy_advise(stage, limits, "best", way, sizeof way));
    if (stage->local_bytes > limits->local)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "strategy %s: a tile of %" PRId64 " bytes, local memory has %" PRId64 "; %s",
                    name, stage->local_bytes, limits->local,
                    stage_strategy_advise(stage, limits, "naive", way, sizeof way));
    return SWATHE_OK;
}

static swathe_status check_constant(const struct gpu_stage *stage, const struct gpu_limits *limits)
{
    int64_t most =
        stage->runtime ? min64(limits->constant, GPU_RUNTIME_CONSTANT) : limits->constant;
    if (!stage->strategy->constant || stage->tap_bytes <= most)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED,
                "strategy %s: %" PRId64 " bytes of taps, constant memory has %" PRId64
                "; use strategy naive",
                stage->strategy->name, stage->tap_bytes, most);
}

static swathe_status check_products(const struct gpu_stage *stage)
{
    struct stage_box box = stage_box(stage);
    int64_t count = (int64_t)box.width * box.height;
    if (stage->strategy->shape != GPU_SHAPE_PRODUCTS || count <= PRODUCTS_MOST)
        return SWATHE_OK;
    return fail(SWATHE_ERROR_UNSUPPORTED,
                "strategy %s: %" PRId64 " products, a thread keeps at most %d; use strategy naive",
                stage->strategy->name, count, PRODUCTS_MOST);
}

/* Sets how the kernel reads samples outside the image. */
static swathe_status set_reads(struct arena *arena, struct gpu_stage *stage)
{
    enum gpu_reads reads = stage->strategy->reads;
    bool filled = border_entry(stage->op->border.mode)->map == border_map_outside;
    stage->has_tables = reads == GPU_READS_INNER || (reads == GPU_READS_CHECKED && !filled);
    if (stage->strategy->flow == GPU_FLOW_SEPARATE)
        TRY(stage_option(arena, stage, "SEPARATE", 1));
    if (reads == GPU_READS_PADDED)
        return stage_option(arena, stage, "PADDED", 1);
    if (reads == GPU_READS_INNER)
        return SWATHE_OK;
    TRY(stage_option(arena, stage, "CHECKED", 1));
    return filled ? stage_option(arena, stage, "FILLED", 1) : SWATHE_OK;
}

/* As kernels/device_task.h says. */
static swathe_status set_sizes(struct gpu_stage *stage)
{
    struct stage_box box = stage_box(stage);
    const struct op *op = stage->op;
    if (op->left > INT16_MAX || op->above > INT16_MAX)
        return fail(
            SWATHE_ERROR_UNSUPPORTED,
            "strategy %s: the mask extends by %d pixels, the limit of :runtime is %d; omit it",
            stage->strategy->name, halo_of(stage), INT16_MAX);
    stage->task.count = box.width;
    stage->task.reciprocal = (unsigned)box.height;
    stage->task.down_add = op->left | op->above << 16;
    return SWATHE_OK;
}

swathe_status stage_strategy(struct arena *arena, int32_t block, const struct gpu_limits *limits,
                             struct gpu_stage *stage)
{
    const struct gpu_strategy *strategy = stage->strategy;
    TRY(check_op(stage));
    if (block == 0)
        block = strategy->block;
    if (block < BLOCK_LEAST || block > BLOCK_MOST)
        return fail(SWATHE_ERROR_UNSUPPORTED, "strategy %s: a block of %d; it must be %d to %d",
                    strategy->name, block, BLOCK_LEAST, BLOCK_MOST);
    TRY(check_products(stage));
    TRY(stage_taps(arena, stage, false));
    stage_strategy_set_shape(stage, block);
    stage->local_bytes = local_bytes(stage, block);
    TRY(check_block(stage, block, limits));
    TRY(check_constant(stage, limits));
    if (strategy->constant)
        TRY(stage_constant(arena, stage));
    if (strategy->shape == GPU_SHAPE_GEMM)
        TRY(stage_option(arena, stage, "GEMM_SIDE", GPU_GEMM_SIDE));
    if (strategy->shape == GPU_SHAPE_SAMPLE)
        TRY(stage_option(arena, stage, "PER_CHANNEL", 1));
    if (strategy->down)
        TRY(stage_option(arena, stage, "DOWN", 1));
    if (stage->runtime)
        TRY(set_sizes(stage));
    if (stage->runtime && stage->local_bytes > 0) {
        stage->given_bytes = stage->local_bytes;
        TRY(stage_option(arena, stage, "DYNAMIC", 1));
    }
    TRY(set_reads(arena, stage));
    return stage_kernel(arena, stage, strategy->kernel);
}
