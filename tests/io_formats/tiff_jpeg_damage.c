/* JPEG data in a TIFF that is damaged, or ends early: libtiff only warns and makes up samples; here
 * it is an error. */
#include "io_check.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

enum { EDGE = 256 };

/* One strip; `color`: as YCbCr. */
static void make(const char *path, bool color)
{
    swathe_shape shape = io_shape(EDGE, EDGE, color ? 3 : 1, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_noise(&image.view, 1);
    TIFF *tiff = TIFFOpen(path, "wl");
    if (!tiff)
        exit(EXIT_FAILURE);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, EDGE);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, EDGE);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, shape.channels);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_JPEG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, color ? PHOTOMETRIC_YCBCR : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, EDGE);
    if (color)
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    if (TIFFWriteEncodedStrip(tiff, 0, image.view.data, EDGE * EDGE * shape.channels) < 0)
        exit(EXIT_FAILURE);
    TIFFClose(tiff);
    io_image_free(&image);
}

static uint8_t *find_value(uint8_t *bytes, size_t size, uint16_t tag)
{
    uint32_t first;
    memcpy(&first, bytes + 4, 4);
    for (size_t at = first + 2; at + 12 <= size; at += 12)
        if ((bytes[at] | bytes[at + 1] << 8) == tag)
            return bytes + at + 8;
    exit(EXIT_FAILURE);
}

/* `kind` 0: as it is; 1: half of the data; 2: an end marker in its middle. */
static swathe_status read_damaged(bool color, int kind)
{
    struct io_image image;
    size_t size;
    uint32_t offset, count;
    make(io_path("jpeg.tif"), color);
    uint8_t *bytes = io_load(io_path("jpeg.tif"), &size);
    memcpy(&offset, find_value(bytes, size, TIFFTAG_STRIPOFFSETS), sizeof offset);
    memcpy(&count, find_value(bytes, size, TIFFTAG_STRIPBYTECOUNTS), sizeof count);
    uint32_t half = count / 2;
    if (kind == 1)
        memcpy(find_value(bytes, size, TIFFTAG_STRIPBYTECOUNTS), &half, sizeof half);
    if (kind == 2)
        memcpy(bytes + offset + half, "\xff\xd9", 2);
    io_save(io_path("jpeg.tif"), bytes, size);
    free(bytes);
    swathe_status status = io_read(io_path("jpeg.tif"), NULL, IO_DENSE, 0, &image);
    if (status == SWATHE_OK)
        io_image_free(&image);
    return status;
}

int main(void)
{
    TIFFSetWarningHandler(NULL);
    for (int color = 0; color < 2 && TIFFIsCODECConfigured(COMPRESSION_JPEG); color++)
        for (int kind = 0; kind < 3; kind++) {
            swathe_status status = read_damaged(color, kind);
            io_check(status == (kind ? SWATHE_ERROR_INPUT : SWATHE_OK), "color %d, kind %d: %s",
                     color, kind, status == SWATHE_OK ? "read" : fail_text());
            io_check(kind == 0 || strstr(fail_text(), "JPEG"), "kind %d: %s", kind, fail_text());
        }
    io_folder_remove();
    return io_finish("tiff_jpeg_damage");
}
