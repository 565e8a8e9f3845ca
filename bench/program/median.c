#include "median.h"

#include <math.h>
#include <string.h>

/* Hoare's selection, because sorting would dominate the time of resampling. */
double bench_select(double *values, int64_t count, int64_t below)
{
    int64_t first = 0, last = count - 1;
    while (first < last) {
        double pivot = values[below];
        int64_t i = first, j = last;
        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i <= j) {
                double held = values[i];
                values[i++] = values[j];
                values[j--] = held;
            }
        }
        if (j < below)
            first = i;
        if (i > below)
            last = j;
    }
    return values[below];
}

double bench_median(double *values, int64_t count)
{
    double upper = bench_select(values, count, count / 2), lower = -INFINITY;
    if (count % 2 == 1)
        return upper;
    for (int64_t i = 0; i < count / 2; i++) /* selection left the smaller half here */
        lower = fmax(lower, values[i]);
    return (lower + upper) / 2;
}

double bench_median_of(const double *values, int64_t count, double *scratch)
{
    memcpy(scratch, values, (size_t)count * sizeof *values);
    return bench_median(scratch, count);
}
