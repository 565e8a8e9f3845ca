/* Planes, tiles and compression of a TIFF are kept in a TIFF written from it, unless options
 * override them. */
#include "io_check.h"

#include <stdio.h>
#include <string.h>
#include <tiffio.h>

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

int main(void)
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
    io_folder_remove();
    return io_finish("tiff_kept");
}
