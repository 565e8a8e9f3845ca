"""Sums of products without rounding errors, for neighbours.py."""
import math
from fractions import Fraction

import numpy


def exact_terms(taps, samples):
    """Returns numbers whose sum is Σ k·p. A double k is an integer M of 53 bits times a power of 2.
    M = a·2^32 + b·2^16 + c, and a has 21 bits, so its product with a sample of up to 32 bits has at
    most 53, and a double holds it; b and c are shorter. Scaling by a power of 2 loses no bits, as
    no term has bits below the last one of its tap."""
    used = taps != 0
    fraction, exponent = numpy.frexp(taps[used])
    whole = numpy.ldexp(fraction, 53).astype(numpy.int64)
    samples = samples[used].astype(numpy.int64)
    parts = ((whole >> 32, 32), ((whole >> 16) & 0xFFFF, 16), (whole & 0xFFFF, 0))
    return [term for part, bits in parts for term in
            numpy.ldexp((part * samples).astype(float), exponent - 53 + bits).tolist()]


def exact_distance(taps, samples, bias, got, limits):
    """Returns |got − clamp(Σ k·p + bias)|. fsum computes the exact sum of its terms and rounds it
    once: here, the distance itself."""
    terms = exact_terms(taps, samples) + [bias]
    value = math.fsum(terms)
    if not limits[0] < value < limits[1]:
        return abs(got - min(max(value, limits[0]), limits[1]))
    return abs(math.fsum(terms + [-got]))


def equals_fractions(taps, samples, bias):
    """Does the same sum in fractions have the same value?"""
    total = Fraction(bias)
    for tap, sample in zip(taps.flat, samples.flat):
        total += Fraction(float(tap)) * int(sample)
    return math.fsum(exact_terms(taps, samples) + [bias]) == float(total)
