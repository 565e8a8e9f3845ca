/* Slots: threads that each do one image at a time. There are more slots than CPUs, so that
 * downloads and uploads of some images overlap the filtering of others. */
#include "fail.h"
#include "mosaic/work.h"
#include "worker/worker.h"

void worker_find_fresh(struct worker *worker)
{
    while (worker->fresh && worker->fresh->taken == worker->fresh->count)
        worker->fresh = worker->fresh->next;
}

/* The first image that no slot has taken; NULL if the worker ends. */
static struct held *slots_take(struct worker *worker, int32_t *index)
{
    struct held *held = NULL;
    pthread_mutex_lock(&worker->mutex);
    while (!atomic_load(&worker->ending) && worker->untaken == 0)
        pthread_cond_wait(&worker->work, &worker->mutex);
    if (!atomic_load(&worker->ending)) {
        held = worker->fresh;
        *index = held->taken++;
        worker_find_fresh(worker);
        held->running++;
        worker->running++;
        worker->untaken--;
        if (worker_wants(worker) > 0) /* otherwise the puller would wake for nothing */
            pthread_cond_signal(&worker->room);
    }
    pthread_mutex_unlock(&worker->mutex);
    return held;
}

/* The images that no slot has taken are not done: the job fails as a whole. */
static void break_job(struct worker *worker, struct held *held, swathe_status status)
{
    if (!held->broken)
        worker_break(worker, held, status);
    worker->untaken -= held->count - held->taken;
    held->taken = held->count;
    worker_find_fresh(worker);
}

/* True if nothing is left to do for the job, which the caller then settles. */
static bool slots_finish(struct worker *worker, struct held *held, swathe_status status,
                         double seconds)
{
    pthread_mutex_lock(&worker->mutex);
    held->running--;
    worker->running--;
    worker->image_seconds +=
        (worker->image_seconds == 0 ? 1 : 0.1) * (seconds - worker->image_seconds);
    if (status == SWATHE_OK)
        held->done++;
    else if (!atomic_load(&worker->cancelled))
        break_job(worker, held, status);
    bool over = held->done == held->count || (held->broken && held->running == 0);
    pthread_mutex_unlock(&worker->mutex);
    return over;
}

static void count_image(struct worker *worker, const struct held *held,
                        const struct outcome_image *image)
{
    struct worker_counts *counts = &worker->counts;
    if (image->status != SWATHE_OK) {
        atomic_fetch_add(&counts->failed_images, 1);
        worker_log(&worker->log, LOG_IMAGE(LOG_WARNING, "image", held->job->id, image->key), "%s",
                   image->error);
    } else {
        atomic_fetch_add(held->job->kind == JOB_AUDIT ? &counts->audits : &counts->images, 1);
    }
}

static swathe_status slots_do_image(struct worker *worker, struct held *held, int32_t index)
{
    struct outcome_image *image = &held->images[index];
    bool mosaic = mosaic_kind(held->job->kind);
    image->key = held->keys[index];
    atomic_fetch_add(&worker->counts.busy, 1);
    swathe_status status = mosaic ? mosaic_work(worker, held, image)
                                  : worker_image(worker, held, held->keys[index], image);
    atomic_fetch_sub(&worker->counts.busy, 1);
    if (status == SWATHE_OK && !mosaic)
        count_image(worker, held, image);
    return status;
}

void *worker_slot(void *user)
{
    struct worker *worker = user;
    struct held *held;
    int32_t index = 0;
    while ((held = slots_take(worker, &index))) {
        double start = clock_now();
        swathe_status status = slots_do_image(worker, held, index);
        if (slots_finish(worker, held, status, clock_now() - start))
            worker_settle(worker, held);
    }
    atomic_fetch_sub(&worker->threads, 1);
    return NULL;
}
