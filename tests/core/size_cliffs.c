/* The predicted time of a filter changes smoothly with the size of the image: from one size to the
 * next, it grows by at most 1.5 times as much as the area does, and a larger image takes at least
 * two thirds of the time of a smaller one. Large masks had plans that took a hundred times as long
 * at some widths. */
#include "swathe/swathe.h"

#include <stdio.h>
#include <string.h>

static const char *const chains[] = {"sharpen",
                                     "box:9",
                                     "gaussian:9",
                                     "gaussian:63",
                                     "gaussian:301",
                                     "unsharp:sigma=2",
                                     "unsharp:sigma=45",
                                     "dog:sigma=40",
                                     "log:sigma=6",
                                     "disk:20",
                                     "unsharp:sigma=8:dense",
                                     "gabor:sigma=6",
                                     "motion:61:angle=30",
                                     "gaussian:61:dense"};
static const char *const large[] = {"disk:200", "gabor:sigma=30"};
static const swathe_type types[] = {SWATHE_U8,  SWATHE_U16, SWATHE_S16, SWATHE_U32,
                                    SWATHE_S32, SWATHE_F32, SWATHE_F64};
static const int64_t sizes[] = {1,    2,    3,    5,     8,     13,    20,   33,   50,   77,
                                100,  128,  200,  256,   300,   400,   512,  640,  800,  1000,
                                1200, 1500, 2000, 2500,  2600,  2800,  3000, 3200, 4000, 5000,
                                5500, 6000, 8000, 10000, 12000, 16000, 20000};
static const int64_t large_sizes[] = {2500, 3000, 4000, 6000};

static swathe_context *context;
static int passed, failed;

/* What is 1000 pixels wide or high while the other side varies. */
enum axis { WIDTH, HEIGHT, BOTH, AXES };

static double predict(const char *text, swathe_type type, int64_t width, int64_t height)
{
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    swathe_plan_options options = SWATHE_INIT(swathe_plan_options);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_shape shape = {0};
    shape.width = width;
    shape.height = height;
    shape.channels = 3;
    shape.type = type;
    if (swathe_chain_parse(context, text, &chain) == SWATHE_OK &&
        swathe_plan_create(context, chain, &shape, &options, &plan) == SWATHE_OK)
        swathe_plan_get(plan, &info);
    else
        printf("FAILED: %s: %s\n", text, swathe_error_text());
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    return info.seconds;
}

static void sweep(const char *text, swathe_type type, enum axis axis, const int64_t *list,
                  size_t count)
{
    const double most = 1.5;
    double before = 0.0, area_before = 0.0;
    for (size_t i = 0; i < count; i++) {
        int64_t width = axis == HEIGHT ? 1000 : list[i], height = axis == WIDTH ? 1000 : list[i];
        double now = predict(text, type, width, height), area = (double)width * (double)height;
        int good = now > 0.0 &&
                   (i == 0 || (now <= most * before * area / area_before && before <= most * now));
        if (!good)
            printf("FAILED: %s, type %d: %lld x %lld takes %g s, the size before %g s\n", text,
                   (int)type, (long long)width, (long long)height, now, before);
        passed += good;
        failed += !good;
        before = now;
        area_before = area;
    }
}

int main(void)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    o.wisdom = "off";
    if (swathe_context_create(&o, &context) != SWATHE_OK)
        return 1;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t c = 0; c < sizeof chains / sizeof *chains; c++)
            for (int axis = 0; axis < AXES; axis++)
                sweep(chains[c], types[t], (enum axis)axis, sizes, sizeof sizes / sizeof *sizes);
        for (size_t c = 0; c < sizeof large / sizeof *large && t < 3; c++)
            sweep(large[c], types[t], BOTH, large_sizes, sizeof large_sizes / sizeof *large_sizes);
    }
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
