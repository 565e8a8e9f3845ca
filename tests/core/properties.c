/* What convolution must do whatever the taps: an impulse gives the mask back, sums of images give
 * sums of results, a moved image a moved result. On every algorithm and instruction set. */
#include "../../cli/rng.h"
#include "swathe/swathe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 41, PIXELS = SIDE * SIDE };

static swathe_context *context;
static int passed, failed;

static void verdict(int good, const char *what, const char *chain, const char *isa)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s of '%s' on %s\n", what, chain, isa);
}

/* A float image through a chain, wrapped so that moving it is exact. */
static void run(const char *chain, const char *isa, const float *from, float *to)
{
    swathe_shape shape = SWATHE_INIT(swathe_shape);
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    shape.width = shape.height = SIDE;
    shape.channels = 1;
    shape.type = SWATHE_F32;
    o.border = "wrap";
    o.isa = isa;
    o.exact = 1;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, (void *)(uintptr_t)from, &source);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &result);
    if (swathe_apply(context, chain, &source, &result, &o) != SWATHE_OK) {
        printf("FAILED: %s: %s\n", chain, swathe_error_text());
        exit(1);
    }
}

static void impulse(const char *text, const char *isa)
{
    static float from[PIXELS], to[PIXELS];
    swathe_chain *chain = NULL;
    swathe_mask mask = SWATHE_INIT(swathe_mask);
    memset(from, 0, sizeof from);
    from[20 * SIDE + 20] = 1.0f;
    run(text, isa, from, to);
    swathe_chain_parse(context, text, &chain);
    swathe_chain_mask(chain, 0, 0, &mask);
    int good = 1;
    double sum = 0.0;
    for (int i = 0; i < PIXELS; i++)
        sum += (double)to[i];
    for (int j = 0; j < mask.height; j++)
        for (int i = 0; i < mask.width; i++) {
            /* correlation: tap (i, j) lands where the impulse is under it */
            int x = 20 - (i - mask.anchor_x), y = 20 - (j - mask.anchor_y);
            double k = mask.taps[j * mask.width + i];
            good &= fabs((double)to[y * SIDE + x] - k) <= 1e-6 * (1.0 + fabs(k));
            sum -= k;
        }
    verdict(good && fabs(sum) < 1e-4, "impulse response", text, isa);
    swathe_chain_destroy(chain);
}

static void linearity(const char *text, const char *isa, struct rng *rng)
{
    static float a[PIXELS], b[PIXELS], both[PIXELS], ra[PIXELS], rb[PIXELS], rboth[PIXELS];
    double worst = 0.0;
    for (int i = 0; i < PIXELS; i++) {
        /* halves of whole numbers: their sums are exact */
        a[i] = (float)rng_between(rng, -64, 64) / 2.0f;
        b[i] = (float)rng_between(rng, -64, 64) / 2.0f;
        both[i] = a[i] + 2.0f * b[i];
    }
    run(text, isa, a, ra);
    run(text, isa, b, rb);
    run(text, isa, both, rboth);
    for (int i = 0; i < PIXELS; i++)
        worst = fmax(worst, fabs((double)ra[i] + 2.0 * (double)rb[i] - (double)rboth[i]));
    verdict(worst < 0.01, "linearity", text, isa);
}

static void shift(const char *text, const char *isa, struct rng *rng)
{
    static float a[PIXELS], moved[PIXELS], ra[PIXELS], rmoved[PIXELS];
    int good = 1;
    for (int i = 0; i < PIXELS; i++)
        a[i] = (float)rng_unit(rng);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            moved[(y + 5) % SIDE * SIDE + (x + 9) % SIDE] = a[y * SIDE + x];
    run(text, isa, a, ra);
    run(text, isa, moved, rmoved);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            good &= rmoved[(y + 5) % SIDE * SIDE + (x + 9) % SIDE] == ra[y * SIDE + x];
    verdict(good, "shift", text, isa);
}

int main(void)
{
    struct rng rng = {3};
    swathe_row filter = SWATHE_INIT(swathe_row), isa = SWATHE_INIT(swathe_row);
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int f = 0; swathe_table_row(SWATHE_TABLE_FILTERS, f, &filter) == SWATHE_OK; f++)
        for (int i = 0; swathe_table_row(SWATHE_TABLE_ISAS, i, &isa) == SWATHE_OK; i++) {
            char text[200]; /* the table's own example, as floats */
            snprintf(text, sizeof text, "%s", filter.example);
            if (strstr(text, ":bias="))
                *strstr(text, ":bias=") = '\0';
            if (!isa.available)
                continue;
            impulse(text, isa.name);
            linearity(text, isa.name, &rng);
            shift(text, isa.name, &rng);
        }
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
