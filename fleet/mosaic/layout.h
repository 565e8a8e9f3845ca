/* How a mosaic, one image that many workers filter, is divided into jobs. Jobs are numbered: those
 * of tiles first, then one for the index, those of parts, and one that finishes the file. */
#ifndef FLEET_MOSAIC_LAYOUT_H
#define FLEET_MOSAIC_LAYOUT_H

#include "set/set.h"

enum { MOSAIC_PARTS = 256, MOSAIC_TILES_PER_JOB = 8192 };

/* Number of jobs of tiles, and of all jobs. */
int64_t mosaic_tile_jobs(const struct set *set);
int64_t mosaic_jobs(const struct set *set);
/* The job with this number, from 0 to mosaic_jobs - 1, in generation 0. */
void mosaic_job(const struct set *set, int64_t id, struct job *job);
/* Fails unless the message is one of the jobs of the set. */
swathe_status mosaic_check_job(const struct set *set, const struct job *job);
/* Fills tiles_per_job and parts, from the numbers of tiles. `pixels`: of a tile, `bytes`: of all
 * samples. */
void mosaic_divide(struct set *set, int64_t tiles_per_job, int64_t pixels, int64_t bytes);
/* Fails if the image has more tiles than a worker can index in 512 MiB. */
swathe_status mosaic_check_tiles(const struct set *set);
/* Fails if the record's numbers of tiles contradict each other. */
swathe_status mosaic_check_numbers(const struct set *set);
/* Milliseconds after which a job that waits for others looks again, `age` seconds after it was
 * submitted. `open`: jobs of the set that are not settled. */
int mosaic_wait_ms(const struct set *set, int64_t open, double age);
/* Size of the parts of a file; only the last one is smaller. */
int64_t mosaic_part_bytes(int64_t total);

static inline bool mosaic_kind(enum job_kind kind)
{
    return kind == JOB_TILES || kind == JOB_INDEX || kind == JOB_PART || kind == JOB_FINISH;
}

#endif
