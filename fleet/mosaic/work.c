#include "mosaic/work.h"

#include "fail.h"
#include "mosaic/source.h"
#include "worker/image_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { READ_BYTES = 4 << 20 };

swathe_status mosaic_work(struct worker *worker, struct held *held, struct outcome_image *image)
{
    const struct job *job = held->job;
    if (job->generation > 0 || (job->kind == JOB_TILES && held->attempt > 1))
        TRY(stage_unmark_failed(worker->store, worker->set, job->id));
    switch (job->kind) {
    case JOB_TILES:
        return mosaic_tiles(worker, job, image);
    case JOB_INDEX:
        return mosaic_index(worker, held);
    case JOB_PART:
        return mosaic_part(worker, held);
    default:
        return mosaic_finish(worker, held);
    }
}

enum held_verdict mosaic_judge(swathe_status status, int number)
{
    if (status == SWATHE_ERROR_IO && number == EAGAIN)
        return HELD_WAITS;
    if (status == SWATHE_ERROR_IO)
        return number == ENOENT ? HELD_HOPELESS : HELD_FAILED;
    return status == SWATHE_ERROR_MEMORY || status == SWATHE_ERROR_CANCELLED ? HELD_FAILED
                                                                             : HELD_HOPELESS;
}

void mosaic_failed(struct worker *worker, const struct job *job, const char *reason)
{
    if (mosaic_check_job(worker->set, job) == SWATHE_OK &&
        stage_mark_failed(worker->store, worker->set, job->id, reason) != SWATHE_OK)
        worker_log(&worker->log, LOG_JOB(LOG_WARNING, "mosaic", job->id),
                   "jobs after this one will wait in vain: %s", swathe_error_text());
}

void mosaic_finished(struct worker *worker, const struct job *job)
{
    if (job->kind == JOB_FINISH && stage_remove(worker->store, worker->set) != SWATHE_OK)
        worker_log(&worker->log, LOG_JOB(LOG_WARNING, "mosaic", job->id),
                   "cannot delete all temporary objects: %s", swathe_error_text());
}

/* Jobs that are submitted again remove their marks when they start, which is usually within a
 * second. */
swathe_status mosaic_wait(struct worker *worker, const struct held *held, const char *what)
{
    int64_t failed = -1;
    if (held->attempt > 2 && queue_message_age(held->message) > 1)
        TRY(stage_find_failed(worker->store, worker->set, held->job->id, &failed));
    if (failed >= 0)
        return fleet_fail(SWATHE_ERROR_INPUT,
                          "job %" PRId64 " was given up; after its cause is removed, 'swathe-fleet "
                          "retry' submits both again",
                          failed);
    return fleet_fail_system(SWATHE_ERROR_IO, EAGAIN, "waits for %s", what);
}

static bool same_shape(const swathe_shape *a, const swathe_shape *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->type == b->type && a->color == b->color && a->alpha == b->alpha;
}

swathe_status mosaic_input_open(struct worker *worker, struct mosaic_input *input)
{
    const struct set *set = worker->set;
    swathe_read_options read;
    *input = (struct mosaic_input){.metadata = SWATHE_INIT(swathe_metadata)};
    worker_image_options(worker, set->to, &read, &input->write);
    TRY(mosaic_open(worker->store, worker->context, set, &read, &input->source));
    swathe_status status =
        worker_plan(worker, input->source, set_nodata(set, input->source), &input->plan);
    if (status == SWATHE_OK)
        status =
            swathe_plan_output(input->plan, input->source, NULL, &input->shape, &input->metadata);
    if (set_ignores_nodata(set))
        input->metadata.nodata = "";
    if (status == SWATHE_OK && !same_shape(&input->shape, &set->shape))
        status = fleet_fail(SWATHE_ERROR_INPUT,
                            "the record of set %s has another shape: %" PRId64 " x %" PRId64
                            " instead of %" PRId64 " x %" PRId64,
                            set->name, set->shape.width, set->shape.height, input->shape.width,
                            input->shape.height);
    if (status != SWATHE_OK)
        mosaic_input_close(input);
    return status;
}

void mosaic_input_close(struct mosaic_input *input)
{
    if (input->plan)
        swathe_plan_destroy(input->plan);
    swathe_source_destroy(input->source);
    input->plan = NULL;
    input->source = NULL;
}

swathe_status mosaic_read(struct worker *worker, const char *url, int64_t offset, int64_t size,
                          swathe_status (*take)(void *user, const void *bytes, size_t size),
                          void *user)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    char *buffer;
    TRY(fleet_allocate(READ_BYTES, 1, &buffer));
    swathe_status status = store_reader(worker->store, url, &reader);
    if (status == SWATHE_OK && (offset > reader.size || size > reader.size - offset))
        status = fleet_fail(SWATHE_ERROR_INPUT, "%s: has %" PRId64 " bytes, not %" PRId64, url,
                            reader.size, offset + size);
    while (status == SWATHE_OK && size > 0) {
        size_t got = 0, some = size < READ_BYTES ? (size_t)size : READ_BYTES;
        status = reader.read_at(reader.user, offset, buffer, some, &got);
        if (status == SWATHE_OK && got == 0)
            status = fleet_fail_system(SWATHE_ERROR_IO, EIO, "%s: ended early", url);
        if (status == SWATHE_OK)
            status = take(user, buffer, got);
        offset += (int64_t)got;
        size -= (int64_t)got;
    }
    if (reader.destroy)
        reader.destroy(reader.user);
    free(buffer);
    return status;
}
