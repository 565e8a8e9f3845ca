/* Algorithms: each has one file and one entry in algorithm.def. */
#ifndef SWATHE_ALGORITHM_ALGORITHM_H
#define SWATHE_ALGORITHM_ALGORITHM_H

#include "base/cancel.h"
#include "cpu/kernel.h"
#include "filter/op.h"

/* A stage and its algorithm: everything a run needs. Immutable. */
struct plan_stage {
    const struct op *op;
    const struct algorithm *algorithm;
    int isa;              /* instruction set of its kernels */
    swathe_type row_type; /* of the samples in its ring buffer: op->in, or the type of reals */
    int32_t group;        /* output rows computed together, at most */
    /* If results depend on where an image is cut, the stage always computes whole units of a grid,
     * and group is grid_y. The size of a unit in the output; 1: no grid. */
    int64_t grid_x, grid_y;
    int64_t chunk;        /* columns computed together, so that they stay cached; 0: all */
    double sample_ns;     /* predicted time of a result sample on one thread */
    double error_bound;   /* op->error_bound unless the algorithm has another bound */
    const void *analysis; /* from calls->analyse */
    void *prepared;       /* from calls->make */
    kernel *to_row;       /* from op->in to row_type; NULL: not needed */
    kernel *to_result;    /* from the type of reals to op->out; NULL: not needed */
};

/* Consecutive rows of one plane, which has one channel or `step` interleaved ones. */
struct row_task {
    const struct plan_stage *stage;
    /* above + height + below, each from the leftmost column read. If the op reads several planes:
     * `group` pointers for each plane, of which the first `height` are used. */
    const uint8_t *const *rows;
    int32_t plane;               /* of the input */
    int32_t mask;                /* to apply; -1: copy */
    int32_t step;                /* samples between neighbouring pixels: channels of a plane */
    int32_t height;              /* output rows: 1 … group */
    int64_t x, y;                /* of the first output pixel, in the whole output of the stage */
    int64_t count;               /* output samples in a row */
    void *const *results;        /* one per row; NULL: this row of the grid is not needed */
    bool stream;                 /* results may bypass the caches, as in kernel_args */
    const uint8_t *const *ahead; /* source rows that the next task reads first, `height` rows to
                                  * prefetch in the columns of this task; NULL: none */
    void *scratch;
    /* Memory that only the tasks of these columns use. Rows `first` to y − 1 were the rows of the
     * tasks before, in order; first = y: none. */
    void *kept;
    int64_t first;
};

enum algorithm_id {
#define ALGORITHM(id, name, summary) ALGORITHM_##id,
#include "algorithm/algorithm.def"
#undef ALGORITHM
    ALGORITHM_COUNT
};

/* An op and the instruction set whose kernels, or those of lower ones, an algorithm may use. */
struct algorithm_case {
    const struct op *op;
    int isa;
    const void *analysis; /* of this algorithm; NULL: it has none */
};

struct algorithm_calls {
    /* Analyses an op once for the calls below; NULL: no analysis needed. `accuracy` is from the
     * plan's options. */
    swathe_status (*analyse)(struct arena *arena, const struct op *op, double accuracy,
                             const void **analysis);
    bool (*applies)(const struct algorithm_case *at);
    /* Relative cost of an output sample: multiply-adds or equivalent operations, weighted by their
     * speed. Discarded work (whole tiles at an edge) counts, too. Only ratios within one algorithm
     * matter: cost.h has the time per unit. */
    double (*work)(const struct algorithm_case *at);
    swathe_status (*make)(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage);
    /* Bytes of scratch for rows of `count` output samples with `step` between pixels. */
    int64_t (*scratch_bytes)(const struct plan_stage *stage, int64_t count, int32_t step);
    /* Bytes that tasks of the same columns pass on to the task of the rows below; NULL: none. In a
     * stage with chunks it grows linearly with `count` from a constant, apart from rounding to
     * MEMORY_ALIGN. */
    int64_t (*kept_bytes)(const struct plan_stage *stage, int64_t count, int32_t step);
    void (*run)(const struct row_task *task);
    /* Error of floats relative to Σ|k|·max|p|; NULL: that of one sum over all taps. */
    double (*relative_error)(const struct algorithm_case *at);
    /* Absolute error of floats; NULL: op->error_bound. */
    double (*error_bound)(const struct algorithm_case *at);
    int64_t least_taps; /* with fewer taps it is used only if forced */
    bool reorders; /* sums floats in another order than the definition, so exact mode excludes it */
    /* Does it give the results of the definition all the same, for ordered sums? NULL: no. */
    bool (*repairs)(const struct op *op);
};

struct algorithm {
    const char *name, *summary;
    const struct algorithm_calls *calls;
};

/* NULL past the end. */
const struct algorithm *algorithm_at(int index);
const struct algorithm *algorithm_named(const char *name);
/* Its index in algorithm.def. */
int algorithm_index(const struct algorithm *algorithm);

#define ALGORITHM(id, name, summary) extern const struct algorithm_calls algorithm_##id;
#include "algorithm/algorithm.def"
#undef ALGORITHM

/* The id of kernel `sum` from one type to another; types by name. */
enum kernel_id algorithm_kernel(enum kernel_sum sum, const char *source, const char *result);

/* Returns the kernel, and lowers the stage's instruction set if the kernel's is lower. */
kernel *algorithm_find(enum kernel_sum sum, const char *source, const char *result, int isa,
                       struct plan_stage *stage);

/* The arithmetic of one sum over all taps: the fastest that is large enough. */
enum kernel_sum algorithm_sum(const struct op *op, bool exact);

/* Non-zero taps in the format of a kernel, with their positions. Integer taps and the final shift
 * are divided by the powers of two that they have in common, which does not change the result. */
struct packed_taps {
    int64_t count; /* even for PAIR and NARROW: a zero tap is appended if needed */
    int32_t shift;
    int64_t add;
    void *taps;      /* int8, int16, int32, float or double */
    int32_t *row;    /* index into row_task.rows, for the task's first row */
    int32_t *column; /* pixels from the leftmost column that the mask reads */
};
/* Number of powers of two that the taps and the shift have in common. */
int32_t algorithm_common_bits(const struct op_taps *taps);
swathe_status algorithm_pack(struct arena *arena, const struct op *op, const struct op_taps *taps,
                             enum kernel_sum sum, struct packed_taps *packed);

/* Chooses the columns of a chunk so that its rows stay in the cache and in few pages, but not so
 * narrow that the halo costs more than that saves. */
int64_t algorithm_chunk(const struct op *op);

/* Sets the final arguments (bias, shift, range) that all algorithms share. */
void algorithm_finish(const struct op *op, const struct packed_taps *packed,
                      struct kernel_args *args);
/* The type of what the kernels of a stage compute, before to_result. */
static inline swathe_type algorithm_result(const struct op *op)
{
    return op->integer ? op->out : op->real;
}

/* Should a task end before a part of `work` multiply-adds, because its results are not used? */
static inline bool algorithm_ends(int64_t work)
{
    return work >= 1 << 16 && cancel_wanted();
}

/* The pointers of a kernel's sources, which may be changed, and the sizes of samples. */
struct algorithm_rows {
    const void **source;
    int64_t sources;
    int32_t source_size, result_size;
};
/* Runs a kernel that takes `work` multiply-adds for each sample of a row of its arguments: in
 * pieces if a caller that cancels would have to wait for the whole row, and not at all if one has.
 */
void algorithm_run(kernel *run, const struct kernel_args *args, int64_t work,
                   const struct algorithm_rows *rows);

/* Converts real results to the type of the stage's output, if it is another one. */
void algorithm_store(const struct row_task *task, const void *from, void *result);

/* ---- Quotients ------------------------------------------------------------------------------- */

/* Quotients of sums of samples and sums of weights. */

/* Can a kernel compute the quotients of an op? */
bool divide_has_kernel(const struct op *op);
/* Its constants, for a part of the op's weights. */
struct kernel_quotient divide_constants(const struct op *op, int32_t part);

/* ---- Pixels with alpha ----------------------------------------------------------------------- */

/* Weighing by alpha and dividing, for pixels of u8 whose channels stay interleaved. */

struct alpha_pixels {
    kernel *run;
    struct kernel_alpha constants;
};

/* For STAGE_WEIGH and STAGE_DIVIDE; NULL unless its pixels can stay interleaved. */
swathe_status alpha_pixels_make(struct arena *arena, const struct op *op, int isa,
                                struct plan_stage *stage, struct alpha_pixels **pixels);
/* Runs a task of several channels. */
void alpha_pixels_run(const struct alpha_pixels *pixels, const struct row_task *task);

#endif
