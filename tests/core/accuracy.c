/* Plan options determine which algorithms are allowed, and results keep the error bound that the
 * plan states. */
#include "../../cli/rng.h"
#include "swathe/swathe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 211, HEIGHT = 37, PIXELS = WIDTH * HEIGHT, SIDE = 21 };

static swathe_context *context;
static int passed, failed;

static void verdict(int good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

static swathe_plan *make_plan(const char *text, double accuracy, int exact)
{
    swathe_shape shape = {0};
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 1;
    shape.type = SWATHE_F32;
    o.accuracy = accuracy;
    o.algorithm = "low-rank"; /* use it whenever it is allowed, even if another algorithm is
                               * faster */
    o.exact = exact;
    if (swathe_chain_parse(context, text, &chain) == SWATHE_OK &&
        swathe_plan_create(context, chain, &shape, &o, &plan) != SWATHE_OK)
        plan = NULL;
    swathe_chain_destroy(chain);
    return plan;
}

static void run(const swathe_plan *plan, const float *from, float *to)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_get(plan, &info);
    swathe_image_init(&info.source, SWATHE_INTERLEAVED, (void *)(uintptr_t)from, &source);
    swathe_image_init(&info.result, SWATHE_INTERLEAVED, to, &result);
    verdict(swathe_run(context, plan, &source, &result, NULL) == SWATHE_OK, "run");
}

/* Checks the plan's algorithm, that its bound meets the requested accuracy, and that results are
 * within the bound. */
static void check(const char *what, const char *text, double accuracy, const char *algorithm)
{
    static float from[PIXELS], got[PIXELS], want[PIXELS];
    struct rng rng = {11};
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info), exact_stage = stage;
    swathe_plan *plan = make_plan(text, accuracy, 0), *exact = make_plan(text, 0.0, 1);
    verdict(plan && exact, what);
    if (!plan || !exact)
        return;
    swathe_plan_stage(plan, 0, &stage);
    swathe_plan_stage(exact, 0, &exact_stage);
    verdict((strcmp(stage.algorithm, "low-rank") == 0) == (strcmp(algorithm, "low-rank") == 0),
            what);
    if (accuracy > 0.0) /* the slack is for underflow and the series of (1 + u)^n */
        verdict(stage.error_bound <= 1.001 * accuracy * stage.gain, what);
    for (int i = 0; i < PIXELS; i++)
        from[i] = rng_once_in(&rng, 2) ? 1.0f : -1.0f;
    run(plan, from, got);
    run(exact, from, want);
    double worst = 0.0;
    for (int i = 0; i < PIXELS; i++)
        worst = fmax(worst, fabs((double)got[i] - (double)want[i]));
    verdict(worst <= stage.error_bound + exact_stage.error_bound, what);
    swathe_plan_destroy(plan);
    swathe_plan_destroy(exact);
}

/* The product of a column and a row, plus a small random matrix. */
static const char *rough_mask(double little)
{
    static char text[SIDE * SIDE * 20] = "mask:(";
    struct rng rng = {7};
    double row[SIDE];
    text[strlen("mask:(")] = '\0';
    for (int x = 0; x < SIDE; x++)
        row[x] = 1.5 + rng_unit(&rng);
    for (int y = 0; y < SIDE; y++) {
        double column = 1.5 + rng_unit(&rng);
        for (int x = 0; x < SIDE; x++) {
            size_t end = strlen(text);
            snprintf(text + end, sizeof text - end, "%.9g%s",
                     column * row[x] + little * rng_unit(&rng), x + 1 < SIDE ? " " : "; ");
        }
    }
    snprintf(text + strlen(text) - 2, 2, ")");
    return text;
}

int main(void)
{
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    check("a product", rough_mask(0.0), 0.0, "low-rank");
    check("nearly a product", rough_mask(1e-3), 0.0, "direct");
    check("nearly a product, low accuracy requested", rough_mask(1e-3), 1e-2, "low-rank");
    check("a few terms", "log:sigma=3:dense", 0.0, "low-rank");
    check("more accuracy than a sum over all taps has", "box:33", 100 * 0x1p-24, "low-rank");
    verdict(make_plan("box:33", 20 * 0x1p-24, 0) == NULL, "more accuracy than any algorithm has");
    verdict(make_plan("box:33", 100 * 0x1p-24, 1) == NULL, "more accuracy than exact mode has");
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
