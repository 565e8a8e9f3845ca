/* Messages of the queue become held jobs. Whatever is wrong with one ends as a dead letter. */
#include "fleet_fail.h"
#include "mosaic/stage.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Audits are given back by workers that may not do them, which counts as a delivery. */
enum { AUDIT_DELIVERIES = 1000 };
#define MANIFEST_BYTES ((int64_t)JOB_IMAGES * (KEY_BYTES + 1))

static bool is_excluded(const struct worker *worker, const struct job *job)
{
    for (int32_t i = 0; i < job->excluded_count; i++)
        if (strcmp(job->excluded[i], worker->options->name) == 0)
            return true;
    return false;
}

/* Irregular, so that this worker is not always the first one that asks again. */
static int elsewhere_ms(const struct held *held)
{
    return 100 + (int)held_scatter(held, 1000);
}

static swathe_status read_range(struct worker *worker, const struct job *job, char *text)
{
    swathe_reader reader = SWATHE_INIT(swathe_reader);
    int64_t filled = 0;
    swathe_status status = store_reader(worker->store, worker->set->manifest, &reader);
    if (status != SWATHE_OK)
        return status;
    if (job->offset < 0 || job->size > reader.size || job->offset > reader.size - job->size)
        status = fleet_fail(SWATHE_ERROR_INPUT,
                            "bytes %" PRId64 " to %" PRId64 " of the manifest, which has %" PRId64,
                            job->offset, job->offset + job->size, reader.size);
    while (status == SWATHE_OK && filled < job->size) {
        size_t got = 0;
        status = reader.read_at(reader.user, job->offset + filled, text + filled,
                                (size_t)(job->size - filled), &got);
        if (status == SWATHE_OK && got == 0)
            status = fleet_fail(SWATHE_ERROR_IO, "the manifest ended early");
        filled += (int64_t)got;
    }
    if (reader.destroy)
        reader.destroy(reader.user);
    return status;
}

/* Divides the range into lines; each is a key, or empty. They may end with CR LF. */
static swathe_status split_lines(struct held *held, int64_t size)
{
    char *at = held->manifest;
    if (size == 0 || at[size - 1] != '\n' || memchr(at, '\0', (size_t)size))
        return fleet_fail(SWATHE_ERROR_INPUT, "the range of the manifest is not whole lines");
    TRY(fleet_allocate(JOB_IMAGES, sizeof *held->keys, &held->keys));
    while (at < held->manifest + size) {
        char *end = strchr(at, '\n');
        end[end > at && end[-1] == '\r' ? -1 : 0] = '\0';
        if (*at && held->count == JOB_IMAGES)
            return fleet_fail(SWATHE_ERROR_LIMIT, "more than %d images in a job", JOB_IMAGES);
        if (*at && !key_is_safe(at))
            return fleet_fail(SWATHE_ERROR_INPUT, "the manifest has a key that is not allowed");
        if (*at)
            held->keys[held->count++] = at;
        at = end + 1;
    }
    return SWATHE_OK;
}

static swathe_status load_manifest(struct worker *worker, struct held *held)
{
    const struct job *job = held->job;
    if (!worker->set->manifest)
        return fleet_fail(SWATHE_ERROR_INPUT, "the set has no manifest");
    if (job->size < 1 || job->size > MANIFEST_BYTES)
        return fleet_fail(SWATHE_ERROR_LIMIT, "%" PRId64 " bytes of the manifest, limit %" PRId64,
                          job->size, MANIFEST_BYTES);
    TRY(worker_allow_check(&worker->options->allow, worker->set->manifest));
    TRY(fleet_allocate((size_t)job->size + 1, 1, &held->manifest));
    TRY(read_range(worker, job, held->manifest));
    return split_lines(held, job->size);
}

static void prepare_mosaic(struct held *held)
{
    if (held->job->kind == JOB_TILES)
        stage_tiles_name(held->job->id, held->piece);
    else
        snprintf(held->piece, sizeof held->piece, "%s", job_kind_name(held->job->kind));
    held->pieces[0] = held->piece;
    held->keys = held->pieces;
    held->count = 1;
}

/* What each kind of job needs before its images are done. */
static swathe_status prepare(struct worker *worker, struct held *held)
{
    struct job *job = held->job;
    if (worker->set->is_mosaic || mosaic_kind(job->kind))
        TRY(mosaic_check_job(worker->set, job));
    switch (job->kind) {
    case JOB_IMAGES_KEYS:
    case JOB_AUDIT:
        held->keys = job->keys;
        held->count = job->count;
        break;
    case JOB_MANIFEST:
        TRY(load_manifest(worker, held));
        break;
    default:
        prepare_mosaic(held);
    }
    if (held->count < 1 || (job->kind == JOB_AUDIT && held->count != 1))
        return fleet_fail(SWATHE_ERROR_INPUT, "%d images in a job of kind '%s'", (int)held->count,
                          job_kind_name(job->kind));
    return fleet_allocate((size_t)held->count, sizeof *held->images, &held->images);
}

/* Adds the job to the list and wakes the slots. */
static void hold(struct worker *worker, struct held *held)
{
    pthread_mutex_lock(&worker->mutex);
    *worker->held_end = held;
    worker->held_end = &held->next;
    if (!worker->fresh)
        worker->fresh = held;
    worker->held_count++;
    worker->untaken += held->count;
    if (worker->average == 0)
        worker->average = held->count;
    worker->average += 0.2 * (held->count - worker->average);
    worker->last_job = clock_now();
    if (held->count == 1)
        pthread_cond_signal(&worker->work);
    else
        pthread_cond_broadcast(&worker->work);
    pthread_mutex_unlock(&worker->mutex);
}

/* Checks a job that was parsed. Returns a reason to give it up, or NULL. */
static const char *objection(const struct worker *worker, const struct held *held, char *text,
                             size_t size)
{
    const struct job *job = held->job;
    int64_t most = worker->set->attempts + (job->kind == JOB_AUDIT ? AUDIT_DELIVERIES : 0);
    if (mosaic_kind(job->kind) && job->kind != JOB_TILES)
        most =
            INT64_MAX; /* they wait for others, which counts as a delivery; their age is limited */
    if (strcmp(job->set, worker->set->identity) != 0) {
        snprintf(text, size, "the job is of set %s", job->set);
        return text;
    }
    if (held->attempt <= most)
        return NULL;
    snprintf(text, size,
             "delivered %" PRId64 " times, limit %" PRId64
             ", and never settled: its workers ended before they could report",
             held->attempt, most);
    return text;
}

static void accept_job(struct worker *worker, struct held *held)
{
    char text[256];
    /* Jobs of a set that replaced this one are for its workers. */
    if (strcmp(held->job->set, worker->set->identity) != 0 && !worker_set_is_same(worker)) {
        queue_back(held->message, 0);
        worker_held_free(held);
        return;
    }
    const char *why = objection(worker, held, text, sizeof text);
    if (why) {
        worker_bury(worker, held->message, held->job, why);
        worker_held_free(held);
        return;
    }
    if (is_excluded(worker, held->job)) {
        queue_back(held->message, elsewhere_ms(held));
        worker_held_free(held);
        return;
    }
    swathe_status status = prepare(worker, held);
    if (status == SWATHE_OK) {
        hold(worker, held);
        return;
    }
    worker_break(worker, held, status);
    if (status != SWATHE_ERROR_IO && status != SWATHE_ERROR_MEMORY)
        held->verdict = HELD_HOPELESS;
    worker_settle(worker, held);
}

void worker_receive(struct worker *worker, struct queue_message *message)
{
    size_t size;
    struct held *held;
    const char *json = queue_message_data(message, &size);
    if (queue_message_attempt(message) > 1)
        atomic_fetch_add(&worker->counts.redeliveries, 1);
    if (fleet_allocate(1, sizeof *held, &held) != SWATHE_OK) {
        queue_back(message, 5000);
        return;
    }
    held->message = message;
    held->attempt = queue_message_attempt(message);
    held->started = clock_now();
    swathe_status status = job_parse(json, size, &held->job);
    if (status == SWATHE_OK) {
        accept_job(worker, held);
        return;
    }
    if (status == SWATHE_ERROR_MEMORY) {
        queue_back(message, 5000);
    } else {
        snprintf(held->why, sizeof held->why, "%s", swathe_error_text());
        worker_bury(worker, message, NULL, held->why);
    }
    worker_held_free(held);
}
