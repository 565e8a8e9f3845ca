#include "algorithm/passes.h"

#include "base/checked.h"
#include "base/cpu.h"

#include <math.h>
#include <string.h>

static void passes_set_ends(const struct op *op, struct passes *passes)
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

static swathe_status passes_make_multirow(struct arena *arena, const struct pass_types *types,
                                          const struct op_taps *down, int isa,
                                          struct plan_stage *stage, struct passes *passes)
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
    passes_set_ends(op, passes);
    stage->chunk = algorithm_chunk(op);
    if (types->down == KERNEL_RAW || !multirow_suits(op, down))
        return SWATHE_OK;
    return passes_make_multirow(arena, types, down, isa, stage, passes);
}

/* By the contract zero taps are not multiplied, but kernels of consecutive taps would do so. */
static bool has_no_zeros(const struct op_taps *taps)
{
    for (int32_t i = 0; i < taps->width; i++)
        if (op_tap_is_zero(taps, i))
            return false;
    return true;
}

bool passes_suit_both(const struct op *op, const struct op_term *term)
{
    enum { LEAST = 3 };
    return term->down.height >= LEAST && multirow_suits(op, &term->down) &&
           has_no_zeros(&term->across);
}

swathe_status passes_both_taps(struct arena *arena, const struct op *op, const struct op_term *term,
                               void **taps)
{
    const struct op_taps *down = &term->down, *across = &term->across;
    int64_t rows = down->height, columns = across->width;
    int32_t size = sample_size(op->real);
    uint8_t *to;
    TRY(arena_new_raw(arena, rows + columns, size, "taps", &to));
    memcpy(to, down->d ? (const void *)down->d : down->f, (size_t)(rows * size));
    memcpy(to + rows * size, across->d ? (const void *)across->d : across->f,
           (size_t)(columns * size));
    *taps = to;
    return SWATHE_OK;
}

static swathe_status find_both(struct arena *arena, enum kernel_sum sum, const struct op_term *term,
                               int isa, struct plan_stage *stage, struct passes *passes)
{
    const struct op *op = stage->op;
    const char *type = sample_entry(op->real)->name;
    if (!passes_suit_both(op, term))
        return SWATHE_OK;
    TRY(passes_both_taps(arena, op, term, &passes->both_taps));
    passes->both_column = &term->down;
    passes->both =
        kernel_find(isa,
                    algorithm_kernel(sum == KERNEL_FLOAT ? KERNEL_FLOAT_PASSES : KERNEL_FAST_PASSES,
                                     type, type),
                    &passes->both_isa);
    stage->isa = passes->both_isa < stage->isa ? passes->both_isa : stage->isa;
    stage->group = MULTIROW_GROUP;
    return SWATHE_OK;
}

/* Rows of integers need not be converted first if nothing but that kernel reads them, or a term
 * that copies them. It converts a row for each group of results, so that many taps take longer. */
static void read_integers(enum kernel_sum sum, int isa, struct plan_stage *stage,
                          struct passes *passes)
{
    const struct op *op = stage->op;
    const char *in = sample_entry(op->in)->name, *real = sample_entry(op->real)->name;
    int32_t height = kernel_multirow_height(passes->both_isa, KERNEL_FLOAT_PASSES);
    if (sum != KERNEL_FLOAT || sample_is_float(op->in) || sample_size(op->in) > 2 ||
        (op->real == SWATHE_F32 && passes->down.count > 4 * height))
        return;
    for (int32_t t = 1; t < op->term_count; t++)
        if (!passes[t].copies_rows)
            return;
    for (int32_t t = 1; t < op->term_count; t++)
        passes[t].to_real = algorithm_find(KERNEL_CONVERT, in, real, isa, stage);
    passes->both =
        kernel_find(isa, algorithm_kernel(KERNEL_FLOAT_PASSES, in, real), &passes->both_isa);
    stage->row_type = op->in;
    stage->to_row = NULL;
}

/* From how many taps on rows are transposed, which costs about as much as a few taps. One kernel
 * for both passes leaves the rows between them in the first-level cache; transposed, they exceed
 * it, and the second-level caches of 1 MiB of older processors are so much slower that it never
 * pays. */
static int32_t least_transposed(const struct passes *passes)
{
    enum { LEAST = 13, LEAST_BESIDE_BOTH = 29, LEAST_CACHE = 2 << 20 };
    _Static_assert((int)LEAST >= (int)KERNEL_ACROSS_TAPS, "the kernel takes no fewer");
    if (!passes->both)
        return LEAST;
    return cpu_cache_bytes() >= LEAST_CACHE ? LEAST_BESIDE_BOTH : INT32_MAX;
}

/* The rows of doubles that many taps need exceed the caches, and passes apart read them less often.
 */
swathe_status passes_fuse(struct arena *arena, enum kernel_sum sum, const struct op_term *term,
                          int isa, struct plan_stage *stage, struct passes *passes)
{
    enum { LEAST_APART = 200 };
    const struct op *op = stage->op;
    const struct op_taps *across = &term->across;
    int used;
    if (!has_no_zeros(across))
        return SWATHE_OK;
    TRY(find_both(arena, sum, term, isa, stage, passes));
    if (op->real == SWATHE_F32 && across->width >= least_transposed(passes))
        passes->across_rows = kernel_find(isa, KERNEL_across_f32_f32, &used);
    bool apart = op->real == SWATHE_F64 && passes->down_multirow && across->width >= LEAST_APART;
    if (passes->across_rows || apart) {
        passes->both = NULL;
        stage->group = PASSES_GROUP;
    } else if (passes->both) {
        read_integers(sum, isa, stage, passes);
    }
    return SWATHE_OK;
}

swathe_status passes_continue(struct arena *arena, const struct op *op, struct passes *before,
                              struct passes *passes)
{
    int32_t size = sample_size(op->real);
    int64_t count = passes->across.count;
    uint8_t *taps;
    TRY(arena_new_raw(arena, count + 1, size, "taps", &taps));
    sample_store(taps, op->real, 1.0);
    memcpy(taps + size, passes->across.taps, (size_t)(count * size));
    passes->added_taps = taps;
    before->across_end.bias = 0.0;
    before->across_end.low = -INFINITY;
    before->across_end.high = INFINITY;
    passes->copies_rows =
        passes->down.count == 1 && sample_load(passes->down.taps, op->real) == 1.0;
    return SWATHE_OK;
}

static const struct passes *of_mask(const struct plan_stage *stage, int32_t mask)
{
    const struct passes *all = stage->prepared;
    return &all[mask];
}

/* Do the kernels of both passes convert their sums? */
static bool converts_sums(const struct plan_stage *stage)
{
    const struct passes *passes = stage->prepared;
    return passes->both && stage->to_result && stage->op->term_count <= 1 &&
           !sample_is_float(stage->op->out) && !sample_is_float(stage->row_type);
}

/* Are the sums stored before they become results? */
static bool keeps_sums(const struct plan_stage *stage)
{
    return stage->op->term_count > 1 || (stage->to_result && !converts_sums(stage));
}

/* Bytes of a pointer per tap of the longer pass, or per row that a kernel of both reads. */
static int64_t passes_pointer_bytes(const struct plan_stage *stage)
{
    const struct op *op = stage->op;
    const struct passes *first = stage->prepared;
    int64_t taps = (int64_t)op->above + op->below + op->left + op->right + 5;
    if (first->both)
        taps = max64(taps, kernel_multirow_sources(first->both_isa, KERNEL_FLOAT_PASSES,
                                                   first->both_column->height));
    int64_t bytes = round_up(taps * (int64_t)sizeof(void *), MEMORY_ALIGN);
    for (int32_t m = 0; m < op->mask_count || m < op->term_count; m++) {
        const struct multirow *multirow = of_mask(stage, m)->down_multirow;
        bytes = max64(bytes, multirow ? multirow_scratch_bytes(multirow, 1) : 0);
    }
    return bytes;
}

static int64_t passes_middle_bytes(const struct op *op, int64_t count, int32_t step)
{
    int64_t samples = count + ((int64_t)op->left + op->right) * step;
    return round_up(samples * (int64_t)sizeof(double), MEMORY_ALIGN);
}

static int64_t sum_bytes(const struct op *op, int64_t count)
{
    return round_up(count * sample_size(op->real), MEMORY_ALIGN);
}

/* Bytes of the memory in which rows are transposed. */
static int64_t turned_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    const struct passes *passes = stage->prepared;
    int64_t samples = count + ((int64_t)stage->op->left + stage->op->right) * step + 16;
    return passes->across_rows ? samples * KERNEL_ACROSS_ROWS * (int64_t)sizeof(float) : 0;
}

/* Bytes of the rows between the passes if one kernel applies both. */
static int64_t both_bytes(const struct plan_stage *stage, int32_t step)
{
    const struct passes *passes = stage->prepared;
    int64_t halo = ((int64_t)stage->op->left + stage->op->right) * step;
    return passes->both ? kernel_passes_bytes(passes->both_isa, halo, sample_size(stage->op->real))
                        : 0;
}

/* The memory of the passes, which comes after the pointers. */
static int64_t passes_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    int64_t bytes = stage->group * passes_middle_bytes(stage->op, count, step) +
                    turned_bytes(stage, count, step);
    return round_up(max64(both_bytes(stage, step), bytes), MEMORY_ALIGN);
}

/* Pointers, the rows between the passes, and rows of sums that are kept. */
int64_t passes_scratch_bytes(const struct plan_stage *stage, int64_t count, int32_t step)
{
    int64_t rows = keeps_sums(stage) ? stage->group + 1 : 0;
    const struct passes *passes = stage->prepared;
    if (passes->bytes)
        return byte_passes_scratch_bytes(passes->bytes);
    return passes_pointer_bytes(stage) + passes_bytes(stage, count, step) +
           rows * sum_bytes(stage->op, count);
}

static void passes_run_down(const struct row_task *task, const struct passes *passes,
                            void *const *middle)
{
    const struct op *op = task->stage->op;
    int64_t count = task->count + ((int64_t)op->left + op->right) * task->step;
    const void **source = task->scratch;
    struct algorithm_rows rows = {source, passes->down.count, sample_size(task->stage->row_type),
                                  passes->middle_size};
    if (passes->down_multirow) {
        multirow_run(passes->down_multirow, task, count, middle, task->scratch);
        return;
    }
    for (int32_t r = 0; r < task->height; r++) {
        for (int64_t t = 0; t < passes->down.count; t++)
            source[t] = task->rows[passes->down.row[t] + r];
        struct kernel_args args = passes->down_end;
        args.source = source;
        args.result = middle[r];
        args.count = count;
        algorithm_run(passes->down_kernel, &args, args.tap_count, &rows);
    }
}

/* Computes a row of results. Of a further term, `sum` is the row of the terms before. */
static void passes_run_across(const struct row_task *task, const struct passes *passes,
                              const uint8_t *middle, const void *sum, void *result)
{
    int64_t pixel = (int64_t)task->step * passes->middle_size;
    const void **source = task->scratch;
    struct kernel_args args = passes->across_end;
    int64_t first = passes->added_taps ? 1 : 0;
    source[0] = sum;
    for (int64_t t = 0; t < passes->across.count; t++)
        source[first + t] = middle + passes->across.column[t] * pixel;
    args.source = source;
    args.result = result;
    args.count = task->count;
    args.stream = task->stream;
    if (passes->added_taps) {
        args.taps = passes->added_taps;
        args.tap_count++;
    }
    /* With two terms the sums before are of the type of the results, as is what lies between. */
    struct algorithm_rows rows = {source, args.tap_count, passes->middle_size,
                                  sample_size(algorithm_result(task->stage->op))};
    algorithm_run(passes->across_kernel, &args, args.tap_count, &rows);
}

static void run_across_rows(const struct row_task *task, const struct passes *passes, void **middle,
                            void *const *results, void *turned)
{
    struct kernel_args args = passes->across_end;
    struct algorithm_rows rows = {(const void **)middle, task->height, sizeof(float),
                                  sizeof(float)};
    args.source = rows.source;
    args.rows.results = results;
    args.apart = (int64_t)task->step * task->stage->op->dilate_x;
    args.rows.height = task->height;
    args.count = task->count;
    args.rows.scratch = turned;
    algorithm_run(passes->across_rows, &args, args.tap_count * task->height, &rows);
}

void passes_run_both(const struct row_task *task, const struct op_taps *column, int isa,
                     enum kernel_sum sum, kernel *both, struct kernel_args *args)
{
    const struct op *op = task->stage->op;
    const void **source = task->scratch;
    int32_t rows = column->height, first = op->above - column->anchor_y, made;
    int32_t most = kernel_multirow_height(isa, sum);
    int64_t sources = kernel_multirow_sources(isa, sum, rows);
    args->source = source;
    args->rows.mask_rows = rows;
    args->apart = (int64_t)task->step * op->dilate_x;
    args->count = task->count;
    for (int32_t y = 0; y < task->height; y += made) {
        made = task->height - y < most ? task->height - y : most;
        for (int64_t r = 0; r < sources; r++)
            source[r] = task->rows[first + min64(y + r, task->height + rows - 2)];
        args->rows.results = task->results + y;
        args->stream = task->stream;
        args->ahead = task->ahead ? (const void *const *)task->ahead + y : NULL;
        args->rows.height = made;
        both(args);
        if (algorithm_ends((rows + args->tap_count) * task->count))
            return;
    }
}

/* Where the rows between the passes are; they are followed by the memory of across_rows. */
static uint8_t *set_middle(const struct row_task *task, void **middle)
{
    uint8_t *at = (uint8_t *)task->scratch + passes_pointer_bytes(task->stage);
    for (int32_t r = 0; r < task->height; r++) {
        middle[r] = at;
        at += passes_middle_bytes(task->stage->op, task->count, task->step);
    }
    return at;
}

/* Computes the first term; its results are those of `task`. */
static void run_first(const struct row_task *task, const struct passes *passes)
{
    void *middle[PASSES_GROUP];
    if (passes->bytes) {
        byte_passes_run(passes->bytes, task);
        return;
    }
    if (passes->both) {
        struct kernel_args args = passes->across_end;
        args.taps = passes->both_taps;
        args.rows.scratch = (uint8_t *)task->scratch + passes_pointer_bytes(task->stage);
        if (converts_sums(task->stage)) {
            args.rows.conversion.run = task->stage->to_result;
            args.rows.conversion.size = sample_size(task->stage->op->out);
            args.low = task->stage->op->low;
            args.high = task->stage->op->high;
        }
        passes_run_both(task, passes->both_column, passes->both_isa, KERNEL_FLOAT_PASSES,
                        passes->both, &args);
        return;
    }
    uint8_t *after = set_middle(task, middle);
    passes_run_down(task, passes, middle);
    if (passes->across_rows) {
        run_across_rows(task, passes, middle, task->results, after);
        return;
    }
    for (int32_t r = 0; r < task->height; r++)
        passes_run_across(task, passes, middle[r], NULL, task->results[r]);
}

static const uint8_t *passes_convert_row(const struct row_task *task, const struct passes *passes,
                                         const void *row, void *result)
{
    const struct op *op = task->stage->op;
    passes->to_real(
        &(struct kernel_args){.source = &row,
                              .result = result,
                              .count = task->count + ((int64_t)op->left + op->right) * task->step});
    return result;
}

/* Adds a further term to rows of sums. A kernel cannot do so in place, so the sums move to `spare`,
 * which is the row that the one before left. */
static void passes_add_term(const struct row_task *task, const struct passes *passes, void **sums,
                            void **spare)
{
    void *middle[PASSES_GROUP];
    set_middle(task, middle);
    if (!passes->copies_rows)
        passes_run_down(task, passes, middle);
    for (int32_t r = 0; r < task->height; r++) {
        const uint8_t *row = passes->copies_rows ? task->rows[passes->down.row[0] + r] : middle[r];
        void *before = sums[r];
        if (passes->to_real)
            row = passes_convert_row(task, passes, row, middle[r]);
        passes_run_across(task, passes, row, before, *spare);
        sums[r] = *spare;
        *spare = before;
    }
}

void passes_run(const struct row_task *task)
{
    const struct plan_stage *stage = task->stage;
    const struct passes *passes = of_mask(stage, task->mask);
    if (!keeps_sums(stage)) {
        run_first(task, passes);
        return;
    }
    struct row_task own = *task;
    void *sums[PASSES_GROUP + 1];
    uint8_t *at = (uint8_t *)task->scratch + passes_pointer_bytes(stage) +
                  passes_bytes(stage, task->count, task->step);
    for (int32_t r = 0; r <= task->height; r++)
        sums[r] = at + r * sum_bytes(stage->op, task->count);
    own.results = sums;
    own.stream = false;
    run_first(&own, passes);
    void *spare = sums[task->height];
    for (int32_t t = 1; t < stage->op->term_count; t++)
        passes_add_term(&own, &passes[t], sums, &spare);
    for (int32_t r = 0; r < task->height; r++)
        if (stage->to_result)
            algorithm_store(task, sums[r], task->results[r]);
        else
            memcpy(task->results[r], sums[r], (size_t)(task->count * sample_size(stage->op->real)));
}
