/* The most that this machine does, measured on the spot: the two lines of a roofline. */
#ifndef SWATHE_BENCH_PEAK_H
#define SWATHE_BENCH_PEAK_H

#include <stdbool.h>
#include <stdint.h>

struct peak {
    int32_t threads;
    double copy_gbs;   /* 10^9 bytes read and written a second, by copying more than caches hold */
    double fma_gflops; /* 10^9 f32 operations a second; a multiply-add is two */
};

/* Takes about `seconds`, and what it takes to fill the memory that is copied. Each figure is the
 * best of several. False, and `peak` untouched, where threads or memory are missing. */
bool peak_measure(int32_t threads, double seconds, struct peak *peak);

/* One of the two figures; 0 where it could not be measured. */
double peak_copy(int32_t threads, double seconds);
double peak_fma(int32_t threads, double seconds);

/* How peak_fma() computes here: "avx512", "avx2", "neon" or "plain". */
const char *peak_fma_name(void);

#endif
