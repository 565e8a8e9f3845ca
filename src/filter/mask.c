#include "filter/mask.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Checks the size and sets all fields except the taps. */
static swathe_status mask_begin(int64_t width, int64_t height, struct mask *mask)
{
    if (width < 1 || height < 1 || width > MASK_SIDE_MAX || height > MASK_SIDE_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "a mask of %" PRId64 " x %" PRId64 " taps; each side must be 1 to %d", width,
                    height, MASK_SIDE_MAX);
    if (width * height > MASK_TAPS_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "a mask of %" PRId64 " x %" PRId64 " taps; the limit is %d in total", width,
                    height, MASK_TAPS_MAX);
    *mask = (struct mask){(int32_t)width, (int32_t)height, (int32_t)width / 2, (int32_t)height / 2,
                          NULL};
    return SWATHE_OK;
}

swathe_status mask_new(struct arena *arena, int64_t width, int64_t height, struct mask *mask)
{
    TRY(mask_begin(width, height, mask));
    return arena_new(arena, width * height, sizeof(double), "a mask", &mask->k);
}

swathe_status mask_copy(struct arena *arena, int64_t width, int64_t height, const double *k,
                        struct mask *mask)
{
    TRY(mask_begin(width, height, mask));
    TRY(arena_new_raw(arena, width * height, sizeof *k, "a mask", &mask->k));
    memcpy(mask->k, k, sizeof *k * (size_t)(width * height));
    return SWATHE_OK;
}

int64_t mask_taps(const struct mask *mask)
{
    return mask->k ? (int64_t)mask->width * mask->height : (int64_t)mask->width + mask->height;
}

double mask_sum(const double *k, int64_t count)
{
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += k[i];
    return sum;
}

swathe_status mask_normalise(struct mask *mask)
{
    int64_t count = (int64_t)mask->width * mask->height;
    double sum = mask_sum(mask->k, count), all = 0.0;
    for (int64_t i = 0; i < count; i++)
        all += fabs(mask->k[i]);
    if (fabs(sum) <= all * 1e-10) /* less than what the roundings of the taps may add up to */
        return fail(SWATHE_ERROR_ARGUMENT, "normalise: the taps add up to 0");
    for (int64_t i = 0; i < count; i++)
        mask->k[i] /= sum;
    return SWATHE_OK;
}

void mask_flip(struct mask *mask)
{
    int64_t count = (int64_t)mask->width * mask->height;
    for (int64_t i = 0; mask->k && i < count / 2; i++) {
        double k = mask->k[i];
        mask->k[i] = mask->k[count - 1 - i];
        mask->k[count - 1 - i] = k;
    }
    mask->anchor_x = mask->width - 1 - mask->anchor_x;
    mask->anchor_y = mask->height - 1 - mask->anchor_y;
}
