/* A libjpeg compressor whose bytes stay in memory. Several threads have one each. */
#ifndef SWATHE_IO_JPEG_ENCODER_H
#define SWATHE_IO_JPEG_ENCODER_H

#include "io/codec.h"
#include "io/jpeg_error.h"
#include "io/spares.h"

struct jpeg_encoder {
    struct spare spare;
    struct jpeg_compress_struct info;
    struct jpeg_guard guard;
    struct jpeg_destination_mgr target;
    struct jpeg_progress_mgr progress; /* of a whole image */
    const struct image_writer *writer;
    uint8_t *bytes; /* what was made, `size` of them */
    size_t size, room;

    /* The call in progress: a segment's rows, and the marker that follows it. */
    const swathe_image *from;
    int64_t first, count;
    int marker;
    uint8_t *copies; /* of rows that do not lie as libjpeg wants them */
    bool created, started;
};

swathe_status jpeg_encoder_create(const struct image_writer *writer, struct jpeg_encoder **encoder);
void jpeg_encoder_destroy(struct jpeg_encoder *encoder);

/* Everything before the entropy-coded bytes, for the whole image. */
swathe_status jpeg_encoder_header(struct jpeg_encoder *encoder, unsigned restart_interval);
/* Adds the entropy-coded bytes of `count` rows from row `first` on, and the marker after them. With
 * all rows of the image this goes on where jpeg_encoder_header stopped, if that came before. */
swathe_status jpeg_encoder_add(struct jpeg_encoder *encoder, const swathe_image *from,
                               int64_t first, int64_t count, int marker);

/* The whole file with Huffman codes of its own: libjpeg keeps all coefficients until the end. Rows
 * come from the top. */
swathe_status jpeg_encoder_start_whole(struct jpeg_encoder *encoder);
swathe_status jpeg_encoder_add_whole(struct jpeg_encoder *encoder, const swathe_image *from);
swathe_status jpeg_encoder_end_whole(struct jpeg_encoder *encoder);

#endif
