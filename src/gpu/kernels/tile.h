/* A tile of samples with its halo in local memory, for the production path. Interleaved rows are
 * treated as rows of samples in which neighbours of a channel are STEP apart. A tile consists of
 * 32-bit words, which are packed samples of the input or floats, or of doubles. A thread computes
 * SPAN adjacent samples in each of ROWS rows. The options define TILE_PITCH (in words or doubles)
 * and TAP_ROWS (the rows of taps that use one tile). */
#ifndef GPU_TILE_H
#define GPU_TILE_H

#include "gpu/kernels/one_sample.h"

#if defined(KERNEL_dense_tile) || defined(KERNEL_passes_tile) || defined(KERNEL_passes_strip)

#define SPAN     4
#define TAP_STEP (DILATE_X * STEP) /* samples from one tap to the next */
#define HALO_S   (HALO_X * STEP)

#endif

#if defined(KERNEL_dense_tile) || defined(KERNEL_passes_tile)

#define TILE_W (GROUP_X * SPAN) /* samples */
#define TILE_H (GROUP_Y * ROWS)

#if !INTEGER || IN_IS_32
#define PER_WORD 1
#elif IN == TYPE_U8
#define PER_WORD 4
#else
#define PER_WORD 2
#endif
#define SAMPLE_BITS (32 / PER_WORD)

/* Words of a row to read: those of the samples, and one more if samples start within a word. */
#if PER_WORD == 1
#define FILL_W (TILE_W + HALO_S)
#else
#define FILL_W TILE_PITCH
#endif

/* Words are copied; samples are converted to floats if the arithmetic is float. */
#ifdef DOUBLES
typedef double tile_t;
#define FILL_T       in_t
#define AS_TILE(p)   ((double)(p))
#define SAMPLE_OF(t) (t)
#else
typedef word tile_t;
#if INTEGER || IN == TYPE_F32
#define FILL_T     word
#define AS_TILE(w) (w)
#else
#define FILL_T     in_t
#define AS_TILE(p) WORD_OF_FLOAT((float)(p))
#endif
#if INTEGER
#define TILE_OF(s)   ((word)(s))
#define SAMPLE_OF(t) ((work_t)(t))
#else
#define TILE_OF(s)   WORD_OF_FLOAT(s)
#define SAMPLE_OF(t) FLOAT_OF_WORD(t)
#endif
#endif

#ifndef DOUBLES
FUNCTION word pack(work_t sample, int k)
{
#if PER_WORD == 1
    (void)k;
    return TILE_OF(sample);
#else
    return ((word)sample & ((1u << SAMPLE_BITS) - 1u)) << (k * SAMPLE_BITS);
#endif
}

FUNCTION work_t unpack(word packed, int k)
{
#if PER_WORD == 1
    (void)k;
    return SAMPLE_OF(packed);
#elif IN == TYPE_S16
    return (work_t)(short)(packed >> (k * SAMPLE_BITS));
#else
    return (work_t)(packed >> (k * SAMPLE_BITS) & ((1u << SAMPLE_BITS) - 1u));
#endif
}
#endif

/* Loads whole words, starting at the word of the first sample; returns that sample's position in
 * the word. Words past the last one needed may be outside the buffer. */
FUNCTION int fill_inner(LOCAL tile_t *tile, const struct source *source,
                        const struct gpu_task *task, int sample, int y, int height)
{
    int first = (PLANAR ? PLANE_FROM(source, BLOCK_Z) * task->in_plane : 0) +
                (y + task->row_base) * task->in_pitch + sample + task->column_base * STEP;
    GLOBAL const FILL_T *from = (GLOBAL const FILL_T *)source->in + first / PER_WORD;
    int pitch = task->in_pitch / PER_WORD, skew = first % PER_WORD;
    int width = (skew + TILE_W + HALO_S + PER_WORD - 1) / PER_WORD;
    for (int r = THREAD_Y; r < height; r += GROUP_Y) {
        UNROLL
        for (int k = 0; k < FILL_W; k += GROUP_X) {
            int at = k + THREAD_X;
            if (at < FILL_W)
                tile[r * TILE_PITCH + at] =
                    PER_WORD == 1 || at < width ? AS_TILE(from[r * pitch + at]) : (tile_t)0;
        }
    }
    return skew;
}

/* The samples of one entry of a tile, through the tables. */
FUNCTION tile_t fetch_entry(const struct source *from, const struct gpu_task *task, int sample,
                            int y)
{
#ifdef DOUBLES
    return fetch_within(from, task, sample / STEP, y,
                        PLANAR ? PLANE_FROM(from, BLOCK_Z) : sample % STEP);
#else
    word packed = 0;
    for (int n = 0; n < PER_WORD; n++) {
        int at = sample + n, c = PLANAR ? PLANE_FROM(from, BLOCK_Z) : at % STEP;
        packed |= pack(fetch_within(from, task, at / STEP, y, c), n);
    }
    return packed;
#endif
}

/* Loads sample by sample. */
FUNCTION void fill_edge(LOCAL tile_t *tile, const struct source *from, const struct gpu_task *task,
                        int sample, int y, int height)
{
    for (int r = THREAD_Y; r < height; r += GROUP_Y)
        for (int k = THREAD_X; k < FILL_W; k += GROUP_X)
            tile[r * TILE_PITCH + k] = fetch_entry(from, task, sample + k * PER_WORD, y + r);
}

FUNCTION int fill_tile(LOCAL tile_t *tile, const struct source *from, const struct gpu_task *task,
                       int sample, int y, int height)
{
    if (from->inner)
        return fill_inner(tile, from, task, sample, y, height);
    fill_edge(tile, from, task, sample, y, height);
    return 0;
}

/* Loops over windows have lengths that are constant in the function itself. Some compilers unroll a
 * loop before they inline the function, when `count` is still unknown, and would keep the windows
 * in memory. */
#define SHARED_TAPS_MOST 8 /* taps that share a window */
#if TAP_STEP > SPAN
#define WINDOW_MOST SPAN
#elif defined(UNROLLED) && defined(KERNEL_dense_tile)
#define WINDOW_MOST (SPAN + HALO_S)
#else
#define WINDOW_MOST (SPAN + (SHARED_TAPS_MOST - 1) * TAP_STEP)
#endif

/* Loads `count` samples, starting at sample `skew` of the row; count is a constant in every call. A
 * row of floats starts at a multiple of four words or doubles. */
FUNCTION void load_window(LOCAL const tile_t *row, int skew, work_t *window, int count)
{
#if defined(DOUBLES)
    (void)skew;
    UNROLL
    for (int k = 0; k < WINDOW_MOST; k += 2) {
        if (k >= count)
            break;
        double2 two = *(LOCAL const double2 *)(row + k);
        window[k] = two.x;
        if (k + 1 < count)
            window[k + 1] = two.y;
    }
#elif PER_WORD == 1
    (void)skew;
    UNROLL
    for (int k = 0; k < WINDOW_MOST; k += 4) {
        if (k >= count)
            break;
        word4 four = *(LOCAL const word4 *)(row + k);
        window[k] = SAMPLE_OF(four.x);
        if (k + 1 < count)
            window[k + 1] = SAMPLE_OF(four.y);
        if (k + 2 < count)
            window[k + 2] = SAMPLE_OF(four.z);
        if (k + 3 < count)
            window[k + 3] = SAMPLE_OF(four.w);
    }
#else
    word low = row[0];
    UNROLL
    for (int k = 0; k < WINDOW_MOST; k += PER_WORD) {
        if (k >= count)
            break;
        word high = row[k / PER_WORD + 1];
        word joined = (word)(((unsigned_wide)high << 32 | low) >> (skew * SAMPLE_BITS));
        UNROLL
        for (int n = 0; n < PER_WORD; n++)
            if (k + n < count)
                window[k + n] = unpack(joined, n);
        low = high;
    }
#endif
}

/* Loads SPAN samples from any position. */
FUNCTION void load_span(LOCAL const tile_t *row, int sample, work_t *window)
{
#if PER_WORD == 1
    UNROLL
    for (int v = 0; v < SPAN; v++)
        window[v] = SAMPLE_OF(row[sample + v]);
#else
    load_window(row + sample / PER_WORD, sample % PER_WORD, window, SPAN);
#endif
}

#if OUT == TYPE_F32
#define WORD_OF_RESULT(value) WORD_OF_FLOAT(value)
#else
#define WORD_OF_RESULT(value) ((word)(value))
#endif

/* Rows and spans are aligned, so one store suffices, or two of doubles. Samples past the width are
 * written to the padding between rows. */
FUNCTION void store_span(GLOBAL out_t *out, int at, const result_t *value)
{
#if OUT == TYPE_F64
    double2 two;
    UNROLL
    for (int k = 0; k < SPAN; k += 2) {
        two.x = value[k];
        two.y = value[k + 1];
        *(GLOBAL double2 *)(out + at + k) = two;
    }
#elif OUT == TYPE_F32 || OUT_IS_32
    word4 four;
    four.x = WORD_OF_RESULT(value[0]);
    four.y = WORD_OF_RESULT(value[1]);
    four.z = WORD_OF_RESULT(value[2]);
    four.w = WORD_OF_RESULT(value[3]);
    *(GLOBAL word4 *)(out + at) = four;
#elif OUT == TYPE_U8
    *(GLOBAL word *)(out + at) =
        (word)value[0] | (word)value[1] << 8 | (word)value[2] << 16 | (word)value[3] << 24;
#else
    word2 two;
    two.x = ((word)value[0] & 0xffffu) | (word)value[1] << 16;
    two.y = ((word)value[2] & 0xffffu) | (word)value[3] << 16;
    *(GLOBAL word2 *)(out + at) = two;
#endif
}

/* Position of a work group and of a thread in it. */
struct place {
    int sample, top; /* first sample and first row of the work group */
    int x, y;        /* the thread's first sample and row */
    int is_late;     /* 1: its columns are past the width */
};

FUNCTION struct place find_place(const struct gpu_task *task)
{
    struct place at;
    at.sample = BLOCK_X * TILE_W;
    at.top = task->first_y + BLOCK_Y * TILE_H;
    at.x = at.sample + THREAD_X * SPAN;
    at.y = at.top + THREAD_Y * ROWS;
    at.is_late = at.x >= task->width * STEP;
    return at;
}

FUNCTION int is_inner_tile(const struct gpu_task *task, const struct place *at)
{
    return is_inner(task, at->sample / STEP, at->top, (at->sample + TILE_W - 1) / STEP + 1,
                    at->top + TILE_H);
}

FUNCTION int out_index(const struct gpu_task *task, const struct place *at, int y)
{
    return (PLANAR ? BLOCK_Z * task->out_plane : 0) + y * task->out_pitch + at->x;
}

/* Stores samples of a plane that is copied. Its work groups compute like all others and store this
 * instead. A whole work group could return before the barrier, but not every compiler handles that
 * correctly (PoCL 3.1). */
FUNCTION void copy_tile(GLOBAL out_t *out, const struct source *from, const struct gpu_task *task,
                        const struct place *at)
{
    for (int y = at->y; y < at->y + ROWS && y < task->last_y; y++)
        for (int x = at->x; x < at->x + SPAN && x < task->width; x++)
            store(out, task, x, y, BLOCK_Z, copied_sample(from, task, x, y, COPIED_FROM(from)));
}

#endif

#endif
