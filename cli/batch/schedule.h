/* The workers of a batch, its progress, and its syncs. */
#ifndef SWATHE_CLI_BATCH_SCHEDULE_H
#define SWATHE_CLI_BATCH_SCHEDULE_H

#include "batch/work.h"

/* Runs what is left of the list; `left` images are. The exit code where it ends early, after a
 * message; failures of images are in batch->failures. */
int schedule_run(struct batch *batch, int64_t left);

#endif
