#include "batch/schedule.h"

#include "../../src/base/os_clock.h"
#include "../../src/base/os_thread.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <stdlib.h>

/* A power cut loses the work since the last sync, and a sync keeps the disk busy. So there is one
 * every five seconds, and syncs take at most a tenth of the time. */
static const double sync_interval = 5, sync_share = 10;
enum { TICK = 100 }; /* ms between updates of the progress */

static void *thread_main(void *user)
{
    struct worker *worker = user;
    struct batch *batch = worker->batch;
    work(worker);
    pthread_mutex_lock(&batch->mutex);
    batch->working--;
    pthread_cond_signal(&batch->ended);
    pthread_mutex_unlock(&batch->mutex);
    return NULL;
}

/* Fewer threads than requested are not an error. */
static int32_t start(struct batch *batch, struct worker *workers)
{
    int32_t started = 0;
    for (; started < batch->share->workers; started++) {
        workers[started].batch = batch;
        pthread_mutex_lock(&batch->mutex);
        batch->working++;
        pthread_mutex_unlock(&batch->mutex);
        if (!os_thread_start(&workers[started].thread, thread_main, &workers[started]))
            break;
    }
    if (started < batch->share->workers) {
        pthread_mutex_lock(&batch->mutex);
        batch->working--;
        pthread_mutex_unlock(&batch->mutex);
    }
    return started;
}

/* False: all workers have ended. */
static bool wait_a_tick(struct batch *batch)
{
    pthread_mutex_lock(&batch->mutex);
    double until = clock_now() + TICK / 1000.0;
    int left = TICK;
    while (batch->working > 0 && left > 0 && os_condition_wait(&batch->ended, &batch->mutex, left))
        left = (int)((until - clock_now()) * 1000);
    bool working = batch->working > 0;
    pthread_mutex_unlock(&batch->mutex);
    return working;
}

static void show(struct batch *batch, int64_t left)
{
    pthread_mutex_lock(&batch->mutex);
    batch->progress.failed = batch->failures.count;
    pthread_mutex_unlock(&batch->mutex);
    progress_show(&batch->progress, (int64_t)atomic_load(&batch->over), left);
}

/* Reports a failed sync; the workers then stop without further messages. */
static int sync_now(struct batch *batch, double *next)
{
    double begin = clock_now();
    int code = journal_sync(&batch->journal);
    double took = clock_now() - begin;
    *next = clock_now() + (sync_share * took > sync_interval ? sync_share * took : sync_interval);
    if (code != 0)
        atomic_store(&batch->stop, code);
    return code;
}

static int watch(struct batch *batch, int64_t left)
{
    double next_sync = clock_now() + sync_interval;
    int code = 0;
    show(batch, left);
    while (wait_a_tick(batch)) {
        show(batch, left);
        if (code == 0 && clock_now() >= next_sync)
            code = sync_now(batch, &next_sync);
    }
    show(batch, left);
    progress_hide(&batch->progress);
    return code == 0 ? sync_now(batch, &next_sync) : code;
}

int schedule_run(struct batch *batch, int64_t left)
{
    struct worker *workers = calloc((size_t)batch->share->workers, sizeof *workers);
    int32_t started = workers ? start(batch, workers) : 0;
    int code = started > 0 ? 0 : complain(SWATHE_ERROR_MEMORY, "batch: no thread could be started");
    if (started > 0)
        code = watch(batch, left);
    for (int32_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
    if (code == 0 && atomic_load(&batch->stop) != 0)
        code = complain((swathe_status)atomic_load(&batch->stop), "%s", batch->stop_text);
    if (code == 0 && interrupt_caught())
        code = EXIT_SIGNAL + interrupt_caught();
    return code;
}
