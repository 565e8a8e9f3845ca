"""Fused multiply-add on arrays, a·b + c rounded once, for floats and doubles. check() compares both
with fractions."""
import math
from fractions import Fraction

import numpy

from stages import planted

SPLIT = 2.0**27 + 1  # splits a double into two parts of 26 bits
TOP, BOTTOM = 2.0**990, 2.0**-900  # between these no part of a product is lost


def odd(total, error):
    """Rounds total + error to odd: an inexact sum with an even last bit becomes its odd neighbour
    in the direction of the error."""
    bits = total.view(numpy.int64)
    lost = numpy.isfinite(total) & (error != 0) & (bits & 1 == 0)
    away = numpy.signbit(error) == numpy.signbit(total)
    return numpy.where(lost, numpy.where(away, bits + 1, bits - 1), bits).view(numpy.float64)


def two_sum(a, b):
    """Returns the rounded sum and its error."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def two_product(a, b):
    """Returns the rounded product and its error, by splitting both factors."""
    product = a * b
    a_high, b_high = SPLIT * a - (SPLIT * a - a), SPLIT * b - (SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def fused_floats(a, b, c):
    """Computes fmaf. The product a·b is exact in double; the sum is rounded to odd, so that only the
    rounding to float matters."""
    product = numpy.float64(a) * b.astype(numpy.float64)
    return odd(*two_sum(product, c.astype(numpy.float64))).astype(numpy.float32)


def fused_one(a, b, c):
    """Computes fma of three doubles of any kind with fractions."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:  # a sum of zeros keeps their common sign; other sums of 0 are +0
        return a * b + c if a * b == 0 and c == 0 and 0 in (a, b) else 0.0
    try:
        return exact.numerator / exact.denominator  # rounded correctly
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def fused_doubles(a, b, c):
    """Computes fma. The sum of a·b + c and of all errors but the last is rounded to odd (Boldo and
    Melquiond, Emulation of FMA, 2008). Samples near the ends of the range are computed one by
    one."""
    a, b = numpy.broadcast_arrays(numpy.float64(a), b)
    high, low = two_product(a, b)
    high_sum, high_error = two_sum(c, low)
    total, error = two_sum(high, high_sum)
    result = total + odd(*two_sum(high_error, error))
    zero, size = (a == 0) | (b == 0), numpy.abs(high)
    result = numpy.where(zero, high + c, result)  # exact, and with the right sign of 0
    safe = (numpy.abs(a) < TOP) & (numpy.abs(b) < TOP) & (numpy.abs(c) < TOP) & (size < TOP) & (
        (size > BOTTOM) | zero)
    for at in zip(*numpy.nonzero(~safe)):
        result[at] = fused_one(float(a[at]), float(b[at]), float(c[at]))
    return result


def fused(a, b, c):
    """Returns a·b + c for a tap or an array a and arrays b and c, in the type of c."""
    if "fused" in planted:
        return (a * b + c).astype(c.dtype)
    return fused_floats(a, b, c) if c.dtype == numpy.float32 else fused_doubles(a, b, c)


# ---- Check -------------------------------------------------------------------------------------

def triples(rng, kind, count):
    """Returns random factors and addends, including ties, denormals and sums that cancel."""
    bits, low, high = (24, -75, 40) if kind == numpy.float32 else (53, -560, 450)
    parts = [numpy.ldexp(rng.integers(-2**bits, 2**bits, count).astype(float),
                         rng.integers(low, high, count) - bits).astype(kind) for _ in range(3)]
    a, b, c = parts
    near = count // 4
    c[:near] = a[:near] * b[:near] * kind(2.0**bits)
    c[near:2 * near] = -(a[near:2 * near] * b[near:2 * near])
    a[2 * near:3 * near] = numpy.ldexp(1.0, rng.integers(-20, 20, near))  # exact products: ties
    c[2 * near:3 * near] = b[2 * near:3 * near] * kind(2.0)**rng.integers(-bits - 2, bits + 2, near)
    return a, b, c


def is_nearest(got, exact):
    """Returns whether no other number is nearer, and of two at the same distance the even one was
    chosen."""
    bits = got.view(numpy.uint32 if got.dtype == numpy.float32 else numpy.uint64)
    mine = abs(Fraction(float(got)) - exact)
    for side in (-numpy.inf, numpy.inf):
        other = numpy.nextafter(got, got.dtype.type(side))
        if numpy.isfinite(other):
            theirs = abs(Fraction(float(other)) - exact)
            if theirs < mine or (theirs == mine and int(bits) & 1):
                return False
    return True


def check(seed, kind):
    """Compares fused() with fractions for floats or doubles."""
    a, b, c = triples(numpy.random.default_rng(seed), kind, 8000)
    for x, y, z, value in zip(a, b, c, fused(a, b, c)):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        if not (numpy.isfinite(value) and is_nearest(value, exact)):
            print(f"FAILED fused({x!r}, {y!r}, {z!r}) = {value!r}")
            return False
    return True
