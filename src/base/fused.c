#include "base/fused.h"

#include "base/cpu.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 wide;

/* The number (-1)^negative · digits · 2^exponent. */
struct number {
    bool negative;
    wide digits;
    int exponent;
};

enum { TOP = 125 }; /* the highest bit of terms, so that their sum fits */

static int highest_bit(wide digits)
{
    uint64_t high = (uint64_t)(digits >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)digits);
}

static struct number fused_split(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    return (struct number){signbit(x), (wide)(uint64_t)ldexp(fabs(fraction), 53), exponent - 53};
}

static void fused_normalise(struct number *x)
{
    int shift = TOP - highest_bit(x->digits);
    x->digits <<= shift;
    x->exponent -= shift;
}

/* Bits that are lost become one: it decides ties, and lies below the rounded bits. */
static wide shift_right(wide digits, int count)
{
    if (count > 127)
        return 1;
    return digits >> count | ((digits & (((wide)1 << count) - 1)) != 0);
}

/* Both have their highest bit at TOP. */
static struct number fused_add(struct number a, struct number b)
{
    if (a.exponent < b.exponent) {
        struct number other = a;
        a = b;
        b = other;
    }
    b.digits = shift_right(b.digits, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.digits += b.digits;
    } else if (a.digits >= b.digits) {
        a.digits -= b.digits;
    } else {
        a.digits = b.digits - a.digits;
        a.negative = b.negative;
    }
    return a;
}

/* Rounds to the nearest number of `bits` bits that is a multiple of 2^least, ties to even. */
static double round_once(struct number x, int bits, int least)
{
    if (x.digits == 0)
        return 0.0;
    int drop = highest_bit(x.digits) + 1 - bits;
    if (x.exponent + drop < least)
        drop = least - x.exponent;
    wide kept = x.digits;
    if (drop > 127) {
        kept = 0;
    } else if (drop > 0) {
        wide half = (wide)1 << (drop - 1), lost = x.digits & (half + half - 1);
        kept >>= drop;
        kept += lost > half || (lost == half && (kept & 1));
    }
    double rounded = ldexp((double)(uint64_t)kept, x.exponent + (drop > 0 ? drop : 0));
    return x.negative ? -rounded : rounded;
}

/* The factors and the sum are finite and not zero. */
static double multiply_add(double x, double y, double z, int bits, int least)
{
    struct number a = fused_split(x), b = fused_split(y), c = fused_split(z);
    struct number product = {a.negative != b.negative, a.digits * b.digits,
                             a.exponent + b.exponent};
    fused_normalise(&product);
    fused_normalise(&c);
    return round_once(fused_add(product, c), bits, least);
}

#if defined(_WIN32) && defined(__x86_64__)
#undef __builtin_fma
#undef __builtin_fmaf
/* Every tap asks, so the answer is kept: 0: not yet known, 1: no, 2: yes. */
static bool has_instruction(void)
{
    static atomic_int known;
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        answer = 1 + cpu_has("avx2"); /* which implies it here */
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

__attribute__((target("fma"))) static double instruction(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}

__attribute__((target("fma"))) static float instruction_float(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}

double fused_double(double x, double y, double z)
{
    return has_instruction() ? instruction(x, y, z) : fused_double_plain(x, y, z);
}

float fused_float(float x, float y, float z)
{
    return has_instruction() ? instruction_float(x, y, z) : fused_float_plain(x, y, z);
}
#endif

double fused_double_plain(double x, double y, double z)
{
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0)
        return x * y + z;
    if (!isfinite(z))
        return z; /* although x * y may overflow */
    return z == 0 ? x * y : multiply_add(x, y, z, 53, -1074);
}

/* The product of two floats is exact in double. */
float fused_float_plain(float x, float y, float z)
{
    double product = (double)x * (double)y;
    if (!isfinite(x) || !isfinite(y) || product == 0)
        return x * y + z;
    if (!isfinite(z))
        return z;
    return z == 0 ? (float)product : (float)multiply_add(x, y, z, 24, -149);
}
