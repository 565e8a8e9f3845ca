/* Declarations shared by the files of the algorithm "fourier". */
#ifndef SWATHE_ALGORITHM_FOURIER_PLAN_H
#define SWATHE_ALGORITHM_FOURIER_PLAN_H

#include "algorithm/algorithm.h"
#include "cpu/fourier.h"

enum { FOURIER_POINTS_MAX = 8192 };

/* How a stage is divided into transforms. */
struct fourier_shape {
    int32_t points;  /* length of a transform */
    int64_t columns; /* results of a section: the points minus the mask's width plus 1 */
    int32_t group;   /* rows that a task computes */
    double cost;     /* multiply-adds per output sample, in the unit of "direct" */
};

/* One mask: a spectrum for every row of it that has non-zero taps. */
struct fourier_mask {
    int32_t rows;
    int32_t *row;  /* index into row_task.rows, for the task's first row */
    void *spectra; /* in the format of fourier_product */
    double add;    /* added to the result, before it is scaled */
    struct packed_taps taps;
    struct packed_taps again; /* the same for `direct` */
};

struct fourier {
    const struct fourier_kernels *kernels;
    struct fourier_size size;
    struct fourier_shape shape;
    struct fourier_mask *masks;
    kernel *direct;   /* for results that are computed again, and for floats that are too large */
    double too_large; /* a sample is too large if its product with this overflows */
    double centre;    /* integers: subtracted from the samples to reduce their magnitude */
    double margin;    /* results this close to a rounding boundary are computed again; 0: none */
};

/* Integers are transformed in doubles, too. */
/* Pixels between two that are computed again, which then are, too: a vector costs little more. */
enum { FOURIER_GAP = 16 };

static inline bool fourier_wide(const struct op *op)
{
    return op->integer || op->real == SWATHE_F64;
}

/* Compute the factors of a transform's size, and its twiddles in f32 or f64. */
void fourier_factor(int32_t points, struct fourier_size *size);
swathe_status fourier_twiddles(struct arena *arena, struct fourier_size *size, bool wide);
swathe_status fourier_spectra(struct arena *arena, const struct op *op,
                              const struct fourier *fourier, int isa, struct fourier_mask *mask);

/* What the errors depend on, the largest of all masks. Integer taps are divided by the powers of
 * two that they share with the shift. */
struct fourier_sums {
    double absolute, norms; /* Σ|tap|, and the sum of the 2-norms of its rows */
    double add;             /* what is added to the sum */
    double unit;            /* integers: the last place of a tap */
};
struct fourier_sums fourier_sums(const struct op *op);

/* What is known of an op before it is planned. */
struct fourier_analysis {
    struct fourier_sums sums;
    struct fourier_shape shape; /* infinite cost: no transform is large enough for the mask */
    double margin;              /* fourier_margin of that shape */
};
struct fourier_shape fourier_choose(const struct op *op, const struct fourier_sums *sums);

/* Proven error bounds of floats: relative to Σ|k|·max|p|, and as the stage reports it. */
double fourier_relative_error(const struct algorithm_case *at);
double fourier_error_bound(const struct algorithm_case *at);
/* Distance from a rounding boundary within which the error of a sum could change a result that is
 * an integer. 0 if the sum itself is certain: integers that differ by less than a half are equal.
 */
double fourier_margin(const struct op *op, const struct fourier_sums *sums, int32_t points);
/* The value subtracted from integer samples. */
double fourier_centre(swathe_type type);

/* Does the stage convert sums to integers, so that results can be proven or computed again? */
static inline bool fourier_repairs(const struct op *op)
{
    return op->integer ||
           (op->ordered && !op->weights && !sample_is_float(op->in) && !sample_is_float(op->out));
}

/* The memory with which rows are computed again: a pointer for each tap, and a row of reals if
 * results are converted. */
struct fourier_again {
    const void **source;
    void *reals;
};

/* Computes samples first … last − 1 of row y of the task from the definition. */
void fourier_direct(const struct row_task *task, const struct fourier_again *again, int64_t first,
                    int64_t last, int64_t y);
/* Computes results again that are too close to a rounding boundary, after `out` has stored them:
 * rows y … of a task, columns x … */
void fourier_recompute(const struct row_task *task, const struct fourier_again *again,
                       const struct fourier_output *out, int64_t x, int64_t y);

#endif
