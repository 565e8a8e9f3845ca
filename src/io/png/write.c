/* PNG, not interlaced. The sample type determines the depth, the number of channels the colour
 * type. */
#include "base/text.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/codec.h"
#include "io/png/png.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

struct png {
    struct png_guard guard;
    struct image_writer *writer;
    struct png_coder coder;
    bool coding;    /* `coder` is initialised */
    uint32_t adler; /* of the data delivered so far */
    char *xmp;      /* with the NUL that libpng requires */
};

/* ---- Rows ----------------------------------------------------------------------------------- */

static void png_write_discard(struct image_writer *writer, void *prepared)
{
    for (struct png_segment *segment = prepared, *next; segment; segment = next) {
        next = segment->next;
        memory_free(writer->memory, segment);
    }
}

/* Compresses the rows into a list of segments. */
static swathe_status png_write_prepare(struct image_writer *writer, const swathe_image *from,
                                       int64_t above, void **prepared)
{
    struct png *png = writer->state;
    struct png_segment *first = NULL, **end = &first;
    for (int64_t y = from->y + above; y < from->y + from->height; y += png->coder.segment_rows) {
        swathe_status status = png_coder_make(&png->coder, from, y, end);
        if (status != SWATHE_OK) {
            png_write_discard(writer, first);
            return status;
        }
        end = &(*end)->next;
    }
    *prepared = first;
    return SWATHE_OK;
}

static swathe_status png_write_deliver(struct image_writer *writer, void *prepared)
{
    struct png *png = writer->state;
    swathe_status status = SWATHE_OK;
    for (const struct png_segment *segment = prepared; segment; segment = segment->next) {
        png->adler = (uint32_t)adler32_combine(png->adler, segment->adler, segment->raw);
        status = output_write(writer->out, segment->chunks, (size_t)segment->size);
        if (status != SWATHE_OK)
            break;
    }
    png_write_discard(writer, prepared);
    return status;
}

/* The checksum of all rows is written as a separate chunk, because it is known last. */
static void write_end(void *user)
{
    struct png *png = user;
    png_byte adler[4];
    png_save_uint_32(adler, png->adler);
    png_write_chunk(png->guard.png, (png_const_bytep) "IDAT", adler, sizeof adler);
    png_write_chunk(png->guard.png, (png_const_bytep) "IEND", NULL, 0);
}

static swathe_status png_write_finish(struct image_writer *writer)
{
    struct png *png = writer->state;
    return png_guard_run(&png->guard, write_end, png);
}

/* ---- Header and metadata -------------------------------------------------------------------- */

static void png_write_bytes(png_structp libpng, png_bytep bytes, size_t size)
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

static void png_write_set_resolution(const struct png *png)
{
    double x = rint(png->writer->metadata->x_resolution);
    double y = rint(png->writer->metadata->y_resolution);
    if (x >= 1 && y >= 1 && x <= PNG_GUARD_SIDE_MAX && y <= PNG_GUARD_SIDE_MAX)
        png_set_pHYs(png->guard.png, png->guard.info, (png_uint_32)x, (png_uint_32)y,
                     PNG_RESOLUTION_METER);
}

/* A profile that libpng does not accept for the colour type is dropped. */
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
    png_write_set_resolution(png);
}

static void png_write_header(void *user)
{
    static const int colors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    struct png *png = user;
    const swathe_shape *shape = &png->writer->shape;
    png_structp libpng = png->guard.png;
    png_guard_setup(&png->guard);
    png_set_write_fn(libpng, png, png_write_bytes, flush_bytes);
    png_set_IHDR(libpng, png->guard.info, (png_uint_32)shape->width, (png_uint_32)shape->height,
                 sample_size(shape->type) * 8, colors[shape->channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    set_metadata(png);
    png_write_info(libpng, png->guard.info);
}

/* iTXt is text: it cannot contain a packet with NULs (UTF-16). */
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

/* 4 is the lowest level whose files are smaller than with libpng's default. */
static swathe_status png_write_read_level(const char *compression, int64_t *level)
{
    if (!compression || strcmp(compression, "default") == 0)
        *level = 4;
    else if (strcmp(compression, "fast") == 0)
        *level = PNG_CODER_FAST;
    else if (strcmp(compression, "small") == 0)
        *level = 9;
    else if (!text_to_int(compression, level) || *level < 0 || *level > 9)
        return fail(SWATHE_ERROR_ARGUMENT,
                    "compression '%s'; PNG takes fast, default, small, or 0 (none) to 9 (most)",
                    compression);
    return SWATHE_OK;
}

static swathe_status start_coder(struct png *png)
{
    struct image_writer *writer = png->writer;
    const swathe_shape *shape = &writer->shape;
    int64_t level;
    TRY(png_write_read_level(writer->options->compression, &level));
    if (shape->width > PNG_GUARD_SIDE_MAX || shape->height > PNG_GUARD_SIDE_MAX)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64
                    " pixels; a side of a PNG is at most %d, write TIFF instead",
                    shape->width, shape->height, PNG_GUARD_SIDE_MAX);
    png_coder_init(&png->coder, writer->memory, shape, (int)level, writer->limits.max_memory);
    png->coding = true;
    writer->tile_height = png->coder.segment_rows;
    writer->context_rows = png->coder.context_rows;
    writer->scratch_bytes = png_coder_memory(&png->coder);
    return limits_check_memory(&writer->limits, writer->scratch_bytes, "a segment of rows");
}

static void png_write_close(struct image_writer *writer)
{
    struct png *png = writer->state;
    if (!png)
        return;
    png_destroy_write_struct(&png->guard.png, &png->guard.info);
    if (png->coding)
        png_coder_free(&png->coder);
    memory_free(writer->memory, png->xmp);
    memory_free(writer->memory, png);
}

swathe_status codec_png_create(struct image_writer *writer)
{
    struct png *png;
    TRY(memory_new(writer->memory, 1, sizeof *png, "a PNG writer", &png));
    writer->state = png;
    writer->close = png_write_close;
    writer->prepare = png_write_prepare;
    writer->deliver = png_write_deliver;
    writer->discard = png_write_discard;
    writer->finish = png_write_finish;
    writer->flags = SWATHE_FORWARD;
    png->writer = writer;
    png->adler = 1;
    TRY(start_coder(png));
    TRY(copy_xmp(png));
    TRY(png_guard_start(&png->guard, writer->memory, SWATHE_ERROR_INTERNAL));
    return png_guard_run(&png->guard, png_write_header, png);
}
