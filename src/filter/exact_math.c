#include "filter/exact_math.h"

#include <math.h>

/* Uses only + − × ÷, floor, fma and ldexp, whose results IEEE 754 defines exactly. */

double exact_exp(double x)
{
    if (x < -745.0)
        return 0.0;
    if (x > 709.0)
        return INFINITY;
    /* x = n·ln2 + r with |r| <= ln2/2. ln2 is split in two parts, so that r keeps its low bits. */
    const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
    double n = floor(x / 0x1.62e42fefa39efp-1 + 0.5);
    double r = fma(-n, ln2_low, fma(-n, ln2_high, x));
    /* Taylor to r^13/13!: |r|^14/14! < 2^-56 */
    double sum = 1.0;
    for (int i = 13; i >= 1; i--)
        sum = fma(sum, r / i, 1.0);
    return ldexp(sum, (int)n);
}

/* sin of r radians by its Taylor series, |r| <= pi/4 */
static double small_sin(double r)
{
    double square = r * r, sum = 1.0;
    for (int i = 19; i >= 3; i -= 2)
        sum = fma(sum, -square / ((double)i * (i - 1)), 1.0);
    return r * sum;
}

static double small_cos(double r)
{
    double square = r * r, sum = 1.0;
    for (int i = 20; i >= 2; i -= 2)
        sum = fma(sum, -square / ((double)i * (i - 1)), 1.0);
    return sum;
}

/* sin(degrees + 90·quarter): removes quarter turns, so that the rest is within ±45 degrees. */
static double turned_sin(double degrees, int quarter)
{
    degrees -= 360.0 * floor(degrees / 360.0);
    int turns = (int)floor(degrees / 90.0 + 0.5);
    double r = (degrees - 90.0 * turns) * 0x1.1df46a2529d39p-6; /* pi / 180 */
    switch ((turns + quarter) & 3) {
    case 0:
        return small_sin(r);
    case 1:
        return small_cos(r);
    case 2:
        return -small_sin(r);
    default:
        return -small_cos(r);
    }
}

double exact_sin(double degrees)
{
    return turned_sin(degrees, 0);
}

double exact_cos(double degrees)
{
    return turned_sin(degrees, 1);
}
