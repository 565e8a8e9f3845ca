/* A directory of a TIFF file as libtiff is to see it: only tags that say how pixels are stored, in
 * a BigTIFF file. What else a file has costs nothing that way, and libtiff need not extend its list
 * of known tags, which it does not survive when memory runs out. */
#ifndef SWATHE_IO_TIFF_DIRECTORY_H
#define SWATHE_IO_TIFF_DIRECTORY_H

#include "io/ifd.h"

enum { TIFF_DIRECTORY_HEADER = 16, TIFF_DIRECTORY_BYTES = 1024 };

struct tiff_directory {
    uint16_t compression; /* as the file has it */
    uint16_t predictor;
    bool held_back; /* libtiff sees a compression that it does not know, to be set later */
    uint8_t header[TIFF_DIRECTORY_HEADER]; /* in place of the file's */
    int64_t at, size;                      /* of `bytes`: past the end of the file */
    uint8_t bytes[TIFF_DIRECTORY_BYTES];
};

/* From the one at `offset` of the file. */
swathe_status tiff_directory_make(const struct ifd_source *source, uint64_t offset,
                                  struct tiff_directory *directory);

#endif
