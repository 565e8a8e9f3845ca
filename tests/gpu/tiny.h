/* A tiny kernel with the signature that all kernels have, in the words of every back end. */
#ifndef TESTS_GPU_TINY_H
#define TESTS_GPU_TINY_H

#include "gpu/device.h"
#include "gpu/kernels/device_job.h"

enum { TINY_GROUP = 16, TINY_OPTIONS = 2 };

/* Samples of each group in reverse order:
 * out[x] = in[mirrored x] * taps[0] + rows[x] + columns[0] + mask[1] + job.fill + ADDED */
extern const char *const tiny_options[TINY_OPTIONS]; /* with constant memory of two ints; ADDED=5 */

/* The source, device_job.h included; the same text on every call. */
const char *tiny_source(void);

/* What the kernel makes of one sample. */
int tiny_result(const int *in, int x, int tap, const int *rows, int column, int mask, int fill);

#endif
