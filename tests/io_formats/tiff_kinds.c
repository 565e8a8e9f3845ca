/* TIFF files with unusual samples: few bits, palettes, white as 0, signed bytes, half floats,
 * premultiplied alpha, Lab, CMYK, YCbCr, missing blocks; and refused ones, with the reason. */
#include "io_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

/* A file of one strip, and the expected samples. */
struct kind {
    const char *name;
    uint16_t bits, samples, format, photometric;
    int extra; /* type of the last sample; -1: no tag */
    uint32_t width, height;
    const void *bytes; /* of the strip */
    size_t size;
    swathe_type type;
    int32_t channels;
    swathe_color color;
    int32_t alpha;
    double want[16];
};

static const uint8_t bits1[] = {0xA0, 0x40};
static const uint8_t bits2[] = {0x1B, 0xC0};
static const uint8_t bits4[] = {0x0F, 0x73};
static const uint8_t bits12[] = {0x12, 0x3F, 0xFF, 0x00, 0x1A, 0xBC};
static const uint8_t white8[] = {0, 1, 200, 255};
static const uint16_t white16[] = {0, 1, 65535, 4096};
static const uint8_t signed8[] = {0, 0x80, 0xFF, 0x7F};
static const uint16_t half[] = {0x3C00, 0xC000, 0x0001, 0x7BFF};
static const uint8_t rgba8[] = {50, 100, 128, 128, 9, 9, 9, 0, 7, 8, 9, 255};
static const uint8_t lab8[] = {10, 0x80, 0x7F, 20, 0, 0xFF};
static const uint16_t lab16[] = {10, 0x8000, 0x7FFF, 20, 0, 0xFFFF};
static const uint8_t cmyk8[] = {0, 255, 3, 4, 5, 6, 7, 8};
static const uint8_t five8[] = {1, 2, 3, 4, 5};

#define BYTES(array) array, sizeof array

static const struct kind kinds[] = {
    {"1 bit",
     1,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISBLACK,
     -1,
     3,
     2,
     BYTES(bits1),
     SWATHE_U8,
     1,
     SWATHE_COLOR_GREY,
     0,
     {255, 0, 255, 0, 255, 0}},
    {"1 bit, 0 is white",
     1,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISWHITE,
     -1,
     3,
     2,
     BYTES(bits1),
     SWATHE_U8,
     1,
     SWATHE_COLOR_GREY,
     0,
     {0, 255, 0, 255, 0, 255}},
    {"2 bits",
     2,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISBLACK,
     -1,
     5,
     1,
     BYTES(bits2),
     SWATHE_U8,
     1,
     SWATHE_COLOR_GREY,
     0,
     {0, 85, 170, 255, 255}},
    {"4 bits",
     4,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISBLACK,
     -1,
     3,
     1,
     BYTES(bits4),
     SWATHE_U8,
     1,
     SWATHE_COLOR_GREY,
     0,
     {0, 255, 119}},
    {"12 bits",
     12,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISBLACK,
     -1,
     4,
     1,
     BYTES(bits12),
     SWATHE_U16,
     1,
     SWATHE_COLOR_GREY,
     0,
     {0x123, 0xFFF, 0x001, 0xABC}},
    {"12 bits, 0 is white",
     12,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISWHITE,
     -1,
     4,
     1,
     BYTES(bits12),
     SWATHE_U16,
     1,
     SWATHE_COLOR_GREY,
     0,
     {0xEDC, 0, 0xFFE, 0x543}},
    {"8 bits, 0 is white",
     8,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISWHITE,
     -1,
     2,
     2,
     BYTES(white8),
     SWATHE_U8,
     1,
     SWATHE_COLOR_GREY,
     0,
     {255, 254, 55, 0}},
    {"16 bits, 0 is white",
     16,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISWHITE,
     -1,
     2,
     2,
     BYTES(white16),
     SWATHE_U16,
     1,
     SWATHE_COLOR_GREY,
     0,
     {65535, 65534, 0, 61439}},
    {"signed bytes",
     8,
     1,
     SAMPLEFORMAT_INT,
     PHOTOMETRIC_MINISBLACK,
     -1,
     4,
     1,
     BYTES(signed8),
     SWATHE_S16,
     1,
     SWATHE_COLOR_GREY,
     0,
     {0, -128, -1, 127}},
    {"half floats",
     16,
     1,
     SAMPLEFORMAT_IEEEFP,
     PHOTOMETRIC_MINISBLACK,
     -1,
     4,
     1,
     BYTES(half),
     SWATHE_F32,
     1,
     SWATHE_COLOR_GREY,
     0,
     {1, -2, 0x1p-24, 65504}},
    {"palette of 2 bits",
     2,
     1,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_PALETTE,
     -1,
     5,
     1,
     BYTES(bits2),
     SWATHE_U8,
     3,
     SWATHE_COLOR_RGB,
     0,
     {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32, 30, 31, 32}},
    {"palette with alpha",
     8,
     2,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_PALETTE,
     EXTRASAMPLE_UNASSALPHA,
     2,
     1,
     "\3\5\1\377",
     4,
     SWATHE_U8,
     4,
     SWATHE_COLOR_RGB,
     4,
     {30, 31, 32, 5, 10, 11, 12, 255}},
    {"alpha",
     8,
     4,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_RGB,
     EXTRASAMPLE_UNASSALPHA,
     3,
     1,
     BYTES(rgba8),
     SWATHE_U8,
     4,
     SWATHE_COLOR_RGB,
     4,
     {50, 100, 128, 128, 9, 9, 9, 0, 7, 8, 9, 255}},
    {"alpha without a tag",
     8,
     4,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_RGB,
     -1,
     3,
     1,
     BYTES(rgba8),
     SWATHE_U8,
     4,
     SWATHE_COLOR_RGB,
     4,
     {50, 100, 128, 128, 9, 9, 9, 0, 7, 8, 9, 255}},
    {"an extra sample that is not alpha",
     8,
     4,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_RGB,
     EXTRASAMPLE_UNSPECIFIED,
     3,
     1,
     BYTES(rgba8),
     SWATHE_U8,
     4,
     SWATHE_COLOR_RGB,
     0,
     {50, 100, 128, 128, 9, 9, 9, 0, 7, 8, 9, 255}},
    {"premultiplied alpha",
     8,
     4,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_RGB,
     EXTRASAMPLE_ASSOCALPHA,
     3,
     1,
     BYTES(rgba8),
     SWATHE_U8,
     4,
     SWATHE_COLOR_RGB,
     4,
     {99, 199, 255, 128, 0, 0, 0, 0, 7, 8, 9, 255}},
    {"Lab",
     8,
     3,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_CIELAB,
     -1,
     2,
     1,
     BYTES(lab8),
     SWATHE_U8,
     3,
     SWATHE_COLOR_LAB,
     0,
     {10, 0, 255, 20, 128, 127}},
    {"Lab of 16 bits",
     16,
     3,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_CIELAB,
     -1,
     2,
     1,
     BYTES(lab16),
     SWATHE_U16,
     3,
     SWATHE_COLOR_LAB,
     0,
     {10, 0, 65535, 20, 32768, 32767}},
    {"CMYK",
     8,
     4,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_SEPARATED,
     -1,
     2,
     1,
     BYTES(cmyk8),
     SWATHE_U8,
     4,
     SWATHE_COLOR_CMYK,
     0,
     {0, 255, 3, 4, 5, 6, 7, 8}},
    {"five bands",
     8,
     5,
     SAMPLEFORMAT_UINT,
     PHOTOMETRIC_MINISBLACK,
     EXTRASAMPLE_UNSPECIFIED,
     1,
     1,
     BYTES(five8),
     SWATHE_U8,
     5,
     SWATHE_COLOR_UNKNOWN,
     0,
     {1, 2, 3, 4, 5}},
};

static const struct {
    const char *name, *why;
    uint16_t bits, samples, format, photometric;
} refused[] = {
    {"64-bit floats", "64-bit float", 64, 1, SAMPLEFORMAT_IEEEFP, PHOTOMETRIC_MINISBLACK},
    {"32-bit integers", "32-bit unsigned", 32, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK},
    {"signed 32-bit integers", "32-bit signed", 32, 1, SAMPLEFORMAT_INT, PHOTOMETRIC_MINISBLACK},
    {"complex numbers", "complex", 64, 1, SAMPLEFORMAT_COMPLEXIEEEFP, PHOTOMETRIC_MINISBLACK},
    {"ITU Lab", "photometric interpretation 10", 8, 3, SAMPLEFORMAT_UINT, PHOTOMETRIC_ITULAB},
    {"RGB in two samples", "2 samples", 8, 2, SAMPLEFORMAT_UINT, PHOTOMETRIC_RGB},
};

/* ---- Writing files -------------------------------------------------------------------------- */

static void set_palette(TIFF *tiff, int bits)
{
    uint16_t map[3][256];
    for (int i = 0; i < 1 << bits; i++)
        for (int c = 0; c < 3; c++)
            map[c][i] = (uint16_t)((10 * i + c) % 256 * 257);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
}

static TIFF *begin(const char *path, const struct kind *k)
{
    TIFF *tiff = TIFFOpen(path, "w");
    if (!tiff)
        exit(EXIT_FAILURE);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, k->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, k->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, k->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, k->samples);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, k->format);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, k->photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, k->height);
    return tiff;
}

static void make_kind(const char *path, const struct kind *k)
{
    TIFF *tiff = begin(path, k);
    uint16_t extra[4] = {0};
    int colors = k->photometric == PHOTOMETRIC_RGB ? 3 : 1;
    if (k->extra >= 0) {
        extra[k->samples - colors - 1] = (uint16_t)k->extra;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, k->samples - colors, extra);
    }
    if (k->photometric == PHOTOMETRIC_PALETTE)
        set_palette(tiff, k->bits);
    uint8_t copy[64] = {0};
    memcpy(copy, k->bytes, k->size);
    if (TIFFWriteEncodedStrip(tiff, 0, copy, (tmsize_t)k->size) < 0)
        exit(EXIT_FAILURE);
    TIFFClose(tiff);
}

/* ---- Kinds ---------------------------------------------------------------------------------- */

static double sample(const swathe_image *image, int64_t index)
{
    const uint8_t *at = (const uint8_t *)image->data + index * sample_size(image->type);
    double value = 0;
    switch (image->type) {
#define SAMPLE(constant, name, c_type, lowest, highest, summary)                                   \
    case constant:                                                                                 \
        value = (double)*(const c_type *)(const void *)at;                                         \
        break;
#include "image/sample.def"
#undef SAMPLE
    default:
        break;
    }
    return value;
}

static void check_kind(const struct kind *k)
{
    struct io_image got;
    const char *path = io_path("kind.tif");
    make_kind(path, k);
    swathe_status status = io_read(path, NULL, IO_DENSE, 1, &got);
    if (!io_check(status == SWATHE_OK, "%s: not read: %s", k->name, fail_text()))
        return;
    io_check(got.view.type == k->type && got.view.channels == k->channels &&
                 got.view.color == k->color && got.view.alpha == k->alpha,
             "%s: type %d, %d channels, colour %d, alpha %d", k->name, (int)got.view.type,
             got.view.channels, (int)got.view.color, got.view.alpha);
    for (int64_t i = 0; i < (int64_t)k->width * k->height * k->channels; i++)
        io_check(sample(&got.view, i) == k->want[i], "%s: sample %d is %g instead of %g", k->name,
                 (int)i, sample(&got.view, i), k->want[i]);
    io_image_free(&got);
}

static void check_refusals(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct io_image got;
        uint8_t zeros[64] = {0};
        struct kind k = {.bits = refused[i].bits,
                         .samples = refused[i].samples,
                         .format = refused[i].format,
                         .photometric = refused[i].photometric,
                         .width = 1,
                         .height = 1};
        TIFF *tiff = begin(io_path("refused.tif"), &k);
        TIFFWriteEncodedStrip(tiff, 0, zeros, k.samples * k.bits / 8);
        TIFFClose(tiff);
        swathe_status status = io_read(io_path("refused.tif"), NULL, IO_DENSE, 1, &got);
        io_check(status == SWATHE_ERROR_UNSUPPORTED && strstr(fail_text(), refused[i].why),
                 "%s: status %d, %s", refused[i].name, (int)status, fail_text());
    }
}

/* ---- YCbCr, against libtiff's own conversion --------------------------------------------------
 */

enum { SIDE = 40 };

static void make_ycbcr(const char *path, uint16_t compression, bool tiled)
{
    struct kind k = {.bits = 8,
                     .samples = 3,
                     .format = SAMPLEFORMAT_UINT,
                     .photometric = PHOTOMETRIC_YCBCR,
                     .width = SIDE,
                     .height = SIDE};
    TIFF *tiff = begin(path, &k);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 2, 2);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 16);
    if (compression == COMPRESSION_JPEG)
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (tiled) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 32);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, 32);
    }
    tmsize_t size = tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
    uint8_t *block = malloc((size_t)size);
    uint32_t blocks = tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    for (uint32_t i = 0; block && i < blocks; i++) {
        for (tmsize_t j = 0; j < size; j++)
            block[j] = (uint8_t)(100 + j % 60 + 7 * i);
        tmsize_t bytes = !tiled && i + 1 == blocks ? TIFFVStripSize(tiff, SIDE - i * 16) : size;
        if (tiled)
            TIFFWriteEncodedTile(tiff, i, block, bytes);
        else
            TIFFWriteEncodedStrip(tiff, i, block, bytes);
    }
    free(block);
    TIFFClose(tiff);
}

static void check_ycbcr(uint16_t compression, bool tiled)
{
    static uint32_t raster[SIDE * SIDE];
    const char *path = io_path("ycbcr.tif");
    struct io_image got;
    int wrong = 0;
    make_ycbcr(path, compression, tiled);
    TIFF *tiff = TIFFOpen(path, "r");
    bool read = tiff && TIFFReadRGBAImageOriented(tiff, SIDE, SIDE, raster, ORIENTATION_TOPLEFT, 1);
    if (tiff)
        TIFFClose(tiff);
    swathe_status status = io_read(path, NULL, IO_DENSE, 5, &got);
    if (!io_check(read && status == SWATHE_OK, "YCbCr %d: %s", compression, fail_text()))
        return;
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t *rgb = (const uint8_t *)got.view.data + 3 * i;
        wrong += rgb[0] != TIFFGetR(raster[i]) || rgb[1] != TIFFGetG(raster[i]) ||
                 rgb[2] != TIFFGetB(raster[i]);
    }
    io_check(wrong == 0, "YCbCr %d tiled %d: %d pixels differ", compression, tiled, wrong);
    io_image_free(&got);
}

/* ---- Missing blocks ------------------------------------------------------------------------- */

/* A tiled file in which only one tile was written. */
static void check_sparse(void)
{
    struct kind k = {.bits = 8,
                     .samples = 1,
                     .format = SAMPLEFORMAT_UINT,
                     .photometric = PHOTOMETRIC_MINISBLACK,
                     .width = 40,
                     .height = 20};
    uint8_t tile[256];
    struct io_image got;
    TIFF *tiff = begin(io_path("sparse.tif"), &k);
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
    memset(tile, 9, sizeof tile);
    TIFFWriteEncodedTile(tiff, 1, tile, sizeof tile);
    TIFFClose(tiff);
    swathe_status status = io_read(io_path("sparse.tif"), NULL, IO_DENSE, 0, &got);
    if (!io_check(status == SWATHE_OK, "sparse: %s", fail_text()))
        return;
    const uint8_t *at = got.view.data;
    io_check(at[15] == 0 && at[16] == 9 && at[31] == 9 && at[32] == 0 && at[16 * 40 + 16] == 0,
             "sparse: wrong samples");
    io_image_free(&got);
}

int main(void)
{
    TIFFSetWarningHandler(NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check_kind(&kinds[i]);
    check_refusals();
    check_ycbcr(COMPRESSION_LZW, false);
    check_ycbcr(COMPRESSION_LZW, true);
    check_ycbcr(COMPRESSION_JPEG, false);
    check_ycbcr(COMPRESSION_JPEG, true);
    check_sparse();
    io_folder_remove();
    return io_finish("tiff_kinds");
}
