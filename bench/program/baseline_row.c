#include "baseline.h"

#include <string.h>

/* ---- Borders --------------------------------------------------------------------------------- */

enum { OUTSIDE = -1 }; /* the sample is zero */

/* Reflects more than once if the mask is wider than the image. */
static int64_t baseline_row_mapped(enum baseline_border border, int64_t i, int64_t n)
{
    if (border == BASELINE_ZERO)
        return OUTSIDE;
    if (border == BASELINE_REPLICATE)
        return i < 0 ? 0 : n - 1;
    while (i < 0 || i >= n)
        i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

/* The index, among n samples, of the one used at coordinate i. */
static inline int64_t baseline_row_place(enum baseline_border border, int64_t i, int64_t n)
{
    return i >= 0 && i < n ? i : baseline_row_mapped(border, i, n);
}

void baseline_pad(const struct baseline *b, const swathe_image *padded)
{
    const swathe_image *from = b->from;
    const int64_t r = b->k / 2, size = padded->pixel_stride;
    for (int32_t c = 0; c < padded->channels; c++)
        for (int64_t y = 0; y < padded->height; y++) {
            int64_t v = baseline_row_place(b->border, y - r, from->height);
            for (int64_t x = 0; x < padded->width; x++) {
                int64_t u = baseline_row_place(b->border, x - r, from->width);
                char *to = (char *)padded->data + c * padded->channel_stride +
                           y * padded->row_stride + x * size;
                if (u == OUTSIDE || v == OUTSIDE)
                    memset(to, 0, (size_t)size);
                else
                    memcpy(to,
                           (const char *)from->data + c * from->channel_stride +
                               v * from->row_stride + u * from->pixel_stride,
                           (size_t)size);
            }
        }
}

/* ---- Loops ----------------------------------------------------------------------------------- */

struct range {
    float least, most;
};

static struct range range_of(const struct baseline *b)
{
    if (b->least != b->most)
        return (struct range){b->least, b->most};
    switch (b->to->type) {
    case SWATHE_U8:
        return (struct range){0.0f, UINT8_MAX};
    case SWATHE_U16:
        return (struct range){0.0f, UINT16_MAX};
    default:
        return (struct range){INT16_MIN, INT16_MAX};
    }
}

static float baseline_row_clamped(float sum, struct range range)
{
    return sum < range.least ? range.least : sum > range.most ? range.most : sum;
}

/* Rounds halves away from zero: adds a half, then the conversion truncates. */
static float baseline_row_rounded(float sum, struct range range)
{
    sum = baseline_row_clamped(sum, range);
    return sum < 0.0f ? sum - 0.5f : sum + 0.5f;
}

/* In samples. */
struct strides {
    int64_t row, pixel, plane, channels;
};

static int64_t baseline_row_sample_bytes(swathe_type type)
{
    return type == SWATHE_U8 ? 1 : type == SWATHE_F32 ? 4 : 2;
}

static struct strides strides_of(const swathe_image *image)
{
    int64_t size = baseline_row_sample_bytes(image->type);
    return (struct strides){image->row_stride / size, image->pixel_stride / size,
                            image->channel_stride / size, image->channels};
}

#define SAMPLE     uint8_t
#define NAME(word) word##_u8
#define STORE(sum) (uint8_t) baseline_row_rounded(sum, range)
#define CUT(sum)   (uint8_t) baseline_row_clamped(sum, range)
#include "baseline_body.h"

#define SAMPLE     uint16_t
#define NAME(word) word##_u16
#define STORE(sum) (uint16_t) baseline_row_rounded(sum, range)
#define CUT(sum)   (uint16_t) baseline_row_clamped(sum, range)
#include "baseline_body.h"

#define SAMPLE     int16_t
#define NAME(word) word##_s16
#define STORE(sum) (int16_t) baseline_row_rounded(sum, range)
#define CUT(sum)   (int16_t) baseline_row_clamped(sum, range)
#include "baseline_body.h"

#define SAMPLE     float
#define NAME(word) word##_f32
#define STORE(sum) sum
#define CUT(sum)   sum
#include "baseline_body.h"

typedef void row_loop(const struct baseline *b, int64_t y);

static const struct {
    row_loop *checked, *products;
    void (*padded)(const struct baseline *b);
} loops[] = {
    [SWATHE_U8] = {checked_u8, products_u8, padded_u8},
    [SWATHE_U16] = {checked_u16, products_u16, padded_u16},
    [SWATHE_S16] = {checked_s16, products_s16, padded_s16},
    [SWATHE_F32] = {checked_f32, products_f32, padded_f32},
};

void baseline_row(const struct baseline *b, int64_t y)
{
    bool products = b->way->form == BASELINE_PRODUCTS;
    (products ? loops[b->from->type].products : loops[b->from->type].checked)(b, y);
}

void baseline_planes(const struct baseline *b)
{
    loops[b->from->type].padded(b);
}
