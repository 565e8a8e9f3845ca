/* Compares two images, one strip at a time. */
#include "run/run.h"

#include "base/checked.h"
#include "image/view.h"
#include "run/part.h"

#include <math.h>

enum { STRIP_BYTES = 1 << 22 };

struct sums {
    double squares, absolute;
};

/* The peak value for the PSNR: the range of the wider type. */
static double run_compare_peak(swathe_type a, swathe_type b)
{
    if (sample_is_float(a) || sample_is_float(b))
        return 1.0;
    const struct sample_entry *x = sample_entry(a), *y = sample_entry(b);
    return fmax(x->highest - x->lowest, y->highest - y->lowest);
}

static swathe_status new_strip(const struct memory *memory, const swathe_shape *shape, int64_t rows,
                               swathe_image *strip)
{
    swathe_shape part = *shape;
    int64_t bytes;
    void *data;
    part.height = rows;
    TRY(shape_bytes(&part, &bytes));
    TRY(memory_new_raw(memory, bytes, 1, "a strip", &data));
    TRY(view_init(&part, SWATHE_INTERLEAVED, data, strip));
    strip->full_height = shape->height;
    return SWATHE_OK;
}

/* |a − b|: 0 for two NaNs or equal infinities, infinity if only one is finite. */
static double run_compare_distance(double a, double b)
{
    if (a == b || (isnan(a) && isnan(b)))
        return 0.0;
    double d = fabs(a - b);
    return isnan(d) ? INFINITY : d;
}

static void compare_row(const double *a, const double *b, int64_t y, const swathe_shape *shape,
                        struct sums *sums, swathe_difference *out)
{
    for (int64_t i = 0; i < shape->width * shape->channels; i++) {
        double d = run_compare_distance(a[i], b[i]);
        if (d == 0.0)
            continue;
        out->samples++;
        sums->absolute += d;
        sums->squares += d * d;
        if (d > out->maximum) {
            out->maximum = d;
            out->x = i / shape->channels;
            out->y = y;
            out->channel = (int32_t)(i % shape->channels);
        }
    }
}

static void to_doubles(const swathe_image *strip, int64_t y, double *to)
{
    const void *row = view_at(strip, 0, y, 0);
    int64_t count = strip->width * strip->channels;
    switch (strip->type) {
#define SAMPLE(constant, name, c_type, lowest, highest, summary)                                   \
    case constant:                                                                                 \
        for (int64_t i = 0; i < count; i++)                                                        \
            to[i] = (double)((const c_type *)row)[i];                                              \
        break;
#include "image/sample.def"
#undef SAMPLE
    default:
        break;
    }
}

struct pair {
    const swathe_source *source[2];
    swathe_image strip[2];
    double *row[2];
};

static swathe_status compare_strip(struct pair *pair, int64_t y, int64_t rows, struct sums *sums,
                                   swathe_difference *out)
{
    for (int i = 0; i < 2; i++) {
        pair->strip[i].y = y;
        pair->strip[i].height = rows;
        TRY(part_read(pair->source[i], &pair->strip[i]));
    }
    for (int64_t r = y; r < y + rows; r++) {
        for (int i = 0; i < 2; i++)
            to_doubles(&pair->strip[i], r, pair->row[i]);
        compare_row(pair->row[0], pair->row[1], r, &pair->source[0]->shape, sums, out);
    }
    return SWATHE_OK;
}

static swathe_status compare_all(const struct memory *memory, struct pair *pair,
                                 swathe_difference *out)
{
    const swathe_shape *shape = &pair->source[0]->shape;
    int64_t samples = shape->width * shape->channels;
    int64_t rows =
        min64(shape->height, max64(1, STRIP_BYTES / (samples * (int64_t)sizeof(double))));
    struct sums sums = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        TRY(new_strip(memory, &pair->source[i]->shape, rows, &pair->strip[i]));
        TRY(memory_new_raw(memory, samples, sizeof(double), "a row", &pair->row[i]));
    }
    for (int64_t y = 0; y < shape->height; y += rows)
        TRY(compare_strip(pair, y, min64(rows, shape->height - y), &sums, out));
    double count = (double)samples * (double)shape->height;
    double high = run_compare_peak(shape->type, pair->source[1]->shape.type);
    out->comparable = 1;
    out->equal = out->samples == 0;
    out->mean = sums.absolute / count;
    out->psnr = out->equal ? INFINITY : 10.0 * log10(high * high * count / sums.squares);
    return SWATHE_OK;
}

swathe_status run_compare(const struct memory *memory, const swathe_source *a,
                          const swathe_source *b, swathe_difference *difference)
{
    TRY(shape_check(&a->shape));
    TRY(shape_check(&b->shape));
    if (a->shape.width != b->shape.width || a->shape.height != b->shape.height ||
        a->shape.channels != b->shape.channels)
        return SWATHE_OK; /* not comparable, so not equal */
    struct pair pair = {.source = {a, b}};
    swathe_status status = compare_all(memory, &pair, difference);
    for (int i = 0; i < 2; i++) {
        memory_free(memory, pair.row[i]);
        memory_free(memory, pair.strip[i].data);
    }
    return status;
}
