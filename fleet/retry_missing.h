/* Jobs that are lost: they have no outcome, and the queue does not have them either. */
#ifndef FLEET_RETRY_MISSING_H
#define FLEET_RETRY_MISSING_H

#include "set.h"
#include "set_progress.h"
#include "tally.h"

/* The generation of a job that is submitted once more. */
int64_t retry_generation(const struct tally *tally, int64_t id);
/* True if the job must be made from the source again: it was given up, or is open although the
 * queue is empty, and the results do not contain it. */
bool retry_needs_source(const struct tally *tally, bool queue_empty, int64_t id);
/* Lists the source as submit did and passes the jobs that need it to `submit`, with their next
 * generation. Fails before the first one if the source has changed since. */
swathe_status retry_missing(const struct set *set, const struct set_progress *progress,
                            const struct tally *tally, bool queue_empty,
                            swathe_status (*submit)(void *user, const struct job *job), void *user);

#endif
