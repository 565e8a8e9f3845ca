/* The pictures of a TIFF file: its directories but for copies at a lower resolution and masks. */
#ifndef SWATHE_IO_TIFF_PAGES_H
#define SWATHE_IO_TIFF_PAGES_H

#include "io/ifd.h"
#include "io/stream.h"

/* Where the tags of picture `wanted` start (1 is the first; 0 in `directory`: there are fewer), and
 * how many pictures there are. A file whose directories are all copies or masks has one, the
 * first. A damaged list that leads round in circles ends where a directory would come again. */
swathe_status tiff_pages_find(const struct ifd_source *source, uint64_t first, int64_t wanted,
                              uint64_t *directory, int64_t *pages);
/* The bytes of an open file as directories are read from it. */
struct ifd_source tiff_pages_source(struct stream *in);

#endif
