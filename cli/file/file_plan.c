/* The plan of a file: with the type that its format holds, and with the range that --values fit
 * finds in a first pass. */
#include "file/file_job.h"

#include "commands/request.h"
#include "commands/value.h"
#include "file/background.h"
#include "file/file_curves.h"
#include "file/fit_range.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <string.h>

static int refuse(const struct file_job *job, swathe_status status)
{
    /* Wrong option values are errors of the command; other failures concern this image. */
    return complain_library(status, status == SWATHE_ERROR_ARGUMENT ? NULL : path_read(job->in));
}

static swathe_status make(const struct file_job *job, const swathe_chain *chain,
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
static int adapt(const struct file_job *job, const swathe_chain *chain, swathe_plan_options *wanted,
                 swathe_plan **plan)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan *other;
    swathe_plan_get(*plan, &info);
    wanted->type = held_type(job, *plan, wanted->values);
    if (wanted->type == info.result.type)
        return 0;
    swathe_status status = make(job, chain, wanted, &other);
    if (status != SWATHE_OK)
        return refuse(job, status);
    swathe_plan_destroy(*plan);
    *plan = other;
    return 0;
}

static int32_t stop_if_asked(void *user, int64_t done, int64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return interrupt_caught() != 0;
}

/* The first pass of --values fit: plans the chain alone, and measures its result. */
static int measure(struct file_job *job, const swathe_chain *chain, const double shares[2],
                   swathe_plan_options *wanted)
{
    swathe_plan_options alone = *wanted;
    swathe_run_options run = SWATHE_INIT(swathe_run_options);
    swathe_plan *plan = NULL;
    alone.type = SWATHE_TYPE_DEFAULT;
    alone.values = SWATHE_VALUES_DEFAULT;
    run.threads = job->threads;
    run.progress = stop_if_asked;
    if (options_has(job->options, OPTION_REGION))
        value_region(options_text(job->options, OPTION_REGION), &run.region);
    swathe_status status = make(job, chain, &alone, &plan);
    if (status != SWATHE_OK)
        return refuse(job, status);
    if (!wanted->type)
        wanted->type = held_type(job, plan, SWATHE_VALUES_FIT);
    status = fit_measure(job->context, plan, job->source, &run, request_weighs_alpha(job->options),
                         shares, job->fitted);
    swathe_plan_destroy(plan);
    if (interrupt_caught())
        return EXIT_SIGNAL + interrupt_caught();
    return status == SWATHE_OK ? 0 : refuse(job, status);
}

static int plan_fit(struct file_job *job, const swathe_chain *chain, const double shares[2],
                    swathe_plan_options *wanted, swathe_plan **plan)
{
    if (strcmp(job->in, "-") == 0)
        return complain(SWATHE_ERROR_UNSUPPORTED,
                        "standard input: --values fit reads the image twice; name a file, or give "
                        "the range, as in --values 'fit(0..4095)'");
    int code = measure(job, chain, shares, wanted);
    if (code == 0)
        code = file_job_reopen(job);
    if (code != 0)
        return code;
    wanted->values = SWATHE_VALUES_FIT;
    wanted->values_low = job->fitted[0];
    wanted->values_high = job->fitted[1];
    job->fits = true;
    swathe_status status = make(job, chain, wanted, plan);
    return status == SWATHE_OK ? 0 : refuse(job, status);
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
    wanted.curves = file_curves(job->options, job->source, &curves);
    if (request_shares(job->options, shares))
        return plan_fit(job, chain, shares, &wanted, plan);
    swathe_status status = make(job, chain, &wanted, plan);
    if (status != SWATHE_OK)
        return refuse(job, status);
    code = wanted.type ? 0 : adapt(job, chain, &wanted, plan);
    return code == 0 ? check_alpha(job, &wanted, *plan) : code;
}
