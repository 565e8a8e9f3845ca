/* Whole images: from a source to memory, and from a view to a sink. */
#ifndef SWATHE_IO_WHOLE_IMAGE_H
#define SWATHE_IO_WHOLE_IMAGE_H

#include "base/memory.h"
#include "base/status.h"
#include "io/source_sink.h"

/* Implements swathe_load, with at most `limit` bytes of samples. `metadata` may be NULL. */
swathe_status whole_image_load(const struct memory *memory, int64_t limit,
                               const swathe_source *source, swathe_image *image,
                               swathe_metadata *metadata);

/* Writes the view to the sink and commits it. The view must be the sink's whole image, not a part
 * of a larger one. */
swathe_status whole_image_save(const swathe_image *image, swathe_sink *sink);

#endif
