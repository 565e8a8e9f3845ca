/* How the blocks of a TIFF file are compressed. */
#ifndef SWATHE_IO_TIFF_COMPRESSION_H
#define SWATHE_IO_TIFF_COMPRESSION_H

#include "io/tiff_stream.h"

struct tiff_compression {
    uint16_t code;
    int level; /* 0: it has none */
};

/* "deflate", "zstd:9", "fast" …; NULL: the usual. */
swathe_status tiff_compression_find(const char *text, struct tiff_compression *compression);
/* Of a file that is read, also one that is not written; NULL: it has no usual name. */
const char *tiff_compression_name(uint16_t code);
/* The one that a source has, where it can be written; else the usual. `name` may be NULL. */
swathe_status tiff_compression_keep(const char *name, struct tiff_compression *compression);
/* Its level, for a handle that compresses. */
void tiff_compression_set_level(struct tiff_stream *stream, TIFF *tiff,
                                const struct tiff_compression *compression);
/* About as many bytes as its state takes while a block of `bytes` is compressed. */
int64_t tiff_compression_memory(const struct tiff_compression *compression, int64_t bytes);

#endif
