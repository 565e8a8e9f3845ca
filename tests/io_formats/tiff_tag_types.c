/* The compression and predictor tags with each type that a file may use: integers of any width are
 * accepted, all others are refused. */
#include "io_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

enum { WIDTH = 20, HEIGHT = 10 };

/* Writes a BigTIFF file with deflate and a predictor; returns its samples. */
static void make(const char *path, uint8_t *samples)
{
    TIFF *tiff = TIFFOpen(path, "wl8");
    if (!tiff)
        exit(EXIT_FAILURE);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        samples[i] = (uint8_t)(i * i);
    uint8_t copy[WIDTH * HEIGHT]; /* libtiff modifies its input */
    memcpy(copy, samples, sizeof copy);
    if (TIFFWriteEncodedStrip(tiff, 0, copy, sizeof copy) < 0)
        exit(EXIT_FAILURE);
    TIFFClose(tiff);
}

/* Changes the type and value of a tag's entry. */
static void change(uint8_t *bytes, size_t size, uint16_t tag, uint16_t type, int64_t value)
{
    uint64_t first, count;
    memcpy(&first, bytes + 8, 8);
    memcpy(&count, bytes + first, 8);
    for (uint8_t *at = bytes + first + 8; count > 0 && at + 20 <= bytes + size; count--, at += 20)
        if ((at[0] | at[1] << 8) == tag) {
            memcpy(at + 2, &type, 2);
            memcpy(at + 12, &value, 8);
            return;
        }
    io_check(false, "no tag %d", tag);
}

static swathe_status read_changed(uint16_t tag, uint16_t type, int64_t value, const char *what)
{
    uint8_t samples[WIDTH * HEIGHT];
    size_t size;
    swathe_source *source;
    struct io_image image;
    make(io_path("types.tif"), samples);
    uint8_t *bytes = io_load(io_path("types.tif"), &size);
    change(bytes, size, tag, type, value);
    io_save(io_path("types.tif"), bytes, size);
    free(bytes);
    TRY(file_open(&memory_default, 1 << 28, io_path("types.tif"), NULL, &source));
    swathe_status status = io_read_source(source, IO_DENSE, 0, &image);
    if (status == SWATHE_OK) {
        for (int y = 0; y < HEIGHT; y++)
            io_check(memcmp(view_at(&image.view, 0, y, 0), samples + y * WIDTH, WIDTH) == 0,
                     "%s: row %d has other samples", what, y);
        io_image_free(&image);
    }
    file_close(source);
    return status;
}

static void check_tag(uint16_t tag, int64_t value, const char *name)
{
    static const uint16_t integers[] = {TIFF_BYTE,   TIFF_SHORT, TIFF_LONG,  TIFF_SBYTE,
                                        TIFF_SSHORT, TIFF_SLONG, TIFF_LONG8, TIFF_SLONG8},
                          others[] = {TIFF_ASCII, TIFF_RATIONAL, TIFF_UNDEFINED,
                                      TIFF_FLOAT, TIFF_DOUBLE,   14,
                                      99};
    char what[64];
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        snprintf(what, sizeof what, "%s of type %d", name, integers[i]);
        swathe_status status = read_changed(tag, integers[i], value, what);
        io_check(status == SWATHE_OK, "%s: %s", what, fail_text());
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(what, sizeof what, "%s of type %d", name, others[i]);
        swathe_status status = read_changed(tag, others[i], value, what);
        io_check(status == SWATHE_ERROR_INPUT && strstr(fail_text(), name), "%s: status %d, %s",
                 what, (int)status, status == SWATHE_OK ? "read" : fail_text());
    }
    io_check(read_changed(tag, TIFF_SSHORT, -8, name) == SWATHE_ERROR_INPUT, "%s -8 is read", name);
    io_check(read_changed(tag, TIFF_LONG, 65536 + value, name) == SWATHE_ERROR_INPUT,
             "%s 65536 + %d is read", name, (int)value);
}

int main(void)
{
    TIFFSetWarningHandler(NULL);
    check_tag(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE, "Compression");
    check_tag(TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL, "Predictor");
    io_folder_remove();
    return io_finish("tiff_tag_types");
}
