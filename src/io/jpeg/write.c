/* JPEG through libjpeg, in segments between restart markers: each depends only on its own rows, so
 * threads encode them independently. The file is the same as libjpeg would write by itself. */
#include "base/checked.h"
#include "image/view.h"
#include "io/bytes/output.h"
#include "io/codec.h"
#include "io/jpeg/jpeg.h"

#include <string.h>

/* ---- Optimised Huffman codes ---------------------------------------------------------------- */

static swathe_status jpeg_write_part(struct image_writer *writer, const swathe_image *from)
{
    return jpeg_encoder_add_whole(writer->state, from);
}

static swathe_status jpeg_write_finish(struct image_writer *writer)
{
    struct jpeg_encoder *encoder = writer->state;
    TRY(jpeg_encoder_end_whole(encoder));
    return output_write(writer->out, encoder->bytes, encoder->size);
}

static void close_small(struct image_writer *writer)
{
    jpeg_encoder_destroy(writer->state);
    writer->state = NULL;
}

/* Replaces the rest of codec_jpeg_create, after its checks: a smaller file, encoded as a whole by
 * one thread. Coefficients have two bytes each; there is at most one per sample. */
static swathe_status jpeg_optimised_create(struct image_writer *writer)
{
    struct jpeg_encoder *encoder;
    int64_t bytes;
    TRY(shape_bytes(&writer->shape, &bytes)); /* at most 65,500 per side */
    TRY(limits_check_memory(&writer->limits, 2 * bytes,
                            "the coefficients of a JPEG with compression small"));
    TRY(jpeg_encoder_create(writer, &encoder));
    writer->state = encoder;
    writer->close = close_small;
    writer->write = jpeg_write_part;
    writer->finish = jpeg_write_finish;
    writer->flags = SWATHE_FORWARD;
    return jpeg_encoder_start_whole(encoder);
}

/* ---- Segments that threads encode ----------------------------------------------------------- */

struct jpeg_writer {
    struct jpeg_segments segments;
    struct object_pool encoders;
};

/* A prepared part: entropy-coded data, with the marker after each segment. */
struct jpeg_part {
    size_t size;
    uint8_t bytes[];
};

/* ---- Encoders ------------------------------------------------------------------------------- */

/* Memory of an encoder: its buffer, which starts at a quarter of a segment's samples and may double
 * twice, some rows, and what libjpeg allocates. */
static int64_t encoder_bytes(const swathe_shape *shape, const struct jpeg_segments *segments)
{
    return (segments->rows + 64) * shape->width * shape->channels;
}

static swathe_status jpeg_write_take_encoder(struct image_writer *writer,
                                             struct jpeg_encoder **encoder)
{
    struct jpeg_writer *jpeg = writer->state;
    *encoder = (struct jpeg_encoder *)(void *)object_pool_take(&jpeg->encoders);
    if (*encoder)
        return SWATHE_OK;
    swathe_status status = jpeg_encoder_create(writer, encoder);
    if (status != SWATHE_OK)
        object_pool_give(&jpeg->encoders, NULL);
    return status;
}

/* A failed encoder may be in any state and is not used again. */
static void return_encoder(struct jpeg_writer *jpeg, struct jpeg_encoder *encoder,
                           swathe_status status)
{
    encoder->size = 0;
    if (status != SWATHE_OK)
        jpeg_encoder_destroy(encoder);
    object_pool_give(&jpeg->encoders, status == SWATHE_OK ? &encoder->pooled : NULL);
}

/* ---- Parts ---------------------------------------------------------------------------------- */

static swathe_status jpeg_write_encode(const struct image_writer *writer,
                                       struct jpeg_encoder *encoder, const swathe_image *from,
                                       int64_t above)
{
    const struct jpeg_writer *jpeg = writer->state;
    int64_t rows = jpeg->segments.rows, height = writer->shape.height;
    for (int64_t y = from->y + above; y < from->y + from->height; y += rows) {
        int marker = y + rows < height ? JPEG_RST0 + (int)(y / rows % 8) : JPEG_EOI;
        TRY(jpeg_encoder_add(encoder, from, y, min64(rows, height - y), marker));
    }
    return SWATHE_OK;
}

static swathe_status jpeg_write_make_part(const struct image_writer *writer,
                                          const struct jpeg_encoder *encoder, void **prepared)
{
    struct jpeg_part *part;
    TRY(memory_new_raw(writer->memory, 1, (int64_t)(sizeof *part + encoder->size), "JPEG bytes",
                       &part));
    part->size = encoder->size;
    memcpy(part->bytes, encoder->bytes, encoder->size);
    *prepared = part;
    return SWATHE_OK;
}

static swathe_status jpeg_prepare(struct image_writer *writer, const swathe_image *from,
                                  int64_t above, void **prepared)
{
    struct jpeg_encoder *encoder;
    TRY(jpeg_write_take_encoder(writer, &encoder));
    swathe_status status = jpeg_write_encode(writer, encoder, from, above);
    if (status == SWATHE_OK)
        status = jpeg_write_make_part(writer, encoder, prepared);
    return_encoder(writer->state, encoder, status);
    return status;
}

static void jpeg_discard(struct image_writer *writer, void *prepared)
{
    memory_free(writer->memory, prepared);
}

static swathe_status jpeg_deliver(struct image_writer *writer, void *prepared)
{
    const struct jpeg_part *part = prepared;
    swathe_status status = output_write(writer->out, part->bytes, part->size);
    jpeg_discard(writer, prepared);
    return status;
}

/* The last segment includes the end marker. */
static swathe_status jpeg_finish(struct image_writer *writer)
{
    (void)writer;
    return SWATHE_OK;
}

/* ---- Creating ------------------------------------------------------------------------------- */

static void jpeg_write_jpeg_close(struct image_writer *writer)
{
    struct jpeg_writer *jpeg = writer->state;
    if (!jpeg)
        return;
    struct pooled_object *pooled;
    while ((pooled = object_pool_pop(&jpeg->encoders)))
        jpeg_encoder_destroy((struct jpeg_encoder *)(void *)pooled);
    object_pool_destroy(&jpeg->encoders);
    memory_free(writer->memory, jpeg);
    writer->state = NULL;
}

static swathe_status jpeg_write_header(struct image_writer *writer, struct jpeg_encoder *encoder)
{
    struct jpeg_writer *jpeg = writer->state;
    jpeg->segments = jpeg_form_segments(&encoder->info);
    writer->scratch_bytes = encoder_bytes(&writer->shape, &jpeg->segments);
    jpeg->encoders.most = max64(1, writer->limits.max_memory / 4 / writer->scratch_bytes);
    writer->tile_height = jpeg->segments.rows;
    TRY(jpeg_encoder_header(encoder, jpeg->segments.interval));
    return output_write(writer->out, encoder->bytes, encoder->size);
}

swathe_status codec_jpeg_create(struct image_writer *writer)
{
    struct jpeg_writer *jpeg;
    struct jpeg_encoder *encoder;
    const char *compression = writer->options->compression;
    TRY(jpeg_form_check(writer));
    if (compression && strcmp(compression, "small") == 0)
        return jpeg_optimised_create(writer);
    TRY(memory_new(writer->memory, 1, sizeof *jpeg, "JPEG writer", &jpeg));
    object_pool_init(&jpeg->encoders, 1);
    writer->state = jpeg;
    writer->close = jpeg_write_jpeg_close;
    writer->prepare = jpeg_prepare;
    writer->deliver = jpeg_deliver;
    writer->discard = jpeg_discard;
    writer->finish = jpeg_finish;
    writer->flags = SWATHE_FORWARD;
    TRY(jpeg_write_take_encoder(writer, &encoder));
    swathe_status status = jpeg_write_header(writer, encoder);
    return_encoder(jpeg, encoder, status);
    return status;
}
