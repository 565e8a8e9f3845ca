/* JPEG through libjpeg: rows from top to bottom; only files with several scans are held in memory
 * as a whole. */
#include "base/checked.h"
#include "image/view.h"
#include "io/codec.h"
#include "io/jpeg/jpeg.h"
#include "io/metadata/metadata.h"

#include <stddef.h>
#include <string.h>

/* Each scan of a progressive file costs a pass over the image; encoders write about ten. */
enum { SCANS_MAX = 100, BUFFER_SIZE = 1 << 16 };
/* libjpeg returns at most one row of MCUs at a time. */
enum { ROWS = 4 * DCTSIZE };

struct jpeg_reader {
    struct jpeg_decompress_struct info;
    struct jpeg_guard guard;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    struct jpeg_markers markers;
    struct image_reader *reader;
    const swathe_image *into; /* of the read in progress */
    int64_t header_bytes;     /* read so far, while in the header */
    bool created, in_header, started;
    uint8_t *row;
    uint8_t buffer[BUFFER_SIZE];
};

bool codec_jpeg_detect(const uint8_t *head, size_t size)
{
    return size >= 3 && head[0] == 0xFF && head[1] == 0xD8 && head[2] == 0xFF;
}

/* ---- Bytes for libjpeg ---------------------------------------------------------------------- */

static void source_idle(j_decompress_ptr info)
{
    (void)info;
}

/* Limits the header, because that of a pipe may be endless. */
static swathe_status count_header(struct jpeg_reader *jpeg, size_t bytes)
{
    const struct limits *limits = &jpeg->reader->limits;
    if (!jpeg->in_header)
        return SWATHE_OK;
    jpeg->header_bytes += (int64_t)bytes;
    return limits_check_metadata(limits, (uint64_t)(jpeg->header_bytes / 4),
                                 "a quarter of the JPEG header");
}

static boolean source_fill(j_decompress_ptr info)
{
    struct jpeg_reader *jpeg = info->client_data;
    size_t got = 0;
    swathe_status status = stream_read(jpeg->reader->in, jpeg->buffer, sizeof jpeg->buffer, &got);
    if (status == SWATHE_OK)
        status = count_header(jpeg, got);
    if (status != SWATHE_OK)
        jpeg_guard_leave((j_common_ptr)info, status);
    if (got == 0) { /* with an end marker, libjpeg detects missing data */
        jpeg->guard.ended = true;
        jpeg->buffer[got++] = 0xFF;
        jpeg->buffer[got++] = JPEG_EOI;
    }
    jpeg->source.next_input_byte = jpeg->buffer;
    jpeg->source.bytes_in_buffer = got;
    return TRUE;
}

static void source_skip(j_decompress_ptr info, long bytes)
{
    struct jpeg_reader *jpeg = info->client_data;
    struct jpeg_source_mgr *source = &jpeg->source;
    size_t left = bytes > 0 ? (size_t)bytes : 0;
    while (left > source->bytes_in_buffer && !jpeg->guard.ended) {
        left -= source->bytes_in_buffer;
        source_fill(info);
    }
    left = jpeg->guard.ended ? 0 : left;
    source->next_input_byte += left;
    source->bytes_in_buffer -= left;
}

static void watch_scans(j_common_ptr info)
{
    struct jpeg_reader *jpeg = info->client_data;
    swathe_status status = cancel_check(&jpeg->reader->cancel);
    if (status != SWATHE_OK)
        jpeg_guard_leave(info, status);
    if (jpeg->info.input_scan_number > SCANS_MAX)
        jpeg_guard_leave(info, fail(SWATHE_ERROR_INPUT, "JPEG with more than %d scans", SCANS_MAX));
}

/* All calls of libjpeg go through here; libjpeg's errors return to the setjmp. */
static swathe_status jpeg_read_guarded(struct jpeg_reader *jpeg,
                                       swathe_status (*step)(struct jpeg_reader *))
{
    if (setjmp(jpeg->guard.escape))
        return jpeg->guard.status;
    return step(jpeg);
}

/* ---- Header --------------------------------------------------------------------------------- */

static boolean read_marker(j_decompress_ptr info)
{
    struct jpeg_reader *jpeg = info->client_data;
    jpeg_markers_read(&jpeg->markers, info);
    return TRUE;
}

static void jpeg_read_begin(struct jpeg_reader *jpeg)
{
    struct jpeg_decompress_struct *info = &jpeg->info;
    jpeg_create_decompress(info);
    jpeg->created = true;
    info->client_data = jpeg;
    jpeg->source.init_source = source_idle;
    jpeg->source.fill_input_buffer = source_fill;
    jpeg->source.skip_input_data = source_skip;
    jpeg->source.resync_to_restart = jpeg_resync_to_restart;
    jpeg->source.term_source = source_idle;
    info->src = &jpeg->source;
    jpeg->progress.progress_monitor = watch_scans;
    info->progress = &jpeg->progress;
    jpeg_set_marker_processor(info, JPEG_APP0 + 1, read_marker);
    jpeg_set_marker_processor(info, JPEG_APP0 + 2, read_marker);
}

static swathe_status jpeg_read_read_header(struct jpeg_reader *jpeg)
{
    jpeg_read_begin(jpeg);
    jpeg->in_header = true;
    jpeg_read_header(&jpeg->info, TRUE);
    jpeg->in_header = false;
    return jpeg_markers_keep_profile(&jpeg->markers);
}

static swathe_status jpeg_read_choose_color(struct jpeg_reader *jpeg)
{
    struct jpeg_decompress_struct *info = &jpeg->info;
    swathe_shape *shape = &jpeg->reader->shape;
    switch (info->num_components) {
    case 1:
        info->out_color_space = JCS_GRAYSCALE;
        shape->color = SWATHE_COLOR_GREY;
        break;
    case 3:
        info->out_color_space = JCS_RGB;
        shape->color = SWATHE_COLOR_RGB;
        break;
    case 4:
        info->out_color_space = JCS_CMYK;
        shape->color = SWATHE_COLOR_CMYK;
        break;
    default:
        return fail(SWATHE_ERROR_UNSUPPORTED, "JPEG with %d components; 1, 3 or 4 can be read",
                    info->num_components);
    }
    shape->channels = info->num_components;
    return SWATHE_OK;
}

/* Files with several scans keep two bytes for every coefficient until the last one. */
static swathe_status jpeg_read_check_limits(struct jpeg_reader *jpeg)
{
    struct image_reader *reader = jpeg->reader;
    int64_t bytes;
    if (!jpeg_has_multiple_scans(&jpeg->info))
        return SWATHE_OK;
    TRY(limits_check_whole(&reader->limits, &reader->shape));
    TRY(shape_bytes(&reader->shape, &bytes));
    reader->held_bytes = 2 * bytes;
    return limits_check_memory(&reader->limits, 2 * bytes,
                               "the coefficients of a progressive JPEG");
}

static swathe_status jpeg_read_shape(struct jpeg_reader *jpeg)
{
    const struct jpeg_decompress_struct *info = &jpeg->info;
    swathe_shape *shape = &jpeg->reader->shape;
    if (info->data_precision != 8)
        return fail(SWATHE_ERROR_UNSUPPORTED,
                    "JPEG with %d-bit samples; only 8 bits can be read, convert it to TIFF or PNG "
                    "first",
                    info->data_precision);
    shape->width = info->image_width;
    shape->height = info->image_height;
    shape->type = SWATHE_U8;
    TRY(jpeg_read_choose_color(jpeg));
    TRY(shape_check(shape));
    jpeg->reader->encoding.quality = jpeg_estimate_quality(info);
    jpeg->reader->encoding.subsampling = jpeg_estimate_subsampling(info);
    jpeg->reader->encoding.progressive = info->progressive_mode;
    return jpeg_read_check_limits(jpeg);
}

/* ---- Metadata ------------------------------------------------------------------------------- */

static swathe_status jpeg_read_resolution(struct jpeg_reader *jpeg)
{
    const struct jpeg_decompress_struct *info = &jpeg->info;
    swathe_metadata *metadata = &jpeg->reader->metadata;
    double unit = info->density_unit == 1 ? 1 / 0.0254 : info->density_unit == 2 ? 100.0 : 0.0;
    if (!info->saw_JFIF_marker || unit == 0.0)
        return exif_read_resolution(jpeg->reader);
    metadata->x_resolution = info->X_density * unit;
    metadata->y_resolution = info->Y_density * unit;
    return SWATHE_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* Checks that each component has its DC coefficients: a missing scan causes no warning. The
 * standard allows an encoder to omit other coefficients, and the last bits of any, so a file that
 * was cut between two scans and got an end marker cannot be detected. */
static swathe_status jpeg_read_check_scans(const struct jpeg_decompress_struct *info)
{
    for (int c = 0; c < info->num_components; c++) {
        bool begun = info->comp_info[c].quant_table; /* set when its first scan starts */
        if (!begun || (info->coef_bits && info->coef_bits[c][0] < 0))
            return fail(SWATHE_ERROR_INPUT,
                        "damaged JPEG: scans are missing for component %d of %d", c + 1,
                        info->num_components);
    }
    return SWATHE_OK;
}

/* In files with several scans or arithmetic coding, a missing end marker may be the only sign of
 * missing data. */
static swathe_status jpeg_read_start(struct jpeg_reader *jpeg)
{
    struct jpeg_decompress_struct *info = &jpeg->info;
    info->dct_method = JDCT_ISLOW;    /* the same samples on every machine */
    info->do_block_smoothing = FALSE; /* likewise: it estimates coefficients that no scan
                                         contains */
    jpeg_start_decompress(info);
    if (jpeg_has_multiple_scans(info)) {
        if (jpeg->guard.ended)
            return fail(SWATHE_ERROR_INPUT, "the file ends early");
        TRY(jpeg_read_check_scans(info));
    }
    jpeg->started = true;
    return SWATHE_OK;
}

/* By Adobe's convention CMYK files store 255 for no ink. */
static void jpeg_read_invert(uint8_t *row, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        row[i] = (uint8_t)(255 - row[i]);
}

/* Decodes the next rows, at most `wanted`; returns how many libjpeg decoded. */
static swathe_status jpeg_read_decode(struct jpeg_reader *jpeg, JSAMPARRAY rows, int64_t wanted,
                                      int64_t *count)
{
    const swathe_shape *shape = &jpeg->reader->shape;
    *count = jpeg_read_scanlines(&jpeg->info, rows, (JDIMENSION)wanted);
    if (*count == 0 || (jpeg->guard.ended && jpeg->info.arith_code))
        return fail(SWATHE_ERROR_INPUT, "the file ends early");
    for (int64_t i = 0; i < *count && shape->color == SWATHE_COLOR_CMYK; i++)
        jpeg_read_invert(rows[i], shape->width * 4);
    return SWATHE_OK;
}

/* Decodes directly into rows that have libjpeg's layout. */
static swathe_status jpeg_read_plain(struct jpeg_reader *jpeg, int64_t y, int64_t *count)
{
    const swathe_image *into = jpeg->into;
    JSAMPROW rows[ROWS];
    int64_t wanted = min64(ROWS, into->y + into->height - y);
    for (int64_t i = 0; i < wanted; i++)
        rows[i] = view_at(into, 0, y + i, 0);
    return jpeg_read_decode(jpeg, rows, wanted, count);
}

/* Decodes one row and copies it to a row of any strides. */
static swathe_status read_row(struct jpeg_reader *jpeg, int64_t y, int64_t *count)
{
    swathe_shape shape = jpeg->reader->shape;
    swathe_image row, part;
    if (!jpeg->row)
        TRY(memory_new_raw(jpeg->reader->memory, shape.width, shape.channels, "JPEG row",
                           &jpeg->row));
    TRY(jpeg_read_decode(jpeg, &jpeg->row, 1, count));
    shape.height = 1;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, jpeg->row, &row));
    row.y = y;
    TRY(view_crop(jpeg->into, &(swathe_rect){0, y, shape.width, 1}, &part));
    view_copy(&row, &part);
    return SWATHE_OK;
}

static swathe_status jpeg_read_rows(struct jpeg_reader *jpeg)
{
    const swathe_image *into = jpeg->into;
    if (!jpeg->started)
        TRY(jpeg_read_start(jpeg));
    bool plain = rows_dense(into);
    for (int64_t y = into->y, count; y < into->y + into->height; y += count)
        TRY(plain ? jpeg_read_plain(jpeg, y, &count) : read_row(jpeg, y, &count));
    return SWATHE_OK;
}

static swathe_status jpeg_read(struct image_reader *reader, const swathe_image *into)
{
    struct jpeg_reader *jpeg = reader->state;
    jpeg->into = into;
    return jpeg_read_guarded(jpeg, jpeg_read_rows);
}

static void jpeg_read_jpeg_close(struct image_reader *reader)
{
    struct jpeg_reader *jpeg = reader->state;
    if (!jpeg)
        return;
    if (jpeg->created)
        jpeg_destroy_decompress(&jpeg->info);
    jpeg_markers_free(&jpeg->markers);
    memory_free(reader->memory, jpeg->row);
    memory_free(reader->memory, jpeg);
    reader->state = NULL;
}

swathe_status codec_jpeg_open(struct image_reader *reader)
{
    struct jpeg_reader *jpeg;
    TRY(memory_new_headed(reader->memory, offsetof(struct jpeg_reader, buffer), sizeof *jpeg,
                          "JPEG reader", &jpeg));
    reader->state = jpeg;
    reader->close = jpeg_read_jpeg_close;
    reader->read = jpeg_read;
    reader->flags = SWATHE_FORWARD;
    jpeg->reader = jpeg->markers.reader = reader;
    jpeg->info.err = jpeg_guard_init(&jpeg->guard);
    TRY(jpeg_read_guarded(jpeg, jpeg_read_read_header));
    TRY(jpeg_read_guarded(jpeg, jpeg_read_shape));
    return jpeg_read_resolution(jpeg);
}
