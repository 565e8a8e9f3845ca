/* Algorithms: one file and one entry in algorithm.def each. */
#ifndef SWATHE_PLAN_ALGORITHM_H
#define SWATHE_PLAN_ALGORITHM_H

#include "cpu/kernel.h"
#include "filter/op.h"

/* A stage that has its algorithm: what a run needs, immutable. */
struct plan_stage {
    const struct op *op;
    const struct algorithm *algorithm;
    int isa;              /* whose kernels it uses */
    swathe_type row_type; /* of the samples in its ring: op->in, or f32 for float arithmetic */
    int32_t group;        /* output rows that the algorithm makes at once, at most */
    /* Where results would depend on how an image is cut, units of a grid are made whole: its
     * pitch in the output, 1 for no grid. group is grid_y then. */
    int64_t grid_x, grid_y;
    int64_t chunk; /* columns that are worked on at once, so that they stay cached; 0 for all */
    double error_bound;   /* op->error_bound unless the algorithm states another */
    const void *analysis; /* the algorithm's own, from calls->analyse */
    void *prepared;       /* the same, from calls->make */
    kernel *to_row;       /* from op->in to row_type, or NULL: the same */
    kernel *to_result;    /* from f32 to op->out, or NULL */
};

/* Consecutive rows of one plane (or of all channels, interleaved). */
struct row_job {
    const struct plan_stage *stage;
    const uint8_t *const *rows; /* above + height + below, each from the leftmost column in reach */
    int32_t channel;            /* whose mask */
    int32_t step;               /* samples from a pixel to the next: channels, or 1 for a plane */
    int32_t height;             /* output rows: 1 … group */
    int64_t x, y;               /* of the first output pixel in the stage's whole output */
    int64_t count;              /* output samples in a row */
    void *const *results;       /* one per row; NULL where a row of a grid is not wanted */
    struct kernel_drain *drains; /* where results go on to, one per row, for who wants; or NULL */
    void *scratch;
};

enum algorithm_id {
#define ALGORITHM(id, name, summary) ALGORITHM_##id,
#include "plan/algorithm.def"
#undef ALGORITHM
    ALGORITHM_COUNT
};

/* An op for which an algorithm is wanted, with the kernels of instruction set `isa` and below. */
struct algorithm_case {
    const struct op *op;
    int isa;
    const void *analysis; /* by this algorithm; NULL: it makes none */
};

struct algorithm_calls {
    /* Finds out once what the calls below need to know of an op; or NULL. `accuracy` is that of the
     * plan's options. */
    swathe_status (*analyse)(struct arena *arena, const struct op *op, double accuracy,
                             const void **analysis);
    bool (*applies)(const struct algorithm_case *at);
    /* Relative cost of an output sample: multiply-adds, or what takes their place, weighted by how
     * fast they run; what is computed in vain (whole tiles at an edge) counts, too. Only ratios
     * within one algorithm matter: cost.h has the time that a unit takes. */
    double (*work)(const struct algorithm_case *at);
    swathe_status (*make)(struct arena *arena, const struct op *op, int isa, bool exact,
                          struct plan_stage *stage);
    /* Bytes of scratch for rows of `count` output samples, `step` apart. */
    int64_t (*scratch_bytes)(const struct plan_stage *stage, int64_t count, int32_t step);
    void (*run)(const struct row_job *job);
    /* Of floats, relative to Σ|k|·max|p|; NULL: as one sum over all taps has it. */
    double (*relative_error)(const struct algorithm_case *at);
    /* Of floats, absolute; NULL: op->error_bound. */
    double (*error_bound)(const struct algorithm_case *at);
    int64_t least_taps; /* below these it is only taken when it is forced */
    bool reorders;      /* its floats are not those of the definition, so not for exact mode */
};

struct algorithm {
    const char *name, *summary;
    const struct algorithm_calls *calls;
};

/* NULL past the end. */
const struct algorithm *algorithm_at(int index);
const struct algorithm *algorithm_named(const char *name);
/* Its position. */
int algorithm_index(const struct algorithm *algorithm);

#define ALGORITHM(id, name, summary) extern const struct algorithm_calls algorithm_##id;
#include "plan/algorithm.def"
#undef ALGORITHM

/* The kernel `sum` from type to type; types by name. */
enum kernel_id algorithm_kernel(enum kernel_sum sum, const char *source, const char *result);

/* Finds the kernel and remembers the lower of the instruction sets in use. */
kernel *algorithm_find(enum kernel_sum sum, const char *source, const char *result, int isa,
                       struct plan_stage *stage);

/* Taps in the form that a kernel takes, without the zeros, with where each one lies. Integers have
 * lost the powers of two that all of them and the final shift share: the result is the same. */
struct packed_taps {
    int64_t count; /* even for PAIR and NARROW: a zero tap may follow */
    int32_t shift;
    int64_t add;
    void *taps;      /* int8, int16, double, int32 or float */
    int32_t *row;    /* index into row_job.rows, for the job's first row */
    int32_t *column; /* pixels from the leftmost column in reach */
};
/* Powers of two that the taps and the shift have in common. */
int32_t algorithm_common_bits(const struct op_taps *taps);
swathe_status algorithm_pack(struct arena *arena, const struct op *op, const struct op_taps *taps,
                             enum kernel_sum sum, struct packed_taps *packed);

/* A chunk whose rows stay in the cache, in few pages, unless its halo would cost more than that. */
int64_t algorithm_chunk(const struct op *op);

/* Ends of the arguments that all algorithms share. */
void algorithm_finish(const struct op *op, const struct packed_taps *packed,
                      struct kernel_args *args);
/* f32 → the stage's own integer type, where it has one. */
void algorithm_store(const struct row_job *job, const float *from, void *result);

#endif
