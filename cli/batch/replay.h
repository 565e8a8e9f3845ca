/* A journal of earlier runs, read to see what is left to do. */
#ifndef SWATHE_CLI_BATCH_REPLAY_H
#define SWATHE_CLI_BATCH_REPLAY_H

#include "batch/journal.h"

/* Marks the images that are finished, and those whose result an earlier run may have left without
 * a record. Cuts off what is damaged. 0, or the exit code after a message. */
int replay(struct journal *journal, const struct options *options, const swathe_chain *chain,
           struct list *list);
/* Is it a journal, of whatever batch? A file that --journal names by mistake is not to be emptied.
 * 0, or the exit code after a message. */
int replay_check(const struct journal *journal);

#endif
