/* Answers to delivered jobs. They are what the client library would send; it only sends them for
 * messages of its own subscriptions. */
#include "queue/inside.h"

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

static swathe_status acknowledge(struct queue_message *message, const char *text)
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
    swathe_status status = acknowledge(message, "+ACK");
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
    swathe_status status = acknowledge(message, "+TERM");
    queue_release(message);
    return status;
}
