#include "../../src/base/os_clock.h"
#include "../../src/base/os_machine.h"
#include "../../src/base/os_thread.h"
#include "batch/batch.h"
#include "commands/request.h"
#include "terminal/interrupt.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Failures ------------------------------------------------------------------------------- */

void failures_add(struct failures *failures, const char *text)
{
    if (failures->count < FAILURES_SHOWN)
        failures->texts[failures->count] = strdup(text);
    failures->count++;
}

void failures_print(const struct failures *failures)
{
    for (int i = 0; i < FAILURES_SHOWN && i < failures->count; i++)
        complain(SWATHE_OK, "%s", failures->texts[i] ? failures->texts[i] : "an image failed");
    if (failures->count > FAILURES_SHOWN)
        complain(SWATHE_OK, "... and %" PRId64 " more, all in the journal as `failed` records",
                 failures->count - FAILURES_SHOWN);
}

void failures_free(struct failures *failures)
{
    for (int i = 0; i < FAILURES_SHOWN; i++)
        free(failures->texts[i]);
}

/* ---- Threads and memory of an image --------------------------------------------------------- */

enum { FILES_EACH = 4 }; /* most files that a worker has open, plus one */
#define SMALL_PIXELS ((int64_t)4 << 20)

/* The number of workers that can have their files open. Raises the limit on open files as far as
 * possible and reserves the share of two workers for the batch itself. */
static int32_t most_workers(void)
{
    int64_t most = os_most_files() / FILES_EACH;
    return most > INT32_MAX ? INT32_MAX : most > 3 ? (int32_t)most - 2 : 1;
}

void thread_share_make(const struct options *options, int64_t images, struct thread_share *share)
{
    int32_t threads = request_threads(options);
    int32_t most = most_workers();
    share->workers = threads < most ? threads : most;
    if (images < share->workers)
        share->workers = images > 0 ? (int32_t)images : 1;
    int64_t memory = request_memory(options) / share->workers;
    snprintf(share->memory_text, sizeof share->memory_text, "%" PRId64, memory > 0 ? memory : 1);
    share->threads = threads;
    share->own = *options;
    share->own.values[OPTION_MAX_MEMORY] = share->memory_text;
}

int32_t thread_share_threads(const struct thread_share *share, int64_t pixels, int64_t left)
{
    if (pixels < SMALL_PIXELS || left >= share->workers)
        return 1;
    return share->threads;
}

/* ---- Workers -------------------------------------------------------------------------------- */

/* A power cut loses the work since the last sync, and a sync keeps the disk busy. So there is one
 * every five seconds, and syncs take at most a tenth of the time. */
static const double sync_interval = 5, sync_share = 10;
enum { TICK = 100 }; /* ms between updates of the progress */

static void *batch_schedule_thread_main(void *user)
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
static int32_t batch_schedule_start(struct batch *batch, struct worker *workers)
{
    int32_t started = 0;
    for (; started < batch->share->workers; started++) {
        workers[started].batch = batch;
        pthread_mutex_lock(&batch->mutex);
        batch->working++;
        pthread_mutex_unlock(&batch->mutex);
        if (!os_thread_start(&workers[started].thread, batch_schedule_thread_main,
                             &workers[started]))
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

static void batch_schedule_show(struct batch *batch, int64_t left)
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

static int batch_schedule_watch(struct batch *batch, int64_t left)
{
    double next_sync = clock_now() + sync_interval;
    int code = 0;
    batch_schedule_show(batch, left);
    while (wait_a_tick(batch)) {
        batch_schedule_show(batch, left);
        if (code == 0 && clock_now() >= next_sync)
            code = sync_now(batch, &next_sync);
    }
    batch_schedule_show(batch, left);
    progress_hide(&batch->progress);
    return code == 0 ? sync_now(batch, &next_sync) : code;
}

int schedule_run(struct batch *batch, int64_t left)
{
    struct worker *workers = calloc((size_t)batch->share->workers, sizeof *workers);
    int32_t started = workers ? batch_schedule_start(batch, workers) : 0;
    int code = started > 0 ? 0 : complain(SWATHE_ERROR_MEMORY, "batch: no thread could be started");
    if (started > 0)
        code = batch_schedule_watch(batch, left);
    for (int32_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    free(workers);
    if (code == 0 && atomic_load(&batch->stop) != 0)
        code = complain((swathe_status)atomic_load(&batch->stop), "%s", batch->stop_text);
    if (code == 0 && interrupt_caught())
        code = EXIT_SIGNAL + interrupt_caught();
    return code;
}
