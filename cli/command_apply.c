#include "interrupt.h"
#include "message.h"
#include "options.h"
#include "progress.h"
#include "request.h"
#include "value.h"
#include "watch.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* One run, from file to file. */
struct job {
    const struct options *options;
    const char *chain_text, *in, *out;
    swathe_context *context;
    swathe_chain *chain;
    swathe_source *source;
    swathe_plan *plan;
    swathe_rect region; /* of the result; empty: all */
    swathe_sink *sink;
    struct progress progress;
};

static int make_plan(struct job *job)
{
    swathe_plan_options wanted = request_plan(job->options);
    swathe_status status =
        swathe_plan_create(job->context, job->chain, &job->source->shape, &wanted, &job->plan);
    if (status == SWATHE_OK)
        return 0;
    /* A wrong word is the call's fault; else it is this image that cannot be done. */
    return complain_library(status, status == SWATHE_ERROR_ARGUMENT ? NULL : path_read(job->in));
}

static int take_region(struct job *job, swathe_shape *result)
{
    swathe_rect rect;
    if (!options_has(job->options, OPTION_REGION))
        return 0;
    value_region(options_text(job->options, OPTION_REGION), &rect);
    if (rect.width > result->width || rect.x > result->width - rect.width ||
        rect.height > result->height || rect.y > result->height - rect.height)
        return complain(SWATHE_ERROR_ARGUMENT,
                        "--region %s reaches past the result, which is %" PRId64 "x%" PRId64,
                        options_text(job->options, OPTION_REGION), result->width, result->height);
    job->region = rect;
    result->width = rect.width;
    result->height = rect.height;
    return 0;
}

static int make_sink(struct job *job)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_status status = swathe_plan_get(job->plan, &info);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = take_region(job, &info.result);
    if (code != 0)
        return code;
    if (strcmp(job->out, "-") == 0 && isatty(STDOUT_FILENO))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "standard output is a terminal; name a file, or pipe the image on");
    swathe_file_options wanted = request_file(job->options);
    status = swathe_file_create(job->context, job->out, &info.result, job->source->metadata,
                                &wanted, &job->sink);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static int32_t report(void *user, int64_t done, int64_t total)
{
    struct job *job = user;
    progress_show(&job->progress, done, total);
    return interrupt_caught() != 0;
}

static swathe_run_options run_options(struct job *job)
{
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    run.threads = (int32_t)options_count(job->options, OPTION_THREADS);
    run.band_rows = options_count(job->options, OPTION_BAND_ROWS);
    run.region = job->region;
    run.progress = report;
    run.progress_user = job;
    return run;
}

static int run(struct job *job)
{
    struct watch watch;
    watch_start(&watch, job->source, job->sink);
    swathe_run_options wanted = run_options(job);
    bool quiet =
        options_has(job->options, OPTION_QUIET) || options_has(job->options, OPTION_NO_PROGRESS);
    progress_start(&job->progress, path_read(job->in), !quiet,
                   !quiet && options_has(job->options, OPTION_PROGRESS));
    swathe_status status =
        swathe_run_stream(job->context, job->plan, &watch.source, &watch.sink, &wanted);
    progress_end(&job->progress);
    if (interrupt_caught())
        return EXIT_SIGNAL + interrupt_caught();
    if (status == SWATHE_OK)
        return 0;
    return complain_library(status, atomic_load(&watch.failed) ? NULL : path_read(job->in));
}

static int commit(struct job *job)
{
    swathe_status status = swathe_sink_commit(job->sink);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static int steps(struct job *job)
{
    int code = request_chain(job->context, job->chain_text, &job->chain);
    if (code == 0)
        code = request_source(job->context, job->options, job->in, &job->source);
    if (code == 0)
        code = make_plan(job);
    if (code == 0)
        code = make_sink(job);
    if (code != 0)
        return code;
    interrupt_catch();
    code = run(job);
    return code == 0 ? commit(job) : code;
}

int command_apply(const struct options *options)
{
    struct job job = {
        .options = options,
        .chain_text = options->arguments[0],
        .in = options->arguments[1],
        .out = options->arguments[2],
    };
    swathe_status status = request_context(options, &job.context);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = steps(&job);
    swathe_sink_destroy(job.sink);
    swathe_plan_destroy(job.plan);
    swathe_source_destroy(job.source);
    swathe_chain_destroy(job.chain);
    swathe_context_destroy(job.context);
    return code;
}
