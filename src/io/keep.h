/* Metadata blocks that live as long as their reader or writer. */
#ifndef SWATHE_IO_KEEP_H
#define SWATHE_IO_KEEP_H

#include "io/codec.h"

enum keep_kind { KEEP_ICC, KEEP_EXIF, KEEP_XMP, KEEP_GEO };

/* Copies a block into reader->metadata. A block past the metadata limit is SWATHE_ERROR_LIMIT; of
 * several of one kind the first is kept; an empty one is none. */
swathe_status reader_keep(struct image_reader *reader, enum keep_kind kind, const void *data,
                          size_t size);
void reader_drop_metadata(struct image_reader *reader);

/* The same for metadata on its own. */
swathe_status keep_block(const struct memory *memory, swathe_metadata *metadata,
                         enum keep_kind kind, const void *data, size_t size);
void keep_drop_block(const struct memory *memory, swathe_metadata *metadata, enum keep_kind kind);
/* All of them. */
void keep_drop(const struct memory *memory, swathe_metadata *metadata);

#endif
