/* The transforms of one instruction set, FOURIER_ISA, on vectors of its width. Fused multiply-add
 * is allowed here: results are either rounded to whole numbers, with a proof that the rounding
 * error cannot change them, or floats within a stated bound. */
#include "cpu/fourier.h"

#include "cpu/c_types.h"

#include <stdbool.h>
#include <string.h>

/* The rows that `multiply` computes at once fit the registers. */
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define F32_LANES    16
#define F64_LANES    8
#define ROWS_AT_ONCE 4
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define F32_LANES    8
#define F64_LANES    4
#define ROWS_AT_ONCE 2
#else
#define VECTOR_BYTES 16
#define F32_LANES    4
#define F64_LANES    2
#define ROWS_AT_ONCE 2
#endif

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define INLINE      static inline __attribute__((always_inline))

/* These depend on REAL and NAMED, which are defined for each of the two types. */
#define SAME   JOIN(SAME, LANES)
#define LOW    JOIN(LOW, LANES)
#define HIGH   JOIN(HIGH, LANES)
#define vector NAMED(vector)
#define point  NAMED(point)
#define spread NAMED(spread)
#define mask   NAMED(mask)
#define walk   NAMED(walk)

/* Index lists with one element per lane: one value for all lanes; the lower, or the upper, halves
 * of two vectors interleaved. */
#define SAME_2(v)  v, v
#define SAME_4(v)  SAME_2(v), SAME_2(v)
#define SAME_8(v)  SAME_4(v), SAME_4(v)
#define SAME_16(v) SAME_8(v), SAME_8(v)
#define LOW_2      0, 2
#define HIGH_2     1, 3
#define LOW_4      0, 4, 1, 5
#define HIGH_4     2, 6, 3, 7
#define LOW_8      0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8     4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16     0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16    8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31

/* Is the sample type an integer type? Its results are rounded to whole numbers. */
#define IS_WHOLE_u8  true
#define IS_WHOLE_u16 true
#define IS_WHOLE_s16 true
#define IS_WHOLE_f32 false
#define IS_WHOLE_f64 false

#define REAL         float
#define NAMED(id)    JOIN(id, f32)
#define LANES        F32_LANES
#define BITS         int32_t
#include "cpu/fourier_body.h"
INLINE some_f32_f32 narrow_f32_f32(vector v)
{
    return v;
}
GATHER(f32)
SCATTER(f32)
#undef REAL
#undef LANES
#undef BITS
#undef NAMED

#define REAL      double
#define NAMED(id) JOIN(id, f64)
#define LANES     F64_LANES
#define BITS      int64_t
#include "cpu/fourier_body.h"
GATHER(u8)
GATHER(u16)
GATHER(s16)
NARROW(u8)
NARROW(u16)
NARROW(s16)
SCATTER(u8)
SCATTER(u16)
SCATTER(s16)
typedef vector some_f64_f64;
INLINE some_f64_f64 narrow_f64_f64(vector v)
{
    return v;
}
GATHER(f64)
SCATTER(f64)
#undef REAL
#undef LANES
#undef BITS
#undef NAMED

#define TABLE(isa) JOIN(fourier_table, isa)
extern const struct fourier_kernels TABLE(FOURIER_ISA)[2];
const struct fourier_kernels TABLE(FOURIER_ISA)[2] = {
    {.lanes = F32_LANES,
     .real_size = sizeof(float),
     .gather = {[FOURIER_F32] = gather_f32_f32},
     .forward = forward_f32,
     .multiply = multiply_f32,
     .inverse = inverse_f32,
     .scatter = {[FOURIER_F32] = scatter_f32_f32}},
    {.lanes = F64_LANES,
     .real_size = sizeof(double),
     .gather = {[FOURIER_U8] = gather_u8_f64,
                [FOURIER_U16] = gather_u16_f64,
                [FOURIER_S16] = gather_s16_f64,
                [FOURIER_F64] = gather_f64_f64},
     .forward = forward_f64,
     .multiply = multiply_f64,
     .inverse = inverse_f64,
     .scatter = {[FOURIER_U8] = scatter_u8_f64,
                 [FOURIER_U16] = scatter_u16_f64,
                 [FOURIER_S16] = scatter_s16_f64,
                 [FOURIER_F64] = scatter_f64_f64}},
};
