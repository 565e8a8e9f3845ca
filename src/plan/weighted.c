/* Filters of samples that may be missing, as one job. Their three stages weigh, filter and divide:
 * between them are planes of doubles, several times the bytes of the samples. */
#include "algorithm/divide.h"
#include "algorithm/passes.h"
#include "base/checked.h"
#include "plan/plan.h"

#include <math.h>

struct prepared {
    kernel *kernel;
    int isa;
    const void *taps; /* of the column, then of the row */
    struct kernel_weighted weighted;
};

/* ---- Jobs ------------------------------------------------------------------------------------
 */

static int64_t pointer_bytes(const struct plan_stage *stage)
{
    const struct prepared *prepared = stage->prepared;
    int64_t count = kernel_multirow_sources(prepared->isa, KERNEL_FLOAT_MULTIROW,
                                            stage->op->terms->down.height);
    return round_up(count * (int64_t)sizeof(void *), MEMORY_ALIGN);
}

static int64_t scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct op *op = stage->op;
    const struct prepared *prepared = stage->prepared;
    int64_t samples = count + ((int64_t)op->left + op->right) * step;
    return pointer_bytes(stage) +
           round_up(kernel_weighted_bytes(prepared->isa, samples), MEMORY_ALIGN);
}

static void run(const struct row_job *job)
{
    const struct op *op = job->stage->op;
    const struct prepared *prepared = job->stage->prepared;
    struct kernel_weighted weighted = prepared->weighted;
    weighted.centre = (int64_t)op->left * job->step;
    struct kernel_args args = {.taps = prepared->taps,
                               .tap_count = op->terms->across.width,
                               .bias = op->weights->bias,
                               .low = op->low,
                               .high = op->high,
                               .scratch = (uint8_t *)job->scratch + pointer_bytes(job->stage),
                               .weighted = &weighted};
    passes_run_both(job, prepared->isa, prepared->kernel, &args);
}

static const struct algorithm_calls calls = {.scratch_bytes = scratch_bytes, .run = run};
static const struct algorithm weighted = {
    "weighted", "two passes of samples and of their weights, and the quotient: nodata", &calls};

/* ---- Plans -----------------------------------------------------------------------------------
 */

static bool by_value(const struct weights *weights)
{
    return weights->rule.kind == WEIGHTS_VALUE || weights->rule.kind == WEIGHTS_NAN;
}

/* What samples outside the image must be so that they have the right weight; NaN and infinite
 * values are floats, too. */
static double outside(const struct op *filter, const struct weights *weights)
{
    if (filter->border.mode == BORDER_MISSING)
        return weights->rule.kind == WEIGHTS_NAN ? NAN : weights->rule.none;
    return filter->border.value;
}

/* Can one kernel compute the stages i, i + 1 and i + 2? */
static bool suits(const struct plan *plan, int32_t i)
{
    const struct op *op = &plan->ops[i];
    if (i + 2 >= plan->count || op->rule != STAGE_WEIGH || op[1].rule != STAGE_TWO_PASS)
        return false;
    const struct weights *weights = op[2].weights;
    const struct passes *passes = plan->stages[i + 1].prepared;
    double value = outside(&op[1], weights);
    return by_value(weights) && !weights->centred && op->in == SWATHE_F32 &&
           op[2].out == SWATHE_F32 && weights->results == weights->colours &&
           weights->results > 0 &&
           plan->stages[i + 1].algorithm == algorithm_at(ALGORITHM_two_pass) && passes->both &&
           op[1].term_count == 1 && divide_constants(&plan->stages[i + 2]) &&
           (value != value || (double)(float)value == value);
}

/* The stage that computes what the three ops do. */
static swathe_status bind(struct arena *arena, const struct op *from, struct op *op)
{
    const struct op *divide = &from[2];
    int32_t copied = divide->weights->copied;
    *op = from[1];
    op->in = from->in;
    op->out = divide->out;
    op->channels = from->channels;
    op->out_channels = divide->out_channels;
    op->copied = copied;
    op->other = -1;
    op->alpha = divide->alpha;
    op->weights = divide->weights;
    op->bias = divide->bias;
    op->low = divide->low;
    op->high = divide->high;
    op->border.value = outside(&from[1], divide->weights);
    op->outside = NULL;
    TRY(arena_new(arena, op->out_channels, sizeof *op->results, "channels", &op->results));
    for (int32_t c = 0; c < op->out_channels; c++) {
        int32_t n = divide->results[c].plane;
        bool copies = divide->results[c].mask < 0;
        op->results[c].plane = copies ? copied : n + (copied >= 0 && n >= copied);
        op->results[c].mask = copies ? -1 : 0;
    }
    return SWATHE_OK;
}

static swathe_status prepare(struct arena *arena, const struct plan_stage *from,
                             const struct op *op, struct plan_stage *stage)
{
    enum { ROW_BYTES = 4096 }; /* of a chunk: between the passes are 16 bytes for each sample */
    const struct passes *passes = from[1].prepared;
    const struct weights_rule *rule = &op->weights->rule;
    struct prepared *prepared;
    TRY(arena_new(arena, 1, sizeof *prepared, "a plan", &prepared));
    *stage = from[1];
    stage->op = op;
    stage->algorithm = &weighted;
    stage->row_type = op->in;
    stage->prepared = prepared;
    stage->to_row = stage->to_result = NULL;
    stage->group = MULTIROW_GROUP;
    stage->chunk = max64(ROW_BYTES / (op->channels * sample_size(op->in)),
                         8 * ((int64_t)op->left + op->right));
    prepared->kernel =
        kernel_find(passes->both_isa, KERNEL_weighted_passes_f32_f32, &prepared->isa);
    prepared->taps = passes->both_taps;
    prepared->weighted = (struct kernel_weighted){.is_nan = rule->kind == WEIGHTS_NAN,
                                                  .none = rule->none,
                                                  .centred = op->weights->part[0].centre >= 0,
                                                  .centre_row = op->terms->down.anchor_y,
                                                  .quotient = divide_constants(&from[2])[0]};
    return SWATHE_OK;
}

static swathe_status fill(struct arena *arena, const struct plan *plan, struct plan *to)
{
    int32_t at = 0, step;
    for (int32_t i = 0; i < plan->count; i += step, at++) {
        step = suits(plan, i) ? 3 : 1;
        to->own -= i < plan->own ? step - 1 : 0;
        to->ops[at] = plan->ops[i];
        to->stages[at] = plan->stages[i];
        if (step == 3) {
            TRY(bind(arena, &plan->ops[i], &to->ops[at]));
            TRY(prepare(arena, &plan->stages[i], &to->ops[at], &to->stages[at]));
        }
        to->stages[at].op = &to->ops[at];
    }
    return SWATHE_OK;
}

static swathe_status join(struct plan *plan, int32_t found)
{
    struct plan *to;
    TRY(arena_new(&plan->arena, 1, sizeof *to, "a plan", &to));
    *to = *plan;
    to->count = plan->count - 2 * found;
    to->candidates = NULL;
    TRY(arena_new(&plan->arena, to->count, sizeof *to->ops, "a plan", &to->ops));
    TRY(arena_new(&plan->arena, to->count, sizeof *to->stages, "a plan", &to->stages));
    plan->quick = to;
    return fill(&plan->arena, plan, to);
}

swathe_status plan_make_quick(struct plan *plan, const struct plan_maker *maker)
{
    int32_t found = 0;
    for (int32_t i = 0; i < plan->count; i++)
        found += suits(plan, i);
    if (found == 0)
        return SWATHE_OK;
    TRY(join(plan, found));
    plan->quick->step = plan_choose_step(plan->quick);
    plan_choose_span(plan->quick);
    plan->scratch_bytes = max64(plan->scratch_bytes, maker->scratch_bytes(plan->quick));
    return SWATHE_OK;
}
