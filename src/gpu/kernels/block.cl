/* Strategies that put a tile into local memory with one or four loads a thread. */
#include "gpu/kernels/one_sample.h"

/* shared, shared-constant: the block covers the tile and its halo; its inner threads make a pixel
 * each. The first thread copies the mask, unless it is in constant memory. */
#ifdef KERNEL_shared

#ifdef CONSTANT_TAPS
#define SHARED_TAPS TAPS
typedef taps_t shared_taps_t;
#else
#define SHARED_TAPS own
typedef LOCAL const tap_t *shared_taps_t;
#endif

FUNCTION sum_t shared_sum(LOCAL const work_t *tile, shared_taps_t taps, int c)
{
    sum_t sum = 0;
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            int at = (THREAD_Y + j * DILATE_Y) * GROUP_X + THREAD_X + i * DILATE_X;
            sum = add_tap(taps[j * MASK_W + i], tile[at * CHANNELS + c], sum);
        }
    return sum;
}

KERNEL void shared(ARGUMENTS)
{
    SHARED work_t tile[GROUP_Y * GROUP_X * CHANNELS];
    int x = BLOCK_X * (GROUP_X - HALO_X) + THREAD_X;
    int y = job.first_y + BLOCK_Y * (GROUP_Y - HALO_Y) + THREAD_Y;
    struct source from = source_of(in, rows, columns, 0);
#ifndef CONSTANT_TAPS
    SHARED tap_t own[MASK_W * MASK_H];
    if (THREAD_X == 0 && THREAD_Y == 0)
        for (int i = 0; i < MASK_W * MASK_H; i++)
            own[i] = taps[i];
#endif
    for (int c = 0; c < CHANNELS; c++)
        tile[(THREAD_Y * GROUP_X + THREAD_X) * CHANNELS + c] = fetch_within(&from, &job, x, y, c);
    BARRIER();
    if (THREAD_X >= GROUP_X - HALO_X || THREAD_Y >= GROUP_Y - HALO_Y || x >= job.width ||
        y >= job.last_y)
        return;
    for (int c = 0; c < CHANNELS; c++)
        finish(&from, out, &job, x, y, c, shared_sum(tile, SHARED_TAPS, c));
}

#endif

/* quad, quad-constant: the block is the tile; each thread loads up to four pixels of tile and halo,
 * a block apart. */
#ifdef KERNEL_quad

#define QUAD_W (GROUP_X + HALO_X)
#define QUAD_H (GROUP_Y + HALO_Y)

FUNCTION void quad_load(LOCAL work_t *tile, const struct source *from, const struct gpu_job *job,
                        int x, int y)
{
    for (int k = 0; k < 4; k++) {
        int tile_x = THREAD_X + (k & 1) * GROUP_X, tile_y = THREAD_Y + (k >> 1) * GROUP_Y;
        if (tile_x < QUAD_W && tile_y < QUAD_H)
            for (int c = 0; c < CHANNELS; c++)
                tile[(tile_y * QUAD_W + tile_x) * CHANNELS + c] =
                    fetch_within(from, job, x + tile_x, y + tile_y, c);
    }
}

FUNCTION sum_t quad_sum(LOCAL const work_t *tile, taps_t taps, int c)
{
    sum_t sum = 0;
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            int at = (THREAD_Y + j * DILATE_Y) * QUAD_W + THREAD_X + i * DILATE_X;
            sum = add_tap(taps[j * MASK_W + i], tile[at * CHANNELS + c], sum);
        }
    return sum;
}

KERNEL void quad(ARGUMENTS)
{
    SHARED work_t tile[QUAD_H * QUAD_W * CHANNELS];
    int left = BLOCK_X * GROUP_X, top = job.first_y + BLOCK_Y * GROUP_Y;
    int x = left + THREAD_X, y = top + THREAD_Y;
    struct source from =
        source_of(in, rows, columns, is_inner(&job, left, top, left + GROUP_X, top + GROUP_Y));
    quad_load(tile, &from, &job, left, top);
    BARRIER();
    if (x >= job.width || y >= job.last_y)
        return;
    for (int c = 0; c < CHANNELS; c++)
        finish(&from, out, &job, x, y, c, quad_sum(tile, TAPS, c));
}

#endif

/* cached: the tile alone is in local memory; what lies around it comes from global memory, where
 * the neighbours' loads have left it in the cache. */
#ifdef KERNEL_cached

FUNCTION sum_t cached_sum(LOCAL const work_t *tile, const struct source *from,
                          const struct gpu_job *job, taps_t taps, int x, int y, int c)
{
    sum_t sum = 0;
    ROLLED for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            int tile_x = THREAD_X + i * DILATE_X - LEFT, tile_y = THREAD_Y + j * DILATE_Y - ABOVE;
            int inside = tile_x >= 0 && tile_x < GROUP_X && tile_y >= 0 && tile_y < GROUP_Y;
            work_t sample = inside ? tile[(tile_y * GROUP_X + tile_x) * CHANNELS + c]
                                   : fetch(from, job, x + i * DILATE_X, y + j * DILATE_Y, c);
            sum = add_tap(taps[j * MASK_W + i], sample, sum);
        }
    return sum;
}

KERNEL void cached(ARGUMENTS)
{
    SHARED work_t tile[GROUP_Y * GROUP_X * CHANNELS];
    int left = BLOCK_X * GROUP_X, top = job.first_y + BLOCK_Y * GROUP_Y;
    int x = left + THREAD_X, y = top + THREAD_Y;
    struct source from =
        source_of(in, rows, columns, is_inner(&job, left, top, left + GROUP_X, top + GROUP_Y));
    for (int c = 0; c < CHANNELS; c++)
        tile[(THREAD_Y * GROUP_X + THREAD_X) * CHANNELS + c] =
            fetch_within(&from, &job, x + LEFT, y + ABOVE, c);
    BARRIER();
    if (x >= job.width || y >= job.last_y)
        return;
    for (int c = 0; c < CHANNELS; c++)
        finish(&from, out, &job, x, y, c, cached_sum(tile, &from, &job, TAPS, x, y, c));
}

#endif
