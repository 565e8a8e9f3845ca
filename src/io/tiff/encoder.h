/* Compresses blocks of a TIFF file: a libtiff handle that writes to memory. Each thread needs its
 * own. */
#ifndef SWATHE_IO_TIFF_ENCODER_H
#define SWATHE_IO_TIFF_ENCODER_H

#include "io/object_pool.h"
#include "io/tiff/predict.h"
#include "io/tiff/stream.h"
#include "io/tiff/tags.h"

struct tiff_encoder {
    struct pooled_object pooled;
    const struct memory *memory;
    struct tiff_stream stream;
    TIFF *tiff;
    int64_t bytes; /* of a block */
    int64_t used;  /* blocks that this handle has compressed */
    struct tiff_predict predict;
    uint8_t *block, *scratch;
};

/* Opens an encoder for blocks of `rows` rows of the image, or of one of its planes. All blocks
 * except the last strip have the same number. */
swathe_status tiff_encoder_open(const struct memory *memory, const struct limits *limits,
                                const struct tiff_page *page, int64_t rows,
                                struct tiff_encoder **encoder);
void tiff_encoder_close(struct tiff_encoder *encoder);
/* True if it cannot compress more blocks. */
bool tiff_encoder_full(const struct tiff_encoder *encoder);
/* Compresses the samples in `block`, which it may change, and appends the result to `bytes`. */
swathe_status tiff_encoder_put(struct tiff_encoder *encoder, struct bytes *bytes);

#endif
