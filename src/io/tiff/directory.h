/* A directory of a TIFF file as presented to libtiff: only tags that specify how pixels are stored,
 * in a BigTIFF file. Other tags then cost nothing, and libtiff need not extend its list of known
 * tags, during which it crashes if memory runs out. */
#ifndef SWATHE_IO_TIFF_DIRECTORY_H
#define SWATHE_IO_TIFF_DIRECTORY_H

#include "io/metadata/ifd.h"

enum { TIFF_DIRECTORY_HEADER = 16, TIFF_DIRECTORY_BYTES = 1024 };

struct tiff_directory {
    uint16_t compression; /* as in the file */
    uint16_t predictor;
    bool deferred; /* libtiff sees an unknown compression; the real one is set later */
    uint8_t header[TIFF_DIRECTORY_HEADER]; /* replaces the file's header */
    int64_t at, size; /* offset and size of `bytes`; the offset is past the end of the file */
    uint8_t bytes[TIFF_DIRECTORY_BYTES];
};

/* Makes the directory for libtiff from the one at `offset` of the file. */
swathe_status tiff_directory_make(const struct ifd_source *source, uint64_t offset,
                                  struct tiff_directory *directory);

#endif
