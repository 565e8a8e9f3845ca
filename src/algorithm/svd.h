/* The leading terms of a singular value decomposition. */
#ifndef SWATHE_ALGORITHM_SVD_H
#define SWATHE_ALGORITHM_SVD_H

#include <stdint.h>

/* matrix[y][x] ≈ Σ_t columns[t][y]·rows[t][x], at most `most` terms, the largest first. Columns
 * have length 1. On return `matrix` holds the remainder. `norms` has `width` entries. Returns the
 * number of terms, which is smaller than `most` if fewer reproduce the matrix. */
int32_t svd_leading(double *matrix, int32_t height, int32_t width, int32_t most, double *columns,
                    double *rows, double *norms);

#endif
