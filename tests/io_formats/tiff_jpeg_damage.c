/* JPEG data in a TIFF that is damaged or ends early: libtiff only warns and invents samples; Swathe
 * reports an error. */
#include "io_check.h"

#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

enum { EDGE = 256 };

/* One strip; `color`: YCbCr. */
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

/* How the data is damaged. */
enum damage { SOUND, HALF, END_MARKER, JUNK, JUNK_AND_END_MARKER, DAMAGES };

enum { JUNK_BYTES = 8, MARKER = 2 };

/* Writes damaged data of `size` bytes at `from`, and returns its size. Junk follows the first
 * marker.
 *  */
static uint32_t damage(enum damage kind, const uint8_t *from, uint32_t size, uint8_t *to)
{
    uint32_t junk = kind >= JUNK ? JUNK_BYTES : 0;
    memset(to, 0, MARKER + junk);
    memcpy(to, from, MARKER);
    memcpy(to + MARKER + junk, from + MARKER, size - MARKER);
    if (kind == END_MARKER || kind == JUNK_AND_END_MARKER)
        memcpy(to + junk + size / 2, "\xff\xd9", 2);
    return kind == HALF ? size / 2 : size + junk;
}

static swathe_status read_back(const uint8_t *bytes, size_t size)
{
    struct io_image image;
    io_save(io_path("jpeg.tif"), bytes, size);
    swathe_status status = io_read(io_path("jpeg.tif"), NULL, IO_DENSE, 0, &image);
    if (status == SWATHE_OK)
        io_image_free(&image);
    return status;
}

/* Appends damaged data to the file. */
static swathe_status read_damaged(bool color, enum damage kind)
{
    size_t size;
    uint32_t offset, count;
    make(io_path("jpeg.tif"), color);
    uint8_t *file = io_load(io_path("jpeg.tif"), &size), *bytes = calloc(2, size + JUNK_BYTES);
    if (!bytes)
        exit(EXIT_FAILURE);
    memcpy(bytes, file, size);
    free(file);
    uint8_t *offset_at = find_value(bytes, size, TIFFTAG_STRIPOFFSETS);
    uint8_t *count_at = find_value(bytes, size, TIFFTAG_STRIPBYTECOUNTS);
    memcpy(&offset, offset_at, sizeof offset);
    memcpy(&count, count_at, sizeof count);
    count = damage(kind, bytes + offset, count, bytes + size);
    offset = (uint32_t)size;
    memcpy(offset_at, &offset, sizeof offset);
    memcpy(count_at, &count, sizeof count);
    swathe_status status = read_back(bytes, size + count);
    free(bytes);
    return status;
}

/* ---- The older kind: a whole JPEG file ------------------------------------------------------- */

static uint8_t *make_jpeg(uint32_t *size)
{
    size_t got;
    swathe_shape shape = io_shape(EDGE, EDGE, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    io_fill_noise(&image.view, 1);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    options.overwrite = 1;
    if (io_write(io_path("old.jpg"), &image.view, NULL, &options, 0) != SWATHE_OK)
        exit(EXIT_FAILURE);
    io_image_free(&image);
    uint8_t *bytes = io_load(io_path("old.jpg"), &got);
    *size = (uint32_t)got;
    return bytes;
}

static swathe_status read_old(enum damage kind)
{
    enum { TAGS = 12, START = 8 + 2 + TAGS * 12 + 4 + 8 };
    uint32_t size;
    uint8_t *jpeg = make_jpeg(&size), *bytes = calloc(1, START + size + JUNK_BYTES);
    if (!bytes)
        exit(EXIT_FAILURE);
    size = damage(kind, jpeg, size, bytes + START);
    free(jpeg);
    const struct {
        uint16_t tag, type;
        uint32_t count, value;
    } tags[TAGS] = {
        {TIFFTAG_IMAGEWIDTH, TIFF_SHORT, 1, EDGE},
        {TIFFTAG_IMAGELENGTH, TIFF_SHORT, 1, EDGE},
        {TIFFTAG_BITSPERSAMPLE, TIFF_SHORT, 3, START - 8},
        {TIFFTAG_COMPRESSION, TIFF_SHORT, 1, COMPRESSION_OJPEG},
        {TIFFTAG_PHOTOMETRIC, TIFF_SHORT, 1, PHOTOMETRIC_YCBCR},
        {TIFFTAG_STRIPOFFSETS, TIFF_LONG, 1, START},
        {TIFFTAG_SAMPLESPERPIXEL, TIFF_SHORT, 1, 3},
        {TIFFTAG_ROWSPERSTRIP, TIFF_SHORT, 1, EDGE},
        {TIFFTAG_STRIPBYTECOUNTS, TIFF_LONG, 1, size},
        {TIFFTAG_PLANARCONFIG, TIFF_SHORT, 1, PLANARCONFIG_CONTIG},
        {TIFFTAG_JPEGIFOFFSET, TIFF_LONG, 1, START},
        {TIFFTAG_JPEGIFBYTECOUNT, TIFF_LONG, 1, size},
    };
    memcpy(bytes, "II*\0\10\0\0\0", 8);
    memcpy(bytes + 8, &(uint16_t){TAGS}, 2);
    memcpy(bytes + 10, tags, sizeof tags);
    memcpy(bytes + START - 8, (const uint16_t[]){8, 8, 8}, 6);
    swathe_status status = read_back(bytes, START + size);
    free(bytes);
    return status;
}

static void check(const char *name, enum damage kind, swathe_status status)
{
    io_check(status == (kind ? SWATHE_ERROR_INPUT : SWATHE_OK), "%s, damage %d: %s", name,
             (int)kind, status == SWATHE_OK ? "read" : fail_text());
    io_check(kind == SOUND || strstr(fail_text(), "JPEG"), "%s, damage %d: %s", name, (int)kind,
             fail_text());
}

int main(void)
{
    TIFFSetWarningHandler(NULL);
    const struct codec *jpeg = codec_named("jpeg");
    for (enum damage kind = SOUND; kind < DAMAGES && TIFFIsCODECConfigured(COMPRESSION_JPEG);
         kind++) {
        check("grey", kind, read_damaged(false, kind));
        check("color", kind, read_damaged(true, kind));
    }
    for (enum damage kind = SOUND;
         kind < JUNK && jpeg && jpeg->built && TIFFIsCODECConfigured(COMPRESSION_OJPEG); kind++)
        check("old", kind, read_old(kind));
    io_folder_remove();
    return io_finish("tiff_jpeg_damage");
}
