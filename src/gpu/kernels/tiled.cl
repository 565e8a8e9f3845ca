/* Strategies whose block is the tile: all its threads load tile and halo in batches. */
#include "gpu/kernels/one_sample.h"

#if defined(KERNEL_tiled) || defined(KERNEL_tiled_pixels)

#ifdef KERNEL_tiled
#define TILE_CHANNELS 1 /* the one of the grid's z */
#else
#define TILE_CHANNELS CHANNELS
#endif
#define TILED_W (GROUP_X + HALO_X)
#define TILED_H (GROUP_Y + HALO_Y)

FUNCTION void tiled_load(LOCAL work_t *tile, const struct source *from, const struct gpu_job *job,
                         int x, int y, int c)
{
    for (int at = THREAD_Y * GROUP_X + THREAD_X; at < TILED_W * TILED_H * TILE_CHANNELS;
         at += GROUP_X * GROUP_Y) {
        int pixel = at / TILE_CHANNELS;
        tile[at] = fetch_within(from, job, x + pixel % TILED_W, y + pixel / TILED_W,
                                c + at % TILE_CHANNELS);
    }
}

FUNCTION sum_t tiled_sum(LOCAL const work_t *tile, taps_t taps, int c)
{
    sum_t sum = 0;
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            int at = (THREAD_Y + j * DILATE_Y) * TILED_W + THREAD_X + i * DILATE_X;
            sum = add_tap(taps[j * MASK_W + i], tile[at * TILE_CHANNELS + c], sum);
        }
    return sum;
}

/* tiled, tiled-planar: a channel per block; tiled-interleaved: all of them. */
#ifdef KERNEL_tiled
KERNEL void tiled(ARGUMENTS)
#else
KERNEL void tiled_pixels(ARGUMENTS)
#endif
{
    SHARED work_t tile[TILED_W * TILED_H * TILE_CHANNELS];
    int left = BLOCK_X * GROUP_X, top = job.first_y + BLOCK_Y * GROUP_Y, first = BLOCK_Z;
    int x = left + THREAD_X, y = top + THREAD_Y;
    struct source from =
        source_of(in, rows, columns, is_inner(&job, left, top, left + GROUP_X, top + GROUP_Y));
    tiled_load(tile, &from, &job, left, top, first);
    BARRIER();
    if (x >= job.width || y >= job.last_y)
        return;
    for (int c = 0; c < TILE_CHANNELS; c++)
        finish(&from, out, &job, x, y, first + c, tiled_sum(tile, TAPS, c));
}

#endif
