#include "bench/verify.h"

#include "bench/workload.h"
#include "rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_PIXELS (16 << 20)
#define STRIPS_WORK  6e8 /* multiply-adds at the borders; above it windows there */
enum { WINDOWS = 10000, EDGE_WINDOWS = 2000, STRIPS = 4 };

/* ---- Where ----------------------------------------------------------------------------------- */

static void add_window(struct expected *expected, int64_t x, int64_t y)
{
    expected->places[expected->place_count++] = (swathe_rect){x, y, 1, 1};
}

static void add_strips(struct expected *expected, int64_t width, int64_t height, int64_t reach)
{
    swathe_rect strips[STRIPS] = {{0, 0, width, reach},
                                  {0, height - reach, width, reach},
                                  {0, reach, reach, height - 2 * reach},
                                  {width - reach, reach, reach, height - 2 * reach}};
    for (int i = 0; i < STRIPS; i++)
        expected->places[expected->place_count++] = strips[i];
}

/* Pixels whose masks lie across an edge, the corners first. */
static void add_edge_windows(struct expected *expected, int64_t width, int64_t height,
                             int64_t reach, struct rng *rng)
{
    for (int i = 0; i < 4; i++)
        add_window(expected, i % 2 ? width - 1 : 0, i / 2 ? height - 1 : 0);
    for (int i = 4; i < EDGE_WINDOWS; i++) {
        int64_t x = rng_between(rng, 0, width - 1), y = rng_between(rng, 0, height - 1);
        int64_t depth = rng_between(rng, 0, reach - 1);
        if (i % 2)
            add_window(expected, x, i / 2 % 2 ? depth : height - 1 - depth);
        else
            add_window(expected, i / 2 % 2 ? depth : width - 1 - depth, y);
    }
}

static swathe_status choose_places(const struct problem *problem, int64_t reach, double taps,
                                   uint64_t seed, struct expected *expected)
{
    struct rng rng = {seed};
    int64_t width = problem->width, height = problem->height;
    double edge = 2.0 * (double)(width + height) * (double)reach * problem->channels * taps;
    bool strips = edge <= STRIPS_WORK && width > 2 * reach && height > 2 * reach;
    expected->places = malloc((WINDOWS + EDGE_WINDOWS + STRIPS) * sizeof *expected->places);
    if (!expected->places)
        return swathe_error_set(SWATHE_ERROR_MEMORY, "no memory for what to verify");
    if (strips)
        add_strips(expected, width, height, reach);
    else
        add_edge_windows(expected, width, height, reach, &rng);
    for (int i = 0; i < WINDOWS; i++)
        add_window(expected, rng_between(&rng, 0, width - 1), rng_between(&rng, 0, height - 1));
    expected->how = strips ? "all borders and 10000 windows" : "12000 windows, 2000 at the borders";
    return SWATHE_OK;
}

/* ---- The definition ----------------------------------------------------------------------------
 */

static swathe_status run_place(swathe_context *context, const swathe_plan *plan,
                               const swathe_image *source, const swathe_rect *place,
                               const swathe_image *image)
{
    swathe_image part = SWATHE_INIT(swathe_image);
    swathe_status status = swathe_image_crop(image, place, &part);
    return status == SWATHE_OK ? swathe_run(context, plan, source, &part, NULL) : status;
}

static swathe_status run_definition(swathe_context *context, const swathe_plan *plan,
                                    const struct problem *problem, const swathe_image *source,
                                    double work, uint64_t seed, struct expected *expected)
{
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    swathe_rect one = {problem->width / 2, problem->height / 2, 1, 1}, around;
    swathe_status status = swathe_plan_get(plan, &info);
    double samples = (double)problem->width * (double)problem->height * problem->channels;
    if (status == SWATHE_OK)
        status = swathe_plan_input(plan, &one, &around);
    if (status != SWATHE_OK)
        return status;
    expected->how = "every sample";
    if (samples * info.cost <= work && problem->width * problem->height <= WHOLE_PIXELS)
        return swathe_run(context, plan, source, &expected->image.view, NULL);
    int64_t reach = around.width / 2 > 0 ? around.width / 2 : 1;
    status = choose_places(problem, reach, info.cost, seed, expected);
    for (int64_t i = 0; i < expected->place_count && status == SWATHE_OK; i++)
        status = run_place(context, plan, source, &expected->places[i], &expected->image.view);
    return status;
}

swathe_status expected_make(swathe_context *context, const struct problem *problem,
                            const char *filter, const swathe_image *source, double work,
                            uint64_t seed, struct expected *expected)
{
    swathe_plan_options o = SWATHE_INIT(swathe_plan_options);
    swathe_shape shape = workload_shape(problem);
    swathe_chain *chain = NULL;
    swathe_plan *plan = NULL;
    *expected = (struct expected){0};
    o.border = problem->border;
    o.algorithm = "reference";
    o.exact = 1;
    swathe_status status = workload_chain(context, filter, &chain);
    if (status == SWATHE_OK)
        status = swathe_plan_create(context, chain, &shape, &o, &plan);
    if (status == SWATHE_OK)
        status = buffer_new(&shape, problem->layout, false, &expected->image);
    if (status == SWATHE_OK)
        status = run_definition(context, plan, problem, source, work, seed, expected);
    swathe_plan_destroy(plan);
    swathe_chain_destroy(chain);
    if (status != SWATHE_OK)
        expected_free(expected);
    return status;
}

void expected_free(struct expected *expected)
{
    buffer_free(&expected->image);
    buffer_free(&expected->witness);
    free(expected->places);
    *expected = (struct expected){0};
}

/* ---- Comparing ---------------------------------------------------------------------------------
 */

static double sample_at(const swathe_image *image, int64_t x, int64_t y, int32_t c)
{
    const char *at = (const char *)image->data + y * image->row_stride + x * image->pixel_stride +
                     c * image->channel_stride;
    switch (image->type) {
    case SWATHE_U8:
        return *(const uint8_t *)at;
    case SWATHE_U16:
        return *(const uint16_t *)(const void *)at;
    case SWATHE_S16:
        return *(const int16_t *)(const void *)at;
    default:
        return *(const float *)(const void *)at;
    }
}

/* True where all samples of `place` are within `tolerance`; with 0 they must be equal. */
static bool match_place(const swathe_image *wanted, const swathe_image *got,
                        const swathe_rect *place, double tolerance, char why[ROW_WHY])
{
    for (int64_t y = place->y; y < place->y + place->height; y++)
        for (int64_t x = place->x; x < place->x + place->width; x++)
            for (int32_t c = 0; c < wanted->channels; c++) {
                double a = sample_at(wanted, x, y, c), b = sample_at(got, x, y, c);
                if (fabs(a - b) <= tolerance)
                    continue;
                snprintf(why, ROW_WHY,
                         "sample %" PRId64 ",%" PRId64 ", channel %d is %.9g, must be %.9g%s", x, y,
                         c, b, a, tolerance > 0 ? " to within its bound" : "");
                return false;
            }
    return true;
}

static bool match_whole(const struct buffer *wanted, const struct buffer *got, double tolerance,
                        char why[ROW_WHY])
{
    swathe_rect all = {0, 0, wanted->view.width, wanted->view.height};
    if (memcmp(wanted->data, got->data, (size_t)wanted->bytes) == 0)
        return true;
    return match_place(&wanted->view, &got->view, &all, tolerance, why);
}

static void keep_witness(struct expected *expected, const struct buffer *result, double tolerance)
{
    swathe_shape shape = SWATHE_INIT(swathe_shape);
    bool planar =
        result->view.channels > 1 && result->view.pixel_stride < result->view.channel_stride;
    shape.width = result->view.width;
    shape.height = result->view.height;
    shape.channels = result->view.channels;
    shape.type = result->view.type;
    if (buffer_new(&shape, planar ? SWATHE_PLANAR : SWATHE_INTERLEAVED, false,
                   &expected->witness) != SWATHE_OK)
        return; /* less is compared then */
    memcpy(expected->witness.data, result->data, (size_t)result->bytes);
    expected->witness_tolerance = tolerance;
}

bool expected_match(struct expected *expected, const struct buffer *result, double tolerance,
                    char why[ROW_WHY])
{
    if (!expected->places)
        return match_whole(&expected->image, result, tolerance, why);
    for (int64_t i = 0; i < expected->place_count; i++)
        if (!match_place(&expected->image.view, &result->view, &expected->places[i], tolerance,
                         why))
            return false;
    if (expected->witness.data)
        return match_whole(&expected->witness, result, tolerance + expected->witness_tolerance,
                           why);
    keep_witness(expected, result, tolerance);
    return true;
}
