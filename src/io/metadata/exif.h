/* EXIF: a TIFF structure inside other formats. TIFF files store the same tags among their own, so
 * there they are copied one by one. */
#ifndef SWATHE_IO_METADATA_EXIF_H
#define SWATHE_IO_METADATA_EXIF_H

#include "io/codec.h"
#include "io/metadata/ifd.h"

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

#endif
