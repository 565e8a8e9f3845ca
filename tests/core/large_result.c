/* A result that is too large for the caches may be written with non-temporal stores: it must equal
 * its parts. */
#include "../../cli/rng.h"
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows start at every offset within a cache line. SWATHE_STREAM asks for these stores from four
 * second-level caches on: of up to 7 MiB the whole result exceeds them, and no part does from
 * 256 KiB on. */
enum { WIDTH = 5003, HEIGHT = 1201, PART = 20 };

static swathe_context *context;

static int run(const char *chain, const swathe_image *source, swathe_image *result)
{
    if (swathe_filter(context, chain, source, result) == SWATHE_OK)
        return 1;
    printf("FAILED: %s: %s\n", chain, swathe_error_text());
    return 0;
}

static int by_parts(const char *chain, const swathe_image *source, const swathe_image *result)
{
    for (int64_t y = 0; y < HEIGHT; y += PART) {
        swathe_rect rect = {0, y, WIDTH, HEIGHT - y < PART ? HEIGHT - y : PART};
        swathe_image part = SWATHE_INIT(swathe_image);
        if (swathe_image_crop(result, &rect, &part) != SWATHE_OK || !run(chain, source, &part))
            return 0;
    }
    return 1;
}

/* Exact bytes: floats are whole numbers, so that all algorithms round their sums alike. */
static void fill(void *to, swathe_type type, int64_t count)
{
    struct rng rng = {1};
    for (int64_t i = 0; i < count; i++)
        if (type == SWATHE_F32)
            ((float *)to)[i] = (float)(rng_next(&rng) % 256);
        else if (type == SWATHE_F64)
            ((double *)to)[i] = (double)(rng_next(&rng) % 256);
        else
            ((uint8_t *)to)[i] = (uint8_t)rng_next(&rng);
}

static int check(const char *chain, swathe_shape *shape, swathe_layout layout)
{
    swathe_image source = SWATHE_INIT(swathe_image), whole = source, parts = source;
    int64_t bytes = 0;
    swathe_shape_bytes(shape, &bytes);
    void *from = malloc((size_t)bytes), *to = malloc((size_t)bytes), *other = malloc((size_t)bytes);
    if (!from || !to || !other)
        exit(1);
    fill(from, shape->type, (int64_t)WIDTH * HEIGHT * shape->channels);
    swathe_image_init(shape, layout, from, &source);
    swathe_image_init(shape, layout, to, &whole);
    swathe_image_init(shape, layout, other, &parts);
    int good = run(chain, &source, &whole) && by_parts(chain, &source, &parts) &&
               memcmp(to, other, (size_t)bytes) == 0;
    if (!good)
        printf("FAILED: '%s' as a whole differs from its parts\n", chain);
    free(from);
    free(to);
    free(other);
    return good;
}

int main(void)
{
    static const char *const chains[] = {
        "sharpen", "edge",   "gaussian:5",      "gaussian:9",
        "box:7",   "box:15", "edge,gaussian:3", "mask:(1 2 3; 4 5 6; 7 8 9):normalise"};
    swathe_shape shape = {0};
    int passed = 0, count = (int)(sizeof chains / sizeof *chains);
    if (swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = 5;
    shape.type = SWATHE_U8;
    for (int i = 0; i < count; i++)
        passed += check(chains[i], &shape, SWATHE_INTERLEAVED);
    shape.alpha = 5;
    passed += check("sharpen,gaussian:9", &shape, SWATHE_PLANAR);
    shape.alpha = 0;
    shape.channels = 2;
    shape.type = SWATHE_F32;
    passed += check("mask:(1 2 3; 4 5 6; 7 8 9)", &shape, SWATHE_INTERLEAVED);
    passed += check("mask:(1 4 6 4 1; 4 16 24 16 4; 6 24 36 24 6; 4 16 24 16 4; 1 4 6 4 1)", &shape,
                    SWATHE_INTERLEAVED);
    passed += check("gaussian:3", &shape, SWATHE_INTERLEAVED);
    passed += check("gaussian:7", &shape, SWATHE_INTERLEAVED);
    shape.channels = 1;
    shape.type = SWATHE_F64;
    passed += check("mask:(1 2 3; 4 5 6; 7 8 9),gaussian:5", &shape, SWATHE_INTERLEAVED);
    printf("%d passed, %d failed\n", passed, count + 6 - passed);
    swathe_context_destroy(context);
    return passed != count + 6;
}
