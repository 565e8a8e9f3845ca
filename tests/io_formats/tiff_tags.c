/* Tags of TIFF files. */
#include "io_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <time.h>

/* ---- Tags that are copied ------------------------------------------------------------------- */

/* GeoTIFF tags from file to file: the same values for any byte order and width of the file; for a
 * part, shifted to its position; and tags of the same number with another meaning. */

enum { SCALE = 33550, TIEPOINTS = 33922, MATRIX = 34264, KEYS = 34735, NUMBERS = 34736 };
enum { TEXTS = 34737, GDAL_METADATA = 42112, GDAL_NODATA = 42113 };

#define DOUBLES(tag)                                                                               \
    {                                                                                              \
        tag, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)#tag         \
    }
#define TEXT(tag)                                                                                  \
    {                                                                                              \
        tag, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_ASCII, FIELD_CUSTOM, 1, 1, (char *)#tag          \
    }

static const TIFFFieldInfo fields[] = {
    DOUBLES(SCALE),
    DOUBLES(TIEPOINTS),
    DOUBLES(MATRIX),
    {KEYS, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)"KEYS"},
    DOUBLES(NUMBERS),
    TEXT(TEXTS),
    TEXT(GDAL_METADATA),
    TEXT(GDAL_NODATA),
};

static const double scale[] = {10, 20, 0};
static const double tiepoints[] = {0, 0, 0, 500000, 4000000, 7, 9, 8, 1, 500090, 3999840, 7};
static const double matrix[] = {3, 4, 0, 100, -4, 3, 0, 200, 0, 0, 1, 5, 0, 0, 0, 1};
static const uint16_t keys[] = {1, 1, 0, 1, 1024, 0, 1, 1};
static const double numbers[] = {0.1, -0.0, 1e300};

static const char *gdal = "<GDALMetadata/>\0more";
static uint32_t gdal_size = 21;

static void set_tags(TIFF *tiff)
{
    TIFFMergeFieldInfo(tiff, fields, sizeof fields / sizeof *fields);
    TIFFSetField(tiff, SCALE, 3, scale);
    TIFFSetField(tiff, TIEPOINTS, 12, tiepoints);
    TIFFSetField(tiff, MATRIX, 16, matrix);
    TIFFSetField(tiff, KEYS, 8, keys);
    TIFFSetField(tiff, NUMBERS, 3, numbers);
    TIFFSetField(tiff, TEXTS, 13, "WGS 84|zone|");
    TIFFSetField(tiff, GDAL_METADATA, gdal_size, gdal);
    TIFFSetField(tiff, GDAL_NODATA, 3, "-1");
}

static void make(const char *path, const char *mode)
{
    uint8_t rows[30 * 20] = {0};
    TIFF *tiff = TIFFOpen(path, mode);
    if (!tiff)
        exit(EXIT_FAILURE);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, 30);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 20);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 20);
    set_tags(tiff);
    if (TIFFWriteEncodedStrip(tiff, 0, rows, sizeof rows) < 0)
        exit(EXIT_FAILURE);
    TIFFClose(tiff);
}

/* Copies the part that starts at (x, y) through our reader and writer. */
static swathe_status copy(const char *from, const char *to, int64_t x, int64_t y)
{
    struct io_image image;
    swathe_source *source;
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    TRY(file_open(&memory_default, 1 << 28, from, NULL, &source));
    swathe_metadata metadata = *source->metadata;
    metadata.geo_x = x;
    metadata.geo_y = y;
    options.overwrite = 1;
    swathe_status status = io_read_source(source, IO_DENSE, 4, &image);
    if (status == SWATHE_OK) {
        status = io_write(to, &image.view, &metadata, &options, 3);
        io_image_free(&image);
    }
    file_close(source);
    return status;
}

/* ---- Checked with libtiff ------------------------------------------------------------------- */

static void check_tag(TIFF *tiff, uint32_t tag, uint32_t want, const void *bytes, size_t size,
                      const char *what)
{
    uint32_t count = 0;
    void *values = NULL;
    io_check(TIFFGetField(tiff, tag, &count, &values) && count == want &&
                 memcmp(values, bytes, size) == 0,
             "%s: tag %d: %d values, other than the written ones", what, (int)tag, (int)count);
}

static void check_file(const char *path, const double *points, const double *to_places,
                       const char *what)
{
    TIFF *tiff = TIFFOpen(path, "r");
    if (!io_check(tiff != NULL, "%s: not read", what))
        return;
    check_tag(tiff, SCALE, 3, scale, sizeof scale, what);
    check_tag(tiff, TIEPOINTS, 12, points, sizeof tiepoints, what);
    check_tag(tiff, MATRIX, 16, to_places, sizeof matrix, what);
    check_tag(tiff, KEYS, 8, keys, sizeof keys, what);
    check_tag(tiff, NUMBERS, 3, numbers, sizeof numbers, what);
    check_tag(tiff, TEXTS, 13, "WGS 84|zone|", 13, what);
    check_tag(tiff, GDAL_METADATA, 21, "<GDALMetadata/>\0more", 21, what);
    check_tag(tiff, GDAL_NODATA, 3, "-1", 3, what);
    TIFFClose(tiff);
}

static void check_mode(const char *mode)
{
    static const double moved[] = {-5, -7, 0, 500000, 4000000, 7, 4, 1, 1, 500090, 3999840, 7};
    static const double moved_matrix[] = {3, 4, 0, 143, -4, 3, 0, 201, 0, 0, 1, 5, 0, 0, 0, 1};
    char from[256], to[256];
    snprintf(from, sizeof from, "%s", io_path("from.tif"));
    snprintf(to, sizeof to, "%s", io_path("to.tif"));
    make(from, mode);
    io_check(copy(from, to, 0, 0) == SWATHE_OK, "%s: %s", mode, fail_text());
    check_file(to, tiepoints, matrix, mode);
    io_check(copy(from, to, 5, 7) == SWATHE_OK, "%s: %s", mode, fail_text());
    check_file(to, moved, moved_matrix, mode);
}

/* GDAL's statistics are not valid for the result and are dropped; other items and "no data" are
 * kept. */
static void check_statistics(void)
{
    static const char all[] = "<GDALMetadata>\n"
                              "  <Item name=\"STATISTICS_MEAN\" sample=\"0\">7</Item>\n"
                              "  <Item name=\"DESCRIPTION\" sample=\"0\">red</Item>\n"
                              "  <Item sample=\"0\" name='STATISTICS_MAXIMUM' />\n"
                              "  <Item name=\"SCALE\" role=\"scale\">2</Item>\n"
                              "  <Item name=\"STATISTICS_HISTOBINVALUES\">1|2</Item>\n"
                              "</GDALMetadata>\n",
                      rest[] = "<GDALMetadata>\n"
                               "  <Item name=\"DESCRIPTION\" sample=\"0\">red</Item>\n"
                               "  <Item name=\"SCALE\" role=\"scale\">2</Item>\n"
                               "</GDALMetadata>\n",
                      alone[] = "<GDALMetadata><Item name=\"STATISTICS_MEAN\">7</Item>";
    char from[256], to[256];
    void *values;
    snprintf(from, sizeof from, "%s", io_path("from.tif"));
    snprintf(to, sizeof to, "%s", io_path("to.tif"));
    for (int i = 0; i < 2; i++) {
        gdal = i ? alone : all;
        gdal_size = i ? sizeof alone : sizeof all;
        make(from, "w");
        io_check(copy(from, to, 0, 0) == SWATHE_OK, "statistics: %s", fail_text());
        TIFF *tiff = TIFFOpen(to, "r");
        if (!io_check(tiff != NULL, "statistics: not read"))
            return;
        check_tag(tiff, GDAL_NODATA, 3, "-1", 3, "statistics");
        if (i == 0)
            check_tag(tiff, GDAL_METADATA, sizeof rest, rest, sizeof rest, "statistics");
        else
            io_check(!TIFFGetField(tiff, GDAL_METADATA, &gdal_size, &values), "statistics kept");
        TIFFClose(tiff);
    }
}

static size_t kept_bytes(const char *path, int64_t max_metadata, swathe_status *status)
{
    swathe_source *source;
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    options.max_metadata = max_metadata;
    *status = file_open(&memory_default, 1 << 28, path, &options, &source);
    if (*status != SWATHE_OK)
        return 0;
    size_t size = source->metadata->geo_size;
    file_close(source);
    return size;
}

/* Megabytes of items, complete and damaged, take linear time. */
static void check_many_items(void)
{
    enum { BYTES = 4 << 20 };
    static const char *const items[] = {"<Item>",
                                        "<Item",
                                        "<Item name=",
                                        "<Item name=\"STATISTICS_MEAN\">7</Item>",
                                        "<Item name=\"STATISTICS_MEAN\"/> ",
                                        "<Item name=\"STATISTICS_MEAN\">"};
    static char text[BYTES];
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        size_t length = strlen(items[i]);
        for (size_t at = 0; at < BYTES - 1; at++)
            text[at] = items[i][at % length];
        gdal = text;
        gdal_size = BYTES;
        make(io_path("many.tif"), "w");
        clock_t start = clock();
        swathe_status status;
        kept_bytes(io_path("many.tif"), 0, &status);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        io_check(status == SWATHE_OK && seconds < 1, "4 MiB of '%s': status %d, %.1f s", items[i],
                 (int)status, seconds);
    }
}

/* ---- Damage --------------------------------------------------------------------------------- */

/* Each tag in turn gets the type of another: it is dropped, the others are kept. */
static void check_types(void)
{
    size_t size;
    swathe_status status;
    make(io_path("types.tif"), "wl");
    size_t all = kept_bytes(io_path("types.tif"), 0, &status);
    uint8_t *bytes = io_load(io_path("types.tif"), &size);
    for (size_t i = 8; bytes && i + 12 <= size; i += 2)
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            if ((bytes[i] | bytes[i + 1] << 8) == (int)fields[f].field_tag &&
                (bytes[i + 2] | bytes[i + 3] << 8) == (int)fields[f].field_type) {
                uint8_t type = bytes[i + 2];
                bytes[i + 2] = 1; /* bytes */
                io_save(io_path("types.tif"), bytes, size);
                size_t left = kept_bytes(io_path("types.tif"), 0, &status);
                io_check(status == SWATHE_OK && left > 0 && left < all, "tag %d as bytes: %d of %d",
                         (int)fields[f].field_tag, (int)left, (int)all);
                bytes[i + 2] = type;
            }
    free(bytes);
    make(io_path("types.tif"), "wl");
    kept_bytes(io_path("types.tif"), 100, &status);
    io_check(status == SWATHE_ERROR_LIMIT, "more than the limit: %d", (int)status);
}

static void copied_tags(void)
{
    static const char *const modes[] = {"wl", "wb", "wl8", "wb8"};
    TIFFSetWarningHandler(NULL);
    for (int i = 0; i < 4; i++)
        check_mode(modes[i]);
    check_types();
    check_statistics();
    check_many_items();
}

/* ---- Types of numbers ----------------------------------------------------------------------- */

/* The compression and predictor tags with each type that a file may use: integers of any width are
 * accepted, all others are refused. */

enum { WIDTH = 20, HEIGHT = 10 };

/* Writes a BigTIFF file with deflate and a predictor; returns its samples. */
static void make_big(const char *path, uint8_t *samples)
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
    make_big(io_path("types.tif"), samples);
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

static void check_tag_types(uint16_t tag, int64_t value, const char *name)
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

static void tag_types(void)
{
    TIFFSetWarningHandler(NULL);
    check_tag_types(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE, "Compression");
    check_tag_types(TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL, "Predictor");
}

int main(void)
{
    copied_tags();
    tag_types();
    io_folder_remove();
    return io_finish("tiff_tags");
}
