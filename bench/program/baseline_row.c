#include "baseline_place.h"

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

static float clamped(float sum, struct range range)
{
    return sum < range.least ? range.least : sum > range.most ? range.most : sum;
}

/* Rounds halves away from zero: adds a half, then the conversion truncates. */
static float rounded(float sum, struct range range)
{
    sum = clamped(sum, range);
    return sum < 0.0f ? sum - 0.5f : sum + 0.5f;
}

/* In samples. */
struct strides {
    int64_t row, pixel, plane, channels;
};

static int64_t sample_bytes(swathe_type type)
{
    return type == SWATHE_U8 ? 1 : type == SWATHE_F32 ? 4 : 2;
}

static struct strides strides_of(const swathe_image *image)
{
    int64_t size = sample_bytes(image->type);
    return (struct strides){image->row_stride / size, image->pixel_stride / size,
                            image->channel_stride / size, image->channels};
}

#define SAMPLE     uint8_t
#define NAME(word) word##_u8
#define STORE(sum) (uint8_t) rounded(sum, range)
#define CUT(sum)   (uint8_t) clamped(sum, range)
#include "baseline_body.h"

#define SAMPLE     uint16_t
#define NAME(word) word##_u16
#define STORE(sum) (uint16_t) rounded(sum, range)
#define CUT(sum)   (uint16_t) clamped(sum, range)
#include "baseline_body.h"

#define SAMPLE     int16_t
#define NAME(word) word##_s16
#define STORE(sum) (int16_t) rounded(sum, range)
#define CUT(sum)   (int16_t) clamped(sum, range)
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
