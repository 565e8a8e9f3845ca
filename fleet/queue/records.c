/* Records of SWATHE_SETS: the last message of each subject. */
#include "queue/inside.h"

#include "fleet_fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {[QUEUE_SET] = "set", [QUEUE_PROGRESS] = "progress"};

static swathe_status put(struct queue *queue, const char *subject, const char *json, bool first)
{
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = QUEUE_WAIT_MS;
    options.ExpectNoMessage = first;
    QUEUE_TRY(queue, "store a record",
              js_Publish(NULL, queue->js, subject, json, (int)strlen(json), &options, &code));
    return SWATHE_OK;
}

static swathe_status get(struct queue *queue, const char *subject, char **json)
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
    return put(queue, subject, json, false);
}

swathe_status queue_record_create(struct queue *queue, const char *set, enum queue_record kind,
                                  const char *json)
{
    queue_text subject;
    TRY(record_subject(set, kind, subject));
    return put(queue, subject, json, true);
}

swathe_status queue_record_get(struct queue *queue, const char *set, enum queue_record kind,
                               char **json)
{
    queue_text subject;
    TRY(record_subject(set, kind, subject));
    return get(queue, subject, json);
}

swathe_status queue_quarantine_put(struct queue *queue, const char *set, const char *worker,
                                   const char *json)
{
    queue_text subject;
    TRY(quarantine_subject(set, worker, subject));
    return put(queue, subject, json, false);
}

swathe_status queue_quarantine_get(struct queue *queue, const char *set, const char *worker,
                                   char **json)
{
    queue_text subject;
    TRY(quarantine_subject(set, worker, subject));
    return get(queue, subject, json);
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
