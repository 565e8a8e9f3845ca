/* Jobs of tiles: filters a part of the image into compressed tiles. */
#include "fail.h"
#include "mosaic/work.h"
#include "worker/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tiles_work {
    struct worker *worker;
    const struct job *job;
    char name[STAGE_NAME];
    char *url;
    struct mosaic_input input;
    swathe_tiff_part part;
    struct byte_writer output;
    struct worker_hash *hash;
    swathe_sink *sink;
    struct stage_tiles record;
};

/* True if an earlier attempt wrote the tiles. Jobs that were submitted again are done again. */
static bool mosaic_tiles_is_done(struct tiles_work *work)
{
    const struct worker *worker = work->worker;
    int64_t size;
    return work->job->generation == 0 &&
           stage_get_tiles(worker->store, worker->set, work->job->id, &work->record) == SWATHE_OK &&
           stage_size(worker->store, worker->set, work->name, &size) == SWATHE_OK &&
           size == work->record.size;
}

static swathe_status mosaic_tiles_create_sink(struct tiles_work *work)
{
    struct worker *worker = work->worker;
    struct mosaic_input *input = &work->input;
    work->part = SWATHE_INIT(swathe_tiff_part);
    work->part.first = work->job->offset;
    work->part.count = work->job->size;
    work->part.sizes = work->record.sizes;
    input->write.tiff_part = &work->part;
    input->write.format = "tiff";
    TRY(store_writer(worker->store, work->url, &work->output.inner));
    swathe_writer writer = byte_writer_make(&work->output, work->hash, work->url);
    return swathe_sink_create(worker->context, &writer, &input->shape, &input->metadata,
                              &input->write, &work->sink);
}

static swathe_status mosaic_tiles_check_part(const struct tiles_work *work)
{
    const struct set *set = work->worker->set;
    const swathe_tiff_part *part = &work->part;
    if (part->tiles == set->tiles && part->tile_rows == set->tile_rows &&
        part->column_tiles == set->column_tiles && part->planes == set->planes)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INPUT, "the record of set %s has other numbers of tiles",
                      set->name);
}

static swathe_status filter_tiles(struct tiles_work *work)
{
    struct worker *worker = work->worker;
    swathe_run_options options = SWATHE_INIT(swathe_run_options);
    options.threads = worker->options->cpus;
    options.region = work->part.region;
    options.progress = worker_run_cancelled;
    options.progress_user = worker;
    return swathe_run_stream(worker->context, work->input.plan, work->input.source, work->sink,
                             &options);
}

static swathe_status mosaic_tiles_filter(struct tiles_work *work)
{
    struct worker *worker = work->worker;
    TRY(worker_hash_create(&work->hash));
    TRY(mosaic_input_open(worker, &work->input));
    TRY(mosaic_tiles_create_sink(work));
    TRY(mosaic_tiles_check_part(work));
    TRY(filter_tiles(work));
    TRY(swathe_sink_commit(work->sink));
    TRY(worker_hash_finish(work->hash, work->record.bytes));
    work->record.first = work->job->offset;
    work->record.count = work->job->size;
    work->record.size = work->output.size;
    atomic_fetch_add(&worker->counts.pixels, work->part.region.width * work->part.region.height);
    return stage_put_tiles(worker->store, worker->set, work->job->id, &work->record);
}

static swathe_status do_tiles(struct tiles_work *work)
{
    struct worker *worker = work->worker;
    TRY(stage_url(worker->set, work->name, &work->url));
    TRY(fleet_allocate((size_t)work->job->size, (size_t)worker->set->planes * sizeof(int64_t),
                       &work->record.sizes));
    if (mosaic_tiles_is_done(work))
        return SWATHE_OK;
    double start = clock_now();
    swathe_status status = mosaic_tiles_filter(work);
    swathe_sink_destroy(work->sink);
    mosaic_input_close(&work->input);
    atomic_fetch_add(&worker->counts.compute_time, (long long)((clock_now() - start) * 1e6));
    return status;
}

swathe_status mosaic_tiles(struct worker *worker, const struct job *job,
                           struct outcome_image *image)
{
    struct tiles_work work = {.worker = worker, .job = job};
    stage_tiles_name(job->id, work.name);
    swathe_status status = do_tiles(&work);
    if (status == SWATHE_OK) {
        /* A checksum of the samples would cost a tenth of the time. */
        memcpy(image->samples, work.record.bytes, sizeof image->samples);
        memcpy(image->bytes, work.record.bytes, sizeof image->bytes);
        image->size = work.record.size;
    }
    worker_hash_destroy(work.hash);
    free(work.record.sizes);
    free(work.url);
    return status;
}
