/* Pulls jobs so that every slot has an image to do next. */
#include "worker/worker.h"

#include "fail.h"
#include "mosaic/mosaic.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Means of the time that a pull waits: while jobs come, and for idle workers. */
enum { PULL_MS = 1000, IDLE_PULL_MS = 4000 };
/* While a pull waits, it does not see jobs of low priority. Those that assemble a mosaic become
 * ready one after the other, so pulls are short as long as there are any. */
enum { SOON_MS = 100 };
/* Seconds after the last job in which more are expected. */
enum { BUSY_SECONDS = 10 };
/* Seconds for which a draining worker without jobs waits for those of other workers, which return
 * to the queue after 30 s if such a worker dies. A worker that hangs keeps its jobs for ever. */
enum { OTHERS_SECONDS = 75 };
enum { PULL_MOST = 128, HELD_MOST = 1024, AHEAD_MOST = 256 };
/* Images are pulled ahead for this time, so that slow ones are left to other workers. */
#define AHEAD_SECONDS 0.5

/* ---- Messages ---------------------------------------------------------------------------------
 */

/* Messages of the queue become held jobs. Whatever is wrong with one ends as a dead letter. */

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

static swathe_status worker_pull_read_range(struct worker *worker, const struct job *job,
                                            char *text)
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
    TRY(worker_pull_read_range(worker, job, held->manifest));
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
static swathe_status worker_pull_prepare(struct worker *worker, struct held *held)
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
static void worker_pull_hold(struct worker *worker, struct held *held)
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
static const char *worker_pull_objection(const struct worker *worker, const struct held *held,
                                         char *text, size_t size)
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
    const char *why = worker_pull_objection(worker, held, text, sizeof text);
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
    swathe_status status = worker_pull_prepare(worker, held);
    if (status == SWATHE_OK) {
        worker_pull_hold(worker, held);
        return;
    }
    worker_break(worker, held, status);
    if (status != SWATHE_ERROR_IO && status != SWATHE_ERROR_MEMORY)
        held->verdict = HELD_HOPELESS;
    worker_settle(worker, held);
}

/* Turns a message into a held job, or settles it at once. Takes the message. */
static void worker_pull_receive(struct worker *worker, struct queue_message *message)
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

/* ---- Pulls ------------------------------------------------------------------------------------
 */

/* Jobs to pull now: enough for idle slots and some more. Small images are pulled in batches. The
 * first pull is one job, which tells how many images jobs have, and whether the store allows it. */
int worker_wants(const struct worker *worker)
{
    double ahead = 0;
    if (worker->set->is_mosaic) /* its jobs are large */
        return worker->held_count < worker->slots ? worker->slots - worker->held_count : 0;
    if (worker->image_seconds > 0)
        ahead = AHEAD_SECONDS * worker->slots / worker->image_seconds;
    ahead = ahead < AHEAD_MOST ? ahead : AHEAD_MOST;
    double images = worker->slots - worker->running + ahead - worker->untaken;
    if (images < 1 || images < ahead / 2 || worker->held_count >= HELD_MOST)
        return 0;
    if (worker->average == 0 || worker_is_suspect(worker))
        return worker->held_count == 0;
    int jobs = (int)(images / worker->average) + 1;
    return jobs < PULL_MOST ? jobs : PULL_MOST;
}

static int worker_pull_wait_for_room(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    int count = worker_wants(worker);
    while (count == 0 && !atomic_load(&worker->ending)) {
        os_condition_wait(&worker->room, &worker->mutex, 1000);
        count = worker_wants(worker);
    }
    pthread_mutex_unlock(&worker->mutex);
    return count;
}

static void tell_drained(struct worker *worker, int64_t delivered, double idle)
{
    if (delivered == 0)
        worker_log(&worker->log, LOG_EVENT(LOG_INFO, "drained"), "the set is drained");
    else
        worker_log(&worker->log, LOG_EVENT(LOG_INFO, "drained"),
                   "no job for %.0f s; the queue counts %" PRId64 " as delivered to other workers",
                   idle, delivered);
}

/* Ends the worker if the set is draining and no job is left for it, or if there was nothing to do
 * for a while. */
static void nothing_came(struct worker *worker)
{
    struct queue_lag lag;
    pthread_mutex_lock(&worker->mutex);
    bool busy = worker->held_count > 0;
    double idle = clock_now() - worker->last_job;
    pthread_mutex_unlock(&worker->mutex);
    if (busy)
        return;
    if (worker->options->idle > 0 && idle >= worker->options->idle) {
        worker_log(&worker->log, LOG_EVENT(LOG_INFO, "idle"), "no jobs for %.3f s", idle);
        worker_end(worker, 0);
    } else if (atomic_load(&worker->draining) &&
               queue_lag(worker->queue, worker->set->name, &lag) == SWATHE_OK && lag.waiting == 0 &&
               (lag.delivered == 0 || idle >= OTHERS_SECONDS)) {
        tell_drained(worker, lag.delivered, idle);
        worker_end(worker, 0);
    }
}

/* Irregular, so that of several idle workers not always the same one is the first: it could be one
 * that may not do the job. An idle worker asks rarely: there can be thousands of them. */
static int pull_ms(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    double idle = clock_now() - worker->last_job, left = worker->options->idle - idle;
    bool busy = idle < BUSY_SECONDS || worker->held_count > 0;
    pthread_mutex_unlock(&worker->mutex);
    int mean = busy || atomic_load(&worker->draining) ? PULL_MS : IDLE_PULL_MS;
    if (worker->set->is_mosaic && idle < BUSY_SECONDS)
        mean = SOON_MS;
    int ms = mean / 2 + (int)worker_scatter((uint64_t)(clock_now() * 1e9), mean);
    if (worker->options->idle > 0 && left * 1000 < ms)
        ms = left > 0.1 ? (int)(left * 1000) : 100;
    return ms;
}

static void fleet_pull(struct worker *worker, int count, double *pause)
{
    struct queue_message *messages[PULL_MOST];
    int got = 0;
    swathe_status status =
        queue_pull(worker->queue, worker->set->name, count, pull_ms(worker), messages, &got);
    if (status != SWATHE_OK) {
        worker_log(&worker->log, LOG_EVENT(LOG_WARNING, "pull"), "cannot pull jobs: %s",
                   swathe_error_text());
        worker_sleep(worker, *pause);
        *pause = *pause < 8 ? 2 * *pause : 8;
        return;
    }
    *pause = 0.25;
    for (int i = 0; i < got; i++)
        worker_pull_receive(worker, messages[i]);
    if (got == 0)
        nothing_came(worker);
}

void *worker_pull(void *user)
{
    struct worker *worker = user;
    double pause = 0.25;
    pthread_mutex_lock(&worker->mutex);
    worker->last_job = clock_now(); /* connecting and the self-test are not idle time */
    pthread_mutex_unlock(&worker->mutex);
    while (!atomic_load(&worker->ending)) {
        int count = worker_pull_wait_for_room(worker);
        if (count > 0 && !atomic_load(&worker->ending))
            fleet_pull(worker, count, &pause);
    }
    atomic_fetch_sub(&worker->threads, 1);
    return NULL;
}
