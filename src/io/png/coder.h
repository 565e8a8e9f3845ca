/* Compressed image data of a PNG, in segments that can be compressed in any order on any thread. */
#ifndef SWATHE_IO_PNG_CODER_H
#define SWATHE_IO_PNG_CODER_H

#include "base/memory.h"
#include "io/object_pool.h"

/* Instead of a level: no search for matches. */
enum { PNG_CODER_FAST = -1 };

/* Set by png_coder_init and then constant, except the list. */
struct png_coder {
    const struct memory *memory;
    swathe_shape shape;
    int level; /* of zlib, or PNG_CODER_FAST */
    int64_t row_bytes;
    int pixel_bytes;
    int64_t segment_rows;    /* depends only on the shape, so that the file's bytes do, too */
    int64_t dictionary_rows; /* rows before a segment to which matches may refer */
    int64_t context_rows;    /* those rows and the one above them */
    struct object_pool scratches;
};

/* Some rows as one or more whole IDAT chunks. */
struct png_segment {
    struct png_segment *next; /* a list of the caller */
    int64_t raw;              /* bytes before compression */
    uint32_t adler;           /* their Adler-32 */
    int64_t size;
    uint8_t chunks[];
};

/* Initialises the coder. Buffers of threads take at most a quarter of `max_memory`, but one thread
 * is always allowed. */
void png_coder_init(struct png_coder *coder, const struct memory *memory, const swathe_shape *shape,
                    int level, int64_t max_memory);
/* Memory that is used while one segment is compressed. */
int64_t png_coder_memory(const struct png_coder *coder);
/* Compresses the segment that starts at row y. `from` contains its rows and the context rows above
 * it, if any. Free the segment with memory_free. */
swathe_status png_coder_make(struct png_coder *coder, const swathe_image *from, int64_t y,
                             struct png_segment **segment);
void png_coder_free(struct png_coder *coder);

#endif
