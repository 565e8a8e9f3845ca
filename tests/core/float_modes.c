/* Results do not depend on the caller's rounding and flushing flags, and the flags are restored. */
#include "image/sample.h"
#include "shorthand.h"

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { SIDE = 64, PIXELS = SIDE * SIDE };

static int failed;

static void verdict(int good, const char *what)
{
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

static void run(swathe_context *context, const char *algorithm, swathe_type type,
                const double *from, double *to)
{
    swathe_shape shape = {0};
    swathe_image source = SWATHE_INIT(swathe_image), result = source;
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    shape.width = shape.height = SIDE;
    shape.channels = 1;
    shape.type = type;
    o.exact = 1;
    o.algorithm = algorithm;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, (void *)(uintptr_t)from, &source);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &result);
    verdict(filter_with(context, "gaussian:sigma=1.3,log,disk:2.5", &source, &result, &o) ==
                SWATHE_OK,
            "run");
}

static void set_hostile(void)
{
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush results and operands to zero */
#endif
}

/* Samples from ordinary numbers down to denormals. */
static void fill(swathe_type type, double *samples)
{
    int least = type == SWATHE_F32 ? 148 : 1073;
    for (int i = 0; i < PIXELS; i++)
        sample_store((char *)samples + (ptrdiff_t)i * sample_size(type), type,
                     ldexp((double)((i * 37 % 101) - 50), -(i % least)));
}

static void check(swathe_context *context, swathe_type type)
{
    static double from[PIXELS], usual[PIXELS], hostile[PIXELS], reference[PIXELS];
    fill(type, from);
    run(context, NULL, type, from, usual);
    set_hostile();
    run(context, NULL, type, from, hostile);
    run(context, "reference", type, from, reference);
    verdict(fegetround() == FE_UPWARD, "the rounding mode was not restored");
#if defined(__x86_64__)
    verdict((_mm_getcsr() & 0x8040) == 0x8040, "the flush flags were not restored");
    _mm_setcsr(0x1f80);
#endif
    fesetround(FE_TONEAREST);
    verdict(memcmp(usual, hostile, sizeof usual) == 0, "results depend on the caller's flags");
    verdict(memcmp(usual, reference, sizeof usual) == 0,
            "the reference depends on the caller's flags");
}

int main(void)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    o.threads = 2;
    if (swathe_context_create(&o, &context) != SWATHE_OK)
        return 1;
    check(context, SWATHE_F32);
    check(context, SWATHE_F64);
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", failed ? 0 : 1, failed);
    return failed > 0;
}
