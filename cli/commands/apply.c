#include "../../src/base/os_file.h"
#include "commands/known_words.h"
#include "commands/options.h"
#include "commands/request.h"
#include "file/file_job.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "video/video.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void tell_pages(const struct file_job *job)
{
    bool again = strcmp(job->in, "-") != 0;
    if (job->left_out > 0 && !options_has(job->options, OPTION_QUIET))
        complain(SWATHE_OK, "%s: has %" PRId64 " pages; only the first is written; %s",
                 path_read(job->in), job->left_out + 1,
                 again ? "choose with --page, or write TIFF" : "choose with --page");
}

/* Warns about frames and scans that the result does not have. */
static void tell_reduced(const struct file_job *job)
{
    const swathe_metadata *metadata = swathe_source_properties(job->source).metadata;
    const swathe_encoding *stored = metadata ? metadata->encoding : NULL;
    if (!stored || options_has(job->options, OPTION_QUIET))
        return;
    if (stored->frames > 1)
        complain(SWATHE_OK, "%s: is an animation of %d frames; only the first is written",
                 path_read(job->in), stored->frames);
    if (stored->progressive && strcmp(job->format, "jpeg") == 0)
        complain(SWATHE_OK, "%s: is a progressive JPEG; the result is a baseline JPEG",
                 path_read(job->in));
}

/* Warns about properties of the file that the result does not have. */
static void tell_expanded(const struct file_job *job)
{
    const swathe_metadata *metadata = swathe_source_properties(job->source).metadata;
    const swathe_encoding *stored = metadata ? metadata->encoding : NULL;
    if (!stored || options_has(job->options, OPTION_QUIET))
        return;
    if (stored->palette && job->shape.channels >= 3)
        complain(SWATHE_OK, "%s: has a colour map; the result stores the colours themselves",
                 path_read(job->in));
    else if (stored->bits > 0)
        complain(SWATHE_OK, "%s: has samples of %d bit%s; the result has wider samples",
                 path_read(job->in), stored->bits, stored->bits == 1 ? "" : "s");
}

/* Warns about metadata that the format of the result cannot store. */
static void tell_dropped(const struct file_job *job)
{
    const swathe_metadata *metadata = swathe_source_properties(job->source).metadata;
    swathe_table_entry format = SWATHE_INIT(swathe_table_entry);
    if (!metadata || options_has(job->options, OPTION_QUIET) ||
        !known_words_entry(SWATHE_TABLE_FORMATS, job->format, &format))
        return;
    const char *out = strcmp(job->out, "-") == 0 ? "standard output" : job->out;
    bool icc = format_keeps(&format, "icc") ||
               (format_keeps(&format, "rgb-icc") && job->shape.channels >= 3);
    if (metadata->encoding && metadata->encoding->orientation > 1 && !format_keeps(&format, "exif"))
        complain(SWATHE_OK,
                 "%s: %s cannot store the EXIF orientation; --orient turns the image "
                 "upright",
                 out, format.name);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(job->plan, &info);
    if (metadata->icc_size > 0 && info.result.channels - (info.result.alpha > 0) !=
                                      info.source.channels - (info.source.alpha > 0))
        complain(SWATHE_OK,
                 "%s: the colour profile (ICC) describes another number of colours; it is left out",
                 out);
    else if (metadata->icc_size > 0 && !icc)
        complain(SWATHE_OK, "%s: %s cannot store the colour profile (ICC); it is left out", out,
                 format.name);
}

/* Warns about missing samples that the format of the result does not mark. */
static void tell_unmarked(const struct file_job *job)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_table_entry format = SWATHE_INIT(swathe_table_entry);
    swathe_plan_get(job->plan, &info);
    if (info.nodata && strcmp(info.nodata, "mask") != 0 &&
        known_words_entry(SWATHE_TABLE_FORMATS, job->format, &format) &&
        !format_keeps(&format, "geo") && !options_has(job->options, OPTION_QUIET))
        complain(SWATHE_OK, "%s: %s cannot store which samples are missing; they are %s",
                 strcmp(job->out, "-") == 0 ? "standard output" : job->out, format.name,
                 info.nodata);
}

/* Names missing samples that no option named. */
static void tell_nodata(const struct file_job *job)
{
    if (job->nodata.from_tag && os_is_terminal(STANDARD_ERROR) &&
        !options_has(job->options, OPTION_QUIET))
        complain(SWATHE_OK, "%s: nodata %s from the file's GDAL tag; --nodata none ignores it",
                 path_read(job->in), job->nodata.text);
}

/* Names the range that --values fit found. */
static void tell_fitted(const struct file_job *job)
{
    if (job->fits && job->number == 0 && !options_has(job->options, OPTION_QUIET))
        complain(SWATHE_OK, "%s: fitted %.9g..%.9g to the whole range", path_read(job->in),
                 job->fitted[0], job->fitted[1]);
}

/* A type that holds what the type of the last filter's result does not. */
static const char *cli_apply_wider(swathe_type type)
{
    return type == SWATHE_U8 ? "s16" : type == SWATHE_U16 || type == SWATHE_S16 ? "s32" : "f64";
}

/* How to keep results that were clamped. */
static void cli_apply_advise(const struct file_job *job, const swathe_stage_info *last,
                             const swathe_plan_info *info, bool linear, bool same, char *advice,
                             size_t size)
{
    bool weighs =
        info->source.alpha > 0 && info->result.alpha > 0 && request_weighs_alpha(job->options);
    bool negative = job->clamped.below > job->clamped.above && last->output == SWATHE_U8;
    bool is_tiff = job->format && strcmp(job->format, "tiff") == 0;
    if (linear)
        snprintf(advice, size, "write linear light as floats: --type f32, in TIFF");
    else if (!same)
        snprintf(advice, size, "use a wider type, or --values fit");
    else if (is_tiff)
        snprintf(advice, size, "add --type %s%s", cli_apply_wider(last->output),
                 weighs ? " --alpha keep" : "");
    else
        snprintf(advice, size, "add :type=%s to the last filter and --values fit, or write TIFF%s",
                 cli_apply_wider(last->output), negative ? "; or add :bias=128" : "");
}

/* Warns about results that were clamped, if they are more than one in a thousand. */
static void cli_apply_tell_clamped(const struct file_job *job)
{
    const swathe_clamped *found = &job->clamped;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_stage_info last = SWATHE_INIT(swathe_stage_info);
    if (clamped_share(found) == 0.0 || options_has(job->options, OPTION_QUIET) ||
        swathe_plan_get(job->plan, &info) != SWATHE_OK)
        return;
    do /* stages that convert values follow the last filter */
        swathe_plan_stage(job->plan, --info.stages, &last);
    while (info.stages > 0 && strncmp(last.text, "values=", 7) == 0);
    bool linear = strcmp(last.text, "light=samples") == 0;
    /* The first of several stages that make one filter has its input. */
    bool same = last.input == last.output || info.source.type == last.output;
    if ((linear || same) && clamped_expected(job->chain))
        return;
    char advice[120], words[80];
    cli_apply_advise(job, &last, &info, linear, same, advice, sizeof advice);
    complain(SWATHE_OK,
             "%s: %s the range of their type or of clamp=, and were clamped; to keep them, %s",
             path_read(job->in), clamped_words(found, words, sizeof words), advice);
}

/* The largest result of a mask, without its bias. */
static double largest_result(const swathe_mask *mask, swathe_type type)
{
    double up = 0.0, down = 0.0;
    for (int64_t t = 0; t < (int64_t)mask->width * mask->height; t++)
        *(mask->taps[t] > 0.0 ? &up : &down) += fabs(mask->taps[t]);
    return type == SWATHE_S16 ? 32768.0 * (up + down)
                              : (type == SWATHE_U8 ? 255.0 : 65535.0) * fmax(up, down);
}

/* Are all results of a filter, without their bias, less than half a level? */
static bool cli_apply_vanishes(const swathe_chain *chain, int32_t i, const swathe_stage_info *stage)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    const double *before = NULL; /* the same again if all channels share one mask */
    int32_t m = 0;
    if (stage->input > SWATHE_S16 || stage->output > SWATHE_S16 || stage->taps == 0)
        return false;
    for (; swathe_chain_mask(chain, i, m, &mask) == SWATHE_OK && mask.taps && mask.taps != before;
         m++) {
        before = mask.taps;
        if (mask.bias != floor(mask.bias) || largest_result(&mask, stage->input) >= 0.5)
            return false;
    }
    return m > 0;
}

/* Warns about a filter of integers whose results are all less than half a level. */
static void tell_vanished(const struct file_job *job)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    if (options_has(job->options, OPTION_QUIET) || swathe_plan_get(job->plan, &info) != SWATHE_OK ||
        info.stages != swathe_chain_stages(job->chain))
        return;
    for (int32_t i = 0; i < info.stages; i++) {
        swathe_plan_stage(job->plan, i, &stage);
        if (cli_apply_vanishes(job->chain, i, &stage))
            complain(SWATHE_OK,
                     "%s: the results of %s are all less than half a level, and vanish; to see "
                     "them, add :type=f32 to it and --values fit",
                     path_read(job->in), stage.text);
    }
}

static int apply_image(struct file_job *job, const swathe_chain *chain)
{
    swathe_plan *plan = NULL;
    int code = file_job_open(job);
    if (code == 0)
        code = file_job_plan(job, chain, &plan);
    job->plan = plan;
    job->chain = chain;
    if (code == 0) {
        interrupt_soon();
        interrupt_catch();
        code = file_job_write(job);
        if (code == 0) {
            tell_nodata(job);
            tell_fitted(job);
            cli_apply_tell_clamped(job);
            tell_vanished(job);
            tell_pages(job);
            tell_reduced(job);
            tell_expanded(job);
            tell_dropped(job);
            tell_unmarked(job);
        }
    }
    swathe_plan_destroy(plan);
    file_job_close(job);
    return code;
}

/* IN decides whether it is an image or a video. */
static int cli_apply(struct file_job *job, const swathe_chain *chain)
{
    struct video_input input;
    bool is_video;
    int code = video_input_open(&input, job->in, &is_video);
    if (code != 0)
        return code;
    if (!is_video) {
        job->head = input.buffer;
        job->head_size = input.filled;
        return apply_image(job, chain);
    }
    job->progress->unit = PROGRESS_FRAMES;
    struct video_job video = {job->context, job->options, chain, &input, job->out, job->progress};
    code = video_apply(&video, &job->clamped);
    video_input_close(&input);
    return code;
}

int command_apply(const struct options *options)
{
    struct progress progress;
    struct file_job job = {
        .options = options,
        .in = options->arguments[1],
        .out = options->arguments[2],
        .threads = (int32_t)options_count(options, OPTION_THREADS),
        .progress = &progress,
    };
    swathe_chain *chain = NULL;
    swathe_status status = request_context(options, &job.context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    progress_start(&progress, path_read(job.in), PROGRESS_PIXELS, options);
    int code = request_chain(job.context, options, &chain);
    if (code == 0)
        code = cli_apply(&job, chain);
    progress.clamped = &job.clamped;
    progress_end(&progress, code);
    swathe_chain_destroy(chain);
    swathe_context_destroy(job.context);
    return code;
}
