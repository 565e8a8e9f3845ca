/* Strategies that load a tile into local memory, one load per thread. */
#include "gpu/kernels/one_sample.h"

/* shared, shared-constant: the thread block covers the tile and its halo, and its inner threads
 * compute one pixel each. The first thread copies the mask, unless it is in constant memory. */
#ifdef KERNEL_shared

#ifdef CONSTANT_TAPS
#define SHARED_TAPS TAPS
#else
#define SHARED_TAPS own
#endif

/* (x, y) is the pixel that a thread loads. The first thread of a thread block loads the pixel under
 * the first tap of the block's first result. */
KERNEL void shared(ARGUMENTS_OF(given))
{
    const struct gpu_task *task = &given;
    LOCAL_ARRAY(work_t, tile, GROUP_Y *GROUP_X *CHANNELS, 0);
    int x = BLOCK_X * (GROUP_X - HALO_X) + THREAD_X;
    int y = task->first_y + BLOCK_Y * (GROUP_Y - HALO_Y) + THREAD_Y;
    int left = THREAD_X - LEFT, top = THREAD_Y - ABOVE; /* position of its first tap in the tile */
    struct source from = source_of(in, rows, columns, 0);
#ifndef CONSTANT_TAPS
    LOCAL_ARRAY(tap_t, own, MASK_W *MASK_H, GROUP_Y *GROUP_X *CHANNELS);
    if (THREAD_X == 0 && THREAD_Y == 0)
        for (int i = 0; i < MASK_W * MASK_H; i++)
            own[i] = taps[i];
#endif
    for (int c = 0; c < CHANNELS; c++)
        tile[(THREAD_Y * GROUP_X + THREAD_X) * CHANNELS + c] = fetch_within(&from, task, x, y, c);
    BARRIER();
    if (left < 0 || left >= GROUP_X - HALO_X || top < 0 || top >= GROUP_Y - HALO_Y ||
        x - LEFT >= task->width || y - ABOVE >= task->last_y)
        return;
    for (int c = 0; c < CHANNELS; c++)
        finish(&from, out, task, x - LEFT, y - ABOVE, c,
               tile_sum(tile, task, SHARED_TAPS, GROUP_X, CHANNELS, left, top, c));
}

#endif

/* cached, cached-down: only the tile is in local memory. The halo is read from global memory, and is
 * usually cached because neighbouring thread blocks have loaded it. */
#ifdef KERNEL_cached

FUNCTION sum_t cached_sum(LOCAL const work_t *tile, const struct source *from,
                          const struct gpu_task *task, taps_t taps, int x, int y, int c)
{
    sum_t sum = 0;
    ROLLED
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            int tile_x = THREAD_ACROSS + i * DILATE_X - LEFT;
            int tile_y = THREAD_DOWN + j * DILATE_Y - ABOVE;
            int inside = tile_x >= 0 && tile_x < GROUP_X && tile_y >= 0 && tile_y < GROUP_Y;
            work_t sample = inside ? tile[(tile_y * GROUP_X + tile_x) * CHANNELS + c]
                                   : fetch(from, task, x + i * DILATE_X, y + j * DILATE_Y, c);
            sum = add_tap(taps[j * MASK_W + i], sample, sum);
        }
    return sum;
}

KERNEL void cached(ARGUMENTS_OF(given))
{
    const struct gpu_task *task = &given;
    LOCAL_ARRAY(work_t, tile, GROUP_Y *GROUP_X *CHANNELS, 0);
    int left = BLOCK_ACROSS * GROUP_X, top = task->first_y + BLOCK_DOWN * GROUP_Y;
    int x = left + THREAD_ACROSS, y = top + THREAD_DOWN;
    struct source from =
        source_of(in, rows, columns, is_inner(task, left, top, left + GROUP_X, top + GROUP_Y));
    for (int c = 0; c < CHANNELS; c++)
        tile[(THREAD_DOWN * GROUP_X + THREAD_ACROSS) * CHANNELS + c] =
            fetch_within(&from, task, x + LEFT, y + ABOVE, c);
    BARRIER();
    if (x >= task->width || y >= task->last_y)
        return;
    for (int c = 0; c < CHANNELS; c++)
        finish(&from, out, task, x, y, c, cached_sum(tile, &from, task, TAPS, x, y, c));
}

#endif
