#include "file/fit_range.h"

#include "sample_value.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BITS = 22, BINS = 1 << KEY_BITS };

struct fit {
    uint64_t *bins; /* NULL: shares of 0 and 100 % need none */
    uint64_t count;
    double low, high;
    double none;   /* the value of missing samples; NaN: none */
    bool by_alpha; /* pixels with alpha 0 are missing */
};

/* The bits of a double, in the order of its value. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double of_key(uint64_t key)
{
    double value;
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_narrow(swathe_type type)
{
    return type == SWATHE_U8 || type == SWATHE_U16 || type == SWATHE_S16;
}

static int64_t bin_of(swathe_type type, double value)
{
    return is_narrow(type) ? (int64_t)value + 32768 : (int64_t)(key_of(value) >> (64 - KEY_BITS));
}

/* The ends of a bin. */
static double bin_end(swathe_type type, int64_t bin, bool upper)
{
    uint64_t step = UINT64_C(1) << (64 - KEY_BITS);
    if (is_narrow(type))
        return (double)(bin - 32768);
    return of_key((uint64_t)bin * step + (upper ? step - 1 : 0));
}

/* A row of one channel; `alpha` is that of the alpha channel, or NULL. */
static void add_row(struct fit *fit, const swathe_image *from, const uint8_t *at,
                    const uint8_t *alpha)
{
    for (int64_t x = 0; x < from->width; x++) {
        double value = sample_load(at + x * from->pixel_stride, from->type);
        if (!isfinite(value) || value == fit->none ||
            (alpha && sample_load(alpha + x * from->pixel_stride, from->type) == 0.0))
            continue;
        fit->low = fit->count == 0 || value < fit->low ? value : fit->low;
        fit->high = fit->count == 0 || value > fit->high ? value : fit->high;
        fit->count++;
        if (fit->bins)
            fit->bins[bin_of(from->type, value)]++;
    }
}

static swathe_status add_part(void *user, const swathe_image *from)
{
    struct fit *fit = user;
    for (int64_t y = 0; y < from->height; y++) {
        const uint8_t *row = (const uint8_t *)from->data + y * from->row_stride;
        const uint8_t *alpha = row + (from->alpha - 1) * from->channel_stride;
        for (int32_t c = 0; c < from->channels; c++)
            if (c != from->alpha - 1)
                add_row(fit, from, row + c * from->channel_stride,
                        from->alpha && fit->by_alpha ? alpha : NULL);
    }
    return SWATHE_OK;
}

/* The end that a share of the samples does not exceed. */
static double find_end(const struct fit *fit, swathe_type type, double share, bool upper)
{
    double rank = fmax(ceil(share / 100.0 * (double)fit->count), 1.0);
    uint64_t before = 0;
    for (int64_t bin = 0; bin < BINS; bin++) {
        before += fit->bins[bin];
        if ((double)before >= rank)
            return fmin(fmax(bin_end(type, bin, upper), fit->low), fit->high);
    }
    return fit->high;
}

swathe_status fit_measure(swathe_context *context, const swathe_plan *plan, swathe_source *source,
                          const swathe_run_options *options, bool by_alpha, const double shares[2],
                          double range[2])
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(plan, &info);
    bool mask = info.nodata && strcmp(info.nodata, "mask") == 0;
    struct fit fit = {.none = info.nodata && !mask ? strtod(info.nodata, NULL) : NAN,
                      .by_alpha = mask || (by_alpha && !info.nodata)};
    swathe_sink_info parts = SWATHE_INIT(swathe_sink_info);
    swathe_sink_callbacks callbacks = SWATHE_INIT(swathe_sink_callbacks);
    swathe_sink *sink = NULL;
    swathe_status status = swathe_plan_output(plan, source, &options->region, &parts.shape, NULL);
    bool by_bins = shares[0] > 0.0 || shares[1] < 100.0;
    if (status == SWATHE_OK && by_bins && !(fit.bins = calloc(BINS, sizeof *fit.bins)))
        status = SWATHE_ERROR_MEMORY;
    callbacks.user = &fit;
    callbacks.write = add_part;
    if (status == SWATHE_OK)
        status = swathe_sink_wrap(context, &parts, &callbacks, &sink);
    if (status == SWATHE_OK)
        status = swathe_run_stream(context, plan, source, sink, options);
    if (status == SWATHE_OK) {
        bool some = by_bins && fit.count > 0;
        range[0] = some ? find_end(&fit, parts.shape.type, shares[0], false) : fit.low;
        range[1] = some ? find_end(&fit, parts.shape.type, shares[1], true) : fit.high;
    }
    swathe_sink_destroy(sink);
    free(fit.bins);
    return status;
}
