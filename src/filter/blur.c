#include "filter/blur.h"

#include "filter/exact_math.h"

#include <math.h>
#include <string.h>

int64_t blur_gaussian_size(double sigma, double truncate)
{
    return 2 * (int64_t)floor(truncate * sigma + 0.5) + 1;
}

static void sample_gaussian(double *taps, int64_t size, double sigma)
{
    double middle = (double)(size - 1) / 2.0, sum = 0.0;
    for (int64_t i = 0; i < size; i++) {
        double x = ((double)i - middle) / sigma;
        taps[i] = exact_exp(-0.5 * x * x);
        sum += taps[i];
    }
    /* If the size is even and sigma so small that all taps underflow, the middle ones are equal. */
    if (sum == 0.0) {
        taps[size / 2 - 1] = taps[size / 2] = 0.5;
        return;
    }
    for (int64_t i = 0; i < size; i++)
        taps[i] /= sum;
}

void blur_gaussian_taps(int64_t size, double sigma, double *taps)
{
    static const double three[] = {0.25, 0.5, 0.25};
    static const double five[] = {0.0625, 0.25, 0.375, 0.25, 0.0625};
    if (sigma == 0.0 && size == 3)
        memcpy(taps, three, sizeof three);
    else if (sigma == 0.0 && size == 5)
        memcpy(taps, five, sizeof five);
    else
        sample_gaussian(taps, size,
                        sigma > 0.0 ? sigma : 0.3 * ((double)(size - 1) / 2.0 - 1.0) + 0.8);
}

void blur_outer(const double *down, int64_t height, const double *across, int64_t width, double *k)
{
    for (int64_t j = 0; j < height; j++)
        for (int64_t i = 0; i < width; i++)
            k[j * width + i] = down[j] * across[i];
}

int64_t blur_motion_size(int64_t length, double angle, bool vertical)
{
    double half = 0.5 * (double)(length - 1);
    double reach = fabs(vertical ? exact_sin(angle) : exact_cos(angle)) * half;
    return 2 * (int64_t)ceil(reach - 1e-9) + 1;
}

void blur_motion(int64_t length, double angle, struct mask *mask)
{
    double half = 0.5 * (double)(length - 1), cosine = exact_cos(angle), sine = exact_sin(angle);
    for (int32_t j = 0; j < mask->height; j++)
        for (int32_t i = 0; i < mask->width; i++) {
            /* Rows are numbered downwards; y points up, because angles are counter-clockwise. */
            double x = i - mask->anchor_x, y = mask->anchor_y - j;
            double along = x * cosine + y * sine, across = y * cosine - x * sine;
            double beyond = fabs(along) > half ? fabs(along) - half : 0.0;
            double distance = sqrt(beyond * beyond + across * across);
            mask->k[j * mask->width + i] = distance < 1.0 ? 1.0 - distance : 0.0;
        }
}

/* Number of sub-pixels of the pixel at (dx, dy) that are within the radius. */
enum { SUB = 16 };
static int count_inside(double dx, double dy, double radius)
{
    /* All coordinates and their squares are exact, so testing the nearest and farthest sub-pixels
     * decides most pixels. */
    double far = 0.5 - 0.5 / SUB, near_x = fmax(fabs(dx) - far, 0.5 / SUB);
    double near_y = fmax(fabs(dy) - far, 0.5 / SUB);
    double far_x = fabs(dx) + far, far_y = fabs(dy) + far, square = radius * radius;
    if (far_x * far_x + far_y * far_y <= square)
        return SUB * SUB;
    if (near_x * near_x + near_y * near_y > square)
        return 0;
    int inside = 0;
    for (int s = 0; s < SUB * SUB; s++) {
        double x = dx + (s % SUB + 0.5) / SUB - 0.5, y = dy + (s / SUB + 0.5) / SUB - 0.5;
        inside += x * x + y * y <= square;
    }
    return inside;
}

void blur_disk(double radius, struct mask *mask)
{
    for (int32_t j = 0; j < mask->height; j++)
        for (int32_t i = 0; i < mask->width; i++)
            mask->k[(int64_t)j * mask->width + i] =
                count_inside(i - mask->anchor_x, j - mask->anchor_y, radius) / (double)(SUB * SUB);
}
