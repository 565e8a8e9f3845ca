#include "file/file_job.h"

#include "../../src/base/os_file.h"
#include "commands/options.h"
#include "commands/request.h"
#include "commands/value.h"
#include "file/background.h"
#include "file/nodata.h"
#include "file/remote.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <string.h>

/* Adds the mask to an open image. */
static int file_job_complete(struct file_job *job, int code)
{
    if (code == 0)
        code = mask_source_wrap(job->context, job->options, &job->source);
    job->shape = swathe_source_properties(job->source).shape;
    return code;
}

int file_job_open(struct file_job *job)
{
    return file_job_complete(job, request_started(job->context, job->options, job->in, job->head,
                                                  job->head_size, &job->source));
}

int file_job_reopen(struct file_job *job)
{
    swathe_source *before = job->source;
    job->source = NULL;
    if (job->number <= 0) {
        swathe_source_destroy(before);
        return file_job_open(job);
    }
    int code = request_page(job->context, job->options, job->in, job->number, before, &job->source);
    swathe_source_destroy(before);
    return file_job_complete(job, code);
}

/* The image to write: its region of the plan's result (empty: all), its shape, and metadata that
 * describe that region of the source. */
struct written {
    swathe_shape shape;
    swathe_rect region;
    swathe_metadata metadata;
};

static int find_result(const struct file_job *job, struct written *written)
{
    *written = (struct written){.metadata = SWATHE_INIT(swathe_metadata)};
    if (options_has(job->options, OPTION_REGION))
        value_region(options_text(job->options, OPTION_REGION), &written->region);
    swathe_status status = swathe_plan_output(job->plan, job->source, &written->region,
                                              &written->shape, &written->metadata);
    if (job->nodata.ignored)
        written->metadata.nodata = "";
    if (status != SWATHE_OK)
        return complain_library(status, path_read(job->in));
    return background_check(job->options, &written->shape);
}

/* Number of pages to write: all pages of the source, or 1. */
static int64_t wanted_pages(const struct file_job *job)
{
    int64_t page = 0;
    if (options_has(job->options, OPTION_PAGE))
        value_page(options_text(job->options, OPTION_PAGE), &page);
    int64_t pages = swathe_source_properties(job->source).pages;
    return job->chain && page == 0 && pages > 1 ? pages : 1;
}

static int make_sink(const struct file_job *job, swathe_rect *region, swathe_sink **sink)
{
    struct written written;
    int code = find_result(job, &written);
    if (code != 0)
        return code;
    *region = written.region;
    if (strcmp(job->out, "-") == 0 && os_is_terminal(STANDARD_OUTPUT))
        return complain(SWATHE_ERROR_ARGUMENT,
                        "standard output is a terminal; name a file, or redirect the output");
    struct options own = *job->options;
    if (job->mixed)
        own = format_options_for(job->options, job->out);
    swathe_write_options wanted = request_write(&own);
    wanted.overwrite |= job->replace;
    wanted.unsynced = job->unsynced;
    wanted.nofollow = job->nofollow;
    wanted.pages = wanted_pages(job);
    swathe_shape shape = background_shape(job->options, &written.shape);
    swathe_status status = (remote_is(job->out) ? remote_create : swathe_file_create)(
        job->context, job->out, &shape, &written.metadata, &wanted, sink);
    if (status != SWATHE_OK)
        return complain_library(status, NULL);
    return background_wrap(job->context, job->options, &written.shape, sink);
}

/* Pages are opened one after another. Pages that are not opened yet are assumed to be as large as
 * the current one. */
static int32_t file_job_report(void *user, int64_t done, int64_t total)
{
    struct file_job *job = user;
    int64_t most = INT64_MAX - job->before;
    job->page = total;
    if (job->progress)
        progress_show(job->progress, job->before + done,
                      job->before + (total > most / job->pages ? most : total * job->pages));
    return interrupt_caught() != 0;
}

/* Error texts have '?' for control characters. */
static bool file_job_starts_with(const char *text, const char *name)
{
    for (; *name; name++, text++)
        if (*text != ((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name))
            return false;
    return strncmp(text, ": ", 2) == 0;
}

/* True if the error text names a file, as failures to read or write do; others do not. */
static bool names_a_file(const struct file_job *job)
{
    const char *text = swathe_error_text();
    return file_job_starts_with(text, path_read(job->in)) ||
           file_job_starts_with(text, strcmp(job->out, "-") == 0 ? "standard output" : job->out);
}

static int file_job_run(struct file_job *job, const swathe_rect *region, swathe_sink *sink)
{
    swathe_run_options wanted = SWATHE_INIT(swathe_run_options);
    wanted.threads = job->threads;
    wanted.cell_rows = options_count(job->options, OPTION_CELL_ROWS);
    wanted.region = *region;
    wanted.progress = file_job_report;
    wanted.progress_user = job;
    swathe_clamped clamped = SWATHE_INIT(swathe_clamped);
    wanted.clamped = &clamped;
    swathe_status status = swathe_run_stream(job->context, job->plan, job->source, sink, &wanted);
    job->clamped.examined += clamped.examined;
    job->clamped.below += clamped.below;
    job->clamped.above += clamped.above;
    job->before += job->page;
    job->pages--;
    if (job->progress)
        progress_clear(job->progress);
    if (interrupt_caught())
        return EXIT_SIGNAL + interrupt_caught();
    if (status == SWATHE_OK)
        return 0;
    return complain_library(status, names_a_file(job) ? NULL : path_read(job->in));
}

/* Chooses the pages to write: all, or only the first. */
static int choose_pages(struct file_job *job, const swathe_sink *sink)
{
    bool asked = options_has(job->options, OPTION_PAGE), again = strcmp(job->in, "-") != 0;
    const swathe_sink_info info = swathe_sink_properties(sink);
    job->pages = wanted_pages(job);
    if (job->pages == 1 || (again && (info.flags & SWATHE_PAGES)))
        return 0;
    if (asked)
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        again ? "%s: --page all: %s stores only one page; TIFF stores any number"
                              : "%s: --page all needs a named file",
                        path_read(again ? job->out : job->in), info.format);
    job->left_out = job->pages - 1;
    job->pages = 1;
    return 0;
}

static int write_next(struct file_job *job, int64_t page, swathe_sink *sink)
{
    struct written written;
    const swathe_plan *first = job->plan;
    swathe_plan *plan = NULL;
    job->number = page;
    int code = file_job_reopen(job);
    if (code == 0)
        code = file_job_plan(job, job->chain, &plan);
    job->plan = plan;
    if (code == 0)
        code = find_result(job, &written);
    if (code == 0) {
        swathe_status status = swathe_sink_next_page(sink, &written.shape, &written.metadata);
        code = status == SWATHE_OK ? file_job_run(job, &written.region, sink)
                                   : complain_library(status, NULL);
    }
    job->plan = first;
    swathe_plan_destroy(plan);
    return code;
}

int file_job_write(struct file_job *job)
{
    swathe_rect region = {0, 0, 0, 0};
    swathe_sink *sink = NULL;
    int code = make_sink(job, &region, &sink);
    if (code == 0) {
        job->format = swathe_sink_properties(sink).format;
        code = choose_pages(job, sink);
    }
    if (code == 0)
        code = file_job_run(job, &region, sink);
    for (int64_t page = 2; code == 0 && job->pages > 0; page++)
        code = write_next(job, page, sink);
    if (code == 0) {
        swathe_status status = swathe_sink_commit(sink);
        code = status == SWATHE_OK ? 0 : complain_library(status, NULL);
    }
    swathe_sink_destroy(sink);
    return code;
}

void file_job_close(struct file_job *job)
{
    swathe_source_destroy(job->source);
    job->source = NULL;
}
