/* PNG, not interlaced. The sample type gives the depth, the number of channels the colour type. */
#include "base/text.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/output.h"
#include "io/png_guard.h"
#include "io/rows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct png {
    struct png_guard guard;
    struct writer *writer;
    int64_t level;            /* of zlib; -1: libpng's choice */
    uint8_t *row;             /* for views that are not dense */
    char *xmp;                /* with the NUL that libpng wants */
    const swathe_image *from; /* of the write in progress */
};

/* ---- Rows ----------------------------------------------------------------------------------- */

static void pack_row(const swathe_image *from, int64_t y, uint8_t *row)
{
    size_t size = (size_t)sample_size(from->type);
    for (int64_t x = 0; x < from->width; x++)
        for (int32_t c = 0; c < from->channels; c++, row += size)
            memcpy(row, view_at(from, x, y, c), size);
}

static void write_rows(void *user)
{
    struct png *png = user;
    const swathe_image *from = png->from;
    for (int64_t y = from->y; y < from->y + from->height; y++) {
        const uint8_t *row = view_at(from, 0, y, 0);
        if (!rows_dense(from)) {
            pack_row(from, y, png->row);
            row = png->row;
        }
        png_write_row(png->guard.png, row);
    }
}

static swathe_status write_part(struct writer *writer, const swathe_image *from)
{
    struct png *png = writer->state;
    png->from = from;
    return png_guard_run(&png->guard, write_rows, png);
}

static void write_end(void *user)
{
    struct png *png = user;
    png_write_end(png->guard.png, NULL);
}

static swathe_status finish(struct writer *writer)
{
    struct png *png = writer->state;
    return png_guard_run(&png->guard, write_end, png);
}

/* ---- Header and metadata -------------------------------------------------------------------- */

static void write_bytes(png_structp libpng, png_bytep bytes, size_t size)
{
    struct png *png = png_get_io_ptr(libpng);
    swathe_status status = output_write(png->writer->out, bytes, size);
    if (status != SWATHE_OK)
        png_guard_fail(&png->guard, status);
}

/* The output has its own buffer. */
static void flush_bytes(png_structp libpng)
{
    (void)libpng;
}

static void set_resolution(const struct png *png)
{
    double x = rint(png->writer->metadata->x_resolution);
    double y = rint(png->writer->metadata->y_resolution);
    if (x >= 1 && y >= 1 && x <= PNG_GUARD_SIDE_MAX && y <= PNG_GUARD_SIDE_MAX)
        png_set_pHYs(png->guard.png, png->guard.info, (png_uint_32)x, (png_uint_32)y,
                     PNG_RESOLUTION_METER);
}

/* A profile that libpng finds unfit for the colour type is left out. */
static void set_metadata(const struct png *png)
{
    const swathe_metadata *metadata = png->writer->metadata;
    png_structp libpng = png->guard.png;
    png_infop info = png->guard.info;
    if (metadata->icc && metadata->icc_size <= INT32_MAX)
        png_set_iCCP(libpng, info, "icc", PNG_COMPRESSION_TYPE_BASE, metadata->icc,
                     (png_uint_32)metadata->icc_size);
    if (metadata->exif && metadata->exif_size <= INT32_MAX)
        png_set_eXIf_1(libpng, info, (png_uint_32)metadata->exif_size, (png_bytep)metadata->exif);
    if (png->xmp) {
        png_text text = {.compression = PNG_ITXT_COMPRESSION_NONE,
                         .key = (png_charp) "XML:com.adobe.xmp",
                         .text = png->xmp};
        png_set_text(libpng, info, &text, 1);
    }
    set_resolution(png);
}

static void write_header(void *user)
{
    static const int colors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    struct png *png = user;
    const swathe_shape *shape = &png->writer->shape;
    png_structp libpng = png->guard.png;
    png_guard_setup(&png->guard);
    png_set_write_fn(libpng, png, write_bytes, flush_bytes);
    if (png->level >= 0)
        png_set_compression_level(libpng, (int)png->level);
    if (png->level == 0)
        png_set_filter(libpng, PNG_FILTER_TYPE_BASE, PNG_NO_FILTERS);
    png_set_IHDR(libpng, png->guard.info, (png_uint_32)shape->width, (png_uint_32)shape->height,
                 sample_size(shape->type) * 8, colors[shape->channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_metadata(png);
    png_write_info(libpng, png->guard.info);
    if (shape->type == SWATHE_U16)
        png_guard_swap(&png->guard);
}

/* iTXt is text: a packet with NULs (UTF-16) cannot stand in it. */
static swathe_status copy_xmp(struct png *png)
{
    const swathe_metadata *metadata = png->writer->metadata;
    if (!metadata->xmp || memchr(metadata->xmp, 0, metadata->xmp_size))
        return SWATHE_OK;
    TRY(memory_new(png->writer->memory, (int64_t)metadata->xmp_size + 1, 1, "an XMP packet",
                   &png->xmp));
    memcpy(png->xmp, metadata->xmp, metadata->xmp_size);
    return SWATHE_OK;
}

static swathe_status check_level(struct png *png)
{
    const char *compression = png->writer->options->compression;
    png->level = -1;
    if (compression && (!text_to_int(compression, &png->level) || png->level < 0 || png->level > 9))
        return fail(SWATHE_ERROR_ARGUMENT, "compression '%s'; for png it is 0 (none) to 9 (most)",
                    compression);
    return SWATHE_OK;
}

/* libpng holds the row, the one before, and two trials of filters. */
static swathe_status make_row(struct png *png)
{
    struct writer *writer = png->writer;
    const swathe_shape *shape = &writer->shape;
    if (shape->width > PNG_GUARD_SIDE_MAX || shape->height > PNG_GUARD_SIDE_MAX)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; png holds at most %d a side: write tiff",
                    shape->width, shape->height, PNG_GUARD_SIDE_MAX);
    int64_t bytes = shape->width * shape->channels * sample_size(shape->type);
    TRY(limits_check_memory(&writer->limits, 5 * bytes, "rows of this width"));
    return memory_new_raw(writer->memory, bytes, 1, "a PNG row", &png->row);
}

static void close_png(struct writer *writer)
{
    struct png *png = writer->state;
    if (!png)
        return;
    png_destroy_write_struct(&png->guard.png, &png->guard.info);
    memory_free(writer->memory, png->row);
    memory_free(writer->memory, png->xmp);
    memory_free(writer->memory, png);
}

swathe_status codec_png_create(struct writer *writer)
{
    struct png *png;
    TRY(memory_new(writer->memory, 1, sizeof *png, "a PNG writer", &png));
    writer->state = png;
    writer->close = close_png;
    writer->write = write_part;
    writer->finish = finish;
    writer->flags = SWATHE_FORWARD;
    png->writer = writer;
    png->guard.blame = SWATHE_ERROR_INTERNAL;
    TRY(check_level(png));
    TRY(make_row(png));
    TRY(copy_xmp(png));
    png->guard.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &png->guard, png_guard_error,
                                             png_guard_warning);
    if (png->guard.png)
        png->guard.info = png_create_info_struct(png->guard.png);
    if (!png->guard.info)
        return fail(SWATHE_ERROR_MEMORY, "no memory for a PNG writer");
    return png_guard_run(&png->guard, write_header, png);
}
