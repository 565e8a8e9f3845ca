/* The thread that reports the finished jobs of images and acknowledges them, all that are there at
 * a time. Meanwhile the slots go on with other images. Jobs of mosaics are settled by their slots:
 * they are few, and objects are deleted after the acknowledgement of the last one. */
#include "fleet_fail.h"
#include "worker/worker.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

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

void worker_hand_over(struct worker *worker, struct held *held, char *json, size_t size)
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

/* True while jobs can still finish: besides this thread and worker_keep_alive, others run. */
static bool goes_on(struct worker *worker)
{
    return !atomic_load(&worker->ending) || atomic_load(&worker->threads) > 2;
}

/* Threads that end do not tell, so that this one looks for itself then. */
static void wait_for_jobs(struct worker *worker)
{
    while (!worker->finished && goes_on(worker)) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += atomic_load(&worker->ending) ? 20000000 : 500000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&worker->finish, &worker->mutex, &until);
    }
}

/* Adds jobs to those that are left of the last round. False: there are none, and none will come. */
static bool collect(struct finishing *finishing)
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
            .state = held->result ? QUEUE_UNPUBLISHED : QUEUE_PUBLISHED,
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
            worker_unhold_locked(worker, finishing->held[i]);
            atomic_fetch_add(&worker->counts.jobs, 1);
        }
    pthread_mutex_unlock(&worker->mutex);
}

/* True if nothing is left to do for the job. */
static bool is_over(struct finishing *finishing, int index, double now)
{
    struct worker *worker = finishing->worker;
    struct queue_finished *job = &finishing->jobs[index];
    bool cancelled = atomic_load(&worker->cancelled);
    if (job->state == QUEUE_ACKNOWLEDGED) {
        queue_release(job->message);
    } else if (job->state == QUEUE_UNPUBLISHED && cancelled) {
        worker_unhold(worker, finishing->held[index]);
        queue_back(job->message, 0);
    } else if (job->state == QUEUE_PUBLISHED &&
               (cancelled || now - finishing->published[index] > ACKNOWLEDGE_SECONDS)) {
        worker_warn_unsettled(worker, finishing->held[index]);
        queue_release(job->message);
    } else {
        return false;
    }
    worker_held_free(finishing->held[index]);
    return true;
}

/* Keeps the jobs that must be tried again. */
static void sweep(struct finishing *finishing)
{
    double now = clock_now();
    int kept = 0;
    for (int i = 0; i < finishing->count; i++) {
        if (is_over(finishing, i, now))
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
    while (collect(finishing)) {
        queue_finish(worker->queue, worker->set->name, finishing->jobs, finishing->count);
        unhold_published(finishing);
        sweep(finishing);
        pause_after(finishing, &failures);
    }
    free(finishing);
    atomic_fetch_sub(&worker->threads, 1);
    return NULL;
}
