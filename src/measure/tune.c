#include "measure/tune.h"

#include "base/checked.h"
#include "base/os_clock.h"
#include "base/text.h"
#include "measure/time_plan.h"

#include <math.h>
#include <string.h>

/* Limits of the time per stage, of rounds, and of the part of the image. */
static const double seconds_most = 0.8, round_seconds = 0.1;
enum { ROUNDS_MOST = 15, COLUMNS_MOST = 4096, ROWS_LEAST = 64, SAMPLES_MOST = 1 << 22 };
/* A candidate that was slower than the best by this factor is not tried again. */
static const double too_slow = 2.0;

struct comparison {
    const struct plan_maker *maker;
    const struct candidates *candidates;
    struct plan *plans[ALGORITHM_COUNT]; /* NULL: eliminated */
    double ns[ALGORITHM_COUNT];
};

/* Chooses a part of the stage's input that is small enough to run several times, and large enough
 * to be representative. */
static swathe_shape tune_crop(const struct plan *plan, int32_t stage)
{
    const struct op *op = &plan->ops[stage];
    const struct candidates *candidates = &plan->candidates[stage];
    swathe_shape shape = plan->source;
    double ns = 0.0, rows;
    for (int32_t i = 0; i < candidates->count; i++)
        ns += candidates->list[i].predicted_ns;
    int64_t across = (int64_t)op->left + op->right + 1, down = (int64_t)op->above + op->below + 1;
    shape.type = op->in;
    shape.channels = op->channels;
    shape.alpha = op->copied + 1;
    shape.width = min64(op->in_width, max64(across, COLUMNS_MOST / op->channels + 1));
    if (shape.width < op->in_width)
        ns *= (double)shape.width / (double)op->in_width;
    rows = round_seconds * 1e9 / fmax(ns / (double)op->in_height, 1.0);
    rows = fmin(rows, SAMPLES_MOST / ((double)shape.width * op->channels));
    rows = fmax(rows, (double)max64(ROWS_LEAST, 2 * down));
    shape.height = rows < (double)op->in_height ? (int64_t)rows : op->in_height;
    return shape;
}

static swathe_status tune_append(struct chain *chain, const struct op *op)
{
    return op->array ? chain_append_array(chain, op->array, op->text + strlen("mask"))
                     : chain_append(chain, op->text);
}

/* "nan:fill:least=0.5": which samples of the stage's input are missing. */
static void print_rule(const struct weights_rule *rule, char *text, size_t size)
{
    struct text out;
    text_init(&out, text, size);
    if (rule->kind == WEIGHTS_NAN)
        text_add(&out, "nan");
    else
        text_add_double(&out, rule->none);
    text_add(&out, rule->fill ? ":fill" : "");
    text_add(&out, ":least=");
    text_add_double(&out, rule->least);
}

/* Makes one plan per candidate, for this stage only. */
static swathe_status make_plans(struct comparison *comparison, const struct plan *plan,
                                int32_t stage, const swathe_plan_options *options)
{
    struct chain *chain;
    char nodata[96];
    swathe_shape shape = tune_crop(plan, stage);
    swathe_plan_options o = *options;
    if (plan->ops[stage].rule == STAGE_WEIGHTED) {
        print_rule(&plan->ops[stage].before, nodata, sizeof nodata);
        o.nodata = nodata;
    }
    o.type = plan->ops[stage].out;
    o.values = SWATHE_VALUES_KEEP;
    o.light = SWATHE_LIGHT_DEFAULT; /* its stages have one candidate each */
    o.curves = NULL;
    o.intermediate = SWATHE_TYPE_DEFAULT;
    o.device = NULL; /* algorithms run on the CPU */
    TRY(chain_parse(comparison->maker->memory, "", &chain));
    swathe_status status = tune_append(chain, &plan->ops[stage]);
    for (int32_t i = 0; i < comparison->candidates->count && status == SWATHE_OK; i++) {
        o.algorithm = comparison->candidates->list[i].algorithm->name;
        status = plan_create(comparison->maker, chain, &shape, &o, &comparison->plans[i]);
    }
    chain_free(chain);
    return status;
}

static swathe_status run_round(struct comparison *comparison, const struct measure *measure)
{
    double best = INFINITY;
    for (int32_t i = 0; i < comparison->candidates->count; i++) {
        double ns;
        if (!comparison->plans[i])
            continue;
        TRY(time_plan_run(measure, comparison->plans[i], 1, &ns));
        comparison->ns[i] = comparison->ns[i] > 0.0 ? fmin(comparison->ns[i], ns) : ns;
        best = fmin(best, comparison->ns[i]);
    }
    for (int32_t i = 0; i < comparison->candidates->count; i++)
        if (comparison->plans[i] && comparison->ns[i] > too_slow * best) {
            plan_free(comparison->plans[i]);
            comparison->plans[i] = NULL;
        }
    return SWATHE_OK;
}

static swathe_status run_rounds(struct comparison *comparison, struct pool *pool)
{
    struct measure measure;
    double start = clock_now();
    TRY(time_plan_begin(comparison->maker->memory, pool, comparison->plans[0], &measure));
    swathe_status status = SWATHE_OK;
    for (int r = 0; r < ROUNDS_MOST && status == SWATHE_OK; r++) {
        status = run_round(comparison, &measure);
        if (clock_now() - start > seconds_most)
            break;
    }
    time_plan_end(&measure);
    return status;
}

static swathe_status store_times(const struct comparison *comparison, const struct op *op,
                                 const struct candidate_rule *rule, double samples)
{
    struct wisdom_problem problem = {.key = candidate_key(op, rule)};
    for (int32_t i = 0; i < comparison->candidates->count; i++)
        problem.ns[algorithm_index(comparison->candidates->list[i].algorithm)] =
            comparison->ns[i] / samples;
    return wisdom_learn(comparison->maker->wisdom, &problem);
}

static swathe_status tune_stage(const struct plan_maker *maker, struct pool *pool,
                                const struct plan *plan, int32_t stage,
                                const swathe_plan_options *options)
{
    struct comparison comparison = {.maker = maker, .candidates = &plan->candidates[stage]};
    struct candidate_rule rule = {.wisdom = maker->wisdom,
                                  .isa = options->isa ? isa_named(options->isa) : isa_best(),
                                  .exact = options->exact != 0,
                                  .accuracy = options->accuracy};
    double samples = 0.0;
    swathe_status status = make_plans(&comparison, plan, stage, options);
    if (status == SWATHE_OK) {
        const swathe_shape *made = &comparison.plans[0]->result;
        samples = (double)made->width * (double)made->height * made->channels;
        status = run_rounds(&comparison, pool);
    }
    if (status == SWATHE_OK)
        status = store_times(&comparison, &plan->ops[stage], &rule, samples);
    for (int32_t i = 0; i < ALGORITHM_COUNT; i++)
        plan_free(comparison.plans[i]);
    return status == SWATHE_ERROR_IO ? SWATHE_OK : status;
}

swathe_status tune_plan(const struct plan_maker *maker, struct pool *pool,
                        const struct chain *chain, const swathe_shape *source,
                        const swathe_plan_options *options)
{
    struct plan *plan;
    swathe_status status = SWATHE_OK;
    swathe_plan_options own = *options;
    bool on_cpu = !own.device || strcmp(own.device, "cpu") == 0 || strcmp(own.device, "auto") == 0;
    if (own.algorithm || !on_cpu)
        return SWATHE_OK;
    own.device = NULL; /* `auto` compares with the CPU's best time */
    TRY(plan_create(maker, chain, source, &own, &plan));
    own.exact |= plan->light.linear;
    for (int32_t i = 0; i < plan->count && status == SWATHE_OK; i++)
        /* The text of a stage that is joined also names its second half. */
        if (plan->candidates[i].count > 1 && plan->ops[i].join <= STAGE_JOIN_STACK)
            status = tune_stage(maker, pool, plan, i, &own);
    plan_free(plan);
    return status;
}
