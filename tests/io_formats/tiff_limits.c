/* TIFF files with limits that are small compared with their blocks: valid files are read, and the
 * value that an error recommends suffices. */
#include "io_check.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

enum { UNPACKED = 512, MEMORY = 1 << 20, NO_BLOCK = -1 };

struct kind {
    const char *name;
    uint16_t compression, photometric, samples, bits;
    bool separate;
    uint32_t width, height, block_width, block_height; /* block_width 0: strips */
    int left_out;                                      /* index of the missing block, or NO_BLOCK */
};

static void set_tags(TIFF *tiff, const struct kind *kind)
{
    static uint16_t map[3][256];
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, kind->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, kind->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind->samples);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 kind->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind->compression);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind->photometric);
    if (kind->photometric == PHOTOMETRIC_PALETTE)
        TIFFSetField(tiff, TIFFTAG_COLORMAP, map[0], map[1], map[2]);
    if (kind->photometric == PHOTOMETRIC_YCBCR)
        TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 2, 2);
    if (kind->block_width)
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kind->block_width);
    TIFFSetField(tiff, kind->block_width ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP,
                 kind->block_height);
}

static tmsize_t block_size(TIFF *tiff, const struct kind *kind, uint32_t block)
{
    uint32_t down = (kind->height + kind->block_height - 1) / kind->block_height;
    uint32_t left = kind->height - block % down * kind->block_height;
    return kind->block_width
               ? TIFFTileSize(tiff)
               : TIFFVStripSize(tiff, left < kind->block_height ? left : kind->block_height);
}

/* All samples are 0. */
static void make(const struct kind *kind)
{
    static uint8_t zeros[1 << 20];
    TIFF *tiff = TIFFOpen(io_path("limits.tif"), "wl");
    if (!tiff)
        exit(EXIT_FAILURE);
    set_tags(tiff, kind);
    uint32_t count = kind->block_width ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
    for (uint32_t i = 0; i < count; i++) {
        tmsize_t size = block_size(tiff, kind, i);
        if ((int)i == kind->left_out)
            continue;
        if ((kind->block_width ? TIFFWriteEncodedTile : TIFFWriteEncodedStrip)(tiff, i, zeros,
                                                                               size) != size)
            exit(EXIT_FAILURE);
    }
    TIFFClose(tiff);
}

/* Reads the file from row `from` to its end. */
static swathe_status read_with(int64_t max_unpacked, int64_t max_memory, int64_t from)
{
    struct image_reader reader = {.memory = &memory_default, .page = 1};
    reader.limits = (struct limits){
        .max_memory = max_memory, .max_metadata = MEMORY, .max_unpacked = max_unpacked};
    TRY(stream_open(&memory_default, io_path("limits.tif"), &reader.cancel, &reader.in));
    swathe_status status = codec_named("tiff")->open(&reader);
    if (status == SWATHE_OK) {
        swathe_shape shape = reader.shape;
        shape.height -= from;
        struct io_image image = io_image_make(&shape, IO_DENSE);
        image.view.y = from;
        status = reader.read(&reader, &image.view);
        io_image_free(&image);
    }
    reader.close(&reader);
    stream_close(reader.in);
    return status;
}

/* The last strip is shorter than the others, and YCbCr takes less space in the file than as RGB. */
static void check_valid(void)
{
    static const struct kind kinds[] = {
        {"planes of uncompressed samples", COMPRESSION_NONE, PHOTOMETRIC_RGB, 3, 16, true, 30, 21,
         0, 10, NO_BLOCK},
        {"plain samples", COMPRESSION_NONE, PHOTOMETRIC_RGB, 3, 16, false, 30, 21, 0, 10, NO_BLOCK},
        {"planes of deflate", COMPRESSION_ADOBE_DEFLATE, PHOTOMETRIC_RGB, 3, 8, true, 3000, 11, 0,
         10, NO_BLOCK},
        {"JPEG, row by row", COMPRESSION_JPEG, PHOTOMETRIC_MINISBLACK, 1, 8, false, 1024, 520, 0,
         512, NO_BLOCK},
        {"strips of YCbCr", COMPRESSION_NONE, PHOTOMETRIC_YCBCR, 3, 8, false, 64, 50, 0, 32,
         NO_BLOCK},
        {"tiles of YCbCr", COMPRESSION_NONE, PHOTOMETRIC_YCBCR, 3, 8, false, 64, 50, 64, 64,
         NO_BLOCK},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!TIFFIsCODECConfigured(kinds[i].compression))
            continue;
        make(&kinds[i]);
        io_check(read_with(UNPACKED, MEMORY, 0) == SWATHE_OK, "%s: %s", kinds[i].name, fail_text());
    }
}

/* The value that the error reports as needed. */
static int64_t advised(void)
{
    const struct failure *last = fail_last();
    return strcmp(last->subject, "max_memory") == 0 ? last->needed : 0;
}

/* zstd compresses so well that valid files reach the limit. */
static void check_advice(void)
{
    enum { EDGE = 256, NEEDS = EDGE * EDGE * 4 }; /* indices, and RGB */
    static const struct kind palette = {
        "palette", COMPRESSION_ZSTD, PHOTOMETRIC_PALETTE, 1, 8, false, EDGE, EDGE, EDGE,
        EDGE,      NO_BLOCK};
    if (!TIFFIsCODECConfigured(COMPRESSION_ZSTD))
        return;
    make(&palette);
    for (int64_t memory = NEEDS / 2; memory <= 4 * NEEDS; memory *= 2) {
        swathe_status status = read_with(UNPACKED, memory, 0);
        int64_t value = status == SWATHE_ERROR_LIMIT ? advised() : 0;
        io_check(value >= NEEDS && value >= memory, "limit %d: status %d, %s", (int)memory,
                 (int)status, fail_text());
        io_check(read_with(value, value, 0) == SWATHE_OK, "max_memory %d: %s", (int)value,
                 fail_text());
    }
}

/* What zstd would make of large tiles is refused; the limit that the error names is enough. */
static void check_writing(void)
{
    swathe_shape shape = io_shape(4, 4, 3, SWATHE_U8);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.compression = "zstd";
    options.tile = 8192;
    for (int64_t memory = 1 << 26; memory <= (int64_t)1 << 32; memory *= 8) {
        swathe_sink *sink = NULL;
        options.max_memory = 0;
        swathe_status status = file_create(&memory_default, memory, io_path("tiles.tif"), &shape,
                                           NULL, &options, &sink);
        options.max_memory = status == SWATHE_ERROR_LIMIT ? advised() : 0;
        io_check(options.max_memory >= memory, "tiles, limit %d MiB: status %d, %s",
                 (int)(memory >> 20), (int)status, fail_text());
        status = file_create(&memory_default, memory, io_path("tiles.tif"), &shape, NULL, &options,
                             &sink);
        io_check(status == SWATHE_OK, "tiles, max_memory %d MiB: %s",
                 (int)(options.max_memory >> 20), fail_text());
        file_discard(sink);
    }
}

/* Missing blocks take no memory; others do. */
static void check_left_out(void)
{
    enum { EDGE = 512 };
    static const struct kind tiles = {
        "tiles", COMPRESSION_NONE, PHOTOMETRIC_MINISBLACK, 1, 8, false, EDGE, 2 * EDGE, EDGE, EDGE,
        1};
    make(&tiles);
    io_check(read_with(EDGE, EDGE * 8, EDGE) == SWATHE_OK, "left out: %s", fail_text());
    io_check(read_with(EDGE * EDGE, EDGE * 8, EDGE) == SWATHE_OK, "left out: %s", fail_text());
    io_check(read_with(EDGE, EDGE * 8, 0) == SWATHE_ERROR_LIMIT && advised() == 256 << 10,
             "a tile next to it: %s", fail_text());
    io_check(read_with(EDGE, EDGE * EDGE, 0) == SWATHE_OK, "a tile next to it: %s", fail_text());
}

int main(void)
{
    TIFFSetWarningHandler(NULL);
    check_valid();
    check_advice();
    if (TIFFIsCODECConfigured(COMPRESSION_ZSTD))
        check_writing();
    check_left_out();
    io_folder_remove();
    return io_finish("tiff_limits");
}
