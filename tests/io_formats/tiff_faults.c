/* Every allocation fails once, then all from there on, while a TIFF file is written in parts and
 * pages, its tiles out of order and by several sinks, and read by whole blocks and otherwise: each
 * call returns an error and leaks nothing. */
#include "counting.h"
#include "io_check.h"

#include <string.h>

static const struct memory counted = {counting_allocate, counting_release, NULL};

/* Rows of tiles are delivered from the last to the first, and sorted when the page ends. */
static swathe_status put_page(swathe_sink *sink, const swathe_image *image)
{
    int64_t rows = sink->tile_height, count = (image->height + rows - 1) / rows;
    for (int64_t i = 0; i < count; i++) {
        swathe_image part;
        void *prepared = NULL;
        int64_t y = (sink->tile_width > 0 ? count - 1 - i : i) * rows;
        swathe_rect rect = {0, y, image->width,
                            y + rows > image->height ? image->height - y : rows};
        TRY(view_crop(image, &rect, &part));
        TRY(sink->parts->prepare(sink->user, &part, 0, &prepared));
        TRY(sink->parts->deliver(sink->user, prepared, 1));
    }
    return SWATHE_OK;
}

static swathe_status write_file(const swathe_image *image, const char *compression, int64_t tile)
{
    swathe_shape shape = view_shape(image);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_sink *sink;
    options.overwrite = 1;
    options.compression = compression;
    options.tile = tile;
    TRY(file_create(&counted, 1 << 28, io_path("faults.tif"), &shape, NULL, &options, &sink));
    swathe_status status = put_page(sink, image);
    if (status == SWATHE_OK)
        status = file_next_page(sink, &shape, NULL);
    if (status == SWATHE_OK)
        status = sink->write(sink->user, image);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    return status;
}

static swathe_status write_part(const swathe_image *image, int64_t tile, swathe_tiff_part *part)
{
    swathe_shape shape = view_shape(image);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_sink *sink;
    swathe_image pixels;
    options.overwrite = 1;
    options.tile = tile;
    options.tiff_part = part;
    TRY(file_create(&counted, 1 << 28, io_path("part.tif"), &shape, NULL, &options, &sink));
    swathe_status status = SWATHE_OK;
    if (part->count > 0)
        status = view_crop(image, &part->region, &pixels);
    if (status == SWATHE_OK && part->count > 0)
        status = put_page(sink, &pixels);
    if (status == SWATHE_OK)
        status = file_commit(sink);
    file_discard(sink);
    return status;
}

/* The first rows of tiles, then the file without its tiles. */
static swathe_status write_parts(const swathe_image *image, int64_t tile)
{
    int64_t sizes[64] = {0};
    int64_t across = (image->width + tile - 1) / tile, down = (image->height + tile - 1) / tile;
    swathe_tiff_part part = SWATHE_INIT(swathe_tiff_part);
    part.count = 2 * across;
    part.sizes = sizes;
    TRY(write_part(image, tile, &part));
    for (int64_t i = 2 * across; i < across * down; i++)
        sizes[i] = 1000;
    part.count = 0;
    return write_part(image, tile, &part);
}

static swathe_status read_parts(swathe_source *source, const swathe_image *into)
{
    swathe_image part;
    swathe_rect rect = {0, 3, into->width, 30};
    TRY(view_crop(into, &rect, &part));
    TRY(source->read(source->user, into));
    return source->read(source->user, &part);
}

static swathe_status read_file(const swathe_image *into)
{
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source;
    options.page = 2;
    TRY(file_open(&counted, 1 << 28, io_path("faults.tif"), &options, &source));
    swathe_status status = read_parts(source, into);
    file_close(source);
    return status;
}

static swathe_status work(const swathe_image *image, const char *compression, int64_t tile)
{
    counting.calls = 0;
    TRY(write_file(image, compression, tile));
    if (tile > 0)
        TRY(write_parts(image, tile));
    return read_file(image);
}

static void check(const char *compression, int64_t tile)
{
    swathe_shape shape = io_shape(900, 150, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_noise(&image.view, 1);
    for (int all = 0; all < 2; all++)
        for (counting.at = 1;; counting.at++) {
            counting.forever = all;
            swathe_status status = work(&image.view, compression, tile);
            io_check(counting.live == 0, "%s, allocation %d: memory leaked", compression,
                     (int)counting.at);
            if (counting.calls < counting.at)
                break;
            io_check(status == SWATHE_ERROR_MEMORY, "%s, allocation %d failed: status %d, %s",
                     compression, (int)counting.at, (int)status, fail_text());
        }
    counting.at = 0;
    io_check(work(&image.view, compression, tile) == SWATHE_OK, "%s: %s", compression, fail_text());
    io_image_free(&image);
}

int main(void)
{
    check("none", 0);
    check("deflate:1", 0);
    check("lzw", 64);
    io_folder_remove();
    return io_finish("tiff_faults");
}
