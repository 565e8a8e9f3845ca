/* TIFF files with unusual samples: few bits, 24 bits, palettes, white as 0, signed bytes, half
 * floats, premultiplied alpha, Lab, CMYK, YCbCr, missing blocks; and refused ones, with the reason.
 */
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
static const uint8_t bits20[] = {0x12, 0x34, 0x5F, 0xFF, 0xFF, 0x00, 0xAB, 0xC0};
static const uint8_t bits31[] = {0, 0, 0, 0, 0, 0, 0, 4};
static const uint32_t white32[] = {0, 1, 0xFFFFFFFF, 65536};
static const uint32_t rgba32[] = {1000000000, 2000000000, 0, 2000000000, 9, 9, 9, 0};
static const uint32_t lab32[] = {10, 0x80000000, 0x7FFFFFFF};
static const double doubles[] = {1, -0x1.fffffffffffffp1023, 0x1p-1074, 0.1};
static const double grey64[] = {0.125, 0.25, 7, 0};
static const uint8_t rgba8[] = {50, 100, 128, 128, 9, 9, 9, 0, 7, 8, 9, 255};
static const uint8_t lab8[] = {10, 0x80, 0x7F, 20, 0, 0xFF};
static const uint16_t lab16[] = {10, 0x8000, 0x7FFF, 20, 0, 0xFFFF};
static const uint8_t cmyk8[] = {0, 255, 3, 4, 5, 6, 7, 8};
static const uint8_t indexed[] = {3, 5, 1, 255};
static const uint8_t five8[] = {1, 2, 3, 4, 5};

#define KIND(name, bits, samples, format, photometric, extra, width, height, bytes, type,          \
             channels, color, alpha, ...)                                                          \
    {                                                                                              \
        name, bits, samples, SAMPLEFORMAT_##format, PHOTOMETRIC_##photometric, extra, width,       \
            height, bytes, sizeof bytes, SWATHE_##type, channels, SWATHE_COLOR_##color, alpha,     \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static const struct kind kinds[] = {
    KIND("1 bit", 1, 1, UINT, MINISBLACK, -1, 3, 2, bits1, U8, 1, GREY, 0, 255, 0, 255, 0, 255, 0),
    KIND("1 bit, 0 is white", 1, 1, UINT, MINISWHITE, -1, 3, 2, bits1, U8, 1, GREY, 0, 0, 255, 0,
         255, 0, 255),
    KIND("2 bits", 2, 1, UINT, MINISBLACK, -1, 5, 1, bits2, U8, 1, GREY, 0, 0, 85, 170, 255, 255),
    KIND("4 bits", 4, 1, UINT, MINISBLACK, -1, 3, 1, bits4, U8, 1, GREY, 0, 0, 255, 119),
    KIND("12 bits", 12, 1, UINT, MINISBLACK, -1, 4, 1, bits12, U16, 1, GREY, 0, 0x123, 0xFFF, 0x001,
         0xABC),
    KIND("12 bits, 0 is white", 12, 1, UINT, MINISWHITE, -1, 4, 1, bits12, U16, 1, GREY, 0, 0xEDC,
         0, 0xFFE, 0x543),
    KIND("8 bits, 0 is white", 8, 1, UINT, MINISWHITE, -1, 2, 2, white8, U8, 1, GREY, 0, 255, 254,
         55, 0),
    KIND("16 bits, 0 is white", 16, 1, UINT, MINISWHITE, -1, 2, 2, white16, U16, 1, GREY, 0, 65535,
         65534, 0, 61439),
    KIND("signed bytes", 8, 1, INT, MINISBLACK, -1, 4, 1, signed8, S16, 1, GREY, 0, 0, -128, -1,
         127),
    KIND("half floats", 16, 1, IEEEFP, MINISBLACK, -1, 4, 1, half, F32, 1, GREY, 0, 1, -2, 0x1p-24,
         65504),
    KIND("20 bits", 20, 1, UINT, MINISBLACK, -1, 3, 1, bits20, U32, 1, GREY, 0, 0x12345, 0xFFFFF,
         0xABC),
    KIND("31 bits, 0 is white", 31, 1, UINT, MINISWHITE, -1, 2, 1, bits31, U32, 1, GREY, 0,
         0x7FFFFFFF, 0x7FFFFFFE),
    KIND("32 bits", 32, 1, UINT, MINISBLACK, -1, 2, 2, white32, U32, 1, GREY, 0, 0, 1, 4294967295.0,
         65536),
    KIND("32 bits, 0 is white", 32, 1, UINT, MINISWHITE, -1, 2, 2, white32, U32, 1, GREY, 0,
         4294967295.0, 4294967294.0, 0, 4294901759.0),
    KIND("signed, 32 bits", 32, 1, INT, MINISBLACK, -1, 2, 2, white32, S32, 1, GREY, 0, 0, 1, -1,
         65536),
    KIND("doubles", 64, 1, IEEEFP, MINISBLACK, -1, 2, 2, doubles, F64, 1, GREY, 0, 1,
         -0x1.fffffffffffffp1023, 0x1p-1074, 0.1),
    KIND("premultiplied alpha of 32 bits", 32, 4, UINT, RGB, EXTRASAMPLE_ASSOCALPHA, 2, 1, rgba32,
         U32, 4, RGB, 4, 2147483647, 4294967295.0, 0, 2000000000, 0, 0, 0, 0),
    KIND("premultiplied alpha of doubles", 64, 2, IEEEFP, MINISBLACK, EXTRASAMPLE_ASSOCALPHA, 2, 1,
         grey64, F64, 2, GREY, 2, 0.5, 0.25, 0, 0),
    KIND("Lab of 32 bits", 32, 3, UINT, CIELAB, -1, 1, 1, lab32, U32, 3, LAB, 0, 10, 0,
         4294967295.0),
    KIND("signed Lab of 32 bits", 32, 3, INT, CIELAB, -1, 1, 1, lab32, S32, 3, LAB, 0, 10,
         -2147483648.0, 2147483647),
    KIND("palette of 2 bits", 2, 1, UINT, PALETTE, -1, 5, 1, bits2, U8, 3, RGB, 0, 0, 1, 2, 10, 11,
         12, 20, 21, 22, 30, 31, 32, 30, 31, 32),
    KIND("palette with alpha", 8, 2, UINT, PALETTE, EXTRASAMPLE_UNASSALPHA, 2, 1, indexed, U8, 4,
         RGB, 4, 30, 31, 32, 5, 10, 11, 12, 255),
    KIND("alpha", 8, 4, UINT, RGB, EXTRASAMPLE_UNASSALPHA, 3, 1, rgba8, U8, 4, RGB, 4, 50, 100, 128,
         128, 9, 9, 9, 0, 7, 8, 9, 255),
    KIND("alpha without a tag", 8, 4, UINT, RGB, -1, 3, 1, rgba8, U8, 4, RGB, 4, 50, 100, 128, 128,
         9, 9, 9, 0, 7, 8, 9, 255),
    KIND("an extra sample that is not alpha", 8, 4, UINT, RGB, EXTRASAMPLE_UNSPECIFIED, 3, 1, rgba8,
         U8, 4, RGB, 0, 50, 100, 128, 128, 9, 9, 9, 0, 7, 8, 9, 255),
    KIND("premultiplied alpha", 8, 4, UINT, RGB, EXTRASAMPLE_ASSOCALPHA, 3, 1, rgba8, U8, 4, RGB, 4,
         99, 199, 255, 128, 0, 0, 0, 0, 7, 8, 9, 255),
    KIND("Lab", 8, 3, UINT, CIELAB, -1, 2, 1, lab8, U8, 3, LAB, 0, 10, 0, 255, 20, 128, 127),
    KIND("Lab of 16 bits", 16, 3, UINT, CIELAB, -1, 2, 1, lab16, U16, 3, LAB, 0, 10, 0, 65535, 20,
         32768, 32767),
    KIND("CMYK", 8, 4, UINT, SEPARATED, -1, 2, 1, cmyk8, U8, 4, CMYK, 0, 0, 255, 3, 4, 5, 6, 7, 8),
    KIND("five bands", 8, 5, UINT, MINISBLACK, EXTRASAMPLE_UNSPECIFIED, 1, 1, five8, U8, 5, UNKNOWN,
         0, 1, 2, 3, 4, 5),
};

static const struct {
    const char *name, *why;
    uint16_t bits, samples, format, photometric;
} refused[] = {
    {"24-bit floats", "24-bit float", 24, 1, SAMPLEFORMAT_IEEEFP, PHOTOMETRIC_MINISBLACK},
    {"128-bit floats", "128-bit float", 128, 1, SAMPLEFORMAT_IEEEFP, PHOTOMETRIC_MINISBLACK},
    {"64-bit integers", "64-bit unsigned", 64, 1, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK},
    {"signed 64-bit integers", "64-bit signed", 64, 1, SAMPLEFORMAT_INT, PHOTOMETRIC_MINISBLACK},
    {"signed 24-bit integers", "24-bit signed", 24, 1, SAMPLEFORMAT_INT, PHOTOMETRIC_MINISBLACK},
    {"complex integers", "complex", 32, 1, SAMPLEFORMAT_COMPLEXINT, PHOTOMETRIC_MINISBLACK},
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

static TIFF *begin(const char *path, const char *mode, const struct kind *k)
{
    TIFF *tiff = TIFFOpen(path, mode);
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

static void make_kind(const char *path, const char *mode, const struct kind *k)
{
    TIFF *tiff = begin(path, mode, k);
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
    return sample_load((const char *)image->data + index * sample_size(image->type), image->type);
}

static void check_kind(const char *mode, const struct kind *k)
{
    struct io_image got;
    const char *path = io_path("kind.tif");
    make_kind(path, mode, k);
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

/* 24 bits are in the byte order of the file, unlike other bits that do not fill a type. */
static void check_24_bits(void)
{
    static const char *const modes[] = {"wl", "wb"};
    static uint8_t bytes[2][6] = {{0x56, 0x34, 0x12, 0, 0, 0xFF}, {0x12, 0x34, 0x56, 0xFF, 0, 0}};
    struct kind k = {.bits = 24,
                     .samples = 1,
                     .format = SAMPLEFORMAT_UINT,
                     .photometric = PHOTOMETRIC_MINISBLACK,
                     .width = 2,
                     .height = 1};
    for (int i = 0; i < 2; i++) {
        struct io_image got;
        TIFF *tiff = begin(io_path("24.tif"), modes[i], &k);
        TIFFWriteRawStrip(tiff, 0, bytes[i], sizeof bytes[i]);
        TIFFClose(tiff);
        swathe_status status = io_read(io_path("24.tif"), NULL, IO_DENSE, 1, &got);
        if (!io_check(status == SWATHE_OK, "24 bits: %s", fail_text()))
            continue;
        io_check(got.view.type == SWATHE_U32 && sample(&got.view, 0) == 0x123456 &&
                     sample(&got.view, 1) == 0xFF0000,
                 "24 bits, mode %s: type %d, %g %g", modes[i], (int)got.view.type,
                 sample(&got.view, 0), sample(&got.view, 1));
        io_image_free(&got);
    }
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
        TIFF *tiff = begin(io_path("refused.tif"), "w", &k);
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
    TIFF *tiff = begin(path, "w", &k);
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
    TIFF *tiff = begin(io_path("sparse.tif"), "w", &k);
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

/* As many samples of a pixel as there can be: those of an omitted block are zeros. */
static void check_sparse_doubles(void)
{
    struct kind k = {.bits = 64,
                     .samples = 4094,
                     .format = SAMPLEFORMAT_IEEEFP,
                     .photometric = PHOTOMETRIC_MINISBLACK,
                     .width = 3,
                     .height = 2};
    static uint8_t row[4094 * 3 * 8];
    struct io_image got;
    memset(row, 1, sizeof row);
    TIFF *tiff = begin(io_path("sparse.tif"), "w", &k);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 1);
    TIFFWriteEncodedStrip(tiff, 1, row, sizeof row);
    TIFFClose(tiff);
    swathe_status status = io_read(io_path("sparse.tif"), NULL, IO_PLANAR, 0, &got);
    if (!io_check(status == SWATHE_OK, "sparse doubles: %s", fail_text()))
        return;
    int wrong = 0;
    for (int64_t i = 0; i < (int64_t)k.width * k.samples; i++) {
        int32_t c = (int32_t)(i % k.samples);
        wrong += *(double *)view_at(&got.view, i / k.samples, 0, c) != 0.0 ||
                 memcmp(view_at(&got.view, i / k.samples, 1, c), row, sizeof(double)) != 0;
    }
    io_check(wrong == 0, "sparse doubles: %d wrong samples", wrong);
    io_image_free(&got);
}

int main(void)
{
    TIFFSetWarningHandler(NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int big = 0; big < 2; big++)
            check_kind(big ? "wb" : "wl", &kinds[i]);
    check_24_bits();
    check_refusals();
    check_ycbcr(COMPRESSION_LZW, false);
    check_ycbcr(COMPRESSION_LZW, true);
    check_ycbcr(COMPRESSION_JPEG, false);
    check_ycbcr(COMPRESSION_JPEG, true);
    check_sparse();
    check_sparse_doubles();
    io_folder_remove();
    return io_finish("tiff_kinds");
}
