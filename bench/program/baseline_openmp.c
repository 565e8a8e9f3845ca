#include "baseline.h"

#if defined(_OPENMP)
#include <omp.h>

bool baseline_openmp(const struct baseline *b)
{
    int threads = b->threads > 0 ? b->threads : omp_get_max_threads();
#pragma omp parallel for num_threads(threads)
    for (int64_t y = 0; y < b->to->height; y++)
        baseline_row(b, y);
    return true;
}

#else

bool baseline_openmp(const struct baseline *b)
{
    (void)b;
    return false;
}

#endif
