/* Kernels: the loops that do the arithmetic. One entry each in kernels.def, one body each, compiled
 * once per instruction set. A kernel does not handle borders, rows or channels: it computes runs of
 * samples, with one source pointer per tap. */
#ifndef SWATHE_CPU_KERNEL_H
#define SWATHE_CPU_KERNEL_H

#include "cpu/reciprocal.h"

#include <stdbool.h>
#include <stdint.h>

enum kernel_id {
#define KERNEL(id, sum, source, result) KERNEL_##id,
#include "cpu/kernels.def"
#undef KERNEL
    KERNEL_COUNT
};

/* The arithmetic of a kernel. Unless the comment of a kernel differs:
 *     result[i] = finish(Σ_t taps[t]·source[t][i])   for i in 0 … count - 1, t in 0 … tap_count - 1
 * It reads and writes exactly these samples. clamp limits to low … high. */
enum kernel_sum {
    /* int8 taps in pairs, an even count: clamp((Σ + add) >> shift), Σ|t|·255 + |add| below 2^15. */
    KERNEL_NARROW,
    /* int16 taps and samples, none negative: clamp((Σ + add) >> shift), Σ + add below 2^16. */
    KERNEL_SHORT,
    /* int16 taps in pairs, an even count: clamp((Σ + add) >> shift), Σ within 2^31. */
    KERNEL_PAIR,
    /* double taps: clamp(floor((Σ + add_wide)·2^-shift)), Σ within 2^53. */
    KERNEL_WIDE,
    /* double taps: clamp(floor((Σ + add_wide) / divisor)), Σ + add_wide a multiple of ½. */
    KERNEL_MEAN,
    /* double taps: Σ itself. */
    KERNEL_RAW,
    /* int32 taps: clamp((Σ + add) >> shift), Σ within 2^63. */
    KERNEL_LONG,
    /* float or double taps, as the samples, fused multiply-add in tap order: clamp(Σ + bias); NaN
     * is kept. */
    KERNEL_FLOAT,
    /* The same, with or without fused multiply-add. */
    KERNEL_FAST,
    /* No taps, one source. From floats: clamp(floor(v + ½)), NaN as 0. */
    KERNEL_CONVERT,
    /* No taps, two sources: result[i] += source[0][i] - source[1][i]. */
    KERNEL_SLIDE,
    /* No taps, one source of column sums with `apart` zeros before it, apart at most
     * KERNEL_APART_MOST: clamp(floor((S + add) / n) + add_low), where n is the divisor, with its
     * reciprocal, and S the sum of tap_count column sums, `apart` samples from each other, starting
     * at the i-th. 0 ≤ S + add < 2^31. From 16-bit sums add is n/2 and add_low 0. */
    KERNEL_RUNNING,
    /* No taps, two sources a and b: clamp(floor(√(a² + b²) + ½)); of floats clamp(√(b·b + a²) +
     * bias) with a fused multiply-add. */
    KERNEL_HYPOT,
    /* Sources n, d and m, and a struct kernel_quotient as taps: v = n / unit if d = all, otherwise
     * (n / d)·(all / unit); v + bias is rounded half up if it is an integer, or to f32, then
     * clamped and, if it is `none`, replaced by `beside`. `none` if |d| < least or m = 0. */
    KERNEL_QUOTIENT,
    /* One source, and a table with a result for each value of a sample as taps. */
    KERNEL_LOOK_UP,
    /* No taps, one source of whole pixels of `apart` channels, 2 or 4; the last one is alpha:
     * samples times alpha, and alpha itself. */
    KERNEL_ALPHA_MULTIPLY,
    /* One source of whole pixels of `apart` sums, 2 or 4, and a struct kernel_alpha as taps. With
     * the last sum d of a pixel, the others are n / unit if d = all, otherwise (n / d)·(all /
     * unit), and the last is d / share: in doubles, rounded half up, at most 255; 0 if d < least.
     */
    KERNEL_ALPHA_DIVIDE,
    /* Positive floats to samples, and a struct kernel_steps as taps: the bits of the sample,
     * limited to lowest and highest, minus `first` are 2^16·b + r, and the result is (buckets[b] +
     * r) >>
     * 16. NaN counts as the lowest. */
    KERNEL_STEP,
    /* Exists only for instruction sets on which it is faster. Computes `height` rows, at most
     * KERNEL_ACROSS_ROWS, from as many sources: results[y][i] = finish(Σ_t taps[t]·source[y][i +
     * t·apart]), with taps and finish as FLOAT and at least KERNEL_ACROSS_TAPS taps. `scratch` is
     * aligned and has KERNEL_ACROSS_ROWS floats for each sample of a row that is read, plus 15
     * samples. */
    KERNEL_ACROSS,

    /* Multirow kernels compute `height` rows at once, at most kernel_multirow_height:
     *     results[y][i] = finish(Σ_j Σ_c tap(j, c)·source[y + j][i + columns[c]]),  j < mask_rows.
     * They have kernel_multirow_sources sources; those past the last row that is
     * read may point at any row. */

    /* int32 taps, each a pair from kernel_join_bytes; finish as NARROW. */
    KERNEL_NARROW_MULTIROW,
    /* int32 taps, each a pair from kernel_join_shorts; finish as PAIR. `scratch` is aligned and has
     * kernel_paired_bytes. */
    KERNEL_PAIR_MULTIROW,
    /* Float or double taps [c][j]; finish as FLOAT. */
    KERNEL_FLOAT_MULTIROW,
    /* The same, with or without fused multiply-add. */
    KERNEL_FAST_MULTIROW,
    /* Two taps for each of PAIR_MULTIROW, high and low: tap = high·2^split + low. 2^15 is
     * subtracted from u16 samples first. clamp((add + Σhigh + ((add_low + Σlow) >> split)) >>
     * shift), each sum within 2^31. `scratch` as PAIR_MULTIROW. */
    KERNEL_SPLIT_MULTIROW,

    /* A column of mask_rows float or double taps, at least 3, then a row of tap_count taps, as two
     * FLOAT sums; sources, which may be integers, and height as for multirow kernels:
     *     m[y][i] = Σ_j taps[j]·source[y + j][i] + 0
     *     results[y][i] = finish(Σ_t taps[mask_rows + t]·m[y][i + t·apart])
     * `scratch` is aligned; its size is kernel_passes_bytes of (tap_count - 1)·apart. From integers
     * the results may be converted: a CONVERT kernel follows, with the same limits. */
    KERNEL_FLOAT_PASSES,
    /* The same, with or without fused multiply-add, and without conversion. */
    KERNEL_FAST_PASSES,
    /* Both passes of u8, `apart` as for FLOAT_PASSES, at most KERNEL_BYTE_HALO in all, mask_rows
     * and tap_count at most KERNEL_BYTE_TAPS; mask_rows + KERNEL_BYTE_ROWS - 1 sources, of which
     * those past the last row that is read may point at any row, and at most KERNEL_BYTE_ROWS rows
     * of results. `scratch` is aligned and has kernel_byte_bytes. Without `taps` all are 1;
     * otherwise they are binomial, whatever `taps` holds, and mask_rows and tap_count are 3 or 5:
     *     results[y][i] = clamp((Σ + add)·reciprocal)
     * Σ + add is below 2^16, and the results are at most 255. */
    KERNEL_SHORT_PASSES,
    /* int32 taps from kernel_fold for the column, then for the row; mask_rows and tap_count odd:
     *     m[y][i] = (Σ_j taps·source[y + j][i] + add) >> KERNEL_FOLD_DOWN_BITS
     *     results[y][i] = clamp((Σ_t taps·m[y][i + t·apart] >> KERNEL_FOLD_ACROSS_BITS) + offset)
     * The sum of two m is within 16 bits. */
    KERNEL_FOLDED_PASSES,
    /* Both passes with double taps, of samples and of their weights, and their quotient: a struct
     * kernel_weighted says which samples are missing, their weight is 0 and that of others 1.
     *     n = Σ Σ taps·sample·weight and d = Σ Σ taps·weight, each as in PASSES without finish
     *     m is the weight of the sample at the centre
     *     results[y][i] = QUOTIENT of n, d and m
     * `scratch` is aligned; its size is kernel_weighted_bytes of count + (tap_count - 1)·apart. */
    KERNEL_WEIGHTED_PASSES
};

struct kernel_args;

/* What kernels of several rows take: ACROSS, PASSES and the multirow kernels. */
struct kernel_rows {
    void *const *results; /* `height` rows */
    int32_t height, mask_rows;
    void *scratch;  /* ACROSS, PASSES, PAIR_MULTIROW, SPLIT_MULTIROW */
    int32_t offset; /* FOLDED_PASSES */
    /* FLOAT_PASSES: a CONVERT kernel for the results, and the bytes of one; NULL: sums remain. */
    struct kernel_conversion {
        void (*run)(const struct kernel_args *args);
        int32_t size;
    } conversion;
};

/* The rest of the mask of multirow kernels. */
struct kernel_mask {
    const int64_t *columns; /* samples from the leftmost */
    int64_t column_count;
    int32_t split, add_low; /* SPLIT_MULTIROW */
};

/* The other arguments of kernels that divide: MEAN takes the divisor, SHORT_PASSES the reciprocal,
 * RUNNING both. */
struct kernel_mean {
    double divisor;
    struct reciprocal reciprocal;
    int32_t add_low; /* RUNNING */
};

struct kernel_args {
    const void *const *source;
    const void *taps;
    int64_t tap_count;
    int64_t apart; /* RUNNING, ACROSS, PASSES: samples from tap to tap; ALPHA_…: channels */
    void *result;
    int64_t count;
    int64_t add;
    double add_wide; /* of sums of doubles */
    int32_t shift;
    double bias; /* rounded to the type of the sums */
    double low, high;
    bool stream; /* whole cache lines of the result may bypass the caches: kernel_stream_end */
    /* Source rows that are needed next, one per row of results; kernels that can prefetch the
     * samples of their own columns. NULL: nothing to prefetch. */
    const void *const *ahead;

    struct kernel_rows rows;
    struct kernel_mask mask;
    struct kernel_mean mean;
    const struct kernel_weighted *weighted; /* WEIGHTED_PASSES */
};

/* The constants of QUOTIENT; see filter/weights.h. */
struct kernel_quotient {
    double all, unit, least; /* least > 0 */
    double none, beside;
    bool is_integer, is_f32; /* the type of the result, which is stored as doubles */
};

/* Which samples are missing, and how WEIGHTED_PASSES divides. */
struct kernel_weighted {
    bool is_nan;  /* NaN is missing … */
    double none;  /* … otherwise this value */
    bool centred; /* results are missing where the centre is … */
    int32_t centre_row;
    int64_t centre; /* … which is source[y + centre_row][i + centre] */
    struct kernel_quotient quotient;
};

/* The constants of ALPHA_DIVIDE; see filter/weights.h. */
struct kernel_alpha {
    double all, unit, share, least;
    float least_float; /* the smallest that is not less */
};

/* A function of floats that rises by steps: its value at the start of a range of 2^16 floats times
 * 2^16, plus 2^16 − t if it rises by one at the float t of the range. */
struct kernel_steps {
    float lowest, highest; /* positive */
    uint32_t first;        /* the bits of the first float of range 0 */
    const uint32_t *buckets;
};

enum { KERNEL_APART_MOST = 16 };

/* The maximum of rows, the minimum of taps. */
enum { KERNEL_ACROSS_ROWS = 16, KERNEL_ACROSS_TAPS = 8 };
/* Samples of each row that PASSES compute at once, at most. */
enum { KERNEL_PASSES_STEP = 512 };

typedef void kernel(const struct kernel_args *args);

struct kernel_entry {
    const char *name;
    enum kernel_sum sum;
    const char *source, *result; /* sample types; "f64" between passes */
};
const struct kernel_entry *kernel_entry(int id);

/* Kinds of kernels that compute several rows at once, each with its own number of rows. */
enum kernel_heights {
    KERNEL_HEIGHT_NARROW,   /* NARROW_MULTIROW */
    KERNEL_HEIGHT_FLOAT,    /* FLOAT_MULTIROW, FAST_MULTIROW */
    KERNEL_HEIGHT_PASSES,   /* FLOAT_PASSES, FAST_PASSES */
    KERNEL_HEIGHT_WEIGHTED, /* WEIGHTED_PASSES */
    KERNEL_HEIGHTS
};

/* One instruction set's kernels; NULL for those that a lower set provides. */
struct isa {
    const char *name, *summary;
    int built;
    kernel *const *kernels;
    const int *heights; /* by kernel_heights */
};
/* NULL past the end. */
const struct isa *isa_at(int index);
/* True if it is built, this CPU has it, and (in test builds) SWATHE_ISA does not exclude it. */
int isa_usable(int index);
/* `name` is one from isa.def; returns its index, or -1. */
int isa_named(const char *name);
/* The best usable instruction set. */
int isa_best(void);

/* Makes results that kernels have streamed visible to other threads. */
void kernel_stream_end(void);

/* The kernel for `id` on the best usable instruction set at or below `isa`; `used` is set to its
 * index. NULL only for ACROSS. */
kernel *kernel_find(int isa, enum kernel_id id, int *used);

/* Integer multirow kernels multiply samples of two consecutive rows by two taps. Output rows 0, 2 …
 * pair the mask's rows (0, 1), (2, 3) …, output rows 1, 3 … pair (none, 0), (1, 2) …: taps [pair]
 * [column][output row is odd]. */
static inline int32_t kernel_multirow_pairs(int32_t mask_rows)
{
    return mask_rows / 2 + 1;
}
/* Joins a pair of taps to 32 bits: 16 bits each; or 8 bits each, the pair repeated. */
static inline int32_t kernel_join_shorts(int32_t first, int32_t second)
{
    return (int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16);
}
static inline int32_t kernel_join_bytes(int32_t first, int32_t second)
{
    uint32_t both = (uint32_t)(uint8_t)first | (uint32_t)(uint8_t)second << 8;
    return (int32_t)(both | both << 16);
}
/* The mask row that is first or second (half 0 or 1) in a pair; -1 for none. */
static inline int32_t kernel_multirow_row(int32_t odd, int32_t pair, int32_t half,
                                          int32_t mask_rows)
{
    int32_t row = 2 * pair + half - odd;
    return row < mask_rows ? row : -1;
}
/* SHORT_PASSES and FOLDED_PASSES: rows at once, results of a row that are computed at once, the
 * most samples under a row of taps without its last, and taps of a pass. A row between the passes
 * is an odd number of cache lines, because rows a multiple of 4 KiB apart compete for the same
 * lines. */
enum {
    KERNEL_BYTE_ROWS = 8,
    KERNEL_BYTE_STRIP = 768,
    KERNEL_BYTE_HALO = 256,
    KERNEL_BYTE_TAPS = 65,
    KERNEL_BYTE_BLOCK = 64, /* rows of fewer samples are copied */
    KERNEL_BYTE_PITCH = KERNEL_BYTE_STRIP + KERNEL_BYTE_HALO + 2 * KERNEL_BYTE_BLOCK + 32
};
_Static_assert(KERNEL_BYTE_PITCH * 2 % 128 == 64, "an odd number of cache lines");

static inline int64_t kernel_byte_bytes(int32_t mask_rows)
{
    return KERNEL_BYTE_ROWS * KERNEL_BYTE_PITCH * (int64_t)sizeof(int16_t) +
           (int64_t)(mask_rows + KERNEL_BYTE_ROWS) * KERNEL_BYTE_BLOCK;
}
/* Joins symmetric taps, `half` before the middle one, as FOLDED_PASSES takes them, and returns how
 * many joined ones there are. If `half` is even, the middle one is joined with a tap of a constant,
 * which makes up `add`, a multiple of it. */
enum { KERNEL_FOLD_UNIT = -128, KERNEL_FOLD_DOWN_BITS = 8, KERNEL_FOLD_ACROSS_BITS = 22 };
static inline int64_t kernel_fold(const int32_t *w, int32_t half, int32_t add, int32_t *taps)
{
    for (int32_t k = 0; k + 1 < half; k += 2)
        taps[k / 2] = kernel_join_shorts(w[k], w[k + 1]);
    taps[half / 2] = kernel_join_shorts(half % 2 ? w[half - 1] : add / KERNEL_FOLD_UNIT, w[half]);
    return half / 2 + 1;
}
/* The rows that PAIR_MULTIROW and SPLIT_MULTIROW compute at most, and the results of each from
 * pairs of source rows that they join at once. */
enum { KERNEL_PAIRED_ROWS = 8, KERNEL_PAIRED_CHUNK = 512, KERNEL_PAIRED_TAP_LANES = 8 };
static inline bool kernel_sum_is_paired(enum kernel_sum sum)
{
    return sum == KERNEL_PAIR_MULTIROW || sum == KERNEL_SPLIT_MULTIROW;
}
/* The pairs of source rows of `height` rows. */
static inline int64_t kernel_paired_sources(int32_t mask_rows, int32_t height)
{
    return kernel_multirow_pairs(mask_rows) + (height + 1) / 2 - 1;
}
/* Samples from one joined pair to the next; see kernel_passes_pitch. `reach` is the last column. */
static inline int64_t kernel_paired_pitch(int64_t reach)
{
    return ((KERNEL_PAIRED_CHUNK + reach + 15) / 16 | 1) * 16;
}
/* Places of the taps, in whole cache lines. */
static inline int64_t kernel_paired_places(int32_t mask_rows, int64_t columns)
{
    return (kernel_multirow_pairs(mask_rows) * columns + 15) / 16 * 16;
}
static inline int64_t kernel_paired_bytes(enum kernel_sum sum, int32_t mask_rows, int64_t columns,
                                          int64_t reach)
{
    int64_t parts = sum == KERNEL_SPLIT_MULTIROW ? 2 : 1;
    return (kernel_paired_sources(mask_rows, KERNEL_PAIRED_ROWS) * kernel_paired_pitch(reach) +
            kernel_paired_places(mask_rows, columns) +
            2 * parts * kernel_multirow_pairs(mask_rows) * columns * KERNEL_PAIRED_TAP_LANES) *
           (int64_t)sizeof(int32_t);
}
/* The maximum number of rows that a multirow kernel computes at once. */
static inline int32_t kernel_multirow_height(int isa, enum kernel_sum sum)
{
    const int *heights = isa_at(isa)->heights;
    return kernel_sum_is_paired(sum) ? KERNEL_PAIRED_ROWS
           : sum == KERNEL_FLOAT_MULTIROW || sum == KERNEL_FAST_MULTIROW
               ? heights[KERNEL_HEIGHT_FLOAT]
           : sum == KERNEL_FLOAT_PASSES || sum == KERNEL_FAST_PASSES ? heights[KERNEL_HEIGHT_PASSES]
           : sum == KERNEL_WEIGHTED_PASSES ? heights[KERNEL_HEIGHT_WEIGHTED]
                                           : heights[KERNEL_HEIGHT_NARROW];
}
/* Samples from one row between the passes to the next: an odd number of cache lines, because rows a
 * multiple of 4 KiB apart compete for the same lines of the first-level cache. */
static inline int64_t kernel_pitch(int64_t samples, int64_t size)
{
    return ((samples * size + 63) / 64 | 1) * 64 / size;
}
/* A part of such a row with its halo, and groups of vectors that are not finished. */
static inline int64_t kernel_passes_pitch(int64_t halo, int64_t size)
{
    enum { GROUPS = 160 };
    return kernel_pitch(halo + KERNEL_PASSES_STEP + GROUPS, size);
}
static inline int64_t kernel_passes_bytes(int isa, int64_t halo, int64_t size)
{
    return kernel_passes_pitch(halo, size) * kernel_multirow_height(isa, KERNEL_FLOAT_PASSES) *
           size;
}
/* Rows of two sums, and a number for each vector. */
static inline int64_t kernel_weighted_bytes(int isa, int64_t samples)
{
    return 2 * kernel_pitch(samples, sizeof(double)) *
               kernel_multirow_height(isa, KERNEL_WEIGHTED_PASSES) * (int64_t)sizeof(double) +
           (samples + 1) * (int64_t)sizeof(int32_t);
}
static inline int64_t kernel_multirow_sources(int isa, enum kernel_sum sum, int32_t mask_rows)
{
    return 2 * (int64_t)kernel_multirow_pairs(mask_rows) + kernel_multirow_height(isa, sum);
}

#endif
