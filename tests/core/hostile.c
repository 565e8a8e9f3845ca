/* Unreasonable options and coordinates: an error or the correct result, quickly. */
#include "shorthand.h"
#include "swathe/unstable.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 96, BYTES = SIDE * SIDE };

static swathe_context *context;
static uint8_t source_bytes[BYTES], expected[BYTES], result[BYTES];
static int passed, failed;

static void verdict(int good, const char *what)
{
    passed += good;
    failed += !good;
    if (!good)
        printf("FAILED: %s: %s\n", what, swathe_error_text());
}

static swathe_image view(uint8_t *data)
{
    swathe_shape shape = {0};
    swathe_image image = SWATHE_INIT(swathe_image);
    shape.width = shape.height = SIDE;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    swathe_image_init(&shape, SWATHE_INTERLEAVED, data, &image);
    return image;
}

static swathe_plan *plan_with(const char *text, const swathe_plan_options *o)
{
    swathe_shape shape = {0};
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    shape.width = shape.height = SIDE;
    shape.channels = 1;
    shape.type = SWATHE_U8;
    if (swathe_chain_parse(context, text, &chain) != SWATHE_OK ||
        swathe_plan_create(context, chain, &shape, o, &plan) != SWATHE_OK)
        verdict(0, text);
    swathe_chain_destroy(chain);
    return plan;
}

static swathe_plan *make_plan(const char *text, int64_t max_memory)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    o.max_memory = max_memory;
    return plan_with(text, &o);
}

static swathe_status run(const swathe_plan *plan, int64_t cell_rows, int64_t span_columns,
                         int32_t threads)
{
    swathe_image from = view(source_bytes), to = view(result);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    o.cell_rows = cell_rows;
    o.span_columns = span_columns;
    o.threads = threads;
    memset(result, 0, BYTES);
    return swathe_run(context, plan, &from, &to, &o);
}

static void options(void)
{
    swathe_plan *plan = make_plan("sharpen,gaussian:5", 0);
    run(plan, 0, 0, 1);
    memcpy(expected, result, BYTES);
    static const int64_t odd[][3] = {
        {INT64_MAX, 0, 1}, {0, INT64_MAX, 1}, {1, 1, 4096}, {INT64_MAX, INT64_MAX, 2}};
    for (int i = 0; i < 4; i++)
        verdict(run(plan, odd[i][0], odd[i][1], (int32_t)odd[i][2]) == SWATHE_OK &&
                    memcmp(result, expected, BYTES) == 0,
                "a run in odd parts");
    verdict(run(plan, -1, 0, 1) == SWATHE_ERROR_ARGUMENT, "a negative number of cell rows");
    verdict(run(plan, 0, 0, -1) == SWATHE_ERROR_ARGUMENT, "negative threads");
    swathe_plan_destroy(plan);
    plan = make_plan("sharpen,gaussian:5", 100);
    verdict(run(plan, 0, 0, 1) == SWATHE_ERROR_LIMIT, "a limit of 100 bytes of memory");
    swathe_plan_destroy(plan);
}

static void places(void)
{
    static const swathe_rect rects[] = {
        {INT64_MAX, 0, 1, 1}, {0, 0, INT64_MAX, 1}, {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
        {-1, 0, 2, 2},        {0, 0, 0, 5},         {INT64_MIN, 0, INT64_MAX, 1},
        {SIDE - 1, 0, 2, 1}};
    swathe_plan *plan = make_plan("gaussian:5", 0);
    swathe_image image = view(source_bytes), tile = SWATHE_INIT(swathe_image);
    for (size_t i = 0; i < sizeof rects / sizeof *rects; i++) {
        swathe_rect need;
        verdict(swathe_plan_input(plan, &rects[i], &need) == SWATHE_ERROR_ARGUMENT,
                "a part outside the result");
        verdict(swathe_image_crop(&image, &rects[i], &tile) == SWATHE_ERROR_ARGUMENT,
                "a part outside the view");
    }
    swathe_plan_destroy(plan);
}

/* Each stage needs rows that are far apart. If they were computed again each time, this test would
 * never end. */
static void dilated(void)
{
    char text[512] = "box:3:dilate=1x7";
    for (int i = 1; i < 16; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",box:3:dilate=1x%d", 5 + i % 4);
    swathe_plan *plan = make_plan(text, 0);
    verdict(run(plan, 0, 0, 1) == SWATHE_OK, "a chain of dilated filters");
    memcpy(expected, result, BYTES);
    verdict(run(plan, 10, 9, 2) == SWATHE_OK && memcmp(result, expected, BYTES) == 0,
            "the same in parts");
    swathe_plan_destroy(plan);
}

/* As many stages as a chain can have, and all that a plan can add to them. */
static void longest(void)
{
    char text[256 * 16] = "identity";
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    o.light = SWATHE_LIGHT_LINEAR;
    o.values = SWATHE_VALUES_FIT;
    o.values_low = 10;
    o.values_high = 200;
    swathe_plan *plan = plan_with(text, &o);
    verdict(run(plan, 0, 0, 1) == SWATHE_OK, "one stage in linear light, fitted");
    memcpy(expected, result, BYTES);
    swathe_plan_destroy(plan);
    for (int i = 1; i < 256; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",identity");
    plan = plan_with(text, &o);
    verdict(swathe_plan_get(plan, &info) == SWATHE_OK && info.stages == 259, "259 stages");
    verdict(run(plan, 0, 0, 1) == SWATHE_OK && memcmp(result, expected, BYTES) == 0,
            "the longest chain in linear light, fitted");
    swathe_plan_destroy(plan);
}

static void masks(void)
{
    static const double taps[] = {1, 2, 1};
    swathe_mask two[2] = {SWATHE_INIT(swathe_mask), SWATHE_INIT(swathe_mask)};
    swathe_chain *chain = NULL;
    swathe_chain_parse(context, "", &chain);
    for (int i = 0; i < 2; i++) {
        two[i].width = 3;
        two[i].height = 1;
        two[i].taps = taps;
    }
    verdict(swathe_chain_append_mask(context, chain, two, 2, NULL) == SWATHE_OK, "two masks");
    two[1].bias = 3;
    verdict(swathe_chain_append_mask(context, chain, two, 2, NULL) == SWATHE_ERROR_UNSUPPORTED,
            "masks that differ in more than their taps");
    two[1].bias = 0;
    two[1].width = INT32_MAX;
    verdict(swathe_chain_append_mask(context, chain, two, 2, NULL) == SWATHE_ERROR_ARGUMENT,
            "a mask that is too large");
    verdict(swathe_chain_stages(chain) == 1, "a refused mask is not in the chain");
    swathe_chain_destroy(chain);
}

static swathe_status silent(void *user, const swathe_image *image)
{
    (void)user;
    (void)image;
    return SWATHE_ERROR_IO;
}

static int32_t unplugged(void *user, int64_t done, int64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    swathe_error_set(SWATHE_ERROR_CANCELLED, "unplugged");
    return 1;
}

/* A failure always has a text, and the callback's own text if it sets one. */
static void callbacks(void)
{
    swathe_plan *plan = make_plan("sharpen", 0);
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_image from = view(source_bytes), to = view(result);
    swathe_run_options o = SWATHE_INIT(swathe_run_options);
    swathe_difference difference = SWATHE_INIT(swathe_difference);
    swathe_error error = SWATHE_INIT(swathe_error);
    swathe_plan_get(plan, &info);
    swathe_source *source = wrapped_source(context, &info.source, 0, silent, NULL);
    swathe_sink *sink = wrapped_sink(context, &info.source, 0, silent, NULL);
    swathe_error_set(SWATHE_OK, "something older");
    verdict(swathe_run_stream(context, plan, source, sink, NULL) == SWATHE_ERROR_IO &&
                strstr(swathe_error_text(), "gave no reason"),
            "a source that fails without a text");
    swathe_error_set(SWATHE_OK, "something older");
    verdict(swathe_compare(context, source, source, &difference) == SWATHE_ERROR_IO &&
                swathe_error_get(&error) == SWATHE_OK && error.status == SWATHE_ERROR_IO,
            "a source to compare that fails without a text");
    o.progress = unplugged;
    verdict(swathe_run(context, plan, &from, &to, &o) == SWATHE_ERROR_CANCELLED &&
                strcmp(swathe_error_text(), "unplugged") == 0,
            "a progress callback's own text");
    o.region.width = -1;
    verdict(swathe_run_stream(context, plan, source, sink, &o) == SWATHE_ERROR_ARGUMENT,
            "a negative region");
    swathe_source_destroy(source);
    swathe_sink_destroy(sink);
    swathe_plan_destroy(plan);
}

/* What lies behind a caller's shorter struct is not its metadata. */
static void short_metadata(void)
{
    swathe_plan *plan = make_plan("sharpen", 0);
    swathe_plan_info of_plan = SWATHE_INIT(swathe_plan_info);
    swathe_source_info info = SWATHE_INIT(swathe_source_info);
    swathe_source_callbacks callbacks = SWATHE_INIT(swathe_source_callbacks);
    swathe_source *source = NULL;
    swathe_metadata given = SWATHE_INIT(swathe_metadata), got = given;
    swathe_shape shape;
    swathe_plan_get(plan, &of_plan);
    info.shape = of_plan.source;
    info.metadata = &given;
    callbacks.read = silent;
    verdict(swathe_source_wrap(context, &info, &callbacks, &source) == SWATHE_OK, "a source");
    given.x_resolution = 7;
    given.geo_x = 5;
    given.struct_size = offsetof(swathe_metadata, geo_x);
    verdict(swathe_plan_output(plan, source, NULL, &shape, &got) == SWATHE_OK &&
                got.x_resolution == 7 && got.geo_x == 0,
            "metadata of an older program");
    given.struct_size = 0;
    verdict(swathe_plan_output(plan, source, NULL, &shape, &got) == SWATHE_ERROR_ARGUMENT,
            "metadata without a size");
    swathe_source_destroy(source);
    swathe_plan_destroy(plan);
}

/* The problem line of a mask with a comment is one line that can be parsed again. */
static void comments(void)
{
    char text[400];
    swathe_plan *plan = make_plan("mask:(1 2 # left } over\n 3 4):normalise", 0), *again = NULL;
    verdict(swathe_plan_text(plan, SWATHE_TEXT_PROBLEM, text, sizeof text, NULL) == SWATHE_OK &&
                !strchr(text, '\n') && swathe_plan_parse(context, text, &again) == SWATHE_OK,
            "a problem line of a mask with a comment");
    swathe_plan_destroy(again);
    swathe_plan_destroy(plan);
}

int main(void)
{
    swathe_context_options o = SWATHE_INIT(swathe_context_options);
    o.threads = 3;
    for (int i = 0; i < BYTES; i++)
        source_bytes[i] = (uint8_t)(i * i >> 3);
    if (swathe_context_create(&o, &context) != SWATHE_OK)
        return 1;
    options();
    places();
    dilated();
    longest();
    masks();
    callbacks();
    short_metadata();
    comments();
    swathe_context_destroy(context);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
