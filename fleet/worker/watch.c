/* What a worker does beside its jobs: keeps them from being delivered again, looks at the state of
 * the set, and tests itself. */
#include "fail.h"
#include "set/set.h"
#include "worker/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Seconds. Jobs are delivered again after 30 s without a sign of life. */
enum { KEEP_ALIVE = 10, LOOK = 3, COUNT = 15, SELF_TEST = 600 };

/* Copies where the answers to all jobs go; NULL after the last, or where memory lacks. */
static char **list_replies(struct worker *worker)
{
    char **replies = NULL;
    int count = 0;
    pthread_mutex_lock(&worker->mutex);
    swathe_status status =
        fleet_allocate((size_t)worker->held_count + 1, sizeof *replies, &replies);
    for (struct held *held = worker->held; held && status == SWATHE_OK; held = held->next)
        status = fleet_copy_text(queue_message_reply(held->message), &replies[count++]);
    pthread_mutex_unlock(&worker->mutex);
    return replies;
}

/* Not with the mutex: there can be a thousand jobs, and slots wait for it. */
static void keep_alive(struct worker *worker)
{
    char **replies = list_replies(worker);
    for (int i = 0; replies && replies[i]; i++) {
        queue_working(worker->queue, replies[i]); /* if it fails, the next one may come in time */
        free(replies[i]);
    }
    free(replies);
    queue_give_back_late(worker->queue, worker->set->name);
}

bool worker_is_quarantined(struct worker *worker)
{
    char *json = NULL;
    swathe_status status =
        queue_quarantine_get(worker->queue, worker->set->name, worker->options->name, &json);
    free(json);
    return status == SWATHE_OK;
}

/* Jobs do not say what to do with their images. So those of another set of the same name would get
 * the chain and the target of this one. Running images are interrupted, because their results do
 * not count any more, and their outputs may replace those of the other set. */
bool worker_set_is_same(struct worker *worker)
{
    char *json = NULL;
    swathe_status status = queue_record_get(worker->queue, worker->set->name, QUEUE_SET, &json);
    bool same = status == SWATHE_OK && strcmp(json, worker->record) == 0;
    free(json);
    if (same)
        return true;
    if (status != SWATHE_OK && fleet_fail_number() != ENOENT) {
        worker_log(&worker->log, LOG_EVENT(LOG_WARNING, "set"), "cannot read the set: %s",
                   swathe_error_text());
        return false;
    }
    worker_log(&worker->log, LOG_EVENT(LOG_INFO, "cancelled"), "the set was %s",
               status == SWATHE_OK ? "replaced by another one of the same name" : "deleted");
    atomic_store(&worker->cancelled, true);
    worker_end(worker, 0);
    return false;
}

/* Active if it cannot be read now. */
static enum set_state read_state(struct worker *worker)
{
    char *text = NULL;
    enum set_state state = SET_ACTIVE;
    if (queue_state_get(worker->queue, worker->set->name, &text) == SWATHE_OK)
        set_state_parse(text, &state);
    free(text);
    return state;
}

static void worker_watch_look(struct worker *worker)
{
    if (!worker_set_is_same(worker))
        return;
    enum set_state state = read_state(worker);
    if (!atomic_exchange(&worker->draining, state == SET_DRAINING) && state == SET_DRAINING)
        queue_interrupt(worker->queue); /* of an idle worker, which would wait for seconds */
    if (state == SET_CANCELLED) {
        worker_log(&worker->log, LOG_EVENT(LOG_INFO, "cancelled"), "the set was cancelled");
        if (worker->set->is_mosaic) /* its temporary objects are being deleted */
            atomic_store(&worker->cancelled, true);
        worker_end(worker, 0);
    }
    if (worker_is_quarantined(worker)) {
        worker_log(&worker->log, LOG_EVENT(LOG_ERROR, "quarantined"),
                   "this worker is quarantined: its results were wrong; test this machine before "
                   "it runs again");
        worker_end(worker, SWATHE_ERROR_INTERNAL);
    }
}

/* For the metrics. */
static void count_waiting(struct worker *worker)
{
    struct queue_lag lag;
    if (queue_lag(worker->queue, worker->set->name, &lag) == SWATHE_OK) {
        atomic_store(&worker->counts.waiting, lag.waiting);
        atomic_store(&worker->counts.delivered, lag.delivered);
    }
}

static void test_again(struct worker *worker)
{
    swathe_status status = worker_self_test(worker->context, worker->chain, &worker->plan);
    atomic_fetch_add(&worker->counts.self_tests, 1);
    if (status == SWATHE_OK)
        return;
    worker_log(&worker->log, LOG_EVENT(LOG_ERROR, "self-test"), "%s", swathe_error_text());
    if (status != SWATHE_ERROR_INTERNAL)
        return; /* such as too little memory: no sign of wrong results */
    atomic_store(&worker->healthy, false);
    worker_end(worker, SWATHE_ERROR_INTERNAL);
}

/* A thread of its own: requests to the server and the self-test can take longer than the server
 * waits for a sign of life. Goes on while running images finish, so that their jobs stay with this
 * worker. */
void *worker_keep_alive(void *user)
{
    struct worker *worker = user;
    double alive = clock_now();
    while (!atomic_load(&worker->ending) || atomic_load(&worker->threads) > 1) {
        if (clock_now() - alive >= KEEP_ALIVE) {
            alive = clock_now();
            keep_alive(worker);
        }
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    atomic_fetch_sub(&worker->threads, 1);
    return NULL;
}

void *worker_watch(void *user)
{
    struct worker *worker = user;
    double looked = 0, counted = 0, tested = clock_now();
    while (!atomic_load(&worker->ending)) {
        double now = clock_now();
        if (now - looked >= LOOK) {
            worker_watch_look(worker);
            looked = clock_now();
        }
        if (now - counted >= COUNT && worker->options->metrics_port >= 0) {
            count_waiting(worker);
            counted = clock_now();
        }
        if (now - tested >= SELF_TEST && !atomic_load(&worker->ending)) {
            test_again(worker);
            tested = clock_now();
        }
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    atomic_fetch_sub(&worker->threads, 1);
    return NULL;
}
