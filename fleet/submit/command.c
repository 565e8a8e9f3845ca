/* swathe-fleet submit */
#include "fail.h"
#include "mosaic/mosaic.h"
#include "session.h"
#include "submit/submit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_SKIPPED = 1 };

/* Takes what submit made up, and did not get from its arguments, from the record. */
static swathe_status submit_command_adopt(struct store *store, struct set *set, const char *record)
{
    struct set *earlier;
    TRY(set_parse(record, strlen(record), &earlier));
    if (set->upload && strcmp(set->instance, earlier->instance) != 0)
        store_parts_abort(store, set->to, set->upload);
    swathe_status status = set_identify(set, earlier->instance);
    if (set->is_mosaic && earlier->is_mosaic && earlier->upload) {
        free(set->upload);
        set->upload = earlier->upload;
        earlier->upload = NULL;
    }
    set_free(earlier);
    return status;
}

static swathe_status submit_command_create(struct queue *queue, struct store *store,
                                           struct set *set)
{
    char *json;
    TRY(set_identify(set, NULL));
    if (set->is_mosaic)
        TRY(mosaic_upload(store, set));
    TRY(set_format(set, &json, NULL));
    swathe_status status = queue_record_create(queue, set->name, QUEUE_SET, json);
    free(json);
    return status;
}

/* Stores the record of a new set, or checks that the old one is equal. If another submit stores
 * one meanwhile, that one counts. *found: there is an older record. */
static swathe_status submit_command_begin(struct queue *queue, struct store *store, struct set *set,
                                          int replicas, bool *found)
{
    char *json = NULL;
    enum set_state state;
    TRY(queue_set_create(queue, set->name, replicas));
    swathe_status status = queue_record_get(queue, set->name, QUEUE_SET, &json);
    if (status != SWATHE_OK && fleet_fail_number() == ENOENT) {
        status = submit_command_create(queue, store, set);
        if (status != SWATHE_OK && fleet_fail_number() == EEXIST)
            status = queue_record_get(queue, set->name, QUEUE_SET, &json);
    }
    if (status == SWATHE_OK && json)
        status = submit_command_adopt(store, set, json);
    if (status == SWATHE_OK && json)
        status = submit_set_compare(set, json);
    *found = json != NULL;
    free(json);
    TRY(status);
    TRY(session_state(queue, set->name, &state));
    if (state == SET_CANCELLED)
        return session_cancelled(set->name);
    return SWATHE_OK;
}

static swathe_status submit_command_submit(struct submission *submission, struct set *set,
                                           struct store *store, int replicas)
{
    bool found = false;
    if (submission->queue) {
        if (!set->is_mosaic) /* a wrong source must not leave a set of this name */
            TRY(submit_source_check(set, store));
        TRY(submit_command_begin(submission->queue, store, set, replicas, &found));
        TRY(session_progress(submission->queue, submission->set->name, &submission->progress));
        if (set->is_mosaic && found)
            TRY(mosaic_await_submit(submission->queue, set, &submission->progress));
        submission->earlier_jobs = submission->progress.jobs;
        submission->earlier_images = submission->progress.images;
        submission->was_complete = submission->progress.complete;
    }
    if (submission->was_complete)
        return SWATHE_OK;
    if (set->is_mosaic && submission->queue)
        return mosaic_publish(submission->queue, set, submission->priority, &submission->progress);
    if (set->is_mosaic)
        return SWATHE_OK;
    if (submission->progress.jobs > 0)
        printf("%s: continues after %" PRId64 " job%s\n", submission->set->name,
               submission->progress.jobs, plural(submission->progress.jobs));
    fflush(stdout);
    TRY(submission_start(submission));
    TRY(submit_source_run(submission, store));
    if (!submission->queue && submission->progress.images + submission->job.count == 0)
        return submit_source_empty(set);
    return submission_finish(submission);
}

static void report_counts(const struct submission *submission, struct store *store)
{
    int64_t jobs = submission->progress.jobs, images = submission->progress.images;
    char size[48] = "size not known";
    struct store_counts counts = {0};
    store_count(store, &counts);
    if (submission->unsized == 0)
        snprintf(size, sizeof size, "%" PRId64 " bytes", submission->bytes);
    printf("%" PRId64 " image%s (%s), %" PRId64 " job%s; requests: %" PRId64
           " to list, about %" PRId64 " to read, %" PRId64 " to write\n",
           images, plural(images), size, jobs, plural(jobs), counts.requests, submission->reads,
           submission->writes);
}

static void report_published(const struct submission *submission)
{
    const struct set_progress *all = &submission->progress;
    int64_t jobs = all->jobs - submission->earlier_jobs;
    int64_t images = all->images - submission->earlier_images;
    if (submission->was_complete)
        printf("%s: nothing to submit: all %" PRId64 " job%s with %" PRId64
               " image%s were submitted before\n",
               submission->set->name, all->jobs, plural(all->jobs), all->images,
               plural(all->images));
    else
        printf("%s: submitted %" PRId64 " job%s with %" PRId64 " image%s\n", submission->set->name,
               jobs, plural(jobs), images, plural(images));
}

static int submit_command_report(const struct submission *submission, struct store *store)
{
    if (submission->queue)
        report_published(submission);
    else
        report_counts(submission, store);
    if (submission->skipped == 0)
        return 0;
    return fleet_complain(EXIT_SKIPPED,
                          "%" PRId64 " object%s skipped: their names cannot be keys of a job",
                          submission->skipped, submission->skipped == 1 ? " was" : "s were");
}

/* The result is compressed. Requests depend on the layout of the source and are not estimated. */
static void report_needs(const struct set *set)
{
    int64_t bytes = 0;
    swathe_shape_bytes(&set->shape, &bytes);
    int64_t parts = (bytes - 1) / mosaic_part_bytes(bytes) + 1;
    printf("source: %lld bytes; result: up to %" PRId64 " bytes in %" PRId64
           " part%s, from %" PRId64 " temporary objects\n",
           strtoll(set->source, NULL, 10), bytes, parts, plural(parts), 2 * mosaic_tile_jobs(set));
}

static int report_mosaic(const struct submission *submission)
{
    const struct set *set = submission->set;
    int64_t jobs = mosaic_tile_jobs(set);
    printf("%s: %s%" PRId64 " x %" PRId64 " pixels in %" PRId64 " tile%s; jobs: %" PRId64
           " of up to %" PRId64 " tile%s, %" PRId64 " to assemble the file\n",
           set->name, submission->was_complete ? "nothing to submit, was submitted before: " : "",
           set->shape.width, set->shape.height, set->tiles, plural(set->tiles), jobs,
           set->tiles_per_job, plural(set->tiles_per_job), set->parts + 2);
    if (!submission->queue)
        report_needs(set);
    return 0;
}

static swathe_status submit_options(const struct fleet_options *options, struct set *set,
                                    struct store *store, int *code)
{
    struct submission submission = {.set = set, .priority = session_priority(options)};
    TRY(submit_set_fill(options, set));
    if (set->is_mosaic)
        TRY(mosaic_describe(store, set, fleet_option_count(options, OPTION_TILES_PER_JOB, 0)));
    submission.ranges = set->manifest && store_is_s3(set->manifest);
    if (!fleet_option_given(options, OPTION_DRY_RUN))
        TRY(session_open(options, &submission.queue));
    swathe_status status = submit_command_submit(
        &submission, set, store, (int)fleet_option_count(options, OPTION_REPLICAS, 1));
    if (status == SWATHE_OK)
        *code =
            set->is_mosaic ? report_mosaic(&submission) : submit_command_report(&submission, store);
    submission_free(&submission);
    queue_close(submission.queue);
    return status;
}

int command_submit(const struct fleet_options *options)
{
    struct store_options made = {0};
    struct store *store = NULL;
    struct set *set = NULL;
    int code = 0;
    swathe_status status = store_create(&made, &store);
    if (status == SWATHE_OK)
        status = fleet_allocate(1, sizeof *set, &set);
    if (status == SWATHE_OK)
        status = submit_options(options, set, store, &code);
    if (status != SWATHE_OK)
        code = fleet_complain_last(status);
    set_free(set);
    store_destroy(store);
    return code;
}
