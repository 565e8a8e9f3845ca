/* Jobs on their way to a worker. Pull requests and their answers are handled here and not by the
 * client library. Its fetch serves one consumer at a time. Up to version 3.8 it also reduces the
 * bound of its array (req->Batch in _fetch of js.c) by the messages that were already there and
 * ends only when their number equals the bound, so that a late message of an earlier request can
 * be written past the end. */
#include "queue/inside.h"

#include "fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_MS = 250,    /* between looks at higher priorities while a lower one has jobs */
    SLICE_MS = 5000,  /* longest wait at the server */
    SLACK_MS = 500,   /* for its answer after that */
    STEP_MS = 100,    /* between looks at the connection, while no answer arrives */
    CLOSE_MS = 1000,  /* for the last jobs when the queue is closed */
    ANSWER_MS = 2000, /* for the answer to a request that does not wait */
    MOST_AT_ONCE = 1000
};

/* Where an idle worker waits. Not at the priority that had jobs last: a worker that gives a job
 * back would get it again before the others look there. */
enum { WAIT_AT = QUEUE_PRIORITIES / 2 };

struct queue_puller {
    struct queue_puller *next;
    char set[NAME_BYTES + 1];
    natsSubscription *inbox;
    queue_prefix inbox_prefix; /* the number of a request follows */
    uint64_t requests;
    char reply[160];      /* inbox of the last request */
    pthread_mutex_t lock; /* one pull at a time */
    int current;          /* the priority that had jobs last */
    int64_t look;         /* when to look at all priorities again, in ms */
    int64_t waited;       /* when the last request had waited in vain, at WAIT_AT, in ms */
};

struct gather {
    struct queue *queue;
    struct queue_puller *puller;
    struct queue_message **messages;
    int count, got;
    int interrupts; /* of the queue, before the pull */
    int64_t deadline;
};

/* ---- Pullers ------------------------------------------------------------------------------------
 */

static bool is_job(const natsMsg *message)
{
    const char *reply = natsMsg_GetReply(message);
    return reply && strncmp(reply, "$JS.ACK.", 8) == 0;
}

static swathe_status open_puller(struct queue *queue, const char *set, struct queue_puller **puller)
{
    struct queue_puller *made;
    TRY(fleet_allocate(1, sizeof *made, &made));
    snprintf(made->set, sizeof made->set, "%s", set);
    made->current = 1;
    swathe_status status = queue_inbox(queue, made->inbox_prefix, &made->inbox);
    if (status != SWATHE_OK) {
        free(made);
        return status;
    }
    pthread_mutex_init(&made->lock, NULL);
    made->next = queue->pullers;
    queue->pullers = *puller = made;
    return SWATHE_OK;
}

static swathe_status find_puller(struct queue *queue, const char *set, struct queue_puller **puller)
{
    swathe_status status = SWATHE_OK;
    TRY(queue_check_name(set));
    pthread_mutex_lock(&queue->lock);
    struct queue_puller *at = queue->pullers;
    while (at && strcmp(at->set, set) != 0)
        at = at->next;
    if (!at)
        status = open_puller(queue, set, &at);
    pthread_mutex_unlock(&queue->lock);
    *puller = at;
    return status;
}

/* Gives back jobs that no pull has taken. */
static void give_back(struct queue *queue, struct queue_puller *puller, int64_t wait_ms)
{
    natsMsg *message = NULL;
    while (natsSubscription_NextMsg(&message, puller->inbox, wait_ms) == NATS_OK) {
        const char *reply = natsMsg_GetReply(message);
        if (is_job(message))
            natsConnection_PublishString(queue->connection, reply, "-NAK");
        natsMsg_Destroy(message);
    }
}

void queue_give_back_late(struct queue *queue, const char *set)
{
    struct queue_puller *puller;
    if (find_puller(queue, set, &puller) != SWATHE_OK || pthread_mutex_trylock(&puller->lock) != 0)
        return; /* a pull that is running takes them */
    give_back(queue, puller, 0);
    pthread_mutex_unlock(&puller->lock);
}

/* The server may be sending a job for a request that it still knows. So it is told first that
 * nobody listens any more, and what it sent before is given back. */
static void close_inbox(struct queue *queue, struct queue_puller *puller)
{
    if (natsConnection_Status(queue->connection) == NATS_CONN_STATUS_CONNECTED &&
        natsSubscription_DrainTimeout(puller->inbox, CLOSE_MS) == NATS_OK)
        give_back(queue, puller, CLOSE_MS);
    natsSubscription_Destroy(puller->inbox);
}

void queue_pullers_free(struct queue *queue)
{
    while (queue->pullers) {
        struct queue_puller *puller = queue->pullers;
        queue->pullers = puller->next;
        close_inbox(queue, puller);
        pthread_mutex_destroy(&puller->lock);
        free(puller);
    }
}

/* ---- Pulling ----------------------------------------------------------------------------------
 */

/* With no_wait and an expiry the server waits for a first job, then sends those that are there. */
static natsStatus queue_pull_request(struct gather *gather, int priority, int64_t wait_ms)
{
    struct queue_puller *puller = gather->puller;
    queue_text subject;
    char json[192];
    snprintf(puller->reply, sizeof puller->reply, "%s%" PRIu64, puller->inbox_prefix,
             ++puller->requests);
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.SWATHE_JOBS_%s.p%d", puller->set,
             priority);
    int at =
        snprintf(json, sizeof json, "{\"batch\":%d,\"no_wait\":true", gather->count - gather->got);
    if (wait_ms > 0)
        at += snprintf(json + at, sizeof json - (size_t)at, ",\"expires\":%" PRId64 "000000",
                       wait_ms);
    snprintf(json + at, sizeof json - (size_t)at, "}");
    return natsConnection_PublishRequestString(gather->queue->connection, subject, puller->reply,
                                               json);
}

/* Takes a job, also a late one of an earlier request; false if the message ends the request. A job
 * may have any header. */
static bool queue_pull_take(struct gather *gather, natsMsg *message, swathe_status *status)
{
    const char *code = NULL;
    if (!is_job(message) && natsMsg_GetDataLength(message) == 0 &&
        natsMsgHeader_Get(message, "Status", &code) == NATS_OK) {
        bool earlier = strcmp(natsMsg_GetSubject(message), gather->puller->reply) != 0;
        bool alive = earlier || strcmp(code, "100") == 0;
        natsMsg_Destroy(message);
        return alive;
    }
    struct queue_message *made = NULL;
    if (is_job(message))
        *status = fleet_allocate(1, sizeof *made, &made);
    if (!made) {
        natsMsg_Destroy(message); /* without memory: the server delivers it again */
        return *status == SWATHE_OK;
    }
    *made = (struct queue_message){gather->queue, message};
    gather->messages[gather->got++] = made;
    return gather->got < gather->count;
}

static bool is_interrupted(const struct gather *gather)
{
    return atomic_load(&gather->queue->interrupts) != gather->interrupts;
}

/* Receives the answers to a request. It is given up if the connection was lost, because the server
 * may have been restarted and then does not know it. */
static swathe_status queue_pull_receive(struct gather *gather, int lost, int64_t wait_ms)
{
    swathe_status status = SWATHE_OK;
    int64_t deadline = nats_Now() + (wait_ms > 0 ? wait_ms + SLACK_MS : ANSWER_MS);
    while (atomic_load(&gather->queue->lost) == lost && nats_Now() < deadline) {
        natsMsg *message = NULL;
        natsStatus got = natsSubscription_NextMsg(&message, gather->puller->inbox, STEP_MS);
        if (got == NATS_TIMEOUT && !(wait_ms > 0 && is_interrupted(gather)))
            continue;
        if (got != NATS_OK || !queue_pull_take(gather, message, &status))
            break;
    }
    return status;
}

static swathe_status queue_pull_fetch(struct gather *gather, int priority, int64_t wait_ms)
{
    int before = gather->got, lost = atomic_load(&gather->queue->lost);
    if (queue_pull_request(gather, priority, wait_ms) != NATS_OK) {
        nats_Sleep(100); /* not connected */
        return SWATHE_OK;
    }
    swathe_status status = queue_pull_receive(gather, lost, wait_ms);
    if (gather->got > before)
        gather->puller->current = priority;
    return status;
}

static swathe_status look_at_all(struct gather *gather)
{
    int highest = -1;
    for (int i = 0; i < QUEUE_PRIORITIES && gather->got < gather->count; i++) {
        if (i != WAIT_AT || nats_Now() - gather->puller->waited > LOOK_MS)
            TRY(queue_pull_fetch(gather, i, 0));
        if (highest < 0 && gather->got > 0)
            highest = i;
    }
    if (highest >= 0)
        gather->puller->current = highest;
    gather->puller->look = nats_Now() + LOOK_MS;
    return SWATHE_OK;
}

static swathe_status gather_jobs(struct gather *gather)
{
    struct queue_puller *puller = gather->puller;
    struct queue_mark mark = queue_mark(gather->queue, ".MSG.NEXT.", NULL);
    if (nats_Now() < puller->look)
        TRY(queue_pull_fetch(gather, puller->current, 0));
    while (gather->got == 0 && !is_interrupted(gather)) {
        TRY(look_at_all(gather));
        int64_t left = gather->deadline - nats_Now();
        if (gather->got > 0 || left <= 0)
            break;
        TRY(queue_pull_fetch(gather, WAIT_AT, left < SLICE_MS ? left : SLICE_MS));
        puller->waited = gather->got == 0 ? nats_Now() : 0;
        if (queue_denied(gather->queue, &mark))
            return queue_status(gather->queue, NATS_NOT_PERMITTED, 0, &mark, "pull jobs");
        if (nats_Now() >= gather->deadline)
            break;
    }
    if (gather->got == 0)
        puller->look = 0; /* it was idle: the next pull starts at the top */
    return SWATHE_OK;
}

swathe_status queue_pull(struct queue *queue, const char *set, int count, int timeout_ms,
                         struct queue_message **messages, int *got)
{
    struct gather gather = {.queue = queue, .messages = messages};
    gather.count = count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
    gather.deadline = nats_Now() + timeout_ms;
    gather.interrupts = atomic_load(&queue->interrupts);
    *got = 0;
    if (count <= 0)
        return SWATHE_OK;
    TRY(find_puller(queue, set, &gather.puller));
    pthread_mutex_lock(&gather.puller->lock);
    swathe_status status = gather_jobs(&gather);
    pthread_mutex_unlock(&gather.puller->lock);
    *got = gather.got;
    return gather.got > 0 ? SWATHE_OK : status;
}

void queue_interrupt(struct queue *queue)
{
    atomic_fetch_add(&queue->interrupts, 1);
}
