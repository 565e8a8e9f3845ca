/* Every allocation fails once, then all allocations from there on fail: each call returns an error
 * and leaks nothing. Then mistakes of callers: each is refused with an error text. */
#include "counting.h"
#include "swathe/swathe.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void verdict(int good, const char *what)
{
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

static swathe_status work(swathe_context *context)
{
    static uint16_t from[40 * 30 * 3], to[40 * 30 * 3];
    swathe_shape shape = {0};
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    shape.width = 40;
    shape.height = 30;
    shape.channels = 3;
    shape.type = SWATHE_U16;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, from, &source);
    swathe_image_init(&shape, SWATHE_PLANAR, to, &result);
    return swathe_filter(context, "mask:(1 2; 3 4):normalise,gaussian:7,box:3,sharpen:type=f32",
                         &source, &result);
}

static swathe_status whole(int32_t cached_plans)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    swathe_context *context = NULL;
    o.threads = 2;
    o.max_memory = 1 << 28;
    o.cached_plans = cached_plans;
    o.allocate = counting_allocate;
    o.release = counting_release;
    counting.calls = 0;
    swathe_status status = swathe_context_create(&o, &context);
    if (status == SWATHE_OK)
        status = work(context);
    swathe_context_destroy(context);
    return status;
}

/* With a cache of plans, a plan that cannot be kept is not a failure. */
static int fail_everywhere(int32_t cached_plans)
{
    int tried = 0;
    for (int all = 0; all < 2; all++)
        for (counting.at = 1;; counting.at++, tried++) {
            counting.forever = all;
            swathe_status status = whole(cached_plans);
            verdict(counting.live == 0, "blocks leaked");
            if (counting.calls < counting.at)
                break; /* no allocations left to fail */
            verdict(status == SWATHE_ERROR_MEMORY || (status == SWATHE_OK && cached_plans >= 0),
                    "an allocation failed but the call succeeded");
        }
    counting.at = 0;
    verdict(whole(cached_plans) == SWATHE_OK, "a clean run");
    return tried;
}

/* Each call must be refused with an error text. */
static int mistakes(void)
{
    static const char *const chains[] = {
        "",
        "sharpn",
        "gaussian:0",
        "gaussian:5000",
        "gaussian:sigma=-1",
        "mask",
        "mask:()",
        "mask:(1 2; 3)",
        "mask:(a)",
        "mask:(1",
        "mask:1)",
        "box:3:3",
        "sharpen,,edge",
        "box:border=x",
        "box:clamp=3",
        "box:type=i",
        "box:bias=x",
        "box:dilate=0",
        "box:anchor=3x3",
        "box:anchor=1",
        "mask:@/nowhere/x",
        "mask:(1 -1):normalise",
        "mask:(1e300)",
        "mask:(1):(1):(1):(1)",
        "box:border=constant(300)",
        "gaussian::5",
        "disk:9999",
        "motion:0",
        "laplacian:5",
        "box:sigma=2",
        "box:bias=1:bias=2",
    };
    static uint8_t from[12], to[12];
    swathe_shape shape = {0};
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_context *context = NULL;
    swathe_context_create(NULL, &context);
    shape.width = shape.height = 2;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, from, &source);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &result);
    int count = sizeof chains / sizeof *chains;
    for (int i = 0; i < count; i++) {
        swathe_error_set(SWATHE_OK, "");
        swathe_status status = swathe_filter(context, chains[i], &source, &result);
        verdict(status != SWATHE_OK && *swathe_error_text(), chains[i]);
        if (status == SWATHE_OK)
            printf("  '%s' was taken\n", chains[i]);
    }
    verdict(swathe_filter(context, "box", &source, &source) == SWATHE_ERROR_ARGUMENT,
            "overlapping views");
    result.pixel_stride = 0;
    verdict(swathe_filter(context, "box", &source, &result) == SWATHE_ERROR_ARGUMENT,
            "overlapping pixels");
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &result);
    result.struct_size = 0;
    verdict(swathe_filter(context, "box", &source, &result) == SWATHE_ERROR_ARGUMENT,
            "a struct without its size");
    swathe_context_destroy(context);
    return count + 3;
}

int main(void)
{
    int tried = fail_everywhere(-1) + fail_everywhere(0) + mistakes();
    printf("%d passed, %d failed\n", tried - failed, failed);
    return failed > 0;
}
