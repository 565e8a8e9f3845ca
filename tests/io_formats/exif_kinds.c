/* EXIF through TIFF, which has no block for it: tags of the camera and the location are kept; byte
 * order and damage do not matter. The resolution is read from EXIF if the format has no other. */
#include "io_check.h"

#include "io/metadata/metadata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MAX = 512 };

/* A block in either byte order. */
struct block {
    uint8_t bytes[BLOCK_MAX];
    size_t size;
    bool swapped;
};

static void put(struct block *b, size_t at, int size, uint32_t value)
{
    for (int i = 0; i < size; i++)
        b->bytes[at + (size_t)(b->swapped ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
    if (at + (size_t)size > b->size)
        b->size = at + (size_t)size;
}

static void put_entry(struct block *b, size_t at, uint16_t tag, uint16_t type, uint32_t count,
                      uint32_t value)
{
    put(b, at, 2, tag);
    put(b, at + 2, 2, type);
    put(b, at + 4, 4, count);
    put(b, at + 8, 4, 0);
    put(b, at + 8, type == IFD_SHORT && count == 1 ? 2 : 4, value);
}

/* Make, orientation 6, resolution 300 by 150 per inch, exposure 1/250, latitude reference. */
static struct block make_block(bool swapped)
{
    struct block b = {.swapped = swapped};
    memcpy(b.bytes, swapped ? "MM\0*" : "II*\0", 4);
    put(&b, 4, 4, 8);
    put(&b, 8, 2, 7);
    put_entry(&b, 10, 271, IFD_ASCII, 7, 200);
    put_entry(&b, 22, EXIF_ORIENTATION, IFD_SHORT, 1, 6);
    put_entry(&b, 34, EXIF_X_RESOLUTION, IFD_RATIONAL, 1, 208);
    put_entry(&b, 46, EXIF_Y_RESOLUTION, IFD_RATIONAL, 1, 216);
    put_entry(&b, 58, EXIF_RESOLUTION_UNIT, IFD_SHORT, 1, 2);
    put_entry(&b, 70, EXIF_PHOTO, IFD_LONG, 1, 120);
    put_entry(&b, 82, EXIF_GPS, IFD_LONG, 1, 160);
    put(&b, 94, 4, 0);
    put(&b, 120, 2, 1);
    put_entry(&b, 122, 33434, IFD_RATIONAL, 1, 224);
    put(&b, 134, 4, 0);
    put(&b, 160, 2, 1);
    put_entry(&b, 162, 1, IFD_ASCII, 2, swapped ? 'N' << 24 : 'N');
    put(&b, 174, 4, 0);
    memcpy(b.bytes + 200, "swathe", 7);
    put(&b, 208, 4, 300);
    put(&b, 212, 4, 1);
    put(&b, 216, 4, 150);
    put(&b, 220, 4, 1);
    put(&b, 224, 4, 1);
    put(&b, 228, 4, 250);
    return b;
}

static const struct limits limits = {
    .max_pixels = 1 << 28, .max_memory = 1 << 28, .max_metadata = 1 << 24};

static void check_tags(const char *what, const void *bytes, size_t size)
{
    struct exif exif;
    if (!io_check(exif_parse(&memory_default, &limits, bytes, size, &exif) == SWATHE_OK, "%s: %s",
                  what, fail_text()))
        return;
    const struct ifd_entry *make = ifd_find(&exif.top, 271), *north = ifd_find(&exif.gps, 1);
    io_check(make && strcmp((const char *)exif.top.values + make->at, "swathe") == 0,
             "%s: no maker", what);
    io_check(ifd_number(&exif.top, ifd_find(&exif.top, EXIF_ORIENTATION)) == 6,
             "%s: no orientation", what);
    io_check(ifd_rational(&exif.photo, ifd_find(&exif.photo, 33434)) == 1.0 / 250,
             "%s: no exposure", what);
    io_check(north && exif.gps.values[north->at] == 'N', "%s: no latitude", what);
    exif_free(&memory_default, &exif);
}

/* Through a file of a format. Its resolution is the block's if there is no other: per inch, or none
 * if it has no unit. */
static void check_format(const char *format, bool swapped, int64_t tile, int unit)
{
    char what[64];
    struct block b = make_block(swapped);
    put_entry(&b, 58, EXIF_RESOLUTION_UNIT, IFD_SHORT, 1, (uint32_t)unit);
    double inch = unit == 2 ? 1 / 0.0254 : 0;
    swathe_shape shape = io_shape(20, 20, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_source *source;
    metadata.exif = b.bytes;
    metadata.exif_size = b.size;
    options.format = format;
    options.overwrite = 1;
    options.tile = tile;
    snprintf(what, sizeof what, "%s %s", format, swapped ? "MM" : "II");
    swathe_status status = io_write(io_path("exif"), &image.view, &metadata, &options, 0);
    if (status == SWATHE_OK)
        status = file_open(&memory_default, 1 << 28, io_path("exif"), NULL, &source);
    if (io_check(status == SWATHE_OK, "%s: %s", what, fail_text())) {
        check_tags(what, source->metadata->exif, source->metadata->exif_size);
        double x = source->metadata->x_resolution, y = source->metadata->y_resolution;
        bool tiff = strcmp(format, "tiff") == 0; /* TIFF has its own tags for it */
        io_check(tiff || (fabs(x - 300 * inch) < 1e-6 && fabs(y - 150 * inch) < 1e-6),
                 "%s: resolution %g x %g", what, x, y);
        file_close(source);
    }
    io_image_free(&image);
}

/* Damaged blocks give only empty directories or other tags. */
static void check_damage(void)
{
    uint64_t random = 5;
    for (int i = 0; i < 20000; i++) {
        struct block b = make_block(i % 2);
        struct exif exif;
        for (uint32_t n = io_random(&random) % 6; n > 0; n--)
            b.bytes[io_random(&random) % b.size] = (uint8_t)io_random(&random);
        size_t size = i % 3 ? b.size : io_random(&random) % b.size;
        uint8_t *copy = malloc(size ? size : 1); /* ends exactly at the end of the readable bytes */
        memcpy(copy, b.bytes, size);
        swathe_status status = exif_parse(&memory_default, &limits, copy, size, &exif);
        io_check(status == SWATHE_OK || status == SWATHE_ERROR_LIMIT, "damage %d: %s", i,
                 fail_text());
        exif_free(&memory_default, &exif);
        free(copy);
    }
}

int main(void)
{
    static const char *const formats[] = {"jpeg", "webp", "tiff"};
    for (int swapped = 0; swapped < 2; swapped++)
        for (int i = 0; i < 3; i++)
            if (codec_named(formats[i])->built)
                check_format(formats[i], swapped, 0, 2);
    check_format("jpeg", false, 0, 1);
    check_format("jpeg", true, 0, 1);
    check_damage();
    io_folder_remove();
    return io_finish("exif_kinds");
}
