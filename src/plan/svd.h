/* The leading terms of a singular value decomposition. */
#ifndef SWATHE_PLAN_SVD_H
#define SWATHE_PLAN_SVD_H

#include <stdint.h>

/* matrix[y][x] ≈ Σ_t columns[t][y]·rows[t][x], at most `most` terms, the largest first; columns
 * have length 1. `matrix` is left with what could not be made. `norms` has room for `width`. The
 * number of terms, fewer where the matrix is made in full before. */
int32_t svd_leading(double *matrix, int32_t height, int32_t width, int32_t most, double *columns,
                    double *rows, double *norms);

#endif
