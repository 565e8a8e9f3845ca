/* Types of samples, sums and taps, and the kernels' arguments, from these compile options:
 *
 * IN, OUT          types of samples
 * INTEGER          integer arithmetic; 0: float
 * DOUBLES          floats are doubles, in sums and taps
 * WIDE             sums take 64 bits
 * RULE             dense, passes, mean, or one of those of pixel.cl
 * TERMS            passes: number of terms, each a column and a row of taps
 * CHANNELS, OUT_CHANNELS, PLANAR    layout; channels of the input, and of the result
 * COPIED           channel of the input that is copied, or -1
 * MASKS            1, or one per plane; or, if STACKED, applied to each plane
 * MASK_W, MASK_H, DILATE_X, DILATE_Y, LEFT, ABOVE    the mask and its reach
 * STACKED, MAPPED  where results come from, if not from the same channel: IS_COPIED and
 *                  set_origin()
 * CONSTANT_TAPS, TAP_COUNT   at most TAP_COUNT taps are in constant memory
 * HAS_ZEROS        some float taps are 0 and are skipped
 * SKIP_LOW, SKIP_HIGH        masks of at most 64 taps: a bit for each tap that is 0
 * CLAMPED          float results are clamped
 * TRUNCATED        float sums are truncated to integers
 * PADDED, CHECKED, FILLED    how samples outside the image are read: one_sample.h
 * SEPARATE         each plane is an argument; channels 1 to CHANNELS - 1 come last
 * PER_CHANNEL      a thread computes one sample; the channel is the grid's z
 * DOWN             threads and thread blocks along x follow the rows downwards
 * GROUP_X, GROUP_Y threads
 * RUNTIME          the size of the mask and of thread blocks is known at run time only: the options
 *                  MASK_W, MASK_H, LEFT, ABOVE, GROUP_X and GROUP_Y are missing
 * DYNAMIC          RUNTIME, and the launch says how much local memory there is */
#ifndef GPU_TYPES_H
#define GPU_TYPES_H

#include "gpu/kernels/dialect.h"

#ifdef RUNTIME
#define MASK_W task->count
#define MASK_H ((int)task->reciprocal)
#define LEFT   (task->down_add & 0xffff)
#define ABOVE  (task->down_add >> 16)
#endif

/* The position of a thread and of its thread block. */
#ifdef DOWN
#define THREAD_ACROSS THREAD_Y
#define THREAD_DOWN   THREAD_X
#define BLOCK_ACROSS  BLOCK_Y
#define BLOCK_DOWN    BLOCK_X
#else
#define THREAD_ACROSS THREAD_X
#define THREAD_DOWN   THREAD_Y
#define BLOCK_ACROSS  BLOCK_X
#define BLOCK_DOWN    BLOCK_Y
#endif

#define TYPE_U8     0
#define TYPE_U16    1
#define TYPE_S16    2
#define TYPE_F32    3
#define TYPE_U32    4
#define TYPE_S32    5
#define TYPE_F64    6

#define RULE_DENSE  0
#define RULE_PASSES 1
#define RULE_MEAN   2
#define RULE_POINT  3
#define RULE_MIX    4
#define RULE_JOIN   5
#define RULE_WEIGH  6
#define RULE_DIVIDE 7

#ifndef TERMS
#define TERMS 1
#endif

#if IN == TYPE_U8
typedef unsigned char in_t;
#elif IN == TYPE_U16
typedef unsigned short in_t;
#elif IN == TYPE_S16
typedef short in_t;
#elif IN == TYPE_U32
typedef unsigned in_t;
#elif IN == TYPE_S32
typedef int in_t;
#elif IN == TYPE_F64
typedef double in_t;
#else
typedef float in_t;
#endif

#if OUT == TYPE_U8
typedef unsigned char out_t;
#define OUT_LOW  0
#define OUT_HIGH 255
#elif OUT == TYPE_U16
typedef unsigned short out_t;
#define OUT_LOW  0
#define OUT_HIGH 65535
#elif OUT == TYPE_S16
typedef short out_t;
#define OUT_LOW  (-32768)
#define OUT_HIGH 32767
#elif OUT == TYPE_U32
typedef unsigned out_t;
#define OUT_LOW  0
#define OUT_HIGH 4294967295u
#elif OUT == TYPE_S32
typedef int out_t;
#define OUT_LOW  (-2147483647 - 1)
#define OUT_HIGH 2147483647
#elif OUT == TYPE_F64
typedef double out_t;
#else
typedef float out_t;
#endif

#define IN_IS_32  (IN == TYPE_U32 || IN == TYPE_S32)
#define OUT_IS_32 (OUT == TYPE_U32 || OUT == TYPE_S32)

/* work_t: a sample in arithmetic; result_t: a result before it is converted to out_t. */
#if OUT == TYPE_U32 || OUT == TYPE_F32 || OUT == TYPE_F64
typedef out_t result_t;
#else
typedef int result_t;
#endif

#if INTEGER
typedef int tap_t;
#if IN == TYPE_U32
typedef unsigned work_t;
#else
typedef int work_t;
#endif
#if WIDE
typedef wide sum_t;
#else
typedef int sum_t;
#endif
#else
typedef real_t tap_t;
typedef real_t work_t;
typedef real_t sum_t;
#endif

/* The result of the vertical pass of two. */
#if INTEGER && WIDE && IN_IS_32
typedef wide middle_t;
#else
typedef work_t middle_t;
#endif

/* The taps of each plane are stored with their parameters, one plane after another. Each mask
 * starts with a header if there are several masks or their sizes differ. */
#define HEADER          8
#define HEADER_OFFSET   0
#define HEADER_WIDTH    1
#define HEADER_HEIGHT   2
#define HEADER_LEFT     3 /* offset of its first tap, in entries of the tables */
#define HEADER_ABOVE    4
#define HEADER_SHIFT    5
#define HEADER_ADD_LOW  6
#define HEADER_ADD_HIGH 7

#define STEP            (PLANAR ? 1 : CHANNELS) /* samples from one pixel to the next */
#define OUT_STEP        (PLANAR ? 1 : OUT_CHANNELS)
#define HALO_X          ((MASK_W - 1) * DILATE_X)
#define HALO_Y          ((MASK_H - 1) * DILATE_Y)

/* The mask of channel c of a result, and its plane of the input. STACKED: the results of all masks,
 * one after another, and last the plane that is copied. */
#ifdef STACKED
#define STACK_COLOURS (CHANNELS - (COPIED >= 0))
#define IS_COPIED(c)  (COPIED >= 0 && (c) == OUT_CHANNELS - 1)
#define MASK_OF(c)    (IS_COPIED(c) ? 0 : (c) / STACK_COLOURS)
#define PLANE_OF(c)   ((c) % STACK_COLOURS + (COPIED >= 0 && (c) % STACK_COLOURS >= COPIED))
#else
#define IS_COPIED(c) (COPIED >= 0 && (c) == COPIED)
#define MASK_OF(c)   (c)
#define PLANE_OF(c)  (c)
#endif

/* MAPPED: an entry for each channel of the result, before the taps: its plane of the input, its
 * mask
 * (-1: the plane is copied), and the value of the plane outside the image. */
#define MAP_FIELDS 3
#ifdef MAPPED
#define MAP_SIZE (MAP_FIELDS * OUT_CHANNELS)
#else
#define MAP_SIZE 0
#endif

#ifdef CONSTANT_TAPS
typedef const CONSTANT tap_t *taps_t;
#define MAP mask
#else
typedef GLOBAL const tap_t *taps_t;
#define MAP taps
#endif
#define TAPS (MAP + MAP_SIZE)

#if defined(CONSTANT_TAPS) && defined(GPU_OPENCL)
#define CONSTANT_ARG , __constant const tap_t *mask
#else
#define CONSTANT_ARG
#ifdef CONSTANT_TAPS
extern "C" {
__constant__ tap_t mask[TAP_COUNT];
}
#endif
#endif

/* An array of `count` elements in local memory. All of DYNAMIC are in one array of words that are
 * as large as a work_t or tap_t, one after another: this one starts at word `first`. */
#ifdef DYNAMIC
#define LOCAL_ARRAY(type, name, count, first) LOCAL type *name = (LOCAL type *)local_words + (first)
#else
#define LOCAL_ARRAY(type, name, count, first) SHARED type name[count]
#endif

#if defined(DYNAMIC) && defined(GPU_OPENCL)
#define LOCAL_ARG , __local work_t *local_words
#else
#define LOCAL_ARG
#ifdef DYNAMIC
DYNAMIC_LOCAL;
#endif
#endif

#ifdef SEPARATE
#define PLANE_ARGS_1
#define PLANE_ARGS_2        , GLOBAL const in_t *RESTRICT in_1, GLOBAL out_t *RESTRICT out_1
#define PLANE_ARGS_3        PLANE_ARGS_2, GLOBAL const in_t *RESTRICT in_2, GLOBAL out_t *RESTRICT out_2
#define PLANE_ARGS_4        PLANE_ARGS_3, GLOBAL const in_t *RESTRICT in_3, GLOBAL out_t *RESTRICT out_3
#define PLANE_ARGS_JOIN(n)  PLANE_ARGS_##n
#define PLANE_ARGS_COUNT(n) PLANE_ARGS_JOIN(n)
#define PLANE_ARGS          PLANE_ARGS_COUNT(CHANNELS)
#else
#define PLANE_ARGS
#endif

/* Kernels of strategies take the task as `given`: the sizes above are those of *task. */
#define ARGUMENTS_OF(task)                                                                         \
    GLOBAL const in_t *RESTRICT in, GLOBAL out_t *RESTRICT out, GLOBAL const tap_t *RESTRICT taps, \
        GLOBAL const int *RESTRICT rows, GLOBAL const int *RESTRICT columns,                       \
        const struct gpu_task task PLANE_ARGS CONSTANT_ARG LOCAL_ARG
#define ARGUMENTS ARGUMENTS_OF(task)

#endif
