#define _POSIX_C_SOURCE 200809L /* getline */
#include "submit/submit.h"

#include "fail.h"
#include "mosaic/mosaic.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs wait in a file, a line each, until the whole source was compared: a job that was made from
 * another listing would have other images than the results of its number say. */
struct listing {
    const struct source_jobs *jobs;
    struct submission submission;
    uint64_t hash; /* of the jobs that the record covers */
    FILE *file;
};

static swathe_status fail_file(void)
{
    int error = errno;
    return fleet_fail_system(SWATHE_ERROR_IO, error, "temporary file: %s", strerror(error));
}

static swathe_status write_if_wanted(void *user, const struct job *job)
{
    struct listing *listing = user;
    const struct source_jobs *jobs = listing->jobs;
    char *json;
    size_t size;
    bool wanted = jobs->look(jobs->user, job);
    if (job->id >= jobs->progress->jobs)
        return SWATHE_OK; /* submit has not recorded it yet */
    listing->hash = listing->submission.progress.hash;
    if (!wanted)
        return SWATHE_OK;
    TRY(job_format(job, &json, &size));
    bool written = fwrite(json, 1, size, listing->file) == size && fputc('\n', listing->file) >= 0;
    swathe_status status = written ? SWATHE_OK : fail_file();
    free(json);
    return status;
}

static bool source_jobs_compare(const struct listing *listing)
{
    const struct set_progress *found = &listing->submission.progress,
                              *recorded = listing->jobs->progress;
    return listing->hash == recorded->hash && found->jobs >= recorded->jobs &&
           (!recorded->complete || found->jobs == recorded->jobs);
}

static swathe_status submit_source_jobs_list(struct listing *listing, bool *same)
{
    const struct set *set = listing->jobs->set;
    struct submission *submission = &listing->submission;
    struct store_options options = {0};
    struct store *store = NULL;
    TRY(store_create(&options, &store));
    *submission = (struct submission){.set = set, .visit = write_if_wanted, .user = listing};
    submission->ranges = set->manifest && store_is_s3(set->manifest);
    swathe_status status = submission_start(submission);
    if (status == SWATHE_OK)
        status = submit_source_run(submission, store);
    if (status == SWATHE_OK)
        status = submission_finish(submission);
    *same = status == SWATHE_OK && source_jobs_compare(listing);
    submission_free(submission);
    store_destroy(store);
    return status;
}

static swathe_status take_all(const struct source_jobs *jobs, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    swathe_status status = SWATHE_OK;
    rewind(file);
    while (status == SWATHE_OK && (size = getline(&line, &room, file)) > 0) {
        struct job *job = NULL;
        status = job_parse(line, (size_t)size - 1, &job);
        if (status == SWATHE_OK)
            status = jobs->take(jobs->user, job);
        job_free(job);
    }
    if (status == SWATHE_OK && ferror(file))
        status = fail_file();
    free(line);
    return status;
}

static swathe_status list_mosaic(const struct source_jobs *jobs)
{
    for (int64_t id = 0; id < mosaic_jobs(jobs->set); id++) {
        struct job job;
        mosaic_job(jobs->set, id, &job);
        if (jobs->look(jobs->user, &job))
            TRY(jobs->take(jobs->user, &job));
    }
    return SWATHE_OK;
}

swathe_status source_jobs_list(const struct source_jobs *jobs, bool *same)
{
    struct listing listing = {.jobs = jobs};
    *same = true;
    if (jobs->set->is_mosaic)
        return list_mosaic(jobs);
    listing.file = tmpfile();
    if (!listing.file)
        return fail_file();
    swathe_status status = submit_source_jobs_list(&listing, same);
    if (status == SWATHE_OK && fflush(listing.file) != 0) /* rewind would not tell */
        status = fail_file();
    if (status == SWATHE_OK && *same)
        status = take_all(jobs, listing.file);
    fclose(listing.file);
    return status;
}

swathe_status source_jobs_changed(const struct set *set)
{
    return fleet_fail(SWATHE_ERROR_INPUT,
                      "%s has changed since the set was submitted, so its jobs cannot be made "
                      "again; submit a new set",
                      set->manifest ? set->manifest : set->from);
}
