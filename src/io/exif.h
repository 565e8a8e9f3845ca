/* EXIF: a TIFF structure inside other formats. TIFF files hold the same tags as their own, so
 * there they are taken out and put back one by one. */
#ifndef SWATHE_IO_EXIF_H
#define SWATHE_IO_EXIF_H

#include "io/codec.h"
#include "io/ifd.h"

enum exif_tag {
    EXIF_ORIENTATION = 274,
    EXIF_X_RESOLUTION = 282,
    EXIF_Y_RESOLUTION = 283,
    EXIF_RESOLUTION_UNIT = 296,
    EXIF_PHOTO = 34665, /* offset of the camera's directory */
    EXIF_GPS = 34853    /* offset of the place's directory */
};

/* What is kept of a picture: who, when, with what, which way up. */
struct exif {
    struct ifd top, photo, gps;
};

/* From an EXIF block; nothing when it is damaged. */
swathe_status exif_parse(const struct memory *memory, const struct limits *limits,
                         const void *block, size_t size, struct exif *exif);
/* From a directory of a TIFF file. */
swathe_status exif_load(const struct memory *memory, const struct limits *limits,
                        const struct ifd_source *source, uint64_t directory, struct exif *exif);
void exif_free(const struct memory *memory, struct exif *exif);

/* Keeps it as the reader's EXIF block, when there is anything in it. */
swathe_status exif_keep(struct image_reader *reader, struct exif *exif);

/* Sets the reader's resolution from its EXIF block, where that has one. */
swathe_status exif_read_resolution(struct image_reader *reader);

/* Which way up the picture belongs, 1 to 8; 1 also when its EXIF block does not say, or nonsense.
 */
int exif_orientation(const swathe_metadata *metadata);
/* Makes blocks of a reader's own say that the picture is upright, and swaps the two resolutions
 * where its sides were swapped. */
void exif_set_upright(swathe_metadata *metadata, bool sides_swapped);

#endif
