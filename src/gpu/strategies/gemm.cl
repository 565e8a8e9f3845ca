/* gemm: convolution as a matrix product. For one row of the mask, GEMM_SIDE adjacent results are a
 * row of samples times a Toeplitz matrix, whose column n contains the taps of the mask from row n
 * on: result[m][n] += sum over u of sample[m][u] * toeplitz[u][n] A work group keeps in local
 * memory the samples of one mask row for all its results, and the Toeplitz matrix, which all its
 * threads share. A thread keeps GEMM_SIDE x GEMM_SIDE results in registers (GEMM_SIDE is an
 * option). Zeros of the matrix are not added, so every sum adds the taps of the mask in their
 * order. */
#include "gpu/kernels/one_sample.h"

#ifdef KERNEL_gemm

#define GEMM_W     (GROUP_X * GEMM_SIDE)
#define GEMM_H     (GROUP_Y * GEMM_SIDE)
#define GEMM_ROW   (GEMM_W + HALO_X)
#define GEMM_PITCH (GEMM_ROW | 1) /* odd, so that threads of one column use different banks */
#define GEMM_DEPTH (GEMM_SIDE + HALO_X)

FUNCTION void gemm_load(LOCAL work_t *samples, LOCAL tap_t *block, const struct source *from,
                        const struct gpu_task *task, taps_t taps, int x, int y, int c, int j)
{
    int thread = THREAD_Y * GROUP_X + THREAD_X;
    for (int at = thread; at < GEMM_H * GEMM_ROW; at += GROUP_X * GROUP_Y) {
        int m = at / GEMM_ROW, u = at % GEMM_ROW;
        samples[m * GEMM_PITCH + u] = fetch_within(from, task, x + u, y + m + j * DILATE_Y, c);
    }
    for (int at = thread; at < GEMM_DEPTH * GEMM_SIDE; at += GROUP_X * GROUP_Y) {
        int behind = at / GEMM_SIDE - at % GEMM_SIDE; /* samples from the column's first tap */
        int is_tap = behind >= 0 && behind <= HALO_X && behind % DILATE_X == 0;
        block[at] = is_tap ? taps[j * MASK_W + behind / DILATE_X] : (tap_t)0;
    }
}

FUNCTION void gemm_multiply(LOCAL const work_t *samples, LOCAL const tap_t *block, sum_t *sum)
{
    LOCAL const work_t *mine = samples + THREAD_Y * GEMM_PITCH + THREAD_X * GEMM_SIDE;
    ROLLED
    for (int u = 0; u < GEMM_DEPTH; u++) {
        work_t sample[GEMM_SIDE];
        tap_t tap[GEMM_SIDE];
        UNROLL
        for (int k = 0; k < GEMM_SIDE; k++) {
            sample[k] = mine[k * GROUP_Y * GEMM_PITCH + u];
            tap[k] = block[u * GEMM_SIDE + k];
        }
        UNROLL
        for (int m = 0; m < GEMM_SIDE; m++) {
            UNROLL
            for (int n = 0; n < GEMM_SIDE; n++)
                sum[m * GEMM_SIDE + n] = add_tap(tap[n], sample[m], sum[m * GEMM_SIDE + n]);
        }
    }
}

/* Row m of a thread's results is m * GROUP_Y rows below its first row. */
KERNEL void gemm(ARGUMENTS_OF(given))
{
    const struct gpu_task *task = &given;
    SHARED work_t samples[GEMM_H * GEMM_PITCH];
    SHARED tap_t block[GEMM_DEPTH * GEMM_SIDE];
    int left = BLOCK_X * GEMM_W, top = task->first_y + BLOCK_Y * GEMM_H, c = BLOCK_Z;
    struct source from =
        source_of(in, rows, columns, is_inner(task, left, top, left + GEMM_W, top + GEMM_H));
    sum_t sum[GEMM_SIDE * GEMM_SIDE];
    UNROLL
    for (int k = 0; k < GEMM_SIDE * GEMM_SIDE; k++)
        sum[k] = 0;
    ROLLED
    for (int j = 0; j < MASK_H; j++) {
        gemm_load(samples, block, &from, task, TAPS, left, top, c, j);
        BARRIER();
        gemm_multiply(samples, block, sum);
        BARRIER();
    }
    UNROLL
    for (int k = 0; k < GEMM_SIDE * GEMM_SIDE; k++) {
        int x = left + THREAD_X * GEMM_SIDE + k % GEMM_SIDE;
        int y = top + THREAD_Y + k / GEMM_SIDE * GROUP_Y;
        if (x < task->width && y < task->last_y)
            finish(&from, out, task, x, y, c, sum[k]);
    }
}

#endif
