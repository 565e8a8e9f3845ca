#include "io_samples.h"

#include <string.h>

static const uint8_t interlaced[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x05, 0x08, 0x00, 0x00, 0x00, 0x01, 0xdf,
    0x03, 0x49, 0xaf, 0x00, 0x00, 0x00, 0x2c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60,
    0x60, 0xe0, 0x61, 0x70, 0xf0, 0x61, 0x60, 0x63, 0x70, 0x63, 0x50, 0x50, 0xd3, 0x61, 0x60,
    0xe6, 0x64, 0x50, 0xd6, 0x64, 0x70, 0xf6, 0x64, 0x10, 0x10, 0x16, 0x93, 0x94, 0x61, 0x30,
    0x30, 0x36, 0xb3, 0xb4, 0x01, 0x00, 0x38, 0x43, 0x03, 0xb7, 0x19, 0x24, 0xd3, 0xd2, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static const uint8_t palette[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x03, 0x02, 0x03, 0x00, 0x00, 0x00, 0xcd, 0x6f, 0x96,
    0x68, 0x00, 0x00, 0x00, 0x0c, 0x50, 0x4c, 0x54, 0x45, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00,
    0x00, 0xff, 0x09, 0x08, 0x07, 0xa2, 0xd2, 0x62, 0xc0, 0x00, 0x00, 0x00, 0x02, 0x74, 0x52, 0x4e,
    0x53, 0x80, 0x00, 0x4d, 0x10, 0x55, 0x73, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0x90, 0x7e, 0xc0, 0x00, 0x46, 0x00, 0x0c, 0x1e, 0x02, 0xf2, 0x65, 0x65, 0x20, 0x2f,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static const char plain_bits[] = "P1\n# comment\n5 3\n10101 01010\n1 1 0 0 1\n";
static const char plain_grey[] = "P2 4 2 15\n0 1 2 3 # comment\n 12 13 14 15\n";
static const char plain_color[] = "P3\n2 2\n1000\n0 1 2 3 4 5\n500 999 1000 7 8 9\n";
static const char packed_bits[] = "P4\n11 2\n\xa5\xa0\x5a\x40";
static const char float_big[] = "Pf\n2 2\n1.0\n\x3f\x80\0\0\xbf\x80\0\0\x40\0\0\0\x7f\x80\0\0";

#define TEXT(name, bytes)                                                                          \
    {                                                                                              \
        name, bytes, sizeof bytes - 1                                                              \
    }

const struct io_sample io_samples[] = {
    {"interlaced png", interlaced, sizeof interlaced},
    {"palette png", palette, sizeof palette},
    TEXT("plain pbm", plain_bits),
    TEXT("plain pgm", plain_grey),
    TEXT("plain ppm", plain_color),
    TEXT("packed pbm", packed_bits),
    TEXT("big-endian pfm", float_big),
    {NULL, NULL, 0},
};

/* Header, white point, one tag of bytes that do not compress: libpng refuses to read back profiles
 * that deflate to less than 92 bytes. */
enum { ICC_SIZE = 344, ICC_TAG = 144 };

static const uint8_t *make_icc(uint8_t icc[ICC_SIZE], const char *space)
{
    static const uint8_t header[ICC_TAG] = {
        [2] = ICC_SIZE >> 8,
        [3] = ICC_SIZE & 255,
        [8] = 4,
        [70] = 0xf6,
        [71] = 0xd6,
        [73] = 1,
        [78] = 0xd3,
        [79] = 0x2d,
        [131] = 1,
        [139] = ICC_TAG,
        [143] = ICC_SIZE - ICC_TAG,
    };
    memcpy(icc, header, sizeof header);
    memcpy(icc + 12, "mntr", 4);
    memcpy(icc + 16, space, 4);
    memcpy(icc + 20, "XYZ ", 4);
    memcpy(icc + 36, "acsp", 4);
    memcpy(icc + 132, "desc", 4);
    uint32_t noise = 1;
    for (int i = ICC_TAG; i < ICC_SIZE; i++, noise = noise * 1664525u + 1013904223u)
        icc[i] = (uint8_t)(noise >> 24);
    return icc;
}

/* One entry: the maker is "swathe" (tag 0x010f, ASCII, 7 bytes at offset 26). */
static const uint8_t exif[] = {'I', 'I', 42,  0,   8,   0,   0,   0,   1, 0, 0x0f, 0x01,
                               2,   0,   7,   0,   0,   0,   26,  0,   0, 0, 0,    0,
                               0,   0,   's', 'w', 'a', 't', 'h', 'e', 0, 0};

static const char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
                          "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/></x:xmpmeta>";

swathe_metadata io_sample_metadata(int32_t channels)
{
    static uint8_t grey[ICC_SIZE], rgb[ICC_SIZE];
    swathe_metadata metadata = SWATHE_INIT(swathe_metadata);
    metadata.icc = channels <= 2 ? make_icc(grey, "GRAY") : make_icc(rgb, "RGB ");
    metadata.icc_size = ICC_SIZE;
    metadata.exif = exif;
    metadata.exif_size = sizeof exif;
    metadata.xmp = xmp;
    metadata.xmp_size = sizeof xmp - 1;
    metadata.x_resolution = 11811;
    metadata.y_resolution = 5906;
    return metadata;
}
