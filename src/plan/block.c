#include "plan/block.h"

#include "base/checked.h"

static bool is_zero(const struct op_taps *taps, int32_t x, int32_t y)
{
    int64_t i = (int64_t)y * taps->width + x;
    return taps->w ? taps->w[i] == 0 : taps->f[i] == 0.0f;
}

static bool column_is_zero(const struct op_taps *taps, int32_t x)
{
    for (int32_t y = 0; y < taps->height; y++)
        if (!is_zero(taps, x, y))
            return false;
    return true;
}

/* A block multiplies by zeros too, which costs time, and in floats may make a NaN. */
bool block_suits(const struct op *op, const struct op_taps *taps)
{
    int64_t used = 0, all = 0;
    for (int32_t x = 0; x < taps->width; x++) {
        if (column_is_zero(taps, x))
            continue;
        all += taps->height;
        for (int32_t y = 0; y < taps->height; y++)
            used += !is_zero(taps, x, y);
    }
    return op->dilate_y == 1 && used > 0 && (taps->w ? 4 * used >= 3 * all : used == all);
}

static enum kernel_sum block_sum(enum kernel_sum sum)
{
    return sum == KERNEL_NARROW  ? KERNEL_NARROW_BLOCK
           : sum == KERNEL_PAIR  ? KERNEL_PAIR_BLOCK
           : sum == KERNEL_FLOAT ? KERNEL_FLOAT_BLOCK
                                 : KERNEL_FAST_BLOCK;
}

static int32_t tap_at(const struct op_taps *taps, int32_t x, int32_t y, int32_t common)
{
    return y < 0 ? 0 : taps->w[(int64_t)y * taps->width + x] >> common;
}

/* In pairs, as kernel.h says. */
static swathe_status pack_integers(struct arena *arena, const struct op_taps *taps, bool narrow,
                                   const int32_t *columns, struct block *block)
{
    int32_t pairs = kernel_block_pairs(taps->height), common = algorithm_common_bits(taps);
    int64_t n = 0;
    int32_t *packed;
    TRY(arena_new(arena, 2 * pairs * block->args.column_count, sizeof *packed, "taps", &packed));
    for (int32_t odd = 0; odd < 2; odd++)
        for (int32_t pair = 0; pair < pairs; pair++)
            for (int64_t c = 0; c < block->args.column_count; c++, n++) {
                int32_t first =
                    tap_at(taps, columns[c], kernel_block_row(odd, pair, 0, taps->height), common);
                int32_t second =
                    tap_at(taps, columns[c], kernel_block_row(odd, pair, 1, taps->height), common);
                packed[n] =
                    narrow ? kernel_join_bytes(first, second) : kernel_join_shorts(first, second);
            }
    block->args.taps = packed;
    block->args.shift = taps->shift - common;
    block->args.add = taps->add >> common;
    return SWATHE_OK;
}

static swathe_status pack_floats(struct arena *arena, const struct op_taps *taps,
                                 const int32_t *columns, struct block *block)
{
    float *packed;
    int64_t n = block->args.column_count;
    TRY(arena_new(arena, taps->height * n, sizeof *packed, "taps", &packed));
    for (int32_t y = 0; y < taps->height; y++)
        for (int64_t c = 0; c < n; c++)
            packed[y * n + c] = taps->f[(int64_t)y * taps->width + columns[c]];
    block->args.taps = packed;
    return SWATHE_OK;
}

swathe_status block_make(struct arena *arena, const struct op *op, const struct op_taps *taps,
                         enum kernel_sum sum, const char *result, int isa, struct plan_stage *stage,
                         struct block *block)
{
    *block = (struct block){.first_row = op->above - taps->anchor_y};
    enum kernel_id id = algorithm_kernel(block_sum(sum), sample_row(stage->row_type)->name, result);
    block->kernel = kernel_find(isa, id, &block->isa);
    stage->isa = block->isa < stage->isa ? block->isa : stage->isa;
    TRY(arena_new(arena, taps->width, sizeof *block->columns, "taps", &block->columns));
    struct kernel_args *args = &block->args;
    for (int32_t x = 0; x < taps->width; x++)
        if (!column_is_zero(taps, x))
            block->columns[args->column_count++] = x;
    if (taps->w)
        TRY(pack_integers(arena, taps, sum == KERNEL_NARROW, block->columns, block));
    else
        TRY(pack_floats(arena, taps, block->columns, block));
    for (int64_t c = 0; c < args->column_count; c++)
        block->columns[c] = (block->columns[c] - taps->anchor_x) * op->dilate_x + op->left;
    args->mask_rows = taps->height;
    args->bias = op->bias;
    args->low = op->low;
    args->high = op->high;
    block->taps = taps->height * args->column_count;
    return SWATHE_OK;
}

/* A pointer per row, and an offset per column. */
static int64_t pointer_bytes(const struct block *block)
{
    return kernel_block_sources(block->isa, block->args.mask_rows) * (int64_t)sizeof(void *);
}

int64_t block_scratch(const struct block *block)
{
    return round_up(pointer_bytes(block) + block->args.column_count * (int64_t)sizeof(int64_t),
                    MEMORY_ALIGN);
}

void block_run(const struct block *block, const struct row_job *job, int64_t count,
               void *const *results, void *scratch)
{
    struct kernel_args args = block->args;
    const void **source = scratch;
    int64_t *columns = (int64_t *)((uint8_t *)scratch + pointer_bytes(block));
    int32_t last = block->first_row + args.mask_rows + job->height - 2, made;
    for (int64_t c = 0; c < args.column_count; c++)
        columns[c] = (int64_t)block->columns[c] * job->step;
    args.source = source;
    args.columns = columns;
    args.count = count;
    for (int32_t y = 0; y < job->height; y += made) {
        int32_t most = *isa_at(block->isa)->block_rows;
        made = job->height - y < most ? job->height - y : most;
        for (int64_t r = 0; r < kernel_block_sources(block->isa, args.mask_rows); r++)
            source[r] = job->rows[min64(block->first_row + y + r, last)];
        args.results = results + y;
        args.height = made;
        block->kernel(&args);
    }
}
