#include "run/part.h"

#include "base/status.h"

#include <inttypes.h>

/* The part was not checked yet. */
static int64_t last_row(const swathe_image *part)
{
    return (int64_t)((uint64_t)part->y + (uint64_t)part->height - 1);
}

swathe_status part_read(const swathe_source *source, const swathe_image *into)
{
    fail_record(SWATHE_ERROR_INTERNAL,
                "the source failed to read rows %" PRId64 " to %" PRId64 " and gave no reason",
                into->y, last_row(into));
    return fail_returned(source->read(source->user, into), "the source's read");
}

swathe_status part_write(const swathe_sink *sink, const swathe_image *from)
{
    fail_record(SWATHE_ERROR_INTERNAL,
                "the sink failed to write rows %" PRId64 " to %" PRId64 " and gave no reason",
                from->y, last_row(from));
    return fail_returned(sink->write(sink->user, from), "the sink's write");
}
