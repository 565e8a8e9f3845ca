#include "session.h"

#include "terminal/interrupt.h"
#include "terminal/message.h"
#include "terminal/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Estimates ------------------------------------------------------------------------------- */

static bool is_like(const struct result *a, const struct result *b)
{
    return strcmp(a->contender.device, b->contender.device) == 0 &&
           strcmp(a->contender.strategy, b->contender.strategy) == 0 &&
           a->contender.threads == b->contender.threads;
}

/* Seconds per multiply-add if nothing is known. */
static double bench_session_guess(const struct contender *contender)
{
    bool cpu = contender_on_cpu(contender);
    bool best = contender_is_best(contender);
    return best && cpu ? 2e-10 : cpu ? 1.5e-9 : 1e-9;
}

/* A quantity proportional to the time. For `best` it is bounded for large masks. */
static double bench_session_size_of(const struct result *result)
{
    double work = problem_work(&result->problem);
    double samples =
        (double)result->problem.width * (double)result->problem.height * result->problem.channels;
    bool best = contender_is_best(&result->contender);
    return best && contender_on_cpu(&result->contender) ? fmin(work, 250 * samples) : work;
}

double estimate_seconds(const struct agenda *agenda, const struct result *result)
{
    for (const struct result *old = result - 1; old >= agenda->results; old--)
        if (old->status == RESULT_OK && old->seconds > 0 && is_like(old, result))
            return old->seconds * bench_session_size_of(result) / bench_session_size_of(old);
    return bench_session_size_of(result) * bench_session_guess(&result->contender);
}

/* Programs do not depend on the image's size, and some not on that of the mask and the block. */
static bool same_program(const struct result *a, const struct result *b)
{
    bool sizes = strcmp(a->problem.filter, b->problem.filter) == 0 &&
                 a->contender.block == b->contender.block;
    return a->problem.type == b->problem.type && a->problem.layout == b->problem.layout &&
           is_like(a, b) && (sizes || strstr(a->contender.strategy, ":runtime"));
}

bool estimate_compiles(const struct agenda *agenda, const struct result *result)
{
    if (contender_on_cpu(&result->contender))
        return false;
    for (const struct result *old = agenda->results; old < result; old++)
        if (old->status == RESULT_OK && same_program(old, result))
            return false;
    return true;
}

bool estimate_is_first(const struct agenda *agenda, const struct result *result)
{
    for (const struct result *old = agenda->results; old < agenda->results + agenda->count; old++)
        if (old->experiment == result->experiment && old->started &&
            old->status != RESULT_LEFT_OUT && is_like(old, result) &&
            old->contender.block == result->contender.block)
            return false;
    return true;
}

#define FIRST_VISIT     0.6 /* of the budget, because the first visit also verifies and compiles */
#define COMPILE_SECONDS 1.2 /* for a GPU program, with a slow compiler */
#define COMPILE_LEAST   0.5
#define USEFUL_MOST     1 /* of three runs, of a contender that a short budget has room for */
#define WANTED_MOST     4
#define LEAST_PART      8 /* of the time for the rest: half of it has room for four runs */

/* ---- Groups ----------------------------------------------------------- */

static struct contenders group_from(const struct agenda *agenda, int64_t first)
{
    struct contenders group = {&agenda->results[first], 0};
    while (first + group.count < agenda->count &&
           agenda->results[first + group.count].group == group.results->group)
        group.count++;
    return group;
}

/* The groups of all experiments in turn: the first of each, which is small, then the second of
 * each, so that no experiment uses up the time of those after it. */
struct turns {
    const struct agenda *agenda;
    int64_t next[AGENDA_EXPERIMENTS]; /* the index of its first result that had no turn */
    int32_t experiment;
};

static struct turns turns_begin(const struct agenda *agenda)
{
    struct turns turns = {.agenda = agenda};
    for (int32_t e = 0; e < agenda->experiment_count; e++)
        turns.next[e] = agenda->count;
    for (int64_t i = agenda->count - 1; i >= 0; i--)
        turns.next[agenda->results[i].experiment] = i;
    return turns;
}

/* False after the last one. */
static bool turns_step(struct turns *turns, struct contenders *group)
{
    const struct agenda *agenda = turns->agenda;
    for (int32_t tried = 0; tried < agenda->experiment_count; tried++) {
        int32_t e = turns->experiment;
        int64_t i = turns->next[e];
        turns->experiment = (e + 1) % agenda->experiment_count;
        if (i == agenda->count || agenda->results[i].experiment != e)
            continue;
        *group = group_from(agenda, i);
        turns->next[e] = i + group->count;
        return true;
    }
    return false;
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
            result->dropped || (visit > 0 && result->status != RESULT_OK)
                ? 0
                : fmin(runs, WANTED_MOST) + compile + run->settings.seconds / run->settings.visits;
    }
}

/* The time at which a group should end: it gets its share of the rest of the visit, and has then
 * had its turn. */
static double group_end(const struct bench_run *run, const struct contenders *group, double until)
{
    double now = clock_now(), own = 0, all = 0;
    for (int64_t i = 0; i < run->agenda.count; i++)
        all += run->agenda.results[i].wanted;
    for (int64_t i = 0; i < group->count; i++) {
        own += group->results[i].wanted;
        group->results[i].wanted = 0;
    }
    return isfinite(until) ? now + (all > 0 ? (until - now) * own / all : 0) : until;
}

/* Tries results again whose share was too small, if a run takes at most the `part`-th part of the
 * time until `until`. Each gets up to half of that time. */
static void run_left_out(struct bench_run *run, double until, double part)
{
    const struct agenda *agenda = &run->agenda;
    struct turns turns = turns_begin(agenda);
    struct contenders group;
    while (isfinite(until) && !interrupt_caught() && turns_step(&turns, &group)) {
        bool any = false;
        for (int64_t k = 0; k < group.count; k++) {
            struct result *result = &group.results[k];
            if (result->status == RESULT_LEFT_OUT && !result->dropped &&
                part * estimate_seconds(agenda, result) <= until - clock_now()) {
                result->status = RESULT_OK;
                result->started = false;
                result->why[0] = '\0';
                any = true;
            }
        }
        if (any)
            group_measure(run, &group, 0, (clock_now() + until) / 2);
    }
}

/* Every contender that fits is measured, even if others then get fewer samples: after the first
 * visit half of the remaining time, and in the end what is left. Fast contenders come first. */
static void run_rest(struct bench_run *run, double until)
{
    for (double part = 4 * LEAST_PART; part >= LEAST_PART; part /= 2)
        run_left_out(run, until, part);
}

/* ---- Experiments that fit -------------------------------------------------------------------- */

/* Seconds in which the contenders of an experiment run three times, without those that are too slow
 * for a budget of all experiments. */
static double session_need(const struct agenda *agenda, int32_t experiment)
{
    double need = 0;
    for (int64_t i = 0; i < agenda->count; i++) {
        const struct result *result = &agenda->results[i];
        if (result->experiment != experiment || result->dropped)
            continue;
        double runs = 3 * estimate_seconds(agenda, result);
        if (runs <= USEFUL_MOST)
            need += runs + (estimate_compiles(agenda, result) ? COMPILE_LEAST : 0);
    }
    return need;
}

static void session_drop_one(struct bench_run *run, int32_t experiment, double need)
{
    for (int64_t i = 0; i < run->agenda.count; i++) {
        struct result *result = &run->agenda.results[i];
        if (result->experiment != experiment)
            continue;
        result->status = RESULT_LEFT_OUT;
        result->started = result->dropped = true;
        snprintf(result->why, sizeof result->why,
                 "the budget has no room for this experiment, which needs at least %.0f s", need);
    }
}

/* Leaves out the longest experiment until the others, at least one, fit into the first visit. */
static void session_drop(struct bench_run *run)
{
    const struct agenda *agenda = &run->agenda;
    double least = run->settings.budget / 100; /* also if nothing is left */
    double room = fmax(visit_end(run, 0) - clock_now(), least), total = 0, all, most;
    char id[64], names[AGENDA_EXPERIMENTS * 64] = "";
    for (int32_t left = agenda->experiment_count; left > 0 && isfinite(room); left--) {
        int32_t longest = 0;
        all = most = 0;
        for (int32_t i = 0; i < agenda->experiment_count; i++) {
            double need = session_need(agenda, i);
            all += need;
            longest = need > most ? i : longest;
            most = fmax(most, need);
        }
        total = fmax(total, all);
        if (all <= room || left == 1)
            break;
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", at > 0 ? ", " : "",
                 experiment_id(&agenda->experiments[longest], id));
        session_drop_one(run, longest, most);
    }
    if (*names)
        complain(
            SWATHE_OK,
            "the budget of %.0f s has no room for %s; all need about %.0f s: raise --budget, or "
            "measure one with --suite NAME",
            run->settings.budget, names, run->settings.budget * total / room);
}

static void run_visit(struct bench_run *run, int32_t visit, struct progress *progress)
{
    int64_t done = 0, count = run->agenda.count;
    double until = visit_end(run, visit);
    struct turns turns = turns_begin(&run->agenda);
    struct contenders group;
    find_wants(run, visit);
    while (!interrupt_caught() && turns_step(&turns, &group)) {
        group_measure(run, &group, visit, group_end(run, &group, until));
        done += group.count;
        progress_show(progress, count * visit + done, count * run->settings.visits);
    }
    if (visit == 0)
        run_rest(run, (clock_now() + session_end(run)) / 2);
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

/* The peaks of the CPU with a number of threads, or of a device; zeros if they cannot be measured.
 */
static struct peak measure_peak(const struct bench_run *run, const struct contender *contender)
{
    struct peak peak = {.threads = contender->threads};
    swathe_device_peaks found = SWATHE_INIT(swathe_device_peaks);
    snprintf(peak.device, sizeof peak.device, "%s", contender->device);
    if (contender_on_cpu(contender)) {
        peak_measure(contender->threads, 0.25, &peak);
    } else if (swathe_device_measure(run->context, contender->device, &found) == SWATHE_OK) {
        peak.copy_gbs = found.copy_gbs;
        peak.fma_gflops = found.fma_gflops;
    }
    return peak;
}

static void measure_peaks(struct bench_run *run)
{
    for (int64_t i = 0; i < run->agenda.count; i++) {
        const struct contender *contender = &run->agenda.results[i].contender;
        bool known = run->peak_count == RUN_PEAKS;
        for (int p = 0; p < run->peak_count; p++)
            known |= run->peaks[p].threads == contender->threads &&
                     strcmp(run->peaks[p].device, contender->device) == 0;
        if (!known)
            run->peaks[run->peak_count++] = measure_peak(run, contender);
    }
}

void session_run(struct bench_run *run)
{
    struct progress progress;
    session_drop(run);
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
}
