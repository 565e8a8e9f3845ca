/* One sample: fetched with border extension, multiplied, rounded, stored. */
#ifndef GPU_SAMPLE_H
#define GPU_SAMPLE_H

#include "filter/rounding.h"
#include "gpu/kernels/device_task.h"
#include "gpu/kernels/types.h"

struct source {
    GLOBAL const in_t *in;
    GLOBAL const int *rows, *columns;
    int inner; /* no tap of these results is outside the image */
#ifdef MAPPED
    int plane, mask; /* -1: copied */
    work_t fill;
#endif
};

/* Where channel c of the result comes from. */
#ifdef MAPPED
#define SET_ORIGIN(from, c)   set_origin(from, MAP + (c)*MAP_FIELDS)
#define COPIES(from, c)       ((from)->mask < 0)
#define MASK_FROM(from, c)    ((from)->mask < 0 ? 0 : (from)->mask)
#define PLANE_FROM(from, c)   ((from)->plane)
#define COPIED_FROM(from)     ((from)->plane)
#define FILL_FROM(from, task) ((from)->fill)

FUNCTION void set_origin(struct source *from, taps_t map)
{
    from->plane = (int)map[0];
    from->mask = (int)map[1];
    from->fill = map[2];
}
#else
#define SET_ORIGIN(from, c)
#define COPIES(from, c)       IS_COPIED(c)
#define MASK_FROM(from, c)    MASK_OF(c)
#define PLANE_FROM(from, c)   PLANE_OF(c)
#define COPIED_FROM(from)     COPIED
#define FILL_FROM(from, task) border_value(task)
#endif

FUNCTION work_t sample_at(const struct source *from, const struct gpu_task *task, int column,
                          int row, int c)
{
    return (work_t)
        from->in[(PLANAR ? c * task->in_plane : c) + row * task->in_pitch + column * STEP];
}

FUNCTION work_t border_value(const struct gpu_task *task)
{
#if INTEGER
    return (work_t)task->fill;
#elif defined(DOUBLES)
    return DOUBLE_OF_WORDS(task->fill, task->base);
#else
    return task->fill_float;
#endif
}

/* True for pixels of a tile past the edges of the image; their values are never used. */
FUNCTION int is_beyond(const struct gpu_task *task, int x, int y)
{
    return x >= task->width + HALO_X || y >= task->height + HALO_Y;
}

/* (x, y) is an index into the tables: output pixel plus tap. PADDED: the image contains every
 * sample that taps can reach. CHECKED: every read compares its coordinates with the image, and uses
 * the border only outside; FILLED borders are a constant value. Otherwise only work groups that are
 * not `inner` use the border, always through the tables. */
FUNCTION work_t fetch(const struct source *from, const struct gpu_task *task, int x, int y, int c)
{
#ifdef PADDED
    return sample_at(from, task, x, y, c);
#else
    int row = y + task->row_base, column = x + task->column_base;
#ifdef CHECKED
    if (column < 0 || column >= task->in_width || row < 0 || row >= task->in_height) {
#else
    if (!from->inner) {
#endif
#ifdef FILLED
        return FILL_FROM(from, task);
#else
#ifdef CHECKED
        if (is_beyond(task, x, y))
            return (work_t)0;
#endif
        row = from->rows[y];
        column = from->columns[x];
        if (row < 0 || column < 0)
            return FILL_FROM(from, task);
#endif
    }
    return sample_at(from, task, column, row, c);
#endif
}

/* fetch() for tiles, which may extend past the image. */
FUNCTION work_t fetch_within(const struct source *from, const struct gpu_task *task, int x, int y,
                             int c)
{
#ifndef CHECKED
    if (is_beyond(task, x, y))
        return (work_t)0;
#endif
    return fetch(from, task, x, y, c);
}

FUNCTION int is_inner(const struct gpu_task *task, int left, int top, int right, int bottom)
{
    return left >= task->inner_left && right <= task->inner_right && top >= task->inner_top &&
           bottom <= task->inner_bottom;
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

/* A field of a mask's header. In doubles, a header consists of numbers, too. */
#if INTEGER || defined(DOUBLES)
#define HEADER_FIELD(i) ((int)header[i])
#else
#define HEADER_FIELD(i) ((int)WORD_OF_FLOAT(header[i]))
#endif

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

/* Converts a float result to the type of the output; a double is rounded to f32 once, before it is
 * clamped. */
FUNCTION result_t convert_real(real_t value, real_t low, real_t high)
{
#if OUT == TYPE_F32 || OUT == TYPE_F64
#ifdef CLAMPED
    out_t rounded = (out_t)value;
    return ROUNDING_CLAMP(rounded, (out_t)low, (out_t)high);
#else
    return (out_t)value;
#endif
#else
#ifndef TRUNCATED /* by the conversion below */
    value = rounding_half_up(value);
#endif
    return (result_t)ROUNDING_CLAMP(value, low, high);
#endif
}

#if OUT == TYPE_U32
#define LIMIT(word) ((unsigned)(word))
#else
#define LIMIT(word) (word)
#endif

#if INTEGER && RULE == RULE_MEAN
FUNCTION result_t finish_mean(const struct gpu_task *task, sum_t sum)
{
    sum_t all = sum + join_halves(task->add_low, task->add_high);
#if IN_IS_32 || OUT_IS_32
    wide count = task->count, mean = all / count;
    mean -= mean * count > all; /* towards minus infinity */
    return (result_t)ROUNDING_CLAMP(mean, (wide)LIMIT(task->low), (wide)LIMIT(task->high));
#else
#if WIDE
    int mean = task->base + (int)((unsigned_wide)all / (unsigned)task->count);
#else
    int mean =
        task->base +
        (task->reciprocal ? (int)(HIGH_PRODUCT((word)all, task->reciprocal) >> task->shift) : all);
#endif
    return ROUNDING_CLAMP(mean, task->low, task->high);
#endif
}
#endif

#if !INTEGER
FUNCTION real_t bias_of(const struct gpu_task *task)
{
#ifdef DOUBLES
    return DOUBLE_OF_WORDS(task->add_low, task->add_high);
#else
    return task->bias;
#endif
}

/* Converts a float result, within the limits of the stage. */
FUNCTION result_t limit_real(const struct gpu_task *task, real_t value)
{
#ifdef DOUBLES
    return convert_real(value, DOUBLE_OF_WORDS(task->low, task->down_shift),
                        DOUBLE_OF_WORDS(task->high, task->shift));
#else
    return convert_real(value, task->low_float, task->high_float);
#endif
}
#endif

/* Converts the sum over all taps to a result. */
FUNCTION result_t finish_sum(const struct gpu_task *task, sum_t sum)
{
#if !INTEGER
    return limit_real(task, sum + bias_of(task));
#elif RULE == RULE_MEAN
    return finish_mean(task, sum);
#else
    sum_t value = ROUNDING_SHIFT(sum + join_halves(task->add_low, task->add_high), task->shift);
    return (int)ROUNDING_CLAMP(value, task->low, task->high);
#endif
}

#if INTEGER
FUNCTION result_t finish_by_header(const struct gpu_task *task, taps_t header, sum_t sum)
{
    sum_t add = join_halves((unsigned)header[HEADER_ADD_LOW], header[HEADER_ADD_HIGH]);
    sum_t value = ROUNDING_SHIFT(sum + add, header[HEADER_SHIFT]);
    return (int)ROUNDING_CLAMP(value, task->low, task->high);
}
#endif

/* Rounds the result of the vertical pass of two passes. */
FUNCTION middle_t finish_down(const struct gpu_task *task, sum_t sum)
{
#if INTEGER && RULE == RULE_PASSES
    return (middle_t)ROUNDING_SHIFT(sum + task->down_add, task->down_shift);
#else
    return (middle_t)sum;
#endif
}

/* A sample of the channel that is copied; clamp= applies only to the other channels. */
FUNCTION result_t copied_sample(const struct source *from, const struct gpu_task *task, int x,
                                int y, int c)
{
    work_t value = fetch(from, task, x + LEFT, y + ABOVE, c);
#if INTEGER && (IN_IS_32 || OUT_IS_32)
    return (result_t)ROUNDING_CLAMP((wide)value, (wide)OUT_LOW, (wide)OUT_HIGH);
#elif INTEGER
    return ROUNDING_CLAMP(value, OUT_LOW, OUT_HIGH);
#elif OUT == TYPE_F32 || OUT == TYPE_F64
    return (out_t)value;
#else
    value = rounding_half_up(value);
    return (result_t)ROUNDING_CLAMP(value, (real_t)OUT_LOW, (real_t)OUT_HIGH);
#endif
}

FUNCTION void store(GLOBAL out_t *out, const struct gpu_task *task, int x, int y, int c,
                    result_t value)
{
    out[(PLANAR ? c * task->out_plane : c) + y * task->out_pitch + x * OUT_STEP] = (out_t)value;
}

/* The last step of most kernels: finishes a sum and stores it. */
FUNCTION void finish(const struct source *from, GLOBAL out_t *out, const struct gpu_task *task,
                     int x, int y, int c, sum_t sum)
{
    result_t value =
        COPIED >= 0 && c == COPIED ? copied_sample(from, task, x, y, c) : finish_sum(task, sum);
    store(out, task, x, y, c, value);
}

/* The memory that contains the taps of a tile kernel. */
#if defined(KERNEL_shared) && !defined(CONSTANT_TAPS)
typedef LOCAL const tap_t *tile_taps_t;
#else
typedef taps_t tile_taps_t;
#endif

/* The sum over all taps of a pixel whose first tap is at (x, y) of a tile with rows of `pitch`
 * pixels. */
FUNCTION sum_t tile_sum(LOCAL const work_t *tile, const struct gpu_task *task, tile_taps_t taps,
                        int pitch, int channels, int x, int y, int c)
{
    sum_t sum = 0;
    (void)task; /* the size of the mask if it is known at run time only */
    for (int j = 0; j < MASK_H; j++)
        for (int i = 0; i < MASK_W; i++) {
            int at = (y + j * DILATE_Y) * pitch + x + i * DILATE_X;
            sum = add_tap(taps[j * MASK_W + i], tile[at * channels + c], sum);
        }
    return sum;
}

#endif
