/* The jobs of a mosaic, as workers do them. A failure with EAGAIN: a job before this one is not
 * done yet. */
#ifndef FLEET_MOSAIC_WORK_H
#define FLEET_MOSAIC_WORK_H

#include "mosaic/mosaic.h"
#include "worker/worker.h"

/* Does a job. `image` gets what jobs of tiles report. */
swathe_status mosaic_work(struct worker *worker, struct held *held, struct outcome_image *image);
/* What to do with a job that failed. */
enum held_verdict mosaic_judge(swathe_status status, int number);
/* Leaves a mark for the jobs after this one, which then give up, too. */
void mosaic_failed(struct worker *worker, const struct job *job, const char *reason);
/* Removes what is left of the set in the store, after the last job was acknowledged: if it is
 * delivered again, "done" tells that it is done, and not a file that may be an older one. */
void mosaic_finished(struct worker *worker, const struct job *job);

swathe_status mosaic_tiles(struct worker *worker, const struct job *job,
                           struct outcome_image *image);
swathe_status mosaic_index(struct worker *worker, const struct held *held);
swathe_status mosaic_part(struct worker *worker, const struct held *held);
swathe_status mosaic_finish(struct worker *worker, const struct held *held);

/* Fails with EAGAIN; or, if a job before this one was given up, with a text that names it. */
swathe_status mosaic_wait(struct worker *worker, const struct held *held, const char *what);

/* The open source, with its plan and the shape and metadata of the result. */
struct mosaic_input {
    swathe_source *source;
    swathe_plan *plan;
    swathe_shape shape;
    swathe_metadata metadata;
    swathe_write_options write;
};
swathe_status mosaic_input_open(struct worker *worker, struct mosaic_input *input);
void mosaic_input_close(struct mosaic_input *input);

/* Largest file. The objects of the stage are not trusted, so that their sums are limited. */
#define MOSAIC_BYTES (INT64_C(1) << 53)

/* Where each object of the stage starts in the file: the head, the tiles of each job, the tail. */
struct mosaic_index {
    int64_t pieces;
    int64_t *starts; /* pieces + 1; the last is the size of the file */
};
/* ENOENT if there is none of this upload. */
swathe_status mosaic_index_get(struct worker *worker, struct mosaic_index *index);
void mosaic_index_free(struct mosaic_index *index);
static inline int64_t mosaic_total(const struct mosaic_index *index)
{
    return index->starts[index->pieces];
}
void mosaic_piece_name(const struct mosaic_index *index, int64_t piece, char name[STAGE_NAME]);

/* Reads exactly `size` bytes of an object and passes them to `take`, some at a time. */
swathe_status mosaic_read(struct worker *worker, const char *url, int64_t offset, int64_t size,
                          swathe_status (*take)(void *user, const void *bytes, size_t size),
                          void *user);

#endif
