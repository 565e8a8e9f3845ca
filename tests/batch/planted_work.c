/* Bugs planted in a worker: the record is written before the result has its name, or never. */
#include "batch/batch.h"

static int early(struct batch *batch, struct image *image, struct file_job *job)
{
#ifdef PLANT_EARLY
    image->result_size = -1; /* not known yet */
    int code = journal_done(&batch->journal, image);
    if (code != 0)
        return code;
#else
    (void)batch, (void)image;
#endif
    return file_job_write(job);
}

#define file_job_write(job)          early(batch, image, job)
#define journal_done(journal, image) 0
#include "../../cli/batch/work.c"
