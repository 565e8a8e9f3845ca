#include "fleet_fail.h"
#include "submit/submission.h"

#include <inttypes.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MS = 2000 };

/* Copies the progress of the jobs that were made to that of the jobs that are published. */
static swathe_status copy_progress(struct submission *submission)
{
    struct set_progress *before = &submission->batch.before;
    char *last;
    TRY(fleet_copy_text(submission->progress.last ? submission->progress.last : "", &last));
    set_progress_free(before);
    *before = submission->progress;
    before->last = last;
    return SWATHE_OK;
}

swathe_status submission_batch_start(struct submission *submission)
{
    submission->batch.started = nats_Now();
    return copy_progress(submission);
}

void submission_batch_free(struct submission *submission)
{
    struct submission_batch *batch = &submission->batch;
    for (int i = 0; i < batch->count; i++)
        free(batch->jobs[i]);
    batch->count = 0;
    set_progress_free(&batch->before);
}

static swathe_status record(struct submission *submission)
{
    char *json;
    TRY(set_progress_format(&submission->batch.before, &json));
    swathe_status status =
        queue_record_put(submission->queue, submission->set->name, QUEUE_PROGRESS, json);
    free(json);
    return status;
}

/* Jobs of an earlier submit, which may be published, must be the same: otherwise two jobs would
 * have one number. */
static swathe_status compare(const struct submission *submission)
{
    const struct set_progress *made = &submission->progress, *before = &submission->batch.before;
    if (before->promised <= before->jobs ||
        (made->jobs == before->promised && made->hash == before->promised_hash))
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INPUT,
                      "%s has changed since submit was interrupted: jobs from %" PRId64
                      " on would have other images than those that may be published; submit a new "
                      "set",
                      submission->set->manifest ? submission->set->manifest : submission->set->from,
                      before->jobs);
}

static swathe_status publish(struct submission *submission, int64_t number, const char *json)
{
    const struct set *set = submission->set;
    char id[IDENTITY_BYTES + 64];
    snprintf(id, sizeof id, "%s.%" PRId64 ".0", set->identity, number);
    return queue_submit_later(submission->queue, set->name, submission->priority, id, json,
                              strlen(json));
}

static swathe_status publish_all(struct submission *submission)
{
    struct submission_batch *batch = &submission->batch;
    struct set_progress *made = &submission->progress;
    if (batch->count == 0 && batch->before.promised <= batch->before.jobs)
        return SWATHE_OK;
    TRY(compare(submission));
    made->promised = batch->before.promised = made->jobs;
    made->promised_hash = batch->before.promised_hash = made->hash;
    TRY(record(submission));
    for (int i = 0; i < batch->count; i++)
        TRY(publish(submission, batch->before.jobs + i, batch->jobs[i]));
    TRY(queue_flush(submission->queue));
    for (int i = 0; i < batch->count; i++)
        free(batch->jobs[i]);
    batch->count = 0;
    batch->started = nats_Now();
    return copy_progress(submission);
}

swathe_status submission_batch_add(struct submission *submission, char *json)
{
    struct submission_batch *batch = &submission->batch;
    const struct set_progress *before = &batch->before;
    batch->jobs[batch->count++] = json;
    bool repeats = before->promised > before->jobs;
    if (repeats ? submission->progress.jobs == before->promised
                : batch->count == SUBMISSION_BATCH || nats_Now() - batch->started >= BATCH_MS)
        return publish_all(submission);
    return batch->count < SUBMISSION_BATCH ? SWATHE_OK : compare(submission);
}

swathe_status submission_batch_finish(struct submission *submission)
{
    TRY(publish_all(submission));
    submission->progress.complete = submission->batch.before.complete = true;
    return record(submission);
}
