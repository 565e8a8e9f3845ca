/* JPEG files with several scans, valid and invalid; headers and callers with impossible values. */
#include "io_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { SIDE = 48, SOS = 0xDA, SOF0 = 0xC0 };

static uint8_t *bytes; /* of the current file */
static unsigned long size;

static void make(const jpeg_scan_info *scans, int count)
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    uint8_t row[SIDE * 3], *rows[] = {row};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    free(bytes);
    bytes = NULL;
    size = 0;
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_width = info.image_height = SIDE;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    jpeg_set_defaults(&info);
    info.scan_info = scans;
    info.num_scans = count;
    jpeg_start_compress(&info, TRUE);
    for (int y = 0; y < SIDE; y++) {
        for (int i = 0; i < SIDE * 3; i++)
            row[i] = (uint8_t)(40 + i + y);
        jpeg_write_scanlines(&info, rows, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
}

/* The position of a marker in the file: the first, or the last. */
static unsigned long find(int marker, bool last)
{
    unsigned long found = 0;
    for (unsigned long i = 0; i + 1 < size && (last || !found); i++)
        if (bytes[i] == 0xFF && bytes[i + 1] == marker)
            found = i;
    return found;
}

/* Repeats the last scan `times` times, without the tables before it. */
static void repeat_last(int times)
{
    unsigned long scan = find(SOS, true);
    size_t length = size - 2 - scan, total = scan + (size_t)times * length + 2;
    uint8_t *many = malloc(total);
    memcpy(many, bytes, scan);
    for (int i = 0; i < times; i++)
        memcpy(many + scan + (size_t)i * length, bytes + scan, length);
    memcpy(many + total - 2, "\xFF\xD9", 2);
    free(bytes);
    bytes = many;
    size = total;
}

static void check(const char *name, swathe_status want, const char *why)
{
    struct io_image got;
    io_save(io_path("scans.jpg"), bytes, size);
    swathe_status status = io_read(io_path("scans.jpg"), NULL, IO_DENSE, 6, &got);
    io_check(status == want && (want == SWATHE_OK || strstr(fail_text(), why)), "%s: %d %s", name,
             (int)status, status == SWATHE_OK ? "" : fail_text());
    if (status == SWATHE_OK)
        io_image_free(&got);
}

static const jpeg_scan_info means = {3, {0, 1, 2}, 0, 0, 0, 0};
static const jpeg_scan_info detail = {1, {0}, 1, 63, 0, 0};

/* The standard requires only the DC coefficients. */
static void check_left_out(void)
{
    make((jpeg_scan_info[]){means, detail}, 2);
    check("AC coefficients of luminance only", SWATHE_OK, "");
    make(&means, 1);
    check("DC coefficients only", SWATHE_OK, "");
    make((jpeg_scan_info[]){{3, {0, 1, 2}, 0, 0, 0, 1}, {1, {0}, 1, 63, 0, 2}}, 2);
    check("the last bits omitted", SWATHE_OK, "");
    make((jpeg_scan_info[]){{1, {0}, 0, 0, 0, 0}, {1, {1}, 0, 0, 0, 0}, {1, {2}, 0, 0, 0, 0}}, 3);
    check("DC coefficients one by one", SWATHE_OK, "");
    repeat_last(0);
    check("no DC coefficients of the third component", SWATHE_ERROR_INPUT, "component 3 of 3");
    make((jpeg_scan_info[]){{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}},
         3);
    check("sequential, one by one", SWATHE_OK, "");
    repeat_last(0);
    check("sequential, without the third", SWATHE_ERROR_INPUT, "component 3 of 3");
}

/* Each scan costs a pass over the image. A second progressive scan of the same bits is an error. */
static void check_many(void)
{
    static const jpeg_scan_info planes[] = {
        {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    make(planes, 3);
    repeat_last(98);
    check("100 scans", SWATHE_OK, "");
    make(planes, 3);
    repeat_last(99);
    check("101 scans", SWATHE_ERROR_INPUT, "more than 100 scans");
    make((jpeg_scan_info[]){{3, {0, 1, 2}, 0, 0, 0, 1}, {3, {0, 1, 2}, 0, 0, 1, 0}}, 2);
    repeat_last(2);
    check("the same scan twice", SWATHE_ERROR_INPUT, "progression");
}

/* A component selects its table by a byte; only 0 to 3 are valid. */
static void check_table_numbers(void)
{
    for (int number = 0; number < 256; number++)
        for (int component = 0; component < 3; component++) {
            make(NULL, 0);
            bytes[find(SOF0, false) + 12 + 3 * (unsigned)component] = (uint8_t)number;
            if (number > 1)
                check("another table number", SWATHE_ERROR_INPUT, "uantization table");
        }
}

/* Parts of a profile count when they arrive, because they might never be complete. */
static void check_profile(void)
{
    enum { PART = 65533, PARTS = 3 };
    swathe_read_options options = SWATHE_INIT(swathe_read_options);
    swathe_source *source = NULL;
    make(NULL, 0);
    size_t total = size + PARTS * (PART + 2);
    uint8_t *more = calloc(total, 1), *at = more + 2;
    memcpy(more, bytes, 2);
    for (int i = 1; i <= PARTS; i++, at += PART + 2) {
        memcpy(at, "\xFF\xE2\xFF\xFDICC_PROFILE", 16);
        at[16] = (uint8_t)i;
        at[17] = 255;
    }
    memcpy(at, bytes + 2, size - 2);
    io_save(io_path("profile.jpg"), more, total);
    options.max_metadata = 2 * PART;
    swathe_status status =
        file_open(&memory_default, 1 << 28, io_path("profile.jpg"), &options, &source);
    io_check(status == SWATHE_ERROR_LIMIT && !strcmp(fail_last()->subject, "max_metadata"),
             "parts of a profile: %d", (int)status);
    file_close(source);
    free(more);
}

/* Values that a caller sets for the source are validated. */
static void check_encoding(int quality, int subsampling, size_t struct_size, swathe_status want)
{
    swathe_shape shape = io_shape(40, 40, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_encoding encoding = SWATHE_INIT(swathe_encoding);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    encoding.struct_size = struct_size;
    encoding.format = "jpeg";
    encoding.quality = quality;
    encoding.subsampling = subsampling;
    metadata.encoding = &encoding;
    options.overwrite = 1;
    swathe_status status = io_write(io_path("said.jpg"), &image.view, &metadata, &options, 0);
    io_check(status == want, "quality %d, subsampling %d, struct_size %zu: %d", quality,
             subsampling, struct_size, (int)status);
    io_image_free(&image);
}

int main(void)
{
    check_left_out();
    check_many();
    check_table_numbers();
    check_profile();
    for (int subsampling = -5; subsampling < 500; subsampling += 4)
        check_encoding(80, subsampling, sizeof(swathe_encoding), SWATHE_OK);
    check_encoding(-1, 420, sizeof(swathe_encoding), SWATHE_OK);
    check_encoding(INT32_MAX, INT32_MIN, sizeof(swathe_encoding), SWATHE_OK);
    check_encoding(80, 420, 0, SWATHE_ERROR_ARGUMENT);
    free(bytes);
    io_folder_remove();
    return io_finish("jpeg_scans");
}
