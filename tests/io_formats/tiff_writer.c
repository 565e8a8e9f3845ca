/* What the TIFF writer stores, by its options and by the file that was read. */
#include "io/bytes/output.h"
#include "io_check.h"

#include <stdio.h>
#include <string.h>
#include <tiffio.h>

/* ---- Options -------------------------------------------------------------------------------- */

/* Choices of the TIFF writer: strips or tiles, classic or BigTIFF, compressions, colours; and tiles
 * in any order. */

static swathe_write_options tiff_options(void)
{
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.format = "tiff";
    options.overwrite = 1;
    return options;
}

/* ---- Tiles in any order --------------------------------------------------------------------- */

static swathe_status write_backwards(swathe_sink *sink, const swathe_image *image)
{
    int64_t tile = sink->tile_width;
    for (int64_t y = (image->height - 1) / tile * tile; y >= 0; y -= tile)
        for (int64_t x = (image->width - 1) / tile * tile; x >= 0; x -= tile) {
            swathe_image part;
            swathe_rect rect = {x, y, tile, tile};
            if (x + tile > image->width)
                rect.width = image->width - x;
            if (y + tile > image->height)
                rect.height = image->height - y;
            TRY(view_crop(image, &rect, &part));
            TRY(sink->write(sink->user, &part));
        }
    return file_commit(sink);
}

static void check_tiles(int64_t tile, const char *compression, swathe_type type)
{
    char text[128] = "";
    swathe_shape shape = io_shape(75, 53, 3, type);
    struct io_image image = io_image_make(&shape, IO_PLANAR), got;
    swathe_write_options options = tiff_options();
    swathe_sink *sink;
    options.tile = tile;
    options.compression = compression;
    io_fill_noise(&image.view, 3);
    swathe_status status =
        file_create(&memory_default, 1 << 28, io_path("tiles.tif"), &shape, NULL, &options, &sink);
    if (io_check(status == SWATHE_OK, "tile %d: %s", (int)tile, fail_text())) {
        io_check(!(sink->flags & SWATHE_FORWARD) && sink->tile_width == tile, "tile %d: not tiled",
                 (int)tile);
        status = write_backwards(sink, &image.view);
        io_check(status == SWATHE_OK, "tile %d: %s", (int)tile, fail_text());
        file_discard(sink);
        status = io_read(io_path("tiles.tif"), NULL, IO_DENSE, 9, &got);
        if (io_check(status == SWATHE_OK, "tile %d: %s", (int)tile, fail_text())) {
            io_check(io_equal(&image.view, &got.view, 0, text, sizeof text), "tile %d: %s",
                     (int)tile, text);
            io_image_free(&got);
        }
    }
    io_image_free(&image);
}

/* ---- Read by libtiff ------------------------------------------------------------------------ */

/* libtiff applies the predictor of the file itself. */
static void check_libtiff(const char *compression, swathe_type type)
{
    enum { WIDTH = 41, HEIGHT = 9, CHANNELS = 3 };
    swathe_shape shape = io_shape(WIDTH, HEIGHT, CHANNELS, type);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = tiff_options();
    uint8_t row[WIDTH * CHANNELS * sizeof(double)];
    uint16_t bits = 0, format = 0;
    int wrong = 0;
    options.compression = compression;
    io_fill_noise(&image.view, 5);
    swathe_status status = io_write(io_path("libtiff.tif"), &image.view, NULL, &options, 4);
    TIFF *tiff = status == SWATHE_OK ? TIFFOpen(io_path("libtiff.tif"), "r") : NULL;
    for (uint32_t y = 0; tiff && y < HEIGHT; y++)
        wrong += TIFFReadScanline(tiff, row, y, 0) != 1 ||
                 memcmp(row, view_at(&image.view, 0, y, 0), (size_t)image.view.row_stride) != 0;
    if (io_check(tiff != NULL, "%s: %s", compression, fail_text())) {
        TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
        TIFFGetField(tiff, TIFFTAG_SAMPLEFORMAT, &format);
        TIFFClose(tiff);
    }
    const struct sample_entry *entry = sample_entry(type);
    io_check(wrong == 0 && bits == 8 * entry->size &&
                 format == (sample_is_float(type) ? SAMPLEFORMAT_IEEEFP
                            : entry->lowest < 0   ? SAMPLEFORMAT_INT
                                                  : SAMPLEFORMAT_UINT),
             "%s %s: %d rows differ in libtiff; %d bits, format %d", compression, entry->name,
             wrong, bits, format);
    io_image_free(&image);
}

/* ---- Choices -------------------------------------------------------------------------------- */

/* Starts a file and checks its first bytes. */
static swathe_status start(const swathe_shape *shape, const swathe_write_options *options,
                           struct image_writer *writer, uint8_t head[4])
{
    static const swathe_metadata none = {.struct_size = sizeof none};
    static const swathe_encoding unknown = {.struct_size = sizeof unknown};
    static const swathe_write_options defaults = {.struct_size = sizeof defaults};
    size_t got = 0;
    *writer = (struct image_writer){.memory = &memory_default,
                                    .limits = limits_writing(&defaults, 1 << 28),
                                    .shape = *shape,
                                    .metadata = &none,
                                    .encoding = &unknown,
                                    .options = options};
    TRY(output_create(&memory_default, io_path("start.tif"),
                      &(struct output_options){.overwrite = true}, &writer->out));
    swathe_status status = codec_named("tiff")->create(writer);
    if (status == SWATHE_OK)
        status = output_seek(writer->out, 0);
    if (status == SWATHE_OK)
        status = output_read(writer->out, head, 4, &got);
    if (writer->close)
        writer->close(writer);
    output_destroy(writer->out);
    return status;
}

static void check_choice(int64_t width, int64_t height, int32_t channels, int64_t tile, bool tiled,
                         bool big)
{
    uint8_t head[4] = {0};
    struct image_writer writer;
    swathe_shape shape = io_shape(width, height, channels, SWATHE_U8);
    swathe_write_options options = tiff_options();
    options.tile = tile;
    swathe_status status = start(&shape, &options, &writer, head);
    io_check(status == SWATHE_OK && (writer.tile_width > 0) == tiled &&
                 (writer.flags == SWATHE_FORWARD) == !tiled &&
                 memcmp(head, big ? "II+" : "II*", 4) == 0,
             "%d x %d x %d: status %d, tiles of %d, header %c%c%c", (int)width, (int)height,
             channels, (int)status, (int)writer.tile_width, head[0], head[1], head[2]);
    io_check(tile != 0 || !tiled ||
                 (writer.tile_height < height + 16 && writer.tile_width < width + 16),
             "%d x %d: tiles of %d rows", (int)width, (int)height, (int)writer.tile_height);
}

static void check_refused(int64_t tile, const char *compression, int64_t width, const char *why)
{
    uint8_t head[4];
    struct image_writer writer;
    swathe_shape shape = io_shape(width, 1, 1, SWATHE_U8);
    swathe_write_options options = tiff_options();
    options.tile = tile;
    options.compression = compression;
    swathe_status status = start(&shape, &options, &writer, head);
    io_check(status != SWATHE_OK && strstr(fail_text(), why), "status %d: %s", (int)status,
             fail_text());
}

/* ---- Colours -------------------------------------------------------------------------------- */

static void check_color(swathe_color color, int32_t channels, int32_t alpha, swathe_type type)
{
    char text[128] = "";
    swathe_shape shape = io_shape(9, 7, channels, type);
    shape.color = color;
    shape.alpha = alpha;
    struct io_image image = io_image_make(&shape, IO_DENSE), got;
    swathe_write_options options = tiff_options();
    io_fill_noise(&image.view, 11);
    swathe_status status = io_write(io_path("color.tif"), &image.view, NULL, &options, 2);
    if (status == SWATHE_OK)
        status = io_read(io_path("color.tif"), NULL, IO_DENSE, 3, &got);
    if (io_check(status == SWATHE_OK, "colour %d: %s", (int)color, fail_text())) {
        io_check(io_equal(&image.view, &got.view, 0, text, sizeof text) &&
                     got.view.color == color && got.view.alpha == alpha,
                 "colour %d alpha %d: read back as %d, %d: %s", (int)color, alpha,
                 (int)got.view.color, got.view.alpha, text);
        io_image_free(&got);
    }
    io_image_free(&image);
}

static void written_forms(void)
{
    static const char *const compressions[] = {"none", "lzw", "deflate", "zstd", NULL};
    for (int i = 0; i < 5; i++) {
        for (int type = 0; sample_entry_at(type); type++) {
            check_tiles(16, compressions[i], sample_entry_at(type)->type);
            check_libtiff(compressions[i], sample_entry_at(type)->type);
        }
        check_tiles(64, compressions[i], SWATHE_U16);
    }
    check_choice(1000, 1000, 3, 0, false, false);
    check_choice(1000, 1000, 3, 64, true, false);
    check_choice(32769, 2, 1, 0, true, false);
    check_choice(10000, 10000, 1, 0, true, false);
    check_choice(60000, 60000, 1, 0, true, true);
    check_choice(60000, 60000, 3, 0, true, true);
    check_choice(1000000, 1000000, 4, 0, true, true);
    check_choice(16, 1 << 24, 1, 4096, true, true);
    check_refused(17, NULL, 8, "multiple of 16");
    check_refused(-16, NULL, 8, "multiple of 16");
    check_refused(1 << 20, NULL, 8, "limit");
    check_refused(0, "jpeg2000", 8, "no TIFF compression 'jpeg2000'");
    check_refused(0, NULL, (int64_t)1 << 33, "less than 2^32");
    check_color(SWATHE_COLOR_CMYK, 4, 0, SWATHE_U8);
    check_color(SWATHE_COLOR_CMYK, 5, 5, SWATHE_U16);
    check_color(SWATHE_COLOR_LAB, 3, 0, SWATHE_U8);
    check_color(SWATHE_COLOR_LAB, 3, 0, SWATHE_U16);
    check_color(SWATHE_COLOR_LAB, 4, 4, SWATHE_F32);
    check_color(SWATHE_COLOR_LAB, 3, 0, SWATHE_U32);
    check_color(SWATHE_COLOR_LAB, 3, 0, SWATHE_S32);
    check_color(SWATHE_COLOR_LAB, 4, 4, SWATHE_F64);
    check_color(SWATHE_COLOR_RGB, 5, 0, SWATHE_U8);
    check_color(SWATHE_COLOR_RGB, 5, 5, SWATHE_S16);
    check_color(SWATHE_COLOR_UNKNOWN, 7, 3, SWATHE_U8);
}

/* ---- The form of the file that was read ----------------------------------------------------- */

/* Planes, tiles and compression of a TIFF are kept in a TIFF written from it, unless options
 * override them. */

struct kind {
    swathe_type type;
    int32_t channels;
    swathe_color color;
    const char *compression;
    int32_t planar;
    int64_t width, height; /* of tiles */
};

static swathe_encoding encoding_of(const struct kind *kind)
{
    swathe_encoding encoding = SWATHE_INIT(swathe_encoding);
    encoding.format = "tiff";
    encoding.compression = kind->compression;
    encoding.planar = kind->planar;
    encoding.tile_width = kind->width;
    encoding.tile_height = kind->height;
    return encoding;
}

static void check_file(const char *path, const struct kind *kind, const swathe_image *image)
{
    swathe_source *source;
    struct io_image read;
    char text[200] = "";
    if (!io_check(file_open(&memory_default, 1 << 28, path, NULL, &source) == SWATHE_OK, "%s",
                  fail_text()))
        return;
    const swathe_encoding *got = source->metadata->encoding;
    int64_t height = kind->width ? kind->height : image->height; /* one strip holds all rows */
    io_check(strcmp(got->compression, kind->compression) == 0 && got->planar == kind->planar &&
                 got->tile_width == kind->width && got->tile_height == height,
             "%s, planar %d, %d x %d: stored as %s, planar %d, %d x %d", kind->compression,
             kind->planar, (int)kind->width, (int)height, got->compression, got->planar,
             (int)got->tile_width, (int)got->tile_height);
    if (io_check(io_read_source(source, IO_DENSE, 0, &read) == SWATHE_OK, "%s", fail_text())) {
        io_check(io_equal(image, &read.view, 0, text, sizeof text), "%s: %s", kind->compression,
                 text);
        io_image_free(&read);
    }
    file_close(source);
}

/* Checks with libtiff. */
static void check_planes(const char *path, const struct kind *kind)
{
    uint16_t planes = 0;
    TIFF *tiff = TIFFOpen(path, "r");
    if (!io_check(tiff != NULL, "libtiff does not read it"))
        return;
    TIFFGetField(tiff, TIFFTAG_PLANARCONFIG, &planes);
    io_check(planes == (kind->planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG), "planes %d",
             planes);
    TIFFClose(tiff);
}

static void check(const struct kind *from, const swathe_write_options *options,
                  const struct kind *to)
{
    char path[256];
    swathe_shape shape = io_shape(150, 70, from->channels, from->type);
    shape.color = from->color;
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_encoding encoding = encoding_of(from);
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    metadata.encoding = &encoding;
    snprintf(path, sizeof path, "%s", io_path("kept.tif"));
    io_fill_noise(&image.view, 3);
    io_check(io_write(path, &image.view, &metadata, options, 0) == SWATHE_OK, "%s", fail_text());
    check_file(path, to, &image.view);
    check_planes(path, to);
    io_image_free(&image);
}

static void kept_forms(void)
{
    static const struct kind kinds[] = {
        {SWATHE_U8, 3, SWATHE_COLOR_RGB, "lzw", 1, 0, 0},
        {SWATHE_F32, 3, SWATHE_COLOR_RGB, "deflate", 1, 64, 32},
        {SWATHE_U16, 4, SWATHE_COLOR_RGB, "none", 1, 16, 48},
        {SWATHE_U8, 3, SWATHE_COLOR_LAB, "zstd", 1, 0, 0},
        {SWATHE_S16, 1, SWATHE_COLOR_GREY, "none", 0, 32, 32},
        {SWATHE_U8, 3, SWATHE_COLOR_RGB, "zstd", 0, 0, 0},
        {SWATHE_F64, 3, SWATHE_COLOR_RGB, "deflate", 1, 64, 32},
        {SWATHE_S32, 3, SWATHE_COLOR_LAB, "lzw", 1, 0, 0},
        {SWATHE_U32, 3, SWATHE_COLOR_LAB, "lzw", 0, 16, 16},
    };
    static const struct kind tiled = {SWATHE_U8, 3, SWATHE_COLOR_RGB, "lzw", 0, 64, 32},
                             strips = {SWATHE_U8, 3, SWATHE_COLOR_RGB, "zstd", 0, 0, 0},
                             large = {SWATHE_U8, 1, SWATHE_COLOR_GREY, "none", 0, 4096, 2048},
                             fitting = {SWATHE_U8, 1, SWATHE_COLOR_GREY, "none", 0, 160, 80},
                             other = {SWATHE_U8, 3, SWATHE_COLOR_RGB, "packbits", 0, 0, 0},
                             usual = {SWATHE_U8, 3, SWATHE_COLOR_RGB, "deflate", 0, 0, 0};
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.overwrite = 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        check(&kinds[i], &options, &kinds[i]);
    check(&other, &options, &usual);
    check(&large, &options, &fitting);
    options.tile = -1;
    options.compression = "zstd";
    check(&tiled, &options, &strips);
}

int main(void)
{
    written_forms();
    kept_forms();
    io_folder_remove();
    return io_finish("tiff_writer");
}
