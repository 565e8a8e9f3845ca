#include "session.h"

#include "estimate.h"
#include "group.h"
#include "interrupt.h"
#include "median.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the budget: the first visit verifies and compiles, the rest only times. */
#define FIRST_VISIT     0.6
#define COMPILE_SECONDS 1.2 /* a GPU program, with a slow compiler */
#define WANTED_MOST     4

/* ---- Which rows belong together -------------------------------------------------------------- */

static struct group group_from(const struct agenda *agenda, int64_t first)
{
    struct group group = {&agenda->rows[first], 0};
    while (first + group.count < agenda->count &&
           agenda->rows[first + group.count].group == group.rows->group)
        group.count++;
    return group;
}

/* ---- Sharing the time ------------------------------------------------------------------------ */

static double visit_end(const struct lab *lab, int32_t visit)
{
    const struct settings *s = &lab->settings;
    double all = s->budget - fmin(s->reserve, s->budget / 4);
    double first = s->visits > 1 ? FIRST_VISIT : 1;
    return s->budget > 0 ? lab->start + all * (first + (1 - first) * visit / fmax(s->visits - 1, 1))
                         : INFINITY;
}

/* Seconds that rows would like to have in this visit. Nobody asks for much more than the rest: what
 * takes minutes is left out before it takes the time of all others. */
static void find_wants(const struct lab *lab, int32_t visit)
{
    const struct agenda *agenda = &lab->agenda;
    for (int64_t i = 0; lab->settings.budget > 0 && i < agenda->count; i++) {
        struct row *row = &agenda->rows[i];
        double compile = visit == 0 && estimate_compiles(agenda, row) ? COMPILE_SECONDS : 0;
        double runs = visit == 0 ? 4 * estimate_seconds(agenda, row) : 2 * row->seconds;
        row->wanted =
            visit > 0 && row->status != ROW_OK
                ? 0
                : fmin(runs, WANTED_MOST) + compile + lab->settings.seconds / lab->settings.visits;
    }
}

/* When the group that starts here should end: it gets its share of what is left of the visit. */
static double group_end(const struct lab *lab, const struct group *group, double until)
{
    const struct row *end = lab->agenda.rows + lab->agenda.count;
    double now = lab_now(), own = 0, all = 0;
    for (const struct row *row = group->rows; row < end; row++) {
        all += row->wanted;
        own += row < group->rows + group->count ? row->wanted : 0;
    }
    return isfinite(until) && all > 0 ? now + (until - now) * fmin(own / all, 1) : until;
}

/* Time is left when everybody had a share: those that found theirs too small may use it, as long as
 * one run takes no more than a twelfth of it. */
static void run_left_out(struct lab *lab, double until)
{
    const struct agenda *agenda = &lab->agenda;
    for (int64_t i = 0; i < agenda->count && !interrupt_caught() && isfinite(until);) {
        struct group group = group_from(agenda, i);
        bool any = false;
        for (int64_t k = 0; k < group.count; k++) {
            struct row *row = &group.rows[k];
            if (row->status == ROW_LEFT_OUT &&
                12 * estimate_seconds(agenda, row) <= until - lab_now()) {
                row->status = ROW_OK;
                row->started = false;
                row->why[0] = '\0';
                any = true;
            }
        }
        if (any)
            group_measure(lab, &group, 0, (lab_now() + until) / 2);
        i += group.count;
    }
}

static void run_visit(struct lab *lab, int32_t visit, struct progress *progress)
{
    const struct agenda *agenda = &lab->agenda;
    double until = visit_end(lab, visit);
    find_wants(lab, visit);
    for (int64_t i = 0; i < agenda->count && !interrupt_caught();) {
        struct group group = group_from(agenda, i);
        group_measure(lab, &group, visit, group_end(lab, &group, until));
        i += group.count;
        progress_show(progress, agenda->count * visit + i, agenda->count * lab->settings.visits);
    }
    if (visit == 0)
        run_left_out(lab, until);
}

/* ---- What it all says ------------------------------------------------------------------------ */

static void summarise_samples(struct samples *samples, uint64_t seed, double drift)
{
    double *scratch = malloc((size_t)samples->count * sizeof *scratch);
    struct bench_side wall = {samples->wall, samples->visit, samples->count, drift};
    if (!scratch)
        return;
    bench_summarise(&wall, seed, scratch, &samples->statistics);
    memcpy(scratch, samples->cpu, (size_t)samples->count * sizeof *scratch);
    samples->cpu_median = bench_median(scratch, samples->count);
    free(scratch);
}

/* By how much visits differ beyond noise, over all rows: rows of few samples cannot know. */
static double find_drift(const struct agenda *agenda)
{
    int64_t most = 1;
    for (int64_t i = 0; i < agenda->count; i++)
        most = agenda->rows[i].scopes[SCOPE_KERNEL].count > most
                   ? agenda->rows[i].scopes[SCOPE_KERNEL].count
                   : most;
    double *scratch = malloc((size_t)most * sizeof *scratch);
    double *drifts = malloc((size_t)agenda->count * sizeof *drifts), drift = 0;
    for (int64_t i = 0; scratch && drifts && i < agenda->count; i++) {
        const struct samples *kernel = &agenda->rows[i].scopes[SCOPE_KERNEL];
        struct bench_side side = {kernel->wall, kernel->visit, kernel->count, 0};
        drifts[i] = bench_drift(&side, scratch);
    }
    if (scratch && drifts)
        drift = bench_drift_of_all(drifts, agenda->count);
    free(scratch);
    free(drifts);
    return drift;
}

static void summarise(struct lab *lab)
{
    lab->drift = find_drift(&lab->agenda);
    for (int64_t i = 0; i < lab->agenda.count; i++)
        for (int s = 0; s < SCOPE_COUNT; s++)
            if (lab->agenda.rows[i].scopes[s].count > 0)
                summarise_samples(&lab->agenda.rows[i].scopes[s], lab->settings.seed, lab->drift);
}

static void warn(struct lab *lab)
{
    int64_t rows = 0, noisy = 0, few = 0, wide = 0;
    const char *more = lab->settings.budget > 0 ? "--budget" : "--runs or --seconds";
    for (int64_t i = 0; i < lab->agenda.count; i++) {
        const struct samples *kernel = &lab->agenda.rows[i].scopes[SCOPE_KERNEL];
        const char *why = kernel->count > 0 ? kernel->statistics.no_interval : NULL;
        rows += kernel->count > 0;
        few += why && strcmp(why, BENCH_FEW) == 0;
        wide += why && strcmp(why, BENCH_WIDE) == 0;
        noisy += kernel->count > 0 && kernel->statistics.noisy && !why;
    }
    if (few > 0)
        lab_warn(lab,
                 "%lld of %lld contenders had too few runs to say how far their times can be "
                 "trusted; give more time with %s",
                 (long long)few, (long long)rows, more);
    if (wide > 0)
        lab_warn(lab,
                 "the runs of %lld of %lld contenders differ too much to say how far their times "
                 "can be trusted; close other programs, or give more time with %s",
                 (long long)wide, (long long)rows, more);
    char visits[64] = "";
    if (lab->drift >= 0.01)
        snprintf(visits, sizeof visits, ", and visits differ by %.0f %%", 100 * lab->drift);
    if (4 * noisy > rows)
        lab_warn(lab,
                 "%lld of %lld contenders are noisy%s: other programs may be running, or the CPU's "
                 "clock may change; close other programs, or give more time with %s",
                 (long long)noisy, (long long)rows, visits, more);
    if (lab->machine.mhz > 0 && lab->mhz_after > 0 &&
        fabs(lab->mhz_after / lab->machine.mhz - 1) > 0.1)
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
    progress_start(&progress, "bench", PROGRESS_PIXELS, NULL);
    for (int32_t visit = 0; visit < lab->settings.visits; visit++)
        run_visit(lab, visit, &progress);
    progress_hide(&progress);
    lab->interrupted = interrupt_caught() != 0;
    lab->mhz_after = machine_mhz();
    mark_missing(lab);
    summarise(lab);
    warn(lab);
}

int64_t session_wrong(const struct lab *lab)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < lab->agenda.count; i++)
        wrong += lab->agenda.rows[i].status == ROW_WRONG;
    return wrong;
}
