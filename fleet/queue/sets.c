/* Streams, consumers and records of sets. */
#include "fail.h"
#include "queue/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const int64_t SECOND = 1000000000;
/* AckWait: a worker that is killed gives its jobs back after this time. */
enum { ACK_WAIT = 30, MOST_PENDING = 200000, MOST_WAITING = 20000 };

static swathe_status add_stream(struct queue *queue, jsStreamConfig *config, const char *name,
                                const char *const *subjects, int count, int replicas)
{
    config->Name = name;
    config->Subjects = (const char **)subjects;
    config->SubjectsLen = count;
    config->Storage = js_FileStorage;
    config->Replicas = replicas;
    config->MaxMsgSize = OUTCOME_BYTES + 4096; /* and its headers */
    QUEUE_TRY(queue, "create a stream", js_AddStream(NULL, queue->js, config, NULL, &code));
    return SWATHE_OK;
}

/* SWATHE_OK and *exists, or a failure other than its absence. */
static swathe_status find_stream(struct queue *queue, const char *name, bool *exists)
{
    jsStreamInfo *info = NULL;
    natsStatus found = NATS_OK;
    QUEUE_TRY(queue, "find a stream",
              (found = js_GetStreamInfo(&info, queue->js, name, NULL, &code)) == NATS_NOT_FOUND
                  ? NATS_OK
                  : found);
    jsStreamInfo_Destroy(info);
    *exists = found == NATS_OK;
    return SWATHE_OK;
}

static swathe_status update_stream(struct queue *queue, jsStreamConfig *config)
{
    QUEUE_TRY(queue, "add copies of a stream",
              js_UpdateStream(NULL, queue->js, config, NULL, &code));
    return SWATHE_OK;
}

/* The records of all sets share a stream. It needs as many copies as the set that has the most. */
static swathe_status raise_replicas(struct queue *queue, int replicas)
{
    jsStreamInfo *info = NULL;
    swathe_status status = SWATHE_OK;
    QUEUE_TRY(queue, "find a stream", js_GetStreamInfo(&info, queue->js, SETS_STREAM, NULL, &code));
    if (info->Config->Replicas < replicas) {
        info->Config->Replicas = replicas;
        status = update_stream(queue, info->Config);
    }
    jsStreamInfo_Destroy(info);
    return status;
}

static swathe_status create_sets(struct queue *queue, int replicas)
{
    static const char *const subjects[] = {"swathe.set.*", "swathe.progress.*",
                                           "swathe.quarantine.*.*"};
    jsStreamConfig config;
    bool exists;
    TRY(find_stream(queue, SETS_STREAM, &exists));
    jsStreamConfig_Init(&config);
    config.MaxMsgsPerSubject = 1;
    return exists ? raise_replicas(queue, replicas)
                  : add_stream(queue, &config, SETS_STREAM, subjects, 3, replicas);
}

static swathe_status create_jobs(struct queue *queue, const char *set, int replicas)
{
    queue_text name, subject;
    const char *subjects[] = {subject};
    jsStreamConfig config;
    bool exists;
    snprintf(name, sizeof name, "SWATHE_JOBS_%s", set);
    snprintf(subject, sizeof subject, "swathe.jobs.%s.*", set);
    TRY(find_stream(queue, name, &exists));
    jsStreamConfig_Init(&config);
    config.Retention = js_WorkQueuePolicy;
    return exists ? SWATHE_OK : add_stream(queue, &config, name, subjects, 1, replicas);
}

static swathe_status create_results(struct queue *queue, const char *set, int replicas)
{
    queue_text name, results, dead, retry;
    const char *subjects[] = {results, dead, retry};
    jsStreamConfig config;
    bool exists;
    snprintf(name, sizeof name, "SWATHE_RESULTS_%s", set);
    snprintf(results, sizeof results, "swathe.results.%s.*", set);
    snprintf(dead, sizeof dead, "swathe.dead.%s.*", set);
    snprintf(retry, sizeof retry, "swathe.retry.%s", set);
    TRY(find_stream(queue, name, &exists));
    jsStreamConfig_Init(&config);
    return exists ? SWATHE_OK : add_stream(queue, &config, name, subjects, 3, replicas);
}

static swathe_status find_consumer(struct queue *queue, const char *stream, const char *name,
                                   bool *exists)
{
    jsConsumerInfo *info = NULL;
    natsStatus found = NATS_OK;
    QUEUE_TRY(queue, "find a consumer",
              (found = js_GetConsumerInfo(&info, queue->js, stream, name, NULL, &code)) ==
                      NATS_NOT_FOUND
                  ? NATS_OK
                  : found);
    jsConsumerInfo_Destroy(info);
    *exists = found == NATS_OK;
    return SWATHE_OK;
}

/* An existing one is left alone: it has the state of the set. */
static swathe_status create_consumer(struct queue *queue, const char *set, int priority)
{
    queue_text stream, subject;
    char name[] = {'p', (char)('0' + priority), '\0'};
    jsConsumerConfig config;
    bool exists;
    snprintf(stream, sizeof stream, "SWATHE_JOBS_%s", set);
    TRY(find_consumer(queue, stream, name, &exists));
    if (exists)
        return SWATHE_OK;
    jsConsumerConfig_Init(&config);
    snprintf(subject, sizeof subject, "swathe.jobs.%s.%d", set, priority);
    config.Durable = name;
    config.FilterSubject = subject;
    config.AckPolicy = js_AckExplicit;
    config.AckWait = ACK_WAIT * SECOND;
    config.MaxDeliver = -1;
    config.MaxAckPending = MOST_PENDING;
    config.MaxWaiting = MOST_WAITING;
    QUEUE_TRY(queue, "create a consumer",
              js_AddConsumer(NULL, queue->js, stream, &config, NULL, &code));
    return SWATHE_OK;
}

swathe_status queue_set_create(struct queue *queue, const char *set, int replicas)
{
    TRY(queue_check_name(set));
    TRY(create_sets(queue, replicas));
    TRY(create_jobs(queue, set, replicas));
    TRY(create_results(queue, set, replicas));
    for (int i = 0; i < QUEUE_PRIORITIES; i++)
        TRY(create_consumer(queue, set, i));
    return SWATHE_OK;
}

/* ---- The state --------------------------------------------------------------------------------
 */

/* It is the description of the first consumer: configuration needs no room for messages. */
static swathe_status state_consumer(struct queue *queue, const char *set, queue_text stream,
                                    jsConsumerInfo **info)
{
    TRY(queue_check_name(set));
    snprintf(stream, sizeof(queue_text), "SWATHE_JOBS_%s", set);
    QUEUE_TRY_AT(queue, "read the state of the set", ".CONSUMER.INFO.",
                 js_GetConsumerInfo(info, queue->js, stream, "p0", NULL, &code));
    return SWATHE_OK;
}

static swathe_status update_consumer(struct queue *queue, const char *stream,
                                     jsConsumerConfig *config)
{
    QUEUE_TRY(queue, "change the state of the set",
              js_UpdateConsumer(NULL, queue->js, stream, config, NULL, &code));
    return SWATHE_OK;
}

swathe_status queue_state_put(struct queue *queue, const char *set, const char *text)
{
    queue_text stream;
    jsConsumerInfo *info = NULL;
    TRY(state_consumer(queue, set, stream, &info));
    jsConsumerConfig config = *info->Config; /* which stays the owner of its texts */
    config.Description = text;
    swathe_status status = update_consumer(queue, stream, &config);
    jsConsumerInfo_Destroy(info);
    return status;
}

swathe_status queue_state_get(struct queue *queue, const char *set, char **text)
{
    queue_text stream;
    jsConsumerInfo *info = NULL;
    TRY(state_consumer(queue, set, stream, &info));
    const char *found = info->Config->Description;
    swathe_status status = fleet_copy_text(found ? found : "", text);
    jsConsumerInfo_Destroy(info);
    return status;
}

/* ---- Deleting ---------------------------------------------------------------------------------
 */

static swathe_status delete_stream(struct queue *queue, const char *format, const char *set)
{
    queue_text name;
    natsStatus found = NATS_OK;
    snprintf(name, sizeof name, "%s%s", format, set);
    QUEUE_TRY(queue, "delete a stream",
              (found = js_DeleteStream(queue->js, name, NULL, &code)) == NATS_NOT_FOUND ? NATS_OK
                                                                                        : found);
    return SWATHE_OK;
}

static swathe_status purge_subject(struct queue *queue, const char *subject)
{
    jsOptions options;
    jsOptions_Init(&options);
    options.Stream.Purge.Subject = subject;
    QUEUE_TRY(queue, "delete a record", js_PurgeStream(queue->js, SETS_STREAM, &options, &code));
    return SWATHE_OK;
}

/* The record goes last: until then the set is known, and the call can be repeated. */
swathe_status queue_set_delete(struct queue *queue, const char *set)
{
    static const char *const kinds[] = {"quarantine", "progress", "set"};
    TRY(queue_check_name(set));
    TRY(delete_stream(queue, "SWATHE_JOBS_", set));
    TRY(delete_stream(queue, "SWATHE_RESULTS_", set));
    for (int i = 0; i < 3; i++) {
        queue_text subject;
        snprintf(subject, sizeof subject, "swathe.%s.%s%s", kinds[i], set, i == 0 ? ".*" : "");
        TRY(purge_subject(queue, subject));
    }
    return SWATHE_OK;
}

/* ---- Records ----------------------------------------------------------------------------------
 */

/* Records of SWATHE_SETS: the last message of each subject. */

static const char *const kinds[] = {[QUEUE_SET] = "set", [QUEUE_PROGRESS] = "progress"};

static swathe_status sets_put(struct queue *queue, const char *subject, const char *json,
                              bool first)
{
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = QUEUE_WAIT_MS;
    options.ExpectNoMessage = first;
    QUEUE_TRY(queue, "store a record",
              js_Publish(NULL, queue->js, subject, json, (int)strlen(json), &options, &code));
    return SWATHE_OK;
}

static swathe_status sets_get(struct queue *queue, const char *subject, char **json)
{
    natsMsg *message = NULL;
    char *made;
    QUEUE_TRY_AT(queue, subject, SETS_STREAM,
                 js_GetLastMsg(&message, queue->js, SETS_STREAM, subject, NULL, &code));
    size_t size = (size_t)natsMsg_GetDataLength(message);
    swathe_status status = fleet_allocate(size + 1, 1, &made);
    if (status == SWATHE_OK) {
        memcpy(made, natsMsg_GetData(message), size);
        *json = made;
    }
    natsMsg_Destroy(message);
    return status;
}

static swathe_status record_subject(const char *set, enum queue_record kind, queue_text subject)
{
    TRY(queue_check_name(set));
    snprintf(subject, sizeof(queue_text), "swathe.%s.%s", kinds[kind], set);
    return SWATHE_OK;
}

static swathe_status quarantine_subject(const char *set, const char *worker, queue_text subject)
{
    TRY(queue_check_name(set));
    TRY(queue_check_name(worker));
    snprintf(subject, sizeof(queue_text), "swathe.quarantine.%s.%s", set, worker);
    return SWATHE_OK;
}

swathe_status queue_record_put(struct queue *queue, const char *set, enum queue_record kind,
                               const char *json)
{
    queue_text subject;
    TRY(record_subject(set, kind, subject));
    return sets_put(queue, subject, json, false);
}

swathe_status queue_record_create(struct queue *queue, const char *set, enum queue_record kind,
                                  const char *json)
{
    queue_text subject;
    TRY(record_subject(set, kind, subject));
    return sets_put(queue, subject, json, true);
}

swathe_status queue_record_get(struct queue *queue, const char *set, enum queue_record kind,
                               char **json)
{
    queue_text subject;
    TRY(record_subject(set, kind, subject));
    return sets_get(queue, subject, json);
}

swathe_status queue_quarantine_put(struct queue *queue, const char *set, const char *worker,
                                   const char *json)
{
    queue_text subject;
    TRY(quarantine_subject(set, worker, subject));
    return sets_put(queue, subject, json, false);
}

swathe_status queue_quarantine_get(struct queue *queue, const char *set, const char *worker,
                                   char **json)
{
    queue_text subject;
    TRY(quarantine_subject(set, worker, subject));
    return sets_get(queue, subject, json);
}

swathe_status queue_quarantine_list(struct queue *queue, const char *set,
                                    swathe_status (*visit)(void *user, const char *worker),
                                    void *user)
{
    queue_text subject;
    jsOptions options;
    jsStreamInfo *info = NULL;
    swathe_status status = SWATHE_OK;
    TRY(queue_check_name(set));
    snprintf(subject, sizeof subject, "swathe.quarantine.%s.*", set);
    jsOptions_Init(&options);
    options.Stream.Info.SubjectsFilter = subject;
    QUEUE_TRY(queue, "list the workers in quarantine",
              js_GetStreamInfo(&info, queue->js, SETS_STREAM, &options, &code));
    jsStreamStateSubjects *found = info->State.Subjects;
    for (int i = 0; found && status == SWATHE_OK && i < found->Count; i++)
        status = visit(user, strrchr(found->List[i].Subject, '.') + 1);
    jsStreamInfo_Destroy(info);
    return status;
}
