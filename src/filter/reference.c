#include "filter/reference.h"

#include "base/checked.h"
#include "base/float_mode.h"
#include "filter/rounding.h"
#include "image/view.h"

#include <math.h>
#include <string.h>

static int64_t load_integer(const swathe_image *image, int64_t x, int64_t y, int32_t c)
{
    const void *at = view_at(image, x, y, c);
    if (image->type == SWATHE_U8)
        return *(const uint8_t *)at;
    return image->type == SWATHE_U16 ? *(const uint16_t *)at : *(const int16_t *)at;
}

static float load_float(const swathe_image *image, int64_t x, int64_t y, int32_t c)
{
    if (image->type == SWATHE_F32)
        return *(const float *)view_at(image, x, y, c);
    return (float)load_integer(image, x, y, c);
}

/* `value` is within the type's range. */
static void store_integer(const swathe_image *image, int64_t x, int64_t y, int32_t c, int64_t value)
{
    void *at = view_at(image, x, y, c);
    if (image->type == SWATHE_U8)
        *(uint8_t *)at = (uint8_t)value;
    else if (image->type == SWATHE_U16)
        *(uint16_t *)at = (uint16_t)value;
    else
        *(int16_t *)at = (int16_t)value;
}

static void store_clamped(const struct op *op, const swathe_image *image, int64_t x, int64_t y,
                          int32_t c, int64_t value)
{
    int64_t low = (int64_t)op->low, high = (int64_t)op->high;
    store_integer(image, x, y, c, ROUNDING_CLAMP(value, low, high));
}

/* Clamps float results. Integer results are rounded half up, and NaN becomes 0. */
static void store_float(const struct op *op, const swathe_image *image, int64_t x, int64_t y,
                        int32_t c, float value)
{
    if (image->type == SWATHE_F32) {
        value = ROUNDING_CLAMP(value, (float)op->low, (float)op->high);
        *(float *)view_at(image, x, y, c) = value;
        return;
    }
    double whole = (double)rounding_half_up(value);
    store_integer(image, x, y, c, (int64_t)ROUNDING_CLAMP(whole, op->low, op->high));
}

/* Returns the sample at any coordinates; the border defines samples outside the image. */
static int64_t integer_at(const struct op *op, const swathe_image *in, int64_t x, int64_t y,
                          int32_t c)
{
    int64_t at_x = border_index(&op->border, x, op->in_width);
    int64_t at_y = border_index(&op->border, y, op->in_height);
    if (at_x == BORDER_OUTSIDE || at_y == BORDER_OUTSIDE)
        return (int64_t)op->border.value;
    return load_integer(in, at_x, at_y, c);
}

static float float_at(const struct op *op, const swathe_image *in, int64_t x, int64_t y, int32_t c)
{
    int64_t at_x = border_index(&op->border, x, op->in_width);
    int64_t at_y = border_index(&op->border, y, op->in_height);
    if (at_x == BORDER_OUTSIDE || at_y == BORDER_OUTSIDE)
        return (float)op->border.value;
    return load_float(in, at_x, at_y, c);
}

/* Σ w·p at input position (x, y) */
static int64_t integer_sum(const struct op *op, const struct op_taps *taps, const swathe_image *in,
                           int64_t x, int64_t y, int32_t c)
{
    int64_t sum = 0;
    for (int32_t j = 0; j < taps->height; j++)
        for (int32_t i = 0; i < taps->width; i++) {
            int64_t w = taps->w ? taps->w[j * taps->width + i] : 1;
            if (w != 0)
                sum += w * integer_at(op, in, x + (int64_t)(i - taps->anchor_x) * op->dilate_x,
                                      y + (int64_t)(j - taps->anchor_y) * op->dilate_y, c);
        }
    return sum;
}

static float float_sum(const struct op *op, const struct op_taps *taps, const swathe_image *in,
                       int64_t x, int64_t y, int32_t c)
{
    float sum = 0.0f;
    for (int32_t j = 0; j < taps->height; j++)
        for (int32_t i = 0; i < taps->width; i++) {
            float f = taps->f[j * taps->width + i];
            if (f != 0.0f)
                sum = fmaf(f,
                           float_at(op, in, x + (int64_t)(i - taps->anchor_x) * op->dilate_x,
                                    y + (int64_t)(j - taps->anchor_y) * op->dilate_y, c),
                           sum);
        }
    return sum;
}

static void dense_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                        int64_t x, int64_t y, int32_t c)
{
    const struct op_taps *taps = op_channel(op, c);
    int64_t in_x = x + op->shift_x, in_y = y + op->shift_y;
    if (op->integer) {
        int64_t sum = integer_sum(op, taps, in, in_x, in_y, c) + taps->add;
        store_clamped(op, out, x, y, c, ROUNDING_SHIFT(sum, taps->shift));
    } else {
        store_float(op, out, x, y, c, float_sum(op, taps, in, in_x, in_y, c) + op->bias);
    }
}

static void mean_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                       int64_t x, int64_t y, int32_t c)
{
    int64_t n = op->mean_count;
    int64_t sum = integer_sum(op, &op->masks[0], in, x + op->shift_x, y + op->shift_y, c);
    store_clamped(op, out, x, y, c, floor_div(2 * (sum + op->mean_add) + n, 2 * n));
}

/* The vertical pass at one position. Columns outside the image use the border like all samples. */
static int64_t integer_down(const struct op *op, const swathe_image *in, int64_t x, int64_t y,
                            int32_t c)
{
    int64_t sum = integer_sum(op, &op->down, in, x, y, c) + op->down.add;
    return ROUNDING_SHIFT(sum, op->down.shift);
}

static void two_pass_row(const struct op *op, const swathe_image *in, const swathe_image *out,
                         int64_t y, int32_t c, int64_t *down_i, float *down_f)
{
    int64_t width = op->out_width + op->left + op->right, in_y = y + op->shift_y;
    for (int64_t x = 0; x < width; x++) {
        int64_t in_x = x - op->left + op->shift_x;
        if (op->integer)
            down_i[x] = integer_down(op, in, in_x, in_y, c);
        else
            down_f[x] = float_sum(op, &op->down, in, in_x, in_y, c);
    }
    for (int64_t x = 0; x < op->out_width; x++) {
        int64_t sum = op->across.add;
        float acc = 0.0f;
        for (int32_t i = 0; i < op->across.width; i++) {
            int64_t at = x + op->left + (int64_t)(i - op->across.anchor_x) * op->dilate_x;
            if (op->integer)
                sum += op->across.w[i] * down_i[at];
            else if (op->across.f[i] != 0.0f)
                acc = fmaf(op->across.f[i], down_f[at], acc);
        }
        if (op->integer)
            store_clamped(op, out, x, y, c, ROUNDING_SHIFT(sum, op->across.shift));
        else
            store_float(op, out, x, y, c, acc + op->bias);
    }
}

/* Copies a sample of the alpha channel if it is not filtered, converted to the type of the result
 * and its range. */
static void copy_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                       int64_t x, int64_t y, int32_t c)
{
    const struct sample_entry *entry = sample_entry(op->out);
    struct op whole = *op; /* clamp= applies to colours only */
    whole.low = entry->lowest;
    whole.high = entry->highest;
    int64_t in_x = x + op->shift_x, in_y = y + op->shift_y;
    if (op->integer)
        store_clamped(&whole, out, x, y, c, load_integer(in, in_x, in_y, c));
    else
        store_float(&whole, out, x, y, c, load_float(in, in_x, in_y, c));
}

/* Runs one op: computes the samples of its result that are in `part`. */
static swathe_status run_op(const struct memory *memory, const struct op *op,
                            const swathe_image *in, const swathe_rect *part,
                            const swathe_image *out)
{
    int64_t padded = op->out_width + op->left + op->right;
    int64_t *down_i = NULL;
    float *down_f = NULL;
    TRY(memory_new(memory, padded, sizeof *down_i, "a reference row", &down_i));
    swathe_status status = memory_new(memory, padded, sizeof *down_f, "a reference row", &down_f);
    for (int32_t c = 0; status == SWATHE_OK && c < op->channels; c++)
        for (int64_t y = part->y; y < part->y + part->height; y++) {
            if (op->rule == STAGE_TWO_PASS && c != op->copied) {
                two_pass_row(op, in, out, y, c, down_i, down_f);
                continue;
            }
            for (int64_t x = part->x; x < part->x + part->width; x++) {
                if (c == op->copied)
                    copy_pixel(op, in, out, x, y, c);
                else if (op->rule == STAGE_MEAN)
                    mean_pixel(op, in, out, x, y, c);
                else
                    dense_pixel(op, in, out, x, y, c);
            }
        }
    memory_free(memory, down_f);
    memory_free(memory, down_i);
    return status;
}

static swathe_status new_image(const struct memory *memory, const struct op *op,
                               swathe_image *image)
{
    swathe_shape shape = {0};
    shape.width = op->out_width;
    shape.height = op->out_height;
    shape.channels = op->channels;
    shape.type = op->out;
    int64_t bytes;
    void *data;
    TRY(shape_bytes(&shape, &bytes));
    TRY(memory_new(memory, bytes, 1, "a reference image", &data));
    return view_init(&shape, SWATHE_PLANAR, data, image);
}

swathe_status reference_run(const struct memory *memory, const struct op *ops, int32_t count,
                            const swathe_image *source, const swathe_image *result)
{
    swathe_image in = *source;
    swathe_status status = SWATHE_OK;
    struct float_mode mode = float_mode_enter();
    for (int32_t i = 0; i < count && status == SWATHE_OK; i++) {
        swathe_image out = *source;
        swathe_rect part = {0, 0, ops[i].out_width, ops[i].out_height};
        if (i == count - 1)
            part = view_rect(result);
        status = new_image(memory, &ops[i], &out);
        if (status == SWATHE_OK)
            status = run_op(memory, &ops[i], &in, &part, &out);
        if (in.data != source->data)
            memory_free(memory, in.data);
        in = out;
    }
    float_mode_leave(mode);
    if (status == SWATHE_OK)
        view_copy(&in, result);
    if (in.data != source->data)
        memory_free(memory, in.data);
    return status;
}
