/* A planted bug: of a job that is made again, the last image is lost. */
#include "set/job_message.h"

static swathe_status format_shorter(const struct job *job, char **json, size_t *size)
{
    struct job shorter = *job;
    shorter.count -= shorter.count > 1;
    return job_format(&shorter, json, size);
}

#define job_format format_shorter
#include "../../fleet/set/source_jobs.c"
