#include "plan/passes.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

static void set_ends(const struct op *op, struct passes *passes)
{
    algorithm_finish(op, &passes->down, &passes->down_end);
    passes->down_end.bias = 0.0f;
    passes->down_end.low = op->integer ? INT16_MIN : -INFINITY;
    passes->down_end.high = op->integer ? INT16_MAX : INFINITY;
    passes->down_end.taps = passes->down.taps;
    passes->down_end.tap_count = passes->down.count;
    algorithm_finish(op, &passes->across, &passes->across_end);
    passes->across_end.taps = passes->across.taps;
    passes->across_end.tap_count = passes->across.count;
    if (algorithm_result(op) != op->out) {
        passes->across_end.low = -INFINITY; /* the conversion clamps */
        passes->across_end.high = INFINITY;
    }
}

static swathe_status make_multirow(struct arena *arena, const struct pass_types *types,
                                   const struct op_taps *down, int isa, struct plan_stage *stage,
                                   struct passes *passes)
{
    TRY(arena_new(arena, 1, sizeof *passes->down_multirow, "taps", &passes->down_multirow));
    TRY(multirow_make(arena, stage->op, down, types->down, types->middle, isa, stage,
                      passes->down_multirow));
    /* Starts at the leftmost column that the second pass reads. */
    passes->down_multirow->columns[0] = 0;
    passes->down_multirow->args.bias = passes->down_end.bias;
    passes->down_multirow->args.low = passes->down_end.low;
    passes->down_multirow->args.high = passes->down_end.high;
    stage->group = MULTIROW_GROUP;
    return SWATHE_OK;
}

swathe_status passes_make(struct arena *arena, const struct pass_types *types,
                          const struct op_taps *down, const struct op_taps *across, int isa,
                          struct plan_stage *stage, struct passes *passes)
{
    const struct op *op = stage->op;
    const char *in = sample_entry(stage->row_type)->name;
    const char *out = sample_entry(algorithm_result(op))->name;
    TRY(algorithm_pack(arena, op, down, types->down, &passes->down));
    TRY(algorithm_pack(arena, op, across, types->across, &passes->across));
    passes->middle_size = types->middle_size;
    passes->down_kernel = algorithm_find(types->down, in, types->middle, isa, stage);
    passes->across_kernel = algorithm_find(types->across, types->middle, out, isa, stage);
    set_ends(op, passes);
    stage->chunk = algorithm_chunk(op);
    if (types->down == KERNEL_RAW || !multirow_suits(op, down))
        return SWATHE_OK;
    return make_multirow(arena, types, down, isa, stage, passes);
}

/* By the contract zero taps are not multiplied, but the kernel would do so. */
static bool suits_both(const struct op *op)
{
    enum { LEAST = 3 };
    for (int32_t i = 0; i < op->across.width; i++)
        if (op_tap_is_zero(&op->across, i))
            return false;
    return op->down.height >= LEAST && multirow_suits(op, &op->down);
}

swathe_status passes_fuse(struct arena *arena, enum kernel_sum sum, int isa,
                          struct plan_stage *stage, struct passes *passes)
{
    const struct op *op = stage->op;
    int64_t rows = op->down.height, columns = op->across.width;
    if (op->integer || stage->to_result || !suits_both(op))
        return SWATHE_OK;
    int32_t size = sample_size(op->real);
    const void *down = op->down.d ? (const void *)op->down.d : op->down.f;
    const void *across = op->across.d ? (const void *)op->across.d : op->across.f;
    const char *type = sample_entry(op->real)->name;
    TRY(arena_new_raw(arena, rows + columns, size, "taps", &passes->both_taps));
    memcpy(passes->both_taps, down, (size_t)(rows * size));
    memcpy(passes->both_taps + rows * size, across, (size_t)(columns * size));
    passes->both =
        kernel_find(isa,
                    algorithm_kernel(sum == KERNEL_FLOAT ? KERNEL_FLOAT_PASSES : KERNEL_FAST_PASSES,
                                     type, type),
                    &passes->both_isa);
    stage->isa = passes->both_isa < stage->isa ? passes->both_isa : stage->isa;
    stage->group = MULTIROW_GROUP;
    return SWATHE_OK;
}

static const struct passes *of_mask(const struct plan_stage *stage, int32_t mask)
{
    const struct passes *all = stage->prepared;
    return &all[mask];
}

/* Bytes of a pointer per tap of the longer pass, of the row between the passes, and of a row of
 * reals if the result is converted. */
static int64_t pointer_bytes(const struct plan_stage *stage)
{
    const struct op *op = stage->op;
    int64_t taps = (int64_t)op->above + op->below + op->left + op->right + 4;
    int64_t bytes = round_up(taps * (int64_t)sizeof(void *), MEMORY_ALIGN);
    for (int32_t m = 0; m == 0 || m < op->mask_count; m++) {
        const struct multirow *multirow = of_mask(stage, m)->down_multirow;
        bytes = max64(bytes, multirow ? multirow_scratch_bytes(multirow) : 0);
    }
    return bytes;
}

static int64_t middle_bytes(const struct op *op, int64_t count, int32_t step)
{
    int64_t samples = count + ((int64_t)op->left + op->right) * step;
    return round_up(samples * (int64_t)sizeof(double), MEMORY_ALIGN);
}

/* Bytes of the memory in which rows are transposed. */
static int64_t turned_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct passes *passes = stage->prepared;
    int64_t samples = count + ((int64_t)stage->op->left + stage->op->right) * step + 16;
    return passes->across_rows ? samples * KERNEL_ACROSS_ROWS * (int64_t)sizeof(float) : 0;
}

/* Bytes of the rows between the passes if one kernel applies both. */
static int64_t both_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct passes *passes = stage->prepared;
    int64_t samples = count + ((int64_t)stage->op->left + stage->op->right) * step;
    return passes->both
               ? kernel_passes_bytes(passes->both_isa, samples, sample_size(stage->op->real))
               : 0;
}

int64_t passes_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct op *op = stage->op;
    int64_t reals = round_up(count * sample_size(op->real), MEMORY_ALIGN);
    return pointer_bytes(stage) + max64(both_bytes(stage, count, step),
                                        stage->group * middle_bytes(op, count, step) +
                                            max64(reals, turned_bytes(stage, count, step)));
}

static void run_down(const struct row_job *job, const struct passes *passes, void *const *middle)
{
    const struct op *op = job->stage->op;
    int64_t count = job->count + ((int64_t)op->left + op->right) * job->step;
    const void **source = job->scratch;
    if (passes->down_multirow) {
        multirow_run(passes->down_multirow, job, count, middle, NULL, job->scratch);
        return;
    }
    for (int32_t r = 0; r < job->height; r++) {
        for (int64_t t = 0; t < passes->down.count; t++)
            source[t] = job->rows[passes->down.row[t] + r];
        struct kernel_args args = passes->down_end;
        args.source = source;
        args.result = middle[r];
        args.count = count;
        passes->down_kernel(&args);
    }
}

static void run_across(const struct row_job *job, const struct passes *passes, const void **source,
                       const uint8_t *middle, void *result, struct kernel_drain *drain)
{
    int64_t pixel = (int64_t)job->step * passes->middle_size;
    for (int64_t t = 0; t < passes->across.count; t++)
        source[t] = middle + passes->across.column[t] * pixel;
    struct kernel_args args = passes->across_end;
    args.source = source;
    args.result = result;
    args.count = job->count;
    args.drain = drain;
    passes->across_kernel(&args);
}

static void run_across_rows(const struct row_job *job, const struct passes *passes,
                            void *const *middle, void *turned)
{
    struct kernel_args args = passes->across_end;
    args.source = (const void *const *)middle;
    args.results = job->results;
    args.apart = (int64_t)job->step * job->stage->op->dilate_x;
    args.height = job->height;
    args.count = job->count;
    args.scratch = turned;
    passes->across_rows(&args);
}

void passes_run_both(const struct row_job *job, int isa, kernel *both, struct kernel_args *args)
{
    const struct op *op = job->stage->op;
    const void **source = job->scratch;
    int32_t rows = op->down.height, first = op->above - op->down.anchor_y, made;
    int32_t most = kernel_multirow_height(isa, KERNEL_FLOAT_MULTIROW);
    int64_t sources = kernel_multirow_sources(isa, KERNEL_FLOAT_MULTIROW, rows);
    args->source = source;
    args->mask_rows = rows;
    args->apart = (int64_t)job->step * op->dilate_x;
    args->count = job->count;
    for (int32_t y = 0; y < job->height; y += made) {
        made = job->height - y < most ? job->height - y : most;
        for (int64_t r = 0; r < sources; r++)
            source[r] = job->rows[first + min64(y + r, job->height + rows - 2)];
        args->results = job->results + y;
        args->drain = job->drains ? job->drains + y : NULL;
        args->ahead = job->ahead ? (const void *const *)job->ahead + y : NULL;
        args->height = made;
        both(args);
    }
}

void passes_run(const struct row_job *job)
{
    const struct passes *passes = of_mask(job->stage, job->mask);
    if (passes->both) {
        struct kernel_args args = passes->across_end;
        args.taps = passes->both_taps;
        args.scratch = (uint8_t *)job->scratch + pointer_bytes(job->stage);
        passes_run_both(job, passes->both_isa, passes->both, &args);
        return;
    }
    const struct op *op = job->stage->op;
    bool converts = job->stage->to_result != NULL;
    uint8_t *after = (uint8_t *)job->scratch + pointer_bytes(job->stage);
    void *middle[PASSES_GROUP];
    for (int32_t r = 0; r < job->height; r++, after += middle_bytes(op, job->count, job->step))
        middle[r] = after;
    run_down(job, passes, middle);
    if (passes->across_rows) {
        run_across_rows(job, passes, middle, after);
        return;
    }
    for (int32_t r = 0; r < job->height; r++) {
        run_across(job, passes, job->scratch, middle[r], converts ? (void *)after : job->results[r],
                   converts || !job->drains ? NULL : &job->drains[r]);
        if (converts)
            algorithm_store(job, after, job->results[r]);
    }
}
