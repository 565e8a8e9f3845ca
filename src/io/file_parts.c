/* A separate file, because tests replace it by one that supports their own sinks. */
#include "io/file_parts.h"

#include "io/file.h"

const struct file_parts *file_parts(const swathe_sink *sink)
{
    return file_own_parts(sink);
}
