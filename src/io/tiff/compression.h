/* How the blocks of a TIFF file are compressed. */
#ifndef SWATHE_IO_TIFF_COMPRESSION_H
#define SWATHE_IO_TIFF_COMPRESSION_H

#include "io/tiff/stream.h"

struct tiff_compression {
    uint16_t code;
    int level; /* 0: it has none */
};

/* Parses "deflate", "zstd:9", "fast" …; NULL: the default. */
swathe_status tiff_compression_find(const char *text, struct tiff_compression *compression);
/* The name for files that are read, also for compressions that cannot be written; NULL: none. */
const char *tiff_compression_name(uint16_t code);
/* Chooses the compression of a source if it can be written, otherwise the default. `name` may be
 * NULL. */
swathe_status tiff_compression_keep(const char *name, struct tiff_compression *compression);
/* Sets the level of a handle that compresses. */
void tiff_compression_set_level(struct tiff_stream *stream, TIFF *tiff,
                                const struct tiff_compression *compression);
/* Approximate memory, in bytes, for compressing a block of `bytes`. */
int64_t tiff_compression_memory(const struct tiff_compression *compression, int64_t bytes);

#endif
