/* A result that is too large for the caches is written past them: it must be what its parts are. */
#include "rng.h"
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows that begin at every place within a line; more than eight second-level caches together. */
enum { WIDTH = 5003, HEIGHT = 2401, CHANNELS = 3, PART = 157, BYTES = WIDTH * HEIGHT * CHANNELS };

static int run(swathe_context *context, const char *chain, const swathe_image *source,
               const swathe_image *result)
{
    if (swathe_apply(context, chain, source, result, NULL) == SWATHE_OK)
        return 1;
    printf("FAILED: %s: %s\n", chain, swathe_error_text());
    return 0;
}

static int by_parts(swathe_context *context, const char *chain, const swathe_image *source,
                    const swathe_image *result)
{
    for (int64_t y = 0; y < HEIGHT; y += PART) {
        swathe_rect rect = {0, y, WIDTH, HEIGHT - y < PART ? HEIGHT - y : PART};
        swathe_image part = SWATHE_INIT(swathe_image);
        if (swathe_image_crop(result, &rect, &part) != SWATHE_OK ||
            !run(context, chain, source, &part))
            return 0;
    }
    return 1;
}

int main(void)
{
    static const char *const chains[] = {"sharpen",         "gaussian:5",
                                         "gaussian:9",      "box:7",
                                         "edge,gaussian:3", "mask:(1 2 3; 4 5 6; 7 8 9):normalise"};
    swathe_shape shape = SWATHE_INIT(swathe_shape);
    swathe_image source = SWATHE_INIT(swathe_image), whole = source, parts = source;
    swathe_context *context = NULL;
    struct rng rng = {1};
    int failed = 0, count = (int)(sizeof chains / sizeof *chains);
    uint8_t *from = malloc(BYTES), *to = malloc(BYTES), *other = malloc(BYTES);
    shape.width = WIDTH, shape.height = HEIGHT, shape.channels = CHANNELS, shape.type = SWATHE_U8;
    if (!from || !to || !other || swathe_context_create(NULL, &context) != SWATHE_OK)
        return 1;
    for (int i = 0; i < BYTES; i++)
        from[i] = (uint8_t)rng_next(&rng);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, from, &source);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, to, &whole);
    swathe_image_init(&shape, SWATHE_INTERLEAVED, other, &parts);
    for (int i = 0; i < count; i++) {
        int good = run(context, chains[i], &source, &whole) &&
                   by_parts(context, chains[i], &source, &parts) && memcmp(to, other, BYTES) == 0;
        failed += !good;
        if (!good)
            printf("FAILED: '%s' as a whole is not what its parts are\n", chains[i]);
    }
    printf("%d passed, %d failed\n", count - failed, failed);
    swathe_context_destroy(context);
    free(from), free(to), free(other);
    return failed > 0;
}
