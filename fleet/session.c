#include "session.h"

#include "fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

swathe_status session_open(const struct fleet_options *options, struct queue **queue)
{
    struct queue_options made = {
        .url = fleet_option_text(options, OPTION_QUEUE),
        .credentials = fleet_option_text(options, OPTION_CREDENTIALS),
        .ca = fleet_option_text(options, OPTION_CA),
    };
    return queue_connect(&made, queue);
}

swathe_status session_no_set(const char *name)
{
    return fleet_fail_system(SWATHE_ERROR_ARGUMENT, ENOENT, "the queue has no set '%s'", name);
}

swathe_status session_set(struct queue *queue, const char *name, struct set **set)
{
    char *json;
    swathe_status status = queue_record_get(queue, name, QUEUE_SET, &json);
    if (status != SWATHE_OK && fleet_fail_number() == ENOENT)
        return session_no_set(name);
    TRY(status);
    status = set_parse(json, strlen(json), set);
    free(json);
    return status;
}

swathe_status session_progress(struct queue *queue, const char *name, struct set_progress *progress)
{
    char *json = NULL;
    swathe_status status = queue_record_get(queue, name, QUEUE_PROGRESS, &json);
    if (status != SWATHE_OK && fleet_fail_number() != ENOENT)
        return status;
    set_progress_free(progress);
    status = json ? set_progress_parse(json, progress) : SWATHE_OK;
    free(json);
    return status;
}

swathe_status session_put_progress(struct queue *queue, const char *name,
                                   const struct set_progress *progress)
{
    char *json;
    TRY(set_progress_format(progress, &json));
    swathe_status status = queue_record_put(queue, name, QUEUE_PROGRESS, json);
    free(json);
    return status;
}

swathe_status session_submit(struct queue *queue, const char *name, int priority,
                             const char *message_id, const struct job *job, uint64_t *sequence)
{
    char *json;
    size_t size;
    TRY(job_format(job, &json, &size));
    swathe_status status = queue_submit(queue, name, priority, message_id, json, size, sequence);
    free(json);
    return status;
}

swathe_status session_mark(struct queue *queue, const struct set *set,
                           const struct set_retry *retry)
{
    char *json;
    size_t size;
    TRY(set_retry_format(set->identity, retry, &json, &size));
    swathe_status status = queue_publish(queue, set->name, QUEUE_RETRY, json, size);
    free(json);
    return status;
}

swathe_status session_state(struct queue *queue, const char *name, enum set_state *state)
{
    char *text;
    TRY(queue_state_get(queue, name, &text));
    swathe_status status = set_state_parse(text, state);
    free(text);
    return status;
}

int session_priority(const struct fleet_options *options)
{
    const char *text = fleet_option_text(options, OPTION_PRIORITY);
    if (!text || strcmp(text, "normal") == 0)
        return 1;
    return strcmp(text, "high") == 0 ? 0 : 2;
}

swathe_status session_cancelled(const char *name)
{
    return fleet_fail(SWATHE_ERROR_ARGUMENT,
                      "set '%s' is cancelled; submit it again with another --set, or after "
                      "'swathe-fleet cancel --delete'",
                      name);
}
