/* The stream of results. */
#include "queue/inside.h"

#include "fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {
    [QUEUE_RESULT] = "results", [QUEUE_DEAD] = "dead", [QUEUE_RETRY] = "retry"};

static enum queue_outcome queue_results_kind_of(const char *subject)
{
    if (strncmp(subject, "swathe.dead.", 12) == 0)
        return QUEUE_DEAD;
    return strncmp(subject, "swathe.retry.", 13) == 0 ? QUEUE_RETRY : QUEUE_RESULT;
}

swathe_status queue_outcome_subject(const char *set, enum queue_outcome kind, const char *worker,
                                    queue_text subject)
{
    TRY(queue_check_name(set));
    if (kind != QUEUE_RETRY)
        TRY(queue_check_name(worker));
    snprintf(subject, sizeof(queue_text), "swathe.%s.%s%s%s", kinds[kind], set,
             kind == QUEUE_RETRY ? "" : ".", kind == QUEUE_RETRY ? "" : worker);
    return SWATHE_OK;
}

swathe_status queue_publish(struct queue *queue, const char *set, enum queue_outcome kind,
                            const char *json, size_t size)
{
    queue_text subject;
    jsPubOptions options;
    TRY(queue_outcome_subject(set, kind, queue->name, subject));
    jsPubOptions_Init(&options);
    options.MaxWait = QUEUE_WAIT_MS;
    QUEUE_TRY_AT(queue, "publish a result", subject,
                 js_Publish(NULL, queue->js, subject, json, (int)size, &options, &code));
    return SWATHE_OK;
}

struct reading {
    struct queue *queue;
    const char *stream, *subject; /* `subject`: ">" for all */
    uint64_t after, last;
    swathe_status (*visit)(void *user, const struct queue_record_view *view);
    void *user;
};

static swathe_status find_last(struct reading *reading)
{
    jsStreamInfo *info = NULL;
    QUEUE_TRY(reading->queue, reading->stream,
              js_GetStreamInfo(&info, reading->queue->js, reading->stream, NULL, &code));
    reading->last = info->State.Msgs > 0 ? info->State.LastSeq : 0;
    jsStreamInfo_Destroy(info);
    return SWATHE_OK;
}

static swathe_status
show_message(natsMsg *message, uint64_t sequence,
             swathe_status (*visit)(void *user, const struct queue_record_view *view), void *user)
{
    const char *subject = natsMsg_GetSubject(message);
    struct queue_record_view view = {
        .kind = queue_results_kind_of(subject),
        .worker = queue_results_kind_of(subject) == QUEUE_RETRY ? "" : strrchr(subject, '.') + 1,
        .json = natsMsg_GetData(message),
        .size = (size_t)natsMsg_GetDataLength(message),
        .sequence = sequence,
    };
    return visit(user, &view);
}

static swathe_status queue_results_show(struct reading *reading, natsMsg *message)
{
    jsMsgMetaData *data = NULL;
    if (natsMsg_GetMetaData(&data, message) != NATS_OK)
        return SWATHE_OK;
    uint64_t sequence = data->Sequence.Stream;
    bool end = data->NumPending == 0;
    jsMsgMetaData_Destroy(data);
    if (sequence <= reading->after)
        return SWATHE_OK;
    swathe_status status = show_message(message, sequence, reading->visit, reading->user);
    reading->after = sequence;
    if (end && reading->last > sequence)
        reading->last = sequence; /* those after it were deleted */
    return status;
}

/* Reads until the last message, or until none arrives: the server was restarted. */
static swathe_status read_some(struct reading *reading)
{
    natsSubscription *subscription = NULL;
    jsSubOptions options;
    jsSubOptions_Init(&options);
    options.Stream = reading->stream;
    options.Ordered = true;
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = reading->after + 1;
    QUEUE_TRY(reading->queue, "read results",
              js_SubscribeSync(&subscription, reading->queue->js, reading->subject, NULL, &options,
                               &code));
    swathe_status status = SWATHE_OK;
    natsMsg *message = NULL;
    while (status == SWATHE_OK && reading->after < reading->last &&
           natsSubscription_NextMsg(&message, subscription, QUEUE_WAIT_MS) == NATS_OK) {
        status = queue_results_show(reading, message);
        natsMsg_Destroy(message);
    }
    natsSubscription_Unsubscribe(subscription);
    natsSubscription_Destroy(subscription);
    return status;
}

static swathe_status queue_results_read_all(struct reading *reading)
{
    int64_t deadline = queue_deadline();
    while (reading->after < reading->last) {
        uint64_t before = reading->after;
        TRY(read_some(reading));
        if (reading->after > before)
            deadline = queue_deadline();
        else if (nats_Now() >= deadline)
            return queue_status(reading->queue, NATS_TIMEOUT, 0, NULL, "read results");
    }
    return SWATHE_OK;
}

swathe_status
queue_results(struct queue *queue, const char *set, uint64_t after,
              swathe_status (*visit)(void *user, const struct queue_record_view *view), void *user)
{
    queue_text stream;
    TRY(queue_check_name(set));
    snprintf(stream, sizeof stream, "SWATHE_RESULTS_%s", set);
    struct reading reading = {queue, stream, ">", after, 0, visit, user};
    TRY(find_last(&reading));
    return queue_results_read_all(&reading);
}

swathe_status queue_results_last(struct queue *queue, const char *set, uint64_t *last)
{
    queue_text stream;
    TRY(queue_check_name(set));
    snprintf(stream, sizeof stream, "SWATHE_RESULTS_%s", set);
    struct reading reading = {.queue = queue, .stream = stream};
    TRY(find_last(&reading));
    *last = reading.last;
    return SWATHE_OK;
}

/* The last sequence of the subject; 0: none. */
static swathe_status find_last_of(struct reading *reading)
{
    natsMsg *message = NULL;
    natsStatus found = NATS_OK;
    QUEUE_TRY(reading->queue, reading->subject,
              (found = js_GetLastMsg(&message, reading->queue->js, reading->stream,
                                     reading->subject, NULL, &code)) == NATS_NOT_FOUND
                  ? NATS_OK
                  : found);
    reading->last = found == NATS_OK ? natsMsg_GetSequence(message) : 0;
    natsMsg_Destroy(message);
    return SWATHE_OK;
}

swathe_status queue_results_of(struct queue *queue, const char *set, enum queue_outcome kind,
                               const char *worker, uint64_t after,
                               swathe_status (*visit)(void *user,
                                                      const struct queue_record_view *view),
                               void *user)
{
    queue_text stream, subject;
    TRY(queue_check_name(set));
    snprintf(stream, sizeof stream, "SWATHE_RESULTS_%s", set);
    TRY(queue_outcome_subject(set, kind, worker, subject));
    struct reading reading = {queue, stream, subject, after, 0, visit, user};
    TRY(find_last_of(&reading));
    return queue_results_read_all(&reading);
}

swathe_status queue_result_at(struct queue *queue, const char *set, uint64_t sequence,
                              swathe_status (*visit)(void *user,
                                                     const struct queue_record_view *view),
                              void *user)
{
    queue_text stream;
    natsMsg *message = NULL;
    TRY(queue_check_name(set));
    snprintf(stream, sizeof stream, "SWATHE_RESULTS_%s", set);
    QUEUE_TRY(queue, "read a result",
              js_GetMsg(&message, queue->js, stream, sequence, NULL, &code));
    swathe_status status = show_message(message, sequence, visit, user);
    natsMsg_Destroy(message);
    return status;
}
