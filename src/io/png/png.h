/* What the files of this folder share. */
#ifndef SWATHE_IO_PNG_PNG_H
#define SWATHE_IO_PNG_PNG_H

#include "base/memory.h"
#include "io/bytes/stream.h"
#include "io/codec.h"
#include "io/object_pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <png.h>

/* libpng reports errors by longjmp. All calls go through here, so that there is a single setjmp. */

enum { PNG_GUARD_SIDE_MAX = 0x7fffffff }; /* pixels, by the format */

struct png_guard {
    png_structp png;
    png_infop info;
    swathe_status error_status; /* status of libpng's own errors: input or internal */
    swathe_status status;       /* of a failed callback, whose text is already set */
    bool oversize;              /* a profile was dropped because of its size */
    bool dropped;               /* likewise an iTXt or eXIf chunk */
    bool out_of_memory;         /* an allocation failed, and libpng may have dropped something */
    const struct memory *memory;
};

/* Structs of libpng that report to the guard; `error_status` is the status of libpng's own errors.
 * To be freed by png_destroy_*_struct, also after a failure. */
swathe_status png_guard_start(struct png_guard *guard, const struct memory *memory,
                              swathe_status error_status);

/* To be called from a callback. */
void png_guard_fail(struct png_guard *guard, swathe_status status);

/* Sets the limits and transforms that reading and writing share. */
void png_guard_setup(const struct png_guard *guard);
/* Selects this machine's byte order for samples of 16 bits. To be called after the header was
 * read. */
void png_guard_swap(const struct png_guard *guard);

/* Runs `body`; an error in it ends it and becomes the status. */
swathe_status png_guard_run(struct png_guard *guard, void (*body)(void *user), void *user);

/* PNG metadata that libpng does not interpret: EXIF and XMP. libpng would allocate the declared
 * size of a text chunk, and inflate texts that are not used. */

/* Keeps a chunk that contains EXIF or XMP; ignores others. */
swathe_status png_chunks_keep(struct image_reader *reader, const png_byte name[4],
                              const uint8_t *bytes, size_t size);

/* Keeps such chunks after the image data, where exiftool and others store them, or all if libpng
 * dropped one because of its size. Restores the position of the stream. The end of a pipe is
 * unknown before its pixels are read, so a chunk that was dropped there exceeds the metadata
 * limit. */
swathe_status png_chunks_keep_rest(struct image_reader *reader, bool dropped);

/* Provides libpng with image data that are already inflated: ISA-L does this three times as fast as
 * zlib. libpng receives them as stored deflate blocks, and only has to undo the row filters. */

struct png_feed;

/* To be called at the start of the file. Makes libpng skip the checks that are done here. */
swathe_status png_feed_create(const struct memory *memory, struct png_guard *guard,
                              struct stream *in, struct png_feed **feed);
void png_feed_destroy(const struct memory *memory, struct png_feed *feed);

/* Reads the next bytes, for libpng's callback. Does not return from an error. */
void png_feed_read(struct png_feed *feed, png_bytep bytes, size_t size);

/* The five filters of PNG: a row is replaced by its differences from a prediction, which is
 * computed from neighbouring samples. */

/* Their numbers in the file. */
enum png_filter {
    PNG_FILTER_NO,
    PNG_FILTER_LEFT,
    PNG_FILTER_ABOVE,
    PNG_FILTER_MEAN,
    PNG_FILTER_NEAREST /* Paeth */
};

/* The filter whose differences have the smallest sum of magnitudes. Rows are as in the file;
 * `pixel` is the bytes of a pixel; `above` is all zero for the first row. Depends on these two rows
 * only. */
enum png_filter png_filter_choose(const uint8_t *row, const uint8_t *above, size_t size,
                                  size_t pixel);
/* Writes the filter's number, then the differences: size + 1 bytes. */
void png_filter_apply(enum png_filter filter, const uint8_t *row, const uint8_t *above, size_t size,
                      size_t pixel, uint8_t *to);

/* Compressed image data of a PNG, in segments that can be compressed in any order on any thread. */

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
