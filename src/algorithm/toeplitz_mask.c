/* Converts a mask to tiles for matrix units. */
#include "algorithm/toeplitz.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>

enum {
    LINES_MOST = 1 << 15, /* lines of a task: 2 MiB */
    TOP_MOST = 1 << 29,   /* limit of the value added to the sums of the top class */
    /* High masks use more rows per task, because the rows above and below are prepared again for
     * each task. */
    GROUP = 64,
    GROUP_HIGH = 128,
    HIGH = 24
};

static int32_t toeplitz_mask_tap_row(const struct op *op, const struct op_taps *taps, int64_t i)
{
    return ((int32_t)(i / taps->width) - taps->anchor_y) * op->dilate_y + op->above;
}

static int32_t toeplitz_mask_tap_column(const struct op *op, const struct op_taps *taps, int64_t i)
{
    return ((int32_t)(i % taps->width) - taps->anchor_x) * op->dilate_x + op->left;
}

/* Number of signed 8-bit digits in w = a + 256·b + 65536·c, each within −128..127. */
static int32_t toeplitz_mask_count_pieces(int32_t w)
{
    int32_t pieces = 1;
    for (; w < -128 || w > 127; pieces++)
        w = (w + 128) >> 8;
    return pieces;
}

static int8_t toeplitz_mask_piece_of(int32_t w, int32_t piece)
{
    for (; piece > 0; piece--)
        w = (w + 128) >> 8;
    return (int8_t)(((w + 128) & 255) - 128);
}

/* The value added to Σ w·u, where u is the unsigned sample; s16 samples are u − 32768. */
static int64_t toeplitz_mask_added(const struct op *op, const struct op_taps *taps)
{
    int32_t common = algorithm_common_bits(taps);
    int64_t sum = 0, all = (int64_t)taps->width * taps->height;
    for (int64_t i = 0; i < all && op->in == SWATHE_S16; i++)
        sum += taps->w[i] >> common;
    return (taps->add >> common) - 32768 * sum;
}

struct box {
    int32_t top, bottom, left, right;
};

/* Extends the box and the digits by a mask's taps; returns the number of taps. */
static int64_t measure_mask(const struct op *op, const struct op_taps *taps, struct box *box,
                            int32_t *pieces)
{
    int32_t common = algorithm_common_bits(taps);
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        if (taps->w[i] == 0)
            continue;
        int32_t y = toeplitz_mask_tap_row(op, taps, i), x = toeplitz_mask_tap_column(op, taps, i);
        int32_t needs = toeplitz_mask_count_pieces(taps->w[i] >> common);
        box->top = y < box->top ? y : box->top;
        box->bottom = y > box->bottom ? y : box->bottom;
        box->left = x < box->left ? x : box->left;
        box->right = x > box->right ? x : box->right;
        *pieces = needs > *pieces ? needs : *pieces;
        count++;
    }
    return count;
}

static bool sums_fit(const struct op *op, const struct op_taps *taps,
                     const struct toeplitz_shape *shape, int64_t count)
{
    int32_t classes = shape->halves + shape->pieces - 1;
    int64_t top = llabs(toeplitz_mask_added(op, taps) >> 8 * (classes - 1));
    if (classes == 1) /* bounded by the contract */
        return true;
    /* At most two products per class and tap, the value added, and a carry from the class below. */
    int64_t products = shape->halves > 1 && shape->pieces > 1 ? 2 : 1;
    return top < TOP_MOST && count * products * 255 * 128 + top + (1 << 24) < INT32_MAX;
}

/* Results must fit 31 bits before they are clamped; taps far above 1 may exceed that. */
static bool result_fits(const struct op *op, const struct op_taps *taps)
{
    double sum = fabs((double)taps->add);
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++)
        sum += fabs((double)taps->w[i]) * (op->in == SWATHE_U8 ? 255.0 : 65535.0);
    return ldexp(sum, -taps->shift) < 0x1p30;
}

bool toeplitz_measure(const struct op *op, struct toeplitz_shape *shape)
{
    struct box box = {INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN};
    int64_t most = 0;
    *shape = (struct toeplitz_shape){.halves = op->in == SWATHE_U8 ? 1 : 2, .pieces = 1};
    if (op->tap_count > (int64_t)LINES_MOST * TILES_STEP)
        return false; /* the last line would find the same, but reads every tap */
    for (int32_t m = 0; m < op->mask_count; m++)
        most = max64(most, measure_mask(op, &op->masks[m], &box, &shape->pieces));
    if (most == 0 || shape->pieces > shape->halves + 1)
        return false;
    for (int32_t m = 0; m < op->mask_count; m++)
        if (!sums_fit(op, &op->masks[m], shape, most) || !result_fits(op, &op->masks[m]))
            return false;
    shape->top = box.top;
    shape->left = box.left;
    shape->height = box.bottom - box.top + 1;
    shape->width = box.right - box.left + 1;
    shape->row_lines = (int32_t)ceil_div((int64_t)shape->width + TILES_STEP - 1, TILES_STEP);
    shape->lines = ((int64_t)shape->height + TILES_ROWS - 1) * shape->row_lines;
    shape->group = shape->height > HIGH ? GROUP_HIGH : GROUP;
    return ((int64_t)shape->group + shape->height - 1) * shape->row_lines <= LINES_MOST;
}

/* Marks the lines under a patch that a non-zero tap reads, for any of its results. */
static swathe_status mark_lines(struct arena *arena, const struct op *op,
                                const struct op_taps *taps, const struct toeplitz_shape *shape,
                                uint8_t **used)
{
    TRY(arena_new(arena, shape->lines, 1, "taps", used));
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        int64_t y = toeplitz_mask_tap_row(op, taps, i) - shape->top,
                x = toeplitz_mask_tap_column(op, taps, i) - shape->left;
        for (int32_t dy = 0; taps->w[i] != 0 && dy < TILES_ROWS; dy++) {
            uint8_t *row = *used + (y + dy) * shape->row_lines;
            row[x / TILES_STEP] = row[(x + TILES_STEP - 1) / TILES_STEP] = 1;
        }
    }
    return SWATHE_OK;
}

/* Chooses chunks that contain all lines in use. */
static swathe_status choose_chunks(struct arena *arena, const struct toeplitz_shape *shape,
                                   const uint8_t *used, struct tiles_mask *mask)
{
    int32_t *chunks;
    TRY(arena_new(arena, ceil_div(shape->lines, TILES_LINES), sizeof *chunks, "taps", &chunks));
    for (int32_t line = 0; line < shape->lines; line++)
        if (used[line]) {
            chunks[mask->chunk_count++] = line;
            line += TILES_LINES - 1;
        }
    mask->chunk_line = chunks;
    return SWATHE_OK;
}

/* Copies the taps in the box, including zeros, divided by the powers of two that they have in
 * common. */
static swathe_status fill_box(struct arena *arena, const struct op *op, const struct op_taps *taps,
                              const struct toeplitz_shape *shape, int32_t **box)
{
    int32_t common = algorithm_common_bits(taps);
    TRY(arena_new(arena, (int64_t)shape->height * shape->width, sizeof **box, "taps", box));
    for (int64_t i = 0; i < (int64_t)taps->width * taps->height; i++) {
        int64_t y = toeplitz_mask_tap_row(op, taps, i) - shape->top,
                x = toeplitz_mask_tap_column(op, taps, i) - shape->left;
        if (taps->w[i] != 0)
            (*box)[y * shape->width + x] = taps->w[i] >> common;
    }
    return SWATHE_OK;
}

/* The weight of byte b of a line in result m of 4 × 4. */
static int32_t toeplitz_mask_tap_at(const struct toeplitz_shape *shape, const int32_t *box,
                                    int64_t line, int32_t b, int32_t m)
{
    int64_t y = line / shape->row_lines - m / TILES_STEP;
    int64_t x = line % shape->row_lines * TILES_STEP + b - m % TILES_STEP;
    return y >= 0 && y < shape->height && x >= 0 && x < shape->width ? box[y * shape->width + x]
                                                                     : 0;
}

static void fill_chunk(const struct toeplitz_shape *shape, const int32_t *box, int64_t line,
                       int8_t *tiles)
{
    for (int32_t at = 0; at < TILES_BYTES; at++) {
        int32_t m = at / TILES_COLUMNS, k = at % TILES_COLUMNS;
        int32_t tap = toeplitz_mask_tap_at(shape, box, line + k / TILES_STEP, k % TILES_STEP, m);
        for (int32_t p = 0; p < shape->pieces; p++)
            tiles[p * TILES_BYTES + at] = toeplitz_mask_piece_of(tap, p);
    }
}

static void fill_add(int64_t add, struct tiles_mask *mask)
{
    int32_t top = tiles_classes(mask) - 1;
    for (int32_t i = 0; i < top; i++)
        mask->add[i] = (int32_t)(add >> 8 * i & 255);
    mask->add[top] = (int32_t)(add >> 8 * top);
}

swathe_status toeplitz_mask(struct arena *arena, const struct op *op, const struct op_taps *taps,
                            const struct toeplitz_shape *shape, struct tiles_mask *mask)
{
    int32_t *box;
    uint8_t *used;
    int8_t *tiles;
    *mask = (struct tiles_mask){.halves = shape->halves, .pieces = shape->pieces};
    mask->shift = taps->shift - algorithm_common_bits(taps);
    TRY(mark_lines(arena, op, taps, shape, &used));
    TRY(choose_chunks(arena, shape, used, mask));
    TRY(fill_box(arena, op, taps, shape, &box));
    int64_t bytes = (int64_t)shape->pieces * TILES_BYTES;
    TRY(arena_new(arena, mask->chunk_count, bytes, "taps", &tiles));
    for (int32_t i = 0; i < mask->chunk_count; i++)
        fill_chunk(shape, box, mask->chunk_line[i], tiles + i * bytes);
    mask->tiles = tiles;
    fill_add(toeplitz_mask_added(op, taps), mask);
    return SWATHE_OK;
}
