/* One sample: fetched with border extension, multiplied, rounded, stored. */
#ifndef GPU_SAMPLE_H
#define GPU_SAMPLE_H

#include "filter/rounding.h"
#include "gpu/kernels/device_job.h"
#include "gpu/kernels/types.h"

struct source {
    GLOBAL const in_t *in;
    GLOBAL const int *rows, *columns;
    int inner; /* no tap of these results is outside the image */
};

FUNCTION work_t sample_at(const struct source *from, const struct gpu_job *job, int column, int row,
                          int c)
{
    return (work_t)from->in[(PLANAR ? c * job->in_plane : c) + row * job->in_pitch + column * STEP];
}

FUNCTION work_t border_value(const struct gpu_job *job)
{
#if INTEGER
    return job->fill;
#else
    return job->fill_float;
#endif
}

/* True for pixels of a tile past the edges of the image; their values are never used. */
FUNCTION int is_beyond(const struct gpu_job *job, int x, int y)
{
    return x >= job->width + HALO_X || y >= job->height + HALO_Y;
}

/* (x, y) is an index into the tables: output pixel plus tap. PADDED: the image contains every
 * sample that taps can reach. CHECKED: every read compares its coordinates with the image, and uses
 * the border only outside; FILLED borders are a constant value. Otherwise only work groups that are
 * not `inner` use the border, always through the tables. */
FUNCTION work_t fetch(const struct source *from, const struct gpu_job *job, int x, int y, int c)
{
#ifdef PADDED
    return sample_at(from, job, x, y, c);
#else
    int row = y + job->row_base, column = x + job->column_base;
#ifdef CHECKED
    if (column < 0 || column >= job->in_width || row < 0 || row >= job->in_height) {
#else
    if (!from->inner) {
#endif
#ifdef FILLED
        return border_value(job);
#else
#ifdef CHECKED
        if (is_beyond(job, x, y))
            return (work_t)0;
#endif
        row = from->rows[y];
        column = from->columns[x];
        if (row < 0 || column < 0)
            return border_value(job);
#endif
    }
    return sample_at(from, job, column, row, c);
#endif
}

/* fetch() for tiles, which may extend past the image. */
FUNCTION work_t fetch_within(const struct source *from, const struct gpu_job *job, int x, int y,
                             int c)
{
#ifndef CHECKED
    if (is_beyond(job, x, y))
        return (work_t)0;
#endif
    return fetch(from, job, x, y, c);
}

FUNCTION int is_inner(const struct gpu_job *job, int left, int top, int right, int bottom)
{
    return left >= job->inner_left && right <= job->inner_right && top >= job->inner_top &&
           bottom <= job->inner_bottom;
}

FUNCTION struct source source_of(GLOBAL const in_t *in, GLOBAL const int *rows,
                                 GLOBAL const int *columns, int inner)
{
    struct source from;
    from.in = in;
    from.rows = rows;
    from.columns = columns;
    from.inner = inner;
    return from;
}

/* sum + tap*sample. A float tap of 0 is skipped, even if the sample is not finite. */
FUNCTION sum_t add_tap(tap_t tap, work_t sample, sum_t sum)
{
#if !INTEGER
#if (defined(HAS_ZEROS) && !defined(SKIP_LOW)) || defined(KERNEL_gemm)
    return tap != 0.0f ? FUSED(tap, sample, sum) : sum;
#else
    return FUSED(tap, sample, sum);
#endif
#elif WIDE
    return sum + (wide)tap * sample;
#else
    return sum + tap * sample;
#endif
}

/* add_tap() for results of the vertical pass. */
FUNCTION sum_t add_middle(tap_t tap, middle_t middle, sum_t sum)
{
#if INTEGER && WIDE && RULE == RULE_PASSES
    return sum + tap * middle;
#else
    return add_tap(tap, middle, sum);
#endif
}

/* True if tap i of the mask is left out at compile time. */
FUNCTION int is_skipped(int i)
{
#ifdef SKIP_LOW
    return (int)((i < 32 ? SKIP_LOW >> i : SKIP_HIGH >> (i - 32)) & 1u);
#else
    (void)i;
    return 0;
#endif
}

#if INTEGER
FUNCTION sum_t join_halves(unsigned low, int high)
{
#if WIDE
    return (wide)((unsigned_wide)(unsigned)high << 32 | low);
#else
    (void)high;
    return (int)low;
#endif
}
#endif

/* Converts a float result to the type of the output. */
FUNCTION result_t convert_float(float value, float low, float high)
{
#if OUT == TYPE_F32
#ifdef CLAMPED
    return ROUNDING_CLAMP(value, low, high);
#else
    return value;
#endif
#else
    value = rounding_half_up(value);
    return (result_t)ROUNDING_CLAMP(value, low, high);
#endif
}

/* Converts the sum over all taps to a result. */
FUNCTION result_t finish_sum(const struct gpu_job *job, sum_t sum)
{
#if !INTEGER
    return (result_t)convert_float(sum + job->bias, job->low_float, job->high_float);
#elif RULE == RULE_MEAN
    sum_t all = sum + join_halves(job->add_low, job->add_high);
#if WIDE
    int mean = job->base + (int)((unsigned_wide)all / (unsigned)job->count);
#else
    int mean =
        job->base +
        (job->reciprocal ? (int)(HIGH_PRODUCT((word)all, job->reciprocal) >> job->shift) : all);
#endif
    return ROUNDING_CLAMP(mean, job->low, job->high);
#else
    sum_t value = ROUNDING_SHIFT(sum + join_halves(job->add_low, job->add_high), job->shift);
    return (int)ROUNDING_CLAMP(value, job->low, job->high);
#endif
}

#if INTEGER
FUNCTION result_t finish_by_header(const struct gpu_job *job, taps_t header, sum_t sum)
{
    sum_t add = join_halves((unsigned)header[HEADER_ADD_LOW], header[HEADER_ADD_HIGH]);
    sum_t value = ROUNDING_SHIFT(sum + add, header[HEADER_SHIFT]);
    return (int)ROUNDING_CLAMP(value, job->low, job->high);
}
#endif

/* Rounds the result of the vertical pass of two passes. */
FUNCTION middle_t finish_down(const struct gpu_job *job, sum_t sum)
{
#if INTEGER && RULE == RULE_PASSES
    return (middle_t)ROUNDING_SHIFT(sum + job->down_add, job->down_shift);
#else
    return (middle_t)sum;
#endif
}

/* A sample of the channel that is copied; clamp= applies only to the other channels. */
FUNCTION result_t copied_sample(const struct source *from, const struct gpu_job *job, int x, int y,
                                int c)
{
    work_t value = fetch(from, job, x + LEFT, y + ABOVE, c);
#if INTEGER
    return ROUNDING_CLAMP(value, OUT_LOW, OUT_HIGH);
#elif OUT == TYPE_F32
    return value;
#else
    value = rounding_half_up(value);
    return (result_t)ROUNDING_CLAMP(value, (float)OUT_LOW, (float)OUT_HIGH);
#endif
}

FUNCTION void store(GLOBAL out_t *out, const struct gpu_job *job, int x, int y, int c,
                    result_t value)
{
    out[(PLANAR ? c * job->out_plane : c) + y * job->out_pitch + x * STEP] = (out_t)value;
}

/* The last step of most kernels: finishes a sum and stores it. */
FUNCTION void finish(const struct source *from, GLOBAL out_t *out, const struct gpu_job *job, int x,
                     int y, int c, sum_t sum)
{
    result_t value =
        COPIED >= 0 && c == COPIED ? copied_sample(from, job, x, y, c) : finish_sum(job, sum);
    store(out, job, x, y, c, value);
}

/* The memory that contains the taps of a tile kernel. */
#if defined(KERNEL_shared) && !defined(CONSTANT_TAPS)
typedef LOCAL const tap_t *tile_taps_t;
#else
typedef taps_t tile_taps_t;
#endif

/* The sum over all taps of a pixel whose first tap is at (x, y) of a tile with rows of `pitch`
 * pixels. */
FUNCTION sum_t tile_sum(LOCAL const work_t *tile, tile_taps_t taps, int pitch, int channels, int x,
                        int y, int c)
{
    sum_t sum = 0;
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            int at = (y + j * DILATE_Y) * pitch + x + i * DILATE_X;
            sum = add_tap(taps[j * MASK_W + i], tile[at * channels + c], sum);
        }
    return sum;
}

#endif
