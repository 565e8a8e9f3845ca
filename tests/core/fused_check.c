/* Our own fma and fmaf against those of the C library or the CPU, on random bits. */
#include "../../cli/rng.h"
#include "base/fused.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef fma
#undef fmaf
#undef __builtin_fma
#undef __builtin_fmaf

#if defined(_WIN32) /* its C library rounds twice */
__attribute__((target("fma"))) static double exact_double(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}

__attribute__((target("fma"))) static float exact_float(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
#else
#define exact_double fma
#define exact_float  fmaf
#endif

/* Half of the exponents are close to those of the product, so that digits cancel. */
static double draw(struct rng *rng, int kind, double product)
{
    uint64_t bits = rng_next(rng);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (kind == 0 || !isfinite(x))
        return x;
    int exponent = 0;
    frexp(product, &exponent);
    return ldexp(frexp(x, &(int){0}),
                 kind == 1 ? exponent - (int)(bits % 120) + 60 : (int)(bits % 9) - 4);
}

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 2000000, failed = 0;
    struct rng rng = {argc > 2 ? (uint64_t)atol(argv[2]) : 1};
    for (long i = 0; i < count; i++) {
        double x = draw(&rng, (int)(i % 3), 0), y = draw(&rng, (int)(i / 3 % 3), 0);
        double z = i % 7 == 0 ? -(x * y) : draw(&rng, (int)(i / 9 % 3), x * y);
        float fx = (float)x, fy = (float)y, fz = (float)z;
        int good = same(fused_double_plain(x, y, z), exact_double(x, y, z)) &&
                   same(fused_float_plain(fx, fy, fz), exact_float(fx, fy, fz));
        if (!good && failed++ < 5)
            printf("FAILED: %a * %a + %a: %a, must be %a; floats %a, must be %a\n", x, y, z,
                   fused_double_plain(x, y, z), exact_double(x, y, z),
                   (double)fused_float_plain(fx, fy, fz), (double)exact_float(fx, fy, fz));
    }
    printf("%ld of %ld sums are wrong\n", failed, count);
    return failed > 0;
}
