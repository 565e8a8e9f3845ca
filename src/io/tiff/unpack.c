#include "io/tiff/form.h"

#include "image/sample.h"

#include <math.h>
#include <string.h>

bool tiff_unpack_in_place(const struct tiff_form *form)
{
    return form->unpack == TIFF_UNPACK_SAME && !form->palette && !form->separate && !form->by_rgba;
}

/* ---- Single samples ------------------------------------------------------------------------- */

/* Number `index` of a row of numbers of 1 to 31 bits, most significant bit first: up to 5 bytes. */
static uint32_t get_bits(const uint8_t *row, int64_t index, int bits)
{
    int64_t first = index * bits, last = first + bits - 1;
    uint64_t value = 0;
    for (int64_t byte = first / 8; byte <= last / 8; byte++)
        value = value << 8 | row[byte];
    return (uint32_t)(value >> (7 - last % 8)) & ((1u << bits) - 1);
}

static float half_to_float(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    float sign = half & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexpf((float)fraction, -24);
    return sign * ldexpf((float)(fraction + 1024), exponent - 25);
}

static uint8_t get_scaled(const uint8_t *row, int64_t index, int bits)
{
    unsigned highest = (1u << bits) - 1;
    return (uint8_t)((get_bits(row, index, bits) * 255 + highest / 2) / highest);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Copies `count` samples of `size` bytes, with strides `stride` and `step` in samples. */
static void copy_same(const uint8_t *from, int64_t stride, int64_t count, int size, uint8_t *to,
                      int64_t step)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(to + i * step * size, from + i * stride * size, (size_t)size);
}

static void store_bits(const struct tiff_form *form, const uint8_t *raw, int64_t index, uint8_t *to)
{
    uint32_t value = get_bits(raw, index, form->bits);
    uint16_t half = (uint16_t)value;
    if (form->shape.type == SWATHE_U8)
        *to = (uint8_t)value;
    else if (form->shape.type == SWATHE_U16)
        memcpy(to, &half, sizeof half);
    else
        memcpy(to, &value, sizeof value);
}

/* libtiff has converted the bytes to this machine's order. */
static void store_24(const uint8_t *raw, int64_t index, uint8_t *to)
{
    memset(to, 0, 4);
    memcpy(tiff_predict_little_endian() ? to : to + 1, raw + index * 3, 3);
}

static void tiff_unpack_store_half(const uint8_t *raw, int64_t index, uint8_t *to)
{
    uint16_t half;
    memcpy(&half, raw + index * 2, sizeof half);
    float value = half_to_float(half);
    memcpy(to, &value, sizeof value);
}

static void store_s8(const uint8_t *raw, int64_t index, uint8_t *to)
{
    int16_t value = (int8_t)raw[index];
    memcpy(to, &value, sizeof value);
}

/* Unpacks one sample of each pixel, from positions first, first + stride, … of `raw`. */
static void unpack_sample(const struct tiff_form *form, const uint8_t *raw, int64_t first,
                          int64_t stride, int64_t width, uint8_t *to)
{
    int size = sample_size(form->shape.type);
    int64_t step = (int64_t)form->shape.channels * size;
    for (int64_t x = 0; x < width; x++, to += step) {
        int64_t index = first + x * stride;
        switch (form->unpack) {
        case TIFF_UNPACK_SAME:
            break;
        case TIFF_UNPACK_SCALED:
            *to = get_scaled(raw, index, form->bits);
            break;
        case TIFF_UNPACK_BITS:
            store_bits(form, raw, index, to);
            break;
        case TIFF_UNPACK_24:
            store_24(raw, index, to);
            break;
        case TIFF_UNPACK_S8:
            store_s8(raw, index, to);
            break;
        case TIFF_UNPACK_HALF:
            tiff_unpack_store_half(raw, index, to);
            break;
        }
    }
}

void tiff_unpack_row(const struct tiff_form *form, int64_t plane, const uint8_t *raw, int64_t width,
                     uint8_t *row)
{
    int size = sample_size(form->shape.type);
    int64_t beside = tiff_form_samples(form);
    for (int64_t s = 0; s < beside; s++) {
        /* A palette index is expanded to three colours. */
        int64_t channel = plane + s + (form->palette && plane + s > 0 ? 2 : 0);
        uint8_t *to = row + channel * size;
        if (form->unpack == TIFF_UNPACK_SAME)
            copy_same(raw + s * size, beside, width, size, to, form->shape.channels);
        else
            unpack_sample(form, raw, s, beside, width, to);
    }
}

void tiff_unpack_rgba(const uint32_t *raw, int64_t width, uint8_t *row)
{
    for (int64_t x = 0; x < width; x++) {
        row[3 * x] = (uint8_t)TIFFGetR(raw[x]);
        row[3 * x + 1] = (uint8_t)TIFFGetG(raw[x]);
        row[3 * x + 2] = (uint8_t)TIFFGetB(raw[x]);
    }
}

/* ---- Pixels --------------------------------------------------------------------------------- */

static void map_colors(const struct tiff_form *form, int64_t pixels, uint8_t *samples)
{
    for (int64_t i = 0; i < pixels; i++, samples += form->shape.channels)
        memcpy(samples, form->map[samples[0]], 3);
}

void tiff_unpack_flip(uint8_t *sample, int32_t size, uint32_t mask)
{
    uint16_t half;
    uint32_t word;
    if (size == 1) {
        *sample ^= (uint8_t)mask;
    } else if (size == 2) {
        memcpy(&half, sample, sizeof half);
        half ^= (uint16_t)mask;
        memcpy(sample, &half, sizeof half);
    } else {
        memcpy(&word, sample, sizeof word);
        word ^= mask;
        memcpy(sample, &word, sizeof word);
    }
}

/* Samples that keep their numbers in a wider type. */
static bool has_fewer_bits(const struct tiff_form *form)
{
    return form->unpack == TIFF_UNPACK_BITS || form->unpack == TIFF_UNPACK_24;
}

/* Inverts bits of one channel: all of them (0 is white), or the top one (signed to offset). */
static void flip_bits(const struct tiff_form *form, int32_t channel, bool all, int64_t pixels,
                      uint8_t *samples)
{
    int size = sample_size(form->shape.type);
    uint32_t top = 1u << ((has_fewer_bits(form) ? form->bits : 8 * size) - 1);
    uint32_t mask = all ? top | (top - 1) : top;
    for (int64_t i = 0; i < pixels; i++)
        tiff_unpack_flip(samples + (i * form->shape.channels + channel) * size, size, mask);
}

/* Colours are rounded down, and are 0 if alpha is 0, as in Pillow. */
#define DIVIDE_BY_ALPHA(name, type, wide)                                                          \
    static void name(const struct tiff_form *form, int64_t pixels, wide full, type *samples)       \
    {                                                                                              \
        int32_t at = form->shape.alpha - 1;                                                        \
        for (int64_t i = 0; i < pixels; i++, samples += form->shape.channels)                      \
            for (int32_t c = 0; c < at; c++) {                                                     \
                wide alpha = samples[at], color = samples[c];                                      \
                wide whole = alpha > 0 ? color * full / alpha : 0;                                 \
                samples[c] = (type)(whole > full && full > 1 ? full : whole);                      \
            }                                                                                      \
    }
DIVIDE_BY_ALPHA(divide_u8, uint8_t, uint64_t)
DIVIDE_BY_ALPHA(divide_u16, uint16_t, uint64_t)
DIVIDE_BY_ALPHA(divide_u32, uint32_t, uint64_t)
DIVIDE_BY_ALPHA(divide_f32, float, float)
DIVIDE_BY_ALPHA(divide_f64, double, double)

static void divide_by_alpha(const struct tiff_form *form, int64_t pixels, uint8_t *samples)
{
    int size = sample_size(form->shape.type);
    uint64_t full = ((uint64_t)1 << (has_fewer_bits(form) ? form->bits : 8 * size % 64)) - 1;
    if (form->shape.type == SWATHE_U8)
        divide_u8(form, pixels, full, samples);
    else if (form->shape.type == SWATHE_U16)
        divide_u16(form, pixels, full, (uint16_t *)(void *)samples);
    else if (form->shape.type == SWATHE_U32)
        divide_u32(form, pixels, full, (uint32_t *)(void *)samples);
    else if (form->shape.type == SWATHE_F32)
        divide_f32(form, pixels, 1.0f, (float *)(void *)samples);
    else
        divide_f64(form, pixels, 1.0, (double *)(void *)samples);
}

void tiff_unpack_finish(const struct tiff_form *form, int64_t pixels, uint8_t *samples)
{
    if (form->palette)
        map_colors(form, pixels, samples);
    if (form->invert)
        flip_bits(form, 0, true, pixels, samples);
    if (form->signed_lab) {
        flip_bits(form, 1, false, pixels, samples);
        flip_bits(form, 2, false, pixels, samples);
    }
    if (form->premultiplied)
        divide_by_alpha(form, pixels, samples);
}
