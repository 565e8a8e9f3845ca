/* Keys on their way to the queue: collected into jobs, published, and recorded. */
#include "submit/submit.h"

#include "fail.h"
#include "fields.h"
#include "session.h"

#include <inttypes.h>
#include <nats/nats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Results of the same name -----------------------------------------------------------------
 */

/* Two keys share a result if they differ in their extension only: a.png and a.tif. All keys that
 * sort between them start with "a." as well. So it suffices to remember the stems that the current
 * key extends: at most one for each dot in it. */
static bool submission_extends(const char *key, const char *stem)
{
    size_t length = strlen(stem);
    return strncmp(key, stem, length) == 0 && (key[length] == '.' || key[length] == '\0');
}

/* Fails if another key before this one has the same result, as a.png and a.tif have with --format
 * jpeg. Keys must come in the order of their bytes. */
static swathe_status check_name(struct submission *submission, const char *key)
{
    char *stem;
    if (!submission->set->write.format || submission->set->manifest)
        return SWATHE_OK;
    while (submission->name_count > 0 &&
           !submission_extends(key, submission->names[submission->name_count - 1]))
        free(submission->names[--submission->name_count]);
    size_t length = set_stem(key);
    for (int32_t i = 0; i < submission->name_count; i++)
        if (strlen(submission->names[i]) == length &&
            strncmp(submission->names[i], key, length) == 0)
            return fleet_fail(SWATHE_ERROR_ARGUMENT,
                              "'%s' and another image '%.*s' would have the same result with "
                              "--format %s; submit them as two sets with different --to",
                              key, (int)length, key, submission->set->write.format);
    TRY(fleet_reallocate((size_t)submission->name_count + 1, sizeof *submission->names,
                         &submission->names));
    TRY(fleet_copy_text(key, &stem));
    stem[length] = '\0';
    submission->names[submission->name_count++] = stem;
    return SWATHE_OK;
}

/* ---- Batches ----------------------------------------------------------------------------------
 */

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

/* Starts at submission->progress. */
static swathe_status batch_start(struct submission *submission)
{
    submission->batch.started = nats_Now();
    return copy_progress(submission);
}

static void batch_free(struct submission *submission)
{
    struct submission_batch *batch = &submission->batch;
    for (int i = 0; i < batch->count; i++)
        free(batch->jobs[i]);
    batch->count = 0;
    set_progress_free(&batch->before);
}

static swathe_status record_progress(struct submission *submission)
{
    return session_put_progress(submission->queue, submission->set->name,
                                &submission->batch.before);
}

/* Jobs of an earlier submit, which may be published, must be the same: otherwise two jobs would
 * have one number. */
static swathe_status submission_compare_with_earlier(const struct submission *submission)
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

static swathe_status submission_publish_job(struct submission *submission, int64_t number,
                                            const char *json)
{
    const struct set *set = submission->set;
    char id[IDENTITY_BYTES + 64];
    snprintf(id, sizeof id, "%s.%" PRId64 ".0", set->identity, number);
    return queue_submit_later(submission->queue, set->name, submission->priority, id, json,
                              strlen(json));
}

static swathe_status publish_batch(struct submission *submission)
{
    struct submission_batch *batch = &submission->batch;
    struct set_progress *made = &submission->progress;
    if (batch->count == 0 && batch->before.promised <= batch->before.jobs)
        return SWATHE_OK;
    TRY(submission_compare_with_earlier(submission));
    made->promised = batch->before.promised = made->jobs;
    made->promised_hash = batch->before.promised_hash = made->hash;
    TRY(record_progress(submission));
    for (int i = 0; i < batch->count; i++)
        TRY(submission_publish_job(submission, batch->before.jobs + i, batch->jobs[i]));
    TRY(queue_flush(submission->queue));
    for (int i = 0; i < batch->count; i++)
        free(batch->jobs[i]);
    batch->count = 0;
    batch->started = nats_Now();
    return copy_progress(submission);
}

/* Takes the text of a job; publishes the batch if it is full or old. */
static swathe_status batch_add(struct submission *submission, char *json)
{
    struct submission_batch *batch = &submission->batch;
    const struct set_progress *before = &batch->before;
    batch->jobs[batch->count++] = json;
    bool repeats = before->promised > before->jobs;
    if (repeats ? submission->progress.jobs == before->promised
                : batch->count == SUBMISSION_BATCH || nats_Now() - batch->started >= BATCH_MS)
        return publish_batch(submission);
    return batch->count < SUBMISSION_BATCH ? SWATHE_OK
                                           : submission_compare_with_earlier(submission);
}

/* Publishes the last batch and records that the set is complete. */
static swathe_status batch_finish(struct submission *submission)
{
    TRY(publish_batch(submission));
    submission->progress.complete = submission->batch.before.complete = true;
    return record_progress(submission);
}

/* ---- Jobs -------------------------------------------------------------------------------------
 */

enum {
    FIRST_JOBS = 100, /* they are small, so that a small set occupies many workers */
    FIRST_IMAGES = 100,
    UNKNOWN_IMAGES = 100,    /* of a job, if sizes are not known */
    JOB_BYTES = 64 << 20,    /* of the images of a job; larger images are alone */
    REQUEST_BYTES = 8 << 20, /* of a store's request */
    RESULT_BYTES = 190,      /* of an image in a result, without its key */
    RESERVE = 4096,          /* of a message, for the rest */
    NAMED_SKIPS = 10
};

swathe_status submission_start(struct submission *submission)
{
    snprintf(submission->job.set, sizeof submission->job.set, "%s", submission->set->identity);
    submission->job.kind = submission->ranges ? JOB_MANIFEST : JOB_IMAGES_KEYS;
    return batch_start(submission);
}

static void clear_job(struct submission *submission)
{
    struct job *job = &submission->job;
    for (int32_t i = 0; job->keys && i < job->count; i++)
        free(job->keys[i]);
    job->count = 0;
    job->size = 0;
    submission->job_bytes = 0;
    submission->room = 0;
}

void submission_free(struct submission *submission)
{
    clear_job(submission);
    free(submission->job.keys);
    for (int32_t i = 0; i < submission->name_count; i++)
        free(submission->names[i]);
    free(submission->names);
    batch_free(submission);
    set_progress_free(&submission->progress);
}

/* ---- Records and jobs -------------------------------------------------------------------------
 */

/* FNV-1a of more bytes; 0 starts it. */
static uint64_t extend_hash(uint64_t hash, const char *bytes, size_t size)
{
    hash = hash ? hash : 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return hash;
}

/* Takes the text. */
static swathe_status submission_hand_over(struct submission *submission, char *json)
{
    if (submission->queue)
        return batch_add(submission, json);
    free(json);
    return submission->visit ? submission->visit(submission->user, &submission->job) : SWATHE_OK;
}

/* `mark`: of the last key of the job. */
static swathe_status close_job(struct submission *submission, const char *mark)
{
    struct set_progress *progress = &submission->progress;
    struct job *job = &submission->job;
    char *json, *last;
    size_t size;
    job->id = progress->jobs;
    TRY(fleet_copy_text(mark, &last));
    free(progress->last);
    progress->last = last;
    TRY(job_format(job, &json, &size));
    progress->hash = extend_hash(progress->hash, json, size);
    progress->jobs++;
    progress->images += job->count;
    swathe_status status = submission_hand_over(submission, json);
    clear_job(submission);
    return status;
}

/* ---- Keys -------------------------------------------------------------------------------------
 */

static int64_t most_images(const struct submission *submission, int64_t size)
{
    if (submission->set->images_per_job > 0)
        return submission->set->images_per_job;
    if (size < 0)
        return UNKNOWN_IMAGES;
    return submission->progress.jobs < FIRST_JOBS ? FIRST_IMAGES : JOB_IMAGES;
}

/* True if the key does not fit the job that is being collected. */
static bool is_full(const struct submission *submission, const struct submission_key *key,
                    size_t room)
{
    bool by_size = submission->set->images_per_job == 0 && key->size >= 0;
    return submission->job.count >= most_images(submission, key->size) ||
           submission->room + room > MESSAGE_BYTES - RESERVE ||
           (by_size && submission->job_bytes + key->size > JOB_BYTES);
}

static size_t room_of(const char *key)
{
    size_t room = RESULT_BYTES;
    for (; *key; key++)
        room += *key == '"' || *key == '\\' ? 2 : 1;
    return room;
}

/* Safe, and UTF-8 as JSON requires. */
static swathe_status check_key(const char *key, bool *usable)
{
    fields_lacked_memory(); /* of something before */
    json_t *text = key_is_safe(key) ? json_string(key) : NULL;
    json_decref(text);
    *usable = text != NULL;
    return fields_lacked_memory() ? fleet_fail(SWATHE_ERROR_MEMORY, "no memory for a key")
                                  : SWATHE_OK;
}

static swathe_status keep_key(struct submission *submission, const char *key)
{
    struct job *job = &submission->job;
    if (submission->ranges && !submission->visit) /* a range does not contain them */
        return SWATHE_OK;
    if (!job->keys)
        TRY(fleet_allocate(JOB_IMAGES, sizeof *job->keys, &job->keys));
    return fleet_copy_text(key, &job->keys[job->count]);
}

static void count_requests(struct submission *submission, int64_t size)
{
    int64_t requests = size > 0 ? (size - 1) / REQUEST_BYTES + 1 : 1;
    submission->bytes += size > 0 ? size : 0;
    submission->unsized += size < 0;
    submission->reads += requests;
    submission->writes += requests > 1 ? requests + 2 : 1;
}

#define NOT_A_KEY                                                                                  \
    "not a key of at most %d bytes of UTF-8 without control characters and without empty, . "      \
    "or .. segments"

static swathe_status submission_skip(struct submission *submission,
                                     const struct submission_key *key)
{
    /* Ranges cannot leave out a line. */
    if (submission->ranges)
        return fleet_fail(SWATHE_ERROR_INPUT,
                          "the list's line at byte %" PRId64 ", '%s', is " NOT_A_KEY
                          "; correct the list and upload it again",
                          key->offset, key->key, KEY_BYTES);
    if (submission->skipped++ < NAMED_SKIPS)
        fleet_complain(SWATHE_OK, "'%s' is skipped: " NOT_A_KEY, key->key, KEY_BYTES);
    return SWATHE_OK;
}

swathe_status submission_add(struct submission *submission, const struct submission_key *key)
{
    struct job *job = &submission->job;
    size_t room = room_of(key->key);
    bool usable;
    TRY(check_key(key->key, &usable));
    if (submission->found) {
        *submission->found = usable;
        return usable ? SWATHE_ERROR_CANCELLED : SWATHE_OK;
    }
    if (!usable)
        return submission_skip(submission, key);
    if (job->count > 0 && is_full(submission, key, room))
        TRY(close_job(submission, submission->mark));
    TRY(check_name(submission, key->key));
    TRY(keep_key(submission, key->key));
    if (job->count == 0)
        job->offset = key->offset;
    job->size = key->offset + key->length - job->offset;
    job->count++;
    submission->job_bytes += key->size > 0 ? key->size : 0;
    submission->room += room;
    snprintf(submission->mark, sizeof submission->mark, "%s", key->mark);
    count_requests(submission, key->size);
    return SWATHE_OK;
}

swathe_status submission_finish(struct submission *submission)
{
    if (submission->job.count > 0)
        TRY(close_job(submission, submission->mark));
    return submission->queue ? batch_finish(submission) : SWATHE_OK;
}
