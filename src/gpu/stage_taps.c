#include "base/checked.h"
#include "gpu/stage_options.h"

#include <string.h>

/* The same value as in kernels/types.h. */
enum { HEADER = 8 };

/* Writes the header of a mask whose taps start at entry `offset`. The header's integers are stored
 * as integers, also among float taps. */
static void put_header(const struct op *op, const struct op_taps *taps, int64_t offset,
                       int32_t header[HEADER])
{
    header[0] = (int32_t)offset;
    header[1] = taps->width;
    header[2] = taps->height;
    header[3] = op->left - taps->anchor_x * op->dilate_x;
    header[4] = op->above - taps->anchor_y * op->dilate_y;
    header[5] = taps->shift;
    header[6] = (int32_t)(uint32_t)taps->add;
    header[7] = (int32_t)(taps->add >> 32);
}

static void put_row(const struct op_taps *taps, int64_t first, int32_t *at)
{
    if (taps->w)
        memcpy(at, taps->w + first, (size_t)taps->width * sizeof *at);
    else
        memcpy(at, taps->f + first, (size_t)taps->width * sizeof *at);
}

/* Copies the rows of one mask, `pitch` entries apart. */
static void put_mask(const struct op_taps *taps, int64_t pitch, int32_t *at)
{
    for (int64_t j = 0; j < taps->height; j++)
        put_row(taps, j * taps->width, at + j * pitch);
}

static swathe_status new_entries(struct arena *arena, struct gpu_stage *stage, int64_t count,
                                 int32_t **entries)
{
    if (count > INT32_MAX / 8)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "its masks have %lld taps, the limit on a GPU is %d; use device cpu",
                    (long long)count, INT32_MAX / 8);
    TRY(arena_new(arena, count, sizeof **entries, "taps for a GPU", entries));
    stage->taps = *entries;
    stage->tap_bytes = count * (int64_t)sizeof **entries;
    return SWATHE_OK;
}

static swathe_status pass_taps(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    int32_t *entries;
    TRY(new_entries(arena, stage, op->down.height + op->across.width, &entries));
    put_mask(&op->down, 1, entries);
    put_row(&op->across, 0, entries + op->down.height);
    return SWATHE_OK;
}

static swathe_status sized_taps(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    int64_t count = (int64_t)op->mask_count * HEADER, at = count;
    int32_t *entries;
    for (int32_t i = 0; i < op->mask_count; i++)
        count = size_add(count, (int64_t)op->masks[i].width * op->masks[i].height);
    TRY(new_entries(arena, stage, count, &entries));
    for (int32_t i = 0; i < op->mask_count; i++) {
        const struct op_taps *taps = &op->masks[i];
        put_header(op, taps, at, entries + (int64_t)i * HEADER);
        put_mask(taps, taps->width, entries + at);
        at += (int64_t)taps->width * taps->height;
    }
    return SWATHE_OK;
}

/* Copies each mask to its place in a box of zeros, which kernels skip. */
static swathe_status boxed_taps(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    struct stage_box box = stage_box(stage);
    int64_t size = (int64_t)box.width * box.height, first = (int64_t)op->mask_count * HEADER;
    int32_t *entries;
    TRY(new_entries(arena, stage, size_add(first, size_mul(size, op->mask_count)), &entries));
    for (int32_t i = 0; i < op->mask_count; i++) {
        const struct op_taps *taps = &op->masks[i];
        int64_t x = op->left / op->dilate_x - taps->anchor_x;
        int64_t y = op->above / op->dilate_y - taps->anchor_y;
        put_header(op, taps, first + i * size, entries + (int64_t)i * HEADER);
        put_mask(taps, box.width, entries + first + i * size + y * box.width + x);
    }
    return SWATHE_OK;
}

swathe_status stage_taps(struct arena *arena, struct gpu_stage *stage, bool headers)
{
    const struct op *op = stage->op;
    int32_t *entries;
    if (op->rule == STAGE_MEAN)
        return SWATHE_OK;
    if (op->rule == STAGE_TWO_PASS)
        return pass_taps(arena, stage);
    if (headers)
        return sized_taps(arena, stage);
    if (op->mask_count > 1)
        return boxed_taps(arena, stage);
    TRY(new_entries(arena, stage, (int64_t)op->masks[0].width * op->masks[0].height, &entries));
    put_mask(&op->masks[0], op->masks[0].width, entries);
    return SWATHE_OK;
}

swathe_status stage_constant(struct arena *arena, struct gpu_stage *stage)
{
    if (stage->tap_bytes == 0)
        return SWATHE_OK;
    stage->constant_bytes = stage->tap_bytes;
    TRY(stage_option(arena, stage, "CONSTANT_TAPS", 1));
    return stage_option(arena, stage, "TAP_COUNT", stage->tap_bytes / (int64_t)sizeof(int32_t));
}
