/* Reads a part of an image from a source, or writes it to a sink. Sets an error text in case the
 * callback fails without one. */
#ifndef SWATHE_RUN_PART_H
#define SWATHE_RUN_PART_H

#include "io/source_sink.h"

swathe_status part_read(const swathe_source *source, const swathe_image *into);
swathe_status part_write(const swathe_sink *sink, const swathe_image *from);

#endif
