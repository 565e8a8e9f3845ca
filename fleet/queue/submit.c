/* Publishing of jobs. */
#include "queue/inside.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static swathe_status job_subject(const char *set, int priority, queue_text subject)
{
    TRY(queue_check_name(set));
    if (priority < 0 || priority >= QUEUE_PRIORITIES)
        return fleet_fail(SWATHE_ERROR_ARGUMENT, "no priority %d", priority);
    snprintf(subject, sizeof(queue_text), "swathe.jobs.%s.%d", set, priority);
    return SWATHE_OK;
}

swathe_status queue_submit(struct queue *queue, const char *set, int priority,
                           const char *message_id, const char *json, size_t size,
                           uint64_t *sequence)
{
    queue_text subject;
    jsPubOptions options;
    jsPubAck *ack = NULL;
    TRY(job_subject(set, priority, subject));
    jsPubOptions_Init(&options);
    options.MsgId = message_id;
    options.MaxWait = QUEUE_WAIT_MS;
    QUEUE_TRY(queue, "submit a job",
              js_Publish(&ack, queue->js, subject, json, (int)size, &options, &code));
    if (sequence)
        *sequence = ack->Sequence;
    jsPubAck_Destroy(ack);
    return SWATHE_OK;
}

swathe_status queue_withdraw(struct queue *queue, const char *set, uint64_t sequence)
{
    queue_text stream;
    TRY(queue_check_name(set));
    snprintf(stream, sizeof stream, "SWATHE_JOBS_%s", set);
    natsStatus done = NATS_OK;
    QUEUE_TRY(queue, "withdraw a job",
              (done = js_DeleteMsg(queue->js, stream, sequence, NULL, &code)) == NATS_NOT_FOUND ||
                      code == JSNoMessageFoundErr || code == JSSequenceNotFoundErr ||
                      code == JSStreamMsgDeleteFailed
                  ? NATS_OK
                  : done);
    return SWATHE_OK;
}

/* Keeps a job whose acknowledgement did not arrive; it is published again by queue_submit_later or
 * queue_flush, in the caller's thread. The same message id lets the server drop the second copy. */
void queue_acknowledged(jsCtx *js, natsMsg *message, jsPubAck *ack, jsPubAckErr *error, void *user)
{
    struct queue *queue = user;
    (void)js;
    (void)ack;
    if (error) {
        bool passing = error->Err == NATS_TIMEOUT || error->Err == NATS_NO_RESPONDERS ||
                       error->Err == NATS_CONNECTION_DISCONNECTED ||
                       error->ErrCode == JSClusterNotAvailErr ||
                       error->ErrCode == JSClusterNotLeaderErr;
        pthread_mutex_lock(&queue->lock);
        if (passing && queue->unsent_count < (int)(sizeof queue->unsent / sizeof(natsMsg *))) {
            queue->unsent[queue->unsent_count++] = message;
            message = NULL;
        } else if (!queue->refusal[0]) {
            snprintf(queue->refusal, sizeof queue->refusal, "%s",
                     error->ErrText ? error->ErrText : natsStatus_GetText(error->Err));
        }
        pthread_mutex_unlock(&queue->lock);
    }
    natsMsg_Destroy(message);
}

/* Publishes a message; *message is NULL if it succeeds. */
static swathe_status publish_later(struct queue *queue, natsMsg **message)
{
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = QUEUE_WAIT_MS;
    QUEUE_TRY(queue, "submit a job", (code = 0, js_PublishMsgAsync(queue->js, message, &options)));
    return SWATHE_OK;
}

static natsMsg *take_unsent(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    natsMsg *message = queue->unsent_count ? queue->unsent[--queue->unsent_count] : NULL;
    pthread_mutex_unlock(&queue->lock);
    return message;
}

static swathe_status check_refusal(struct queue *queue)
{
    char refusal[sizeof queue->refusal];
    pthread_mutex_lock(&queue->lock);
    memcpy(refusal, queue->refusal, sizeof refusal);
    pthread_mutex_unlock(&queue->lock);
    if (refusal[0])
        return fleet_fail(SWATHE_ERROR_IO, "queue: the server refused a job: %s", refusal);
    return SWATHE_OK;
}

static swathe_status publish_unsent(struct queue *queue)
{
    natsMsg *message;
    while ((message = take_unsent(queue))) {
        swathe_status status = publish_later(queue, &message);
        natsMsg_Destroy(message);
        TRY(status);
    }
    return check_refusal(queue);
}

swathe_status queue_submit_later(struct queue *queue, const char *set, int priority,
                                 const char *message_id, const char *json, size_t size)
{
    queue_text subject;
    natsMsg *message = NULL;
    TRY(job_subject(set, priority, subject));
    TRY(publish_unsent(queue));
    natsStatus made = natsMsg_Create(&message, subject, NULL, json, (int)size);
    if (made == NATS_OK)
        made = natsMsgHeader_Set(message, "Nats-Msg-Id", message_id);
    swathe_status status = queue_status(queue, made, 0, NULL, "submit a job");
    if (status == SWATHE_OK)
        status = publish_later(queue, &message);
    natsMsg_Destroy(message);
    return status;
}

swathe_status queue_flush(struct queue *queue)
{
    int64_t deadline = queue_deadline();
    struct queue_mark mark = queue_mark(queue, NULL, NULL);
    for (;;) {
        jsPubOptions options;
        jsPubOptions_Init(&options);
        options.MaxWait = 2 * QUEUE_WAIT_MS;
        natsStatus status = js_PublishAsyncComplete(queue->js, &options);
        pthread_mutex_lock(&queue->lock);
        bool complete = status == NATS_OK && queue->unsent_count == 0;
        pthread_mutex_unlock(&queue->lock);
        if (complete)
            return check_refusal(queue);
        if (nats_Now() >= deadline || queue_denied(queue, &mark))
            return queue_status(queue, NATS_TIMEOUT, 0, &mark, "submit jobs");
        TRY(publish_unsent(queue));
    }
}

/* Jobs of each priority that are in the stream. */
static swathe_status count_stored(struct queue *queue, const char *set,
                                  int64_t stored[QUEUE_PRIORITIES])
{
    queue_text stream, subject;
    jsOptions options;
    jsStreamInfo *info = NULL;
    snprintf(stream, sizeof stream, "SWATHE_JOBS_%s", set);
    snprintf(subject, sizeof subject, "swathe.jobs.%s.*", set);
    jsOptions_Init(&options);
    options.Stream.Info.SubjectsFilter = subject;
    QUEUE_TRY_AT(queue, "count the jobs", ".STREAM.INFO.",
                 js_GetStreamInfo(&info, queue->js, stream, &options, &code));
    memset(stored, 0, QUEUE_PRIORITIES * sizeof *stored);
    const jsStreamStateSubjects *found = info->State.Subjects;
    for (int i = 0; found && i < found->Count; i++) {
        int priority = strrchr(found->List[i].Subject, '.')[1] - '0';
        if (priority >= 0 && priority < QUEUE_PRIORITIES)
            stored[priority] = (int64_t)found->List[i].Msgs;
    }
    jsStreamInfo_Destroy(info);
    return SWATHE_OK;
}

/* The same, without a bound if the user of a worker may not ask: the server's configuration may be
 * older than this permission. */
static swathe_status bound_stored(struct queue *queue, const char *set,
                                  int64_t stored[QUEUE_PRIORITIES])
{
    if (!atomic_load(&queue->uncounted)) {
        swathe_status status = count_stored(queue, set, stored);
        if (status == SWATHE_OK || fleet_fail_number() != EACCES)
            return status;
        atomic_store(&queue->uncounted, true);
    }
    for (int i = 0; i < QUEUE_PRIORITIES; i++)
        stored[i] = INT64_MAX;
    return SWATHE_OK;
}

static swathe_status consumer_lag(struct queue *queue, const char *set, int priority,
                                  struct queue_lag *lag)
{
    queue_text stream;
    char name[] = {'p', (char)('0' + priority), '\0'};
    jsConsumerInfo *info = NULL;
    snprintf(stream, sizeof stream, "SWATHE_JOBS_%s", set);
    QUEUE_TRY_AT(queue, "count the jobs", ".CONSUMER.INFO.",
                 js_GetConsumerInfo(&info, queue->js, stream, name, NULL, &code));
    *lag = (struct queue_lag){(int64_t)info->NumPending, info->NumAckPending};
    jsConsumerInfo_Destroy(info);
    return SWATHE_OK;
}

/* After a server was killed, a consumer can count jobs as delivered for ever that are acknowledged
 * and no longer in the stream. */
swathe_status queue_lag(struct queue *queue, const char *set, struct queue_lag *lag)
{
    struct queue_lag each[QUEUE_PRIORITIES], sum = {0};
    int64_t stored[QUEUE_PRIORITIES];
    TRY(queue_check_name(set));
    for (int i = 0; i < QUEUE_PRIORITIES; i++)
        TRY(consumer_lag(queue, set, i, &each[i]));
    TRY(bound_stored(queue, set, stored));
    for (int i = 0; i < QUEUE_PRIORITIES; i++) {
        int64_t most = stored[i] > each[i].waiting ? stored[i] - each[i].waiting : 0;
        sum.waiting += each[i].waiting;
        sum.delivered += each[i].delivered < most ? each[i].delivered : most;
    }
    *lag = sum;
    return SWATHE_OK;
}

static swathe_status get_info(struct queue *queue, const char *set, jsStreamInfo **info)
{
    queue_text stream;
    TRY(queue_check_name(set));
    snprintf(stream, sizeof stream, "SWATHE_JOBS_%s", set);
    QUEUE_TRY(queue, "count the jobs", js_GetStreamInfo(info, queue->js, stream, NULL, &code));
    return SWATHE_OK;
}

swathe_status queue_stored(struct queue *queue, const char *set, int64_t *count)
{
    jsStreamInfo *info = NULL;
    TRY(get_info(queue, set, &info));
    *count = (int64_t)info->State.Msgs;
    jsStreamInfo_Destroy(info);
    return SWATHE_OK;
}

swathe_status queue_submitted(struct queue *queue, const char *set, uint64_t *count)
{
    jsStreamInfo *info = NULL;
    TRY(get_info(queue, set, &info));
    *count = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    return SWATHE_OK;
}

swathe_status queue_purge(struct queue *queue, const char *set)
{
    queue_text stream;
    TRY(queue_check_name(set));
    snprintf(stream, sizeof stream, "SWATHE_JOBS_%s", set);
    QUEUE_TRY(queue, "remove the jobs", js_PurgeStream(queue->js, stream, NULL, &code));
    return SWATHE_OK;
}
