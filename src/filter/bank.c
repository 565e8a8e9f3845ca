/* Filters that apply several masks to each channel, or mix channels. */
#include "base/text.h"
#include "filter/blur.h"
#include "filter/exact_math.h"
#include "filter/named.h"

#include <math.h>
#include <string.h>

swathe_status make_gradient(struct stage_maker *maker)
{
    static const struct {
        const char *name;
        double side, middle;
    } kinds[] = {{"sobel", 1.0, 2.0}, {"scharr", 3.0, 10.0}, {"prewitt", 1.0, 1.0}};
    int kind = maker_word(maker, "scharr") ? 1 : maker_word(maker, "prewitt") ? 2 : 0;
    TRY(maker_no_values(maker, 0));
    if (maker_word(maker, "sobel") + maker_word(maker, "scharr") + maker_word(maker, "prewitt") > 1)
        return fail(SWATHE_ERROR_ARGUMENT, "gradient: needs one of sobel, scharr and prewitt");
    TRY(maker_masks(maker, 2, 3, 3));
    for (int i = 0; i < 9; i++) {
        int x = i % 3 - 1, y = i / 3 - 1;
        double across = y ? kinds[kind].side : kinds[kind].middle;
        double down = x ? kinds[kind].side : kinds[kind].middle;
        maker->stage->masks[0].k[i] = x * across;
        maker->stage->masks[1].k[i] = y * down;
    }
    return maker_join(maker, STAGE_JOIN_HYPOT);
}

/* A wave of this length under a Gaussian. The mean is subtracted, so that flat areas become 0, and
 * the taps are divided by the sum of the Gaussian's. */
static void sample_gabor(double angle, double sigma, double wave, double aspect, struct mask *mask)
{
    int32_t size = mask->width, r = size / 2;
    int64_t count = (int64_t)size * size;
    double sine = exact_sin(angle), cosine = exact_cos(angle), sum = 0.0;
    for (int64_t i = 0; i < count; i++) {
        double x = (double)(i % size - r), y = (double)(r - i / size);
        double along = x * cosine + y * sine, beside = (y * cosine - x * sine) * aspect;
        double bell = exact_exp(-(along * along + beside * beside) / (2.0 * sigma * sigma));
        sum += bell;
        mask->k[i] = bell * exact_cos(360.0 * along / wave);
    }
    double mean = mask_sum(mask->k, count) / (double)count;
    for (int64_t i = 0; i < count; i++)
        mask->k[i] = (mask->k[i] - mean) / sum;
}

swathe_status make_gabor(struct stage_maker *maker)
{
    enum { ANGLES_MOST = 64 };
    double sigma, wave, angle, angles, aspect, truncate;
    TRY(maker_no_values(maker, 0));
    TRY(maker_number(maker, "sigma", 2.0, 0.3, 100.0, &sigma));
    TRY(maker_number(maker, "wave", 2.0 * sigma, 1.0, 1000.0, &wave));
    TRY(maker_number(maker, "angle", 0.0, -360.0, 360.0, &angle));
    TRY(maker_number(maker, "angles", 1.0, 1.0, ANGLES_MOST, &angles));
    TRY(maker_number(maker, "aspect", 0.5, 0.05, 20.0, &aspect));
    TRY(maker_number(maker, "truncate", 3.0, 0.1, 20.0, &truncate));
    if (angles != floor(angles))
        return fail(SWATHE_ERROR_ARGUMENT, "gabor: angles=%g must be a whole number", angles);
    int64_t size = blur_gaussian_size(sigma / fmin(aspect, 1.0), truncate);
    TRY(maker_masks(maker, (int32_t)angles, size, size));
    for (int32_t i = 0; i < maker->stage->mask_count; i++)
        sample_gabor(angle + 180.0 * i / angles, sigma, wave, aspect, &maker->stage->masks[i]);
    return maker_join(maker, angles > 1.0 ? STAGE_JOIN_MAX : STAGE_JOIN_STACK);
}

swathe_status make_dog(struct stage_maker *maker)
{
    struct stage *stage = maker->stage;
    double sigma, ratio, truncate;
    TRY(maker_no_values(maker, 0));
    TRY(maker_number(maker, "sigma", 1.0, 0.1, 100.0, &sigma));
    TRY(maker_number(maker, "ratio", 1.6, 1.01, 10.0, &ratio));
    TRY(maker_number(maker, "truncate", 4.0, 0.1, 100.0, &truncate));
    int64_t size = blur_gaussian_size(sigma * ratio, truncate);
    TRY(maker_masks(maker, 1, size, size));
    TRY(maker_terms(maker, 2));
    struct stage_term *inner = &stage->terms[0], *outer = &stage->terms[1];
    blur_gaussian_taps(size, sigma, inner->down);
    blur_gaussian_taps(size, sigma, inner->across);
    blur_gaussian_taps(size, sigma * ratio, outer->down);
    for (int64_t i = 0; i < size; i++)
        outer->across[i] = -outer->down[i];
    for (int64_t i = 0; i < size * size; i++)
        stage->masks[0].k[i] = inner->down[i / size] * inner->across[i % size] +
                               outer->down[i / size] * outer->across[i % size];
    stage->rule = maker_word(maker, "dense") ? STAGE_DENSE : STAGE_TWO_PASS;
    return SWATHE_OK;
}

swathe_status make_scale(struct stage_maker *maker)
{
    const char *text = maker_value(maker, 0);
    double factor;
    if (!text || !text_to_double(text, &factor) || !isfinite(factor))
        return fail(SWATHE_ERROR_ARGUMENT, "scale%s%s: needs a FACTOR, as in scale:0.5",
                    text ? ":" : "", text ? text : "");
    TRY(maker_no_values(maker, 1));
    TRY(maker_masks(maker, 1, 1, 1));
    maker->stage->masks[0].k[0] = factor;
    return SWATHE_OK;
}

/* Makes each row of a matrix the mask of one channel of the result. */
static swathe_status mix_rows(struct stage_maker *maker, const struct mask *matrix)
{
    TRY(maker_masks(maker, matrix->height, matrix->width, 1));
    for (int32_t i = 0; i < matrix->height; i++) {
        struct mask *row = &maker->stage->masks[i];
        row->anchor_x = 0;
        memcpy(row->k, matrix->k + (int64_t)i * matrix->width,
               (size_t)matrix->width * sizeof *row->k);
    }
    maker->stage->rule = STAGE_MIX;
    return SWATHE_OK;
}

swathe_status make_mix(struct stage_maker *maker)
{
    const char *text = maker_value(maker, 0);
    struct mask matrix;
    if (!text)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "mix: the matrix is missing; write a row for each channel of the result, as in "
                    "mix:(0 0 1; 0 1 0; 1 0 0)");
    TRY(maker_no_values(maker, 1));
    TRY(mask_parse(maker->arena, text, &matrix));
    return mix_rows(maker, &matrix);
}

swathe_status make_grey(struct stage_maker *maker)
{
    double weights[] = {0.2126, 0.7152, 0.0722}; /* Rec. 709 */
    TRY(maker_no_values(maker, 0));
    return mix_rows(maker, &(struct mask){.width = 3, .height = 1, .k = weights});
}
