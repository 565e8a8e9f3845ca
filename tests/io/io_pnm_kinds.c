/* PBM to PAM and PFM byte by byte: headers, comments, maximum values, byte orders, and refusals. */
#include "io_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct kind {
    const char *bytes;
    size_t size;
    int width, height, channels;
    swathe_type type;
    double samples[16];
};

#define FILE_OF(text) text, sizeof text - 1

static const struct kind kinds[] = {
    {FILE_OF("P1 3 2 101 0 1 0"), 3, 2, 1, SWATHE_U8, {0, 255, 0, 255, 0, 255}},
    {FILE_OF("P1\n#c\n3#c\n2\n1#1\n0 1\n# 1\n0\t1 0\n"),
     3,
     2,
     1,
     SWATHE_U8,
     {0, 255, 0, 255, 0, 255}},
    {FILE_OF("P4\n10 1\n\xaa\x80"), 10, 1, 1, SWATHE_U8, {0, 255, 0, 255, 0, 255, 0, 255, 0, 255}},
    {FILE_OF("P2 4 1 255\n0 7 254 255"), 4, 1, 1, SWATHE_U8, {0, 7, 254, 255}},
    {FILE_OF("P2 4 1 255\n0 7#c\n254 255\n"), 4, 1, 1, SWATHE_U8, {0, 7, 254, 255}},
    {FILE_OF("P2 4 1 15\n0 1 14 15 "), 4, 1, 1, SWATHE_U8, {0, 17, 238, 255}},
    /* Halves are rounded to even, as in Pillow. */
    {FILE_OF("P2 3 1 2\n0 1 2 "), 3, 1, 1, SWATHE_U8, {0, 128, 255}},
    {FILE_OF("P2 3 1 6\n1 3 5 "), 3, 1, 1, SWATHE_U8, {42, 128, 212}},
    {FILE_OF("P2 3 1 1000\n0 500 1000 "), 3, 1, 1, SWATHE_U16, {0, 32768, 65535}},
    {FILE_OF("P3 2 1 255 1 2 3 4 5 6"), 2, 1, 3, SWATHE_U8, {1, 2, 3, 4, 5, 6}},
    {FILE_OF("P5 2 2 255\n\x01\xff\x00\x80"), 2, 2, 1, SWATHE_U8, {1, 255, 0, 128}},
    {FILE_OF("P5\n2 1\n3\n\x01\x07"), 2, 1, 1, SWATHE_U8, {85, 255}},
    {FILE_OF("P5 2 1 65535\n\x01\x02\xff\xfe"), 2, 1, 1, SWATHE_U16, {258, 65534}},
    {FILE_OF("P5 2 1 256\n\x01\x00\x00\x80"), 2, 1, 1, SWATHE_U16, {65535, 32768}},
    {FILE_OF("P6 1 2 255\nabcdef"), 1, 2, 3, SWATHE_U8, {97, 98, 99, 100, 101, 102}},
    {FILE_OF("P6 1 1 65535\n\1\2\3\4\5\6"), 1, 1, 3, SWATHE_U16, {258, 772, 1286}},
    {FILE_OF("P7\nWIDTH 1\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\nabcd"),
     1,
     2,
     2,
     SWATHE_U8,
     {97, 98, 99, 100}},
    {FILE_OF("P7\n# c\nDEPTH 5\nMAXVAL 1\nHEIGHT 1\nWIDTH 1\nENDHDR\n\0\1\0\1\1"),
     1,
     1,
     5,
     SWATHE_U8,
     {0, 255, 0, 255, 255}},
    {FILE_OF("Pf\n1 2\n-1.0\n\0\0\x80\x3f\0\0\0\x40"), 1, 2, 1, SWATHE_F32, {2, 1}},
    {FILE_OF("Pf 2 1 1\n\x3f\x80\0\0\x7f\x80\0\0"), 2, 1, 1, SWATHE_F32, {1, INFINITY}},
    {FILE_OF("PF\n1 1\n0.5\n\xbf\x80\0\0\x40\0\0\0\0\0\0\0"), 1, 1, 3, SWATHE_F32, {-1, 2, 0}},
};

static const struct {
    const char *bytes, *text;
} refused[] = {
    {"P5 0 5 255\n", "as its width, which must be 1 to"},
    {"P5 5 -5 255\n", "as its height"},
    {"P5 5 5 65536\n", "as its maximum, which must be 1 to 65535"},
    {"P5 5 5 0\n", "as its maximum"},
    {"P5 5 five 255\n", "'five' as its height"},
    {"P5 99999999999999999999 5 255\n", "as its width"},
    {"P5 1099511627776 1099511627776 255\n", "exceed 2^63"},
    {"P5 3 3 255\n12345678", "ends early: it has 19 bytes, its header requires 20"},
    {"P5 3 3", "ends early"},
    {"P2 3 1 255\n1 2", "ends early: it has 14 bytes, its header requires 16"},
    {"P2 3 1 255\n1 2     ", "ends early, within its samples"},
    {"P2 3 1 255\n1 2 256", "exceeds the maximum of 255"},
    {"P2 3 1 255\n1 -2 3", "not with a digit"},
    {"P2 3 1 255\n1 2x 3", "followed by byte 0x78"},
    {"P1 3 1\n1 2 0", "exceeds the maximum of 1"},
    {"P7\nWIDTH 3\nHEIGHT 3\nENDHDR\n", "lacks WIDTH, HEIGHT, DEPTH or MAXVAL"},
    {"P7\nWIDTH 3\nCOLOR 3\nENDHDR\n", "an unknown line 'COLOR'"},
    {"Pf\n2 2\n0\n", "'0' as its scale"},
    {"Pf\n2 2\nnan\n", "'nan' as its scale"},
    {"PF\n2 2\n-1\n0123456789", "ends early"},
};

static double sample(const swathe_image *image, int index)
{
    int64_t pixel = index / image->channels;
    const void *at =
        view_at(image, pixel % image->width, pixel / image->width, index % image->channels);
    return image->type == SWATHE_U8    ? *(const uint8_t *)at
           : image->type == SWATHE_U16 ? *(const uint16_t *)at
                                       : (double)*(const float *)at;
}

static void check_kind(const struct kind *kind, enum io_strides strides)
{
    struct io_image got;
    io_save(io_path("kind"), kind->bytes, kind->size);
    if (!io_check(io_read(io_path("kind"), NULL, strides, 1, &got) == SWATHE_OK, "%.20s: %s",
                  kind->bytes, fail_text()))
        return;
    const swathe_image *image = &got.view;
    io_check(image->width == kind->width && image->height == kind->height &&
                 image->channels == kind->channels && image->type == kind->type,
             "%.20s: %d x %d, %d channels, type %d", kind->bytes, (int)image->width,
             (int)image->height, image->channels, (int)image->type);
    for (int i = 0; i < kind->width * kind->height * kind->channels; i++)
        io_check(sample(image, i) == kind->samples[i], "%.20s: sample %d is %g instead of %g",
                 kind->bytes, i, sample(image, i), kind->samples[i]);
    io_image_free(&got);
}

/* Rows at the same address would keep only the last one. */
static void check_shared_rows(void)
{
    static const char file[] = "P5 3 2 255\n123456";
    swathe_source *source;
    uint8_t row[3];
    io_save(io_path("rows.pgm"), file, sizeof file - 1);
    if (!io_check(file_open(&memory_default, 1 << 28, io_path("rows.pgm"), NULL, &source) ==
                      SWATHE_OK,
                  "%s", fail_text()))
        return;
    swathe_image into = SWATHE_INIT(swathe_image);
    into.data = row;
    into.width = 3;
    into.height = 2;
    into.channels = 1;
    into.type = SWATHE_U8;
    into.pixel_stride = into.channel_stride = 1;
    swathe_status status = source->read(source->user, &into);
    io_check(status == SWATHE_ERROR_ARGUMENT, "rows that share memory: %d", (int)status);
    file_close(source);
}

int main(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int strides = 0; strides < IO_STRIDES_COUNT; strides++)
            check_kind(&kinds[i], (enum io_strides)strides);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct io_image got;
        io_save(io_path("refused"), refused[i].bytes, strlen(refused[i].bytes));
        swathe_status status = io_read(io_path("refused"), NULL, IO_DENSE, 0, &got);
        io_check((status == SWATHE_ERROR_INPUT || status == SWATHE_ERROR_LIMIT) &&
                     strstr(fail_text(), refused[i].text),
                 "%.24s: status %d, %s; expected '%s'", refused[i].bytes, (int)status, fail_text(),
                 refused[i].text);
    }
    check_shared_rows();
    io_folder_remove();
    return io_finish("io_pnm_kinds");
}
