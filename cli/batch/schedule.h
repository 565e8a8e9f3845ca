/* The workers of a batch, its progress, and its syncs. */
#ifndef SWATHE_CLI_BATCH_SCHEDULE_H
#define SWATHE_CLI_BATCH_SCHEDULE_H

#include "batch/work.h"

/* Filters the `left` remaining images of the list. Returns 0, or the exit code after a message if
 * the batch ends early. Failed images are in batch->failures. */
int schedule_run(struct batch *batch, int64_t left);

#endif
