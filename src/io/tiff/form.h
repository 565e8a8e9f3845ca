/* How a TIFF file stores samples, and how they are converted to ours. */
#ifndef SWATHE_IO_TIFF_FORM_H
#define SWATHE_IO_TIFF_FORM_H

#include "base/status.h"

#include <stdbool.h>

#include <tiffio.h>

/* TIFF's predictors: samples as differences from their neighbours, which compress better. libtiff
 * has them too, but allocates memory for each row and writes other data if that fails. */

struct tiff_predict {
    uint16_t kind; /* PREDICTOR_NONE, PREDICTOR_HORIZONTAL, PREDICTOR_FLOATINGPOINT */
    int32_t size;  /* bytes of a sample: 1, 2, 4 or 8 */
    int64_t step;  /* samples from one pixel to the next */
    int64_t row;   /* bytes of a row, whole pixels */
};

/* Converts rows of this machine's samples to the bytes that are compressed in a little-endian file.
 * `scratch` holds a row; only PREDICTOR_FLOATINGPOINT uses it. */
void tiff_predict_encode(const struct tiff_predict *predict, int64_t rows, uint8_t *samples,
                         uint8_t *scratch);
/* Converts decompressed rows to samples. libtiff has already converted them to this machine's byte
 * order (`swapped`: by swapping bytes). */
void tiff_predict_decode(const struct tiff_predict *predict, bool swapped, int64_t rows,
                         uint8_t *samples, uint8_t *scratch);
/* True if this machine is little-endian, like the files that we write. */
bool tiff_predict_little_endian(void);
/* Converts this machine's samples to little-endian ones, or back. */
void tiff_predict_order(int32_t size, int64_t bytes, uint8_t *samples);

/* How a TIFF file stores its samples according to its tags, and the shape of the resulting
 * image. */

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

/* Converts decoded TIFF blocks to our interleaved samples. */

/* True if decoded bytes of a block already have our layout, so that only tiff_unpack_finish is
 * needed. */
bool tiff_unpack_in_place(const struct tiff_form *form);
/* Converts one row of `width` pixels of a block; `plane` is its plane if planes are separate,
 * otherwise 0. */
void tiff_unpack_row(const struct tiff_form *form, int64_t plane, const uint8_t *raw, int64_t width,
                     uint8_t *row);
/* Converts a row that libtiff has converted to RGB. */
void tiff_unpack_rgba(const uint32_t *raw, int64_t width, uint8_t *row);
/* Inverts the bits of an unsigned sample of `size` bytes that are set in `mask`. */
void tiff_unpack_flip(uint8_t *sample, int32_t size, uint32_t mask);
/* Does the last steps, after all samples of the pixels were unpacked: colour map, inversion,
 * alpha. */
void tiff_unpack_finish(const struct tiff_form *form, int64_t pixels, uint8_t *samples);

#endif
