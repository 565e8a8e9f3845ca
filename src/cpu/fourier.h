/* Transforms of many rows at once, one row per vector lane, for algorithm/fourier.c. Compiled once
 * per instruction set, for f32 and f64. */
#ifndef SWATHE_CPU_FOURIER_H
#define SWATHE_CPU_FOURIER_H

#include <stdint.h>

enum {
    FOURIER_LANES_MAX = 16,
    FOURIER_PASSES_MAX = 16,
    FOURIER_CHUNK = 8 /* products that are summed before they are added to the total */
};

/* A transform of 2^a·3^b·5^c points, a multiple of 16: one pass per factor, in order of decreasing
 * distance. */
struct fourier_size {
    int32_t points, pass_count; /* at least two passes */
    struct fourier_pass {
        int32_t radix, rest;  /* butterflies of `radix` points, `rest` apart */
        const void *twiddles; /* rest × (radix − 1) pairs: cos, −sin */
    } pass[FOURIER_PASSES_MAX];
};

/* Two sections of columns of `lanes` rows, with all channels: the real and the imaginary part of
 * one transform per channel. In `work`, point x of channel c in lane r is at 2·lanes·(points·c + x)
 * + r, and its imaginary part `lanes` elements later. */
struct fourier_sections {
    void *work;
    int32_t points, step; /* number of interleaved channels */
    int64_t distance;     /* pixels from the first section to the second */
    int64_t count[2];     /* pixels in each */
};

struct fourier_input {
    struct fourier_sections sections;
    const void *const *rows; /* one per lane */
    double centre;           /* subtracted from every sample */
    /* Floats: NaN for lanes with a sample that is not finite, or whose product with too_large is
     * not. In the type of the transform. */
    void *invalid;
    double too_large;
};

struct fourier_output {
    struct fourier_sections sections;
    void *const *rows; /* NULL for lanes that are not needed */
    /* Floats: clamp(v + add). Integers: clamp(floor((v + add)·scale)), v rounded to a whole number
     * first. */
    double add, scale, low, high;
};

/* sum(y) = Σ_t taps(t)·rows(y + row[t]), bin by bin, for rows y = 0 … count-1; it overwrites
 * rows(y).
 *
 * Spectra of many rows are stored in groups of `lanes` bins: [group][row][real, imaginary][lane];
 * those of taps likewise. Bins are in the order in which the passes leave them, which `inverse`
 * undoes. */
struct fourier_product {
    void *bins;
    int64_t rows, count; /* stored rows; `count` is a multiple of `lanes` */
    const void *taps;
    const int32_t *row; /* of each tap */
    int32_t tap_count, points;
};

enum fourier_sample {
    FOURIER_U8,
    FOURIER_U16,
    FOURIER_S16,
    FOURIER_F32,
    FOURIER_F64,
    FOURIER_SAMPLES
};

struct fourier_kernels {
    int32_t lanes, real_size;
    void (*gather[FOURIER_SAMPLES])(const struct fourier_input *in);
    /* Transforms one channel's work of `lanes` rows to the spectra of those rows, and back. `bins`
     * points at the first spectrum; `rows` is the number of spectra in each group. */
    void (*forward)(const struct fourier_size *size, void *work, void *bins, int64_t rows);
    void (*multiply)(const struct fourier_product *product);
    void (*inverse)(const struct fourier_size *size, const void *bins, int64_t rows, void *work);
    void (*scatter[FOURIER_SAMPLES])(const struct fourier_output *out);
};

/* Returns the kernels of the best usable instruction set at or below `isa`; `used` is set to its
 * index. */
const struct fourier_kernels *fourier_find(int isa, int wide, int *used);

#endif
