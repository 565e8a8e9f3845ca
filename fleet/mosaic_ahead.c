/* Copies tiles into a file while other tiles are still being made. Where those of a job start needs
 * only the sizes of the jobs before it. The worker that finds it out leaves a record, so that the
 * tiles are copied once, and that the next job finds its start. If that worker is killed, the jobs
 * of parts copy what has no record of a part. An object of S3 is assembled by the store, after the
 * last tile. */
#include "fleet_fail.h"
#include "mosaic_work.h"

#include <errno.h>
#include <string.h>

/* Jobs whose tiles a worker copies at once. If more are done, because an early one was delayed,
 * those are left to the jobs of parts, so that workers do not wait for one of them. */
enum { COPIED = 16 };
/* A worker that was killed may have recorded places up to any job after its own. A job that is
 * delivered again looks for the end within so many jobs. */
enum { SEEN = 64 };

/* Places that this worker recorded, so that it copies the tiles. */
struct known {
    int count;
    int64_t jobs[COPIED];
    struct stage_place places[COPIED];
};

static swathe_status discard(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)bytes;
    (void)count;
    return SWATHE_OK;
}

/* Asks a sink that takes no pixels how many bytes precede the tiles. */
static swathe_status head_bytes(struct worker *worker, int64_t *size)
{
    struct mosaic_input input;
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    swathe_writer writer = SWATHE_INIT(swathe_writer);
    swathe_sink *sink = NULL;
    TRY(mosaic_input_open(worker, &input));
    input.write.tiff_part = &part;
    input.write.format = "tiff";
    writer.write = discard;
    swathe_status status = swathe_sink_create(worker->context, &writer, &input.shape,
                                              &input.metadata, &input.write, &sink);
    if (status == SWATHE_OK)
        *size = part.prefix_bytes;
    swathe_sink_destroy(sink);
    mosaic_input_close(worker, &input);
    return status;
}

/* ENOENT if the place of the job before this one is not known. */
static swathe_status find_start(struct worker *worker, int64_t job, int64_t *start)
{
    struct stage_place before;
    if (job == 0)
        return head_bytes(worker, start);
    TRY(stage_get_place(worker->store, worker->set, job - 1, &before));
    *start = before.start + before.size;
    return SWATHE_OK;
}

/* Records the place of the tiles of a job. *own is false if another worker did. */
static swathe_status record_place(struct worker *worker, int64_t job, struct stage_place *place,
                                  bool *own)
{
    struct stage_tiles tiles = {0};
    TRY(stage_get_tiles(worker->store, worker->set, job, &tiles));
    place->size = tiles.size;
    if (place->start + place->size > MOSAIC_BYTES)
        return fleet_fail(SWATHE_ERROR_LIMIT, "the tiles have too many bytes");
    swathe_status status = stage_put_place(worker->store, worker->set, job, place);
    *own = status == SWATHE_OK;
    return !*own && fleet_fail_number() == EEXIST ? SWATHE_OK : status;
}

/* Goes on to the jobs after this one, because their workers could not know their places. A worker
 * that ends a job writes the record of its tiles first and then looks for the place before it;
 * here it is the other way round, so one of both finds the other's record. */
static swathe_status record_places(struct worker *worker, int64_t job, struct known *known)
{
    struct stage_place place;
    int seen = 0;
    TRY(find_start(worker, job, &place.start));
    for (int64_t i = job; i < mosaic_tile_jobs(worker->set) && seen < SEEN; i++) {
        bool own = false;
        TRY(record_place(worker, i, &place, &own));
        seen += !own;
        if (own && known->count < COPIED) {
            known->jobs[known->count] = i;
            known->places[known->count++] = place;
        }
        place.start += place.size;
    }
    return SWATHE_OK;
}

static swathe_status copy_known(struct worker *worker, const struct known *known)
{
    for (int i = 0; i < known->count; i++) {
        char name[STAGE_NAME];
        const struct stage_place *place = &known->places[i];
        stage_tiles_name(known->jobs[i], name);
        TRY(mosaic_copy(worker, name, known->jobs[i] + 1, place->start, place->size));
    }
    return SWATHE_OK;
}

void mosaic_ahead(struct worker *worker, int64_t job)
{
    struct known known = {.count = 0};
    if (store_is_s3(worker->set->to))
        return;
    swathe_status status = record_places(worker, job, &known);
    if (status == SWATHE_ERROR_IO && fleet_fail_number() == ENOENT)
        status = SWATHE_OK; /* the tiles before or after these are not made yet */
    if (status == SWATHE_OK)
        status = copy_known(worker, &known);
    if (status != SWATHE_OK && !atomic_load(&worker->cancelled))
        worker_log(&worker->log, LOG_JOB(LOG_WARNING, "mosaic", job),
                   "tiles are copied later, not now: %s", swathe_error_text());
}
