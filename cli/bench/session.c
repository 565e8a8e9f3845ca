#include "bench/session.h"

#include "bench/group.h"
#include "interrupt.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the budget: the first visit verifies and compiles, the rest only times. */
#define FIRST_VISIT 0.6
#define RESERVE     0.06 /* for plots and files */

/* ---- Which rows belong together
 * ------------------------------------------------------------------ */

static struct group group_from(const struct agenda *agenda, int64_t first)
{
    struct group group = {&agenda->rows[first], 0};
    while (first + group.count < agenda->count &&
           agenda->rows[first + group.count].group == group.rows->group)
        group.count++;
    return group;
}

/* Rows of the same experiment from here on. */
static int64_t rows_left(const struct agenda *agenda, int64_t from)
{
    int64_t i = from;
    while (i < agenda->count && agenda->rows[i].experiment == agenda->rows[from].experiment)
        i++;
    return i - from;
}

/* ---- Sharing the time
 * ------------------------------------------------------------------------------ */

static double visit_end(const struct lab *lab, int32_t visit)
{
    const struct settings *s = &lab->settings;
    double all = s->budget - fmin(s->reserve, s->budget / 4);
    double first = s->visits > 1 ? FIRST_VISIT : 1;
    return s->budget > 0 ? lab->start + all * (first + (1 - first) * visit / fmax(s->visits - 1, 1))
                         : INFINITY;
}

/* When an experiment should end: by its rows' share of what is left of the visit. Each gets at
 * least as much as 20 rows, so that short ones of large images are not starved. */
static double experiment_end(const struct lab *lab, int64_t from, double until)
{
    const struct agenda *agenda = &lab->agenda;
    double all = 0, own = (double)rows_left(agenda, from) + 20;
    for (int64_t i = from; i < agenda->count; i += rows_left(agenda, i))
        all += (double)rows_left(agenda, i) + 20;
    double now = lab_now();
    return isfinite(until) ? now + (until - now) * own / all : until;
}

static void run_visit(struct lab *lab, int32_t visit, struct progress *progress)
{
    const struct agenda *agenda = &lab->agenda;
    double until = visit_end(lab, visit), end = until;
    int32_t experiment = -1;
    for (int64_t i = 0; i < agenda->count && !interrupt_caught();) {
        struct group group = group_from(agenda, i);
        if (group.rows->experiment != experiment)
            end = experiment_end(lab, i, until);
        experiment = group.rows->experiment;
        group_measure(lab, &group, visit, end, rows_left(agenda, i) - group.count);
        i += group.count;
        progress_show(progress, agenda->count * visit + i, agenda->count * lab->settings.visits);
    }
}

/* ---- What it all says
 * ------------------------------------------------------------------------------ */

static void summarise(struct lab *lab, struct row *row)
{
    for (int s = 0; s < SCOPE_COUNT; s++) {
        struct samples *samples = &row->scopes[s];
        double *scratch = samples->count ? malloc((size_t)samples->count * sizeof *scratch) : NULL;
        struct bench_statistics cpu;
        if (!scratch)
            continue;
        bench_summarise(samples->wall, samples->visit, samples->count, lab->settings.seed, scratch,
                        &samples->statistics);
        bench_summarise(samples->cpu, samples->visit, samples->count, lab->settings.seed, scratch,
                        &cpu);
        samples->cpu_median = cpu.median;
        free(scratch);
    }
}

static void warn(struct lab *lab)
{
    int64_t rows = 0, noisy = 0;
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        const struct samples *kernel = &lab->agenda.rows[i].scopes[SCOPE_KERNEL];
        rows += kernel->count > 0;
        noisy += kernel->count > 0 && kernel->statistics.noisy;
    }
    if (4 * noisy > rows)
        lab_warn(lab,
                 "%lld of %lld contenders are noisy: something else runs on this machine, or its "
                 "clock changes; close other programs, or give more time with --seconds",
                 (long long)noisy, (long long)rows);
    if (lab->machine.mhz > 0 && fabs(lab->mhz_after / lab->machine.mhz - 1) > 0.1)
        lab_warn(lab, "the CPU's clock went from %.0f to %.0f MHz", lab->machine.mhz,
                 lab->mhz_after);
    if (lab->interrupted)
        lab_warn(lab, "interrupted: what was not measured is missing");
}

/* What the interruption, or the end of the budget, left. */
static void mark_missing(struct lab *lab)
{
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        struct row *row = &lab->agenda.rows[i];
        if (row->status != ROW_OK || row->scopes[SCOPE_KERNEL].count > 0)
            continue;
        row->status = ROW_LEFT_OUT;
        strncpy(row->why, lab->interrupted ? "interrupted" : "the budget was used up",
                sizeof row->why - 1);
    }
}

static void measure_peaks(struct lab *lab)
{
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        int32_t threads = lab->agenda.rows[i].contender.threads;
        bool known = lab->peak_count == LAB_PEAKS;
        for (int p = 0; p < lab->peak_count; p++)
            known |= lab->peaks[p].threads == threads;
        if (!known && peak_measure(threads, 0.25, &lab->peaks[lab->peak_count]))
            lab->peak_count++;
    }
}

void session_run(struct lab *lab)
{
    struct progress progress;
    interrupt_catch();
    measure_peaks(lab);
    progress_start(&progress, "bench", true, false);
    for (int32_t visit = 0; visit < lab->settings.visits; visit++)
        run_visit(lab, visit, &progress);
    progress_end(&progress);
    lab->interrupted = interrupt_caught() != 0;
    lab->mhz_after = machine_mhz();
    mark_missing(lab);
    for (int64_t i = 0; i < lab->agenda.count; i++)
        summarise(lab, &lab->agenda.rows[i]);
    warn(lab);
}

int64_t session_wrong(const struct lab *lab)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < lab->agenda.count; i++)
        wrong += lab->agenda.rows[i].status == ROW_WRONG;
    return wrong;
}
