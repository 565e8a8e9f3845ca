/* Reads the journal of earlier runs to find the remaining images. */
#ifndef SWATHE_CLI_BATCH_REPLAY_H
#define SWATHE_CLI_BATCH_REPLAY_H

#include "batch/journal.h"

/* Marks finished images, and images with a result that an earlier run may have written without
 * recording it. Truncates the journal before damaged lines. 0, or the exit code after a message. */
int replay(struct journal *journal, const struct options *options, const swathe_chain *chain,
           struct list *list);
/* Checks that a file is a journal of any batch, so that a file that --journal names by mistake is
 * not emptied, and whether it may record a finished image. 0, or the exit code after a message. */
int replay_check(const struct journal *journal, bool *done);

#endif
