#include "canvas.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 4096 }; /* bytes before a view that are checked for stray writes */

static int64_t size_of(swathe_type type)
{
    static const int64_t sizes[] = {0, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

static char *at(const swathe_image *image, int64_t x, int64_t y, int32_t c)
{
    return (char *)image->data + (y - image->y) * image->row_stride +
           (x - image->x) * image->pixel_stride + c * image->channel_stride;
}

/* Strides of a layout, relative to the first sample. */
static void set_strides(swathe_image *view, enum canvas_layout layout)
{
    int64_t size = size_of(view->type), c = view->channels;
    bool planar = layout == CANVAS_PLANAR || layout == CANVAS_PLANAR_PADDED;
    bool gaps = layout == CANVAS_PADDED || layout == CANVAS_PLANAR_PADDED;
    view->pixel_stride = planar ? size : size * (c + (layout == CANVAS_PADDED));
    view->row_stride = view->pixel_stride * view->width + (gaps ? 5 * size : 0);
    view->channel_stride = planar ? view->row_stride * view->height : size;
    if (layout == CANVAS_UPSIDE_DOWN)
        view->row_stride = -view->row_stride;
    if (layout == CANVAS_MIRRORED) {
        view->pixel_stride = -view->pixel_stride;
        view->channel_stride = -view->channel_stride;
    }
}

/* Bytes from the first sample down to the lowest one and up to the end of the highest one. */
static void find_reach(const swathe_image *view, int64_t *low, int64_t *high)
{
    int64_t reach[3] = {(view->height - 1) * view->row_stride,
                        (view->width - 1) * view->pixel_stride,
                        (view->channels - 1) * view->channel_stride};
    *low = 0;
    *high = size_of(view->type);
    for (int i = 0; i < 3; i++)
        *(reach[i] > 0 ? high : low) += reach[i];
}

swathe_image canvas_view(const struct guarded *memory, const swathe_shape *shape,
                         const swathe_rect *rect, enum canvas_layout layout)
{
    swathe_image view = SWATHE_INIT(swathe_image);
    view.type = shape->type;
    view.channels = shape->channels;
    view.alpha = shape->alpha;
    view.color = shape->color;
    view.x = rect->x;
    view.y = rect->y;
    view.width = rect->width;
    view.height = rect->height;
    view.full_width = shape->width;
    view.full_height = shape->height;
    set_strides(&view, layout);
    int64_t low, high;
    find_reach(&view, &low, &high);
    if (high - low > memory->end - memory->start) {
        fprintf(stderr, "a view of %" PRId64 " bytes does not fit its canvas\n", high - low);
        exit(99);
    }
    view.data = memory->end - high; /* the highest sample ends at the guard page */
    return view;
}

static float special_float(struct rng *rng)
{
    static const float values[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f, -1e-45f, 3e38f};
    return values[rng_next(rng) % (sizeof values / sizeof *values)];
}

static double special_double(struct rng *rng)
{
    static const double values[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-310, -5e-324, 1e308};
    return values[rng_next(rng) % (sizeof values / sizeof *values)];
}

static void set_sample(char *p, swathe_type type, uint64_t bits, struct rng *rng, bool special)
{
    if (type == SWATHE_F32) {
        float f = (float)rng_unit(rng);
        if (special && rng_once_in(rng, 40))
            f = special_float(rng);
        memcpy(p, &f, sizeof f);
    } else if (type == SWATHE_F64) {
        double d = rng_unit(rng);
        if (special && rng_once_in(rng, 40))
            d = special_double(rng);
        memcpy(p, &d, sizeof d);
    } else if (type == SWATHE_U8) {
        *p = (char)(unsigned char)bits;
    } else if (size_of(type) == 4) {
        uint32_t v = (uint32_t)bits;
        memcpy(p, &v, sizeof v);
    } else {
        uint16_t v = (uint16_t)bits;
        memcpy(p, &v, sizeof v);
    }
}

void canvas_fill(const swathe_image *image, uint64_t seed, bool special)
{
    struct rng rng = {seed};
    /* Extreme values provoke overflows that noise does not. */
    int kind = (int)rng_between(&rng, 0, 5);
    for (int64_t y = image->y; y < image->y + image->height; y++)
        for (int64_t x = image->x; x < image->x + image->width; x++)
            for (int32_t c = 0; c < image->channels; c++) {
                uint64_t bits = rng_next(&rng);
                if (kind == 0)
                    bits = 0xffffffff;
                else if (kind == 1)
                    bits = bits & 1 ? 0xffffffff : 0;
                else if (kind == 2 && size_of(image->type) == 4)
                    bits = bits & 1 ? 0x80000000 : 0x7fffffff;
                else if (kind == 2)
                    bits = bits & 1 ? 0x8000 : 0x7fff;
                set_sample(at(image, x, y, c), image->type, bits, &rng, special);
            }
}

static void set_value(char *p, swathe_type type, double value)
{
    uint32_t wide = value < 0.0 ? (uint32_t)(int32_t)value : value > 0.0 ? (uint32_t)value : 0;
    uint16_t narrow = (uint16_t)wide;
    float single = (float)value;
    if (type == SWATHE_F32)
        memcpy(p, &single, sizeof single);
    else if (type == SWATHE_F64)
        memcpy(p, &value, sizeof value);
    else if (type == SWATHE_U8)
        *p = (char)(unsigned char)wide;
    else if (size_of(type) == 4)
        memcpy(p, &wide, sizeof wide);
    else
        memcpy(p, &narrow, sizeof narrow);
}

void canvas_holes(const swathe_image *image, uint64_t seed, int32_t channel, double value)
{
    struct rng rng = {seed ^ 0x5eed};
    int64_t share = rng_between(&rng, 1, 20);
    for (int64_t y = image->y; y < image->y + image->height; y++)
        for (int64_t x = image->x; x < image->x + image->width; x++)
            for (int32_t c = 0; c < image->channels; c++)
                if ((channel < 0 || c == channel) && rng_between(&rng, 1, 20) <= share)
                    set_value(at(image, x, y, c), image->type, value);
}

static void set_samples(const swathe_image *image, uint8_t byte)
{
    for (int64_t y = image->y; y < image->y + image->height; y++)
        for (int64_t x = image->x; x < image->x + image->width; x++)
            for (int32_t c = 0; c < image->channels; c++)
                memset(at(image, x, y, c), byte, (size_t)size_of(image->type));
}

/* The bytes of `memory`, starting MARGIN bytes before the view. */
static struct guarded around(const struct guarded *memory, const swathe_image *image)
{
    int64_t low, high;
    find_reach(image, &low, &high);
    uint8_t *first = (uint8_t *)image->data + low;
    struct guarded part = *memory;
    if (first - part.start > MARGIN)
        part.start = first - MARGIN;
    return part;
}

void canvas_clear(const struct guarded *memory, const swathe_image *image, uint8_t byte)
{
    struct guarded part = around(memory, image);
    memset(part.start, byte, (size_t)(part.end - part.start));
}

bool canvas_untouched(const struct guarded *memory, const swathe_image *image, uint8_t byte)
{
    struct guarded part = around(memory, image);
    set_samples(image, byte);
    for (const uint8_t *p = part.start; p < part.end; p++)
        if (*p != byte)
            return false;
    return true;
}

void canvas_copy(const swathe_image *from, const swathe_image *to)
{
    for (int64_t y = to->y; y < to->y + to->height; y++)
        for (int64_t x = to->x; x < to->x + to->width; x++)
            for (int32_t c = 0; c < to->channels; c++)
                memcpy(at(to, x, y, c), at(from, x, y, c), (size_t)size_of(to->type));
}

double canvas_get(const swathe_image *image, int64_t x, int64_t y, int32_t c)
{
    const char *p = at(image, x, y, c);
    union {
        uint8_t u8;
        uint16_t u16;
        int16_t s16;
        float f32;
        uint32_t u32;
        int32_t s32;
        double f64;
    } v;
    memcpy(&v, p, (size_t)size_of(image->type));
    const double values[] = {0.0, v.u8, v.u16, v.s16, (double)v.f32, v.u32, v.s32, v.f64};
    return values[image->type];
}
