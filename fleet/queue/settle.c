/* Answers to delivered jobs. They are what the client library would send; it only sends them for
 * messages of its own subscriptions. */
#include "fail.h"
#include "fields.h"
#include "queue/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *queue_message_data(const struct queue_message *message, size_t *size)
{
    *size = (size_t)natsMsg_GetDataLength(message->message);
    return natsMsg_GetData(message->message);
}

/* The reply subject is $JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERED.SEQUENCE.SEQUENCE.TIME.…;
 * with a domain it has at least 11 tokens. `wanted` counts from 0 without a domain. */
static int64_t reply_number(const struct queue_message *message, int wanted)
{
    const char *reply = natsMsg_GetReply(message->message);
    int tokens = 1;
    for (const char *c = reply; *c; c++)
        tokens += *c == '.';
    if (tokens >= 11)
        wanted += 2;
    while (wanted-- > 0 && reply) {
        reply = strchr(reply, '.');
        reply = reply ? reply + 1 : NULL;
    }
    return reply ? strtoll(reply, NULL, 10) : 0;
}

int64_t queue_message_attempt(const struct queue_message *message)
{
    int64_t attempt = reply_number(message, 4);
    return attempt >= 1 ? attempt : 1;
}

double queue_message_age(const struct queue_message *message)
{
    return (double)nats_Now() / 1e3 - (double)reply_number(message, 7) / 1e9;
}

void queue_release(struct queue_message *message)
{
    natsMsg_Destroy(message->message);
    free(message);
}

const char *queue_message_reply(const struct queue_message *message)
{
    return natsMsg_GetReply(message->message);
}

swathe_status queue_working(struct queue *queue, const char *reply)
{
    natsStatus status = natsConnection_PublishString(queue->connection, reply, "+WPI");
    return queue_status(queue, status, 0, NULL, "keep a job");
}

static swathe_status queue_settle_acknowledge(struct queue_message *message, const char *text)
{
    struct queue *queue = message->queue;
    natsMsg *reply = NULL;
    QUEUE_TRY_AT(queue, "acknowledge a job", natsMsg_GetReply(message->message),
                 (code = 0, natsConnection_RequestString(&reply, queue->connection,
                                                         natsMsg_GetReply(message->message), text,
                                                         QUEUE_WAIT_MS)));
    natsMsg_Destroy(reply);
    return SWATHE_OK;
}

swathe_status queue_done(struct queue_message *message)
{
    swathe_status status = queue_settle_acknowledge(message, "+ACK");
    queue_release(message);
    return status;
}

swathe_status queue_back(struct queue_message *message, int delay_ms)
{
    char text[64] = "-NAK";
    if (delay_ms > 0)
        snprintf(text, sizeof text, "-NAK {\"delay\": %d000000}", delay_ms);
    struct queue *queue = message->queue;
    natsStatus sent =
        natsConnection_PublishString(queue->connection, queue_message_reply(message), text);
    swathe_status status = queue_status(queue, sent, 0, NULL, "give back a job");
    queue_release(message);
    return status;
}

swathe_status queue_drop(struct queue_message *message)
{
    swathe_status status = queue_settle_acknowledge(message, "+TERM");
    queue_release(message);
    return status;
}

/* ---- Many finished jobs at once ---------------------------------------------------------------
 */

/* Finished jobs: the result of each, then its acknowledgement. Many jobs are under way at once, so
 * that a round trip to the server is shared by all of them. */

enum { SLICE_MS = 100 }; /* between looks at the connection, while no answer arrives */

struct finishing {
    struct queue *queue;
    struct queue_finished *jobs;
    int count, awaited; /* awaited: jobs whose answer is outstanding */
    queue_text subject; /* of results */
    uint64_t first;     /* the number of the first job's first answer; each job has two */
    int lost;           /* count of the queue before the first message was sent */
    struct queue_mark mark;
    swathe_status status;
};

static void queue_settle_failed(struct finishing *finishing, natsStatus status)
{
    struct queue *queue = finishing->queue;
    finishing->status = queue_status(queue, status, 0, &finishing->mark, "settle a job");
}

/* Sends the result of a job or, if the stream has it, the acknowledgement. Nothing is sent while
 * the connection is lost: the library would keep it, and it would be sent twice. */
static void send_next(struct finishing *finishing, int index)
{
    struct queue *queue = finishing->queue;
    struct queue_finished *job = &finishing->jobs[index];
    bool last = job->state == QUEUE_PUBLISHED;
    char reply[sizeof queue->answers_prefix + 24];
    snprintf(reply, sizeof reply, "%s%" PRIu64, queue->answers_prefix,
             finishing->first + 2 * (uint64_t)index + last);
    natsStatus status = NATS_CONNECTION_DISCONNECTED;
    if (atomic_load(&queue->lost) == finishing->lost)
        status = last ? natsConnection_PublishRequestString(queue->connection,
                                                            natsMsg_GetReply(job->message->message),
                                                            reply, "+ACK")
                      : natsConnection_PublishRequest(queue->connection, finishing->subject, reply,
                                                      job->json, (int)job->size);
    job->awaits = status == NATS_OK;
    finishing->awaited += job->awaits;
    if (!job->awaits)
        queue_settle_failed(finishing, status);
}

/* The stream's answer to a result: {"stream": NAME, "seq": NUMBER}, or with an "error". */
static swathe_status check_stored(const natsMsg *message)
{
    json_t *answer =
        json_loadb(natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message), 0, NULL);
    const char *why =
        json_string_value(json_object_get(json_object_get(answer, "error"), "description"));
    swathe_status status = SWATHE_OK;
    if (json_object_get(answer, "error") || json_integer_value(json_object_get(answer, "seq")) < 1)
        status = fleet_fail(SWATHE_ERROR_IO, "queue: publish a result: %s",
                            why ? why : "the stream's answer is not valid");
    json_decref(answer);
    return status;
}

static swathe_status check_answer(struct finishing *finishing, natsMsg *message, bool last)
{
    const char *code = NULL;
    if (natsMsg_GetDataLength(message) == 0 &&
        natsMsgHeader_Get(message, "Status", &code) == NATS_OK)
        return queue_status(finishing->queue, NATS_NO_RESPONDERS, 0, &finishing->mark,
                            "settle a job");
    return last ? SWATHE_OK : check_stored(message); /* that to an acknowledgement is empty */
}

static void queue_settle_take_answer(struct finishing *finishing, natsMsg *message)
{
    const char *digits = natsMsg_GetSubject(message) + strlen(finishing->queue->answers_prefix);
    uint64_t number = strtoull(digits, NULL, 10) - finishing->first;
    if (number >= 2 * (uint64_t)finishing->count)
        return; /* of an earlier call */
    struct queue_finished *job = &finishing->jobs[number / 2];
    bool last = number % 2;
    if (!job->awaits || last != (job->state == QUEUE_PUBLISHED))
        return;
    job->awaits = false;
    finishing->awaited--;
    swathe_status status = check_answer(finishing, message, last);
    if (status != SWATHE_OK) {
        finishing->status = status;
        return;
    }
    job->state = last ? QUEUE_ACKNOWLEDGED : QUEUE_PUBLISHED;
    if (!last)
        send_next(finishing, (int)(number / 2));
}

/* Until all have answered, none has for a while, or the connection was lost, and with it the
 * answers. */
static void take_answers(struct finishing *finishing)
{
    struct queue *queue = finishing->queue;
    int64_t deadline = nats_Now() + QUEUE_WAIT_MS;
    while (finishing->awaited > 0) {
        natsMsg *message = NULL;
        if (natsSubscription_NextMsg(&message, queue->answers, SLICE_MS) == NATS_OK) {
            queue_settle_take_answer(finishing, message);
            natsMsg_Destroy(message);
            deadline = nats_Now() + QUEUE_WAIT_MS;
        } else if (atomic_load(&queue->lost) != finishing->lost) {
            queue_settle_failed(finishing, NATS_CONNECTION_DISCONNECTED);
            return;
        } else if (nats_Now() >= deadline || queue_denied(queue, &finishing->mark)) {
            queue_settle_failed(finishing, NATS_TIMEOUT);
            return;
        }
    }
}

swathe_status queue_finish(struct queue *queue, const char *set, struct queue_finished *jobs,
                           int count)
{
    struct finishing finishing = {.queue = queue, .jobs = jobs, .count = count};
    TRY(queue_outcome_subject(set, QUEUE_RESULT, queue->name, finishing.subject));
    if (!queue->answers)
        TRY(queue_inbox(queue, queue->answers_prefix, &queue->answers));
    finishing.first = queue->answers_next;
    queue->answers_next += 2 * (uint64_t)count;
    finishing.mark = queue_mark(queue, finishing.subject, "$JS.ACK.");
    finishing.lost = atomic_load(&queue->lost);
    if (natsConnection_Status(queue->connection) != NATS_CONN_STATUS_CONNECTED)
        return queue_status(queue, NATS_CONNECTION_DISCONNECTED, 0, &finishing.mark,
                            "settle a job");
    for (int i = 0; i < count; i++)
        if (jobs[i].state != QUEUE_ACKNOWLEDGED)
            send_next(&finishing, i);
    take_answers(&finishing);
    return finishing.status;
}
