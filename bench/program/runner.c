#include "runner.h"

#include "terminal/interrupt.h"
#include "workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool runner_is_plain(const struct contender *contender)
{
    return baseline_way(contender->strategy) != NULL;
}

bool runner_is_dense(const struct contender *contender)
{
    return runner_is_plain(contender) ||
           (!contender_on_cpu(contender) && !contender_is_best(contender));
}

static const char *filter_of(const struct result *result)
{
    const struct problem *problem = &result->problem;
    return runner_is_dense(&result->contender) && *problem->dense ? problem->dense
                                                                  : problem->filter;
}

/* ---- The reports' loops ---------------------------------------------------------------------- */

static swathe_status runner_border(const struct problem *problem, enum baseline_border *border)
{
    static const char *const names[] = {
        [BASELINE_ZERO] = "constant(0)",
        [BASELINE_REPLICATE] = "replicate",
        [BASELINE_REFLECT] = "reflect",
    };
    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], problem->border) == 0) {
            *border = (enum baseline_border)i;
            return SWATHE_OK;
        }
    return swathe_error_set(SWATHE_ERROR_UNSUPPORTED,
                            "the reports' loops, and padded planes, have the borders constant(0), "
                            "replicate and reflect");
}

/* True if all channels have the same mask. */
static bool is_shared(const swathe_chain *chain, int32_t stage)
{
    swathe_mask first = SWATHE_INIT(swathe_mask), second = SWATHE_INIT(swathe_mask);
    return swathe_chain_mask(chain, stage, 0, &first) == SWATHE_OK &&
           swathe_chain_mask(chain, stage, 1, &second) == SWATHE_OK && first.taps == second.taps;
}

/* True for an odd square mask without options. */
static bool is_plain_mask(const swathe_mask *mask)
{
    return mask->width == mask->height && mask->width % 2 == 1 && mask->bias == 0.0 &&
           mask->dilate_x <= 1 && mask->dilate_y <= 1 &&
           (!mask->has_anchor ||
            (mask->anchor_x == mask->width / 2 && mask->anchor_y == mask->height / 2));
}

/* Why the loop cannot run this stage; NULL: it can. */
static const char *find_limit(const struct runner *runner, int32_t i,
                              const swathe_stage_info *stage, const swathe_mask *mask)
{
    const struct problem *problem = &runner->result->problem;
    enum baseline_form form = baseline_way(runner->result->contender.strategy)->form;
    if (stage->input != problem->type || stage->output != problem->type || problem->alpha != 0 ||
        strstr(stage->text, "border=") || strstr(stage->text, "clamp=") ||
        !is_shared(runner->chain, i))
        return "the reports' loops run all stages with one type, one border and one mask for all "
               "channels, including alpha, and cannot clamp";
    if (problem->type > SWATHE_F32)
        return "the reports' loops add in floats, which cannot hold samples of 32-bit integers and "
               "doubles";
    if (!is_plain_mask(mask))
        return "the reports' loops support only odd square masks";
    if (form == BASELINE_PRODUCTS && mask->width > BASELINE_PRODUCTS_EDGE)
        return "the loops of report 002 store the products of at most 31 x 31 taps";
    if (form == BASELINE_PADDED && swathe_chain_stages(runner->chain) > 1)
        return "sequential-padded runs one filter, not a chain";
    return NULL;
}

static swathe_status runner_make_stage(struct runner *runner, const swathe_plan *plan, int32_t i)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    swathe_status status = swathe_plan_stage(plan, i, &stage);
    if (status == SWATHE_OK)
        status = swathe_chain_mask(runner->chain, i, 0, &mask);
    if (status != SWATHE_OK)
        return status;
    const char *limit = find_limit(runner, i, &stage, &mask);
    if (limit)
        return swathe_error_set(SWATHE_ERROR_UNSUPPORTED, limit);
    int32_t count = mask.width * mask.height;
    float *taps = runner->taps[i] = malloc((size_t)count * sizeof *taps);
    if (!taps)
        return swathe_error_set(SWATHE_ERROR_MEMORY, "not enough memory for a mask");
    for (int32_t t = 0; t < count; t++)
        taps[t] = (float)mask.taps[t];
    return SWATHE_OK;
}

static swathe_status runner_make_plain(struct runner *runner)
{
    const struct problem *problem = &runner->result->problem;
    enum baseline_form form = baseline_way(runner->result->contender.strategy)->form;
    swathe_shape shape = workload_shape(problem);
    swathe_plan *plan = NULL;
    int32_t stages = swathe_chain_stages(runner->chain);
    runner->arithmetic = form == BASELINE_PADDED && problem->type == SWATHE_S16     ? "report-001"
                         : form == BASELINE_PRODUCTS && problem->type == SWATHE_F32 ? "report-002"
                                                                                    : "contract";
    if (stages > RUNNER_STAGES)
        return swathe_error_set(SWATHE_ERROR_UNSUPPORTED,
                                "the reports' loops support chains of up to 16 stages");
    swathe_status status = runner_border(problem, &runner->border);
    if (status == SWATHE_OK)
        status = workload_plan(runner->context, problem, runner->chain, NULL, &plan);
    for (int32_t i = 0; i < stages && status == SWATHE_OK; i++)
        status = runner_make_stage(runner, plan, i);
    swathe_plan_destroy(plan);
    for (int i = 0; i < 2 && i < stages - 1 && status == SWATHE_OK; i++)
        status = buffer_new(&shape, problem->layout, false, &runner->between[i]);
    return status;
}

/* Describes the loop of stage `i`, except its images. */
static swathe_status stage_of(const struct runner *runner, int32_t i, struct baseline *job)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    swathe_status status = swathe_chain_mask(runner->chain, i, 0, &mask);
    *job = (struct baseline){.way = baseline_way(runner->result->contender.strategy),
                             .taps32 = runner->taps[i],
                             .k = mask.width,
                             .border = runner->border,
                             .threads = runner->result->contender.threads};
    if (job->way->form == BASELINE_PADDED && runner->result->problem.type == SWATHE_S16)
        job->most = 255;
    return status;
}

static swathe_status run_plain(struct runner *runner, const swathe_image *from,
                               const swathe_image *to)
{
    int32_t stages = swathe_chain_stages(runner->chain);
    if (to->type != from->type ||
        (!runner->pads && (to->width != from->width || to->height != from->height)))
        return swathe_error_set(SWATHE_ERROR_UNSUPPORTED,
                                "the reports' loops cannot change the size or type of an image");
    for (int32_t i = 0; i < stages; i++) {
        struct baseline job;
        swathe_status status = stage_of(runner, i, &job);
        if (status != SWATHE_OK)
            return status;
        job.from = i > 0 ? &runner->between[(i + 1) % 2].view : from;
        job.to = i == stages - 1 ? to : &runner->between[i % 2].view;
        if (!baseline_run(&job))
            return swathe_error_set(SWATHE_ERROR_UNSUPPORTED, "this build does not include OpenMP");
    }
    return SWATHE_OK;
}

/* ---- Swathe ---------------------------------------------------------------------------------- */

bool runner_pads(const struct result *result)
{
    const struct baseline_way *way = baseline_way(result->contender.strategy);
    return way ? way->form == BASELINE_PADDED
               : result->problem.padded && runner_is_dense(&result->contender);
}

swathe_status runner_pad(swathe_context *context, const struct result *result,
                         const swathe_image *from, struct buffer *padded)
{
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    struct baseline job = {.from = from};
    swathe_chain *chain = NULL;
    swathe_shape shape = workload_shape(&result->problem);
    swathe_status status = runner_border(&result->problem, &job.border);
    if (status == SWATHE_OK)
        status = workload_chain(context, filter_of(result), &chain);
    if (status == SWATHE_OK)
        status = swathe_chain_mask(chain, 0, 0, &mask);
    if (status == SWATHE_OK && (swathe_chain_stages(chain) > 1 || !is_plain_mask(&mask)))
        status = swathe_error_set(SWATHE_ERROR_UNSUPPORTED,
                                  "images can be padded for one filter with an odd square mask");
    job.k = mask.width;
    shape.width += job.k - 1;
    shape.height += job.k - 1;
    if (status == SWATHE_OK)
        status = buffer_new(&shape, SWATHE_PLANAR, false, padded);
    if (status == SWATHE_OK)
        baseline_pad(&job, &padded->view);
    swathe_chain_destroy(chain);
    return status;
}

/* A plan in the arithmetic of the problem, or in the contract's if the strategy does not have it.
 */
static swathe_status runner_create_plan(struct runner *runner, const swathe_plan_options *options)
{
    const struct problem *problem = &runner->result->problem;
    swathe_plan_options o = *options;
    swathe_shape shape = workload_shape(problem);
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    if (runner->pads && swathe_chain_mask(runner->chain, 0, 0, &mask) == SWATHE_OK) {
        shape.width += mask.width - 1;
        shape.height += mask.height - 1;
    }
    runner->arithmetic = o.arithmetic = o.strategy && !contender_is_best(&runner->result->contender)
                                            ? problem->arithmetic
                                            : "contract";
    swathe_status status =
        swathe_plan_create(runner->context, runner->chain, &shape, &o, &runner->plan);
    if (status != SWATHE_ERROR_UNSUPPORTED || strcmp(o.arithmetic, "contract") == 0)
        return status;
    runner->arithmetic = o.arithmetic = "contract";
    return swathe_plan_create(runner->context, runner->chain, &shape, &o, &runner->plan);
}

/* Strategies of the reports copy from and to pageable memory, as the reports' programs do. */
static bool is_pageable(const struct settings *settings, const struct contender *contender)
{
    return settings->transfer ? strcmp(settings->transfer, "pageable") == 0
                              : !contender_is_best(contender);
}

static swathe_status runner_make_gpu_plan(const struct settings *settings, struct runner *runner,
                                          swathe_plan_options *o)
{
    const struct problem *problem = &runner->result->problem;
    const struct contender *contender = &runner->result->contender;
    char strategy[RESULT_NAME + 32];
    bool planes = problem->layout == SWATHE_PLANAR && !contender_is_best(contender) &&
                  !strstr(contender->strategy, ":planar");
    size_t length =
        (size_t)snprintf(strategy, RESULT_NAME + 16, contender->block > 0 ? "%s:%d" : "%s",
                         contender->strategy, contender->block);
    snprintf(strategy + length, sizeof strategy - length, "%s", planes ? ":planar" : "");
    o->strategy = strategy;
    swathe_context_pageable(runner->context, is_pageable(settings, contender));
    swathe_status status = runner_create_plan(runner, o);
    if (!planes || status != SWATHE_ERROR_UNSUPPORTED)
        return status;
    /* This strategy supports only interleaved pixels: planar images are converted. */
    strategy[length] = '\0';
    runner->as_pixels = problem->channels > 1;
    return runner_create_plan(runner, o);
}

static swathe_status runner_make_plan(const struct settings *settings, struct runner *runner)
{
    const struct problem *problem = &runner->result->problem;
    const struct contender *contender = &runner->result->contender;
    bool cpu = contender_on_cpu(contender), best = contender_is_best(contender);
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_status status =
        swathe_plan_options_set(&o, "border", runner->pads ? "valid" : problem->border);
    if (status != SWATHE_OK)
        return status;
    o.alpha = SWATHE_ALPHA_KEEP; /* as other programs treat a fourth channel */
    o.device = contender->device;
    if (!cpu)
        return runner_make_gpu_plan(settings, runner, &o);
    if (!best)
        o.algorithm = contender->strategy;
    return runner_create_plan(runner, &o);
}

swathe_status runner_make(swathe_context *context, const struct settings *settings,
                          const struct result *result, struct runner *runner)
{
    const struct baseline_way *way = baseline_way(result->contender.strategy);
    *runner = (struct runner){.result = result, .context = context, .pads = runner_pads(result)};
    swathe_status status = workload_chain(context, filter_of(result), &runner->chain);
    if (status == SWATHE_OK)
        status = workload_result(context, &result->problem, runner->chain, &runner->output);
    if (status == SWATHE_OK)
        status = way ? runner_make_plain(runner) : runner_make_plan(settings, runner);
    if (status != SWATHE_OK)
        runner_free(runner);
    return status;
}

int32_t runner_cancelled(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return interrupt_asked(user);
}

swathe_status runner_run(struct runner *runner, const swathe_image *from, const swathe_image *to,
                         swathe_run_times *times)
{
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    if (!runner->plan)
        return run_plain(runner, from, to);
    o.threads = runner->result->contender.threads;
    o.times = times;
    o.progress = runner_cancelled;
    return swathe_run(runner->context, runner->plan, from, to, &o);
}

void runner_free(struct runner *runner)
{
    buffer_free(&runner->between[0]);
    buffer_free(&runner->between[1]);
    for (int i = 0; i < RUNNER_STAGES; i++)
        free(runner->taps[i]);
    swathe_plan_destroy(runner->plan);
    swathe_chain_destroy(runner->chain);
    *runner = (struct runner){0};
}

/* ---- Properties ------------------------------------------------------------------------------ */

/* Each stage of the loops adds in floats, rounds the result, and amplifies earlier errors. */
static double plain_tolerance(const struct runner *runner)
{
    bool floats = runner->result->problem.type == SWATHE_F32;
    double wrong = 0, largest = floats ? 1 : 65536;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    for (int32_t i = 0; i < swathe_chain_stages(runner->chain); i++) {
        double gain = 0;
        if (swathe_chain_mask(runner->chain, i, 0, &mask) != SWATHE_OK)
            return 0;
        int32_t count = mask.width * mask.height;
        for (int32_t t = 0; t < count; t++)
            gain += fabs(mask.taps[t]);
        double adding = (count + 2) * 0x1p-23 * gain * largest;
        wrong = wrong * gain + adding + (floats ? 0 : 1);
        largest *= floats ? gain : 1;
    }
    return wrong;
}

double runner_tolerance(const struct runner *runner)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    if (!runner->plan)
        return plain_tolerance(runner);
    if (swathe_plan_get(runner->plan, &info) != SWATHE_OK || info.exact)
        return 0;
    return 2 * info.error_bound; /* includes the roundings of the definition */
}

/* True if the stage executes fewer operations than its full mask has. */
static bool is_effective(const struct runner *runner, int32_t i, const swathe_stage_info *stage)
{
    static const char *const all[] = {"direct", "toeplitz", "reference"};
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    bool plain = !contender_on_cpu(&runner->result->contender);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        plain |= strcmp(stage->algorithm, all[k]) == 0;
    return !plain || swathe_chain_mask(runner->chain, i, 0, &mask) != SWATHE_OK ||
           stage->taps < (int64_t)mask.width * mask.height;
}

void runner_describe(const struct runner *runner, struct result *result)
{
    result->runs = filter_of(result);
    result->as_pixels = runner->as_pixels;
    snprintf(result->arithmetic, sizeof result->arithmetic, "%s", runner->arithmetic);
    result->flop = workload_flop(runner->chain, &runner->output);
    result->bytes = workload_bytes(&result->problem, &runner->output);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    if (!runner->plan || swathe_plan_get(runner->plan, &info) != SWATHE_OK)
        return;
    result->effective = result->replaced = false;
    result->algorithm[0] = '\0';
    for (int32_t i = 0; i < info.stages; i++) {
        if (swathe_plan_stage(runner->plan, i, &stage) != SWATHE_OK)
            return;
        size_t length = strlen(result->algorithm);
        snprintf(result->algorithm + length, sizeof result->algorithm - length, i ? "+%s" : "%s",
                 stage.algorithm);
        result->effective |= is_effective(runner, i, &stage);
        result->replaced |= contender_on_cpu(&result->contender) &&
                            !contender_is_best(&result->contender) &&
                            strcmp(stage.algorithm, result->contender.strategy) != 0;
    }
}
