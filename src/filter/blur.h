/* Sampled shapes of the named filters: Gaussians, lines and disks. */
#ifndef SWATHE_FILTER_BLUR_H
#define SWATHE_FILTER_BLUR_H

#include "filter/mask.h"

/* Number of taps of a Gaussian with this sigma: 2·floor(truncate·sigma + 1/2) + 1. */
int64_t blur_gaussian_size(double sigma, double truncate);
/* Samples a Gaussian and normalises it. If sigma is 0, uses the default for the size (binomial for
 * 3 and 5). */
void blur_gaussian_taps(int64_t size, double sigma, double *taps);
void blur_outer(const double *down, int64_t height, const double *across, int64_t width, double *k);

/* Width (or height) of a motion mask. */
int64_t blur_motion_size(int64_t length, double angle, bool vertical);
void blur_motion(int64_t length, double angle, struct mask *mask);
void blur_disk(double radius, struct mask *mask);

#endif
