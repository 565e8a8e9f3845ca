#include "io/jpeg/jpeg.h"

#include "base/checked.h"
#include "image/view.h"
#include "io/codec.h"

#include <string.h>

/* Rows for one call of libjpeg: the largest height of a row of its MCUs. */
enum { ROWS = 2 * DCTSIZE, CAPACITY_MIN = 1 << 14 };

/* ---- Bytes from libjpeg --------------------------------------------------------------------- */

static void target_begin(j_compress_ptr info)
{
    struct jpeg_encoder *encoder = info->client_data;
    encoder->target.next_output_byte = encoder->bytes + encoder->size;
    encoder->target.free_in_buffer = encoder->capacity - encoder->size;
}

static swathe_status jpeg_encoder_grow(struct jpeg_encoder *encoder, size_t capacity)
{
    const struct memory *memory = encoder->writer->memory;
    uint8_t *bytes;
    TRY(memory_new_raw(memory, (int64_t)capacity, 1, "JPEG bytes", &bytes));
    if (encoder->bytes)
        memcpy(bytes, encoder->bytes, encoder->capacity);
    memory_free(memory, encoder->bytes);
    encoder->bytes = bytes;
    encoder->capacity = capacity;
    return SWATHE_OK;
}

/* libjpeg calls this only when the buffer is full. */
static boolean target_empty(j_compress_ptr info)
{
    struct jpeg_encoder *encoder = info->client_data;
    encoder->size = encoder->capacity;
    swathe_status status = jpeg_encoder_grow(encoder, 2 * encoder->capacity);
    if (status != SWATHE_OK)
        jpeg_guard_leave((j_common_ptr)info, status);
    target_begin(info);
    return TRUE;
}

static void target_end(j_compress_ptr info)
{
    struct jpeg_encoder *encoder = info->client_data;
    encoder->size = encoder->capacity - encoder->target.free_in_buffer;
}

/* All calls of libjpeg go through here; libjpeg's errors return to the setjmp. */
static swathe_status jpeg_encoder_guarded(struct jpeg_encoder *encoder,
                                          swathe_status (*step)(struct jpeg_encoder *))
{
    if (setjmp(encoder->guard.escape))
        return encoder->guard.status;
    return step(encoder);
}

/* ---- Creating ------------------------------------------------------------------------------- */

static swathe_status jpeg_encoder_begin(struct jpeg_encoder *encoder)
{
    struct jpeg_compress_struct *info = &encoder->info;
    jpeg_create_compress(info);
    encoder->created = true;
    info->client_data = encoder;
    encoder->target.init_destination = target_begin;
    encoder->target.empty_output_buffer = target_empty;
    encoder->target.term_destination = target_end;
    info->dest = &encoder->target;
    jpeg_form_set(encoder->writer, info);
    /* An estimate of the size of an encoded segment. */
    int64_t row = (int64_t)info->image_width * info->input_components;
    int64_t raw = jpeg_form_segments(info).rows * row;
    return jpeg_encoder_grow(encoder, (size_t)(CAPACITY_MIN + raw / 4));
}

swathe_status jpeg_encoder_create(const struct image_writer *writer, struct jpeg_encoder **encoder)
{
    struct jpeg_encoder *made;
    TRY(memory_new(writer->memory, 1, sizeof *made, "JPEG encoder", &made));
    made->writer = writer;
    made->info.err = jpeg_guard_init(&made->guard);
    swathe_status status = jpeg_encoder_guarded(made, jpeg_encoder_begin);
    if (status != SWATHE_OK) {
        jpeg_encoder_destroy(made);
        return status;
    }
    *encoder = made;
    return SWATHE_OK;
}

void jpeg_encoder_destroy(struct jpeg_encoder *encoder)
{
    if (!encoder)
        return;
    const struct memory *memory = encoder->writer->memory;
    if (encoder->created)
        jpeg_destroy_compress(&encoder->info);
    memory_free(memory, encoder->copies);
    memory_free(memory, encoder->bytes);
    memory_free(memory, encoder);
}

/* ---- Header --------------------------------------------------------------------------------- */

/* libjpeg writes the end of the header before the first row, so this writes zero rows. */
static swathe_status jpeg_encoder_write_header(struct jpeg_encoder *encoder)
{
    struct jpeg_compress_struct *info = &encoder->info;
    jpeg_start_compress(info, TRUE);
    jpeg_form_write_metadata(encoder->writer->metadata, info);
    jpeg_write_scanlines(info, NULL, 0);
    target_end(info);
    encoder->started = info->restart_interval == 0;
    if (!encoder->started)
        jpeg_abort_compress(info);
    return SWATHE_OK;
}

swathe_status jpeg_encoder_header(struct jpeg_encoder *encoder, unsigned restart_interval)
{
    encoder->info.restart_interval = restart_interval;
    return jpeg_encoder_guarded(encoder, jpeg_encoder_write_header);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* For libjpeg a segment is a separate image; its header is discarded. */
static void start_segment(struct jpeg_encoder *encoder)
{
    struct jpeg_compress_struct *info = &encoder->info;
    size_t size = encoder->size;
    info->image_height = (JDIMENSION)encoder->count;
    info->restart_interval = 0;
    jpeg_suppress_tables(info, TRUE);
    jpeg_start_compress(info, FALSE);
    jpeg_write_scanlines(info, NULL, 0);
    encoder->size = size;
    encoder->started = true;
}

/* Provides up to ROWS rows from `y` on as libjpeg requires them: interleaved and, by Adobe's
 * convention, 255 for no ink. Rows that are already stored in this form are not copied. */
static swathe_status take_rows(struct jpeg_encoder *encoder, int64_t y, int64_t count,
                               JSAMPROW rows[ROWS])
{
    const swathe_image *from = encoder->from;
    swathe_shape shape = encoder->writer->shape;
    int64_t row = shape.width * shape.channels;
    swathe_image copies;
    bool plain = rows_dense(from);
    for (int64_t i = 0; i < count; i++)
        rows[i] =
            plain && shape.channels != 4 ? view_at(from, 0, y + i, 0) : encoder->copies + i * row;
    if (plain && shape.channels != 4)
        return SWATHE_OK;
    shape.height = count;
    TRY(view_init(&shape, SWATHE_INTERLEAVED, encoder->copies, &copies));
    copies.y = y;
    view_copy(from, &copies);
    for (int64_t i = 0; i < count * row && shape.channels == 4; i++)
        encoder->copies[i] = (uint8_t)(255 - encoder->copies[i]);
    return SWATHE_OK;
}

static swathe_status put_rows(struct jpeg_encoder *encoder)
{
    JSAMPROW rows[ROWS];
    int64_t end = encoder->first + encoder->count;
    for (int64_t y = encoder->first, count; y < end; y += count) {
        count = min64(ROWS, end - y);
        TRY(take_rows(encoder, y, count, rows));
        jpeg_write_scanlines(&encoder->info, rows, (JDIMENSION)count);
    }
    return SWATHE_OK;
}

static swathe_status add_rows(struct jpeg_encoder *encoder)
{
    struct jpeg_compress_struct *info = &encoder->info;
    if (!encoder->started)
        start_segment(encoder);
    target_begin(info);
    TRY(put_rows(encoder));
    jpeg_finish_compress(info);
    encoder->started = false;
    /* Replaces the end-of-image marker; only the last segment keeps it. */
    encoder->bytes[encoder->size - 1] = (uint8_t)encoder->marker;
    return SWATHE_OK;
}

/* Stores the arguments of the guarded call that follows. */
static swathe_status set_call(struct jpeg_encoder *encoder, const swathe_image *from, int64_t first,
                              int64_t count)
{
    const swathe_shape *shape = &encoder->writer->shape;
    encoder->from = from;
    encoder->first = first;
    encoder->count = count;
    if (encoder->copies)
        return SWATHE_OK;
    return memory_new_raw(encoder->writer->memory, ROWS, shape->width * shape->channels,
                          "JPEG rows", &encoder->copies);
}

swathe_status jpeg_encoder_add(struct jpeg_encoder *encoder, const swathe_image *from,
                               int64_t first, int64_t count, int marker)
{
    TRY(set_call(encoder, from, first, count));
    encoder->marker = marker;
    return jpeg_encoder_guarded(encoder, add_rows);
}

/* ---- The whole image ------------------------------------------------------------------------ */

/* Checks for cancellation while libjpeg encodes. That starts after the last row, and takes most of
 * the time. */
static void check_cancelled(j_common_ptr info)
{
    const struct jpeg_encoder *encoder = info->client_data;
    swathe_status status = cancel_check(&encoder->writer->cancel);
    if (status != SWATHE_OK)
        jpeg_guard_leave(info, status);
}

static swathe_status start_whole(struct jpeg_encoder *encoder)
{
    struct jpeg_compress_struct *info = &encoder->info;
    encoder->progress.progress_monitor = check_cancelled;
    info->progress = &encoder->progress;
    info->optimize_coding = TRUE;
    jpeg_start_compress(info, TRUE);
    jpeg_form_write_metadata(encoder->writer->metadata, info);
    return SWATHE_OK;
}

static swathe_status end_whole(struct jpeg_encoder *encoder)
{
    jpeg_finish_compress(&encoder->info);
    return SWATHE_OK;
}

swathe_status jpeg_encoder_start_whole(struct jpeg_encoder *encoder)
{
    return jpeg_encoder_guarded(encoder, start_whole);
}

swathe_status jpeg_encoder_add_whole(struct jpeg_encoder *encoder, const swathe_image *from)
{
    TRY(set_call(encoder, from, from->y, from->height));
    return jpeg_encoder_guarded(encoder, put_rows);
}

swathe_status jpeg_encoder_end_whole(struct jpeg_encoder *encoder)
{
    return jpeg_encoder_guarded(encoder, end_whole);
}
