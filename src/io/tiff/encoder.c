#include "io/tiff/encoder.h"

#include "base/checked.h"
#include "image/sample.h"

/* Blocks per handle. If a block is written twice, libtiff chooses other buffers the second time.
 * The bytes of a file must not depend on which thread compressed which block. So each block is
 * written as a new block of an image with this many blocks, and then the handle is opened again. */
enum { BLOCKS = 128 };

static swathe_status start(struct tiff_encoder *encoder, const struct limits *limits,
                           const struct tiff_page *page, int64_t rows)
{
    struct tiff_stream *stream = &encoder->stream;
    struct tiff_page many = *page;
    int32_t size = sample_size(page->shape.type);
    many.shape.channels = page->planar ? 1 : page->shape.channels;
    many.shape.width = page->width;
    many.shape.height = BLOCKS * rows;
    many.rows = rows;
    many.planar = false;
    encoder->predict = (struct tiff_predict){tiff_tags_predictor(page), size,
                                             many.shape.channels, /* the row fits: less than a */
                                             many.shape.width * many.shape.channels * size};
    encoder->bytes = encoder->predict.row * rows; /* checked block */
    TRY(memory_new(encoder->memory, encoder->bytes, 1, "TIFF block", &encoder->block));
    TRY(memory_new_raw(encoder->memory, encoder->predict.row, 1, "TIFF row", &encoder->scratch));
    stream->captures = true;
    TRY(tiff_stream_open(stream, "wm", limits, &encoder->tiff));
    tiff_stream_clear_errors(stream);
    tiff_tags_geometry(stream, encoder->tiff, &many);
    tiff_compression_set_level(stream, encoder->tiff, &page->compression);
    return tiff_stream_check(stream, "setting tags");
}

swathe_status tiff_encoder_open(const struct memory *memory, const struct limits *limits,
                                const struct tiff_page *page, int64_t rows,
                                struct tiff_encoder **encoder)
{
    struct tiff_encoder *made;
    TRY(memory_new(memory, 1, sizeof *made, "TIFF encoder", &made));
    made->memory = memory;
    swathe_status status = start(made, limits, page, rows);
    if (status != SWATHE_OK) {
        tiff_encoder_close(made);
        return status;
    }
    *encoder = made;
    return SWATHE_OK;
}

void tiff_encoder_close(struct tiff_encoder *encoder)
{
    if (!encoder)
        return;
    if (encoder->tiff)
        tiff_stream_close(encoder->tiff);
    memory_free(encoder->memory, encoder->scratch);
    memory_free(encoder->memory, encoder->block);
    memory_free(encoder->memory, encoder);
}

bool tiff_encoder_full(const struct tiff_encoder *encoder)
{
    return encoder->used == BLOCKS;
}

swathe_status tiff_encoder_put(struct tiff_encoder *encoder, struct bytes *bytes)
{
    TIFF *tiff = encoder->tiff;
    uint32_t block = (uint32_t)encoder->used++;
    tmsize_t size = (tmsize_t)encoder->bytes;
    tiff_predict_encode(&encoder->predict, encoder->bytes / encoder->predict.row, encoder->block,
                        encoder->scratch);
    tiff_stream_clear_errors(&encoder->stream);
    encoder->stream.bytes = bytes;
    tmsize_t put = TIFFIsTiled(tiff) ? TIFFWriteEncodedTile(tiff, block, encoder->block, size)
                                     : TIFFWriteEncodedStrip(tiff, block, encoder->block, size);
    encoder->stream.bytes = NULL;
    /* Not errno: an allocation that succeeds can set it, too. */
    return put == size && !encoder->stream.text[0]
               ? SWATHE_OK
               : tiff_stream_failed(&encoder->stream, "compressing pixels");
}
