/* Measures the peak rate of float multiply-adds of this CPU: independent chains in registers. */
#include "split.h"

#include <stdint.h>

#if defined(__AVX512F__)
enum { LANES = 16 };
#elif defined(__AVX__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
#if defined(__x86_64__)
#define REGISTER "v"
#else
#define REGISTER "w"
#endif
enum { CHAINS = 12 };

typedef float lanes __attribute__((vector_size(4 * LANES)));

static volatile float sink[SPLIT_MOST];

static void multiply_add(void *user, int index)
{
    int64_t steps = *(int64_t *)user;
    lanes factor = {0}, sum[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        sum[i] = factor + (float)i;
    factor += 0.999f;
    for (int64_t step = 0; step < steps; step++) {
        for (int i = 0; i < CHAINS; i++)
            sum[i] = sum[i] * factor + factor;
        __asm__ volatile("" : "+" REGISTER(factor)); /* or the loop would be folded */
    }
    for (int i = 1; i < CHAINS; i++)
        sum[0] += sum[i];
    sink[index] = sum[0][0];
}

/* Runs `steps` steps on each thread. Returns the number of floating-point operations. */
double fma_run(int64_t steps, int threads)
{
    if (split_run(threads, multiply_add, &steps) != 0)
        return 0;
    return 2.0 * LANES * CHAINS * (double)steps * threads;
}
