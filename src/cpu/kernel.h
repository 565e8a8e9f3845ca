/* Kernels: the loops that do the arithmetic. One row each in kernels.def, one body each, compiled
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
    KERNEL_CONVERT
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
 *   CONVERT  no taps, one source; from floats: clamp(floor(v + ½)), NaN as 0 */
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
};

typedef void kernel(const struct kernel_args *args);

struct kernel_row {
    const char *name;
    enum kernel_sum sum;
    const char *source, *result; /* sample types; "f64" between passes */
};
const struct kernel_row *kernel_row(int id);

/* One instruction set's kernels; NULL where a lower one has to do. */
struct isa {
    const char *name, *summary;
    int built;
    kernel *const *kernels;
};
/* NULL past the end. */
const struct isa *isa_at(int index);
/* Built, this CPU has it, and (test builds) SWATHE_ISA does not mask it. */
int isa_usable(int index);
/* Its position, or -1. */
int isa_named(const char *name);
/* The best usable set. */
int isa_best(void);

/* The kernel for `id` on the best usable set at or below `isa`; `used` gets its position. */
kernel *kernel_find(int isa, enum kernel_id id, int *used);

#endif
