#include "terminal/stored_print.h"

#include <inttypes.h>
#include <string.h>

enum { TAG_EXIF = 0x8769, TAG_GPS = 0x8825, ENTRY = 12 };

static unsigned number(const unsigned char *at, int bytes, bool big)
{
    unsigned value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[big ? i : bytes - 1 - i];
    return value;
}

/* True if the first directory of a TIFF structure refers to an EXIF directory. */
static bool has_directory(const unsigned char *block, size_t size)
{
    bool big = size >= 8 && block[0] == 'M';
    size_t at = size >= 8 ? number(block + 4, 4, big) : size;
    if (at + 2 > size)
        return false;
    size_t count = number(block + at, 2, big);
    for (at += 2; count > 0 && at + ENTRY <= size; count--, at += ENTRY) {
        unsigned tag = number(block + at, 2, big);
        if (tag == TAG_EXIF || tag == TAG_GPS)
            return true;
    }
    return false;
}

bool stored_exif(const swathe_metadata *metadata)
{
    const swathe_encoding *encoding = metadata->encoding;
    bool tiff = encoding && encoding->format && strcmp(encoding->format, "tiff") == 0;
    return metadata->exif_size > 0 && (!tiff || has_directory(metadata->exif, metadata->exif_size));
}

static const char *orientation_text(int32_t orientation)
{
    static const char *const texts[] = {"",
                                        "upright",
                                        "mirrored left to right",
                                        "upside down",
                                        "mirrored top to bottom",
                                        "mirrored, lying on its left side",
                                        "lying on its left side",
                                        "mirrored, lying on its right side",
                                        "lying on its right side"};
    return orientation >= 1 && orientation <= 8 ? texts[orientation] : "unknown";
}

void stored_print(const swathe_metadata *metadata)
{
    const swathe_encoding *encoding = metadata ? metadata->encoding : NULL;
    if (!encoding)
        return;
    if (encoding->tile_width > 0)
        printf("tiles        %" PRId64 " x %" PRId64 "\n", encoding->tile_width,
               encoding->tile_height);
    else if (encoding->tile_height > 0)
        printf("strips       %" PRId64 " row%s each\n", encoding->tile_height,
               encoding->tile_height == 1 ? "" : "s");
    if (encoding->compression)
        printf("compression  %s\n", encoding->compression);
    if (encoding->quality > 0)
        printf("quality      about %d, estimated from its quantization tables\n",
               encoding->quality);
    if (encoding->subsampling > 0)
        printf("subsampling  %d:%d:%d\n", encoding->subsampling / 100,
               encoding->subsampling / 10 % 10, encoding->subsampling % 10);
    if (encoding->bits > 0)
        printf("stored bits  %d bit%s per sample\n", encoding->bits,
               encoding->bits == 1 ? "" : "s");
    if (encoding->progressive)
        printf("progressive  yes\n");
    if (encoding->frames > 1)
        printf("frames       %d; only the first is read\n", encoding->frames);
    if (encoding->palette)
        printf("palette      yes\n");
    if (encoding->planar)
        printf("layout       planar, one plane per channel\n");
    if (encoding->orientation > 1)
        printf("orientation  %d, %s; --orient turns it upright\n", encoding->orientation,
               orientation_text(encoding->orientation));
}

/* Writes null for 0: unknown or not applicable. */
static void json_count(struct json *json, const char *name, int64_t value)
{
    if (value > 0)
        json_integer(json, name, value);
    else
        json_null(json, name);
}

void stored_json(struct json *json, const swathe_metadata *metadata)
{
    const swathe_encoding none = SWATHE_INIT(swathe_encoding);
    const swathe_encoding *encoding = metadata && metadata->encoding ? metadata->encoding : &none;
    bool tiles = encoding->tile_width > 0;
    json_count(json, "tile_width", encoding->tile_width);
    json_count(json, "tile_height", tiles ? encoding->tile_height : 0);
    json_count(json, "strip_height", tiles ? 0 : encoding->tile_height);
    if (encoding->compression)
        json_text(json, "compression", encoding->compression);
    else
        json_null(json, "compression");
    json_count(json, "quality", encoding->quality);
    json_count(json, "subsampling", encoding->subsampling);
    json_count(json, "stored_bits", encoding->bits);
    json_bool(json, "progressive", encoding->progressive != 0);
    json_count(json, "frames", encoding->frames);
    json_bool(json, "palette", encoding->palette != 0);
    json_bool(json, "planar", encoding->planar != 0);
    json_count(json, "orientation", encoding->orientation);
}
