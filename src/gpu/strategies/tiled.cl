/* Strategies whose thread block is the tile: its threads load tile and halo, then each computes a
 * result. */
#include "gpu/kernels/one_sample.h"

#if defined(KERNEL_tiled) || defined(KERNEL_tiled_pixels) || defined(KERNEL_quad)

#ifdef KERNEL_tiled
#define TILE_CHANNELS 1 /* the one selected by the grid's z */
#else
#define TILE_CHANNELS CHANNELS
#endif
#define TILED_W (GROUP_X + HALO_X)
#define TILED_H (GROUP_Y + HALO_Y)

#ifdef KERNEL_quad

/* Each thread loads up to four pixels, one thread block apart. */
FUNCTION void tiled_load(LOCAL work_t *tile, const struct source *from, const struct gpu_task *task,
                         int x, int y, int c)
{
    for (int k = 0; k < 4; k++) {
        int tile_x = THREAD_X + (k & 1) * GROUP_X, tile_y = THREAD_Y + (k >> 1) * GROUP_Y;
        if (tile_x < TILED_W && tile_y < TILED_H)
            for (int n = 0; n < TILE_CHANNELS; n++)
                tile[(tile_y * TILED_W + tile_x) * TILE_CHANNELS + n] =
                    fetch_within(from, task, x + tile_x, y + tile_y, c + n);
    }
}

#else

/* All threads load pixels of the tile and its halo together, in batches. */
FUNCTION void tiled_load(LOCAL work_t *tile, const struct source *from, const struct gpu_task *task,
                         int x, int y, int c)
{
    for (int at = THREAD_Y * GROUP_X + THREAD_X; at < TILED_W * TILED_H * TILE_CHANNELS;
         at += GROUP_X * GROUP_Y) {
        int pixel = at / TILE_CHANNELS;
        tile[at] = fetch_within(from, task, x + pixel % TILED_W, y + pixel / TILED_W,
                                c + at % TILE_CHANNELS);
    }
}

#endif

/* tiled, tiled-planar: one channel per thread block; tiled-interleaved, quad, quad-constant: all
 * channels. */
#if defined(KERNEL_tiled)
KERNEL void tiled(ARGUMENTS_OF(given))
#elif defined(KERNEL_tiled_pixels)
KERNEL void tiled_pixels(ARGUMENTS_OF(given))
#else
KERNEL void quad(ARGUMENTS_OF(given))
#endif
{
    const struct gpu_task *task = &given;
    LOCAL_ARRAY(work_t, tile, TILED_W *TILED_H *TILE_CHANNELS, 0);
    int left = BLOCK_X * GROUP_X, top = task->first_y + BLOCK_Y * GROUP_Y,
        first = BLOCK_Z + task->channel;
    int x = left + THREAD_X, y = top + THREAD_Y;
    struct source from =
        source_of(in, rows, columns, is_inner(task, left, top, left + GROUP_X, top + GROUP_Y));
    tiled_load(tile, &from, task, left, top, first);
    BARRIER();
    if (x >= task->width || y >= task->last_y)
        return;
    for (int c = 0; c < TILE_CHANNELS; c++)
        finish(&from, out, task, x, y, first + c,
               tile_sum(tile, task, TAPS, TILED_W, TILE_CHANNELS, THREAD_X, THREAD_Y, c));
}

#endif
