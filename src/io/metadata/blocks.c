#include "io/metadata/metadata.h"

#include <string.h>

static const char *const names[] = {"ICC profile", "EXIF block", "XMP packet", "GeoTIFF tags"};

static void blocks_slot(swathe_metadata *metadata, enum metadata_kind kind, const void ***data,
                        size_t **size)
{
    *data = kind == METADATA_ICC    ? &metadata->icc
            : kind == METADATA_EXIF ? &metadata->exif
            : kind == METADATA_XMP  ? &metadata->xmp
                                    : &metadata->geo;
    *size = kind == METADATA_ICC    ? &metadata->icc_size
            : kind == METADATA_EXIF ? &metadata->exif_size
            : kind == METADATA_XMP  ? &metadata->xmp_size
                                    : &metadata->geo_size;
}

swathe_status metadata_store(const struct memory *memory, swathe_metadata *metadata,
                             enum metadata_kind kind, const void *data, size_t size)
{
    const void **block;
    size_t *block_size;
    blocks_slot(metadata, kind, &block, &block_size);
    /* Files may contain a block twice; other readers use the first, too. */
    if (*block || !data || size == 0)
        return SWATHE_OK;
    void *copy;
    TRY(memory_new_raw(memory, (int64_t)size, 1, names[kind], &copy));
    memcpy(copy, data, size);
    *block = copy;
    *block_size = size;
    return SWATHE_OK;
}

void metadata_drop_block(const struct memory *memory, swathe_metadata *metadata,
                         enum metadata_kind kind)
{
    const void **block;
    size_t *block_size;
    blocks_slot(metadata, kind, &block, &block_size);
    memory_free(memory, (void *)*block);
    *block = NULL;
    *block_size = 0;
}

void metadata_drop(const struct memory *memory, swathe_metadata *metadata)
{
    for (int kind = METADATA_ICC; kind <= METADATA_GEO; kind++)
        metadata_drop_block(memory, metadata, (enum metadata_kind)kind);
}

swathe_status reader_store_metadata(struct image_reader *reader, enum metadata_kind kind,
                                    const void *data, size_t size)
{
    TRY(limits_check_metadata(&reader->limits, size, names[kind]));
    return metadata_store(reader->memory, &reader->metadata, kind, data, size);
}

void reader_drop_metadata(struct image_reader *reader)
{
    metadata_drop(reader->memory, &reader->metadata);
}
