/* Metadata blocks, valid as long as their reader or writer. */
#ifndef SWATHE_IO_METADATA_METADATA_BLOCKS_H
#define SWATHE_IO_METADATA_METADATA_BLOCKS_H

#include "io/codec.h"

enum metadata_kind { METADATA_ICC, METADATA_EXIF, METADATA_XMP, METADATA_GEO };

/* Copies a block into reader->metadata. A block that exceeds the metadata limit is
 * SWATHE_ERROR_LIMIT. Only the first block of each kind is kept; empty blocks are ignored. */
swathe_status reader_store_metadata(struct image_reader *reader, enum metadata_kind kind,
                                    const void *data, size_t size);
void reader_drop_metadata(struct image_reader *reader);

/* The same for metadata without a reader. */
swathe_status metadata_store(const struct memory *memory, swathe_metadata *metadata,
                             enum metadata_kind kind, const void *data, size_t size);
void metadata_drop_block(const struct memory *memory, swathe_metadata *metadata,
                         enum metadata_kind kind);
/* Frees all blocks. */
void metadata_drop(const struct memory *memory, swathe_metadata *metadata);

#endif
