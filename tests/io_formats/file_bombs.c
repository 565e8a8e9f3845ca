/* Small files that claim, or would cost, far more than their size: each is refused or read with
 * little time and memory, with default limits. */
#define _GNU_SOURCE /* wait4 */
#include "io_check.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

/* CPU time, so that other processes do not matter; emulators and sanitizers are slower. */
enum { SECONDS_MOST = 2, MEMORY_MOST = 96 << 10 /* KiB */, ROOM = 32 << 20 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { WATCH_MEMORY = 0 };
#else
enum { WATCH_MEMORY = 1 };
#endif

static uint8_t *file; /* under construction, with room for ROOM bytes */
static size_t size;

static void put(const void *bytes, size_t count)
{
    if (size + count > ROOM)
        abort();
    memcpy(file + size, bytes, count);
    size += count;
}

static void put_zeros(size_t count)
{
    static const uint8_t zeros[1 << 16];
    for (; count > sizeof zeros; count -= sizeof zeros)
        put(zeros, sizeof zeros);
    put(zeros, count);
}

static void put_number(uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--)
        put(&(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}

/* ---- One file ------------------------------------------------------------------------------- */

/* Reads a few rows at a time until the end or an error. */
static swathe_status read_rows(const char *path)
{
    swathe_source *source;
    TRY(file_open(&memory_default, (int64_t)1 << 32, path, NULL, &source));
    swathe_shape part = source->shape;
    part.height = 1;
    struct io_image rows = io_image_make(&part, IO_DENSE);
    swathe_status status = SWATHE_OK;
    for (; rows.view.y < source->shape.height && status == SWATHE_OK; rows.view.y++)
        status = source->read(source->user, &rows.view);
    return status;
}

/* In a separate process, whose memory use is measured. */
static void read_it(const char *path, swathe_status want, const char *why)
{
    swathe_status status = read_rows(path);
    bool right = status == want && (want == SWATHE_OK || io_said(why));
    if (!right)
        printf("status %d: %s\n", (int)status, fail_text());
    fflush(stdout);
    _exit(!right);
}

static void check(const char *name, swathe_status want, const char *why)
{
    struct rusage used;
    int result;
    io_save(io_path(name), file, size);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        read_it(io_path(name), want, why);
    if (!io_check(child > 0 && wait4(child, &result, 0, &used) == child, "%s: no process", name))
        return;
    io_check(result == 0, "%s: not refused, or with another error", name);
    io_check(used.ru_utime.tv_sec + used.ru_stime.tv_sec < SECONDS_MOST, "%s: %ld s", name,
             (long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec));
    io_check(!WATCH_MEMORY || used.ru_maxrss < MEMORY_MOST, "%s: %ld KiB", name, used.ru_maxrss);
    unlink(io_path(name));
}

/* ---- PNG ------------------------------------------------------------------------------------ */

static void put_chunk(const char *type, const void *data, size_t length)
{
    put_number(length, 4);
    size_t start = size;
    put(type, 4);
    put(data, length);
    put_number(crc32(0, file + start, (uInt)(size - start)), 4);
}

static void start_png(uint32_t width, uint32_t height, int bits, int color, int interlace)
{
    uint8_t header[13] = {(uint8_t)(width >> 24),
                          (uint8_t)(width >> 16),
                          (uint8_t)(width >> 8),
                          (uint8_t)width,
                          (uint8_t)(height >> 24),
                          (uint8_t)(height >> 16),
                          (uint8_t)(height >> 8),
                          (uint8_t)height,
                          (uint8_t)bits,
                          (uint8_t)color,
                          0,
                          0,
                          (uint8_t)interlace};
    size = 0;
    put("\x89PNG\r\n\x1a\n", 8);
    put_chunk("IHDR", header, sizeof header);
}

/* This many zero bytes, deflated. */
static uint8_t *deflated(size_t raw, const char *before, size_t before_size, size_t *length)
{
    uLongf made = compressBound(raw);
    uint8_t *zeros = calloc(raw, 1), *data = malloc(before_size + made);
    memcpy(data, before, before_size);
    compress(data + before_size, &made, zeros, raw);
    free(zeros);
    *length = before_size + made;
    return data;
}

/* One grey pixel. */
static void end_png(void)
{
    size_t length;
    uint8_t *data = deflated(2, "", 0, &length);
    put_chunk("IDAT", data, length);
    put_chunk("IEND", "", 0);
    free(data);
}

static void check_png_texts(void)
{
    static const char comment[] = "Comment\0\1\0\0", xmp[] = "XML:com.adobe.xmp\0\1\0\0";
    size_t length;
    start_png(1, 1, 8, 0, 0);
    put("\x7f\xff\xff\xffiTXtComment", 15);
    check("text_2g.png", SWATHE_ERROR_INPUT, "ends early");

    uint8_t *text = deflated(15 << 20, comment, sizeof comment, &length);
    start_png(1, 1, 8, 0, 0);
    for (int i = 0; i < 400; i++)
        put_chunk("iTXt", text, length);
    end_png();
    check("texts_6g.png", SWATHE_OK, "");
    free(text);

    text = deflated(64 << 20, xmp, sizeof xmp, &length);
    start_png(1, 1, 8, 0, 0);
    put_chunk("iTXt", text, length);
    end_png();
    check("xmp_64m.png", SWATHE_ERROR_LIMIT, "[max_metadata ");
    free(text);

    start_png(1, 1, 8, 0, 0);
    for (int i = 0; i < 300000; i++)
        put_chunk(i % 2 ? "tEXt" : "iTXt", "a", 1);
    end_png();
    check("many_chunks.png", SWATHE_OK, "");
}

/* Texts that are not used may have any length and position; XMP has a limit. */
static void check_png_long_texts(void)
{
    enum { LENGTH = 17 << 20 };
    uint8_t *text = calloc(LENGTH, 1);
    memcpy(text, "Comment", 8);
    start_png(1, 1, 8, 0, 0);
    put_chunk("iTXt", text, LENGTH);
    end_png();
    check("text_before.png", SWATHE_OK, "");
    start_png(1, 1, 8, 0, 0);
    end_png();
    size -= 12;
    put_chunk("iTXt", text, LENGTH);
    put_chunk("IEND", "", 0);
    check("text_after.png", SWATHE_OK, "");
    memcpy(text, "XML:com.adobe.xmp", 18);
    start_png(1, 1, 8, 0, 0);
    put_chunk("iTXt", text, LENGTH);
    end_png();
    check("xmp_before.png", SWATHE_ERROR_LIMIT, "[max_metadata ");
    free(text);
    start_png(1, 1, 8, 0, 0);
    put_chunk("CgBI", "\x50\0\x20\6", 4);
    end_png();
    check("critical.png", SWATHE_ERROR_UNSUPPORTED, "unknown critical chunk 'CgBI'");
}

static void check_png_sizes(void)
{
    size_t length;
    uint8_t *some = deflated(10 << 20, "", 0, &length);
    start_png(16384, 16384, 8, 2, 1);
    put_chunk("IDAT", some, length);
    check("interlaced.png", SWATHE_ERROR_INPUT, "ends early");
    free(some);
    start_png(1 << 27, 1, 16, 6, 0);
    put_chunk("IDAT", "\x78\x01", 2);
    check("wide.png", SWATHE_ERROR_INPUT, "ends early");
    some = deflated(16u << 20, "", 0, &length);
    start_png(16384, 16384, 1, 0,
              1); /* deflate could contain it; unpacked to bytes it is eight times as much */
    for (int i = 0; i < 3; i++)
        put_chunk("IDAT", some, length);
    check("interlaced_bits.png", SWATHE_ERROR_LIMIT, "[max_pixels 268435456]");
    free(some);
}

/* A blank page with all its data: few bytes, and yet a valid image. */
static void check_png_blank(void)
{
    static const int first[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
    static const int step[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}, {1, 2}};
    enum { SIDE = 3000 };
    size_t raw = 0, length;
    for (int i = 0; i < 7; i++) {
        size_t width = (size_t)((SIDE - first[i][0] + step[i][0] - 1) / step[i][0]);
        size_t height = (size_t)((SIDE - first[i][1] + step[i][1] - 1) / step[i][1]);
        raw += height * (1 + (width + 7) / 8);
    }
    uint8_t *data = deflated(raw, "", 0, &length);
    start_png(SIDE, SIDE, 1, 0, 1);
    put_chunk("IDAT", data, length);
    put_chunk("IEND", "", 0);
    check("blank.png", SWATHE_OK, "");
    free(data);
}

/* ---- JPEG ----------------------------------------------------------------------------------- */

/* Quantization tables of ones, and codes of one bit: a block costs two bits. */
static void start_jpeg(int frame, uint16_t side)
{
    size = 0;
    put("\xFF\xD8\xFF\xDB\0\x43\0", 7);
    for (int i = 0; i < 64; i++)
        put("\1", 1);
    put("\xFF\xC4\0\x14\0\1", 6);
    put_zeros(16);
    put("\xFF\xC4\0\x14\x10\1", 6);
    put_zeros(16);
    put(&(uint8_t[]){0xFF, (uint8_t)frame, 0, 17, 8}, 5);
    put_number(side, 2);
    put_number(side, 2);
    put("\3\1\x11\0\2\x11\0\3\x11\0", 10);
}

static void check_jpeg_scans(void)
{
    start_jpeg(0xC0, 65500);
    put("\xFF\xDA\0\x0C\3\1\0\2\0\3\0\0\x3F\0", 14);
    put_zeros(100);
    put("\xFF\xD9", 2);
    check("max.jpg", SWATHE_ERROR_INPUT, "premature end");

    start_jpeg(0xC2, 8000);
    put("\xFF\xDA\0\x0C\3\1\0\2\0\3\0\0\0\1", 14);
    put("\0", 1);
    for (int i = 0; i < 20000; i++)
        put("\xFF\xDA\0\x0C\3\1\0\2\0\3\0\0\0\x10", 14);
    put("\xFF\xD9", 2);
    check("scans.jpg", SWATHE_ERROR_INPUT, "premature end");

    start_jpeg(0xC2, 2048);
    put("\xFF\xDA\0\x0C\3\1\0\2\0\3\0\0\0\0", 14);
    put_zeros(3 * 256 * 256 / 8);
    for (int i = 0; i < 1000; i++) /* end of block, 32767 times, by the only symbol of the code */
        put("\xFF\xDA\0\x08\1\1\0\1\x3F\0\0", 11);
    put("\xFF\xD9", 2);
    check("repeated.jpg", SWATHE_ERROR_INPUT, "");

    start_jpeg(0xC2, 20000);
    put("\xFF\xDA\0\x0C\3\1\0\2\0\3\0\0\0\1", 14);
    put("\xFF\xD9", 2);
    check("progressive.jpg", SWATHE_ERROR_LIMIT, "[max_pixels 400000000]");
}

static void check_jpeg_markers(void)
{
    size = 0;
    put("\xFF\xD8", 2);
    for (int i = 0; i < 200000; i++)
        put("\xFF\xE1\0\2", 4);
    put("\xFF\xD9", 2);
    check("markers.jpg", SWATHE_ERROR_INPUT, "");
    size = 0;
    put("\xFF\xD8", 2);
    for (int i = 1; i <= 255; i++) {
        put("\xFF\xE2\xFF\xFFICC_PROFILE", 16);
        put(&(uint8_t[]){(uint8_t)i, 255}, 2);
        put_zeros(65519);
    }
    put("\xFF\xD9", 2);
    check("profile.jpg", SWATHE_ERROR_INPUT, "");
}

/* ---- WebP ----------------------------------------------------------------------------------- */

/* Lossless; the data is empty, but a complete image of one colour is not larger. */
static void check_webp(void)
{
    uint32_t sides = 16383u | 16383u << 14;
    size = 0;
    put("RIFF\x3C\0\0\0WEBPVP8L\x2F\0\0\0\x2F", 21);
    put(&(uint8_t[]){(uint8_t)sides, (uint8_t)(sides >> 8), (uint8_t)(sides >> 16),
                     (uint8_t)(sides >> 24)},
        4);
    put_zeros(43);
    check("max.webp", SWATHE_ERROR_LIMIT, "[max_pixels 268435456]");
}

/* ---- Netpbm --------------------------------------------------------------------------------- */

static void check_netpbm(void)
{
    static const char wide[] = "P3 1099511627776 1 255\n1 2 3", gap[] = "P2 2 1 255\n1 #";
    size = 0;
    put(wide, sizeof wide - 1);
    check("wide.ppm", SWATHE_ERROR_INPUT, "ends early");
    size = 0;
    put("P5\n", 3);
    for (int i = 0; i < 3 << 20; i++)
        put(" ", 1);
    check("spaces.pgm", SWATHE_ERROR_INPUT, "header has more than 1048576 bytes");
    size = 0;
    put("P7\n", 3);
    for (int i = 0; i < 300000; i++)
        put("WIDTH 3\n", 8);
    check("endless.pam", SWATHE_ERROR_INPUT, "header has more than 1048576 bytes");
    size = 0;
    put(gap, sizeof gap - 1);
    put_zeros(3 << 20);
    put("\n2\n", 3);
    check("gap.pgm", SWATHE_ERROR_INPUT, "more than 1048576 bytes of spaces");
}

int main(void)
{
#ifdef M_PERTURB
    mallopt(M_PERTURB, 0); /* meson's setting for tests, which would touch all allocated memory */
#endif
    file = malloc(ROOM);
    check_netpbm();
    if (codec_named("png")->built) {
        check_png_texts();
        check_png_long_texts();
        check_png_sizes();
        check_png_blank();
    }
    if (codec_named("jpeg")->built) {
        check_jpeg_scans();
        check_jpeg_markers();
    }
    if (codec_named("webp")->built)
        check_webp();
    free(file);
    io_folder_remove();
    return io_finish("file_bombs");
}
