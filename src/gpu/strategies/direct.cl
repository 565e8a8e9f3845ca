/* Strategies that read every sample from global memory. */
#include "gpu/kernels/one_sample.h"

#if defined(KERNEL_naive) || defined(KERNEL_products) || defined(KERNEL_line) ||                   \
    defined(KERNEL_line_pixels)

/* Loops are not unrolled if that would use more registers than a thread of a large thread block
 * has. They are not unrolled either if taps are checked, because the compiler would keep the result
 * of every check for the next channel. */
#if defined(RUNTIME) || defined(CHECKED)
#define MAYBE_ROLLED ROLLED
#elif GROUP_X * GROUP_Y > 512
#define MAYBE_ROLLED ROLLED
#else
#define MAYBE_ROLLED
#endif

#ifdef KERNEL_products

/* Computes all products first, then adds them column by column. Compilers are told not to fuse
 * them. */
FUNCTION sum_t direct_sum(const struct source *from, const struct gpu_task *task, taps_t taps, int x,
                          int y, int c)
{
    sum_t product[MASK_H * MASK_W];
    sum_t sum = 0;
#ifdef __AMDGCN__ /* AMD GPUs have too few scalar registers for the results of all checks */
    ROLLED
#endif
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++)
            product[i * MASK_H + j] = (sum_t)taps[j * MASK_W + i] *
                                      fetch(from, task, x + i * DILATE_X, y + j * DILATE_Y, c);
    for (int i = 0; i < MASK_H * MASK_W; i++)
        sum += product[i];
    return sum;
}

#else

FUNCTION sum_t direct_sum(const struct source *from, const struct gpu_task *task, taps_t taps, int x,
                          int y, int c)
{
    sum_t sum = 0;
    MAYBE_ROLLED
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++)
            sum = add_tap(taps[j * MASK_W + i],
                          fetch(from, task, x + i * DILATE_X, y + j * DILATE_Y, c), sum);
    return sum;
}

#endif

/* Computes `count` channels of a pixel, starting at channel c. */
FUNCTION void direct_pixel(struct source *from, const struct gpu_task *task, GLOBAL out_t *out,
                           taps_t taps, int x, int y, int c, int count)
{
    if (x >= task->width || y >= task->last_y)
        return;
    from->inner = is_inner(task, x, y, x + 1, y + 1);
    MAYBE_ROLLED
    for (int k = c; k < c + count; k++)
        finish(from, out, task, x, y, k, direct_sum(from, task, taps, x, y, k));
}

#endif

/* One thread per pixel, or per sample. Kernel `naive`: strategies naive, naive-down, constant,
 * naive-inner and 3channel-grid; kernel `products`: strategies global and global-constant. */
#if defined(KERNEL_naive) || defined(KERNEL_products)
#ifdef KERNEL_naive
KERNEL void naive(ARGUMENTS_OF(given))
#else
KERNEL void products(ARGUMENTS_OF(given))
#endif
{
    const struct gpu_task *task = &given;
    struct source from = source_of(in, rows, columns, 0);
    int x = BLOCK_ACROSS * GROUP_X + THREAD_ACROSS;
    int y = task->first_y + BLOCK_DOWN * GROUP_Y + THREAD_DOWN;
#ifdef PER_CHANNEL
    direct_pixel(&from, task, out, TAPS, x, y, BLOCK_Z + task->channel, 1);
#else
    direct_pixel(&from, task, out, TAPS, x, y, 0, CHANNELS);
#endif
}
#endif

#if defined(KERNEL_line) || defined(KERNEL_line_pixels)

/* Threads are numbered across all rows. */
FUNCTION unsigned line_pixel(void)
{
    return (unsigned)BLOCK_X * GROUP_X + (unsigned)THREAD_X;
}

#endif

/* 1channel-noconst, 1channel, 3channel: one thread per sample. */
#ifdef KERNEL_line
KERNEL void line(ARGUMENTS_OF(given))
{
    const struct gpu_task *task = &given;
    struct source from = source_of(in, rows, columns, 0);
    unsigned pixel = line_pixel(), width = (unsigned)task->width;
    direct_pixel(&from, task, out, TAPS, (int)(pixel % width), task->first_y + (int)(pixel / width),
                 BLOCK_Z + task->channel, 1);
}
#endif

/* 3channel-3: a thread computes the same pixel of all planes, which are in separate buffers.
 * Its sums are independent of each other. */
#ifdef KERNEL_line_pixels

FUNCTION void add_planes(const struct source *from, const struct gpu_task *task, taps_t taps, int x,
                         int y, sum_t *sum)
{
    MAYBE_ROLLED
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            tap_t tap = taps[j * MASK_W + i];
            UNROLL
            for (int c = 0; c < CHANNELS; c++)
                sum[c] = add_tap(tap, fetch(&from[c], task, x + i * DILATE_X, y + j * DILATE_Y, 0),
                                 sum[c]);
        }
}

FUNCTION void finish_plane(const struct source *from, GLOBAL out_t *out, const struct gpu_task *task,
                           int x, int y, int c, sum_t sum)
{
    store(out, task, x, y, 0,
          c == COPIED ? copied_sample(from, task, x, y, 0) : finish_sum(task, sum));
}

KERNEL void line_pixels(ARGUMENTS_OF(given))
{
    const struct gpu_task *task = &given;
    unsigned pixel = line_pixel(), width = (unsigned)task->width;
    int x = (int)(pixel % width), y = task->first_y + (int)(pixel / width);
    struct source from[CHANNELS];
    sum_t sum[CHANNELS];
    if (y >= task->last_y)
        return;
    from[0] = source_of(in, rows, columns, 0);
#if CHANNELS > 1
    from[1] = source_of(in_1, rows, columns, 0);
#endif
#if CHANNELS > 2
    from[2] = source_of(in_2, rows, columns, 0);
#endif
#if CHANNELS > 3
    from[3] = source_of(in_3, rows, columns, 0);
#endif
    for (int c = 0; c < CHANNELS; c++)
        sum[c] = 0;
    add_planes(from, task, TAPS, x, y, sum);
    finish_plane(&from[0], out, task, x, y, 0, sum[0]);
#if CHANNELS > 1
    finish_plane(&from[1], out_1, task, x, y, 1, sum[1]);
#endif
#if CHANNELS > 2
    finish_plane(&from[2], out_2, task, x, y, 2, sum[2]);
#endif
#if CHANNELS > 3
    finish_plane(&from[3], out_3, task, x, y, 3, sum[3]);
#endif
}
#endif
