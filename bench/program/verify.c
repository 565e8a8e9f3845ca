#include "verify.h"

#include "rng.h"
#include "runner.h"
#include "sample_value.h"
#include "workload.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_PIXELS (16 << 20)
#define WHOLE_MOST   20 /* times the given work, if parts cannot be verified */
#define WHOLE_LEAST  1e9
enum { WINDOWS_LEAST = 200, WINDOWS_MOST = 10000, EDGE_PART = 5, STRIPS = 4 };

/* ---- Places ---------------------------------------------------------------------------------- */

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

/* Adds pixels whose masks cross an edge of the image, the corners first. */
static void add_edge_windows(struct expected *expected, int64_t width, int64_t height,
                             int64_t reach, int count, struct rng *rng)
{
    for (int i = 0; i < 4; i++)
        add_window(expected, i % 2 ? width - 1 : 0, i / 2 ? height - 1 : 0);
    for (int i = 4; i < count; i++) {
        int64_t x = rng_between(rng, 0, width - 1), y = rng_between(rng, 0, height - 1);
        int64_t from_x = rng_between(rng, 0, (reach < width ? reach : width) - 1);
        int64_t from_y = rng_between(rng, 0, (reach < height ? reach : height) - 1);
        if (i % 2)
            add_window(expected, x, i / 2 % 2 ? from_y : height - 1 - from_y);
        else
            add_window(expected, i / 2 % 2 ? from_x : width - 1 - from_x, y);
    }
}

/* Divides `work` between borders, which take `edge_work` per pixel, and windows. */
static swathe_status choose_places(const struct problem *problem, int64_t reach, double edge_work,
                                   double window_work, double work, uint64_t seed,
                                   struct expected *expected)
{
    struct rng rng = {seed};
    int64_t width = problem->width, height = problem->height;
    double edge = 2.0 * (double)(width + height) * (double)reach * edge_work;
    bool strips = edge <= work / 2 && width > 2 * reach && height > 2 * reach;
    int windows = (int)fmax(WINDOWS_LEAST, fmin(work / 2 / window_work, WINDOWS_MOST));
    expected->places =
        malloc((size_t)(windows + windows / EDGE_PART + STRIPS) * sizeof *expected->places);
    if (!expected->places)
        return swathe_error_set(SWATHE_ERROR_MEMORY, "not enough memory for the places to verify");
    if (strips) {
        add_strips(expected, width, height, reach);
        snprintf(expected->how, sizeof expected->how, "all borders and %d windows", windows);
    } else {
        add_edge_windows(expected, width, height, reach, windows / EDGE_PART, &rng);
        snprintf(expected->how, sizeof expected->how, "%d windows, %d of them at borders",
                 windows + windows / EDGE_PART, windows / EDGE_PART);
    }
    for (int i = 0; i < windows; i++)
        add_window(expected, rng_between(&rng, 0, width - 1), rng_between(&rng, 0, height - 1));
    return SWATHE_OK;
}

/* ---- The definition -------------------------------------------------------------------------- */

/* The definition runs on whole images. For one place, the source and the halo of the place are
 * cropped to an image. The new edges are beyond the halo; edges of the source stay edges. */
struct cutting {
    swathe_context *context;
    const struct problem *problem;
    const swathe_chain *chain;
    const char *arithmetic;
    int64_t reach;
    swathe_plan *plan; /* for `width` x `height` */
    int64_t width, height;
};

static swathe_status plan_cut(struct cutting *cutting, int64_t width, int64_t height)
{
    struct problem part = *cutting->problem;
    if (cutting->plan && cutting->width == width && cutting->height == height)
        return SWATHE_OK;
    swathe_plan_destroy(cutting->plan);
    cutting->plan = NULL;
    cutting->width = part.width = width;
    cutting->height = part.height = height;
    return workload_plan(cutting->context, &part, cutting->chain, cutting->arithmetic,
                         &cutting->plan);
}

/* The range of `count` from `at`, extended by `reach` on both sides and moved into 0 .. whole. */
static void cut_axis(int64_t at, int64_t count, int64_t reach, int64_t whole, int64_t *first,
                     int64_t *size)
{
    *size = count + 2 * reach < whole ? count + 2 * reach : whole;
    *first = at - reach > 0 ? at - reach : 0;
    *first = *first + *size > whole ? whole - *size : *first;
}

static swathe_status verify_run_plan(const struct cutting *cutting, const swathe_image *from,
                                     const swathe_image *to)
{
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    options.progress = runner_cancelled;
    return swathe_run(cutting->context, cutting->plan, from, to, &options);
}

static swathe_status run_place(struct cutting *cutting, const swathe_image *source,
                               const swathe_rect *place, const swathe_image *image)
{
    swathe_rect cut;
    swathe_image from = SWATHE_INIT(swathe_image), to = SWATHE_INIT(swathe_image);
    cut_axis(place->x, place->width, cutting->reach, source->width, &cut.x, &cut.width);
    cut_axis(place->y, place->height, cutting->reach, source->height, &cut.y, &cut.height);
    swathe_status status = plan_cut(cutting, cut.width, cut.height);
    if (status == SWATHE_OK)
        status = swathe_image_crop(source, &cut, &from);
    if (status == SWATHE_OK)
        status = swathe_image_crop(image, place, &to);
    if (status != SWATHE_OK)
        return status;
    from.x = from.y = 0;
    to.x -= cut.x;
    to.y -= cut.y;
    from.full_width = to.full_width = cut.width;
    from.full_height = to.full_height = cut.height;
    return verify_run_plan(cutting, &from, &to);
}

/* The largest distance from a pixel of the result at which the chain reads. With border wrap, a
 * pixel also depends on the opposite edges. */
static int64_t find_reach(const swathe_plan *plan, bool *wraps)
{
    swathe_stage_info stage = SWATHE_INIT(swathe_stage_info);
    int64_t sum = 0;
    *wraps = false;
    for (int32_t i = 0; swathe_plan_stage(plan, i, &stage) == SWATHE_OK; i++) {
        int32_t across = stage.left > stage.right ? stage.left : stage.right;
        int32_t down = stage.above > stage.below ? stage.above : stage.below;
        sum += across > down ? across : down;
        *wraps |= stage.border == SWATHE_BORDER_WRAP;
    }
    return sum > 0 ? sum : 1;
}

static swathe_status run_definition(struct cutting *cutting, const swathe_image *source,
                                    double work, uint64_t seed, struct expected *expected)
{
    const struct problem *problem = cutting->problem;
    swathe_plan_info info = SWATHE_INIT(swathe_plan_info);
    double samples = (double)problem->width * (double)problem->height * problem->channels;
    swathe_status status = plan_cut(cutting, problem->width, problem->height);
    if (status == SWATHE_OK)
        status = swathe_plan_get(cutting->plan, &info);
    if (status == SWATHE_OK)
        status = buffer_new(&info.result, problem->layout, false, &expected->image);
    if (status != SWATHE_OK)
        return status;
    double cost = workload_cost(cutting->plan);
    snprintf(expected->how, sizeof expected->how, "every sample");
    bool whole;
    cutting->reach = find_reach(cutting->plan, &whole);
    whole |= info.result.width != problem->width || info.result.height != problem->height;
    if (whole && samples * cost > fmax(WHOLE_MOST * work, WHOLE_LEAST))
        return swathe_error_set(SWATHE_ERROR_LIMIT,
                                "verifying takes too long: results with border wrap, or smaller "
                                "than the image, cannot be verified in parts; use a smaller "
                                "image, or another border");
    if (whole || (samples * cost <= work && samples <= (double)WHOLE_PIXELS * problem->channels))
        return verify_run_plan(cutting, source, &expected->image.view);
    /* All stages but the last, and the first of two passes, compute the whole cropped image. */
    double edge_work = 3 * cost * problem->channels;
    double window_work =
        edge_work / 3 * pow(2.0 * (double)cutting->reach + 1, info.stages > 1 ? 2 : 1);
    status = choose_places(problem, cutting->reach, edge_work, window_work, work, seed, expected);
    for (int64_t i = 0; i < expected->place_count && status == SWATHE_OK; i++)
        status = run_place(cutting, source, &expected->places[i], &expected->image.view);
    return status;
}

swathe_status expected_make(swathe_context *context, const struct problem *problem,
                            const char *filter, const char *arithmetic, const swathe_image *source,
                            double work, uint64_t seed, struct expected *expected)
{
    swathe_chain *chain = NULL;
    *expected = (struct expected){.keeps = expected->keeps};
    swathe_status status = workload_chain(context, filter, &chain);
    struct cutting cutting = {
        .context = context, .problem = problem, .chain = chain, .arithmetic = arithmetic};
    if (status == SWATHE_OK)
        status = run_definition(&cutting, source, work, seed, expected);
    swathe_plan_destroy(cutting.plan);
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

/* ---- Comparing ------------------------------------------------------------------------------- */

static double verify_sample_at(const swathe_image *image, int64_t x, int64_t y, int32_t c)
{
    return sample_load((const uint8_t *)image->data + y * image->row_stride +
                           x * image->pixel_stride + c * image->channel_stride,
                       image->type);
}

/* True if all samples of `place` are within `tolerance`; with 0 they must be equal. */
static bool match_place(const swathe_image *wanted, const swathe_image *got,
                        const swathe_rect *place, double tolerance, const char *must,
                        char why[RESULT_WHY])
{
    for (int64_t y = place->y; y < place->y + place->height; y++)
        for (int64_t x = place->x; x < place->x + place->width; x++)
            for (int32_t c = 0; c < wanted->channels; c++) {
                double a = verify_sample_at(wanted, x, y, c), b = verify_sample_at(got, x, y, c);
                if (fabs(a - b) <= tolerance || a == b || (isnan(a) && isnan(b)))
                    continue;
                snprintf(why, RESULT_WHY,
                         "sample %" PRId64 ",%" PRId64 ", channel %d is %.9g, %s %.9g%s", x, y, c,
                         b, must, a, tolerance > 0 ? " within its error bound" : "");
                return false;
            }
    return true;
}

static bool match_whole(const struct buffer *wanted, const struct buffer *got, double tolerance,
                        const char *must, char why[RESULT_WHY])
{
    swathe_rect all = {0, 0, wanted->view.width, wanted->view.height};
    if (memcmp(wanted->data, got->data, (size_t)wanted->bytes) == 0)
        return true;
    return match_place(&wanted->view, &got->view, &all, tolerance, must, why);
}

static void keep_witness(struct expected *expected, const struct buffer *result, double tolerance)
{
    if (!expected->keeps || buffer_like(result, false, &expected->witness) != SWATHE_OK)
        return; /* later results are compared in the windows only */
    memcpy(expected->witness.data, result->data, (size_t)result->bytes);
    expected->witness_tolerance = tolerance;
}

bool expected_match(struct expected *expected, const struct buffer *result, double tolerance,
                    char why[RESULT_WHY])
{
    if (result->bytes != expected->image.bytes ||
        result->view.width != expected->image.view.width) {
        snprintf(why, RESULT_WHY, "the shape of the result differs from that of the definition");
        return false;
    }
    if (!expected->places)
        return match_whole(&expected->image, result, tolerance, "must be", why);
    for (int64_t i = 0; i < expected->place_count; i++)
        if (!match_place(&expected->image.view, &result->view, &expected->places[i], tolerance,
                         "must be", why))
            return false;
    if (expected->witness.data)
        return match_whole(&expected->witness, result, tolerance + expected->witness_tolerance,
                           "the first contender that was right in all windows has", why);
    keep_witness(expected, result, tolerance);
    return true;
}
