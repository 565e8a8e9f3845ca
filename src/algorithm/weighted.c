/* Filters of samples that may be missing, as one task. Between their three stages weigh, filter and
 * divide are planes of doubles, several times the bytes of the samples. */
#include "algorithm/algorithm.h"
#include "algorithm/passes.h"
#include "base/checked.h"

struct prepared {
    kernel *kernel;
    int isa;
    void *taps; /* of the column, then of the row */
    struct kernel_weighted weighted;
};

static bool weighted_applies(const struct algorithm_case *at)
{
    const struct op *op = at->op;
    return op->rule == STAGE_WEIGHTED && op->in == SWATHE_F32 && op->out == SWATHE_F32 &&
           op->term_count == 1 && passes_suit_both(op, op->terms) && divide_has_kernel(op);
}

static double weighted_work(const struct algorithm_case *at)
{
    return (double)at->op->tap_count;
}

static swathe_status weighted_make(struct arena *arena, const struct op *op, int isa, bool exact,
                                   struct plan_stage *stage)
{
    enum { ROW_BYTES = 4096 }; /* of a chunk: between the passes are 16 bytes for each sample */
    const struct weights_rule *rule = &op->weights->missing.rule;
    struct prepared *prepared;
    (void)exact;
    TRY(arena_new(arena, 1, sizeof *prepared, "a plan", &prepared));
    TRY(passes_both_taps(arena, op, op->terms, &prepared->taps));
    prepared->kernel = kernel_find(isa, KERNEL_weighted_passes_f32_f32, &prepared->isa);
    prepared->weighted =
        (struct kernel_weighted){.is_nan = rule->kind == WEIGHTS_NAN,
                                 .none = rule->none,
                                 .centred = op->weights->quotient.part[0].centre >= 0,
                                 .centre_row = op->terms->down.anchor_y,
                                 .quotient = divide_constants(op, 0)};
    stage->isa = prepared->isa;
    stage->row_type = op->in; /* the kernel converts samples to doubles and back */
    stage->to_row = stage->to_result = NULL;
    stage->group = MULTIROW_GROUP;
    stage->chunk = max64(ROW_BYTES / (op->channels * sample_size(op->in)),
                         8 * ((int64_t)op->left + op->right));
    stage->prepared = prepared;
    return SWATHE_OK;
}

static int64_t weighted_pointer_bytes(const struct plan_stage *stage)
{
    const struct prepared *prepared = stage->prepared;
    int64_t count = kernel_multirow_sources(prepared->isa, KERNEL_WEIGHTED_PASSES,
                                            stage->op->terms->down.height);
    return round_up(count * (int64_t)sizeof(void *), MEMORY_ALIGN);
}

static int64_t weighted_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct op *op = stage->op;
    const struct prepared *prepared = stage->prepared;
    int64_t samples = count + ((int64_t)op->left + op->right) * step;
    return weighted_pointer_bytes(stage) +
           round_up(kernel_weighted_bytes(prepared->isa, samples), MEMORY_ALIGN);
}

static void algorithm_weighted_run(const struct row_task *task)
{
    const struct op *op = task->stage->op;
    const struct prepared *prepared = task->stage->prepared;
    struct kernel_weighted weighted = prepared->weighted;
    weighted.centre = (int64_t)op->left * task->step;
    struct kernel_args args = {.taps = prepared->taps,
                               .tap_count = op->terms->across.width,
                               .bias = op->weights->quotient.bias,
                               .low = op->low,
                               .high = op->high,
                               .rows.scratch =
                                   (uint8_t *)task->scratch + weighted_pointer_bytes(task->stage),
                               .weighted = &weighted};
    passes_run_both(task, &op->terms->down, prepared->isa, KERNEL_WEIGHTED_PASSES, prepared->kernel,
                    &args);
}

const struct algorithm_calls algorithm_weighted = {.applies = weighted_applies,
                                                   .work = weighted_work,
                                                   .make = weighted_make,
                                                   .scratch_bytes = weighted_scratch_bytes,
                                                   .run = algorithm_weighted_run};
