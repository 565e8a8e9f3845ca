#include "base/checked.h"
#include "gpu/stages/stage_options.h"

#include <string.h>

/* The same values as in kernels/types.h. */
enum { HEADER = 8, MAP_FIELDS = 3 };

/* Taps and headers as the kernel reads them. */
struct entries {
    char *data;
    int64_t size; /* bytes of an entry: stage_real_size() */
};

/* Writes the header of a mask whose taps start at entry `offset`. The header's integers are stored
 * as integers, also among floats, but as doubles among doubles. */
static void stage_taps_put_header(const struct op *op, const struct op_taps *taps, int64_t offset,
                                  const struct entries *entries, int64_t at)
{
    const int32_t header[HEADER] = {(int32_t)offset,
                                    taps->width,
                                    taps->height,
                                    op->left - taps->anchor_x * op->dilate_x,
                                    op->above - taps->anchor_y * op->dilate_y,
                                    taps->shift,
                                    (int32_t)(uint32_t)taps->add,
                                    (int32_t)(taps->add >> 32)};
    for (int k = 0; k < HEADER; k++) {
        double real = header[k];
        const void *from = entries->size == 8 ? (const void *)&real : &header[k];
        memcpy(entries->data + (at + k) * entries->size, from, (size_t)entries->size);
    }
}

static void put_row(const struct op_taps *taps, int64_t first, const struct entries *entries,
                    int64_t at)
{
    const void *from = taps->w   ? (const void *)(taps->w + first)
                       : taps->f ? (const void *)(taps->f + first)
                                 : (const void *)(taps->d + first);
    memcpy(entries->data + at * entries->size, from, (size_t)(taps->width * entries->size));
}

/* Copies the rows of one mask to entry `at`, `pitch` entries apart. */
static void stage_taps_put_mask(const struct op_taps *taps, int64_t pitch,
                                const struct entries *entries, int64_t at)
{
    for (int64_t j = 0; j < taps->height; j++)
        put_row(taps, j * taps->width, entries, at + j * pitch);
}

/* Writes where each channel of the result comes from, and what is outside its plane. */
static void put_map(const struct op *op, const struct entries *entries)
{
    swathe_type type = entries->size == 8 ? SWATHE_F64 : SWATHE_F32;
    for (int32_t c = 0; c < op->out_channels; c++) {
        int32_t plane = op->results[c].plane;
        const double fields[MAP_FIELDS] = {plane, op->results[c].mask, op_outside(op, plane)};
        for (int32_t i = 0; i < MAP_FIELDS; i++)
            sample_store(entries->data + (c * MAP_FIELDS + i) * entries->size, type, fields[i]);
    }
}

static swathe_status new_entries(struct arena *arena, struct gpu_stage *stage, int64_t count,
                                 struct entries *entries)
{
    const struct op *op = stage->op;
    int64_t map = stage_is_mapped(op) ? MAP_FIELDS * (int64_t)op->out_channels : 0;
    entries->size = stage_real_size(op);
    if (count + map > INT32_MAX / 8)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "its masks have %lld taps, the limit on a GPU is %d; use device cpu",
                    (long long)count, INT32_MAX / 8);
    TRY(arena_new(arena, map + count, (size_t)entries->size, "taps for a GPU", &entries->data));
    stage->taps = entries->data;
    stage->tap_bytes = (map + count) * entries->size;
    if (map > 0)
        put_map(op, entries); /* only stages in floats or doubles are mapped */
    entries->data += map * entries->size;
    return SWATHE_OK;
}

static swathe_status pass_taps(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    struct entries entries;
    int64_t height = op->terms->down.height, each = height + op->terms->across.width;
    TRY(new_entries(arena, stage, op->term_count * each, &entries));
    for (int32_t t = 0; t < op->term_count; t++) {
        stage_taps_put_mask(&op->terms[t].down, 1, &entries, t * each);
        put_row(&op->terms[t].across, 0, &entries, t * each + height);
    }
    return SWATHE_OK;
}

static swathe_status sized_taps(struct arena *arena, struct gpu_stage *stage)
{
    const struct op *op = stage->op;
    int64_t count = (int64_t)op->mask_count * HEADER, at = count;
    struct entries entries;
    for (int32_t i = 0; i < op->mask_count; i++)
        count = size_add(count, (int64_t)op->masks[i].width * op->masks[i].height);
    TRY(new_entries(arena, stage, count, &entries));
    for (int32_t i = 0; i < op->mask_count; i++) {
        const struct op_taps *taps = &op->masks[i];
        stage_taps_put_header(op, taps, at, &entries, (int64_t)i * HEADER);
        stage_taps_put_mask(taps, taps->width, &entries, at);
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
    struct entries entries;
    TRY(new_entries(arena, stage, size_add(first, size_mul(size, op->mask_count)), &entries));
    for (int32_t i = 0; i < op->mask_count; i++) {
        const struct op_taps *taps = &op->masks[i];
        int64_t x = op->left / op->dilate_x - taps->anchor_x;
        int64_t y = op->above / op->dilate_y - taps->anchor_y;
        stage_taps_put_header(op, taps, first + i * size, &entries, (int64_t)i * HEADER);
        stage_taps_put_mask(taps, box.width, &entries, first + i * size + y * box.width + x);
    }
    return SWATHE_OK;
}

swathe_status stage_taps(struct arena *arena, struct gpu_stage *stage, bool headers)
{
    const struct op *op = stage->op;
    struct entries entries;
    if (op->rule == STAGE_MEAN)
        return SWATHE_OK;
    if (op->rule == STAGE_TWO_PASS)
        return pass_taps(arena, stage);
    if (headers)
        return sized_taps(arena, stage);
    if (op->mask_count > 1)
        return boxed_taps(arena, stage);
    TRY(new_entries(arena, stage, (int64_t)op->masks[0].width * op->masks[0].height, &entries));
    stage_taps_put_mask(&op->masks[0], op->masks[0].width, &entries, 0);
    return SWATHE_OK;
}

swathe_status stage_constant(struct arena *arena, struct gpu_stage *stage)
{
    if (stage->tap_bytes == 0)
        return SWATHE_OK;
    stage->constant_bytes = stage->tap_bytes;
    TRY(stage_option(arena, stage, "CONSTANT_TAPS", 1));
    int64_t bytes = stage->runtime ? GPU_RUNTIME_CONSTANT : stage->tap_bytes;
    return stage_option(arena, stage, "TAP_COUNT", bytes / stage_real_size(stage->op));
}
