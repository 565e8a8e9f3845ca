/* Exact means of 32-bit samples whose sums come close to 2^49, the limit of docs/numerics.md,
 * compared with sums in integers; larger means are refused. */
#include "../../cli/rng.h"
#include "image/sample.h"
#include "shorthand.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 7, HEIGHT = 5, PIXELS = WIDTH * HEIGHT };

static swathe_context *context;
static int passed, failed;

static void verdict(int good, const char *what, swathe_type type)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s of %s: %s\n", what, sample_entry(type)->name, swathe_error_text());
}

static swathe_status apply(const char *chain, swathe_type type, const char *isa, void *from,
                           void *to)
{
    swathe_shape shape = {.width = WIDTH, .height = HEIGHT, .channels = 1, .type = type};
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    o.border = SWATHE_BORDER_WRAP;
    o.isa = isa;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, from, &source);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &result);
    return filter_with(context, chain, &source, &result, &o);
}

/* Samples at both ends of the range and between, most of them of the largest magnitude. */
static void fill(swathe_type type, int64_t *values, uint32_t *samples, struct rng *rng)
{
    const struct sample_entry *entry = sample_entry(type);
    int64_t low = (int64_t)entry->lowest, high = (int64_t)entry->highest;
    int64_t far = low < 0 ? low : high;
    for (int i = 0; i < PIXELS; i++) {
        values[i] = rng_once_in(rng, 3) ? rng_between(rng, low, high) : far;
        samples[i] = (uint32_t)values[i]; /* the bits of both types */
    }
}

/* S of the contract: the border repeats the image. */
static int64_t sum_at(const int64_t *values, int x, int y, int width, int height)
{
    int64_t sum = 0;
    for (int j = 0; j < height; j++)
        for (int i = 0; i < width; i++) {
            int at_x = (x + i - width / 2 + WIDTH * width) % WIDTH;
            int at_y = (y + j - height / 2 + HEIGHT * height) % HEIGHT;
            sum += values[at_y * WIDTH + at_x];
        }
    return sum;
}

static int64_t floor_quotient(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static void check_size(swathe_type type, const char *isa, int width, int height, struct rng *rng)
{
    int64_t values[PIXELS], n = (int64_t)width * height;
    uint32_t samples[PIXELS], means[PIXELS];
    char chain[60];
    snprintf(chain, sizeof chain, "box:%dx%d", width, height);
    fill(type, values, samples, rng);
    verdict(apply(chain, type, isa, samples, means) == SWATHE_OK, chain, type);
    int good = 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int64_t twice = 2 * sum_at(values, x, y, width, height) + n;
            good &= means[y * WIDTH + x] == (uint32_t)floor_quotient(twice, 2 * n);
        }
    verdict(good, chain, type);
}

/* The mean of a flat image, with the least bias that rounds up and the largest that does not. */
static void check_step(const char *isa, int width, int height, struct rng *rng)
{
    uint32_t samples[PIXELS], means[PIXELS];
    int64_t n = (int64_t)width * height;
    for (int below = 0; below < 2; below++) {
        uint32_t value = (uint32_t)rng_between(rng, 0x80000000, 0xfffffff0);
        char chain[90];
        snprintf(chain, sizeof chain, "box:%dx%d:bias=%.17g", width, height,
                 (double)((n + 1) / 2 - below) / (double)n);
        for (int i = 0; i < PIXELS; i++)
            samples[i] = value;
        verdict(apply(chain, SWATHE_U32, isa, samples, means) == SWATHE_OK &&
                    means[0] == value + 1 - (uint32_t)below,
                chain, SWATHE_U32);
    }
}

static void check_refused(swathe_type type, const char *chain)
{
    uint32_t samples[PIXELS] = {0}, means[PIXELS];
    verdict(apply(chain, type, NULL, samples, means) == SWATHE_ERROR_ARGUMENT &&
                strstr(swathe_error_text(), "2^49"),
            chain, type);
}

int main(void)
{
    struct rng rng = {17};
    swathe_table_entry isa = SWATHE_INIT(swathe_table_entry);
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int i = 0; swathe_table_get(SWATHE_TABLE_ISAS, i, &isa) == SWATHE_OK; i++) {
        if (!isa.available)
            continue;
        check_size(SWATHE_U32, isa.name, 512, 256, &rng); /* 2^49 − 2^17 */
        check_size(SWATHE_U32, isa.name, 361, 363, &rng); /* divided by 131043 */
        check_size(SWATHE_S32, isa.name, 65, 4032, &rng); /* a tall mask */
        for (int k = 300; k < 360; k++)
            check_step(isa.name, k, k % 4 < 2 ? 362 : 361, &rng);
        check_size(SWATHE_S32, isa.name, 511, 513, &rng); /* 2^49 − 2^31 */
    }
    check_refused(SWATHE_U32, "box:363x362");
    check_refused(SWATHE_S32, "box:512");
    check_refused(SWATHE_U32, "box:257:bias=4294967296");
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
