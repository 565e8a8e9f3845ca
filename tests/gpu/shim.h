/* Runs a kernel of src/gpu/kernels on the CPU, with one operating-system thread for each thread of
 * a work group, one work group after another, so that sanitizers see the accesses of a GPU.
 * Precedes the kernels' text:
 *   c++ -x c++ -DGPU_SHIM -DSHIM_KERNEL=naive -include shim.h -shared -fPIC ... source
 * and shim_launch() runs it. If some threads of a work group reach a barrier and others do not, the
 * process ends with status 3. */
#ifndef TESTS_SHIM_H
#define TESTS_SHIM_H

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct uint3 {
    unsigned x, y, z;
};
struct uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};

#define __device__
#define __constant__
#define __forceinline__ inline
#define KERNEL          extern "C" __attribute__((visibility("default")))
#define SHARED          static /* of a work group: only one runs at a time */
#define ALIGNED16       __attribute__((aligned(16)))
#define UNROLL
#define BARRIER()                  shim_barrier(__LINE__)
#define FUSED_FLOATS(a, b, c)      fmaf(a, b, c)
#define ROOT(x)                    sqrt(x)
#define APPROXIMATE_ROOT(x)        (sqrtf(x) * 1.0000003f) /* as inaccurate as OpenCL allows */
#define HIGH_PRODUCT(a, b)         ((unsigned)((unsigned long long)(a) * (b) >> 32))
#define FLOAT_OF_WORD(w)           shim_float(w)
#define WORD_OF_FLOAT(f)           shim_word(f)
#define DOUBLE_OF_WORDS(low, high) shim_double((unsigned)(low), (unsigned)(high))
#ifdef DOUBLES
#define FUSED(a, b, c)    fma(a, b, c)
#define ROUNDING_FLOOR(x) floor(x)
#else
#define FUSED(a, b, c)    fmaf(a, b, c)
#define ROUNDING_FLOOR(x) floorf(x)
#endif

static inline float shim_float(unsigned word)
{
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static inline double shim_double(unsigned low, unsigned high)
{
    unsigned long long bits = (unsigned long long)high << 32 | low;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline unsigned shim_word(float value)
{
    unsigned word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static thread_local uint3 threadIdx, blockIdx, blockDim;

/* The local memory that a launch provides. */
static double *shim_local;
#define local_words ((work_t *)shim_local)
#define DYNAMIC_LOCAL

/* The running work group: the number of threads that wait at a barrier, the line of the barrier,
 * the number of threads that have finished. */
static struct shim_group {
    pthread_mutex_t mutex;
    pthread_cond_t all;
    unsigned threads, waiting, done, round;
    int line;
} shim_group = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0, 0};

static inline void shim_diverged(const char *what, int line)
{
    fprintf(stderr, "shim: divergent barrier: a thread %s while others wait at line %d\n", what,
            line);
    _exit(3);
}

static inline void shim_barrier(int line)
{
    struct shim_group *group = &shim_group;
    pthread_mutex_lock(&group->mutex);
    if (group->done > 0)
        shim_diverged("has returned", line);
    if (group->waiting > 0 && group->line != line)
        shim_diverged("waits elsewhere", group->line);
    group->line = line;
    unsigned round = group->round;
    if (++group->waiting == group->threads) {
        group->waiting = 0;
        group->round++;
        pthread_cond_broadcast(&group->all);
    }
    while (round == group->round)
        pthread_cond_wait(&group->all, &group->mutex);
    pthread_mutex_unlock(&group->mutex);
}

/* The end of a work group: all threads meet here before the next work group starts. */
static inline void shim_end(void)
{
    struct shim_group *group = &shim_group;
    pthread_mutex_lock(&group->mutex);
    if (group->waiting > 0)
        shim_diverged("has returned", group->line);
    unsigned round = group->round;
    if (++group->done == group->threads) {
        group->done = 0;
        group->round++;
        pthread_cond_broadcast(&group->all);
    }
    while (round == group->round)
        pthread_cond_wait(&group->all, &group->mutex);
    pthread_mutex_unlock(&group->mutex);
}

#endif
