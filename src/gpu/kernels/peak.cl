/* The peaks of a device: a copy in global memory, and fused multiply-adds in registers. */
#include "gpu/kernels/types.h"

#ifdef KERNEL_peak_copy

/* One thread per 16 bytes. */
KERNEL void peak_copy(ARGUMENTS)
{
    int at = BLOCK_X * GROUP_X + THREAD_X;
    ((GLOBAL word4 *)out)[at] = ((GLOBAL const word4 *)in)[at];
    (void)taps;
    (void)rows;
    (void)columns;
    (void)task;
}

#endif

#ifdef KERNEL_peak_fma

/* Vectors, because compilers for CPUs do not make them of the loop below. */
#ifdef GPU_OPENCL
typedef float16 peak_t;
#define PEAK_SUM(v)                                                                                \
    ((v).s0 + (v).s1 + (v).s2 + (v).s3 + (v).s4 + (v).s5 + (v).s6 + (v).s7 + (v).s8 + (v).s9 +     \
     (v).sa + (v).sb + (v).sc + (v).sd + (v).se + (v).sf)
#define PEAK_CHAINS (PEAK_FMAS / 16)
#else
typedef float peak_t;
#define PEAK_SUM(v) (v)
#define PEAK_CHAINS PEAK_FMAS
#endif

/* Each step of task.height has PEAK_FMAS multiply-adds that do not wait for each other. */
KERNEL void peak_fma(ARGUMENTS)
{
    peak_t sum[PEAK_CHAINS], factor = (peak_t)in[0], number = (peak_t)in[1];
    float all = 0;
    UNROLL
    for (int k = 0; k < PEAK_CHAINS; k++)
        sum[k] = (peak_t)(float)(THREAD_X + k);
    for (int i = 0; i < task.height; i++) {
        UNROLL
        for (int k = 0; k < PEAK_CHAINS; k++)
            sum[k] = FUSED(sum[k], factor, number);
    }
    UNROLL
    for (int k = 0; k < PEAK_CHAINS; k++)
        all += PEAK_SUM(sum[k]);
    out[BLOCK_X * GROUP_X + THREAD_X] = all;
    (void)taps;
    (void)rows;
    (void)columns;
}

#endif
