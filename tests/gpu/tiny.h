/* A tiny kernel with the signature of all kernels, for every back end. */
#ifndef TESTS_GPU_TINY_H
#define TESTS_GPU_TINY_H

#include "gpu/drivers/device.h"
#include "gpu/kernels/device_task.h"

enum { TINY_GROUP = 16, TINY_OPTIONS = 2 };

/* Reverses the samples of each work group: out[x] = in[mirrored x] * taps[0] + rows[x] + columns[0]
 * + mask[1] + task.fill + ADDED */
extern const char *const tiny_options[TINY_OPTIONS]; /* with constant memory of two ints; ADDED=5 */

/* The source, including device_task.h; every call returns the same pointer. */
const char *tiny_source(void);

/* The kernel's result for one sample. */
int tiny_result(const int *in, int x, int tap, const int *rows, int column, int mask, int fill);

#endif
