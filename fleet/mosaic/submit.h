/* Submitting a mosaic. */
#ifndef FLEET_MOSAIC_SUBMIT_H
#define FLEET_MOSAIC_SUBMIT_H

#include "fleet_options.h"
#include "queue/queue.h"
#include "set/set.h"
#include "set/set_progress.h"
#include "store.h"

/* True if --from and --to name single files; --to has an extension. */
bool mosaic_wanted(const struct fleet_options *options);
/* Opens the source and fills what the jobs share: shape, numbers of tiles, version. `wanted`:
 * tiles of a job; 0: about 4096 x 4096 pixels. */
swathe_status mosaic_describe(struct store *store, struct set *set, int64_t wanted);
/* Begins the upload of a new set. */
swathe_status mosaic_upload(struct store *store, struct set *set);
/* Waits while another submit publishes the jobs of this set, and reads the progress. */
swathe_status mosaic_await_submit(struct queue *queue, const struct set *set,
                                  struct set_progress *progress);
/* Publishes all jobs and records the progress. */
swathe_status mosaic_publish(struct queue *queue, const struct set *set, int priority,
                             struct set_progress *progress);
/* Aborts the upload and deletes the temporary objects, until workers that still run have ended. */
swathe_status mosaic_cancel(const struct set *set);

#endif
