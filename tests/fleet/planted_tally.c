/* A planted bug: every result counts as a job of its own, also one of a job that was counted. */
#include "set/job_message.h"

static swathe_status parse_as_new(const char *json, size_t size, struct outcome **outcome)
{
    static int64_t next;
    swathe_status status = outcome_parse(json, size, outcome);
    if (status == SWATHE_OK && (*outcome)->id >= 0)
        (*outcome)->id = next++;
    return status;
}

#define outcome_parse parse_as_new
#include "../../fleet/status/tally.c"
