/* Samples of two bytes as Y4M stores them, the lower byte first. */
#ifndef SWATHE_CLI_VIDEO_FRAME_SAMPLES_H
#define SWATHE_CLI_VIDEO_FRAME_SAMPLES_H

#include <stdint.h>

/* The highest of the samples in `bytes` bytes as they are stored. */
int frame_samples_highest(const void *samples, int64_t bytes);
/* Converts the stored order to this machine's, or back. */
void frame_samples_order(void *samples, int64_t bytes);

#endif
