/* A libjpeg compressor that writes to memory. Each thread has its own. */
#ifndef SWATHE_IO_JPEG_ENCODER_H
#define SWATHE_IO_JPEG_ENCODER_H

#include "io/codec.h"
#include "io/jpeg/error.h"
#include "io/object_pool.h"

struct jpeg_encoder {
    struct pooled_object pooled;
    struct jpeg_compress_struct info;
    struct jpeg_guard guard;
    struct jpeg_destination_mgr target;
    struct jpeg_progress_mgr progress; /* used if the whole image is encoded at once */
    const struct image_writer *writer;
    uint8_t *bytes; /* the encoded data, `size` bytes */
    size_t size, capacity;

    /* The call in progress: a segment's rows, and the marker that follows it. */
    const swathe_image *from;
    int64_t first, count;
    int marker;
    uint8_t *copies; /* of rows whose layout libjpeg does not accept */
    bool created, started;
};

swathe_status jpeg_encoder_create(const struct image_writer *writer, struct jpeg_encoder **encoder);
void jpeg_encoder_destroy(struct jpeg_encoder *encoder);

/* Writes everything before the entropy-coded data, for the whole image. */
swathe_status jpeg_encoder_header(struct jpeg_encoder *encoder, unsigned restart_interval);
/* Appends the entropy-coded data of `count` rows from row `first` on, and the marker after them. If
 * these are all rows of the image, this continues after jpeg_encoder_header, if that was called. */
swathe_status jpeg_encoder_add(struct jpeg_encoder *encoder, const swathe_image *from,
                               int64_t first, int64_t count, int marker);

/* Encodes the whole file with optimised Huffman codes: libjpeg keeps all coefficients until the
 * end. Rows are passed from top to bottom. */
swathe_status jpeg_encoder_start_whole(struct jpeg_encoder *encoder);
swathe_status jpeg_encoder_add_whole(struct jpeg_encoder *encoder, const swathe_image *from);
swathe_status jpeg_encoder_end_whole(struct jpeg_encoder *encoder);

#endif
