/* Strategies that read every sample from global memory. */
#include "gpu/kernels/one_sample.h"

#if defined(KERNEL_naive) || defined(KERNEL_one_channel) || defined(KERNEL_three_linear) ||        \
    defined(KERNEL_three_grid)

/* Loops that would take more registers than a large block leaves a thread stay loops. */
#if GROUP_X * GROUP_Y > 512
#define MAYBE_ROLLED ROLLED
#else
#define MAYBE_ROLLED
#endif

FUNCTION sum_t direct_sum(const struct source *from, const struct gpu_job *job, taps_t taps, int x,
                          int y, int c)
{
    sum_t sum = 0;
    MAYBE_ROLLED
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++)
            sum = add_tap(taps[j * MASK_W + i],
                          fetch(from, job, x + i * DILATE_X, y + j * DILATE_Y, c), sum);
    return sum;
}

/* `count` channels of a pixel, from c on. */
FUNCTION void direct_pixel(struct source *from, const struct gpu_job *job, GLOBAL out_t *out,
                           taps_t taps, int x, int y, int c, int count)
{
    if (x >= job->width || y >= job->last_y)
        return;
    from->inner = is_inner(job, x, y, x + 1, y + 1);
    MAYBE_ROLLED
    for (int k = c; k < c + count; k++)
        finish(from, out, job, x, y, k, direct_sum(from, job, taps, x, y, k));
}

#endif

/* naive, constant; 3channel-planes on planes: a thread makes one pixel. */
#ifdef KERNEL_naive
KERNEL void naive(ARGUMENTS)
{
    struct source from = source_of(in, rows, columns, 0);
    direct_pixel(&from, &job, out, TAPS, BLOCK_X * GROUP_X + THREAD_X,
                 job.first_y + BLOCK_Y * GROUP_Y + THREAD_Y, 0, CHANNELS);
}
#endif

/* 1channel: a thread makes one sample of a plane. */
#ifdef KERNEL_one_channel
KERNEL void one_channel(ARGUMENTS)
{
    struct source from = source_of(in, rows, columns, 0);
    direct_pixel(&from, &job, out, TAPS, BLOCK_X * GROUP_X + THREAD_X,
                 job.first_y + BLOCK_Y * GROUP_Y + THREAD_Y, BLOCK_Z, 1);
}
#endif

/* 3channel: the same, with threads in one line over all rows. */
#ifdef KERNEL_three_linear
KERNEL void three_linear(ARGUMENTS)
{
    struct source from = source_of(in, rows, columns, 0);
    unsigned pixel = (unsigned)BLOCK_X * GROUP_X + (unsigned)THREAD_X;
    unsigned width = (unsigned)job.width;
    direct_pixel(&from, &job, out, TAPS, (int)(pixel % width), job.first_y + (int)(pixel / width),
                 BLOCK_Z, 1);
}
#endif

/* 3channel-grid: neighbouring threads make samples below each other, so that their reads lie far
 * apart. This is what the report measured. */
#ifdef KERNEL_three_grid
KERNEL void three_grid(ARGUMENTS)
{
    struct source from = source_of(in, rows, columns, 0);
    direct_pixel(&from, &job, out, TAPS, BLOCK_X * GROUP_Y + THREAD_Y,
                 job.first_y + BLOCK_Y * GROUP_X + THREAD_X, BLOCK_Z, 1);
}
#endif
