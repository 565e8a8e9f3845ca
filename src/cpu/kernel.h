/* Kernels: the loops that do the arithmetic. One entry each in kernels.def, one body each, compiled
 * once per instruction set. A kernel knows nothing of borders, rows or channels: it adds up runs
 * of samples, one pointer per tap. */
#ifndef SWATHE_CPU_KERNEL_H
#define SWATHE_CPU_KERNEL_H

#include <stdint.h>

enum kernel_id {
#define KERNEL(id, sum, source, result) KERNEL_##id,
#include "cpu/kernels.def"
#undef KERNEL
    KERNEL_COUNT
};

enum kernel_sum {
    KERNEL_NARROW,
    KERNEL_SHORT,
    KERNEL_PAIR,
    KERNEL_WIDE,
    KERNEL_MEAN,
    KERNEL_RAW,
    KERNEL_LONG,
    KERNEL_FLOAT,
    KERNEL_FAST,
    KERNEL_CONVERT,
    KERNEL_SLIDE,
    KERNEL_RUNNING,
    KERNEL_TALLY,
    KERNEL_UNCACHED,
    KERNEL_ACROSS,
    KERNEL_NARROW_MULTIROW,
    KERNEL_PAIR_MULTIROW,
    KERNEL_FLOAT_MULTIROW,
    KERNEL_FAST_MULTIROW,
    KERNEL_SPLIT_MULTIROW
};

/* result[i] = finish(Σ_t taps[t]·source[t][i]) for i in 0..count-1. Reads and writes exactly that.
 *   NARROW taps are int8 pairs, tap_count even; finish: clamp((Σ + add) >> shift), Σ|t|·255 + |add|
 *          below 2^15
 *   SHORT  taps and samples are int16, none negative; finish: clamp((Σ + add) >> shift), Σ + add
 *          below 2^16
 *   PAIR   taps are int16 pairs, tap_count even; finish: clamp((Σ + add) >> shift), Σ within 2^31
 *   WIDE   taps are doubles;  finish: clamp(floor((Σ + add)·2^-shift)), Σ within 2^53
 *   MEAN   taps are doubles;  finish: clamp(floor((Σ + add) / divisor)), Σ + add a multiple of ½
 *   RAW    taps are doubles;  finish: Σ
 *   LONG   taps are int32;    finish: clamp((Σ + add) >> shift), Σ within 2^63
 *   FLOAT, FAST  taps are floats; finish: clamp(Σ + bias); NaN stays
 *   CONVERT  no taps, one source; from floats: clamp(floor(v + ½)), NaN as 0
 *   SLIDE    no taps, two sources: result[i] += source[0][i] - source[1][i]
 *   RUNNING  no taps, one source of column sums: with n the divisor, below RECIPROCAL_MOST, and S
 *            the sum of tap_count of them, columns[0] samples apart, from the i-th:
 *            clamp(floor((2S + n) / 2n)). columns[0] is at most 16, columns[1] is
 *            (tap_count - 1)·columns[0], and columns[0] zeros stand before the source.
 *   TALLY    no taps; samples are not negative, and with n the divisor 2Σ + n is below 2^16;
 *            finish: clamp(((2Σ + n)·add >> 16) >> shift), add and shift from reciprocal_short
 *   UNCACHED copies bytes, whole lines of the result past the caches; kernel_uncached_end makes
 *            them visible to other threads
 *   ACROSS   only where an instruction set gains by it: `height` rows, at most KERNEL_ACROSS_ROWS,
 *            from as many sources: results[y][i] = finish(Σ_t taps[t]·source[y][i + t·columns[0]]),
 *            taps and finish as FLOAT, tap_count at least KERNEL_ACROSS_TAPS; `result` is scratch
 *            for KERNEL_ACROSS_ROWS floats for each of the samples that are read, and 15 more,
 *            aligned
 *
 * Blocks make `height` rows at once, at most isa->multirow_height, from the rows under them:
 *   results[y][i] = finish(Σ_j Σ_c tap(j, c)·source[y + j][i + columns[c]]), j < mask_rows.
 *   NARROW_MULTIROW, PAIR_MULTIROW  taps are int32, pairs as described below; finish as NARROW and
 * PAIR FLOAT_MULTIROW, FAST_MULTIROW   taps[j][c] are floats, finish as FLOAT SPLIT_MULTIROW  taps
 * as PAIR_MULTIROW, two sets of them, high and low: tap = high·2^split + low; from u16 samples 2^15
 * is taken first; finish: clamp((add + Σhigh + ((add_low + Σlow) >> split)) >> shift), each sum
 * within 2^31 Their source has kernel_multirow_sources(isa, mask_rows) entries; those past the last
 * row under the block may be any row. */
/* Where finished lines of a result go on to, past the caches, while the next are made: those that
 * begin at `to` + first are complete up to `to` + last. Kernels that write bytes of a result in
 * order take them there; what is left is for the caller. */
struct kernel_drain {
    uint8_t *to;
    int64_t first, last;
};

struct kernel_args {
    const void *const *source;
    const void *taps;
    int64_t tap_count;
    void *result;
    int64_t count;
    int64_t add;
    int32_t shift;
    float bias;
    double add_wide, divisor;
    double low, high;
    struct kernel_drain *drain; /* or NULL; of a block, one per row */
    /* blocks only */
    void *const *results;
    const int64_t *columns; /* samples from the leftmost */
    int64_t column_count;
    int32_t mask_rows, height;
    int32_t split; /* SPLIT_MULTIROW */
    int32_t add_low;
};

/* At most so many rows, at least so many taps. */
enum { KERNEL_ACROSS_ROWS = 16, KERNEL_ACROSS_TAPS = 8 };

typedef void kernel(const struct kernel_args *args);

struct kernel_entry {
    const char *name;
    enum kernel_sum sum;
    const char *source, *result; /* sample types; "f64" between passes */
};
const struct kernel_entry *kernel_entry(int id);

/* One instruction set's kernels; NULL where a lower one has to do. */
struct isa {
    const char *name, *summary;
    int built;
    kernel *const *kernels;
    const int *multirow_height; /* output rows that a block makes at once */
};
/* NULL past the end. */
const struct isa *isa_at(int index);
/* Built, this CPU has it, and (test builds) SWATHE_ISA does not mask it. */
int isa_usable(int index);
/* Its position, or -1. */
int isa_named(const char *name);
/* The best usable set. */
int isa_best(void);

/* Ends a series of UNCACHED copies. */
void kernel_uncached_end(void);

/* The kernel for `id` on the best usable set at or below `isa`; `used` gets its position. NULL only
 * for ACROSS. */
kernel *kernel_find(int isa, enum kernel_id id, int *used);

/* Integer blocks multiply samples of two rows below each other by two taps. An output row at an
 * even place in its block pairs the mask's rows (0, 1), (2, 3) …, one at an odd place (none, 0),
 * (1, 2) …: two sets of `pairs` pairs, each with all columns. */
static inline int32_t kernel_multirow_pairs(int32_t mask_rows)
{
    return mask_rows / 2 + 1;
}
/* A pair of taps: 16 bits each for PAIR_MULTIROW; 8 bits each, twice, for NARROW_MULTIROW. */
static inline int32_t kernel_join_shorts(int32_t first, int32_t second)
{
    return (int32_t)((uint32_t)(uint16_t)first | (uint32_t)(uint16_t)second << 16);
}
static inline int32_t kernel_join_bytes(int32_t first, int32_t second)
{
    uint32_t both = (uint32_t)(uint8_t)first | (uint32_t)(uint8_t)second << 8;
    return (int32_t)(both | both << 16);
}
/* The mask's row that stands first or second (half 0 or 1) in a pair; -1 for none. */
static inline int32_t kernel_multirow_row(int32_t odd, int32_t pair, int32_t half,
                                          int32_t mask_rows)
{
    int32_t row = 2 * pair + half - odd;
    return row < mask_rows ? row : -1;
}
static inline int64_t kernel_multirow_sources(int isa, int32_t mask_rows)
{
    return 2 * (int64_t)kernel_multirow_pairs(mask_rows) + *isa_at(isa)->multirow_height;
}

#endif
