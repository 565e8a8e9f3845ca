/* The blocks of a TIFF that is written: their sizes, in the order of the file. Blocks that arrive
 * in another order are put in order at the end. */
#ifndef SWATHE_IO_TIFF_INDEX_H
#define SWATHE_IO_TIFF_INDEX_H

#include "io/codec.h"
#include "io/tiff/tile_order.h"

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

#endif
