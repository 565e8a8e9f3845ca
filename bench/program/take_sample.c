#include "take_sample.h"

#include <string.h>
#include <time.h>

struct stopwatch {
    double wall, cpu;
};

static struct stopwatch start(void)
{
    return (struct stopwatch){clock_now(), seconds_cpu()};
}

static struct stopwatch stop(struct stopwatch from)
{
    return (struct stopwatch){clock_now() - from.wall, seconds_cpu() - from.cpu};
}

static swathe_status add(struct samples *samples, double wall, double cpu, int32_t visit)
{
    return samples_add(samples, wall * 1e3, cpu * 1e3, visit)
               ? SWATHE_OK
               : swathe_error_set(SWATHE_ERROR_MEMORY, "not enough memory for samples");
}

static bool on_gpu(const struct result *result)
{
    return !contender_on_cpu(&result->contender);
}

static swathe_status new_output(const struct bench_run *run, const struct bench_images *images,
                                struct buffer *output)
{
    return buffer_like(&images->output, run->settings.pages == PAGES_HUGE, output);
}

/* OpenMP threads spin for some milliseconds after their work and slow down the next contender. */
static void let_settle(const struct result *result)
{
    struct timespec pause = {0, 10000000};
    const struct baseline_way *way = baseline_way(result->contender.strategy);
    if (way && way->parallel && result->contender.threads > 1)
        nanosleep(&pause, NULL);
}

/* Runs `result->runs_each` times and adds up the times. */
static swathe_status run_sample(const struct bench_run *run, struct bench_images *images,
                                struct runner *runner, const struct result *result,
                                struct stopwatch *taken, double *kernels, double *copies)
{
    swathe_status status = SWATHE_OK;
    for (int32_t i = 0; i < result->runs_each && status == SWATHE_OK; i++) {
        swathe_run_times times = SWATHE_INIT(swathe_run_times);
        bool fresh = run->settings.pages == PAGES_FRESH;
        struct buffer own = images->output;
        bench_run_evict(run);
        if (fresh)
            status = new_output(run, images, &own);
        if (status != SWATHE_OK)
            return status;
        struct stopwatch begun = start();
        status =
            runner_run(runner, &images->source.view, &own.view, on_gpu(result) ? &times : NULL);
        struct stopwatch one = stop(begun);
        if (fresh)
            buffer_free(&own);
        taken->wall += one.wall;
        taken->cpu += one.cpu;
        *kernels += times.kernels;
        *copies += times.upload + times.download;
    }
    return status;
}

swathe_status sample_kernel(const struct bench_run *run, struct bench_images *images,
                            struct runner *runner, struct result *result, int32_t visit)
{
    struct stopwatch taken = {0};
    double kernels = 0, copies = 0;
    swathe_status status = run_sample(run, images, runner, result, &taken, &kernels, &copies);
    let_settle(result);
    if (status != SWATHE_OK)
        return status;
    double n = result->runs_each;
    result->seconds = taken.wall / n;
    if (!on_gpu(result))
        return add(&result->scopes[SCOPE_KERNEL], taken.wall / n, taken.cpu / n, visit);
    status = add(&result->scopes[SCOPE_KERNEL], kernels / n, taken.cpu / n, visit);
    return status != SWATHE_OK
               ? status
               : add(&result->scopes[SCOPE_TRANSFER], (kernels + copies) / n, taken.cpu / n, visit);
}

/* Plans, allocates the output, and runs. */
static swathe_status whole_call(const struct bench_run *run, swathe_context *context,
                                const struct bench_images *images, const struct result *result,
                                struct buffer *output)
{
    struct runner runner;
    swathe_status status = new_output(run, images, output);
    if (status == SWATHE_OK)
        status = runner_make(context, &run->settings, result, &images->source.view, &runner);
    if (status != SWATHE_OK)
        return status;
    status = runner_run(&runner, &images->source.view, &output->view, NULL);
    runner_free(&runner);
    return status;
}

swathe_status sample_call(const struct bench_run *run, struct bench_images *images,
                          struct runner *runner, struct result *result, int32_t visit)
{
    struct buffer output = {0};
    swathe_status status;
    bench_run_evict(run);
    struct stopwatch begun = start();
    if (!runner->padded.data)
        status = whole_call(run, run->context, images, result, &output);
    else if ((status = new_output(run, images, &output)) == SWATHE_OK)
        status = runner_run(runner, &images->source.view, &output.view, NULL);
    struct stopwatch taken = stop(begun);
    buffer_free(&output);
    let_settle(result);
    return status != SWATHE_OK ? status
                               : add(&result->scopes[SCOPE_CALL], taken.wall, taken.cpu, visit);
}

swathe_status sample_first(const struct bench_run *run, struct bench_images *images,
                           struct result *result)
{
    struct buffer output = {0};
    swathe_context *context = NULL;
    struct stopwatch begun = start();
    swathe_status status = bench_run_context(run, &context);
    if (status == SWATHE_OK)
        status = whole_call(run, context, images, result, &output);
    struct stopwatch taken = stop(begun);
    swathe_context_destroy(context);
    buffer_free(&output);
    return status != SWATHE_OK ? status
                               : add(&result->scopes[SCOPE_FIRST], taken.wall, taken.cpu, 0);
}
