/* The production path if no other kernel fits: one thread per sample, reading global memory only,
 * each mask in its own size. */
#include "gpu/kernels/one_sample.h"

#ifdef KERNEL_plain

#if RULE == RULE_DENSE

FUNCTION result_t plain_result(const struct source *from, const struct gpu_task *task, taps_t taps,
                               int x, int y, int c)
{
    taps_t header = taps + (MASKS > 1 ? MASK_FROM(from, c) * HEADER : 0);
    taps_t tap = taps + HEADER_FIELD(HEADER_OFFSET);
    int width = HEADER_FIELD(HEADER_WIDTH), height = HEADER_FIELD(HEADER_HEIGHT);
    int left = x + HEADER_FIELD(HEADER_LEFT), above = y + HEADER_FIELD(HEADER_ABOVE);
    int plane = PLANE_FROM(from, c);
    sum_t sum = 0;
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++, tap++)
            sum =
                add_tap(*tap, fetch(from, task, left + i * DILATE_X, above + j * DILATE_Y, plane), sum);
#if INTEGER
    return finish_by_header(task, header, sum);
#else
    return finish_sum(task, sum);
#endif
}

#else

FUNCTION middle_t plain_down(const struct source *from, const struct gpu_task *task, taps_t taps,
                             int x, int y, int c)
{
    sum_t sum = 0;
    for (int j = 0; j < MASK_H; j++) {
        work_t sample = fetch(from, task, x, y + j * DILATE_Y, PLANE_FROM(from, c));
#if RULE == RULE_MEAN
        sum += sample;
#else
        sum = add_tap(taps[j], sample, sum);
#endif
    }
    return finish_down(task, sum);
}

FUNCTION result_t plain_result(const struct source *from, const struct gpu_task *task, taps_t taps,
                               int x, int y, int c)
{
    sum_t sum = 0;
    for (int term = 0; term < TERMS; term++, taps += MASK_H + MASK_W)
        for (int i = 0; i < MASK_W; i++) {
            middle_t down = plain_down(from, task, taps, x + i * DILATE_X, y, c);
#if RULE == RULE_MEAN
            sum += down;
#else
            sum = add_tap(taps[MASK_H + i], down, sum);
#endif
        }
    return finish_sum(task, sum);
}

#endif

KERNEL void plain(ARGUMENTS)
{
    int sample = BLOCK_X * GROUP_X + THREAD_X, y = task.first_y + BLOCK_Y * GROUP_Y + THREAD_Y;
    int x = sample / OUT_STEP, c = PLANAR ? BLOCK_Z : sample % OUT_STEP;
    if (x >= task.width || y >= task.last_y)
        return;
    struct source from = source_of(in, rows, columns, is_inner(&task, x, y, x + 1, y + 1));
    SET_ORIGIN(&from, c);
    result_t value = COPIES(&from, c) ? copied_sample(&from, &task, x, y, COPIED_FROM(&from))
                                  : plain_result(&from, &task, TAPS, x, y, c);
    store(out, &task, x, y, c, value);
}

#endif
