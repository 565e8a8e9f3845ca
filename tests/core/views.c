/* Views of callers: strides that must be refused, and unusual ones that are valid. */
#include "base/memory.h"
#include "swathe/swathe.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 40, HEIGHT = 30, CHANNELS = 3, ROOM = 4 * WIDTH * HEIGHT * CHANNELS };

static swathe_context *context;
static uint8_t from[ROOM], to[ROOM], expected[ROOM];
static int passed, failed;

static void verdict(int good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

static swathe_image dense(uint8_t *data, int channels)
{
    swathe_shape shape = {0};
    swathe_image image = SWATHE_INIT(swathe_image);
    shape.width = WIDTH;
    shape.height = HEIGHT;
    shape.channels = channels;
    shape.type = SWATHE_U8;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, data, &image);
    return image;
}

static swathe_status apply(const swathe_image *source, swathe_image *result)
{
    return swathe_filter(context, "sharpen", source, result);
}

static void refuse(int64_t row, int64_t pixel, int64_t channel, swathe_status status,
                   const char *what)
{
    swathe_image source = dense(from, CHANNELS), result = dense(to, CHANNELS);
    result.row_stride = row;
    result.pixel_stride = pixel;
    result.channel_stride = channel;
    memset(to, 7, sizeof to);
    verdict(apply(&source, &result) == status, what);
    for (int i = 0; i < ROOM; i++)
        if (to[i] != 7) {
            verdict(0, "a refused call wrote to the result");
            break;
        }
}

static void shared_samples(void)
{
    const swathe_status wrong = SWATHE_ERROR_ARGUMENT;
    refuse(0, 3, 1, wrong, "overlapping rows");
    refuse(120, 0, 1, wrong, "overlapping pixels");
    refuse(120, 3, 0, wrong, "overlapping channels");
    refuse(119, 3, 1, wrong, "rows that overlap the row before");
    refuse(-119, 3, 1, wrong, "the same with negative strides");
    refuse(120, 2, 1, wrong, "pixels narrower than their channels");
    refuse(120, 1, 39, wrong, "planes that overlap the plane before");
    refuse(40, 1, 40 * 29, wrong, "planes with one row too few");
    refuse(INT64_MIN, 3, 1, SWATHE_ERROR_LIMIT, "the smallest stride");
    refuse(INT64_MAX, 3, 1, SWATHE_ERROR_LIMIT, "the largest stride");
    refuse(120, INT64_MAX / 39, 1, SWATHE_ERROR_LIMIT, "an end past the address space");
    refuse(INT64_MIN / 29, 3, 1, SWATHE_ERROR_LIMIT, "a start before the address space");
}

/* Each must give the same pixels as a run on dense images. */
static void odd_layouts(void)
{
    static const struct {
        int64_t first, row, pixel, channel;
        const char *name;
    } all[] = {{0, 200, 3, 1, "padded rows"},
               {120 * 29, -120, 3, 1, "upwards"},
               {117, 120, -3, 1, "mirrored"},
               {2, 120, 3, -1, "channels backwards"},
               {0, 120, 1, 40, "planes interleaved by rows"},
               {0, 40, 1, 1200, "planes"},
               {0, 3, 90, 1, "columns first"}};
    swathe_image source = dense(from, CHANNELS), result = dense(expected, CHANNELS);
    verdict(apply(&source, &result) == SWATHE_OK, "dense");
    for (size_t n = 0; n < sizeof all / sizeof *all; n++) {
        result = dense(to + all[n].first, CHANNELS);
        result.row_stride = all[n].row;
        result.pixel_stride = all[n].pixel;
        result.channel_stride = all[n].channel;
        int good = apply(&source, &result) == SWATHE_OK;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                for (int c = 0; c < CHANNELS; c++)
                    good &=
                        to[all[n].first + y * all[n].row + x * all[n].pixel + c * all[n].channel] ==
                        expected[(y * WIDTH + x) * CHANNELS + c];
        verdict(good, all[n].name);
    }
    source.row_stride = source.pixel_stride = 0;
    verdict(apply(&source, &result) == SWATHE_OK, "a source of one pixel, repeated");
}

static void overlaps(void)
{
    swathe_image source = dense(to, 1), result = dense(to, 1);
    verdict(apply(&source, &result) == SWATHE_ERROR_ARGUMENT, "the same memory");
    result.data = to + WIDTH;
    verdict(apply(&source, &result) == SWATHE_ERROR_ARGUMENT, "a row further");
    result.data = to + WIDTH * HEIGHT - 1;
    verdict(apply(&source, &result) == SWATHE_ERROR_ARGUMENT, "one shared sample");
    result.data = to + WIDTH * HEIGHT;
    verdict(apply(&source, &result) == SWATHE_OK, "adjacent memory");
    result.data = to + WIDTH;
    source.row_stride = result.row_stride = 2 * WIDTH;
    verdict(apply(&source, &result) == SWATHE_OK, "halves of the same rows");
    result.data = to + WIDTH - 1;
    verdict(apply(&source, &result) == SWATHE_ERROR_ARGUMENT, "halves with a common column");
    source.row_stride = result.row_stride = 2 * WIDTH;
    source.pixel_stride = result.pixel_stride = 2;
    result.data = to + 1;
    verdict(apply(&source, &result) == SWATHE_OK, "different channels of the same pixels");
    result.data = to + 2;
    verdict(apply(&source, &result) == SWATHE_ERROR_ARGUMENT, "the same channel");
}

/* The result is one row, so that only the source has a row stride. */
static void one_row_between(void)
{
    swathe_image source = dense(to, 1), result = dense(to + 3 * WIDTH, 1);
    source.height = source.full_height = 3;
    result.width = result.full_width = WIDTH - 2;
    result.height = result.full_height = 1;
    source.row_stride = 2 * WIDTH;
    verdict(swathe_filter(context, "sharpen:border=valid", &source, &result) == SWATHE_OK,
            "half of a row between rows");
    result.data = to + 3 * WIDTH - 1;
    verdict(swathe_filter(context, "sharpen:border=valid", &source, &result) ==
                SWATHE_ERROR_ARGUMENT,
            "half of a row with a common column");
}

/* The address is only used in arithmetic; it is refused because of its position. */
static void high_addresses(void)
{
    swathe_image source = dense(from, 1), result = dense(to, 1);
    source.data = (void *)(UINTPTR_MAX / 2 + 4096);
    source.x = -1;
    verdict(apply(&source, &result) == SWATHE_ERROR_ARGUMENT &&
                strstr(swathe_error_text(), "x and y"),
            "an address with its top bit set");
    source.x = 0;
    source.data = (void *)(UINTPTR_MAX - 100);
    verdict(apply(&source, &result) == SWATHE_ERROR_LIMIT, "past the last address");
    source.data = from;
    source.row_stride = INT64_MIN / 64;
    verdict(apply(&source, &result) == SWATHE_ERROR_LIMIT, "before the first address");
}

/* Planes are filtered in place, also with the caller's scratch: a run that interleaved them would
 * write all rows there. */
static void planes_with_scratch(void)
{
    enum { WIDE = 4096, HIGH = 64, BYTES = 3 * WIDE * HIGH };
    uint8_t *memory = malloc(2 * BYTES);
    swathe_shape shape = {0};
    swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    shape.width = WIDE;
    shape.height = HIGH;
    shape.channels = 3;
    shape.type = SWATHE_U8;
    memset(memory, 9, 2 * BYTES);
    swathe_image_init(&shape, SWATHE_PLANAR, memory, &source);
    swathe_image_init(&shape, SWATHE_PLANAR, memory + BYTES, &result);
    swathe_chain_parse(context, "sharpen", &chain);
    swathe_plan_create(context, chain, &shape, NULL, &plan);
    swathe_plan_get(plan, &info);
    o.threads = 1;
    o.scratch_bytes = info.scratch_bytes;
    o.scratch = memory_default.allocate(NULL, (size_t)info.scratch_bytes, 64);
    memset(o.scratch, 0xA5, (size_t)o.scratch_bytes);
    verdict(swathe_run(context, plan, &source, &result, &o) == SWATHE_OK,
            "planes, the caller's scratch");
    int64_t used = 0;
    for (int64_t i = 0; i < o.scratch_bytes; i++)
        used += ((uint8_t *)o.scratch)[i] != 0xA5;
    if (used >= 3 * WIDE)
        printf("%lld bytes of scratch were written\n", (long long)used);
    verdict(used < 3 * WIDE, "planes are not interleaved");
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    memory_default.release(NULL, o.scratch);
    free(memory);
}

/* Samples of every type must be aligned to their size, and types that do not exist are refused. */
static void aligned_samples(void)
{
    static double memory[2][64];
    swathe_table_entry entry = SWATHE_INIT(swathe_table_entry);
    swathe_shape shape = {.width = 3, .height = 2, .channels = 1};
    int count = 0;
    for (; swathe_table_get(SWATHE_TABLE_TYPES, count, &entry) == SWATHE_OK; count++) {
        swathe_image source = SWATHE_INIT(swathe_image), result = SWATHE_INIT(swathe_image);
        shape.type = count + 1;
        int64_t bytes = 0;
        verdict(swathe_shape_bytes(&shape, &bytes) == SWATHE_OK, entry.name);
        int64_t size = bytes / 6;
        swathe_image_init(&shape, SWATHE_INTERLEAVED, memory[0], &source);
        swathe_image_init(&shape, SWATHE_INTERLEAVED, (char *)memory[1] + size, &result);
        verdict(apply(&source, &result) == SWATHE_OK, entry.name);
        result.data = (char *)memory[1] + size / 2;
        verdict((apply(&source, &result) == SWATHE_OK) == (size == 1), entry.name);
        result.data = memory[1];
        result.row_stride += size / 2;
        verdict((apply(&source, &result) == SWATHE_OK) == (size == 1), entry.name);
    }
    shape.type = count + 1;
    int64_t bytes;
    verdict(swathe_shape_bytes(&shape, &bytes) == SWATHE_ERROR_ARGUMENT, "an unknown type");
}

int main(void)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    o.threads = 2;
    for (int i = 0; i < ROOM; i++)
        from[i] = (uint8_t)(i * i >> 3);
    if (swathe_context_create(&o, &context) != SWATHE_OK)
        return 1;
    shared_samples();
    odd_layouts();
    overlaps();
    one_row_between();
    high_addresses();
    planes_with_scratch();
    aligned_samples();
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
