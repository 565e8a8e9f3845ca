#include "io/tiff/decoder.h"

#include "base/checked.h"
#include "io/tiff/form.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Life ----------------------------------------------------------------------------------- */

/* Sets the compression that was deferred. This adds to libtiff's known tags, and its failure must
 * be detected. */
static swathe_status set_compression(struct tiff_decoder *decoder)
{
    struct tiff_stream *stream = &decoder->stream;
    uint16_t compression = decoder->directory.compression;
    if (decoder->directory.deferred)
        tiff_stream_set(stream, decoder->tiff, TIFFTAG_COMPRESSION, compression);
    return tiff_stream_check(stream, "reading tags");
}

static swathe_status tiff_decoder_start(struct tiff_decoder *decoder, const struct limits *limits,
                                        struct stream *in, uint64_t offset)
{
    struct tiff_stream *stream = &decoder->stream;
    struct ifd_source source = tiff_pages_source(in);
    uint64_t first;
    if (!ifd_open(&source, &first))
        return fail(SWATHE_ERROR_INPUT, "TIFF: the header is damaged");
    TRY(tiff_directory_make(&source, offset, &decoder->directory));
    stream->in = in;
    stream->directory = &decoder->directory;
    TRY(stream_seek(in, 0));
    TRY(tiff_stream_open(stream, "rmh", limits, &decoder->tiff)); /* h: only the header */
    tiff_stream_clear_errors(stream);
    if (!TIFFReadDirectory(decoder->tiff) || tiff_stream_out_of_memory(stream))
        return tiff_stream_failed(stream, "reading tags");
    tiff_stream_clear_errors(stream);
    return set_compression(decoder);
}

swathe_status tiff_decoder_open(const struct memory *memory, const struct limits *limits,
                                struct stream *in, uint64_t offset, struct tiff_decoder **decoder)
{
    struct tiff_decoder *made;
    TRY(memory_new(memory, 1, sizeof *made, "TIFF decoder", &made));
    made->memory = memory;
    swathe_status status = tiff_decoder_start(made, limits, in, offset);
    if (status != SWATHE_OK) {
        tiff_decoder_close(made);
        return status;
    }
    *decoder = made;
    return SWATHE_OK;
}

void tiff_decoder_ready(struct tiff_decoder *decoder, const struct tiff_blocks *blocks)
{
    decoder->blocks = blocks;
}

/* Checks that sizes are those of the first handle, which determined the sizes of buffers. */
static swathe_status tiff_decoder_check_same(struct tiff_decoder *decoder,
                                             const struct tiff_blocks *blocks)
{
    const struct tiff_form *was = blocks->form;
    struct tiff_form now;
    TRY(tiff_form_read(decoder->tiff, decoder->directory.predictor, &now));
    if (now.width != was->width || now.height != was->height ||
        now.block_width != was->block_width || now.block_height != was->block_height ||
        now.samples != was->samples || now.bits != was->bits || now.tiled != was->tiled ||
        now.separate != was->separate || now.by_rgba != was->by_rgba ||
        now.predict.kind != was->predict.kind)
        return fail(SWATHE_ERROR_INPUT, "TIFF: the file changed while it was read");
    return tiff_blocks_agree(blocks, decoder->tiff);
}

static swathe_status decoder_join(struct tiff_decoder *decoder, const struct limits *limits,
                                  const struct stream *in, uint64_t offset,
                                  const struct tiff_blocks *blocks)
{
    TRY(stream_share(in, &decoder->own));
    swathe_status status = tiff_decoder_start(decoder, limits, decoder->own, offset);
    TRY(stream_check(decoder->own)); /* a file that cannot be read is not damaged */
    TRY(status);
    TRY(tiff_decoder_check_same(decoder, blocks));
    tiff_decoder_ready(decoder, blocks);
    return SWATHE_OK;
}

swathe_status tiff_decoder_join(const struct memory *memory, const struct limits *limits,
                                const struct stream *in, uint64_t offset,
                                const struct tiff_blocks *blocks, struct tiff_decoder **decoder)
{
    struct tiff_decoder *made;
    TRY(memory_new(memory, 1, sizeof *made, "TIFF decoder", &made));
    made->memory = memory;
    swathe_status status = decoder_join(made, limits, in, offset, blocks);
    if (status != SWATHE_OK) {
        tiff_decoder_close(made);
        return status;
    }
    *decoder = made;
    return SWATHE_OK;
}

void tiff_decoder_close(struct tiff_decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->tiff)
        tiff_stream_close(decoder->tiff);
    stream_close(decoder->own);
    memory_free(decoder->memory, decoder->samples);
    memory_free(decoder->memory, decoder->raw);
    memory_free(decoder->memory, decoder->scratch);
    memory_free(decoder->memory, decoder);
}

/* ---- Decoding ------------------------------------------------------------------------------- */

static swathe_status tiff_decoder_decode_failed(struct tiff_decoder *decoder, int64_t x, int64_t y)
{
    char what[80];
    snprintf(what, sizeof what, "decoding at (%" PRId64 ", %" PRId64 ")", x, y);
    return tiff_stream_failed(&decoder->stream, what);
}

static uint32_t block_number(const struct tiff_decoder *decoder, int64_t x, int64_t y,
                             int64_t plane)
{
    uint16_t sample = (uint16_t)plane;
    return decoder->blocks->form->tiled
               ? TIFFComputeTile(decoder->tiff, (uint32_t)x, (uint32_t)y, 0, sample)
               : TIFFComputeStrip(decoder->tiff, (uint32_t)y, sample);
}

swathe_status tiff_decoder_check(struct tiff_decoder *decoder, int64_t x, int64_t y, bool *left_out)
{
    const struct tiff_form *form = decoder->blocks->form;
    int64_t planes = form->separate ? form->samples : 1;
    bool all = !form->by_rgba; /* with by_rgba, libtiff converts omitted blocks */
    tiff_stream_clear_errors(&decoder->stream);
    for (int64_t plane = 0; plane < planes; plane++) {
        bool out;
        int64_t stored =
            tiff_blocks_stored(decoder->tiff, block_number(decoder, x, y, plane), &out);
        if (!out || form->by_rgba)
            TRY(tiff_blocks_check(decoder->blocks, decoder->tiff, y,
                                  min64(stored, decoder->directory.at)));
        all = all && out;
    }
    *left_out = all;
    return SWATHE_OK;
}

bool tiff_decoder_find(struct tiff_decoder *decoder, int64_t x, int64_t y, int64_t plane,
                       int64_t *offset, int64_t *size)
{
    uint32_t block = block_number(decoder, x, y, plane);
    int failed = 0;
    bool left_out;
    *size = tiff_blocks_stored(decoder->tiff, block, &left_out);
    uint64_t at = TIFFGetStrileOffsetWithErr(decoder->tiff, block, &failed);
    int64_t end = decoder->directory.at; /* end of the file */
    *offset = at < (uint64_t)end ? (int64_t)at : end;
    return !failed && *size <= end - *offset;
}

/* Allocates the buffers for decoding, when first needed. */
static swathe_status allocate_buffers(struct tiff_decoder *decoder)
{
    const struct tiff_blocks *blocks = decoder->blocks;
    if (blocks->form->predict.kind == PREDICTOR_FLOATINGPOINT && !decoder->scratch)
        TRY(memory_new_raw(decoder->memory, blocks->raw_row, 1, "TIFF row", &decoder->scratch));
    if (tiff_unpack_in_place(blocks->form) || decoder->raw)
        return SWATHE_OK;
    return memory_new_raw(decoder->memory, blocks->raw_bytes, 1, "TIFF block", &decoder->raw);
}

/* Decompresses one plane of the block at (x, y). Gaps caused by damaged data are zeros. */
static swathe_status decode_raw(struct tiff_decoder *decoder, int64_t x, int64_t y, int64_t plane,
                                uint8_t *raw)
{
    const struct tiff_blocks *blocks = decoder->blocks;
    TIFF *tiff = decoder->tiff;
    int64_t bytes = blocks->raw_row * tiff_blocks_rows(blocks, y), got;
    uint32_t block = block_number(decoder, x, y, plane);
    bool left_out;
    tiff_stream_clear_errors(&decoder->stream);
    tiff_blocks_stored(tiff, block, &left_out);
    memset(raw, 0, (size_t)bytes);
    if (left_out)
        return SWATHE_OK;
    if (blocks->by_rows)
        got = TIFFReadScanline(tiff, raw, (uint32_t)y, (uint16_t)plane) == 1 ? bytes : -1;
    else if (blocks->form->tiled)
        got = TIFFReadEncodedTile(tiff, block, raw, bytes);
    else
        got = TIFFReadEncodedStrip(tiff, block, raw, bytes);
    /* Not errno: an allocation that succeeds can set it, too. */
    if (got != bytes || decoder->stream.damaged)
        return tiff_decoder_decode_failed(decoder, x, y);
    tiff_predict_decode(&blocks->form->predict, TIFFIsByteSwapped(tiff), bytes / blocks->raw_row,
                        raw, decoder->scratch);
    return SWATHE_OK;
}

/* libtiff's conversion stores the bottom row first. */
static swathe_status decode_rgba(struct tiff_decoder *decoder, int64_t x, int64_t y, uint8_t *to)
{
    const struct tiff_blocks *blocks = decoder->blocks;
    int64_t width = blocks->form->block_width, rows = tiff_blocks_rows(blocks, y);
    uint32_t *raster = (uint32_t *)(void *)decoder->raw;
    memset(raster, 0, (size_t)(blocks->raw_row * rows));
    tiff_stream_clear_errors(&decoder->stream);
    int done = blocks->form->tiled
                   ? TIFFReadRGBATileExt(decoder->tiff, (uint32_t)x, (uint32_t)y, raster, 1)
                   : TIFFReadRGBAStripExt(decoder->tiff, (uint32_t)y, raster, 1);
    if (!done || tiff_stream_out_of_memory(&decoder->stream) || decoder->stream.damaged)
        return tiff_decoder_decode_failed(decoder, x, y);
    for (int64_t r = 0; r < rows; r++)
        tiff_unpack_rgba(raster + (rows - 1 - r) * width, width, to + r * blocks->row);
    return SWATHE_OK;
}

swathe_status tiff_decoder_get(struct tiff_decoder *decoder, int64_t x, int64_t y, uint8_t *to)
{
    const struct tiff_blocks *blocks = decoder->blocks;
    const struct tiff_form *form = blocks->form;
    int64_t rows = tiff_blocks_rows(blocks, y), planes = form->separate ? form->samples : 1;
    TRY(allocate_buffers(decoder));
    if (form->by_rgba)
        return decode_rgba(decoder, x, y, to);
    if (tiff_unpack_in_place(form)) {
        TRY(decode_raw(decoder, x, y, 0, to));
        planes = 0;
    }
    for (int64_t plane = 0; plane < planes; plane++) {
        TRY(decode_raw(decoder, x, y, plane, decoder->raw));
        for (int64_t r = 0; r < rows; r++)
            tiff_unpack_row(form, plane, decoder->raw + r * blocks->raw_row, form->block_width,
                            to + r * blocks->row);
    }
    tiff_unpack_finish(form, rows * form->block_width, to);
    return SWATHE_OK;
}

swathe_status tiff_decoder_hold(struct tiff_decoder *decoder, int64_t x, int64_t y,
                                uint8_t **samples)
{
    if (!decoder->samples)
        TRY(memory_new_raw(decoder->memory, decoder->blocks->bytes, 1, "TIFF block",
                           &decoder->samples));
    TRY(tiff_decoder_get(decoder, x, y, decoder->samples));
    *samples = decoder->samples;
    return SWATHE_OK;
}
