#include "sample.h"

#include "baseline.h"

#include <string.h>
#include <time.h>

struct stopwatch {
    double wall, cpu;
};

static struct stopwatch sample_start(void)
{
    return (struct stopwatch){clock_now(), seconds_cpu()};
}

/* Milliseconds since then. */
static struct sample sample_stop(struct stopwatch from, int32_t visit)
{
    return (struct sample){.wall = (clock_now() - from.wall) * 1e3,
                           .cpu = (seconds_cpu() - from.cpu) * 1e3,
                           .visit = visit};
}

static swathe_status sample_add(struct samples *samples, const struct sample *sample)
{
    return samples_add(samples, sample)
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

const swathe_image *sample_source(const struct bench_images *images, const struct runner *runner)
{
    return runner->pads ? &images->padded.view : &images->source.view;
}

swathe_status sample_pad(const struct bench_run *run, struct bench_images *images,
                         const struct result *result)
{
    return runner_pads(result) && !images->padded.data
               ? runner_pad(run->context, result, &images->source.view, &images->padded)
               : SWATHE_OK;
}

/* OpenMP threads spin for some milliseconds after their work and slow down the next contender. */
static void let_settle(const struct result *result)
{
    struct timespec pause = {0, 10000000};
    const struct baseline_way *way = baseline_way(result->contender.strategy);
    if (way && way->parallel && result->contender.threads > 1)
        nanosleep(&pause, NULL);
}

/* Adds the phases of a run on a GPU, divided by `runs`. */
static void add_phases(const swathe_run_times *times, int32_t runs, double phases[PHASE_COUNT])
{
    const double seconds[PHASE_COUNT] = {
        [PHASE_ALLOCATE] = times->allocate, [PHASE_GATHER] = times->gather,
        [PHASE_UPLOAD] = times->upload,     [PHASE_KERNELS] = times->kernels,
        [PHASE_DOWNLOAD] = times->download, [PHASE_SCATTER] = times->scatter,
        [PHASE_RELEASE] = times->release,
    };
    for (int i = PHASE_ALLOCATE; i < PHASE_COUNT; i++)
        phases[i] += seconds[i] * 1e3 / runs;
}

/* Runs once into the output or, with fresh pages, into new memory. */
static swathe_status run_into(const struct bench_run *run, struct bench_images *images,
                              struct runner *runner, swathe_run_times *times, struct sample *taken)
{
    bool fresh = run->settings.pages == PAGES_FRESH;
    struct buffer own = images->output;
    bench_run_evict(run);
    swathe_status status = fresh ? new_output(run, images, &own) : SWATHE_OK;
    if (status != SWATHE_OK)
        return status;
    struct stopwatch begun = sample_start();
    status = runner_run(runner, sample_source(images, runner), &own.view, times);
    *taken = sample_stop(begun, 0);
    if (fresh)
        buffer_free(&own);
    return status;
}

/* Runs `result->runs_each` times. The sample is their mean, `launched` that of the launches. */
static swathe_status run_sample(const struct bench_run *run, struct bench_images *images,
                                struct runner *runner, const struct result *result,
                                struct sample *sample, double *launched)
{
    swathe_status status = SWATHE_OK;
    for (int32_t i = 0, n = result->runs_each; i < n && status == SWATHE_OK; i++) {
        swathe_run_times times = SWATHE_INIT(swathe_run_times);
        struct sample one;
        status = run_into(run, images, runner, on_gpu(result) ? &times : NULL, &one);
        if (status != SWATHE_OK)
            return status;
        sample->wall += one.wall / n;
        sample->cpu += one.cpu / n;
        add_phases(&times, n, sample->phases);
        *launched += times.launched * 1e3 / n;
    }
    return status;
}

/* Adds a sample of a run on a GPU, whose launches took `launched`, alone and with the copies. */
static swathe_status add_launched(struct result *result, const struct sample *run, double launched)
{
    struct sample kernel = *run, moved = {.cpu = run->cpu, .visit = run->visit};
    kernel.wall = launched;
    kernel.phases[PHASE_PLAN] = kernel.phases[PHASE_RESULT] = 0;
    moved.wall =
        run->phases[PHASE_UPLOAD] + run->phases[PHASE_KERNELS] + run->phases[PHASE_DOWNLOAD];
    result->scopes[SCOPE_KERNEL].phased = true;
    swathe_status status = sample_add(&result->scopes[SCOPE_KERNEL], &kernel);
    return status != SWATHE_OK ? status : sample_add(&result->scopes[SCOPE_TRANSFER], &moved);
}

swathe_status sample_kernel(const struct bench_run *run, struct bench_images *images,
                            struct runner *runner, struct result *result, int32_t visit)
{
    struct sample sample = {.visit = visit};
    double launched = 0;
    swathe_status status = run_sample(run, images, runner, result, &sample, &launched);
    let_settle(result);
    if (status != SWATHE_OK)
        return status;
    result->seconds = sample.wall * 1e-3;
    return on_gpu(result) ? add_launched(result, &sample, launched)
                          : sample_add(&result->scopes[SCOPE_KERNEL], &sample);
}

/* Plans, allocates the output, and runs. */
static swathe_status whole_call(const struct bench_run *run, swathe_context *context,
                                struct bench_images *images, const struct result *result,
                                struct buffer *output, swathe_run_times *times,
                                double phases[PHASE_COUNT])
{
    struct runner runner;
    double begun = clock_now();
    swathe_status status = new_output(run, images, output);
    phases[PHASE_RESULT] = (clock_now() - begun) * 1e3;
    if (status != SWATHE_OK)
        return status;
    begun = clock_now();
    status = runner_make(context, &run->settings, result, &runner);
    double planned = clock_now() - begun;
    if (status != SWATHE_OK)
        return status;
    status = runner_run(&runner, sample_source(images, &runner), &output->view, times);
    begun = clock_now();
    bool plans = runner.plan; /* the reports' loops have nothing to plan */
    runner_free(&runner);
    if (plans)
        phases[PHASE_PLAN] = (planned + clock_now() - begun) * 1e3;
    return status;
}

bool sample_is_phased(const struct result *result)
{
    return on_gpu(result) && !contender_is_best(&result->contender);
}

swathe_status sample_call(const struct bench_run *run, struct bench_images *images,
                          struct result *result, int32_t visit)
{
    struct samples *call = &result->scopes[SCOPE_CALL];
    struct buffer output = {0};
    double phases[PHASE_COUNT] = {0};
    swathe_run_times times = SWATHE_INIT(swathe_run_times);
    call->phased = sample_is_phased(result);
    bench_run_evict(run);
    struct stopwatch begun = sample_start();
    swathe_status status = whole_call(run, run->context, images, result, &output,
                                      call->phased ? &times : NULL, phases);
    struct sample taken = sample_stop(begun, visit);
    buffer_free(&output);
    let_settle(result);
    memcpy(taken.phases, phases, sizeof phases);
    add_phases(&times, 1, taken.phases);
    if (status == SWATHE_OK)
        status = sample_add(call, &taken);
    return status == SWATHE_OK && call->phased ? add_launched(result, &taken, times.launched * 1e3)
                                               : status;
}

swathe_status sample_first(const struct bench_run *run, struct bench_images *images,
                           struct result *result)
{
    struct buffer output = {0};
    swathe_context *context = NULL;
    double phases[PHASE_COUNT];
    struct stopwatch begun = sample_start();
    swathe_status status = bench_run_context(run, &context);
    if (status == SWATHE_OK)
        status = whole_call(run, context, images, result, &output, NULL, phases);
    struct sample taken = sample_stop(begun, 0);
    swathe_context_destroy(context);
    buffer_free(&output);
    return status != SWATHE_OK ? status : sample_add(&result->scopes[SCOPE_FIRST], &taken);
}
