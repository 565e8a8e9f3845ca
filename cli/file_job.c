#include "file_job.h"

#include "interrupt.h"
#include "message.h"
#include "request.h"
#include "value.h"
#include "watch.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

int file_job_open(struct file_job *job)
{
    return request_source(job->context, job->options, job->in, &job->source);
}

int file_job_plan(const struct file_job *job, const swathe_chain *chain, swathe_plan **plan)
{
    swathe_plan_options wanted = request_plan(job->options);
    swathe_status status =
        swathe_plan_create(job->context, chain, &job->source->shape, &wanted, plan);
    if (status == SWATHE_OK)
        return 0;
    /* A wrong word is the call's fault; else it is this image that cannot be done. */
    return complain_library(status, status == SWATHE_ERROR_ARGUMENT ? NULL : path_read(job->in));
}

/* The part of the result to write; empty: all of it. */
static int take_region(const struct file_job *job, swathe_shape *result, swathe_rect *region)
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
    *region = rect;
    result->width = rect.width;
    result->height = rect.height;
    return 0;
}

static int make_sink(const struct file_job *job, swathe_rect *region, swathe_sink **sink)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_status status = swathe_plan_get(job->plan, &info);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    int code = take_region(job, &info.result, region);
    if (code != 0)
        return code;
    if (strcmp(job->out, "-") == 0 && isatty(STDOUT_FILENO))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "standard output is a terminal; name a file, or pipe the image on");
    swathe_file_options wanted = request_file(job->options);
    wanted.overwrite |= job->replace;
    wanted.unsynced = job->unsynced;
    status = swathe_file_create(job->context, job->out, &info.result, job->source->metadata,
                                &wanted, sink);
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

static int32_t report(void *user, int64_t done, int64_t total)
{
    const struct file_job *job = user;
    if (job->progress)
        progress_show(job->progress, done, total);
    return interrupt_caught() != 0;
}

static int run(struct file_job *job, const swathe_rect *region, swathe_sink *sink)
{
    struct watch watch;
    swathe_run_options wanted = SWATHE_INIT(swathe_run_options);
    wanted.threads = job->threads;
    wanted.band_rows = options_count(job->options, OPTION_BAND_ROWS);
    wanted.region = *region;
    wanted.progress = report;
    wanted.progress_user = job;
    watch_start(&watch, job->source, sink);
    swathe_status status =
        swathe_run_stream(job->context, job->plan, &watch.source, &watch.sink, &wanted);
    if (job->progress)
        progress_hide(job->progress);
    if (interrupt_caught())
        return EXIT_SIGNAL + interrupt_caught();
    if (status == SWATHE_OK)
        status = swathe_sink_commit(sink);
    else if (!atomic_load(&watch.failed))
        return complain_library(status, path_read(job->in));
    return status == SWATHE_OK ? 0 : complain_library(status, NULL);
}

int file_job_write(struct file_job *job)
{
    swathe_rect region = {0, 0, 0, 0};
    swathe_sink *sink = NULL;
    int code = make_sink(job, &region, &sink);
    if (code == 0)
        code = run(job, &region, sink);
    swathe_sink_destroy(sink);
    return code;
}

void file_job_close(struct file_job *job)
{
    swathe_source_destroy(job->source);
    job->source = NULL;
}
