/* A mosaic: one image that many workers filter. */
#ifndef FLEET_MOSAIC_MOSAIC_H
#define FLEET_MOSAIC_MOSAIC_H

#include "queue/queue.h"
#include "set/set.h"
#include "store.h"

/* ---- layout.c: how it is divided into jobs. They are numbered: those of tiles first, then one for
 * the index, those of parts, and one that finishes the file ---- */

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

/* ---- stage.c: objects beside the target, TARGET.swathe-SET/, until the file is complete:
 *
 *   tiles-0000012       compressed tiles of job 12
 *   tiles-0000012.json  their sizes and checksums; written after them
 *   head, tail          the file before and after its tiles
 *   index               where each of these objects starts in the file; written after head and tail
 *   part-00003.json     part 3 of the file was uploaded
 *   failed/12           job 12 was given up
 *   done                the file is complete
 *
 * Every record names the upload, so that one of an earlier set of the same name is not used.
 * ---- */

#define STAGE_INDEX "index"
#define STAGE_DONE  "done"
enum { STAGE_NAME = 48 };

void stage_tiles_name(int64_t job, char name[STAGE_NAME]);
/* The URL of an object; of the prefix if `name` is "". */
swathe_status stage_url(const struct set *set, const char *name, char **url);
swathe_status stage_put(struct store *store, const struct set *set, const char *name,
                        const void *bytes, size_t size);
/* ENOENT if there is none. Free with free(). */
swathe_status stage_get(struct store *store, const struct set *set, const char *name, int64_t most,
                        void **bytes, size_t *size);
/* ENOENT if there is none. */
swathe_status stage_size(struct store *store, const struct set *set, const char *name,
                         int64_t *size);

/* Counts the records of tiles. */
swathe_status stage_count_tiles(struct store *store, const struct set *set, int64_t *count);
/* Finds a job before `before` that was given up; *id is -1 if there is none. */
swathe_status stage_find_failed(struct store *store, const struct set *set, int64_t before,
                                int64_t *id);
swathe_status stage_mark_failed(struct store *store, const struct set *set, int64_t id,
                                const char *reason);
swathe_status stage_unmark_failed(struct store *store, const struct set *set, int64_t id);

/* Deletes all objects but "done". */
swathe_status stage_sweep(struct store *store, const struct set *set);
/* Deletes all objects, and what killed workers left of them. */
swathe_status stage_remove(struct store *store, const struct set *set);

/* A record of tiles. */
struct stage_tiles {
    int64_t first, count, size;
    char bytes[65]; /* SHA-256 in hexadecimal */
    int64_t *sizes; /* count * planes */
};
swathe_status stage_put_tiles(struct store *store, const struct set *set, int64_t job,
                              const struct stage_tiles *tiles);
/* Reads the record of a job and checks it. `sizes` of the result must have space, or be NULL.
 * ENOENT if there is none of this upload. */
swathe_status stage_get_tiles(struct store *store, const struct set *set, int64_t job,
                              struct stage_tiles *tiles);

swathe_status stage_put_part(struct store *store, const struct set *set,
                             const struct store_part *part, int64_t size, const char *hash);
/* ENOENT if there is none of this upload. */
swathe_status stage_get_part(struct store *store, const struct set *set, int64_t part, int64_t size,
                             struct store_part *made);

/* ---- submit.c ---- */

struct fleet_options;

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
