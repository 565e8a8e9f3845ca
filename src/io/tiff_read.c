/* TIFF and BigTIFF through libtiff: any part in any order, except where a strip is too large to
 * be decoded at once. Only the first picture of a file is read. */
#include "base/checked.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/exif.h"
#include "io/keep.h"
#include "io/tiff_block.h"

#include <string.h>

struct tiff_reader {
    struct tiff_stream stream;
    TIFF *tiff;
    struct tiff_form form;
    struct tiff_blocks blocks;
};

bool codec_tiff_detect(const uint8_t *head, size_t size)
{
    static const char starts[][5] = {"II*\0", "MM\0*", "II+\0", "MM\0+"};
    for (size_t i = 0; size >= 4 && i < sizeof starts / sizeof *starts; i++)
        if (memcmp(head, starts[i], 4) == 0)
            return true;
    return false;
}

/* ---- Metadata ------------------------------------------------------------------------------- */

static swathe_status keep_tag(struct reader *reader, uint32_t tag, enum keep_kind kind)
{
    const struct tiff_reader *tiff = reader->state;
    uint32_t size = 0;
    const void *data = NULL;
    if (!TIFFGetField(tiff->tiff, tag, &size, &data))
        return SWATHE_OK;
    return reader_keep(reader, kind, data, size);
}

static void read_resolution(struct reader *reader)
{
    const struct tiff_reader *tiff = reader->state;
    float x = 0, y = 0;
    uint16_t unit = RESUNIT_NONE;
    TIFFGetField(tiff->tiff, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(tiff->tiff, TIFFTAG_YRESOLUTION, &y);
    TIFFGetFieldDefaulted(tiff->tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    double metre = unit == RESUNIT_INCH ? 1 / 0.0254 : unit == RESUNIT_CENTIMETER ? 100.0 : 0.0;
    if (metre > 0.0 && x > 0 && y > 0) { /* not a NaN either */
        reader->metadata.x_resolution = (double)x * metre;
        reader->metadata.y_resolution = (double)y * metre;
    }
}

static bool fetch(void *user, uint64_t offset, void *bytes, size_t size)
{
    return stream_seek(user, (int64_t)offset) == SWATHE_OK &&
           stream_read_all(user, bytes, size) == SWATHE_OK;
}

static swathe_status read_exif(struct reader *reader)
{
    struct exif exif;
    struct ifd_source source = {
        .fetch = fetch, .user = reader->in, .size = (uint64_t)stream_size(reader->in)};
    swathe_status status = exif_load(reader->memory, &reader->limits, &source, &exif);
    if (status == SWATHE_OK)
        status = exif_keep(reader, &exif);
    exif_free(reader->memory, &exif);
    return status;
}

/* ---- Pixels --------------------------------------------------------------------------------- */

/* The part of `into` that lies in a block. */
static swathe_status copy_block(struct tiff_reader *tiff, int64_t bx, int64_t by,
                                const swathe_image *into)
{
    struct tiff_blocks *blocks = &tiff->blocks;
    swathe_shape shape = tiff->form.shape;
    swathe_image block, part;
    uint8_t *samples;
    TRY(tiff_blocks_get(blocks, bx, by, &samples));
    shape.width = tiff->form.block_width;
    shape.height = blocks->height;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, samples, &block));
    block.x = bx * shape.width;
    block.y = by * shape.height;
    int64_t left = max64(into->x, block.x), top = max64(into->y, block.y);
    int64_t right = min64(into->x + into->width, block.x + block.width);
    int64_t bottom = min64(into->y + into->height, block.y + block.height);
    TRY(view_crop(into, &(swathe_rect){left, top, right - left, bottom - top}, &part));
    view_copy(&block, &part);
    return SWATHE_OK;
}

static swathe_status tiff_read(struct reader *reader, const swathe_image *into)
{
    struct tiff_reader *tiff = reader->state;
    int64_t width = tiff->form.block_width, height = tiff->blocks.height;
    for (int64_t by = into->y / height; by <= (into->y + into->height - 1) / height; by++)
        for (int64_t bx = into->x / width; bx <= (into->x + into->width - 1) / width; bx++)
            TRY(copy_block(tiff, bx, by, into));
    return SWATHE_OK;
}

static void tiff_close(struct reader *reader)
{
    struct tiff_reader *tiff = reader->state;
    if (!tiff)
        return;
    tiff_blocks_close(&tiff->blocks);
    if (tiff->tiff)
        TIFFClose(tiff->tiff);
    memory_free(reader->memory, tiff);
    reader->state = NULL;
}

static swathe_status open_picture(struct reader *reader, struct tiff_reader *tiff)
{
    TRY(tiff_stream_open(&tiff->stream, "rm", &reader->limits, &tiff->tiff));
    tiff_stream_calm(&tiff->stream);
    TRY(tiff_form_read(tiff->tiff, &tiff->form));
    reader->shape = tiff->form.shape;
    TRY(tiff_blocks_open(&tiff->blocks, reader->memory, &reader->limits, tiff->tiff, &tiff->stream,
                         &tiff->form));
    reader->flags = tiff->blocks.forward ? SWATHE_FORWARD : 0;
    reader->tile_width = tiff->form.block_width;
    reader->tile_height = tiff->blocks.height;
    return SWATHE_OK;
}

swathe_status codec_tiff_open(struct reader *reader)
{
    struct tiff_reader *tiff;
    TRY(stream_make_seekable(reader->in));
    TRY(memory_new(reader->memory, 1, sizeof *tiff, "TIFF reader", &tiff));
    reader->state = tiff;
    reader->close = tiff_close;
    reader->read = tiff_read;
    tiff->stream.in = reader->in;
    TRY(open_picture(reader, tiff));
    TRY(keep_tag(reader, TIFFTAG_ICCPROFILE, KEEP_ICC));
    TRY(keep_tag(reader, TIFFTAG_XMLPACKET, KEEP_XMP));
    read_resolution(reader);
    return read_exif(reader);
}
