/* TIFF and BigTIFF: strips from top to bottom, or tiles in any order. Threads compress blocks
 * (encoder.h), which are written to the file one after another. libtiff writes the tags. */
#include "base/checked.h"
#include "base/text.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/tiff/encoder.h"

#include <inttypes.h>
#include <string.h>

struct tiff_writer {
    struct tiff_stream stream;
    TIFF *tiff;
    struct tiff_page page;
    bool compression_given; /* otherwise each page has the compression of its source */
    int64_t bytes;          /* of a block */
    struct tiff_index index;
    struct object_pool encoders;
    bool has_encoders; /* `encoders` is initialised */
};

/* Blocks that threads compressed, row by row. */
struct tiff_part {
    int64_t left, top;    /* position of the first block, in blocks */
    int64_t across, down; /* blocks side by side, and below each other */
    int64_t planes;       /* of each block */
    struct bytes bytes;
    int64_t ends[]; /* where each block ends in `bytes` */
};

/* ---- Choices -------------------------------------------------------------------------------- */

static struct tile_order page_order(const struct tiff_page *page)
{
    if (page->tiled)
        return tile_order(&page->shape, page->width, page->rows);
    return (struct tile_order){1, ceil_div(page->shape.height, page->rows), 1};
}

static int64_t page_planes(const struct tiff_page *page)
{
    return page->planar ? page->shape.channels : 1;
}

/* Ensures that our reader accepts the file. Only zstd compresses so strongly that the stored size
 * gives no bound. */
static swathe_status check_readable(const struct image_writer *writer,
                                    const struct tiff_writer *tiff)
{
    const struct tiff_page *page = &tiff->page;
    char needs[32], limit[32];
    if (page->compression.code != COMPRESSION_ZSTD || tiff->bytes <= writer->limits.max_unpacked)
        return SWATHE_OK;
    int64_t enough = max64(tiff_compression_memory(&page->compression, tiff->bytes),
                           writer->limits.max_memory); /* the advice must not lower the limit */
    return fail_limit("max_memory", enough,
                      "%s of %" PRId64 " x %" PRId64
                      " pixels need %s, the limit for zstd is %s, as for reading; choose smaller "
                      "tiles or another compression",
                      page->tiled ? "tiles" : "strips", page->width, page->rows,
                      text_bytes(tiff->bytes, needs, sizeof needs),
                      text_bytes(writer->limits.max_unpacked, limit, sizeof limit));
}

/* Chooses the number of encoders that fit into a quarter of the memory; at least one must fit into
 * all of it. */
static swathe_status choose_encoders(struct image_writer *writer, struct tiff_writer *tiff)
{
    const struct tiff_page *page = &tiff->page;
    int64_t each = tiff_compression_memory(&page->compression, tiff->bytes);
    TRY(limits_check_memory(&writer->limits, each,
                            page->tiled ? "compressing a tile" : "compressing a strip"));
    writer->scratch_bytes = each;
    object_pool_init(&tiff->encoders, writer->limits.max_memory / 4 / each);
    tiff->has_encoders = true;
    return SWATHE_OK;
}

/* ---- Pixels --------------------------------------------------------------------------------- */

/* The position of a block. */
struct place {
    int64_t x, y, rows;
    int64_t plane; /* the channel if planes are separate, otherwise 0 */
};

/* Copies the block's samples that `whole` contains; the rest is zero. */
static swathe_status tiff_write_gather(const struct tiff_writer *tiff, const swathe_image *whole,
                                       const struct place *at, uint8_t *samples)
{
    const struct tiff_page *page = &tiff->page;
    int64_t x = at->x, y = at->y, rows = at->rows;
    swathe_shape shape = page->shape;
    swathe_image from = *whole, block, to;
    shape.width = page->width;
    shape.height = rows;
    if (page->planar) {
        from.data = view_at(whole, whole->x, whole->y, at->plane);
        shape.channels = from.channels = 1;
        shape.alpha = from.alpha = 0;
    }
    TRY(view_init(&shape, SWATHE_INTERLEAVED, samples, &block));
    block.x = x;
    block.y = y;
    int64_t width = min64(page->width, from.x + from.width - x);
    int64_t height = min64(rows, from.y + from.height - y);
    if (width < page->width || height < rows)
        memset(samples, 0, (size_t)(block.row_stride * rows));
    TRY(view_crop(&block, &(swathe_rect){x, y, width, height}, &to));
    view_copy(&from, &to);
    if (shape.color == SWATHE_COLOR_LAB)
        tiff_tags_sign_lab(&shape, at->plane, rows * page->width, samples);
    return SWATHE_OK;
}

/* ---- Compressing, on any thread ------------------------------------------------------------- */

/* Takes an encoder from the list. The last strip may be shorter and needs a separate one. */
static swathe_status tiff_write_take_encoder(struct image_writer *writer, int64_t rows,
                                             struct tiff_encoder **encoder)
{
    struct tiff_writer *tiff = writer->state;
    *encoder = (struct tiff_encoder *)(void *)object_pool_take(&tiff->encoders);
    bool fits = rows == tiff->page.rows;
    if (*encoder && fits && !tiff_encoder_full(*encoder))
        return SWATHE_OK;
    tiff_encoder_close(*encoder);
    swathe_status status =
        tiff_encoder_open(writer->memory, &writer->limits, &tiff->page, rows, encoder);
    if (status != SWATHE_OK)
        object_pool_give(&tiff->encoders, NULL);
    return status;
}

/* Gives an encoder back. One that failed, or that is for another number of rows, is not used
 * again. */
static void give_encoder(struct image_writer *writer, int64_t rows, swathe_status status,
                         struct tiff_encoder *encoder)
{
    struct tiff_writer *tiff = writer->state;
    bool again = status == SWATHE_OK && rows == tiff->page.rows;
    if (!again)
        tiff_encoder_close(encoder);
    object_pool_give(&tiff->encoders, again ? &encoder->pooled : NULL);
}

static swathe_status tiff_write_compress(struct image_writer *writer, const swathe_image *from,
                                         const struct place *at, struct bytes *bytes)
{
    struct tiff_encoder *encoder;
    TRY(tiff_write_take_encoder(writer, at->rows, &encoder));
    swathe_status status = tiff_write_gather(writer->state, from, at, encoder->block);
    if (status == SWATHE_OK)
        status = tiff_encoder_put(encoder, bytes);
    give_encoder(writer, at->rows, status, encoder);
    return status;
}

/* Copies samples: without compression they are the bytes of the file. */
static swathe_status tiff_write_copy(struct image_writer *writer, const swathe_image *from,
                                     const struct place *at, struct bytes *bytes)
{
    const struct tiff_writer *tiff = writer->state;
    int64_t size = tiff->bytes / tiff->page.rows * at->rows;
    uint8_t *to = bytes->data + bytes->used;
    TRY(tiff_write_gather(tiff, from, at, to));
    tiff_predict_order(sample_size(writer->shape.type), size, to);
    bytes->used += size;
    return SWATHE_OK;
}

/* Blocks of a part are stored row by row, with the planes of each block together. */
static swathe_status tiff_write_fill_part(struct image_writer *writer, const swathe_image *from,
                                          struct tiff_part *part)
{
    const struct tiff_page *page = &((struct tiff_writer *)writer->state)->page;
    bool plain = page->compression.code == COMPRESSION_NONE;
    for (int64_t i = 0; i < part->across * part->down * part->planes; i++) {
        TRY(cancel_check(&writer->cancel));
        TRY(cancel_now());
        int64_t block = i / part->planes;
        struct place at = {.x = (part->left + block % part->across) * page->width,
                           .y = (part->top + block / part->across) * page->rows,
                           .rows = page->rows,
                           .plane = i % part->planes};
        if (!page->tiled)
            at.rows = min64(at.rows, page->shape.height - at.y);
        TRY((plain ? tiff_write_copy : tiff_write_compress)(writer, from, &at, &part->bytes));
        part->ends[i] = part->bytes.used;
    }
    return SWATHE_OK;
}

static void tiff_discard(struct image_writer *writer, void *prepared)
{
    struct tiff_part *part = prepared;
    memory_free(writer->memory, part->bytes.data);
    memory_free(writer->memory, part);
}

static swathe_status tiff_prepare(struct image_writer *writer, const swathe_image *from,
                                  int64_t above, void **prepared)
{
    const struct tiff_writer *tiff = writer->state;
    const struct tiff_page *page = &tiff->page;
    bool plain = page->compression.code == COMPRESSION_NONE;
    int64_t y = from->y + above, down = ceil_div(from->height - above, page->rows);
    int64_t across = ceil_div(from->width, page->width);
    int64_t planes = page_planes(page);
    int64_t blocks = across * down * planes; /* fits: their samples are in memory */
    struct tiff_part *part;
    TRY(memory_new(writer->memory, 1, (int64_t)sizeof *part + size_mul(blocks, sizeof *part->ends),
                   "a strip or tile of a TIFF", &part));
    part->left = from->x / page->width;
    part->top = y / page->rows;
    part->across = across;
    part->down = down;
    part->planes = planes;
    part->bytes.memory = writer->memory;
    int64_t samples = size_mul(blocks, tiff->bytes);
    swathe_status status = bytes_reserve(&part->bytes, plain ? samples : samples / 2);
    if (status == SWATHE_OK)
        status = tiff_write_fill_part(writer, from, part);
    if (status != SWATHE_OK) {
        tiff_discard(writer, part);
        return status;
    }
    *prepared = part;
    return SWATHE_OK;
}

/* ---- Writing, one thread at a time ---------------------------------------------------------- */

static swathe_status put_blocks(const struct image_writer *writer, const struct tiff_part *part)
{
    struct tiff_index *index = &((struct tiff_writer *)writer->state)->index;
    int64_t start = 0;
    TRY(output_seek(writer->out, index->end));
    for (int64_t i = 0; i < part->across * part->down * part->planes; i++) {
        int64_t tile = i / part->planes, x = part->left + tile % part->across;
        int64_t number = tile_order_number(&index->order, x, part->top + tile / part->across);
        TRY(tiff_index_put(index, writer, number * part->planes + i % part->planes,
                           part->ends[i] - start));
        start = part->ends[i];
    }
    return output_write(writer->out, part->bytes.data, (size_t)part->bytes.used);
}

static swathe_status tiff_deliver(struct image_writer *writer, void *prepared)
{
    swathe_status status = put_blocks(writer, prepared);
    tiff_discard(writer, prepared);
    return status;
}

/* Tiles may be written in any order; each row of tiles is prepared and delivered at once. */
static swathe_status write_tiles(struct image_writer *writer, const swathe_image *from)
{
    int64_t tile = writer->tile_height, bottom = from->y + from->height;
    for (int64_t y = from->y; y < bottom; y += tile) {
        swathe_image row;
        void *prepared;
        swathe_rect rect = {from->x, y, from->width, min64(tile, bottom - y)};
        TRY(view_crop(from, &rect, &row));
        TRY(tiff_prepare(writer, &row, 0, &prepared));
        TRY(tiff_deliver(writer, prepared));
    }
    return SWATHE_OK;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static void close_encoders(struct tiff_writer *tiff)
{
    struct pooled_object *pooled;
    if (!tiff->has_encoders)
        return;
    while ((pooled = object_pool_pop(&tiff->encoders)))
        tiff_encoder_close((struct tiff_encoder *)(void *)pooled);
    object_pool_destroy(&tiff->encoders);
    tiff->has_encoders = false;
}

/* Sets the tags of a page, after which its blocks follow. The lists of blocks are allocated now: a
 * failure after all pixels were computed would be late. */
static swathe_status start_blocks(struct image_writer *writer, struct tiff_writer *tiff)
{
    const struct tiff_page *page = &tiff->page;
    swathe_tiff_part *part = writer->options->tiff_part;
    struct tile_order order = page_order(page);
    TRY(tiff_tags_write(writer, &tiff->stream, tiff->tiff, page));
    tiff_index_close(&tiff->index);
    if (part)
        tiff_index_open_lent(&tiff->index, writer, &order, page_planes(page), NULL);
    else
        TRY(tiff_index_open(&tiff->index, writer, &order, page_planes(page)));
    tiff_stream_clear_errors(&tiff->stream);
    return TIFFWriteCheck(tiff->tiff, page->tiled, "blocks") == 1
               ? tiff_stream_check(&tiff->stream, "listing blocks")
               : tiff_stream_failed(&tiff->stream, "listing blocks");
}

/* libtiff records offset and size of a block when it seems to write it, and numbers all blocks of
 * one plane before those of the next. */
static bool list_block(const struct tiff_writer *tiff, int64_t i)
{
    static char nothing[1];
    const struct tiff_index *index = &tiff->index;
    const struct tile_order *order = &index->order;
    tmsize_t size = (tmsize_t)index->sizes[i];
    int64_t x, y;
    tile_order_place(order, i / index->planes, &x, &y);
    uint32_t block = (uint32_t)((i % index->planes * order->down + y) * order->across + x);
    return size == (tiff->page.tiled ? TIFFWriteRawTile(tiff->tiff, block, nothing, size)
                                     : TIFFWriteRawStrip(tiff->tiff, block, nothing, size));
}

static swathe_status list_blocks(struct tiff_writer *tiff)
{
    struct tiff_stream *stream = &tiff->stream;
    bool listed = true;
    tiff_stream_clear_errors(stream);
    stream->listing = true;
    stream->listed_to = tiff->index.start;
    for (int64_t i = 0; listed && i < tiff->index.count; i++)
        listed = list_block(tiff, i);
    stream->listing = false;
    return listed ? tiff_stream_check(stream, "listing blocks")
                  : tiff_stream_failed(stream, "listing blocks");
}

/* Writes the tags of the current page. */
static swathe_status end_page(struct image_writer *writer, struct tiff_writer *tiff)
{
    TRY(tiff_index_sort(&tiff->index, writer));
    TRY(list_blocks(tiff));
    tiff_stream_clear_errors(&tiff->stream);
    return TIFFWriteDirectory(tiff->tiff) == 1 ? tiff_stream_check(&tiff->stream, "writing tags")
                                               : tiff_stream_failed(&tiff->stream, "writing tags");
}

static swathe_status tiff_write_start_page(struct image_writer *writer, struct tiff_writer *tiff)
{
    if (!tiff->compression_given)
        TRY(tiff_compression_keep(writer->encoding->compression, &tiff->page.compression));
    TRY(tiff_layout_choose(writer, &tiff->page, &tiff->bytes));
    writer->flags = tiff->page.tiled ? 0 : SWATHE_FORWARD;
    writer->tile_width = tiff->page.tiled ? tiff->page.width : 0;
    writer->tile_height = tiff->page.rows;
    TRY(check_readable(writer, tiff));
    close_encoders(tiff);
    TRY(choose_encoders(writer, tiff));
    writer->write = tiff->page.tiled ? write_tiles : NULL;
    return SWATHE_OK;
}

/* A classic file whose pages are larger than declared must stay below 4 GiB. */
static swathe_status tiff_next_page(struct image_writer *writer)
{
    struct tiff_writer *tiff = writer->state;
    int64_t bytes;
    TRY(end_page(writer, tiff));
    TRY(tiff_write_start_page(writer, tiff));
    TRY(shape_bytes(&writer->shape, &bytes));
    if (!tiff->page.big && size_add(output_size(writer->out), bytes) > 2 * CLASSIC_BYTES)
        return fail(SWATHE_ERROR_LIMIT,
                    "one more page could exceed 4 GiB, the limit of classic TIFF; give the number "
                    "of pages at the start, so that BigTIFF is written");
    return start_blocks(writer, tiff);
}

static swathe_status close_file(struct image_writer *writer, struct tiff_writer *tiff)
{
    swathe_status status = end_page(writer, tiff);
    tiff_stream_close(tiff->tiff);
    tiff->tiff = NULL;
    return status != SWATHE_OK ? status : tiff->stream.status;
}

static swathe_status tiff_finish(struct image_writer *writer)
{
    return close_file(writer, writer->state);
}

static void tiff_write_tiff_close(struct image_writer *writer)
{
    struct tiff_writer *tiff = writer->state;
    if (!tiff)
        return;
    if (tiff->tiff)
        tiff_stream_close(tiff->tiff);
    close_encoders(tiff);
    tiff_index_close(&tiff->index);
    memory_free(writer->memory, tiff);
    writer->state = NULL;
}

/* ---- Files that several sinks write --------------------------------------------------------- */

/* The output contains the tiles alone. */
static swathe_status finish_tiles(struct image_writer *writer)
{
    struct tiff_writer *tiff = writer->state;
    return tiff_index_sort(&tiff->index, writer);
}

/* The output contains the file without its tiles, which are between the header and the tags. */
static swathe_status finish_rest(struct image_writer *writer)
{
    struct tiff_writer *tiff = writer->state;
    int64_t sum;
    tiff->index.sizes = writer->options->tiff_part->sizes;
    TRY(tiff_range_sum(&tiff->index, tiff->page.big, &sum));
    tiff->stream.gap_at = tiff->index.start;
    tiff->stream.gap = sum;
    return close_file(writer, tiff);
}

static swathe_status start_file(struct image_writer *writer, struct tiff_writer *tiff)
{
    tiff->stream.out = writer->out;
    /* Little-endian everywhere, so that a file does not depend on the machine. */
    TRY(tiff_stream_open(&tiff->stream, tiff->page.big ? "wl8m" : "wlm", &writer->limits,
                         &tiff->tiff));
    return start_blocks(writer, tiff);
}

/* The sink gets the pixels of the part alone: those of some tiles, or none. */
static swathe_status start_part(struct image_writer *writer, struct tiff_writer *tiff,
                                swathe_tiff_part *part)
{
    struct tile_order order = page_order(&tiff->page);
    TRY(tiff_range_choose(part, &tiff->page, &order));
    writer->next_page = NULL;
    writer->shape.width = part->region.width;
    writer->shape.height = part->region.height;
    if (part->count > 0) {
        writer->finish = finish_tiles;
        tiff_index_open_lent(&tiff->index, writer, &order, part->planes, part->sizes);
        return SWATHE_OK;
    }
    writer->finish = finish_rest;
    TRY(start_file(writer, tiff));
    part->prefix_bytes = tiff->index.start;
    return SWATHE_OK;
}

swathe_status codec_tiff_create(struct image_writer *writer)
{
    struct tiff_writer *tiff;
    swathe_tiff_part *part = writer->options->tiff_part;
    if (part)
        TRY(tiff_range_check(part));
    TRY(memory_new(writer->memory, 1, sizeof *tiff, "TIFF writer", &tiff));
    writer->state = tiff;
    writer->close = tiff_write_tiff_close;
    writer->next_page = tiff_next_page;
    writer->finish = tiff_finish;
    writer->prepare = tiff_prepare;
    writer->deliver = tiff_deliver;
    writer->discard = tiff_discard;
    tiff->compression_given = writer->options->compression != NULL;
    TRY(tiff_compression_find(writer->options->compression, &tiff->page.compression));
    TRY(tiff_write_start_page(writer, tiff));
    tiff->page.big = tiff_layout_needs_big(&tiff->page, writer->options->pages);
    TRY(output_make_seekable(writer->out));
    return part ? start_part(writer, tiff, part) : start_file(writer, tiff);
}
