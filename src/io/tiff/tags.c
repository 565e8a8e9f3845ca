#include "io/tiff/encoder.h"

#include "base/checked.h"
#include "image/view.h"
#include "io/metadata/metadata.h"
#include "io/tiff/form.h"
#include "io/tiff/geo.h"

#include <math.h>

/* ---- Samples and colour --------------------------------------------------------------------- */

static void set_samples(struct tiff_stream *stream, TIFF *tiff, const struct tiff_page *page)
{
    const swathe_shape *shape = &page->shape;
    uint16_t format = sample_is_float(shape->type)              ? SAMPLEFORMAT_IEEEFP
                      : sample_entry(shape->type)->lowest < 0.0 ? SAMPLEFORMAT_INT
                                                                : SAMPLEFORMAT_UINT;
    tiff_stream_set(stream, tiff, TIFFTAG_BITSPERSAMPLE, 8 * sample_size(shape->type));
    tiff_stream_set(stream, tiff, TIFFTAG_SAMPLESPERPIXEL, shape->channels);
    tiff_stream_set(stream, tiff, TIFFTAG_SAMPLEFORMAT, format);
    tiff_stream_set(stream, tiff, TIFFTAG_PLANARCONFIG,
                    page->planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
}

/* Three channels of unknown colour are most likely RGB; any other number is a stack of grey
 * images. */
static int32_t set_photometric(struct tiff_stream *stream, TIFF *tiff, const swathe_shape *shape)
{
    swathe_color color = shape->color;
    int32_t colors = shape->channels - (shape->alpha ? 1 : 0);
    if (color == SWATHE_COLOR_UNKNOWN && colors == 3)
        color = SWATHE_COLOR_RGB;
    switch (color) {
    case SWATHE_COLOR_RGB:
        tiff_stream_set(stream, tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
        return 3;
    case SWATHE_COLOR_LAB:
        tiff_stream_set(stream, tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_CIELAB);
        return 3;
    case SWATHE_COLOR_CMYK:
        tiff_stream_set(stream, tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_SEPARATED);
        tiff_stream_set(stream, tiff, TIFFTAG_INKSET, INKSET_CMYK);
        return 4;
    default:
        tiff_stream_set(stream, tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        return 1;
    }
}

static swathe_status set_color(struct tiff_stream *stream, TIFF *tiff, const swathe_shape *shape)
{
    uint16_t extra[VIEW_CHANNELS_MAX] = {EXTRASAMPLE_UNSPECIFIED};
    int32_t colors = set_photometric(stream, tiff, shape);
    if (shape->channels < colors || (shape->alpha && shape->alpha <= colors))
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%d channels with alpha as number %d; TIFF requires %d colour channels first",
                    shape->channels, shape->alpha, colors);
    if (shape->alpha)
        extra[shape->alpha - 1 - colors] = EXTRASAMPLE_UNASSALPHA;
    if (shape->channels > colors)
        tiff_stream_set(stream, tiff, TIFFTAG_EXTRASAMPLES, (uint16_t)(shape->channels - colors),
                        extra);
    return SWATHE_OK;
}

void tiff_tags_sign_lab(const swathe_shape *shape, int64_t plane, int64_t pixels, uint8_t *samples)
{
    int size = sample_size(shape->type);
    if (sample_entry(shape->type)->lowest < 0.0) /* signed already */
        return;
    for (int64_t i = 0; i < pixels; i++)
        for (int64_t c = 0; c < shape->channels; c++)
            if (plane + c == 1 || plane + c == 2)
                tiff_unpack_flip(samples + (i * shape->channels + c) * size, size,
                                 1u << (8 * size - 1));
}

/* ---- Metadata ------------------------------------------------------------------------------- */

static void tiff_tags_set_resolution(struct tiff_stream *stream, TIFF *tiff,
                                     const swathe_metadata *metadata)
{
    double x = metadata->x_resolution, y = metadata->y_resolution;
    if (!(x > 0.0 && y > 0.0))
        return;
    bool cm = fmod(x, 100) == 0.0 && fmod(y, 100) == 0.0;
    tiff_stream_set(stream, tiff, TIFFTAG_RESOLUTIONUNIT, cm ? RESUNIT_CENTIMETER : RESUNIT_INCH);
    tiff_stream_set(stream, tiff, TIFFTAG_XRESOLUTION, cm ? x / 100 : x * 0.0254);
    tiff_stream_set(stream, tiff, TIFFTAG_YRESOLUTION, cm ? y / 100 : y * 0.0254);
}

static void tiff_tags_set_block(struct tiff_stream *stream, TIFF *tiff, uint32_t tag,
                                const void *block, size_t size)
{
    if (block && size > 0 && size <= UINT32_MAX)
        tiff_stream_set(stream, tiff, tag, (uint32_t)size, block);
}

/* Appends a directory of EXIF to the output so far, and sets the tag that points to it. */
static swathe_status append_ifd(const struct image_writer *writer, struct tiff_stream *stream,
                                TIFF *tiff, bool big, uint32_t tag, const struct ifd *ifd)
{
    int64_t size = ifd_size(ifd, big), at = round_up(output_size(writer->out), 2);
    uint8_t *bytes;
    if (ifd->count == 0)
        return SWATHE_OK;
    TRY(memory_new_raw(writer->memory, size, 1, "EXIF directory", &bytes));
    ifd_write(ifd, big, (uint64_t)at, bytes);
    swathe_status status = output_seek(writer->out, at);
    if (status == SWATHE_OK)
        status = output_write(writer->out, bytes, (size_t)size);
    memory_free(writer->memory, bytes);
    tiff_stream_set(stream, tiff, tag, (uint64_t)at);
    return status;
}

/* Sets the tags that TIFF shares with EXIF; all except one are texts. */
static void set_top(struct tiff_stream *stream, TIFF *tiff, const struct ifd *top)
{
    for (int32_t i = 0; i < top->count; i++) {
        const struct ifd_entry *entry = &top->entries[i];
        if (entry->type == IFD_ASCII)
            tiff_stream_set(stream, tiff, entry->tag, (const char *)top->values + entry->at);
    }
    uint64_t orientation = ifd_number(top, ifd_find(top, EXIF_ORIENTATION));
    if (orientation >= 1 && orientation <= 8)
        tiff_stream_set(stream, tiff, TIFFTAG_ORIENTATION, (int)orientation);
}

static swathe_status set_exif(const struct image_writer *writer, struct tiff_stream *stream,
                              TIFF *tiff, bool big)
{
    const swathe_metadata *metadata = writer->metadata;
    struct exif exif;
    swathe_status status =
        exif_parse(writer->memory, &writer->limits, metadata->exif, metadata->exif_size, &exif);
    if (status == SWATHE_OK) {
        set_top(stream, tiff, &exif.top);
        status = append_ifd(writer, stream, tiff, big, TIFFTAG_EXIFIFD, &exif.photo);
    }
    if (status == SWATHE_OK)
        status = append_ifd(writer, stream, tiff, big, TIFFTAG_GPSIFD, &exif.gps);
    exif_free(writer->memory, &exif);
    return status;
}

uint16_t tiff_tags_predictor(const struct tiff_page *page)
{
    if (page->compression.code == COMPRESSION_NONE)
        return PREDICTOR_NONE;
    return sample_is_float(page->shape.type) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL;
}

void tiff_tags_geometry(struct tiff_stream *stream, TIFF *tiff, const struct tiff_page *page)
{
    tiff_stream_set(stream, tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)page->shape.width);
    tiff_stream_set(stream, tiff, TIFFTAG_IMAGELENGTH, (uint32_t)page->shape.height);
    if (page->tiled)
        tiff_stream_set(stream, tiff, TIFFTAG_TILEWIDTH, (uint32_t)page->width);
    tiff_stream_set(stream, tiff, page->tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP,
                    (uint32_t)page->rows);
    set_samples(stream, tiff, page);
    tiff_stream_set(stream, tiff, TIFFTAG_COMPRESSION, page->compression.code);
}

swathe_status tiff_tags_write(const struct image_writer *writer, struct tiff_stream *stream,
                              TIFF *tiff, const struct tiff_page *page)
{
    const swathe_metadata *metadata = writer->metadata;
    tiff_stream_clear_errors(stream);
    tiff_tags_geometry(stream, tiff, page);
    if (tiff_tags_predictor(page) != PREDICTOR_NONE)
        tiff_stream_set(stream, tiff, TIFFTAG_PREDICTOR, tiff_tags_predictor(page));
    TRY(set_color(stream, tiff, &page->shape));
    tiff_tags_set_resolution(stream, tiff, metadata);
    tiff_tags_set_block(stream, tiff, TIFFTAG_ICCPROFILE, metadata->icc, metadata->icc_size);
    tiff_tags_set_block(stream, tiff, TIFFTAG_XMLPACKET, metadata->xmp, metadata->xmp_size);
    TRY(set_exif(writer, stream, tiff, page->big));
    TRY(tiff_geo_write(writer, stream, tiff));
    return tiff_stream_check(stream, "setting tags");
}
