/* The life of a worker: opens the set, starts threads, waits for signals, gives jobs back. */
#include "worker/worker.h"

#include "../../src/base/os_machine.h"
#include "fail.h"
#include "mosaic/mosaic.h"
#include "store.h"
#include "worker/image_options.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds beyond the grace time for interrupted calls to return. */
enum { LAST_SECONDS = 5, SLOTS_MOST = 4096 };
/* Besides the slots. */
enum { OTHER_THREADS = 4 };
/* Of mosaics. A job uses all CPUs, so that a second one only fills the pauses of the first. */
enum { MOSAIC_SLOTS = 2 };
/* A reader keeps a quarter of this in decoded tiles: three rows of them up to 40,000 pixels in
 * width, so that none is decoded twice. */
#define MOSAIC_MEMORY ((int64_t)400 << 20)
#define MOSAIC_RUN    ((int64_t)160 << 20) /* for buffers of a run */

void worker_sleep(struct worker *worker, double seconds)
{
    double until = clock_now() + seconds;
    while (clock_now() < until && !atomic_load(&worker->ending))
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

void worker_end(struct worker *worker, int exit_code)
{
    pthread_mutex_lock(&worker->mutex);
    if (!atomic_load(&worker->ending)) {
        worker->exit_code = exit_code;
        worker->deadline = clock_now() + worker->options->grace;
        atomic_store(&worker->ending, true);
    }
    pthread_cond_broadcast(&worker->work);
    pthread_cond_broadcast(&worker->room);
    pthread_cond_broadcast(&worker->finish);
    pthread_mutex_unlock(&worker->mutex);
}

int32_t worker_is_cancelled(void *user)
{
    const struct worker *worker = user;
    return atomic_load(&worker->cancelled);
}

int32_t worker_run_cancelled(void *user, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return worker_is_cancelled(user);
}

/* ---- Opening ----------------------------------------------------------------------------------
 */

static bool worker_run_covers(const char *prefix, const char *url)
{
    size_t length = strlen(prefix);
    if (length == 0 || strncmp(prefix, url, length) != 0)
        return false;
    return prefix[length - 1] == '/' || url[length] == '/' || url[length] == '\0';
}

/* store_check_url refuses ".." in S3 only. */
static bool leads_up(const char *url)
{
    for (const char *at = url; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return true;
    }
    return false;
}

swathe_status worker_allow_check(const struct worker_allow *allow, const char *url)
{
    TRY(store_check_url(url));
    if (leads_up(url)) /* otherwise a prefix of the text is a prefix of the place */
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED,
                          "%s has a segment '..'; submit the set with a path without it", url);
    for (int i = 0; i < allow->count; i++)
        if (worker_run_covers(allow->prefixes[i], url))
            return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_UNSUPPORTED,
                      "%s is outside the prefixes that this worker may use; add --allow PREFIX",
                      url);
}

static swathe_status load_set(struct worker *worker)
{
    const struct worker_options *options = worker->options;
    swathe_status status =
        queue_record_get(worker->queue, options->set, QUEUE_SET, &worker->record);
    if (status != SWATHE_OK && fleet_fail_number() == ENOENT)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "the queue has no set '%s'; submit it first",
                          options->set);
    TRY(status);
    return set_parse(worker->record, strlen(worker->record), &worker->set);
}

static swathe_status check_mosaic(struct worker *worker)
{
    char *stage;
    if (!worker->set->upload)
        return fleet_fail(SWATHE_ERROR_INPUT,
                          "set %s was not submitted completely; submit it again",
                          worker->set->name);
    TRY(stage_url(worker->set, "", &stage));
    swathe_status status = worker_allow_check(&worker->options->allow, stage);
    free(stage);
    if (worker->slots > MOSAIC_SLOTS)
        worker->slots = MOSAIC_SLOTS;
    return status;
}

/* Refuses a set that this worker would compute differently, or may not touch. */
static swathe_status check_set(struct worker *worker)
{
    const struct worker_allow *allow = &worker->options->allow;
    const struct set *set = worker->set;
    if (strcmp(set->name, worker->options->set) != 0)
        return fleet_fail(SWATHE_ERROR_UNSUPPORTED, "the record of set %s names another set",
                          worker->options->set);
    TRY(set_check_pins(set));
    TRY(worker_allow_check(allow, set->from));
    TRY(worker_allow_check(allow, set->to));
    if (set->is_mosaic)
        return check_mosaic(worker);
    /* Only manifests in S3 are read by workers; jobs of other lists have their keys. */
    if (set->manifest && store_is_s3(set->manifest))
        return worker_allow_check(allow, set->manifest);
    return SWATHE_OK;
}

/* The usual memory, divided among the images that are filtered at once. */
static int64_t memory_share(const struct worker_options *options)
{
    int64_t share = os_memory_default() / options->cpus;
    return share > (int64_t)64 << 20 ? share : (int64_t)64 << 20;
}

static swathe_status worker_run_stop(void *user, const struct store_entry *entry)
{
    (void)user;
    (void)entry;
    return SWATHE_ERROR_CANCELLED;
}

/* Credentials that are not valid are found here, before any job is taken. Whether valid ones are
 * enough, the first job tells: they may allow to read and not to list. */
static swathe_status check_access(struct worker *worker)
{
    char *prefix;
    if (!store_is_s3(worker->set->from))
        return SWATHE_OK;
    TRY(worker->set->is_mosaic ? stage_url(worker->set, "", &prefix)
                               : fleet_copy_text(worker->set->from, &prefix));
    swathe_status status = store_list(worker->store, prefix, "", worker_run_stop, NULL);
    free(prefix);
    if (status != SWATHE_ERROR_IO)
        return SWATHE_OK;
    if (fleet_fail_number() == EKEYREJECTED)
        return fleet_fail_within("the store does not accept this worker's credentials: ");
    worker->suspect = fleet_fail_number() == EACCES;
    return SWATHE_OK;
}

static swathe_status open_store(struct worker *worker)
{
    struct store_options options = {.cancelled = worker_is_cancelled, .user = worker};
    options.requests = worker->set->requests;
    options.bytes = worker->set->bytes;
    TRY(store_create(&options, &worker->store));
    TRY(store_check_settings(worker->store, worker->set->from));
    TRY(store_check_settings(worker->store, worker->set->to));
    return check_access(worker);
}

static swathe_status open_chain(struct worker *worker)
{
    const struct worker_options *options = worker->options;
    swathe_context_options wanted = SWATHE_INIT(swathe_context_options);
    swathe_plan_options plan;
    TRY(set_plan_options(worker->set, &plan));
    wanted.threads = options->cpus;
    wanted.max_memory = memory_share(options);
    if (worker->set->is_mosaic && wanted.max_memory > MOSAIC_MEMORY)
        wanted.max_memory = MOSAIC_MEMORY;
    TRY(swathe_context_create(&wanted, &worker->context));
    TRY(swathe_chain_parse(worker->context, worker->set->chain, &worker->chain));
    plan.device = options->device;
    plan.cancelled = worker_is_cancelled;
    plan.cancel_user = worker;
    plan.max_memory = limit_least(worker->set->max_memory, options->max_memory);
    if (worker->set->is_mosaic && plan.max_memory == 0 && wanted.max_memory > MOSAIC_RUN)
        plan.max_memory = MOSAIC_RUN;
    worker->plan = plan;
    swathe_status status = worker_self_test(worker->context, worker->chain, &plan);
    atomic_fetch_add(&worker->counts.self_tests, 1);
    return status;
}

static swathe_status open_worker(struct worker *worker)
{
    TRY(queue_connect(&worker->options->queue, &worker->queue));
    TRY(load_set(worker));
    TRY(check_set(worker));
    if (worker_is_quarantined(worker))
        return fleet_fail(SWATHE_ERROR_INTERNAL,
                          "worker %s is quarantined in set %s: its results were wrong; test this "
                          "machine before a worker of another name runs on it",
                          worker->options->name, worker->options->set);
    TRY(open_store(worker));
    return open_chain(worker);
}

static void close_worker(struct worker *worker)
{
    swathe_chain_destroy(worker->chain);
    swathe_context_destroy(worker->context);
    if (worker->store)
        store_destroy(worker->store);
    if (worker->set)
        set_free(worker->set);
    free(worker->record);
    if (worker->queue)
        queue_close(worker->queue);
    sem_destroy(&worker->compute);
    pthread_cond_destroy(&worker->work);
    pthread_cond_destroy(&worker->room);
    pthread_cond_destroy(&worker->finish);
    pthread_mutex_destroy(&worker->assembly);
    pthread_mutex_destroy(&worker->mutex);
}

static swathe_status init_worker(struct worker *worker, const struct worker_options *options)
{
    *worker = (struct worker){.options = options, .slots = options->slots, .last_job = clock_now()};
    worker->held_end = &worker->held;
    worker->finished_end = &worker->finished;
    worker->log = (struct worker_log){options->log_json, options->set, options->name};
    atomic_store(&worker->healthy, true);
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_mutex_init(&worker->assembly, NULL);
    os_condition_init(&worker->work);
    os_condition_init(&worker->room);
    os_condition_init(&worker->finish);
    sem_init(&worker->compute, 0, (unsigned)options->cpus);
    return SWATHE_OK;
}

/* ---- Running ----------------------------------------------------------------------------------
 */

/* Waits for signals until all threads have ended. The first one starts the grace time; the second
 * one, or the end of that time, interrupts running images. */
static void wait_for_end(struct worker *worker, const sigset_t *signals)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    while (atomic_load(&worker->threads) > 0) {
        int caught = sigtimedwait(signals, NULL, &pause);
        if (caught > 0 && !atomic_load(&worker->ending)) {
            worker_log(&worker->log, LOG_EVENT(LOG_INFO, "signal"),
                       "signal %d: finishing within %.0f s", caught, worker->options->grace);
            worker_end(worker, 0);
        } else if (caught > 0) {
            atomic_store(&worker->cancelled, true);
        }
        if (!atomic_load(&worker->ending))
            continue;
        queue_interrupt(worker->queue); /* again and again: a pull may have started meanwhile */
        double late = clock_now() - worker->deadline;
        if (late >= 0)
            atomic_store(&worker->cancelled, true);
        if (late < LAST_SECONDS)
            continue;
        worker_log(&worker->log, LOG_EVENT(LOG_WARNING, "end"),
                   "some calls did not return; their jobs will be delivered again");
        _exit(worker->exit_code);
    }
}

static bool start_thread(struct worker *worker, void *(*function)(void *), pthread_t *thread)
{
    atomic_fetch_add(&worker->threads, 1);
    if (pthread_create(thread, NULL, function, worker) == 0)
        return true;
    atomic_fetch_sub(&worker->threads, 1);
    return false;
}

static void run_threads(struct worker *worker, pthread_t *threads, const sigset_t *signals)
{
    void *(*const functions[OTHER_THREADS])(void *) = {worker_keep_alive, worker_watch,
                                                       worker_finish, worker_pull};
    int count = 0, wanted = worker->slots + OTHER_THREADS;
    bool started = true;
    for (int i = 0; i < wanted && started; i++) {
        started = start_thread(worker, i < OTHER_THREADS ? functions[i] : worker_slot, &threads[i]);
        count += started;
    }
    if (count <= OTHER_THREADS) {
        worker_log(&worker->log, LOG_EVENT(LOG_ERROR, "threads"), "cannot start threads");
        worker_end(worker, SWATHE_ERROR_MEMORY);
    }
    atomic_store(&worker->ready, true);
    wait_for_end(worker, signals);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static swathe_status open_and_run(struct worker *worker, const sigset_t *signals)
{
    const struct worker_options *options = worker->options;
    struct worker_http http;
    pthread_t *threads;
    TRY(open_worker(worker));
    TRY(fleet_allocate((size_t)worker->slots + OTHER_THREADS, sizeof *threads, &threads));
    swathe_status status = worker_http_start(&http, worker);
    if (status == SWATHE_OK) {
        worker_log(&worker->log, LOG_EVENT(LOG_INFO, "start"),
                   "worker %s takes jobs of set %s: %d slots on %d CPUs", options->name,
                   options->set, (int)worker->slots, (int)options->cpus);
        run_threads(worker, threads, signals);
        while (worker->held)
            worker_give_back(worker, worker->held);
        worker_http_stop(&http);
        worker_log(&worker->log, LOG_EVENT(LOG_INFO, "end"),
                   "ended with %lld jobs and %lld images done", (long long)worker->counts.jobs,
                   (long long)worker->counts.images);
    }
    free(threads);
    return status;
}

int worker_run(const struct worker_options *options)
{
    struct worker worker;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); /* before any thread: all inherit it */
    init_worker(&worker, options);
    swathe_status status = open_and_run(&worker, &signals);
    if (status != SWATHE_OK)
        worker_log(&worker.log, LOG_EVENT(LOG_ERROR, "refused"), "%s", swathe_error_text());
    int code = status != SWATHE_OK ? status : worker.exit_code;
    close_worker(&worker);
    return code;
}
