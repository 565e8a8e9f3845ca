/* swathe-fleet submit */
#include "fleet_fail.h"
#include "fleet_session.h"
#include "mosaic_layout.h"
#include "mosaic_submit.h"
#include "submit_set.h"
#include "submit_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_SKIPPED = 1 };

/* Takes what submit made up, and did not get from its arguments, from the record. */
static swathe_status adopt(struct set *set, const char *record)
{
    struct set *earlier;
    TRY(set_parse(record, strlen(record), &earlier));
    swathe_status status = set_identify(set, earlier->instance);
    if (set->is_mosaic && earlier->is_mosaic && earlier->upload) {
        set->upload = earlier->upload;
        earlier->upload = NULL;
    }
    set_free(earlier);
    return status;
}

/* Stores the record of a new set, or checks that the old one is equal. */
static swathe_status begin(struct queue *queue, struct store *store, struct set *set, int replicas)
{
    char *json;
    enum set_state state;
    TRY(queue_set_create(queue, set->name, replicas));
    swathe_status status = queue_record_get(queue, set->name, QUEUE_SET, &json);
    if (status != SWATHE_OK && fleet_fail_number() == ENOENT) {
        TRY(set_identify(set, NULL));
        if (set->is_mosaic)
            TRY(mosaic_upload(store, set));
        TRY(set_format(set, &json, NULL));
        status = queue_record_put(queue, set->name, QUEUE_SET, json);
    } else if (status == SWATHE_OK) {
        status = adopt(set, json);
        if (status == SWATHE_OK)
            status = submit_set_compare(set, json);
    } else {
        return status;
    }
    free(json);
    TRY(status);
    TRY(session_state(queue, set->name, &state));
    if (state == SET_CANCELLED)
        return fleet_fail(SWATHE_ERROR_ARGUMENT,
                          "set '%s' is cancelled; use another --set, or remove it with "
                          "'swathe-fleet cancel --delete'",
                          set->name);
    return SWATHE_OK;
}

static swathe_status submit(struct submission *submission, struct set *set, struct store *store,
                            int replicas)
{
    if (submission->queue) {
        if (!set->is_mosaic) /* a wrong source must not leave a set of this name */
            TRY(submit_source_check(set, store));
        TRY(begin(submission->queue, store, set, replicas));
        TRY(session_progress(submission->queue, submission->set->name, &submission->progress));
    }
    if (submission->progress.complete)
        return SWATHE_OK;
    if (set->is_mosaic && submission->queue)
        return mosaic_publish(submission->queue, set, submission->priority, &submission->progress);
    if (set->is_mosaic)
        return SWATHE_OK;
    if (submission->progress.jobs > 0)
        printf("%s: continues after %" PRId64 " jobs\n", submission->set->name,
               submission->progress.jobs);
    fflush(stdout);
    submission_start(submission);
    TRY(submit_source_run(submission, store));
    return submission_finish(submission);
}

static int report(const struct submission *submission, struct store *store)
{
    struct store_counts counts = {0};
    store_count(store, &counts);
    if (submission->queue)
        printf("%s: submitted %" PRId64 " jobs with %" PRId64 " images\n", submission->set->name,
               submission->progress.jobs, submission->progress.images);
    else
        printf("%" PRId64 " images with %" PRId64 " bytes, %" PRId64 " jobs; requests: %" PRId64
               " to list, about %" PRId64 " to read, %" PRId64 " to write\n",
               submission->progress.images, submission->bytes, submission->progress.jobs,
               counts.requests, submission->reads, submission->writes);
    if (submission->skipped == 0)
        return 0;
    return fleet_complain(EXIT_SKIPPED,
                          "%" PRId64 " objects were skipped: their names cannot be "
                          "keys of a job",
                          submission->skipped);
}

static int report_mosaic(const struct set *set)
{
    printf("%s: %" PRId64 " x %" PRId64 " pixels in %" PRId64 " tiles; jobs: %" PRId64
           " of up to %" PRId64 " tiles, %" PRId64 " to assemble the file\n",
           set->name, set->shape.width, set->shape.height, set->tiles, mosaic_tile_jobs(set),
           set->tiles_per_job, set->parts + 2);
    return 0;
}

static swathe_status run(const struct fleet_options *options, struct set *set, struct store *store,
                         int *code)
{
    struct submission submission = {.set = set, .priority = session_priority(options)};
    TRY(submit_set_fill(options, set));
    if (set->is_mosaic)
        TRY(mosaic_describe(store, set, fleet_option_count(options, OPTION_TILES_PER_JOB, 0)));
    submission.ranges = set->manifest && store_is_s3(set->manifest);
    if (!fleet_option_given(options, OPTION_DRY_RUN))
        TRY(session_open(options, &submission.queue));
    swathe_status status =
        submit(&submission, set, store, (int)fleet_option_count(options, OPTION_REPLICAS, 1));
    if (status == SWATHE_OK)
        *code = set->is_mosaic ? report_mosaic(set) : report(&submission, store);
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
        status = run(options, set, store, &code);
    if (status != SWATHE_OK)
        code = fleet_complain_last(status);
    set_free(set);
    store_destroy(store);
    return code;
}
