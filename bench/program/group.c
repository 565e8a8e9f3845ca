#include "group.h"

#include "estimate.h"
#include "interrupt.h"
#include "own_image.h"
#include "turn.h"
#include "verify.h"
#include "workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_MOST = 200, CALLS_MOST = 5, TURN_MOST = 1000 };
#define TURN_SECONDS   1e-3 /* what takes microseconds is seen warm, and the clock costs nothing */
#define FIRST_SECONDS  2    /* a run that shows each kind of contender once, whatever the share */
#define WARM_SECONDS   0.1
#define STATED_SECONDS 60  /* for a contender's runs that the report states */
#define VERIFY_SHARE   0.2 /* of the time of a problem, for the definition */
#define VERIFY_SECONDS 10
#define REFERENCE_RATE 1e8 /* multiply-adds a second of the definition, about */

struct visit {
    struct lab *lab;
    struct bench_table table;
    struct expected expected[2]; /* of problem.filter, of problem.dense */
    struct runner *runners;
    int64_t *wanted; /* samples of each row */
    int64_t *order;
    int32_t number;
    double until;
    double largest; /* of the samples, where they are floats; 1 at least */
};

static void refuse(struct row *row, enum row_status status, const char *why)
{
    row->status = status;
    row->started = true;
    snprintf(row->why, sizeof row->why, "%s", why);
}

static void leave_out(const struct group *group, const char *why)
{
    for (int64_t i = 0; i < group->count; i++)
        if (!group->rows[i].started)
            refuse(&group->rows[i], ROW_LEFT_OUT, why);
}

/* ---- Verifying ---------------------------------------------------------------------------------
 */

/* The first call ever, of what has one: a context, and on a GPU a program that is compiled. */
static swathe_status time_first(const struct visit *visit, struct bench_table *table,
                                struct row *row)
{
    bool gpu = !contender_on_cpu(&row->contender);
    if (runner_is_plain(&row->contender) || (gpu && !estimate_compiles(&visit->lab->agenda, row)))
        return SWATHE_OK;
    return turn_first(visit->lab, table, row);
}

/* Into rubbish, so that nothing can be right by being left over. */
static swathe_status run_spoilt(struct visit *visit, struct row *row, struct runner *runner)
{
    buffer_spoil(&visit->table.result);
    double begun = lab_now();
    swathe_status status =
        runner_run(runner, &visit->table.source.view, &visit->table.result.view, NULL);
    row->seconds = lab_now() - begun;
    return status;
}

static swathe_status expect(struct visit *visit, const struct row *row, struct expected **expected)
{
    bool dense = runner_is_dense(&row->contender) && *row->problem.dense;
    struct expected *wanted = &visit->expected[dense];
    double share = VERIFY_SHARE * (visit->until - lab_now());
    double work = fmin(fmax(share, 0), VERIFY_SECONDS) * REFERENCE_RATE;
    *expected = wanted;
    if (wanted->image.data)
        return SWATHE_OK;
    return expected_make(visit->lab->context, &row->problem,
                         dense ? row->problem.dense : row->problem.filter,
                         &visit->table.source.view, work, visit->lab->settings.seed, wanted);
}

/* Runs the row once and compares; what is not right is not timed. */
static void verify_row(struct visit *visit, struct row *row, struct runner *runner)
{
    const struct lab *lab = visit->lab;
    struct expected *expected;
    char why[ROW_WHY];
    swathe_status status = time_first(visit, &visit->table, row);
    if (status == SWATHE_OK)
        status = runner_make(lab->context, &lab->settings, row, runner);
    if (status == SWATHE_OK)
        status = runner_prepare(runner, &visit->table.source.view);
    if (status == SWATHE_OK)
        status = run_spoilt(visit, row, runner);
    if (status == SWATHE_OK)
        status = expect(visit, row, &expected);
    if (status != SWATHE_OK) {
        refuse(row, ROW_REFUSED, swathe_error_text());
        return;
    }
    row->started = true;
    row->checksum = buffer_checksum(&visit->table.result);
    memcpy(row->verified, expected->how, sizeof row->verified);
    runner_describe(runner, row);
    if (!expected_match(expected, &visit->table.result, visit->largest * runner_tolerance(runner),
                        why))
        refuse(row, ROW_WRONG, why);
}

static void prepare_first(struct visit *visit, struct row *row, struct runner *runner)
{
    char why[ROW_WHY];
    double left = visit->until - lab_now(), estimate = estimate_seconds(&visit->lab->agenda, row);
    bool first = estimate <= FIRST_SECONDS && estimate_is_first(&visit->lab->agenda, row);
    if (first || 3 * estimate <= left) {
        verify_row(visit, row, runner);
        return;
    }
    snprintf(why, sizeof why, "about %.3g s a run, %.3g s are left of its share of the budget",
             estimate, fmax(left, 0));
    refuse(row, ROW_LEFT_OUT, why);
}

/* The fast ones first, so that slow ones do not take their time. */
static void order_by_estimate(struct visit *visit, const struct group *group)
{
    const struct agenda *agenda = &visit->lab->agenda;
    for (int64_t i = 0; i < group->count; i++) {
        int64_t at = i;
        double own = estimate_seconds(agenda, &group->rows[i]);
        for (; at > 0 && estimate_seconds(agenda, &group->rows[visit->order[at - 1]]) > own; at--)
            visit->order[at] = visit->order[at - 1];
        visit->order[at] = i;
    }
}

static void prepare(struct visit *visit, const struct group *group)
{
    const struct lab *lab = visit->lab;
    order_by_estimate(visit, group);
    for (int64_t k = 0; k < group->count && !interrupt_caught(); k++) {
        int64_t i = visit->order[k];
        struct row *row = &group->rows[i];
        if (visit->number == 0 && !row->started)
            prepare_first(visit, row, &visit->runners[i]);
        else if (visit->number > 0 && row->status == ROW_OK && row->started &&
                 (runner_make(lab->context, &lab->settings, row, &visit->runners[i]) != SWATHE_OK ||
                  runner_prepare(&visit->runners[i], &visit->table.source.view) != SWATHE_OK))
            refuse(row, ROW_REFUSED, swathe_error_text());
    }
}

/* ---- Timing ------------------------------------------------------------------------------------
 */

/* In a later visit, or when what was left out gets another chance, others have had their turn. */
static bool is_ready(const struct visit *visit, const struct group *group, int64_t i)
{
    return group->rows[i].status == ROW_OK && visit->runners[i].chain;
}

/* A run that is not timed: it warms up, and with the one before says how long a run takes. What
 * takes long on the CPU has been warmed up by its verification; a GPU's driver may have compiled in
 * that. Turns stay those of the first visit. */
static void warm_up(struct visit *visit, struct row *row, struct runner *runner)
{
    double before = row->seconds, begun = lab_now();
    if (before >= WARM_SECONDS && contender_on_cpu(&row->contender))
        return;
    if (runner_run(runner, &visit->table.source.view, &visit->table.result.view, NULL) != SWATHE_OK)
        refuse(row, ROW_REFUSED, swathe_error_text());
    row->seconds = fmin(before, lab_now() - begun);
    double turn = visit->lab->settings.cold ? 1 : ceil(TURN_SECONDS / row->seconds);
    if (visit->number == 0)
        row->turn = (int32_t)fmax(1, fmin(turn, TURN_MOST));
}

/* Samples that a row gets in this visit: of its own time, and of its share of what is left. */
static int64_t samples_wanted(const struct visit *visit, const struct row *row, int64_t rows)
{
    const struct settings *settings = &visit->lab->settings;
    double own = settings->seconds / settings->visits;
    double share = (visit->until - lab_now()) / (double)rows;
    double one = row->seconds * row->turn;
    double stated = fmin(ceil((double)row->stated / row->turn), STATED_SECONDS / one);
    double most = fmax(SAMPLES_MOST, stated / settings->visits);
    if (visit->number > 0 && one > (visit->until - lab_now()) / 2)
        return 0; /* it was timed before, and others want their turn */
    double runs = fmax((double)settings->runs, stated);
    double least = settings->budget > 0 ? 1 : ceil(runs / settings->visits);
    double count = fmin(fmax(own, stated * one / settings->visits), 0.75 * share) / one;
    return (int64_t)fmax(fmin(count, most), fmax(least, 1));
}

static void shuffle(struct rng *rng, int64_t *order, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        order[i] = i;
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = rng_between(rng, 0, i), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* Does a row that has `wanted` turns in `rounds` rounds have one now? They are spread evenly. */
static bool has_turn(int64_t round, int64_t wanted, int64_t rounds)
{
    return (round + 1) * wanted / rounds > round * wanted / rounds;
}

static void take_turn(struct visit *visit, struct row *row, struct runner *runner, bool call)
{
    swathe_status status = call
                               ? turn_call(visit->lab, &visit->table, runner, row, visit->number)
                               : turn_kernel(visit->lab, &visit->table, runner, row, visit->number);
    if (status != SWATHE_OK)
        refuse(row, ROW_REFUSED, swathe_error_text());
}

static bool is_over(const struct visit *visit, const struct row *row)
{
    return interrupt_caught() ||
           (lab_now() > visit->until && row->scopes[SCOPE_KERNEL].count > visit->number);
}

static void play(struct visit *visit, const struct group *group, bool call)
{
    int64_t rounds = 0;
    for (int64_t i = 0; i < group->count; i++)
        rounds = visit->wanted[i] > rounds ? visit->wanted[i] : rounds;
    for (int64_t round = 0; round < rounds; round++) {
        shuffle(&visit->lab->rng, visit->order, group->count);
        for (int64_t i = 0; i < group->count; i++) {
            int64_t at = visit->order[i];
            struct row *row = &group->rows[at];
            if (is_ready(visit, group, at) && has_turn(round, visit->wanted[at], rounds) &&
                !is_over(visit, row))
                take_turn(visit, row, &visit->runners[at], call);
        }
    }
}

static void time_all(struct visit *visit, const struct group *group)
{
    for (int64_t i = 0; i < group->count; i++)
        if (is_ready(visit, group, i))
            warm_up(visit, &group->rows[i], &visit->runners[i]);
    for (int64_t i = 0; i < group->count; i++)
        visit->wanted[i] =
            is_ready(visit, group, i) ? samples_wanted(visit, &group->rows[i], group->count) : 0;
    play(visit, group, false);
    for (int64_t i = 0; i < group->count; i++)
        visit->wanted[i] = visit->wanted[i] > CALLS_MOST ? CALLS_MOST : visit->wanted[i];
    play(visit, group, true);
}

/* ---- A visit -----------------------------------------------------------------------------------
 */

/* What the contenders give; those that cannot even be planned say so themselves. */
static swathe_shape result_of(const struct lab *lab, const struct problem *problem)
{
    swathe_shape shape = workload_shape(problem);
    swathe_chain *chain = NULL;
    if (workload_chain(lab->context, problem->filter, &chain) == SWATHE_OK)
        (void)workload_result(lab->context, problem, chain, &shape);
    swathe_chain_destroy(chain);
    return shape;
}

static bool make_visit(struct visit *visit, const struct group *group)
{
    const struct problem *problem = &group->rows->problem;
    swathe_shape shape = workload_shape(problem), result = result_of(visit->lab, problem);
    bool huge = visit->lab->settings.pages == PAGES_HUGE;
    size_t count = (size_t)group->count;
    visit->runners = calloc(count, sizeof *visit->runners);
    visit->wanted = calloc(count, sizeof *visit->wanted);
    visit->order = calloc(count, sizeof *visit->order);
    if (!visit->runners || !visit->wanted || !visit->order ||
        buffer_new(&shape, problem->layout, huge, &visit->table.source) != SWATHE_OK ||
        buffer_new(&result, problem->layout, huge, &visit->table.result) != SWATHE_OK)
        return false;
    visit->largest = 1;
    if (!*problem->image)
        buffer_fill(&visit->table.source, visit->lab->settings.seed);
    else if (own_image_load(visit->lab->context, problem->image, &visit->table.source.view,
                            &visit->largest) != SWATHE_OK)
        return false;
    return true;
}

static void free_visit(struct visit *visit, const struct group *group)
{
    for (int64_t i = 0; visit->runners && i < group->count; i++)
        runner_free(&visit->runners[i]);
    for (int i = 0; i < 2; i++)
        expected_free(&visit->expected[i]);
    buffer_free(&visit->table.source);
    buffer_free(&visit->table.result);
    free(visit->runners);
    free(visit->wanted);
    free(visit->order);
}

/* Source, result and that of a call; of both chains what the definition gives and a witness; what
 * plain loops and a software device keep. */
static bool fits(const struct lab *lab, const struct group *group, char why[ROW_WHY])
{
    swathe_shape result = result_of(lab, &group->rows->problem);
    double bytes = workload_bytes(&group->rows->problem, &result), need = 4.5 * bytes;
    if (bytes > 0 && need <= (double)lab_memory(lab))
        return true;
    snprintf(why, ROW_WHY, "needs %.1f GiB of memory to measure, %.1f GiB may be used",
             bytes > 0 ? need / 0x1p30 : INFINITY, (double)lab_memory(lab) / 0x1p30);
    return false;
}

void group_measure(struct lab *lab, const struct group *group, int32_t number, double until)
{
    struct visit visit = {.lab = lab, .number = number, .until = until};
    char why[ROW_WHY];
    bool any = false;
    for (int64_t i = 0; i < group->count; i++)
        any |= number == 0 ? !group->rows[i].started : group->rows[i].status == ROW_OK;
    if (!any || (number > 0 && lab_now() >= until))
        return;
    if (!fits(lab, group, why)) {
        leave_out(group, why);
        return;
    }
    if (make_visit(&visit, group)) {
        prepare(&visit, group);
        time_all(&visit, group);
    } else {
        leave_out(group, *group->rows->problem.image ? swathe_error_text() : "no memory");
    }
    free_visit(&visit, group);
}
