/* How a TIFF file stores its samples according to its tags, and the shape of the resulting
 * image. */
#ifndef SWATHE_IO_TIFF_FORM_H
#define SWATHE_IO_TIFF_FORM_H

#include "base/status.h"
#include "io/tiff/predict.h"

#include <stdbool.h>
#include <tiffio.h>

/* From a stored sample to one of ours. */
enum tiff_unpack {
    TIFF_UNPACK_SAME,   /* stored in our format */
    TIFF_UNPACK_SCALED, /* fewer than 8 bits, spread over 0..255 */
    TIFF_UNPACK_BITS,   /* fewer bits than ours, values not scaled */
    TIFF_UNPACK_24,     /* 3 bytes in the byte order of the file, into u32 */
    TIFF_UNPACK_S8,     /* signed bytes, into s16 */
    TIFF_UNPACK_HALF    /* 16-bit floats, into f32 */
};

struct tiff_form {
    int64_t width, height;
    int64_t block_width, block_height; /* a tile, or a strip */
    int64_t samples;                   /* stored per pixel */
    int32_t bits;
    uint16_t photometric, compression;
    bool tiled;
    bool separate; /* planes are stored separately */
    bool by_rgba;  /* libtiff's own conversion to RGB decodes it */

    swathe_shape shape;
    enum tiff_unpack unpack;
    bool palette;       /* sample 0 is an index */
    bool invert;        /* 0 is white */
    bool signed_lab;    /* a and b are signed, ours are offset by half */
    bool premultiplied; /* colours are multiplied by alpha */
    uint8_t map[256][3];
    struct tiff_predict predict; /* applied by us, not by libtiff */
};

/* Reads the handle's directory. `predictor` is the value of that tag, which is hidden from the
 * handle. Sets up the handle so that JPEG data are decoded as RGB. */
swathe_status tiff_form_read(TIFF *tiff, uint16_t predictor, struct tiff_form *form);

/* Number of samples of a pixel that a block stores side by side. */
static inline int64_t tiff_form_samples(const struct tiff_form *form)
{
    return form->separate ? 1 : form->samples;
}

#endif
