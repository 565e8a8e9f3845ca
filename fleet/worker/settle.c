/* Reports what became of a job, then settles its message. The report comes first: if the worker
 * ends between the two, the job is done again and reported twice, which does no harm. */
#include "worker/worker.h"

#include "fail.h"
#include "mosaic/work.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BACK_OFF_MS = 1000, BACK_OFF_MOST_MS = 60000 };
enum { WAIT_DAYS = 14 }; /* of jobs that wait for others */

void worker_held_free(struct held *held)
{
    if (held->manifest)
        free(held->keys);
    free(held->manifest);
    free(held->result);
    free(held->images);
    job_free(held->job);
    free(held);
}

/* Removes a job from the list, so that it is no longer kept alive. The caller holds the mutex. */
static void unhold_locked(struct worker *worker, struct held *held)
{
    struct held **at = &worker->held;
    while (*at && *at != held)
        at = &(*at)->next;
    if (*at) {
        *at = held->next;
        if (worker->fresh == held)
            worker->fresh = held->next;
        worker_find_fresh(worker);
        if (worker->held_end == &held->next)
            worker->held_end = at;
        worker->held_count--;
        worker->last_job = clock_now();
        if (worker_wants(worker) > 0)
            pthread_cond_signal(&worker->room);
    }
}

static void worker_settle_unhold(struct worker *worker, struct held *held)
{
    pthread_mutex_lock(&worker->mutex);
    unhold_locked(worker, held);
    pthread_mutex_unlock(&worker->mutex);
}

/* Publishes until it succeeds: the connection may be lost for a while. Gives up only after the
 * grace time. */
static swathe_status worker_settle_publish(struct worker *worker, enum queue_outcome kind,
                                           int64_t id, const char *json, size_t size)
{
    for (double pause = 0.5;; pause = pause < 8 ? 2 * pause : 8) {
        swathe_status status = queue_publish(worker->queue, worker->set->name, kind, json, size);
        if (status == SWATHE_OK || atomic_load(&worker->cancelled))
            return status;
        worker_log(&worker->log, LOG_JOB(LOG_WARNING, "publish", id),
                   "cannot publish, trying again: %s", swathe_error_text());
        worker_sleep(worker, pause);
        if (atomic_load(&worker->ending))
            nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    }
}

static struct outcome outcome_of(const struct worker *worker, const struct job *job,
                                 int64_t attempt)
{
    struct outcome outcome = {.id = job ? job->id : -1, .attempt = attempt};
    snprintf(outcome.set, sizeof outcome.set, "%s", worker->set->identity);
    snprintf(outcome.worker, sizeof outcome.worker, "%s", worker->options->name);
    outcome.kind = job ? job->kind : JOB_IMAGES_KEYS;
    outcome.generation = job ? job->generation : 0;
    return outcome;
}

void worker_bury(struct worker *worker, struct queue_message *message, const struct job *job,
                 const char *reason)
{
    if (job && strcmp(job->set, worker->set->identity) != 0)
        job = NULL; /* its number is one of another set */
    struct outcome outcome = outcome_of(worker, job, queue_message_attempt(message));
    char *json = NULL;
    size_t size;
    snprintf(outcome.reason, sizeof outcome.reason, "%s", reason);
    outcome.job = (struct job *)job; /* only read */
    worker_log(&worker->log, LOG_JOB(LOG_ERROR, "dead", outcome.id), "given up: %s", reason);
    if (outcome.job && mosaic_kind(job->kind))
        mosaic_failed(worker, job, reason);
    swathe_status status = outcome_format(&outcome, &json, &size);
    if (status == SWATHE_OK)
        status = worker_settle_publish(worker, QUEUE_DEAD, outcome.id, json, size);
    free(json);
    if (status == SWATHE_OK) {
        atomic_fetch_add(&worker->counts.jobs_dead, 1);
        status = queue_drop(message);
    } else {
        queue_back(message, BACK_OFF_MS);
    }
    if (status != SWATHE_OK)
        worker_log(&worker->log, LOG_JOB(LOG_WARNING, "settle", outcome.id), "%s",
                   swathe_error_text());
}

/* One message for each result, because the tally counts by message. Jobs of submit are so small
 * that their results fit at least with short texts. */
static swathe_status format_result(const struct worker *worker, const struct held *held,
                                   char **json, size_t *size)
{
    struct outcome outcome = outcome_of(worker, held->job, held->attempt);
    outcome.images = held->images;
    outcome.count = mosaic_kind(held->job->kind) && held->job->kind != JOB_TILES ? 0 : held->count;
    outcome.seconds = clock_now() - held->started;
    return outcome_format(&outcome, json, size);
}

/* Longer with every attempt, and not the same for jobs that failed together. */
static int back_off(const struct held *held)
{
    int64_t most = BACK_OFF_MS;
    for (int64_t i = 1; i < held->attempt && most < BACK_OFF_MOST_MS; i++)
        most *= 2;
    most = most < BACK_OFF_MOST_MS ? most : BACK_OFF_MOST_MS;
    return (int)(most / 2 + held_scatter(held, most / 2));
}

/* Failed attempts of a job. Deliveries of a job that waits for others are not attempts, so those of
 * this worker are counted. */
static int64_t count_attempts(struct worker *worker, const struct held *held)
{
    if (!mosaic_kind(held->job->kind) || held->job->kind == JOB_TILES)
        return held->attempt;
    int64_t index = held->job->id - mosaic_tile_jobs(worker->set);
    pthread_mutex_lock(&worker->mutex);
    if (worker->failures[index].generation != held->job->generation)
        worker->failures[index].count = 0; /* those were of attempts before a retry */
    worker->failures[index].generation = (int32_t)held->job->generation;
    int64_t count = ++worker->failures[index].count;
    pthread_mutex_unlock(&worker->mutex);
    return count;
}

/* Not an attempt; but a job does not wait for ever. */
static void settle_waiting(struct worker *worker, struct held *held)
{
    char reason[OUTCOME_REASON_BYTES + 1];
    struct queue_lag lag = {0};
    double age = queue_message_age(held->message);
    if (age < WAIT_DAYS * 86400) {
        if (queue_lag(worker->queue, worker->set->name, &lag) != SWATHE_OK)
            lag.waiting = INT64_MAX; /* the longest pause */
        queue_back(held->message, mosaic_wait_ms(worker->set, lag.waiting + lag.delivered, age));
        return;
    }
    snprintf(reason, sizeof reason, "%.400s since %d days", held->why, WAIT_DAYS);
    worker_bury(worker, held->message, held->job, reason);
}

static void settle_broken(struct worker *worker, struct held *held)
{
    if (held->verdict == HELD_HOPELESS) {
        worker_bury(worker, held->message, held->job, held->why);
        return;
    }
    int64_t id = held->job->id, attempts = count_attempts(worker, held);
    if (attempts >= worker->set->attempts && held->job->kind != JOB_AUDIT) {
        char reason[OUTCOME_REASON_BYTES + 1];
        snprintf(reason, sizeof reason, "attempt %" PRId64 " of %d failed: %.400s", attempts,
                 (int)worker->set->attempts, held->why);
        worker_bury(worker, held->message, held->job, reason);
        return;
    }
    int delay = back_off(held);
    worker_log(&worker->log, LOG_JOB(LOG_WARNING, "given-back", id),
               "attempt %" PRId64 " failed, again in %d ms: %s", held->attempt, delay, held->why);
    atomic_fetch_add(&worker->counts.jobs_given_back, 1);
    queue_back(held->message, delay);
}

void worker_break(struct worker *worker, struct held *held, swathe_status status)
{
    int number = fleet_fail_number();
    held->broken = true;
    snprintf(held->why, sizeof held->why, "%s", swathe_error_text());
    if (status == SWATHE_ERROR_IO &&
        (number == EKEYREJECTED || (number == EACCES && worker_is_suspect(worker))))
        held->verdict = HELD_DENIED;
    else if (mosaic_kind(held->job->kind))
        held->verdict = mosaic_judge(status, number);
}

/* Otherwise it would fail one job after the other, up to the last attempt of each. */
static void end_denied(struct worker *worker, const struct held *held)
{
    if (!atomic_load(&worker->ending))
        worker_log(&worker->log, LOG_JOB(LOG_ERROR, "denied", held->job->id),
                   "the store denies this worker access, so it ends: %s; give it credentials that "
                   "are valid for the set, and start it again",
                   held->why);
    worker_end(worker, SWATHE_ERROR_IO);
}

/* The queue has the result of a job but not its acknowledgement. */
static void warn_unsettled(struct worker *worker, const struct held *held)
{
    worker_log(&worker->log, LOG_JOB(LOG_WARNING, "settle", held->job->id),
               "reported, but not acknowledged, so it may be done again: %s", swathe_error_text());
}

static swathe_status settle_mosaic(struct worker *worker, struct held *held, const char *json,
                                   size_t size)
{
    TRY(worker_settle_publish(worker, QUEUE_RESULT, held->job->id, json, size));
    worker_settle_unhold(worker, held);
    atomic_fetch_add(&worker->counts.jobs, 1);
    if (queue_done(held->message) == SWATHE_OK)
        mosaic_finished(worker, held->job);
    else
        warn_unsettled(worker, held);
    return SWATHE_OK;
}

/* Leaves a finished job, and the message with its result, to worker_finish. */
static void worker_settle_hand_over(struct worker *worker, struct held *held, char *json,
                                    size_t size)
{
    held->result = json;
    held->result_size = size;
    pthread_mutex_lock(&worker->mutex);
    *worker->finished_end = held;
    worker->finished_end = &held->next_finished;
    if (worker->finished == held) /* otherwise the thread was told */
        pthread_cond_signal(&worker->finish);
    pthread_mutex_unlock(&worker->mutex);
}

static void settle_done(struct worker *worker, struct held *held)
{
    char *json = NULL;
    size_t size = 0;
    swathe_status status = format_result(worker, held, &json, &size);
    if (status == SWATHE_OK && !worker->set->is_mosaic) {
        worker_settle_hand_over(worker, held, json, size);
        return;
    }
    if (status == SWATHE_OK)
        status = settle_mosaic(worker, held, json, size);
    free(json);
    if (status != SWATHE_OK) {
        worker_settle_unhold(worker, held);
        if (status == SWATHE_ERROR_LIMIT)
            worker_bury(worker, held->message, held->job, "its result does not fit a message");
        else
            queue_back(held->message, 0);
    }
    worker_held_free(held);
}

void worker_settle(struct worker *worker, struct held *held)
{
    if (!held->broken) {
        settle_done(worker, held);
        return;
    }
    if (held->verdict == HELD_DENIED) {
        end_denied(worker, held); /* first, so that no other job is pulled */
        worker_give_back(worker, held);
        return;
    }
    worker_settle_unhold(worker, held);
    if (held->verdict == HELD_WAITS)
        settle_waiting(worker, held);
    else
        settle_broken(worker, held);
    worker_held_free(held);
}

void worker_give_back(struct worker *worker, struct held *held)
{
    worker_settle_unhold(worker, held);
    atomic_fetch_add(&worker->counts.jobs_given_back, 1);
    worker_log(&worker->log, LOG_JOB(LOG_INFO, "given-back", held->job->id),
               "given back with %d of %d images done", (int)held->done, (int)held->count);
    queue_back(held->message, 0);
    worker_held_free(held);
}

/* ---- The thread of finished jobs --------------------------------------------------------------
 */

/* The thread that reports the finished jobs of images and acknowledges them, all that are there at
 * a time. Meanwhile the slots go on with other images. Jobs of mosaics are settled by their slots:
 * they are few, and objects are deleted after the acknowledgement of the last one. */

enum { AT_ONCE = 256, LOG_FAILURES = 16 };
/* Seconds for the acknowledgement of a job that was reported, while the server restarts. */
enum { ACKNOWLEDGE_SECONDS = 60 };

struct finishing {
    struct worker *worker;
    struct held *held[AT_ONCE];
    struct queue_finished jobs[AT_ONCE];
    double published[AT_ONCE]; /* when the stream had confirmed the result; 0: not yet */
    int count;
};

/* True while jobs can still finish: besides this thread and worker_keep_alive, others run. */
static bool goes_on(struct worker *worker)
{
    return !atomic_load(&worker->ending) || atomic_load(&worker->threads) > 2;
}

/* Threads that end do not tell, so that this one looks for itself then. */
static void wait_for_jobs(struct worker *worker)
{
    while (!worker->finished && goes_on(worker))
        os_condition_wait(&worker->finish, &worker->mutex, atomic_load(&worker->ending) ? 20 : 500);
}

/* Adds jobs to those that are left of the last round. False: there are none, and none will come. */
static bool worker_settle_collect(struct finishing *finishing)
{
    struct worker *worker = finishing->worker;
    pthread_mutex_lock(&worker->mutex);
    if (finishing->count == 0)
        wait_for_jobs(worker);
    while (worker->finished && finishing->count < AT_ONCE) {
        struct held *held = worker->finished;
        worker->finished = held->next_finished;
        finishing->held[finishing->count] = held;
        finishing->published[finishing->count] = 0;
        finishing->jobs[finishing->count++] = (struct queue_finished){
            .message = held->message,
            .json = held->result,
            .size = held->result_size,
            .state = QUEUE_UNPUBLISHED,
        };
    }
    if (!worker->finished)
        worker->finished_end = &worker->finished;
    pthread_mutex_unlock(&worker->mutex);
    return finishing->count > 0;
}

/* Reported jobs need not be kept alive; the queue has what they made. */
static void unhold_published(struct finishing *finishing)
{
    struct worker *worker = finishing->worker;
    double now = clock_now();
    pthread_mutex_lock(&worker->mutex);
    for (int i = 0; i < finishing->count; i++)
        if (finishing->jobs[i].state != QUEUE_UNPUBLISHED && finishing->published[i] == 0) {
            finishing->published[i] = now;
            unhold_locked(worker, finishing->held[i]);
            atomic_fetch_add(&worker->counts.jobs, 1);
        }
    pthread_mutex_unlock(&worker->mutex);
}

/* True if nothing is left to do for the job. */
static bool worker_settle_is_over(struct finishing *finishing, int index, double now)
{
    struct worker *worker = finishing->worker;
    struct queue_finished *job = &finishing->jobs[index];
    bool cancelled = atomic_load(&worker->cancelled);
    if (job->state == QUEUE_ACKNOWLEDGED) {
        queue_release(job->message);
    } else if (job->state == QUEUE_UNPUBLISHED && cancelled) {
        worker_settle_unhold(worker, finishing->held[index]);
        queue_back(job->message, 0);
    } else if (job->state == QUEUE_PUBLISHED &&
               (cancelled || now - finishing->published[index] > ACKNOWLEDGE_SECONDS)) {
        warn_unsettled(worker, finishing->held[index]);
        queue_release(job->message);
    } else {
        return false;
    }
    worker_held_free(finishing->held[index]);
    return true;
}

/* Keeps the jobs that must be tried again. */
static void worker_settle_sweep(struct finishing *finishing)
{
    double now = clock_now();
    int kept = 0;
    for (int i = 0; i < finishing->count; i++) {
        if (worker_settle_is_over(finishing, i, now))
            continue;
        finishing->held[kept] = finishing->held[i];
        finishing->jobs[kept] = finishing->jobs[i];
        finishing->published[kept++] = finishing->published[i];
    }
    finishing->count = kept;
}

/* The connection may be lost for a while. Without it a try costs nothing, so that pauses stay
 * short, but only some are worth a line in the log. */
static void pause_after(struct finishing *finishing, int *failures)
{
    struct worker *worker = finishing->worker;
    *failures = finishing->count > 0 ? *failures + 1 : 0;
    if (*failures == 0)
        return;
    if (*failures % LOG_FAILURES == 3)
        worker_log(&worker->log, LOG_EVENT(LOG_WARNING, "publish"),
                   "cannot report or acknowledge %d jobs, trying again: %s", finishing->count,
                   swathe_error_text());
    worker_sleep(worker, *failures < 4 ? 0.25 : 1);
    if (atomic_load(&worker->ending))
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

void *worker_finish(void *user)
{
    struct worker *worker = user;
    struct finishing *finishing;
    int failures = 0;
    if (fleet_allocate(1, sizeof *finishing, &finishing) != SWATHE_OK) {
        worker_end(worker, SWATHE_ERROR_MEMORY);
        atomic_fetch_sub(&worker->threads, 1);
        return NULL;
    }
    finishing->worker = worker;
    while (worker_settle_collect(finishing)) {
        queue_finish(worker->queue, worker->set->name, finishing->jobs, finishing->count);
        unhold_published(finishing);
        worker_settle_sweep(finishing);
        pause_after(finishing, &failures);
    }
    free(finishing);
    atomic_fetch_sub(&worker->threads, 1);
    return NULL;
}
