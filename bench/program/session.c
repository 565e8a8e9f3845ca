#include "session.h"

#include "estimate.h"
#include "group.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_VISIT     0.6 /* of the budget, because the first visit also verifies and compiles */
#define COMPILE_SECONDS 1.2 /* for a GPU program, with a slow compiler */
#define WANTED_MOST     4
#define LEAST_PART      8 /* of the time for the rest: half of it has room for four runs */

/* ---- Groups ----------------------------------------------------------- */

static struct group group_from(const struct agenda *agenda, int64_t first)
{
    struct group group = {&agenda->results[first], 0};
    while (first + group.count < agenda->count &&
           agenda->results[first + group.count].group == group.results->group)
        group.count++;
    return group;
}

/* ---- Sharing the time ------------------------------------------------------------------------ */

static double session_end(const struct bench_run *run)
{
    const struct settings *s = &run->settings;
    return s->budget > 0 ? run->start + s->budget - fmin(s->reserve, s->budget / 4) : INFINITY;
}

/* Later visits share the time that remains. */
static double visit_end(const struct bench_run *run, int32_t visit)
{
    double end = session_end(run), begin = visit == 0 ? run->start : clock_now();
    int32_t visits = run->settings.visits - visit;
    if (!isfinite(end))
        return end;
    return begin + (end - begin) * (visit > 0 ? 1.0 / visits : visits > 1 ? FIRST_VISIT : 1);
}

/* Sets the seconds that each result should get in this visit. They are limited, so that a result
 * that takes minutes is left out instead of using up the time of the others. */
static void find_wants(const struct bench_run *run, int32_t visit)
{
    const struct agenda *agenda = &run->agenda;
    for (int64_t i = 0; run->settings.budget > 0 && i < agenda->count; i++) {
        struct result *result = &agenda->results[i];
        double compile = visit == 0 && estimate_compiles(agenda, result) ? COMPILE_SECONDS : 0;
        double runs = visit == 0 ? 4 * estimate_seconds(agenda, result) : 2 * result->seconds;
        result->wanted =
            visit > 0 && result->status != RESULT_OK
                ? 0
                : fmin(runs, WANTED_MOST) + compile + run->settings.seconds / run->settings.visits;
    }
}

/* The time at which a group should end: it gets its share of the rest of the visit. */
static double group_end(const struct bench_run *run, const struct group *group, double until)
{
    const struct result *end = run->agenda.results + run->agenda.count;
    double now = clock_now(), own = 0, all = 0;
    for (const struct result *result = group->results; result < end; result++) {
        all += result->wanted;
        own += result < group->results + group->count ? result->wanted : 0;
    }
    return isfinite(until) && all > 0 ? now + (until - now) * fmin(own / all, 1) : until;
}

/* Tries results again whose share was too small, if a run takes at most the `part`-th part of the
 * time until `until`. Each gets up to half of that time. */
static void run_left_out(struct bench_run *run, double until, double part)
{
    const struct agenda *agenda = &run->agenda;
    for (int64_t i = 0; i < agenda->count && !interrupt_caught() && isfinite(until);) {
        struct group group = group_from(agenda, i);
        bool any = false;
        for (int64_t k = 0; k < group.count; k++) {
            struct result *result = &group.results[k];
            if (result->status == RESULT_LEFT_OUT &&
                part * estimate_seconds(agenda, result) <= until - clock_now()) {
                result->status = RESULT_OK;
                result->started = false;
                result->why[0] = '\0';
                any = true;
            }
        }
        if (any)
            group_measure(run, &group, 0, (clock_now() + until) / 2);
        i += group.count;
    }
}

/* Every contender that fits is measured, even if others then get fewer samples: after the first
 * visit half of the remaining time, and in the end what is left. Fast contenders come first. */
static void run_rest(struct bench_run *run, double until)
{
    for (double part = 4 * LEAST_PART; part >= LEAST_PART; part /= 2)
        run_left_out(run, until, part);
}

static void run_visit(struct bench_run *run, int32_t visit, struct progress *progress)
{
    const struct agenda *agenda = &run->agenda;
    double until = visit_end(run, visit);
    find_wants(run, visit);
    for (int64_t i = 0; i < agenda->count && !interrupt_caught();) {
        struct group group = group_from(agenda, i);
        group_measure(run, &group, visit, group_end(run, &group, until));
        i += group.count;
        progress_show(progress, agenda->count * visit + i, agenda->count * run->settings.visits);
    }
    if (visit == 0)
        run_rest(run, (clock_now() + session_end(run)) / 2);
}

/* ---- Statistics and warnings ----------------------------------------------------------------- */

static void summarise_samples(struct samples *samples, uint64_t seed, double drift)
{
    double *scratch = malloc((size_t)samples->count * sizeof *scratch);
    struct bench_side wall = {samples->wall, samples->visit, samples->count, drift};
    if (!scratch)
        return;
    bench_summarise(&wall, seed, scratch, &samples->statistics);
    samples->cpu_median = bench_median_of(samples->cpu, samples->count, scratch);
    free(scratch);
}

/* The variation between visits beyond noise, over all results: those with few samples cannot show
 * it. */
static double find_drift(const struct agenda *agenda)
{
    double *drifts = malloc((size_t)agenda->count * sizeof *drifts);
    for (int64_t i = 0; drifts && i < agenda->count; i++) {
        const struct samples *kernel = &agenda->results[i].scopes[SCOPE_KERNEL];
        struct bench_side side = {kernel->wall, kernel->visit, kernel->count, 0};
        double *scratch = malloc((size_t)kernel->count * sizeof *scratch);
        drifts[i] = scratch ? bench_drift(&side, scratch) : -1;
        free(scratch);
    }
    double drift = drifts ? bench_drift_of_all(drifts, agenda->count) : 0;
    free(drifts);
    return drift;
}

static void summarise(struct bench_run *run)
{
    run->drift = find_drift(&run->agenda);
    for (int64_t i = 0; i < run->agenda.count; i++)
        for (int s = 0; s < SCOPE_COUNT; s++)
            if (run->agenda.results[i].scopes[s].count > 0)
                summarise_samples(&run->agenda.results[i].scopes[s], run->settings.seed,
                                  run->drift);
}

static void warn(struct bench_run *run)
{
    int64_t results = 0, noisy = 0, few = 0, wide = 0;
    const char *more = run->settings.budget > 0 ? "--budget" : "--runs or --seconds";
    for (int64_t i = 0; i < run->agenda.count; i++) {
        const struct samples *kernel = &run->agenda.results[i].scopes[SCOPE_KERNEL];
        const char *why = kernel->count > 0 ? kernel->statistics.no_interval : NULL;
        results += kernel->count > 0;
        few += why && strcmp(why, BENCH_FEW) == 0;
        wide += why && strcmp(why, BENCH_WIDE) == 0;
        noisy += kernel->count > 0 && kernel->statistics.noisy && !why;
    }
    if (few > 0)
        bench_run_warn(run,
                       "%lld of %lld contenders have too few runs for an interval; allow more time "
                       "with %s",
                       (long long)few, (long long)results, more);
    if (wide > 0)
        bench_run_warn(
            run,
            "the runs of %lld of %lld contenders differ too much for an interval; close other "
            "programs, or allow more time with %s",
            (long long)wide, (long long)results, more);
    char visits[64] = "";
    if (run->drift >= 0.01)
        snprintf(visits, sizeof visits, ", and visits differ by %.0f %%", 100 * run->drift);
    if (4 * noisy > results)
        bench_run_warn(
            run,
            "%lld of %lld contenders are noisy%s: other programs may be running, or the CPU's "
            "clock frequency may change; close other programs, or allow more time with %s",
            (long long)noisy, (long long)results, visits, more);
    if (run->machine.mhz > 0 && run->mhz_after > 0 &&
        fabs(run->mhz_after / run->machine.mhz - 1) > 0.1)
        bench_run_warn(run, "the CPU's clock frequency changed from %.0f to %.0f MHz",
                       run->machine.mhz, run->mhz_after);
    if (run->interrupted)
        bench_run_warn(run, "interrupted: some results were not measured");
}

/* Marks results that were not measured because of an interruption or the end of the budget. */
static void mark_missing(struct bench_run *run)
{
    for (int64_t i = 0; i < run->agenda.count; i++) {
        struct result *result = &run->agenda.results[i];
        if (result->status != RESULT_OK || result->scopes[SCOPE_KERNEL].count > 0)
            continue;
        result->status = RESULT_LEFT_OUT;
        strncpy(result->why, run->interrupted ? "interrupted" : "the budget was used up",
                sizeof result->why - 1);
    }
}

static void measure_peaks(struct bench_run *run)
{
    for (int64_t i = 0; i < run->agenda.count; i++) {
        int32_t threads = run->agenda.results[i].contender.threads;
        bool known = run->peak_count == RUN_PEAKS;
        for (int p = 0; p < run->peak_count; p++)
            known |= run->peaks[p].threads == threads;
        if (!known && peak_measure(threads, 0.25, &run->peaks[run->peak_count]))
            run->peak_count++;
    }
}

void session_run(struct bench_run *run)
{
    struct progress progress;
    measure_peaks(run); /* nothing is lost if a signal ends the program here */
    interrupt_catch();
    progress_start(&progress, "bench", PROGRESS_PIXELS, NULL);
    for (int32_t visit = 0; visit < run->settings.visits; visit++)
        run_visit(run, visit, &progress);
    run_rest(run, session_end(run));
    progress_hide(&progress);
    run->interrupted = interrupt_caught() != 0;
    run->mhz_after = machine_mhz();
    mark_missing(run);
    summarise(run);
    warn(run);
}
