/* Kinds of JPEG files. */
#include "io_check.h"

#include <stdio.h>

#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>

/* ---- Colours, quality, damage --------------------------------------------------------------- */

/* JPEG files of every kind that libjpeg writes: grey, RGB, CMYK, YCCK, progressive, arithmetic;
 * damage at the end; quality and subsampling of written files. */

enum { WIDTH = 70, HEIGHT = 50 };

/* Smooth samples in the file's colour space. */
static void fill_row(uint8_t *row, int y, int channels)
{
    for (int x = 0; x < WIDTH; x++)
        for (int c = 0; c < channels; c++)
            row[x * channels + c] = (uint8_t)(40 + x + 2 * y + 15 * c);
}

static unsigned restart_interval; /* of the generated files */

/* A file in memory, written by libjpeg alone. */
static uint8_t *make(int channels, J_COLOR_SPACE in, J_COLOR_SPACE stored, bool progressive,
                     bool arithmetic, unsigned long *size)
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    uint8_t row[WIDTH * 4], *rows[] = {row}, *bytes = NULL;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    *size = 0;
    jpeg_mem_dest(&info, &bytes, size);
    info.image_width = WIDTH;
    info.image_height = HEIGHT;
    info.input_components = channels;
    info.in_color_space = in;
    jpeg_set_defaults(&info);
    jpeg_set_colorspace(&info, stored);
    jpeg_set_quality(&info, 100, TRUE);
    info.arith_code = arithmetic;
    info.restart_interval = restart_interval;
    if (progressive)
        jpeg_simple_progression(&info);
    jpeg_start_compress(&info, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        fill_row(row, y, channels);
        jpeg_write_scanlines(&info, rows, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    return bytes;
}

static swathe_status read_bytes(const uint8_t *bytes, size_t size, struct io_image *image)
{
    io_save(io_path("kind.jpg"), bytes, size);
    return io_read(io_path("kind.jpg"), NULL, IO_DENSE, 6, image);
}

static void check_samples(const char *name, const swathe_image *got, swathe_color color)
{
    uint8_t row[WIDTH * 4];
    int most = 0;
    io_check(got->color == color, "%s: colour %d", name, (int)got->color);
    for (int y = 0; y < HEIGHT; y++) {
        const uint8_t *samples = view_at(got, 0, y, 0);
        fill_row(row, y, got->channels);
        for (int i = 0; i < WIDTH * got->channels; i++) {
            int want = color == SWATHE_COLOR_CMYK ? 255 - row[i] : row[i];
            most = abs(samples[i] - want) > most ? abs(samples[i] - want) : most;
        }
    }
    io_check(most <= 6, "%s: off by %d", name, most);
}

static void check_cut(const char *name, const uint8_t *bytes, unsigned long size)
{
    struct io_image got;
    swathe_status status = read_bytes(bytes, size, &got);
    io_check(status == SWATHE_ERROR_INPUT, "%s cut to %lu: status %d", name, size, (int)status);
    if (status == SWATHE_OK)
        io_image_free(&got);
}

static bool starts_scan(const uint8_t *at)
{
    return at[0] == 0xFF && (at[1] == 0xC4 || at[1] == 0xDA);
}

/* The file, and prefixes of it, with and without an end marker: the whole image or an error, never
 * a part. Arithmetic coding may omit zeros before the end marker, and a progressive file may have
 * one after any scan, so nothing is missing in these. */
static void check_kind(const char *name, int channels, J_COLOR_SPACE in, J_COLOR_SPACE stored,
                       bool progressive, bool arithmetic)
{
    static const swathe_color colors[] = {0, SWATHE_COLOR_GREY, 0, SWATHE_COLOR_RGB,
                                          SWATHE_COLOR_CMYK};
    unsigned long size;
    struct io_image got;
    uint8_t *bytes = make(channels, in, stored, progressive, arithmetic, &size);
    swathe_status status = read_bytes(bytes, size, &got);
    if (io_check(status == SWATHE_OK, "%s: %s", name, fail_text())) {
        check_samples(name, &got.view, colors[channels]);
        io_image_free(&got);
    }
    for (unsigned long cut = 3; cut + 8 < size; cut += 1 + size / 97) {
        uint8_t kept[2] = {bytes[cut], bytes[cut + 1]};
        check_cut(name, bytes, cut);
        bool whole = progressive && (starts_scan(bytes + cut) || starts_scan(bytes + cut - 1));
        memcpy(bytes + cut, "\xFF\xD9", 2);
        if (!arithmetic && !whole)
            check_cut(name, bytes, cut + 2);
        memcpy(bytes + cut, kept, 2);
    }
    free(bytes);
}

/* Only the end marker is missing: only for baseline files is it known whether the data is
 * complete. */
static void check_end_marker(bool progressive)
{
    unsigned long size;
    struct io_image got;
    uint8_t *bytes = make(3, JCS_RGB, JCS_YCbCr, progressive, false, &size);
    swathe_status status = read_bytes(bytes, size - 2, &got);
    io_check(status == (progressive ? SWATHE_ERROR_INPUT : SWATHE_OK),
             "without end marker, progressive %d: status %d", progressive, (int)status);
    if (status == SWATHE_OK)
        io_image_free(&got);
    free(bytes);
}

/* The data between two restart markers is missing. */
static void check_restart(void)
{
    unsigned long size, first = 0, second = 0;
    restart_interval = 5;
    uint8_t *bytes = make(3, JCS_RGB, JCS_YCbCr, false, false, &size);
    restart_interval = 0;
    for (unsigned long i = 0; i + 1 < size; i++) {
        first = bytes[i] == 0xFF && bytes[i + 1] == 0xD0 ? i : first;
        second = bytes[i] == 0xFF && bytes[i + 1] == 0xD1 ? i : second;
    }
    memmove(bytes + first, bytes + second, size - second);
    check_cut("without a restart interval", bytes, size - (second - first));
    free(bytes);
}

/* Extra bytes do no harm. */
static void check_warnings(void)
{
    unsigned long size;
    struct io_image got;
    uint8_t *bytes = make(3, JCS_RGB, JCS_YCbCr, false, false, &size);
    uint8_t *more = malloc(size + 3);
    memcpy(more, bytes, size - 2);
    memcpy(more + size - 2, "\x01\x02\x03\xFF\xD9", 5);
    swathe_status status = read_bytes(more, size + 3, &got);
    if (io_check(status == SWATHE_OK, "bytes before the end marker: %s", fail_text()))
        io_image_free(&got);
    free(more);
    free(bytes);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void check_cmyk_written(void)
{
    char text[128] = "";
    swathe_shape shape = io_shape(31, 17, 4, SWATHE_U8);
    shape.color = SWATHE_COLOR_CMYK;
    shape.alpha = 0;
    struct io_image image = io_image_make(&shape, IO_FLIPPED), got;
    swathe_write_options options = io_faithful(codec_named("jpeg"));
    io_fill_smooth(&image.view, 2);
    swathe_status status = io_write(io_path("cmyk.jpg"), &image.view, NULL, &options, 4);
    if (status == SWATHE_OK)
        status = io_read(io_path("cmyk.jpg"), NULL, IO_DENSE, 5, &got);
    if (io_check(status == SWATHE_OK, "CMYK: %s", fail_text())) {
        io_check(io_equal(&image.view, &got.view, 6, text, sizeof text) &&
                     got.view.color == SWATHE_COLOR_CMYK,
                 "CMYK: %s", text);
        io_image_free(&got);
    }
    io_image_free(&image);
}

/* The sampling factor of the first component, from the frame header. */
static int sampling(const char *path)
{
    size_t size, at = 2;
    int found = 0;
    uint8_t *bytes = io_load(path, &size);
    while (!found && at + 12 < size) {
        if (bytes[at + 1] == 0xC0)
            found = bytes[at + 11];
        at += 2 + (size_t)(bytes[at + 2] << 8 | bytes[at + 3]);
    }
    free(bytes);
    return found;
}

static void check_quality(int quality, int factor)
{
    swathe_shape shape = io_shape(16, 16, 3, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = io_faithful(codec_named("jpeg"));
    options.quality = quality;
    swathe_status status = io_write(io_path("quality.jpg"), &image.view, NULL, &options, 0);
    io_check(status == SWATHE_OK && sampling(io_path("quality.jpg")) == factor,
             "quality %d: sampling %x", quality, sampling(io_path("quality.jpg")));
    io_image_free(&image);
}

static void check_encoding(const char *path, int quality, int subsampling, swathe_source **source)
{
    if (!io_check(file_open(&memory_default, 1 << 28, path, NULL, source) == SWATHE_OK, "%s",
                  fail_text()))
        exit(1);
    const swathe_encoding *encoding = (*source)->metadata->encoding;
    io_check(encoding->quality == quality && encoding->subsampling == subsampling,
             "quality %d, subsampling %d: estimated %d, %d", quality, subsampling,
             encoding->quality, encoding->subsampling);
}

/* From JPEG to JPEG both are kept unless the options override them. */
static void check_kept(int quality, int subsampling, int32_t channels)
{
    swathe_shape shape = io_shape(40, 40, channels, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = SWATHE_INIT(swathe_write_options);
    swathe_source *first, *second;
    io_fill_smooth(&image.view, 3);
    options.overwrite = 1;
    options.quality = quality;
    options.subsampling = subsampling;
    io_check(io_write(io_path("first.jpg"), &image.view, NULL, &options, 0) == SWATHE_OK, "%s",
             fail_text());
    check_encoding(io_path("first.jpg"), quality, channels == 3 ? subsampling : 0, &first);
    options.quality = options.subsampling = 0;
    io_check(io_write(io_path("second.jpg"), &image.view, first->metadata, &options, 0) ==
                 SWATHE_OK,
             "%s", fail_text());
    check_encoding(io_path("second.jpg"), quality, channels == 3 ? subsampling : 0, &second);
    file_close(second);
    file_close(first);
    io_image_free(&image);
}

static void check_judged(void)
{
    static const int ways[] = {444, 440, 422, 420, 411, 410};
    unsigned long size;
    swathe_source *source;
    for (int quality = 1; quality <= 100; quality += quality < 95 ? 7 : 1)
        check_kept(quality, ways[quality % 6], 3);
    check_kept(77, 420, 1);
    uint8_t *bytes = make(3, JCS_RGB, JCS_YCbCr, true, false, &size);
    io_save(io_path("made.jpg"), bytes, size);
    check_encoding(io_path("made.jpg"), 100, 420, &source);
    file_close(source);
    free(bytes);
}

/* Whole numbers per inch or per centimetre are read back exactly. */
static void check_density(double per_metre)
{
    swathe_shape shape = io_shape(8, 8, 1, SWATHE_U8);
    struct io_image image = io_image_make(&shape, IO_DENSE);
    swathe_write_options options = io_faithful(codec_named("jpeg"));
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    swathe_source *source;
    metadata.x_resolution = metadata.y_resolution = per_metre;
    swathe_status status = io_write(io_path("density.jpg"), &image.view, &metadata, &options, 0);
    if (status == SWATHE_OK)
        status = file_open(&memory_default, 1 << 28, io_path("density.jpg"), NULL, &source);
    if (io_check(status == SWATHE_OK, "density: %s", fail_text())) {
        io_check(source->metadata->x_resolution == per_metre &&
                     source->metadata->y_resolution == per_metre,
                 "density: %.17g instead of %.17g", source->metadata->x_resolution, per_metre);
        file_close(source);
    }
    io_image_free(&image);
}

static void check_refused(int64_t width, int32_t channels, int quality, const char *why)
{
    swathe_shape shape = io_shape(width, 1, channels, SWATHE_U8);
    swathe_write_options options = io_faithful(codec_named("jpeg"));
    swathe_sink *sink = NULL;
    options.quality = quality;
    swathe_status status = file_create(&memory_default, 1 << 28, io_path("refused.jpg"), &shape,
                                       NULL, &options, &sink);
    io_check(status != SWATHE_OK && strstr(fail_text(), why), "status %d: %s", (int)status,
             fail_text());
    if (status == SWATHE_OK)
        file_discard(sink);
}

static void kinds_read(void)
{
    check_kind("grey", 1, JCS_GRAYSCALE, JCS_GRAYSCALE, false, false);
    check_kind("YCbCr", 3, JCS_RGB, JCS_YCbCr, false, false);
    check_kind("RGB", 3, JCS_RGB, JCS_RGB, false, false);
    check_kind("CMYK", 4, JCS_CMYK, JCS_CMYK, false, false);
    check_kind("YCCK", 4, JCS_CMYK, JCS_YCCK, false, false);
    check_kind("progressive", 3, JCS_RGB, JCS_YCbCr, true, false);
#ifdef C_ARITH_CODING_SUPPORTED
    check_kind("arithmetic", 3, JCS_RGB, JCS_YCbCr, false, true);
#endif
    check_end_marker(false);
    check_end_marker(true);
    check_restart();
    check_warnings();
    check_cmyk_written();
    check_quality(0, 0x22);
    check_quality(95, 0x22);
    check_quality(96, 0x11);
    check_judged();
    check_density(300 / 0.0254);
    check_density(11800);
    check_density(72 / 0.0254);
    check_refused(65501, 1, 90, "65500");
    check_refused(10, 4, 90, "write png");
    check_refused(10, 3, 101, "1 to 100");
}

/* ---- Scans, metadata and encodings ---------------------------------------------------------- */

/* JPEG files with several scans, valid and invalid; headers and callers with impossible values. */

enum { SIDE = 48, SOS = 0xDA, SOF0 = 0xC0 };

static uint8_t *bytes; /* of the current file */
static unsigned long size;

static void make_progressive(const jpeg_scan_info *scans, int count)
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
    make_progressive((jpeg_scan_info[]){means, detail}, 2);
    check("AC coefficients of luminance only", SWATHE_OK, "");
    make_progressive(&means, 1);
    check("DC coefficients only", SWATHE_OK, "");
    make_progressive((jpeg_scan_info[]){{3, {0, 1, 2}, 0, 0, 0, 1}, {1, {0}, 1, 63, 0, 2}}, 2);
    check("the last bits omitted", SWATHE_OK, "");
    make_progressive(
        (jpeg_scan_info[]){{1, {0}, 0, 0, 0, 0}, {1, {1}, 0, 0, 0, 0}, {1, {2}, 0, 0, 0, 0}}, 3);
    check("DC coefficients one by one", SWATHE_OK, "");
    repeat_last(0);
    check("no DC coefficients of the third component", SWATHE_ERROR_INPUT, "component 3 of 3");
    make_progressive(
        (jpeg_scan_info[]){{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}}, 3);
    check("sequential, one by one", SWATHE_OK, "");
    repeat_last(0);
    check("sequential, without the third", SWATHE_ERROR_INPUT, "component 3 of 3");
}

/* Each scan costs a pass over the image. A second progressive scan of the same bits is an error. */
static void check_many(void)
{
    static const jpeg_scan_info planes[] = {
        {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    make_progressive(planes, 3);
    repeat_last(98);
    check("100 scans", SWATHE_OK, "");
    make_progressive(planes, 3);
    repeat_last(99);
    check("101 scans", SWATHE_ERROR_INPUT, "more than 100 scans");
    make_progressive((jpeg_scan_info[]){{3, {0, 1, 2}, 0, 0, 0, 1}, {3, {0, 1, 2}, 0, 0, 1, 0}}, 2);
    repeat_last(2);
    check("the same scan twice", SWATHE_ERROR_INPUT, "progression");
}

/* A component selects its table by a byte; only 0 to 3 are valid. */
static void check_table_numbers(void)
{
    for (int number = 0; number < 256; number++)
        for (int component = 0; component < 3; component++) {
            make_progressive(NULL, 0);
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
    make_progressive(NULL, 0);
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
static void check_requested(int quality, int subsampling, size_t struct_size, swathe_status want)
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

static void scans_read(void)
{
    check_left_out();
    check_many();
    check_table_numbers();
    check_profile();
    for (int subsampling = -5; subsampling < 500; subsampling += 4)
        check_requested(80, subsampling, sizeof(swathe_encoding), SWATHE_OK);
    check_requested(-1, 420, sizeof(swathe_encoding), SWATHE_OK);
    check_requested(INT32_MAX, INT32_MIN, sizeof(swathe_encoding), SWATHE_OK);
    check_requested(80, 420, 0, SWATHE_ERROR_ARGUMENT);
    free(bytes);
}

int main(void)
{
    kinds_read();
    scans_read();
    io_folder_remove();
    return io_finish("jpeg_kinds");
}
