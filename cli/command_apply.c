#include "file_job.h"
#include "format_options.h"
#include "interrupt.h"
#include "message.h"
#include "request.h"
#include "words.h"

#include <inttypes.h>
#include <string.h>

static void tell_pages(const struct file_job *job)
{
    bool again = strcmp(job->in, "-") != 0;
    if (job->left_out > 0 && !options_has(job->options, OPTION_QUIET))
        complain(SWATHE_OK, "%s: has %" PRId64 " pages; only the first is written; %s",
                 path_read(job->in), job->left_out + 1,
                 again ? "choose with --page, or write TIFF" : "choose with --page");
}

/* Warns about properties of the file that the result does not have. */
static void tell_expanded(const struct file_job *job)
{
    const swathe_source *source = job->source;
    const swathe_encoding *stored = source->metadata ? source->metadata->encoding : NULL;
    if (!stored || options_has(job->options, OPTION_QUIET))
        return;
    if (stored->palette && source->shape.channels >= 3)
        complain(SWATHE_OK, "%s: has a colour map; the result stores the colours themselves",
                 path_read(job->in));
    else if (stored->bits > 0)
        complain(SWATHE_OK, "%s: has samples of %d bit%s; the result has wider samples",
                 path_read(job->in), stored->bits, stored->bits == 1 ? "" : "s");
}

/* Warns about metadata that the format of the result cannot store. */
static void tell_dropped(const struct file_job *job)
{
    const swathe_source *source = job->source;
    const swathe_metadata *metadata = source->metadata;
    swathe_table_entry format = SWATHE_INIT(swathe_table_entry);
    if (!metadata || options_has(job->options, OPTION_QUIET) ||
        !words_entry(SWATHE_TABLE_FORMATS, job->format, &format))
        return;
    const char *out = strcmp(job->out, "-") == 0 ? "standard output" : job->out;
    bool icc = format_keeps(&format, "icc") ||
               (format_keeps(&format, "rgb-icc") && source->shape.channels >= 3);
    if (metadata->encoding && metadata->encoding->orientation > 1 && !format_keeps(&format, "exif"))
        complain(SWATHE_OK,
                 "%s: %s cannot store the EXIF orientation; --orient turns the image "
                 "upright",
                 out, format.name);
    if (metadata->icc_size > 0 && !icc)
        complain(SWATHE_OK, "%s: %s cannot store the colour profile (ICC); it is left out", out,
                 format.name);
}

static int apply(struct file_job *job, const swathe_chain *chain)
{
    swathe_plan *plan = NULL;
    int code = file_job_open(job);
    if (code == 0)
        code = file_job_plan(job, chain, &plan);
    job->plan = plan;
    job->chain = chain;
    if (code == 0) {
        interrupt_catch();
        code = file_job_write(job);
        if (code == 0) {
            tell_pages(job);
            tell_expanded(job);
            tell_dropped(job);
        }
    }
    swathe_plan_destroy(plan);
    file_job_close(job);
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
    int code = request_chain(job.context, options->arguments[0], &chain);
    if (code == 0)
        code = apply(&job, chain);
    progress_end(&progress, code);
    swathe_chain_destroy(chain);
    swathe_context_destroy(job.context);
    return code;
}
