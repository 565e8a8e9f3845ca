/* Writing a TIFF file: its compression, tags and layout, and blocks that threads encode. */
#ifndef SWATHE_IO_TIFF_ENCODER_H
#define SWATHE_IO_TIFF_ENCODER_H

#include "io/codec.h"
#include "io/object_pool.h"
#include "io/tiff/form.h"
#include "io/tiff/stream.h"
#include "io/tiff/tile_order.h"

/* How the blocks of a TIFF file are compressed. */

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

/* Tags of a TIFF file that is written. */

/* A page of a file, and how it is divided into blocks. */
struct tiff_page {
    swathe_shape shape;
    struct tiff_compression compression;
    int64_t width, rows; /* of a block: a tile, or a strip */
    bool tiled;
    bool planar; /* each channel has separate blocks */
    bool big;    /* offsets of 64 bits */
};

/* The predictor that is applied to samples before compression. */
uint16_t tiff_tags_predictor(const struct tiff_page *page);
/* Sets the tags of the size, the samples and their compression, which suffice for compressing. */
void tiff_tags_geometry(struct tiff_stream *stream, TIFF *tiff, const struct tiff_page *page);
/* Sets all tags except the offsets and sizes of blocks. */
swathe_status tiff_tags_write(const struct image_writer *writer, struct tiff_stream *stream,
                              TIFF *tiff, const struct tiff_page *page);

/* Converts Lab: TIFF has signed a and b, ours are offset by half. `shape` is that of a block; its
 * first channel is number `plane` of the image. */
void tiff_tags_sign_lab(const swathe_shape *shape, int64_t plane, int64_t pixels, uint8_t *samples);

/* Compresses blocks of a TIFF file: a libtiff handle that writes to memory. Each thread needs its
 * own. */

struct tiff_encoder {
    struct pooled_object pooled;
    const struct memory *memory;
    struct tiff_stream stream;
    TIFF *tiff;
    int64_t bytes; /* of a block */
    int64_t used;  /* blocks that this handle has compressed */
    struct tiff_predict predict;
    uint8_t *block, *scratch;
};

/* Opens an encoder for blocks of `rows` rows of the image, or of one of its planes. All blocks
 * except the last strip have the same number. */
swathe_status tiff_encoder_open(const struct memory *memory, const struct limits *limits,
                                const struct tiff_page *page, int64_t rows,
                                struct tiff_encoder **encoder);
void tiff_encoder_close(struct tiff_encoder *encoder);
/* True if it cannot compress more blocks. */
bool tiff_encoder_full(const struct tiff_encoder *encoder);
/* Compresses the samples in `block`, which it may change, and appends the result to `bytes`. */
swathe_status tiff_encoder_put(struct tiff_encoder *encoder, struct bytes *bytes);

/* How a page of a TIFF that is written is divided into blocks. */

/* Many readers of classic files fail beyond 2 GiB, and compression can enlarge data. */
#define CLASSIC_BYTES ((int64_t)1 << 31)

/* Fills everything in `page` except the compression and `big`. `bytes` are those of a block. */
swathe_status tiff_layout_choose(const struct image_writer *writer, struct tiff_page *page,
                                 int64_t *bytes);
/* True if this many pages could exceed 32-bit offsets. Tiles at the edge are stored in full. */
bool tiff_layout_needs_big(const struct tiff_page *page, int64_t pages);

/* The blocks of a TIFF that is written: their sizes, in the order of the file. Blocks that arrive
 * in another order are put in order at the end. */

struct tiff_index {
    const struct memory *memory; /* NULL: not open */
    struct tile_order order;     /* of strips: one below another */
    int64_t planes, count; /* of a tile; all blocks: the planes of a tile are stored together */
    int64_t *sizes;        /* NULL: not known yet */
    bool lent;             /* sizes belong to the caller */
    int64_t *offsets;      /* in the output; NULL as long as all blocks arrived in order */
    int64_t next;          /* the block after the one that arrived last */
    int64_t start, end;    /* of the blocks in the output */
};

/* Blocks are written from the present end of the output. */
swathe_status tiff_index_open(struct tiff_index *index, const struct image_writer *writer,
                              const struct tile_order *order, int64_t planes);
/* The same, but in a caller's list, which may be NULL. */
void tiff_index_open_lent(struct tiff_index *index, const struct image_writer *writer,
                          const struct tile_order *order, int64_t planes, int64_t *sizes);
void tiff_index_close(struct tiff_index *index);

/* Records a block that is written at the end of those before. */
swathe_status tiff_index_put(struct tiff_index *index, const struct image_writer *writer,
                             int64_t block, int64_t size);
/* After the last block: copies blocks so that the output contains them in order. */
swathe_status tiff_index_sort(struct tiff_index *index, const struct image_writer *writer);

/* Files that several sinks write: a range of the tiles, or everything that is not tile data. */

/* Checks the caller's struct as far as this is possible before the tiles are known. */
swathe_status tiff_range_check(const swathe_tiff_part *part);
/* Checks the range, and tells the caller about the tiles. `order` is that of all tiles of the file,
 * and becomes that of the range; it does not change if the range is empty. */
swathe_status tiff_range_choose(swathe_tiff_part *part, const struct tiff_page *page,
                                struct tile_order *order);
/* The sum of the sizes that the caller gives for all blocks of the file. */
swathe_status tiff_range_sum(const struct tiff_index *index, bool big, int64_t *sum);

#endif
