/* Types of samples, sums and taps, and the kernels' arguments, from these compile options:
 *
 * IN, OUT          types of samples
 * INTEGER          integer arithmetic; 0: float
 * WIDE             sums take 64 bits
 * RULE             dense, passes or mean
 * CHANNELS, PLANAR layout
 * COPIED           channel that is copied, or -1
 * MASKS            1, or one per plane
 * MASK_W, MASK_H, DILATE_X, DILATE_Y, LEFT, ABOVE    the mask and its reach
 * CONSTANT_TAPS, TAP_COUNT   TAP_COUNT taps are in constant memory
 * HAS_ZEROS        some float taps are 0 and are skipped
 * SKIP_LOW, SKIP_HIGH        masks of at most 64 taps: a bit for each tap that is 0
 * CLAMPED          float results are clamped
 * PADDED, CHECKED, FILLED    how samples outside the image are read: one_sample.h
 * SEPARATE         each plane is an argument; channels 1 to CHANNELS - 1 come last
 * GROUP_X, GROUP_Y threads */
#ifndef GPU_TYPES_H
#define GPU_TYPES_H

#include "gpu/kernels/dialect.h"

#define TYPE_U8     0
#define TYPE_U16    1
#define TYPE_S16    2
#define TYPE_F32    3

#define RULE_DENSE  0
#define RULE_PASSES 1
#define RULE_MEAN   2

#if IN == TYPE_U8
typedef unsigned char in_t;
#elif IN == TYPE_U16
typedef unsigned short in_t;
#elif IN == TYPE_S16
typedef short in_t;
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
#else
typedef float out_t;
#endif

/* work_t: a sample in arithmetic; result_t: a result before it is converted to out_t. */
#if INTEGER
typedef int tap_t;
typedef int work_t;
typedef int result_t;
#if WIDE
typedef wide sum_t;
#else
typedef int sum_t;
#endif
#else
typedef float tap_t;
typedef float work_t;
typedef float sum_t;
#if OUT == TYPE_F32
typedef float result_t;
#else
typedef int result_t;
#endif
#endif

/* The result of the vertical pass of two. */
#if INTEGER && WIDE && RULE == RULE_PASSES
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
#define HALO_X          ((MASK_W - 1) * DILATE_X)
#define HALO_Y          ((MASK_H - 1) * DILATE_Y)

#ifdef CONSTANT_TAPS
typedef const CONSTANT tap_t *taps_t;
#define TAPS mask
#else
typedef GLOBAL const tap_t *taps_t;
#define TAPS taps
#endif

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

#define ARGUMENTS                                                                                  \
    GLOBAL const in_t *RESTRICT in, GLOBAL out_t *RESTRICT out, GLOBAL const tap_t *RESTRICT taps, \
        GLOBAL const int *RESTRICT rows, GLOBAL const int *RESTRICT columns,                       \
        const struct gpu_job job PLANE_ARGS CONSTANT_ARG

#endif
