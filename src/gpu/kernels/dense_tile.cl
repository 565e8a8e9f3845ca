/* The production path for dense masks. Per result, taps are added in the order of their rows. */
#include "gpu/kernels/tile.h"

#ifdef KERNEL_dense_tile

#define COLUMN_TAPS 8 /* taps of a row that share a window */

/* `count` taps of a row, from tap number `tap` on, for one row of results. */
FUNCTION void add_window(sum_t *sums, LOCAL const word *row, int skew, taps_t taps, int tap,
                         int count)
{
#if TAP_STEP <= SPAN
    work_t window[SPAN + (COLUMN_TAPS - 1) * TAP_STEP];
    load_window(row, skew, window, SPAN + (count - 1) * TAP_STEP);
#else
    work_t window[SPAN];
#endif
    UNROLL for (int i = 0; i < count; i++)
    {
#if TAP_STEP > SPAN
        load_span(row, skew + i * TAP_STEP, window);
#endif
        if (!is_skipped(tap + i))
            UNROLL for (int v = 0; v < SPAN; v++) sums[v] =
                add_tap(taps[tap + i], window[v + (TAP_STEP <= SPAN ? i * TAP_STEP : 0)], sums[v]);
    }
}

#ifdef UNROLLED

/* Each row of the tile is read once, and added to every row of results that it reaches. */
FUNCTION void add_rows(sum_t *sums, LOCAL const word *row, int skew, taps_t taps, int first,
                       int count)
{
    (void)first;
    (void)count;
    UNROLL for (int r = 0; r < ROWS + HALO_Y; r++)
    {
#if TAP_STEP <= SPAN
        work_t window[SPAN + HALO_S];
        load_window(row + r * TILE_PITCH, skew, window, SPAN + HALO_S);
        UNROLL for (int t = 0; t < MASK_W * MASK_H; t++)
        {
            int y = r - t / MASK_W * DILATE_Y;
            if (y >= 0 && y < ROWS && !is_skipped(t))
                UNROLL for (int v = 0; v < SPAN; v++) sums[y * SPAN + v] =
                    add_tap(taps[t], window[v + t % MASK_W * TAP_STEP], sums[y * SPAN + v]);
        }
#else
        UNROLL for (int j = 0; j < MASK_H; j++) if (r >= j * DILATE_Y && r < j * DILATE_Y + ROWS)
            add_window(sums + (r - j * DILATE_Y) * SPAN, row + r * TILE_PITCH, skew, taps,
                       j * MASK_W, MASK_W);
#endif
    }
}

#else

/* `count` rows of taps, from row `first` on, whose tile starts at that row. */
FUNCTION void add_rows(sum_t *sums, LOCAL const word *row, int skew, taps_t taps, int first,
                       int count)
{
    for (int j = 0; j < count; j++) {
        int tap = (first + j) * MASK_W, i = 0;
        LOCAL const word *start = row + j * DILATE_Y * TILE_PITCH;
        for (; i + COLUMN_TAPS <= MASK_W; i += COLUMN_TAPS)
            UNROLL for (int y = 0; y < ROWS; y++)
                add_window(sums + y * SPAN, start + y * TILE_PITCH + i * TAP_STEP / PER_WORD, skew,
                           taps, tap + i, COLUMN_TAPS);
#if MASK_W % COLUMN_TAPS
        UNROLL for (int y = 0; y < ROWS; y++)
            add_window(sums + y * SPAN, start + y * TILE_PITCH + i * TAP_STEP / PER_WORD, skew,
                       taps, tap + i, MASK_W % COLUMN_TAPS);
#endif
    }
}

#endif

FUNCTION void settle_rows(GLOBAL out_t *out, const struct gpu_job *job, const struct place *at,
                          taps_t taps, const sum_t *sums)
{
    UNROLL for (int y = 0; y < ROWS; y++) if (at->y + y < job->last_y)
    {
        result_t value[SPAN];
        UNROLL for (int v = 0; v < SPAN; v++)
#if MASKS > 1 && INTEGER
            value[v] = settle_by_header(job, taps + BLOCK_Z * HEADER, sums[y * SPAN + v]);
#else
            value[v] = settle(job, sums[y * SPAN + v]);
#endif
        store_span(out, out_index(job, at, at->y + y), value);
    }
    (void)taps;
}

KERNEL void dense_tile(ARGUMENTS)
{
    SHARED ALIGNED16 word tile[(TILE_H + (TAP_ROWS - 1) * DILATE_Y) * TILE_PITCH];
    struct place at = find_place(&job);
    struct source from = source_of(in, rows, columns, is_inner_tile(&job, &at));
    taps_t own = TAPS + (MASKS > 1 ? MASKS * HEADER + BLOCK_Z * MASK_W * MASK_H : 0);
    LOCAL const word *row = tile + THREAD_Y * ROWS * TILE_PITCH + THREAD_X * (SPAN / PER_WORD);
    sum_t sums[ROWS * SPAN];
    if (at.copies) {
        copy_tile(out, &from, &job, &at);
        return;
    }
    UNROLL for (int i = 0; i < ROWS * SPAN; i++) sums[i] = 0;
    for (int j = 0; j < MASK_H; j += TAP_ROWS) {
        int count = MASK_H - j < TAP_ROWS ? MASK_H - j : TAP_ROWS;
        if (j > 0)
            BARRIER();
        int skew = fill_tile(tile, &from, &job, at.sample, at.top + j * DILATE_Y,
                             TILE_H + (count - 1) * DILATE_Y);
        BARRIER();
        add_rows(sums, row, skew, own, j, count);
    }
    if (!at.is_late)
        settle_rows(out, &job, &at, TAPS, sums);
}

#endif
