/* The pages of a TIFF file: its directories, except copies at a lower resolution and masks. */
#ifndef SWATHE_IO_TIFF_PAGES_H
#define SWATHE_IO_TIFF_PAGES_H

#include "base/memory.h"
#include "io/bytes/stream.h"
#include "io/metadata/ifd.h"

struct tiff_pages;

/* Finds all pages. A file whose directories are all copies or masks has one page, the first. A
 * damaged, cyclic list ends where a directory would be repeated. */
swathe_status tiff_pages_read(const struct memory *memory, const struct ifd_source *source,
                              uint64_t first, struct tiff_pages **pages);
/* Another owner of the same list; NULL for NULL. */
struct tiff_pages *tiff_pages_share(struct tiff_pages *pages);
/* Frees the list after its last owner. Accepts NULL. */
void tiff_pages_drop(struct tiff_pages *pages);

int64_t tiff_pages_count(const struct tiff_pages *pages);
/* The directory of a page; 1 is the first. 0 if there are fewer. */
uint64_t tiff_pages_at(const struct tiff_pages *pages, int64_t page);
/* The bytes of an open file as a source of directories. */
struct ifd_source tiff_pages_source(struct stream *in);

#endif
