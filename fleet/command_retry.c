/* swathe-fleet retry: failed images, jobs that were given up and jobs that are missing, once more.
 */
#include "fleet_fail.h"
#include "fleet_session.h"
#include "mosaic_layout.h"
#include "retry_missing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct retry {
    struct queue *queue;
    const char *set;
    int priority;
    int64_t jobs, images, lost;
    bool queue_empty; /* so that jobs without an outcome are missing */
    bool listed; /* all jobs of the set are submitted, so that its source can be listed again */
};

/* The job first, then the mark: without the mark it is only done once more than counted. */
static swathe_status submit(struct retry *retry, const struct job *job)
{
    char *json, id[NAME_BYTES + 64];
    size_t size;
    snprintf(id, sizeof id, "%s.%" PRId64 ".%" PRId64, job->set, job->id, job->generation);
    TRY(job_format(job, &json, &size));
    /* Jobs that assemble a mosaic come after its tiles. */
    bool late = mosaic_kind(job->kind) && job->kind != JOB_TILES;
    swathe_status status = queue_submit(
        retry->queue, retry->set, late ? QUEUE_PRIORITIES - 1 : retry->priority, id, json, size);
    free(json);
    TRY(status);
    TRY(set_retry_format(retry->set,
                         &(struct set_retry){.id = job->id, .generation = job->generation}, &json,
                         &size));
    status = queue_publish(retry->queue, retry->set, QUEUE_RETRY, json, size);
    free(json);
    retry->jobs += status == SWATHE_OK;
    return status;
}

static swathe_status retry_images(struct retry *retry, const struct tally_trouble *trouble,
                                  struct job *job)
{
    char **keys;
    TRY(fleet_allocate((size_t)trouble->count, sizeof *keys, &keys));
    for (int32_t i = 0; i < trouble->count; i++)
        keys[i] = trouble->failures[i].key;
    job->kind = JOB_IMAGES_KEYS;
    job->keys = keys;
    job->count = trouble->count;
    swathe_status status = submit(retry, job);
    free(keys);
    retry->images += trouble->count;
    return status;
}

static swathe_status retry_one(struct retry *retry, const struct tally *tally,
                               const struct tally_trouble *trouble)
{
    struct job job = {.id = trouble->id, .generation = retry_generation(tally, trouble->id)};
    bool open = trouble->submitted > trouble->seen;
    if (open && !retry->queue_empty)
        return SWATHE_OK; /* it is on its way */
    snprintf(job.set, sizeof job.set, "%s", retry->set);
    if (trouble->count > 0)
        return retry_images(retry, trouble, &job);
    if (!open && (!trouble->dead || tally_has(tally, trouble->id)))
        return SWATHE_OK;
    if (!trouble->job && retry->listed)
        return SWATHE_OK; /* retry_listed makes it */
    if (!trouble->job) {
        retry->lost++;
        return fleet_complain(SWATHE_OK,
                              "job %" PRId64 " cannot be submitted again: its dead "
                              "letter does not contain it (%s)",
                              trouble->id, trouble->reason);
    }
    struct job again = *trouble->job;
    again.generation = job.generation;
    return submit(retry, &again);
}

static int by_id(const void *a, const void *b)
{
    const struct tally_trouble *const *first = a, *const *second = b;
    return ((*first)->id > (*second)->id) - ((*first)->id < (*second)->id);
}

/* In the order of their numbers: jobs of a mosaic wait for those before them. */
static swathe_status retry_troubles(struct retry *retry, const struct tally *tally)
{
    struct tally_trouble **sorted;
    size_t count = 0;
    TRY(fleet_allocate(tally->trouble_count, sizeof *sorted, &sorted));
    for (size_t i = 0; i < tally->trouble_room; i++)
        if (tally->troubles[i])
            sorted[count++] = tally->troubles[i];
    qsort(sorted, count, sizeof *sorted, by_id);
    swathe_status status = SWATHE_OK;
    for (size_t i = 0; status == SWATHE_OK && i < count; i++)
        status = retry_one(retry, tally, sorted[i]);
    free(sorted);
    return status;
}

static swathe_status submit_missing(void *user, const struct job *job)
{
    return submit(user, job);
}

/* Jobs that no result contains are made from the source. */
static swathe_status retry_listed(struct retry *retry, const struct set *set,
                                  const struct set_progress *progress, const struct tally *tally)
{
    int64_t id = 0;
    while (id < progress->jobs && !retry_needs_source(tally, retry->queue_empty, id))
        id++;
    if (id == progress->jobs)
        return SWATHE_OK;
    return retry_missing(set, progress, tally, retry->queue_empty, submit_missing, retry);
}

/* The queue is asked before the results are read and after, so that a job that is done, or
 * submitted, meanwhile is not missing. */
static swathe_status read_results(struct retry *retry, struct tally *tally)
{
    int64_t before, after;
    TRY(queue_stored(retry->queue, retry->set, &before));
    TRY(tally_update(tally, retry->queue));
    TRY(queue_stored(retry->queue, retry->set, &after));
    retry->queue_empty = retry->listed && before == 0 && after == 0;
    return SWATHE_OK;
}

static swathe_status retry_set(struct retry *retry, const struct set *set,
                               const struct set_progress *progress)
{
    struct tally tally;
    tally_start(&tally, retry->set);
    retry->listed = progress->complete;
    if (progress->complete)
        tally.limit = progress->jobs;
    swathe_status status = read_results(retry, &tally);
    if (status == SWATHE_OK)
        status = retry_troubles(retry, &tally);
    if (status == SWATHE_OK && retry->listed)
        status = retry_listed(retry, set, progress, &tally);
    tally_free(&tally);
    return status;
}

static swathe_status retry_all(struct retry *retry)
{
    struct set *set;
    enum set_state state;
    struct set_progress progress = {0};
    TRY(session_set(retry->queue, retry->set, &set));
    swathe_status status = session_state(retry->queue, retry->set, &state);
    if (status == SWATHE_OK && state == SET_CANCELLED)
        status = fleet_fail(SWATHE_ERROR_ARGUMENT, "set '%s' is cancelled", retry->set);
    if (status == SWATHE_OK)
        status = session_progress(retry->queue, retry->set, &progress);
    if (status == SWATHE_OK)
        status = retry_set(retry, set, &progress);
    set_progress_free(&progress);
    set_free(set);
    return status;
}

int command_retry(const struct fleet_options *options)
{
    struct retry retry = {.set = fleet_option_text(options, OPTION_SET),
                          .priority = session_priority(options)};
    swathe_status status = session_open(options, &retry.queue);
    if (status == SWATHE_OK)
        status = retry_all(&retry);
    queue_close(retry.queue);
    if (status != SWATHE_OK)
        return fleet_complain_last(status);
    printf("%s: submitted %" PRId64 " jobs again, with %" PRId64 " failed images\n", retry.set,
           retry.jobs, retry.images);
    return retry.lost ? 1 : 0;
}
