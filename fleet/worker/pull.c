/* Pulls jobs so that every slot has an image to do next. */
#include "worker/worker.h"

#include <inttypes.h>
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

static int wait_for_room(struct worker *worker)
{
    struct timespec until;
    pthread_mutex_lock(&worker->mutex);
    int count = worker_wants(worker);
    while (count == 0 && !atomic_load(&worker->ending)) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&worker->room, &worker->mutex, &until);
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

static void pull(struct worker *worker, int count, double *pause)
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
        worker_receive(worker, messages[i]);
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
        int count = wait_for_room(worker);
        if (count > 0 && !atomic_load(&worker->ending))
            pull(worker, count, &pause);
    }
    atomic_fetch_sub(&worker->threads, 1);
    return NULL;
}
