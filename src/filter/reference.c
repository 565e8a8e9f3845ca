
#include "base/cancel.h"
#include "base/checked.h"
#include "base/cpu.h"
#include "filter/op.h"
#include "filter/rounding.h"
#include "image/view.h"

#include <math.h>
#include <string.h>

static void store_clamped(const struct op *op, const swathe_image *image, int64_t x, int64_t y,
                          int32_t c, int64_t value)
{
    int64_t low = (int64_t)op->low, high = (int64_t)op->high;
    sample_store(view_at(image, x, y, c), image->type, (double)ROUNDING_CLAMP(value, low, high));
}

/* Clamps float results. Integer results are rounded half up, and NaN becomes 0. */
static void store_real(const struct op *op, const swathe_image *image, int64_t x, int64_t y,
                       int32_t c, double value)
{
    if (op->arithmetic == ARITHMETIC_report_001)
        value = trunc(value);
    else if (!sample_is_float(image->type))
        value = rounding_half_up(value);
    else if (image->type == SWATHE_F32)
        value = (float)value;
    sample_store(view_at(image, x, y, c), image->type, ROUNDING_CLAMP(value, op->low, op->high));
}

/* Returns the sample at any coordinates; the border defines samples outside the image. */
static double reference_sample_at(const struct op *op, const swathe_image *in, int64_t x, int64_t y,
                                  int32_t c)
{
    int64_t at_x = border_index(&op->border, x, op->in_width);
    int64_t at_y = border_index(&op->border, y, op->in_height);
    if (at_x == BORDER_OUTSIDE || at_y == BORDER_OUTSIDE)
        return op_outside(op, c);
    return sample_load(view_at(in, at_x, at_y, c), in->type);
}

/* sum + k·p, rounded once to the type of the arithmetic */
static double add_product(const struct op_taps *taps, int64_t i, double p, double sum)
{
    return taps->d ? fma(taps->d[i], p, sum) : (double)fmaf(taps->f[i], (float)p, (float)sum);
}

/* Compilers may add floats in doubles (FLT_EVAL_METHOD 1): the cast rounds the sum. */
static double add_bias(const struct op *op, double sum)
{
    return op->real == SWATHE_F64 ? sum + op->bias : (double)(float)((float)sum + (float)op->bias);
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
                sum += w * (int64_t)reference_sample_at(
                               op, in, x + (int64_t)(i - taps->anchor_x) * op->dilate_x,
                               y + (int64_t)(j - taps->anchor_y) * op->dilate_y, c);
        }
    return sum;
}

static double real_sum(const struct op *op, const struct op_taps *taps, const swathe_image *in,
                       int64_t x, int64_t y, int32_t c)
{
    double sum = 0.0;
    for (int32_t j = 0; j < taps->height; j++)
        for (int32_t i = 0; i < taps->width; i++) {
            int64_t t = (int64_t)j * taps->width + i;
            if (!op_tap_is_zero(taps, t))
                sum = add_product(
                    taps, t,
                    reference_sample_at(op, in, x + (int64_t)(i - taps->anchor_x) * op->dilate_x,
                                        y + (int64_t)(j - taps->anchor_y) * op->dilate_y, c),
                    sum);
        }
    return sum;
}

/* Products are rounded before they are added, column by column. */
static double products_sum(const struct op *op, const struct op_taps *taps, const swathe_image *in,
                           int64_t x, int64_t y, int32_t c)
{
    volatile float sum = 0.0f; /* compilers may not fuse or widen */
    for (int32_t i = 0; i < taps->width; i++)
        for (int32_t j = 0; j < taps->height; j++) {
            double p = reference_sample_at(op, in, x + (int64_t)(i - taps->anchor_x) * op->dilate_x,
                                           y + (int64_t)(j - taps->anchor_y) * op->dilate_y, c);
            volatile float product = taps->f[(int64_t)j * taps->width + i] * (float)p;
            sum = sum + product;
        }
    return sum;
}

static void dense_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                        int64_t x, int64_t y, int32_t c)
{
    const struct op_taps *taps = &op->masks[op->results[c].mask];
    int64_t in_x = x + op->shift_x, in_y = y + op->shift_y;
    int32_t plane = op->results[c].plane;
    if (op->integer) {
        int64_t sum = integer_sum(op, taps, in, in_x, in_y, plane) + taps->add;
        store_clamped(op, out, x, y, c, ROUNDING_SHIFT(sum, taps->shift));
    } else {
        double sum = op->arithmetic == ARITHMETIC_report_002
                         ? products_sum(op, taps, in, in_x, in_y, plane)
                         : real_sum(op, taps, in, in_x, in_y, plane);
        store_real(op, out, x, y, c, add_bias(op, sum));
    }
}

static void mean_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                       int64_t x, int64_t y, int32_t c)
{
    int64_t n = op->mean_count;
    int64_t sum =
        integer_sum(op, &op->masks[0], in, x + op->shift_x, y + op->shift_y, op->results[c].plane);
    store_clamped(op, out, x, y, c, floor_div(2 * (sum + op->mean_add) + n, 2 * n));
}

/* The vertical pass of a term at one position. Columns outside the image use the border like all
 * samples. */
static int64_t integer_down(const struct op *op, const struct op_taps *down, const swathe_image *in,
                            int64_t x, int64_t y, int32_t c)
{
    return ROUNDING_SHIFT(integer_sum(op, down, in, x, y, c) + down->add, down->shift);
}

/* The sums of two passes: one term in integers, or several in reals. */
struct passes_sum {
    int64_t whole;
    double real;
};

/* Adds a term to the sums of a row. `middle` has a number for each column that the row reads. */
static void reference_add_term(const struct op *op, const struct op_term *term,
                               const swathe_image *in, int64_t y, int32_t plane,
                               struct passes_sum *middle, struct passes_sum *sums)
{
    const struct op_taps *across = &term->across;
    for (int64_t x = 0; x < op->out_width + op->left + op->right; x++) {
        int64_t in_x = x - op->left + op->shift_x;
        if (op->integer)
            middle[x].whole = integer_down(op, &term->down, in, in_x, y, plane);
        else
            middle[x].real = real_sum(op, &term->down, in, in_x, y, plane);
    }
    for (int64_t x = 0; x < op->out_width; x++)
        for (int32_t i = 0; i < across->width; i++) {
            int64_t at = x + op->left + (int64_t)(i - across->anchor_x) * op->dilate_x;
            if (op->integer)
                sums[x].whole += across->w[i] * middle[at].whole;
            else if (!op_tap_is_zero(across, i))
                sums[x].real = add_product(across, i, middle[at].real, sums[x].real);
        }
}

static void two_pass_row(const struct op *op, const swathe_image *in, const swathe_image *out,
                         int64_t y, int32_t c, struct passes_sum *sums)
{
    const struct op_taps *across = &op->terms[0].across;
    memset(sums, 0, (size_t)op->out_width * sizeof *sums);
    for (int32_t t = 0; t < op->term_count; t++)
        reference_add_term(op, &op->terms[t], in, y + op->shift_y, op->results[c].plane,
                           sums + op->out_width, sums);
    for (int64_t x = 0; x < op->out_width; x++)
        if (op->integer)
            store_clamped(op, out, x, y, c,
                          ROUNDING_SHIFT(sums[x].whole + across->add, across->shift));
        else
            store_real(op, out, x, y, c, add_bias(op, sums[x].real));
}

/* A sum over the planes of one pixel. */
static void mix_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                      int64_t x, int64_t y, int32_t c)
{
    const struct op_taps *taps = &op->masks[op->results[c].mask];
    int64_t whole = taps->add;
    double sum = 0.0;
    for (int32_t i = 0; i < taps->width; i++) {
        double p = sample_load(view_at(in, x, y, op_colour_plane(op, i)), in->type);
        if (op->integer)
            whole += taps->w[i] * (int64_t)p;
        else if (!op_tap_is_zero(taps, i))
            sum = add_product(taps, i, p, sum);
    }
    if (op->integer)
        store_clamped(op, out, x, y, c, ROUNDING_SHIFT(whole, taps->shift));
    else
        store_real(op, out, x, y, c, add_bias(op, sum));
}

static void join_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                       int64_t x, int64_t y, int32_t c)
{
    double samples[VIEW_CHANNELS_MAX];
    for (int32_t i = 0; i < op->joined; i++) {
        int32_t plane = op->results[c].plane + i * op_colours(op) / op->joined;
        samples[i] = sample_load(view_at(in, x, y, plane), in->type);
    }
    sample_store(view_at(out, x, y, c), out->type, op_join_apply(op, samples));
}

static void weigh_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                        int64_t x, int64_t y, int32_t c)
{
    const struct weights *weights = op->weights;
    int32_t plane = op->results[c].plane;
    int32_t from = weights->planes.channel >= 0 ? weights->planes.channel : plane;
    double sample = sample_load(view_at(in, x, y, plane), in->type);
    double weight = weights_of(weights, sample_load(view_at(in, x, y, from), in->type));
    sample_store(view_at(out, x, y, c), out->type,
                 op->results[c].mask == OP_PRODUCT  ? weights_product(sample, weight)
                 : op->results[c].mask == OP_WEIGHT ? weight
                                                    : sample);
}

static void divide_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                         int64_t x, int64_t y, int32_t c)
{
    double planes[VIEW_CHANNELS_MAX];
    for (int32_t p = 0; p < op->channels; p++)
        planes[p] = sample_load(view_at(in, x, y, p), in->type);
    sample_store(
        view_at(out, x, y, c), out->type,
        weights_divide(op->weights, &op->weights->quotient.part[op->results[c].mask], planes));
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
    const void *at = view_at(in, x + op->shift_x, y + op->shift_y, op->results[c].plane);
    if (op->integer && !sample_is_float(op->in) && !sample_is_float(op->out))
        store_clamped(&whole, out, x, y, c, (int64_t)sample_load(at, in->type));
    else
        store_real(&whole, out, x, y, c, sample_load(at, in->type));
}

static void point_pixel(const struct op *op, const swathe_image *in, const swathe_image *out,
                        int64_t x, int64_t y, int32_t c)
{
    double sample = sample_load(view_at(in, x, y, op->results[c].plane), in->type);
    sample_store(view_at(out, x, y, c), out->type,
                 point_apply(&op->points[op->results[c].mask], sample));
}

/* Runs one op: computes the samples of its result that are in `part`. */
static swathe_status run_op(const struct memory *memory, const struct op *op,
                            const swathe_image *in, const swathe_rect *part,
                            const swathe_image *out)
{
    int64_t columns = 2 * op->out_width + op->left + op->right;
    int64_t work = 0;
    bool stopped = false;
    struct passes_sum *sums;
    TRY(memory_new(memory, columns, sizeof *sums, "a reference row", &sums));
    for (int32_t c = 0; c < op->out_channels; c++)
        for (int64_t y = part->y; y < part->y + part->height && !stopped; y++) {
            bool copied = op->results[c].mask < 0;
            if (op->rule == STAGE_TWO_PASS && !copied) {
                two_pass_row(op, in, out, y, c, sums);
                stopped = cancel_after(&work, op->out_width * (op->tap_count + 1));
                continue;
            }
            for (int64_t x = part->x; x < part->x + part->width && !stopped; x++) {
                stopped = cancel_after(&work, op->tap_count + 1);
                if (copied)
                    copy_pixel(op, in, out, x, y, c);
                else if (op->rule == STAGE_POINT)
                    point_pixel(op, in, out, x, y, c);
                else if (op->rule == STAGE_MIX)
                    mix_pixel(op, in, out, x, y, c);
                else if (op->rule == STAGE_JOIN)
                    join_pixel(op, in, out, x, y, c);
                else if (op->rule == STAGE_WEIGH)
                    weigh_pixel(op, in, out, x, y, c);
                else if (op->rule == STAGE_DIVIDE)
                    divide_pixel(op, in, out, x, y, c);
                else if (op->rule == STAGE_MEAN)
                    mean_pixel(op, in, out, x, y, c);
                else
                    dense_pixel(op, in, out, x, y, c);
            }
        }
    memory_free(memory, sums);
    return cancel_now();
}

static swathe_status new_image(const struct memory *memory, const struct op *op,
                               swathe_image *image)
{
    swathe_shape shape = {0};
    shape.width = op->out_width;
    shape.height = op->out_height;
    shape.channels = op->out_channels;
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
