#include "run/part.h"

#include "base/status.h"

#include <inttypes.h>

swathe_status part_read(const swathe_source *source, const swathe_image *into)
{
    fail_record(SWATHE_ERROR_INTERNAL,
                "the source failed to read rows %" PRId64 " to %" PRId64 " and gave no reason",
                into->y, into->y + into->height - 1);
    return fail_returned(source->read(source->user, into), "the source's read");
}

swathe_status part_write(const swathe_sink *sink, const swathe_image *from)
{
    fail_record(SWATHE_ERROR_INTERNAL,
                "the sink failed to write rows %" PRId64 " to %" PRId64 " and gave no reason",
                from->y, from->y + from->height - 1);
    return fail_returned(sink->write(sink->user, from), "the sink's write");
}
