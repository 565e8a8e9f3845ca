#define _POSIX_C_SOURCE 200809L /* getline */
#include "retry_missing.h"

#include "fleet_fail.h"
#include "mosaic_layout.h"
#include "submit_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Jobs wait in a file, a line each, until the whole source was compared: a job that was made from
 * another listing would have other images than the results of its number say. */
struct rebuild {
    const struct tally *tally;
    bool queue_empty;
    FILE *file;
};

int64_t retry_generation(const struct tally *tally, int64_t id)
{
    const struct tally_trouble *trouble = tally_find_trouble(tally, id);
    int64_t last = 0;
    if (trouble && trouble->seen > last)
        last = trouble->seen;
    if (trouble && trouble->submitted > last)
        last = trouble->submitted;
    return last + 1;
}

bool retry_needs_source(const struct tally *tally, bool queue_empty, int64_t id)
{
    const struct tally_trouble *trouble = tally_find_trouble(tally, id);
    if (trouble && (trouble->count > 0 || trouble->job))
        return false;
    if (tally_is_open(tally, id))
        return queue_empty;
    return trouble && trouble->dead && !tally_has(tally, id);
}

static swathe_status keep(void *user, const struct job *job)
{
    struct rebuild *rebuild = user;
    struct job again = *job;
    char *json;
    size_t size;
    if (!retry_needs_source(rebuild->tally, rebuild->queue_empty, job->id))
        return SWATHE_OK;
    again.generation = retry_generation(rebuild->tally, job->id);
    TRY(job_format(&again, &json, &size));
    bool written = fwrite(json, 1, size, rebuild->file) == size && fputc('\n', rebuild->file) >= 0;
    int error = errno;
    free(json);
    return written
               ? SWATHE_OK
               : fleet_fail_system(SWATHE_ERROR_IO, error, "temporary file: %s", strerror(error));
}

static swathe_status compare(const struct set *set, const struct set_progress *found,
                             const struct set_progress *recorded)
{
    if (found->jobs == recorded->jobs && found->images == recorded->images &&
        found->hash == recorded->hash)
        return SWATHE_OK;
    return fleet_fail(SWATHE_ERROR_INPUT,
                      "%s has changed since the set was submitted (%" PRId64
                      " images then, %" PRId64
                      " now), so its missing jobs cannot be made again; submit a new set",
                      set->manifest ? set->manifest : set->from, recorded->images, found->images);
}

static swathe_status list_source(const struct set *set, const struct set_progress *recorded,
                                 struct rebuild *rebuild)
{
    struct submission submission = {.set = set, .visit = keep, .user = rebuild};
    struct store_options options = {0};
    struct store *store = NULL;
    TRY(store_create(&options, &store));
    submission.ranges = set->manifest && store_is_s3(set->manifest);
    submission_start(&submission);
    swathe_status status = submit_source_run(&submission, store);
    if (status == SWATHE_OK)
        status = submission_finish(&submission);
    if (status == SWATHE_OK)
        status = compare(set, &submission.progress, recorded);
    submission_free(&submission);
    store_destroy(store);
    return status;
}

static swathe_status submit_all(FILE *file, swathe_status (*submit)(void *, const struct job *),
                                void *user)
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
            status = submit(user, job);
        job_free(job);
    }
    if (status == SWATHE_OK && ferror(file))
        status = fleet_fail_system(SWATHE_ERROR_IO, errno, "temporary file: %s", strerror(errno));
    free(line);
    return status;
}

/* The jobs of a mosaic follow from its record. */
static swathe_status submit_mosaic(const struct set *set, const struct rebuild *rebuild,
                                   swathe_status (*submit)(void *user, const struct job *job),
                                   void *user)
{
    for (int64_t id = 0; id < mosaic_jobs(set); id++) {
        struct job job;
        mosaic_job(set, id, &job);
        job.generation = retry_generation(rebuild->tally, id);
        if (retry_needs_source(rebuild->tally, rebuild->queue_empty, id))
            TRY(submit(user, &job));
    }
    return SWATHE_OK;
}

swathe_status retry_missing(const struct set *set, const struct set_progress *progress,
                            const struct tally *tally, bool queue_empty,
                            swathe_status (*submit)(void *user, const struct job *job), void *user)
{
    struct rebuild rebuild = {tally, queue_empty, NULL};
    if (set->is_mosaic)
        return submit_mosaic(set, &rebuild, submit, user);
    rebuild.file = tmpfile();
    if (!rebuild.file)
        return fleet_fail_system(SWATHE_ERROR_IO, errno, "temporary file: %s", strerror(errno));
    swathe_status status = list_source(set, progress, &rebuild);
    if (status == SWATHE_OK)
        status = submit_all(rebuild.file, submit, user);
    fclose(rebuild.file);
    return status;
}
