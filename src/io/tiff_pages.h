/* The pages of a TIFF file: its directories, except copies at a lower resolution and masks. */
#ifndef SWATHE_IO_TIFF_PAGES_H
#define SWATHE_IO_TIFF_PAGES_H

#include "io/ifd.h"
#include "io/stream.h"

/* Finds the directory of page `wanted` (1 is the first; `directory` is 0 if there are fewer), and
 * the number of pages. A file whose directories are all copies or masks has one page, the first. A
 * damaged, cyclic list ends where a directory would be repeated. */
swathe_status tiff_pages_find(const struct ifd_source *source, uint64_t first, int64_t wanted,
                              uint64_t *directory, int64_t *pages);
/* The bytes of an open file as a source of directories. */
struct ifd_source tiff_pages_source(struct stream *in);

#endif
