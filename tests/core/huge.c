/* A million by a million pixels, 32 filters: parts of the result, streamed and as tiles, are
 * equal. */
#include "shorthand.h"
#include "swathe/swathe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 1000000, WIDTH = 310, HEIGHT = 190 };

static int failed;

static void verdict(int good, const char *what)
{
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

static uint8_t pixel(int64_t x, int64_t y)
{
    uint64_t mix = (uint64_t)x * 0x9e3779b97f4a7c15u + (uint64_t)y * 0xc2b2ae3d27d4eb4fu;
    return (uint8_t)(mix >> 40);
}

static swathe_status read_pixels(void *user, const swathe_image *into)
{
    (void)user;
    for (int64_t y = 0; y < into->height; y++)
        for (int64_t x = 0; x < into->width; x++)
            *((uint8_t *)into->data + y * into->row_stride + x * into->pixel_stride) =
                pixel(into->x + x, into->y + y);
    return SWATHE_OK;
}

static uint8_t streamed[WIDTH * HEIGHT];

static swathe_status take(void *user, const swathe_image *from)
{
    (void)user;
    for (int64_t y = 0; y < from->height; y++)
        memcpy(streamed + (from->y + y) * WIDTH + from->x,
               (uint8_t *)from->data + y * from->row_stride, (size_t)from->width);
    return SWATHE_OK;
}

static swathe_image part_view(swathe_rect rect, uint8_t *data)
{
    swathe_image view = SWATHE_INIT(swathe_image);
    view.data = data;
    view.x = rect.x;
    view.y = rect.y;
    view.width = view.row_stride = rect.width;
    view.height = rect.height;
    view.full_width = view.full_height = SIDE;
    view.pixel_stride = view.channel_stride = view.channels = 1;
    view.type = SWATHE_U8;
    return view;
}

/* The part as a tile, from only the source pixels that it needs. */
static void as_tile(swathe_context *context, const swathe_plan *plan, swathe_rect rect,
                    uint8_t *result)
{
    swathe_rect need;
    if (swathe_plan_input(plan, &rect, &need) != SWATHE_OK) {
        verdict(0, "input");
        return;
    }
    uint8_t *source = malloc((size_t)(need.width * need.height));
    swathe_image from = part_view(need, source), to = part_view(rect, result);
    read_pixels(NULL, &from);
    verdict(swathe_run(context, plan, &from, &to, NULL) == SWATHE_OK, "a tile");
    free(source);
}

static void as_stream(swathe_context *context, const swathe_plan *plan, swathe_rect rect)
{
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_plan_get(plan, &info);
    info.result.width = rect.width;
    info.result.height = rect.height;
    swathe_source *source = wrapped_source(context, &info.source, 0, read_pixels, NULL);
    swathe_sink *sink = wrapped_sink(context, &info.result, 0, take, NULL);
    o.region = rect;
    verdict(swathe_run_stream(context, plan, source, sink, &o) == SWATHE_OK, "a stream");
    swathe_source_destroy(source);
    swathe_sink_destroy(sink);
}

int main(void)
{
    static uint8_t whole[WIDTH * HEIGHT], half[WIDTH * HEIGHT];
    swathe_shape shape = {0};
    swathe_context *context = NULL;
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    char text[1024] = "sharpen";
    static const char *const four[] = {",gaussian:5", ",box:3", ",unsharp", ",motion:4"};
    for (int i = 1; i < 32; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", four[i % 4]);
    shape.width = shape.height = SIDE;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    if (swathe_context_create(NULL, &context) != SWATHE_OK ||
        swathe_chain_parse(context, text, &chain) != SWATHE_OK ||
        swathe_plan_create(context, chain, &shape, NULL, &plan) != SWATHE_OK)
        return printf("FAILED: %s\n", swathe_error_text()), 1;
    /* The corners, an edge, and the middle. */
    static const int64_t places[][2] = {
        {0, 0}, {SIDE - WIDTH, SIDE - HEIGHT}, {SIDE - WIDTH, 0}, {0, 500000}, {500000, 500000}};
    for (int i = 0; i < 5; i++) {
        swathe_rect rect = {places[i][0], places[i][1], WIDTH, HEIGHT};
        swathe_rect top = {rect.x, rect.y, WIDTH, 61},
                    rest = {rect.x, rect.y + 61, WIDTH, HEIGHT - 61};
        as_tile(context, plan, rect, whole);
        as_tile(context, plan, top, half);
        as_tile(context, plan, rest, half + 61 * WIDTH);
        as_stream(context, plan, rect);
        verdict(memcmp(whole, half, sizeof whole) == 0, "a tile equals its two halves");
        verdict(memcmp(whole, streamed, sizeof whole) == 0, "the stream equals the tile");
    }
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", 10 - failed, failed);
    return failed > 0;
}
