/* Copies between layouts before and after a strategy's kernel: planes or pixels, with or without a
 * border. */
#include "gpu/kernels/one_sample.h"

/* FROM_PLANES, TO_PLANES: the layout of input and output. PADS: the tables give the source of each
 * row and column. */
#ifdef KERNEL_arrange

FUNCTION int arrange_index(int planes, int plane, int pitch, int x, int y, int c)
{
    return planes ? c * plane + y * pitch + x : y * pitch + x * CHANNELS + c;
}

KERNEL void arrange(ARGUMENTS)
{
    int x = BLOCK_X * GROUP_X + THREAD_X, y = task.first_y + BLOCK_Y * GROUP_Y + THREAD_Y;
    int row = y, column = x;
    if (x >= task.width || y >= task.last_y)
        return;
#ifdef PADS
    row = rows[y];
    column = columns[x];
#endif
    for (int c = 0; c < CHANNELS; c++) {
        int from = arrange_index(FROM_PLANES, task.in_plane, task.in_pitch, column, row, c);
        int to = arrange_index(TO_PLANES, task.out_plane, task.out_pitch, x, y, c);
        out[to] = row < 0 || column < 0 ? (out_t)border_value(&task) : in[from];
    }
}

#endif
