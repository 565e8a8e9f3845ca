/* JPEG through libjpeg: rows from the top, nothing held but a few of them. Up to quality 95 colour
 * is stored at half the resolution in both directions (4:2:0), libjpeg's and Pillow's habit; above
 * it at full resolution, since whoever asks for that wants colours sharp as well. */
#include "image/view.h"
#include "io/codec.h"
#include "io/jpeg_error.h"
#include "io/output.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { QUALITY_USUAL = 90, QUALITY_HALF_COLOR = 95, MARKER_MAX = 65533 };

static const char exif_start[] = "Exif\0";
static const char xmp_start[] = "http://ns.adobe.com/xap/1.0/";

struct jpeg_writer {
    struct jpeg_compress_struct info;
    struct jpeg_guard guard;
    struct jpeg_destination_mgr target;
    struct writer *writer;
    const swathe_image *from; /* of the write in progress */
    bool created;
    uint8_t *row;
    uint8_t buffer[JPEG_BUFFER_SIZE];
};

/* ---- Bytes from libjpeg --------------------------------------------------------------------- */

static void target_begin(j_compress_ptr info)
{
    struct jpeg_writer *jpeg = info->client_data;
    jpeg->target.next_output_byte = jpeg->buffer;
    jpeg->target.free_in_buffer = sizeof jpeg->buffer;
}

static void flush(struct jpeg_writer *jpeg, size_t bytes)
{
    swathe_status status = output_write(jpeg->writer->out, jpeg->buffer, bytes);
    if (status != SWATHE_OK)
        jpeg_guard_leave((j_common_ptr)&jpeg->info, status);
    target_begin(&jpeg->info);
}

static boolean target_empty(j_compress_ptr info)
{
    flush(info->client_data, JPEG_BUFFER_SIZE);
    return TRUE;
}

static void target_end(j_compress_ptr info)
{
    struct jpeg_writer *jpeg = info->client_data;
    flush(jpeg, sizeof jpeg->buffer - jpeg->target.free_in_buffer);
}

static swathe_status guarded(struct jpeg_writer *jpeg, swathe_status (*step)(struct jpeg_writer *))
{
    if (setjmp(jpeg->guard.escape))
        return jpeg->guard.status;
    return step(jpeg);
}

/* ---- Header --------------------------------------------------------------------------------- */

static swathe_status check_size(const swathe_shape *shape)
{
    if (shape->width > JPEG_MAX_DIMENSION || shape->height > JPEG_MAX_DIMENSION)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "%" PRId64 " x %" PRId64 " pixels; a side of a JPEG is at most %ld, write TIFF "
                    "or PNG instead",
                    shape->width, shape->height, (long)JPEG_MAX_DIMENSION);
    return SWATHE_OK;
}

/* JFIF holds whole numbers per inch or per centimetre: whichever is nearer. */
static void set_density(struct jpeg_compress_struct *info, const swathe_metadata *metadata)
{
    double inch_x = metadata->x_resolution * 0.0254, inch_y = metadata->y_resolution * 0.0254;
    double cm_x = metadata->x_resolution / 100, cm_y = metadata->y_resolution / 100;
    double inch_off = fabs(inch_x - round(inch_x)) + fabs(inch_y - round(inch_y));
    double cm_off = fabs(cm_x - round(cm_x)) + fabs(cm_y - round(cm_y));
    bool cm = cm_off * 2.54 < inch_off;
    double x = round(cm ? cm_x : inch_x), y = round(cm ? cm_y : inch_y);
    if (!(x >= 1 && y >= 1 && x <= UINT16_MAX && y <= UINT16_MAX))
        return;
    info->density_unit = cm ? 2 : 1;
    info->X_density = (UINT16)x;
    info->Y_density = (UINT16)y;
}

static void set_colors(struct jpeg_compress_struct *info, const swathe_shape *shape)
{
    info->input_components = shape->channels;
    info->in_color_space = shape->channels == 1   ? JCS_GRAYSCALE
                           : shape->channels == 3 ? JCS_RGB
                                                  : JCS_CMYK;
}

static void set_quality(struct jpeg_compress_struct *info, int quality)
{
    jpeg_set_quality(info, quality, TRUE);
    info->dct_method = JDCT_ISLOW;
    if (quality > QUALITY_HALF_COLOR && info->in_color_space == JCS_RGB)
        info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
}

/* A block with its start in one APP1 marker; one that does not fit cannot be held. */
static void write_block(struct jpeg_writer *jpeg, const char *start, size_t start_size,
                        const void *block, size_t size)
{
    if (!block || size == 0 || size > MARKER_MAX - start_size)
        return;
    jpeg_write_m_header(&jpeg->info, JPEG_APP0 + 1, (unsigned)(start_size + size));
    for (size_t i = 0; i < start_size; i++)
        jpeg_write_m_byte(&jpeg->info, (unsigned char)start[i]);
    for (size_t i = 0; i < size; i++)
        jpeg_write_m_byte(&jpeg->info, ((const uint8_t *)block)[i]);
}

static void write_metadata(struct jpeg_writer *jpeg)
{
    const swathe_metadata *metadata = jpeg->writer->metadata;
    enum { PROFILE_MAX = 255 * (MARKER_MAX - 14) };
    write_block(jpeg, exif_start, 6, metadata->exif, metadata->exif_size);
    write_block(jpeg, xmp_start, sizeof xmp_start, metadata->xmp, metadata->xmp_size);
    if (metadata->icc && metadata->icc_size > 0 && metadata->icc_size <= PROFILE_MAX)
        jpeg_write_icc_profile(&jpeg->info, metadata->icc, (unsigned)metadata->icc_size);
}

static swathe_status write_header(struct jpeg_writer *jpeg)
{
    struct jpeg_compress_struct *info = &jpeg->info;
    const struct writer *writer = jpeg->writer;
    jpeg_create_compress(info);
    jpeg->created = true;
    info->client_data = jpeg;
    jpeg->target.init_destination = target_begin;
    jpeg->target.empty_output_buffer = target_empty;
    jpeg->target.term_destination = target_end;
    info->dest = &jpeg->target;
    info->image_width = (JDIMENSION)writer->shape.width;
    info->image_height = (JDIMENSION)writer->shape.height;
    set_colors(info, &writer->shape);
    jpeg_set_defaults(info);
    set_quality(info, writer->options->quality ? writer->options->quality : QUALITY_USUAL);
    set_density(info, writer->metadata);
    jpeg_start_compress(info, TRUE);
    write_metadata(jpeg);
    return SWATHE_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static swathe_status write_row(struct jpeg_writer *jpeg, int64_t y)
{
    swathe_shape shape = jpeg->writer->shape;
    swathe_image row, part;
    shape.height = 1;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, jpeg->row, &row));
    row.y = y;
    TRY(view_crop(jpeg->from, &(swathe_rect){0, y, shape.width, 1}, &part));
    view_copy(&part, &row);
    if (shape.channels == 4) /* CMYK; Adobe's habit: 255 is no ink */
        for (int64_t i = 0; i < shape.width * 4; i++)
            jpeg->row[i] = (uint8_t)(255 - jpeg->row[i]);
    jpeg_write_scanlines(&jpeg->info, &jpeg->row, 1);
    return SWATHE_OK;
}

static swathe_status write_rows(struct jpeg_writer *jpeg)
{
    const swathe_image *from = jpeg->from;
    for (int64_t y = from->y; y < from->y + from->height; y++)
        TRY(write_row(jpeg, y));
    return SWATHE_OK;
}

static swathe_status jpeg_write(struct writer *writer, const swathe_image *from)
{
    struct jpeg_writer *jpeg = writer->state;
    jpeg->from = from;
    return guarded(jpeg, write_rows);
}

static swathe_status end(struct jpeg_writer *jpeg)
{
    jpeg_finish_compress(&jpeg->info);
    return SWATHE_OK;
}

static swathe_status jpeg_finish(struct writer *writer)
{
    return guarded(writer->state, end);
}

static void jpeg_close(struct writer *writer)
{
    struct jpeg_writer *jpeg = writer->state;
    if (!jpeg)
        return;
    if (jpeg->created)
        jpeg_destroy_compress(&jpeg->info);
    memory_free(writer->memory, jpeg->row);
    memory_free(writer->memory, jpeg);
    writer->state = NULL;
}

swathe_status codec_jpeg_create(struct writer *writer)
{
    struct jpeg_writer *jpeg;
    int quality = writer->options->quality;
    TRY(check_size(&writer->shape));
    if (quality < 0 || quality > 100)
        return fail(SWATHE_ERROR_ARGUMENT, "quality %d; JPEG takes 1 to 100", quality);
    TRY(memory_new(writer->memory, 1, sizeof *jpeg, "JPEG writer", &jpeg));
    writer->state = jpeg;
    writer->close = jpeg_close;
    writer->write = jpeg_write;
    writer->finish = jpeg_finish;
    writer->flags = SWATHE_FORWARD;
    jpeg->writer = writer;
    jpeg->info.err = jpeg_guard_init(&jpeg->guard);
    TRY(memory_new_raw(writer->memory, writer->shape.width, writer->shape.channels, "JPEG row",
                       &jpeg->row));
    return guarded(jpeg, write_header);
}
