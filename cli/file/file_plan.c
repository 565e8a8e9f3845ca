/* The plan of a file: with the type that its format holds, and with the range that --values fit
 * finds in a first pass. */
#include "commands/request.h"
#include "commands/value.h"
#include "file/background.h"
#include "file/file_job.h"
#include "sample_value.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- The range of a result ------------------------------------------------------------------ */

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

static bool file_plan_is_narrow(swathe_type type)
{
    return type == SWATHE_U8 || type == SWATHE_U16 || type == SWATHE_S16;
}

static int64_t bin_of(swathe_type type, double value)
{
    return file_plan_is_narrow(type) ? (int64_t)value + 32768
                                     : (int64_t)(key_of(value) >> (64 - KEY_BITS));
}

/* The ends of a bin. */
static double bin_end(swathe_type type, int64_t bin, bool upper)
{
    uint64_t step = UINT64_C(1) << (64 - KEY_BITS);
    if (file_plan_is_narrow(type))
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

/* Runs a plan and measures the finite samples of all channels except alpha, without storing the
 * result. Missing samples are not measured, and `by_alpha` leaves out pixels whose alpha is 0. The
 * ends belong to shares in percent, 0 and 100: the lowest and the highest sample. An
 * end is the smallest value that at least its share of the samples does not exceed: exact for
 * samples of 8 and 16 bits; otherwise up to 2^-10 of its magnitude further out. An image without
 * finite samples has the range 0..0. */
static swathe_status fit_measure(swathe_context *context, const swathe_plan *plan,
                                 swathe_source *source, const swathe_run_options *options,
                                 bool by_alpha, const double shares[2], double range[2])
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

/* ---- Plans ---------------------------------------------------------------------------------- */

static int file_plan_refuse(const struct file_job *job, swathe_status status)
{
    /* Wrong option values are errors of the command; other failures concern this image. */
    return complain_library(status, status == SWATHE_ERROR_ARGUMENT ? NULL : path_read(job->in));
}

static swathe_status file_plan_make(const struct file_job *job, const swathe_chain *chain,
                                    const swathe_plan_options *wanted, swathe_plan **plan)
{
    return swathe_plan_create(job->context, chain, &job->shape, wanted, plan);
}

/* The type that the format of OUT holds instead of the plan's own. An unknown format is reported
 * when OUT is created. */
static swathe_type held_type(const struct file_job *job, const swathe_plan *plan,
                             swathe_values values)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_write_options write = SWATHE_INIT(swathe_write_options);
    swathe_type type;
    swathe_plan_get(plan, &info);
    write.format = options_text(job->options, OPTION_FORMAT);
    swathe_shape shape = background_shape(job->options, &info.result);
    if (swathe_file_type(job->out, &write, &shape, values, &type) != SWATHE_OK)
        return info.result.type;
    return type;
}

/* Replaces the plan if the format of OUT does not hold its type, but can hold the scaled
 * samples. */
static int file_plan_adapt(const struct file_job *job, const swathe_chain *chain,
                           swathe_plan_options *wanted, swathe_plan **plan)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan *other;
    swathe_plan_get(*plan, &info);
    wanted->type = held_type(job, *plan, wanted->values);
    if (wanted->type == info.result.type)
        return 0;
    swathe_status status = file_plan_make(job, chain, wanted, &other);
    if (status != SWATHE_OK)
        return file_plan_refuse(job, status);
    swathe_plan_destroy(*plan);
    *plan = other;
    return 0;
}

static int32_t file_plan_stop_if_asked(void *user, int64_t done, int64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return interrupt_caught() != 0;
}

/* The first pass of --values fit: plans the chain alone, and measures its result. */
static int file_plan_measure(struct file_job *job, const swathe_chain *chain,
                             const double shares[2], swathe_plan_options *wanted)
{
    swathe_plan_options alone = *wanted;
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    swathe_plan *plan = NULL;
    alone.type = SWATHE_TYPE_DEFAULT;
    alone.values = SWATHE_VALUES_DEFAULT;
    run.threads = job->threads;
    run.progress = file_plan_stop_if_asked;
    if (options_has(job->options, OPTION_REGION))
        value_region(options_text(job->options, OPTION_REGION), &run.region);
    swathe_status status = file_plan_make(job, chain, &alone, &plan);
    if (status != SWATHE_OK)
        return file_plan_refuse(job, status);
    if (!wanted->type)
        wanted->type = held_type(job, plan, SWATHE_VALUES_FIT);
    status = fit_measure(job->context, plan, job->source, &run, request_weighs_alpha(job->options),
                         shares, job->fitted);
    swathe_plan_destroy(plan);
    if (interrupt_caught())
        return EXIT_SIGNAL + interrupt_caught();
    return status == SWATHE_OK ? 0 : file_plan_refuse(job, status);
}

static int plan_fit(struct file_job *job, const swathe_chain *chain, const double shares[2],
                    swathe_plan_options *wanted, swathe_plan **plan)
{
    if (strcmp(job->in, "-") == 0)
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "standard input: --values fit reads the image twice; name a file, or give "
                        "the range, as in --values 'fit(0..4095)'");
    int code = file_plan_measure(job, chain, shares, wanted);
    if (code == 0)
        code = file_job_reopen(job);
    if (code != 0)
        return code;
    wanted->values = SWATHE_VALUES_FIT;
    wanted->values_low = job->fitted[0];
    wanted->values_high = job->fitted[1];
    job->fits = true;
    swathe_status status = file_plan_make(job, chain, wanted, plan);
    return status == SWATHE_OK ? 0 : file_plan_refuse(job, status);
}

/* Alpha of 255 in a file of floats would be read as more than opaque, and 1 of it as opaque: who
 * reads the file cannot know that its numbers were kept. */
static int check_alpha(const struct file_job *job, const swathe_plan_options *wanted,
                       const swathe_plan *plan)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_stage_info last = SWATHE_INIT(swathe_stage_info);
    swathe_plan_get(plan, &info);
    swathe_plan_stage(plan, info.stages - 1, &last);
    bool weighs = !wanted->nodata && request_weighs_alpha(job->options);
    if (!weighs || wanted->light || info.source.alpha == 0 || info.result.alpha == 0 ||
        info.source.type == info.result.type || strncmp(last.text, "values=", 7) == 0)
        return 0;
    return complain(SWATHE_ERROR_ARGUMENT,
                    "%s: its alpha would keep its numbers in the result, where opaque is another "
                    "number; add --values scale, or --alpha keep if you know that",
                    path_read(job->in));
}

int file_job_plan(struct file_job *job, const swathe_chain *chain, swathe_plan **plan)
{
    swathe_plan_options wanted;
    double shares[2];
    int code = request_plan(job->options, &wanted);
    if (code == 0)
        code = nodata_find(job->options, job->source, &job->nodata);
    if (code != 0)
        return code;
    swathe_curves curves;
    wanted.nodata = nodata_text(&job->nodata);
    wanted.curves = request_curves(job->options, job->source, &curves);
    if (request_shares(job->options, shares))
        return plan_fit(job, chain, shares, &wanted, plan);
    swathe_status status = file_plan_make(job, chain, &wanted, plan);
    if (status != SWATHE_OK)
        return file_plan_refuse(job, status);
    code = wanted.type ? 0 : file_plan_adapt(job, chain, &wanted, plan);
    if (code == 0)
        code = check_alpha(job, &wanted, *plan);
    if (code != 0) {
        swathe_plan_destroy(*plan);
        *plan = NULL;
    }
    return code;
}
