/* TIFF and BigTIFF through libtiff: strips from the top, or tiles in any order. The usual
 * compression is deflate over differences of neighbours: every reader knows it, it beats LZW in
 * size, and zstd, though faster, is unknown to old tools. */
#include "base/checked.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/tiff_tags.h"

#include <inttypes.h>
#include <string.h>

enum { TILE_USUAL = 256, TILE_STEP = 16, STRIP_BYTES = 1 << 18 };
/* Images beyond these are tiled unasked: whoever reads them wants parts. */
#define STRIPED_PIXELS ((int64_t)1 << 26)
#define STRIPED_WIDTH  ((int64_t)1 << 15)
/* Past 2 GiB many readers of classic files fail, and compression can make data larger still. */
#define CLASSIC_BYTES ((int64_t)1 << 31)

struct tiff_writer {
    struct tiff_stream stream;
    TIFF *tiff;
    int64_t tile;   /* edge; 0: strips */
    int64_t rows;   /* of a strip or tile */
    int64_t width;  /* of a strip or tile */
    uint8_t *block; /* one strip or tile */
};

/* ---- Choices -------------------------------------------------------------------------------- */

static swathe_status choose_tile(const struct writer *writer, int64_t *tile)
{
    const swathe_shape *shape = &writer->shape;
    *tile = writer->options->tile;
    if (*tile < 0 || *tile % TILE_STEP != 0 || *tile > UINT32_MAX)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "tiles of %" PRId64 " pixels; TIFF wants a multiple of %d", *tile, TILE_STEP);
    if (shape->width > UINT32_MAX - TILE_USUAL || shape->height > UINT32_MAX - TILE_USUAL)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; a side of a TIFF is less than 2^32",
                    shape->width, shape->height);
    int64_t pixels = shape->width * shape->height > 0 ? shape->width * shape->height : INT64_MAX;
    if (*tile == 0 && (pixels > STRIPED_PIXELS || shape->width > STRIPED_WIDTH))
        *tile = TILE_USUAL;
    return SWATHE_OK;
}

/* Strips of about STRIP_BYTES, or tiles. */
static swathe_status choose_blocks(struct writer *writer, struct tiff_writer *tiff)
{
    const swathe_shape *shape = &writer->shape;
    int64_t pixel = (int64_t)shape->channels * sample_size(shape->type), bytes = 0;
    TRY(choose_tile(writer, &tiff->tile));
    tiff->width = tiff->tile ? tiff->tile : shape->width;
    if (tiff->tile)
        tiff->rows = tiff->tile;
    else
        tiff->rows = max64(1, min64(shape->height, STRIP_BYTES / (shape->width * pixel)));
    if (!checked_mul3(tiff->width, tiff->rows, pixel, &bytes))
        return fail(SWATHE_ERROR_ARGUMENT, "tiles of %" PRId64 " pixels are too large", tiff->tile);
    TRY(limits_check_memory(&writer->limits, bytes, tiff->tile ? "a tile" : "a strip"));
    TRY(memory_new(writer->memory, bytes, 1, "TIFF block", &tiff->block));
    writer->flags = tiff->tile ? 0 : SWATHE_FORWARD;
    writer->tile_width = writer->tile_height = tiff->tile;
    return SWATHE_OK;
}

/* Whether 32-bit offsets could run out. Tiles at the edge are stored whole. */
static bool needs_big(const struct writer *writer, const struct tiff_writer *tiff)
{
    const swathe_shape *shape = &writer->shape;
    int64_t pixel = (int64_t)shape->channels * sample_size(shape->type), bytes = 0;
    int64_t width = ceil_div(shape->width, tiff->width) * tiff->width;
    int64_t height = ceil_div(shape->height, tiff->rows) * tiff->rows;
    return !checked_mul3(width, height, pixel, &bytes) || bytes > CLASSIC_BYTES;
}

/* ---- Pixels --------------------------------------------------------------------------------- */

/* The block at (x, y), as far as `from` holds it, into the buffer. */
static swathe_status gather(struct writer *writer, const swathe_image *from, int64_t x, int64_t y)
{
    const struct tiff_writer *tiff = writer->state;
    swathe_shape shape = writer->shape;
    swathe_image block, to;
    int64_t top = max64(y, from->y);
    int64_t right = min64(x + tiff->width, from->x + from->width);
    int64_t bottom = min64(y + tiff->rows, from->y + from->height);
    shape.width = tiff->width;
    shape.height = tiff->rows;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, tiff->block, &block));
    block.x = x;
    block.y = y;
    TRY(view_crop(&block, &(swathe_rect){x, top, right - x, bottom - top}, &to));
    view_copy(from, &to);
    return SWATHE_OK;
}

static swathe_status put_block(struct writer *writer, int64_t x, int64_t y)
{
    struct tiff_writer *tiff = writer->state;
    int64_t rows = tiff->tile ? tiff->rows : min64(tiff->rows, writer->shape.height - y);
    int64_t pixel = (int64_t)writer->shape.channels * sample_size(writer->shape.type);
    tmsize_t bytes = (tmsize_t)(rows * tiff->width * pixel), put;
    if (writer->shape.color == SWATHE_COLOR_LAB)
        tiff_tags_sign_lab(&writer->shape, rows * tiff->width, tiff->block);
    tiff_stream_calm(&tiff->stream);
    if (tiff->tile)
        put = TIFFWriteEncodedTile(tiff->tiff,
                                   TIFFComputeTile(tiff->tiff, (uint32_t)x, (uint32_t)y, 0, 0),
                                   tiff->block, bytes);
    else
        put = TIFFWriteEncodedStrip(tiff->tiff, (uint32_t)(y / tiff->rows), tiff->block, bytes);
    return put == bytes ? SWATHE_OK : tiff_stream_failed(&tiff->stream, "writing pixels");
}

static swathe_status write_tiles(struct writer *writer, const swathe_image *from)
{
    struct tiff_writer *tiff = writer->state;
    int64_t tile = tiff->tile, right = from->x + from->width, bottom = from->y + from->height;
    int64_t pixel = (int64_t)writer->shape.channels * sample_size(writer->shape.type);
    for (int64_t y = from->y; y < bottom; y += tile)
        for (int64_t x = from->x; x < right; x += tile) {
            if (x + tile > right || y + tile > bottom)
                memset(tiff->block, 0, (size_t)(tile * tile * pixel));
            TRY(gather(writer, from, x, y));
            TRY(put_block(writer, x, y));
        }
    return SWATHE_OK;
}

static swathe_status write_strips(struct writer *writer, const swathe_image *from)
{
    struct tiff_writer *tiff = writer->state;
    int64_t bottom = from->y + from->height;
    for (int64_t y = from->y - from->y % tiff->rows; y < bottom; y += tiff->rows) {
        TRY(gather(writer, from, 0, y));
        if (min64(y + tiff->rows, writer->shape.height) <= bottom)
            TRY(put_block(writer, 0, y));
    }
    return SWATHE_OK;
}

/* ---- Life ----------------------------------------------------------------------------------- */

static swathe_status tiff_finish(struct writer *writer)
{
    struct tiff_writer *tiff = writer->state;
    tiff_stream_calm(&tiff->stream);
    bool done = TIFFWriteDirectory(tiff->tiff) == 1;
    swathe_status status = done ? SWATHE_OK : tiff_stream_failed(&tiff->stream, "writing tags");
    TIFFClose(tiff->tiff);
    tiff->tiff = NULL;
    return status != SWATHE_OK ? status : tiff->stream.status;
}

static void tiff_close(struct writer *writer)
{
    struct tiff_writer *tiff = writer->state;
    if (!tiff)
        return;
    if (tiff->tiff) {
        tiff->stream.status = SWATHE_ERROR_CANCELLED; /* nothing more is written */
        TIFFClose(tiff->tiff);
    }
    memory_free(writer->memory, tiff->block);
    memory_free(writer->memory, tiff);
    writer->state = NULL;
}

swathe_status codec_tiff_create(struct writer *writer)
{
    struct tiff_writer *tiff;
    TRY(memory_new(writer->memory, 1, sizeof *tiff, "TIFF writer", &tiff));
    writer->state = tiff;
    writer->close = tiff_close;
    writer->finish = tiff_finish;
    TRY(choose_blocks(writer, tiff));
    writer->write = tiff->tile ? write_tiles : write_strips;
    bool big = needs_big(writer, tiff);
    TRY(output_make_seekable(writer->out));
    tiff->stream.out = writer->out;
    /* Little-endian everywhere, so that a file does not depend on the machine. */
    TRY(tiff_stream_open(&tiff->stream, big ? "wl8m" : "wlm", &writer->limits, &tiff->tiff));
    return tiff_tags_write(writer, &tiff->stream, tiff->tiff, big, tiff->width, tiff->rows,
                           tiff->tile > 0);
}
