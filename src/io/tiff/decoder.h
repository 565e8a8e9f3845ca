/* Reading a TIFF file: its pages, and blocks that threads decode and share. */
#ifndef SWATHE_IO_TIFF_DECODER_H
#define SWATHE_IO_TIFF_DECODER_H

#include "base/memory.h"
#include "io/bytes/stream.h"
#include "io/limits.h"
#include "io/metadata/ifd.h"
#include "io/object_pool.h"
#include "io/tiff/form.h"
#include "io/tiff/stream.h"

#include <pthread.h>
#include <stdbool.h>

/* The blocks (tiles or strips) of a TIFF file: their sizes, and how they are read. */

/* Shared by threads; constant after tiff_blocks_choose. */
struct tiff_blocks {
    const struct tiff_form *form;
    const struct limits *limits;
    bool forward;               /* to be read in full rows from top to bottom */
    bool sparse;                /* only omitted blocks, which are zeros, can be read */
    bool by_rows;               /* a block is one row, decoded in order; then also forward */
    int64_t height;             /* rows of a block */
    int64_t across, count;      /* blocks per row of blocks, and in total */
    int64_t raw_row, raw_bytes; /* as libtiff decodes them: a row, a block */
    int64_t row, bytes;         /* as we store them */
    int64_t needs;              /* bytes of memory to decode one */
    int64_t held;               /* bytes that all threads together may use to decode */
    int64_t kept;               /* bytes of decoded blocks to keep at most */
};

/* `stored` are the bytes of the file. */
swathe_status tiff_blocks_choose(const struct limits *limits, TIFF *tiff, int64_t stored,
                                 const struct tiff_form *form, struct tiff_blocks *blocks);
/* Size of a block in the file according to its tags, and whether it is omitted: sparse files omit
 * blocks of zeros, and their offset and size are 0. */
int64_t tiff_blocks_stored(TIFF *tiff, uint32_t block, bool *left_out);
/* Checks the limits for the block at y, which has `stored` bytes in the file. */
swathe_status tiff_blocks_check(const struct tiff_blocks *blocks, TIFF *tiff, int64_t y,
                                int64_t stored);
/* Checks that blocks have the same size for this handle. The size depends on tags that we do not
 * read. */
swathe_status tiff_blocks_agree(const struct tiff_blocks *blocks, TIFF *tiff);
/* Number of rows of the block at y that the file contains. */
int64_t tiff_blocks_rows(const struct tiff_blocks *blocks, int64_t y);

/* Decodes blocks of a TIFF file. Each thread needs its own. */

struct tiff_decoder {
    struct pooled_object pooled;
    const struct memory *memory;
    const struct tiff_blocks *blocks;
    struct stream *own; /* the stream of this decoder; NULL: it uses another one's */
    struct tiff_directory directory;
    struct tiff_stream stream;
    TIFF *tiff;
    uint8_t *scratch; /* a row, for the predictor */
    uint8_t *raw;     /* a block as libtiff decodes it, if our layout differs */
    uint8_t *samples; /* a block as we store it; NULL until needed */
};

/* Opens a decoder for the page whose directory is at byte `offset` of the file. `in` still belongs
 * to the caller. */
swathe_status tiff_decoder_open(const struct memory *memory, const struct limits *limits,
                                struct stream *in, uint64_t offset, struct tiff_decoder **decoder);
/* To be called before blocks are decoded. `blocks` must outlive the decoder. */
void tiff_decoder_ready(struct tiff_decoder *decoder, const struct tiff_blocks *blocks);
/* Opens another decoder for the same page, with its own stream. */
swathe_status tiff_decoder_join(const struct memory *memory, const struct limits *limits,
                                const struct stream *in, uint64_t offset,
                                const struct tiff_blocks *blocks, struct tiff_decoder **decoder);
void tiff_decoder_close(struct tiff_decoder *decoder);

/* To be called before each of the following: checks whether the block at (x, y) may be decoded, and
 * whether the file omits it, so that it is all zero. */
swathe_status tiff_decoder_check(struct tiff_decoder *decoder, int64_t x, int64_t y,
                                 bool *left_out);
/* Finds the offset and size of a plane of the block in the file; size 0 if it is omitted. False if
 * it is outside the file, or unknown. */
bool tiff_decoder_find(struct tiff_decoder *decoder, int64_t x, int64_t y, int64_t plane,
                       int64_t *offset, int64_t *size);
/* Decodes the samples of the block at (x, y): blocks->bytes of them, or fewer if the last strip has
 * fewer rows. */
swathe_status tiff_decoder_get(struct tiff_decoder *decoder, int64_t x, int64_t y, uint8_t *to);
/* The same into the decoder's own memory, valid until its next call. */
swathe_status tiff_decoder_hold(struct tiff_decoder *decoder, int64_t x, int64_t y,
                                uint8_t **samples);

/* A cache of decoded blocks of a TIFF file, so that overlapping or adjacent parts do not decode a
 * block again. For any number of threads. */

struct tiff_place {
    int64_t block; /* 1 + its number; 0: free */
    int64_t date;  /* value of `now` at its last use */
    int64_t users; /* number of threads that hold it */
    bool filled;
};

struct tiff_cache {
    const struct memory *memory; /* NULL: not open */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int64_t bytes; /* of a block */
    /* `sets` times `ways` places; block i may be stored in set i % sets. */
    int64_t sets, ways, now;
    struct tiff_place *places;
    uint8_t *samples; /* NULL: no block was requested yet */
};

/* Opens a cache of at most `count` blocks of `bytes`, in `kept` bytes; it holds at least one
 * block. */
swathe_status tiff_cache_open(struct tiff_cache *cache, const struct memory *memory, int64_t count,
                              int64_t bytes, int64_t kept);
/* Allocates the cache, before the first tiff_cache_take: a file of omitted blocks needs no
 * memory. */
swathe_status tiff_cache_ready(struct tiff_cache *cache);
void tiff_cache_close(struct tiff_cache *cache);

/* True if the cache contains the block now. Another thread may replace it at any time. */
bool tiff_cache_holds(struct tiff_cache *cache, int64_t block);
/* A place for the block, which the caller holds until tiff_cache_give. If it is `filled`, it
 * contains the samples. Otherwise the caller must fill it, and must not wait for other threads
 * meanwhile, because they may wait for it. NULL: all places of its set are in use. */
struct tiff_place *tiff_cache_take(struct tiff_cache *cache, int64_t block, bool *filled);
uint8_t *tiff_cache_samples(const struct tiff_cache *cache, const struct tiff_place *place);
/* `filled`: the place now contains the samples. */
void tiff_cache_give(struct tiff_cache *cache, struct tiff_place *place, bool filled);

/* The pages of a TIFF file: its directories, except copies at a lower resolution and masks. */

struct tiff_pages;

/* Finds all pages. A file whose directories are all copies or masks has one page, the first. A
 * damaged, cyclic list ends where a directory would be repeated. */
swathe_status tiff_pages_read(const struct memory *memory, const struct ifd_source *source,
                              uint64_t first, struct tiff_pages **pages);
/* Another owner of the same list; NULL for NULL. */
struct tiff_pages *tiff_pages_share(struct tiff_pages *pages);
/* Frees the list after its last owner. Accepts NULL. */
void tiff_pages_drop(struct tiff_pages *pages);

int64_t tiff_pages_count(const struct tiff_pages *pages);
/* The directory of a page; 1 is the first. 0 if there are fewer. */
uint64_t tiff_pages_at(const struct tiff_pages *pages, int64_t page);
/* The bytes of an open file as a source of directories. */
struct ifd_source tiff_pages_source(struct stream *in);

#endif
