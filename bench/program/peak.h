/* Measured peaks of this machine, for the two lines of a roofline. */
#ifndef SWATHE_BENCH_PEAK_H
#define SWATHE_BENCH_PEAK_H

#include <stdbool.h>
#include <stdint.h>

struct peak {
    char device[64]; /* "cpu", or one that measures itself */
    int32_t threads;
    double copy_gbs; /* 10^9 bytes read and written per second, copying more than the caches hold */
    double fma_gflops; /* 10^9 f32 operations per second; a multiply-add counts as two */
};

/* Sets the figures. Takes about `seconds`, plus the time to fill the copied memory. Each is the
 * best of several. Returns false and leaves `peak` unchanged without enough threads or memory. */
bool peak_measure(int32_t threads, double seconds, struct peak *peak);

/* One of the two figures; 0 if it could not be measured. */
double peak_copy(int32_t threads, double seconds);
double peak_fma(int32_t threads, double seconds);

/* ---- Functions that run on several threads at once ---------------------------------------- */

enum { TEAM_MOST = 4096 };

typedef void team_work(void *user, int32_t index);

/* Calls work(user, i) for i in 0..threads-1, each on its own thread. Returns the seconds from the
 * start of the first to the end of the last, without the time to start threads. Returns 0 and does
 * nothing if they cannot be started. */
double team_run(int32_t threads, team_work *work, void *user);

/* The shortest time of at least six runs, which take at least `seconds` and alternate between
 * `even` and `odd`. 0 if threads cannot be started. */
double team_best(int32_t threads, team_work *even, team_work *odd, void *user, double seconds);

#endif
