/* The jobs of a set as submit made them, from the source: what results and dead letters say about
 * jobs may be wrong. */
#ifndef FLEET_SET_SOURCE_JOBS_H
#define FLEET_SET_SOURCE_JOBS_H

#include "set/set.h"

struct source_jobs {
    const struct set *set;
    const struct set_progress *progress;
    /* Sees every job while the source is listed, with its keys also if it is a range of a manifest.
     * True: `take` shall get the job. */
    bool (*look)(void *user, const struct job *job);
    /* Gets jobs, in the order of their numbers, after the source was compared. */
    swathe_status (*take)(void *user, const struct job *job);
    void *user;
};

/* Lists the source. *same: its first progress->jobs jobs are those that were submitted; otherwise
 * nothing was taken. A mosaic's jobs follow from its record and are always the same. */
swathe_status source_jobs_list(const struct source_jobs *jobs, bool *same);
/* The failure that the source is not the same. */
swathe_status source_jobs_changed(const struct set *set);

#endif
