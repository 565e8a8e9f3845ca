#include "turn.h"

#include <string.h>
#include <time.h>

struct stopwatch {
    double wall, cpu;
};

static struct stopwatch start(void)
{
    return (struct stopwatch){lab_now(), lab_cpu()};
}

static struct stopwatch stop(struct stopwatch from)
{
    return (struct stopwatch){lab_now() - from.wall, lab_cpu() - from.cpu};
}

static swathe_status add(struct samples *samples, double wall, double cpu, int32_t visit)
{
    return samples_add(samples, wall * 1e3, cpu * 1e3, visit)
               ? SWATHE_OK
               : swathe_error_set(SWATHE_ERROR_MEMORY, "no memory for times");
}

static bool on_gpu(const struct row *row)
{
    return !contender_on_cpu(&row->contender);
}

static swathe_status new_result(const struct lab *lab, const struct bench_table *table,
                                struct buffer *result)
{
    return buffer_like(&table->result, lab->settings.pages == PAGES_HUGE, result);
}

/* OpenMP's threads spin for some milliseconds after their work, on CPUs that the next contender
 * wants. */
static void let_settle(const struct row *row)
{
    struct timespec pause = {0, 10000000};
    const struct baseline_way *way = baseline_way(row->contender.strategy);
    if (way && way->parallel && row->contender.threads > 1)
        nanosleep(&pause, NULL);
}

/* `row->turn` runs; `kernels` and `copies` are their sums. */
static swathe_status run_turn(const struct lab *lab, struct bench_table *table,
                              struct runner *runner, const struct row *row, struct stopwatch *taken,
                              double *kernels, double *copies)
{
    swathe_status status = SWATHE_OK;
    for (int32_t i = 0; i < row->turn && status == SWATHE_OK; i++) {
        swathe_run_times times = SWATHE_INIT(swathe_run_times);
        bool fresh = lab->settings.pages == PAGES_FRESH;
        struct buffer own = table->result;
        lab_evict(lab);
        if (fresh)
            status = new_result(lab, table, &own);
        if (status != SWATHE_OK)
            return status;
        struct stopwatch begun = start();
        status = runner_run(runner, &table->source.view, &own.view, on_gpu(row) ? &times : NULL);
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

swathe_status turn_kernel(const struct lab *lab, struct bench_table *table, struct runner *runner,
                          struct row *row, int32_t visit)
{
    struct stopwatch taken = {0};
    double kernels = 0, copies = 0;
    swathe_status status = run_turn(lab, table, runner, row, &taken, &kernels, &copies);
    let_settle(row);
    if (status != SWATHE_OK)
        return status;
    double n = row->turn;
    row->seconds = taken.wall / n;
    if (!on_gpu(row))
        return add(&row->scopes[SCOPE_KERNEL], taken.wall / n, taken.cpu / n, visit);
    status = add(&row->scopes[SCOPE_KERNEL], kernels / n, taken.cpu / n, visit);
    return status != SWATHE_OK
               ? status
               : add(&row->scopes[SCOPE_TRANSFER], (kernels + copies) / n, taken.cpu / n, visit);
}

/* Plans, makes memory for the result, and runs. */
static swathe_status whole_call(const struct lab *lab, swathe_context *context,
                                const struct bench_table *table, const struct row *row,
                                struct buffer *result)
{
    struct runner runner;
    swathe_status status = new_result(lab, table, result);
    if (status == SWATHE_OK)
        status = runner_make(context, &lab->settings, row, &runner);
    if (status != SWATHE_OK)
        return status;
    status = runner_run(&runner, &table->source.view, &result->view, NULL);
    runner_free(&runner);
    return status;
}

swathe_status turn_call(const struct lab *lab, struct bench_table *table, struct runner *runner,
                        struct row *row, int32_t visit)
{
    struct buffer result = {0};
    swathe_status status;
    lab_evict(lab);
    struct stopwatch begun = start();
    if (!runner->padded.data)
        status = whole_call(lab, lab->context, table, row, &result);
    else if ((status = new_result(lab, table, &result)) == SWATHE_OK)
        status = runner_run(runner, &table->source.view, &result.view, NULL);
    struct stopwatch taken = stop(begun);
    buffer_free(&result);
    let_settle(row);
    return status != SWATHE_OK ? status
                               : add(&row->scopes[SCOPE_CALL], taken.wall, taken.cpu, visit);
}

swathe_status turn_first(const struct lab *lab, struct bench_table *table, struct row *row)
{
    struct buffer result = {0};
    swathe_context *context = NULL;
    struct stopwatch begun = start();
    swathe_status status = lab_context(lab, &context);
    if (status == SWATHE_OK)
        status = whole_call(lab, context, table, row, &result);
    struct stopwatch taken = stop(begun);
    swathe_context_destroy(context);
    buffer_free(&result);
    return status != SWATHE_OK ? status : add(&row->scopes[SCOPE_FIRST], taken.wall, taken.cpu, 0);
}
