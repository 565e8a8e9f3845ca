/* The production path for dense masks. For each result, taps are added in the order of their
 * rows. */
#include "gpu/kernels/tile.h"

#ifdef KERNEL_dense_tile

#define COLUMN_TAPS SHARED_TAPS_MOST
#ifdef UNROLLED
#define TAPS_AT_ONCE MASK_W
#else
#define TAPS_AT_ONCE COLUMN_TAPS
#endif

/* Adds one tap to adjacent results. */
FUNCTION void add_span(sum_t *sums, tap_t tap, const work_t *samples)
{
    UNROLL
    for (int v = 0; v < SPAN; v++)
        sums[v] = add_tap(tap, samples[v], sums[v]);
}

/* Adds `count` taps of a mask row, starting at tap number `tap`, to one row of results. */
FUNCTION void add_window(sum_t *sums, LOCAL const tile_t *row, int skew, taps_t taps, int tap,
                         int count)
{
#if TAP_STEP <= SPAN
    work_t window[SPAN + (COLUMN_TAPS - 1) * TAP_STEP];
    load_window(row, skew, window, SPAN + (count - 1) * TAP_STEP);
    UNROLL
    for (int i = 0; i < COLUMN_TAPS; i++)
        if (i < count && !is_skipped(tap + i))
            add_span(sums, taps[tap + i], window + i * TAP_STEP);
#else
    UNROLL
    for (int i = 0; i < TAPS_AT_ONCE; i++) {
        work_t window[SPAN];
        if (i >= count)
            break;
        load_span(row, skew + i * TAP_STEP, window);
        if (!is_skipped(tap + i))
            add_span(sums, taps[tap + i], window);
    }
#endif
}

#ifdef UNROLLED

/* Reads each row of the tile once and adds it to every row of results that it contributes to. */
FUNCTION void add_rows(sum_t *sums, LOCAL const tile_t *row, int skew, taps_t taps, int first,
                       int count)
{
    (void)first;
    (void)count;
    UNROLL
    for (int r = 0; r < ROWS + HALO_Y; r++) {
#if TAP_STEP <= SPAN
        work_t window[SPAN + HALO_S];
        load_window(row + r * TILE_PITCH, skew, window, SPAN + HALO_S);
        UNROLL
        for (int t = 0; t < MASK_W * MASK_H; t++) {
            int y = r - t / MASK_W * DILATE_Y;
            if (y >= 0 && y < ROWS && !is_skipped(t))
                add_span(sums + y * SPAN, taps[t], window + t % MASK_W * TAP_STEP);
        }
#else
        UNROLL
        for (int j = 0; j < MASK_H; j++)
            if (r >= j * DILATE_Y && r < j * DILATE_Y + ROWS)
                add_window(sums + (r - j * DILATE_Y) * SPAN, row + r * TILE_PITCH, skew, taps,
                           j * MASK_W, MASK_W);
#endif
    }
}

#else

/* Adds `count` taps to each row of results. */
FUNCTION void add_columns(sum_t *sums, LOCAL const tile_t *row, int skew, taps_t taps, int tap,
                          int count)
{
    UNROLL
    for (int y = 0; y < ROWS; y++)
        add_window(sums + y * SPAN, row + y * TILE_PITCH, skew, taps, tap, count);
}

/* Adds `count` rows of taps, starting at row `first`. The tile starts at that row, too. */
FUNCTION void add_rows(sum_t *sums, LOCAL const tile_t *row, int skew, taps_t taps, int first,
                       int count)
{
    for (int j = 0; j < count; j++) {
        int tap = (first + j) * MASK_W, i = 0;
        LOCAL const tile_t *start = row + j * DILATE_Y * TILE_PITCH;
        for (; i + COLUMN_TAPS <= MASK_W; i += COLUMN_TAPS)
            add_columns(sums, start + i * TAP_STEP / PER_WORD, skew, taps, tap + i, COLUMN_TAPS);
#if MASK_W % COLUMN_TAPS
        add_columns(sums, start + i * TAP_STEP / PER_WORD, skew, taps, tap + i,
                    MASK_W % COLUMN_TAPS);
#endif
    }
}

#endif

FUNCTION void finish_row(GLOBAL out_t *out, const struct gpu_task *task, taps_t taps, int at,
                         const sum_t *sums)
{
    result_t value[SPAN];
    UNROLL
    for (int v = 0; v < SPAN; v++)
#if MASKS > 1 && INTEGER
        value[v] = finish_by_header(task, taps + MASK_OF(BLOCK_Z) * HEADER, sums[v]);
#else
        value[v] = finish_sum(task, sums[v]);
#endif
    store_span(out, at, value);
    (void)taps;
}

KERNEL void dense_tile(ARGUMENTS)
{
    SHARED ALIGNED16 tile_t tile[(TILE_H + (TAP_ROWS - 1) * DILATE_Y) * TILE_PITCH];
    struct place at = find_place(&task);
    struct source from = source_of(in, rows, columns, is_inner_tile(&task, &at));
    SET_ORIGIN(&from, BLOCK_Z);
    taps_t own =
        TAPS + (MASKS > 1 ? MASKS * HEADER + MASK_FROM(&from, BLOCK_Z) * MASK_W * MASK_H : 0);
    int copies = COPIES(&from, BLOCK_Z);
    LOCAL const tile_t *row = tile + THREAD_Y * ROWS * TILE_PITCH + THREAD_X * (SPAN / PER_WORD);
    sum_t sums[ROWS * SPAN];
    UNROLL
    for (int i = 0; i < ROWS * SPAN; i++)
        sums[i] = 0;
    for (int j = 0; j < MASK_H; j += TAP_ROWS) {
        int count = MASK_H - j < TAP_ROWS ? MASK_H - j : TAP_ROWS;
        int skew = fill_tile(tile, &from, &task, at.sample, at.top + j * DILATE_Y,
                             TILE_H + (count - 1) * DILATE_Y);
        BARRIER();
        add_rows(sums, row, skew, own, j, count);
        if (TAP_ROWS < MASK_H) /* the tile is filled again for the next rows of taps */
            BARRIER();
    }
    if (copies)
        copy_tile(out, &from, &task, &at);
    UNROLL
    for (int y = 0; y < ROWS; y++)
        if (!copies && !at.is_late && at.y + y < task.last_y)
            finish_row(out, &task, TAPS, out_index(&task, &at, at.y + y), sums + y * SPAN);
}

#endif
