/* The image is the same for every layout of a TIFF file: strips of any height and tiles, planes
 * together and separate, every compression and predictor, both byte orders, classic and BigTIFF.
 * The files are written with libtiff itself. Each is read in rows, in random parts, and with a
 * limit so low that hardly a block is cached and large strips are decoded row by row. */
#include "io_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};

enum { WIDTH = 83, HEIGHT = 61, TIGHT = 6000, PARTS = 12 };

struct layout {
    swathe_type type;
    int32_t channels;
    uint16_t compression, predictor; /* predictor 0: no tag */
    uint32_t block;                  /* rows of a strip, or edge of a tile */
    bool tiled, separate;
    const char *mode;
};

static const char *layout_text(const struct layout *l)
{
    static char text[128];
    snprintf(text, sizeof text, "%s x%d compression %d predictor %d %s %u %s mode %s",
             sample_entry(l->type)->name, l->channels, l->compression, l->predictor,
             l->tiled ? "tile" : "strip", l->block, l->separate ? "separate" : "contiguous",
             l->mode);
    return text;
}

/* ---- Writing files -------------------------------------------------------------------------- */

static void set_tags(TIFF *tiff, const struct layout *l)
{
    int format = sample_is_float(l->type)              ? SAMPLEFORMAT_IEEEFP
                 : sample_entry(l->type)->lowest < 0.0 ? SAMPLEFORMAT_INT
                                                       : SAMPLEFORMAT_UINT;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8 * sample_size(l->type));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, l->channels);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, format);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, l->compression);
    if (l->predictor)
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, l->predictor);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                 l->channels == 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 l->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    if (l->tiled)
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, l->block);
    TIFFSetField(tiff, l->tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP, l->block);
}

/* A block of one plane, or of all samples (plane 0 of a contiguous file). */
static void fill_block(const struct layout *l, const swathe_image *image, int64_t x, int64_t y,
                       int32_t plane, uint8_t *block)
{
    int64_t size = sample_size(l->type), width = l->tiled ? l->block : WIDTH;
    int32_t first = l->separate ? plane : 0, count = l->separate ? 1 : l->channels;
    for (int64_t j = 0; j < l->block && y + j < HEIGHT; j++)
        for (int64_t i = 0; i < width && x + i < WIDTH; i++)
            for (int32_t c = 0; c < count; c++)
                memcpy(block + ((j * width + i) * count + c) * size,
                       view_at(image, x + i, y + j, first + c), (size_t)size);
}

static bool put_block(TIFF *tiff, const struct layout *l, uint32_t x, uint32_t y, int32_t plane,
                      uint8_t *block)
{
    uint16_t sample = (uint16_t)plane;
    if (l->tiled)
        return TIFFWriteTile(tiff, block, x, y, 0, sample) > 0;
    uint32_t rows = y + l->block > HEIGHT ? HEIGHT - y : l->block;
    return TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, y, sample), block,
                                 TIFFVStripSize(tiff, rows)) > 0;
}

static bool make_file(const char *path, const struct layout *l, const swathe_image *image)
{
    TIFF *tiff = TIFFOpen(path, l->mode);
    if (!tiff)
        return false;
    set_tags(tiff, l);
    uint32_t width = l->tiled ? l->block : WIDTH;
    uint8_t *block = calloc(1, (size_t)(l->tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff)));
    bool done = block != NULL;
    for (int32_t plane = 0; plane < (l->separate ? l->channels : 1); plane++)
        for (uint32_t y = 0; y < HEIGHT; y += l->block)
            for (uint32_t x = 0; done && x < WIDTH; x += width) {
                fill_block(l, image, x, y, plane, block);
                done = put_block(tiff, l, x, y, plane, block);
            }
    free(block);
    TIFFClose(tiff);
    return done;
}

/* ---- Reading them --------------------------------------------------------------------------- */

static void check_parts(const struct layout *l, const swathe_source *source,
                        const swathe_image *want, uint64_t *random)
{
    char text[128];
    struct io_image room = io_image_make(&source->shape, IO_PADDED);
    for (int i = 0; i < PARTS; i++) {
        swathe_image into, expected;
        swathe_rect rect = {io_random(random) % WIDTH, io_random(random) % HEIGHT, 0, 0};
        rect.width = 1 + io_random(random) % (WIDTH - rect.x);
        rect.height = 1 + io_random(random) % (HEIGHT - rect.y);
        bool held = view_crop(&room.view, &rect, &into) == SWATHE_OK &&
                    view_crop(want, &rect, &expected) == SWATHE_OK &&
                    source->read(source->user, &into) == SWATHE_OK &&
                    io_equal(&expected, &into, 0, text, sizeof text);
        io_check(held, "%s: part %dx%d+%d+%d: %s", layout_text(l), (int)rect.width,
                 (int)rect.height, (int)rect.x, (int)rect.y, fail_text());
    }
    io_image_free(&room);
}

static void check_open(const struct layout *l, const char *path, int64_t max_memory,
                       const swathe_image *want, uint64_t *random)
{
    char text[128] = "";
    struct io_image got;
    swathe_source *source;
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.max_memory = max_memory;
    swathe_status status = file_open(&memory_default, 1 << 28, path, &options, &source);
    if (!io_check(status == SWATHE_OK, "%s: not opened: %s", layout_text(l), fail_text()))
        return;
    bool forward = source->flags & SWATHE_FORWARD;
    io_check(forward == (max_memory && !l->tiled), "%s: forward %d", layout_text(l), forward);
    io_check(!l->tiled || (source->tile_width == l->block && source->tile_height == l->block),
             "%s: tiles are %d x %d", layout_text(l), (int)source->tile_width,
             (int)source->tile_height);
    status = io_read_source(source, IO_DENSE, 7, &got);
    if (io_check(status == SWATHE_OK, "%s: not read: %s", layout_text(l), fail_text())) {
        io_check(io_equal(want, &got.view, 0, text, sizeof text), "%s: %s", layout_text(l), text);
        io_image_free(&got);
        if (!forward)
            check_parts(l, source, want, random);
    }
    file_close(source);
}

/* A block of separate planes is decoded as a whole, so it must fit. */
static bool fits_when_tight(const struct layout *l)
{
    int64_t width = l->tiled ? l->block : WIDTH;
    int64_t bytes = width * l->block * (l->channels + l->separate) * sample_size(l->type);
    return (!l->tiled && !l->separate) || bytes <= TIGHT;
}

static void check_layout(const struct layout *l, uint64_t *random)
{
    swathe_shape shape = io_shape(WIDTH, HEIGHT, l->channels, l->type);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    const char *path = io_path("layout.tif");
    io_fill_noise(&image.view, io_random(random));
    if (io_check(make_file(path, l, &image.view), "%s: not made", layout_text(l))) {
        check_open(l, path, 0, &image.view, random);
        if (fits_when_tight(l))
            check_open(l, path, TIGHT, &image.view, random);
    }
    io_image_free(&image);
}

static void check_blocks(struct layout l, uint64_t *random)
{
    static const uint32_t strips[] = {1, 7, 16, HEIGHT}, tiles[] = {16, 48, 128};
    l.tiled = false;
    for (size_t i = 0; i < sizeof strips / sizeof *strips; i++) {
        l.block = strips[i];
        check_layout(&l, random);
    }
    l.tiled = true;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        l.block = tiles[i];
        check_layout(&l, random);
    }
}

/* Predictor 2 of every type, and 3 of floats. libtiff writes predictor 3 correctly only in this
 * machine's byte order; tiff_tifffile.py tests the other one. */
static void check_predictors(swathe_type type, uint64_t *random)
{
    static const uint16_t compressions[] = {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                            COMPRESSION_ZSTD};
    for (int i = 0; i < 3 * 4 * 2; i++)
        for (int predictor = PREDICTOR_HORIZONTAL;
             predictor <= (sample_is_float(type) ? PREDICTOR_FLOATINGPOINT : PREDICTOR_HORIZONTAL);
             predictor++) {
            struct layout l = {.type = type,
                               .channels = 1 + 2 * (i % 2),
                               .compression = compressions[i % 3],
                               .predictor = (uint16_t)predictor,
                               .block = 16,
                               .tiled = io_random(random) % 2,
                               .separate = io_random(random) % 2,
                               .mode = modes[i / 3 % 4]};
            if (predictor == PREDICTOR_FLOATINGPOINT)
                l.mode = i % 2 ? "w" : "w8";
            if (TIFFIsCODECConfigured(l.compression))
                check_layout(&l, random);
        }
}

int main(void)
{
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW,
                                            COMPRESSION_ADOBE_DEFLATE, COMPRESSION_PACKBITS,
                                            COMPRESSION_ZSTD};
    static const int32_t channels[] = {1, 3, 5};
    uint64_t random = 1;
    TIFFSetWarningHandler(NULL);
    for (int type = 0; sample_entry_at(type); type++) {
        check_predictors(sample_entry_at(type)->type, &random);
        for (int c = 0; c < 3; c++)
            for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++)
                for (int separate = 0; separate < 2; separate++) {
                    struct layout l = {.type = sample_entry_at(type)->type,
                                       .channels = channels[c],
                                       .compression = compressions[i],
                                       .separate = separate,
                                       .mode = modes[io_random(&random) % 4]};
                    if (TIFFIsCODECConfigured(l.compression))
                        check_blocks(l, &random);
                }
    }
    io_folder_remove();
    return io_finish("tiff_layouts");
}
