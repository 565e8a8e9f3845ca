/* Metadata of images, in all formats. */
#ifndef SWATHE_IO_METADATA_METADATA_H
#define SWATHE_IO_METADATA_METADATA_H

#include "base/memory.h"
#include "io/codec.h"
#include "io/metadata/ifd.h"

/* Metadata blocks, valid as long as their reader or writer. */

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

/* EXIF: a TIFF structure inside other formats. TIFF files store the same tags among their own, so
 * there they are copied one by one. */

enum exif_tag {
    EXIF_ORIENTATION = 274,
    EXIF_X_RESOLUTION = 282,
    EXIF_Y_RESOLUTION = 283,
    EXIF_RESOLUTION_UNIT = 296,
    EXIF_PHOTO = 34665, /* offset of the camera's directory */
    EXIF_GPS = 34853    /* offset of the GPS directory */
};

/* The tags that are kept: author, date, camera, orientation. */
struct exif {
    struct ifd top, photo, gps;
};

/* Parses an EXIF block; a damaged block gives an empty result. */
swathe_status exif_parse(const struct memory *memory, const struct limits *limits,
                         const void *block, size_t size, struct exif *exif);
/* Loads the tags from a directory of a TIFF file. */
swathe_status exif_load(const struct memory *memory, const struct limits *limits,
                        const struct ifd_source *source, uint64_t directory, struct exif *exif);
void exif_free(const struct memory *memory, struct exif *exif);

/* Stores it as the reader's EXIF block, unless it is empty. */
swathe_status exif_keep(struct image_reader *reader, struct exif *exif);

/* Sets the reader's resolution from its EXIF block, if that has one. */
swathe_status exif_read_resolution(struct image_reader *reader);

/* The orientation of the image, 1 to 8; 1 if the EXIF block has none or an invalid one. */
int exif_orientation(const swathe_metadata *metadata);
/* Changes the reader's EXIF and XMP blocks to orientation 1, and swaps the two resolutions if width
 * and height were swapped. */
void exif_set_upright(swathe_metadata *metadata, bool sides_swapped);

/* The curves of an ICC profile. */

enum { ICC_BYTES_MAX = 4 << 20 };

/* `count` tables of `size` values; count = 0: sRGB's curve. */
struct icc_curves {
    int32_t count, size;
    double *values; /* memory_free */
};

/* Reads the curves of a profile of RGB or grey that has nothing else to convert samples to light,
 * apart from a matrix. */
swathe_status icc_read(const struct memory *memory, const void *profile, size_t size,
                       struct icc_curves *curves);

#endif
