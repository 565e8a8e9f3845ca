#include "io/jpeg/optimised.h"

#include "image/view.h"
#include "io/bytes/output.h"
#include "io/jpeg/encoder.h"

static swathe_status write_part(struct image_writer *writer, const swathe_image *from)
{
    return jpeg_encoder_add_whole(writer->state, from);
}

static swathe_status finish(struct image_writer *writer)
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

/* Coefficients have two bytes each; there is at most one per sample. */
swathe_status jpeg_optimised_create(struct image_writer *writer)
{
    struct jpeg_encoder *encoder;
    int64_t bytes;
    TRY(shape_bytes(&writer->shape, &bytes)); /* at most 65,500 per side */
    TRY(limits_check_memory(&writer->limits, 2 * bytes,
                            "the coefficients of a JPEG with compression small"));
    TRY(jpeg_encoder_create(writer, &encoder));
    writer->state = encoder;
    writer->close = close_small;
    writer->write = write_part;
    writer->finish = finish;
    writer->flags = SWATHE_FORWARD;
    return jpeg_encoder_start_whole(encoder);
}
