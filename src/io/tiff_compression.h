/* How the blocks of a TIFF file that is written are compressed. */
#ifndef SWATHE_IO_TIFF_COMPRESSION_H
#define SWATHE_IO_TIFF_COMPRESSION_H

#include "base/status.h"

#include <tiffio.h>

struct tiff_compression {
    uint16_t code;
    int level; /* 0: it has none */
};

/* "deflate", "zstd:9", "fast" …; NULL: the usual. */
swathe_status tiff_compression_find(const char *text, struct tiff_compression *compression);
/* Its tags; samples of `type` are replaced by their differences first. */
void tiff_compression_set(TIFF *tiff, const struct tiff_compression *compression, swathe_type type);
/* About as many bytes as its state takes while a block of `bytes` is compressed. */
int64_t tiff_compression_memory(const struct tiff_compression *compression, int64_t bytes);

#endif
