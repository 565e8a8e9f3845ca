/* The production path for two passes, and for means, whose taps are all 1: a vertical pass from the
 * tile into local memory, then a horizontal pass. Columns of the halo are extended by the border
 * like other samples. */
#include "gpu/kernels/tile.h"

#if defined(KERNEL_passes_tile) || defined(KERNEL_passes_strip)

FUNCTION sum_t add_down(taps_t taps, int j, work_t sample, sum_t sum)
{
#if RULE == RULE_MEAN
    return sum + sample;
#else
    return add_tap(taps[j], sample, sum);
#endif
}

FUNCTION sum_t add_across(taps_t taps, int i, middle_t middle, sum_t sum)
{
#if RULE == RULE_MEAN
    return sum + middle;
#else
    return add_tap(taps[MASK_H + i], middle, sum);
#endif
}

#endif

#ifdef KERNEL_passes_tile

#define SPANS ((TILE_W + HALO_S + SPAN - 1) / SPAN) /* spans in a row of the tile */

/* Adds row j of the taps to adjacent columns. */
FUNCTION void add_down_span(sum_t *sums, taps_t taps, int j, const work_t *samples)
{
    UNROLL
    for (int v = 0; v < SPAN; v++)
        sums[v] = add_down(taps, j, samples[v], sums[v]);
}

/* PoCL 3.1 compiles ten rows of taps, and only ten, to a kernel whose results are 0. */
#if defined(UNROLLED) && !(defined(__OPENCL_VERSION__) && MASK_H == 10)
#define UNROLLED_DOWN
#endif

/* Computes the sums of SPAN columns and ROWS rows; `row` points at their first samples. */
FUNCTION void sum_down(sum_t *sums, LOCAL const tile_t *row, int skew, taps_t taps)
{
    work_t window[SPAN];
#ifdef UNROLLED_DOWN
    UNROLL
    for (int r = 0; r < ROWS + HALO_Y; r++) {
        load_window(row + r * TILE_PITCH, skew, window, SPAN);
        UNROLL
        for (int j = 0; j < MASK_H; j++)
            if (r >= j * DILATE_Y && r < j * DILATE_Y + ROWS)
                add_down_span(sums + (r - j * DILATE_Y) * SPAN, taps, j, window);
    }
#else
    for (int j = 0; j < MASK_H; j++) {
        UNROLL
        for (int y = 0; y < ROWS; y++) {
            load_window(row + (y + j * DILATE_Y) * TILE_PITCH, skew, window, SPAN);
            add_down_span(sums + y * SPAN, taps, j, window);
        }
    }
#endif
}

/* Threads share the columns of the tile, halo included. */
FUNCTION void pass_down(LOCAL middle_t *middle, LOCAL const tile_t *tile, int skew,
                        const struct gpu_task *task, taps_t taps)
{
    for (int item = THREAD_Y * GROUP_X + THREAD_X; item < SPANS * GROUP_Y;
         item += GROUP_X * GROUP_Y) {
        int span = item % SPANS, top = item / SPANS * ROWS;
        sum_t sums[ROWS * SPAN];
        UNROLL
        for (int i = 0; i < ROWS * SPAN; i++)
            sums[i] = 0;
        sum_down(sums, tile + top * TILE_PITCH + span * (SPAN / PER_WORD), skew, taps);
        UNROLL
        for (int i = 0; i < ROWS * SPAN; i++)
            middle[(top + i / SPAN) * MIDDLE_PITCH + span * SPAN + i % SPAN] =
                finish_down(task, sums[i]);
    }
}

#define ACROSS_TAPS SHARED_TAPS_MOST

#if TAP_STEP <= SPAN
#define ACROSS_WINDOW (SPAN + (ACROSS_TAPS - 1) * TAP_STEP)
#else
#define ACROSS_WINDOW SPAN
#endif

/* Adds `count` taps, starting at tap number `tap`; the window contains the samples of all of them,
 * or of one. */
FUNCTION void sum_across(sum_t *sums, LOCAL const middle_t *row, taps_t taps, int tap, int count)
{
    middle_t window[ACROSS_WINDOW];
#if TAP_STEP <= SPAN
    UNROLL
    for (int k = 0; k < ACROSS_WINDOW; k++)
        if (k < SPAN + (count - 1) * TAP_STEP)
            window[k] = row[k];
#endif
    UNROLL
    for (int i = 0; i < ACROSS_TAPS; i++) {
        if (i >= count)
            break;
        UNROLL
        for (int v = 0; v < SPAN; v++) {
#if TAP_STEP <= SPAN
            sums[v] = add_across(taps, tap + i, window[i * TAP_STEP + v], sums[v]);
#else
            window[v] = row[i * TAP_STEP + v];
            sums[v] = add_across(taps, tap + i, window[v], sums[v]);
#endif
        }
    }
}

/* Adds a term to the sums of one row of a thread. */
FUNCTION void pass_across(sum_t *sums, LOCAL const middle_t *row, taps_t taps)
{
    int i = 0;
    for (; i + ACROSS_TAPS <= MASK_W; i += ACROSS_TAPS)
        sum_across(sums, row + i * TAP_STEP, taps, i, ACROSS_TAPS);
#if MASK_W % ACROSS_TAPS
    sum_across(sums, row + i * TAP_STEP, taps, i, MASK_W % ACROSS_TAPS);
#endif
}

FUNCTION void store_sums(GLOBAL out_t *out, const struct gpu_task *task, int at, const sum_t *sums)
{
    result_t value[SPAN];
    UNROLL
    for (int v = 0; v < SPAN; v++)
        value[v] = finish_sum(task, sums[v]);
    store_span(out, at, value);
}

/* Where row y of a thread starts between the passes. */
#define MIDDLE_ROW(y) (middle + (THREAD_Y * ROWS + (y)) * MIDDLE_PITCH + THREAD_X * SPAN)

KERNEL void passes_tile(ARGUMENTS)
{
    SHARED ALIGNED16 tile_t tile[(TILE_H + HALO_Y) * TILE_PITCH];
    SHARED ALIGNED16 middle_t middle[TILE_H * MIDDLE_PITCH];
    struct place at = find_place(&task);
    struct source from = source_of(in, rows, columns, is_inner_tile(&task, &at));
    SET_ORIGIN(&from, BLOCK_Z);
    int copies = COPIES(&from, BLOCK_Z);
    int skew = fill_tile(tile, &from, &task, at.sample, at.top, TILE_H + HALO_Y);
#if TERMS == 1 /* sums of all rows would take registers */
    BARRIER();
    pass_down(middle, tile, skew, &task, TAPS);
    BARRIER();
    if (copies)
        copy_tile(out, &from, &task, &at);
    UNROLL
    for (int y = 0; y < ROWS; y++)
        if (!copies && !at.is_late && at.y + y < task.last_y) {
            sum_t sums[SPAN] = {0, 0, 0, 0};
            pass_across(sums, MIDDLE_ROW(y), TAPS);
            store_sums(out, &task, out_index(&task, &at, at.y + y), sums);
        }
#else
    sum_t sums[ROWS * SPAN];
    UNROLL
    for (int i = 0; i < ROWS * SPAN; i++)
        sums[i] = 0;
    for (int term = 0; term < TERMS; term++) {
        taps_t taps = TAPS + term * (MASK_H + MASK_W);
        BARRIER();
        pass_down(middle, tile, skew, &task, taps);
        BARRIER();
        UNROLL
        for (int y = 0; y < ROWS; y++)
            pass_across(sums + y * SPAN, MIDDLE_ROW(y), taps);
    }
    if (copies)
        copy_tile(out, &from, &task, &at);
    UNROLL
    for (int y = 0; y < ROWS; y++)
        if (!copies && !at.is_late && at.y + y < task.last_y)
            store_sums(out, &task, out_index(&task, &at, at.y + y), sums + y * SPAN);
#endif
}

#endif

/* Used if a tile with its halo does not fit: a strip of rows after the vertical pass fits, because
 * that pass reads global memory. Threads are arranged in one row. */
#ifdef KERNEL_passes_strip

#define STRIP_W    (STRIP + HALO_S) /* samples of a row, of which STRIP are results */
#define STRIP_EACH ((STRIP_ROWS * STRIP + GROUP_X - 1) / GROUP_X) /* results of a thread */

FUNCTION middle_t strip_down(const struct source *from, const struct gpu_task *task, taps_t taps,
                             int x, int y, int c)
{
    sum_t sum = 0;
    if (x >= task->width + HALO_X || y >= task->last_y)
        return (middle_t)0;
    for (int j = 0; j < MASK_H; j++)
        sum = add_down(taps, j, fetch(from, task, x, y + j * DILATE_Y, c), sum);
    return finish_down(task, sum);
}

FUNCTION sum_t strip_across(LOCAL const middle_t *row, taps_t taps, sum_t sum)
{
    for (int i = 0; i < MASK_W; i++)
        sum = add_across(taps, i, row[i * TAP_STEP], sum);
    return sum;
}

KERNEL void passes_strip(ARGUMENTS)
{
    SHARED middle_t middle[STRIP_ROWS * STRIP_W];
    int first = BLOCK_X * STRIP, top = task.first_y + BLOCK_Y * STRIP_ROWS;
    int inner = is_inner(&task, first / STEP, top, (first + STRIP - 1) / STEP + 1, top + STRIP_ROWS);
    struct source from = source_of(in, rows, columns, inner);
    SET_ORIGIN(&from, BLOCK_Z); /* MAPPED images are planar */
    sum_t sums[STRIP_EACH];
    for (int n = 0; n < STRIP_EACH; n++)
        sums[n] = 0;
    for (int term = 0; term < TERMS; term++) {
        taps_t taps = TAPS + term * (MASK_H + MASK_W);
        for (int i = THREAD_X; i < STRIP_ROWS * STRIP_W; i += GROUP_X) {
            int sample = first + i % STRIP_W;
            middle[i] = strip_down(&from, &task, taps, sample / STEP, top + i / STRIP_W,
                                   PLANAR ? PLANE_FROM(&from, BLOCK_Z) : sample % STEP);
        }
        BARRIER();
        for (int n = 0, i = THREAD_X; i < STRIP_ROWS * STRIP; i += GROUP_X, n++)
            sums[n] = strip_across(middle + i / STRIP * STRIP_W + i % STRIP, taps, sums[n]);
        BARRIER();
    }
    for (int n = 0, i = THREAD_X; i < STRIP_ROWS * STRIP; i += GROUP_X, n++) {
        int sample = first + i % STRIP, x = sample / STEP, y = top + i / STRIP;
        int c = PLANAR ? BLOCK_Z : sample % STEP;
        if (x >= task.width || y >= task.last_y)
            continue;
        store(out, &task, x, y, c,
              COPIES(&from, c) ? copied_sample(&from, &task, x, y, COPIED_FROM(&from))
                               : finish_sum(&task, sums[n]));
    }
}

#endif
