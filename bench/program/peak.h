/* Measured peaks of this machine, for the two lines of a roofline. */
#ifndef SWATHE_BENCH_PEAK_H
#define SWATHE_BENCH_PEAK_H

#include <stdbool.h>
#include <stdint.h>

struct peak {
    int32_t threads;
    double copy_gbs; /* 10^9 bytes read and written per second, copying more than the caches hold */
    double fma_gflops; /* 10^9 f32 operations per second; a multiply-add counts as two */
};

/* Takes about `seconds`, plus the time to fill the copied memory. Each figure is the best of
 * several. Returns false and leaves `peak` unchanged without enough threads or memory. */
bool peak_measure(int32_t threads, double seconds, struct peak *peak);

/* One of the two figures; 0 if it could not be measured. */
double peak_copy(int32_t threads, double seconds);
double peak_fma(int32_t threads, double seconds);

#endif
