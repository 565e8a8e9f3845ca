/* Compressed image data of a PNG, in segments that can be made in any order on any thread. */
#ifndef SWATHE_IO_PNG_CODER_H
#define SWATHE_IO_PNG_CODER_H

#include "base/memory.h"
#include "io/spares.h"

/* In place of a level: no search at all. */
enum { PNG_CODER_FAST = -1 };

/* Filled by png_coder_init, then only read, but for the list. */
struct png_coder {
    const struct memory *memory;
    swathe_shape shape;
    int level; /* of zlib, or PNG_CODER_FAST */
    int64_t row_bytes;
    int pixel_bytes;
    int64_t segment_rows;    /* by the shape alone, so that a file's bytes are */
    int64_t dictionary_rows; /* before a segment: where its matches may lie */
    int64_t context_rows;    /* those, and the one above them */
    struct spares scratches;
};

/* Some rows as one or more whole IDAT chunks. */
struct png_segment {
    struct png_segment *next; /* for the caller */
    int64_t raw;              /* bytes before compression */
    uint32_t adler;           /* their Adler-32 */
    int64_t size;
    uint8_t chunks[];
};

/* A quarter of `max_memory` is for what threads work with; one always may. */
void png_coder_init(struct png_coder *coder, const struct memory *memory, const swathe_shape *shape,
                    int level, int64_t max_memory);
/* Bytes that are held while one segment is made. */
int64_t png_coder_memory(const struct png_coder *coder);
/* The segment that starts at row y. `from` has its rows and those of its context, if there are any
 * above it. Freed with memory_free. */
swathe_status png_coder_make(struct png_coder *coder, const swathe_image *from, int64_t y,
                             struct png_segment **segment);
void png_coder_free(struct png_coder *coder);

#endif
