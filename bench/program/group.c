#include "session.h"

#include "runner.h"
#include "sample.h"
#include "terminal/interrupt.h"
#include "verify.h"
#include "workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RUNS_LEAST: one to verify, one to warm up, one to time. */
enum { RUNS_LEAST = 3, SAMPLES_MOST = 200, CALLS_MOST = 5, SAMPLE_MOST = 1000 };
#define SAMPLE_SECONDS 1e-3 /* least time of a sample, much longer than reading the clock takes */
#define FIRST_SECONDS  2    /* each kind of contender runs once if a run is not longer than this */
#define WARM_SECONDS   0.1
#define STATED_SECONDS 60  /* limit for the number of runs that the report states */
#define VERIFY_SHARE   0.2 /* of a problem's time, for the definition */
#define VERIFY_SECONDS 10
#define REFERENCE_RATE 1e8 /* multiply-adds per second of the definition, approximately */
#define MEMORY_SHARE   0.75

struct visit {
    struct bench_run *run;
    struct bench_images images;
    struct expected expected[3]; /* of problem.filter, problem.dense, and this in a report's sums */
    struct runner *runners;
    int64_t *wanted; /* number of samples of each result */
    int64_t *order;
    int32_t number;
    double until;
    double largest; /* largest sample of a float image; at least 1 */
    double spare;   /* bytes of memory that no contender needs */
};

/* After Ctrl-C its run was cancelled, which says nothing about it. */
static void bench_group_refuse(struct result *result, enum result_status status, const char *why)
{
    if (interrupt_caught())
        return;
    result->status = status;
    result->started = true;
    snprintf(result->why, sizeof result->why, "%s", why);
}

static void leave_out(const struct contenders *group, const char *why)
{
    for (int64_t i = 0; i < group->count; i++)
        if (!group->results[i].started)
            bench_group_refuse(&group->results[i], RESULT_LEFT_OUT, why);
}

/* ---- Verifying ------------------------------------------------------------------------------- */

/* Times the first call, which creates a context and, on a GPU, compiles a program. */
static swathe_status time_first(const struct visit *visit, struct bench_images *images,
                                struct result *result)
{
    bool gpu = !contender_on_cpu(&result->contender);
    if (runner_is_plain(&result->contender) ||
        (gpu && !estimate_compiles(&visit->run->agenda, result)))
        return SWATHE_OK;
    return sample_first(visit->run, images, result);
}

/* Fills the output with garbage first, so that an old result cannot be mistaken for a new one. */
static swathe_status run_once(struct visit *visit, struct result *result, struct runner *runner)
{
    buffer_garble(&visit->images.output);
    double begun = clock_now();
    swathe_status status =
        runner_run(runner, sample_source(&visit->images, runner), &visit->images.output.view, NULL);
    result->seconds = clock_now() - begun;
    return status;
}

static swathe_status bench_group_expect(struct visit *visit, const struct runner *runner,
                                        struct expected **expected)
{
    const struct result *result = runner->result;
    bool dense = runner_is_dense(&result->contender) && *result->problem.dense;
    bool contract = strcmp(runner->arithmetic, "contract") == 0;
    struct expected *wanted = &visit->expected[contract ? dense : 2];
    double share = VERIFY_SHARE * (visit->until - clock_now());
    double work = fmin(fmax(share, 0), VERIFY_SECONDS) * REFERENCE_RATE;
    *expected = wanted;
    if (wanted->image.data)
        return SWATHE_OK;
    wanted->keeps = visit->spare >= 3.0 * (double)visit->images.output.bytes;
    return expected_make(visit->run->context, &result->problem,
                         dense ? result->problem.dense : result->problem.filter, runner->arithmetic,
                         &visit->images.source.view, work, visit->run->settings.seed, wanted);
}

/* Runs the contender once and verifies its result; a wrong one is not timed. */
static void verify_result(struct visit *visit, struct result *result, struct runner *runner)
{
    const struct bench_run *run = visit->run;
    struct expected *expected;
    char why[RESULT_WHY];
    swathe_status status = sample_pad(run, &visit->images, result);
    if (status == SWATHE_OK)
        status = time_first(visit, &visit->images, result);
    if (status == SWATHE_OK)
        status = runner_make(run->context, &run->settings, result, runner);
    if (status == SWATHE_OK)
        status = run_once(visit, result, runner);
    if (status == SWATHE_OK)
        status = bench_group_expect(visit, runner, &expected);
    if (status != SWATHE_OK) {
        bench_group_refuse(result, RESULT_REFUSED, swathe_error_text());
        return;
    }
    result->started = true;
    result->checksum = buffer_checksum(&visit->images.output);
    memcpy(result->verified, expected->how, sizeof result->verified);
    runner_describe(runner, result);
    if (!expected_match(expected, &visit->images.output, visit->largest * runner_tolerance(runner),
                        why))
        bench_group_refuse(result, RESULT_WRONG, why);
}

/* True if there is time for its runs, or if it is the first of its kind, and fast. */
static bool has_time(const struct visit *visit, const struct result *result)
{
    double estimate = estimate_seconds(&visit->run->agenda, result);
    return RUNS_LEAST * estimate <= visit->until - clock_now() ||
           (estimate <= FIRST_SECONDS && estimate_is_first(&visit->run->agenda, result));
}

static void leave_out_slow(const struct visit *visit, struct result *result)
{
    char why[RESULT_WHY];
    double estimate = estimate_seconds(&visit->run->agenda, result);
    snprintf(
        why, sizeof why,
        "its %d runs, to verify, to warm up and to time, would take about %.3g s, more than its "
        "share of the budget, %.3g s",
        RUNS_LEAST, RUNS_LEAST * estimate, fmax(visit->until - clock_now(), 0));
    bench_group_refuse(result, RESULT_LEFT_OUT, why);
}

static void prepare_first(struct visit *visit, struct result *result, struct runner *runner)
{
    if (has_time(visit, result))
        verify_result(visit, result, runner);
    else
        leave_out_slow(visit, result);
}

/* Fast contenders run first, so that slow ones cannot use up their time. */
static void order_by_estimate(struct visit *visit, const struct contenders *group)
{
    const struct agenda *agenda = &visit->run->agenda;
    for (int64_t i = 0; i < group->count; i++) {
        int64_t at = i;
        double own = estimate_seconds(agenda, &group->results[i]);
        for (; at > 0 && estimate_seconds(agenda, &group->results[visit->order[at - 1]]) > own;
             at--)
            visit->order[at] = visit->order[at - 1];
        visit->order[at] = i;
    }
}

static void bench_group_prepare(struct visit *visit, const struct contenders *group)
{
    const struct bench_run *run = visit->run;
    order_by_estimate(visit, group);
    for (int64_t k = 0; k < group->count && !interrupt_caught(); k++) {
        int64_t i = visit->order[k];
        struct result *result = &group->results[i];
        if (visit->number == 0 && !result->started)
            prepare_first(visit, result, &visit->runners[i]);
        else if (visit->number > 0 && result->status == RESULT_OK && result->started &&
                 (sample_pad(run, &visit->images, result) != SWATHE_OK ||
                  runner_make(run->context, &run->settings, result, &visit->runners[i]) !=
                      SWATHE_OK))
            bench_group_refuse(result, RESULT_REFUSED, swathe_error_text());
    }
}

/* ---- Timing ---------------------------------------------------------------------------------- */

/* True if it is prepared in this visit, and no error occurred. */
static bool is_ready(const struct visit *visit, const struct contenders *group, int64_t i)
{
    return group->results[i].status == RESULT_OK && visit->runners[i].chain;
}

/* Runs once without counting the time. The faster of this and the previous run estimates the time
 * of a run. For slow contenders on the CPU, the verification was the warm-up; on a GPU it may have
 * included compilation. The number of runs per sample is set in the first visit. */
static void warm_up(struct visit *visit, struct result *result, struct runner *runner)
{
    double before = result->seconds, begun = clock_now();
    if (before >= WARM_SECONDS && contender_on_cpu(&result->contender))
        return;
    if (runner_run(runner, sample_source(&visit->images, runner), &visit->images.output.view,
                   NULL) != SWATHE_OK) {
        bench_group_refuse(result, RESULT_REFUSED, swathe_error_text());
        return;
    }
    result->seconds = fmin(before, clock_now() - begun);
    double turn = visit->run->settings.cold ? 1 : ceil(SAMPLE_SECONDS / result->seconds);
    if (visit->number == 0)
        result->runs_each = (int32_t)fmax(1, fmin(turn, SAMPLE_MOST));
}

/* The number of samples in this visit, limited by --seconds and the share of the remaining time. */
static int64_t samples_wanted(const struct visit *visit, const struct result *result,
                              int64_t results)
{
    const struct settings *settings = &visit->run->settings;
    double own = settings->seconds / settings->visits;
    double share = (visit->until - clock_now()) / (double)results;
    double one = result->seconds * result->runs_each;
    double stated = fmin(ceil((double)result->stated / result->runs_each), STATED_SECONDS / one);
    double most = fmax(SAMPLES_MOST, stated / settings->visits);
    if (visit->number > 0 && one > (visit->until - clock_now()) / 2)
        return 0; /* it already has samples; the others get the time */
    double runs = fmax((double)settings->runs, stated);
    double least = settings->budget > 0 ? 1 : ceil(runs / settings->visits);
    double count = fmin(fmax(own, stated * one / settings->visits), 0.75 * share) / one;
    return (int64_t)fmax(fmin(count, most), fmax(least, 1));
}

static void bench_group_shuffle(struct rng *rng, int64_t *order, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        order[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = rng_between(rng, 0, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* True if a contender with `wanted` samples takes one in this round of `rounds`; they are spread
 * evenly. */
static bool has_turn(int64_t round, int64_t wanted, int64_t rounds)
{
    return (round + 1) * wanted / rounds > round * wanted / rounds;
}

static void take_sample(struct visit *visit, struct result *result, struct runner *runner,
                        bool call)
{
    swathe_status status =
        call ? sample_call(visit->run, &visit->images, result, visit->number)
             : sample_kernel(visit->run, &visit->images, runner, result, visit->number);
    if (status != SWATHE_OK)
        bench_group_refuse(result, RESULT_REFUSED, swathe_error_text());
}

/* One sample in each visit is taken even if the time is over: of the kernel and, of best, which is
 * fast, also of a call. */
static bool bench_group_is_over(const struct visit *visit, const struct result *result, bool call)
{
    enum scope scope = call && contender_is_best(&result->contender) ? SCOPE_CALL : SCOPE_KERNEL;
    return interrupt_caught() ||
           (clock_now() > visit->until && result->scopes[scope].count > visit->number);
}

/* The first sample of a visit is a whole call if that is one of the kernel, too. */
static void take_rounds(struct visit *visit, const struct contenders *group, bool call)
{
    int64_t rounds = 0;
    for (int64_t i = 0; i < group->count; i++)
        rounds = visit->wanted[i] > rounds ? visit->wanted[i] : rounds;
    for (int64_t round = 0; round < rounds; round++) {
        bench_group_shuffle(&visit->run->rng, visit->order, group->count);
        for (int64_t i = 0; i < group->count; i++) {
            int64_t at = visit->order[i];
            struct result *result = &group->results[at];
            if (is_ready(visit, group, at) && has_turn(round, visit->wanted[at], rounds) &&
                !bench_group_is_over(visit, result, call))
                take_sample(visit, result, &visit->runners[at],
                            call || (sample_is_phased(result) &&
                                     result->scopes[SCOPE_CALL].count <= visit->number));
        }
    }
}

static void time_all(struct visit *visit, const struct contenders *group)
{
    for (int64_t i = 0; i < group->count; i++)
        if (is_ready(visit, group, i))
            warm_up(visit, &group->results[i], &visit->runners[i]);
    for (int64_t i = 0; i < group->count; i++)
        visit->wanted[i] =
            is_ready(visit, group, i) ? samples_wanted(visit, &group->results[i], group->count) : 0;
    take_rounds(visit, group, false);
    for (int64_t i = 0; i < group->count; i++)
        visit->wanted[i] = visit->wanted[i] > CALLS_MOST ? CALLS_MOST : visit->wanted[i];
    take_rounds(visit, group, true);
}

/* ---- Visits --------------------------------------------------------------------------------- */

/* The shape of the result, or that of the source if there is no plan: the contenders then report
 * why. */
static swathe_shape result_of(const struct bench_run *run, const struct problem *problem)
{
    swathe_shape shape = workload_shape(problem);
    swathe_chain *chain = NULL;
    if (workload_chain(run->context, problem->filter, &chain) == SWATHE_OK)
        (void)workload_result(run->context, problem, chain, &shape);
    swathe_chain_destroy(chain);
    return shape;
}

static bool make_visit(struct visit *visit, const struct contenders *group)
{
    const struct problem *problem = &group->results->problem;
    swathe_shape shape = workload_shape(problem), output = result_of(visit->run, problem);
    bool huge = visit->run->settings.pages == PAGES_HUGE;
    size_t count = (size_t)group->count;
    visit->runners = calloc(count, sizeof *visit->runners);
    visit->wanted = calloc(count, sizeof *visit->wanted);
    visit->order = calloc(count, sizeof *visit->order);
    if (!visit->runners || !visit->wanted || !visit->order ||
        buffer_new(&shape, problem->layout, huge, &visit->images.source) != SWATHE_OK ||
        buffer_new(&output, problem->layout, huge, &visit->images.output) != SWATHE_OK)
        return false;
    visit->largest = 1;
    if (!*problem->image)
        buffer_fill(&visit->images.source, visit->run->settings.seed);
    else if (own_image_load(visit->run->context, problem->image, &visit->images.source.view,
                            &visit->largest) != SWATHE_OK)
        return false;
    return true;
}

static void free_visit(struct visit *visit, const struct contenders *group)
{
    for (int64_t i = 0; visit->runners && i < group->count; i++)
        runner_free(&visit->runners[i]);
    for (int i = 0; i < 3; i++)
        expected_free(&visit->expected[i]);
    buffer_free(&visit->images.padded);
    buffer_free(&visit->images.source);
    buffer_free(&visit->images.output);
    free(visit->runners);
    free(visit->wanted);
    free(visit->order);
}

/* Bytes of the image, and of all memory that a contender needs: the image, perhaps padded, the
 * result of a run and that of a call, images between plain loops, and, on a software device, the
 * images on the device and the copies to and from it, as far as it has them. */
static double bench_group_need(const struct result *result, const swathe_shape *output,
                               double *image)
{
    const struct problem *problem = &result->problem;
    double both = workload_bytes(problem, output);
    *image = workload_bytes(problem, output) / 2;
    double need = 1.5 * both + (runner_pads(result) ? *image : 0);
    if (runner_is_plain(&result->contender))
        return need + (strchr(problem->filter, ',') ? both : 0);
    return need + (!contender_on_cpu(&result->contender) ? 2 * both : 0);
}

/* Leaves out contenders that need more than most of the memory. `spare` is what the others leave.
 */
static void bench_group_check_memory(const struct bench_run *run, const struct contenders *group,
                                     double *spare)
{
    swathe_shape output = result_of(run, &group->results->problem);
    double memory = run->machine.memory > 0 ? (double)run->machine.memory : 0x1p33;
    double limit = memory * MEMORY_SHARE, most = 0, image;
    char why[RESULT_WHY];
    for (int64_t i = 0; i < group->count; i++) {
        struct result *result = &group->results[i];
        double need = bench_group_need(result, &output, &image);
        if (image > 0 && need <= limit) {
            most = fmax(most, need);
            continue;
        }
        snprintf(why, sizeof why,
                 "needs up to %.1f GiB of memory for an image of %.1f GiB, the limit is %.1f GiB, "
                 "three quarters of this machine's",
                 image > 0 ? need / 0x1p30 : INFINITY, image > 0 ? image / 0x1p30 : INFINITY,
                 limit / 0x1p30);
        if (!result->started)
            bench_group_refuse(result, RESULT_LEFT_OUT, why);
    }
    *spare = limit - most;
}

/* True if any contender runs in this visit. If none does, large images need not be made. */
static bool any_runs(const struct visit *visit, const struct contenders *group)
{
    bool any = false;
    for (int64_t i = 0; i < group->count; i++)
        any |= visit->number > 0
                   ? group->results[i].status == RESULT_OK
                   : !group->results[i].started && has_time(visit, &group->results[i]);
    for (int64_t i = 0; i < group->count && !any && visit->number == 0; i++)
        if (!group->results[i].started)
            leave_out_slow(visit, &group->results[i]);
    return any && (visit->number == 0 || clock_now() < visit->until);
}

void group_measure(struct bench_run *run, const struct contenders *group, int32_t number,
                   double until)
{
    struct visit visit = {.run = run, .number = number, .until = until};
    bench_group_check_memory(run, group, &visit.spare);
    if (!any_runs(&visit, group))
        return;
    if (make_visit(&visit, group)) {
        bench_group_prepare(&visit, group);
        time_all(&visit, group);
    } else {
        leave_out(group,
                  *group->results->problem.image ? swathe_error_text() : "not enough memory");
    }
    free_visit(&visit, group);
}
