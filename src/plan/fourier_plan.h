/* What the files of the algorithm "fourier" share. */
#ifndef SWATHE_PLAN_FOURIER_PLAN_H
#define SWATHE_PLAN_FOURIER_PLAN_H

#include "cpu/fourier.h"
#include "plan/algorithm.h"

enum { FOURIER_POINTS_MAX = 8192 };

/* How a stage is cut. */
struct fourier_shape {
    int32_t points;  /* of a transform */
    int64_t columns; /* that a section makes: as many as the mask's width leaves of the points */
    int32_t group;   /* rows that a job makes */
    double cost;     /* multiply-adds per output sample, as "direct" has them */
};

/* One mask: a spectrum for every row of it that has taps. */
struct fourier_mask {
    int32_t rows;
    int32_t *row;  /* index into row_job.rows, for the job's first row */
    void *spectra; /* as fourier_product has them */
    double add;    /* of the result, before it is scaled */
    struct packed_taps taps;
};

struct fourier {
    const struct fourier_kernels *kernels;
    struct fourier_size size;
    struct fourier_shape shape;
    struct fourier_mask *masks;
    kernel *direct;   /* floats: where a sample is not finite, or too large */
    double too_large; /* times this a sample that is too large overflows */
    double centre;    /* integers: is taken off the samples, so that they are smaller */
    double doubt;     /* integers: results so near a whole number are computed again */
};

/* Integers go through doubles. */
static inline bool fourier_wide(const struct op *op)
{
    return op->integer;
}

/* Is there a size that holds the mask? */
bool fourier_fits(const struct op *op);
struct fourier_shape fourier_choose(const struct op *op);
/* The factors of a transform's size, and its twiddles in f32 or f64. */
void fourier_factor(int32_t points, struct fourier_size *size);
swathe_status fourier_twiddles(struct arena *arena, struct fourier_size *size, bool wide);
swathe_status fourier_spectra(struct arena *arena, const struct fourier *fourier, int isa,
                              struct fourier_mask *mask);

/* Proven bounds on the error: of floats relative to Σ|k|·max|p|, and as a stage states it; of
 * integers in units of the taps' last place. */
double fourier_relative_error(const struct algorithm_case *at);
double fourier_float_error(const struct algorithm_case *at);
double fourier_integer_error(const struct op *op, const struct op_taps *taps);
/* What is taken off integer samples. */
double fourier_centre(swathe_type type);

/* Computes results again that lie too near a whole number, after `out` has stored them: `mask` of
 * rows y … of a job, columns x … */
void fourier_settle(const struct row_job *job, const struct fourier_output *out, int64_t x,
                    int64_t y);

#endif
