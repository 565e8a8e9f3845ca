/* The interface of file formats. */
#ifndef SWATHE_IO_CODEC_H
#define SWATHE_IO_CODEC_H

#include "base/cancel.h"
#include "base/memory.h"
#include "base/status.h"
#include "image/sample.h"
#include "io/bytes/stream.h"
#include "io/limits.h"

#include <stdbool.h>

/* One interface for all file formats: an entry in codec.def, and readers and writers of parts. */

enum { NODATA_SIZE = 40 }; /* of a text such as -3.4028234663852886e+38 */

/* An open image file. file_read.c fills the first part, the codec's open() the second. */
struct image_reader {
    const struct memory *memory;
    struct stream *in; /* at offset 0 */
    struct limits limits;
    struct cancel cancel; /* to be checked during reads that can take longer than a second */
    int64_t page;         /* the requested page; 1 is the first */
    const struct image_reader *same; /* of the same file and codec, or NULL; only for open() */

    swathe_shape shape;
    int64_t pages;      /* number of pages in the file; 1 unless the codec sets it */
    int64_t held_bytes; /* memory for an image that is kept as a whole while it is read */
    uint32_t flags;     /* SWATHE_FORWARD, SWATHE_CONCURRENT */
    int64_t tile_width, tile_height;
    swathe_metadata metadata; /* blocks from reader_store_metadata */
    swathe_encoding encoding; /* metadata.encoding points here; file_read.c sets the format */
    char nodata[NODATA_SIZE]; /* metadata.nodata may point here */
    /* Fills `into`, whose position and size specify the part; it has any strides and the file's
     * sample type. A SWATHE_FORWARD reader gets requests for full-width rows, each once, from top
     * to bottom. */
    swathe_status (*read)(struct image_reader *reader, const swathe_image *into);
    /* Also called after a failed open; state may be NULL. */
    void (*close)(struct image_reader *reader);
    void *state;
};

/* An image file being written. file_write.c fills the first part, the codec's create() the
 * second. */
struct image_writer {
    const struct memory *memory;
    struct output *out;
    struct limits limits;
    struct cancel cancel; /* to be checked during calls that can take longer than a second */
    swathe_shape shape;
    const swathe_metadata *metadata;     /* never NULL; valid until close */
    const swathe_encoding *encoding;     /* likewise; from the source, or all 0 if the source has
                                            another format */
    const swathe_write_options *options; /* never NULL; its strings only until create() returns */

    uint32_t flags;
    int64_t tile_width, tile_height;
    /* A codec sets either `write` or the other three functions. For forward writers of strips
     * (tile_width 0, tile_height rows each), io/segments.c implements `write` with them. See
     * io/source_sink.h. Several threads may call `prepare` at once; `deliver` and `discard` free
     * its result. */
    swathe_status (*write)(struct image_writer *writer, const swathe_image *from);
    int64_t context_rows;  /* at most tile_height */
    int64_t scratch_bytes; /* for each thread that prepares */
    swathe_status (*prepare)(struct image_writer *writer, const swathe_image *from, int64_t above,
                             void **prepared);
    swathe_status (*deliver)(struct image_writer *writer, void *prepared);
    void (*discard)(struct image_writer *writer, void *prepared);
    /* Called after all rows were written: ends the page and starts another with the current shape
     * and metadata of `writer`. NULL: the format stores one page. */
    swathe_status (*next_page)(struct image_writer *writer);
    swathe_status (*finish)(struct image_writer *writer); /* called after all rows were written */
    /* Also called without finish, or after a failed create. */
    void (*close)(struct image_writer *writer);
    void *state;
};

/* What a format's writer can store, as bits for the columns of codec.def. */
enum {
    HOLD_U8 = 1 << SWATHE_U8,
    HOLD_U16 = 1 << SWATHE_U16,
    HOLD_S16 = 1 << SWATHE_S16,
    HOLD_F32 = 1 << SWATHE_F32,
    HOLD_U32 = 1 << SWATHE_U32,
    HOLD_S32 = 1 << SWATHE_S32,
    HOLD_F64 = 1 << SWATHE_F64,
    HOLD_1 = 1 << 1, /* numbers of channels: grey */
    HOLD_2 = 1 << 2, /* grey and alpha */
    HOLD_3 = 1 << 3, /* RGB */
    HOLD_4 = 1 << 4, /* RGB and alpha; four inks need only HOLD_CMYK */
    HOLD_MANY = 1 << 5,
    HOLD_GREY = 1 << SWATHE_COLOR_GREY,
    HOLD_RGB = 1 << SWATHE_COLOR_RGB,
    HOLD_CMYK = 1 << SWATHE_COLOR_CMYK,
    HOLD_LAB = 1 << SWATHE_COLOR_LAB
};

/* True if a file that starts with these bytes (at least 16, or the whole file) may have this
 * format. */
typedef bool codec_detect(const uint8_t *head, size_t size);
typedef swathe_status codec_open(struct image_reader *reader);
/* Called only for shapes that the format can store according to its entry. */
typedef swathe_status codec_create(struct image_writer *writer);

struct codec {
    const char *name;
    const char *extensions; /* "tif,tiff" */
    const char *summary;
    unsigned types, channels, colors;
    const char *keeps;    /* metadata that it stores, as in "icc exif" */
    const char *takes;    /* options that it supports, as in "quality compression" */
    codec_detect *detect; /* NULL, like the next two, if not built */
    codec_open *open;
    codec_create *create;
    bool built; /* false: the library was not found */
};

/* The functions of each entry: codec_png_detect, codec_png_open, codec_png_create. */
#define CODEC(name, have, extensions, types, channels, colors, keeps, takes, summary)              \
    codec_detect codec_##name##_detect;                                                            \
    codec_open codec_##name##_open;                                                                \
    codec_create codec_##name##_create;
#include "io/codec.def"
#undef CODEC

/* NULL past the end. */
const struct codec *codec_at(int index);
/* The format with this name or extension; NULL: none. */
const struct codec *codec_named(const char *name);
/* The format with the extension of a path; NULL: none. */
const struct codec *codec_for_path(const char *path);
/* The format that a file with these first bytes has; NULL: none. */
const struct codec *codec_for_bytes(const uint8_t *head, size_t size);
/* The name of the format, if it is a common one that this build does not include; else NULL. */
const char *codec_left_out(const uint8_t *head, size_t size);
/* For a common format that Swathe does not read: its name, and in *tool a program that converts it;
 * NULL: none. */
const char *codec_foreign(const uint8_t *head, size_t size, const char **tool);
/* Can the format be written with this type, number of channels and colour? */
bool codec_holds(const struct codec *codec, const swathe_shape *shape);
/* Fails if it cannot; the error names suitable formats and types. */
swathe_status codec_check_shape(const struct codec *codec, const swathe_shape *shape);
/* Fails for options that the format does not support, as they would have no effect. */
swathe_status codec_check_options(const struct codec *codec, const swathe_write_options *options);
/* The libraries that read and write it, such as "libpng 1.6.39 zlib 1.2.13"; empty: none. */
const char *codec_library(const struct codec *codec);
/* `close` of codecs whose state is one allocation, and `finish` of those that have written all. */
void reader_free_state(struct image_reader *reader);
void writer_free_state(struct image_writer *writer);
swathe_status writer_finish_nothing(struct image_writer *writer);
/* Fails if the file does not have the requested page. */
swathe_status codec_check_page(const struct image_reader *reader);

/* Rows of views that a codec can read or write in place. */

/* True if the samples of a row are interleaved pixels without gaps. */
static inline bool rows_dense(const swathe_image *image)
{
    int64_t size = sample_size(image->type);
    return image->channel_stride == size && image->pixel_stride == size * image->channels;
}

/* Accepts any number of rows for writers that need segments of a fixed height. */

/* The rows of an incomplete segment, after its context rows. All zero at first. */
struct segments {
    uint8_t *rows;
    int64_t first, next; /* rows of the image that are held: first … next-1 */
};

/* Takes rows of a forward writer; whole segments are prepared and delivered. */
swathe_status segments_write(struct segments *segments, struct image_writer *writer,
                             const swathe_image *from);
void segments_free(struct segments *segments, const struct memory *memory);

#endif
